// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Builds a hash table with open addressing, then looks ids up with their slots prefetched: one miss for each id.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <memory>

#define SLOTS 2 // rooftree: tune {2, 4, 8}
#define AHEAD 16 // rooftree: tune {4, 8, 16, 32, 64}
// SLOTS: how many slots an entry has at least.

namespace {

struct Slot {
    int64_t id;
    int64_t position; // -1: free
};

struct Table {
    std::unique_ptr<Slot[]> slots;
    int shift; // the hash is the product's upper bits
    uint64_t mask;

    uint64_t home(int64_t id) const { return static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15u >> shift; }
};

Table makeTable(const int64_t* ids, int64_t known)
{
    int bits = 1;
    while ((int64_t{ 1 } << bits) < known * SLOTS)
        ++bits;
    const int64_t size = int64_t{ 1 } << bits;
    Table table{ std::unique_ptr<Slot[]>(new Slot[size]), 64 - bits, static_cast<uint64_t>(size - 1) };
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < size; ++s)
        table.slots[s] = { 0, -1 };
    for (int64_t i = 0; i < known; ++i) {
        if (i + AHEAD < known)
            __builtin_prefetch(&table.slots[table.home(ids[i + AHEAD])], 1);
        uint64_t at = table.home(ids[i]);
        while (table.slots[at].position >= 0)
            at = (at + 1) & table.mask;
        table.slots[at] = { ids[i], i };
    }
    return table;
}

inline int64_t find(const Table& table, int64_t id)
{
    uint64_t at = table.home(id);
    while (table.slots[at].position >= 0 && table.slots[at].id != id)
        at = (at + 1) & table.mask;
    return table.slots[at].position;
}

} // namespace

extern "C" void id_mapping(const int64_t* ids, const int64_t* table, int64_t* position, int64_t n, int64_t known)
{
    const Table slots = makeTable(table, known);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; ++i) {
        __builtin_prefetch(&slots.slots[slots.home(ids[std::min(i + AHEAD, n - 1)])]);
        position[i] = find(slots, ids[i]);
    }
}
