// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: layer normalisation with scale and shift.
// rooftree: flags {"-O3 -march=native -ldnnl"}
#include <cstdint>
#include <dnnl.hpp>
#include <map>
#include <utility>

namespace {

using namespace dnnl;
using Dims = memory::dims;

const engine& cpu()
{
    static const engine it(engine::kind::cpu, 0);
    return it;
}

memory::desc plain(const Dims& dims)
{
    return { dims, memory::data_type::f32, dims.size() == 1 ? memory::format_tag::a : memory::format_tag::ab };
}

memory on(const memory::desc& desc, const float* data = nullptr)
{
    return { desc, cpu(), data ? const_cast<float*>(data) : DNNL_MEMORY_NONE };
}

struct Plan {
    primitive kernel;
    memory::desc shape;
    memory::desc row;
};

Plan makePlan(int64_t rows, int64_t cols)
{
    const memory::desc shape = plain({ rows, cols });
    const normalization_flags flags = normalization_flags::use_scale | normalization_flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
    const layer_normalization_forward::primitive_desc desc(
        cpu(), prop_kind::forward_inference, shape, shape, 1e-5f, flags);
#else
    const layer_normalization_forward::primitive_desc desc(
        { prop_kind::forward_inference, shape, 1e-5f, flags }, cpu());
#endif
    return { layer_normalization_forward(desc), shape, plain({ cols }) };
}

// One primitive per shape, made once: what a user of the library would do.
Plan& planFor(int64_t rows, int64_t cols)
{
    static std::map<std::pair<int64_t, int64_t>, Plan> plans;
    auto found = plans.find({ rows, cols });
    if (found == plans.end())
        found = plans.emplace(std::pair(rows, cols), makePlan(rows, cols)).first;
    return found->second;
}

} // namespace

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int64_t rows, int64_t cols)
{
    static stream order(cpu());
    Plan& plan = planFor(rows, cols);
    memory in = on(plan.shape, x);
    memory scale = on(plan.row, gamma);
    memory shift = on(plan.row, beta);
    memory out = on(plan.shape, y);
    plan.kernel.execute(
        order, { { DNNL_ARG_SRC, in }, { DNNL_ARG_SCALE, scale }, { DNNL_ARG_SHIFT, shift }, { DNNL_ARG_DST, out } });
    order.wait();
}
