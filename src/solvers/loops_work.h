/* Shared by loops.c and loops_solve.c. */
#ifndef SN_SOLVERS_LOOPS_WORK_H
#define SN_SOLVERS_LOOPS_WORK_H

#include "solvers/forest_work.h"
#include "solvers/loops.h"

/* The numbers of a constraint, by row; see sn_forest_rows. */
typedef struct loop_row {
    double rhs, diagonal, gives; /* diagonal: as specified; gives: including softness */
    double least, turn, lambda0, lambda;
    double length; /* of the gradient */
    double left;   /* the rest of rhs after the solves so far */
} loop_row;

typedef struct loop_numbers {
    loop_row *row;
    double (*gradient)[3]; /* [row * count + node] */
    double (*bend)[6];     /* the same, of rotations */
    double *kappa, *used;  /* one of each; kappa of the last solve was `used` */
} loop_numbers;

static inline uint64_t loop_numbers_size(uint32_t rows, uint32_t count)
{
    return rows * (sizeof(loop_row) / sizeof(double) + 9 * (uint64_t)count) + 2;
}

static inline loop_numbers loop_numbers_at(double *at, const sn_loop_tie *tie)
{
    double *gradient = at + tie->rows * (sizeof(loop_row) / sizeof(double));
    double *bend = gradient + 3 * (size_t)tie->rows * tie->count, *kappa = bend + 6 * (size_t)tie->rows * tie->count;
    return (loop_numbers){(loop_row *)(void *)at, (double(*)[3])gradient, (double(*)[6])bend, kappa, kappa + 1};
}

#endif
