// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/cpppreset.h"
#include "core/base/text.h"
#include "core/exporter/kernelsources.h"
#include "core/exporter/provenance.h"
#include "core/exporter/readme.h"
#include "core/exporter/templates.h"
#include "core/exporter/testcode.h"
#include "core/kernel/tunables.h"

#include <algorithm>
#include <set>

namespace rooftree::exporter {

namespace {

Status mayBeExported(const ExportRequest& request)
{
    const auto node = "Node " + std::to_string(request.node.value);
    if (request.candidate.language != kernel::Language::Cpp)
        return Error{ ErrorCode::Usage, node + " is not C++. Choose the preset of its language.", {} };
    if (const auto valid = kernel::validate(request.candidate); !valid)
        return valid.error();
    if (request.candidate.entry != request.op.name)
        return Error{ ErrorCode::Usage,
            node + " defines " + request.candidate.entry + ", not " + request.op.name
                + ". Export it with its own operator.",
            {} };
    if (request.allowUnverified)
        return success();
    if (!request.evaluation.passed())
        return Error{ ErrorCode::Failed,
            node + " is " + std::string(measure::statusName(request.evaluation.status)) + ": "
                + request.evaluation.reason
                + " Export a node that passed, or allow unverified ones (--allow-unverified), which the export then "
                  "says.",
            {} };
    if (!request.evaluation.suspicions.empty())
        return Error{ ErrorCode::Failed,
            node + " is suspicious: " + request.evaluation.suspicions.front()
                + " Look at it, and if it is honest export it with --allow-unverified.",
            {} };
    return success();
}

// Collects the files of one export; the first template that fails decides.
class Writer {
public:
    explicit Writer(std::string folder)
        : m_folder(std::move(folder))
    {
    }
    void add(const std::string& path, std::string content)
    {
        m_files.push_back({ m_folder + "/" + path, std::move(content) });
    }
    void addTemplate(const std::string& path, const std::string& source, const Values& values)
    {
        if (m_error)
            return;
        const auto text = readTemplate(source);
        auto content = text ? filled(*text, values) : text;
        if (content)
            add(path, std::move(content).value());
        else
            m_error = content.error();
    }
    Result<std::vector<ExportFile>> finish()
    {
        if (m_error)
            return *m_error;
        std::sort(m_files.begin(), m_files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
        for (std::size_t i = 1; i < m_files.size(); ++i)
            if (m_files[i].path == m_files[i - 1].path)
                return Error{ ErrorCode::Usage,
                    "The candidate's file would overwrite " + m_files[i].path
                        + " of the export. Rename it in the candidate.",
                    {} };
        return std::move(m_files);
    }

private:
    std::string m_folder;
    std::vector<ExportFile> m_files;
    std::optional<Error> m_error;
};

std::string tensorComment(const spec::Operator& op)
{
    std::vector<std::string> lines;
    for (const auto* tensors : { &op.inputs, &op.outputs }) {
        for (const auto& tensor : *tensors) {
            std::vector<std::string> shape;
            for (const auto& size : tensor.shape)
                shape.push_back(size.text());
            lines.push_back("// " + tensor.name + ": " + (tensors == &op.inputs ? "input" : "output") + " ["
                + join(shape, ", ") + "]");
        }
    }
    return join(lines, "\n");
}

Values projectValues(const ExportRequest& request, const std::string& slug, const std::vector<ExportFile>& sources)
{
    std::vector<std::string> compiled;
    for (const auto& file : sources)
        if (file.path.ends_with(".cpp"))
            compiled.push_back(file.path);
    // A main file without the usual ending is compiled all the same.
    if (!sources.front().path.ends_with(".cpp"))
        compiled.insert(compiled.begin(), sources.front().path);
    const auto flags = flagSets(request.candidate);
    auto values = readmeValues(request, slug);
    values["PORTABLE_FLAGS"] = cmakeList(flags.portable);
    values["NATIVE_FLAGS"] = cmakeList(flags.native);
    values["KERNEL_SOURCES"] = cmakeList(compiled);
    values["TENSORS"] = tensorComment(request.op);
    return values;
}

void addRenamed(Writer& writer, const ExportRequest& request, const std::string& slug)
{
    const auto& op = request.op;
    writer.addTemplate("tests/reference_" + slug + ".cpp", "cpp/renamed.cpp.in",
        { { "PURPOSE", "The truth: the operator's reference in double precision." },
            { "PRELUDE", "typedef double real;" }, { "DECLARATION", spec::signature(op, spec::SignatureForm::Real) },
            { "SYMBOL", slug + "_reference" }, { "SOURCE", op.referenceSource } });
    writer.addTemplate("bench/naive_" + slug + ".cpp", "cpp/renamed.cpp.in",
        { { "PURPOSE", "The plain source." }, { "PRELUDE", "" }, { "DECLARATION", spec::signature(op) },
            { "SYMBOL", slug + "_naive" }, { "SOURCE", "#include \"../src/" + slug + "_naive.cpp\"\n" } });
}

} // namespace

Result<std::vector<ExportFile>> cppPreset(const ExportRequest& request)
{
    if (const auto allowed = mayBeExported(request); !allowed)
        return allowed.error();
    const auto slug = slugOf(request.op.name);
    const auto sources = kernelFiles(request, slug);
    const auto values = projectValues(request, slug, sources);
    const auto test = testValues(request.op, slug);
    const auto bench = benchValues(request.op, slug);
    if (!test || !bench)
        return test ? bench.error() : test.error();

    Writer writer(slug);
    for (const auto& file : sources)
        writer.add(file.path, file.content);
    writer.add("src/" + slug + "_naive.cpp", request.op.naiveSource);
    writer.addTemplate("include/" + slug + ".h", "cpp/header.h.in", values);
    writer.addTemplate("tests/harness.h", "cpp/harness.h", {});
    writer.addTemplate("tests/test_" + slug + ".cpp", "cpp/test.cpp.in", *test);
    writer.addTemplate("bench/bench_" + slug + ".cpp", "cpp/bench.cpp.in", *bench);
    addRenamed(writer, request, slug);
    writer.addTemplate("CMakeLists.txt", "cpp/CMakeLists.txt.in", values);
    writer.addTemplate("README.md", "cpp/README.md.in", values);
    const auto licenseText = readTemplate("MIT-0.txt");
    if (!licenseText)
        return licenseText.error();
    writer.addTemplate("LICENSE", "LICENSE.in", { { "LICENSE", request.license }, { "TEXT", *licenseText } });
    writer.add("PROVENANCE.json", provenanceText(request, sources));
    return writer.finish();
}

} // namespace rooftree::exporter
