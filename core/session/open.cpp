// SPDX-License-Identifier: GPL-3.0-or-later
// Opening: a model becomes an outline (and goes on with the session found beside it); a session file finds its model.
#include <algorithm>

#include "core/onnx/import.h"
#include "core/session/context.h"
#include "core/session/paths.h"
#include "core/session/settings.h"
#include "core/space/design_space.h"
#include "core/support/version.h"

namespace fettle::session {
namespace {

namespace fs = std::filesystem;

Status checkIsFile(const fs::path& file) {
    std::error_code code;
    const fs::file_status status = fs::status(file, code);
    if (code && status.type() != fs::file_type::not_found)
        return fail(ErrorCode::BadModel, "cannot open the model", file.string(), code.message(),
                    "Ask for the right to read it.");
    if (!fs::exists(status))
        return fail(ErrorCode::BadModel, "cannot open the model", file.string(), "there is no such file",
                    "Check the name.");
    if (fs::is_directory(status))
        return fail(ErrorCode::BadModel, "cannot open the model", file.string(), "it is a folder",
                    "Name the .onnx file in it.");
    return {};
}

// What people call the model: its file, or its folder when the file is one of many "model.onnx". Exporters write
// "torch_jit" and the like into the graph's own name.
std::string modelName(const fs::path& file, const std::string& graphName) {
    const std::string stem = file.stem().string();
    if (stem != "model" && !stem.empty()) return stem;
    const std::string folder = fs::absolute(file).parent_path().filename().string();
    return folder.empty() ? graphName : folder;
}

struct Loaded {
    std::shared_ptr<const compile::OpenedModel> model;
    std::vector<std::string> warnings;
};

Result<Loaded> loadModel(const fs::path& file, const std::map<std::string, int64_t>& dims,
                         const target::Target& target) {
    FETTLE_CHECK(checkIsFile(file));
    onnx::ImportOptions options;
    options.dims = dims;
    FETTLE_TRY(onnx::ImportedModel imported, onnx::importModel(file, options));
    Loaded loaded;
    loaded.warnings = imported.warnings;
    FETTLE_TRY(compile::OpenedModel model, compile::openGraph(std::move(imported.graph), imported.sha256, target));
    model.name = modelName(file, model.name);
    loaded.warnings.insert(loaded.warnings.end(), model.warnings.begin(), model.warnings.end());
    loaded.model = std::make_shared<const compile::OpenedModel>(std::move(model));
    return loaded;
}

std::vector<store::TaskRow> taskRows(const compile::OpenedModel& model, const target::Target& target) {
    std::vector<store::TaskRow> rows;
    for (const compile::Task& task : model.tasks)
        rows.push_back({task.id, task.name, graph::kindName(task.kind), task.detail, task.weight, task.flops,
                        task.bytes, task.structuralHash,
                        schedule::print(space::defaultTrace(task.program, target, 1))});
    return rows;
}

// Replays a file's rows as events, so that a listener needs no other source.
Status announceFile(Context& context) {
    const auto outline = context.outline();
    FETTLE_TRY(auto trials, context.file->trials());
    for (const store::TrialRow& row : trials) context.board.add(row);
    if (!trials.empty()) {
        context.lastTrial = trials.back().id;
        context.events.push(TrialsMeasured{std::move(trials)});
    }
    FETTLE_TRY(const auto models, context.file->costModels());
    for (const store::ModelRow& row : models) {
        context.progress.quality = {row.version, row.trainedOn, row.heldOut, row.spearman, row.topK};
        context.events.push(CostModelTrained{context.progress.quality, {}});
    }
    FETTLE_TRY(const auto profiles, context.file->profiles());
    for (const store::ProfileRow& row : profiles)
        if (auto profile = profileFromJson(row.json)) context.events.push(ProfileReady{std::move(*profile)});
    FETTLE_TRY(const auto split, context.file->value("seconds_in"));
    if (split) context.progress.secondsIn = splitFromJson(*split);
    context.progress.seconds = context.earlierSeconds();
    if (!context.file->notice().empty())
        context.warn(
            {ErrorCode::Failed, "repaired the session", context.sessionPath.string(), context.file->notice(), {}});
    if (const int64_t damaged = context.file->damagedRows(); damaged > 0)
        context.warn({ErrorCode::Failed,
                      "left out damaged rows",
                      context.sessionPath.string(),
                      std::to_string(damaged) + " rows do not match their checksums",
                      {}});
    return {};
}

// The stored rows name the model's tasks; at most `lost` of them were left out because they are damaged.
bool sameTasks(const std::vector<store::TaskRow>& stored, const std::vector<store::TaskRow>& fresh, int64_t lost) {
    if (stored.size() > fresh.size() || fresh.size() - stored.size() > static_cast<size_t>(lost)) return false;
    return std::all_of(stored.begin(), stored.end(), [&](const store::TaskRow& row) {
        return row.id >= 0 && static_cast<size_t>(row.id) < fresh.size() &&
               row.structuralHash == fresh[static_cast<size_t>(row.id)].structuralHash;
    });
}

// A task's id is its place in the list: rows that are lost, with no model to find them in, leave their place empty.
void keepPlaces(std::vector<store::TaskRow>& tasks, int64_t lost) {
    const size_t most = tasks.size() + static_cast<size_t>(lost);
    std::vector<store::TaskRow> placed;
    for (store::TaskRow& row : tasks) {
        if (row.id < 0 || static_cast<size_t>(row.id) >= most) continue;
        while (placed.size() < static_cast<size_t>(row.id))
            placed.push_back({static_cast<int>(placed.size()), "(damaged)", {}, {}, 0, 0, 0, 0, {}});
        placed.push_back(std::move(row));
    }
    tasks = std::move(placed);
}

void warnOfModel(Context& context, const std::vector<std::string>& warnings) {
    for (const std::string& text : warnings) context.warn({ErrorCode::Failed, "note", {}, text, {}});
}

// The model of a session: where it was, or beside the session file.
fs::path findModel(const fs::path& session, const store::SessionInfo& info) {
    std::error_code ignored;
    const fs::path named = info.modelPath;
    if (named.empty()) return fs::path(session).replace_extension(".onnx");  // the row that names it is damaged
    const fs::path beside = session.parent_path() / named.filename();
    return !fs::exists(named, ignored) && fs::exists(beside, ignored) ? beside : named;
}

// Fills the outline's model, or says in whyNotTune why there is none. Tasks and trials work either way.
Status attachModel(Context& context, Outline& outline) {
    const fs::path path = findModel(context.sessionPath, outline.info);
    const auto refuse = [&](std::string why, std::string next) {
        context.whyNotTune = Error{ErrorCode::BadModel, "cannot tune, profile or export this session", path.string(),
                                   std::move(why), std::move(next)};
        context.warn(*context.whyNotTune);
    };
    auto target = target::findTarget(outline.info.target);
    if (!target) {
        context.whyNotTune = target.error();
        context.warn(target.error());
        return {};
    }
    outline.target = *target;
    auto loaded = loadModel(path, outline.info.dims, outline.target);
    if (!loaded) {
        refuse(loaded.error().why, "Put the model back there, or beside the session file.");
        return {};
    }
    const std::vector<store::TaskRow> fresh = taskRows(*loaded->model, outline.target);
    if (loaded->model->sha256 != outline.info.modelSha256) {
        refuse("the model has changed since", "Start a new session for it.");
    } else if (outline.target.isHost() && outline.target.cpu != outline.info.targetCpu) {
        refuse("its trials were measured on " + outline.info.targetCpu + ", this machine is " + outline.target.cpu,
               "Start a new session here.");
    } else if (!outline.tasks.empty() && !sameTasks(outline.tasks, fresh, context.file->damagedRows())) {
        refuse("another version of Fettle found other tasks in this model", "Start a new session for it.");
    } else {
        const bool lost = outline.tasks.size() != fresh.size();  // with a damaged row or page; the model has them all
        outline.tasks = fresh;
        outline.model = loaded->model;
        if (lost && !context.options.readOnly) FETTLE_CHECK(context.file->putTasks(fresh));
        warnOfModel(context, loaded->warnings);
    }
    return {};
}

Status attachFile(Context& context, std::unique_ptr<store::SessionFile> file) {
    context.file = std::move(file);
    Outline outline;
    FETTLE_TRY(outline.info, context.file->info());
    FETTLE_TRY(outline.tasks, context.file->tasks());
    context.sessionThreads = tuneOptionsFromJson(outline.info.settingsJson).threads;
    FETTLE_CHECK(attachModel(context, outline));
    if (!outline.model) keepPlaces(outline.tasks, context.file->damagedRows());
    for (const store::TaskRow& task : outline.tasks) context.events.push(TaskAdded{task});
    context.board.reset(outline.tasks);
    context.setOutline(std::move(outline));
    return announceFile(context);
}

Status openSessionFile(Context& context, const fs::path& file) {
    using Mode = store::SessionFile::Mode;
    context.sessionPath = file;
    if (!context.options.readOnly && !canWriteIn(file.parent_path())) {
        std::error_code ignored;
        if (fs::exists(file, ignored)) {
            context.options.readOnly = true;
            context.warn({ErrorCode::Failed, "opened to look only", file.string(), "the folder is read-only",
                          "Copy the session to go on tuning it."});
        }
    }
    FETTLE_TRY(auto opened,
               store::SessionFile::open(file, context.options.readOnly ? Mode::ReadOnly : Mode::ReadWrite));
    return attachFile(context, std::move(opened));
}

// The session beside a model belongs to it when model, target and dimensions are the same.
bool belongs(const store::SessionInfo& info, const store::SessionInfo& wanted) {
    return info.modelSha256 == wanted.modelSha256 && info.target == wanted.target && info.dims == wanted.dims &&
           info.targetCpu == wanted.targetCpu;
}

Status choosePath(Context& context, const fs::path& model, const store::SessionInfo& info) {
    std::error_code ignored;
    const bool named = !context.options.sessionFile.empty();
    const fs::path wanted = named ? context.options.sessionFile : sessionPathFor(model, info.modelSha256);
    context.sessionPath = wanted;
    if (!fs::exists(wanted, ignored)) {
        if (!named && wanted.parent_path() != model.parent_path())
            context.warn({ErrorCode::Failed,
                          "the session is kept elsewhere",
                          wanted.string(),
                          "the model's folder is read-only",
                          {}});
        return {};
    }
    if (!context.options.newSession) {
        const auto reader = store::SessionFile::open(wanted, store::SessionFile::Mode::ReadOnly);
        const auto found = reader ? (*reader)->info() : tl::unexpected(reader.error());
        if (found && belongs(*found, info)) return openSessionFile(context, wanted);
    }
    if (named)
        return fail(ErrorCode::Usage, "cannot make the session", wanted.string(), "a file of that name exists",
                    "Resume it with `fettle-cli resume`, or choose another name.");
    context.sessionPath = freePath(wanted);
    return {};
}

Status openModel(Context& context, const fs::path& file) {
    Outline outline;
    FETTLE_TRY(outline.target, target::findTarget(context.options.target));
    FETTLE_TRY(Loaded loaded, loadModel(file, context.options.dims, outline.target));
    std::error_code ignored;
    outline.info.modelPath = fs::absolute(file, ignored).string();
    outline.info.modelSha256 = loaded.model->sha256;
    outline.info.modelName = loaded.model->name;
    outline.info.target = context.options.target;
    outline.info.targetCpu = outline.target.cpu;
    outline.info.dims = context.options.dims;
    outline.info.fettleVersion = version();
    outline.info.createdUnix = unixNow();
    FETTLE_CHECK(choosePath(context, fs::absolute(file, ignored), outline.info));
    if (context.file) return {};  // went on with a session
    warnOfModel(context, loaded.warnings);
    outline.model = loaded.model;
    outline.tasks = taskRows(*loaded.model, outline.target);
    for (const store::TaskRow& task : outline.tasks) context.events.push(TaskAdded{task});
    context.board.reset(outline.tasks);
    context.setOutline(std::move(outline));
    return {};
}

bool isSessionFile(const fs::path& file) {
    const std::string extension = file.extension().string();
    return extension == ".fettle";
}

}  // namespace

Result<std::unique_ptr<Context>> openSession(const fs::path& file, const OpenOptions& options) {
    auto context = std::make_unique<Context>();
    context->options = options;
    FETTLE_CHECK(isSessionFile(file) ? openSessionFile(*context, file) : openModel(*context, file));
    context->setState(State::Opened);
    return context;
}

}  // namespace fettle::session
