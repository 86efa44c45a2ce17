/* SPDX-License-Identifier: MIT */
/* Machines that are known beside the one of a run: those that are the same are said to be that, and
 * every row stands on one line of 80 columns. */
#include "document/known.h"
#include "write/write.h"

#include "fact_fixture.h"
#include "memory_stream.h"
#include "tap.h"

enum { COLUMNS = 80 };

static void put_machine(struct am_machine_model *m, struct am_arena *arena, const char *key,
                        bool synthetic)
{
    m->facts = (struct am_facts){.arena = arena};
    m->set.run.synthetic = synthetic;
    m->set.run.started = "2026-11-15T10:00:00Z";
    am_kvs_add(&m->set.machine, arena, "key", key);
    am_kvs_add(&m->set.machine, arena, "model_name", "AMD EPYC 7763 64-Core Processor");
    fx_fact(&m->facts, "core.peak", "type=f64 isa=avx2 threads=256", "flop/s", 5.75e12);
    fx_fact(&m->facts, "core.peak", "type=f32 isa=avx2 threads=256", "flop/s", 11.5e12);
    fx_fact(&m->facts, "memory.bandwidth", "level=memory kernel=read threads=256", "B/s", 343e9);
    fx_fact(&m->facts, "memory.bandwidth", "level=memory kernel=read threads=1", "B/s", 28e9);
    fx_fact(&m->facts, "memory.latency", "level=memory", "s", 95.6e-9);
    fx_fact(&m->facts, "opencl.peak", "device=h100 type=double", "flop/s", 32e12);
}

struct known_case {
    const char *what;
    const char *keys[2];
    bool synthetic[2];
    const char *with[2], *without; /* what is written of them */
};

static void look(const struct known_case *c)
{
    static const char *const names[] = {"xeon-16cpu-h200", "zen4-2cpu"};
    static const char note[] = "left out";
    const struct am_style style = {.utf8 = true, .width = COLUMNS};
    struct am_arena arena = {0};
    struct am_known items[2] = {{.shipped = true}, {.shipped = true}};
    const struct am_known_machines known = {.items = items, .n = 2};
    struct am_machine_model here = {.name = "here"};
    struct am_body body = {.arena = &arena};
    struct memory m;
    bool fits = true;

    put_machine(&here, &arena, "abc", false);
    for (size_t i = 0; i < 2; i++) {
        items[i].name = names[i];
        put_machine(&items[i].model, &arena, c->keys[i], c->synthetic[i]);
    }
    am_known_table(&body, &known, &here.set, &here.facts);
    am_write_text(&body, &style, memory_open(&m));
    for (const char *l = memory_text(&m); *l && strncmp(l, note, strlen(note)) != 0;
         l += strcspn(l, "\n"), l += *l == '\n')
        fits = fits && strcspn(l, "\n") <= COLUMNS && strncmp(l, "    ", 4) != 0;
    if (!ok(fits && (!c->with[0] || strstr(memory_text(&m), c->with[0])) &&
                (!c->with[1] || strstr(memory_text(&m), c->with[1])) &&
                (!c->without || !strstr(memory_text(&m), c->without)),
            "%s", c->what))
        printf("# %s\n", memory_text(&m));
    memory_close(&m);
    am_arena_fini(&arena);
}

int main(void)
{
    static const struct known_case cases[] = {
        {"others are rows",
         {"def", "012"},
         {false, false},
         {"\n  xeon-16cpu-h200", "\n  zen4-2cpu"},
         "same kind"},
        {"one that is the same is said to be that, and no row",
         {"def", "abc"},
         {false, false},
         {"\n  xeon-16cpu-h200", "the same kind of machine as zen4-2cpu"},
         "\n  zen4-2cpu"},
        {"a simulated one is another machine",
         {"def", "abc"},
         {false, true},
         {"\n  xeon-16cpu-h200", "\n  zen4-2cpu"},
         "same kind"},
        {"nothing is said where all are the same",
         {"abc", "abc"},
         {false, false},
         {NULL, NULL},
         "known"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        look(&cases[i]);
    return tap_done();
}
