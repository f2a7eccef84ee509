// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: binary addition.
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
    primitive kernel;
    memory::desc shape;
};

Plan makePlan(int64_t n)
{
    const memory::desc flat = plain({ n });
#if DNNL_VERSION_MAJOR >= 3
    const binary::primitive_desc desc(cpu(), algorithm::binary_add, flat, flat, flat);
#else
    const binary::primitive_desc desc({ algorithm::binary_add, flat, flat, flat }, cpu());
#endif
    return { binary(desc), flat };
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

extern "C" void vector_add(const float* a, const float* b, float* c, int64_t n)
{
    static stream order(cpu());
    Plan& plan = planFor(n);
    memory first = on(plan.shape, a);
    memory second = on(plan.shape, b);
    memory sum = on(plan.shape, c);
    plan.kernel.execute(order, { { DNNL_ARG_SRC_0, first }, { DNNL_ARG_SRC_1, second }, { DNNL_ARG_DST, sum } });
    order.wait();
}
