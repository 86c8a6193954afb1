/* What contacts push by that depend on each other; see surface_pushes.c. */
#ifndef SN_CONTACT_SURFACE_PUSHES_H
#define SN_CONTACT_SURFACE_PUSHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a row's own G: by this share more it is to give than it does, as contacts may say the same twice, or contradict each other. */
#define SN_PUSHES_SOFT 1e-6

/* Three rows a contact: along the normal, and two across. Lengths are in m, pushes in kg m. */
typedef struct sn_pushes {
    uint32_t count;          /* contacts */
    bool rubs;               /* otherwise only rows along normals act */
    double *matrix;          /* 1/kg: G, by row, with SN_PUSHES_SOFT */
    double *gap, *was;       /* by row: as it is, without y; what acts already */
    double *y;               /* by row, in and out: pushes besides those */
    double *hold, *drag;     /* by contact: of friction */
    double *factor;          /* scratch, as large as G, */
    double *step, *kept, *r; /*   by row, */
    double *limit;           /*   by contact, */
    uint32_t *row;           /*   and by row */
} sn_pushes;

/* enough: m, of the last change. */
void sn_pushes_find(const sn_pushes *pushes, double enough);

#endif
