/* The response of a tree of rods to forces on its particles: a rope, with or without a load, branches or pins. */
#ifndef SN_SOLVERS_TREE_PUSH_H
#define SN_SOLVERS_TREE_PUSH_H

#include "base/dvec.h"

#define SN_PUSH_NONE UINT32_MAX

/* A node of a tree: a particle and the rod to its parent, which comes before it, counted from the first node. Or
   something that holds its parent: a rod to an immovable particle, or a pin. */
typedef struct sn_push_node {
    uint32_t parent; /* SN_PUSH_NONE: it is the root */
    bool slack;      /* no rod acts to its parent now */
    bool pin;        /* it is a pin: it moves its parent by `rest` only */
    double mass;     /* kg; 0: immovable */
    uint32_t slot;   /* of the particle */
    uint32_t kind;   /* of the rod or the pin */
    uint32_t row;    /* of the rod or the pin */
    /* for rods: */
    sn_dvec3 n;     /* the direction to the parent, of length 1 */
    double length;  /* m */
    double rhs;     /* m: the wanted change of length */
    double soft;    /* 1/kg: compliance */
    double exerted; /* kg m: lambda, of this substep */
    double kappa;   /* kg: the transverse spring of its tension */
    sn_dvec3 rest;  /* of a pin, m */
    /* factors: */
    double s[6], inverse[6]; /* kg, 1/kg: xx, yy, zz, xy, yz, zx */
    sn_dvec3 a, q;
    double share;
    /* input, kg m, and result, m: */
    sn_dvec3 f, x;
    double lambda;      /* kg m: of the rod */
    sn_dvec3 pin_force; /* kg m: the force of a pin */
} sn_push_node;

/* Computes the factors, from mass, n, soft and kappa. */
void sn_push_factor(sn_push_node *node, uint32_t count);

/* Computes x, lambda and hold, from f, and with `shift` also from rhs and rest; otherwise these count as 0. Without
   shift, a smaller count may be passed if no later nodes have a force. */
void sn_push_solve(sn_push_node *node, uint32_t count, bool shift);

#endif
