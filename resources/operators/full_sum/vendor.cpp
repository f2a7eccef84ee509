// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// oneDNN: sum reductions, first over runs of 4096 so that both cores work and no float sum grows long.
// rooftree: flags {"-O3 -march=native -ldnnl"}
#include <cstdint>
#include <dnnl.hpp>
#include <map>
#include <numeric>
#include <vector>

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
    std::vector<float> runs;
};

constexpr int64_t runLength = 4096;

Plan makePlan(int64_t runs)
{
    const memory::desc shape = plain({ runs, runLength });
    const memory::desc sums = plain({ runs, 1 });
#if DNNL_VERSION_MAJOR >= 3
    const reduction::primitive_desc desc(cpu(), algorithm::reduction_sum, shape, sums, 0.0f, 0.0f);
#else
    const reduction::primitive_desc desc({ algorithm::reduction_sum, shape, sums, 0.0f, 0.0f }, cpu());
#endif
    return { reduction(desc), shape, sums, std::vector<float>(runs) };
}

// One primitive per shape, made once: what a user of the library would do.
Plan& planFor(int64_t runs)
{
    static std::map<int64_t, Plan> plans;
    auto found = plans.find(runs);
    if (found == plans.end())
        found = plans.emplace(runs, makePlan(runs)).first;
    return found->second;
}

double runSums(const float* x, int64_t runs)
{
    static stream order(cpu());
    Plan& plan = planFor(runs);
    memory in = on(plan.shape, x);
    memory out = on(plan.sums, plan.runs.data());
    plan.kernel.execute(order, { { DNNL_ARG_SRC, in }, { DNNL_ARG_DST, out } });
    order.wait();
    return std::accumulate(plan.runs.begin(), plan.runs.end(), 0.0);
}

} // namespace

extern "C" void full_sum(const float* x, float* y, int64_t n)
{
    const int64_t runs = n / runLength;
    const double whole = runs > 0 ? runSums(x, runs) : 0.0;
    y[0] = float(std::accumulate(x + runs * runLength, x + n, whole));
}
