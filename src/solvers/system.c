#include "solvers/system.h"

#define NOBODY UINT32_MAX

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

void sn_system_init(sn_system *system)
{
    *system = (sn_system){.edits = UINT64_MAX};
    sn_table_column(&system->block_table, sizeof *system->block, false);
    sn_table_column(&system->entry_table, sizeof *system->particle, false);
    sn_table_column(&system->gradient_table, sizeof *system->gradient, false);
    for (int i = 0; i < 9; ++i)
        sn_table_column(&system->row_table, sizeof(double), false);
    sn_table_column(&system->row_table, sizeof *system->means, false);
    sn_table_column(&system->particle_table, sizeof *system->slot, false);
    sn_table_column(&system->particle_table, sizeof *system->valence, false);
    sn_table_column(&system->particle_table, sizeof *system->w, false);
    sn_table_column(&system->particle_table, sizeof *system->strain, false);
    sn_table_column(&system->particle_table, sizeof *system->sum, false);
    sn_table_column(&system->slot_table, sizeof *system->number, false);
    sn_table_column(&system->slot_table, sizeof *system->ahead, false);
    sn_table_column(&system->slot_table, sizeof *system->behind, false);
}

void sn_system_release(sn_system *system, const sn_allocator *allocator)
{
    sn_table_release(&system->block_table, allocator);
    sn_table_release(&system->entry_table, allocator);
    sn_table_release(&system->gradient_table, allocator);
    sn_table_release(&system->row_table, allocator);
    sn_table_release(&system->particle_table, allocator);
    sn_table_release(&system->slot_table, allocator);
}

static void bind(sn_system *system)
{
    double **by_row[] = {&system->value, &system->rate,  &system->curve, &system->pull,  &system->mobility,
                         &system->give,  &system->scale, &system->b,     &system->lambda};
    for (uint32_t i = 0; i < 9; ++i)
        *by_row[i] = system->row_table.column[i];
    system->means = system->row_table.column[9];
    system->block = system->block_table.column[0];
    system->particle = system->entry_table.column[0];
    system->gradient = system->gradient_table.column[0];
    system->slot = system->particle_table.column[0];
    system->valence = system->particle_table.column[1];
    system->w = system->particle_table.column[2];
    system->strain = system->particle_table.column[3];
    system->sum = system->particle_table.column[4];
    system->number = system->slot_table.column[0];
    system->ahead = system->slot_table.column[1];
    system->behind = system->slot_table.column[2];
}

static bool takes_part(const sn_pool *pool)
{
    return !pool->kind->force && !pool->kind->project;
}

/* The number of particles and orientations of a constraint. A particle that occurs in several barycentric points is
   counted each time. */
static uint32_t entries_of(const sn_store *store, const sn_pool *pool, uint32_t row)
{
    uint32_t small[SN_MAX_BLOCK], body[SN_MAX_POINTS], count;
    sn_store_particles(store, pool, row, small, &count);
    return count + sn_evaluate_bodies(store, pool, row, body);
}

bool sn_system_reserve(sn_system *system, const sn_allocator *allocator, const sn_store *store, uint32_t node_count)
{
    uint64_t blocks = 0, entries = 0, gradients = 0, rows = 0;
    bool enough = system->edits == store->edits && node_count <= system->slot_table.capacity;
    for (uint32_t r = 0, i = 0; !enough && sn_store_next(store, &r, &i); ++i) {
        const sn_pool *pool = store->pool[store->run[r].kind];
        if (!takes_part(pool))
            continue;
        uint32_t count = entries_of(store, pool, store->run[r].first + i);
        ++blocks;
        rows += pool->kind->rows;
        entries += count;
        gradients += (uint64_t)count * pool->kind->rows;
    }
    if (enough)
        return true;
    bool good = sn_table_reserve(&system->block_table, allocator, blocks) &&
                sn_table_reserve(&system->entry_table, allocator, entries) &&
                sn_table_reserve(&system->gradient_table, allocator, gradients) &&
                sn_table_reserve(&system->row_table, allocator, rows) &&
                sn_table_reserve(&system->particle_table, allocator, entries < node_count ? entries : node_count) &&
                sn_table_reserve(&system->slot_table, allocator, node_count);
    system->edits = good ? store->edits : UINT64_MAX;
    bind(system);
    return good;
}

/* ---- Making the equations --------------------------------------------------------------------------------------- */

/* The number of a slot's particle among those that take part. */
static uint32_t number_of(sn_system *system, uint32_t slot, sn_real w)
{
    if (system->number[slot] == NOBODY) {
        uint32_t number = system->particle_table.count++;
        system->number[slot] = number;
        system->slot[number] = slot;
        system->valence[number] = 0;
        system->w[number] = (double)w;
    }
    return system->number[slot];
}

/* The orientation in a slot; NULL if the slot has a particle. */
static const sn_turn *turn_in(const sn_frame *frame, uint32_t slot)
{
    return frame->turn && slot >= frame->turn_slot ? &frame->turn[slot - frame->turn_slot] : NULL;
}

/* The acceleration of a body's orientation without any torque. v is k times the angular velocity o along the principal
   axes, which rotate with the body: k^2 o' = -o x (k^2 o), with k the radii of gyration (Euler). */
static sn_dvec3 gyroscopic(const sn_turn *turn, sn_dvec3 v)
{
    sn_dvec3 give = dvec3_from(turn->give), spin = dvec3(give.x * v.x, give.y * v.y, give.z * v.z);
    sn_dvec3 momentum =
        dvec3(give.x > 0 ? v.x / give.x : 0, give.y > 0 ? v.y / give.y : 0, give.z > 0 ? v.z / give.z : 0);
    sn_dvec3 rate = dvec3_cross(momentum, spin);
    return dvec3(give.x * rate.x, give.y * rate.y, give.z * rate.z);
}

/* The acceleration of a particle or an orientation without constraints; w is its inverse mass. */
static sn_dvec3 acceleration(const sn_system_in *in, uint32_t slot, double w)
{
    const sn_turn *turn = turn_in(&in->frame, slot);
    sn_dvec3 force = dvec3_from(in->f[slot]);
    if (w == 0)
        return dvec3(0, 0, 0);
    if (!turn)
        return dvec3_add(dvec3_from(in->gravity), dvec3_scale(force, w));
    force = dvec3_scale(dvec3_add(force, dvec3_from(turn->pull)), w);
    return dvec3_add(force, gyroscopic(turn, dvec3_from(vec4_xyz(in->v[slot]))));
}

/* A velocity that all particles of a constraint may have in common without any effect on it, if its kind is internal:
   that of the first particle. Subtracting it beforehand avoids its rounding. If a point is fixed in the world, a common
   velocity has an effect, and 0 is returned. */
static sn_dvec3 common_velocity(const sn_system_in *in, const sn_pool *pool, uint32_t row, const sn_block *block)
{
    if (!pool->kind->internal)
        return dvec3(0, 0, 0);
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        uint32_t code = pool->point[(size_t)row * pool->kind->points + i];
        if (code & SN_ANCHOR_BIT && in->store->anchor[code & ~SN_ANCHOR_BIT].type == SN_POINT_PLACE)
            return dvec3(0, 0, 0);
    }
    return dvec3_from(vec4_xyz(in->v[block->slot[0]]));
}

/* J v of one row. The common velocity is subtracted: see common_velocity. */
static double rate_of(const sn_system_in *in, const sn_block *block, uint32_t r, sn_dvec3 common)
{
    double sum = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        sn_dvec3 v = dvec3_from(vec4_xyz(in->v[block->slot[i]]));
        if (!turn_in(&in->frame, block->slot[i]))
            v = dvec3_sub(v, common);
        sum += dvec3_dot(dvec3_from(block->gradient[r * block->count + i]), v);
    }
    return sum;
}

/* (dJ/dt) v = [J(x + v h/2) - J(x - v h/2)] v / h. The shift is added to the remainders of rounded positions, which an
   internal kind sees relative to one of its own particles: so it stays precise far from the origin. Orientations are
   moved in the same way. Their part of J is in axes that rotate with the body, as are their velocities. Where J does
   not exist on one side, the other side and the middle are used. Where it exists on neither, the term is 0. */
static void add_curve(sn_system *system, const sn_system_in *in, const sn_pool *pool, const sn_system_block *at,
                      sn_dvec3 common)
{
    sn_frame frame = in->frame;
    sn_block block;
    sn_block_room room;
    double *curve = system->curve + at->first, *middle = system->rate + at->first, span = 0;
    double ahead[SN_MAX_ROWS], behind[SN_MAX_ROWS];
    memcpy(ahead, middle, at->rows * sizeof *ahead);
    memcpy(behind, middle, at->rows * sizeof *behind);
    frame.x_low = frame.turned = system->ahead;
    if (evaluate(in->store, pool, at->row, &frame, &block, &room)) {
        span += in->h / 2;
        for (uint32_t r = 0; r < at->rows; ++r)
            ahead[r] = rate_of(in, &block, r, common);
    }
    frame.x_low = frame.turned = system->behind;
    if (evaluate(in->store, pool, at->row, &frame, &block, &room)) {
        span += in->h / 2;
        for (uint32_t r = 0; r < at->rows; ++r)
            behind[r] = rate_of(in, &block, r, common);
    }
    for (uint32_t r = 0; r < at->rows; ++r) {
        curve[r] = span > 0 ? (ahead[r] - behind[r]) / span : 0;
        if (!isfinite(curve[r]))
            curve[r] = 0;
    }
}

/* An inequality that holds by an infinite margin is removed. Anything else that is not finite is a fault. */
static bool tame(sn_system *system, const sn_system_block *at, uint32_t r, bool inequality)
{
    uint32_t e = at->first + r;
    const sn_row *means = &system->means[e];
    if (means->type >= SN_ROW_RATE && means->low == 0 && means->high == 0)
        system->value[e] = 0; /* it is not used */
    /* Whether C itself is one. */
    inequality = means->type == SN_ROW_AT_LEAST || (means->type == SN_ROW_BY_KIND && inequality);
    if (isfinite(system->value[e]) && isfinite(system->rate[e]) && isfinite(system->pull[e]) &&
        isfinite(system->mobility[e]))
        return true;
    if (!inequality || !(system->value[e] >= 0))
        return false;
    for (uint32_t i = 0; i < at->count; ++i)
        system->gradient[at->gradient + r * at->count + i] = dvec3(0, 0, 0);
    system->value[e] = system->rate[e] = system->pull[e] = system->mobility[e] = 0;
    return true;
}

static void take_row(sn_system *system, const sn_system_in *in, const sn_block *block, const sn_system_block *at,
                     uint32_t r, sn_dvec3 common)
{
    uint32_t e = at->first + r;
    double pull = 0, mobility = 0;
    system->means[e] = block->row ? block->row[r] : (sn_row){0};
    for (uint32_t i = 0; i < at->count; ++i) {
        sn_dvec3 g = dvec3_from(block->gradient[r * at->count + i]);
        uint32_t number = system->particle[at->entry + i];
        system->gradient[at->gradient + r * at->count + i] = g;
        system->valence[number]++;
        pull += dvec3_dot(g, acceleration(in, block->slot[i], system->w[number]));
        mobility += system->w[number] * dvec3_dot(g, g);
    }
    system->value[e] = (double)block->c[r];
    system->rate[e] = rate_of(in, block, r, common);
    system->pull[e] = pull;
    system->mobility[e] = mobility;
    system->give[e] = system->scale[e] = system->lambda[e] = 0;
}

/* Adds one constraint. False if it is not finite. */
static bool add_block(sn_system *system, const sn_system_in *in, uint32_t kind, uint32_t row, sn_system_block *fault)
{
    const sn_pool *pool = in->store->pool[kind];
    sn_block block;
    sn_block_room room;
    if (!takes_part(pool) || !evaluate(in->store, pool, row, &in->frame, &block, &room))
        return true;
    sn_system_block *at = &system->block[system->block_table.count];
    *at = (sn_system_block){.kind = kind,
                            .row = row,
                            .first = system->row_table.count,
                            .rows = block.rows,
                            .count = block.count,
                            .entry = system->entry_table.count,
                            .gradient = system->gradient_table.count};
    for (uint32_t i = 0; i < block.count; ++i)
        system->particle[at->entry + i] = number_of(system, block.slot[i], block.w[i]);
    sn_dvec3 common = common_velocity(in, pool, row, &block);
    system->block_table.count++;
    system->entry_table.count += at->count;
    system->row_table.count += at->rows;
    system->gradient_table.count += at->rows * at->count;
    for (uint32_t r = 0; r < at->rows; ++r)
        take_row(system, in, &block, at, r, common);
    add_curve(system, in, pool, at, common);
    *fault = *at;
    for (uint32_t r = 0; r < at->rows; ++r)
        if (!tame(system, at, r, pool->kind->inequality >> r & 1))
            return false;
    return true;
}

bool sn_system_build(sn_system *system, const sn_system_in *in, sn_system_block *fault)
{
    system->block_table.count = system->entry_table.count = system->gradient_table.count = 0;
    system->row_table.count = system->particle_table.count = 0;
    for (uint32_t slot = 0; slot < in->node_count; ++slot) {
        sn_vec3 low = vec4_xyz(in->frame.x_low[slot]),
                displacement = vec3_scale(vec4_xyz(in->v[slot]), (sn_real)(in->h / 2));
        system->number[slot] = NOBODY;
        system->ahead[slot] = vec4(vec3_add(low, displacement), 0);
        system->behind[slot] = vec4(vec3_sub(low, displacement), 0);
    }
    for (uint32_t r = 0, i = 0; sn_store_next(in->store, &r, &i); ++i)
        if (!add_block(system, in, in->store->run[r].kind, in->store->run[r].first + i, fault))
            return false;
    return true;
}

/* ---- Products --------------------------------------------------------------------------------------------------- */

void sn_system_scatter(const sn_system *system, const double *y)
{
    memset(system->sum, 0, system->particle_table.count * sizeof *system->sum);
    for (uint32_t b = 0; b < system->block_table.count; ++b) {
        const sn_system_block *at = &system->block[b];
        const sn_dvec3 *g = system->gradient + at->gradient;
        for (uint32_t r = 0; r < at->rows; ++r, g += at->count) {
            double s = y[at->first + r];
            for (uint32_t i = 0; s != 0 && i < at->count; ++i) {
                sn_dvec3 *sum = &system->sum[system->particle[at->entry + i]];
                *sum = dvec3_add(*sum, dvec3_scale(g[i], s));
            }
        }
    }
}

double sn_system_gather(const sn_system *system, const sn_system_block *block, uint32_t r)
{
    const sn_dvec3 *g = system->gradient + block->gradient + r * block->count;
    double sum = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        uint32_t particle = system->particle[block->entry + i];
        sum += system->w[particle] * dvec3_dot(g[i], system->sum[particle]);
    }
    return sum;
}

void sn_system_product(const void *data, const double *y, double *out)
{
    const sn_system *system = data;
    const uint32_t rows = system->row_table.count;
    for (uint32_t e = 0; e < rows; ++e)
        out[e] = system->scale[e] * y[e];
    sn_system_scatter(system, out);
    for (uint32_t b = 0; b < system->block_table.count; ++b) {
        const sn_system_block *at = &system->block[b];
        for (uint32_t r = 0; r < at->rows; ++r) {
            uint32_t e = at->first + r;
            out[e] = system->scale[e] * (sn_system_gather(system, at, r) + system->give[e] * out[e]);
        }
    }
}
