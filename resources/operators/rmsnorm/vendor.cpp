// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN has no such primitive here: a reduction gives the mean squares, layer normalisation with mean 0 applies them.
// rooftree: flags {"-O3 -march=native -ldnnl"}
#include <algorithm>
#include <cmath>
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
    primitive squares;
    primitive kernel;
    memory::desc shape;
    memory::desc row;
    memory meanSquares;
    memory viewed;
    memory zeros;
};

primitive meanSquaresOf(const memory::desc& shape, const memory::desc& sums, int64_t cols)
{
    post_ops fused;
    const float share = 1.0f / float(cols);
#if DNNL_VERSION_MAJOR >= 3
    fused.append_eltwise(algorithm::eltwise_linear, share, 0.0f);
#else
    fused.append_eltwise(1.0f, algorithm::eltwise_linear, share, 0.0f);
#endif
    primitive_attr attr;
    attr.set_post_ops(fused);
#if DNNL_VERSION_MAJOR >= 3
    const reduction::primitive_desc desc(
        cpu(), algorithm::reduction_norm_lp_power_p_sum, shape, sums, 2.0f, 0.0f, attr);
#else
    const reduction::primitive_desc desc(
        { algorithm::reduction_norm_lp_power_p_sum, shape, sums, 2.0f, 0.0f }, attr, cpu());
#endif
    return reduction(desc);
}

Plan makePlan(int64_t rows, int64_t cols)
{
    const memory::desc shape = plain({ rows, cols });
    const memory::desc perRow = plain({ rows });
    const normalization_flags flags = normalization_flags::use_scale | normalization_flags::use_global_stats;
#if DNNL_VERSION_MAJOR >= 3
    const layer_normalization_forward::primitive_desc desc(
        cpu(), prop_kind::forward_inference, shape, shape, perRow, 1e-6f, flags);
#else
    const layer_normalization_forward::primitive_desc desc(
        { prop_kind::forward_inference, shape, perRow, 1e-6f, flags }, cpu());
#endif
    memory meanSquares(perRow, cpu());
    memory viewed(plain({ rows, 1 }), cpu(), meanSquares.get_data_handle());
    memory zeros(perRow, cpu());
    std::fill_n(static_cast<float*>(zeros.get_data_handle()), rows, 0.0f);
    return { meanSquaresOf(shape, viewed.get_desc(), cols), layer_normalization_forward(desc), shape, plain({ cols }),
        meanSquares, viewed, zeros };
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

extern "C" void rmsnorm(const float* x, const float* weight, float* y, int64_t rows, int64_t cols)
{
    if (cols == 1) { // the library refuses a reduction that reduces nothing
        for (int64_t r = 0; r < rows; ++r)
            y[r] = x[r] / std::sqrt(x[r] * x[r] + 1e-6f) * weight[0];
        return;
    }
    static stream order(cpu());
    Plan& plan = planFor(rows, cols);
    memory in = on(plan.shape, x);
    memory scale = on(plan.row, weight);
    memory out = on(plan.shape, y);
    plan.squares.execute(order, { { DNNL_ARG_SRC, in }, { DNNL_ARG_DST, plan.viewed } });
    plan.kernel.execute(order,
        { { DNNL_ARG_SRC, in }, { DNNL_ARG_MEAN, plan.zeros }, { DNNL_ARG_VARIANCE, plan.meanSquares },
            { DNNL_ARG_SCALE, scale }, { DNNL_ARG_DST, out } });
    order.wait();
}
