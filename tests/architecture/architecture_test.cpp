// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "tests/architecture/rules.h"

namespace fettle::architecture {
namespace {

using Lines = std::vector<std::string>;

TEST(Rules, UpwardArrowsAreFound) {
    EXPECT_EQ(violations({{"core/loop/a.cpp", "#include <vector>\n#include \"core/search/search.h\"\n"}}),
              Lines{"core/loop/a.cpp:2: loop may not know search"});
    EXPECT_EQ(violations({{"core/store/a.h", "  #  include \"core/compile/model.h\"  // why\n"}}),
              Lines{"core/store/a.h:1: store may not know compile"});
    EXPECT_EQ(violations({{"core/graph/a.cpp", "#include \"ui/shell/theme.h\""}}),
              Lines{"core/graph/a.cpp:1: graph may not know ui"});
    EXPECT_EQ(violations({{"core/kitchen/a.cpp", ""}}), Lines{"core/kitchen/a.cpp:1: there is no room 'kitchen'"});
}

TEST(Rules, DownwardArrowsAreFineAlsoOverSeveralRooms) {
    EXPECT_EQ(
        violations({{"ui/pages/a.cpp", "#include <QWidget>\n#include \"core/compile/model.h\"\n"},
                    {"core/session/a.cpp", "#include \"core/support/hash.h\"\n#include \"core/loop/program.h\"\n"},
                    {"core/schedule/a.cpp", "// #include \"core/search/search.h\" is only a comment\n"}}),
        Lines{});
}

TEST(Rules, EachDependencyHasOneDoor) {
    EXPECT_EQ(violations({{"core/search/a.cpp", "#include <llvm/IR/Module.h>\n#include <xgboost/c_api.h>\n"}}),
              (Lines{"core/search/a.cpp:1: search is not the door of <llvm/IR/Module.h>",
                     "core/search/a.cpp:2: search is not the door of <xgboost/c_api.h>"}));
    EXPECT_EQ(violations({{"core/session/a.cpp", "#include <QString>\n"}}),
              Lines{"core/session/a.cpp:1: session is not the door of <QString>"});
    EXPECT_EQ(violations({{"core/ops/a.cpp", "#include \"onnx.pb.h\"\n"}}),
              Lines{"core/ops/a.cpp:1: ops is not the door of <onnx.pb.h>"});
    EXPECT_EQ(violations({{"core/codegen/a.cpp", "#include <llvm/IR/Module.h>\n"},
                          {"core/store/a.cpp", "#include <sqlite3.h>\n"},
                          {"ui/a.h", "#include <Qsci/qsciscintilla.h>\n#include <qcustomplot.h>\n"}}),
              Lines{});
}

TEST(Rules, HeadersDoNotShowADependencyToOtherRooms) {
    Sources sources = {{"core/codegen/codegen.h", "#include \"core/codegen/deep.h\"\n"},
                       {"core/codegen/deep.h", "#include <llvm/IR/Module.h>\n"},
                       {"core/codegen/b.cpp", "#include \"core/codegen/deep.h\"\n"}};
    EXPECT_EQ(violations(sources), Lines{});
    sources["core/compile/a.cpp"] = "#include \"core/codegen/codegen.h\"\n";
    EXPECT_EQ(violations(sources), Lines{"core/compile/a.cpp:1: core/codegen/codegen.h shows <llvm/IR/Module.h>"});
}

TEST(Rules, RoomsOfPaths) {
    EXPECT_EQ(roomOf("core/loop/print.cpp"), "loop");
    EXPECT_EQ(roomOf("core/ops/lowering/conv.cpp"), "ops");
    EXPECT_EQ(roomOf("ui/shell/theme.h"), "ui");
    EXPECT_EQ(roomOf("app/cli/tune.cpp"), "app");
    EXPECT_EQ(roomOf("local.h"), "");
}

Sources readSources() {
    namespace fs = std::filesystem;
    const fs::path root = FETTLE_SOURCE_DIR;
    Sources sources;
    for (const char* folder : {"core", "ui", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            std::string suffix = entry.path().extension();
            if (suffix != ".h" && suffix != ".cpp" && suffix != ".c") continue;
            std::ifstream file(entry.path());
            sources[fs::relative(entry.path(), root)] = {std::istreambuf_iterator<char>(file), {}};
        }
    return sources;
}

TEST(Architecture, TheHouseKeepsItsRules) {
    Sources sources = readSources();
    std::set<std::string> rooms;
    for (const auto& [path, text] : sources) rooms.insert(roomOf(path));
    EXPECT_GE(rooms.size(), 16u) << "the sources were not found";
    for (const std::string& line : violations(sources)) ADD_FAILURE() << line;
}

TEST(Architecture, EveryFileNamesItsLicence) {
    for (const auto& [path, text] : readSources()) {
        std::string wanted = roomOf(path) == "runtime" ? "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
                                                       : "SPDX-License-Identifier: GPL-3.0-or-later";
        EXPECT_NE(text.substr(0, text.find('\n')).find(wanted), std::string::npos) << path;
    }
}

}  // namespace
}  // namespace fettle::architecture
