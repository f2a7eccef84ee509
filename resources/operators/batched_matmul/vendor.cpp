// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: the product of a whole batch in one primitive.
// rooftree: flags {"-O3 -march=native -fopenmp -ldnnl"}
#include <cstdint>
#include <dnnl.hpp>
#include <map>
#include <tuple>

namespace {

using namespace dnnl;
using Shape = std::tuple<int64_t, int64_t, int64_t, int64_t>;

const engine& cpu()
{
    static const engine it(engine::kind::cpu, 0);
    return it;
}

struct Plan {
    memory::desc a;
    memory::desc b;

    memory::desc c;
    matmul kernel;
};

memory::desc plain(int64_t b_, int64_t rows, int64_t columns)
{
    return { { b_, rows, columns }, memory::data_type::f32, memory::format_tag::abc };
}

Plan makePlan(int64_t z, int64_t m, int64_t n, int64_t k)
{
    const memory::desc a = plain(z, m, k);
    const memory::desc b = plain(z, k, n);

    const memory::desc c = plain(z, m, n);
    primitive_attr attributes;
    post_ops after;
#if DNNL_VERSION_MAJOR >= 3

    attributes.set_post_ops(after);
    const matmul::primitive_desc desc(cpu(), a, b, c, attributes);
#else

    attributes.set_post_ops(after);
    const matmul::primitive_desc desc({ a, b, c }, attributes, cpu());
#endif
    return { a, b, c, matmul(desc) };
}

// One primitive per shape, made once: what a user of the library would do.
Plan& planFor(const Shape& shape)
{
    static std::map<Shape, Plan> plans;
    auto found = plans.find(shape);
    if (found == plans.end())
        found = plans.emplace(shape, std::apply(makePlan, shape)).first;
    return found->second;
}

memory on(const memory::desc& desc, const float* data)
{
    return { desc, cpu(), const_cast<float*>(data) };
}

}

extern "C" void batched_matmul(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    static stream order(cpu());
    Plan& plan = planFor({ batch, m, n, k });
    plan.kernel.execute(order,
        { { DNNL_ARG_SRC, on(plan.a, a) }, { DNNL_ARG_WEIGHTS, on(plan.b, b) }, { DNNL_ARG_DST, on(plan.c, c) } });
    order.wait();
}
