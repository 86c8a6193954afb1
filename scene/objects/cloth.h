/* Cloth: a sheet from a grid, or from the triangles of a mesh file. */
#ifndef SN_SCENE_OBJECTS_CLOTH_H
#define SN_SCENE_OBJECTS_CLOTH_H

#include "scene/objects/sheet.h"

typedef struct sn_cloth_def {
    sn_real width;             /* m, along x; default 1 */
    sn_real height;            /* m, along y; default 1 */
    uint32_t columns;          /* particles along x, 2 or more; default 32 */
    uint32_t rows;             /* particles along y, 2 or more; default 32 */
    sn_bending_method bending; /* default SN_BENDING_ISOMETRIC */
    const char *mesh;          /* an OBJ or PLY file instead of the four above; default NULL */
    sn_real weld;              /* m: vertices of the mesh this near to each other become one; default 0: equal ones */
    bool by_vertex; /* rods of a grid are added vertex by vertex, not direction by direction; default false */
} sn_cloth_def;

sn_cloth_def sn_default_cloth_def(void);

extern const sn_object_type sn_object_cloth;

#endif
