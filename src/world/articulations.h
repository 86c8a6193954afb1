/* Bodies that hang together by joints; see articulations.c. */
#ifndef SN_WORLD_ARTICULATIONS_H
#define SN_WORLD_ARTICULATIONS_H

#include "base/memory.h"

#include "solvers/solver.h"

#include <stdbool.h>

/* What a substep knows of a body that may be jointed. */
typedef struct sn_articulated {
    double v[3], kick[3];          /* m/s: as predicted; and by how much forces changed it */
    double start[4];               /* its orientation when the substep began */
    double present, a, b, kinetic; /* J: see articulations.c; before contact */
    double back[4];                /* swings.c: from its orientation now to start, along its own axes */
    double missing[3];             /* m^2/s: of its momentum, per unit of mass */
    double pressed;                /* m^2/s: what its joints press, times their arms, per unit of mass */
    uint32_t slot;                 /* of its particle */
} sn_articulated;

/* Constraints of a kind with a pivot that hold bodies of one articulation. */
typedef struct sn_pivots {
    const uint32_t *member; /* rows of its bodies */
    uint32_t members;
    const sn_visit *pivot;
    uint32_t count;
} sn_pivots;

/* A pivot in a pass of contact; see contact/body_joints.c. */
typedef struct sn_open_joint {
    uint32_t a, b;        /* movers; SN_NO_MOVER: an end that does not move */
    bool gives;           /* it is compliant; known from when it is listed */
    sn_vec3 arm_a, arm_b; /* m */
    sn_vec3 gap;          /* m: when the substep ends, if its ends stop against each other; */
    sn_real most;         /*   as far open it may be */
    sn_real mass[6];      /* kg: what resists a push between its ends, xx, yy, zz, xy, xz, yz */
} sn_open_joint;

/* Derived. */
typedef struct sn_articulations {
    sn_table held_table; /* constraints that hold bodies, after so many changes of the store: */
    uint64_t changes;
    bool found;
    sn_table
        row_table; /* by row of a body: uint32_t, on the way to the first of its articulation; what is known of that one;
                           scratch; what is known of the body; and sn_articulated */
    sn_table member_table; /* of uint32_t: rows of bodies of those that may be limited */
    sn_table first_table;  /* of uint32_t: where an articulation begins in these; the next one follows. Then the same
                              for pivot_table; whether it is limited; and what contact knows of it in a pass */
    sn_table pivot_table;  /* of sn_visit: its constraints of kinds with a pivot; and of sn_open_joint */
    uint32_t known;        /* of them, */
    uint32_t rows;         /*   with so many rows of bodies; */
    bool listed;           /*   once they are listed */
    uint32_t count;        /* of those that are watched in this step: all or none */
    bool limits;           /* they are watched in this substep, */
    bool noted;            /*   and what contact took was noted by its pass */
} sn_articulations;

void sn_articulations_init(sn_articulations *articulations);
void sn_articulations_release(sn_articulations *articulations, const sn_allocator *allocator);

#endif
