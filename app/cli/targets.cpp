// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "app/cli/command.h"

namespace fettle::cli {

Action declareTargets(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "Print as JSON");
    return [json]() -> Result<int> {
        std::vector<target::Target> all = {target::detectHost()};
        all.insert(all.end(), target::presets().begin(), target::presets().end());
        nlohmann::json rows = nlohmann::json::array();
        std::vector<std::vector<std::string>> table = {{"target", "triple", "cpu", "vector bits"}};
        for (const target::Target& target : all) {
            rows.push_back({{"name", target.name},
                            {"triple", target.triple},
                            {"cpu", target.cpu},
                            {"features", target.features},
                            {"vectorBits", target.vectorBits},
                            {"cores", target.cores}});
            table.push_back({target.name, target.triple, target.cpu, std::to_string(target.vectorBits)});
        }
        if (*json)
            printJson(rows);
        else
            std::cout << textTable(table, {false, false, false, true});
        return 0;
    };
}

}  // namespace fettle::cli
