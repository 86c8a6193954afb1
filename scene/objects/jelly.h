/* A soft block that keeps its shape by shape matching. */
#ifndef SN_SCENE_JELLY_H
#define SN_SCENE_JELLY_H

#include "scene/object.h"

typedef enum sn_jelly_match { SN_JELLY_RIGID, SN_JELLY_LINEAR, SN_JELLY_QUADRATIC } sn_jelly_match;

typedef struct sn_jelly_def {
    sn_real width, height, depth;   /* m; default 1 each */
    uint32_t columns, rows, layers; /* particles along x, y, z; default 6 each */
    sn_jelly_match match;           /* default SN_JELLY_LINEAR */
    sn_real cluster;                /* m: the size of a cluster; NaN: half the longest side; 0: one cluster for all */
    sn_real firmness;               /* the stiffness k of a cluster, 0 to 1; default 0.3 */
    sn_real beta;                   /* how much of the best deformation a goal has, 0 to 1; default 0.5 */
    sn_real yield, creep, limit;    /* plasticity; NaN: as the kind has it, none */
} sn_jelly_def;

sn_jelly_def sn_default_jelly_def(void);

extern const sn_object_type sn_object_jelly;

#endif
