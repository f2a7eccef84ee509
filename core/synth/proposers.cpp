// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/proposer.h"

#include "core/base/text.h"
#include "core/synth/library/libraryproposer.h"
#include "core/synth/transform/transformproposer.h"
#include "core/synth/tune/tuneproposer.h"

#include <algorithm>

namespace rooftree::synth {

namespace {

template <typename T> std::unique_ptr<Proposer> makeOne()
{
    return std::make_unique<T>();
}

} // namespace

const std::vector<ProposerInfo>& proposers()
{
    static const auto list = [] {
        std::vector<ProposerInfo> infos;
        infos.push_back(
            { "library", "hand-written kernels of the operator or its family", 3, makeOne<library::LibraryProposer> });
        infos.push_back({ "transform", "changes loops: parallel, vectors, tiles, register blocks, flags", 2,
            makeOne<transform::TransformProposer> });
        infos.push_back({ "tune", "other values for the tunables of a kernel", 1.5, makeOne<tune::TuneProposer> });
        return infos;
    }();
    return list;
}

Result<std::unique_ptr<Proposer>> makeProposer(const std::string& name)
{
    std::vector<std::string> names;
    for (const auto& info : proposers()) {
        if (info.name == name)
            return info.make();
        names.push_back(info.name);
    }
    const auto near = nearestName(name, names);
    return Error{ ErrorCode::NotFound,
        "There is no proposer '" + sanitizedUtf8(elided(name, 60)) + "'. "
            + (near ? "Did you mean '" + *near + "'? " : "") + "There are: " + join(names, ", ") + ".",
        {} };
}

} // namespace rooftree::synth
