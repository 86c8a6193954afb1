/* The equations of all constraints at once: the Jacobian J by blocks, one for each constraint, of gradients by
   particle (the turn of a body is one of them here), and the numbers that go with its rows. Nothing multiplies it out: J W J^T is applied to a vector as J (W
   (J^T y)), which costs two walks over the blocks, and everything is double and summed in the order in which the
   constraints were added, so the result has the same bits everywhere. */
#ifndef SN_SOLVERS_SYSTEM_H
#define SN_SOLVERS_SYSTEM_H

#include "base/dvec.h"
#include "constraints/evaluate.h"

/* One constraint that takes part. */
typedef struct sn_system_block {
    uint32_t kind, row; /* which it is in the store */
    uint32_t first;     /* its first equation */
    uint32_t rows;      /* and how many it has */
    uint32_t count;     /* of particles */
    uint32_t entry;     /* where they begin in `particle` */
    uint32_t gradient;  /* where its gradients begin: [gradient + r * count + i] */
} sn_system_block;

typedef struct sn_system {
    sn_table block_table, entry_table, gradient_table, row_table, particle_table, slot_table;
    uint64_t edits; /* of the store for which there is room */

    sn_system_block *block;
    uint32_t *particle; /* of each entry: which of the particles that take part */
    sn_dvec3 *gradient;

    /* by equation */
    double *value;    /* C */
    double *rate;     /* J v */
    double *curve;    /* (dJ/dt) v */
    double *pull;     /* J a, a the acceleration by gravity and forces, and by itself of a body that spins */
    double *mobility; /* the diagonal of J W J^T */
    double *give;     /* what is added to it */
    double *scale;    /* 1 / the root of both; 0: the equation does not take part */
    double *b;        /* the right-hand side; the caller's */
    double *lambda;   /* the caller's */
    sn_row *means;    /* what the constraint said of it; nothing, if its kind has no own_rows */

    /* by particle that takes part */
    uint32_t *slot;
    uint32_t *valence; /* of how many equations it is part */
    double *w;         /* inverse mass */
    double *strain;    /* the caller's */
    sn_dvec3 *sum;     /* J^T y */

    /* by slot */
    uint32_t *number; /* among those that take part */
    sn_vec4 *ahead;   /* where the particle will be in half a substep, and was before one, as what to add to x */
    sn_vec4 *behind;
} sn_system;

/* What the equations are made from. */
typedef struct sn_system_in {
    const sn_store *store;
    sn_frame frame;   /* positions; d is NULL */
    const sn_vec4 *v; /* m/s */
    const sn_vec3 *f; /* N, gravity excluded */
    sn_vec3 gravity;
    double h;            /* the substep */
    uint32_t node_count; /* slots of particles and turns */
} sn_system_in;

void sn_system_init(sn_system *system);
void sn_system_release(sn_system *system, const sn_allocator *allocator);

/* Makes room for all constraints of the store; false when memory runs out. */
bool sn_system_reserve(sn_system *system, const sn_allocator *allocator, const sn_store *store, uint32_t node_count);

/* Evaluates every constraint that has a gradient. One that cannot be evaluated here rests, and is not among the blocks.
   give and scale are zeroed. False if something is not finite: fault is then the constraint. */
bool sn_system_build(sn_system *system, const sn_system_in *in, sn_system_block *fault);

/* sum = J^T y. */
void sn_system_scatter(const sn_system *system, const double *y);

/* J W sum of one equation of a block. */
double sn_system_gather(const sn_system *system, const sn_system_block *block, uint32_t r);

/* out = S (J W J^T + give) S y, S = scale: the matrix with ones on its diagonal, in a form for krylov.h. */
void sn_system_product(const void *system, const double *y, double *out);

#endif
