/* SPDX-License-Identifier: MIT */
/* Programs handed on between processes of a run: taken when they fit, compiled when they do not. */
#include "base/temp_folder.h"
#include "base/text.h"
#include "bench/ocl/host/binaries.h"
#include "bench/ocl/host/handed.h"
#include "bench/ocl/host/program.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/am-binaries-XXXXXX";

/* Builds the program as a bench would, and says whether it came from a file. */
static bool is_loaded(const struct am_ocl_device *d, const char *options)
{
    struct am_ocl_program p = {.program = NULL};
    struct am_err err = {0};
    cl_kernel kernel = NULL;
    bool loaded;

    if (am_ocl_program_build(&p, d, "launch", options, &err) != AM_OK ||
        am_ocl_program_kernel(&p, "am_launch", &kernel, &err) != AM_OK)
        ok(false, "a program and its kernel are there in any case: %s", err.text);
    loaded = p.loaded;
    am_ocl_release_kernel(kernel);
    am_ocl_program_free(&p);
    return loaded;
}

static const char *source(void)
{
    const struct am_ocl_source *s = am_ocl_sources;

    while (strcmp(s->word, "launch") != 0)
        s++;
    return s->text;
}

/* Changes one byte of the file, from its end where `at` is negative. */
static void damage(const char *path, long at)
{
    FILE *const f = fopen(path, "r+b");
    int byte;

    if (!f)
        return;
    (void)fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
    byte = fgetc(f);
    (void)fseek(f, -1, SEEK_CUR);
    (void)fputc(byte ^ 1, f);
    (void)fclose(f);
}

static void test_device(struct am_ocl_device *d)
{
    static const char options[] = "-DSALT=7u";
    static const long places[] = {0, 16, 24, 32, 40, -1};
    struct am_ocl_device later = *d;
    char path[1024];
    size_t wrong = 0;
    struct stat st;

    (void)unsetenv(AM_RUN_FOLDER);
    ok(!is_loaded(d, options) && !is_loaded(d, options), "without a folder everything is compiled");
    ok(!am_ocl_binary_path(d, source(), options, path, sizeof(path)), "and nothing is kept");
    (void)setenv(AM_RUN_FOLDER, folder, 1);
    ok(!is_loaded(d, options), "the first process compiles");
    ok(am_ocl_binary_path(d, source(), options, path, sizeof(path)) && stat(path, &st) == 0 &&
           (st.st_mode & 077) == 0,
       "and leaves the binary, for nobody else");
    ok(is_loaded(d, options), "the next one takes it");
    ok(!is_loaded(d, "-DSALT=8u"), "other options are another program");
    (void)am_str_copy(later.driver, sizeof(later.driver), "a later driver");
    ok(!is_loaded(&later, options), "another driver version compiles anew");
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        damage(path, places[i]);
        wrong += is_loaded(d, options); /* this also puts a good one in its place */
        wrong += !is_loaded(d, options);
    }
    ok(wrong == 0, "a damaged file is not used, and replaced");
    (void)truncate(path, 10);
    ok(!is_loaded(d, options), "nor one that was cut");
    (void)unlink(path);
    (void)mkdir(path, 0700);
    ok(!is_loaded(d, options), "nor a folder in its place");
    (void)rmdir(path);
    (void)setenv(AM_RUN_FOLDER, "/no/such/folder", 1);
    ok(!is_loaded(d, options) && !is_loaded(d, options), "a folder that is gone does no harm");
    (void)setenv(AM_RUN_FOLDER, folder, 1);
}

/* A file that is whole and for this key, but that the driver will not have. */
static void test_refused(const struct am_ocl_device *d)
{
    static const char options[] = "-DSALT=9u";
    struct am_ocl_device liar = *d;
    char path[1024], other[1100];

    (void)is_loaded(d, options);
    (void)am_ocl_binary_path(d, source(), options, path, sizeof(path));
    (void)am_str_copy(liar.driver, sizeof(liar.driver), "x");
    (void)am_ocl_binary_path(&liar, source(), options, other, sizeof(other));
    ok(rename(path, other) == 0 && !is_loaded(&liar, options),
       "a file under a wrong name tells what it is for, and is not used");
    (void)is_loaded(d, options);
    (void)snprintf(other, sizeof(other), "%s.tried", path);
    ok(is_loaded(d, options) && rename(path, other) == 0 && !is_loaded(d, options) &&
           !is_loaded(d, options),
       "what a driver crashed over is neither tried nor kept again");
}

int main(void)
{
    const struct am_ctx ctx = {.memory_limit_bytes = UINT64_MAX};
    const char *const *names = am_ocl_device_names();
    struct am_ocl_device d = {.ctx = NULL};
    struct am_err err = {0};

    while (*names && am_ocl_device_why_not(*names))
        names++;
    if (!*names) {
        ok(true, "no device here # SKIP no OpenCL driver");
        return tap_done();
    }
    if (!mkdtemp(folder) || am_ocl_device_open(&d, &ctx, *names, &err) != AM_OK) {
        ok(false, "the device opens: %s", err.text);
        return tap_done();
    }
    test_device(&d);
    test_refused(&d);
    am_ocl_device_close(&d);
    am_folder_remove(folder);
    return tap_done();
}
