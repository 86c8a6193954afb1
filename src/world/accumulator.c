/* Steps of a fixed length under frames of any length, and interpolation between two steps for drawing.

   The accumulator keeps two states of everything that can be drawn, by number: before the last step, and after it. A
   thing that is not where the last step left it was edited, and is drawn without interpolation. So edits need not
   notify the accumulator. */
#include "world/world.h"

#include "base/dvec.h"

#include <sinew/tear.h>

#include <string.h>

/* A particle, by number. generation 0: unknown. */
typedef struct drawn_particle {
    sn_vec3 before, after; /* m */
    uint32_t generation;
} drawn_particle;

/* The frame of a body or a fixed shape, by number. */
typedef struct drawn_pose {
    sn_pose before, after;
    uint32_t generation;
} drawn_pose;

struct sn_accumulator {
    sn_allocator allocator;
    sn_real dt; /* s */
    uint32_t most_steps, due;
    double left;       /* s: time not yet stepped, less than dt */
    bool stepped;      /* both states are known */
    uint64_t steps;    /* value of the world's step counter to which they belong */
    double origin[3];  /* origin of the world to which they refer */
    sn_table table[3]; /* of drawn_particle; of drawn_pose: bodies, fixed shapes */
};

enum { PARTICLES, BODIES };

sn_accumulator_def sn_default_accumulator_def(void)
{
    return (sn_accumulator_def){.dt = (sn_real)(1.0 / 60), .most_steps = 5};
}

sn_accumulator *sn_accumulator_create(sn_world *world, const sn_accumulator_def *def)
{
    const sn_accumulator_def usual = sn_default_accumulator_def();
    if (sn_world_enter(world) != SN_OK)
        return NULL;
    if (!def)
        def = &usual;
    if (!(def->dt > 0)) {
        world_fail(world, SN_ERROR_ARGUMENT, "accumulator: dt is %g s; it must be positive", (double)def->dt);
        return NULL;
    }
    if (sn_world_check_dt(world, def->dt) != SN_OK)
        return NULL;
    if (!def->most_steps) {
        world_fail(world, SN_ERROR_ARGUMENT, "accumulator: most_steps is 0; it must be 1 or more");
        return NULL;
    }
    sn_accumulator *a = sn_allocate(&world->allocator, sizeof *a);
    if (!a) {
        world_fail(world, SN_ERROR_MEMORY, "no memory for an accumulator");
        return NULL;
    }
    *a = (sn_accumulator){.allocator = world->allocator, .dt = def->dt, .most_steps = def->most_steps};
    sn_table_column(&a->table[PARTICLES], sizeof(drawn_particle), false);
    sn_table_column(&a->table[BODIES], sizeof(drawn_pose), false);
    return a;
}

void sn_accumulator_destroy(sn_accumulator *a)
{
    if (!a)
        return;
    for (int i = 0; i < 3; ++i)
        sn_table_release(&a->table[i], &a->allocator);
    sn_allocator allocator = a->allocator;
    sn_release(&allocator, a, sizeof *a);
}

static sn_result enter(const sn_accumulator *a, const sn_world *world)
{
    sn_result result = sn_world_enter(world);
    if (result == SN_OK && !a)
        result = world_fail(world, SN_ERROR_ARGUMENT, "accumulator is NULL");
    return result;
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

/* fmod is exact, so only the sum is rounded. */
sn_result sn_accumulator_add(sn_accumulator *a, sn_world *world, double seconds, double *dropped)
{
    sn_result result = enter(a, world);
    if (result != SN_OK)
        return result;
    if (!(seconds >= 0 && seconds <= SN_LONGEST_FRAME))
        return world_fail(world, SN_ERROR_ARGUMENT, "the frame took %g s; it must be 0 to %g s", seconds,
                          SN_LONGEST_FRAME);
    const double dt = (double)a->dt, sum = a->left + seconds;
    a->left = fmod(sum, dt);
    const double due = (double)a->due + nearbyint((sum - a->left) / dt), over = due - (double)a->most_steps;
    a->due = over > 0 ? a->most_steps : (uint32_t)due;
    if (dropped)
        *dropped = over > 0 ? over * dt : 0;
    return SN_OK;
}

uint32_t sn_accumulator_due(const sn_accumulator *a)
{
    return a ? a->due : 0;
}

sn_real sn_accumulator_alpha(const sn_accumulator *a)
{
    return !a ? (sn_real)NAN : a->due ? 1 : (sn_real)(a->left / (double)a->dt);
}

sn_result sn_accumulator_reset(sn_accumulator *a, sn_world *world)
{
    sn_result result = enter(a, world);
    if (result != SN_OK)
        return result;
    a->due = 0;
    a->left = 0;
    a->stepped = false;
    return SN_OK;
}

/* ---- The two states ---------------------------------------------------------------------------------------------- */

/* The world's present origin relative to that of the kept states. */
typedef struct view {
    bool known;      /* the world's state is that after the accumulator's last step, apart from edits */
    bool shifted;    /* the origin has changed */
    sn_dvec3 origin; /* m: its displacement */
} view;

static view view_of(const sn_accumulator *a, const sn_world *world)
{
    const double *o = world->state.origin;
    view v = {.known = a->stepped && a->steps == world->state.steps,
              .origin = dvec3(o[0] - a->origin[0], o[1] - a->origin[1], o[2] - a->origin[2])};
    v.shifted = v.origin.x != 0 || v.origin.y != 0 || v.origin.z != 0;
    return v;
}

/* Transforms a position of a kept state to the present origin. */
static sn_vec3 seen(const view *v, sn_vec3 place)
{
    return v->shifted ? dvec3_round(dvec3_sub(dvec3_from(place), v->origin)) : place;
}

/* A shift of the origin rounds the positions that it moves. The error is within this many units in the last place of
   the larger of the position and the displacement of the origin. */
#define SHIFT_ROUNDING 4.0

static bool nearly(double now, double kept, double origin)
{
    double most = fabs(kept) > fabs(origin) ? fabs(kept) : fabs(origin),
           last = sizeof(sn_real) == 4 ? 0x1p-24 : 0x1p-53;
    return fabs(now - (kept - origin)) <= SHIFT_ROUNDING * last * most;
}

/* True if the thing is where the last step left it. */
static bool is_there(const view *v, sn_vec3 now, sn_vec3 kept)
{
    if (!v->shifted)
        return now.x == kept.x && now.y == kept.y && now.z == kept.z;
    return nearly((double)now.x, (double)kept.x, v->origin.x) && nearly((double)now.y, (double)kept.y, v->origin.y) &&
           nearly((double)now.z, (double)kept.z, v->origin.z);
}

static bool is_pose(const view *v, const sn_pose *now, const sn_pose *kept)
{
    const sn_quat *p = &now->rotation, *q = &kept->rotation;
    return is_there(v, now->position, kept->position) && p->x == q->x && p->y == q->y && p->z == q->z && p->w == q->w;
}

static sn_vec3 particle_now(const sn_world *world, uint32_t number)
{
    return vec4_xyz(world->particles.x[world->ids.value[number]]);
}

static sn_pose body_now(const sn_world *world, uint32_t number)
{
    sn_body body = {number, world->bodies.names.generation[number]};
    return (sn_pose){sn_body_position(world, body), sn_body_rotation(world, body)};
}

typedef sn_pose pose_fn(const sn_world *world, uint32_t number);

/* Before a step: the state after the last step becomes the state before this one. Things that were edited since have no
   earlier state. */
static void note_particles(sn_accumulator *a, const sn_world *world, const view *v)
{
    drawn_particle *drawn = a->table[PARTICLES].column[0];
    for (uint32_t i = 0; i < world->ids.table.count; ++i) {
        if (!sn_ids_is_live(&world->ids, i))
            continue;
        drawn_particle *d = &drawn[i];
        const sn_vec3 now = particle_now(world, i);
        const bool there = v->known && d->generation == world->ids.generation[i] && is_there(v, now, d->after);
        *d = (drawn_particle){there ? seen(v, d->before) : now, now, world->ids.generation[i]};
    }
}

static void note_poses(sn_table *table, const sn_world *world, const sn_ids *ids, pose_fn *now_of, const view *v)
{
    drawn_pose *drawn = table->column[0];
    for (uint32_t i = 0; i < ids->table.count; ++i) {
        if (!sn_ids_is_live(ids, i))
            continue;
        drawn_pose *d = &drawn[i];
        const sn_pose now = now_of(world, i);
        const bool there = v->known && d->generation == ids->generation[i] && is_pose(v, &now, &d->after);
        const sn_pose before = {seen(v, d->before.position), d->before.rotation};
        *d = (drawn_pose){there ? before : now, now, ids->generation[i]};
    }
}

/* Particles that the step made by tears begin where those were from which they were split. */
static void follow_tears(sn_accumulator *a, const sn_world *world)
{
    drawn_particle *drawn = a->table[PARTICLES].column[0];
    uint32_t count;
    const sn_tear *tear = sn_world_tears(world, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (tear[i].type == SN_TEAR_SPLIT && tear[i].made.index < a->table[PARTICLES].count &&
            tear[i].particle.index < a->table[PARTICLES].count)
            drawn[tear[i].made.index] =
                (drawn_particle){.after = drawn[tear[i].particle.index].after, .generation = tear[i].made.generation};
}

/* After a step. Those that a tear made have no earlier state if there was no memory for it. */
static void follow_particles(sn_accumulator *a, const sn_world *world)
{
    drawn_particle *drawn = a->table[PARTICLES].column[0];
    for (uint32_t i = 0; i < world->ids.table.count && i < a->table[PARTICLES].count; ++i)
        if (sn_ids_is_live(&world->ids, i)) {
            const sn_vec3 now = particle_now(world, i);
            const bool known = drawn[i].generation == world->ids.generation[i];
            drawn[i] = (drawn_particle){known ? drawn[i].after : now, now, world->ids.generation[i]};
        }
}

/* Bodies are neither added nor removed in a step. */
static void follow_poses(sn_table *table, const sn_world *world, const sn_ids *ids, pose_fn *now_of)
{
    drawn_pose *drawn = table->column[0];
    for (uint32_t i = 0; i < ids->table.count; ++i)
        if (sn_ids_is_live(ids, i)) {
            drawn[i].before = drawn[i].after;
            drawn[i].after = now_of(world, i);
        }
}

/* New rows are zeroed: unknown. */
static bool reserve(sn_accumulator *a, sn_table *table, const sn_ids *ids)
{
    if (!sn_table_reserve(table, &a->allocator, ids->table.count))
        return false;
    if (ids->table.count > table->count) {
        memset((char *)table->column[0] + (size_t)table->count * table->width[0], 0,
               (size_t)(ids->table.count - table->count) * table->width[0]);
        table->count = ids->table.count;
    }
    return true;
}

sn_result sn_accumulator_step(sn_accumulator *a, sn_world *world)
{
    sn_result result = enter(a, world);
    if (result != SN_OK)
        return result;
    if (!a->due)
        return world_fail(world, SN_ERROR_ARGUMENT, "accumulator: no step is due; %g s of %g s are left over", a->left,
                          (double)a->dt);
    const sn_ids *ids = &world->ids, *bodies = &world->bodies.names;
    if (!reserve(a, &a->table[PARTICLES], ids) || !reserve(a, &a->table[BODIES], bodies))
        return world_fail(world, SN_ERROR_MEMORY, "accumulator: no memory to remember where things were");
    const view v = view_of(a, world);
    note_particles(a, world, &v);
    note_poses(&a->table[BODIES], world, bodies, body_now, &v);
    memcpy(a->origin, world->state.origin, sizeof a->origin);
    a->steps = world->state.steps;
    a->stepped = true;
    if ((result = sn_world_step(world, a->dt)) != SN_OK)
        return result;
    reserve(a, &a->table[PARTICLES], ids); /* tears make particles */
    follow_tears(a, world);
    follow_particles(a, world);
    follow_poses(&a->table[BODIES], world, bodies, body_now);
    a->steps = world->state.steps;
    a->due--;
    return SN_OK;
}

/* ---- Where things are drawn -------------------------------------------------------------------------------------- */

static sn_result check_reading(const sn_accumulator *a, const sn_world *world, sn_real alpha)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!a)
        return world_fail(world, SN_ERROR_ARGUMENT, "accumulator is NULL");
    if (!(alpha >= 0 && alpha <= 1))
        return world_fail(world, SN_ERROR_ARGUMENT, "alpha is %g; it must be 0 to 1", (double)alpha);
    return SN_OK;
}

/* Exact at alpha 0 and 1. */
static sn_vec3 between(sn_vec3 a, sn_vec3 b, sn_real alpha)
{
    if (alpha == 0 || alpha == 1)
        return alpha == 0 ? a : b;
    sn_dvec3 from = dvec3_from(a), displacement = dvec3_sub(dvec3_from(b), from);
    return dvec3_round(dvec3_add(from, dvec3_scale(displacement, (double)alpha)));
}

static sn_vec3 particle_at(const sn_accumulator *a, const sn_world *world, const view *v, uint32_t number,
                           sn_real alpha)
{
    const sn_vec3 now = particle_now(world, number);
    if (!v->known || number >= a->table[PARTICLES].count)
        return now;
    const drawn_particle *d = (const drawn_particle *)a->table[PARTICLES].column[0] + number;
    if (d->generation != world->ids.generation[number] || !is_there(v, now, d->after))
        return now;
    return between(seen(v, d->before), now, alpha);
}

/* centre: the point in the body's own frame that moves on a straight line. */
static sn_pose pose_at(const sn_table *table, const view *v, uint32_t number, uint32_t generation, sn_pose now,
                       const double centre[3], sn_real alpha)
{
    if (!v->known || number >= table->count)
        return now;
    const drawn_pose *d = (const drawn_pose *)table->column[0] + number;
    if (d->generation != generation || !is_pose(v, &now, &d->after))
        return now;
    const sn_pose before = {seen(v, d->before.position), d->before.rotation};
    sn_pose pose = sn_pose_between(&before, &now, alpha);
    if (alpha == 0 || alpha == 1 || (centre[0] == 0 && centre[1] == 0 && centre[2] == 0))
        return pose;
    const sn_vec3 c = vec3((sn_real)centre[0], (sn_real)centre[1], (sn_real)centre[2]);
    const sn_vec3 from = sn_pose_to_world(&before, c), to = sn_pose_to_world(&now, c);
    pose.position = vec3_sub(between(from, to, alpha), sn_quat_rotate(pose.rotation, c));
    return pose;
}

static sn_pose body_at(const sn_accumulator *a, const sn_world *world, const view *v, uint32_t number, sn_real alpha)
{
    static const double origin[3] = {0};
    const bool fixed = sn_fixed_of(world, number);
    return pose_at(&a->table[BODIES], v, number, world->bodies.names.generation[number], body_now(world, number),
                   fixed ? origin : world->bodies.state[sn_body_row_of(world, number)].centre, alpha);
}

sn_vec3 sn_accumulator_position(const sn_accumulator *a, const sn_world *world, sn_particle particle, sn_real alpha)
{
    if (check_reading(a, world, alpha) != SN_OK || sn_world_slot(world, particle) == SN_NO_SLOT)
        return vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN);
    const view v = view_of(a, world);
    return particle_at(a, world, &v, particle.index, alpha);
}

static void write_position(const sn_accumulator *a, const sn_world *world, const view *v, uint32_t number,
                           sn_real alpha, void *to)
{
    const sn_vec3 place = particle_at(a, world, v, number, alpha);
    memcpy(to, &place, sizeof place);
}

sn_result sn_accumulator_read_positions(const sn_accumulator *a, const sn_world *world, sn_particles run, sn_real alpha,
                                        sn_real *xyz, size_t stride)
{
    sn_result result = check_reading(a, world, alpha);
    if (result != SN_OK || (result = sn_particles_read_positions(world, run, xyz, stride)) != SN_OK)
        return result; /* it has checked the other arguments */
    if (stride == 0)
        stride = sizeof(sn_vec3);
    const view v = view_of(a, world);
    for (uint32_t i = 0; i < run.count; ++i)
        write_position(a, world, &v, run.first + i, alpha, (char *)xyz + stride * i);
    return SN_OK;
}

sn_result sn_accumulator_read_all_positions(const sn_accumulator *a, const sn_world *world, sn_real alpha,
                                            uint32_t count, sn_real *xyz, size_t stride)
{
    sn_result result = check_reading(a, world, alpha);
    if (result != SN_OK || (result = sn_world_check_stride(world, xyz, sizeof(sn_vec3), &stride)) != SN_OK)
        return result;
    const view v = view_of(a, world);
    for (uint32_t i = 0; i < count && i < world->ids.table.count; ++i)
        if (sn_ids_is_live(&world->ids, i))
            write_position(a, world, &v, i, alpha, (char *)xyz + stride * i);
    return SN_OK;
}

static void give_pose(const sn_pose *pose, sn_vec3 *position, sn_quat *rotation)
{
    if (position)
        *position = pose->position;
    if (rotation)
        *rotation = pose->rotation;
}

sn_result sn_accumulator_body_pose(const sn_accumulator *a, const sn_world *world, sn_body body, sn_real alpha,
                                   sn_vec3 *position, sn_quat *rotation)
{
    sn_result result = check_reading(a, world, alpha);
    uint32_t number = result == SN_OK ? sn_body_number(world, body) : SN_ID_FREE;
    if (number == SN_ID_FREE)
        return result == SN_OK ? SN_ERROR_STALE : result;
    const view v = view_of(a, world);
    const sn_pose pose = body_at(a, world, &v, number, alpha);
    give_pose(&pose, position, rotation);
    return SN_OK;
}

sn_result sn_accumulator_read_poses(const sn_accumulator *a, const sn_world *world, sn_real alpha, uint32_t count,
                                    sn_vec3 *positions, sn_quat *rotations)
{
    sn_result result = check_reading(a, world, alpha);
    if (result != SN_OK)
        return result;
    const view v = view_of(a, world);
    for (uint32_t i = 0; i < count && i < world->bodies.names.table.count; ++i) {
        if (!sn_ids_is_live(&world->bodies.names, i))
            continue;
        const sn_pose pose = body_at(a, world, &v, i, alpha);
        give_pose(&pose, positions ? &positions[i] : NULL, rotations ? &rotations[i] : NULL);
    }
    return SN_OK;
}
