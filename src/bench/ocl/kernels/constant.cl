/* SPDX-License-Identifier: MIT */
/* ocl.constant: a chase through constant memory, Formula 2 of the paper.
 *
 * -DUNIFORM=0|1: neighbouring work-items follow each other, or a work-group reads one element
 */
#define READS4 at = table[at]; at = table[at]; at = table[at]; at = table[at];

__kernel void am_constant(__global uint *out, const uint turns, __constant uint *table,
                          const uint mask)
{
    uint at = (uint)(UNIFORM ? get_group_id(0) : get_global_id(0)) & mask;

    for (uint i = 0; i < turns; i++) {
        READS4 READS4 READS4 READS4
    }
    out[get_global_id(0)] = at;
}
