/* SPDX-License-Identifier: MIT */
/* ocl.image: one pixel of a two-dimensional image a work-item and turn, another one each turn. */

/* Coordinates are always inside. */
__constant sampler_t am_nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

static inline size_t am_place(void)
{
    return get_global_id(1) * get_global_size(0) + get_global_id(0);
}

__kernel void am_image_read(__global float *out, const uint turns, __read_only image2d_t image,
                            const int2 mask, const int2 step)
{
    int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
    float4 sum = (float4)(0.0f);

    for (uint i = 0; i < turns; i++) {
        sum += read_imagef(image, am_nearest, at & mask);
        at += step;
    }
    out[am_place()] = sum.x + sum.y + sum.z + sum.w;
}

__kernel void am_image_write(const uint turns, __write_only image2d_t image, const int2 mask,
                             const int2 step, const float scale)
{
    int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));

    for (uint i = 0; i < turns; i++) {
        const int2 here = at & mask;
        const int4 channel = (int4)(here.x * 7 + here.y * 13) + (int4)(0, 29, 58, 87);

        write_imagef(image, here, convert_float4(channel & 255) * scale);
        at += step;
    }
}
