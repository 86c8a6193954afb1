/* Particles: points with mass. */
#ifndef SINEW_PARTICLES_H
#define SINEW_PARTICLES_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A particle. The index is its number. It does not change while the particle exists, also if storage is rearranged.
   After the removal it is used again, with another generation. A zeroed handle is null. */
typedef struct sn_particle {
    uint32_t index;
    uint32_t generation;
} sn_particle;

/* A rigid body: see bodies.h. A zeroed handle is null. */
typedef struct sn_body {
    uint32_t index;
    uint32_t generation;
} sn_body;

/* A run of particles added together, with consecutive numbers. count 0 is null. */
typedef struct sn_particles {
    uint32_t first;
    uint32_t count;
    uint32_t generation;
} sn_particles;

/* The i-th particle of a run; null when i is out of range. */
static inline sn_particle sn_particles_at(sn_particles run, uint32_t i)
{
    sn_particle p = {0, 0};
    if (i < run.count) {
        p.index = run.first + i;
        p.generation = run.generation;
    }
    return p;
}

typedef struct sn_particle_def {
    sn_vec3 position; /* m; default 0 */
    sn_vec3 velocity; /* m/s; default 0 */
    sn_real mass;     /* kg, 1e-30 to 1e30, or SN_IMMOVABLE; default 1 */
    sn_real radius;   /* m, not negative; default 0 */
    uint32_t group;   /* what it collides with, and its material: see sn_group_contact; default 0 */
    uint64_t user;    /* yours; the library never looks at it */
} sn_particle_def;

/* One kilogram at rest in the origin. */
SN_API sn_particle_def sn_default_particle_def(void);

/* Adds a particle. On failure *particle is null. Views become invalid. */
SN_API sn_result sn_particle_add(sn_world *world, const sn_particle_def *def, sn_particle *particle);

/* The short form: a particle at rest. mass in kg, or SN_IMMOVABLE. Returns a null handle on failure. */
SN_API sn_particle sn_particle_add_at(sn_world *world, sn_vec3 position, sn_real mass);

/* Adds count particles at rest with the same mass. xyz holds three sn_real for each, stride bytes apart (0 means
   tightly packed; otherwise at least 3 * sizeof(sn_real) and a multiple of the alignment of sn_real). Their numbers
   are consecutive. Returns a null run, and adds none, if one of them is bad. */
SN_API sn_particles sn_particles_add(sn_world *world, uint32_t count, const sn_real *xyz, size_t stride, sn_real mass);

/* The same with velocity, mass, radius, group and user of a definition. Its position is not used. */
SN_API sn_particles sn_particles_add_like(sn_world *world, const sn_particle_def *like, uint32_t count,
                                          const sn_real *xyz, size_t stride);

/* Removes a particle and every constraint of it. Views become invalid. */
SN_API sn_result sn_particle_remove(sn_world *world, sn_particle particle);

/* Removes all particles of a run, and their constraints. Refused if one of them was already removed. */
SN_API sn_result sn_particles_remove(sn_world *world, sn_particles run);

/* Whether the handle is valid. Never an error. */
SN_API bool sn_particle_is_valid(const sn_world *world, sn_particle particle);

/* The live particle with this number; null (and an error) if there is none. */
SN_API sn_particle sn_particle_from_index(const sn_world *world, uint32_t index);

/* How many particles are alive; 0 for NULL. */
SN_API uint32_t sn_world_particle_count(const sn_world *world);

/* ---- Reading and changing one particle. Reading with a bad handle gives NaN (or 0) and an error. ------ */

SN_API sn_vec3 sn_particle_position(const sn_world *world, sn_particle particle);     /* m */
SN_API sn_vec3 sn_particle_velocity(const sn_world *world, sn_particle particle);     /* m/s */
SN_API sn_real sn_particle_mass(const sn_world *world, sn_particle particle);         /* kg; infinite when immovable */
SN_API sn_real sn_particle_inverse_mass(const sn_world *world, sn_particle particle); /* 1/kg; 0 when immovable */
SN_API sn_real sn_particle_radius(const sn_world *world, sn_particle particle);       /* m */
SN_API uint32_t sn_particle_group(const sn_world *world, sn_particle particle);
SN_API uint64_t sn_particle_user(const sn_world *world, sn_particle particle);

/* The sum of the forces of all constraints on a particle in the last substep, in N, with what limits of a stiff mesh
   exert on it (sn_settings.stiffening). For a particle that cannot move, because it has infinite mass or follows a
   target, it is the load that it holds. For others it is their mass times acceleration, without gravity and other
   forces. Contact is not included (see sn_world_contact_events), nor is shape matching, whose forces are not known. NaN
   and an error if the handle is stale. Goes through all constraints. */
SN_API sn_vec3 sn_particle_load(const sn_world *world, sn_particle particle);

/* Teleport: sets the position in m. The velocity does not change. */
SN_API sn_result sn_particle_set_position(sn_world *world, sn_particle particle, sn_vec3 position);

/* Sets the velocity in m/s. It does not move an immovable particle: the next step overwrites it with the actual
   velocity. */
SN_API sn_result sn_particle_set_velocity(sn_world *world, sn_particle particle, sn_vec3 velocity);

/* Sets the mass in kg, 1e-30 to 1e30 or SN_IMMOVABLE. */
SN_API sn_result sn_particle_set_mass(sn_world *world, sn_particle particle, sn_real mass);

/* Sets the radius in m, 0 or more: with 0 it touches static bodies and skins, not other particles. */
SN_API sn_result sn_particle_set_radius(sn_world *world, sn_particle particle, sn_real radius);

/* Sets the group, whose contact settings it then has, or the user data. */
SN_API sn_result sn_particle_set_group(sn_world *world, sn_particle particle, uint32_t group);
SN_API sn_result sn_particle_set_user(sn_world *world, sn_particle particle, uint64_t user);

/* Changes the velocity at once by impulse / mass (N s). Nothing happens to an immovable particle. */
SN_API sn_result sn_particle_apply_impulse(sn_world *world, sn_particle particle, sn_vec3 impulse);

/* Adds a force in newtons that acts during the whole next step and is then dropped. The same force in each step has
   the same effect as a force field, under every integrator. */
SN_API sn_result sn_particle_apply_force(sn_world *world, sn_particle particle, sn_vec3 force);

/* Kinematic target: during the next step the particle moves in a straight line to target, arriving at its end, and
   nothing deflects it. Its constraints follow. Afterwards movable particles are free again, with the velocity
   of this motion. Immovable ones stay there, and their velocity reads as that of the motion until the next
   step. A second call before the step replaces the first. */
SN_API sn_result sn_particle_move_to(sn_world *world, sn_particle particle, sn_vec3 target);

/* ---- Many at once, in the order of their numbers ------------------------------------------------
   Each copies between the run's particles and an array whose items are stride bytes apart (0 means tightly packed).
   Refused, and nothing changed, if a particle of the run was removed or a value is bad: the message names the first. */

SN_API sn_result sn_particles_read_positions(const sn_world *world, sn_particles run, sn_real *xyz, size_t stride);
SN_API sn_result sn_particles_read_velocities(const sn_world *world, sn_particles run, sn_real *xyz, size_t stride);
SN_API sn_result sn_particles_read_inverse_masses(const sn_world *world, sn_particles run, sn_real *w, size_t stride);

/* Teleports the run. */
SN_API sn_result sn_particles_write_positions(sn_world *world, sn_particles run, const sn_real *xyz, size_t stride);
SN_API sn_result sn_particles_write_velocities(sn_world *world, sn_particles run, const sn_real *xyz, size_t stride);

/* Kinematic targets for a run, as sn_particle_move_to. Use it for an animated mesh: immovable particles with a skin
   (sinew/contact.h), whose positions are set before every step. They have the velocity of this motion, so friction
   drags along what touches them. */
SN_API sn_result sn_particles_move_to(sn_world *world, sn_particles run, const sn_real *xyz, size_t stride);

/* 0 makes a particle immovable; otherwise 1e-30 to 1e30 per kg. */
SN_API sn_result sn_particles_write_inverse_masses(sn_world *world, sn_particles run, const sn_real *w, size_t stride);

/* ---- Views: the engine's own memory, without a copy ---------------------------------------------
   Items lie in storage order, stride bytes apart; a view of vectors has x, y, z at each item, one of scalars a single
   sn_real. Read only. A view becomes invalid when particles are added or removed (also when adding fails for lack of
   memory), at sn_world_load and at sn_world_destroy. Until then it always shows the current state. A step may move
   particles to other slots: look up slot and index again after it. */

#define SN_NO_SLOT UINT32_MAX

typedef struct sn_view {
    const sn_real *data;
    uint32_t count;        /* items, which is the number of live particles */
    size_t stride;         /* bytes from one item to the next */
    const uint32_t *slot;  /* slot[number] is where the particle with that number lies, SN_NO_SLOT if there is none */
    uint32_t slot_count;   /* numbers below this have an entry in slot */
    const uint32_t *index; /* index[slot] is the number of the particle that lies there */
} sn_view;

/* The item in a slot; NULL when there is no such slot. */
static inline const sn_real *sn_view_at(const sn_view *view, uint32_t slot)
{
    return slot < view->count ? (const sn_real *)(const void *)((const char *)view->data + view->stride * slot) : NULL;
}

/* The item of the particle with this number; NULL when there is none. */
static inline const sn_real *sn_view_find(const sn_view *view, uint32_t number)
{
    return number < view->slot_count ? sn_view_at(view, view->slot[number]) : NULL;
}

/* All zero when the world is NULL or empty. */
SN_API sn_view sn_world_view_positions(const sn_world *world);
SN_API sn_view sn_world_view_velocities(const sn_world *world);
SN_API sn_view sn_world_view_inverse_masses(const sn_world *world);

#ifdef __cplusplus
}
#endif
#endif
