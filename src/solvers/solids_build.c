/* Making the lattices of solids: see solids.h. */
#include "solvers/hierarchy_work.h"
#include "solvers/solids.h"

#include "base/symmetric.h"
#include "solvers/preload.h"
#include "solvers/row.h"

#include <stdio.h>
#include <string.h>

/* Particles that can move, at least: of fewer, sweeps find the stress. */
#define LEAST_SOLID 128u

/* A sheet has at most four rods for each particle, or six with those that keep it from bending; a solid has five or more. */
#define SOLID_RODS(particles) (4 * (particles) + (particles) / 4)

/* From node to node, by the mean length of rods. Diagonals are among these: it is four particles, about. */
#define SPACING 3.5

/* Multiplications of a factorisation, at most: a fifth of a second. Larger solids have wider lattices. */
#define MOST_WORK 3e8
#define WIDER     1.25

/* A lattice has at most so many points for each particle, occupied or not. */
#define MOST_POINTS 8.0

/* A rod is, by its rest length, between these in the rest shape; otherwise that is no rest shape. */
#define SHORTEST 0.7
#define LONGEST  1.4

/* Rods of a solid differ in stiffness by a factor of this at most, as far as the lattice goes: rigid ones count as that stiff. */
#define STIFFEST 1e4

#define NONE SN_PLAN_NONE

typedef struct solid_work {
    sn_solids *s;
    const sn_solver_in *in;
    const sn_hierarchy *h;
    const sn_allocator *allocator;
    uint32_t slots;
    uint32_t *body;       /* by slot: which solid it is of, or NONE */
    uint32_t *vertex_of;  /* by slot */
    uint8_t *apart[2];    /* by row of rods and of tetrahedra: it is in no layer of the plan, */
    uint8_t *mine[2];     /*   and it is in the lists */
    uint32_t *rod_start;  /* by vertex: its rods, in */
    uint32_t *neighbour;
    uint32_t *node_start; /* by node, of its solid: the first one in its rows of the matrix */
    uint32_t *solid_node; /* by node: the first one of its solid */
    struct near *near;
    bool failed;
} solid_work;

/* ---- Memory --------------------------------------------------------------------------------------------------------------------- */

void sn_solids_release(sn_solids *s, const sn_allocator *allocator)
{
    for (uint32_t i = 0; i < SN_SOLID_BLOCKS; ++i)
        sn_release(allocator, s->block[i], s->block_size[i]);
    *s = (sn_solids){0};
}

/* Blocks are kept for the next time, in this order: an edit must not make a step allocate. */
static void *room(solid_work *w, size_t count, size_t size)
{
    sn_solids *s = w->s;
    const size_t bytes = count * size + 1;
    void **block = &s->block[s->blocks];
    size_t *has = &s->block_size[s->blocks++];
    if (!w->failed && bytes > *has) {
        sn_release(w->allocator, *block, *has);
        *has = bytes + bytes / 4;
        *block = sn_allocate(w->allocator, *has);
        *has = *block ? *has : 0;
    }
    w->failed = w->failed || !*block;
    return w->failed ? NULL : memset(*block, 0, bytes);
}

/* ---- Which ---------------------------------------------------------------------------------------------------------------------- */

static uint32_t find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join(uint32_t *parent, uint32_t i, uint32_t k)
{
    const uint32_t a = find(parent, i), b = find(parent, k);
    if (a != b)
        parent[a > b ? a : b] = a < b ? a : b;
}

/* The constraints of a kind between particles of the plan, in the order in which they were added. */
typedef struct walk {
    uint32_t kind, run, i;
    uint32_t row, slot[4];
} walk;

static bool next(const solid_work *w, walk *k)
{
    const sn_store *store = w->in->store;
    const sn_pool *pool = store->pool[k->kind];
    const uint32_t points = pool->kind.points;
    for (; k->run < store->run_table.count; ++k->run, k->i = 0) {
        const sn_run *run = &store->run[k->run];
        while (run->kind == k->kind && k->i < run->count) {
            const uint32_t at = k->i++;
            const uint32_t *point = pool->point + (size_t)(run->first + at) * points;
            bool plain = run_has(pool, run, at);
            k->row = run->first + at;
            for (uint32_t i = 0; plain && i < points; ++i) {
                plain = !(point[i] & SN_SPOT_BIT);
                k->slot[i] = plain ? w->in->frame.slot[point[i]] : 0;
                plain = plain && k->slot[i] < w->slots;
            }
            if (plain)
                return true;
        }
    }
    return false;
}

typedef struct solid_facts {
    uint32_t particles, free, rods, gives, solid;
    bool never;
} solid_facts;

/* Sweeps of layers alone begin with multipliers. */
static void mark_apart(solid_work *w)
{
    const sn_plan *plan = w->in->plan;
    const sn_visit *list[3] = {plan->extra, plan->tree, plan->many};
    const uint32_t count[3] = {plan->extra_table.count, plan->tree_table.count, plan->many_table.count};
    static const uint32_t kind[2] = {SN_KIND_DISTANCE, SN_KIND_VOLUME};
    for (uint32_t k = 0; k < 2; ++k) {
        w->apart[k] = room(w, w->in->store->pool[kind[k]]->table.count, 1);
        for (uint32_t l = 0; l < 3 && !w->failed; ++l)
            for (uint32_t i = 0; i < count[l]; ++i)
                if (list[l][i].kind == kind[k])
                    w->apart[k][list[l][i].row] = 1;
    }
}

static bool has_limits(const solid_work *w, uint32_t slot)
{
    const uint32_t tile = sn_plan_owner(w->in->plan, slot);
    return w->h->mesh_table.count && w->h->part_of[tile] < w->h->part_of[tile + 1];
}

/* By slot the number of its solid. */
static void choose(solid_work *w)
{
    const sn_stiffen *stiffen = &w->in->stiffen;
    const sn_pool *pool = w->in->store->pool[SN_KIND_DISTANCE];
    w->body = room(w, w->slots, sizeof *w->body);
    solid_facts *facts = room(w, w->slots, sizeof *facts);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->slots; ++i)
        w->body[i] = i;
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);)
        join(w->body, k.slot[0], k.slot[1]);
    for (uint32_t i = 0; i < w->slots; ++i) {
        solid_facts *f = &facts[w->body[i] = find(w->body, i)];
        f->particles++;
        f->free += sn_hierarchy_inverse_mass(w->in, i) > 0;
        f->never = f->never || (w->body[i] == i && has_limits(w, i));
    }
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);) {
        solid_facts *f = &facts[w->body[k.slot[0]]];
        f->rods++;
        f->gives += pool->give[k.row].compliance > 0;
        f->never = f->never || store_held(w->in->store, pool, k.row) ||
                   (stiffen->breaks && stiffen->breaks(stiffen->world, SN_KIND_DISTANCE, k.row)) ||
                   (stiffen->tears && stiffen->tears(stiffen->world, SN_KIND_DISTANCE, k.row));
    }
    w->s->count = 0;
    for (uint32_t i = 0; i < w->slots; ++i) {
        solid_facts *f = &facts[i];
        const bool is = w->body[i] == i && !f->never && f->free >= LEAST_SOLID && f->rods > SOLID_RODS(f->particles) &&
                        2 * f->gives > f->rods;
        f->solid = is ? w->s->count++ : NONE;
    }
    for (uint32_t i = 0; i < w->slots; ++i)
        w->body[i] = facts[w->body[i]].solid;
}

/* ---- Rest shapes ---------------------------------------------------------------------------------------------------------------- */

/* Where particles are now is their rest shape, if they have none. */
static void note_shapes(solid_work *w)
{
    const sn_stiffen *s = &w->in->stiffen;
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < w->slots; ++i)
        if (w->body[i] != NONE && s->number[i] >= numbers)
            numbers = s->number[i] + 1;
    if (numbers > s->shape->count) {
        if (!sn_table_reserve(s->shape, w->allocator, numbers)) {
            w->failed = true;
            return;
        }
        memset((sn_rest_place *)s->shape->column[0] + s->shape->count, 0,
               (numbers - s->shape->count) * sizeof(sn_rest_place));
        s->shape->count = numbers;
    }
    sn_rest_place *shape = s->shape->column[0];
    const uint64_t since = *s->shapes + 1;
    for (uint32_t i = 0; i < w->slots; ++i) {
        if (w->body[i] == NONE || shape[s->number[i]].since)
            continue;
        shape[s->number[i]] = (sn_rest_place){vec4_xyz(w->in->frame.x[i]), since};
        *s->shapes = since;
    }
}

static sn_vec3 rest_place(const solid_work *w, uint32_t slot)
{
    return ((const sn_rest_place *)w->in->stiffen.shape->column[0])[w->in->stiffen.number[slot]].place;
}

/* ---- Vertices and constraints --------------------------------------------------------------------------------------------------- */

static void list_vertices(solid_work *w)
{
    sn_solids *s = w->s;
    s->vertices = 0;
    for (uint32_t i = 0; i < w->slots; ++i)
        s->vertices += w->body[i] != NONE;
    s->solid = room(w, s->count, sizeof *s->solid);
    s->vertex = room(w, s->vertices, sizeof *s->vertex);
    w->vertex_of = room(w, w->slots, sizeof *w->vertex_of);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->slots; ++i)
        if (w->body[i] != NONE)
            s->solid[w->body[i]].vertices++;
    for (uint32_t i = 1; i < s->count; ++i)
        s->solid[i].vertex = s->solid[i - 1].vertex + s->solid[i - 1].vertices;
    for (uint32_t i = 0; i < s->count; ++i)
        s->solid[i].vertices = 0;
    for (uint32_t i = 0; i < w->slots; ++i) {
        if (w->body[i] == NONE)
            continue;
        sn_solid *solid = &s->solid[w->body[i]];
        w->vertex_of[i] = solid->vertex + solid->vertices++;
        const sn_real inverse = sn_hierarchy_inverse_mass(w->in, i);
        solid->held += !(inverse > 0);
        solid->body = w->in->plan->tile[sn_plan_owner(w->in->plan, i)].body;
        s->vertex[w->vertex_of[i]] = (sn_solid_vertex){.slot = i, .w = inverse, .rest = rest_place(w, i)};
    }
    for (uint32_t i = 0; i < s->count; ++i) { /* from the middle, so that nothing is lost far from the origin */
        sn_solid_vertex *v = s->vertex + s->solid[i].vertex;
        const sn_vec3 middle = v[s->solid[i].vertices / 2].rest;
        for (uint32_t k = 0; k < s->solid[i].vertices; ++k)
            v[k].rest = vec3_sub(v[k].rest, middle);
    }
}

/* Whether the lattice takes a constraint: it is solved in a layer, and all of its particles are of one solid. */
static bool takes(const solid_work *w, const walk *k, uint32_t which, uint32_t *body)
{
    const sn_pool *pool = w->in->store->pool[k->kind];
    *body = w->body[k->slot[0]];
    for (uint32_t i = 1; i < pool->kind.points; ++i)
        *body = w->body[k->slot[i]] == *body ? *body : NONE;
    return *body != NONE && !w->apart[which][k->row] && pool->give[k->row].stiffness == 1 &&
           pool->param[(size_t)k->row * pool->param_count] != 0;
}

static void count_constraints(solid_work *w)
{
    sn_solids *s = w->s;
    uint32_t body;
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);)
        if (takes(w, &k, 0, &body))
            s->solid[body].rods++;
    for (walk k = {.kind = SN_KIND_VOLUME}; next(w, &k);)
        if (takes(w, &k, 1, &body))
            s->solid[body].tets++;
    s->rods = s->tets = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        s->solid[i].rod = s->rods;
        s->solid[i].tet = s->tets;
        s->rods += s->solid[i].rods;
        s->tets += s->solid[i].tets;
        s->solid[i].rods = s->solid[i].tets = 0;
    }
    s->rod = room(w, s->rods, sizeof *s->rod);
    s->tet = room(w, s->tets, sizeof *s->tet);
}

static void list_constraints(solid_work *w)
{
    sn_solids *s = w->s;
    uint32_t body;
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);) {
        const sn_pool *pool = w->in->store->pool[k.kind];
        if (!takes(w, &k, 0, &body))
            continue;
        s->rod[s->solid[body].rod + s->solid[body].rods++] =
            (sn_solid_rod){.end = {w->vertex_of[k.slot[0]], w->vertex_of[k.slot[1]]},
                           .row = k.row,
                           .rest = pool->param[(size_t)k.row * pool->param_count],
                           .compliance = pool->give[k.row].compliance,
                           .damping = pool->give[k.row].damping};
    }
    for (walk k = {.kind = SN_KIND_VOLUME}; next(w, &k);) {
        const sn_pool *pool = w->in->store->pool[k.kind];
        if (!takes(w, &k, 1, &body))
            continue;
        sn_solid_tet *tet = &s->tet[s->solid[body].tet + s->solid[body].tets++];
        *tet = (sn_solid_tet){.row = k.row,
                              .rest = pool->param[(size_t)k.row * pool->param_count],
                              .compliance = pool->give[k.row].compliance,
                              .damping = pool->give[k.row].damping};
        for (uint32_t i = 0; i < 4; ++i)
            tet->corner[i] = w->vertex_of[k.slot[i]];
    }
}

/* Whether a constraint, which may begin with a multiplier, is in no list. */
static bool is_beside(const solid_work *w, uint32_t kind, uint32_t row)
{
    if (!sn_preload_takes(w->in->store, kind, row))
        return false;
    return kind == SN_KIND_DISTANCE ? !w->mine[0][row] : kind == SN_KIND_VOLUME ? !w->mine[1][row] : true;
}

/* Writes those of a run, or counts them where there is no list. */
static uint32_t list_run(const solid_work *w, const sn_plan_run *run, sn_visit *list)
{
    const sn_plan *plan = w->in->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->visits; ++i) {
        const sn_visit visit = plan->visit[run->visit + i];
        if (!visit.kind || !is_beside(w, visit.kind, visit.row))
            continue;
        if (list)
            list[count] = visit;
        count++;
    }
    for (uint32_t i = run->batch * SN_BATCH; i < (run->batch + run->batches) * SN_BATCH; ++i) {
        if (!(plan->mask[i / SN_BATCH] >> i % SN_BATCH & 1) || run->corners || !is_beside(w, run->kind, plan->row[i]))
            continue;
        if (list)
            list[count] = (sn_visit){run->kind, plan->row[i]};
        count++;
    }
    return count;
}

/* A body of the plan is what constraints of any kind join: a solid, and ropes that are tied to it. Where solids act, the pass of preloads leaves
   their bodies alone, and constraints beside them would begin with the multipliers of the last substep. */
static void list_others(solid_work *w)
{
    sn_solids *s = w->s;
    const sn_plan *plan = w->in->plan;
    w->mine[0] = room(w, w->in->store->pool[SN_KIND_DISTANCE]->table.count, 1);
    w->mine[1] = room(w, w->in->store->pool[SN_KIND_VOLUME]->table.count, 1);
    bool *has_solid = room(w, plan->tile_table.count, sizeof *has_solid);
    for (uint32_t i = 0; i < s->rods && !w->failed; ++i)
        w->mine[0][s->rod[i].row] = 1;
    for (uint32_t i = 0; i < s->tets && !w->failed; ++i)
        w->mine[1][s->tet[i].row] = 1;
    for (uint32_t i = 0; i < s->count && !w->failed; ++i)
        has_solid[s->solid[i].body] = true;
    for (uint32_t pass = 0; pass < 2 && !w->failed; ++pass) {
        s->other = pass ? room(w, s->others, sizeof *s->other) : NULL;
        s->others = 0;
        for (uint32_t i = 0; i < plan->tile_table.count && !w->failed; ++i)
            for (uint32_t r = plan->tile[i].run; has_solid[plan->tile[i].body] && r < plan->tile[i].run + plan->tile[i].runs; ++r)
                s->others += list_run(w, &plan->run[r], pass ? s->other + s->others : NULL);
    }
}

/* ---- The lattice ---------------------------------------------------------------------------------------------------------------- */

typedef struct lattice {
    double low[3], spacing[3];
    uint32_t points[3];    /* along each axis */
    uint32_t stride[3];    /* of the number of a point: the longest axis is the slowest */
} lattice;

/* Mean length of rods, and whether the rest shape is one. */
static double mean_length(const solid_work *w, const sn_solid *solid, bool *sound)
{
    const sn_solids *s = w->s;
    double sum = 0;
    *sound = solid->rods > 0;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i) {
        const sn_solid_rod *rod = &s->rod[i];
        const sn_vec3 way = vec3_sub(s->vertex[rod->end[1]].rest, s->vertex[rod->end[0]].rest);
        const double length = sqrt((double)vec3_dot(way, way)), rest = (double)rod->rest;
        *sound = *sound && length > SHORTEST * rest && length < LONGEST * rest;
        sum += length;
    }
    return sum / solid->rods;
}

static lattice make_lattice(const solid_work *w, const sn_solid *solid, double spacing)
{
    lattice l = {.low = {INFINITY, INFINITY, INFINITY}};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
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

/* Rods by vertex, to see what hangs together around a point. */
static void find_neighbours(solid_work *w)
{
    const sn_solids *s = w->s;
    w->rod_start = room(w, (size_t)s->vertices + 2, sizeof *w->rod_start);
    w->neighbour = room(w, 2 * (size_t)s->rods, sizeof *w->neighbour);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            w->rod_start[s->rod[i].end[e] + 2]++;
    for (uint32_t i = 0; i < s->vertices; ++i)
        w->rod_start[i + 2] += w->rod_start[i + 1];
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            w->neighbour[w->rod_start[s->rod[i].end[e] + 1]++] = s->rod[i].end[!e];
}

/* Particles around a point that do not hang together there, such as two fingers of a hand, have a node each. `member` has the places of all particles
   that the point has, as 8 * vertex + which; they get the number of their node. */
static uint32_t split_point(const solid_work *w, const uint32_t *member, uint32_t members, uint32_t first, uint32_t *queue,
                            uint32_t *mark)
{
    sn_solid_vertex *vertex = w->s->vertex;
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

/* Gives the particles of a solid their points, and points their nodes. False if the lattice has too many points, or memory runs out. */
static bool set_nodes(solid_work *w, sn_solid *solid, const lattice *l)
{
    sn_solids *s = w->s;
    const uint32_t blocks = s->blocks;
    const double points = (double)l->points[0] * l->points[1] * l->points[2];
    if (points > MOST_POINTS * solid->vertices + 64)
        return false;
    uint32_t *first = room(w, (size_t)points + 2, sizeof *first);
    uint32_t *member = room(w, 8 * (size_t)solid->vertices, sizeof *member);
    uint32_t *queue = room(w, 8 * (size_t)solid->vertices, sizeof *queue);
    uint32_t *mark = room(w, s->vertices, sizeof *mark);
    s->blocks = blocks; /* scratch: the next solid takes it again */
    if (w->failed)
        return false;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        sn_solid_vertex *vertex = &s->vertex[v];
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

/* All particles of a constraint get the least number that one of them has. */
static void spread_least(const solid_work *w, const sn_solid *solid, const uint32_t *from, uint32_t *to)
{
    const sn_solids *s = w->s;
    memcpy(to + solid->vertex, from + solid->vertex, solid->vertices * sizeof *to);
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            lower(&to[s->rod[i].end[e]], from[s->rod[i].end[!e]]);
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; ++i)
        for (uint32_t e = 0; e < 4; ++e)
            for (uint32_t f = 0; f < 4; ++f)
                lower(&to[s->tet[i].corner[e]], from[s->tet[i].corner[f]]);
}

/* Where the rows of the matrix start: at the first node with which a node shares a particle that some constraint of both moves. Multiplications of
   factoring it. */
static double find_rows(solid_work *w, const sn_solid *solid, uint32_t *least, uint32_t *start)
{
    const sn_solids *s = w->s;
    uint32_t *other = least + s->vertices;
    double work = 0;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        least[v] = NONE;
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i)
            lower(&least[v], s->vertex[v].node[i]);
    }
    spread_least(w, solid, least, other);
    spread_least(w, solid, other, least);
    for (uint32_t n = 0; n < solid->nodes; ++n)
        start[n] = n;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v)
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i)
            lower(&start[s->vertex[v].node[i]], least[v]);
    for (uint32_t n = 0; n < solid->nodes; ++n) {
        const double length = SN_SOLID_MODES * (double)(n + 1 - start[n]);
        work += SN_SOLID_MODES * length * length / 2;
    }
    return work;
}

/* Chooses the lattices, and makes nodes. A solid without a sound rest shape has none. */
static void make_lattices(solid_work *w)
{
    sn_solids *s = w->s;
    uint32_t *least = room(w, 2 * (size_t)s->vertices, sizeof *least);
    w->node_start = room(w, 8 * (size_t)s->vertices, sizeof *w->node_start);
    s->nodes = 0;
    s->entries = 0;
    for (uint32_t i = 0; i < s->count && !w->failed; ++i) {
        sn_solid *solid = &s->solid[i];
        double spacing = SPACING * mean_length(w, solid, &solid->sound), work = INFINITY;
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
            s->entries += (size_t)SN_SOLID_MODES * SN_SOLID_MODES * (n + 1 - w->node_start[s->nodes + n]);
        s->nodes += solid->nodes;
    }
}

/* ---- The matrix ----------------------------------------------------------------------------------------------------------------- */

/* What unknowns do to one thing: nodes, and by node and mode a vector. */
#define MOST_NEAR 64u
typedef struct near {
    uint32_t count, node[MOST_NEAR];
    double by[MOST_NEAR][SN_SOLID_MODES][3];
} near;

/* The place of a node in the list. NONE: there are more than it holds, and the matrix does without. */
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

/* Adds what the nodes of one particle of a constraint do by it. */
static void add_rod(const sn_solids *s, near *n, const sn_solid_rod *rod, uint32_t end, const double *along)
{
    const sn_solid_vertex *v = &s->vertex[rod->end[end]];
    for (uint32_t i = 0; i < v->nodes; ++i) {
        const uint32_t at = place_of(n, v->node[i]);
        for (uint32_t m = 0; m < 6 && at != NONE; ++m)
            for (uint32_t k = 0; k < 3; ++k)
                n->by[at][m][k] += 0.5 * (double)v->weight[i] * (double)rod->q[m] * along[k];
    }
}

static void add_tet(const sn_solids *s, near *n, const sn_solid_tet *tet, const double *along)
{
    for (uint32_t c = 0; c < 4; ++c) {
        const sn_solid_vertex *v = &s->vertex[tet->corner[c]];
        for (uint32_t i = 0; i < v->nodes; ++i) {
            const uint32_t at = place_of(n, v->node[i]);
            for (uint32_t k = 0; k < 3 && at != NONE; ++k)
                n->by[at][6][k] += 0.25 * (double)v->weight[i] * along[k];
        }
    }
}

/* matrix += factor * (products of all vectors of the list), on and below the diagonal. */
static void add_products(const sn_solids *s, const sn_solid *solid, double *matrix, const near *n, uint32_t parts, double factor)
{
    for (uint32_t i = 0; i < n->count; ++i)
        for (uint32_t j = 0; j < n->count; ++j) {
            if (n->node[j] > n->node[i])
                continue;
            for (uint32_t a = 0; a < SN_SOLID_MODES; ++a) {
                const uint32_t row = (solid->node + n->node[i]) * SN_SOLID_MODES + a, column = n->node[j] * SN_SOLID_MODES;
                double *to = matrix + s->row[row] + column - s->start[row];
                const uint32_t end = i == j ? a + 1 : SN_SOLID_MODES;
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
static void tet_gradient(const sn_solids *s, const sn_solid_tet *tet, double g[4][3])
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

static void rod_direction(const sn_solids *s, const sn_solid_rod *rod, double *n)
{
    double square = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        n[k] = (double)vec3_part(&s->vertex[rod->end[1]].rest, k) - (double)vec3_part(&s->vertex[rod->end[0]].rest, k);
        square += n[k] * n[k];
    }
    for (uint32_t k = 0; k < 3; ++k)
        n[k] /= sqrt(square);
}

/* What rods exert by unit strains. */
static void set_responses(solid_work *w)
{
    sn_solids *s = w->s;
    for (uint32_t i = 0; i < s->count; ++i) {
        const sn_solid *solid = &s->solid[i];
        double most = 0;
        for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r)
            most = (double)s->rod[r].compliance > most ? (double)s->rod[r].compliance : most;
        for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r) {
            sn_solid_rod *rod = &s->rod[r];
            const double gives = (double)rod->compliance, least = most / STIFFEST;
            const double k = (double)rod->rest / (gives > least ? gives : least);
            double n[3];
            rod_direction(s, rod, n);
            const double q[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2], 2 * n[0] * n[1], 2 * n[1] * n[2], 2 * n[0] * n[2]};
            for (uint32_t m = 0; m < 6; ++m)
                rod->q[m] = (sn_real)(k * q[m]);
        }
    }
}

/* Qt J W Jt Q: what all unknowns do to one particle, by itself. */
static void add_inertia(solid_work *w, const sn_solid *solid, const uint32_t *first, const uint32_t *list)
{
    const sn_solids *s = w->s;
    near *n = w->near;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        n->count = 0;
        for (uint32_t i = first[v]; i < first[v + 1] && s->vertex[v].w > 0; ++i) {
            if (list[i] < s->rods) {
                const sn_solid_rod *rod = &s->rod[list[i]];
                double along[3];
                rod_direction(s, rod, along);
                for (uint32_t k = 0; k < 3; ++k)
                    along[k] = rod->end[1] == v ? along[k] : -along[k];
                add_rod(s, n, rod, 0, along);
                add_rod(s, n, rod, 1, along);
            } else {
                const sn_solid_tet *tet = &s->tet[list[i] - s->rods];
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

static void add_give(solid_work *w, const sn_solid *solid)
{
    const sn_solids *s = w->s;
    near *n = w->near;
    static const double one[3] = {1, 0, 0};
    for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r) {
        n->count = 0;
        add_rod(s, n, &s->rod[r], 0, one);
        add_rod(s, n, &s->rod[r], 1, one);
        add_products(s, solid, s->give, n, 1, (double)s->rod[r].compliance);
    }
    for (uint32_t t = solid->tet; t < solid->tet + solid->tets; ++t) {
        n->count = 0;
        add_tet(s, n, &s->tet[t], one);
        add_products(s, solid, s->give, n, 1, (double)s->tet[t].compliance);
    }
}

/* Constraints by vertex: rods, then tetrahedra. */
static uint32_t *list_by_vertex(solid_work *w, uint32_t **first)
{
    const sn_solids *s = w->s;
    uint32_t *start = room(w, (size_t)s->vertices + 2, sizeof *start);
    uint32_t *list = room(w, 2 * (size_t)s->rods + 4 * (size_t)s->tets, sizeof *list);
    *first = start;
    if (w->failed)
        return NULL;
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            start[s->rod[i].end[e] + 2]++;
    for (uint32_t i = 0; i < s->tets; ++i)
        for (uint32_t e = 0; e < 4; ++e)
            start[s->tet[i].corner[e] + 2]++;
    for (uint32_t i = 0; i < s->vertices; ++i)
        start[i + 2] += start[i + 1];
    for (uint32_t i = 0; i < s->rods; ++i)
        for (uint32_t e = 0; e < 2; ++e)
            list[start[s->rod[i].end[e] + 1]++] = i;
    for (uint32_t i = 0; i < s->tets; ++i)
        for (uint32_t e = 0; e < 4; ++e)
            list[start[s->tet[i].corner[e] + 1]++] = s->rods + i;
    return list;
}

static void make_matrices(solid_work *w, bool keep)
{
    sn_solids *s = w->s;
    s->start = room(w, (size_t)s->nodes * SN_SOLID_MODES, sizeof *s->start);
    s->row = room(w, (size_t)s->nodes * SN_SOLID_MODES, sizeof *s->row);
    s->inertia = room(w, s->entries, sizeof *s->inertia);
    s->give = room(w, s->entries, sizeof *s->give);
    s->factor = room(w, s->entries, sizeof *s->factor);
    w->near = room(w, 1, sizeof *w->near);
    uint32_t *first, *list = list_by_vertex(w, &first);
    size_t at = 0;
    (void)keep;
    for (uint32_t n = 0; n < s->nodes && !w->failed; ++n)
        for (uint32_t m = 0; m < SN_SOLID_MODES; ++m) {
            s->start[n * SN_SOLID_MODES + m] = w->node_start[n] * SN_SOLID_MODES;
            s->row[n * SN_SOLID_MODES + m] = at;
            at += SN_SOLID_MODES * (size_t)(n - w->solid_node[n] + 1 - w->node_start[n]);
        }
    for (uint32_t i = 0; i < s->count && !w->failed; ++i) {
        add_inertia(w, &s->solid[i], first, list);
        add_give(w, &s->solid[i]);
    }
}

/* ---- Making ---------------------------------------------------------------------------------------------------------------------- */

/* Where nodes are, and what their particles' moments are about them. */
static void make_nodes(solid_work *w)
{
    sn_solids *s = w->s;
    s->node = room(w, s->nodes, sizeof *s->node);
    if (w->failed)
        return;
    for (uint32_t pass = 0; pass < 2; ++pass)
        for (uint32_t i = 0; i < s->count; ++i)
            for (uint32_t v = s->solid[i].vertex; s->solid[i].sound && v < s->solid[i].vertex + s->solid[i].vertices; ++v)
                for (uint32_t k = 0; k < s->vertex[v].nodes; ++k) {
                    sn_solid_node *node = &s->node[s->solid[i].node + s->vertex[v].node[k]];
                    const double weight = (double)s->vertex[v].weight[k];
                    double at[3];
                    for (uint32_t a = 0; a < 3; ++a)
                        at[a] = (double)vec3_part(&s->vertex[v].rest, a) - (pass ? node->place[a] : 0);
                    if (pass) {
                        const double more[6] = {at[0] * at[0], at[1] * at[1], at[2] * at[2], at[0] * at[1], at[0] * at[2], at[1] * at[2]};
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

static void reserve_substeps(solid_work *w)
{
    sn_solids *s = w->s;
    s->at = room(w, s->vertices, sizeof *s->at);
    s->smooth = room(w, s->vertices, sizeof *s->smooth);
    s->push = room(w, s->vertices, sizeof *s->push);
    s->mode = room(w, s->vertices, sizeof *s->mode);
    s->mark = room(w, s->vertices, sizeof *s->mark);
    s->list = room(w, s->vertices, sizeof *s->list);
    s->motion = room(w, s->nodes, sizeof *s->motion);
    s->unknown = room(w, 2 * (size_t)s->nodes * SN_SOLID_MODES, sizeof *s->unknown);
    s->rod_lambda = room(w, s->rods, sizeof *s->rod_lambda);
    s->tet_lambda = room(w, s->tets, sizeof *s->tet_lambda);
    for (uint32_t i = 0; i < s->vertices && !w->failed; ++i)
        s->list[i] = s->vertex[i].slot;
}

/* The mean of what damping makes of compliance. */
static void note_losses(sn_solids *s)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_solid *solid = &s->solid[i];
        double sum = 0;
        for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r)
            sum += (double)s->rod[r].compliance * (double)s->rod[r].damping;
        solid->loss = solid->rods ? sum / solid->rods : 0;
    }
}

static void make(solid_work *w)
{
    sn_solids *s = w->s;
    mark_apart(w);
    choose(w);
    if (w->failed || !s->count)
        return;
    note_shapes(w);
    if (!w->failed)
        list_vertices(w);
    if (!w->failed)
        count_constraints(w);
    if (w->failed)
        return;
    list_constraints(w);
    list_others(w);
    find_neighbours(w);
    if (w->failed)
        return;
    set_responses(w);
    note_losses(s);
    make_lattices(w);
    if (w->failed)
        return;
    w->solid_node = room(w, s->nodes, sizeof *w->solid_node);
    for (uint32_t i = 0; i < s->count && !w->failed; ++i)
        for (uint32_t n = 0; n < s->solid[i].nodes; ++n)
            w->solid_node[s->solid[i].node + n] = s->solid[i].node;
    make_nodes(w);
    make_matrices(w, false);
    reserve_substeps(w);
}

/* Whether inverse masses are those for which they were made. */
static bool are_masses_same(const sn_solids *s, const sn_solver_in *in)
{
    for (uint32_t i = 0; i < s->vertices; ++i)
        if (s->vertex[i].w != sn_hierarchy_inverse_mass(in, s->vertex[i].slot))
            return false;
    return true;
}

bool sn_solids_reserve(sn_solids *s, const sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_store *store = in->store;
    const bool may = in->stiffen.on && in->stiffen.solids && !in->frame.planar &&
                     store->pool[SN_KIND_DISTANCE]->ids.live > SOLID_RODS(LEAST_SOLID);
    if (may && s->made && s->makes == in->plan->makes && s->changes == store->changes && s->edits == in->stiffen.edits &&
        are_masses_same(s, in))
        return true;
    s->made = false;
    s->count = s->vertices = s->rods = s->tets = s->nodes = s->others = s->blocks = 0;
    s->entries = 0;
    if (!may)
        return true;
    solid_work w = {.s = s, .in = in, .h = h, .allocator = allocator, .slots = in->plan->particles};
    make(&w);
    if (w.failed) {
        s->count = 0;
        return false;
    }
    s->made = true;
    s->makes = in->plan->makes;
    s->changes = store->changes;
    s->edits = in->stiffen.edits;
    return true;
}

bool sn_solids_begin(sn_solids *s, const sn_solver_in *in)
{
    bool any = false;
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_solid *solid = &s->solid[i];
        solid->acts = solid->sound;
        for (uint32_t v = solid->vertex; solid->acts && v < solid->vertex + solid->vertices; ++v)
            solid->acts = s->vertex[v].w == in->frame.x[s->vertex[v].slot].w;
        any = any || solid->acts;
    }
    return any;
}
