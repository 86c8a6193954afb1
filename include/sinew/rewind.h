/* Going back in time: from stored states, which always works, and by running backwards, where the scheme allows it. */
#ifndef SINEW_REWIND_H
#define SINEW_REWIND_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Stored states -----------------------------------------------------------------------------------------------
   The latest states of a world in a fixed amount of memory, the oldest making room for the newest. Going back is bit
   exact. One rewind is used by one thread at a time. */
typedef struct sn_rewind sn_rewind;

/* Makes an empty rewind that takes at most so many bytes, all of them at once, from the world's allocator, and asks
   for no more later on. It may outlive the world, and may hold states of several worlds of one shape. NULL, with the
   reason in sn_world_error, when there is no such memory or when it would not hold a single state of the world as it
   is now (the message says how much that takes). A state takes about 110 bytes a particle and 45 a rod; of a world as it is now, so much:

       sn_snapshot *one = sn_world_save(world);
       sn_rewind *past = sn_rewind_create(world, 150 * sn_snapshot_size(one));    for 120 states and more: contacts take room, too

   and then, in every frame, sn_rewind_record before sn_world_step: sn_rewind_back(past, world, 9) is then the state ten frames ago. */
SN_API sn_rewind *sn_rewind_create(sn_world *world, size_t bytes);

/* Frees the rewind. NULL is ignored. */
SN_API void sn_rewind_destroy(sn_rewind *rewind);

/* Stores the state of the world as the newest record, dropping as many of the oldest as must go. SN_ERROR_LIMIT: the
   state alone is too large; the records stay as they were. The copy is all it costs: nothing is allocated, except
   where constraints were removed since the last save (their places in the order are swept out then). */
SN_API sn_result sn_rewind_record(sn_rewind *rewind, sn_world *world);

/* How many records there are; 0 for NULL. */
SN_API uint32_t sn_rewind_count(const sn_rewind *rewind);

/* The simulated time, in seconds, of the record `ago` records before the newest (0: the newest itself); NaN if there
   is none. */
SN_API double sn_rewind_time(const sn_rewind *rewind, uint32_t ago);

/* Loads the record `ago` records before the newest (0: the newest itself) and forgets those that are newer: it is the
   newest now, and stays, so that the next call can go back to it again. The world is put back as by sn_world_load,
   with the same conditions on the world and the same consequences for handles and views. SN_ERROR_ARGUMENT if there
   is no such record; a call that fails has forgotten nothing. */
SN_API sn_result sn_rewind_back(sn_rewind *rewind, sn_world *world, uint32_t ago);

/* The bytes that the rewind occupies, never more than it was created with; 0 for NULL. */
SN_API size_t sn_rewind_size(const sn_rewind *rewind);

/* ---- True reversal -----------------------------------------------------------------------------------------------

   Turns every velocity round, so that the next steps run back the way they came, up to rounding, if they are as long as the
   ones before were, in opposite order. Two calls in a row change nothing but what BDF2 and Verlet remember of the substep
   before, which is forgotten. The clock runs on forwards.

   It works where the scheme is symmetric in time:
     leapfrog, Verlet   without constraints: forces, springs without damping and force fields that depend on positions only
     the same with SN_GRADIENTS_START (SHAKE)   also with rods and other rigid equalities, iterated until they hold
   It does not where energy is lost or the scheme leans to one side: both Eulers and BDF2; rods with SN_GRADIENTS_CURRENT;
   compliant constraints; inequalities that were hit; damping and drag; fields that depend on time or velocity. The motion
   then goes back roughly, for a while. Use the stored states for those. */
SN_API sn_result sn_world_reverse(sn_world *world);

#ifdef __cplusplus
}
#endif
#endif
