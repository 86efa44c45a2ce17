/* SPDX-License-Identifier: MIT */
/* Energy beside time: the meters of a run, and the metrics they add to every bench. The meters are
 * read here, in the conductor; a sample's energy is that of the window between its two times. */
#ifndef AM_CONDUCTOR_ENERGY_H
#define AM_CONDUCTOR_ENERGY_H

#include "base/kv.h"
#include "conductor/catalogue.h"
#include "core/bench/plan.h"
#include "meter/meter.h"
#include "meter/window.h"
#include "store/store.h"

struct am_energy_rig;

/* The power of a machine that is not here, in place of meters. */
struct am_energy_source {
    /* While the point does `work` once in so many seconds; at rest where there is no point. */
    double (*watts)(const void *self, const struct am_point *point, const struct am_work *work,
                    double seconds);
    const void *self;
};

struct am_energy_options {
    struct am_meter_request meters;
    const struct am_energy_source *source; /* of a simulated machine; NULL: the meters */
    int cpu;                               /* where the sampler belongs; -1: anywhere */
    double process_nm, process_exponent;   /* for process-normalised products; 0: none */
};

/* Opens and probes the meters and begins to read them. AM_E_ABSENT with every reason when none
 * can be used. */
enum am_status am_energy_rig_open(const struct am_energy_options *options, struct am_arena *arena,
                                  struct am_energy_rig **rig_p, struct am_err *err);
void am_energy_rig_close(struct am_energy_rig *rig); /* accepts NULL */

const struct am_meters *am_energy_rig_meters(const struct am_energy_rig *rig);

/* Reads every meter, so that little is interpolated at the beginning of a window; returns the time
 * after it. */
uint64_t am_energy_rig_begin(struct am_energy_rig *rig);

/* The energy of a window that has ended, indexed as the meters. What lies before its end is
 * forgotten: windows are asked for in the order of time. */
void am_energy_rig_window(struct am_energy_rig *rig, uint64_t t0_ns, uint64_t t1_ns,
                          struct am_energy *out);

/* The metric of a kind ("energy", "edp") of the scope that counts where one has to: the first, and
 * wholes come first. NULL without memory. */
const char *am_energy_rig_metric(const struct am_energy_rig *rig, const char *kind,
                                 struct am_arena *arena);

/* Adds the rig's metrics to every descriptor of the catalogue. Call once, before planning. */
enum am_status am_energy_rig_extend(const struct am_energy_rig *rig, struct am_catalogue *catalogue,
                                    struct am_arena *arena, struct am_err *err);

/* Makes batches last as long as the slowest meter needs, and limits that follow from it. Where the
 * user said how long a batch is, what the meters can resolve is enough; else half a second, or
 * five with a GPU, keeps what surrounds the batch small. Where the settings have a budget, a launch
 * takes no more samples of such batches than one point's launches have time for; at least one. */
void am_energy_rig_stretch(const struct am_energy_rig *rig, bool batch_given,
                           struct am_plan_settings *settings);

/* Scopes that have no metrics in some bench of the plan, for want of room, joined by ", "; NULL
 * when there are none. */
const char *am_energy_rig_left_out(const struct am_energy_rig *rig, const struct am_plan *plan,
                                   struct am_arena *arena);

/* Writes the rig's metrics into the launch's samples, and into its notes what could not be told. */
void am_energy_rig_attribute(struct am_energy_rig *rig, const struct am_point *const *points,
                             struct am_arena *arena, struct am_launch *launch);

/* Power while nothing is measured, over `seconds` or as long as the meters need. The first call's
 * is the base of net energy. Adds "energy.idle.SCOPE.WHEN" in watts to the facts. */
void am_energy_rig_idle(struct am_energy_rig *rig, double seconds, const char *when,
                        struct am_arena *arena, struct am_kvs *facts);

/* How long that rest is, where `seconds` would be enough for a person. */
double am_energy_rig_rest_s(const struct am_energy_rig *rig, double seconds);

/* What the meters are and cover: "energy.meter.PROVIDER:ID" and so on. */
void am_energy_rig_describe(const struct am_energy_rig *rig, struct am_arena *arena,
                            struct am_kvs *facts);

#endif
