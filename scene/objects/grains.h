/* Grains: loose balls in a box, not quite in order. */
#ifndef SN_SCENE_GRAINS_H
#define SN_SCENE_GRAINS_H

#include "scene/object.h"

typedef struct sn_grains_def {
    uint32_t columns, rows; /* along x and y; default 10 each */
    uint32_t layers;        /* along z; UINT32_MAX, the default: 10, or 1 in a 2D world */
    sn_real spacing;        /* m, between centres; NaN: a little more than two radii, or 0.1 without one */
    sn_real jitter; /* each is off its place by at most this share of the gap between two, along each axis; default 1 */
    uint32_t seed;  /* of that; default 1 */
} sn_grains_def;

sn_grains_def sn_default_grains_def(void);

extern const sn_object_type sn_object_grains;

#endif
