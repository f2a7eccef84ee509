// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/spec/operatorcheck.h"
#include "core/spec/operatornames.h"
#include "core/spec/operatorreader.h"

namespace rooftree::spec {

namespace {

Json fillToJson(const Fill& fill)
{
    Json json{ { "kind", nameOf(fillKindNames(), fill.kind) } };
    for (const auto& key : fillKeys(fill.kind)) {
        if (key == "mean")
            json[key] = fill.mean;
        else if (key == "std")
            json[key] = fill.std;
        else if (key == "p")
            json[key] = fill.p;
        else
            json[key] = (key == "hi" ? fill.hi : key == "of" ? fill.of : fill.lo).text();
    }
    return json;
}

Json tensorsToJson(const std::vector<Tensor>& tensors, bool inputs)
{
    Json list = Json::array();
    for (const auto& tensor : tensors) {
        Json shape = Json::array();
        for (const auto& extent : tensor.shape)
            shape.push_back(extent.text());
        Json json{ { "name", tensor.name }, { "shape", std::move(shape) }, { "dtype", dtypeName(tensor.dtype) } };
        if (inputs)
            json["fill"] = fillToJson(tensor.fill);
        list.push_back(std::move(json));
    }
    return list;
}

Json contentToJson(const Operator& op)
{
    Json axes = Json::array();
    for (const auto& axis : op.axes)
        axes.push_back(Json{ { "name", axis.name }, { "constant", axis.constant } });
    Json cases = Json::array();
    for (const auto& which : op.cases)
        cases.push_back(Json{ { "axes", which.axes }, { "role", roleName(which.role) } });
    return Json{ { "name", op.name }, { "family", op.family }, { "description", op.description },
        { "axes", std::move(axes) }, { "inputs", tensorsToJson(op.inputs, true) },
        { "outputs", tensorsToJson(op.outputs, false) }, { "reference", op.referenceSource },
        { "naive", op.naiveSource }, { "vendor", { { "name", op.vendorName }, { "source", op.vendorSource } } },
        { "cost", { { "flops", op.flops.text() }, { "bytes", op.bytes.text() } } },
        { "check",
            { { "mode", nameOf(checkModeNames(), op.check.mode) }, { "rtol", op.check.rtol }, { "atol", op.check.atol },
                { "scale", nameOf(scaleNames(), op.check.scale) } } },
        { "cases", std::move(cases) } };
}

// Takes an operator's JSON apart; the first thing that is wrong stays in m_problem.
class JsonOperator {
public:
    Result<Operator> run(const Json& json)
    {
        if (!json.is_object())
            note("It is not a JSON object.");
        m_op.name = jsonValue(json, "name", std::string());
        m_op.family = jsonValue(json, "family", std::string());
        m_op.description = jsonValue(json, "description", std::string());
        readAxes(member(json, "axes"));
        readTensors(member(json, "inputs"), m_op.inputs);
        readTensors(member(json, "outputs"), m_op.outputs);
        m_op.referenceSource = jsonValue(json, "reference", std::string());
        m_op.naiveSource = jsonValue(json, "naive", std::string());
        const auto& vendor = member(json, "vendor");
        m_op.vendorName = jsonValue(vendor, "name", std::string());
        m_op.vendorSource = jsonValue(vendor, "source", std::string());
        m_op.flops = expression(member(json, "cost"), "flops");
        m_op.bytes = expression(member(json, "cost"), "bytes");
        readCheck(member(json, "check"));
        readCases(member(json, "cases"));
        if (m_problem.empty()) {
            if (const auto problem = findProblem(m_op))
                m_problem = problem->place + ": " + problem->text;
        }
        if (!m_problem.empty())
            return Error{ ErrorCode::Parse, "The operator that was sent is not valid: " + m_problem };
        m_op.hash = operatorHash(m_op);
        return std::move(m_op);
    }

private:
    static const Json& member(const Json& json, const char* key)
    {
        static const Json nothing;
        if (!json.is_object())
            return nothing;
        const auto found = json.find(key);
        return found == json.end() ? nothing : *found;
    }

    void note(const std::string& problem)
    {
        if (m_problem.empty())
            m_problem = problem;
    }

    Expression parsed(const std::string& text)
    {
        auto expression = Expression::parse(text);
        if (expression)
            return std::move(expression).value();
        note(expression.error().text);
        return {};
    }

    Expression expression(const Json& json, const char* key) { return parsed(jsonValue(json, key, std::string())); }

    template <typename Value>
    void readName(const Json& json, const char* key, const NameTable<Value>& table, Value& into)
    {
        const auto name = jsonValue(json, key, std::string());
        if (const auto value = valueOf(table, name))
            into = *value;
        else
            note(unknownNameText(key, name, namesOf(table)));
    }

    void readAxes(const Json& list)
    {
        for (const auto& json : list) {
            Axis axis{ jsonValue(json, "name", std::string()), jsonValue(json, "constant", int64_t{ 0 }) };
            if (axis.constant < 0)
                note("A constant axis must be positive.");
            m_op.axes.push_back(std::move(axis));
        }
    }

    void readTensors(const Json& list, std::vector<Tensor>& into)
    {
        for (const auto& json : list) {
            Tensor tensor;
            tensor.name = jsonValue(json, "name", std::string());
            for (const auto& extent : member(json, "shape"))
                tensor.shape.push_back(parsed(extent.is_string() ? extent.get<std::string>() : std::string()));
            readName(json, "dtype", dtypeNames(), tensor.dtype);
            if (&into == &m_op.inputs)
                readFill(member(json, "fill"), tensor.fill);
            into.push_back(std::move(tensor));
        }
    }

    void readFill(const Json& json, Fill& fill)
    {
        readName(json, "kind", fillKindNames(), fill.kind);
        fill.mean = jsonValue(json, "mean", fill.mean);
        fill.std = jsonValue(json, "std", fill.std);
        fill.p = jsonValue(json, "p", fill.p);
        fill.lo = expression(json, fill.kind == FillKind::Constant ? "value" : "lo");
        fill.hi = expression(json, "hi");
        fill.of = expression(json, "of");
    }

    void readCheck(const Json& json)
    {
        readName(json, "mode", checkModeNames(), m_op.check.mode);
        readName(json, "scale", scaleNames(), m_op.check.scale);
        m_op.check.rtol = jsonValue(json, "rtol", m_op.check.rtol);
        m_op.check.atol = jsonValue(json, "atol", m_op.check.atol);
    }

    void readCases(const Json& list)
    {
        for (const auto& json : list) {
            Case which;
            const auto& axes = member(json, "axes");
            for (const auto& [axis, size] : axes.items()) {
                if (size.is_number_integer())
                    which.axes[axis] = size.get<int64_t>();
                else
                    note("The size of axis '" + axis + "' is not a whole number.");
            }
            readName(json, "role", roleNames(), which.role);
            m_op.cases.push_back(std::move(which));
        }
    }

    Operator m_op;
    std::string m_problem;
};

} // namespace

std::string operatorHash(const Operator& op)
{
    return sha256Hex(toLine(contentToJson(op)));
}

Json toJson(const Operator& op)
{
    Json json = contentToJson(op);
    json["hash"] = op.hash;
    return json;
}

Result<Operator> operatorFromJson(const Json& json)
{
    return JsonOperator().run(json);
}

} // namespace rooftree::spec
