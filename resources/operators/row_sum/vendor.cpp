// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: the sum reduction over the last axis.
// rooftree: flags {"-O3 -march=native -ldnnl"}
#include <algorithm>
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
    memory::desc sums;
};

Plan makePlan(int64_t rows, int64_t cols)
{
    const memory::desc shape = plain({ rows, cols });
    const memory::desc sums = plain({ rows, 1 });
#if DNNL_VERSION_MAJOR >= 3
    const reduction::primitive_desc desc(cpu(), algorithm::reduction_sum, shape, sums, 0.0f, 0.0f);
#else
    const reduction::primitive_desc desc({ algorithm::reduction_sum, shape, sums, 0.0f, 0.0f }, cpu());
#endif
    return { reduction(desc), shape, sums };
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

extern "C" void row_sum(const float* x, float* y, int64_t rows, int64_t cols)
{
    if (cols == 1) { // the library refuses a reduction that reduces nothing
        std::copy_n(x, rows, y);
        return;
    }
    static stream order(cpu());
    Plan& plan = planFor(rows, cols);
    memory in = on(plan.shape, x);
    memory out = on(plan.sums, y);
    plan.kernel.execute(order, { { DNNL_ARG_SRC, in }, { DNNL_ARG_DST, out } });
    order.wait();
}
