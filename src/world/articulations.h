/* Articulations: bodies that joints connect; see articulations.c. */
#ifndef SN_WORLD_ARTICULATIONS_H
#define SN_WORLD_ARTICULATIONS_H

#include "base/memory.h"
#include "bodies/turning.h"
#include "solvers/solver.h"

#include <stdbool.h>

struct sn_world;

/* The two points that a pivot keeps in one place. */
typedef struct sn_pivot_ends {
    uint32_t anchor[2]; /* anchors; that of the first point where the second one is none */
    uint32_t body[2];   /* rows; SN_ID_FREE: not points of a body */
    bool moves[2];      /* those of movable bodies */
    bool hinge;         /* its rows hold everything but the rotation about one axis */
    bool holds;         /* contact may hold it: both are points of bodies or of the world, and it is not compliant */
} sn_pivot_ends;

/* The pivots of an articulation: constraints of kinds with a pivot, and its bodies. */
typedef struct sn_pivots {
    const uint32_t *member; /* rows of its bodies */
    uint32_t members;
    const sn_visit *pivot;
    const sn_pivot_ends *ends;
    uint32_t count;
} sn_pivots;

/* A pivot in a pass of contact; see contact/body_joints.c. The last numbers of vectors are 0. */
typedef struct sn_open_joint {
    uint32_t a, b;        /* movers; SN_NO_MOVER: an end that does not move */
    sn_vec4 arm_a, arm_b; /* m */
    sn_vec4 gap;          /* m: gap at the end of the substep, if the relative velocity of its ends becomes 0; */
    sn_real most;         /* largest allowed gap */
    sn_vec4 held;         /* N s: the impulse on b by which contact held it in this substep */
    sn_real mass[6];      /* kg: effective mass for an impulse between its ends, xx, yy, zz, xy, xz, yz */
} sn_open_joint;

/* Flag of an articulation: constraints hold its bodies. */
#define SN_ARTICULATION_HELD 16u

/* Derived. */
typedef struct sn_articulations {
    sn_table compromise_table; /* constraints that hold bodies, as of this number of changes of the store: */
    uint64_t changes;
    bool found;
    /* By row of a body: uint32_t, a step towards the first body of its articulation; flags of that articulation;
       scratch; flags of the body; whether it is a member; sn_articulated; and uint32_t, of a member the number of its
       articulation. */
    sn_table row_table;
    sn_table member_table; /* of uint32_t: rows of bodies of articulations that may be limited */
    sn_table first_table;  /* of uint32_t: index of the first member of an articulation; the next one follows. The same
                              for pivot_table. Then whether it is limited; its state in a pass of contact; and atomic
                              uint32_t: the last sweep of it that disturbed a body; uint32_t, scratch; and double: the share of the
 changes by joints that velocities keep */
    sn_table
        pivot_table; /* of sn_visit: its constraints of kinds with a pivot; of sn_open_joint; and of sn_pivot_ends */
    uint32_t known;  /* number of listed articulations, */
    uint32_t rows;   /*   with this many rows of bodies; */
    bool listed;     /*   once they are listed */
    uint32_t count;  /* of articulations that are watched in this step: all or none */
    bool carries;    /* constraints that hold bodies are told what contact will do (contact/body_expect.c) */
    bool limits;     /* they are watched in this substep, */
    bool noted;      /* and the contact pass has recorded the energy that it took */
} sn_articulations;

/* True if the body of a row is a member of a listed one. */
static inline bool sn_articulations_have(const sn_articulations *articulations, uint32_t row)
{
    return row < articulations->rows && ((const uint8_t *)articulations->row_table.column[4])[row];
}

/* The row of the first body of its articulation. */
uint32_t sn_articulations_first(const struct sn_world *world, uint32_t row);

void sn_articulations_init(sn_articulations *articulations);
void sn_articulations_release(sn_articulations *articulations, const sn_allocator *allocator);

#endif
