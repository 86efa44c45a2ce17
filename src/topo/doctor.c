/* SPDX-License-Identifier: MIT */
/* doctor: runs the table of checks and gives findings. Reads only. */
#include "topo/doctor.h"

#include "base/text.h"
#include "topo/doctor_check.h"

#include <stdarg.h>
#include <stdio.h>

enum { VALUE_CAP = 1024 };

#define CHECK_ID(word, id) id,
static const char *const ids[] = {AM_CHECK_MAP(CHECK_ID) NULL};
#undef CHECK_ID

static const char *const level_names[AM_LEVEL_COUNT] = {
    [AM_LEVEL_OK] = "ok",
    [AM_LEVEL_WARN] = "warn",
    [AM_LEVEL_ERROR] = "error",
    [AM_LEVEL_UNKNOWN] = "unknown",
};

const char *am_level_name(enum am_level level)
{
    return (unsigned)level < AM_LEVEL_COUNT ? level_names[level] : "unknown";
}

const char *const *am_doctor_ids(void)
{
    return ids;
}

static const struct am_check *find(const char *id)
{
    const int i = am_name_index(ids, AM_CHECK_COUNT, id);

    return i < 0 ? NULL : &am_checks[i];
}

const char *am_doctor_explain(const char *id)
{
    const struct am_check *check = find(id);

    return check ? check->explain : NULL;
}

const char *am_doctor_fix(const struct am_finding *finding)
{
    const struct am_check *check = find(finding->id);
    const bool wanted = finding->level == AM_LEVEL_WARN || finding->level == AM_LEVEL_ERROR;

    return check && wanted ? check->fix : NULL;
}

enum am_level am_exam_say(struct am_exam *exam, enum am_level level, const char *fmt, ...)
{
    char value[VALUE_CAP];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(value, sizeof(value), fmt, ap);
    va_end(ap);
    exam->value = am_arena_strdup(exam->arena, value);
    return level;
}

enum am_level am_exam_absent(struct am_exam *exam)
{
    return am_exam_say(exam, AM_LEVEL_UNKNOWN, "not visible here");
}

enum am_level am_exam_warn_if(bool trouble)
{
    return trouble ? AM_LEVEL_WARN : AM_LEVEL_OK;
}

static void examine(const struct am_exam *blank, size_t i, struct am_finding *out)
{
    const struct am_check *check = &am_checks[i];
    struct am_exam exam = *blank;
    enum am_level level;
    bool trouble;

    if (check->live && exam.root->synthetic)
        level = am_exam_say(&exam, AM_LEVEL_UNKNOWN, "not probed on a synthetic root");
    else
        level = check->run(&exam);
    trouble = level == AM_LEVEL_WARN || level == AM_LEVEL_ERROR;
    *out = (struct am_finding){
        .id = ids[i],
        .area = check->area,
        .level = level,
        .value = exam.value ? exam.value : "unknown",
        .effect = trouble ? check->effect : NULL,
        .remedy = exam.remedy ? exam.remedy : (trouble ? check->remedy : NULL),
    };
}

void am_doctor_run(const struct am_doctor_request *request, struct am_arena *arena,
                   struct am_findings *out)
{
    const struct am_exam blank = {
        .root = request->root,
        .shape = request->topo ? am_topo_shape(request->topo) : NULL,
        .request = request,
        .arena = arena,
    };

    *out = (struct am_findings){
        .items = am_arena_array(arena, AM_CHECK_COUNT, sizeof(*out->items)),
    };
    if (!out->items)
        return;
    for (size_t i = 0; i < AM_CHECK_COUNT; i++)
        examine(&blank, i, &out->items[out->n++]);
}
