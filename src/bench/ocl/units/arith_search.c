/* SPDX-License-Identifier: MIT */
/* ocl.arith: the kernel for a point, and the search for what the point leaves open. */
#include "bench/ocl/units/arith_search.h"

#include "base/text.h"
#include "bench/ocl/host/handed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTIONS_MAX = 256,
    PROBE_NS = 1000000,
    LOOPS_ARG = 3,
    LOOPS_MAX = 1 << 17, /* steps that the host's reference has to follow stay below 2^25 */
    GROUP_MAX = 256,     /* beyond it, kernels with wide vectors run out of registers */
    ITEMS_MAX = 1 << 22,
    VECTORS_LIKELY = 8, /* native vectors in flight: latency times units of most cores */
    CPU_GROUPS = 16,    /* of a compute unit: enough to spread evenly */
    GPU_ITEMS = 2048,   /* of a compute unit: what is resident at once on most */
    KEY_MAX = 1024,
    RACES_LEAST = 2, /* rounds of a trial against its rival */
    RACES_MAX = 8,
};

/* No further kernel is tried after this. */
static const uint64_t search_ns = 1500000000;
/* A later candidate must be better by this: noise chooses nothing. */
static const double better = 1.01;
/* A search's answer that is so much faster now was found while something else used the device: it
 * may have chosen badly, and is searched again. */
static const double doubtful = 1.1;

void am_arith_buffers_free(struct am_arith_buffers *b)
{
    am_ocl_release_buffer(b->device_operands);
    am_ocl_release_buffer(b->device_seeds);
    am_ocl_release_buffer(b->out);
    *b = (struct am_arith_buffers){.out = NULL};
}

void am_arith_trial_free(struct am_arith_trial *t)
{
    am_ocl_release_kernel(t->loop.kernel);
    am_ocl_program_free(&t->program);
    t->loop.kernel = NULL;
}

/* A search under way. */
struct search {
    struct am_ocl_timer *timer;
    const struct am_arith_request *request;
    struct am_arith_buffers *buffers;
    struct am_arith_trial *best;
    double best_rate; /* operations a nanosecond */
    uint64_t begin_ns;
    size_t out_bytes;     /* of the buffer for results */
    size_t refused_bytes; /* that it could not have; 0: none were refused */
    unsigned tried;
    char list[AM_ARITH_TRIED_MAX]; /* of them, with their rates */
    uint32_t searches;
    bool cut; /* candidates were left untried for want of time */
};

static unsigned native_width(const struct am_ocl_device *d, enum am_arith_type type)
{
    const unsigned halves = 2 * d->float_width;
    const unsigned widths[AM_ARITH_TYPES] = {[AM_ARITH_FLOAT] = d->float_width,
                                             [AM_ARITH_DOUBLE] = d->double_width,
                                             [AM_ARITH_HALF] = halves,
                                             [AM_ARITH_INT] = d->float_width};

    return widths[type] ? widths[type] : 1;
}

/* Whether one more candidate may be tried; asked only where there is one. */
static bool has_time(struct search *s)
{
    const bool has = am_now_ns() - s->begin_ns < search_ns;

    s->cut |= !has;
    return has;
}

static enum am_status fill_buffers(struct search *s, const struct am_arith_shape *shape,
                                   struct am_err *err)
{
    const struct am_ocl_device *const d = s->timer->device;
    struct am_arith_buffers *const b = s->buffers;
    enum am_status status = AM_OK;

    if (!b->device_operands)
        status = am_ocl_device_buffer(d, CL_MEM_READ_ONLY, sizeof(b->operands), NULL,
                                      &b->device_operands, err);
    if (status == AM_OK && !b->device_seeds)
        status = am_ocl_device_buffer(d, CL_MEM_READ_ONLY, sizeof(b->seeds), NULL, &b->device_seeds,
                                      err);
    am_arith_operands(shape, b->operands);
    am_arith_seeds(shape, d->ctx->seed, b->seeds);
    if (status == AM_OK)
        status =
            am_ocl_device_write(d, b->device_operands, 0, sizeof(b->operands), b->operands, err);
    if (status == AM_OK)
        status = am_ocl_device_write(d, b->device_seeds, 0, sizeof(b->seeds), b->seeds, err);
    return status;
}

/* A buffer for results and the one that it is to replace. */
struct room {
    cl_mem before, wider;
    size_t bytes;
};

/* One vector per work-item; grown as needed. What is there is kept until the wider one has shown
 * that it can be used: some drivers find the memory for it at the first launch. */
static enum am_status make_room(struct search *s, const struct am_arith_trial *t, struct room *room,
                                struct am_err *err)
{
    const struct am_arith_shape *const shape = &t->shape;
    enum am_status status;

    *room = (struct room){.bytes =
                              t->loop.range.global[0] * shape->width * am_arith_bytes(shape->type)};
    if (room->bytes <= s->out_bytes)
        return AM_OK;
    if (s->refused_bytes && room->bytes >= s->refused_bytes)
        return am_fail(err, AM_E_NOMEM, "%zu bytes of results: fewer were refused", room->bytes);
    status = am_ocl_device_buffer(s->timer->device, CL_MEM_READ_WRITE, room->bytes, NULL,
                                  &room->wider, err);
    if (status != AM_OK) {
        room->wider = NULL;
        s->refused_bytes = room->bytes;
        return status;
    }
    room->before = s->buffers->out;
    s->buffers->out = room->wider;
    return AM_OK;
}

/* The narrower of the two buffers goes when the trial was launched, the wider when it was not. */
static void settle_room(struct search *s, const struct room *room, bool launched)
{
    if (!room->wider)
        return;
    am_ocl_release_buffer(launched ? room->before : room->wider);
    s->buffers->out = launched ? room->wider : room->before;
    if (launched)
        s->out_bytes = room->bytes;
    else
        s->refused_bytes = room->bytes;
}

static enum am_status set_args(const struct am_arith_buffers *b, cl_kernel kernel,
                               struct am_err *err)
{
    const cl_uint none = 0;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(b->device_operands), AM_OCL_ARG(b->device_seeds),
                                      AM_OCL_ARG(b->out), AM_OCL_ARG(none)};

    return am_ocl_program_args(kernel, args, sizeof(args) / sizeof(args[0]), err);
}

static enum am_status build(struct search *s, unsigned chains, struct am_arith_trial *t,
                            struct am_err *err)
{
    const struct am_ocl_device *const d = s->timer->device;
    const struct am_arith_request *const r = s->request;
    char options[OPTIONS_MAX];
    enum am_status status;

    t->shape = (struct am_arith_shape){
        .op = r->op,
        .type = r->type,
        .quadratic = r->quadratic,
        .width = r->width,
        .chains = chains,
        .unroll =
            r->unroll ? r->unroll : am_arith_unroll(chains, r->width, native_width(d, r->type)),
    };
    if (!am_arith_options(&t->shape, options, sizeof(options)))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    status = am_ocl_program_build(&t->program, d, "arith", options, err);
    if (status == AM_OK)
        status = am_ocl_program_kernel(&t->program, "am_arith", &t->loop.kernel, err);
    if (status == AM_OK)
        status = fill_buffers(s, &t->shape, err);
    return status;
}

static size_t group_limit(const struct am_ocl_device *d, cl_kernel kernel)
{
    size_t most = d->group_max;

    (void)am_ocl_program_group_max(d, kernel, &most, NULL);
    return most < GROUP_MAX ? most : GROUP_MAX;
}

/* The geometry to begin with. */
static struct am_ocl_range likely_range(const struct search *s, cl_kernel kernel)
{
    const struct am_ocl_device *const d = s->timer->device;
    const struct am_arith_request *const r = s->request;
    const size_t most = group_limit(d, kernel);
    size_t group = r->group, items = r->items;

    if (!group)
        group = d->is_cpu && most > 64 ? 64 : most;
    while (!r->group && items % group)
        group /= 2;
    if (!items)
        items = (d->is_cpu ? CPU_GROUPS * group : GPU_ITEMS / group * group) * d->compute_units;
    return AM_OCL_RANGE1(items, group);
}

static double operations(const struct am_arith_trial *t)
{
    const struct am_arith_shape *const s = &t->shape;

    return (double)t->loop.range.global[0] * s->chains * s->width * s->unroll *
           am_arith_count(s->op);
}

/* What was tried, and how fast it was. */
static void list_trial(struct search *s, const struct am_arith_trial *t, double rate)
{
    static const char more[] = ", ...";
    const size_t len = strlen(s->list);
    char text[64];

    (void)am_str_format(text, sizeof(text), "%s%ux%zu/%zu %.4g", len ? ", " : "", t->shape.chains,
                        t->loop.range.global[0], t->loop.range.local[0], rate);
    if (len + strlen(text) + sizeof(more) <= sizeof(s->list))
        memcpy(s->list + len, text, strlen(text) + 1);
    else if (len + sizeof(more) <= sizeof(s->list) && s->list[len - 1] != '.')
        memcpy(s->list + len, more, sizeof(more));
}

/* Times a trial; `*rate` in operations a nanosecond. */
static enum am_status rate_of(struct search *s, struct am_arith_trial *t, double *rate,
                              struct am_err *err)
{
    double turn_ns = 0;
    struct room room;
    enum am_status status = make_room(s, t, &room, err);

    if (status == AM_OK)
        status = set_args(s->buffers, t->loop.kernel, err);
    t->loop.arg = LOOPS_ARG;
    t->loop.loops_max = LOOPS_MAX;
    if (status == AM_OK)
        status = am_ocl_timing_probe(s->timer, &t->loop, PROBE_NS, &turn_ns, err);
    settle_room(s, &room, status == AM_OK);
    s->tried++;
    *rate = turn_ns > 0 ? operations(t) / turn_ns : 0;
    list_trial(s, t, *rate);
    return status;
}

/* Another number of chains. One that the device refuses only loses, unless it is the first. */
static enum am_status try_chains(struct search *s, unsigned chains, struct am_err *err)
{
    struct am_arith_trial t = {.shape = {.chains = chains}};
    struct am_err refusal = {0};
    const bool first = s->tried == 0;
    double rate = 0;
    enum am_status status = build(s, chains, &t, first ? err : &refusal);

    if (status == AM_OK) {
        t.loop.range = likely_range(s, t.loop.kernel);
        status = rate_of(s, &t, &rate, first ? err : &refusal);
    }
    if (status == AM_OK && (first || rate > better * s->best_rate)) {
        am_arith_trial_free(s->best);
        *s->best = t;
        s->best_rate = rate;
        return AM_OK;
    }
    am_arith_trial_free(&t);
    return first ? status : AM_OK;
}

/* Another geometry for the best kernel so far. */
static void try_range(struct search *s, size_t items, size_t group)
{
    const struct am_ocl_range before = s->best->loop.range;
    double rate = 0;

    if (!group || items % group || items > ITEMS_MAX ||
        group > group_limit(s->timer->device, s->best->loop.kernel) || !has_time(s))
        return;
    s->best->loop.range = AM_OCL_RANGE1(items, group);
    if (rate_of(s, s->best, &rate, NULL) == AM_OK && rate > better * s->best_rate)
        s->best_rate = rate;
    else
        s->best->loop.range = before;
}

/* From the likeliest number outwards: as many native vectors in flight as most cores need. */
static enum am_status search_chains(struct search *s, struct am_err *err)
{
    static const unsigned possible[] = {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24};
    enum { COUNT = sizeof(possible) / sizeof(possible[0]) };
    const unsigned native = native_width(s->timer->device, s->request->type);
    const unsigned per_chain = s->request->width > native ? s->request->width / native : 1;
    size_t likely = 0;
    enum am_status status;

    while (likely + 1 < COUNT && possible[likely] * per_chain < VECTORS_LIKELY)
        likely++;
    status = try_chains(s, possible[likely], err);
    for (size_t away = 1; away < COUNT && status == AM_OK; away++) {
        const double before = s->best_rate;

        if (likely + away < COUNT && possible[likely + away] * per_chain <= 3 * VECTORS_LIKELY &&
            has_time(s))
            status = try_chains(s, possible[likely + away], err);
        if (away <= likely && status == AM_OK && has_time(s))
            status = try_chains(s, possible[likely - away], err);
        if (s->best_rate <= before)
            break; /* both neighbours are worse */
    }
    return status;
}

static void search_range(struct search *s)
{
    const struct am_arith_request *const r = s->request;
    const struct am_ocl_range first = s->best->loop.range;

    for (size_t factor = 2; factor <= 16 && !r->items; factor *= 2)
        try_range(s, first.global[0] * factor, first.local[0]);
    for (size_t group = 32; group <= GROUP_MAX && !r->group; group *= 2) {
        if (group != first.local[0])
            try_range(s, s->best->loop.range.global[0], group);
    }
}

/* Trials have left their seeds and results in the buffers: those of the winner are put back. */
static enum am_status settle(struct search *s, struct am_err *err)
{
    const struct am_ctx *const ctx = s->timer->device->ctx;
    const struct am_ocl_range *const range = &s->best->loop.range;
    char options[OPTIONS_MAX];
    enum am_status status = fill_buffers(s, &s->best->shape, err);

    s->best->turn_ns = s->best_rate > 0 ? operations(s->best) / s->best_rate : 0;
    if (status == AM_OK)
        status = set_args(s->buffers, s->best->loop.kernel, err);
    (void)am_arith_options(&s->best->shape, options, sizeof(options));
    am_ctx_note(ctx, "options", "%s", options);
    am_ctx_note(ctx, "tried", "chains x items / group, Gop/s: %s", s->list);
    am_ctx_chosen(ctx, "winner", "chains %u, items %zu, group %zu; %u tried", s->best->shape.chains,
                  range->global[0], range->local[0], s->tried);
    return status;
}

/* ---- searched once per run ---- */

static const char kind[] = "arith";

/* All that a search's answer depends on. */
static bool key_of(const struct am_ocl_device *d, const struct am_arith_request *r, char *key)
{
    return am_str_format(key, KEY_MAX, "%s\n%s\n%s\n%u units\n%d %d %d %u %u %u %u %u\n", d->name,
                         d->version, d->driver, d->compute_units, (int)r->op, (int)r->type,
                         (int)r->quadratic, r->width, r->chains, r->items, r->group, r->unroll);
}

/* Whether the request allows what was found for it. */
static bool is_possible(const struct am_arith_request *r, const struct am_arith_winner *w)
{
    return memchr(w->list, 0, sizeof(w->list)) && w->chains >= 1 &&
           w->chains <= AM_ARITH_CHAINS_MAX && w->group >= 1 && w->items >= 1 &&
           w->items <= ITEMS_MAX && w->items % w->group == 0 &&
           (!r->chains || w->chains == r->chains) && (!r->items || w->items == r->items) &&
           (!r->group || w->group == r->group);
}

bool am_arith_winner_take(const struct am_ocl_device *d, const struct am_arith_request *request,
                          struct am_arith_winner *w)
{
    char key[KEY_MAX];
    size_t len = 0;
    void *const data = key_of(d, request, key) ? am_handed_take(kind, key, &len) : NULL;
    const bool good = data && len == sizeof(*w);

    if (good)
        memcpy(w, data, sizeof(*w));
    free(data);
    return good && is_possible(request, w);
}

void am_arith_winner_leave(const struct am_ocl_device *d, const struct am_arith_request *request,
                           const struct am_arith_winner *w)
{
    char key[KEY_MAX];

    if (key_of(d, request, key))
        am_handed_leave(kind, key, w, sizeof(*w));
}

static void leave(const struct search *s)
{
    const struct am_ocl_range *const range = &s->best->loop.range;
    struct am_arith_winner w = {.items = range->global[0],
                                .group = range->local[0],
                                .chains = s->best->shape.chains,
                                .tried = s->tried,
                                .searches = s->searches,
                                .complete = !s->cut,
                                .rate = s->best_rate};

    (void)am_str_copy(w.list, sizeof(w.list), s->list);
    am_arith_winner_leave(s->timer->device, s->request, &w);
}

/* Builds and times what an earlier launch of the run has found. False where that has to be searched
 * for (again): nothing is known, the device will not have it, or the search was cut or disturbed.
 */
static bool use_winner(struct search *s)
{
    struct am_arith_winner w;
    double rate = 0;

    if (!am_arith_winner_take(s->timer->device, s->request, &w))
        return false;
    s->searches = w.searches;
    if (!w.complete && w.searches < AM_ARITH_SEARCHES_MAX)
        return false; /* what was compiled then is at hand now: it will come further */
    if (build(s, w.chains, s->best, NULL) == AM_OK &&
        w.group <= group_limit(s->timer->device, s->best->loop.kernel)) {
        s->best->loop.range = AM_OCL_RANGE1((size_t)w.items, (size_t)w.group);
        if (rate_of(s, s->best, &rate, NULL) == AM_OK &&
            (rate <= doubtful * w.rate || w.searches >= AM_ARITH_SEARCHES_MAX)) {
            s->best_rate = rate;
            s->tried = w.tried;
            (void)am_str_copy(s->list, sizeof(s->list), w.list);
            return true;
        }
    }
    am_arith_trial_free(s->best);
    *s->best = (struct am_arith_trial){.turn_ns = 0};
    s->tried = 0;
    s->list[0] = '\0';
    return false;
}

static enum am_status search_all(struct search *s, struct am_err *err)
{
    enum am_status status;

    s->begin_ns = am_now_ns();
    s->searches++;
    status = s->request->chains ? try_chains(s, s->request->chains, err) : search_chains(s, err);
    if (status == AM_OK)
        search_range(s);
    if (status == AM_OK)
        leave(s);
    return status;
}

enum am_status am_arith_search(struct am_ocl_timer *timer, const struct am_arith_request *request,
                               struct am_arith_buffers *buffers, struct am_arith_trial *best,
                               struct am_err *err)
{
    struct search s = {.timer = timer, .request = request, .buffers = buffers, .best = best};
    enum am_status status;

    if (request->group > timer->device->group_max)
        return am_fail(err, AM_E_ABSENT, "group %u: the device allows %zu", request->group,
                       timer->device->group_max);
    status = use_winner(&s) ? AM_OK : search_all(&s, err);
    return status == AM_OK ? settle(&s, err) : status;
}

/* ---- rivals ---- */

/* The better of its times so far; its operands are put in place first. */
static enum am_status race_once(struct search *s, struct am_arith_trial *t, double *best_ns,
                                struct am_err *err)
{
    double rate = 0;
    enum am_status status = fill_buffers(s, &t->shape, err);

    if (status == AM_OK)
        status = rate_of(s, t, &rate, err);
    if (status == AM_OK && rate > 0)
        *best_ns = fmin(*best_ns, operations(t) / rate);
    return status;
}

/* Rounds of both until they agree, or so many that no disturbance can explain it. */
static enum am_status race(struct search *s, struct am_arith_trial *trial,
                           struct am_arith_trial *rival, double *ratio, struct am_err *err)
{
    const double limit = am_arith_rival_limit(&trial->shape);
    double trial_ns = INFINITY, rival_ns = INFINITY;
    enum am_status status = AM_OK;

    for (int i = 0; i < RACES_MAX && status == AM_OK; i++) {
        status = race_once(s, trial, &trial_ns, err);
        if (status == AM_OK)
            status = race_once(s, rival, &rival_ns, err);
        *ratio = rival_ns / trial_ns;
        if (i + 1 >= RACES_LEAST && *ratio <= limit)
            break;
    }
    rival->turn_ns = rival_ns;
    return status;
}

enum am_status am_arith_rival(struct am_ocl_timer *timer, const struct am_arith_request *request,
                              struct am_arith_buffers *buffers, struct am_arith_trial *trial,
                              struct am_err *err)
{
    struct am_arith_request other = *request;
    struct am_arith_trial rival = {.turn_ns = 0};
    struct search s = {.timer = timer, .request = &other, .buffers = buffers, .best = &rival};
    const double limit = am_arith_rival_limit(&trial->shape);
    double ratio = 0;
    bool counts;
    enum am_status status;

    if (!(limit > 0))
        return AM_OK;
    other.quadratic = true;
    s.out_bytes = SIZE_MAX; /* of the trial, which is as large */
    status = build(&s, trial->shape.chains, &rival, err);
    rival.loop.range = trial->loop.range;
    if (status == AM_OK)
        status = race(&s, trial, &rival, &ratio, err);
    counts = status == AM_OK && ratio > limit;
    if (counts) {
        am_arith_trial_free(trial);
        *trial = rival;
    } else {
        am_arith_trial_free(&rival);
    }
    if (status == AM_OK)
        status = fill_buffers(&s, &trial->shape, err);
    if (status == AM_OK)
        status = set_args(buffers, trial->loop.kernel, err);
    if (status == AM_OK)
        am_ctx_note(timer->device->ctx, "rival", "%.2f times as long%s", ratio,
                    counts ? ": steps were combined, the rival counts" : "");
    return status;
}

enum am_status am_arith_gate(struct am_ocl_timer *timer, const struct am_arith_buffers *buffers,
                             struct am_arith_trial *trial, struct am_err *err)
{
    struct am_ocl_loop twice = trial->loop;
    double ratio = 0;
    enum am_status s = am_ocl_program_kernel(&trial->program, "am_arith_twice", &twice.kernel, err);

    if (s == AM_OK)
        s = set_args(buffers, twice.kernel, err);
    if (s == AM_OK)
        s = am_ocl_timing_gate(timer, &trial->loop, &twice, &ratio, err);
    am_ocl_release_kernel(twice.kernel);
    if (s == AM_OK)
        am_ctx_note(timer->device->ctx, "doubling", "%.2f", ratio);
    return s;
}
