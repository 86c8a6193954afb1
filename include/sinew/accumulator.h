/* For games: steps of a fixed length under frames of any length, and poses to draw in between.

   A game draws when the screen needs a frame. A world needs steps of one length: then its motion does not depend on
   the frame rate, and the same input gives the same bits. The accumulator connects the two. Every frame adds its
   seconds, whole steps are taken out of them, and less than one step is left over. If things were drawn at the end of
   the last step, they would jerk, since some frames contain one step more than others. So they are drawn between the
   last two states, at the share `alpha` of a step that is left over:

       sn_accumulator_add(accumulator, world, seconds_of_this_frame, NULL);
       while (sn_accumulator_due(accumulator) > 0) {
           push_things(world);                                  forces and targets, which last for one step
           if (sn_accumulator_step(accumulator, world) != SN_OK)
               break;                                           sn_world_error says why
           read_events(world);                                  contacts of this step
       }
       sn_real alpha = sn_accumulator_alpha(accumulator);
       sn_accumulator_read_positions(accumulator, world, cloth, alpha, vertices, 0);
       sn_accumulator_body_pose(accumulator, world, crate, alpha, &position, &rotation);

   So the picture is between zero and one step old. Velocities are not used: nothing overshoots, and nothing is drawn
   inside of what it hit.

   Only motion by a step is interpolated. A thing that was teleported or added since, or whose world was loaded,
   rewound, relaxed, or stepped by sn_world_step, is drawn at its current position. A shift of the origin moves both
   states.

   The accumulator is not part of the world's state: it is not in snapshots or hashes. One accumulator serves one
   world, and is used by the thread that uses the world. While nothing is stepped or edited, any thread may read. */
#ifndef SINEW_ACCUMULATOR_H
#define SINEW_ACCUMULATOR_H

#include <sinew/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_accumulator sn_accumulator;

typedef struct sn_accumulator_def {
    sn_real dt;          /* s: the length of every step; positive; default 1/60 */
    uint32_t most_steps; /* the most steps that are due at once, 1 or more; default 5. Without a limit, a world that
                            takes longer to compute than the time it simulates would get more and more steps in every
                            frame */
} sn_accumulator_def;

SN_API sn_accumulator_def sn_default_accumulator_def(void);

/* Makes an empty accumulator with memory of the world's allocator; def NULL means the default. It may outlive the
   world. NULL, with the reason in sn_world_error, if dt is not a length that sn_world_step would take, if most_steps
   is 0, or without memory. */
SN_API sn_accumulator *sn_accumulator_create(sn_world *world, const sn_accumulator_def *def);

/* Frees it. NULL is ignored. */
SN_API void sn_accumulator_destroy(sn_accumulator *accumulator);

/* ---- Time ------------------------------------------------------------------------------------ */

#define SN_LONGEST_FRAME 1e9 /* s */

/* Adds the seconds of a frame. *dropped (may be NULL) gets the seconds that were dropped because more than most_steps
   would be due: usually 0, always whole steps. For slow motion pass fewer seconds, for a pause 0. Nothing else is
   lost: times are summed in double, and the rest is exact. Refused: seconds that are negative, NaN, or above
   SN_LONGEST_FRAME. */
SN_API sn_result sn_accumulator_add(sn_accumulator *accumulator, sn_world *world, double seconds, double *dropped);

/* How many steps are due; 0 for NULL. */
SN_API uint32_t sn_accumulator_due(const sn_accumulator *accumulator);

/* Takes one of the steps that are due: sn_world_step with dt. Fails as that does; the world is then as before, the
   step is still due, and the last picture can be drawn again. SN_ERROR_MEMORY: there is no memory for the earlier
   positions. SN_ERROR_ARGUMENT: no step is due. Memory is allocated only when the world has more particles or bodies
   than ever before. */
SN_API sn_result sn_accumulator_step(sn_accumulator *accumulator, sn_world *world);

/* The share of a step that is left over, 0 to 1: what to pass as alpha below. 1, the newest state, while steps are
   due; NaN for NULL. */
SN_API sn_real sn_accumulator_alpha(const sn_accumulator *accumulator);

/* Drops the time that was added, and the earlier positions: nothing is due, and everything is drawn at its current
   position. For a new level, or after a pause that should not be caught up. */
SN_API sn_result sn_accumulator_reset(sn_accumulator *accumulator, sn_world *world);

/* ---- Where things are drawn ---------------------------------------------------------------------
   alpha is 0 to 1: 0 is the state before the last step, 1 is now, both to the last bit; in between positions lie on a
   straight line, and bodies rotate evenly about their centre of mass, the shorter way round (a body that rotates by
   more than half a turn in a step seems to turn backwards, like a wheel in a film). Refused: an alpha that is NaN or
   outside of that. */

/* m; NaN and an error for a bad handle. */
SN_API sn_vec3 sn_accumulator_position(const sn_accumulator *accumulator, const sn_world *world, sn_particle particle,
                                       sn_real alpha);

/* Of a run, as sn_particles_read_positions: the vertices of a cloth, a soft body or a rope.
   Normals follow from them. */
SN_API sn_result sn_accumulator_read_positions(const sn_accumulator *accumulator, const sn_world *world,
                                               sn_particles run, sn_real alpha, sn_real *xyz, size_t stride);

/* Of all particles with numbers below count, each at the index of its number in xyz, so that indices do not change
   when particles are added or removed. Numbers without a particle are not written. All numbers are below
   sn_view.slot_count. */
SN_API sn_result sn_accumulator_read_all_positions(const sn_accumulator *accumulator, const sn_world *world,
                                                   sn_real alpha, uint32_t count, sn_real *xyz, size_t stride);

/* The frame of a body, m; either may be NULL. A mesh that belongs to the body follows from it. */
SN_API sn_result sn_accumulator_body_pose(const sn_accumulator *accumulator, const sn_world *world, sn_body body,
                                          sn_real alpha, sn_vec3 *position, sn_quat *rotation);

/* The frames of all bodies with numbers below count, each at the index of its number. Numbers without a body are not
   written. All numbers are below sn_world_body_limit. Either array may be NULL. */
SN_API sn_result sn_accumulator_read_poses(const sn_accumulator *accumulator, const sn_world *world, sn_real alpha,
                                           uint32_t count, sn_vec3 *positions, sn_quat *rotations);

#ifdef __cplusplus
}
#endif
#endif
