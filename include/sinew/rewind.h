/* Going back in time: from stored states, which always works, and by running backwards, if the integrator allows it. */
#ifndef SINEW_REWIND_H
#define SINEW_REWIND_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Stored states ------------------------------------------------------------------------------
   The latest states of a world in a fixed amount of memory. The oldest are dropped for the newest. Going back is
   exact to the bit. One rewind is used by one thread at a time. */
typedef struct sn_rewind sn_rewind;

/* Makes an empty rewind with this many bytes, all of them at once, from the world's allocator. It allocates no more
   later. It may outlive the world, and may hold states of several worlds of one shape. NULL, with the reason in
   sn_world_error, if there is not enough memory, or if it would not hold a single state of the world as it is now
   (the message says how much that takes). A state takes about 110 bytes per particle and 45 per rod. To measure it:

       sn_snapshot *one = sn_world_save(world);
       sn_rewind *past = sn_rewind_create(world, 150 * sn_snapshot_size(one));    120 states: contacts take memory, too

   Then call sn_rewind_record before sn_world_step in every frame: sn_rewind_back(past, world, 9) goes to the state
   ten frames ago. */
SN_API sn_rewind *sn_rewind_create(sn_world *world, size_t bytes);

/* Frees the rewind. NULL is ignored. */
SN_API void sn_rewind_destroy(sn_rewind *rewind);

/* Stores the state of the world as the newest record. The oldest records are dropped as needed. SN_ERROR_LIMIT: the
   state alone is too large; the records stay as they were. The cost is that of the copy. Nothing is allocated, except
   if constraints were removed since the last save (their places in the order are cleared then). */
SN_API sn_result sn_rewind_record(sn_rewind *rewind, sn_world *world);

/* How many records there are; 0 for NULL. */
SN_API uint32_t sn_rewind_count(const sn_rewind *rewind);

/* The simulated time, in seconds, of the record `ago` records before the newest (0: the newest itself); NaN if there
   is none. */
SN_API double sn_rewind_time(const sn_rewind *rewind, uint32_t ago);

/* Loads the record `ago` records before the newest (0: the newest itself) and drops those that are newer. It is the
   newest now, and stays, so that the next call can go back to it again. The world is restored as by sn_world_load,
   with the same conditions on the world and the same consequences for handles and views. SN_ERROR_ARGUMENT if there
   is no such record; a call that fails has dropped nothing. */
SN_API sn_result sn_rewind_back(sn_rewind *rewind, sn_world *world, uint32_t ago);

/* The bytes that the rewind occupies, never more than it was created with; 0 for NULL. */
SN_API size_t sn_rewind_size(const sn_rewind *rewind);

/* ---- True reversal ------------------------------------------------------------------------------

   Reverses every velocity, so that the next steps run back along the same path, up to rounding, if they have the same
   lengths as the steps before, in opposite order. Two calls in a row change nothing, except that BDF2 and Verlet lose
   their history of the substep before. The time still increases.

   It works if the scheme is symmetric in time:
     leapfrog, Verlet   without constraints: forces, undamped springs, and force fields that depend only on positions
     the same with SN_GRADIENTS_START (SHAKE)   also with rods and other rigid equalities, iterated until they hold
   It does not work if energy is lost or the scheme is not symmetric: both Eulers and BDF2; rods with
   SN_GRADIENTS_CURRENT; compliant constraints; inequalities that became active; damping and drag; fields that depend
   on time or velocity. The motion then goes back approximately, for a while. Use the stored states for those. */
SN_API sn_result sn_world_reverse(sn_world *world);

#ifdef __cplusplus
}
#endif
#endif
