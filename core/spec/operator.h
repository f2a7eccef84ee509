// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/spec/expression.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What is computed: the operator as operator.toml states it. Plain values, any thread.
namespace rooftree::spec {

enum class DType { Float32, Float64, Int64, Int32, Int16, Int8, UInt8 };
std::string_view dtypeName(DType dtype); // "float32", as FlashInfer-Bench names them
std::string_view cType(DType dtype); // "float", "int64_t"
std::size_t dtypeSize(DType dtype); // bytes
bool isFloat(DType dtype);

enum class FillKind {
    Normal, // mean, std
    Uniform, // lo, hi
    Integers, // lo .. hi, both included
    Indices, // 0 .. of-1, with duplicates
    Offsets, // ascending from 0 to 'of', first and last included: CSR and jagged row starts
    Mask, // 1 with probability p, else 0
    Constant, // value
    Sorted, // ascending, uniform in lo .. hi, no two equal as far as the dtype allows
    Permutation, // of 0 .. n-1
};

// How an input is made from a seed. Bounds may be expressions over the axes ("rows - 1").
struct Fill {
    FillKind kind = FillKind::Normal;
    double mean = 0;
    double std = 1;
    double p = 0.5;
    Expression lo; // Uniform, Integers, Sorted; also the value of Constant
    Expression hi;
    Expression of; // Indices, Offsets
};

struct Tensor {
    std::string name;
    std::vector<Expression> shape; // an axis, a number, or an expression such as "rows + 1"
    DType dtype = DType::Float32;
    Fill fill; // inputs only
};

using Axes = std::map<std::string, int64_t>;

struct Axis {
    std::string name;
    int64_t constant = 0; // 0: varies with the case
};

enum class Role { Tune, HeldOut };
std::string_view roleName(Role role); // "tune", "held-out"

struct Case {
    Axes axes; // every axis of the operator, constants included
    Role role = Role::Tune;
};
std::string caseName(const Case& which); // "rows=2048 cols=4096", in the operator's order of axes is not needed

enum class CheckMode { Tolerance, Bitwise };
// What a tolerance scales with, see reference "Tolerance policy": an element is right iff |c - r| <= atol * S + rtol *
// |r|.
enum class Scale {
    Max, // S = largest |r| of the tensor, at least 1e-30
    Condition, // S = the reference run on absolute inputs: sum |a||b| for linear operators, per element
    One, // S = 1: atol is absolute
};

struct Check {
    CheckMode mode = CheckMode::Tolerance;
    double rtol = 1e-5;
    double atol = 1e-6;
    Scale scale = Scale::Max;
};

// One operator. Sources are texts, so that it travels to a worker as it is.
//
// reference: C++ whose entry has the operator's signature with every floating tensor as 'real*'. The truth is this text
// with
//            'real' = double. The baseline "naive", which is also the root of every tree, is this text with 'real' =
//            the operator's own floating dtype, unless the folder has a source of its own for it.
struct Operator {
    std::string name; // a C identifier, and the name of the entry
    std::string family;
    std::string description;
    std::vector<Axis> axes; // in signature order
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    std::string referenceSource;
    std::string naiveSource; // complete, in the operator's dtypes
    std::string vendorSource; // empty: no library has it
    std::string vendorName; // "OpenBLAS", "oneDNN"
    Expression flops;
    Expression bytes;
    Check check;
    std::vector<Case> cases;
    std::string hash; // SHA-256 of everything above
};

// Elements of a tensor in a case. An Error names the tensor when a size is not positive or larger than 2^40 elements.
Result<int64_t> elementCount(const Tensor& tensor, const Axes& axes);

// extern "C" void softmax(const float* x, float* y, int64_t rows, int64_t cols): inputs, outputs, then axes in order.
// Constant axes are passed too. 'real' instead of the floating dtypes when asked for the reference's form.
enum class SignatureForm { Native, Real };
std::string signature(const Operator& op, SignatureForm form = SignatureForm::Native);

} // namespace rooftree::spec
