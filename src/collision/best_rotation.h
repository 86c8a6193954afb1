/* The best-fit rotation of a cloud of points. */
#ifndef SN_COLLISION_BEST_ROTATION_H
#define SN_COLLISION_BEST_ROTATION_H

#include <sinew/contact.h>

/* The rotation R that minimises the sum of |b - R a|^2. sum[i][k] is the sum of a_i b_k over all points, both relative
   to their centres. The result depends only on the sums, not on an earlier result. If several are equally good, as for
   points on a line, it is one of them. If sum is 0 it is the identity. */
sn_quat sn_best_rotation(const double sum[3][3]);

#endif
