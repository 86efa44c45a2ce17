// SPDX-License-Identifier: MIT
// Two ways to sort, side by side: `archmeter run examples/own/sort.cc`, then
// `archmeter compare --between how=std,radix`.
//
// archmeter-flags: -std=c++20
#include <archmeter/bench.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

static const archmeter_axis axes[] = {
    {.name = "n", .values = "1K,64K", .help = "numbers"},
    {.name = "how", .values = "all", .help = "std: std::sort; radix: by bytes", .choices = "std,radix"},
    {},
};

static const archmeter_metric metrics[] = {{"time_per_number", "time/op", "copying included"}, {}};

static std::vector<uint32_t> given, sorted, other;
static bool radix;

static int prepare(archmeter_point *point)
{
    std::mt19937 random(static_cast<uint32_t>(point->seed));

    given.resize(archmeter_count(point, "n"));
    for (auto &number : given)
        number = random();
    other = sorted = given;
    radix = std::strcmp(archmeter_text(point, "how"), "radix") == 0;
    point->ops = static_cast<double>(given.size());
    return 0;
}

static void radix_sort()
{
    for (int shift = 0; shift < 32; shift += 8) {
        std::array<size_t, 257> begin{};

        for (const uint32_t number : sorted)
            begin[(number >> shift & 255) + 1]++;
        for (size_t i = 1; i < begin.size(); i++)
            begin[i] += begin[i - 1];
        for (const uint32_t number : sorted)
            other[begin[number >> shift & 255]++] = number;
        sorted.swap(other);
    }
}

static void run(archmeter_point *, uint64_t iterations)
{
    for (; iterations > 0; iterations--) {
        std::copy(given.begin(), given.end(), sorted.begin());
        if (radix)
            radix_sort();
        else
            std::sort(sorted.begin(), sorted.end());
        archmeter_keep(sorted.data());
    }
}

static int verify(archmeter_point *point)
{
    auto want = given;

    std::sort(want.begin(), want.end());
    return want == sorted ? 0 : archmeter_fail(point, "the numbers are not in order");
}

ARCHMETER_BENCH(sort, .summary = "sorting random numbers", .axes = axes, .metrics = metrics, .prepare = prepare,
                .run = run, .verify = verify);
