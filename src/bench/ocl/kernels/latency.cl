/* SPDX-License-Identifier: MIT */
/* ocl.latency: one work-item follows addresses from line to line, each load saying where the next is.
 *
 * am_link puts into line i of a buffer the address of line (factor * i + shift) mod lines, which goes
 * through all of them. Addresses, and not places in an array: nothing is computed between two loads.
 */
__kernel void am_link(__global ulong *buffer, ulong lines, ulong factor, ulong shift, uint words,
                      __global ulong *out)
{
    for (ulong i = get_global_id(0); i < lines; i += get_global_size(0))
        buffer[i * words] = (ulong)(buffer + (factor * i + shift) % lines * words);
    if (get_global_id(0) == 0)
        out[1] = (ulong)buffer;
}

#define LOAD p = *(__global ulong *)p;
#define LOADS4 LOAD LOAD LOAD LOAD
#define LOADS16 LOADS4 LOADS4 LOADS4 LOADS4

/* `base` is where the buffer was when it was linked: addresses are followed only while it is there.
 * The walk begins with `warm` loads, for caches that are emptied between launches. */
__kernel void am_chase(__global ulong *buffer, ulong base, ulong start, uint warm, uint turns,
                       uint words, __global ulong *out)
{
    ulong p = (ulong)(buffer + start * words);

    if ((ulong)buffer != base) {
        out[0] = ULONG_MAX;
        return;
    }
    for (uint i = 0; i < warm; i++) {
        LOAD
    }
    for (uint t = 0; t < turns; t++) {
        LOADS16
    }
    out[0] = (p - base) / 8 / words;
}

/* The same in local memory, by places: one work-item of the group links and walks. */
#define AREA 4096u /* words */
#define STEP at = area[at];
#define STEPS4 STEP STEP STEP STEP

__kernel void am_chase_local(__global ulong *out, uint lines, uint factor, uint shift, uint turns)
{
    __local uint area[AREA];
    uint at = 0;

    for (uint i = 0; i < lines; i++)
        area[i] = (factor * i + shift) % lines;
    for (uint t = 0; t < turns; t++) {
        STEPS4 STEPS4 STEPS4 STEPS4
    }
    out[0] = at;
}
