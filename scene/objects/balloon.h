/* A closed surface that keeps a volume: balloons, and soft bodies as the lectures make them. */
#ifndef SN_SCENE_OBJECTS_BALLOON_H
#define SN_SCENE_OBJECTS_BALLOON_H

#include "scene/objects/sheet.h"

typedef enum sn_balloon_shape { SN_BALLOON_SPHERE, SN_BALLOON_ELLIPSOID, SN_BALLOON_CUBE } sn_balloon_shape;

typedef enum sn_balloon_method {
    SN_BALLOON_GRADIENT, /* the kind surface_volume */
    SN_BALLOON_SCALING   /* the kind surface_scaling */
} sn_balloon_method;

/* Finer shapes than this are refused. */
#define SN_BALLOON_MOST_SUBDIVISIONS 7

typedef struct sn_balloon_def {
    sn_balloon_shape shape; /* default SN_BALLOON_SPHERE */
    sn_real diameter;       /* m, of a sphere, or the edge of a cube; NaN: not given, the default, which is 1 */
    sn_vec3 diameters;      /* m, of an ellipsoid along x, y, z; NaN: not given, the default */
    uint32_t subdivisions; /* how often the 20 triangles of the sphere or the faces of the cube are halved; default 3 */
    const char *mesh;      /* an OBJ or PLY file with a closed surface instead of a shape; default NULL */
    sn_real weld;          /* m: vertices of the mesh this near to each other become one; default 0: equal ones */
    sn_real pressure;      /* the volume to be kept, as a multiple of that at rest, more than 0; default 1 */
    sn_balloon_method method;  /* how it is kept; default SN_BALLOON_GRADIENT */
    sn_bending_method bending; /* default SN_BENDING_DIHEDRAL, which keeps the shape */
} sn_balloon_def;

sn_balloon_def sn_default_balloon_def(void);

extern const sn_object_type sn_object_balloon;

#endif
