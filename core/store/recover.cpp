// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recover.h"

#include <fstream>
#include <vector>

#include "core/store/schema.h"

namespace fettle::store {
namespace {

namespace fs = std::filesystem;

fs::path with(const fs::path& file, const std::string& suffix) {
    return fs::path(file) += suffix;
}

// The root pages of the tables depend only on the order in which the schema made them, so page 1 (the header and the
// list of tables) of a new file fits every file of this version. Writes a new page 1 over the copy's.
Status graftFirstPage(const fs::path& copy) {
    const fs::path fresh = with(copy, "-fresh");
    {
        FETTLE_TRY(const Connection connection, Connection::open(fresh, Connection::Mode::Create));
        FETTLE_CHECK(connection.run("PRAGMA page_size=" + std::to_string(kPageSize), "recover the session"));
        FETTLE_CHECK(migrate(connection, migrations()));
    }
    std::vector<char> page(kPageSize);
    std::ifstream(fresh, std::ios::binary).read(page.data(), kPageSize);
    std::error_code ignored;
    fs::remove(fresh, ignored);
    const auto pages = static_cast<uint32_t>(fs::file_size(copy, ignored) / kPageSize);
    // Offset 28: size in pages (big-endian), believed only when offset 24 equals offset 92. 32 and 36: no free pages.
    for (int k = 0; k < 4; ++k) {
        page[28 + k] = static_cast<char>(pages >> (24 - 8 * k));
        page[32 + k] = page[36 + k] = 0;
        page[92 + k] = page[24 + k];
    }
    page[18] = page[19] = 2;  // write-ahead logging: what the -wal still holds counts
    std::fstream out(copy, std::ios::binary | std::ios::in | std::ios::out);
    out.write(page.data(), kPageSize);
    if (!out) return fail(ErrorCode::Failed, "cannot recover the session", copy.string(), "the copy cannot be written");
    return {};
}

// Every row that can be reached, from the front until a damaged page and then from the back. Rows keep their
// checksums, which are checked when they are read.
int64_t copyRows(const Connection& into, const std::string& table, bool hasRowid) {
    const auto count = [&] { return into.number("SELECT count(*) FROM " + table, "recover the session").value_or(0); };
    const int64_t before = count();
    const std::string insert = "INSERT OR IGNORE INTO " + table + " SELECT * FROM damaged." + table;
    if (into.run(insert, "recover the session") || !hasRowid) return count() - before;
    for (const char* order : {"", " DESC"}) {
        auto ids = Statement::prepare(into, "SELECT rowid FROM damaged." + table + " ORDER BY rowid" + order,
                                      "recover the session");
        if (!ids) continue;
        for (auto more = ids->next(); more && *more; more = ids->next())
            if (!into.run(insert + " WHERE rowid=" + std::to_string(ids->integer()), "recover the session")) break;
    }
    return count() - before;
}

struct Recovered {
    int64_t info = 0, tasks = 0, trials = 0;
};

Result<Recovered> copyAll(const fs::path& damaged, const fs::path& target) {
    FETTLE_TRY(const Connection into, Connection::open(target, Connection::Mode::Create));
    FETTLE_CHECK(into.run("PRAGMA page_size=" + std::to_string(kPageSize), "recover the session"));
    FETTLE_CHECK(migrate(into, migrations()));
    FETTLE_TRY(Statement attach, Statement::prepare(into, "ATTACH ? AS damaged", "recover the session"));
    attach.bind(damaged.string());
    FETTLE_CHECK(attach.next());
    Recovered out;
    out.info = copyRows(into, "info", false);
    out.tasks = copyRows(into, "tasks", true);
    out.trials = copyRows(into, "trials", true);
    copyRows(into, "cost_models", true);
    copyRows(into, "profiles", true);
    copyRows(into, "state", false);
    return out;
}

void removeAll(const fs::path& file) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-fresh", "-journal"}) fs::remove(with(file, suffix), ignored);
}

fs::path freeName(const fs::path& file) {
    fs::path name = with(file, "-damaged");
    for (int k = 2; fs::exists(name); ++k) name = with(file, "-damaged-" + std::to_string(k));
    return name;
}

}  // namespace

Result<std::string> recover(const fs::path& file) {
    const fs::path copy = with(file, "-recovering"), target = with(file, "-recovered");
    struct Clean {
        const fs::path &copy, &target;
        ~Clean() {
            removeAll(copy);
            removeAll(target);
        }
    } clean{copy, target};
    removeAll(copy);
    removeAll(target);
    std::error_code code;
    fs::copy_file(file, copy, code);
    if (!code && fs::exists(with(file, "-wal"))) fs::copy_file(with(file, "-wal"), with(copy, "-wal"), code);
    if (code) return fail(ErrorCode::Failed, "cannot recover the session", file.string(), code.message());

    // First as it is (only a table may be damaged), then with a new first page.
    Result<Recovered> rows = copyAll(copy, target);
    if (!rows || rows->info == 0) {
        removeAll(target);
        FETTLE_CHECK(graftFirstPage(copy));
        rows = copyAll(copy, target);
    }
    if (!rows || rows->info + rows->tasks + rows->trials == 0)
        return fail(ErrorCode::BadModel, "cannot open the session", file.string(), "the file is not a Fettle session",
                    "Choose a .fettle file.");
    const fs::path aside = freeName(file);
    fs::rename(file, aside, code);
    if (!code && fs::exists(with(file, "-wal"))) fs::rename(with(file, "-wal"), with(aside, "-wal"), code);
    std::error_code ignored;
    fs::remove(with(file, "-shm"), ignored);
    if (!code) fs::rename(target, file, code);
    if (code) return fail(ErrorCode::Failed, "cannot recover the session", file.string(), code.message());
    return "The session file was damaged. " + std::to_string(rows->trials) + " trials of " +
           std::to_string(rows->tasks) + " tasks were recovered; the damaged file is kept as " +
           aside.filename().string() + ".";
}

}  // namespace fettle::store
