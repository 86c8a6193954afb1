/* The matrices of lattices, from the rest shape: see solids.h. */
#include "solvers/solids_work.h"

/* The largest ratio of stiffnesses of rods in a solid, for the lattice: rigid rods count as this stiff. */
#define STIFFEST 1e4

#define NONE SN_PLAN_NONE

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

/* The effect of unknowns on one particle or constraint: nodes, and by node and mode a vector. */
#define MOST_NEAR 64u
typedef struct near {
    uint32_t count, node[MOST_NEAR];
    double by[MOST_NEAR][SN_SOFT_MODES][3];
} near;

/* The index of a node in the list. NONE: the list is full, and the matrix ignores the node. */
static uint32_t place_of(near *n, uint32_t node)
{
    uint32_t i = 0;
    while (i < n->count && n->node[i] != node)
        i++;
    if (i == MOST_NEAR)
        return NONE;
    if (i == n->count) {
        n->node[n->count++] = node;
        memset(n->by[i], 0, sizeof n->by[i]);
    }
    return i;
}

/* Adds the effect of the nodes of a constraint, which are those of its first particle. */
static void add_rod(const sn_solids *s, near *n, const solid_rod *rod, const double *along)
{
    const sn_soft_vertex *v = &s->vertex[rod->end[0]];
    for (uint32_t i = 0; i < v->nodes; ++i) {
        const uint32_t at = place_of(n, v->node[i]);
        for (uint32_t m = 0; m < 6 && at != NONE; ++m)
            for (uint32_t k = 0; k < 3; ++k)
                n->by[at][m][k] += (double)v->weight[i] * rod->q[m] * along[k];
    }
}

static void add_tet(const sn_solids *s, near *n, const solid_tet *tet, const double *along)
{
    const sn_soft_vertex *v = &s->vertex[tet->corner[0]];
    for (uint32_t i = 0; i < v->nodes; ++i) {
        const uint32_t at = place_of(n, v->node[i]);
        for (uint32_t k = 0; k < 3 && at != NONE; ++k)
            n->by[at][6][k] += (double)v->weight[i] * along[k];
    }
}

/* matrix += factor * (products of all vectors of the list), on and below the diagonal. */
static void add_products(const sn_solids *s, const sn_soft *solid, double *matrix, const near *n, uint32_t parts,
                         double factor)
{
    for (uint32_t i = 0; i < n->count; ++i)
        for (uint32_t j = 0; j < n->count; ++j) {
            if (n->node[j] > n->node[i])
                continue;
            for (uint32_t a = 0; a < SN_SOFT_MODES; ++a) {
                const uint32_t row = (solid->node + n->node[i]) * SN_SOFT_MODES + a,
                               column = n->node[j] * SN_SOFT_MODES;
                double *to = matrix + s->row[row] + column - s->start[row];
                const uint32_t end = i == j ? a + 1 : SN_SOFT_MODES;
                for (uint32_t b = 0; b < end; ++b) {
                    double dot = 0;
                    for (uint32_t k = 0; k < parts; ++k)
                        dot += n->by[i][a][k] * n->by[j][b][k];
                    to[b] += factor * dot;
                }
            }
        }
}

/* The gradient of a tetrahedron by its corners, in the rest shape. */
static void tet_gradient(const sn_solids *s, const solid_tet *tet, double g[4][3])
{
    double x[4][3];
    for (uint32_t c = 0; c < 4; ++c)
        for (uint32_t k = 0; k < 3; ++k)
            x[c][k] = (double)vec3_part(&s->vertex[tet->corner[c]].rest, k) - (c ? x[0][k] : 0);
    for (uint32_t c = 1; c < 4; ++c) {
        const double *a = x[c % 3 + 1], *b = x[(c + 1) % 3 + 1];
        g[c][0] = (a[1] * b[2] - a[2] * b[1]) / 6;
        g[c][1] = (a[2] * b[0] - a[0] * b[2]) / 6;
        g[c][2] = (a[0] * b[1] - a[1] * b[0]) / 6;
    }
    for (uint32_t k = 0; k < 3; ++k)
        g[0][k] = -g[1][k] - g[2][k] - g[3][k];
}

static void rod_direction(const sn_solids *s, const solid_rod *rod, double *n)
{
    double square = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        n[k] = (double)vec3_part(&s->vertex[rod->end[1]].rest, k) - (double)vec3_part(&s->vertex[rod->end[0]].rest, k);
        square += n[k] * n[k];
    }
    for (uint32_t k = 0; k < 3; ++k)
        n[k] /= sqrt(square);
}

/* Sets the multipliers of rods for unit strains. */
static void set_responses(solid_work *w)
{
    sn_solids *s = w->s;
    for (uint32_t i = 0; i < s->count; ++i) {
        const sn_soft *solid = &s->solid[i];
        double most = 0;
        for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r)
            most = (double)w->rod[r].compliance > most ? (double)w->rod[r].compliance : most;
        for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r) {
            solid_rod *rod = &w->rod[r];
            const double gives = (double)rod->compliance, least = most / STIFFEST;
            const double k = (double)rod->rest / (gives > least ? gives : least);
            double n[3];
            rod_direction(s, rod, n);
            const double q[6] = {n[0] * n[0],     n[1] * n[1],     n[2] * n[2],
                                 2 * n[0] * n[1], 2 * n[1] * n[2], 2 * n[0] * n[2]};
            for (uint32_t m = 0; m < 6; ++m)
                rod->q[m] = k * q[m];
        }
    }
}

/* Adds Qt J W Jt Q, particle by particle, from the effect of all unknowns on it. */
static void add_inertia(solid_work *w, const sn_soft *solid, const uint32_t *first, const uint32_t *list, near *n)
{
    const sn_solids *s = w->s;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        n->count = 0;
        for (uint32_t i = first[v]; i < first[v + 1] && s->vertex[v].w > 0; ++i) {
            if (list[i] < s->rods) {
                const solid_rod *rod = &w->rod[list[i]];
                double along[3];
                rod_direction(s, rod, along);
                for (uint32_t k = 0; k < 3; ++k)
                    along[k] = rod->end[1] == v ? along[k] : -along[k];
                add_rod(s, n, rod, along);
            } else {
                const solid_tet *tet = &w->tet[list[i] - s->rods];
                double g[4][3];
                tet_gradient(s, tet, g);
                for (uint32_t c = 0; c < 4; ++c)
                    if (tet->corner[c] == v)
                        add_tet(s, n, tet, g[c]);
            }
        }
        add_products(s, solid, s->inertia, n, 3, (double)s->vertex[v].w);
    }
}

static void add_give(solid_work *w, const sn_soft *solid, near *n)
{
    const sn_solids *s = w->s;
    static const double one[3] = {1, 0, 0};
    for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r) {
        n->count = 0;
        add_rod(s, n, &w->rod[r], one);
        add_products(s, solid, s->give, n, 1, (double)w->rod[r].compliance);
    }
    for (uint32_t t = solid->tet; t < solid->tet + solid->tets; ++t) {
        n->count = 0;
        add_tet(s, n, &w->tet[t], one);
        add_products(s, solid, s->give, n, 1, (double)w->tet[t].compliance);
    }
}

/* Constraints by vertex: rods, then tetrahedra. */
static uint32_t *list_by_vertex(solid_work *w, uint32_t **first)
{
    const sn_solids *s = w->s;
    uint32_t *start = sn_solids_room(w, (size_t)s->vertices + 2, sizeof *start);
    uint32_t *list = sn_solids_room(w, 2 * (size_t)s->rods + 4 * (size_t)s->tets, sizeof *list);
    *first = start;
    if (w->failed)
        return NULL;
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            start[w->rod[i].end[e] + 2]++;
    for (uint32_t i = 0; i < s->tets; ++i)
        for (uint32_t e = 0; e < 4; ++e)
            start[w->tet[i].corner[e] + 2]++;
    for (uint32_t i = 0; i < s->vertices; ++i)
        start[i + 2] += start[i + 1];
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            list[start[w->rod[i].end[e] + 1]++] = i;
    for (uint32_t i = 0; i < s->tets; ++i)
        for (uint32_t e = 0; e < 4; ++e)
            list[start[w->tet[i].corner[e] + 1]++] = s->rods + i;
    return list;
}

/* For sheets: an unknown with less than this share of the largest effect at its node has no effect but rounding. */
#define LEAST_MODE 1e-6

/* Marks the unknowns of a node that have an effect: strains across a sheet have none, nor has pressure without
   tetrahedra. */
static void mark_modes(const sn_solids *s, const sn_soft *solid, uint32_t node, bool *does)
{
    double inertia[SN_SOFT_MODES], give[SN_SOFT_MODES], most[2] = {0, 0};
    for (uint32_t m = 0; m < SN_SOFT_MODES; ++m) {
        const uint32_t i = node * SN_SOFT_MODES + m, at = solid->node * SN_SOFT_MODES + i;
        inertia[m] = s->inertia[s->row[at] + i - s->start[at]];
        give[m] = s->give[s->row[at] + i - s->start[at]];
        most[0] = inertia[m] > most[0] ? inertia[m] : most[0];
        most[1] = give[m] > most[1] ? give[m] : most[1];
    }
    const double least = solid->flat ? LEAST_MODE : 0;
    for (uint32_t m = 0; m < SN_SOFT_MODES; ++m)
        does[m] = inertia[m] > least * most[0] || give[m] > least * most[1];
}

/* Removes unknowns without effect, in place. */
static void leave_out(const sn_solids *s, sn_soft *solid, uint32_t *unknown, size_t *at)
{
    const uint32_t first = solid->node * SN_SOFT_MODES, *full = s->full + *unknown;
    bool does[SN_SOFT_MODES];
    solid->unknown = *unknown;
    solid->unknowns = 0;
    for (uint32_t i = 0; i < solid->nodes * SN_SOFT_MODES; ++i) {
        const uint32_t from = s->start[first + i];
        const size_t row = s->row[first + i];
        uint32_t begin = 0;
        if (i % SN_SOFT_MODES == 0) /* nothing of this node has been moved yet */
            mark_modes(s, solid, i / SN_SOFT_MODES, does);
        if (!does[i % SN_SOFT_MODES])
            continue;
        s->full[*unknown] = i;
        s->row[*unknown] = *at;
        while (full[begin] < from)
            begin++;
        for (uint32_t k = begin; k <= solid->unknowns; ++k, ++*at) {
            s->inertia[*at] = s->inertia[row + full[k] - from];
            s->give[*at] = s->give[row + full[k] - from];
        }
        s->start[(*unknown)++] = begin;
        solid->unknowns++;
    }
}

void sn_solids_make_matrices(solid_work *w)
{
    sn_solids *s = w->s;
    s->full = sn_solids_room(w, (size_t)s->nodes * SN_SOFT_MODES, sizeof *s->full);
    s->start = sn_solids_room(w, (size_t)s->nodes * SN_SOFT_MODES, sizeof *s->start);
    s->row = sn_solids_room(w, (size_t)s->nodes * SN_SOFT_MODES, sizeof *s->row);
    s->inertia = sn_solids_room(w, s->entries, sizeof *s->inertia);
    s->give = sn_solids_room(w, s->entries, sizeof *s->give);
    s->factor = sn_solids_room(w, s->entries, sizeof *s->factor);
    near *room = sn_solids_room(w, 1, sizeof *room);
    uint32_t *first, *list = list_by_vertex(w, &first);
    size_t at = 0;
    if (w->failed)
        return;
    set_responses(w);
    for (uint32_t n = 0; n < s->nodes && !w->failed; ++n)
        for (uint32_t m = 0; m < SN_SOFT_MODES; ++m) {
            s->start[n * SN_SOFT_MODES + m] = w->node_start[n] * SN_SOFT_MODES;
            s->row[n * SN_SOFT_MODES + m] = at;
            at += SN_SOFT_MODES * (size_t)(n - w->solid_node[n] + 1 - w->node_start[n]);
        }
    for (uint32_t i = 0; i < s->count && !w->failed; ++i) {
        add_inertia(w, &s->solid[i], first, list, room);
        add_give(w, &s->solid[i], room);
    }
    at = 0;
    for (uint32_t i = 0, unknown = 0; i < s->count && !w->failed; ++i)
        leave_out(s, &s->solid[i], &unknown, &at);
}
