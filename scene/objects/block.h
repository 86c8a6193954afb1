/* A solid block of tetrahedra that keep their volume, with rods along their edges. */
#ifndef SN_SCENE_OBJECTS_BLOCK_H
#define SN_SCENE_OBJECTS_BLOCK_H

#include "scene/object.h"

typedef struct sn_block_def {
    sn_real width;    /* m, along x; default 1 */
    sn_real height;   /* m, along y; default 1 */
    sn_real depth;    /* m, along z; default 1 */
    uint32_t columns; /* particles along x, 2 or more; default 6 */
    uint32_t rows;    /* along y; default 6 */
    uint32_t layers;  /* along z; default 6 */
} sn_block_def;

sn_block_def sn_default_block_def(void);

extern const sn_object_type sn_object_block;

#endif
