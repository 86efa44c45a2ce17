/* SPDX-License-Identifier: MIT */
/* Fuzzes the reading of a results file: it is read or refused with a reason, and neither it nor
 * anything beside it is written. An input that begins like an SQLite file is the file; any other is
 * a list of changes to a good one: four bytes each, three for the place and one for the byte. */
#include "store/store.h"

#include "store_fixture.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IMAGE_MAX = 1024 * 1024, CHANGE_BYTES = 4 };

static char dir[] = P_tmpdir "/fuzz_store_XXXXXX";
static char path[sizeof(dir) + 16];
static uint8_t good[IMAGE_MAX], image[IMAGE_MAX], after[IMAGE_MAX];
static size_t good_size;

static void require(bool condition)
{
    if (!condition)
        abort();
}

static size_t read_file(uint8_t *buf)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = read(fd, buf, IMAGE_MAX);

    require(fd >= 0 && n >= 0 && close(fd) == 0);
    return (size_t)n;
}

static void write_file(const uint8_t *data, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    require(fd >= 0 && write(fd, data, n) == (ssize_t)n && close(fd) == 0);
}

static void clean_up(void)
{
    (void)unlink(path);
    (void)rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct am_point points[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};

    (void)argc;
    (void)argv;
    require(mkdtemp(dir) != NULL);
    (void)snprintf(path, sizeof(path), "%s/run.db", dir);
    (void)atexit(clean_up);
    require(am_store_create(path, &store, &err) == AM_OK);
    require(fx_begin(store, &plan, &err) == AM_OK && fx_fill(store, &err) == AM_OK);
    am_store_close(store);
    good_size = read_file(good);
    return 0;
}

/* The bytes of the file to read; returns how many. */
static size_t make_image(const uint8_t *data, size_t size)
{
    if (size >= 16 && memcmp(data, "SQLite format 3", 16) == 0) {
        const size_t n = size < IMAGE_MAX ? size : IMAGE_MAX;

        memcpy(image, data, n);
        return n;
    }
    memcpy(image, good, good_size);
    for (; size >= CHANGE_BYTES; data += CHANGE_BYTES, size -= CHANGE_BYTES) {
        const size_t at = (size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2];

        image[at % good_size] = data[3];
    }
    return good_size - size; /* what remains of the input cuts the file's end off */
}

static enum am_status take(void *self, const struct am_raw_sample *raw, struct am_err *err)
{
    (void)err;
    *(size_t *)self += strlen(raw->bench) + strlen(raw->text) + strlen(raw->metric);
    return AM_OK;
}

/* Touches everything that a report would. */
static size_t walk(const struct am_result_set *set)
{
    size_t n = strlen(set->run.command) + strlen(am_run_states[set->run.state]);

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        n += strlen(r->bench) + strlen(r->text) + strlen(am_point_states[r->state]);
        for (size_t p = 0; p < r->chosen.n; p++)
            n += strlen(r->chosen.items[p].key) + strlen(r->chosen.items[p].value);
        for (size_t p = 0; p < r->n_attachments; p++) /* the 0 behind the last byte, too */
            n += strlen(r->attachments[p].name) + strlen(r->attachments[p].data);
        for (size_t p = 0; p < r->n_params; p++)
            n += strlen(r->params[p].name) + strlen(r->params[p].text);
        for (size_t m = 0; m < r->n_metrics; m++) {
            const struct am_series *const s = &r->metrics[m].series;

            for (size_t l = 0; l < s->n; l++)
                for (size_t k = 0; k < s->launches[l].n; k++)
                    n += s->launches[l].labels[k] + (s->launches[l].values[k] > 0);
        }
    }
    for (size_t i = 0; i < set->n_failures; i++)
        n += strlen(am_failure_kinds[set->failures[i].kind]) + strlen(set->failures[i].reason);
    return n;
}

static void read_it(void)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_resume resume;
    struct am_err err = {0};
    size_t seen = 0;
    enum am_status s = am_store_open(path, false, &store, &err);

    if (s == AM_OK)
        s = am_store_load(store, NULL, &arena, &set, &err);
    if (s == AM_OK) {
        seen += walk(&set);
        s = am_store_load_resume(store, &arena, &resume, &err);
    }
    if (s == AM_OK)
        s = am_store_each_sample(store, NULL, take, &seen, &err);
    require(s != AM_OK || seen > 0);
    require(s == AM_OK ||
            ((s == AM_E_STORE || s == AM_E_USAGE) && strncmp(err.text, path, strlen(path)) == 0));
    am_store_close(store);
    am_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t n = make_image(data, size);

    write_file(image, n);
    read_it();
    require(read_file(after) == n && memcmp(after, image, n) == 0);
    require(unlink(path) == 0 && rmdir(dir) == 0); /* fails when anything lies beside it */
    require(mkdir(dir, 0700) == 0);
    return 0;
}
