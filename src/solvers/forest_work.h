/* Shared by forest_solve.c, forest_turning.c and forest_leaning.c. */
#ifndef SN_SOLVERS_FOREST_WORK_H
#define SN_SOLVERS_FOREST_WORK_H

#include "solvers/tree.h"

#include <float.h>
#include <math.h>

/* Numbers above this are not finite as sn_real. */
#define TREE_MOST (SINEW_DOUBLE ? DBL_MAX : (double)FLT_MAX)

/* The particles of a constraint, each once, in the order in which evaluate() has them; and the bodies whose
   rotations follow. */
typedef struct sn_span {
    const uint32_t *particle;
    uint32_t count;
    uint32_t small[SN_MAX_BLOCK];
    uint32_t turns;
    uint32_t body[SN_MAX_POINTS];   /* their rows, */
    uint32_t centre[SN_MAX_POINTS]; /*   and the numbers of their particles */
} sn_span;

void sn_forest_span(const sn_store *store, const sn_pool *pool, uint32_t row, sn_span *s);

/* The state of a tree before it is solved. */
typedef struct sn_tree_state {
    bool acts;             /* some row acts */
    bool one_way;          /* there are inequalities */
    double missed, length; /* squares: the largest violation relative to the length of its gradient, and that length */
    double most_turn;      /* the largest turn */
    double enough;         /* m: inequalities that are violated by less are left alone */
    double reach;          /* m: the largest violation, sqrt(missed / length); at least the rounding error of the
                              shortest link */
} sn_tree_state;

/* Results of the back substitution. */
typedef struct sn_tree_outcome {
    bool finite;              /* all multipliers are finite */
    bool turns;               /* a link needs another kappa than the one used */
    bool bent;                /* kappa matters, to the next substep, too */
    bool rough;               /* one solve is not enough, */
    bool coarse;              /* or it is, but the lengths of links are not precise enough */
    double most_displacement; /* the square of the longest x */
    double most_turn;         /* the largest turn */
    double most_bend;         /* and of bends, twice the largest */
} sn_tree_outcome;

/* The length of the gradient of a row. */
static inline double tree_row_length(const sn_item *it, const sn_record *rec, uint32_t row)
{
    double sum = 0;
    for (uint32_t p = 0; p < it->count; ++p)
        sum += dvec3_dot(rec->j[row * it->count + p], rec->j[row * it->count + p]);
    return sqrt(sum);
}

/* Back substitution: finds multipliers and displacements, sets kappa from them, and returns what was found. */
sn_tree_outcome sn_tree_go_down(const sn_trees *w, const sn_tree *t, bool turning);

/* forest_leaning.c: finds the particles of a tree that rest on a surface. True if there are some. number: of the
   nodes. */
bool sn_tree_lean(const sn_trees *w, const sn_forest_job *job, const uint32_t *number, const sn_tree *t);

/* Before a solve: makes chains end at particles that rest on a surface. */
void sn_tree_split_chains(const sn_trees *w, const sn_tree *t);
void sn_tree_join_chains(const sn_trees *w, const sn_tree *t);

/* solve_supports: in back substitution, finds the forces of surfaces. True if there are supports that would pull,
   or where static friction does not suffice; may: the former are dropped, and friction of the latter becomes
   dynamic. drop_supports: drops all of them. */
bool sn_tree_solve_supports(const sn_trees *w, const sn_tree *t, bool may);
void sn_tree_drop_supports(const sn_trees *w, const sn_tree *t);

/* Removes the negative part of a geometric stiffness xx, yy, zz, xy, xz, yz. Returns the largest eigenvalue, or 0. */
double sn_tree_make_positive(double k[6]);

bool sn_tree_is_calm(const sn_tree_state *s, const sn_tree_outcome *out);
bool sn_tree_calm_down(const sn_trees *w, const sn_tree *t, const sn_tree_state *s);
double sn_tree_safe_share(const sn_trees *w, const sn_tree *t, const sn_tree_state *s, sn_tree_outcome *out);

#endif
