// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: the pooling primitive on the plain layout, which costs less than reordering.
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
    memory::desc x;
    memory::desc y;
    pooling_forward kernel;
};

Plan makePlan(int64_t n, int64_t c, int64_t h, int64_t w)
{
    const auto inference = prop_kind::forward_inference;
    const auto maximum = algorithm::pooling_max;
    const memory::dims size{ 3, 3 };
    const memory::dims stride{ 2, 2 };
    const memory::dims before{ 1, 1 };
    const memory::dims after{ h % 2, w % 2 }; // an even size leaves no window that hangs over its end
    const memory::desc x({ n, c, h, w }, memory::data_type::f32, memory::format_tag::nchw);
    const memory::desc y({ n, c, (h + 1) / 2, (w + 1) / 2 }, memory::data_type::f32, memory::format_tag::nchw);
#if DNNL_VERSION_MAJOR >= 3
    const pooling_forward::primitive_desc desc(cpu(), inference, maximum, x, y, stride, size, { 0, 0 }, before, after);
#else
    const pooling_forward::primitive_desc desc({ inference, maximum, x, y, stride, size, before, after }, cpu());
#endif
    return { x, y, pooling_forward(desc) };
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

}

extern "C" void max_pool2d(const float* x, float* y, int64_t n, int64_t c, int64_t h, int64_t w)
{
    static stream order(cpu());
    Plan& plan = planFor({ n, c, h, w });
    memory in(plan.x, cpu(), const_cast<float*>(x));
    memory out(plan.y, cpu(), y);
    plan.kernel.execute(order, { { DNNL_ARG_SRC, in }, { DNNL_ARG_DST, out } });
    order.wait();
}
