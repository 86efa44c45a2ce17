/* SPDX-License-Identifier: MIT */
/* Fuzzes the three protocol parsers: each either succeeds or explains, and what it accepts is
 * written and read back as the same. The first byte chooses the parser. */
#include "core/protocol/protocol.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const colours[] = {"red", "blue", NULL};
static const struct am_axis axes[] = {
    {.name = "size", .kind = AM_AXIS_SIZE, .dflt = "4K"},
    {.name = "ratio", .kind = AM_AXIS_REAL, .dflt = "0.5"},
    {.name = "colour", .kind = AM_AXIS_NAME, .dflt = "red", .choices = colours},
    {.name = "device", .kind = AM_AXIS_NAME, .dflt = "any"},
    {0},
};
static const struct am_metric metrics[] = {{.name = "time", .unit = "s"}, {0}};
static const struct am_bench bench = {.name = "fuzz", .axes = axes, .metrics = metrics};
static const struct am_bench *const benches[] = {&bench, NULL};

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void fuzz_message(const char *text, size_t len)
{
    struct am_msg msg, again;
    struct am_err err = {0};
    struct am_text line, second;

    if (am_msg_parse(text, len, &msg, &err) != AM_OK) {
        require(err.text[0] != '\0');
        return;
    }
    am_text_init(&line, 8 * AM_LINE_MAX);
    am_text_init(&second, 8 * AM_LINE_MAX);
    am_msg_write(&line, &msg);
    require(!line.overflow);
    require(am_msg_parse(am_text_str(&line), line.len - 1, &again, &err) == AM_OK);
    am_msg_write(&second, &again);
    require(strcmp(am_text_str(&line), am_text_str(&second)) == 0);
    am_text_fini(&line);
    am_text_fini(&second);
}

static void fuzz_request(const char *text, size_t len)
{
    struct am_request request, again;
    struct am_arena arena = {0};
    struct am_err err = {0};
    struct am_text out;

    if (am_request_parse(text, len, benches, &arena, &request, &err) == AM_OK) {
        am_text_init(&out, 1 << 24);
        am_request_write(&out, &request);
        require(am_request_parse(am_text_str(&out), out.len, benches, &arena, &again, &err) ==
                AM_OK);
        require(again.n_points == request.n_points && again.seed == request.seed);
        am_text_fini(&out);
    } else {
        require(err.text[0] != '\0');
    }
    am_arena_fini(&arena);
}

static void fuzz_listing(const char *text, size_t len)
{
    struct am_listing listing;
    struct am_arena arena = {0};
    struct am_err err = {0};

    if (am_listing_parse(text, len, &arena, &listing, &err) == AM_OK) {
        require(listing.worker != NULL);
        for (size_t i = 0; i < listing.n; i++)
            require(listing.benches[i].axes && listing.benches[i].metrics[0].name);
    } else {
        require(err.text[0] != '\0');
    }
    am_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const targets[])(const char *, size_t) = {fuzz_message, fuzz_request,
                                                            fuzz_listing};

    if (size)
        targets[data[0] % 3]((const char *)data + 1, size - 1);
    return 0;
}
