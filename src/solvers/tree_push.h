/* How a tree of rods gives way to what pushes its particles: a rope, with a load or a branch or without, pinned or not. */
#ifndef SN_SOLVERS_TREE_PUSH_H
#define SN_SOLVERS_TREE_PUSH_H

#include "base/dvec.h"

#define SN_PUSH_NONE UINT32_MAX

/* A particle, and the rod to its parent, which comes before it (seen from the first node); or what holds its parent: a rod to a particle that does
   not move, or a pin. */
typedef struct sn_push_node {
    uint32_t parent; /* SN_PUSH_NONE: it is the root */
    bool slack;      /* nothing joins it to its parent now */
    bool pin;        /* it is one: the parent is not to move, but for rest */
    double mass;     /* kg; 0: it does not move */
    uint32_t slot;   /* of the particle */
    uint32_t kind;   /* of the rod or the pin, */
    uint32_t row;    /*   and its row */
    /* of the rod: */
    sn_dvec3 n;     /* to the parent, length 1 */
    double length;  /* m */
    double rhs;     /* m: so much longer it is to be */
    double soft;    /* 1/kg: so much it gives */
    double exerted; /* kg m: lambda, of this substep */
    double kappa;   /* kg: the spring across it that its tension is */
    sn_dvec3 rest;  /* of a pin, m */
    /* of the factors: */
    double s[6], inverse[6]; /* kg, 1/kg: xx, yy, zz, xy, yz, zx */
    sn_dvec3 a, q;
    double share;
    /* in, kg m, and out, m: */
    sn_dvec3 f, x;
    double lambda; /* kg m: what the rod exerts, */
    sn_dvec3 hold; /*   and a pin */
} sn_push_node;

/* Factors, from mass, n, soft and kappa. */
void sn_push_factor(sn_push_node *node, uint32_t count);

/* x, lambda and hold, from f. `shift`: and from rhs and rest; otherwise these are 0. Without a shift a smaller count will do for the
   first ones, if no others are pushed. */
void sn_push_solve(sn_push_node *node, uint32_t count, bool shift);

#endif
