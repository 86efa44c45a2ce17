// SPDX-License-Identifier: MIT
// Marked regions in C++: a region lasts as long as its object. Jacobi steps on a square grid.
//
//     c++ -O2 -I include -o jacobi examples/marks/jacobi.cc
//     archmeter profile -- ./jacobi 512 50
#include <archmeter/mark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void step(const std::vector<double> &from, std::vector<double> &to, std::size_t n)
{
    const archmeter::region whole("step");

    for (std::size_t y = 1; y + 1 < n; y++) {
        for (std::size_t x = 1; x + 1 < n; x++)
            to[y * n + x] = 0.25 * (from[y * n + x - 1] + from[y * n + x + 1] +
                                    from[(y - 1) * n + x] + from[(y + 1) * n + x]);
    }
}

static double residual(const std::vector<double> &a, const std::vector<double> &b)
{
    archmeter::region whole("residual");
    double most = 0;

    for (std::size_t i = 0; i < a.size(); i++)
        most = std::max(most, std::fabs(a[i] - b[i]));
    whole.work(2.0 * static_cast<double>(a.size()), 16.0 * static_cast<double>(a.size()), 0);
    return most;
}

int main(int argc, char **argv)
{
    const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
    std::vector<double> a(n * n), b(n * n);
    double most = 0;

    std::fill(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), 1.0);
    b = a;
    for (int i = 0; i < steps; i++) {
        step(a, b, n);
        if (i % 10 == 9)
            most = residual(a, b);
        std::swap(a, b);
    }
    std::printf("%.17g\n", most);
    return 0;
}
