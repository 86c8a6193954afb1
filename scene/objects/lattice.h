/* The lectures' mass-spring lattice: a box, or a sheet, of particles with springs between neighbours. */
#ifndef SN_SCENE_OBJECTS_LATTICE_H
#define SN_SCENE_OBJECTS_LATTICE_H

#include "scene/object.h"

typedef enum sn_lattice_springs {
    SN_LATTICE_RODS,  /* constraints, as stiff as the stuff is */
    SN_LATTICE_FORCES /* forces, as stiff as spring_stiffness says */
} sn_lattice_springs;

typedef struct sn_lattice_def {
    sn_real width;              /* m, along x; default 1 */
    sn_real height;             /* m, along y; default 1 */
    sn_real depth;              /* m, along z, or the thickness of a single layer; default 1 */
    uint32_t columns;           /* particles along x, 2 or more; default 8 */
    uint32_t rows;              /* along y, 2 or more; default 8 */
    uint32_t layers;            /* along z; 1, which is also what fits a 2D world, makes a sheet; default 1 */
    bool body_diagonals;        /* cells get springs from corner to corner; default false */
    sn_lattice_springs springs; /* default SN_LATTICE_RODS */
    sn_real spring_stiffness;   /* N/m, of each spring that is a force; NaN: not given, the default */
    sn_real spring_damping;     /* N s/m, of each spring that is a force; NaN: not given, the default, which is 0 */
} sn_lattice_def;

sn_lattice_def sn_default_lattice_def(void);

extern const sn_object_type sn_object_lattice;

#endif
