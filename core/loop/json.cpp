// SPDX-License-Identifier: GPL-3.0-or-later
// Shared scalar subtrees are written once, in a table, and referred to by number: sharing survives the round trip.
#include "core/loop/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace fettle::loop {

namespace {

using Json = nlohmann::json;

// JSON has no infinities or NaN.
Json number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

double numberFrom(const Json& json) {
    if (!json.is_string()) return json.get<double>();
    const std::string text = json.get<std::string>();
    if (text == "nan") return std::nan("");
    return text == "inf" ? INFINITY : -INFINITY;
}

Json layoutJson(const graph::Layout& layout) {
    Json blocks = Json::array();
    for (const auto& block : layout.blocks) blocks.push_back({block.axis, block.size});
    return {{"order", layout.order}, {"blocks", blocks}, {"before", layout.haloBefore}, {"after", layout.haloAfter}};
}

graph::Layout layoutFrom(const Json& json) {
    graph::Layout layout;
    layout.order = json.at("order").get<std::vector<int>>();
    for (const Json& block : json.at("blocks"))
        layout.blocks.push_back({block.at(0).get<int>(), block.at(1).get<int64_t>()});
    layout.haloBefore = json.at("before").get<std::vector<int64_t>>();
    layout.haloAfter = json.at("after").get<std::vector<int64_t>>();
    return layout;
}

class Writer {
public:
    Json index(const Index& i) {
        using Kind = Index::Kind;
        switch (i.kind()) {
            case Kind::Constant:
                return i.constant();
            case Kind::Axis:
                return {{"a", i.axisNumber()}};
            case Kind::Add:
                return {{"+", {index(i.left()), index(i.right())}}};
            case Kind::Mul:
                return {{"*", {index(i.left()), i.constant()}}};
            case Kind::FloorDiv:
                return {{"/", {index(i.left()), i.constant()}}};
            case Kind::Mod:
                return {{"%", {index(i.left()), i.constant()}}};
            case Kind::Loaded:
                return {{"load", scalar(i.loadedValue())}};
        }
        return nullptr;
    }
    Json indexList(const std::vector<Index>& list) {
        Json result = Json::array();
        for (const Index& i : list) result.push_back(index(i));
        return result;
    }
    // The number of the scalar in the table.
    int scalar(const Scalar& s) {
        if (auto found = numbers_.find(s.get()); found != numbers_.end()) return found->second;
        Json node = {{"op", static_cast<int>(s->op)}, {"type", static_cast<int>(s->dtype)}};
        if (s->op == ScalarOp::Constant) node["value"] = number(s->value);
        if (s->op == ScalarOp::Load) node["tensor"] = s->tensor;
        if (s->guarded) node["guard"] = number(s->guardValue);
        if (!s->indices.empty() || s->op == ScalarOp::Load) node["at"] = indexList(s->indices);
        for (const Scalar& operand : s->operands) node["of"].push_back(scalar(operand));
        table_.push_back(std::move(node));
        return numbers_[s.get()] = static_cast<int>(table_.size()) - 1;
    }
    Json table() const { return table_; }

private:
    std::unordered_map<const ScalarNode*, int> numbers_;
    Json table_ = Json::array();
};

class Reader {
public:
    explicit Reader(const Json& table) {
        for (const Json& node : table) scalars_.push_back(read(node));
    }
    Scalar scalar(const Json& number) const { return number.is_null() ? nullptr : scalars_.at(number.get<size_t>()); }
    Index index(const Json& json) const {
        if (json.is_number()) return Index(json.get<int64_t>());
        const auto& [key, value] = *json.items().begin();
        if (key == "a") return Index::axis(value.get<int>());
        if (key == "load") return Index::loaded(scalar(value));
        const Index left = index(value.at(0));
        if (key == "+") return left + index(value.at(1));
        const auto right = value.at(1).get<int64_t>();
        if (key == "*") return left * right;
        if (right <= 0) throw std::out_of_range("division by " + std::to_string(right));
        return key == "/" ? floorDiv(left, right) : mod(left, right);
    }
    std::vector<Index> indexList(const Json& json) const {
        std::vector<Index> result;
        for (const Json& item : json) result.push_back(index(item));
        return result;
    }

private:
    Scalar read(const Json& json) const {
        ScalarNode node{};
        const int op = json.at("op").get<int>();
        if (op < 0 || op > static_cast<int>(ScalarOp::Select))
            throw std::out_of_range("operation " + std::to_string(op));
        node.op = static_cast<ScalarOp>(op);
        node.dtype = static_cast<DType>(json.at("type").get<int>());
        if (json.contains("value")) node.value = numberFrom(json.at("value"));
        if (json.contains("tensor")) node.tensor = json.at("tensor").get<int>();
        if (json.contains("guard")) {
            node.guarded = true;
            node.guardValue = numberFrom(json.at("guard"));
        }
        if (json.contains("at")) node.indices = indexList(json.at("at"));
        if (json.contains("of"))
            for (const Json& operand : json.at("of")) node.operands.push_back(scalar(operand));
        const size_t due = node.op == ScalarOp::Select ? 3 : isBinary(node.op) ? 2 : isUnary(node.op) ? 1 : 0;
        if (node.operands.size() != due) throw std::out_of_range(std::string("operands of ") + scalarOpName(node.op));
        return std::make_shared<const ScalarNode>(std::move(node));
    }
    std::vector<Scalar> scalars_;
};

Json nestJson(const Nest& nest) {
    Json loops = Json::array();
    for (const Loop& loop : nest.loops)
        loops.push_back({{"name", loop.name},
                         {"axis", loop.axis},
                         {"extent", loop.extent},
                         {"step", loop.step},
                         {"kind", static_cast<int>(loop.kind)}});
    return {
        {"loops", loops}, {"parallel", nest.parallelLoops}, {"attach", nest.attachStage}, {"depth", nest.attachDepth}};
}

Nest nestFrom(const Json& json) {
    Nest nest;
    for (const Json& loop : json.at("loops"))
        nest.loops.push_back({loop.at("name").get<std::string>(), loop.at("axis").get<int>(),
                              loop.at("extent").get<int64_t>(), loop.at("step").get<int64_t>(),
                              static_cast<LoopKind>(loop.at("kind").get<int>())});
    nest.parallelLoops = json.at("parallel").get<int>();
    nest.attachStage = json.at("attach").get<int>();
    nest.attachDepth = json.at("depth").get<int>();
    return nest;
}

Json stageJson(const Stage& stage, Writer& writer) {
    Json axes = Json::array();
    for (const Axis& axis : stage.axes)
        axes.push_back({{"name", axis.name}, {"extent", axis.extent}, {"reduce", axis.kind == AxisKind::Reduce}});
    return {{"name", stage.name},
            {"axes", axes},
            {"reduction", static_cast<int>(stage.reduction)},
            {"body", writer.scalar(stage.body)},
            {"epilogue", stage.epilogue ? Json(writer.scalar(stage.epilogue)) : Json()},
            {"output", stage.output},
            {"at", writer.indexList(stage.outputIndices)}};
}

Stage stageFrom(const Json& json, const Reader& reader) {
    Stage stage;
    stage.name = json.at("name").get<std::string>();
    for (const Json& axis : json.at("axes"))
        stage.axes.push_back({axis.at("name").get<std::string>(), axis.at("extent").get<int64_t>(),
                              axis.at("reduce").get<bool>() ? AxisKind::Reduce : AxisKind::Space});
    stage.reduction = static_cast<Reduction>(json.at("reduction").get<int>());
    stage.body = reader.scalar(json.at("body"));
    stage.epilogue = reader.scalar(json.at("epilogue"));
    stage.output = json.at("output").get<int>();
    stage.outputIndices = reader.indexList(json.at("at"));
    return stage;
}

}  // namespace

std::string toJson(const LoopProgram& program) {
    Json tensors = Json::array(), stages = Json::array(), nests = Json::array();
    for (const TensorDecl& tensor : program.tensors)
        tensors.push_back({{"name", tensor.name},
                           {"type", static_cast<int>(tensor.type.dtype)},
                           {"shape", tensor.type.shape},
                           {"layout", layoutJson(tensor.type.layout)},
                           {"role", static_cast<int>(tensor.role)}});
    Writer writer;
    for (const Stage& stage : program.stages) stages.push_back(stageJson(stage, writer));
    for (const Nest& nest : program.nests) nests.push_back(nestJson(nest));
    const Json json = {{"name", program.name},
                       {"tensors", tensors},
                       {"scalars", writer.table()},
                       {"stages", stages},
                       {"nests", nests}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<LoopProgram> fromJson(const std::string& text) {
    LoopProgram program;
    try {
        const Json json = Json::parse(text);
        program.name = json.at("name").get<std::string>();
        for (const Json& tensor : json.at("tensors")) {
            TensorDecl decl;
            decl.name = tensor.at("name").get<std::string>();
            decl.type = {static_cast<DType>(tensor.at("type").get<int>()), tensor.at("shape").get<graph::Shape>(),
                         layoutFrom(tensor.at("layout"))};
            decl.role = static_cast<Role>(tensor.at("role").get<int>());
            program.tensors.push_back(std::move(decl));
        }
        const Reader reader(json.at("scalars"));
        for (const Json& stage : json.at("stages")) program.stages.push_back(stageFrom(stage, reader));
        for (const Json& nest : json.at("nests")) program.nests.push_back(nestFrom(nest));
    } catch (const std::exception& problem) {
        return fail(ErrorCode::Failed, "cannot read a loop program", "", problem.what());
    }
    FETTLE_CHECK(validate(program));
    return program;
}

}  // namespace fettle::loop
