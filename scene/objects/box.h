/* A box: corners held by rods, each with each, so that it is rigid. */
#ifndef SN_SCENE_BOX_H
#define SN_SCENE_BOX_H

#include "scene/object.h"

/* It lies about the origin of its frame. Corner i is to the right if bit 0 of i is set, at the top if bit 1 is, and at the
   front (towards z) if bit 2 is. */
typedef struct sn_box_def {
    sn_real width;  /* m, in x; default 1 */
    sn_real height; /* m, in y; default 1 */
    sn_real depth;  /* m, in z; default 0: a flat one of four corners */
} sn_box_def;

sn_box_def sn_default_box_def(void);

extern const sn_object_type sn_object_box;

#endif
