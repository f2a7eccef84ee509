// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/operatornames.h"

#include "core/base/text.h"

#include <set>

namespace rooftree::spec {

const NameTable<DType>& dtypeNames()
{
    static const NameTable<DType> table{ { "float32", DType::Float32 }, { "float64", DType::Float64 },
        { "int64", DType::Int64 }, { "int32", DType::Int32 }, { "int16", DType::Int16 }, { "int8", DType::Int8 },
        { "uint8", DType::UInt8 } };
    return table;
}

const NameTable<FillKind>& fillKindNames()
{
    static const NameTable<FillKind> table{ { "normal", FillKind::Normal }, { "uniform", FillKind::Uniform },
        { "integers", FillKind::Integers }, { "indices", FillKind::Indices }, { "offsets", FillKind::Offsets },
        { "mask", FillKind::Mask }, { "constant", FillKind::Constant }, { "sorted", FillKind::Sorted },
        { "permutation", FillKind::Permutation } };
    return table;
}

const NameTable<CheckMode>& checkModeNames()
{
    static const NameTable<CheckMode> table{ { "tolerance", CheckMode::Tolerance }, { "bitwise", CheckMode::Bitwise } };
    return table;
}

const NameTable<Scale>& scaleNames()
{
    static const NameTable<Scale> table{ { "max", Scale::Max }, { "condition", Scale::Condition },
        { "one", Scale::One } };
    return table;
}

const NameTable<Role>& roleNames()
{
    static const NameTable<Role> table{ { "tune", Role::Tune }, { "held-out", Role::HeldOut } };
    return table;
}

std::optional<FillKind> fillKindFromName(const std::string& name)
{
    return valueOf(fillKindNames(), name);
}

const std::vector<std::string>& fillKeys(FillKind kind)
{
    static const std::map<FillKind, std::vector<std::string>> keys{ { FillKind::Normal, { "mean", "std" } },
        { FillKind::Uniform, { "lo", "hi" } }, { FillKind::Integers, { "lo", "hi" } }, { FillKind::Indices, { "of" } },
        { FillKind::Offsets, { "of" } }, { FillKind::Mask, { "p" } }, { FillKind::Constant, { "value" } },
        { FillKind::Sorted, { "lo", "hi" } }, { FillKind::Permutation, {} } };
    return keys.at(kind);
}

std::string unknownNameText(const std::string& what, const std::string& name, const std::vector<std::string>& known)
{
    const auto nearest = nearestName(name, known);
    return "Unknown " + what + " '" + elided(sanitizedUtf8(name), 80) + "'. "
        + (nearest ? "Did you mean '" + *nearest + "'?" : "Use one of: " + join(known, ", ") + ".");
}

std::string naiveFromReference(const Operator& op)
{
    std::set<DType> floating;
    for (const auto* tensors : { &op.outputs, &op.inputs }) {
        for (const auto& tensor : *tensors) {
            if (isFloat(tensor.dtype))
                floating.insert(tensor.dtype);
        }
    }
    if (floating.size() > 1)
        return {};
    return replaceIdentifier(op.referenceSource, "real", cType(floating.empty() ? DType::Float32 : *floating.begin()));
}

} // namespace rooftree::spec
