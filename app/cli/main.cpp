// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <signal.h>

#include <iostream>
#include <new>

#include "app/cli/command.h"
#include "core/support/version.h"

namespace {

using namespace fettle::cli;

struct Row {
    const char* name;
    const char* help;
    Action (*declare)(CLI::App&);
};

constexpr Row kCommands[] = {
    {"inspect", "Operators, shapes, FLOPs, bytes and tasks of a model; what is unsupported, all of it", declareInspect},
    {"tune", "Tune a model for this machine; the session is kept in a file", declareTune},
    {"resume", "Go on with a session exactly where it stopped", declareResume},
    {"profile", "Where the time of the whole model goes", declareProfile},
    {"run", "Run on stored inputs and compare with stored outputs", declareRun},
    {"bench", "Time the whole model on seeded random inputs", declareBench},
    {"export", "Write model.so, model.h, example.c and model.json", declareExport},
    {"verify", "Check an exported folder", declareVerify},
    {"tasks", "The operators of a session, with their latencies", declareTasks},
    {"trials", "Every trial of a session", declareTrials},
    {"show", "A schedule as text, loops, LLVM IR, assembly or with LLVM-MCA", declareShow},
    {"targets", "What code can be generated for", declareTargets},
};

int report(const fettle::Error& error) {
    printError(error);
    return static_cast<int>(error.code);
}

// A fault of ours still ends with a sentence and an exit code, and with every destructor run.
fettle::Result<int> guarded(const Action& act) {
    using fettle::ErrorCode;
    try {
        return act();
    } catch (const std::bad_alloc&) {
        return fettle::fail(ErrorCode::Failed, "cannot go on", {}, "there is not enough memory",
                            "Close other programs, or use a smaller model.");
    } catch (const std::exception& problem) {
        return fettle::fail(ErrorCode::Failed, "an error inside Fettle", {}, problem.what(),
                            "Please report it, with the command and the model.");
    }
}

// A closed stdin, stdout or stderr would be given to the next file that is opened: the session, for one.
void keepStandardStreams() {
    for (int fd = 0; fd <= 2; ++fd)
        if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd) return;
}

// What a script reads must have arrived: a full disk behind `> file` is a failure.
int finish(int code) {
    if (std::cout.flush()) return code;
    return report({fettle::ErrorCode::Failed,
                   "cannot write the output",
                   {},
                   "the disk is full or the output is closed",
                   "Free some space, or send the output elsewhere."});
}

}  // namespace

int main(int argc, char** argv) {
    keepStandardStreams();
    ::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is then an error of the write, as a full disk is
    CLI::App app("Fettle: opens an ONNX model, shows where its time goes, tunes it, exports a .so", "fettle-cli");
    app.set_version_flag("--version", std::string("fettle-cli ") + fettle::version());
    app.require_subcommand(1);
    Action action;
    std::vector<std::pair<CLI::App*, Action>> actions;
    for (const Row& row : kCommands) {
        CLI::App* command = app.add_subcommand(row.name, row.help);
        actions.emplace_back(command, row.declare(*command));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        CLI::App* asked = &app;
        for (const auto& [command, unused] : actions)
            if (command->parsed()) asked = command;
        std::cout << asked->help();
        return 0;
    } catch (const CLI::CallForAllHelp&) {
        std::cout << app.help("", CLI::AppFormatMode::All);
        return 0;
    } catch (const CLI::CallForVersion&) {
        std::cout << app.version() << "\n";
        return 0;
    } catch (const CLI::ParseError& problem) {
        return report({fettle::ErrorCode::Usage,
                       "cannot read the command line",
                       {},
                       problem.what(),
                       "`fettle-cli --help` lists the commands, `fettle-cli COMMAND --help` its options."});
    }
    for (const auto& [command, act] : actions) {
        if (!command->parsed()) continue;
        const fettle::Result<int> code = guarded(act);
        return code ? finish(*code) : report(code.error());
    }
    return 2;
}
