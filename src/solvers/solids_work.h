/* Shared by the files that make the lattices of solids. */
#ifndef SN_SOLVERS_SOLIDS_WORK_H
#define SN_SOLVERS_SOLIDS_WORK_H

#include "base/symmetric.h"
#include "solvers/hierarchy_work.h"
#include "solvers/preload.h"
#include "solvers/solids.h"

#include <string.h>

/* The fewest movable particles: with fewer, sweeps find the stress. */
#define SN_LEAST_SOLID 128u

/* The fewest rods for each particle: of tetrahedra, of lattices without tetrahedra, and of sheets. A sheet has at most
   four, or six with rods against bending. */
#define SN_SOFT_RODS    3.5
#define SN_LATTICE_RODS 6.5
#define SN_SHEET_RODS   1.5

/* The least ratio of inverse masses to compliance, times h^2: in softer sheets, sweeps find the stress. */
#define SN_SHEET_STIFF 4.0

/* Rods and tetrahedra while lattices are made. Vertices are numbered over all solids. */
typedef struct solid_rod {
    uint32_t end[2], row;
    sn_real rest, compliance, damping;
    double q[6];
} solid_rod;

typedef struct solid_tet {
    uint32_t corner[4], row;
    sn_real rest, compliance, damping;
} solid_tet;

typedef struct solid_work {
    sn_solids *s;
    const sn_solver_in *in;
    const sn_hierarchy *h;
    const sn_allocator *allocator;
    uint32_t slots;
    uint32_t *body;      /* by slot: its solid, or SN_PLAN_NONE */
    uint32_t *vertex_of; /* by slot */
    uint8_t *apart[2];   /* by row of rods and of tetrahedra: it is in no layer of the plan */
    uint8_t *mine[2];    /* by row of rods and of tetrahedra: it is in the lists */
    uint32_t *rod_start; /* by vertex: its first entry in neighbour */
    uint32_t *neighbour;
    uint32_t *node_start; /* by node of its solid: the first node in its rows of the matrix */
    uint32_t *solid_node; /* by node: the first node of its solid */
    solid_rod *rod;
    solid_tet *tet;
    bool failed;
} solid_work;

/* Zeroed memory. It is kept for the next time, in the order of the calls, so that an edit allocates nothing in a
   step. */
void *sn_solids_room(solid_work *w, size_t count, size_t size);

/* solids_lists.c: marks closed meshes, whose volume a constraint keeps, in their flags, which are `stride` numbers
   apart. */
#define SN_SOFT_CLOSED 0x40000000u
void sn_solids_mark_closed(const sn_solver_in *in, const uint32_t *mesh, uint32_t slots, uint32_t *flags,
                           size_t stride);

/* Chooses the solids; lists their particles and constraints. */
void sn_solids_choose(solid_work *w);
void sn_solids_list(solid_work *w);

/* solids_lattice.c: makes the nodes. */
void sn_solids_make_lattices(solid_work *w);

/* solids_shell.c: finds the shells. */
void sn_solids_note_shells(solid_work *w);

/* solids_matrix.c */
void sn_solids_make_matrices(solid_work *w);

#endif
