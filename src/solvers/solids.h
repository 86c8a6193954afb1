/* Stress on a coarse lattice: what makes large soft solids as stiff as their material, inside SN_SOLVER_TILED.

   A sweep carries a correction a few particles far. A solid of many particles that starts each substep from no stress finds a twentieth of its
   stiffness in one sweep: a beam of 41 by 9 by 9 particles sagged by 690 mm where 37 are right. Here a substep begins with a stress that is right on
   the whole, and the sweep is left with what varies from particle to particle.

   The unknowns are multipliers, not places. Over the rest shape lies a lattice with about four particles from node to node. A node has
   a strain of six numbers, and a pressure. Between nodes they are interpolated linearly, and every rod and every tetrahedron exerts what they say at its first particle:

       lambda = Q s,    rod: k l n.(s n),    tetrahedron: the pressure,      s = sum over nodes of weight * s of the node

   with l and n of the rest shape, k its stiffness. Of all these the best one is taken, the one that minimises the same quadratic form that XPBD minimises one
   constraint at a time (Galerkin's way, on the dual):

       (Qt A Q) s = Qt (-C - a lambda0),     A = J W Jt + a,      a = compliance / h^2

   A depends on lengths, angles between constraints and masses, not on how the solid is turned. So Qt A Q is made from the rest shape and factored
   once, however far the solid bends or turns, as long as its strains are moderate.

   lambda then moves particles by W Jt lambda. These forces are large, and cancel at every particle. With the directions of single rods they would not: a rod that pushes would push its ends
   aside, w T h^2 / l times as far as they are out of line, which is more than one sweep can take back. So Jt is taken at places that are smooth: an affine motion around every node,
   fitted to its particles, and interpolated. Where w T h^2 / l is small, rods that are out of line do no harm, and directions are those of the constraints: forces are then the derivative
   of the energy, and a jelly that falls gains none. (With smooth directions, which are not, it gained 1 % in an impact.) Constraints are internal, so momentum is kept. Angular momentum is kept about the smooth places; of a solid that nothing holds
   the rest of it is taken out by a rotation.

   With damping, constraints have preloads (preload.h), which move particles in the same smooth directions. In these a preload may be as large as w T h^2 / l = SN_SOFT_MOST.

   Once a step it is looked at whether all of this holds: the share of s that is best along its own direction must be close to 1, and s must take away most of the residuals that it was made for.
   Where it does not (a solid that is crushed, or wrung), the solid has plain sweeps and small preloads in that step.

   Sheets have a lattice, too, if they are stiff for their masses and lie open. Their rods have no directions but along them, and unknowns of strains across them are left out. A gentle bend changes neither lengths nor angles
   between neighbours, so the matrix of the rest shape holds. A fold does: so of what the lattice says, that share is taken, in every substep, which is best by what the constraints are now. The quadratic form then falls, as it does by every projection of
   a sweep. Rods of a sheet that push make it buckle, and what they push with is bounded (SHEET_PUSH). Preloads of sheets are those of all rods. A curved sheet that is
   stiff against bending, a shell, does not buckle so soon, and carries loads by pushing: see solids_shell.c.

   A solid is what rods join, if these give, and none may break or tear; it has tetrahedra, or a rest shape that fills space. Otherwise it is a sheet. What is here is derived from the constraints, where particles
   are stored, their masses and the rest shape (sn_rest_place). */
#ifndef SN_SOLVERS_SOLIDS_H
#define SN_SOLVERS_SOLIDS_H

#include "integrators/integrator.h"
#include "solvers/hierarchy.h"

#define SN_SOFT_MODES 7    /* of a node: a strain xx, yy, zz, xy, yz, xz, and a pressure */
#define SN_SOFT_NODES 8    /* around a particle */
#define SN_SOFT_MOST  1.0f /* see above */

/* Of preloads, where the lattice is not used: w T h^2 / l is then as small as SN_PRELOAD_SOLID. */
#define SN_SOFT_CAUTION (SN_PRELOAD_SOLID / SN_SOFT_MOST)

typedef struct sn_soft {
    uint32_t vertex, vertices; /* its particles, */
    uint32_t rod, rods;
    uint32_t tet, tets;
    uint32_t body; /* of the plan */
    uint32_t node, nodes;
    uint32_t unknown, unknowns; /* those of its nodes that do anything */
    uint32_t held;              /* immovable particles */
    bool damped;                /* some of its constraints are */
    bool flat;                  /* it is a sheet: its rest shape does not fill space */
    bool shell;                 /* it is a sheet that is curved, and stiff against bending: its rods may push */
    bool begins;                /* the next substep is the first of a step */
    bool trusts;                /* in this step the lattice is used, */
    sn_real smooth;             /*   and directions are so smooth, */
    sn_real preloads;           /*   and so much of preloads, times h^2 */
    double loss;                /* mean of compliance * damping, s */
    double ratio;               /* 1/s^2: inverse masses of the ends of rods, by compliance */
    double h;                   /* s: of the substep that it is factored for; 0: of none */
    bool sound;                 /* it has a rest shape, and a lattice */
    bool acts;                  /* in this step */
} sn_soft;

/* A particle of a solid. */
typedef struct sn_soft_vertex {
    uint32_t slot;
    sn_real w;    /* when it was made */
    sn_vec3 rest; /* m: from the middle of the rest shape */
    uint32_t nodes;
    uint32_t node[SN_SOFT_NODES]; /* of the solid */
    sn_real weight[SN_SOFT_NODES];
} sn_soft_vertex;

/* Constraints of one kind as they are solved, in fours: the last four of a solid may have some that do nothing, with rows of SN_PLAN_NONE. */
typedef struct sn_soft_list {
    uint32_t *point[4]; /* vertices of all solids */
    uint32_t *row;
    sn_real *rest, *compliance, *damping;
} sn_soft_list;

typedef struct sn_soft_node {
    double place[3];   /* m: the centre of its particles in the rest shape */
    double weight;     /* of all of them */
    double inverse[6]; /* 1/m^2: of their moments about it: xx, yy, zz, xy, xz, yz */
} sn_soft_node;

#define SN_SOFT_BLOCKS 64
#define SN_SOFT_STRIDE 8 /* numbers of modes, with room for vectors of four */

typedef struct sn_solids {
    bool made;        /* for: */
    uint64_t makes;   /*   this plan, */
    uint64_t changes; /*   these constraints, */
    uint64_t edits;   /*   and these strengths and rest shapes */
    bool all_tear;    /* all rods may tear, and so will what tears leave of them: none is of a solid */
    uint32_t count, vertices, rods, tets, nodes, others;
    size_t entries;
    sn_soft *solid;
    sn_soft_vertex *vertex;
    sn_soft_list rod, tet;
    sn_real *q;           /* by rod, SN_SOFT_STRIDE each: what it exerts by unit strains */
    sn_real *off;         /* by rod, in a substep: the residual, and then the multiplier; of sheets */
    sn_visit *other;      /* constraints beside solids, whose multipliers are cleared, */
    uint32_t *other_body; /* if their body waits: */
    bool *waits;          /* by tile, of the first one of a body: preloads are left to solids, in this step */
    sn_soft_node *node;
    uint32_t *full;                  /* by unknown: which one it is among all of the solid's nodes, */
    uint32_t *start;                 /*   the first column of its row, */
    size_t *row;                     /*   and where in the matrices that row starts */
    double *inertia, *give, *factor; /* Qt J W Jt Q; Qt compliance Q; and what their sum is factored into */
    double *unknown;                 /* three times as many as nodes may have */
    sn_vec4 *near; /* by vertex and node: weight, and weight times the distance from the node in the rest shape */

    /* By vertex, in a substep: */
    sn_vec4 *at;     /* m: where it is, from the first particle of the solid; w: inverse mass */
    sn_vec4 *from;   /* m: where it was when the substep began, if the solid is damped */
    sn_vec4 *smooth; /* m: where it is, smoothed */
    sn_vec4 *push;   /* multipliers times their gradients */
    sn_vec4 *moved;  /* m: by these, in all */
    sn_real *mode;   /* SN_SOFT_STRIDE each */
    sn_vec4 *mark;
    uint32_t *list;        /* slots */
    sn_real (*motion)[12]; /* by node: the affine motion of its particles */

    void *block[SN_SOFT_BLOCKS];
    size_t block_size[SN_SOFT_BLOCKS];
    uint32_t blocks;
} sn_solids;

/* solids_shell.c: what hinges of a mesh say. */
typedef struct sn_shell_facts {
    uint32_t flags;    /* SN_SOFT_CLOSED */
    uint32_t hinges;   /* of kind dihedral, */
    double compliance; /*   1/(N m), of all of them, */
    double fold;       /*   and their angles at rest, rad, likewise */
} sn_shell_facts;

/* Adds up what there is, by the number that a slot's mesh has. SN_PLAN_NONE: it has none. */
void sn_shells_look(const sn_solver_in *in, const uint32_t *mesh, uint32_t slots, sn_shell_facts *facts);

/* Whether that is a shell, of so many particles, kg of those that can move, and rods of this mean length, m. */
bool sn_shells_is(const sn_shell_facts *facts, uint32_t particles, double mass, double length);

/* Whether a mesh with so many particles, rods that give and tetrahedra may be a solid. If not, it may be a sheet. */
bool sn_solids_may(uint32_t particles, uint32_t rods, uint32_t tets);

void sn_solids_release(sn_solids *s, const sn_allocator *allocator);

/* Before a step, when the limits of stiff meshes are made: makes them if what they are made of has changed. False when memory runs out. */
bool sn_solids_reserve(sn_solids *s, const sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in);

/* Before the first substep: those with particles that are held for other reasons than when they were made (they sleep) do without. Whether one acts. */
bool sn_solids_begin(sn_solids *s, const sn_solver_in *in);

/* Whether a sheet lies open, so that its lattice is of use. */
bool sn_solids_is_open(const sn_solids *s, const sn_solver_in *in, const sn_soft *solid);

/* When all particles were predicted, in storage: stresses and preloads of one solid. False if something is not finite. */
bool sn_solids_load(const sn_solids *s, const sn_solver_in *in, sn_motion motion, const sn_motion_table *table,
                    uint32_t index);

/* solids_factor.c: the matrix for substeps of length h; and the solution for what is in x, of all nodes, in its place. */
void sn_solids_factor(const sn_solids *s, sn_soft *solid, double h);
void sn_solids_solve(const sn_solids *s, const sn_soft *solid, double *x);

/* Multipliers of constraints beside solids, if these leave out preloads. */
void sn_solids_clear_others(const sn_solids *s, sn_store *store);

/* How many there are, and of how many particles. */
uint32_t sn_solids_count(const sn_solids *s, uint32_t *particles);

#endif
