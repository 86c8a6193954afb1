/* Constraints that contradict each other, such as rods of 1, 1 and 3 m that form a triangle.

   No solver can satisfy such a set. A sweep does worse: each projection undoes the earlier ones, in a cycle of
   corrections along gradients at positions that are not those at the start of the substep. So the corrections exert a
   torque, and the set spins up out of nothing. Measured: the triangle from rest to 384 J and 46 kg m^2/s in 10
   substeps; eight particles, all joined, with rods wrong by 0.3 %, to 27 J in ten seconds. Its velocity is only a
   remainder of that cycle.

   So such sets are found before they are stepped, and get a compromise. A contradiction is caused by an edit: only
   constraints that were added or changed, and are violated by more than a share of their size, are examined, with all
   constraints that are connected with them. Then Gauss-Newton steps, damped by m,

       minimise |S (C + J dx)|^2 + m |W^-1/2 dx|^2,   S = 1 / |grad C|,   dx = W J^T l for some l,

   move the particles, in the memory of this file, to the least sum of squares of the violations, in metres. If nothing
   is violated there, the set can be satisfied and only begins badly: nothing is changed, and the solver satisfies it.
   Otherwise the violation there is stored, and from then on the solvers aim at C - violation = 0, which can be
   satisfied. To them it is a set like any other, of any kind, with any solver and integrator. The particles are moved
   there, without a velocity: dx conserves the centre of mass and, to first order, does not rotate the set. Reports and
   queries return C itself.

   This finds contradictions of rigid equalities among particles. It does not find contradictions that involve the
   world, such as a rope between two hooks that is too short: hooks may move. (If two or more particles of a set are
   held, they are free in the search, and nothing is moved afterwards.) Nor does it find those of inequalities, of
   bodies, and of sets with more than MOST_ROWS rows. */
#include "world/substep.h"

#include "base/dvec.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

/* A constraint counts as violated if C is more than this share of its size, the largest distance of a point from the
   first. A constraint whose parameters changed is more likely animated than wrong, and is examined only if it is far
   off. */
#define MISSED         1e-3
#define MISSED_CHANGED 5e-2

/* Where a set contradicts itself, a violation below this share is ignored. */
#define HELD_LEAST 1e-5

/* The size of a constraint is at least this share of the mean: points in one place have the size 0. */
#define LEAST_SIZE 0.1

/* Limits of the cost of a search: a set beyond them is left alone. 2 million rows, visited once in each iteration of
   conjugate gradients, take 30 ms. The triangle takes a thousandth of that; eight particles, all joined, a tenth. */
#define MOST_ROWS   500u
#define MOST_VISITS 2000000u

#define MOST_STEPS      200  /* Gauss-Newton steps */
#define MOST_ITERATIONS 40   /* iterations of conjugate gradients in each */
#define GRADIENT_LEFT   1e-8 /* they end when the squared gradient has fallen to this share */
#define MOST_MOVE       0.3  /* largest displacement in a step, as a share of the mean size */
#define FIRST_DAMPING   1e-3 /* as a share of the mean inverse mass */
#define MOST_DAMPING    1e6  /* the same: beyond it nothing more is to be gained */
#define SETTLED         1e-6 /* the search ends when a step reduces the sum of squares by less than this share */

/* A set that is flat or straight by chance may only look contradictory: rods that are too long for a plane bulge. So
   the search is repeated from positions that are displaced by SHAKE (a share of the mean size), and the new result is
   used if it is better by the factor BETTER. A set that begins far from a solution may end at a local minimum of the
   sum of squares. So the search is repeated from positions that are farther away, and the set is contradictory only if
   it is never satisfied. (Measured: of 200 times eight particles, all joined, that began half their size from a
   solution, 14 were called contradictory without this, and 0 with it.) */
#define SHAKE       1e-3
#define BETTER      0.99
#define FAR_SHAKE   0.5
#define FAR_TRIES   12
#define LEAST_TRIES 2 /* with fewer the search was too short */

typedef struct node {
    uint32_t slot;
    bool anchor; /* held by something outside this set */
    double w;
    sn_vec4 x, x_low;                /* position before the search */
    sn_dvec3 at;                     /* displacement from there */
    sn_dvec3 best, kept;             /* before this step, and at the end of the first search */
    sn_dvec3 move, gradient, search; /* for conjugate gradients, in coordinates scaled by the root of w */
} node;

typedef struct set_block {
    uint32_t kind, row;
    uint32_t first; /* its first row in the set */
    uint32_t entry; /* its first gradient; gradients are ordered row by row */
    uint32_t count; /* number of particles */
    double size;    /* m */
} set_block;

typedef struct set_row {
    double scale; /* 1 / |grad C| at the first evaluation */
    double missed, image, c;
} set_row;

typedef struct set_entry {
    uint32_t node;
    sn_dvec3 gradient; /* scaled */
} set_entry;

typedef struct search {
    sn_world *world;
    sn_frame frame;
    node *nodes;
    set_block *blocks;
    set_row *rows;
    set_entry *entries;
    uint32_t *mark; /* by particle number: 1 + its node in this set; SEEN: it was in an earlier set */
    uint32_t node_count, block_count, row_count, entry_count;
    uint32_t visits; /* number of rows that conjugate gradients visited */
    double size;     /* mean size of the blocks, m */
    double mobility; /* mean inverse mass, 1/kg */
    bool failed;     /* memory ran out */
} search;

#define SEEN UINT32_MAX

void sn_compromise_init(sn_compromise *c)
{
    memset(c, 0, sizeof *c);
    sn_table_column(&c->node_table, sizeof(node), false);
    sn_table_column(&c->block_table, sizeof(set_block), false);
    sn_table_column(&c->row_table, sizeof(set_row), false);
    sn_table_column(&c->entry_table, sizeof(set_entry), false);
    sn_table_column(&c->mark_table, sizeof(uint32_t), false);
    sn_table_column(&c->old_table, sizeof(sn_compromised), false);
}

void sn_compromise_release(sn_compromise *c, const sn_allocator *allocator)
{
    sn_table_release(&c->node_table, allocator);
    sn_table_release(&c->block_table, allocator);
    sn_table_release(&c->row_table, allocator);
    sn_table_release(&c->entry_table, allocator);
    sn_table_release(&c->mark_table, allocator);
    sn_table_release(&c->old_table, allocator);
}

/* ---- Which constraints are examined ------------------------------------------------------------------------------ */

/* True for a rigid equality between several points. */
static bool takes_part(const sn_pool *pool, uint32_t row)
{
    const sn_kind *kind = pool->kind;
    return sn_ids_is_live(&pool->ids, row) && !kind->force && !kind->project && !kind->own_rows && !kind->inequality &&
           kind->points != 1 && pool->give[row].compliance == 0 && pool->give[row].stiffness > 0;
}

/* The largest distance of a particle from the first, m. */
static double size_of(const sn_frame *frame, const sn_block *block)
{
    double most = 0;
    sn_vec3 origin = vec4_xyz(frame->x[block->slot[0]]);
    for (uint32_t i = 1; i < block->count; ++i) {
        sn_vec3 displacement =
            vec3_sub(frame_position(frame, block->slot[i], origin), vec4_xyz(frame->x_low[block->slot[0]]));
        most = fmax(most, vec3_dot_double(displacement, displacement));
    }
    return sqrt(most);
}

static double length_of(const sn_block *block, uint32_t row)
{
    double square = 0;
    for (uint32_t i = 0; i < block->count; ++i)
        square += vec3_dot_double(block->gradient[row * block->count + i], block->gradient[row * block->count + i]);
    return sqrt(square);
}

/* A quick test: true if the constraint is a rod between two particles with an error below half the limit. Most
   constraints are, and there may be a million of them. */
static bool is_kept_rod(const search *s, uint32_t kind, const sn_pool *pool, uint32_t row, double share)
{
    const uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    if (kind != SN_KIND_DISTANCE || (point[0] | point[1]) & SN_ANCHOR_BIT)
        return false;
    const uint32_t a = s->frame.slot[point[0]], b = s->frame.slot[point[1]];
    const sn_vec3 displacement = vec3_add(vec3_sub(vec4_xyz(s->frame.x[a]), vec4_xyz(s->frame.x[b])),
                                          vec3_sub(vec4_xyz(s->frame.x_low[a]), vec4_xyz(s->frame.x_low[b])));
    const double length = sqrt(vec3_dot_double(displacement, displacement)),
                 rest = (double)pool->param[(size_t)row * pool->param_count];
    return fabs(length - rest) <= share / 2 * length;
}

/* True if the constraint is violated by more than a share of its size. */
static bool is_missed(const search *s, uint32_t kind, uint32_t row, double share)
{
    const sn_pool *pool = s->world->constraints.pool[kind];
    sn_block block;
    sn_block_room room;
    uint32_t body[SN_MAX_POINTS];
    if (row >= pool->ids.table.count || !takes_part(pool, row) || is_kept_rod(s, kind, pool, row, share) ||
        (!pool_has_lists(pool) && sn_evaluate_bodies(&s->world->constraints, pool, row, body)) ||
        !evaluate(&s->world->constraints, pool, row, &s->frame, &block, &room) || !block.count)
        return false;
    double size = size_of(&s->frame, &block);
    for (uint32_t r = 0; r < block.rows; ++r) {
        double length = length_of(&block, r);
        if (length > 0 && fabs((double)block.c[r]) > share * size * length && size > 0)
            return true;
    }
    return false;
}

/* ---- The connected set ------------------------------------------------------------------------------------------- */

static bool grow(search *s, sn_table *table, uint32_t count)
{
    sn_compromise *c = &s->world->compromise;
    c->node_table.count = s->node_count;
    c->block_table.count = s->block_count;
    c->row_table.count = s->row_count;
    c->entry_table.count = s->entry_count;
    s->failed = s->failed || !sn_table_reserve(table, &s->world->allocator, count);
    s->nodes = c->node_table.column[0];
    s->blocks = c->block_table.column[0];
    s->rows = c->row_table.column[0];
    s->entries = c->entry_table.column[0];
    return !s->failed;
}

static bool add_node(search *s, uint32_t number)
{
    const sn_particle_store *p = &s->world->particles;
    uint32_t slot = s->world->ids.value[number];
    if (s->mark[number])
        return s->mark[number] != SEEN;
    if (!grow(s, &s->world->compromise.node_table, s->node_count + 1))
        return false;
    s->nodes[s->node_count] = (node){.slot = slot,
                                     .w = (double)p->x[slot].w,
                                     .anchor = p->x[slot].w == 0 || p->target[slot],
                                     .x = p->x[slot],
                                     .x_low = p->x_low[slot]};
    s->mark[number] = ++s->node_count;
    return true;
}

/* Adds a constraint and its particles. False if the set is too large or has bodies. */
static bool add_block(search *s, uint32_t kind, uint32_t row)
{
    const sn_store *store = &s->world->constraints;
    const sn_pool *pool = store->pool[kind];
    uint32_t small[SN_MAX_BLOCK], count, body[SN_MAX_POINTS], n = s->block_count;
    const uint32_t *number = sn_store_particles(store, pool, row, small, &count);
    sn_compromise *c = &s->world->compromise;
    if (s->row_count + pool->kind->rows > MOST_ROWS ||
        (!pool_has_lists(pool) && sn_evaluate_bodies(store, pool, row, body)))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        if (!add_node(s, number[i]))
            return false;
    if (!grow(s, &c->block_table, n + 1) || !grow(s, &c->row_table, s->row_count + pool->kind->rows) ||
        !grow(s, &c->entry_table, s->entry_count + pool->kind->rows * count))
        return false;
    s->blocks[n] = (set_block){.kind = kind, .row = row, .first = s->row_count, .entry = s->entry_count};
    s->block_count++;
    s->row_count += pool->kind->rows;
    s->entry_count += pool->kind->rows * count;
    return true;
}

/* Adds the constraints of a node. A constraint is added with the first of its movable particles, so only once. */
static bool add_around(search *s, uint32_t n)
{
    const sn_store *store = &s->world->constraints;
    const sn_incidence *incidence = &s->world->incidence;
    const uint32_t *start = incidence->start_table.column[0], number = s->world->particles.index[s->nodes[n].slot];
    const sn_incidence_entry *entry = incidence->entry_table.column[0];
    for (uint32_t i = start[number]; i < start[number + 1]; ++i) {
        const sn_pool *pool = store->pool[entry[i].kind];
        uint32_t small[SN_MAX_BLOCK], count;
        bool known = i > start[number] && entry[i - 1].kind == entry[i].kind && entry[i - 1].row == entry[i].row;
        if (pool->kind->points == 1 && sn_ids_is_live(&pool->ids, entry[i].row) && !pool->kind->force &&
            !pool->kind->inequality)
            s->nodes[n].anchor = true;
        if (!takes_part(pool, entry[i].row))
            continue;
        const uint32_t *others = sn_store_particles(store, pool, entry[i].row, small, &count);
        for (uint32_t k = 0; k < count; ++k) {
            uint32_t mark = s->mark[others[k]];
            if (mark == SEEN)
                return false;
            known = known || (mark && mark - 1 < n && s->nodes[mark - 1].x.w != 0);
        }
        if (!known && !add_block(s, entry[i].kind, entry[i].row))
            return false;
    }
    return true;
}

/* Gathers all constraints that are connected with this one by movable particles. */
static bool gather(search *s, uint32_t kind, uint32_t row)
{
    uint32_t small[SN_MAX_BLOCK], count;
    const uint32_t *number =
        sn_store_particles(&s->world->constraints, s->world->constraints.pool[kind], row, small, &count);
    bool good = true;
    s->node_count = s->block_count = s->row_count = s->entry_count = s->visits = 0;
    for (uint32_t i = 0; good && i < count; ++i)
        good = add_node(s, number[i]);
    for (uint32_t n = 0; good && n < s->node_count; ++n)
        if (s->world->particles.x[s->nodes[n].slot].w != 0)
            good = add_around(s, n);
    return good && !s->failed;
}

/* True for a tree of rods, which cannot contradict each other. */
static bool is_tree(const search *s)
{
    uint32_t rods = 0;
    for (uint32_t b = 0; b < s->block_count; ++b)
        rods += s->world->constraints.pool[s->blocks[b].kind]->kind->points == 2;
    return rods == s->block_count && s->row_count == s->block_count && s->block_count + 1 == s->node_count;
}

/* Sets inverse masses. One held particle stays in place. With several it is unknown where they go: they are free in the
   search. Returns true if the particles may be moved afterwards. */
static bool set_masses(search *s)
{
    uint32_t anchors = 0, movable = 0;
    double sum = 0;
    for (uint32_t n = 0; n < s->node_count; ++n) {
        anchors += s->nodes[n].anchor;
        movable += s->nodes[n].w > 0;
        sum += s->nodes[n].w;
    }
    s->mobility = movable ? sum / movable : 0;
    for (uint32_t n = 0; n < s->node_count; ++n)
        if (s->nodes[n].anchor)
            s->nodes[n].w = anchors > 1 ? s->mobility : 0;
    return anchors < 2;
}

/* ---- Least squares ----------------------------------------------------------------------------------------------- */

/* Moves the particles to the positions of the search. */
static void place(search *s)
{
    sn_particle_store *p = &s->world->particles;
    for (uint32_t n = 0; n < s->node_count; ++n) {
        const node *at = &s->nodes[n];
        sn_dvec3 x = dvec3_add(dvec3_add(dvec3_from(vec4_xyz(at->x)), dvec3_from(vec4_xyz(at->x_low))), at->at);
        p->x[at->slot] = vec4(dvec3_round(x), at->x.w);
        p->x_low[at->slot] = vec4(dvec3_round(dvec3_sub(x, dvec3_from(vec4_xyz(p->x[at->slot])))), at->x_low.w);
    }
}

static void put_back(search *s)
{
    for (uint32_t n = 0; n < s->node_count; ++n) {
        s->world->particles.x[s->nodes[n].slot] = s->nodes[n].x;
        s->world->particles.x_low[s->nodes[n].slot] = s->nodes[n].x_low;
    }
}

/* Evaluates the set at its positions; `first`: also computes sizes and scales. Returns the sum of squares of the
   violations, m^2; infinity if that is not finite. */
static double look(search *s, bool first)
{
    const sn_store *store = &s->world->constraints;
    double sum = 0;
    place(s);
    for (uint32_t b = 0; b < s->block_count; ++b) {
        set_block *at = &s->blocks[b];
        sn_block block;
        sn_block_room room;
        bool exists = evaluate(store, store->pool[at->kind], at->row, &s->frame, &block, &room);
        at->count = exists ? block.count : 0;
        if (first)
            at->size = exists ? size_of(&s->frame, &block) : 0;
        for (uint32_t r = 0; r < store->pool[at->kind]->kind->rows; ++r) {
            set_row *row = &s->rows[at->first + r];
            double length = exists ? length_of(&block, r) : 0;
            if (first)
                row->scale = length > 0 ? 1 / length : 0;
            row->c = exists ? (double)block.c[r] : 0;
            row->missed = row->scale * row->c;
            sum += row->missed * row->missed;
            for (uint32_t i = 0; i < at->count; ++i)
                s->entries[at->entry + r * at->count + i] =
                    (set_entry){s->mark[s->world->particles.index[block.slot[i]]] - 1,
                                dvec3_scale(dvec3_from(block.gradient[r * at->count + i]), row->scale)};
        }
    }
    return isfinite(sum) ? sum : (double)INFINITY;
}

/* image = A search, A = S J W^1/2. */
static void apply(search *s)
{
    for (uint32_t b = 0; b < s->block_count; ++b)
        for (uint32_t r = 0; r < s->world->constraints.pool[s->blocks[b].kind]->kind->rows; ++r) {
            const set_entry *entry = s->entries + s->blocks[b].entry + r * s->blocks[b].count;
            double sum = 0;
            for (uint32_t i = 0; i < s->blocks[b].count; ++i)
                sum += sqrt(s->nodes[entry[i].node].w) * dvec3_dot(entry[i].gradient, s->nodes[entry[i].node].search);
            s->rows[s->blocks[b].first + r].image = sum;
        }
}

/* Computes the negative gradient: -A^T missed, minus the damping term. Returns its square. */
static double find_gradient(search *s, double damping)
{
    double square = 0;
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->nodes[n].gradient = dvec3_scale(s->nodes[n].move, -damping);
    for (uint32_t b = 0; b < s->block_count; ++b)
        for (uint32_t r = 0; r < s->world->constraints.pool[s->blocks[b].kind]->kind->rows; ++r) {
            const set_entry *entry = s->entries + s->blocks[b].entry + r * s->blocks[b].count;
            double missed = s->rows[s->blocks[b].first + r].missed;
            for (uint32_t i = 0; i < s->blocks[b].count; ++i) {
                node *at = &s->nodes[entry[i].node];
                at->gradient = dvec3_add(at->gradient, dvec3_scale(entry[i].gradient, -missed * sqrt(at->w)));
            }
        }
    for (uint32_t n = 0; n < s->node_count; ++n)
        square += dvec3_dot(s->nodes[n].gradient, s->nodes[n].gradient);
    return square;
}

/* Computes the damped step, in `move`, by conjugate gradients on the normal equations. Overwrites `missed`. */
static void find_step(search *s, double damping)
{
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->nodes[n].move = dvec3(0, 0, 0);
    double square = find_gradient(s, damping), first = square;
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->nodes[n].search = s->nodes[n].gradient;
    for (int i = 0; i < MOST_ITERATIONS && square > GRADIENT_LEFT * first; ++i) {
        double images = 0;
        s->visits += s->row_count;
        apply(s);
        for (uint32_t r = 0; r < s->row_count; ++r)
            images += s->rows[r].image * s->rows[r].image;
        for (uint32_t n = 0; n < s->node_count; ++n)
            images += damping * dvec3_dot(s->nodes[n].search, s->nodes[n].search);
        if (!(images > 0))
            break;
        double length = square / images, before = square;
        for (uint32_t n = 0; n < s->node_count; ++n)
            s->nodes[n].move = dvec3_add(s->nodes[n].move, dvec3_scale(s->nodes[n].search, length));
        for (uint32_t r = 0; r < s->row_count; ++r)
            s->rows[r].missed += length * s->rows[r].image;
        square = find_gradient(s, damping);
        for (uint32_t n = 0; n < s->node_count; ++n)
            s->nodes[n].search = dvec3_add(s->nodes[n].gradient, dvec3_scale(s->nodes[n].search, square / before));
    }
}

/* Moves along the step, by at most MOST_MOVE. If that is not better it goes back and returns false. */
static bool go(search *s, double *sum)
{
    double most = 0;
    for (uint32_t n = 0; n < s->node_count; ++n) {
        s->nodes[n].move = dvec3_scale(s->nodes[n].move, sqrt(s->nodes[n].w));
        s->nodes[n].best = s->nodes[n].at;
        most = fmax(most, dvec3_dot(s->nodes[n].move, s->nodes[n].move));
    }
    double share = sqrt(most) > MOST_MOVE * s->size ? MOST_MOVE * s->size / sqrt(most) : 1;
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->nodes[n].at = dvec3_add(s->nodes[n].best, dvec3_scale(s->nodes[n].move, share));
    double next = look(s, false);
    if (next < *sum) {
        *sum = next;
        return true;
    }
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->nodes[n].at = s->nodes[n].best;
    look(s, false);
    return false;
}

/* Goes from the present positions to the least sum of squares, and returns it in m^2. Steps are damped as in
   Levenberg-Marquardt: if violations remain, the Gauss-Newton matrix is too small across rods that are pulled
   straight. */
static double descend(search *s)
{
    double sum = look(s, false), damping = FIRST_DAMPING * s->mobility;
    for (int i = 0; i < MOST_STEPS && sum > 0 && damping < MOST_DAMPING * s->mobility && s->visits < MOST_VISITS; ++i) {
        double before = sum;
        find_step(s, damping);
        bool good = go(s, &sum);
        damping *= good ? 0.25 : 8;
        if (good && before - sum < SETTLED * before)
            break;
    }
    return sum;
}

/* A pseudorandom number between -1 and 1 that depends only on the two arguments. */
static double chance(uint32_t a, uint32_t b)
{
    return (double)(hash_u64(hash_u64(SN_HASH_SEED, a), b) >> 11) * 0x1p-52 - 1;
}

static void shake(search *s, double share, uint32_t seed)
{
    for (uint32_t n = 0; n < s->node_count; ++n) {
        double by = s->nodes[n].w == 0 ? 0 : share * s->size, z = s->frame.planar ? 0 : by;
        s->nodes[n].at = dvec3(by * chance(n, seed), by * chance(n, seed + 1), z * chance(n, seed + 2));
    }
}

/* True if some constraint is violated at the present positions. */
static bool contradicts(const search *s)
{
    for (uint32_t b = 0; b < s->block_count; ++b)
        for (uint32_t r = 0; r < s->world->constraints.pool[s->blocks[b].kind]->kind->rows; ++r) {
            const set_row *row = &s->rows[s->blocks[b].first + r];
            if (fabs(row->c) * row->scale > MISSED * s->blocks[b].size)
                return true;
        }
    return false;
}

static void keep(search *s)
{
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->nodes[n].kept = s->nodes[n].at;
}

/* Ends at the best compromise near the start. False if the set can be satisfied. */
static bool find_compromise(search *s)
{
    double sum = look(s, true);
    s->size = 0;
    for (uint32_t b = 0; b < s->block_count; ++b)
        s->size += s->blocks[b].size / s->block_count;
    if (!isfinite(sum) || !(s->size > 0))
        return false;
    for (uint32_t b = 0; b < s->block_count; ++b)
        s->blocks[b].size = fmax(s->blocks[b].size, LEAST_SIZE * s->size);
    sum = descend(s);
    if (!contradicts(s))
        return false;
    keep(s);
    for (uint32_t i = 0; i <= FAR_TRIES; ++i) {
        shake(s, i ? FAR_SHAKE : SHAKE, 3 * i);
        bool better = descend(s) < BETTER * sum;
        if (!contradicts(s) || (s->visits >= MOST_VISITS && i < LEAST_TRIES))
            return false;
        if (s->visits >= MOST_VISITS)
            break;
        if (i == 0 && better)
            keep(s);
    }
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->nodes[n].at = s->nodes[n].kept;
    look(s, false);
    return true;
}

/* ---- The result -------------------------------------------------------------------------------------------------- */

static void warn(const search *s)
{
    const set_block *worst = &s->blocks[0];
    double most = 0;
    char text[SN_ERROR_SIZE];
    for (uint32_t b = 0; b < s->block_count; ++b)
        for (uint32_t r = 0; r < s->world->constraints.pool[s->blocks[b].kind]->kind->rows; ++r) {
            const set_row *row = &s->rows[s->blocks[b].first + r];
            if (fabs(row->c) * row->scale > most) {
                most = fabs(row->c) * row->scale;
                worst = &s->blocks[b];
            }
        }
    snprintf(text, sizeof text,
             "at %g s %u constraints contradict each other, and are held at a compromise: the worst, %s constraint %u, "
             "is missed by %.3g m",
             s->world->state.time, s->block_count, s->world->constraints.pool[worst->kind]->kind->name, worst->row,
             most);
    sn_warn(&s->world->errors, text);
}

/* From now on the solvers aim at the present violations. */
static bool hold(search *s)
{
    sn_store *store = &s->world->constraints;
    for (uint32_t b = 0; b < s->block_count; ++b) {
        const set_block *at = &s->blocks[b];
        sn_pool *pool = store->pool[at->kind];
        sn_compromised held = {.kind = at->kind, .row = at->row};
        bool any = false;
        for (uint32_t r = 0; r < pool->kind->rows; ++r) {
            held.c[r] = (sn_real)s->rows[at->first + r].c;
            any = any || fabs(s->rows[at->first + r].c) * s->rows[at->first + r].scale > HELD_LEAST * at->size;
        }
        if (any && !sn_store_set_compromise(store, &s->world->allocator, &held))
            return false;
    }
    return true;
}

/* Examines a violated constraint: whether its set is contradictory, and if so stores the compromise. */
static bool settle(search *s, uint32_t kind, uint32_t row)
{
    bool found = false, stay = true;
    if (gather(s, kind, row) && !is_tree(s)) {
        stay = !set_masses(s);
        found = find_compromise(s);
        if (found) {
            warn(s);
            s->failed = !hold(s);
        }
        if (!found || stay || s->failed)
            put_back(s);
    }
    for (uint32_t n = 0; n < s->node_count; ++n)
        s->mark[s->world->particles.index[s->nodes[n].slot]] = s->nodes[n].x.w != 0 ? SEEN : 0;
    if (found && !stay)
        sn_world_break_motion(s->world);
    return !s->failed;
}

static bool begin(search *s)
{
    sn_world *world = s->world;
    const uint32_t count = world->ids.table.count;
    if (s->mark)
        return true;
    if (!sn_table_reserve(&world->compromise.mark_table, &world->allocator, count) ||
        !sn_incidence_prepare_exact(&world->incidence, &world->allocator, &world->constraints, count))
        return false;
    s->mark = world->compromise.mark_table.column[0];
    memset(s->mark, 0, count * sizeof *s->mark);
    return true;
}

static bool look_at(search *s, uint32_t kind, uint32_t first, uint32_t count, double share)
{
    for (uint32_t row = first; row < first + count; ++row)
        if (is_missed(s, kind, row, share) && !(begin(s) && settle(s, kind, row)))
            return false;
    return true;
}

static double share_of(sn_edit_what what)
{
    return what == SN_EDIT_ADDED ? MISSED : MISSED_CHANGED;
}

/* Removes all compromises, because other constraints were added, removed or changed, and examines the constraints
   again. */
static bool look_again(search *s)
{
    sn_store *store = &s->world->constraints;
    sn_table *table = &s->world->compromise.old_table;
    const uint32_t count = store->compromise_table.count;
    bool good = sn_table_reserve(table, &s->world->allocator, count);
    if (!good)
        return false;
    memcpy(table->column[0], store->compromise_table.column[0], count * sizeof(sn_compromised));
    sn_store_let_go(store);
    for (uint32_t i = 0; good && i < count; ++i) {
        const sn_compromised *held = (const sn_compromised *)table->column[0] + i;
        good = look_at(s, held->kind, held->row, 1, MISSED);
    }
    return good;
}

static bool look_at_edits(search *s)
{
    const sn_store *store = &s->world->constraints;
    const sn_fresh *fresh = &store->counts.fresh;
    bool good = !store->compromise_table.count || look_again(s);
    for (uint32_t i = 0; good && i < fresh->count; ++i)
        good = look_at(s, fresh->edit[i].kind, fresh->edit[i].row, fresh->edit[i].count, share_of(fresh->edit[i].what));
    for (uint32_t kind = 1; good && fresh->all && kind < store->kind_count; ++kind)
        good = look_at(s, kind, 0, store->pool[kind]->ids.table.count, share_of(fresh->what));
    return good;
}

/* True if the search may change anything. */
static bool is_any_missed(const search *s, uint32_t kind, uint32_t first, uint32_t count, double share)
{
    bool any = false;
    for (uint32_t row = first; !any && row < first + count; ++row)
        any = is_missed(s, kind, row, share);
    return any;
}

static bool is_worth_it(const search *s)
{
    const sn_store *store = &s->world->constraints;
    const sn_fresh *fresh = &store->counts.fresh;
    bool any = store->compromise_table.count > 0;
    for (uint32_t i = 0; !any && i < fresh->count; ++i)
        any = is_any_missed(s, fresh->edit[i].kind, fresh->edit[i].row, fresh->edit[i].count,
                            share_of(fresh->edit[i].what));
    for (uint32_t kind = 1; !any && fresh->all && kind < store->kind_count; ++kind)
        any = is_any_missed(s, kind, 0, store->pool[kind]->ids.table.count, share_of(fresh->what));
    return any;
}

/* Saves the state: a step that fails later restores it. This is after an edit, so it may allocate. */
static bool keep_state(sn_world *world)
{
    sn_compromise *c = &world->compromise;
    c->kept_size = sn_state_measure(world);
    c->kept = c->kept_size ? sn_allocate(&world->allocator, c->kept_size) : NULL;
    if (c->kept)
        sn_state_write(world, c->kept);
    return c->kept;
}

sn_result sn_compromise_find(sn_world *world)
{
    sn_store *store = &world->constraints;
    if (!store->counts.fresh.any)
        return SN_OK;
    search s = {.world = world, .frame = sn_world_frame(world)};
    world->busy = true; /* kinds may be the caller's functions */
    bool good = true;
    if (is_worth_it(&s)) {
        good = keep_state(world);
        s.frame = sn_world_frame(world); /* saving the state may move constraints in memory */
        good = good && look_at_edits(&s);
    }
    world->busy = false;
    if (!good)
        return world_fail(world, SN_ERROR_MEMORY, "no memory to look for constraints that contradict each other");
    world->moves += s.mark != NULL;
    return SN_OK;
}

void sn_compromise_end(sn_world *world, bool failed)
{
    sn_compromise *c = &world->compromise;
    if (failed && c->kept)
        sn_state_load(world, c->kept, c->kept_size);
    sn_release(&world->allocator, c->kept, c->kept_size);
    c->kept = NULL;
    c->kept_size = 0;
    if (!failed)
        memset(&world->constraints.counts.fresh, 0, sizeof world->constraints.counts.fresh);
}
