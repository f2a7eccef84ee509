// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "harness.h"

#include "core/base/process.h"
#include "core/kernel/tunables.h"

#include <cmath>
#include <dlfcn.h>

using namespace rooftree;

namespace {

constexpr std::size_t elements = 4096;
constexpr int64_t sizes[][3] = { { 13, 37, 29 }, { 1, 1, 1 }, { 16, 64, 32 }, { 9, 33, 70 } };

std::vector<float> randomFloats(Rng& rng)
{
    std::vector<float> values(elements);
    for (auto& value : values)
        value = static_cast<float>(rng.normal());
    return values;
}

} // namespace

Harness::Harness()
    : m_dir(TemporaryDir::make("rooftree-tst-synth").value())
{
}

std::vector<float> Harness::run(const std::string& source)
{
    const auto stem = m_dir.path() / ("kernel" + std::to_string(m_count++));
    const auto file = stem.string() + ".cpp";
    const auto library = stem.string() + ".so";
    const auto options = kernel::buildOptions(testCandidate(source));
    ProcessSpec spec;
    spec.argv = { options.compiler, "-std=c++20", "-fopenmp", "-shared", "-fPIC", file, "-o", library };
    for (const auto& flag : options.flags)
        spec.argv.push_back(flag == "-O3" ? "-O1" : flag); // compiles in half the time
    if (!writeFile(file, source).ok())
        return {};
    const auto built = runProcess(spec);
    m_log = built.ok() ? built->err : built.error().text;
    if (!built.ok() || !built->succeeded())
        return {};
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        m_log = ::dlerror();
        return {};
    }
    using Kernel = void (*)(const float*, const float*, float*, int64_t, int64_t, int64_t);
    const auto kernel = reinterpret_cast<Kernel>(::dlsym(handle, "kernel"));
    std::vector<float> all;
    Rng rng(7);
    for (const auto& size : sizes) {
        const auto a = randomFloats(rng);
        const auto b = randomFloats(rng);
        std::vector<float> c(elements, -7);
        if (kernel)
            kernel(a.data(), b.data(), c.data(), size[0], size[1], size[2]);
        all.insert(all.end(), c.begin(), c.end());
    }
    // Not closed: threads of OpenMP may still be in it.
    return all;
}

bool Harness::agree(const std::vector<float>& a, const std::vector<float>& b)
{
    if (a.size() != b.size() || a.empty())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!(std::abs(a[i] - b[i]) <= 2e-4f * (1 + std::abs(a[i]))))
            return false;
    }
    return true;
}

spec::Operator testOperator()
{
    spec::Operator op;
    op.name = "kernel";
    op.family = "test";
    const auto expression = [](const char* text) { return spec::Expression::parse(text).value(); };
    op.inputs = { { "a", { expression("m"), expression("k") } }, { "b", { expression("k"), expression("n") } } };
    op.outputs = { { "c", { expression("m"), expression("n") } } };
    op.axes = { { "m" }, { "n" }, { "k" } };
    return op;
}

kernel::Candidate testCandidate(const std::string& source)
{
    kernel::Candidate candidate;
    candidate.entry = "kernel";
    candidate.files = { { "kernel.cpp", source } };
    return candidate;
}

synth::ProposalRequest testRequest(const std::string& source, uint64_t seed)
{
    synth::ProposalRequest request;
    request.op = testOperator();
    request.parent = testCandidate(source);
    request.parentId = NodeId{ 0 };
    request.device.threads = 2;
    target::Toolchain clang;
    clang.name = "clang++";
    request.toolchains = { clang };
    request.rng = Rng(seed);
    return request;
}

#define HEADER "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <vector>\n\n"
#define SIGNATURE                                                                                                      \
    "extern \"C\" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k)\n"

namespace source {

const char* matmul = HEADER SIGNATURE R"({
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            float acc = 0; // one element
            for (int64_t p = 0; p < k; ++p)
                acc += a[i * k + p] * b[p * n + j];
            c[i * n + j] = acc;
        }
    }
}
)";

const char* matmulIkj = HEADER SIGNATURE R"({
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j)
            c[i * n + j] = 0;
        for (int64_t p = 0; p < k; ++p)
            for (int64_t j = 0; j < n; ++j)
                c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
}
)";

const char* batched = HEADER SIGNATURE R"({
    const int64_t batches = 2;
    for (int64_t t = 0; t < batches; ++t)
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                float acc = 0.5f;
                for (int64_t p = 0; p < k; ++p)
                    acc += a[(t + i) * 7 + p] * b[p * n + j];
                c[(t * m + i) * n + j] = acc > 0 ? acc : 0;
            }
}
)";

const char* softmax = HEADER SIGNATURE R"({
    (void)b, (void)k;
    for (int64_t r = 0; r < m; ++r) {
        const float* in = a + r * n;
        float* out = c + r * n;
        float largest = in[0];
        for (int64_t j = 1; j < n; ++j)
            largest = std::max(largest, in[j]);
        float sum = 0;
        for (int64_t j = 0; j < n; ++j) {
            out[j] = std::exp(in[j] - largest);
            sum += out[j];
        }
        for (int64_t j = 0; j < n; ++j)
            out[j] /= sum;
    }
}
)";

const char* normalise = HEADER SIGNATURE R"({
    (void)k;
    for (int64_t r = 0; r < m; ++r) {
        double mean = 0;
        for (int64_t j = 0; j < n; ++j)
            mean += a[r * n + j];
        mean /= double(n);
        float largest = 0.0;
        for (int64_t j = 0; j < n; ++j) {
            const float value = a[r * n + j];
            if (value > largest)
                largest = value;
        }
        for (int64_t j = 0; j < n; ++j)
            c[r * n + j] = (a[r * n + j] - mean) / (largest + 1.0) * b[j];
    }
}
)";

const char* histogram = HEADER SIGNATURE R"({
    (void)b, (void)k;
    for (int64_t i = 0; i < m * n; ++i)
        c[i] = 0;
    for (int64_t i = 0; i < 4096; ++i) {
        if (!(a[i] > 0 && a[i] < 1))
            continue;
        const int64_t bin = static_cast<int64_t>(a[i] * static_cast<float>(m * n));
        c[bin] += 1;
    }
}
)";

const char* convolution = HEADER SIGNATURE R"({
    (void)k;
    const int64_t filters = 3;
    for (int64_t f = 0; f < filters; ++f)
        for (int64_t y = 0; y < m; ++y)
            for (int64_t x = 0; x < n; ++x) {
                float acc = 0;
                for (int64_t r = 0; r < 3; ++r) {
                    const int64_t i = y + r - 1;
                    if (i < 0 || i >= m)
                        continue;
                    for (int64_t s = 0; s < 3; ++s) {
                        const int64_t j = x + s - 1;
                        if (j >= 0 && j < n)
                            acc += a[i * n + j] * b[(f * 3 + r) * 3 + s];
                    }
                }
                c[(f * m + y) * n + x] = acc;
            }
}
)";

const char* attention = HEADER
    R"(static void weigh(const float* q, const float* keys, std::vector<float>& weights, int64_t rows, int64_t dim)
{
    float sum = 0;
    for (int64_t j = 0; j < rows; ++j) {
        float score = 0;
        for (int64_t d = 0; d < dim; ++d)
            score += q[d] * keys[j * dim + d];
        weights[j] = std::exp(score * 0.1f);
        sum += weights[j];
    }
    for (int64_t j = 0; j < rows; ++j)
        weights[j] /= sum;
}

)" SIGNATURE R"({
    std::vector<float> weights(n);
    for (int64_t i = 0; i < m; ++i) {
        weigh(a + i * k, b, weights, n, k);
        for (int64_t d = 0; d < k; ++d)
            c[i * k + d] = 0;
        for (int64_t j = 0; j < n; ++j)
            for (int64_t d = 0; d < k; ++d)
                c[i * k + d] += weights[j] * b[j * k + d];
    }
}
)";

const char* scan = HEADER SIGNATURE R"({
    (void)b, (void)k;
    for (int64_t r = 0; r < m; ++r) {
        float sum = 0;
        for (int64_t j = 0; j < n; ++j) {
            sum += a[r * n + j];
            c[r * n + j] = sum;
        }
    }
}
)";

const char* elementwise = HEADER SIGNATURE R"({
    const float scale = b[0] * b[0] + 1;
    for (int64_t i = 0; i < m * n; ++i)
        c[i] = a[i] / scale + b[k];
    for (int64_t i = 0; i < m * n; ++i)
        c[i] = std::sqrt(std::abs(c[i]));
}
)";

} // namespace source
