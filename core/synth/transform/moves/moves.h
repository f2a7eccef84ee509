// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/move.h"

// The moves that movelist.cpp lists, one file each.
namespace rooftree::synth::transform {

extern const Move ompParallel;
extern const Move ompSimd;
extern const Move ompTile;
extern const Move ompUnroll;
extern const Move gccUnroll;
extern const Move gccIvdep;
extern const Move interchange;
extern const Move tile;
extern const Move jamLanes;
extern const Move jamRows;
extern const Move registerBlock;
extern const Move restrictPointers;
extern const Move privatise;
extern const Move distributeAccumulator;
extern const Move splitReduction;
extern const Move hoistDivision;
extern const Move hoistInvariant;
extern const Move fuse;
extern const Move fission;
extern const Move inlineCall;
extern const Move narrowFloats;
extern const Move flags;
extern const Move compiler;

} // namespace rooftree::synth::transform
