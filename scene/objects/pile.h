/* Bodies that are about to fall on a heap. */
#ifndef SN_SCENE_PILE_H
#define SN_SCENE_PILE_H

#include "scene/object.h"

typedef enum sn_pile_shapes {
    SN_PILE_BOXES,
    SN_PILE_SPHERES,
    SN_PILE_CAPSULES,
    SN_PILE_HULLS,
    SN_PILE_MIXED
} sn_pile_shapes;

typedef struct sn_pile_def {
    uint32_t columns, rows, layers; /* default 4, 6, 4 */
    sn_pile_shapes shapes;          /* default SN_PILE_BOXES */
    sn_vec3 size;                   /* m: of a box; the first of it the diameter of a sphere; default 0.2 each */
    sn_real spacing; /* m: from middle to middle; NaN: so that none touches another, however it is turned */
    bool turned;     /* each is turned by chance; default true */
    uint32_t seed;   /* of that; default 1 */
} sn_pile_def;

sn_pile_def sn_default_pile_def(void);

extern const sn_object_type sn_object_pile;

#endif
