/* The equations of a chain.

   Particle p of n + 1 is moved by x_p, link i is between particles i and i + 1, n_i is its direction, from i + 1 to i,
   and C_i = length - rest. n_i is the gradient for i and -n_i that for i + 1, and both are nearly of length 1: q =
   |n|^2.

   Without turning. lambda solves the tridiagonal system A lambda = -C,

       A_ii = (w_i + w_i+1) q (1 + SN_TREE_SOFT),     A_i,i+1 = -k_i,  k_i = w_i+1 n_i . n_i+1.

   With turning, the links' forces F_i (on i, and -F_i on i + 1) have three components each:

       x_i = w_i (F_i - F_i-1),     z_i = x_i - x_i+1,
       F = -kappa P z + n lambda,   P = I - n n^T / q,     n . z + a lambda = r,

   so that lambda = n . F / q, P z = -P F / kappa, and z = -P F / kappa + n (r - a lambda) / q. Put into z, this is

       D_i F_i - w_i F_i-1 - w_i+1 F_i+1 = n r / q,
       D_i = (w_i + w_i+1 + 1 / kappa) I + (a / q^2 - 1 / (kappa q)) n n^T:

   tridiagonal again, of symmetric blocks of 3 x 3, coupled by plain numbers. Where kappa is 0, F must point along n; a
   tiny kappa does that well enough.

   Both systems are positive. They are eliminated from both ends towards the link in the middle, and substituted from
   there: the two halves do not wait for each other, and waiting is what takes the time. All of it is in double. */
#include "solvers/chain.h"

#include "solvers/chain_twin.h"

#include <float.h>
#include <math.h>

#define LEAST_PIVOT (4 * SN_TREE_SOFT) /* of a row, as a share of its own A; the same as in elimination.c */
#define LEAST_DET   1e-8               /* of a block, as a share of the product of its diagonal */

/* Where there is no tension, kappa (w_i + w_i+1) is this: a spring that returns a ten millionth of a way across. What
   it changes is proportional to it; rounding in the inverse of a block is to one over it, and takes over below 1e-8. It
   must be well above LEAST_DET. */
#define LEAST_KAPPA 1e-7

/* Links that are shorter than one over this, or miss their length by more, in m, are not usual: the squares of their
   coordinates may not be normal numbers. */
#define USUAL ((sn_real)1e15)

/* Above this a number is no finite sn_real. */
#define LARGEST (SINEW_DOUBLE ? DBL_MAX : (double)FLT_MAX)

/* The numbers of the chain that is being solved, by particle or link: columns of sn_real, and of double. */
enum { LINE_X, LINE_Y, LINE_Z, NX, NY, NZ, MISSED, TURN, W, LAMBDA0, MOVE_X, MOVE_Y, MOVE_Z, REALS };
enum { OWN, COUPLING, GIVE = COUPLING, LAMBDA, FORCE_X, FORCE_Y, FORCE_Z, KEPT, DOUBLES = KEPT + 9 };

/* A chain at work. */
typedef struct chain {
    uint32_t n; /* links */
    const uint32_t *slot, *row;
    const sn_real *rest;
    double *kappa;
    sn_real *real[REALS];
    double *number[KEPT];
    double *kept;    /* for the way back, two for each pair of links */
    sn_real *lambda; /* of the pool, by row */
} chain;

/* ---- Finding chains
   ------------------------------------------------------------------------------------------------ */

void sn_chain_init(sn_forest *forest)
{
    static const size_t width[] = {4, 4, 4, 4, sizeof(sn_real), sizeof(double)};
    for (uint32_t i = 0; i < SN_CHAIN_COLUMNS; ++i)
        sn_table_column(&forest->chain_table, width[i], false);
    sn_table_column(&forest->chain_scratch_table, REALS * sizeof(sn_real), false);
    sn_table_column(&forest->chain_scratch_table, DOUBLES * sizeof(double), false);
}

bool sn_chain_reserve(sn_forest *forest, const sn_allocator *allocator, uint64_t constraints)
{
    uint64_t chains = constraints / SN_CHAIN_LEAST;
    return sn_table_reserve(&forest->chain_table, allocator, chains ? constraints + chains : 0) &&
           sn_table_reserve(&forest->chain_scratch_table, allocator, chains ? constraints + 1 : 0);
}

/* A rod between two particles. */
static bool is_rod(const sn_store *store, const sn_item *it)
{
    if (!it->is_link || it->kind != SN_KIND_DISTANCE)
        return false;
    const uint32_t *point = store->pool[SN_KIND_DISTANCE]->point + 2 * (size_t)it->row;
    return !((point[0] | point[1]) & SN_SPOT_BIT);
}

/* The particle of a rod that is not its parent. */
static uint32_t far_end(const sn_forest *forest, const sn_item *it)
{
    const uint32_t *particle = (const uint32_t *)forest->mention_table.column[SN_MENTION_PARTICLE] + it->mention;
    const uint32_t *node = (const uint32_t *)forest->mention_table.column[SN_MENTION_NODE] + it->mention;
    const uint32_t *number = forest->node_table.column[SN_NODE_NUMBER];
    return particle[0] == number[node[it->parent]] ? particle[1] : particle[0];
}

/* The walk began at some particle: its one arm, or if it is not at the end both, follow each other, each from there
   outwards. The chain is the first one backwards and then the second. */
void sn_chain_find(sn_forest *forest, const sn_store *store, sn_tree *t)
{
    const sn_item *items = forest->item_table.column[0];
    const uint32_t *node_number = forest->node_table.column[SN_NODE_NUMBER];
    const uint32_t n = t->item_end - t->item;
    uint32_t arms = 0, second = t->item_end;
    t->links = 0;
    if (n < SN_CHAIN_LEAST)
        return;
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        if (!is_rod(store, &items[i]) || (!items[i].hanging && ++arms > 2)) /* a fork begins two more */
            return;
        if (arms == 2 && !items[i].hanging)
            second = i;
    }
    void **column = forest->chain_table.column;
    uint32_t *number = column[SN_CHAIN_NUMBER], *item = column[SN_CHAIN_ITEM], *row = column[SN_CHAIN_ROW];
    uint32_t at = forest->chain_table.count;
    t->chain = at;
    t->links = n;
    for (uint32_t i = second; i-- > t->item; ++at) {
        number[at] = far_end(forest, &items[i]);
        item[at] = i;
        row[at] = items[i].row;
    }
    number[at] = node_number[t->node];
    for (uint32_t i = second; i < t->item_end; ++i, ++at) {
        item[at] = i;
        row[at] = items[i].row;
        number[at + 1] = far_end(forest, &items[i]);
    }
    forest->chain_table.count = at + 1;
}

void sn_chain_look(const sn_forest *forest, const sn_store *store, const sn_frame *frame, sn_tree *t)
{
    t->plain = false;
    if (!t->links) /* there may be no table */
        return;
    void *const *column = forest->chain_table.column;
    const uint32_t *number = (const uint32_t *)column[SN_CHAIN_NUMBER] + t->chain;
    const uint32_t *row = (const uint32_t *)column[SN_CHAIN_ROW] + t->chain;
    uint32_t *slot = (uint32_t *)column[SN_CHAIN_SLOT] + t->chain;
    sn_real *rest = (sn_real *)column[SN_CHAIN_REST] + t->chain;
    const sn_pool *pool = store->pool[SN_KIND_DISTANCE];
    bool plain = !frame->planar;
    for (uint32_t i = 0; plain && i < t->links; ++i) {
        const sn_give *give = &pool->give[row[i]];
        plain = give->compliance == 0 && give->stiffness == 1;
        rest[i] = pool->param[(size_t)row[i] * pool->param_count];
    }
    for (uint32_t i = 0; plain && i <= t->links; ++i)
        slot[i] = frame->slot[number[i]];
    t->plain = plain;
}

static chain chain_of(const sn_forest *forest, const sn_store *store, const sn_tree *t)
{
    void *const *column = forest->chain_table.column;
    sn_real *real = forest->chain_scratch_table.column[0];
    double *number = forest->chain_scratch_table.column[1];
    const size_t each = (size_t)t->links + 1;
    chain k = {.n = t->links,
               .slot = (const uint32_t *)column[SN_CHAIN_SLOT] + t->chain,
               .row = (const uint32_t *)column[SN_CHAIN_ROW] + t->chain,
               .rest = (const sn_real *)column[SN_CHAIN_REST] + t->chain,
               .kappa = (double *)column[SN_CHAIN_KAPPA] + t->chain,
               .kept = number + KEPT * each,
               .lambda = store->pool[SN_KIND_DISTANCE]->lambda};
    for (uint32_t i = 0; i < REALS; ++i)
        k.real[i] = real + i * each;
    for (uint32_t i = 0; i < KEPT; ++i)
        k.number[i] = number + i * each;
    return k;
}

/* ---- Fill in
   ------------------------------------------------------------------------------------------------------- */

/* The difference of places first, as evaluate() does it: far from the origin remainders count. */
static void gather(const chain *k, const sn_frame *frame)
{
    const uint32_t *restrict slot = k->slot, *restrict row = k->row;
    sn_real *restrict lx = k->real[LINE_X], *restrict ly = k->real[LINE_Y], *restrict lz = k->real[LINE_Z],
                      *restrict w = k->real[W], *restrict lambda0 = k->real[LAMBDA0];
    sn_vec4 x = frame->x[slot[0]], d = frame->d[slot[0]];
    w[0] = x.w;
    for (uint32_t i = 0; i < k->n; ++i) {
        const sn_vec4 y = frame->x[slot[i + 1]], e = frame->d[slot[i + 1]];
        lx[i] = d.x - ((y.x - x.x) + e.x);
        ly[i] = d.y - ((y.y - x.y) + e.y);
        lz[i] = d.z - ((y.z - x.z) + e.z);
        w[i + 1] = y.w;
        lambda0[i] = k->lambda[row[i]];
        x = y;
        d = e;
    }
}

/* In what follows arrays are passed one by one: of parameters compilers believe that they do not overlap. */

/* Directions of links, their violations and 1 / length. */
static void measure(uint32_t n, const sn_real *restrict lx, const sn_real *restrict ly, const sn_real *restrict lz,
                    const sn_real *restrict rest, sn_real *restrict nx, sn_real *restrict ny, sn_real *restrict nz,
                    sn_real *restrict c, sn_real *restrict turn)
{
    for (uint32_t i = 0; i < n; ++i) {
        const sn_real length = real_sqrt(lx[i] * lx[i] + ly[i] * ly[i] + lz[i] * lz[i]), inverse = 1 / length;
        nx[i] = lx[i] * inverse;
        ny[i] = ly[i] * inverse;
        nz[i] = lz[i] * inverse;
        c[i] = length - rest[i];
        turn[i] = inverse;
    }
}

/* The matrix without turning. */
static void assemble(uint32_t n, const sn_real *restrict nx, const sn_real *restrict ny, const sn_real *restrict nz,
                     const sn_real *restrict w, double *restrict own, double *restrict coupling)
{
    for (uint32_t i = 0; i < n; ++i) {
        const double x = (double)nx[i], y = (double)ny[i], z = (double)nz[i];
        own[i] = ((double)w[i] + (double)w[i + 1]) * (x * x + y * y + z * z);
    }
    for (uint32_t i = 0; i + 1 < n; ++i)
        coupling[i] = (double)w[i + 1] * ((double)nx[i] * (double)nx[i + 1] + (double)ny[i] * (double)ny[i + 1] +
                                          (double)nz[i] * (double)nz[i + 1]);
}

#define STRIDE 8u /* maxima do not wait for each other */

SN_INLINE sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

SN_INLINE sn_real size_of(sn_real a)
{
#if SINEW_DOUBLE
    return fabs(a);
#else
    return fabsf(a);
#endif
}

/* The largest absolute value; a NaN is not seen. */
static sn_real largest(const sn_real *restrict a, uint32_t count)
{
    sn_real most[STRIDE] = {0};
    uint32_t i = 0;
    for (; i + STRIDE <= count; i += STRIDE)
        for (uint32_t j = 0; j < STRIDE; ++j) {
            most[j] = larger(size_of(a[i + j]), most[j]);
        }
    for (; i < count; ++i)
        most[0] = larger(size_of(a[i]), most[0]);
    for (uint32_t j = 1; j < STRIDE; ++j)
        most[0] = larger(most[0], most[j]);
    return most[0];
}

/* The square of the longest x. */
static double longest_move(const chain *k)
{
    const sn_real *restrict x = k->real[MOVE_X], *restrict y = k->real[MOVE_Y], *restrict z = k->real[MOVE_Z];
    sn_real most[STRIDE] = {0};
    uint32_t i = 0;
    for (; i + STRIDE <= k->n + 1; i += STRIDE)
        for (uint32_t j = 0; j < STRIDE; ++j)
            most[j] = larger(x[i + j] * x[i + j] + y[i + j] * y[i + j] + z[i + j] * z[i + j], most[j]);
    for (; i <= k->n; ++i)
        most[0] = larger(x[i] * x[i] + y[i] * y[i] + z[i] * z[i], most[0]);
    return (double)largest(most, STRIDE);
}

/* ---- Both ends
   ----------------------------------------------------------------------------------------------------- */

/* Links i and n - 1 - i make pair i, as long as there are two with a third between them; `right` pairs. If one more is
   left over besides the middle, it belongs to the left. */
typedef struct fold {
    uint32_t middle, right;
    bool odd; /* one is left over */
} fold;

static fold fold_of(uint32_t n)
{
    const uint32_t middle = n / 2, right = n - 1 - middle;
    return (fold){middle, right, right < middle};
}

/* ---- Without turning
   ----------------------------------------------------------------------------------------------- */

/* What a pair of rows hands to the next on the way to the middle. */
typedef struct straight {
    sn_twin inverse, z, coupling;
    sn_twin_flags usual; /* so far all pivots were */
} straight;

/* Eliminates the rows before from rows i and j, which are coupled to the next ones by k_a and k_b. */
SN_INLINE void straight_step(const chain *k, uint32_t i, uint32_t j, uint32_t a, uint32_t b, straight *s)
{
    const sn_twin own = twin_at(k->number[OWN], i, j), coupling = twin_at(k->number[COUPLING], a, b);
    const sn_twin whole = twin_add(own, twin_mul(twin_same(SN_TREE_SOFT), own));
    const sn_twin pivot = twin_sub(whole, twin_mul(twin_mul(s->coupling, s->coupling), s->inverse));
    const sn_twin e = twin_sub(twin_mul(s->coupling, s->z), twin_at_real(k->real[MISSED], i, j));
    s->usual = twin_both(s->usual, twin_above(pivot, twin_mul(twin_same(LEAST_PIVOT), own)));
    s->inverse = twin_div(twin_same(1), pivot);
    s->z = twin_mul(e, s->inverse);
    s->coupling = coupling;
    double *kept = k->kept + 4 * (size_t)i;
    twin_store(kept, s->z);
    twin_store(kept + 2, twin_mul(coupling, s->inverse));
}

/* Finds lambda; false if a row says what others said. */
static bool solve_straight(const chain *k)
{
    const uint32_t n = k->n;
    const fold f = fold_of(n);
    const sn_twin none = twin_same(0);
    double *lambda = k->number[LAMBDA];
    straight s = {none, none, none, twin_above(twin_same(1), none)};
    for (uint32_t i = 0; i < f.right; ++i)
        straight_step(k, i, n - 1 - i, i, n - 2 - i, &s);
    straight left = s;
    if (f.odd)
        straight_step(k, f.right, f.right, f.right, f.right, &left);
    const double own = k->number[OWN][f.middle], a = twin_first(left.coupling), b = twin_second(s.coupling);
    const double pivot =
        ((own + SN_TREE_SOFT * own) - a * a * twin_first(left.inverse)) - b * b * twin_second(s.inverse);
    const double e = (a * twin_first(left.z) - (double)k->real[MISSED][f.middle]) + b * twin_second(s.z);
    const double last = e / pivot;
    sn_twin at = twin_same(last);
    lambda[f.middle] = last;
    if (f.odd) {
        const double *kept = k->kept + 4 * (size_t)f.right;
        lambda[f.right] = kept[0] + kept[2] * last;
        at = twin(lambda[f.right], last);
    }
    for (uint32_t i = f.right; i-- > 0;) {
        const double *kept = k->kept + 4 * (size_t)i;
        at = twin_add(twin_load(kept), twin_mul(twin_load(kept + 2), at));
        twin_put(lambda, i, n - 1 - i, at);
    }
    return twin_first_flag(left.usual) && twin_second_flag(s.usual) && pivot > LEAST_PIVOT * own;
}

/* One coordinate of x of all particles. */
static void move_straight(uint32_t n, const double *restrict lambda, const sn_real *restrict w,
                          const sn_real *restrict direction, sn_real *restrict x)
{
    x[0] = (sn_real)((double)w[0] * (lambda[0] * (double)direction[0]));
    for (uint32_t i = 1; i < n; ++i)
        x[i] = (sn_real)((double)w[i] * (lambda[i] * (double)direction[i] - lambda[i - 1] * (double)direction[i - 1]));
    x[n] = (sn_real)((double)w[n] * -(lambda[n - 1] * (double)direction[n - 1]));
}

/* ---- Turning
   ------------------------------------------------------------------------------------------------------- */

/* Three coordinates of two things, and two symmetric matrices: xx, yy, zz, xy, xz, yz. */
typedef struct twin3 {
    sn_twin x, y, z;
} twin3;

typedef struct twin6 {
    sn_twin m[6];
} twin6;

/* a x + b y + c z. */
SN_INLINE sn_twin sum3(sn_twin a, sn_twin x, sn_twin b, sn_twin y, sn_twin c, sn_twin z)
{
    return twin_add(twin_add(twin_mul(a, x), twin_mul(b, y)), twin_mul(c, z));
}

SN_INLINE twin3 times(const twin6 *s, twin3 a)
{
    return (twin3){sum3(s->m[0], a.x, s->m[3], a.y, s->m[4], a.z), sum3(s->m[3], a.x, s->m[1], a.y, s->m[5], a.z),
                   sum3(s->m[4], a.x, s->m[5], a.y, s->m[2], a.z)};
}

/* a b - c d. */
SN_INLINE sn_twin minor(sn_twin a, sn_twin b, sn_twin c, sn_twin d)
{
    return twin_sub(twin_mul(a, b), twin_mul(c, d));
}

/* The inverse of a symmetric matrix by its cofactors, and whether that is precise. */
SN_INLINE sn_twin_flags invert(const twin6 *s, twin6 *out)
{
    const sn_twin *m = s->m;
    const sn_twin xx = minor(m[1], m[2], m[5], m[5]), xy = minor(m[4], m[5], m[3], m[2]),
                  xz = minor(m[3], m[5], m[4], m[1]);
    const sn_twin det = sum3(m[0], xx, m[3], xy, m[4], xz), per_det = twin_div(twin_same(1), det);
    out->m[0] = twin_mul(xx, per_det);
    out->m[1] = twin_mul(minor(m[0], m[2], m[4], m[4]), per_det);
    out->m[2] = twin_mul(minor(m[0], m[1], m[3], m[3]), per_det);
    out->m[3] = twin_mul(xy, per_det);
    out->m[4] = twin_mul(xz, per_det);
    out->m[5] = twin_mul(minor(m[3], m[4], m[0], m[5]), per_det);
    return twin_above(det, twin_mul(twin_mul(twin_same(LEAST_DET), m[0]), twin_mul(m[1], m[2])));
}

/* What a pair of blocks hands to the next: S^-1, v = S^-1 y, and w of the particles between. */
typedef struct bend {
    twin6 inverse;
    twin3 v;
    sn_twin w;
    sn_twin_flags usual;
} bend;

/* D of links i and j, less w^2 S^-1 of the blocks before, and their right-hand sides with what comes from there. As q
   is 1 but for rounding, 2 - q is 1 / q. */
SN_INLINE twin3 bend_block(const chain *k, uint32_t i, uint32_t j, const bend *b, twin6 *s)
{
    const sn_twin x = twin_at_real(k->real[NX], i, j), y = twin_at_real(k->real[NY], i, j),
                  z = twin_at_real(k->real[NZ], i, j);
    const sn_twin w = twin_add(twin_at_real(k->real[W], i, j), twin_at_real(k->real[W], i + 1, j + 1));
    const sn_twin per_q = twin_sub(twin_same(2), sum3(x, x, y, y, z, z)), give = twin_at(k->number[GIVE], i, j);
    const sn_twin along = twin_mul(twin_sub(twin_mul(twin_same(SN_TREE_SOFT), w), give), per_q);
    const sn_twin r = twin_mul(twin_at_real(k->real[MISSED], i, j), per_q), all = twin_add(w, give);
    const sn_twin ax = twin_mul(along, x), ay = twin_mul(along, y), az = twin_mul(along, z), w2 = twin_mul(b->w, b->w);
    const sn_twin *m = b->inverse.m;
    s->m[0] = twin_sub(twin_add(all, twin_mul(ax, x)), twin_mul(w2, m[0]));
    s->m[1] = twin_sub(twin_add(all, twin_mul(ay, y)), twin_mul(w2, m[1]));
    s->m[2] = twin_sub(twin_add(all, twin_mul(az, z)), twin_mul(w2, m[2]));
    s->m[3] = minor(ax, y, w2, m[3]);
    s->m[4] = minor(ax, z, w2, m[4]);
    s->m[5] = minor(ay, z, w2, m[5]);
    return (twin3){minor(b->w, b->v.x, r, x), minor(b->w, b->v.y, r, y), minor(b->w, b->v.z, r, z)};
}

/* A pair of blocks on the way to the middle; a and b are the particles towards it. */
SN_INLINE void bend_step(const chain *k, uint32_t i, uint32_t j, uint32_t a, uint32_t b, bend *s)
{
    twin6 block;
    const twin3 y = bend_block(k, i, j, s, &block);
    s->usual = twin_both(s->usual, invert(&block, &s->inverse));
    s->v = times(&s->inverse, y);
    s->w = twin_at_real(k->real[W], a, b);
    double *kept = k->kept + 18 * (size_t)i;
    for (uint32_t c = 0; c < 6; ++c)
        twin_store(kept + 2 * c, s->inverse.m[c]);
    twin_store(kept + 12, s->v.x);
    twin_store(kept + 14, s->v.y);
    twin_store(kept + 16, s->v.z);
}

/* F of pair i from those of the neighbours towards the middle, with w of the particles between. */
SN_INLINE twin3 bend_back(const chain *k, uint32_t i, sn_twin w, twin3 f)
{
    const double *kept = k->kept + 18 * (size_t)i;
    twin6 inverse;
    for (uint32_t c = 0; c < 6; ++c)
        inverse.m[c] = twin_load(kept + 2 * c);
    const twin3 g = times(&inverse, (twin3){twin_mul(w, f.x), twin_mul(w, f.y), twin_mul(w, f.z)});
    return (twin3){twin_add(twin_load(kept + 12), g.x), twin_add(twin_load(kept + 14), g.y),
                   twin_add(twin_load(kept + 16), g.z)};
}

static void put_force(const chain *k, uint32_t i, uint32_t j, twin3 f)
{
    twin_put(k->number[FORCE_X], i, j, f.x);
    twin_put(k->number[FORCE_Y], i, j, f.y);
    twin_put(k->number[FORCE_Z], i, j, f.z);
}

/* 1 / kappa. */
static void find_give(uint32_t n, const double *restrict kappa, const sn_real *restrict w, double *restrict give)
{
    for (uint32_t i = 0; i < n; ++i) {
        const double sum = (double)w[i] + (double)w[i + 1], s = sum * kappa[i];
        give[i] = sum / (s > LEAST_KAPPA ? s : LEAST_KAPPA);
    }
}

/* From `first` and the second of `second`. */
SN_INLINE sn_twin mixed(sn_twin first, sn_twin second)
{
    return twin(twin_first(first), twin_second(second));
}

SN_INLINE twin3 mixed3(twin3 a, twin3 b)
{
    return (twin3){mixed(a.x, b.x), mixed(a.y, b.y), mixed(a.z, b.z)};
}

/* What the second of two adds to the first. */
SN_INLINE sn_twin plus_second(sn_twin a, sn_twin scale, sn_twin b)
{
    return twin_add(a, twin_same(twin_second(scale) * twin_second(b)));
}

/* F of the middle, in both of the result. */
static twin3 bend_middle(const chain *k, uint32_t middle, const bend *left, const bend *right, bool *usual)
{
    twin6 block, inverse;
    twin3 y = bend_block(k, middle, middle, left, &block);
    const sn_twin w2 = twin_sub(twin_same(0), twin_mul(right->w, right->w));
    for (uint32_t c = 0; c < 6; ++c)
        block.m[c] = plus_second(block.m[c], w2, right->inverse.m[c]);
    y.x = plus_second(y.x, right->w, right->v.x);
    y.y = plus_second(y.y, right->w, right->v.y);
    y.z = plus_second(y.z, right->w, right->v.z);
    *usual =
        twin_first_flag(invert(&block, &inverse)) && twin_first_flag(left->usual) && twin_second_flag(right->usual);
    const twin3 f = times(&inverse, y);
    return (twin3){twin_same(twin_first(f.x)), twin_same(twin_first(f.y)), twin_same(twin_first(f.z))};
}

/* Finds F. */
static bool solve_turning(const chain *k)
{
    const uint32_t n = k->n;
    const fold f = fold_of(n);
    const sn_twin none = twin_same(0);
    const sn_real *w = k->real[W];
    bend s = {{{none, none, none, none, none, none}}, {none, none, none}, none, twin_above(twin_same(1), none)};
    find_give(n, k->kappa, w, k->number[GIVE]);
    for (uint32_t i = 0; i < f.right; ++i)
        bend_step(k, i, n - 1 - i, i + 1, n - 1 - i, &s);
    bend left = s;
    if (f.odd)
        bend_step(k, f.right, f.right, f.right + 1, f.right + 1, &left);
    bool usual;
    twin3 force = bend_middle(k, f.middle, &left, &s, &usual);
    put_force(k, f.middle, f.middle, force);
    if (f.odd) {
        const twin3 next = bend_back(k, f.right, twin_same((double)w[f.middle]), force);
        force = mixed3(next, force);
        put_force(k, f.right, f.middle, force);
    }
    for (uint32_t i = f.right; i-- > 0;) {
        force = bend_back(k, i, twin_at_real(w, i + 1, n - 1 - i), force);
        put_force(k, i, n - 1 - i, force);
    }
    return usual;
}

/* lambda of all links. */
static void find_lambda(uint32_t n, const sn_real *restrict nx, const sn_real *restrict ny, const sn_real *restrict nz,
                        const double *restrict fx, const double *restrict fy, const double *restrict fz,
                        double *restrict lambda)
{
    for (uint32_t i = 0; i < n; ++i) {
        const double x = (double)nx[i], y = (double)ny[i], z = (double)nz[i];
        lambda[i] = (x * fx[i] + y * fy[i] + z * fz[i]) * (2 - (x * x + y * y + z * z));
    }
}

/* One coordinate of x of all particles. */
static void move_turning(uint32_t n, const double *restrict force, const sn_real *restrict w, sn_real *restrict x)
{
    x[0] = (sn_real)((double)w[0] * force[0]);
    for (uint32_t i = 1; i < n; ++i)
        x[i] = (sn_real)((double)w[i] * (force[i] - force[i - 1]));
    x[n] = (sn_real)((double)w[n] * -force[n - 1]);
}

/* ---- The chain
   ----------------------------------------------------------------------------------------------------- */

/* What was found. */
typedef struct verdict {
    bool turns;  /* it is to be solved again, with kappa */
    bool bent;   /* kappa matters */
    bool finite; /* all multipliers are */
} verdict;

/* Writes kappa; see set_kappa in forest_solve.c. One of the particles of every link has two links. */
static verdict look_at_tension(uint32_t n, bool turning, const sn_real *restrict lambda0, const double *restrict lambda,
                               const sn_real *restrict turn, const sn_real *restrict w, double *restrict kappa)
{
    const double stale = turning ? SN_TREE_STALE : 0;
    uint64_t turns = 0, bent = 0, large = 0; /* as wide as a double: compilers like that */
    for (uint32_t i = 0; i < n; ++i) {
        const double tension = -((double)lambda0[i] + lambda[i]) * (double)turn[i], now = tension > 0 ? tension : 0;
        const double s = ((double)w[i] + (double)w[i + 1]) * 2, used = turning ? stale * kappa[i] : 0;
        turns |= (uint64_t)(s * (now - used) > SN_TREE_TURNING);
        bent |= (uint64_t)(s * now > SN_TREE_TURNING);
        large |= (uint64_t) !(fabs(lambda[i]) <= LARGEST);
        kappa[i] = now;
    }
    return (verdict){turns != 0, bent != 0, large == 0};
}

static void hand_out(const chain *k, const sn_frame *frame)
{
    const uint32_t *restrict slot = k->slot, *restrict row = k->row;
    const sn_real *restrict x = k->real[MOVE_X], *restrict y = k->real[MOVE_Y], *restrict z = k->real[MOVE_Z];
    for (uint32_t i = 0; i < k->n; ++i)
        k->lambda[row[i]] = k->real[LAMBDA0][i] + (sn_real)k->number[LAMBDA][i];
    for (uint32_t i = 0; i <= k->n; ++i) {
        sn_vec4 *d = &frame->d[slot[i]];
        *d = (sn_vec4){d->x + x[i], d->y + y[i], d->z + z[i], 0};
    }
}

/* Whether no row is missed by much because it turns, as forest_solve.c has it: by turn |P z|^2 / 2 at most
   SN_TREE_CALM times what the solve makes the largest violation smaller by, which is all of it but for what rows
   give. */
static bool is_calm(const chain *k, double most_missed)
{
    const sn_real *x = k->real[MOVE_X], *y = k->real[MOVE_Y], *z = k->real[MOVE_Z];
    double aside = 0, left = 0;
    for (uint32_t i = 0; i < k->n; ++i) {
        const sn_dvec3 n = dvec3((double)k->real[NX][i], (double)k->real[NY][i], (double)k->real[NZ][i]);
        const sn_dvec3 way =
            dvec3((double)x[i] - (double)x[i + 1], (double)y[i] - (double)y[i + 1], (double)z[i] - (double)z[i + 1]);
        const double along = dvec3_dot(way, n), w = (double)k->real[W][i] + (double)k->real[W][i + 1];
        aside = fmax(aside, (double)k->real[TURN][i] * (dvec3_dot(way, way) - along * along));
        left = fmax(left, SN_TREE_SOFT * w * fabs(k->number[LAMBDA][i]));
    }
    return aside / 2 <= SN_TREE_CALM * (most_missed - left);
}

/* The same for the farthest that a particle was moved: if that is so little, there is no need to look closer. */
static bool is_surely_calm(const chain *k, double most_missed, double most_turn)
{
    return 4 * most_turn * longest_move(k) <= SN_TREE_CALM * most_missed;
}

/* Finds lambda and x; false if it is not usual. */
static bool solve_round(const chain *k, bool turning, double most_missed, double most_turn)
{
    sn_real *const *real = k->real;
    double *const *number = k->number;
    const uint32_t n = k->n;
    bool usual;
    if (turning) {
        usual = solve_turning(k);
        find_lambda(n, real[NX], real[NY], real[NZ], number[FORCE_X], number[FORCE_Y], number[FORCE_Z], number[LAMBDA]);
        for (uint32_t axis = 0; axis < 3; ++axis)
            move_turning(n, number[FORCE_X + axis], real[W], real[MOVE_X + axis]);
    } else {
        assemble(n, real[NX], real[NY], real[NZ], real[W], number[OWN], number[COUPLING]);
        usual = solve_straight(k);
        for (uint32_t axis = 0; axis < 3; ++axis)
            move_straight(n, number[LAMBDA], real[W], real[NX + axis], real[MOVE_X + axis]);
    }
    return usual && (is_surely_calm(k, most_missed, most_turn) || is_calm(k, most_missed));
}

bool sn_chain_solve(const sn_forest *forest, const sn_store *store, const sn_frame *frame, sn_tree *t)
{
    const chain k = chain_of(forest, store, t);
    sn_real *const *real = k.real;
    gather(&k, frame);
    measure(k.n, real[LINE_X], real[LINE_Y], real[LINE_Z], k.rest, real[NX], real[NY], real[NZ], real[MISSED],
            real[TURN]);
    const sn_real most_turn = largest(real[TURN], k.n);
    if (!(most_turn <= USUAL))
        return false;
    const double most_missed = (double)largest(real[MISSED], k.n);
    bool turning = t->turning;
    verdict v = {.turns = true};
    for (uint32_t round = 0; v.turns && round <= SN_TREE_TURNS; ++round) {
        if (!solve_round(&k, turning, most_missed, (double)most_turn))
            return false;
        v = look_at_tension(k.n, turning, real[LAMBDA0], k.number[LAMBDA], real[TURN], real[W], k.kappa);
        if (!v.finite)
            return false;
        turning = true;
    }
    t->turning = v.bent;
    hand_out(&k, frame);
    return true;
}

/* ---- As any tree
   ---------------------------------------------------------------------------------------------------- */

/* kappa of a link. */
static double *kappa_of(const sn_forest *forest, uint32_t at)
{
    const sn_item *items = forest->item_table.column[0];
    const uint32_t *item = forest->chain_table.column[SN_CHAIN_ITEM];
    return record_at((double *)forest->record_table.column[0] + items[item[at]].record, 1).kappa;
}

void sn_chain_lend(const sn_forest *forest, const sn_tree *t)
{
    const double *kappa = forest->chain_table.column[SN_CHAIN_KAPPA];
    for (uint32_t i = t->chain; t->turning && i < t->chain + t->links; ++i)
        *kappa_of(forest, i) = kappa[i];
}

void sn_chain_take_back(const sn_forest *forest, const sn_tree *t)
{
    double *kappa = forest->chain_table.column[SN_CHAIN_KAPPA];
    for (uint32_t i = t->chain; t->turning && i < t->chain + t->links; ++i)
        kappa[i] = *kappa_of(forest, i);
}
