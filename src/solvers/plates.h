/* Plates: sheets and lines that are stiff against bending. Their hinges are solved together, inside SN_SOLVER_TILED.

   A hinge acts on three or four neighbours. A sweep over hinges carries a bend a few particles far, and the sag of a
   sheet grows with the fourth power of its length. With sweeps, a plastic plate of 42 by 11 particles hung down like
   cloth, and so did a steel wire. With ten times as many substeps they still sagged several times too far. Here a
   substep begins with an implicit step of all hinges of a sheet at once, and sweeps leave these hinges out.

   The kind `bending` is linear: C = sum of k_i x_i, with k from the rest shape (bending.c). So its implicit step is one
   linear system. Its matrix is constant, however far the sheet bends or rotates:

       (M + h^2 S + h B) dx = -sum of k (h^2 / a C + h b (C - C0)),      S = sum of k kt / a,    B = sum of b k kt

   with a the compliance, b the damping, and C0 the value at the start of the substep. This is XPBD's row formula
   (row.h), for all hinges together. It is the same for x, y and z, so the matrix has one row for each particle, not
   three. It is factored once for each length of a substep. The k of a hinge sum to 0, so momentum is conserved. The
   force of a hinge is along C, so angular momentum is, too.

   The kinds `dihedral` and `angle` have the same k, from their triangles or sides laid flat. With the angle t, |C| = 2
   sin(t / 2), in the direction in which the fold points. Their force is (|C| t / (2 sin(t / 2)) - rest) / a in that
   direction, with the same matrix. A share of this force, half of t, is along the sides, and compresses them. Rods
   resist that. So angles are solved here if all of their sides or edges are rods that also push, or are between two
   immovable particles, and their rest angle is at most FOLDED. (Forces across the sides, as the gradients of the angle
   are, compress nothing. But they rotate with the sides, which the matrix does not include, and are unstable from w k^2
   h^2 t / a = 6 on: a steel wire with three substeps.)

   Curved wires need another matrix (plates_wires.c). The matrix above resists a change of C in all directions. A hinge
   that is curved at rest resists only along its fold: across it the wire may turn, out of its plane. In a shell rods
   prevent that. In a wire nothing does, and the matrix that is too stiff across, together with the rods, is unstable: a
   free ring of twelve rods gained energy without bound from any disturbance.

   Elimination order: nested dissection. A breadth-first search from one end of the sheet gives levels. The middle level
   cuts the sheet in two and is numbered last; both parts are then cut in the same way. The order depends on hinges
   alone, not on positions.

   Rods come after hinges: they move particles along the sheet by little, and contact comes last, as always. Plates are
   derived from constraints, masses and the rest shape (sn_rest_place). Left to sweeps are hinges that may break or tear
   or have k below 1, closed surfaces (tiled_closed.c), and sheets whose factorisation would take too long
   (MOST_WORK). */
#ifndef SN_SOLVERS_PLATES_H
#define SN_SOLVERS_PLATES_H

#include "base/dvec.h"
#include "base/rooms.h"
#include "integrators/integrator.h"
#include "solvers/plan.h"

/* A constraint of kind `bending`, `dihedral` or `angle`. Vertices are those of all plates; the fourth one of an angle
   has no weight. */
typedef struct sn_plate_hinge {
    uint32_t vertex[4];
    uint32_t points; /* 3 for an angle */
    uint32_t kind, row;
    double rest;      /* rad, for angles */
    double k[4];      /* 1/m */
    double stiffness; /* N m: 1 / compliance */
    double damping;   /* N m s: as in row.h, times compliance it is a time */
} sn_plate_hinge;

/* The least mean of w k^2 h^2 / a over the hinges of a plate: the stiffness of a hinge relative to what a sweep solves.
   For cotton it is below 0.01, for paper 1 and more. At 0.05 sweeps are accurate, at 0.5 the sag is a quarter too
   large, and at 5 six times too large. */
#define SN_PLATE_RATIO 0.1

/* The largest mean for curved rest shapes, and the same times the mean rest angle in rad: fold directions are those of the
   prediction, and so explicit. Free caps, rings, arcs and coils that are disturbed by 0.3 m/s keep their energy up to
   40 rad, with 1 to 40 substeps; a cap of five by five cells gained it at 56. A dome stands with a mean of 416,
   and trembles with 1,160. */
#define SN_PLATE_CURVED 500.0
#define SN_PLATE_FOLDED 40.0

/* rad: a smaller rest angle counts as flat. */
#define SN_PLATE_FLAT 1e-3

/* How a hinge of a wire resists, times h^2: along the direction of its fold, and across it. Both are the same if it is
   flat at rest. */
typedef struct sn_plate_bend {
    sn_dvec3 direction;
    double along, across; /* kg m^2 */
} sn_plate_bend;

typedef struct sn_plate {
    uint32_t vertex, vertices; /* in the order of elimination; immovable ones are last */
    uint32_t unknowns;         /* number of movable vertices */
    uint32_t hinge, hinges;
    uint32_t body;  /* of the plan */
    double ratio;   /* 1/s^2: mean of w k^2 / a; times h^2 see SN_PLATE_RATIO */
    double h;       /* s: the substep of its factor; 0: none */
    bool damped;    /* some of its hinges have damping */
    bool folds;     /* some of its hinges are angles */
    bool curved;    /* some of these have a rest angle */
    double most;    /* the largest ratio h^2 with which it is solved */
    bool wire;      /* curved, and all of its hinges are of kind `angle`: plates_wires.c */
    size_t block;   /* where the blocks of a wire begin */
    bool acts;      /* in this step */
    bool too_large; /* factoring would take too long */
} sn_plate;

/* Why hinges are left to sweeps. */
enum { SN_LEFT_BREAKS, SN_LEFT_EDGES, SN_LEFT_COUNT };

typedef struct sn_plates_left {
    uint32_t hinges;
    double ratio; /* sum over all: see sn_plate */
} sn_plates_left;

typedef struct sn_plates {
    bool made;        /* made for: */
    uint64_t makes;   /* this plan */
    uint64_t changes; /* these constraints */
    uint64_t edits;   /* these breakable constraints and rest shapes */
    double least_h;   /* s: shorter substeps than this */
    bool all_tear;    /* all hinges are in sheets that may tear; tears do not change that */
    bool any;         /* some act in this step */
    uint64_t taken;   /* serial of the plan for which mask is; 0: none */
    double h;         /* s: of a substep */
    uint32_t steps;   /* substeps of a step */
    sn_plates_left left[SN_LEFT_COUNT];
    uint32_t count, vertices, hinges;
    sn_plate *plate;
    sn_plate_hinge *hinge;
    uint32_t *slot; /* by vertex */
    uint32_t slots;
    uint32_t *vertex_of; /* by slot; UINT32_MAX: it is none */
    double *mass;        /* kg; 0: immovable, or held by a rigid pin (sn_hierarchy_held_by) */
    uint16_t *mask;      /* by batch: the plan's mask, without lanes of active plates */
    bool *solved;        /* by run of the plan: no lane is left to sweep */

    /* The matrix and its factor, by vertex: */
    uint32_t *near, *near_start; /* earlier vertices with a common hinge, one of both movable */
    double *near_stiff, *near_loss;
    double *stiff, *loss; /* the diagonal */
    uint32_t *parent;     /* in the elimination tree */
    size_t *column;       /* where its column of the factor begins */
    uint32_t *filled;     /* entries of that column */
    uint8_t *width;       /* 4 at the first and the last of four columns with the same structure; 1 at single columns */
    uint32_t *row;        /* rows of the entries */
    double *factor;       /* entries */
    double *pivot;

    /* The same of wires. A block is three rows of three numbers. */
    sn_plate_bend *bend;              /* by hinge */
    double (*block)[3][3];            /* entries of all wires */
    double (*inverse)[6];             /* by vertex: of the diagonal */
    double (*cross)[3][3];            /* by vertex: scratch, a row */
    uint32_t *hinge_start, *hinge_of; /* by vertex: its hinges */

    /* In a substep, by vertex: */
    double (*at)[4];    /* m */
    double (*from)[4];  /* m: at the start of the substep, for plates with damping */
    double (*push)[4];  /* kg m, then the solution in m */
    double (*moved)[4]; /* m: by this substep so far */
    sn_vec4 *mark;
    double *sum; /* scratch of factoring: a row */
    uint32_t *seen, *path, *stack;

    sn_rooms rooms;
} sn_plates;

void sn_plates_release(sn_plates *p, const sn_allocator *allocator);

/* Before a step: makes the plates if they are out of date. False when memory runs out. */
bool sn_plates_reserve(sn_plates *p, const sn_allocator *allocator, const sn_solver_in *in);

/* Before the first substep: finds which plates act. Returns whether any does. */
bool sn_plates_begin(sn_plates *p, const sn_solver_in *in);

/* After prediction, with all particles in storage: moves those of one plate. False if something is not finite. keeps:
   multipliers are read after the substep. */
bool sn_plates_load(const sn_plates *p, const sn_solver_in *in, sn_motion motion, const sn_motion_table *table,
                    uint32_t index, bool keeps);

/* plates_factor.c: plans the elimination order and reserves factors; factors for substeps of length h; and solves for
   x, in place. */
void sn_plates_plan_factors(sn_plates *p, const sn_allocator *allocator);
void sn_plates_factor(const sn_plates *p, sn_plate *plate, double h);
void sn_plates_solve(const sn_plates *p, const sn_plate *plate, double (*x)[4]);

/* Finds the columns with an entry in row v of the factor, in an order in which they can be eliminated. They are on the
   stack of the plate, from the returned index to its end. */
uint32_t sn_plates_reach(const sn_plates *p, const sn_plate *plate, uint32_t v);

/* plates_wires.c: reserves blocks, and solves for x, in place, with the matrix of the bends now. */
void sn_plates_plan_wires(sn_plates *p, const sn_allocator *allocator);
void sn_plates_solve_wire(const sn_plates *p, const sn_plate *plate, double (*x)[4]);

/* y -= (stiff * S + loss * B) x. */
void sn_plates_multiply(const sn_plates *p, const sn_plate *plate, double stiff, double loss, double (*x)[4],
                        double (*y)[4]);

/* After a step: what hinges exerted on a particle along x, y or z, times h^2, if a plate takes it for immovable. */
double sn_plates_pull(const sn_plates *p, uint32_t slot, uint32_t axis);

/* Appends the number of plates that act, and of those too large, to a text for reports. */
void sn_plates_tell(const sn_plates *p, char *text, size_t size);

/* Writes the directions of the force of an angle by its points, if a plate has it: its forces are along its fold, not
   along its gradients. */
void sn_plates_direct(const sn_plates *p, uint32_t kind, uint32_t row, sn_vec3 *gradient);

#endif
