/* Sweeps: segments that are moved on by one cut after another while things move.

   Between two cuts a sheet moves, and the segment stays where the last cut left it. What counts is how they pass each
   other. In the time from the last cut to this one, every vertex moves straight from its position then to its present
   position, and the segment from where that cut left it to where this one moves it. An edge is crossed when the segment
   passes through it in that time: then the four ends are in one plane, at a root of a cubic in the time, and the two
   lines cross within both. The next cut begins with exactly the numbers with which this one ends, so no edge is missed
   between them.

   (Earlier, cuts used only present positions. A strip from where the cut had ended to the segment represented the
   things that had moved past it. That missed borders that moved over the segment, and motion there and back.) */
#include "world/world.h"

#include "base/dvec.h"
#include "base/hash.h"

#include <string.h>

#define SAME  1e-5 /* share of its length: a segment that begins this near to the end of a sweep continues it */
#define MOST  64u  /* number of sweeps that are stored */
#define KEPT  64u  /* steps after the last cut in which a sweep can continue */
#define SLACK 1e-9 /* share of an edge, so that two edges leave no slit */

/* ---- Former positions -------------------------------------------------------------------------------------------- */

void sn_blade_sweep_init(sn_tearing *t)
{
    sn_table_column(&t->sweep_table, sizeof(sn_tear_sweep), true);
    for (uint32_t i = 0; i < 2; ++i)
        sn_table_column(&t->place_table[i], sizeof(sn_tear_place_then), true);
}

static sn_vec3 place_now(const sn_world *world, uint32_t particle)
{
    return vec4_xyz(world->particles.x[world->ids.value[particle]]);
}

/* A particle that was added since has its present position. */
static sn_vec3 place_then(const sn_world *world, uint32_t which, uint32_t particle)
{
    const sn_table *table = &world->tearing.place_table[which];
    const sn_tear_place_then *then = table->column[0];
    return particle < table->count && then[particle].generation == world->ids.generation[particle]
               ? then[particle].x
               : place_now(world, particle);
}

static void set_then(sn_world *world, uint32_t which, uint32_t particle, sn_vec3 x)
{
    sn_table *table = &world->tearing.place_table[which];
    sn_tear_place_then *then = table->column[0];
    if (!table->count)
        return;
    for (; table->count <= particle; table->count++)
        then[table->count] = (sn_tear_place_then){.generation = UINT32_MAX};
    then[particle] = (sn_tear_place_then){x, world->ids.generation[particle]};
}

void sn_blade_sweep_insert(sn_world *world, uint32_t made, uint32_t p, uint32_t q, double t)
{
    for (uint32_t i = 0; i < 2; ++i) {
        const sn_dvec3 a = dvec3_from(place_then(world, i, p)), b = dvec3_from(place_then(world, i, q));
        set_then(world, i, made, dvec3_round(dvec3_add(dvec3_scale(a, 1 - t), dvec3_scale(b, t))));
    }
}

bool sn_blade_sweep_reserve(sn_world *world, uint64_t numbers)
{
    sn_table *table = world->tearing.place_table;
    return (!table[0].capacity || sn_table_reserve(&table[0], &world->allocator, numbers)) &&
           (!table[1].capacity || sn_table_reserve(&table[1], &world->allocator, numbers));
}

void sn_blade_sweep_step(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    t->place_table[1].count = 0; /* all that cut in the last frame have cut again */
    if (world->state.swept[0] && world->state.steps + 1 - world->state.swept[0] >= KEPT) {
        t->place_table[0].count = t->sweep_table.count = 0;
        world->state.swept[0] = 0;
    }
}

void sn_blade_sweep_shift(sn_world *world, sn_vec3 offset)
{
    sn_tear_sweep *sweep = world->tearing.sweep_table.column[0];
    for (uint32_t i = 0; i < world->tearing.sweep_table.count; ++i)
        for (uint32_t k = 0; k < 2; ++k)
            sweep[i].end[k] = vec3_sub(sweep[i].end[k], offset);
    for (uint32_t i = 0; i < 2; ++i) {
        sn_tear_place_then *then = world->tearing.place_table[i].column[0];
        for (uint32_t k = 0; k < world->tearing.place_table[i].count; ++k)
            then[k].x = vec3_sub(then[k].x, offset);
    }
}

uint64_t sn_blade_sweep_hash(uint64_t hash, const sn_world *world)
{
    const sn_tearing *t = &world->tearing;
    const sn_tear_sweep *sweep = t->sweep_table.column[0];
    for (uint32_t i = 0; i < t->sweep_table.count; ++i)
        hash = hash_vec3(hash_vec3(hash_u64(hash, sweep[i].steps), sweep[i].end[0]), sweep[i].end[1]);
    for (uint32_t k = 0; k < 2; ++k) {
        const sn_tear_place_then *then = t->place_table[k].column[0];
        for (uint32_t i = 0; i < t->place_table[k].count; ++i)
            if (i < world->ids.table.count && sn_ids_is_live(&world->ids, i) &&
                then[i].generation == world->ids.generation[i])
                hash = hash_vec3(hash_u64(hash, i), then[i].x);
    }
    return hash;
}

/* ---- A cut ------------------------------------------------------------------------------------------------------- */

static bool is_near(sn_vec3 a, sn_vec3 b, double within)
{
    return dvec3_length(dvec3_seen(a, b)) <= within;
}

void sn_blade_sweep_find(const sn_world *world, sn_blade_shape *b)
{
    const sn_cut_def *def = b->def;
    const sn_tear_sweep *sweep = world->tearing.sweep_table.column[0];
    const double within = SAME * dvec3_length(dvec3_seen(def->a, def->b));
    b->sweep = SN_TEAR_NONE;
    b->segment[0][0] = def->a, b->segment[0][1] = def->b, b->segment[1][0] = def->to_a, b->segment[1][1] = def->to_b;
    for (uint32_t i = world->tearing.sweep_table.count; i-- > 0 && b->sweep == SN_TEAR_NONE && within > 0;)
        if (is_near(sweep[i].end[0], def->a, within) && is_near(sweep[i].end[1], def->b, within)) {
            b->sweep = i;
            memcpy(b->segment[0], sweep[i].end, sizeof sweep[i].end);
        }
}

bool sn_blade_sweep_begin(sn_world *world, sn_blade_shape *b)
{
    sn_tearing *t = &world->tearing;
    const uint64_t now = world->state.steps + 1;
    const bool noted = world->state.swept[0] == now;
    if (b->def->blade != SN_BLADE_SEGMENT)
        return true;
    if (!sn_table_reserve(&t->sweep_table, &world->allocator, MOST) ||
        (!noted && !sn_table_reserve(&t->place_table[1], &world->allocator, (uint64_t)world->ids.table.count + 1)))
        return false;
    b->then = noted;
    if (b->sweep != SN_TEAR_NONE) {
        const uint64_t then = ((const sn_tear_sweep *)t->sweep_table.column[0])[b->sweep].steps + 1;
        b->moving = then != now && then == world->state.swept[b->then];
    }
    return true;
}

/* Stores all present positions. */
static void note_places(sn_world *world)
{
    sn_table *table = world->tearing.place_table;
    const sn_table before = table[0];
    table[0] = table[1];
    table[1] = before;
    world->state.swept[1] = world->state.swept[0];
    world->state.swept[0] = world->state.steps + 1;
    table[0].count = world->ids.table.count;
    sn_tear_place_then *then = table[0].column[0];
    for (uint32_t i = 0; i < table[0].count; ++i)
        then[i] = sn_ids_is_live(&world->ids, i) ? (sn_tear_place_then){place_now(world, i), world->ids.generation[i]}
                                                 : (sn_tear_place_then){.generation = UINT32_MAX};
}

void sn_blade_sweep_go(sn_world *world, sn_blade_shape *b)
{
    sn_table *sweeps = &world->tearing.sweep_table;
    sn_tear_sweep *sweep = sweeps->column[0];
    if (b->def->blade != SN_BLADE_SEGMENT)
        return;
    if (world->state.swept[0] != world->state.steps + 1)
        note_places(world);
    b->then = 1;
    if (b->sweep == SN_TEAR_NONE && sweeps->count == MOST) /* the oldest is dropped */
        memmove(sweep, sweep + 1, --sweeps->count * sizeof *sweep);
    b->sweep = b->sweep == SN_TEAR_NONE ? sweeps->count++ : b->sweep;
    sweep[b->sweep] = (sn_tear_sweep){.end = {b->segment[1][0], b->segment[1][1]}, .steps = world->state.steps};
}

/* ---- Crossings --------------------------------------------------------------------------------------------------- */

/* Exact at times 0 and 1. */
static sn_dvec3 at_time(sn_vec3 from, sn_vec3 to, double time)
{
    return dvec3_add(dvec3_scale(dvec3_from(from), 1 - time), dvec3_scale(dvec3_from(to), time));
}

sn_dvec3 sn_blade_sweep_place(const sn_world *world, const sn_blade_shape *b, uint32_t particle, double time)
{
    const sn_vec3 now = place_now(world, particle);
    return b->moving ? at_time(place_then(world, b->then, particle), now, time) : dvec3_from(now);
}

sn_dvec3 sn_blade_sweep_displacement(const sn_blade_shape *b, double time)
{
    return dvec3_sub(at_time(b->segment[0][1], b->segment[1][1], time),
                     at_time(b->segment[0][0], b->segment[1][0], time));
}

/* An edge or a rod, and the segment: p, q, a, b, at the beginning and at the end. */
typedef struct passing {
    sn_vec3 from[4], to[4];
} passing;

/* m^3: six times the volume of the four points. */
static double volume(const passing *pass, double time)
{
    sn_dvec3 x[4];
    for (uint32_t i = 0; i < 4; ++i)
        x[i] = at_time(pass->from[i], pass->to[i], time);
    return dvec3_dot(dvec3_sub(x[1], x[0]), dvec3_cross(dvec3_sub(x[2], x[0]), dvec3_sub(x[3], x[2])));
}

/* m: the displacement of a point of a moving line, at the fraction `part` between its ends. */
static sn_dvec3 displacement_of(const passing *pass, uint32_t first, double part)
{
    return dvec3_add(dvec3_scale(dvec3_seen(pass->from[first], pass->to[first]), 1 - part),
                     dvec3_scale(dvec3_seen(pass->from[first + 1], pass->to[first + 1]), part));
}

/* True if the two lines, which cross at this time, do so within both. *t: position on the edge. If the segment passes
   exactly through an end, it counts as above, so that of the edges there those on one side are crossed. */
static bool crosses_within(const passing *pass, double time, double *t)
{
    sn_dvec3 x[4];
    for (uint32_t i = 0; i < 4; ++i)
        x[i] = at_time(pass->from[i], pass->to[i], time);
    const sn_dvec3 u = dvec3_sub(x[1], x[0]), w = dvec3_sub(x[3], x[2]), r = dvec3_sub(x[2], x[0]);
    const double uu = dvec3_dot(u, u), uw = dvec3_dot(u, w), ww = dvec3_dot(w, w), ru = dvec3_dot(r, u),
                 rw = dvec3_dot(r, w), determinant = uu * ww - uw * uw;
    if (!(determinant > 1e-24 * uu * ww))
        return false;
    const double along = (ww * ru - uw * rw) / determinant, across = (uw * ru - uu * rw) / determinant;
    *t = fmin(fmax(along, 0), 1);
    if (!(along >= -SLACK && along <= 1 + SLACK && across >= -SLACK && across <= 1 + SLACK))
        return false;
    if (along > SLACK && along < 1 - SLACK)
        return true;
    const sn_dvec3 above = dvec3_cross(w, dvec3_sub(displacement_of(pass, 2, across), displacement_of(pass, 0, along)));
    return (dvec3_dot(above, u) < 0) == (along < 0.5) && dvec3_dot(above, u) != 0;
}

/* Finds sign changes of the volume: of a cubic with these Bernstein coefficients, from low to high. Roots without a
   sign change do not count. Appends to `found`, in order, and returns the new count. */
static uint32_t find_changes(const passing *pass, const double f[4], double low, double high, uint32_t depth,
                             double found[3], uint32_t count)
{
    uint32_t changes = 0;
    for (uint32_t i = 0; i < 3; ++i)
        changes += (f[i] >= 0) != (f[i + 1] >= 0);
    if (!changes || count == 3)
        return count;
    if (changes == 1 || !depth) {
        const bool up = f[0] >= 0;
        for (uint32_t i = 0; i < 60 && changes == 1; ++i) {
            const double middle = 0.5 * (low + high);
            *((volume(pass, middle) >= 0) == up ? &low : &high) = middle;
        }
        if (up != (f[3] >= 0))
            found[count++] = high;
        return count;
    }
    const double a = (f[0] + f[1]) / 2, m = (f[1] + f[2]) / 2, d = (f[2] + f[3]) / 2, b = (a + m) / 2, c = (m + d) / 2,
                 middle = 0.5 * (low + high);
    const double first[4] = {f[0], a, b, (b + c) / 2}, second[4] = {(b + c) / 2, c, d, f[3]};
    count = find_changes(pass, first, low, middle, depth - 1, found, count);
    return find_changes(pass, second, middle, high, depth - 1, found, count);
}

static bool are_apart(const passing *pass)
{
    for (uint32_t axis = 0; axis < 3; ++axis) {
        sn_real low[2], high[2];
        for (uint32_t i = 0; i < 4; ++i) {
            const sn_real x = vec3_part(&pass->from[i], axis), y = vec3_part(&pass->to[i], axis);
            const sn_real least = x < y ? x : y, most = x < y ? y : x;
            low[i / 2] = i % 2 && low[i / 2] < least ? low[i / 2] : least;
            high[i / 2] = i % 2 && high[i / 2] > most ? high[i / 2] : most;
        }
        if (low[0] > high[1] || low[1] > high[0])
            return true;
    }
    return false;
}

bool sn_blade_sweep_crosses(const sn_world *world, const sn_blade_shape *b, uint32_t p, uint32_t q,
                            sn_crossing *crossing)
{
    const sn_vec3 now[2] = {place_now(world, p), place_now(world, q)};
    passing pass = {.from = {now[0], now[1], b->segment[0][0], b->segment[0][1]},
                    .to = {now[0], now[1], b->segment[1][0], b->segment[1][1]}};
    if (b->moving)
        pass.from[0] = place_then(world, b->then, p), pass.from[1] = place_then(world, b->then, q);
    if (are_apart(&pass))
        return false;
    double found[3];
    const double v[4] = {volume(&pass, 0), volume(&pass, 1.0 / 3), volume(&pass, 2.0 / 3), volume(&pass, 1)};
    const double f[4] = {v[0], (-5 * v[0] + 18 * v[1] - 9 * v[2] + 2 * v[3]) / 6,
                         (2 * v[0] - 9 * v[1] + 18 * v[2] - 5 * v[3]) / 6, v[3]};
    const uint32_t count = find_changes(&pass, f, 0, 1, 30, found, 0);
    bool up = v[0] < 0, crosses = false;
    for (uint32_t i = 0; i < count; ++i, up = !up) { /* passing there and back does not count */
        double t;
        if (!crosses_within(&pass, found[i], &t))
            continue;
        crosses = !crosses;
        if (crosses)
            *crossing = (sn_crossing){.p = p, .q = q, .t = t, .time = found[i], .up = up};
    }
    return crosses;
}

/* ---- Ends of cuts ------------------------------------------------------------------------------------------------ */

bool sn_blade_index_tips(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    const sn_tear_tip *tip = t->tip_table.column[0];
    t->tip_at_table.count = 0;
    if (!t->tip_table.count)
        return true;
    if (!sn_table_reserve(&t->tip_at_table, &world->allocator, world->ids.table.count))
        return false;
    uint32_t *at = t->tip_at_table.column[0];
    t->tip_at_table.count = world->ids.table.count;
    memset(at, 0, t->tip_at_table.count * sizeof *at);
    for (uint32_t i = t->tip_table.count; i > 0; --i)
        if (sn_particle_is_valid(world, tip[i - 1].vertex))
            at[tip[i - 1].vertex.index] = i;
    return true;
}

/* 1 + index of the first tip of a vertex; its tips are consecutive. 0 if it has none. */
static uint32_t first_tip(const sn_tearing *t, uint32_t vertex)
{
    return vertex < t->tip_at_table.count ? ((const uint32_t *)t->tip_at_table.column[0])[vertex] : 0;
}

uint32_t sn_blade_tip_of(const sn_world *world, const uint32_t corner[3])
{
    uint32_t newest = 0, vertex = SN_TEAR_NONE;
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t tip = first_tip(&world->tearing, corner[k]);
        if (tip > newest)
            newest = tip, vertex = corner[k];
    }
    return vertex;
}

/* True if a cut came to a vertex from another vertex. */
static bool came_from(const sn_world *world, uint32_t vertex, uint32_t from)
{
    const sn_tearing *t = &world->tearing;
    const sn_tear_tip *tip = t->tip_table.column[0];
    uint32_t i = first_tip(t, vertex);
    for (; i && i <= t->tip_table.count && tip[i - 1].vertex.index == vertex; ++i)
        if (tip[i - 1].from.index == from && sn_particle_is_valid(world, tip[i - 1].vertex) &&
            sn_particle_is_valid(world, tip[i - 1].from))
            return true;
    return false;
}

bool sn_blade_has_passed(const sn_world *world, uint32_t a, uint32_t b)
{
    return came_from(world, a, b) || came_from(world, b, a);
}
