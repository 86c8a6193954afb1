/* A bridge of planks that hang on ropes. */
#ifndef SN_SCENE_BRIDGE_H
#define SN_SCENE_BRIDGE_H

#include "scene/object.h"

typedef struct sn_bridge_def {
    uint32_t planks;  /* default 16 */
    sn_vec3 plank;    /* m: along the bridge, up, and across; default 0.25, 0.05, 1 */
    sn_real gap;      /* m: between two planks; default 0.05 */
    sn_real slack;    /* the ties between planks are longer than the gap by this share of the pitch; default 0.01 */
    sn_real rail;     /* m: the height of the hand rails; 0: there are none; default 0.8 */
    sn_real rope;     /* kg/m, of the rails; default 0.5 */
    sn_real strength; /* N: what ties planks to each other breaks at more; default 0: never */
} sn_bridge_def;

sn_bridge_def sn_default_bridge_def(void);

extern const sn_object_type sn_object_bridge;

#endif
