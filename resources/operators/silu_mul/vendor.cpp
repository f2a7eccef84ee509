// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: swish, then a multiplication; its swish with a fused multiplication gives wrong values in 2.6.
// rooftree: flags {"-O3 -march=native -ldnnl"}
#include <cstdint>
#include <dnnl.hpp>
#include <map>

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
    primitive swish;
    primitive product;
    memory::desc shape;
};

primitive productOf(const memory::desc& flat)
{
#if DNNL_VERSION_MAJOR >= 3
    const binary::primitive_desc desc(cpu(), algorithm::binary_mul, flat, flat, flat);
#else
    const binary::primitive_desc desc({ algorithm::binary_mul, flat, flat, flat }, cpu());
#endif
    return binary(desc);
}

Plan makePlan(int64_t n)
{
    const memory::desc flat = plain({ n });
#if DNNL_VERSION_MAJOR >= 3
    const eltwise_forward::primitive_desc desc(
        cpu(), prop_kind::forward_inference, algorithm::eltwise_swish, flat, flat, 1.0f, 0.0f);
#else
    const eltwise_forward::primitive_desc desc(
        { prop_kind::forward_inference, algorithm::eltwise_swish, flat, 1.0f, 0.0f }, cpu());
#endif
    return { eltwise_forward(desc), productOf(flat), flat };
}

// One primitive per shape, made once: what a user of the library would do.
Plan& planFor(int64_t n)
{
    static std::map<int64_t, Plan> plans;
    auto found = plans.find(n);
    if (found == plans.end())
        found = plans.emplace(n, makePlan(n)).first;
    return found->second;
}

} // namespace

extern "C" void silu_mul(const float* gate, const float* up, float* y, int64_t n)
{
    static stream order(cpu());
    Plan& plan = planFor(n);
    memory in = on(plan.shape, gate);
    memory factor = on(plan.shape, up);
    memory out = on(plan.shape, y);
    plan.swish.execute(order, { { DNNL_ARG_SRC, in }, { DNNL_ARG_DST, out } });
    plan.product.execute(order, { { DNNL_ARG_SRC_0, out }, { DNNL_ARG_SRC_1, factor }, { DNNL_ARG_DST, out } });
    order.wait();
}
