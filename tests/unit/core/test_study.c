/* SPDX-License-Identifier: MIT */
/* Study files: what they mean, and where bad ones are wrong, with the column. */
#include "core/spec/spec.h"
#include "core/spec/study.h"

#include "tap.h"

#include <math.h>
#include <string.h>

static const struct am_symbol symbols[] = {{"cpus", 4}, {"l1", 32768}, {NULL, 0}};

static enum am_status load(void *self, const char *name, const char *from, struct am_arena *arena,
                           struct am_spec_file *out, struct am_err *err)
{
    (void)self, (void)from, (void)arena, (void)err;
    *out = (struct am_spec_file){.name = name, .text = "test inner\naxis n 1\nrun\n"};
    out->len = strlen(out->text);
    return AM_OK;
}

static enum am_status parse_form(const char *text, bool quick, struct am_arena *arena,
                                 struct am_spec *spec, struct am_err *err)
{
    const struct am_spec_source source = {.file = "x.study",
                                          .quick = quick,
                                          .folder = "/here",
                                          .text = text,
                                          .len = strlen(text),
                                          .symbols = symbols,
                                          .load = load};

    return am_spec_parse(&source, arena, spec, err);
}

/* What a study must have, before and behind the line at hand. */
#define HEAD "study s\ntitle T\nsource S\n" /* lines 1 to 3 */
#define RUN "test null\nrun\n"
#define CLAIM "claim c\nsays X\nsection 1\n" /* lines 4 to 6 */

static const struct {
    const char *text;
    const char *place, *word;
} bad[] = {
    {"study a b\n", "x.study:1:7:", "the name of a study"},
    {"study\n", "x.study:1:1:", "no value"},
    {"study s\nsource S\n" RUN, "x.study:1:1:", "no \"title\""},
    {"study s\ntitle T\n" RUN, "x.study:1:1:", "no \"source\""},
    {HEAD "title T\n" RUN, "x.study:4:1:", "twice"},
    {HEAD "study t\n" RUN, "x.study:4:1:", "named once"},
    {HEAD "claims c\n" RUN, "x.study:4:1:", "did you mean \"claim\""},
    {HEAD "  tilte c\n" RUN, "x.study:4:3:", "did you mean \"title\""},
    {HEAD "budget 3\n" RUN, "x.study:4:8:", "3min"},
    {HEAD "quick\n" RUN, "x.study:4:1:", "before a line"},
    {HEAD "quick full run\n" RUN, "x.study:4:7:", "marked once"},
    {HEAD "paper pictures 1\n" RUN, "x.study:4:7:", "paper tables LIST"},
    {HEAD "paper figure 1\n" RUN, "x.study:4:7:", "did you mean \"figures\""},
    {HEAD "paper figures 1-a\n" RUN, "x.study:4:15:", "no range"},
    {HEAD "paper figures 3-1\n" RUN, "x.study:4:15:", "no range"},
    {HEAD "paper figures 1, 1\n" RUN, "x.study:4:", "twice"},
    {HEAD "paper figures 1,\n" RUN, "x.study:4:", "no number"},
    {HEAD "paper figures 1-9999\n" RUN, "x.study:4:", "more than"},
    {HEAD "paper figures 1,2\nmissing figure 1: why\n" RUN,
     "x.study:1:1:", "figure 2 of the paper is neither made nor missing"},
    {HEAD "paper figures 1\nmissing figure 1,3: why\n" RUN, "x.study:5:1:", "is not among"},
    {HEAD "missing figure 1: why\nmissing figure 1: why\n" RUN, "x.study:5:1:", "already"},
    {HEAD "missing figur 1: why\n" RUN, "x.study:4:9:", "did you mean \"figure\""},
    {HEAD "missing figure 1 why\n" RUN, "x.study:4:16:", "the reason is not there"},
    {HEAD "missing figure 1:\n" RUN, "x.study:4:17:", "the reason is not there"},
    {HEAD "table 1\n" RUN, "x.study:4:1:", "no \"caption\""},
    {HEAD "table 1\ncaption C\n" RUN, "x.study:4:1:", "no \"query\""},
    {HEAD "table 1\ncaption C\nx n\n" RUN, "x.study:6:1:", "for figures"},
    {HEAD "table 1\ncapton C\n" RUN, "x.study:5:1:", "did you mean \"caption\""},
    {HEAD "table 1\nnumber w 3 s\n" RUN, "x.study:5:8:", "WHAT | VALUE"},
    {HEAD "table 1\nnumber w | fast\n" RUN, "x.study:5:12:", "begins with digits"},
    {HEAD "table 1\nnumber w | 3 s | a=1\n" RUN, "x.study:5:18:", "begins with BENCH"},
    {HEAD "table 1\nnumber w | 3 s | null: a=1\n" RUN, "x.study:5:22:", "metric is missing"},
    {HEAD "figure 1\ncaption C\n" RUN, "x.study:4:1:", "\"like\" or \"bench\""},
    {HEAD "figure 1\ncaption C\nbench null\n" RUN, "x.study:4:1:", "no \"x\""},
    {HEAD "figure 1\nquery select 1\n" RUN, "x.study:5:1:", "for tables"},
    {HEAD "figure 1\nkind linse\n" RUN, "x.study:5:6:", "did you mean \"lines\""},
    {HEAD "figure 1\nsereis a\n" RUN, "x.study:5:1:", "did you mean \"series\""},
    {HEAD "figure 1\nxscale log\n" RUN, "x.study:5:8:", "no word for this field"},
    {HEAD "figure 1\nwhere n=@cpu\n" RUN, "x.study:5:9:", "no number of this machine"},
    {HEAD "figure 1\nwhere n=@max\n" RUN, "x.study:5:7:", "for claims and numbers"},
    {HEAD "figure 1\nlike a\nlike b\n" RUN, "x.study:6:1:", "twice"},
    {HEAD "figure 1\nlike a\naxis n 1\n" RUN, "x.study:6:1:", "a figure has no key"},
    {HEAD CLAIM RUN, "x.study:4:1:", "no \"that\""},
    {HEAD "claim c\nsays X\n" RUN, "x.study:4:1:", "no \"section\""},
    {HEAD "claim c d\n" RUN, "x.study:4:8:", "one word"},
    {HEAD CLAIM "that a is less than b\nclaim c\n" RUN, "x.study:8:1:", "already"},
    {HEAD CLAIM "margin 0%\n" RUN, "x.study:7:8:", "above 0"},
    {HEAD CLAIM "pairs evry\n" RUN, "x.study:7:7:", "did you mean \"every\""},
    {HEAD CLAIM "becuase X\n" RUN, "x.study:7:1:", "did you mean \"because\""},
    {HEAD CLAIM "because X | a is graeter than b\n" RUN, "x.study:7:18:", "\"greater\""},
    {HEAD CLAIM "because | a grows with n\n" RUN, "x.study:7:9:", "because TEXT"},
    {HEAD CLAIM "that a\n" RUN, "x.study:7:7:", "relation is missing"},
    {HEAD CLAIM "that a is graeter than b\n" RUN, "x.study:7:11:", "did you mean \"greater\""},
    {HEAD CLAIM "that a is at lest 2 times b\n" RUN, "x.study:7:11:", "at least F times"},
    {HEAD CLAIM "that a is at least 2 tims b\n" RUN, "x.study:7:22:", "\"times\" is expected"},
    {HEAD CLAIM "that a is at least x times b\n" RUN, "x.study:7:20:", "above 0"},
    {HEAD CLAIM "that a is at least -2 times b\n" RUN, "x.study:7:20:", "above 0"},
    {HEAD CLAIM "that a is within 5 of b\n" RUN, "x.study:7:18:", "within P%"},
    {HEAD CLAIM "that a is within a factor of 1 of b\n" RUN, "x.study:7:30:", "above 1"},
    {HEAD CLAIM "that a is greater than\n" RUN, "x.study:7:23:", "begins with BENCH"},
    {HEAD CLAIM "that a is greater than b c=1 d=\n" RUN, "x.study:7:32:", "no value"},
    {HEAD CLAIM "that a c==1 is less than b\n" RUN, "x.study:7:9:", "compares by"},
    {HEAD CLAIM "that a c=1,,2 is less than b\n" RUN, "x.study:7:12:", "a value is missing"},
    {HEAD CLAIM "that a =1 is less than b\n" RUN, "x.study:7:8:", "a condition is"},
    {HEAD CLAIM "that a n=@max,2 is less than b\n" RUN, "x.study:7:10:", "stand alone"},
    {HEAD CLAIM "that a n<@max is less than b\n" RUN, "x.study:7:8:", "follow \"=\""},
    {HEAD CLAIM "that a n=@cpsu is less than b\n" RUN, "x.study:7:10:", "cpus"},
    {HEAD CLAIM "that a grows with\n" RUN, "x.study:7:18:", "axis is expected"},
    {HEAD CLAIM "that a grows with n m\n" RUN, "x.study:7:21:", "ends before"},
    {HEAD CLAIM "that a is independent of n\n" RUN, "x.study:7:27:", "\"within\" is expected"},
    {HEAD CLAIM "that a is less than 5 s now\n" RUN, "x.study:7:25:", "ends before"},
    {HEAD CLAIM "that a is less than 5s\n" RUN, "x.study:7:21:", "word of its own"},
    {HEAD CLAIM "that a \\\n  is greaterr than b\n" RUN, "x.study:8:6:", "did you mean"},
    {HEAD "note x \\\\\n\n" RUN, "x.study:4:1:", "backslash"},
    {HEAD RUN "note x \\", "x.study:6:1:", "backslash"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct am_arena arena = {0};
        struct am_spec spec;
        struct am_err err = {0};

        ok(parse_form(bad[i].text, false, &arena, &spec, &err) == AM_E_USAGE &&
               strncmp(err.text, bad[i].place, strlen(bad[i].place)) == 0 &&
               strstr(err.text, bad[i].word),
           "bad study %zu is refused at %s (%s)", i + 1, bad[i].place, err.text);
        am_arena_fini(&arena);
    }
}

static const char whole[] =
    "# of a test\n"
    "study small\n"
    "title  A title\n"
    "source Somebody, 2001\n"
    "note one\n"
    "note two that goes \\\n"
    "     on\n"
    "paper figures 1-4, B.7-B.8\n"
    "paper tables I, II\n"
    "missing figure 2, B.7-B.8: not here\n"
    "missing table II: neither\n"
    "budget 20min\n"
    "quick budget 90s\n"
    "test omp.sched\n"
    "axis chunk 1,2,4\n"
    "quick axis chunk 1\n"
    "run\n"
    "full run\n"
    "table I\n"
    "caption The machines\n"
    "query select 1 \\\n"
    "  from stats\n"
    "number Their clock | 0.9 GHz | cpu.freq:rate threads=@cpus core=@max\n"
    "number Another | 2 ms\n"
    "remark R\n"
    "figure 1,3-4\n"
    "like omp-sched\n"
    "where chunk>0 size<=@l1/2\n"
    "panel none\n"
    "claim first\n"
    "says Something.\n"
    "section 4.1\n"
    "that omp.sched:overhead chunk=1 threads=@cpus schedule=guided is less than schedule=dynamic\n"
    "that best exec.x n>4 is at least 2.5 times other.bench:energy:package !isa m=@min\n"
    "that a is within 50% of b\n"
    "that a is within a factor of 3 of 5 us\n"
    "that a grows with n\n"
    "that a is proportional to n within 10%\n"
    "margin 5%\n"
    "pairs most\n"
    "because They were others. | omp.sched chunk=@cpus is less than 3 us\n"
    "include more\n";

static void check_head(const struct am_study *s)
{
    ok(strcmp(s->name, "small") == 0 && strcmp(s->title, "A title") == 0 &&
           strcmp(s->source, "Somebody, 2001") == 0 && s->notes.n == 2,
       "the head is read");
    ok(strcmp(s->notes.items[1], "two that goes on") == 0,
       "a line goes on behind its backslash (%s)", s->notes.items[1]);
    ok(s->in_paper[AM_STUDY_FIGURE].n == 6 &&
           strcmp(s->in_paper[AM_STUDY_FIGURE].items[5], "B.8") == 0 &&
           s->in_paper[AM_STUDY_TABLE].n == 2,
       "ranges of numbers are written out");
    ok(s->n_missing == 2 && s->missing[0].numbers.n == 3 &&
           strcmp(s->missing[0].why, "not here") == 0,
       "what is missing has its reason");
}

static void check_items(const struct am_study *s)
{
    const struct am_study_item *const t = &s->items[0], *const f = &s->items[1];

    ok(s->n_items == 2 && t->kind == AM_STUDY_TABLE && t->n_queries == 1 && t->n_beside == 2 &&
           t->remarks.n == 1,
       "a table has its lines");
    ok(t->beside[0].si > 0.89e9 && t->beside[0].si < 0.91e9 &&
           strcmp(t->beside[0].from.bench, "cpu.freq") == 0 &&
           strcmp(t->beside[0].from.metric, "rate") == 0 &&
           strcmp(t->beside[0].from.where, "threads=4") == 0 &&
           strcmp(t->beside[0].from.most, "core") == 0 && !t->beside[1].beside,
       "a number of the paper has its selector, with the numbers of this machine (%s, %g)",
       t->beside[0].from.where, t->beside[0].si);
    ok(f->numbers.n == 3 && strcmp(f->field[AM_STUDY_LIKE], "omp-sched") == 0 &&
           strcmp(f->field[AM_STUDY_WHERE], "chunk>0 size<=16384") == 0 &&
           strcmp(f->field[AM_STUDY_PANEL], "none") == 0 && !f->field[AM_STUDY_X],
       "a figure has its fields (%s)", f->field[AM_STUDY_WHERE]);
}

static void check_claim(const struct am_study_claim *c)
{
    const struct am_study_that *const t = c->thats;

    ok(c->n_thats == 6 && c->share == AM_STUDY_MOST && c->margin > 0.049 && c->margin < 0.051 &&
           strcmp(c->because, "They were others.") == 0 && c->reason && c->reason->n_thats == 1 &&
           c->reason->thats[0].constant,
       "a claim has its lines");
    ok(t[0].relation == AM_STUDY_LESS && strcmp(t[0].right.bench, "omp.sched") == 0 &&
           strcmp(t[0].right.metric, "overhead") == 0 &&
           strcmp(t[0].right.where, "schedule=dynamic chunk=1 threads=4") == 0 &&
           strcmp(t[0].differ, "schedule,schedule") == 0,
       "the right side has what it does not say from the left (%s; %s)", t[0].right.where,
       t[0].differ);
    ok(t[1].relation == AM_STUDY_AT_LEAST && t[1].left.best && !t[1].right.best &&
           t[1].factor > 2.4 && t[1].factor < 2.6 &&
           strcmp(t[1].right.metric, "energy:package") == 0 &&
           strcmp(t[1].right.where, "!isa") == 0 && strcmp(t[1].right.least, "m") == 0 &&
           strcmp(t[1].differ, "n,isa,m") == 0,
       "another bench on the right takes nothing over (%s; %s)", t[1].right.where, t[1].differ);
    ok(t[2].relation == AM_STUDY_WITHIN && t[2].margin > 0.49 && t[2].margin < 0.51 &&
           t[3].constant && t[3].value > 4.9e-6 && t[3].value < 5.1e-6 && t[3].margin > 1.9 &&
           t[3].margin < 2.1 && strcmp(t[3].unit, "s") == 0,
       "bounds are percents or factors, and the right side may be a number");
    ok(t[4].relation == AM_STUDY_GROWS && strcmp(t[4].axis, "n") == 0 && isnan(t[4].margin) &&
           t[5].relation == AM_STUDY_PROPORTIONAL && t[5].margin > 0.09 && t[5].margin < 0.11,
       "relations along an axis");
}

static void test_whole(void)
{
    struct am_arena arena = {0};
    struct am_spec spec = {0}, again = {0}, quick = {0};
    struct am_err err = {0};

    ok(parse_form(whole, false, &arena, &spec, &err) == AM_OK && spec.study,
       "a study of everything parses (%s)", err.text);
    if (!spec.study)
        return;
    check_head(spec.study);
    check_items(spec.study);
    check_claim(&spec.study->claims[0]);
    ok(spec.n_tests == 2 && spec.n_runs == 3 && spec.study->budget_s > 1199,
       "the full form has all runs, and those of included files behind a block");
    ok(parse_form(whole, true, &arena, &quick, &err) == AM_OK && quick.n_runs == 2 &&
           quick.runs[0].vars.items[0].values.n == 1 && quick.study->budget_s < 91,
       "the quick form has its own lines (%s)", err.text);
    ok(parse_form(spec.flat, true, &arena, &again, &err) == AM_OK &&
           strcmp(again.flat, spec.flat) == 0 && again.study &&
           again.study->n_claims == spec.study->n_claims && again.n_runs == spec.n_runs,
       "its flat form says the same, whatever the form (%s)", err.text);
    am_arena_fini(&arena);
}

/* Words of studies stay variables where no study is. */
static void test_experiments(void)
{
    struct am_arena arena = {0};
    struct am_spec spec = {0};
    struct am_err err = {0};

    ok(parse_form("test a\nexec b\narg {title} {claim} {quick}\ntitle x\nclaim y\naxis quick 1,2\n"
                  "run\n",
                  false, &arena, &spec, &err) == AM_OK &&
           !spec.study && spec.runs[0].vars.n == 3,
       "an experiment that is no study has such variables (%s)", err.text);
    ok(parse_form("test a\nexec b\nstudy x\nrun\n", false, &arena, &spec, &err) == AM_OK &&
           !spec.study,
       "\"study\" is a key as the first line only (%s)", err.text);
    ok(parse_form("test a\nexec b\narg c\\\nrun\n", false, &arena, &spec, &err) == AM_OK &&
           spec.n_runs == 1,
       "a backslash at a line's end means nothing there (%s)", err.text);
    ok(parse_form("test a\naxis work 1,2\nrun\n", false, &arena, &spec, &err) == AM_OK &&
           strcmp(spec.runs[0].vars.items[0].name, "work") == 0 &&
           parse_form(spec.flat, false, &arena, &spec, &err) == AM_OK,
       "an axis of a bench of ours may be called like a key (%s)", err.text);
    am_arena_fini(&arena);
}

int main(void)
{
    test_bad();
    test_whole();
    test_experiments();
    return tap_done();
}
