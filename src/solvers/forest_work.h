/* What forest_solve.c and forest_turning.c share. */
#ifndef SN_SOLVERS_FOREST_WORK_H
#define SN_SOLVERS_FOREST_WORK_H

#include "solvers/tree.h"

#include <float.h>
#include <math.h>

/* What is above this is no finite sn_real. */
#define TREE_MOST (SINEW_DOUBLE ? DBL_MAX : (double)FLT_MAX)

/* The particles behind a constraint, each once, in the order in which evaluate() has them; and the bodies whose turns follow. */
typedef struct sn_span {
    const uint32_t *particle;
    uint32_t count;
    uint32_t small[SN_MAX_BLOCK];
    uint32_t turns;
    uint32_t body[SN_MAX_POINTS];   /* their rows, */
    uint32_t centre[SN_MAX_POINTS]; /*   and the numbers of their particles */
} sn_span;

void sn_forest_span(const sn_store *store, const sn_pool *pool, uint32_t row, sn_span *s);

/* What a tree is like before it is solved. */
typedef struct sn_tree_state {
    bool acts;             /* any row does */
    bool one_way;          /* there are inequalities */
    double missed, length; /* squares: of the largest violation relative to the length of its gradient, and of that */
    double most_turn;      /* the largest */
    double enough;         /* m: inequalities that others violate by less are left alone */
    double reach;          /* their quotient's root, m; what is rounding in the shortest link, at least */
} sn_tree_state;

/* What is seen on the way down. */
typedef struct sn_tree_outcome {
    bool finite;      /* all multipliers are */
    bool turns;       /* a link has another kappa than was used, and needs it */
    bool bent;        /* kappa matters, to the next substep, too */
    bool rough;       /* one solve is not enough, */
    bool coarse;      /*   or is, but leaves links longer or shorter than they may be */
    double most_way;  /* the square of the longest x */
    double most_turn; /* the largest turn */
    double most_bend; /* and of bends, twice the largest */
} sn_tree_outcome;

/* The length of the gradient of a row. */
static inline double tree_row_length(const sn_item *it, const sn_record *rec, uint32_t row)
{
    double sum = 0;
    for (uint32_t p = 0; p < it->count; ++p)
        sum += dvec3_dot(rec->j[row * it->count + p], rec->j[row * it->count + p]);
    return sqrt(sum);
}

/* On the way down: finds multipliers and moves, sets kappa from them, and looks at what comes out. */
sn_tree_outcome sn_tree_go_down(const sn_trees *w, const sn_tree *t, bool turning);

/* forest_leaning.c: asks which particles of a tree lean on something; true: some do. number: of the nodes. */
bool sn_tree_lean(const sn_trees *w, const sn_forest_job *job, const uint32_t *number, const sn_tree *t);

/* Around a solve: chains end at particles that lean. */
void sn_tree_split_chains(const sn_trees *w, const sn_tree *t);
void sn_tree_join_chains(const sn_trees *w, const sn_tree *t);

/* On the way down: finds what surfaces exert; and if it may, lets go of those that would pull, and lets slide what friction cannot hold: true, if there
   are some. Or lets go of all. */
bool sn_tree_solve_supports(const sn_trees *w, const sn_tree *t, bool may);
void sn_tree_drop_supports(const sn_trees *w, const sn_tree *t);

/* Leaves only what holds back of a geometric stiffness xx, yy, zz, xy, xz, yz. Returns the largest eigenvalue, or 0. */
double sn_tree_make_positive(double k[6]);

bool sn_tree_is_calm(const sn_tree_state *s, const sn_tree_outcome *out);
bool sn_tree_calm_down(const sn_trees *w, const sn_tree *t, const sn_tree_state *s);
double sn_tree_safe_share(const sn_trees *w, const sn_tree *t, const sn_tree_state *s, sn_tree_outcome *out);

#endif
