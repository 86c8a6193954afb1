/* A standard scene as a world of Sinew, and the time that it takes to run. */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/info.h"

#include <sinew/sinew.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sn_bench_world_release(sn_bench_world *b)
{
    sn_world_destroy(b->world);
    sn_bench_model_release(&b->model);
    free(b->body);
    b->world = NULL;
    b->body = NULL;
}

bool sn_bench_set_threads(sn_world *world, uint32_t threads)
{
    return sn_world_set_threads(world, threads) == SN_OK && sn_world_threads(world) == threads;
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

static bool add_particles(sn_bench_world *b)
{
    const sn_bench_model *m = &b->model;
    if (m->bodies > 0)
        return true;
    sn_real *number = malloc(3 * (size_t)m->particles * sizeof *number);
    if (!number)
        return false;
    for (size_t i = 0; i < 3 * (size_t)m->particles; ++i)
        number[i] = (sn_real)m->xyz[i];
    b->particles = sn_particles_add(b->world, m->particles, number, 0, 1);
    for (uint32_t i = 0; i < m->particles; ++i)
        number[i] = isinf(m->mass[i]) ? 0 : (sn_real)(1 / m->mass[i]);
    bool good = b->particles.count > 0 && sn_particles_write_inverse_masses(b->world, b->particles, number, 0) == SN_OK;
    free(number);
    return good;
}

/* Adds planes without a lid; friction and other settings are the defaults. */
static bool add_box(sn_bench_world *b)
{
    sn_real half = (sn_real)(b->model.box / 2);
    const sn_vec3 plane[5][2] = {{{0, 0, 0}, {0, 1, 0}},
                                 {{-half, 0, 0}, {1, 0, 0}},
                                 {{half, 0, 0}, {-1, 0, 0}},
                                 {{0, 0, -half}, {0, 0, 1}},
                                 {{0, 0, half}, {0, 0, -1}}};
    for (int i = 0; i < (b->model.box > 0 ? 5 : 1); ++i)
        if (sn_static_add_plane(b->world, plane[i][0], plane[i][1]).generation == 0)
            return false;
    return true;
}

static bool add_contact(sn_bench_world *b)
{
    const sn_bench_model *m = &b->model;
    if (!(m->radius > 0))
        return m->bodies == 0 || add_box(b);
    for (uint32_t i = 0; i < m->particles; ++i)
        if (sn_particle_set_radius(b->world, sn_particles_at(b->particles, i), (sn_real)m->radius) != SN_OK)
            return false;
    return add_box(b);
}

static bool add_bodies(sn_bench_world *b)
{
    const sn_bench_model *m = &b->model;
    if (m->bodies == 0)
        return true;
    b->body = malloc((size_t)m->bodies * sizeof *b->body);
    return b->body && sn_bench_add_bodies(b->world, m, b->body) && sn_bench_add_joints(b->world, m, b->body);
}

static bool add_rods(sn_bench_world *b)
{
    const sn_bench_model *m = &b->model;
    if (m->edges == 0)
        return true;
    uint32_t *index = malloc(2 * (size_t)m->edges * sizeof *index);
    sn_real *rest = malloc((size_t)m->edges * sizeof *rest);
    bool good = index && rest;
    for (uint32_t i = 0; i < m->edges && good; ++i) {
        index[2 * (size_t)i] = b->particles.first + m->edge[i].a;
        index[2 * (size_t)i + 1] = b->particles.first + m->edge[i].b;
        rest[i] = (sn_real)m->edge[i].rest;
    }
    if (good) {
        b->rods = sn_constraints_add_kind(b->world, SN_KIND_DISTANCE, m->edges, index, rest, NULL);
        good = b->rods.count > 0;
    }
    free(index);
    free(rest);
    return good;
}

/* The first particle of a new world has number 0, so the numbers of the model are those of the world. */
static bool add_volumes(sn_bench_world *b)
{
    const sn_bench_model *m = &b->model;
    return m->tets == 0 || sn_constraints_add_kind(b->world, SN_KIND_VOLUME, m->tets, m->tet, NULL, NULL).count > 0;
}

bool sn_bench_world_build(const sn_bench_job *job, sn_meter *meter, sn_bench_world *b, char *status)
{
    sn_world_def def = sn_default_world_def();
    memset(b, 0, sizeof *b);
    def.allocator = sn_meter_allocator(meter ? meter : &b->meter);
    def.settings.gravity = (sn_vec3){0, (sn_real)-SN_BENCH_GRAVITY, 0};
    def.settings.substeps = job->substeps;
    def.settings.iterations = 1;
    def.settings.stiffening =
        SN_STIFFENING_OFF; /* measures the cost of a pass; docs/convergence.md has that of stiff meshes */
    if (job->path == SN_BENCH_SEQUENTIAL)
        def.settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    if (job->path == SN_BENCH_DIRECT)
        def.settings.solver = SN_SOLVER_DIRECT;
    if (!sn_bench_model_build(job->what, job->path, &b->model) || sn_world_create(&def, &b->world) != SN_OK) {
        snprintf(status, SN_BENCH_TEXT, "out of memory");
        return false;
    }
    if (!sn_bench_set_threads(b->world, job->threads)) {
        snprintf(status, SN_BENCH_TEXT, "%u threads cannot be had", (unsigned)job->threads);
        return false;
    }
    if (!add_particles(b) || !add_contact(b) || !add_bodies(b) || !add_rods(b) || !add_volumes(b)) {
        const char *error = sn_world_error(b->world);
        snprintf(status, SN_BENCH_TEXT, "%s", error[0] ? error : "out of memory");
        return false;
    }
    return true;
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

bool sn_bench_world_step(void *context)
{
    return sn_world_step(((sn_bench_world *)context)->world, (sn_real)SN_BENCH_DT) == SN_OK;
}

void sn_bench_settled_release(sn_bench_settled *settled)
{
    sn_snapshot_destroy(settled->snapshot);
    free(settled->place);
    settled->snapshot = NULL;
    settled->place = NULL;
}

static bool read_places(const sn_bench_world *b, double *place)
{
    size_t count = 3 * (size_t)b->model.particles;
    if (b->model.bodies > 0) {
        sn_bench_read_bodies(b->world, b->model.bodies, b->body, place);
        return true;
    }
    sn_real *read = malloc(count * sizeof *read);
    bool good = read && sn_particles_read_positions(b->world, b->particles, read, 0) == SN_OK;
    for (size_t i = 0; i < count && good; ++i)
        place[i] = (double)read[i];
    free(read);
    return good;
}

static bool keep_settled(const sn_bench_world *b, sn_bench_settled *settled)
{
    settled->numbers = (b->model.bodies > 0 ? 7 : 3) * (size_t)b->model.particles;
    settled->place = malloc(settled->numbers * sizeof *settled->place);
    settled->snapshot = sn_world_save(b->world);
    bool good = settled->place && settled->snapshot && read_places(b, settled->place);
    if (!good)
        sn_bench_settled_release(settled);
    return good;
}

/* Runs on all cores, however many threads are measured later: results do not depend on threads. */
bool sn_bench_settle(const sn_bench_job *job, char *status)
{
    sn_bench_world b;
    sn_bench_job one = *job;
    sn_bench_settled *settled = job->settled;
    if (job->settle == 0 || (settled->snapshot && settled->path == job->path))
        return true;
    sn_bench_settled_release(settled);
    settled->path = job->path;
    one.threads = 1;
    bool good = sn_bench_world_build(&one, &settled->meter, &b, status);
    if (good)
        sn_world_set_threads(b.world, 0); /* on failure it only takes longer */
    for (uint32_t i = 0; i < job->settle && good; ++i)
        if (!sn_bench_world_step(&b)) {
            snprintf(status, SN_BENCH_TEXT, "a step failed: %.120s", sn_world_error(b.world));
            good = false;
        }
    if (good && !keep_settled(&b, settled)) {
        snprintf(status, SN_BENCH_TEXT, "out of memory");
        good = false;
    }
    sn_bench_world_release(&b);
    return good;
}

/* Puts a new world into the state from which it is measured. */
static bool start(const sn_bench_job *job, sn_bench_world *b, char *status)
{
    if (job->settle == 0)
        return true;
    if (!sn_bench_settle(job, status))
        return false;
    if (sn_world_load(b->world, job->settled->snapshot) == SN_OK)
        return true;
    snprintf(status, SN_BENCH_TEXT, "it could not be loaded: %.120s", sn_world_error(b->world));
    return false;
}

static void measure_motion(const sn_bench_world *b, const sn_real *velocity, sn_bench_row *row)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < b->model.particles; ++i) {
        const sn_real *v = &velocity[3 * (size_t)i];
        double square = (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2];
        sum += b->model.mass[i] * square / 2;
        most = square > most ? square : most;
    }
    row->kinetic = sum / b->model.particles;
    row->fastest = sqrt(most);
}

bool sn_bench_world_quality(const sn_bench_world *b, sn_bench_row *row)
{
    if (b->model.bodies > 0)
        return sn_bench_measure_bodies(b->world, &b->model, b->body, row);
    size_t count = 3 * (size_t)b->model.particles;
    sn_real *read = malloc(count * sizeof *read);
    double *xyz = malloc(count * sizeof *xyz);
    bool good = read && xyz && sn_particles_read_positions(b->world, b->particles, read, 0) == SN_OK;
    for (size_t i = 0; i < count && good; ++i)
        xyz[i] = (double)read[i];
    if (good && b->model.radius > 0) {
        sn_bench_overlap overlap;
        good = sn_bench_model_overlap(&b->model, xyz, &overlap) &&
               sn_particles_read_velocities(b->world, b->particles, read, 0) == SN_OK;
        if (good)
            measure_motion(b, read, row);
        row->stretch_mean = overlap.mean;
        row->stretch_max = overlap.largest;
        row->contacts = overlap.contacts;
    } else if (good) {
        sn_bench_model_stretch(&b->model, xyz, &row->stretch_mean, &row->stretch_max);
    }
    free(read);
    free(xyz);
    return good;
}

/* Removes rods, spread over the scene, and adds them again. The price includes what the next step needs to update:
   its time less that of an ordinary step. */
static bool measure_edits(sn_bench_world *b, sn_bench_clock *clock, sn_bench_row *row)
{
    const sn_bench_model *m = &b->model;
    uint32_t count = m->edges < SN_BENCH_EDITS ? m->edges : SN_BENCH_EDITS;
    double edits[2], after[2];
    for (int turn = 0; turn < 2; ++turn) {
        double start = clock();
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t e = (uint32_t)((uint64_t)i * m->edges / count);
            sn_point a = sn_at(sn_particles_at(b->particles, m->edge[e].a));
            sn_point c = sn_at(sn_particles_at(b->particles, m->edge[e].b));
            if (turn == 0 ? sn_constraint_remove(b->world, sn_constraints_at(b->rods, e)) != SN_OK
                          : sn_constraint_add_distance(b->world, a, c, (sn_real)m->edge[e].rest).generation == 0)
                return false;
        }
        if (!sn_bench_world_step(b))
            return false;
        edits[turn] = clock() - start;
        sn_bench_samples samples = {0};
        if (!sn_bench_run_blocks(&samples, SN_BENCH_LEAST + 1, sn_bench_world_step, b, clock))
            return false;
        after[turn] = sn_bench_median(&samples);
    }
    double cost = edits[0] - after[0] + edits[1] - after[1];
    row->edit_ns = 1e9 * (cost > 0 ? cost : 0) / (2 * count);
    return true;
}

/* One run from the start; the first one also fills in figures that do not change from run to run. */
static bool run_once(const sn_bench_job *job, sn_bench_clock *clock, sn_bench_samples *samples, sn_bench_row *row)
{
    sn_bench_world b;
    bool first = samples->count == 0;
    double begin = sn_seconds_now();
    bool good = sn_bench_world_build(job, NULL, &b, row->status);
    if (good && first) {
        row->build_ms = 1e3 * (sn_seconds_now() - begin);
        row->particles = sn_world_particle_count(b.world);
        row->constraints = sn_world_constraint_count(b.world, SN_KIND_NONE);
        row->bodies = b.model.bodies;
        row->distances = row->constraints > 0 && row->constraints == b.rods.count;
    }
    good = good && start(job, &b, row->status);
    if (good && !sn_bench_run_blocks(samples, job->frames, sn_bench_world_step, &b, clock)) {
        snprintf(row->status, sizeof row->status, "a step failed: %.120s", sn_world_error(b.world));
        good = false;
    }
    if (good && first) {
        row->bytes = (double)b.meter.now;
        good = sn_bench_world_quality(&b, row) && (!job->edits || b.rods.count == 0 || measure_edits(&b, clock, row));
        if (!good)
            snprintf(row->status, sizeof row->status, "out of memory");
    }
    sn_bench_world_release(&b);
    return good;
}

bool sn_bench_measure(const sn_bench_job *job, sn_bench_row *row)
{
    sn_bench_clock *clock = job->threads == 1 ? sn_cpu_seconds : sn_seconds_now;
    sn_bench_samples samples = {.wall_clock = sn_seconds_now};
    row->substeps = job->substeps;
    row->iterations = 1;
    row->frames = job->frames > SN_BENCH_LEAST ? job->frames : SN_BENCH_LEAST + 1;
    snprintf(row->version, sizeof row->version, "%s", sn_version());
    do {
        if (!run_once(job, clock, &samples, row))
            return false;
    } while (sn_bench_wants_more(&samples, job->seconds));
    row->blocks = samples.count;
    bool pile = sn_bench_case_is_pile(job->what) || sn_bench_case_is_bodies(job->what);
    row->settled = job->settle;
    row->projections = (double)job->substeps * (pile ? row->particles : row->constraints);
    row->ms = 1e3 * sn_bench_median(&samples);
    row->wall_ms = 1e3 * sn_bench_wall_median(&samples);
    row->ns = 1e6 * row->ms / row->projections;
    row->spread = sn_bench_spread(&samples);
    row->first_ms = 1e3 * samples.first;
    return true;
}
