/* Impulses of contacts that depend on each other; see surface_pushes.c. */
#ifndef SN_CONTACT_SURFACE_PUSHES_H
#define SN_CONTACT_SURFACE_PUSHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Relative to the diagonal of G: regularisation, because contacts may be redundant or contradict each other. */
#define SN_PUSHES_SOFT 1e-6

/* Three rows for each contact: one along the normal, two across it. Lengths are in m, impulses in kg m. */
typedef struct sn_pushes {
    uint32_t count;                             /* contacts */
    bool tangential;                            /* friction acts; otherwise only the rows along normals do */
    double *matrix;                             /* 1/kg: G, by row, with SN_PUSHES_SOFT on its diagonal */
    double *gap, *was;                          /* by row: the gap without y; the impulse that acts already */
    double *y;                                  /* by row, in and out: the additional impulse */
    double *static_friction, *dynamic_friction; /* by contact: static and dynamic friction */
    double *factor;                             /* scratch, as large as G */
    double *step, *kept, *r;                    /* scratch, by row */
    double *limit;                              /* scratch, by contact */
    uint32_t *row;                              /* scratch, by row */
} sn_pushes;

/* enough: m, sweeps stop when no contact changes by more. */
void sn_pushes_find(const sn_pushes *pushes, double enough);

#endif
