/* The cost of a step of a scene file. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

/* With a tolerance the number of passes differs from frame to frame, so passes are counted. */
typedef struct running {
    sn_scene *scene;
    bool varies;
    double passes;
    uint32_t frames;
} running;

static bool count_passes(running *r)
{
    sn_report report;
    if (sn_world_report(sn_scene_world(r->scene), &report) != SN_OK)
        return false;
    r->passes += (double)report.passes;
    ++r->frames;
    return true;
}

static bool step(void *context)
{
    running *r = context;
    return sn_scene_step(r->scene) == SN_OK && (!r->varies || count_passes(r));
}

static uint32_t count_solved(const sn_world *world)
{
    uint32_t count = 0;
    for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind)
        if (!sn_kind_info(world, kind)->force)
            count += sn_world_constraint_count(world, kind);
    return count;
}

/* ---- Quality ----------------------------------------------------------------------------------------------------- */

/* Over all rods, since a file does not tell which of them are structural. */
static void measure_stretch(const sn_world *world, sn_bench_row *row)
{
    sn_constraint_walk walk = {0};
    double sum = 0, most = 0;
    uint32_t count = 0;
    while (sn_constraint_next(world, &walk)) {
        sn_constraint_def def;
        sn_point points[SN_MAX_POINTS];
        sn_real value[SN_MAX_ROWS];
        if (walk.constraint.kind != SN_KIND_DISTANCE ||
            sn_constraint_read(world, walk.constraint, &def, points, SN_MAX_POINTS) != SN_OK ||
            sn_constraint_value(world, walk.constraint, value) != SN_OK || !(def.param[0] > 0) || isnan(value[0]))
            continue;
        double stretch = fabs((double)value[0]) / (double)def.param[0];
        sum += stretch;
        most = stretch > most ? stretch : most;
        ++count;
    }
    if (count > 0) {
        row->stretch_mean = sum / count;
        row->stretch_max = most;
    }
}

static bool measure_residual(sn_world *world, sn_bench_row *row)
{
    sn_report report;
    sn_kind_report most = {0};
    if (sn_world_report(world, &report) != SN_OK)
        return false;
    for (uint32_t i = 0; i < report.kind_count; ++i)
        if (report.kinds[i].count > most.count && !sn_kind_info(world, report.kinds[i].kind)->force)
            most = report.kinds[i];
    if (most.count > 0) {
        snprintf(row->residual_kind, sizeof row->residual_kind, "%s", most.name);
        row->residual_mean = most.mean;
        row->residual_worst = most.largest;
    }
    return true;
}

/* ---- The row ----------------------------------------------------------------------------------------------------- */

static bool run_frames(running *r, uint32_t frames, sn_bench_row *row, sn_bench_samples *samples)
{
    for (uint32_t i = sn_scene_describe(r->scene).warm_up; i > 0; --i)
        if (sn_scene_step(r->scene) != SN_OK)
            return false;
    sn_bench_clock *clock = row->threads == 1 ? sn_cpu_seconds : sn_seconds_now;
    return sn_bench_run_blocks(samples, frames, step, r, clock) && (r->varies || count_passes(r));
}

bool sn_bench_measure_scene(sn_scene *scene, uint32_t threads, uint32_t frames, sn_bench_row *row)
{
    sn_world *world = sn_scene_world(scene);
    sn_settings settings = sn_world_settings(world);
    sn_bench_samples samples = {.wall_clock = sn_seconds_now};
    running r = {.scene = scene, .varies = settings.tolerance > 0};
    if (!sn_bench_set_threads(world, threads)) {
        snprintf(row->status, sizeof row->status, "%u threads cannot be had", (unsigned)threads);
        return false;
    }
    if (!run_frames(&r, frames, row, &samples) || !measure_residual(world, row)) {
        snprintf(row->status, sizeof row->status, "frame %u failed: %.120s", (unsigned)sn_scene_frame(scene) + 1,
                 sn_world_error(world));
        return false;
    }
    snprintf(row->version, sizeof row->version, "%s", sn_version());
    measure_stretch(world, row);
    row->particles = sn_world_particle_count(world);
    row->constraints = sn_world_constraint_count(world, SN_KIND_NONE);
    row->distances = row->constraints == sn_world_constraint_count(world, SN_KIND_DISTANCE);
    row->substeps = settings.substeps;
    row->iterations = settings.iterations;
    row->frames = frames > SN_BENCH_LEAST ? frames : SN_BENCH_LEAST + 1;
    row->blocks = samples.count;
    row->projections = r.passes / r.frames * count_solved(world);
    row->ms = 1e3 * sn_bench_median(&samples);
    row->wall_ms = 1e3 * sn_bench_wall_median(&samples);
    row->ns = row->projections > 0 ? 1e6 * row->ms / row->projections : NAN;
    row->spread = sn_bench_spread(&samples);
    row->first_ms = 1e3 * samples.first;
    return true;
}
