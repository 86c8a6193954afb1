/* Many worlds: thousands of small worlds that are stepped together, for learning, fitting and searching.

   Each of them is a world like any other: sn_worlds_at returns it, and every call works on it. A step gives it the
   same bits as sn_world_step alone, for any number of threads and whatever the other worlds do. Each world is stepped
   by one thread, and threads take worlds as they become free.

   Side by side. Worlds that are built alike, and differ only in positions, velocities and forces, are stepped as one,
   in the lanes of the vector instructions: 2 to 20 times less work (docs/worlds.md). This is automatic for worlds of
   particles and constraints with SN_SOLVER_TILED in single precision: without bodies, radii, force fields, drags,
   springs that are forces, kinds and callbacks of your own, breakable constraints, BDF2, a tolerance or a profile. A
   world that an edit makes different is stepped alone, and joins the others again when it is like them. Results do
   not depend on it: sn_worlds_def.side_by_side turns it off, to compare.

   One thread at a time uses an sn_worlds and all of its worlds, as with one world. */
#ifndef SINEW_WORLDS_H
#define SINEW_WORLDS_H

#include <sinew/bodies.h>
#include <sinew/constraints.h>
#include <sinew/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_worlds sn_worlds;

/* Fills an empty world. number is its number, so that worlds can differ. A result other than SN_OK ends
   sn_worlds_create, which returns it. It is called for one world after the other, on the calling thread. */
typedef sn_result sn_worlds_build_fn(void *context, sn_world *world, uint32_t number);

/* More worlds than this are refused. */
#define SN_WORLDS_MOST 1000000u

typedef struct sn_worlds_def {
    uint32_t count; /* 1 to SN_WORLDS_MOST; default 1 */
    /* The definition of every world; default sn_default_world_def(). Its threads and tasks are not used: each world
       has one thread. Its log gets the messages of all worlds, one thread at a time, those of failing steps with the
       text of sn_worlds_error. Its allocator must be safe to call from several threads at once. */
    sn_world_def world;
    sn_worlds_build_fn *build; /* needed */
    void *context;
    uint32_t threads;  /* the calling one included, at most 256; default 0: one for each core that this process may use,
                         at most 64 */
    sn_tasks tasks;    /* your own threads instead; see sn_tasks */
    bool side_by_side; /* default true */
} sn_worlds_def;

/* One world with the defaults of sn_default_world_def. Always start from this. */
SN_API sn_worlds_def sn_default_worlds_def(void);

/* Makes the worlds and builds each. On failure *worlds is NULL, nothing is left behind, and the reason, with the
   number of the world, goes to def->world.log. */
SN_API sn_result sn_worlds_create(const sn_worlds_def *def, sn_worlds **worlds);

/* Frees all of them. NULL is ignored, and so, with an error logged, is a call from inside a callback of one of the
   worlds. */
SN_API void sn_worlds_destroy(sn_worlds *worlds);

/* Why the last call failed, with the number of the world if it was one; "" as long as none did. Valid until the next
   call. */
SN_API const char *sn_worlds_error(const sn_worlds *worlds);

/* How many; 0 for NULL. And how many were stepped side by side in the last step. */
SN_API uint32_t sn_worlds_count(const sn_worlds *worlds);
SN_API uint32_t sn_worlds_beside_count(const sn_worlds *worlds);

/* One of them; NULL, and an error, if there is none of that number. It is valid as long as `worlds`: sn_world_destroy
   refuses it. Any call may be made on it between steps, also sn_world_step, but not sn_world_set_threads: such a
   world has no threads of its own. */
SN_API sn_world *sn_worlds_at(sn_worlds *worlds, uint32_t number);

/* Steps every world by dt (s). A world whose step fails stays as it was, and the others are stepped. The result is
   then that of the failing world with the lowest number, and sn_worlds_error has its number and the reason. Nothing
   is allocated once all worlds have been stepped a few times and nothing was added to them since. */
SN_API sn_result sn_worlds_step(sn_worlds *worlds, sn_real dt);

/* Several steps in one call, with the same bits as this number of calls of sn_worlds_step. It is faster: worlds that
   are side by side stay so, and threads wait for each other only at the end. actions: as for sn_worlds_act, applied
   before each of the steps (learning calls that action repeat, or frame skip); NULL: none. Forces that were applied
   before the call act in the first step only. 0 steps do nothing.

   A world whose step fails stays as it was before that step and takes none of those that follow; the others take all.
   The result is that of the failing world with the lowest number, and sn_worlds_error has that number, the number of
   the step, from 1, and the reason. If an action is refused before the first step, no step is taken: see
   sn_worlds_act. Later, a world that refuses one fails. */
SN_API sn_result sn_worlds_step_many(sn_worlds *worlds, sn_real dt, uint32_t steps, const sn_real *actions);

/* The result of the last step of one world; SN_OK before the first. */
SN_API sn_result sn_worlds_result(const sn_worlds *worlds, uint32_t number);

/* ---- Going back ---------------------------------------------------------------------------------
   A world goes back to its kept state: by default the one after it was built. That is its whole state, also the time,
   as sn_world_load restores it. sn_world_load with any snapshot of a world that was built alike works, too. */

/* Keeps the current state of a world. */
SN_API sn_result sn_worlds_keep(sn_worlds *worlds, uint32_t number);

/* Puts worlds back: those whose flag is not 0. There is a flag for each world; NULL: all. */
SN_API sn_result sn_worlds_reset(sn_worlds *worlds, const uint8_t *flags);

/* ---- Arrays: observations and actions -----------------------------------------------------------
   A channel is a quantity of a thing that each world has, with the same number: a particle, a body, a joint. A list
   of channels makes a row of numbers for a world, one channel after the other, and the rows of all worlds make an
   array. */

typedef enum sn_channel_type {
    /* to observe */
    SN_CHANNEL_POSITION = 0,  /* m: of particles; 3 each */
    SN_CHANNEL_VELOCITY,      /* m/s: of particles; 3 each */
    SN_CHANNEL_BODY_POSITION, /* m: 3 */
    SN_CHANNEL_BODY_ROTATION, /* a quaternion x, y, z, w: 4 */
    SN_CHANNEL_BODY_VELOCITY, /* m/s: 3 */
    SN_CHANNEL_BODY_SPIN,     /* rad/s: 3 */
    SN_CHANNEL_JOINT_ANGLE,   /* rad: see sn_joint_angle; 1 */
    SN_CHANNEL_JOINT_WAY,     /* m: see sn_joint_way; 1 */
    SN_CHANNEL_TENSION,       /* N: sn_constraint_force.magnitude, in the last substep; 1 */
    SN_CHANNEL_TIME,          /* s: 1 */
    /* to act */
    SN_CHANNEL_FORCE,      /* N on particles during the next step: 3 each; see sn_particle_apply_force */
    SN_CHANNEL_BODY_FORCE, /* N on the centre of mass of a body during the next step: 3 */
    SN_CHANNEL_TORQUE,     /* N m on a body during the next step: 3 */
    SN_CHANNEL_MOVE_TO,    /* m: kinematic targets of particles for the next step: 3 each; see sn_particle_move_to */
    SN_CHANNEL_MOTOR, /* rad/s or m/s: the speed of the motor of a joint; 1. sn_channel.most is its largest force */
    SN_CHANNEL_SET_POSITION, /* m: teleports particles: 3 each */
    SN_CHANNEL_SET_VELOCITY, /* m/s: of particles: 3 each */
    SN_CHANNEL_COUNT
} sn_channel_type;

typedef struct sn_channel {
    sn_channel_type type;
    sn_particles particles; /* for channels of particles: the whole run; one particle is a run of one, see sn_run_of */
    sn_body body;           /* for channels of bodies */
    sn_constraint constraint; /* for joints and tensions */
    uint32_t axes; /* bits of the numbers of each 3 or 4 that are used: 1 for x, 2 for y, 4 for z; 0: all. In an action
                      the others are 0; of a position, a target or a velocity they keep their value */
    sn_real most;  /* SN_CHANNEL_MOTOR: N m or N */
} sn_channel;

/* A run of one particle. */
static inline sn_particles sn_run_of(sn_particle particle)
{
    sn_particles run;
    run.first = particle.index;
    run.count = particle.generation ? 1 : 0;
    run.generation = particle.generation;
    return run;
}

/* Sets the channels that sn_worlds_observe reads and sn_worlds_act writes; count 0 removes them. The handles may be
   those of any of the worlds, if all were built in the same order. Refused, with the number of the channel and of the
   world: a thing that a world does not have, an action among observations or the reverse. The channels are copied. */
SN_API sn_result sn_worlds_set_observations(sn_worlds *worlds, const sn_channel *channels, uint32_t count);
SN_API sn_result sn_worlds_set_actions(sn_worlds *worlds, const sn_channel *channels, uint32_t count);

/* Numbers in a row of each array: 0 without channels. */
SN_API uint32_t sn_worlds_observation_size(const sn_worlds *worlds);
SN_API uint32_t sn_worlds_action_size(const sn_worlds *worlds);

/* Writes the observations of all worlds: `numbers` has room for the count of worlds times the size of a row. If a
   thing was removed from a world, the call fails and names it; the array is then written in part. */
SN_API sn_result sn_worlds_observe(sn_worlds *worlds, sn_real *numbers);

/* Applies the actions of its row to each world. Numbers that are NaN or infinite, or along z in a 2D world, are
   refused before anything is done. An action that one world refuses, such as the motor of a joint that was removed,
   is left out there, done in all others, and reported. */
SN_API sn_result sn_worlds_act(sn_worlds *worlds, const sn_real *numbers);

#ifdef __cplusplus
}
#endif
#endif
