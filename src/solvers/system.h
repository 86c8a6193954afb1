/* The equations of all constraints at once: the Jacobian J by blocks, one for each constraint, with gradients by
   particle (the orientation of a body counts as a particle here), and the numbers of its rows. J W J^T is not formed:
   it is applied to a vector as J (W (J^T y)), which costs two walks over the blocks. Everything is double and summed in
   the order in which the constraints were added, so the result has the same bits everywhere. */
#ifndef SN_SOLVERS_SYSTEM_H
#define SN_SOLVERS_SYSTEM_H

#include "base/dvec.h"
#include "constraints/evaluate.h"

/* A constraint that takes part. */
typedef struct sn_system_block {
    uint32_t kind, row; /* in the store */
    uint32_t first;     /* its first equation */
    uint32_t rows;      /* the number of its equations */
    uint32_t count;     /* of its particles */
    uint32_t entry;     /* where its particles begin in `particle` */
    uint32_t gradient;  /* where its gradients begin in `gradient`: [gradient + r * count + i] */
} sn_system_block;

typedef struct sn_system {
    sn_table block_table, entry_table, gradient_table, row_table, particle_table, slot_table;
    uint64_t edits; /* of the store for which memory is reserved */

    sn_system_block *block;
    uint32_t *particle; /* by entry: the number of a particle among those that take part */
    sn_dvec3 *gradient;

    /* by equation */
    double *value;    /* C */
    double *rate;     /* J v */
    double *curve;    /* (dJ/dt) v */
    double *pull;     /* J a. a: the acceleration by gravity and forces, and of a spinning body the gyroscopic one */
    double *mobility; /* the diagonal of J W J^T */
    double *give;     /* added to the diagonal */
    double *scale;    /* 1 / the root of (mobility + give); 0: the equation does not take part */
    double *b;        /* the right-hand side, for the caller */
    double *lambda;   /* for the caller */
    /* The description of the row by its constraint; zero if its kind has no own_rows. */
    sn_row *means;

    /* by particle that takes part: */
    uint32_t *slot;
    uint32_t *valence; /* the number of equations that contain it */
    double *w;         /* inverse mass */
    double *strain;    /* for the caller */
    sn_dvec3 *sum;     /* J^T y */

    /* by slot: */
    uint32_t *number; /* the particle's number among those that take part */
    sn_vec4 *ahead;   /* ahead, behind: positions half a substep later and earlier, relative to x */
    sn_vec4 *behind;
} sn_system;

/* The input of the equations. */
typedef struct sn_system_in {
    const sn_store *store;
    sn_frame frame;   /* positions; d is NULL */
    const sn_vec4 *v; /* m/s */
    const sn_vec3 *f; /* N, gravity excluded */
    sn_vec3 gravity;
    double h;            /* the substep */
    uint32_t node_count; /* slots of particles and of the orientations of bodies */
} sn_system_in;

void sn_system_init(sn_system *system);
void sn_system_release(sn_system *system, const sn_allocator *allocator);

/* Reserves memory for all constraints of the store. False when memory runs out. */
bool sn_system_reserve(sn_system *system, const sn_allocator *allocator, const sn_store *store, uint32_t node_count);

/* Evaluates every constraint that has a gradient. A constraint that cannot be evaluated here is inactive, and gets no
   block. give and scale are set to 0. False if something is not finite: *fault is then the constraint. */
bool sn_system_build(sn_system *system, const sn_system_in *in, sn_system_block *fault);

/* sum = J^T y. */
void sn_system_scatter(const sn_system *system, const double *y);

/* J W sum, for one equation of a block. */
double sn_system_gather(const sn_system *system, const sn_system_block *block, uint32_t r);

/* out = S (J W J^T + give) S y, S = scale: the matrix with ones on its diagonal, in a form for krylov.h. */
void sn_system_product(const void *system, const double *y, double *out);

#endif
