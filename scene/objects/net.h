/* A net: cords knotted in rows and columns, of which all fold and none stretch. */
#ifndef SN_SCENE_NET_H
#define SN_SCENE_NET_H

#include "scene/object.h"

/* It lies in the x-y plane of its frame, about the origin; the first row is the lowest. */
typedef struct sn_net_def {
    uint32_t rows;          /* of knots, 2 or more; default 11 */
    uint32_t columns;       /* of knots, 2 or more; default 11 */
    sn_real width;          /* m, in x; default 1 */
    sn_real height;         /* m, in y; default 1 */
    uint32_t cord_segments; /* pieces of the cord from knot to knot; default 1 */
} sn_net_def;

sn_net_def sn_default_net_def(void);

extern const sn_object_type sn_object_net;

#endif
