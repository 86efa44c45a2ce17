/* SPDX-License-Identifier: MIT */
/* archmeter doctor: what would disturb a measurement here. */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/setup.h"
#include "document/findings.h"
#include "topo/doctor.h"
#include "write/write.h"

#include <stdio.h>

static enum am_status explain(const struct am_cli *cli, const char *id, struct am_err *err)
{
    const char *const *ids = am_doctor_ids();
    const char *text = am_doctor_explain(id), *near;
    size_t n = 0;

    if (text) {
        am_style_wrap(&cli->style, stdout, 0, "", text);
        return AM_OK;
    }
    while (ids[n])
        n++;
    near = am_nearest(id, ids, n);
    return am_fail(err, AM_E_USAGE, "unknown check \"%s\"%s%s%s", id,
                   near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "; \"archmeter doctor\" lists them");
}

/* The fixes write what restores the old state to the file named by AM_RESTORE. */
static void print_fix(const struct am_findings *findings)
{
    size_t n = 0;

    (void)printf("#!/bin/sh\n"
                 "# Remedies for what archmeter doctor found; read it, then run it as root.\n"
                 "# Old values are kept as commands in the file $AM_RESTORE (archmeter-restore.sh\n"
                 "# by default); \"sh archmeter-restore.sh\" puts them back.\n"
                 "set -u\n");
    for (size_t i = 0; i < findings->n; i++) {
        const char *fix = am_doctor_fix(&findings->items[i]);

        if (!fix)
            continue;
        (void)printf("\n# %s: %s\n%s", findings->items[i].id, findings->items[i].value, fix);
        n++;
    }
    if (n == 0)
        (void)printf("\n# nothing here can be remedied by a script\n");
}

static void write_findings(const struct am_cli *cli, const struct am_findings *findings,
                           bool synthetic)
{
    const struct am_findings_view view = {findings, synthetic};
    const struct am_document document = am_document_findings(&view);

    am_write(&document, &cli->style, cli->arena, stdout);
}

enum am_status am_cmd_doctor(struct am_cli *cli, struct am_err *err)
{
    struct am_setup setup = {0};
    struct am_findings findings = {0};
    enum am_status status;

    if (cli->opt->explain)
        return explain(cli, cli->opt->explain, err);
    if (cli->opt->json)
        cli->style.format = AM_FORMAT_JSON;
    status = am_setup_machine(cli, &setup, err);
    if (status == AM_OK) {
        am_doctor_run(&(struct am_doctor_request){.root = &setup.root,
                                                  .topo = setup.topo,
                                                  .noise_probe_s = cli->opt->noise_s},
                      cli->arena, &findings);
        if (cli->opt->print_fix)
            print_fix(&findings);
        else
            write_findings(cli, &findings, setup.root.synthetic);
    }
    for (size_t i = 0; cli->opt->strict && i < findings.n; i++) {
        if (findings.items[i].level == AM_LEVEL_ERROR)
            cli->exit_code = AM_EXIT_FINDINGS;
    }
    am_setup_close(&setup);
    return status;
}
