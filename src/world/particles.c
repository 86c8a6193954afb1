/* Particles: adding, removing, reading and changing them. */
#include "world/world.h"

#include "integrators/integrator.h"

#include <stdio.h>
#include <string.h>

/* Beyond these the inverse mass, or its products with a substep, would leave the range of a float. */
#define LEAST_MASS 1e-30
#define MOST_MASS  1e30

/* ---- Adding ----------------------------------------------------------------------------------------------------- */

sn_particle_def sn_default_particle_def(void)
{
    sn_particle_def def;
    memset(&def, 0, sizeof def);
    def.mass = 1;
    return def;
}

static sn_result check_mass(const sn_world *world, sn_real mass)
{
    if (mass == SN_IMMOVABLE || (mass >= (sn_real)LEAST_MASS && mass <= (sn_real)MOST_MASS))
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "mass is %g kg; it must lie in [%g, %g] or be SN_IMMOVABLE",
                      (double)mass, LEAST_MASS, MOST_MASS);
}

static sn_result check_radius(const sn_world *world, sn_real radius)
{
    if (isfinite(radius) && radius >= 0)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "radius is %g m; it must be finite and not negative", (double)radius);
}

static sn_real inverse(sn_real mass)
{
    return mass == SN_IMMOVABLE ? 0 : 1 / mass;
}

/* Checks the limit for count more particles. */
static sn_result check_limit(const sn_world *world, uint32_t count)
{
    uint64_t total = (uint64_t)world->particles.table.count + count;
    if (total > SN_MAX_COUNT)
        return world_fail(world, SN_ERROR_LIMIT, "%llu particles are more than the %u that a world can hold",
                          (unsigned long long)total, SN_MAX_COUNT);
    return SN_OK;
}

/* Finds numbers and reserves memory for count more particles. */
static sn_result reserve(sn_world *world, uint32_t count, uint32_t *first)
{
    sn_result result = check_limit(world, count);
    if (result != SN_OK)
        return result;
    uint64_t total = (uint64_t)world->particles.table.count + count;
    uint64_t room = total + bodies_rows(&world->bodies) + 1; /* also for turns, so that steps do not invalidate views */
    if (!sn_ids_find(&world->ids, &world->allocator, count, SN_MAX_COUNT, first) ||
        !sn_table_reserve(&world->particles.table, &world->allocator, room))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u more particles (%u are there)", count,
                          world->particles.table.count);
    sn_particle_store_bind(&world->particles);
    return SN_OK;
}

/* Stores a particle under a number that was taken. Memory must be reserved. */
static void store(sn_world *world, uint32_t index, const sn_particle_def *def)
{
    sn_particle_store *p = &world->particles;
    uint32_t slot = p->table.count++;
    p->x[slot] = vec4(def->position, inverse(def->mass));
    p->v[slot] = vec4(def->velocity, def->mass);
    p->v_low[slot] = vec4(vec3(0, 0, 0), 0);
    p->x_low[slot] = vec4(vec3(0, 0, 0), 0);
    p->force[slot] = vec3(0, 0, 0);
    p->radius[slot] = def->radius;
    world->contact.has_radii = world->contact.has_radii || def->radius > 0;
    p->group[slot] = def->group;
    p->user[slot] = def->user;
    p->index[slot] = index;
    p->target[slot] = 0;
    p->body[slot] = 0;
    world->ids.value[index] = slot;
    world->moves++;
    sn_world_slot_taken(world);
    sn_sleep_disturb(world, index);
}

static sn_result check_def(const sn_world *world, const sn_particle_def *def)
{
    sn_result result = sn_world_check_vector(world, "position", def->position);
    if (result == SN_OK)
        result = sn_world_check_vector(world, "velocity", def->velocity);
    if (result == SN_OK)
        result = check_mass(world, def->mass);
    return result == SN_OK ? check_radius(world, def->radius) : result;
}

sn_result sn_particle_add(sn_world *world, const sn_particle_def *def, sn_particle *particle)
{
    if (particle)
        *particle = (sn_particle){0};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL; start from sn_default_particle_def()");
    uint32_t index;
    if ((result = check_def(world, def)) != SN_OK || (result = reserve(world, 1, &index)) != SN_OK)
        return result;
    uint32_t generation = sn_ids_take(&world->ids, index, 1);
    store(world, index, def);
    if (particle)
        *particle = (sn_particle){index, generation};
    return SN_OK;
}

sn_particle sn_particle_add_at(sn_world *world, sn_vec3 position, sn_real mass)
{
    sn_particle_def def = sn_default_particle_def();
    def.position = position;
    def.mass = mass;
    sn_particle particle;
    sn_particle_add(world, &def, &particle);
    return particle;
}

/* Replaces a stride of 0 by the size of an item, and refuses a stride that is too small or not aligned. */
sn_result sn_world_check_stride(const sn_world *world, const void *data, size_t item, size_t *stride)
{
    if (!data)
        return world_fail(world, SN_ERROR_ARGUMENT, "the array is NULL");
    if (*stride == 0)
        *stride = item;
    if (*stride < item || *stride % sizeof(sn_real))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "stride is %zu bytes; it must be at least %zu and a multiple of %zu", *stride, item,
                          sizeof(sn_real));
    return SN_OK;
}

static sn_vec3 read_vector(const sn_real *data, size_t stride, uint32_t i)
{
    const sn_real *item = (const sn_real *)(const void *)((const char *)data + stride * i);
    return vec3(item[0], item[1], item[2]);
}

/* Checks all vectors of an array. The message names the first bad one. */
static sn_result check_vectors(const sn_world *world, const char *what, const sn_real *data, size_t stride,
                               uint32_t count)
{
    bool planar = world->dimensions == 2;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 value = read_vector(data, stride, i);
        if (vec3_is_finite(value) && !(planar && value.z != 0))
            continue;
        char name[48];
        snprintf(name, sizeof name, "%s %u", what, i);
        return sn_world_check_vector(world, name, value);
    }
    return SN_OK;
}

sn_particles sn_particles_add_like(sn_world *world, const sn_particle_def *like, uint32_t count, const sn_real *xyz,
                                   size_t stride)
{
    const sn_particles none = {0};
    if (sn_world_enter(world) != SN_OK)
        return none;
    if (!like || count == 0) {
        world_fail(world, SN_ERROR_ARGUMENT,
                   like ? "count is 0" : "like is NULL; start from sn_default_particle_def()");
        return none;
    }
    sn_particle_def def = *like;
    if (check_def(world, like) != SN_OK || sn_world_check_stride(world, xyz, 3 * sizeof(sn_real), &stride) != SN_OK)
        return none;
    uint32_t first; /* the limit is checked before the array is read, which in that case is surely too short */
    if (check_limit(world, count) != SN_OK || check_vectors(world, "position", xyz, stride, count) != SN_OK ||
        reserve(world, count, &first) != SN_OK)
        return none;
    uint32_t generation = sn_ids_take(&world->ids, first, count);
    for (uint32_t i = 0; i < count; ++i) {
        def.position = read_vector(xyz, stride, i);
        store(world, first + i, &def);
    }
    return (sn_particles){first, count, generation};
}

sn_particles sn_particles_add(sn_world *world, uint32_t count, const sn_real *xyz, size_t stride, sn_real mass)
{
    sn_particle_def def = sn_default_particle_def();
    def.mass = mass;
    return sn_particles_add_like(world, &def, count, xyz, stride);
}

/* ---- Splitting --------------------------------------------------------------------------------------------------- */

bool sn_particles_reserve_more(sn_world *world, uint32_t count)
{
    uint64_t room = (uint64_t)world->particles.table.count + count + bodies_rows(&world->bodies) + 1;
    if (room > SN_MAX_COUNT || !sn_ids_reserve(&world->ids, &world->allocator, count) ||
        !sn_table_reserve(&world->particles.table, &world->allocator, room))
        return false;
    sn_particle_store_bind(&world->particles);
    return true;
}

/* Copies a row of a table by particle number, if it has one. Memory must be reserved. */
static void copy_row(sn_table *table, uint32_t to, uint32_t from)
{
    if (from >= table->count)
        return;
    for (; table->count <= to; table->count++)
        memset((char *)table->column[0] + (size_t)table->count * table->width[0], 0, table->width[0]);
    sn_table_copy_row(table, to, from);
}

void sn_particle_take_share(sn_world *world, uint32_t number, sn_real mass, double share)
{
    sn_particle_store *p = &world->particles;
    uint32_t slot = world->ids.value[number];
    sn_world_weighs(world, slot, inverse(mass));
    p->x[slot].w = inverse(mass);
    p->v[slot].w = mass;
    sn_limits_touch(world, number);
    p->force[slot] = vec3_scale(p->force[slot], (sn_real)share);
    world->springs.looked = false;
    sn_history_forget(&world->history, slot);
    sn_sleep_disturb(world, number);
}

uint32_t sn_particle_copy(sn_world *world, uint32_t number, sn_real mass, double share)
{
    sn_particle_store *p = &world->particles;
    uint32_t made, slot = p->table.count++, from = world->ids.value[number];
    sn_ids_find(&world->ids, &world->allocator, 1, SN_MAX_COUNT, &made);
    sn_ids_take(&world->ids, made, 1);
    sn_table_copy_row(&p->table, slot, from);
    p->x[slot].w = inverse(mass);
    p->v[slot].w = mass;
    p->force[slot] = vec3_scale(p->force[from], (sn_real)share);
    p->index[slot] = made;
    p->body[slot] = 0;
    if (p->target[from]) { /* the new particle gets the same target */
        sn_target *target = world->target_table.column[0];
        target[world->target_table.count] = target[p->target[from] - 1];
        target[world->target_table.count].index = made;
        p->target[slot] = ++world->target_table.count;
    }
    world->ids.value[made] = slot;
    copy_row(&world->contact.rest_table, made, number);
    copy_row(&world->contact.own_place_table, made, number);
    copy_row(&world->contact.spin_table, made, number);
    copy_row(&world->rest_shape_table, made, number);
    sn_blade_sweep_insert(world, made, number, number, 0);
    world->rest_edits++;
    world->moves++;
    sn_world_slot_taken(world);
    sn_sleep_disturb(world, made);
    return made;
}

/* ---- Removing --------------------------------------------------------------------------------------------------- */

static void forget_target(sn_world *world, uint32_t slot)
{
    uint32_t row = world->particles.target[slot];
    if (!row)
        return;
    sn_target *target = world->target_table.column[0];
    target[row - 1] = target[--world->target_table.count];
    if (row - 1 < world->target_table.count)
        world->particles.target[world->ids.value[target[row - 1].index]] = row;
    world->particles.target[slot] = 0;
}

/* The last particle moves into the gap; numbers stay. */
static void remove_one(sn_world *world, uint32_t index)
{
    sn_particle_store *p = &world->particles;
    uint32_t slot = world->ids.value[index], last = p->table.count - 1, live = world->constraints.counts.live;
    sn_sleep_disturb(world, index);
    sn_incidence_remove_all(&world->incidence, &world->constraints, index);
    if (world->constraints.counts.live != live) {
        sn_world_break_motion(world); /* particles that were joined to it move freely from now on */
        if (p->x[slot].w == 0)
            sn_sleep_wake_all(world); /* things may have hung on it */
    }
    forget_target(world, slot);
    sn_contact_forget_rest(&world->contact, index);
    sn_spin_forget(world, index);
    sn_rest_forget(world, index);
    if (p->body[slot])
        sn_bodies_forget(world, p->body[slot] - 1);
    sn_world_slot_freed(world, slot);
    sn_table_copy_row(&p->table, slot, last);
    sn_history_move(&world->history, slot, last);
    world->ids.value[p->index[last]] = slot;
    p->table.count--;
    world->moves++;
    sn_ids_free(&world->ids, index);
}

static sn_result prepare_removal(sn_world *world)
{
    if (sn_incidence_prepare(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return SN_OK;
    return world_fail(world, SN_ERROR_MEMORY, "no memory to find the constraints that hold a particle");
}

sn_result sn_particle_remove(sn_world *world, sn_particle particle)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (sn_world_slot(world, particle) == SN_NO_SLOT)
        return SN_ERROR_STALE;
    if ((result = prepare_removal(world)) != SN_OK)
        return result;
    remove_one(world, particle.index);
    sn_skins_forget(world, particle.index, particle.index);
    sn_store_tidy(&world->constraints, &world->allocator);
    return SN_OK;
}

static sn_result check_run(const sn_world *world, sn_particles run)
{
    if (run.count == 0)
        return world_fail(world, SN_ERROR_STALE, "the run of particles is null");
    for (uint32_t i = 0; i < run.count; ++i)
        if (sn_world_slot(world, sn_particles_at(run, i)) == SN_NO_SLOT)
            return SN_ERROR_STALE;
    return SN_OK;
}

sn_result sn_particles_remove(sn_world *world, sn_particles run)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check_run(world, run)) != SN_OK || (result = prepare_removal(world)) != SN_OK)
        return result;
    for (uint32_t i = 0; i < run.count; ++i)
        remove_one(world, run.first + i);
    sn_skins_forget(world, run.first, run.first + (run.count - 1));
    sn_store_tidy(&world->constraints, &world->allocator);
    return SN_OK;
}

/* ---- Handles ---------------------------------------------------------------------------------------------------- */

uint32_t sn_world_slot(const sn_world *world, sn_particle particle)
{
    if (sn_ids_is_valid(&world->ids, particle.index, particle.generation))
        return world->ids.value[particle.index];
    if (particle.generation == 0)
        world_fail(world, SN_ERROR_STALE, "the particle is null");
    else
        world_fail(world, SN_ERROR_STALE, "particle %u (generation %u) does not exist (any more)", particle.index,
                   particle.generation);
    return SN_NO_SLOT;
}

bool sn_particle_is_valid(const sn_world *world, sn_particle particle)
{
    return world && sn_ids_is_valid(&world->ids, particle.index, particle.generation);
}

sn_particle sn_particle_from_index(const sn_world *world, uint32_t index)
{
    if (world && sn_ids_is_live(&world->ids, index))
        return (sn_particle){index, world->ids.generation[index]};
    if (world)
        world_fail(world, SN_ERROR_STALE, "there is no particle number %u", index);
    return (sn_particle){0};
}

uint32_t sn_world_particle_count(const sn_world *world)
{
    return world ? world->particles.table.count : 0;
}

/* ---- Reading one ------------------------------------------------------------------------------------------------ */

#define NOT_A_VECTOR vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN)

#define READER(type, name, failure, expression)                                                                        \
    type sn_particle_##name(const sn_world *world, sn_particle particle)                                               \
    {                                                                                                                  \
        uint32_t slot = world ? sn_world_slot(world, particle) : SN_NO_SLOT;                                           \
        if (slot == SN_NO_SLOT)                                                                                        \
            return failure;                                                                                            \
        const sn_particle_store *p = &world->particles;                                                                \
        return expression;                                                                                             \
    }

READER(sn_vec3, position, NOT_A_VECTOR, vec4_xyz(p->x[slot]))
READER(sn_vec3, velocity, NOT_A_VECTOR, vec4_xyz(p->v[slot]))
READER(sn_real, mass, (sn_real)NAN, p->v[slot].w)
READER(sn_real, inverse_mass, (sn_real)NAN, p->x[slot].w)
READER(sn_real, radius, (sn_real)NAN, p->radius[slot])
READER(uint32_t, group, 0, p->group[slot])
READER(uint64_t, user, 0, p->user[slot])

/* ---- Changing one ----------------------------------------------------------------------------------------------- */

/* Common start of the calls below: checks, and finds the slot. */
static sn_result begin_change(const sn_world *world, sn_particle particle, uint32_t *slot)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    *slot = sn_world_slot(world, particle);
    return *slot == SN_NO_SLOT ? SN_ERROR_STALE : SN_OK;
}

/* The same for calls that take a vector. */
static sn_result begin_vector(const sn_world *world, sn_particle particle, const char *what, sn_vec3 value,
                              uint32_t *slot)
{
    sn_result result = begin_change(world, particle, slot);
    return result == SN_OK ? sn_world_check_vector(world, what, value) : result;
}

static void set_xyz(sn_vec4 *to, sn_vec3 from)
{
    *to = vec4(from, to->w);
}

sn_result sn_particle_set_position(sn_world *world, sn_particle particle, sn_vec3 position)
{
    uint32_t slot;
    sn_result result = begin_vector(world, particle, "position", position, &slot);
    if (result != SN_OK)
        return result;
    world->moves++;
    set_xyz(&world->particles.x[slot], position);
    world->particles.x_low[slot] = vec4(vec3(0, 0, 0), 0);
    sn_world_break_motion(world);
    sn_sleep_disturb(world, particle.index);
    return SN_OK;
}

sn_result sn_particle_set_velocity(sn_world *world, sn_particle particle, sn_vec3 velocity)
{
    uint32_t slot;
    sn_result result = begin_vector(world, particle, "velocity", velocity, &slot);
    if (result != SN_OK)
        return result;
    set_xyz(&world->particles.v[slot], velocity);
    world->particles.v_low[slot] = vec4(vec3(0, 0, 0), 0);
    sn_world_break_motion(world);
    sn_sleep_disturb(world, particle.index);
    return SN_OK;
}

sn_result sn_particle_set_mass(sn_world *world, sn_particle particle, sn_real mass)
{
    uint32_t slot;
    sn_result result = begin_change(world, particle, &slot);
    if (result != SN_OK || (result = check_mass(world, mass)) != SN_OK)
        return result;
    sn_world_weighs(world, slot, inverse(mass));
    world->particles.x[slot].w = inverse(mass);
    world->particles.v[slot].w = mass;
    world->springs.looked = false;
    sn_history_forget(&world->history, slot); /* its acceleration changes abruptly */
    sn_sleep_disturb(world, particle.index);
    return SN_OK;
}

sn_result sn_particle_set_radius(sn_world *world, sn_particle particle, sn_real radius)
{
    uint32_t slot;
    sn_result result = begin_change(world, particle, &slot);
    if (result == SN_OK && (result = check_radius(world, radius)) == SN_OK) {
        world->moves++;
        world->particles.radius[slot] = radius;
        world->contact.has_radii = world->contact.has_radii || radius > 0;
        sn_sleep_disturb(world, particle.index);
    }
    return result;
}

sn_result sn_particle_set_group(sn_world *world, sn_particle particle, uint32_t group)
{
    uint32_t slot;
    sn_result result = begin_change(world, particle, &slot);
    if (result != SN_OK)
        return result;
    if (world->particles.group[slot] != group) {
        sn_contact_forget_rest(&world->contact, particle.index);
        sn_spin_forget(world, particle.index);
    }
    world->particles.group[slot] = group;
    sn_sleep_disturb(world, particle.index);
    return SN_OK;
}

sn_result sn_particle_set_user(sn_world *world, sn_particle particle, uint64_t user)
{
    uint32_t slot;
    sn_result result = begin_change(world, particle, &slot);
    if (result == SN_OK)
        world->particles.user[slot] = user;
    return result;
}

sn_result sn_particle_apply_impulse(sn_world *world, sn_particle particle, sn_vec3 impulse)
{
    uint32_t slot;
    sn_result result = begin_vector(world, particle, "impulse", impulse, &slot);
    if (result != SN_OK)
        return result;
    sn_vec4 *v = &world->particles.v[slot];
    sn_vec3 after = vec3_add(vec4_xyz(*v), vec3_scale(impulse, world->particles.x[slot].w));
    if (!vec3_is_finite(after))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "the impulse (%g, %g, %g) would give particle %u an infinite velocity", (double)impulse.x,
                          (double)impulse.y, (double)impulse.z, particle.index);
    set_xyz(v, after);
    sn_world_break_motion(world);
    sn_sleep_disturb(world, particle.index);
    return SN_OK;
}

sn_result sn_particle_apply_force(sn_world *world, sn_particle particle, sn_vec3 force)
{
    uint32_t slot;
    sn_result result = begin_vector(world, particle, "force", force, &slot);
    if (result != SN_OK)
        return result;
    sn_vec3 sum = vec3_add(world->particles.force[slot], force);
    if (!vec3_is_finite(sum))
        return world_fail(world, SN_ERROR_ARGUMENT, "the sum of the forces on particle %u would be infinite",
                          particle.index);
    world->particles.force[slot] = sum;
    world->state.forces_pending = true;
    sn_sleep_disturb(world, particle.index);
    return SN_OK;
}

/* There must be room for one more. */
static void set_target(sn_world *world, uint32_t slot, sn_vec3 place)
{
    const uint32_t index = world->particles.index[slot];
    uint32_t row = world->particles.target[slot];
    if (!row)
        row = world->particles.target[slot] = ++world->target_table.count;
    sn_world_break_motion(world);
    if (world->particles.x[slot].w != 0) /* an immovable particle wakes things by its motion */
        sn_sleep_disturb(world, index);
    ((sn_target *)world->target_table.column[0])[row - 1] = (sn_target){.index = index, .place = place};
}

sn_result sn_particle_move_to(sn_world *world, sn_particle particle, sn_vec3 target)
{
    uint32_t slot;
    sn_result result = begin_vector(world, particle, "target", target, &slot);
    if (result != SN_OK)
        return result;
    if (!sn_table_reserve(&world->target_table, &world->allocator, (uint64_t)world->target_table.count + 1))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a kinematic target");
    set_target(world, slot, target);
    return SN_OK;
}

/* ---- Many at once ----------------------------------------------------------------------------------------------- */

static sn_result check_bulk(const sn_world *world, sn_particles run, const void *data, size_t item, size_t *stride)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    sn_result result = check_run(world, run);
    return result == SN_OK ? sn_world_check_stride(world, data, item, stride) : result;
}

static sn_real *item_at(sn_real *data, size_t stride, uint32_t i)
{
    return (sn_real *)(void *)((char *)data + stride * i);
}

static sn_result read_vectors(const sn_world *world, sn_particles run, const sn_vec4 *from, sn_real *to, size_t stride)
{
    sn_result result = check_bulk(world, run, to, 3 * sizeof(sn_real), &stride);
    for (uint32_t i = 0; result == SN_OK && i < run.count; ++i) {
        sn_vec4 value = from[world->ids.value[run.first + i]];
        sn_real *item = item_at(to, stride, i);
        item[0] = value.x;
        item[1] = value.y;
        item[2] = value.z;
    }
    return result;
}

static sn_result write_vectors(sn_world *world, sn_particles run, const char *what, sn_vec4 *to, sn_vec4 *low,
                               const sn_real *from, size_t stride)
{
    sn_result result = sn_world_enter(world);
    if (result == SN_OK)
        result = check_bulk(world, run, from, 3 * sizeof(sn_real), &stride);
    if (result == SN_OK)
        result = check_vectors(world, what, from, stride, run.count);
    if (result == SN_OK && to == world->particles.x)
        world->moves++;
    for (uint32_t i = 0; result == SN_OK && i < run.count; ++i) {
        uint32_t slot = world->ids.value[run.first + i];
        set_xyz(&to[slot], read_vector(from, stride, i));
        low[slot] = vec4(vec3(0, 0, 0), 0);
        sn_world_break_motion(world);
        sn_sleep_disturb(world, run.first + i);
    }
    return result;
}

sn_result sn_particles_read_positions(const sn_world *world, sn_particles run, sn_real *xyz, size_t stride)
{
    return read_vectors(world, run, world ? world->particles.x : NULL, xyz, stride);
}

sn_result sn_particles_read_velocities(const sn_world *world, sn_particles run, sn_real *xyz, size_t stride)
{
    return read_vectors(world, run, world ? world->particles.v : NULL, xyz, stride);
}

sn_result sn_particles_write_positions(sn_world *world, sn_particles run, const sn_real *xyz, size_t stride)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    return write_vectors(world, run, "position", world->particles.x, world->particles.x_low, xyz, stride);
}

sn_result sn_particles_move_to(sn_world *world, sn_particles run, const sn_real *xyz, size_t stride)
{
    sn_result result = sn_world_enter(world);
    if (result == SN_OK && (result = check_bulk(world, run, xyz, 3 * sizeof(sn_real), &stride)) == SN_OK)
        result = check_vectors(world, "target", xyz, stride, run.count);
    if (result != SN_OK)
        return result;
    if (!sn_table_reserve(&world->target_table, &world->allocator, (uint64_t)world->target_table.count + run.count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u kinematic targets", run.count);
    for (uint32_t i = 0; i < run.count; ++i)
        set_target(world, world->ids.value[run.first + i], read_vector(xyz, stride, i));
    return SN_OK;
}

sn_result sn_particles_write_velocities(sn_world *world, sn_particles run, const sn_real *xyz, size_t stride)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    return write_vectors(world, run, "velocity", world->particles.v, world->particles.v_low, xyz, stride);
}

sn_result sn_particles_read_inverse_masses(const sn_world *world, sn_particles run, sn_real *w, size_t stride)
{
    sn_result result = check_bulk(world, run, w, sizeof(sn_real), &stride);
    for (uint32_t i = 0; result == SN_OK && i < run.count; ++i)
        *item_at(w, stride, i) = world->particles.x[world->ids.value[run.first + i]].w;
    return result;
}

sn_result sn_particles_write_inverse_masses(sn_world *world, sn_particles run, const sn_real *w, size_t stride)
{
    sn_result result = sn_world_enter(world);
    if (result == SN_OK)
        result = check_bulk(world, run, w, sizeof(sn_real), &stride);
    if (result != SN_OK)
        return result;
    for (uint32_t i = 0; i < run.count; ++i) {
        double value = (double)*item_at((sn_real *)w, stride, i);
        /* a small tolerance, so that the inverse of an allowed mass is allowed however it was rounded */
        if (value != 0 && !(value >= 0.999999 / MOST_MASS && value <= 1.000001 / LEAST_MASS))
            return world_fail(world, SN_ERROR_ARGUMENT, "inverse mass %u is %g 1/kg; it must be 0 or lie in [%g, %g]",
                              i, value, 1 / MOST_MASS, 1 / LEAST_MASS);
    }
    for (uint32_t i = 0; i < run.count; ++i) {
        uint32_t slot = world->ids.value[run.first + i];
        sn_real value = *item_at((sn_real *)w, stride, i);
        sn_world_weighs(world, slot, value);
        world->particles.x[slot].w = value;
        world->particles.v[slot].w = value == 0 ? SN_IMMOVABLE : 1 / value;
        sn_history_forget(&world->history, slot);
        sn_sleep_disturb(world, run.first + i);
    }
    world->springs.looked = false;
    return SN_OK;
}

/* ---- Views ------------------------------------------------------------------------------------------------------ */

static sn_view view(const sn_world *world, const sn_real *data)
{
    return (sn_view){data,
                     world->particles.table.count,
                     sizeof(sn_vec4),
                     world->ids.value,
                     world->ids.table.count,
                     world->particles.index};
}

sn_view sn_world_view_positions(const sn_world *world)
{
    if (!sn_world_particle_count(world))
        return (sn_view){0};
    return view(world, &world->particles.x->x);
}

sn_view sn_world_view_velocities(const sn_world *world)
{
    if (!sn_world_particle_count(world))
        return (sn_view){0};
    return view(world, &world->particles.v->x);
}

sn_view sn_world_view_inverse_masses(const sn_world *world)
{
    if (!sn_world_particle_count(world))
        return (sn_view){0};
    return view(world, &world->particles.x->w);
}
