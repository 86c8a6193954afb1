/* Plates: sheets and lines that are stiff against bending. Their hinges are solved as a whole, inside SN_SOLVER_TILED.

   A hinge acts on three or four neighbours. A sweep over hinges carries a bend a few particles far, and how far a sheet sags grows with the fourth power of its length. A plastic
   plate of 42 by 11 particles hung down like cloth, and so did a steel wire. With ten times as many substeps they still sagged by several times too much. Here a substep begins with an implicit step of
   all hinges of a sheet at once, and sweeps leave these hinges out.

   The kind `bending` is linear: C = sum of k_i x_i, with k of the rest shape (bending.c). So its implicit step is one linear system whose matrix never changes, however far
   the sheet bends or turns:

       (M + h^2 S + h B) dx = -sum of k (h^2 / a C + h b (C - C0)),      S = sum of k kt / a,    B = sum of b k kt

   with a the compliance, b the damping, and C0 where the substep started. This is XPBD's own row formula (row.h), for all hinges together. It is the same for x, y and z, so the matrix has one row for each particle, not three. It
   is factored once for each length of a substep. The k of a hinge sum to 0, so momentum is kept. The force of a hinge is along C, so angular momentum is, too.

   The kinds `dihedral` and `angle` have the same k, those of their triangles or pieces laid flat. With the angle t, |C| = 2 sin(t / 2), along the direction in which the fold
   points. They exert (|C| t / (2 sin(t / 2)) - rest) / a along that, with the same matrix. A share of this force, half of t, is along the pieces, and pushes them together. Rods resist that: so angles are taken where all of their pieces
   or edges are rods, other than those that only pull, and are folded at rest by at most FOLDED. (Forces across the pieces, as gradients of the angle are, push nothing together. But they turn with the pieces, which the
   matrix does not know, and are unstable from w k^2 h^2 t / a = 6 on: a steel wire with three substeps.)

   Order of elimination: nested dissection. A breadth-first search from one end of the sheet gives levels. The middle level cuts the sheet in two and is numbered last; and so on with
   both parts. It depends on hinges alone, not on places.

   Rods come after: they move particles along the sheet by little, and contact has the last word, as always. What is here is derived from constraints, masses and the rest
   shape (sn_rest_place). Hinges that may break, tear, or are limp (k below 1) are left to sweeps, and so are closed surfaces (tiled_closed.c), and sheets so large that a factor would take too long (MOST_WORK). */
#ifndef SN_SOLVERS_PLATES_H
#define SN_SOLVERS_PLATES_H

#include "base/rooms.h"
#include "integrators/integrator.h"
#include "solvers/plan.h"

/* A constraint of kind `bending`, `dihedral` or `angle`, between vertices of all plates; the fourth one of an angle has no weight. */
typedef struct sn_plate_hinge {
    uint32_t vertex[4];
    uint32_t points; /* 3 of an angle */
    uint32_t kind, row;
    double rest;      /* rad: of an angle */
    double k[4];      /* 1/m */
    double stiffness; /* N m: 1 / compliance */
    double damping;   /* s: by the compliance */
} sn_plate_hinge;

/* Of w k^2 h^2 / a, the mean over the hinges of a sheet, at least: what a hinge asks for by what a sweep finds of it. Of cotton it is below 0.01, of paper 1 and more. Where it is
   0.05 sweeps are right, at 0.5 they sag by a quarter too much, and at 5 six times as far as they should. */
#define SN_PLATE_RATIO 0.1

/* The same, at most, of what is curved at rest: directions in which its folds point are those of the prediction, and explicit. A dome stands with 416, and trembles with 1,160. */
#define SN_PLATE_CURVED 500.0

/* rad: a rest angle of less than this is flat. */
#define SN_PLATE_FLAT 1e-3

typedef struct sn_plate {
    uint32_t vertex, vertices; /* in the order of elimination; those that are immovable come last, */
    uint32_t unknowns;         /*   and these do not */
    uint32_t hinge, hinges;
    uint32_t body;  /* of the plan */
    double ratio;   /* 1/s^2: see SN_PLATE_RATIO, times h^2 */
    double h;       /* s: of the substep that it is factored for; 0: of none */
    size_t entry;   /* its columns of the factor begin here */
    bool damped;    /* some of its hinges are, */
    bool folds;     /*   some are angles, */
    bool curved;    /*   and some of these are folded at rest */
    bool acts;      /* in this step */
    bool too_large; /* it would take too long to factor */
} sn_plate;

/* Hinges that are left to sweeps, and why. */
enum { SN_LEFT_BREAKS, SN_LEFT_EDGES, SN_LEFT_COUNT };

typedef struct sn_plates_left {
    uint32_t hinges;
    double ratio; /* of all: see sn_plate */
} sn_plates_left;

typedef struct sn_plates {
    bool made;        /* for: */
    uint64_t makes;   /*   this plan, */
    uint64_t changes; /*   these constraints, */
    uint64_t edits;   /*   what may break, */
    double least_h;   /* s: and for shorter substeps than this */
    bool all_tear;    /* all hinges are of sheets that may tear, and so will what tears leave of them */
    bool any;         /* some act in this step */
    uint64_t taken;   /* the plan whose lanes were taken out; 0: none */
    double h;         /* s: of a substep, */
    uint32_t steps;   /*   of which a step has so many */
    sn_plates_left left[SN_LEFT_COUNT];
    uint32_t count, vertices, hinges;
    sn_plate *plate;
    sn_plate_hinge *hinge;
    uint32_t *slot; /* by vertex */
    double *mass;   /* kg; 0: it is immovable */
    uint16_t *mask; /* that of the plan, without lanes of plates that act; by batch */
    bool *solved;   /* by run of the plan: nothing is left of it */

    /* The matrix and its factor, by vertex: */
    uint32_t *near, *near_start; /* those before it that share a hinge, one of both movable, */
    double *near_stiff, *near_loss;
    double *stiff, *loss; /*   and itself */
    uint32_t *parent;     /* in the tree of eliminations */
    size_t *column;       /* where its column of the factor begins, */
    uint32_t *filled;     /*   so many entries long, */
    uint8_t *width;       /*   alike for 4 columns, or 1; of the first and the last of these, */
    uint32_t *row;        /*   with these rows, */
    double *factor;       /*   and the inverse of the diagonal: */
    double *pivot;

    /* In a substep, by vertex: */
    double (*at)[4];   /* m */
    double (*from)[4]; /* m: where the substep started, of damped plates */
    double (*push)[4]; /* kg m, and then m */
    sn_vec4 *mark;
    double *sum; /* of factoring: a row */
    uint32_t *seen, *path, *stack;

    sn_rooms rooms;
} sn_plates;

void sn_plates_release(sn_plates *p, const sn_allocator *allocator);

/* Before a step: makes them if what they are made of has changed. False when memory runs out. */
bool sn_plates_reserve(sn_plates *p, const sn_allocator *allocator, const sn_solver_in *in);

/* Before the first substep: which of them act. */
bool sn_plates_begin(sn_plates *p, const sn_solver_in *in);

/* When all particles were predicted, in storage: moves those of one plate. False if something is not finite. keeps: multipliers are read after the substep. */
bool sn_plates_load(const sn_plates *p, const sn_solver_in *in, sn_motion motion, const sn_motion_table *table,
                    uint32_t index, bool keeps);

/* plates_factor.c: the order of elimination, and room for factors; the factor for substeps of length h; and the solution for what is in x, in its place. */
void sn_plates_plan_factors(sn_plates *p, const sn_allocator *allocator);
void sn_plates_factor(const sn_plates *p, sn_plate *plate, double h);
void sn_plates_solve(const sn_plates *p, const sn_plate *plate, double (*x)[4]);

/* y -= (stiff * S + loss * B) x. */
void sn_plates_multiply(const sn_plates *p, const sn_plate *plate, double stiff, double loss, double (*x)[4],
                        double (*y)[4]);

/* Adds to a text, for reports, how many act, and how many are too large. */
void sn_plates_tell(const sn_plates *p, char *text, size_t size);

#endif
