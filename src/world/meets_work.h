/* What the two files of contact of bodies share. */
#ifndef SN_WORLD_MEETS_WORK_H
#define SN_WORLD_MEETS_WORK_H

#include "world/world.h"

#define SN_MEET_LAYERS 4u  /* manifolds of a part with a mesh or field, at most */
#define SN_MEET_FEW    32u /* so few meets of a colour are not worth sharing */

/* Where a mover is when a substep begins. */
sn_pose sn_meet_pose(const sn_world *world, const sn_mover *mover);

const sn_collider_record *sn_meet_record(const sn_world *world, uint32_t number);

/* A spot of a part, in the frame of its body. */
sn_vec3 sn_part_spot(const sn_world *world, uint32_t part, sn_vec3 spot);

/* What a point pushed at the end of the last step, times factor; untouched if there is nothing. Returns what rubbed, if that was
   asked for. */
sn_vec3 sn_meet_recall(const sn_world *world, const sn_meet *meet, sn_real factor, sn_meet_point *point);

/* A loop in small pieces. */
bool sn_meets_share(sn_world *world, uint32_t count, sn_piece_fn *piece, void *data);

#endif
