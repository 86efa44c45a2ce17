/* SPDX-License-Identifier: MIT */
/* What the family of memory advises: where facts decide, where they do not, and where there are
 * none. */
#include "family/families.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static void put_machine(struct am_facts *facts)
{
    fx_fact(facts, "memory.latency", "level=l1d", "s", 1e-9);
    fx_fact(facts, "memory.latency", "level=l2", "s", 4e-9);
    fx_fact(facts, "memory.size", "level=l2", "B", 1048576);
    fx_fact(facts, "memory.size", "level=l3", "B", 33554432);
    fx_fact(facts, "memory.latency", "level=memory", "s", 100e-9);
    fx_fact(facts, "memory.parallelism", "", "", 20);
    fx_fact(facts, "memory.nt_gain", "level=memory kernel=copy threads=1", "", 1.4);
    fx_fact(facts, "memory.fill_threads", "kernel=triad", "", 4);
    fx_fact(facts, "memory.speedup", "level=memory kernel=triad threads=8", "", 3.1);
    fx_fact(facts, "memory.stanza_knee", "", "", 64);
    fx_fact(facts, "memory.tlb_pages", "level=l2", "", 2048);
    fx_fact(facts, "memory.prefetch_gain", "level=memory kernel=read threads=1", "", 1.3);
}

static struct am_fact *change(struct am_facts *facts, const char *name, const char *where,
                              struct am_interval ci)
{
    const struct am_fact *const f = am_facts_only(facts, name, where);
    struct am_fact *const own = &facts->items[f - facts->items];

    own->ci = ci;
    return own;
}

static void said(const struct am_facts *facts, const char *id, const char *words)
{
    const char *const text = fx_said(&am_family_memory, id, facts);

    ok(*words ? strstr(text, words) != NULL : !*text, "%s: %s (%s)", id, *words ? words : "nothing",
       text);
}

static void check_undecided(struct am_facts *facts)
{
    change(facts, "memory.nt_gain", NULL, (struct am_interval){1.4, 1.4, 0});
    said(facts, "memory.streaming", ""); /* one launch is no ground for advice */
    change(facts, "memory.nt_gain", NULL, (struct am_interval){0.9, 1.9, 0.95});
    said(facts, "memory.streaming", "Not decided");
    change(facts, "memory.nt_gain", NULL, (struct am_interval){0.5, 0.9, 0.95});
    said(facts, "memory.streaming", "Leave non-temporal stores alone");
    change(facts, "memory.fill_threads", NULL, (struct am_interval){2, 8, NAN});
    said(facts, "memory.threads", "Not decided");
    change(facts, "memory.fill_threads", NULL, (struct am_interval){1, 1, NAN})->value = 1;
    said(facts, "memory.threads", "One thread fills");
    change(facts, "memory.fill_threads", NULL, (struct am_interval){2, 8, NAN})->value = 8;
    said(facts, "memory.threads", "Use all threads");
    change(facts, "memory.stanza_knee", NULL, (struct am_interval){9, 64, NAN});
    said(facts, "memory.stanza", "Not decided");
    change(facts, "memory.parallelism", NULL, (struct am_interval){1.5, 20, NAN});
    said(facts, "memory.parallelism", "Not decided");
    change(facts, "memory.latency", "level=l2", (struct am_interval){3e-9, 99e-9, NAN});
    said(facts, "memory.levels", "");
}

/* Huge pages are advised where they were measured, either way. */
static void check_pages(struct am_facts *facts)
{
    said(facts, "memory.pages", "beyond 8 MiB");
    said(facts, "memory.pages", "was not measured");
    fx_fact(facts, "memory.huge_gain", "", "", 1.6);
    said(facts, "memory.pages", "Use huge pages for random access beyond 8 MiB");
    change(facts, "memory.huge_gain", NULL, (struct am_interval){0.97, 1.05, 0.95})->value = 1.01;
    said(facts, "memory.pages", "Small pages are good enough");
    change(facts, "memory.huge_gain", NULL, (struct am_interval){0.97, 1.5, 0.95});
    said(facts, "memory.pages", "Not decided: on small pages");
    change(facts, "memory.huge_gain", NULL, (struct am_interval){1.6, 1.6, 0});
    said(facts, "memory.pages", "Not decided");
}

static void check_prefetch(struct am_facts *facts)
{
    said(facts, "memory.prefetch", "gains 1.30 x (read)");
    change(facts, "memory.prefetch_gain", NULL, (struct am_interval){0.9, 1.02, 0.95})->value =
        0.97;
    said(facts, "memory.prefetch", "Leave prefetching");
    change(facts, "memory.prefetch_gain", NULL, (struct am_interval){0.9, 1.3, 0.95});
    said(facts, "memory.prefetch", "Not decided");
    change(facts, "memory.prefetch_gain", NULL, (struct am_interval){1.3, 1.3, 0});
    said(facts, "memory.prefetch", "");
}

static void check_guidelines(void)
{
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};

    for (const struct am_guideline_rule *r = am_family_memory.guidelines; r->id; r++)
        said(&facts, r->id, "");
    put_machine(&facts);
    said(&facts, "memory.levels", "below 1014 KiB"); /* the lower end of its interval */
    said(&facts, "memory.streaming", "gain 1.40 x (copy) beyond the last cache (32 MiB).");
    fx_fact(&facts, "memory.nt_gain", "level=l2 kernel=copy threads=1", "", 0.4);
    said(&facts, "memory.streaming", "(32 MiB), and lose inside it (0.40 x in l2).");
    facts.n--;
    said(&facts, "memory.threads", "Use 4 threads");
    said(&facts, "memory.stanza", "512 B (64 f64 elements)");
    said(&facts, "memory.parallelism", "keeps at least 20 loads");
    check_pages(&facts);
    check_prefetch(&facts);
    check_undecided(&facts);
    am_arena_fini(&arena);
}

int main(void)
{
    check_guidelines();
    return tap_done();
}
