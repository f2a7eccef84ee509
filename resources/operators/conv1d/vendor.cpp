// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: the convolution in the layouts that it chooses, with reorders from and to the plain ones in each call.
// rooftree: flags {"-O3 -march=native -fopenmp -ldnnl"}
#include <cstdint>
#include <dnnl.hpp>
#include <map>
#include <tuple>

namespace {

using namespace dnnl;
using Tag = memory::format_tag;

const engine& cpu()
{
    static const engine it(engine::kind::cpu, 0);
    return it;
}

memory::desc tensor(const memory::dims& dims, Tag tag)
{
    return { dims, memory::data_type::f32, tag };
}

memory on(const memory::desc& desc, const float* data)
{
    return { desc, cpu(), const_cast<float*>(data) };
}

// The convolution in layouts of the library's choice, and memory in these layouts.
struct Plan {
    memory::desc plainX;
    memory::desc plainWeights;
    memory::desc plainY;
    memory x;
    memory weights;
    memory y;
    convolution_forward kernel;
};

convolution_forward::primitive_desc describe(const memory::dims& x, const memory::dims& weights, const memory::dims& y)
{
    const auto inference = prop_kind::forward_inference;
    const auto direct = algorithm::convolution_direct;
    const memory::dims one{ 1 };
    const memory::dims pad{ 2 };
    const memory::desc anyX = tensor(x, Tag::any);
    const memory::desc anyWeights = tensor(weights, Tag::any);
    const memory::desc anyY = tensor(y, Tag::any);
#if DNNL_VERSION_MAJOR >= 3
    return { cpu(), inference, direct, anyX, anyWeights, anyY, one, pad, pad };
#else
    return { { inference, direct, anyX, anyWeights, anyY, one, pad, pad }, cpu() };
#endif
}

Plan makePlan(int64_t n, int64_t c, int64_t l, int64_t k)
{
    const memory::dims x{ n, c, l };
    const memory::dims weights{ k, c, 5 };
    const memory::dims y{ n, k, l };
    const auto desc = describe(x, weights, y);
    return { tensor(x, Tag::ncw), tensor(weights, Tag::oiw), tensor(y, Tag::ncw), memory(desc.src_desc(), cpu()),
        memory(desc.weights_desc(), cpu()), memory(desc.dst_desc(), cpu()), convolution_forward(desc) };
}

// One plan per shape, made once: what a user of the library would do.
Plan& planFor(int64_t n, int64_t c, int64_t l, int64_t k)
{
    static std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, Plan> plans;
    const std::tuple<int64_t, int64_t, int64_t, int64_t> shape{ n, c, l, k };
    auto found = plans.find(shape);
    if (found == plans.end())
        found = plans.emplace(shape, makePlan(n, c, l, k)).first;
    return found->second;
}

// The caller's tensor in the layout that the convolution wants; itself when it has that layout already.
memory arranged(stream& order, const memory::desc& plain, const float* data, memory& wanted)
{
    memory given = on(plain, data);
    if (plain == wanted.get_desc())
        return given;
    reorder(given, wanted).execute(order, given, wanted);
    return wanted;
}

}

extern "C" void conv1d(const float* x, const float* weights, float* y, int64_t n, int64_t c, int64_t l, int64_t k)
{
    static stream order(cpu());
    Plan& plan = planFor(n, c, l, k);
    memory in = arranged(order, plan.plainX, x, plan.x);
    memory taps = arranged(order, plan.plainWeights, weights, plan.weights);
    memory result = on(plan.plainY, y);
    const bool direct = plan.plainY == plan.y.get_desc();
    memory out = direct ? result : plan.y;
    plan.kernel.execute(order, { { DNNL_ARG_SRC, in }, { DNNL_ARG_WEIGHTS, taps }, { DNNL_ARG_DST, out } });
    if (!direct)
        reorder(out, result).execute(order, out, result);
    order.wait();
}
