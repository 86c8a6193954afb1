/* Internal data of trees of constraints: forest.c finds them, forest_solve.c fills them in, and elimination.c solves
   them. */
#ifndef SN_SOLVERS_TREE_H
#define SN_SOLVERS_TREE_H

#include "base/dvec.h"
#include "solvers/forest.h"

/* The compliance of every rigid row, as a share of its own A: far below the precision of a gradient in single
   precision. */
#define SN_TREE_SOFT 1e-9

/* The compliance of n rows between a load and its support, n SN_TREE_SOFT w in all, must be small relative to the
   inverse mass of the load. So rows of a tree with a high load have less: all of them together this share of it;
   but no less than SN_TREE_SOFT_LEAST. */
#define SN_TREE_SOFT_SHARE 1e-3
#define SN_TREE_SOFT_LEAST 1e-12

/* The largest s = 2 w kappa, summed over the links of a particle, that is solved without kappa: see "Turning" in
   forest_solve.c. */
#define SN_TREE_TURNING 1.0

/* The largest factor by which kappa may have grown if it is used again. */
#define SN_TREE_STALE 2.0

/* The largest number of solves of a tree with a new kappa. */
#define SN_TREE_TURNS 6u

/* The allowed error of a row by rotation: this share of the worst violation before, */
#define SN_TREE_CALM 0.25

/* and this share of its own length; */
#define SN_TREE_PRECISE 5e-4

/* this share of its length is always allowed, as rounding. */
#define SN_TREE_ROUNDING 1e-6

/* In the list of numbers of nodes: the number is the row of a body, and the node is its rotation. */
#define SN_TURN_BIT 0x80000000u

#define SN_GROUND    0u /* the node that stands for all immovable particles: w and x are 0 */
#define SN_NO_PARENT UINT8_MAX

/* A constraint in a tree. The constraints of a tree are contiguous, parents before their children. Rotations of
   bodies count as particles here, and are listed after them. A link is a constraint with one row and two
   particles, neither of them a body. A chain is a sequence of links with no other constraints at the particles
   between them. */
typedef struct sn_item {
    uint32_t kind, row;
    uint32_t number;  /* of the constraint in its forest */
    uint32_t mention; /* index of its first particle in the list of nodes */
    uint32_t record;  /* index of its first number */
    uint8_t rows, count;
    uint8_t parent; /* which of its particles is its parent; SN_NO_PARENT: none, as all are immovable */
    bool is_link;
    bool is_leaf;               /* it has no child */
    bool swapped;               /* a link whose parent is its second particle; here it is listed first */
    bool chained;               /* to the next item, at its child */
    bool hanging;               /* the item before is chained to it */
    uint8_t arms;               /* the largest number of constraints of one of its particles; 255: or more */
    uint8_t acting, inequality; /* by row */
    uint8_t ruled;              /* the same */
    uint8_t turns;              /* number of its particles that are rotations */
    bool whole;                 /* a particle of it is a body */
    bool own;                   /* its rows may have rules */
} sn_item;

/* The state of a row with a rule. A row goes through these states in this order, each at most once; but a row at
   its bound may be freed again SN_FATE_FREED times, because other rows have begun to act. */
#define SN_FATE_FREED 3
typedef enum sn_fate { SN_FATE_ASKED = 0, SN_FATE_AT_MOST, SN_FATE_AT_LIMIT, SN_FATE_LET_GO } sn_fate;

typedef struct sn_rule {
    sn_forest_rule is;
    sn_fate fate;
    bool high;     /* which bound or limit it is at */
    uint8_t freed; /* number of times */
    bool one_way;  /* it was an inequality */
} sn_rule;

/* A body in a tree: its centre and, in the next node, its rotation. It has six numbers where a particle has three. */
typedef struct sn_whole {
    double m[6][6]; /* W */
    double u[6], f[6];
    double k[6];    /* geometric stiffness against its rotation; see forest_solve.c */
    double calm;    /* further stiffness, the same about all axes */
    double largest; /* the largest eigenvalue of k */
    double used;    /* largest + calm in the last solve */
} sn_whole;

/* A particle in a tree: x = u + W f, see elimination.c. */
typedef struct sn_node {
    union {
        double m[6]; /* W: xx, yy, zz, xy, xz, yz */
        double f[3]; /* in back substitution */
    };
    double u[3]; /* u, and in the end x */
    double w;    /* its inverse mass */
} sn_node;

typedef struct sn_tree {
    uint32_t item, item_end, node, node_end; /* the root is the first node */
    double soft;                             /* in this step: see SN_TREE_SOFT */
    bool turning;                            /* in this step, so far: kappa of the last solve is used */
    bool plain;                              /* in this step: sn_chain_solve can solve it */
    bool looked;                             /* in this step: the places of its particles are in chain_table */
    bool whole;                              /* it has bodies */
    uint32_t chain, links;                   /* its rows in chain_table; 0 links: it is no chain */
    uint8_t in_team;                /* in this step: its place in a team, from 1 on; 0: it is in none. See chain.h */
    bool together;                  /* of the first chain of a team: how the team is stored; see sn_wide_chain */
    bool leans;                     /* in this solve: some of its particles rest on surfaces */
    bool as_chain;                  /* the last solve was that of a chain, or of its team */
    uint32_t fault_kind, fault_row; /* what was not finite in the last solve; 0: all was */
} sn_tree;

/* The numbers of a constraint: by row, those of sn_forest_rows and results. */
typedef struct sn_record {
    double *rhs, *diagonal, *least, *turn, *lambda0, *lambda;
    double *own;                  /* the row's own A = J W J^T + diagonal, without other rows */
    double *z, *gain;             /* lambda = z - gain . f, three numbers a row */
    double *share, *kappa, *used; /* one of each for all rows; kappa of the last solve was `used` */
    sn_dvec3 *j;                  /* [row * count + particle] */
    double *impulse;              /* twelve numbers, if there are two particles: see turn_together */
} sn_record;

/* Further numbers of constraints that are `whole` or `own`, behind the others. */
typedef struct sn_extra {
    double *gain;  /* if whole, used instead of sn_record.gain: six numbers a row */
    double *bend;  /* six numbers, [row * turns + turn] */
    sn_rule *rule; /* by row */
} sn_extra;

#define SN_RULE_SIZE ((sizeof(sn_rule) + sizeof(double) - 1) / sizeof(double))

#define SN_RECORD_PER_ROW 11u

/* The size of a record, in doubles. */
static inline uint64_t record_size(uint32_t rows, uint32_t count)
{
    return SN_RECORD_PER_ROW * (uint64_t)rows + 3 + 3 * (uint64_t)rows * count + (count == 2 ? 12 : 0);
}

static inline uint64_t extra_size(uint32_t rows, uint32_t turns, bool whole, bool own)
{
    return (whole ? 6 * (uint64_t)rows * (1 + turns) : 0) + (own ? SN_RULE_SIZE * rows : 0);
}

static inline sn_extra extra_at(double *at, const sn_item *it)
{
    double *gain = at + record_size(it->rows, it->count), *bend = gain + (it->whole ? 6 * it->rows : 0);
    double *rule = bend + (it->whole ? 6 * (size_t)it->rows * it->turns : 0);
    return (sn_extra){gain, bend, (sn_rule *)(void *)rule};
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

/* A forest while it is solved. */
typedef struct sn_trees {
    sn_item *items;
    sn_node *nodes;
    double *numbers;
    const uint32_t *node_of;  /* by mention */
    unsigned char *inner;     /* by node: it is inside a chain, so that without kappa H is not needed */
    const uint32_t *whole_of; /* by node: 1 + the index of the body whose centre it is; 0: none */
    sn_whole *wholes;
    sn_support *supports; /* by node, of trees with `leans` */
} sn_trees;

/* The body whose centre a node is; NULL: it is none. */
SN_INLINE sn_whole *whole_at(const sn_trees *trees, uint32_t node)
{
    return trees->whole_of[node] ? &trees->wholes[trees->whole_of[node] - 1] : NULL;
}

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

/* Elimination, in elimination.c. up: all constraints from the leaves to the root, with kappa if turning. down: back
   substitution, which sets lambda, and u of the nodes to x. Rows that do not act have their least lambda. */
void sn_tree_up(const sn_trees *trees, const sn_tree *tree, bool turning);
void sn_tree_down(const sn_trees *trees, const sn_tree *tree, bool turning);

/* The same for single constraints of bodies, in elimination_bodies.c: up and down; and before that, and after. */
void sn_whole_start(const sn_trees *trees, uint32_t node, bool turning);
void sn_whole_up(const sn_trees *trees, const sn_item *it);
void sn_whole_down(const sn_trees *trees, const sn_item *it);
void sn_whole_end(const sn_trees *trees, uint32_t node);

/* The largest number of right-hand sides of solve_rows. */
#define SN_TREE_SIDES 7

/* A pivot below this share of the row's own A is rounding only: the row gets no multiplier. */
#define SN_TREE_REDUNDANT 1e-12

/* Nor does a row without a child whose pivot is at most the softness of two rows: another row holds its particle
   along the same line already, and if the two contradict each other, their forces have no limit. */
#define SN_TREE_HELD (4 * SN_TREE_SOFT)

/* The least pivot of a row. */
SN_INLINE double least_pivot(const sn_item *it, double own)
{
    return (it->is_leaf ? SN_TREE_HELD : SN_TREE_REDUNDANT) * own;
}

/* Solves S x = b for the acting rows: b in, x out. Rows that do not act, or depend on others, get 0. */
SN_INLINE void solve_rows(const sn_item *it, const double *own, double s[SN_MAX_ROWS][SN_MAX_ROWS],
                          double x[SN_MAX_ROWS][SN_TREE_SIDES], uint32_t sides)
{
    const uint32_t rows = it->rows;
    double l[SN_MAX_ROWS][SN_MAX_ROWS], pivot[SN_MAX_ROWS];
    for (uint32_t r = 0; r < rows; ++r) {
        const bool acts = it->acting >> r & 1;
        double p = s[r][r];
        for (uint32_t i = 0; acts && i < r; ++i) {
            if (pivot[i] == 0)
                continue;
            double sum = s[r][i];
            for (uint32_t k = 0; k < i; ++k)
                if (pivot[k] != 0)
                    sum -= l[r][k] * pivot[k] * l[i][k];
            l[r][i] = sum / pivot[i];
            p -= l[r][i] * sum;
            for (uint32_t k = 0; k < sides; ++k)
                x[r][k] -= l[r][i] * x[i][k];
        }
        pivot[r] = acts && p > least_pivot(it, own[r]) ? p : 0;
    }
    for (uint32_t r = rows; r-- > 0;)
        for (uint32_t k = 0; k < sides; ++k) {
            x[r][k] = pivot[r] != 0 ? x[r][k] / pivot[r] : 0;
            for (uint32_t i = r + 1; pivot[r] != 0 && i < rows; ++i)
                if (pivot[i] != 0)
                    x[r][k] -= l[i][r] * x[i][k];
        }
}

/* The columns of the tables of a forest. */
enum { SN_ID_IN_FOREST, SN_ID_VISITED, SN_ID_FIRST, SN_ID_PARENT, SN_ID_STACK, SN_ID_COLUMNS };
enum { SN_MENTION_PARTICLE, SN_MENTION_NODE, SN_MENTION_OF, SN_MENTION_COLUMNS };
enum {
    SN_PARTICLE_START,
    SN_PARTICLE_NODE,
    SN_PARTICLE_MOVABLE,
    SN_PARTICLE_VISITED,
    SN_PARTICLE_BODY,   /* 1 + the row of the body whose centre it is, if a constraint holds a point of that; otherwise
                           0 */
    SN_PARTICLE_LISTED, /* not by number: the numbers of particles with a constraint */
    SN_PARTICLE_COLUMN_COUNT
};
enum { SN_NODE_STATE, SN_NODE_NUMBER, SN_NODE_SLOT, SN_NODE_INNER, SN_NODE_WHOLE, SN_NODE_SUPPORT, SN_NODE_COLUMNS };

#endif
