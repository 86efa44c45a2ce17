/* SPDX-License-Identifier: MIT */
/* ocl.launch: as little as a kernel can do and be checked. SALT makes every program a new one. */
__kernel void am_launch(__global uint *out, uint value)
{
    if (get_global_id(0) == 0)
        out[0] = value ^ (uint)(SALT);
}
