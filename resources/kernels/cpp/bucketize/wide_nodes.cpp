// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// A search tree with sixteen boundaries in a node, which is one line: a comparison decides between seventeen branches.
// rooftree: flags {"-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define BATCH 16 // rooftree: tune {1, 4, 8, 16, 32}

namespace {

constexpr int64_t width = 16;

struct alignas(64) Node {
    float boundaries[width];
};

// Levels from the leaves up: the leaves are the boundaries in order, element e of an upper node is child e's largest.
// A child that lies behind the last one is never entered, as its parent's element is infinite.
struct Tree {
    std::vector<Node> nodes;
    std::vector<int64_t> levels; // the first node of each level, leaves first
};

Tree makeTree(const float* boundaries, int64_t buckets)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    Tree tree;
    std::vector<float> keys(boundaries, boundaries + buckets);
    while (true) {
        tree.levels.push_back(static_cast<int64_t>(tree.nodes.size()));
        const auto count = static_cast<int64_t>(keys.size());
        const int64_t nodes = (count + width - 1) / width;
        keys.resize(nodes * width, infinity);
        std::vector<float> above(nodes);
        for (int64_t i = 0; i < nodes; ++i) {
            Node node;
            std::copy_n(keys.data() + i * width, width, node.boundaries);
            above[i] = node.boundaries[width - 1];
            tree.nodes.push_back(node);
        }
        if (nodes == 1)
            return tree;
        keys = above;
    }
}

// How many of the node's boundaries are below x.
inline int64_t below(const Node& node, float x)
{
#ifdef __AVX512F__
    const __mmask16 less = _mm512_cmp_ps_mask(_mm512_load_ps(node.boundaries), _mm512_set1_ps(x), _CMP_LT_OQ);
    return __builtin_popcount(less);
#else
    int32_t count = 0;
    for (int64_t i = 0; i < width; ++i)
        count += node.boundaries[i] < x ? 1 : 0;
    return count;
#endif
}

inline void findBatch(const Tree& tree, const float* x, int64_t* bucket, int64_t count, int64_t buckets)
{
    int64_t at[BATCH] = {};
    for (auto level = static_cast<int64_t>(tree.levels.size()) - 1; level >= 0; --level) {
        const Node* nodes = tree.nodes.data() + tree.levels[level];
        const int64_t last = (level > 0 ? tree.levels[level] - tree.levels[level - 1] : buckets + 1) - 1;
        for (int64_t i = 0; i < count; ++i)
            at[i] = std::min(at[i] * width + below(nodes[at[i]], x[i]), last);
    }
    for (int64_t i = 0; i < count; ++i)
        bucket[i] = at[i];
}

} // namespace

extern "C" void bucketize(const float* x, const float* boundaries, int64_t* bucket, int64_t n, int64_t buckets)
{
    const Tree tree = makeTree(boundaries, buckets);
    const int64_t whole = n / BATCH * BATCH;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < whole; i += BATCH)
        findBatch(tree, x + i, bucket + i, BATCH, buckets);
    findBatch(tree, x + whole, bucket + whole, n - whole, buckets);
}
