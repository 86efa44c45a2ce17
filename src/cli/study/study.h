/* SPDX-License-Identifier: MIT */
/* Studies on the command line: found by name, checked against the benches that are here, shown.
 *
 * A study is measured as an experiment is (cli/run/experiment.h): the same plan, the same store,
 * the same consent and resume. What is added here is where study files lie, what their names must
 * mean, and the way from a results file to the document of its study. */
#ifndef AM_CLI_STUDY_STUDY_H
#define AM_CLI_STUDY_STUDY_H

#include "cli/cli.h"
#include "cli/run/setup.h"
#include "core/spec/study.h"

/* The file of a study: a path, or the name of one that is shipped. AM_E_USAGE with the nearest. */
enum am_status am_study_find(const struct am_cli *cli, const char *word, const char **path,
                             struct am_err *err);
/* The studies that are shipped, on standard output. */
enum am_status am_study_list(const struct am_cli *cli, struct am_err *err);

/* Seconds that measuring a study may take; 0: no limit. */
double am_study_budget(const struct am_study *study, bool quick);

/* The launches of the short form, where the user and the study say nothing of them. */
void am_study_launches(struct am_plan_settings *settings);
/* Gives the points of a plan their ranks, and in the short form their launches. False: memory was
 * refused. */
bool am_study_rank(const struct am_study *study, struct am_plan *plan, struct am_arena *arena);

/* Refuses names of benches, axes, metrics and figures that are none, with place and nearest. */
enum am_status am_study_check(const struct am_study *study, const struct am_catalogue *catalogue,
                              struct am_err *err);
/* Whether a bench is not here because its worker is not, as far as names tell: no bench of its
 * family is. */
bool am_study_is_absent(const struct am_catalogue *catalogue, const char *bench);

/* Whether a run is one of a study. */
bool am_study_is(const struct am_result_set *set);
/* What a loaded run shows of its study, on standard output; `page`: as a page in that file. */
enum am_status am_study_tell(const struct am_cli *cli, const struct am_result_set *set,
                             const char *path, const char *page, struct am_err *err);
/* The same of a results file, or of a run by name; -o: as a page. */
enum am_status am_study_show(const struct am_cli *cli, const char *word, struct am_err *err);

#endif
