/* The lattices of solids: their nodes, and the particles of these. See solids.h. */
#include "solvers/solids_work.h"

/* The distance of nodes, by the mean length of rods, which includes diagonals: about four particles. */
#define SPACING 3.5

/* The most multiplications of a factorisation: a fifth of a second. Larger solids have wider lattices. */
#define MOST_WORK 3e8
#define WIDER     1.25

/* The most points of a lattice for each particle, occupied or not. */
#define MOST_POINTS 8.0

/* The range of lengths in the rest shape, by rest length; outside of it the rest shape is not valid. */
#define SHORTEST 0.7
#define LONGEST  1.4

/* The determinant of the sum of n n^T over rods at a particle, relative to that of an isotropic sum. At a corner of a
   block it is 0.2. */
#define LEAST_SPREAD 0.02

#define NONE SN_PLAN_NONE

/* ---- The lattice ------------------------------------------------------------------------------------------------- */

typedef struct lattice {
    double low[3], spacing[3];
    uint32_t points[3]; /* along each axis */
    uint32_t stride[3]; /* of the number of a point: the longest axis has the largest stride */
} lattice;

/* Returns the mean length of rods. *sound: the rest shape is valid. solid->flat: it does not fill space, since at many
   particles rods do not lead in all directions. A sheet, flat or curved, has no rods across itself. */
static double mean_length(const solid_work *w, sn_soft *solid, double (*spread)[6], bool *sound)
{
    const sn_solids *s = w->s;
    uint32_t thick = 0;
    double sum = 0;
    *sound = solid->rods > 0 && solid->vertices - solid->held >= SN_LEAST_SOLID;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i) {
        const solid_rod *rod = &w->rod[i];
        const sn_vec3 displacement = vec3_sub(s->vertex[rod->end[1]].rest, s->vertex[rod->end[0]].rest);
        const double x = (double)displacement.x, y = (double)displacement.y, z = (double)displacement.z,
                     length = sqrt(x * x + y * y + z * z);
        const double rest = (double)rod->rest, by = 1 / (length * length);
        *sound = *sound && length > SHORTEST * rest && length < LONGEST * rest;
        sum += length;
        for (uint32_t e = 0; e < 2 && *sound; ++e) {
            const double more[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
            for (uint32_t k = 0; k < 6; ++k)
                spread[rod->end[e]][k] += by * more[k];
        }
    }
    for (uint32_t v = solid->vertex; *sound && v < solid->vertex + solid->vertices; ++v) {
        const double *m = spread[v], third = (m[0] + m[1] + m[2]) / 3;
        double inverse[6];
        thick += symmetric_inverse(m, inverse) > LEAST_SPREAD * third * third * third;
    }
    solid->flat = 10 * (uint64_t)thick <= 9 * (uint64_t)solid->vertices;
    return sum / solid->rods;
}

/* Rotates the rest shape of a sheet so that the direction with the fewest rods is the last one: strains across it are
   then unknowns of their own, and left out. All that is derived from a rest shape is independent of its orientation. */
static void lay_flat(const solid_work *w, const sn_soft *solid, double (*spread)[6])
{
    double a[3][3] = {{0}}, value[3], axis[3][3];
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v)
        for (uint32_t i = 0; i < 3; ++i)
            for (uint32_t k = 0; k < 3; ++k)
                a[i][k] += spread[v][i == k ? i : i + k + 2];
    sn_symmetric_eigen(a, value, axis);
    uint32_t least = value[1] < value[0] ? 1 : 0;
    least = value[2] < value[least] ? 2 : least;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        sn_vec3 *rest = &w->s->vertex[v].rest, turned;
        const double x = (double)rest->x, y = (double)rest->y, z = (double)rest->z;
        for (uint32_t k = 0; k < 3; ++k) {
            const double *by = axis[(least + 1 + k) % 3];
            *(&turned.x + k) = (sn_real)(by[0] * x + by[1] * y + by[2] * z);
        }
        *rest = turned;
    }
}

static lattice make_lattice(const solid_work *w, const sn_soft *solid, double spacing)
{
    lattice l = {.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    uint32_t order[3] = {0, 1, 2};
    for (uint32_t i = solid->vertex; i < solid->vertex + solid->vertices; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            const double at = (double)vec3_part(&w->s->vertex[i].rest, k);
            l.low[k] = at < l.low[k] ? at : l.low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    for (uint32_t k = 0; k < 3; ++k) {
        const double extent = high[k] - l.low[k];
        const uint32_t cells = extent / spacing < 1.5 ? 1 : (uint32_t)(extent / spacing + 0.5);
        l.points[k] = cells + 1;
        l.spacing[k] = extent > 0 ? extent / cells : 1;
    }
    for (uint32_t i = 0; i < 2; ++i)
        for (uint32_t k = 0; k < 2; ++k)
            if (l.points[order[k]] > l.points[order[k + 1]]) {
                const uint32_t swap = order[k];
                order[k] = order[k + 1];
                order[k + 1] = swap;
            }
    l.stride[order[0]] = 1;
    l.stride[order[1]] = l.points[order[0]];
    l.stride[order[2]] = l.points[order[0]] * l.points[order[1]];
    return l;
}

/* The points of a lattice around a particle, and their weights. */
static uint32_t points_around(const lattice *l, sn_vec3 at, uint32_t *point, sn_real *weight)
{
    uint32_t count = 0, cell[3];
    double share[3];
    for (uint32_t k = 0; k < 3; ++k) {
        const double where = ((double)vec3_part(&at, k) - l->low[k]) / l->spacing[k];
        cell[k] = where >= l->points[k] - 1 ? l->points[k] - 2 : (uint32_t)where;
        share[k] = where - cell[k];
    }
    for (uint32_t i = 0; i < 8; ++i) {
        double product = 1;
        uint32_t number = 0;
        for (uint32_t k = 0; k < 3; ++k) {
            product *= i >> k & 1 ? share[k] : 1 - share[k];
            number += (cell[k] + (i >> k & 1)) * l->stride[k];
        }
        if (!(product > 1e-6))
            continue;
        point[count] = number;
        weight[count++] = (sn_real)product;
    }
    return count;
}

/* Lists rods by vertex, to find connected particles around a point. */
static void find_neighbours(solid_work *w)
{
    const sn_solids *s = w->s;
    w->rod_start = sn_solids_room(w, (size_t)s->vertices + 2, sizeof *w->rod_start);
    w->neighbour = sn_solids_room(w, 2 * (size_t)s->rods, sizeof *w->neighbour);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            w->rod_start[w->rod[i].end[e] + 2]++;
    for (uint32_t i = 0; i < s->vertices; ++i)
        w->rod_start[i + 2] += w->rod_start[i + 1];
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            w->neighbour[w->rod_start[w->rod[i].end[e] + 1]++] = w->rod[i].end[!e];
}

/* Particles around a point that are not connected there, such as two fingers of a hand, get separate nodes. `member`
   has all uses of the point by particles, as 8 * vertex + index. They get the number of their node. Returns the number
   of nodes. */
static uint32_t split_point(const solid_work *w, const uint32_t *member, uint32_t members, uint32_t first,
                            uint32_t *queue, uint32_t *mark)
{
    sn_soft_vertex *vertex = w->s->vertex;
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < members; ++i)
        mark[member[i] / 8] = member[i] + 1;
    for (uint32_t i = 0; i < members; ++i) {
        uint32_t length = 0;
        if (!mark[member[i] / 8])
            continue;
        queue[length++] = member[i];
        mark[member[i] / 8] = 0;
        while (length) {
            const uint32_t at = queue[--length], v = at / 8;
            vertex[v].node[at % 8] = first + nodes;
            for (uint32_t k = w->rod_start[v]; k < w->rod_start[v + 1]; ++k)
                if (mark[w->neighbour[k]]) {
                    queue[length++] = mark[w->neighbour[k]] - 1;
                    mark[w->neighbour[k]] = 0;
                }
        }
        nodes++;
    }
    return nodes;
}

/* Finds the lattice points of the particles of a solid, and the nodes of these points. False if the lattice has too
   many points, or memory runs out. */
static bool set_nodes(solid_work *w, sn_soft *solid, const lattice *l)
{
    sn_solids *s = w->s;
    const uint32_t blocks = s->blocks;
    const double points = (double)l->points[0] * l->points[1] * l->points[2];
    if (points > MOST_POINTS * solid->vertices + 64)
        return false;
    uint32_t *first = sn_solids_room(w, (size_t)points + 2, sizeof *first);
    uint32_t *member = sn_solids_room(w, 8 * (size_t)solid->vertices, sizeof *member);
    uint32_t *queue = sn_solids_room(w, 8 * (size_t)solid->vertices, sizeof *queue);
    uint32_t *mark = sn_solids_room(w, s->vertices, sizeof *mark);
    s->blocks = blocks; /* scratch, used again by the next solid */
    if (w->failed)
        return false;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        sn_soft_vertex *vertex = &s->vertex[v];
        vertex->nodes = points_around(l, vertex->rest, vertex->node, vertex->weight);
        for (uint32_t i = 0; i < vertex->nodes; ++i)
            first[vertex->node[i] + 2]++;
    }
    for (uint32_t p = 0; p < (uint32_t)points; ++p)
        first[p + 2] += first[p + 1];
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v)
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i)
            member[first[s->vertex[v].node[i] + 1]++] = 8 * v + i;
    solid->nodes = 0;
    for (uint32_t p = 0; p < (uint32_t)points; ++p)
        solid->nodes += split_point(w, member + first[p], first[p + 1] - first[p], solid->nodes, queue, mark);
    return true;
}

static void lower(uint32_t *to, uint32_t value)
{
    *to = value < *to ? value : *to;
}

/* Lowers the number of all particles of a constraint to that of the first one; with `back`, that of the first one to
   the least of all. */
static void spread_least(const solid_work *w, const sn_soft *solid, const uint32_t *from, uint32_t *to, bool back)
{
    for (uint32_t i = solid->vertex; i < solid->vertex + solid->vertices; ++i)
        to[i] = NONE;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            lower(&to[w->rod[i].end[back ? 0 : e]], from[w->rod[i].end[back ? e : 0]]);
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; ++i)
        for (uint32_t e = 0; e < 4; ++e)
            lower(&to[w->tet[i].corner[back ? 0 : e]], from[w->tet[i].corner[back ? e : 0]]);
}

/* Finds where the rows of the matrix start: at the first node that shares a particle with a node, where constraints of
   both act on the particle. Returns the number of multiplications of a factorisation. */
static double find_rows(solid_work *w, const sn_soft *solid, uint32_t *least, uint32_t *start)
{
    const sn_solids *s = w->s;
    uint32_t *other = least + s->vertices;
    double work = 0;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        least[v] = NONE;
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i)
            lower(&least[v], s->vertex[v].node[i]);
    }
    spread_least(w, solid, least, other, false);
    spread_least(w, solid, other, least, true);
    for (uint32_t n = 0; n < solid->nodes; ++n)
        start[n] = n;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v)
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i)
            lower(&start[s->vertex[v].node[i]], least[v]);
    for (uint32_t n = 0; n < solid->nodes; ++n) {
        const double length = SN_SOFT_MODES * (double)(n + 1 - start[n]);
        work += SN_SOFT_MODES * length * length / 2;
    }
    return work;
}

/* Chooses the lattices, and makes nodes. A solid without a valid rest shape has none. */
static void choose_lattices(solid_work *w)
{
    sn_solids *s = w->s;
    uint32_t *least = sn_solids_room(w, 2 * (size_t)s->vertices, sizeof *least);
    w->node_start = sn_solids_room(w, 8 * (size_t)s->vertices, sizeof *w->node_start);
    double(*spread)[6] = sn_solids_room(w, s->vertices, sizeof *spread);
    s->nodes = 0;
    s->entries = 0;
    for (uint32_t i = 0; i < s->count && !w->failed; ++i) {
        sn_soft *solid = &s->solid[i];
        double spacing = SPACING * mean_length(w, solid, spread, &solid->sound), work = HUGE_VAL;
        if (solid->flat && solid->sound)
            lay_flat(w, solid, spread);
        for (uint32_t tries = 0; solid->sound && !w->failed && work > MOST_WORK && tries < 64; ++tries) {
            const lattice l = make_lattice(w, solid, spacing);
            if (set_nodes(w, solid, &l))
                work = find_rows(w, solid, least, w->node_start + s->nodes);
            spacing *= WIDER;
        }
        solid->sound = solid->sound && work <= MOST_WORK;
        solid->node = s->nodes;
        solid->nodes = solid->sound ? solid->nodes : 0;
        for (uint32_t n = 0; n < solid->nodes; ++n)
            s->entries += (size_t)SN_SOFT_MODES * SN_SOFT_MODES * (n + 1 - w->node_start[s->nodes + n]);
        s->nodes += solid->nodes;
    }
}

/* Finds the positions of nodes, and the second moments of their particles about them. */
static void make_nodes(solid_work *w)
{
    sn_solids *s = w->s;
    s->node = sn_solids_room(w, s->nodes, sizeof *s->node);
    if (w->failed)
        return;
    for (uint32_t pass = 0; pass < 2; ++pass)
        for (uint32_t i = 0; i < s->count; ++i)
            for (uint32_t v = s->solid[i].vertex; s->solid[i].sound && v < s->solid[i].vertex + s->solid[i].vertices;
                 ++v)
                for (uint32_t k = 0; k < s->vertex[v].nodes; ++k) {
                    sn_soft_node *node = &s->node[s->solid[i].node + s->vertex[v].node[k]];
                    const double weight = (double)s->vertex[v].weight[k];
                    double at[3];
                    for (uint32_t a = 0; a < 3; ++a)
                        at[a] = (double)vec3_part(&s->vertex[v].rest, a) - (pass ? node->place[a] : 0);
                    if (pass) {
                        const double more[6] = {at[0] * at[0], at[1] * at[1], at[2] * at[2],
                                                at[0] * at[1], at[0] * at[2], at[1] * at[2]};
                        for (uint32_t a = 0; a < 6; ++a)
                            node->inverse[a] += weight * more[a];
                        continue;
                    }
                    const double sum = node->weight + weight;
                    for (uint32_t a = 0; a < 3; ++a)
                        node->place[a] += (at[a] - node->place[a]) * (weight / sum);
                    node->weight = sum;
                }
    for (uint32_t n = 0; n < s->nodes; ++n) {
        double moment[6];
        memcpy(moment, s->node[n].inverse, sizeof moment);
        const double least = 1e-9 * (moment[0] + moment[1] + moment[2]) + 1e-30;
        for (uint32_t a = 0; a < 3; ++a)
            moment[a] += least;
        symmetric_inverse(moment, s->node[n].inverse);
    }
}

void sn_solids_make_lattices(solid_work *w)
{
    sn_solids *s = w->s;
    find_neighbours(w);
    if (!w->failed)
        choose_lattices(w);
    if (w->failed)
        return;
    w->solid_node = sn_solids_room(w, s->nodes, sizeof *w->solid_node);
    for (uint32_t i = 0; i < s->count && !w->failed; ++i)
        for (uint32_t n = 0; n < s->solid[i].nodes; ++n)
            w->solid_node[s->solid[i].node + n] = s->solid[i].node;
    make_nodes(w);
}
