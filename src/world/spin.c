/* Rolling balls. A particle of a group that rolls has an angular velocity, and the inertia of a solid sphere, 2/5 m
   r^2. Only contact changes it: friction acts where two surfaces touch, and rolling resistance acts on the difference
   of the angular velocities. Stored by number, so that particles may be reordered. */
#include "contact/particle_contacts.h"

#include "base/hash.h"

#include "world/world.h"

#include <string.h>

#define INERTIA ((sn_real)2.5) /* r^2 / I, in units of the inverse mass */

static sn_vec4 *spins(const sn_world *world)
{
    return world->contact.spin_table.column[0];
}

bool sn_spin_has(const sn_world *world, uint32_t slot)
{
    const sn_particle_store *p = &world->particles;
    return p->radius[slot] > 0 && sn_contact_group(&world->contact, p->group[slot])->rolls;
}

bool sn_spin_any(const sn_world *world)
{
    const sn_group_record *group = world->contact.group_table.column[0];
    for (uint32_t i = 0; i < world->contact.group_table.count; ++i)
        if (group[i].contact.rolls)
            return true;
    return false;
}

bool sn_spin_reserve(sn_world *world)
{
    sn_table *table = &world->contact.spin_table;
    uint32_t numbers = world->ids.table.count;
    if (!sn_spin_any(world))
        return true;
    if (!sn_table_reserve(table, &world->allocator, numbers))
        return false;
    for (; table->count < numbers; table->count++)
        spins(world)[table->count] = vec4(vec3(0, 0, 0), 0);
    return true;
}

void sn_spin_forget(sn_world *world, uint32_t number)
{
    if (number < world->contact.spin_table.count)
        spins(world)[number] = vec4(vec3(0, 0, 0), 0);
}

uint64_t sn_spin_hash(uint64_t hash, const sn_world *world)
{
    for (uint32_t i = 0; i < world->contact.spin_table.count; ++i) {
        sn_vec3 spin = vec4_xyz(spins(world)[i]);
        if (spin.x != 0 || spin.y != 0 || spin.z != 0)
            hash = hash_vec3(hash_u64(hash, i), spin);
    }
    return hash;
}

/* ---- In contact -------------------------------------------------------------------------------------------------- */

static sn_vec3 *spin_at(const sn_world *world, const sn_spinning *s)
{
    return (sn_vec3 *)(void *)&spins(world)[world->particles.index[s->slot]];
}

sn_spinning sn_spin_of(const sn_world *world, uint32_t slot)
{
    const sn_particle_store *p = &world->particles;
    if (!sn_spin_has(world, slot) || p->index[slot] >= world->contact.spin_table.count || p->x[slot].w == 0)
        return (sn_spinning){.slot = slot};
    return (sn_spinning){.slot = slot, .turns = true, .radius = p->radius[slot], .w = p->x[slot].w};
}

/* The velocity of a surface point due to the ball's rotation. `to`: the direction from the centre to the point. */
static sn_vec3 surface_speed(const sn_world *world, const sn_spinning *s, sn_vec3 to)
{
    return s->turns ? vec3_scale(vec3_cross(*spin_at(world, s), to), s->radius) : vec3(0, 0, 0);
}

sn_vec3 sn_spin_slip(const sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 n)
{
    return vec3_sub(surface_speed(world, a, vec3_scale(n, -1)), surface_speed(world, b, n));
}

sn_real sn_spin_share(const sn_spinning *a, const sn_spinning *b, sn_real give)
{
    return give / (give + INERTIA * ((a->turns ? a->w : 0) + (b->turns ? b->w : 0)));
}

/* Applies a tangential impulse (N s) at the surface point in the direction `to` from the centre. */
static void twist(const sn_world *world, const sn_spinning *s, sn_vec3 to, sn_vec3 impulse)
{
    sn_vec3 *spin = spin_at(world, s);
    if (s->turns)
        *spin = vec3_add(*spin, vec3_scale(vec3_cross(to, impulse), INERTIA * s->w / s->radius));
}

void sn_spin_push(const sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 n, sn_vec3 impulse)
{
    twist(world, a, vec3_scale(n, -1), impulse);
    twist(world, b, n, vec3_scale(impulse, -1));
}

static sn_real angular_give(const sn_spinning *s)
{
    return s->turns ? INERTIA * s->w / (s->radius * s->radius) : 0;
}

static void turn(const sn_world *world, const sn_spinning *s, sn_vec3 by)
{
    if (s->turns)
        *spin_at(world, s) = vec3_add(*spin_at(world, s), vec3_scale(by, angular_give(s)));
}

static void turn_both(const sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 against)
{
    turn(world, a, vec3_scale(against, -1));
    turn(world, b, against);
}

void sn_spin_warm(const sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 *rolled, sn_real share)
{
    *rolled = vec3_scale(*rolled, share);
    turn_both(world, a, b, *rolled);
}

void sn_spin_resist(const sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_real limit, sn_vec3 *rolled)
{
    sn_real give = angular_give(a) + angular_give(b);
    if (!(give > 0))
        return;
    const sn_vec3 none = vec3(0, 0, 0);
    sn_vec3 difference = vec3_sub(a->turns ? *spin_at(world, a) : none, b->turns ? *spin_at(world, b) : none);
    sn_vec3 wanted = vec3_add(*rolled, vec3_scale(difference, 1 / give));
    sn_real much = vec3_length(wanted);
    if (much > limit)
        wanted = vec3_scale(wanted, limit / much);
    turn_both(world, a, b, vec3_sub(wanted, *rolled));
    *rolled = wanted;
}

/* ---- Calls of users ---------------------------------------------------------------------------------------------- */

sn_vec3 sn_particle_spin(const sn_world *world, sn_particle particle)
{
    uint32_t slot = world ? sn_world_slot(world, particle) : SN_NO_SLOT;
    if (slot == SN_NO_SLOT)
        return vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN);
    if (!sn_spin_has(world, slot) || particle.index >= world->contact.spin_table.count)
        return vec3(0, 0, 0);
    return vec4_xyz(spins(world)[particle.index]);
}

sn_result sn_particle_set_spin(sn_world *world, sn_particle particle, sn_vec3 spin)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    uint32_t slot = sn_world_slot(world, particle);
    if (slot == SN_NO_SLOT)
        return SN_ERROR_STALE;
    if (!vec3_is_finite(spin))
        return world_fail(world, SN_ERROR_ARGUMENT, "spin is (%g, %g, %g) rad/s; it must be finite", (double)spin.x,
                          (double)spin.y, (double)spin.z);
    if (world->dimensions == 2 && (spin.x != 0 || spin.y != 0))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "spin is (%g, %g, %g) rad/s; in a 2D world things turn about z only", (double)spin.x,
                          (double)spin.y, (double)spin.z);
    if (!sn_spin_has(world, slot))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "particle %u does not turn: it needs a radius, and a group whose contact says that it rolls",
                          particle.index);
    if (!sn_spin_reserve(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for spins");
    spins(world)[particle.index] = vec4(spin, 0);
    sn_sleep_disturb(world, particle.index);
    return SN_OK;
}
