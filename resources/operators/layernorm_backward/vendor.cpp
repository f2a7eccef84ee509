// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: layer normalisation, backward; it takes variances, so they are computed from the reciprocal deviations.
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
    memory::desc perRow;
    memory::desc perCol;
    memory variances;
    memory shift; // asked for, not used
};

Plan makePlan(int64_t rows, int64_t cols)
{
    const memory::desc shape = plain({ rows, cols });
    const memory::desc perRow = plain({ rows });
    const normalization_flags flags = normalization_flags::use_scale | normalization_flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
    const layer_normalization_forward::primitive_desc forward(
        cpu(), prop_kind::forward_training, shape, shape, perRow, 0.0f, flags);
    const layer_normalization_backward::primitive_desc desc(
        cpu(), prop_kind::backward, shape, shape, shape, perRow, 0.0f, flags, forward);
#else
    const layer_normalization_forward::primitive_desc forward(
        { prop_kind::forward_training, shape, perRow, 0.0f, flags }, cpu());
    const layer_normalization_backward::primitive_desc desc(
        { prop_kind::backward, shape, shape, perRow, 0.0f, flags }, cpu(), forward);
#endif
    return { layer_normalization_backward(desc), shape, perRow, plain({ cols }), memory(perRow, cpu()),
        memory(plain({ cols }), cpu()) };
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

extern "C" void layernorm_backward(const float* dy, const float* x, const float* mean, const float* rstd,
    const float* gamma, float* dx, float* dgamma, float* dbeta, int64_t rows, int64_t cols)
{
    static stream order(cpu());
    Plan& plan = planFor(rows, cols);
    float* variances = static_cast<float*>(plan.variances.get_data_handle());
    for (int64_t r = 0; r < rows; ++r)
        variances[r] = 1 / (rstd[r] * rstd[r]);
    plan.kernel.execute(order,
        { { DNNL_ARG_DIFF_DST, on(plan.shape, dy) }, { DNNL_ARG_SRC, on(plan.shape, x) },
            { DNNL_ARG_MEAN, on(plan.perRow, mean) }, { DNNL_ARG_VARIANCE, plan.variances },
            { DNNL_ARG_SCALE, on(plan.perCol, gamma) }, { DNNL_ARG_SHIFT, plan.shift },
            { DNNL_ARG_DIFF_SRC, on(plan.shape, dx) }, { DNNL_ARG_DIFF_SCALE, on(plan.perCol, dgamma) },
            { DNNL_ARG_DIFF_SHIFT, on(plan.perCol, dbeta) } });
    order.wait();
}
