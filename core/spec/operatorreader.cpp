// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/operatorreader.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/spec/operatorcheck.h"
#include "core/spec/operatornames.h"
#include "core/spec/tomlfields.h"

#include <functional>

namespace rooftree::spec {

namespace {

using LoadSource = std::function<Result<std::string>(const std::string& file)>;

constexpr std::size_t maxTomlBytes = 1u << 20;
constexpr std::size_t maxSourceBytes = 4u << 20;

// Reads one operator.toml in the order of its tables; each function is one of them.
class OperatorParser {
public:
    OperatorParser(const std::string& fileName, LoadSource load)
        : m_fileName(fileName)
        , m_reading(fileName)
        , m_load(std::move(load))
    {
    }

    Result<Operator> run(std::string_view text)
    {
        const auto parsed = toml::parse(text, m_fileName);
        if (!parsed) {
            m_reading.fail(parsed.error().source().begin.line,
                "Not valid TOML: " + sanitizedUtf8(parsed.error().description()) + ". Correct the line.");
            return *m_reading.error();
        }
        readTop(parsed.table());
        if (!m_reading.error()) {
            if (const auto problem = findProblem(m_op))
                m_reading.failAt(problem->place, problem->text);
        }
        if (m_reading.error())
            return *m_reading.error();
        m_op.hash = operatorHash(m_op);
        return std::move(m_op);
    }

private:
    void readTop(const toml::table& table)
    {
        TomlFields top(m_reading, table, "",
            { "name", "family", "description", "axes", "inputs", "outputs", "reference", "naive", "vendor", "cost",
                "check", "cases" });
        top.require("name", "name = \"my_operator\"");
        top.require("axes", "axes = { n = \"var\" }");
        top.require("outputs", "an [[outputs]] table");
        top.require("reference", "a [reference] table with language = \"cpp\" and file = \"reference.cpp\"");
        top.require("cases", "a [[cases]] table with axes = { n = 1048576 }");
        top.readString("name", m_op.name);
        top.readString("family", m_op.family);
        top.readString("description", m_op.description);
        if (const auto* axes = top.table("axes"))
            readAxes(*axes);
        readTensors(top, "inputs", m_op.inputs);
        readTensors(top, "outputs", m_op.outputs);
        if (const auto* cost = top.table("cost"))
            readCost(*cost);
        if (const auto* check = top.table("check"))
            readCheck(*check);
        readCases(top);
        if (!m_reading.error())
            readSources(top);
    }

    void readAxes(const toml::table& table)
    {
        for (const auto* key : TomlFields::keysInFileOrder(table)) {
            const auto& value = *table.get(key->str());
            Axis axis{ std::string(key->str()) };
            m_reading.remember("axes." + axis.name, key->source().begin.line);
            if (value.is_integer() && *value.value<int64_t>() > 0)
                axis.constant = *value.value<int64_t>();
            else if (value.value_or(std::string_view()) != "var")
                m_reading.fail(lineOf(value),
                    "Axis '" + sanitizedUtf8(axis.name) + "' must be \"var\" or a positive whole number. Change it.");
            m_op.axes.push_back(std::move(axis));
        }
    }

    void readTensors(TomlFields& top, const std::string& list, std::vector<Tensor>& into)
    {
        const bool input = list == "inputs";
        for (const auto* table : top.tables(list)) {
            const auto place = list + "[" + std::to_string(into.size()) + "]";
            std::vector<std::string> known{ "name", "shape", "dtype" };
            if (input)
                known.emplace_back("fill");
            TomlFields fields(m_reading, *table, place, known);
            fields.require("name", "name = \"x\"");
            fields.require("shape", "shape = [\"n\"]");
            fields.require("dtype", "dtype = \"float32\"");
            Tensor tensor;
            fields.readString("name", tensor.name);
            readShape(fields, tensor);
            readName(fields, "dtype", dtypeNames(), tensor.dtype);
            if (const auto* fill = input ? fields.table("fill") : nullptr)
                readFill(*fill, place + ".fill", tensor.fill);
            into.push_back(std::move(tensor));
        }
    }

    void readShape(TomlFields& fields, Tensor& tensor)
    {
        const auto* shape = fields.array("shape");
        if (!shape)
            return;
        if (shape->size() > 16)
            m_reading.fail(fields.line(), "A shape has at most 16 dimensions. Shorten it.");
        for (const auto& extent : *shape) {
            if (auto expression = expressionOf(m_reading, extent, "An extent of the shape"))
                tensor.shape.push_back(std::move(*expression));
        }
    }

    void readFill(const toml::table& table, const std::string& place, Fill& fill)
    {
        std::string kindText;
        if (const auto* kind = table.get_as<std::string>("kind"))
            kindText = kind->get();
        // Which keys belong here depends on the kind, so it is looked at first.
        const auto kind = fillKindFromName(kindText);
        std::vector<std::string> known{ "kind", "mean", "std", "lo", "hi", "of", "p", "value" };
        if (kind) {
            known = fillKeys(*kind);
            known.emplace_back("kind");
        }
        TomlFields fields(m_reading, table, place, known);
        fields.require("kind", "kind = \"normal\"");
        readName(fields, "kind", fillKindNames(), fill.kind);
        fields.readNumber("mean", fill.mean);
        fields.readNumber("std", fill.std);
        fields.readNumber("p", fill.p);
        fields.readExpression("lo", fill.lo);
        fields.readExpression("value", fill.lo);
        fields.readExpression("hi", fill.hi);
        fields.readExpression("of", fill.of);
    }

    void readCost(const toml::table& table)
    {
        TomlFields fields(m_reading, table, "cost", { "flops", "bytes" });
        fields.readExpression("flops", m_op.flops);
        fields.readExpression("bytes", m_op.bytes);
    }

    void readCheck(const toml::table& table)
    {
        TomlFields fields(m_reading, table, "check", { "mode", "rtol", "atol", "scale" });
        readName(fields, "mode", checkModeNames(), m_op.check.mode);
        readName(fields, "scale", scaleNames(), m_op.check.scale);
        fields.readNumber("rtol", m_op.check.rtol);
        fields.readNumber("atol", m_op.check.atol);
    }

    void readCases(TomlFields& top)
    {
        for (const auto* table : top.tables("cases")) {
            TomlFields fields(
                m_reading, *table, "cases[" + std::to_string(m_op.cases.size()) + "]", { "axes", "role" });
            Case which;
            readName(fields, "role", roleNames(), which.role);
            if (const auto* axes = fields.table("axes")) {
                for (const auto& [key, value] : *axes) {
                    if (const auto size = value.is_integer() ? value.value<int64_t>() : std::nullopt)
                        which.axes[std::string(key.str())] = *size;
                    else
                        m_reading.fail(lineOf(value),
                            "The size of axis '" + sanitizedUtf8(key.str()) + "' must be a whole number. Change it.");
                }
            }
            for (const auto& axis : m_op.axes) {
                if (axis.constant != 0)
                    which.axes.try_emplace(axis.name, axis.constant);
            }
            m_op.cases.push_back(std::move(which));
        }
    }

    void readSources(TomlFields& top)
    {
        if (const auto* table = top.table("reference")) {
            TomlFields fields(m_reading, *table, "reference", { "language", "file" });
            fields.require("file", "file = \"reference.cpp\"");
            std::string language = "cpp";
            fields.readString("language", language);
            if (language == "python")
                m_reading.failAt(
                    "reference.language", "A Python reference is not supported yet in this version. Write it in C++.");
            else if (language != "cpp")
                m_reading.failAt(
                    "reference.language", "Unknown language '" + sanitizedUtf8(language) + "'. Use \"cpp\".");
            readSource(fields, m_op.referenceSource);
        }
        if (const auto* table = top.table("naive")) {
            TomlFields fields(m_reading, *table, "naive", { "file" });
            fields.require("file", "file = \"naive.cpp\"");
            readSource(fields, m_op.naiveSource);
        } else {
            m_op.naiveSource = naiveFromReference(m_op);
        }
        if (const auto* table = top.table("vendor")) {
            TomlFields fields(m_reading, *table, "vendor", { "name", "file" });
            fields.require("name", "name = \"OpenBLAS\"");
            fields.require("file", "file = \"vendor.cpp\"");
            fields.readString("name", m_op.vendorName);
            readSource(fields, m_op.vendorSource);
        }
    }

    void readSource(TomlFields& fields, std::string& into)
    {
        std::string file;
        fields.readString("file", file);
        if (m_reading.error())
            return;
        auto source = m_load(file);
        if (!source)
            m_reading.failAt(fields.placeOf("file"), source.error().text);
        else if (trimmed(*source).empty())
            m_reading.failAt(
                fields.placeOf("file"), "The file '" + sanitizedUtf8(file) + "' is empty. Write the function into it.");
        else
            into = std::move(source).value();
    }

    template <typename Value>
    void readName(TomlFields& fields, const std::string& key, const NameTable<Value>& table, Value& into)
    {
        std::string name;
        fields.readString(key, name);
        if (!fields.has(key) || m_reading.error())
            return;
        if (const auto value = valueOf(table, name))
            into = *value;
        else
            m_reading.failAt(fields.placeOf(key), unknownNameText(key, name, namesOf(table)));
    }

    std::string m_fileName;
    TomlReading m_reading;
    LoadSource m_load;
    Operator m_op;
};

// The file inside the folder, also after following links.
Result<std::string> loadFrom(const std::filesystem::path& dir, const std::string& file)
{
    const auto shown = "The file '" + sanitizedUtf8(file) + "' ";
    const Error leaves{ ErrorCode::Parse, shown + "lies outside the operator's folder. Copy it into the folder." };
    const std::filesystem::path relative(file);
    if (file.empty() || file.find('\0') != std::string::npos || relative.is_absolute())
        return leaves;
    std::error_code error;
    const auto root = std::filesystem::canonical(dir, error);
    const auto full = std::filesystem::canonical(dir / relative, error);
    if (error)
        return Error{ ErrorCode::Parse,
            shown + "cannot be opened: " + error.message() + ". Create it or correct the name." };
    const auto inside = full.lexically_relative(root);
    if (inside.empty() || *inside.begin() == "..")
        return leaves;
    return readFile(full, maxSourceBytes);
}

} // namespace

Result<Operator> readOperator(const std::filesystem::path& dir)
{
    const auto file = dir / "operator.toml";
    auto text = readFile(file, maxTomlBytes);
    if (!text)
        return text.error();
    return OperatorParser(file.string(), [&dir](const std::string& name) { return loadFrom(dir, name); }).run(*text);
}

Result<Operator> parseOperator(
    std::string_view toml, const std::string& fileName, const std::map<std::string, std::string>& sources)
{
    const auto load = [&sources](const std::string& name) -> Result<std::string> {
        const auto found = sources.find(name);
        if (found == sources.end())
            return Error{ ErrorCode::Parse,
                "The file '" + sanitizedUtf8(name) + "' is missing. Create it or correct the name." };
        return found->second;
    };
    return OperatorParser(fileName, load).run(toml);
}

} // namespace rooftree::spec
