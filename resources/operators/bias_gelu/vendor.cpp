// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: broadcast addition with the tanh form of gelu fused behind it.
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
    const memory::desc row = plain({ 1, cols });
    post_ops fused;
#if DNNL_VERSION_MAJOR >= 3
    fused.append_eltwise(algorithm::eltwise_gelu_tanh, 0.0f, 0.0f);
#else
    fused.append_eltwise(1.0f, algorithm::eltwise_gelu_tanh, 0.0f, 0.0f);
#endif
    primitive_attr attr;
    attr.set_post_ops(fused);
#if DNNL_VERSION_MAJOR >= 3
    const binary::primitive_desc desc(cpu(), algorithm::binary_add, shape, row, shape, attr);
#else
    const binary::primitive_desc desc({ algorithm::binary_add, shape, row, shape }, attr, cpu());
#endif
    return { binary(desc), shape, row };
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

extern "C" void bias_gelu(const float* x, const float* bias, float* y, int64_t rows, int64_t cols)
{
    static stream order(cpu());
    Plan& plan = planFor(rows, cols);
    memory in = on(plan.shape, x);
    memory added = on(plan.row, bias);
    memory out = on(plan.shape, y);
    plan.kernel.execute(order, { { DNNL_ARG_SRC_0, in }, { DNNL_ARG_SRC_1, added }, { DNNL_ARG_DST, out } });
    order.wait();
}
