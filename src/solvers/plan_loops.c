/* Chooses the constraints with loops that the plan leaves to a direct solve (loops.h).

   As in trees, a sweep leaves large errors where a constraint carries many times the mass of the particle that
   it moves. Its load cannot be found by cutting it, as in a tree. It is at most all that hangs there, or half of
   it where several constraints hold it. A direct solve has fill-in. So it is used where that load is at least
   PLAN_LOAD times the lightest particle, and at least PLAN_PRICE times the products of blocks for each
   constraint: soon for long thin structures, such as trusses and ladders; never for meshes that carry hardly
   more than themselves.

   Constraints of one or two particles are solved directly. Angles and hinges are swept before, as the bending of
   a rope is. All other constraints exclude their particles: joints, volumes, shape matching, sheets that bend
   (plates.h); points of bodies, as contact must know what holds these (articulations.c); and constraints that
   may break or tear. A structure without an immovable particle is excluded, too. */
#include "constraints/evaluate.h"
#include "solvers/hierarchy.h"
#include "solvers/loops.h"
#include "solvers/plan_work.h"

#include <string.h>

#define PLAN_LOAD  8.0
#define PLAN_PRICE 8.0

/* A structure that would be taken with this many times its load is checked again when masses change. */
#define PLAN_NEAR 4.0

/* A mesh that gets limits (hierarchy.h) is hardly stretched by its own weight, and swept for a small part of the price.
   So it needs this many times the load. */
#define PLAN_LIMITED 4.0

typedef struct loop_body {
    double mass;              /* kg */
    double lightest;          /* 1/kg: the largest inverse mass */
    uint32_t nodes;           /* particles */
    uint32_t items;           /* constraints that would be solved */
    uint32_t holders;         /* of these: those that hold it to something immovable */
    uint32_t first;           /* particle, by number */
    bool barred, loops, soft; /* soft: some constraints have compliance */
    bool near, taken;         /* see PLAN_NEAR */
} loop_body;

typedef struct loops_work {
    plan_work *w;
    uint32_t *parent; /* by a particle's number: of union-find */
    loop_body *body;  /* of roots */
    uint32_t *local;  /* its number in its body */
    uint32_t *next;   /* the next item of the same body */
    uint32_t *item;   /* of roots: the first */
    uint64_t *near;
    uint32_t *degree, *order;
} loops_work;

static double weight_of(const plan_work *w, uint32_t number)
{
    return (double)w->particles->x[w->particles->slot[number]].w;
}

static bool carries(const plan_work *w, const plan_item *item)
{
    const sn_pool *pool = w->store->pool[item->kind];
    const sn_kind *kind = pool->kind;
    bool may = kind->points && kind->points <= 2 && item->count <= 2 && !kind->own_rows && !kind->project;
    for (uint32_t i = 0; may && i < kind->points; ++i)
        may = !sn_point_on_body(w->store, pool, item->row, i);
    return may && !(w->particles->weak && w->particles->weak(w->particles->world, item->kind, item->row));
}

/* True for kinds of angles, of limbs and ropes. */
static bool bends(uint32_t kind)
{
    return kind == SN_KIND_POINT_TRIANGLE || (kind >= SN_KIND_ANGLE && kind <= SN_KIND_HINGE_POINTS);
}

static uint32_t movable_of(const plan_work *w, const plan_item *item)
{
    for (uint32_t k = 0; k < item->count; ++k)
        if (weight_of(w, w->particle[item->first + k]) > 0)
            return w->particle[item->first + k];
    return PLAN_NONE;
}

/* Joins particles by constraints: first by those that would be solved, so that others close no loop. */
static void join_bodies(loops_work *l)
{
    plan_work *w = l->w;
    for (uint32_t others = 0; others < 2; ++others)
        for (uint32_t i = 0; i < w->items; ++i) {
            const plan_item *item = &w->item[i];
            const uint32_t first = movable_of(w, item);
            if (carries(w, item) == others)
                continue;
            for (uint32_t k = 0; k < item->count && first != PLAN_NONE; ++k) {
                const uint32_t number = w->particle[item->first + k];
                if (number == first || weight_of(w, number) == 0)
                    continue;
                if (!others || sets_find_marked(l->parent, first) != sets_find_marked(l->parent, number))
                    sets_join_marked(l->parent, first, number);
            }
        }
}

static void bar(loops_work *l, uint32_t number)
{
    if (weight_of(l->w, number) > 0)
        l->body[sets_find_marked(l->parent, number)].barred = true;
}

/* Excludes constraints of any number of points, or with a projection of their own. */
static void bar_many(loops_work *l)
{
    const sn_visit *many = l->w->plan->many_table.column[0];
    uint32_t small[SN_MAX_BLOCK], count;
    for (uint32_t i = 0; i < l->w->plan->many_table.count; ++i) {
        const uint32_t *number =
            sn_store_particles(l->w->store, l->w->store->pool[many[i].kind], many[i].row, small, &count);
        for (uint32_t k = 0; k < count; ++k)
            bar(l, number[k]);
    }
}

static void weigh_bodies(loops_work *l)
{
    plan_work *w = l->w;
    for (uint32_t i = 0; i < w->particles->numbers; ++i) {
        const double weight = w->valence[i] ? weight_of(w, i) : 0;
        if (!(weight > 0))
            continue;
        loop_body *body = &l->body[sets_find_marked(l->parent, i)];
        body->first = body->nodes ? body->first : i;
        l->local[i] = body->nodes++;
        body->mass += 1 / weight;
        body->lightest = weight > body->lightest ? weight : body->lightest;
        body->loops = sets_is_marked(l->parent, i);
    }
    for (uint32_t i = w->items; i-- > 0;) {
        const plan_item *item = &w->item[i];
        const uint32_t first = movable_of(w, item);
        if (first == PLAN_NONE)
            continue;
        const uint32_t root = sets_find_marked(l->parent, first);
        const sn_pool *pool = w->store->pool[item->kind];
        loop_body *body = &l->body[root];
        if (!carries(w, item)) {
            body->barred = body->barred || !bends(item->kind);
            continue;
        }
        bool held = item->count == 1 && !pool->kind->inequality;
        for (uint32_t k = 0; k < item->count && item->count == 2; ++k)
            held = held || weight_of(w, w->particle[item->first + k]) == 0;
        body->soft = body->soft || pool->give[item->row].compliance > 0;
        body->holders += held;
        body->items++;
        l->next[i] = l->item[root];
        l->item[root] = i;
    }
}

/* The products of blocks for the direct solution of a structure. */
static uint64_t price_of(loops_work *l, uint32_t root)
{
    const plan_work *w = l->w;
    const uint32_t nodes = l->body[root].nodes, words = (nodes + 63) / 64;
    memset(l->near, 0, (size_t)nodes * words * sizeof *l->near);
    for (uint32_t i = l->item[root]; i != PLAN_NONE; i = l->next[i]) {
        const uint32_t *number = w->particle + w->item[i].first;
        if (w->item[i].count < 2 || weight_of(w, number[0]) == 0 || weight_of(w, number[1]) == 0)
            continue;
        const uint32_t a = l->local[number[0]], b = l->local[number[1]];
        l->near[(size_t)a * words + b / 64] |= UINT64_C(1) << b % 64;
        l->near[(size_t)b * words + a / 64] |= UINT64_C(1) << a % 64;
    }
    return sn_loops_order(l->near, nodes, words, l->degree, l->order);
}

static void take_body(loops_work *l, uint32_t root)
{
    plan_work *w = l->w;
    for (uint32_t i = l->item[root]; i != PLAN_NONE; i = l->next[i]) {
        plan_item *item = &w->item[i];
        sn_visit *visit = sn_plan_grow(w, &w->plan->tree_table, 1);
        if (!visit)
            return;
        *visit = (sn_visit){item->kind, item->row};
        item->done = true;
        item->form = SN_FORM_SINGLE;
    }
}

/* Decides whether a structure is taken, or nearly. */
static void judge(loops_work *l, uint32_t root)
{
    loop_body *body = &l->body[root];
    const double load = body->mass * body->lightest / (body->holders > 1 ? 2 : 1);
    if (!body->loops || body->barred || body->nodes < 3 || body->nodes > SN_LOOP_NODES || load < PLAN_LOAD)
        return;
    const uint64_t price = price_of(l, root);
    const double limited = !body->soft && hierarchy_braces(body->nodes, body->items) ? PLAN_LIMITED : 1;
    const double least = PLAN_PRICE * limited * (double)price / body->items;
    body->near = price <= SN_LOOP_WORK && PLAN_NEAR * load >= least;
    body->taken = body->near && body->holders && load >= least;
}

void sn_plan_loops(plan_work *w)
{
    const uint32_t numbers = w->particles->numbers, most = numbers < SN_LOOP_NODES ? numbers : SN_LOOP_NODES;
    if (!w->particles->x || !w->items)
        return;
    loops_work l = {.w = w,
                    .parent = sn_plan_scratch(w, numbers, sizeof *l.parent),
                    .body = sn_plan_scratch(w, numbers, sizeof *l.body),
                    .local = sn_plan_scratch(w, numbers, sizeof *l.local),
                    .next = sn_plan_scratch(w, w->items, sizeof *l.next),
                    .item = sn_plan_scratch(w, numbers, sizeof *l.item),
                    .near = sn_plan_scratch(w, (size_t)most * ((most + 63) / 64), sizeof *l.near),
                    .degree = sn_plan_scratch(w, most, sizeof *l.degree),
                    .order = sn_plan_scratch(w, most, sizeof *l.order)};
    if (w->failed)
        return;
    memset(l.body, 0, numbers * sizeof *l.body);
    memset(l.item, 0xff, numbers * sizeof *l.item);
    for (uint32_t i = 0; i < numbers; ++i)
        l.parent[i] = i;
    join_bodies(&l);
    weigh_bodies(&l);
    bar_many(&l);
    for (uint32_t i = 0; i < numbers && !w->failed; ++i) { /* each body at its first particle */
        if (!w->valence[i] || weight_of(w, i) == 0)
            continue;
        const uint32_t root = sets_find_marked(l.parent, i);
        loop_body *body = &l.body[root];
        if (body->first == i)
            judge(&l, root);
        if (body->first == i && body->taken)
            take_body(&l, root);
        w->in_tree[i] = w->in_tree[i] || body->taken;
        w->tree_like[i] = w->tree_like[i] || body->near;
    }
}
