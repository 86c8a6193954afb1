/* How a cloud of points has turned. */
#ifndef SN_COLLISION_BEST_TURN_H
#define SN_COLLISION_BEST_TURN_H

#include <sinew/contact.h>

/* The rotation that takes points a to points b as well as any can: the least sum of |b - R a|^2. sum[i][k] is the sum of a_i b_k
   over all points, both seen from their centres. It depends on the sums alone, not on an earlier answer. If several are as good,
   as for points on a line, it is one of them; of nothing it is none at all. */
sn_quat sn_best_turn(const double sum[3][3]);

#endif
