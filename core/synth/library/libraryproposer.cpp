// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/library/libraryproposer.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/spec/catalogue.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace rooftree::synth::library {

namespace {

constexpr std::size_t maxKernelBytes = 1 << 20;

std::vector<spec::DType> dtypesOf(const std::vector<spec::Tensor>& tensors)
{
    std::vector<spec::DType> dtypes;
    for (const auto& tensor : tensors)
        dtypes.push_back(tensor.dtype);
    return dtypes;
}

bool sameParameters(const spec::Operator& a, const spec::Operator& b)
{
    return dtypesOf(a.inputs) == dtypesOf(b.inputs) && dtypesOf(a.outputs) == dtypesOf(b.outputs)
        && a.axes.size() == b.axes.size();
}

// The first comment line that is neither the licence nor ours.
std::string whatItDoes(std::string_view source)
{
    for (const auto line : splitLines(source)) {
        auto text = trimmed(line);
        if (!text.starts_with("//"))
            continue;
        text = trimmed(text.substr(2));
        if (!text.empty() && !text.starts_with("SPDX-") && !text.starts_with("rooftree:"))
            return std::string(text);
    }
    return {};
}

} // namespace

LibraryProposer::LibraryProposer()
    : LibraryProposer(resourcesDir() / "kernels" / "cpp")
{
}

LibraryProposer::LibraryProposer(fs::path kernels)
    : m_dir(std::move(kernels))
{
}

std::vector<LibraryProposer::Kernel> LibraryProposer::inFolder(const std::string& name, const std::string& prefix) const
{
    std::vector<Kernel> kernels;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_dir / name, ignored)) {
        if (entry.path().extension() == ".cpp")
            kernels.push_back({ prefix + entry.path().stem().string(), name, entry.path() });
    }
    std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.variant < b.variant; });
    return kernels;
}

std::vector<LibraryProposer::Kernel> LibraryProposer::kernelsFor(const spec::Operator& op)
{
    const auto [known, isNew] = m_found.try_emplace(op.name + op.hash);
    if (!isNew)
        return known->second;
    auto& kernels = known->second;
    kernels = inFolder(op.name, "");
    if (!kernels.empty())
        return kernels;
    for (const auto& relative : spec::catalogueNames()) {
        std::error_code ignored;
        if (relative == op.name || !fs::is_directory(m_dir / relative, ignored))
            continue;
        const auto other = spec::findOperator(relative);
        if (!other.ok() || other->family != op.family || !sameParameters(*other, op))
            continue;
        const auto more = inFolder(relative, relative + "-");
        kernels.insert(kernels.end(), more.begin(), more.end());
    }
    return kernels;
}

Result<std::vector<Proposal>> LibraryProposer::propose(const ProposalRequest& request)
{
    if (request.parentId != NodeId{ 0 } || request.parent.language != kernel::Language::Cpp)
        return std::vector<Proposal>{};
    for (const auto& kernel : kernelsFor(request.op)) {
        if (request.triedMoves.contains(kernel.variant))
            continue;
        auto source = readFile(kernel.file, maxKernelBytes);
        if (!source.ok())
            return source.error();
        kernel::Candidate candidate;
        candidate.entry = request.op.name;
        candidate.files = { { "kernel.cpp", replaceIdentifier(*source, kernel.ownEntry, request.op.name) } };
        if (request.knownSources.contains(kernel::sourceHash(candidate)))
            continue;
        const auto title = whatItDoes(candidate.mainSource());
        return std::vector<Proposal>{ { std::move(candidate), kernel.variant, "library:" + kernel.variant,
            title.empty() ? kernel.variant : title } };
    }
    return std::vector<Proposal>{};
}

} // namespace rooftree::synth::library
