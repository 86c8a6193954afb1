/* The report. All sums are in double, in the order of storage. */
#include "bodies/rotation.h"
#include "solvers/row.h"
#include "solvers/tiled.h"
#include "world/world.h"

/* The residual of a row, in the unit of C; adds its elastic energy. lambda / h^2 is the force of spring and damper
   together, so C + compliance * (force + damping * dC/dt) is 0 for a satisfied row. */
static double row_residual(const sn_give *give, bool inequality, double c, double rate, double force, double *elastic)
{
    double compliance = (double)give->compliance;
    if (compliance > 0 && !(inequality && c > 0))
        *elastic += c * c / (2 * compliance);
    if (!row_acts(inequality, (sn_real)c, give->compliance, (sn_real)force))
        return 0;
    return fabs(c + compliance * (force + (double)give->damping * rate));
}

/* The same for a row that its kind described. A row with a limited force has a residual only for its limits. */
static double own_row_residual(const sn_give *give, const sn_row *row, bool inequality, double c, double rate,
                               double force, double *elastic)
{
    double own = (double)row->compliance, compliance = (double)give->compliance + own, excess = sn_row_excess(row, c);
    double drag = (double)give->compliance * (double)give->damping + own * (double)row->damping;
    sn_give both = {(sn_real)compliance, compliance > 0 ? (sn_real)(drag / compliance) : 0, 1};
    bool equal = row->type == SN_ROW_BY_KIND, least = row->type == SN_ROW_AT_LEAST;
    if (excess > 0 || !(equal || least) || (row->most > 0 && fabs(force) >= 0.999 * (double)row->most))
        return excess;
    double missed = row_residual(&both, least || (equal && inequality), c, rate, force, elastic);
    return row->most > 0 ? 0 : missed;
}

/* The size of a constraint whose C is a length, m: see sn_kind_report. off: its error, m. If its points are within
   twice this distance they should coincide, and the size is 0. */
static double size_of(const sn_world *world, const sn_pool *pool, uint32_t index, const sn_frame *frame, double off)
{
    const sn_kind *kind = pool->kind;
    const sn_param *first = kind->param;
    double size = 0;
    if (kind->points == 2 && first && first->name && first->type == SN_PARAM_REAL && strcmp(first->unit, "m") == 0)
        size = (double)pool->param[(size_t)index * pool->param_count];
    if (size > 0 || !kind->points || kind->points > SN_MAX_POINTS)
        return size;
    sn_vec3 x[SN_MAX_POINTS];
    sn_quat q[SN_MAX_POINTS];
    sn_evaluate_input(&world->constraints, pool, index, frame, x, kind->oriented ? q : NULL);
    for (uint32_t i = 0; i < kind->points; ++i)
        for (uint32_t k = 0; k < i; ++k)
            size = fmax(size, (double)vec3_length(vec3_sub(x[i], x[k])));
    return size > 2 * off ? size : 0;
}

static void report_constraint(const sn_world *world, uint32_t kind, uint32_t index, sn_kind_report *out,
                              double *elastic)
{
    const sn_pool *pool = world->constraints.pool[kind];
    sn_frame frame = sn_world_frame(world);
    sn_block block;
    sn_block_room room;
    if (!evaluate(&world->constraints, pool, index, &frame, &block, &room)) {
        out->undefined++;
        return;
    }
    sn_turns_refresh(world, pool, index);
    double h = (double)world->state.h, worst = 0, energy = 0;
    bool finite = true; /* positions may be so far apart that C overflows */
    for (uint32_t row = 0; row < pool->kind->rows; ++row) {
        double lambda = (double)pool->lambda[(size_t)index * pool->kind->rows + row];
        double rate = (double)row_motion(&block, block.count, row, world->particles.v);
        double c = (double)block.c[row], force = h > 0 ? lambda / (h * h) : 0;
        bool inequality = pool->kind->inequality >> row & 1;
        double missed = block.row
                            ? own_row_residual(&pool->give[index], &block.row[row], inequality, c, rate, force, &energy)
                            : row_residual(&pool->give[index], inequality, c, rate, force, &energy);
        if (missed > worst)
            worst = missed;
        finite = finite && isfinite(missed) && isfinite(energy);
    }
    if (!finite) {
        out->undefined++;
        return;
    }
    *elastic += energy;
    out->mean += worst;
    const bool is_length = !pool->kind->unit || strcmp(pool->kind->unit, "m") == 0;
    const double size = worst > 0 && is_length ? size_of(world, pool, index, &frame, worst) : 0;
    const double relative = !is_length ? worst : size > 0 ? worst / size : 0;
    if (relative > out->relative) {
        out->relative = relative;
        out->worst_relative = (sn_constraint){kind, index, pool->ids.generation[index]};
    }
    if (worst > out->largest) {
        out->largest = worst;
        out->worst = (sn_constraint){kind, index, pool->ids.generation[index]};
    }
}

/* A force element has no residual, but it stores energy. */
static void report_element(const sn_world *world, const sn_pool *pool, uint32_t index, sn_kind_report *out,
                           double *elastic)
{
    sn_frame frame = sn_world_frame(world);
    sn_real energy;
    sn_turns_refresh(world, pool, index);
    sn_evaluate_force(&world->constraints, pool, index, &frame, world->particles.v, &energy);
    if (isfinite(energy))
        *elastic += (double)energy;
    else
        out->undefined++;
}

static void report_kinds(sn_world *world, sn_report *report)
{
    sn_kind_report *out = world->kind_report_table.column[0];
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        if (!pool->ids.live)
            continue;
        sn_kind_report *r = &out[report->kind_count++];
        *r = (sn_kind_report){.kind = kind, .name = pool->kind->name, .count = pool->ids.live};
        for (uint32_t index = 0; index < pool->ids.table.count; ++index) {
            if (!sn_ids_is_live(&pool->ids, index))
                continue;
            if (pool->kind->force)
                report_element(world, pool, index, r, &report->elastic);
            else
                report_constraint(world, kind, index, r, &report->elastic);
        }
        r->mean /= r->count > r->undefined ? r->count - r->undefined : 1;
    }
    report->kinds = report->kind_count ? out : NULL;
}

/* Adds the energy and angular momentum of a body's rotation. */
static void report_turn(const sn_world *world, const sn_body_state *body, sn_report *report)
{
    double inverse[3];
    if (body->particle == SN_ID_FREE || world->particles.x[world->ids.value[body->particle]].w == 0)
        return;
    double m = (double)world->particles.v[world->ids.value[body->particle]].w;
    sn_body_inverse_moments(body, inverse);
    report->kinetic += m * sn_rotate_energy(body->q, body->l, inverse);
    for (int i = 0; i < 3; ++i)
        report->angular_momentum[i] += m * body->l[i];
}

static void report_particles(const sn_world *world, sn_report *report)
{
    const sn_particle_store *p = &world->particles;
    const double *origin = world->state.origin;
    sn_vec3 g = world->state.settings.gravity;
    for (uint32_t slot = 0; slot < p->table.count; ++slot) {
        if (p->x[slot].w == 0)
            continue;
        double m = (double)p->v[slot].w;
        double x[3] = {(double)p->x[slot].x + origin[0], (double)p->x[slot].y + origin[1],
                       (double)p->x[slot].z + origin[2]};
        double v[3] = {(double)p->v[slot].x, (double)p->v[slot].y, (double)p->v[slot].z};
        report->mass += m;
        report->kinetic += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
        report->potential -= m * ((double)g.x * x[0] + (double)g.y * x[1] + (double)g.z * x[2]);
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            report->centre[i] += m * x[i];
            report->momentum[i] += m * v[i];
            report->angular_momentum[i] += m * (x[j] * v[k] - x[k] * v[j]);
        }
    }
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row)
        report_turn(world, &world->bodies.state[row], report);
    for (int i = 0; i < 3 && report->mass > 0; ++i)
        report->centre[i] /= report->mass;
}

sn_result sn_world_report(sn_world *world, sn_report *report)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!report)
        return world_fail(world, SN_ERROR_ARGUMENT, "report is NULL");
    if (!sn_table_reserve(&world->kind_report_table, &world->allocator, world->constraints.kind_count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the report");
    *report = (sn_report){.time = world->state.time,
                          .steps = world->state.steps,
                          .passes = world->state.passes,
                          .particles = world->particles.table.count,
                          .constraints = world->constraints.counts.live,
                          .profile = world->profiler.last};
    world->busy = true; /* kinds may be the caller's functions */
    report_kinds(world, report);
    world->busy = false;
    report_particles(world, report);
    if (world->state.settings.solver == SN_SOLVER_TILED)
        sn_tiled_tell_meshes(&world->scratch, report->meshes, sizeof report->meshes);
    sn_tiled_count_trees(&world->scratch, &world->plan, &report->direct_trees, &report->direct_constraints);
    return SN_OK;
}

sn_fault sn_world_fault(const sn_world *world)
{
    return world ? world->fault : (sn_fault){0};
}
