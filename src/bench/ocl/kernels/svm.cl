/* SPDX-License-Identifier: MIT */
/* ocl.svm: every word becomes another, by a rule whose n-th repetition the host knows. */

__kernel void am_svm(__global uint *data, uint factor)
{
    const size_t i = get_global_id(0);

    data[i] = data[i] * factor + 1u;
}
