/* A tree of constraints on the inside: what forest.c finds, forest_solve.c fills in and elimination.c solves. */
#ifndef SN_SOLVERS_TREE_H
#define SN_SOLVERS_TREE_H

#include "base/dvec.h"
#include "solvers/forest.h"

/* What every row gives, as a share of its own A: far below the precision of a gradient in single precision. */
#define SN_TREE_SOFT 1e-9

/* The greatest s = 2 w kappa, summed over the links of a particle, that is left to the gradients: see "Turning" in
   forest_solve.c. */
#define SN_TREE_TURNING 1.0

/* kappa that is used again may have grown so many times. */
#define SN_TREE_STALE 2.0

/* And so often a tree is solved with another kappa. */
#define SN_TREE_TURNS 6u

/* A row may be missed, because it turns, by this share of the worst violation before. */
#define SN_TREE_CALM 0.25

#define SN_GROUND    0u /* the node that stands for all immovable particles: w and x are 0 */
#define SN_NO_PARENT UINT8_MAX

/* A constraint in a tree. A tree's constraints follow each other, parents before their children. A link is one of one
   row and two particles, and a chain is links that follow each other, with nothing else at the particles between
   them. */
typedef struct sn_item {
    uint32_t kind, row;
    uint32_t mention; /* where its particles begin in the list of nodes */
    uint32_t record;  /* where its numbers begin */
    uint8_t rows, count;
    uint8_t parent; /* which of its particles; SN_NO_PARENT: it has none, for all are immovable */
    bool is_link;
    bool is_leaf;               /* it has no child */
    bool swapped;               /* a link whose parent is its second particle: here it is the first */
    bool chained;               /* to the next item, by its child */
    bool hanging;               /* from the item before, which is chained to it */
    uint8_t arms;               /* the most constraints that one of its particles has; 255: or more */
    uint8_t acting, inequality; /* by row */
} sn_item;

/* A particle in a tree: x = u + W f, see elimination.c. */
typedef struct sn_node {
    union {
        double m[6]; /* W: xx, yy, zz, xy, xz, yz */
        double f[3]; /* on the way down */
    };
    double u[3]; /* u, and in the end x */
    double w;    /* its inverse mass */
} sn_node;

typedef struct sn_tree {
    uint32_t item, item_end, node, node_end; /* the root is the first node */
    bool turning;                            /* in this step so far: kappa of its items is that of the last solve */
    bool plain;                              /* in this step: sn_chain_solve can solve it */
    uint32_t chain, links;                   /* its rows in chain_table; 0 links: it is no chain */
} sn_tree;

/* The numbers of a constraint: by row, those of sn_forest_rows and what becomes of them. */
typedef struct sn_record {
    double *rhs, *diagonal, *least, *turn, *lambda0, *lambda;
    double *own;                  /* the row's own A = J W J^T + diagonal, if there were nothing else */
    double *z, *gain;             /* lambda = z - gain . f, three numbers a row */
    double *share, *kappa, *used; /* one of each for all rows; kappa of the last solve was `used` */
    sn_dvec3 *j;                  /* [row * count + particle] */
    double *impulse;              /* twelve numbers, if there are two particles: see turn_together */
} sn_record;

#define SN_RECORD_PER_ROW 11u

/* In doubles. */
static inline uint64_t record_size(uint32_t rows, uint32_t count)
{
    return SN_RECORD_PER_ROW * (uint64_t)rows + 3 + 3 * (uint64_t)rows * count + (count == 2 ? 12 : 0);
}

SN_INLINE sn_record record_at(double *at, uint32_t rows)
{
    return (sn_record){.rhs = at,
                       .diagonal = at + rows,
                       .least = at + 2 * rows,
                       .turn = at + 3 * rows,
                       .lambda0 = at + 4 * rows,
                       .lambda = at + 5 * rows,
                       .own = at + 6 * rows,
                       .z = at + 7 * rows,
                       .gain = at + 8 * rows,
                       .share = at + 11 * rows,
                       .kappa = at + 11 * rows + 1,
                       .used = at + 11 * rows + 2,
                       .j = (sn_dvec3 *)(void *)(at + 11 * rows + 3),
                       .impulse = at + 17 * rows + 3};
}

/* A forest at work. */
typedef struct sn_trees {
    sn_item *items;
    sn_node *nodes;
    double *numbers;
    const uint32_t *node_of;    /* by mention */
    const unsigned char *inner; /* by node: it is within a chain, and without turning H is not needed */
} sn_trees;

SN_INLINE sn_dvec3 gradient_of(const sn_record *r, uint32_t count, uint32_t row, uint32_t particle)
{
    return r->j[row * count + particle];
}

SN_INLINE sn_dvec3 load3(const double *a)
{
    return dvec3(a[0], a[1], a[2]);
}

SN_INLINE void store3(double *to, sn_dvec3 a)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

/* Elimination, in elimination.c: all constraints from the leaves to the root, with kappa if turning, and back, which
   sets lambda, and u of the nodes to x. Rows that do not act have their lambda at its least. */
void sn_tree_up(const sn_trees *trees, const sn_tree *tree, bool turning);
void sn_tree_down(const sn_trees *trees, const sn_tree *tree, bool turning);

/* The columns of the tables of a forest. */
enum { SN_ID_IN_FOREST, SN_ID_MET, SN_ID_FIRST, SN_ID_PARENT, SN_ID_STACK, SN_ID_COLUMNS };
enum { SN_MENTION_PARTICLE, SN_MENTION_NODE, SN_MENTION_OF, SN_MENTION_COLUMNS };
enum { SN_PARTICLE_START, SN_PARTICLE_NODE, SN_PARTICLE_MOVABLE, SN_PARTICLE_MET, SN_PARTICLE_COLUMN_COUNT };
enum { SN_NODE_STATE, SN_NODE_NUMBER, SN_NODE_SLOT, SN_NODE_INNER, SN_NODE_COLUMNS };

#endif
