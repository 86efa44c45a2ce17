/* SPDX-License-Identifier: MIT */
/* From a plan to a results file, and from the file to what a person sees. */
#include "evidence/evidence.h"
#include "cli/run/measure.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/loaded.h"
#include "cli/trust/consent.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/omp/cost.h"
#include "cli/own/own.h"
#include "cli/words/help.h"
#include "cli/run/progress.h"
#include "cli/run/refine.h"
#include "cli/run/run_folder.h"
#include "cli/run/timing.h"
#include "cli/study/study.h"
#include "cli/words/remember.h"
#include "cli/run/page.h"
#include "document/results.h"
#include "document/screen.h"
#include "document/units.h"
#include "family/omp/cost.h"
#include "family/timed.h"
#include "model/facts.h"
#include "topo/doctor.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double idle_s = 1; /* for the power of the idle machine, before and after the run */
static const double noise_probe_s =
    0.2; /* shorter than that of the command doctor: a run should begin soon */

void am_time_utc(char *buf, size_t cap)
{
    const time_t now = time(NULL);
    struct tm tm;

    if (!gmtime_r(&now, &tm) || strftime(buf, cap, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        buf[0] = '\0';
}

const char *am_measure_default_path(char *buf, size_t cap)
{
    const time_t now = time(NULL);
    struct tm tm;

    if (!localtime_r(&now, &tm) || strftime(buf, cap, "archmeter-%Y%m%d-%H%M%S.db", &tm) == 0)
        (void)am_str_copy(buf, cap, "archmeter.db");
    return buf;
}

static const char *worker_of(const void *self, const struct am_bench *bench)
{
    const struct am_worker *worker = am_catalogue_worker(self, bench);

    return worker ? worker->name : "unknown";
}

static bool measures(const struct am_worker *w, const struct am_plan *plan)
{
    for (size_t i = 0; plan && i < plan->n; i++) {
        if (plan->points[i].bench >= w->benches && plan->points[i].bench < w->benches + w->n)
            return true;
    }
    return !plan;
}

void am_measure_workers(const struct am_cli *cli, const struct am_catalogue *catalogue,
                        const struct am_plan *plan, struct am_kvs *build)
{
    for (size_t i = 0; i < catalogue->n; i++) {
        const struct am_worker *const w = &catalogue->workers[i];
        const char *key = am_arena_printf(cli->arena, "worker.%s", w->name);
        char digest[AM_DIGEST_TEXT], compilers[AM_COMPILERS_TEXT], flags[AM_FLAGS_TEXT];

        if (!key || !w->program || !w->n || !measures(w, plan))
            continue;
        if (am_digest_file(w->program, digest))
            am_kvs_add(build, cli->arena, key, digest);
        key = am_arena_printf(cli->arena, "compiler.%s", w->name);
        if (key && am_loaded_compilers(w->program, compilers))
            am_kvs_add(build, cli->arena, key, am_arena_strdup(cli->arena, compilers));
        key = am_arena_printf(cli->arena, "flags.%s", w->name);
        if (key && am_loaded_flags(w->program, flags))
            am_kvs_add(build, cli->arena, key, am_arena_strdup(cli->arena, flags));
    }
    if (catalogue->base)
        am_measure_workers(cli, catalogue->base, plan, build);
}

static void tell_findings(const struct am_findings *findings)
{
    size_t warnings = 0;

    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *f = &findings->items[i];

        warnings += f->level == AM_LEVEL_WARN;
        if (f->level == AM_LEVEL_ERROR)
            am_log(AM_LOG_WARN, "doctor: %s: %s%s%s", f->id, f->value, f->effect ? ": " : "",
                   f->effect ? f->effect : "");
    }
    if (warnings)
        am_log(AM_LOG_DEBUG, "doctor has %zu warnings; they are stored with the run", warnings);
}

/* What a run is stored with; memory belongs to the arena. */
struct facts {
    struct am_kvs machine, environment, settings, build;
    struct am_findings findings;
    char started[AM_UNITS_MAX];
};

/* More rails than a bench has room for. */
static void tell_left_out(const struct am_cli *cli, const struct am_setup *setup,
                          struct am_kvs *settings)
{
    const char *const names = am_energy_rig_left_out(setup->energy, &setup->plan, cli->arena);

    if (!names)
        return;
    am_kvs_add(settings, cli->arena, "energy.left_out", names);
    am_log(AM_LOG_WARN,
           "more meters than a bench has room for: %s left out; --meter GLOB chooses others",
           names);
}

struct library_list {
    struct am_arena *arena;
    struct am_kvs *out;
    bool all;
};

/* The conductor itself and, where it has meters, what it loaded: their drivers are among that.
 * Workers tell theirs. */
static bool add_library(void *self, const struct am_loaded *loaded)
{
    const struct library_list *const list = self;
    char name[AM_LIBRARY_NAME_MAX];
    const char *key;

    am_library_name(loaded->path, name);
    key = am_arena_printf(list->arena, "library.archmeter.%s", name);
    if (key)
        am_kvs_addf(list->out, list->arena, key, "%s, build id %s", loaded->path, loaded->build_id);
    return list->all;
}

static void collect_facts(const struct am_cli *cli, const struct am_setup *setup, const char *path,
                          struct facts *facts)
{
    const struct am_doctor_request request = {.root = &setup->root,
                                              .topo = setup->topo,
                                              .store_path = path,
                                              .noise_probe_s = noise_probe_s};

    *facts = (struct facts){0};
    am_time_utc(facts->started, sizeof(facts->started));
    am_machine_describe(setup->topo, &setup->root, cli->arena, &facts->machine);
    am_environment_capture(setup->topo, &setup->root, cli->arena, &facts->environment);
    am_kvs_add(&facts->environment, cli->arena, "sqlite", am_store_sqlite_version());
    am_loaded_each(add_library,
                   &(struct library_list){cli->arena, &facts->environment, setup->energy != NULL});
    am_options_keep(cli->opt, cli->arena, &facts->settings);
    if (setup->energy) {
        tell_left_out(cli, setup, &facts->settings);
        am_energy_rig_describe(setup->energy, cli->arena, &facts->settings);
        am_energy_rig_idle(setup->energy, idle_s, "before", cli->arena, &facts->environment);
    }
    for (size_t i = 0; i < setup->settings.n; i++)
        am_kvs_add(&facts->settings, cli->arena, setup->settings.items[i].key,
                   setup->settings.items[i].value);
    am_build_describe(cli->arena, &facts->build);
    am_measure_workers(cli, &setup->catalogue, &setup->plan, &facts->build);
    am_own_build(&cli->own, cli->arena, &facts->build);
    am_doctor_run(&request, cli->arena, &facts->findings);
    tell_findings(&facts->findings);
}

/* What this user began, this user may go on with: resume asks nothing. */
static void trust_own(const struct am_cli *cli, const char *path, const struct am_kvs *settings)
{
    struct am_consent consent = {.file = path};
    struct am_err ignored = {0};

    if (am_consent_settings(&consent, settings, cli->arena, &ignored) == AM_OK)
        am_consent_give(cli, &consent);
}

enum am_status am_measure_check_path(const char *path, struct am_err *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return AM_OK;
    if (S_ISDIR(st.st_mode))
        return am_fail(err, AM_E_USAGE, "%s: is a folder; name a file in it, e.g. -o %s/run.db",
                       path, path);
    return am_fail(err, AM_E_USAGE,
                   "%s: exists already; \"archmeter resume %s\" goes on with it, and to replace "
                   "it remove it first",
                   path, path);
}

enum am_status am_measure_create(const struct am_cli *cli, struct am_setup *setup, const char *path,
                                 struct am_store **store_p, struct am_err *err)
{
    struct facts facts;
    const struct am_run_facts run = {
        .info = {.command = cli->command,
                 .version = am_cli_version(),
                 .started = facts.started,
                 .state = AM_RUN_RUNNING,
                 .label = cli->opt->tag,
                 .synthetic = setup->root.synthetic,
                 .settings = setup->plan.settings},
        .machine = &facts.machine,
        .environment = &facts.environment,
        .settings = &facts.settings,
        .build = &facts.build,
        .findings = &facts.findings,
        .worker_of = worker_of,
        .self = &setup->catalogue,
    };
    struct am_store *store = NULL;
    enum am_status status;

    status = am_measure_check_path(path, err);
    if (status != AM_OK)
        return status;
    collect_facts(cli, setup, path, &facts);
    status = am_store_create(path, &store, err);
    if (status == AM_OK)
        status = am_store_begin_run(store, &run, &setup->plan, err);
    if (status == AM_OK)
        trust_own(cli, path, &facts.settings);
    if (status == AM_OK)
        *store_p = store;
    else
        am_store_close(store); /* removes the file again: no run was begun */
    return status;
}

enum am_status am_measure_idle(const struct am_cli *cli, struct am_setup *setup,
                               struct am_store *store, const char *when, struct am_err *err)
{
    struct am_kvs facts = {0};

    if (!setup->energy)
        return AM_OK;
    am_energy_rig_idle(setup->energy, idle_s, when, cli->arena, &facts);
    return am_store_put_environment(store, &facts, err);
}

/* Whether the second rest fits into the budget; samples come first. */
static bool has_time_to_rest(const struct am_setup *setup, const struct am_outcome *outcome)
{
    const double budget = setup->plan.settings.budget_s;

    return !setup->energy || budget <= 0 ||
           outcome->elapsed_s + am_energy_rig_rest_s(setup->energy, idle_s) <= budget;
}

enum am_status am_measure_run(const struct am_cli *cli, struct am_setup *setup,
                              struct am_store *store, const struct am_resume *resume,
                              struct am_outcome *outcome, struct am_err *err)
{
    struct am_progress_view view;
    const struct am_conductor conductor = {
        .catalogue = &setup->catalogue,
        .topo = setup->topo,
        .store = store,
        .plan = &setup->plan,
        .energy = setup->energy,
        .counting = setup->counting,
        .root = &setup->root,
        .foreign = cli->opt->joint_axes != NULL,
        .ends_at_failure = setup->ends_at_failure,
        .interrupted = cli->interrupted,
        .progress = am_progress_show,
        .progress_self = &view,
        /* setting up and waiting are part of the user's minute, not of a simulated machine's */
        .origin_ns = setup->catalogue.simulated ? am_now_ns() : setup->begun_ns,
    };
    struct am_temp_folder folder = am_run_folder_take(&setup->folder, cli->arena);
    struct am_conductor quiet = conductor;
    enum am_status status, ended;

    quiet.progress = NULL; /* the view counts the points of the plan */
    am_progress_begin(&view, cli->opt, cli->style.utf8);
    status = am_conductor_run(&conductor, resume, outcome, err);
    am_progress_end(&view);
    if (status == AM_OK)
        status = am_refine_pairs(cli, &quiet, outcome, err);
    am_run_folder_remove(&folder);
    /* A machine that drew more after the run than before makes net energies doubtful: both stay. */
    if (status == AM_OK && !outcome->interrupted && !outcome->ended_at_failure &&
        has_time_to_rest(setup, outcome))
        status = am_measure_idle(cli, setup, store, "after", err);
    ended =
        am_store_end_run(store,
                         status != AM_OK                                     ? AM_RUN_FAILED
                         : outcome->interrupted || outcome->ended_at_failure ? AM_RUN_INTERRUPTED
                                                                             : AM_RUN_DONE,
                         err);
    return status != AM_OK ? status : ended;
}

static enum am_exit exit_code_of(const struct am_outcome *o)
{
    if (o->interrupted)
        return AM_EXIT_INTERRUPTED;
    if (o->asked == 0 && !o->ended_at_failure)
        return AM_EXIT_UNMEASURED;
    return o->failed || o->ended_at_failure ? AM_EXIT_FINDINGS : AM_EXIT_DONE;
}

static void tell_outcome(const struct am_outcome *o)
{
    char took[AM_UNITS_MAX];

    am_units_duration(o->elapsed_s, took, sizeof(took));
    if (o->failed)
        am_log(AM_LOG_WARN, "%zu point%s failed; the reasons are stored", o->failed,
               o->failed == 1 ? "" : "s");
    if (o->repeated)
        am_log(AM_LOG_INFO, "%zu visit%s repeated, being disturbed", o->repeated,
               o->repeated == 1 ? " was" : "s were");
    if (o->budget_spent && o->cut)
        am_log(AM_LOG_WARN, "the time budget ended the run before %zu point%s had all launches",
               o->cut, o->cut == 1 ? "" : "s");
    if (o->budget_spent && o->open)
        am_log(AM_LOG_INFO,
               "left out, for want of time: %zu point%s of least worth (archmeter plan "
               "lists them; --budget gives more time)",
               o->open, o->open == 1 ? "" : "s");
    if (o->asked == 0 && !o->interrupted && !o->ended_at_failure)
        am_log(AM_LOG_ERROR, "nothing could be measured");
    if (o->interrupted && o->cut)
        am_log(AM_LOG_WARN, "%zu point%s not yet all launches", o->cut,
               o->cut == 1 ? " has" : "s have");
    am_log(AM_LOG_INFO, "\n%zu measured, %zu skipped, %zu failed, %zu open; %zu launch%s in %s",
           o->ok, o->skipped, o->failed, o->open, o->launches, o->launches == 1 ? "" : "es", took);
}

static void tell_next(const struct am_outcome *o, const char *path)
{
    am_log(AM_LOG_INFO, "results: %s", path);
    if (o->interrupted)
        am_log(AM_LOG_INFO, "interrupted; finish it with: archmeter resume %s", path);
    else
        am_log(AM_LOG_INFO,
               "next:    archmeter explain %s (what limits it), model, report, compare", path);
}

void am_measure_tell(struct am_cli *cli, const char *path, const struct am_outcome *outcome)
{
    tell_outcome(outcome);
    tell_next(outcome, path);
    cli->exit_code = exit_code_of(outcome);
}

/* Commands, and programs whose directives were counted, have a screen of their own. */
static enum am_status report_screen(struct am_cli *cli, const struct am_result_set *set,
                                    const char *path, const struct am_outcome *outcome,
                                    struct am_err *err)
{
    const enum am_status status = am_omp_cost_is(set) ? am_omp_cost_show(cli, set, path, err)
                                                      : am_timing_show(cli, set, path, err);

    (void)fflush(stdout);
    if (outcome->ended_at_failure)
        am_log(AM_LOG_ERROR, "stopped at the first failure; --ignore-failure goes on, and counts "
                             "such executions");
    cli->exit_code = exit_code_of(outcome);
    return status;
}

static enum am_status report_study(struct am_cli *cli, const struct am_result_set *set,
                                   const char *path, const struct am_outcome *outcome,
                                   struct am_err *err)
{
    const enum am_status s = am_study_tell(cli, set, path, NULL, err);

    (void)fflush(stdout); /* before the hints; main looks for errors */
    am_measure_tell(cli, path, outcome);
    cli->exit_code = exit_code_of(outcome);
    return s;
}

/* What a person sees at the end is the first screen, which says itself what to do next. Where the
 * run does not fill one (a few named benches), for programs, and where more was asked for, it is
 * tables. A run of everything that was ended early shows on the screen what there is. */
enum am_status am_measure_report(struct am_cli *cli, struct am_store *store, const char *path,
                                 const struct am_outcome *outcome, struct am_err *err)
{
    struct am_result_set set = {0};
    struct am_facts facts = {0};
    const struct am_screen_view view = {.set = &set,
                                        .facts = &facts,
                                        .path = path,
                                        .report = cli->opt->report ? am_page_path(cli->arena, path)
                                                                   : NULL};
    const struct am_document screen = am_document_screen(&view),
                             results = cli->style.format == AM_FORMAT_TABLE && !cli->opt->verbose
                                           ? am_document_results_short(&set)
                                           : am_document_results(&set);
    const enum am_status status =
        am_evidence_load(store, &(struct am_filter){0}, cli->arena, &set, err);
    bool brief = cli->style.format == AM_FORMAT_TABLE && !cli->opt->verbose;

    if (status != AM_OK)
        return status;
    if (am_timed_is(&set) || am_omp_cost_is(&set))
        return report_screen(cli, &set, path, outcome, err);
    if (am_study_is(&set))
        return report_study(cli, &set, path, outcome, err);
    if (brief)
        am_facts_derive(&set, cli->arena, &facts);
    brief =
        brief && (am_screen_families(&facts) >= AM_SCREEN_FAMILIES ||
                  (cli->opt->operands.n == 0 && (outcome->interrupted || outcome->budget_spent)));
    if (brief)
        tell_outcome(outcome);
    am_write(brief ? &screen : &results, &cli->style, cli->arena, stdout);
    (void)fflush(stdout); /* before the hints; main looks for errors */
    if (!brief)
        am_measure_tell(cli, path, outcome);
    cli->exit_code = exit_code_of(outcome);
    return AM_OK;
}
