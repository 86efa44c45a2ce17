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

/* The image is `bands` + 1 bands of `rows` rows, both powers of two; a turn writes one of them, a pixel
 * per work-item, which has that pixel for itself, or shares it with others that write the same in the
 * same order. What is written depends on the turn: what is left tells the last one. */
__kernel void am_image_write(const uint turns, __write_only image2d_t image, const int rows,
                             const int bands, const float scale)
{
    const int x = (int)get_global_id(0), y = (int)get_global_id(1) & (rows - 1);

    for (uint i = 0; i < turns; i++) {
        const int2 here = (int2)(x, y + ((int)i & bands) * rows);
        const int4 channel = (int4)(x * 7 + here.y * 13 + (int)i * 11) + (int4)(0, 29, 58, 87);

        write_imagef(image, here, convert_float4(channel & 255) * scale);
    }
}
