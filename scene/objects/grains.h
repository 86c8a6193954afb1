/* Grains: loose balls in a box, not quite in order. */
#ifndef SN_SCENE_GRAINS_H
#define SN_SCENE_GRAINS_H

#include "scene/object.h"

typedef struct sn_grains_def {
    uint32_t columns, rows, layers; /* along x, y, z; default 10 each */
    sn_real spacing;                /* m, between centres; NaN: a little more than two radii */
    sn_real jitter; /* each is off its place by at most this share of the gap between two, along each axis; default 1 */
    uint32_t seed;  /* of that; default 1 */
} sn_grains_def;

sn_grains_def sn_default_grains_def(void);

extern const sn_object_type sn_object_grains;

#endif
