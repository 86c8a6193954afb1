/* Stress on a coarse lattice, which makes large soft solids as stiff as their material, inside SN_SOLVER_TILED.

   A sweep carries a correction a few particles far. If a solid of many particles starts each substep without stress,
   one sweep finds a twentieth of its stiffness: a beam of 41 by 9 by 9 particles sagged by 690 mm where 37 are correct.
   Here a substep begins with a stress that is correct at large scales, and the sweep only has to find what varies from
   particle to particle.

   The unknowns are multipliers, not positions. The rest shape is covered by a lattice with about four particles from
   node to node. A node has a strain of six numbers, and a pressure. Between nodes they are interpolated linearly. They
   determine the multiplier of every rod and every tetrahedron, at its first particle:

       lambda = Q s,    rod: k l n.(s n),    tetrahedron: the pressure,      s = sum over nodes of weight * s of the node

   with l and n from the rest shape, and k its stiffness. The best of all these multipliers is used: it minimises the
   quadratic form that XPBD minimises one constraint at a time (the Galerkin method, on the dual problem):

       (Qt A Q) s = Qt (-C - a lambda0),     A = J W Jt + a,      a = compliance / h^2

   A depends on lengths, angles between constraints and masses, not on the orientation of the solid. So Qt A Q is made
   from the rest shape and factored once, however far the solid bends or rotates, if its strains are moderate.

   lambda then moves particles by W Jt lambda. These forces are large, and cancel at every particle. With the directions
   of single rods they would not: a rod under compression would push its ends sideways, by w T h^2 / l times their
   misalignment, more than one sweep can correct. So Jt is taken at smoothed positions: an affine motion around every
   node, fitted to its particles, and interpolated. Where w T h^2 / l is small, misaligned rods do no harm, and
   directions are those of the constraints. Forces are then the derivative of the energy, and a falling jelly gains
   none. (With smooth directions, for which that is not so, it gained 1 % in an impact.) Constraints are internal, so
   momentum is conserved. Angular momentum is conserved about the smoothed positions; for a solid without immovable
   particles, the rest of it is removed by a rotation.

   With damping, constraints have preloads (preload.h), which move particles in the same smooth directions. Then a
   preload may be as large as w T h^2 / l = SN_SOFT_MOST.

   Once a step the assumptions are checked: the optimal factor of s along its own direction must be close to 1, and s
   must remove most of the residuals from which it was computed. Otherwise (in a solid that is crushed, or wrung) the
   solid has plain sweeps and small preloads in that step.

   Sheets have a lattice, too, if they are stiff for their masses and lie open. Their rods only have directions along
   them, and unknowns for strains across them are left out. A gentle bend changes neither lengths nor angles between
   neighbours, so the matrix of the rest shape stays valid. A fold does. So in every substep the lattice's result is
   scaled by its optimal factor, computed with the present constraints. Then the quadratic form decreases, as it does by
   every projection of a sweep. Rods of a sheet under compression make it buckle, so their force is bounded
   (SHEET_PUSH). Preloads of sheets are those of all rods. A curved sheet that is stiff against bending, a shell, does
   not buckle so soon, and carries loads by compression: see solids_shell.c.

   A solid is a set of particles joined by compliant rods, none of which may break or tear. It has tetrahedra, or a rest
   shape that fills space. Otherwise it is a sheet. Lattices are derived from the constraints, the order of storage,
   masses and the rest shape (sn_rest_place). */
#ifndef SN_SOLVERS_SOLIDS_H
#define SN_SOLVERS_SOLIDS_H

#include "integrators/integrator.h"
#include "solvers/hierarchy.h"

#define SN_SOFT_MODES 7    /* of a node: a strain xx, yy, zz, xy, yz, xz, and a pressure */
#define SN_SOFT_NODES 8    /* around a particle, at most */
#define SN_SOFT_MOST  1.0f /* see above */

/* Factor of preloads where the lattice is not used: w T h^2 / l is then at most SN_PRELOAD_SOLID. */
#define SN_SOFT_CAUTION (SN_PRELOAD_SOLID / SN_SOFT_MOST)

typedef struct sn_soft {
    uint32_t vertex, vertices; /* its particles */
    uint32_t rod, rods;
    uint32_t tet, tets;
    uint32_t body; /* of the plan */
    uint32_t node, nodes;
    uint32_t unknown, unknowns; /* unknowns of its nodes that have an effect */
    uint32_t held;              /* number of immovable particles */
    bool damped;                /* some of its constraints have damping */
    bool flat;                  /* it is a sheet: its rest shape does not fill space */
    bool shell;                 /* it is a curved sheet that is stiff against bending: its rods may push */
    bool begins;                /* the next substep is the first of a step */
    bool trusts;                /* the lattice is used in this step */
    sn_real smooth;             /* weight of smooth directions in this step, 0 to 1 */
    sn_real preloads;           /* factor of preloads in this step, times h^2 */
    double loss;                /* mean of compliance * damping, s */
    double ratio;               /* 1/s^2: sum of inverse masses of the ends of rods / sum of their compliances */
    double h;                   /* s: the substep of its factor; 0: none */
    bool sound;                 /* it has a valid rest shape, and a lattice */
    bool acts;                  /* in this step */
} sn_soft;

/* A particle of a solid. */
typedef struct sn_soft_vertex {
    uint32_t slot;
    sn_real w;    /* when the lattice was made */
    sn_vec3 rest; /* m, relative to the middle of the rest shape */
    uint32_t nodes;
    uint32_t node[SN_SOFT_NODES]; /* of the solid */
    sn_real weight[SN_SOFT_NODES];
} sn_soft_vertex;

/* Constraints of one kind, in groups of four. The last four of a solid may contain unused ones, with row
   SN_PLAN_NONE. */
typedef struct sn_soft_list {
    uint32_t *point[4]; /* vertices of all solids */
    uint32_t *row;
    sn_real *rest, *compliance, *damping;
} sn_soft_list;

typedef struct sn_soft_node {
    double place[3];   /* m: the weighted centre of its particles in the rest shape */
    double weight;     /* sum over its particles */
    double inverse[6]; /* 1/m^2: the inverse of their second moments about it: xx, yy, zz, xy, xz, yz */
} sn_soft_node;

#define SN_SOFT_BLOCKS 64
#define SN_SOFT_STRIDE 8 /* numbers of modes, padded for vectors of four */

typedef struct sn_solids {
    bool made;        /* made for: */
    uint64_t makes;   /* this plan */
    uint64_t changes; /* these constraints */
    uint64_t edits;   /* these strengths and rest shapes */
    bool all_tear;    /* all rods may tear or break, so none is in a solid; tears do not change that */
    uint32_t count, vertices, rods, tets, nodes, others;
    size_t entries;
    sn_soft *solid;
    sn_soft_vertex *vertex;
    uint32_t *vertex_of, slots; /* by slot, of the plan: the vertex, if it has this slot */
    sn_soft_list rod, tet;
    sn_real *q;           /* by rod, SN_SOFT_STRIDE each: its multiplier for unit strains */
    sn_real *off;         /* by rod, in a substep: the residual, then for sheets the multiplier */
    sn_visit *other;      /* constraints beside solids, whose multipliers are cleared */
    uint32_t *other_body; /* by other: cleared if this body waits */
    bool *waits;          /* by tile, for the first tile of a body: preloads are left to solids in this step */
    sn_soft_node *node;
    uint32_t *full;                  /* by unknown: its number among all unknowns of the solid's nodes */
    uint32_t *start;                 /* by unknown: the first column of its row */
    size_t *row;                     /* by unknown: where its row starts in the matrices */
    double *inertia, *give, *factor; /* Qt J W Jt Q; Qt compliance Q; and the factor of their sum */
    double *unknown;                 /* three times the largest number of unknowns */
    /* By vertex and node: the weight, and the weight times the vector from the node in the rest shape. */
    sn_vec4 *near;

    /* By vertex, in a substep: */
    sn_vec4 *at;     /* m: position, relative to the first particle of the solid; w: inverse mass */
    sn_vec4 *from;   /* m: position at the start of the substep, for solids with damping */
    sn_vec4 *smooth; /* m: smoothed position */
    sn_vec4 *push;   /* sum of multipliers times gradients */
    sn_vec4 *moved;  /* m: the displacement by these */
    sn_real *mode;   /* SN_SOFT_STRIDE each */
    sn_vec4 *mark;
    uint32_t *list;        /* slots */
    sn_real (*motion)[12]; /* by node: the affine motion of its particles */

    void *block[SN_SOFT_BLOCKS];
    size_t block_size[SN_SOFT_BLOCKS];
    uint32_t blocks;
} sn_solids;

/* solids_shell.c: facts about the hinges of a mesh. */
typedef struct sn_shell_facts {
    uint32_t flags;    /* SN_SOFT_CLOSED */
    uint32_t hinges;   /* number of hinges of kind dihedral */
    double compliance; /* 1/(N m), sum over hinges */
    double fold;       /* rad, sum of rest angles over hinges */
} sn_shell_facts;

/* Adds the facts of all meshes; mesh, by slot: its number, or SN_PLAN_NONE. */
void sn_shells_look(const sn_solver_in *in, const uint32_t *mesh, uint32_t slots, sn_shell_facts *facts);

/* Whether a mesh with these facts is a shell. mass: kg, of movable particles; length: the mean length of rods, m. */
bool sn_shells_is(const sn_shell_facts *facts, uint32_t particles, double mass, double length);

/* Whether a mesh with these numbers of particles, compliant rods and tetrahedra may be a solid. If not, it may be a
   sheet. */
bool sn_solids_may(uint32_t particles, uint32_t rods, uint32_t tets);

void sn_solids_release(sn_solids *s, const sn_allocator *allocator);

/* Before a step, after the limits of stiff meshes: makes the lattices if they are out of date. False when memory runs
   out. */
bool sn_solids_reserve(sn_solids *s, const sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in);

/* Before the first substep: chooses the lattices that act. A lattice does not if its immovable particles are others
   than when it was made (some sleep). Returns whether any acts. */
bool sn_solids_begin(sn_solids *s, const sn_solver_in *in);

/* Whether a sheet lies open, so that its lattice is of use. */
bool sn_solids_is_open(const sn_solids *s, const sn_solver_in *in, const sn_soft *solid);

/* After prediction, with all particles in storage: applies the stress and preloads of one solid. False if something is
   not finite. */
bool sn_solids_load(const sn_solids *s, const sn_solver_in *in, sn_motion motion, const sn_motion_table *table,
                    uint32_t index);

/* solids_factor.c: factors the matrix for substeps of length h; and solves for x, of all nodes, in place. */
void sn_solids_factor(const sn_solids *s, sn_soft *solid, double h);
void sn_solids_solve(const sn_solids *s, const sn_soft *solid, double *x);

/* Clears the multipliers of constraints beside solids, whose preloads are left out. */
void sn_solids_clear_others(const sn_solids *s, sn_store *store);

/* Moves the points of a constraint to where the last substep took the directions of its force, if it is in a solid. */
void sn_solids_smooth(const sn_solids *s, const uint32_t *slot, uint32_t points, sn_vec3 *x);

/* The number of lattices that act, and of their particles. */
uint32_t sn_solids_count(const sn_solids *s, uint32_t *particles);

#endif
