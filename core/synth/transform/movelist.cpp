// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

namespace rooftree::synth::transform {

const std::vector<Move>& moves()
{
    static const std::vector<Move> list{ ompParallel, registerBlock, jamLanes, jamRows, ompSimd, flags, splitReduction,
        interchange, tile, distributeAccumulator, privatise, restrictPointers, fuse, fission, inlineCall, hoistDivision,
        hoistInvariant, narrowFloats, gccUnroll, gccIvdep, compiler, ompTile, ompUnroll };
    return list;
}

} // namespace rooftree::synth::transform
