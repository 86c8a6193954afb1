/* Boxes on boxes. */
#ifndef SN_SCENE_WALL_H
#define SN_SCENE_WALL_H

#include "scene/object.h"

typedef enum sn_bond { SN_BOND_RUNNING, SN_BOND_STACK, SN_BOND_PYRAMID } sn_bond;

typedef struct sn_wall_def {
    uint32_t columns; /* bricks in the lowest row; default 6 */
    uint32_t rows;    /* default 6 */
    uint32_t layers;  /* walls behind each other; default 1 */
    sn_vec3 brick;    /* m: its edges; default 0.4, 0.2, 0.2 */
    sn_real gap;      /* m: between bricks of a row; default 0.002 */
    sn_bond bond;     /* default SN_BOND_RUNNING */
    sn_real rounding; /* m: of edges; the brick stays as large as it is; default 0 */
} sn_wall_def;

sn_wall_def sn_default_wall_def(void);

extern const sn_object_type sn_object_wall;

#endif
