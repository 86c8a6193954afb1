/* Chooses the constraints that are solved directly.

   A sweep moves a correction from one constraint to the next. So a load at the end of a chain reaches the other end
   only after as many sweeps as there are links. The error of a sweep grows with the load of a link, as a multiple of
   the mass of the particle that it moves. Chains and trees can be solved at once instead (forest.h). That costs more
   than a sweep. So it is done where the error of a sweep would be large: where some constraint of the tree has a load
   of PLAN_LOAD times its lightest particle, or more.

   The load of a constraint: without it, the tree falls apart into sides. If no side has an immovable particle, the load
   is the mass of all sides but the heaviest. If one side has, the load is the mass of the others. If more sides have,
   each may carry a part: the load is half of the tree.

   A constraint that holds the rotation of one body against the other (a fixed joint, a hinge with a drive) also carries
   a torque. The load has a lever arm there: n equal rods in a row have n times the mass of one, but n^3 times its
   inertia about the end that is held. So the load of such a constraint counts PLAN_TURN times.

   A constraint of three or more particles that are joined already, such as the bending of a rope, is left to the sweep,
   which comes before the direct solve. Swept, a rope of 20 links that resists bending, with a bob of 100 times the mass
   of a particle, was 27 times as long as at rest with one substep, and 27 % too long with ten.

   What has loops is taken by plan_loops.c, or left to sweeps.

   Immovable particles join nothing: a rope between two of them is a tree, and so is a ring that is pinned once. Whether a
   particle is immovable, and what it weighs, is what the user said when the plan was made. See sn_plan_weighs for what happens when that
   changes. */
#include "solvers/plan_work.h"

#include <string.h>

/* The load at the top of a uniform rope is its number of links. Sweeps leave a rope of eight links 0.5 % too long with
   ten substeps of 1/60 s, and its lane in a batch costs a tenth of a direct solve. */
#define PLAN_LOAD 8.0

/* Swept, a beam of two equal rods on sprung hinges sags 1.3 % too far with ten substeps of 1/60 s, one of three rods 12
   %, of five 110 %. Two rods have eight times the inertia of one: 4 times their mass. */
#define PLAN_TURN 4.0

typedef struct trees {
    plan_work *w;
    uint32_t *parent; /* as in plan_work, but through movable particles only */
    uint32_t *start;  /* items of a movable particle that may be in a tree: of[start[i] .. start[i + 1]] */
    uint32_t *of;
    uint32_t *queue; /* particles of one tree, in the order in which they were reached */
    bool *swept;     /* by item: it is left to the sweep, see find_loops */
    /* by particle: */
    uint32_t *via;   /* the item through which it was reached; PLAN_NONE: it is the first */
    uint32_t *up;    /* the particle from which it was reached */
    double *mass;    /* of all particles reached through it, with its own, kg */
    uint32_t *fixed; /* number of items of these particles that act on an immovable particle or a place */
} trees;

static double weight(const plan_work *w, uint32_t number)
{
    return (double)w->particles->x[w->particles->slot[number]].w;
}

static bool is_movable(const plan_work *w, uint32_t number)
{
    return w->particles->x[w->particles->slot[number]].w > 0;
}

/* Joins the movable particles of an item. With `look`, only returns whether all of them are joined already. A single
   movable particle is: the bending of a rope at its clamp. */
static bool join_item(trees *t, const plan_item *item, bool look)
{
    uint32_t first = PLAN_NONE;
    for (uint32_t k = 0; k < item->count; ++k) {
        const uint32_t number = t->w->particle[item->first + k];
        if (!is_movable(t->w, number))
            continue;
        if (first == PLAN_NONE)
            first = number;
        else if (!look)
            sets_join_marked(t->parent, first, number);
        else if (sets_find_marked(t->parent, number) != sets_find_marked(t->parent, first))
            return false;
    }
    return first != PLAN_NONE;
}

/* Joins the particles of items, through movable particles, and finds loops. Items of two particles come first. A later
   item whose particles are joined already is left to the sweep and closes no loop: the bending of a rope, whose links
   carry the load. */
static void find_loops(trees *t)
{
    plan_work *w = t->w;
    for (uint32_t i = 0; i < w->particles->numbers; ++i)
        t->parent[i] = i;
    for (uint32_t more = 0; more < 2; ++more)
        for (uint32_t i = 0; i < w->items; ++i) {
            if ((w->item[i].count > 2) != more)
                continue;
            t->swept[i] = more && join_item(t, &w->item[i], true);
            if (!t->swept[i])
                join_item(t, &w->item[i], false);
        }
}

/* A constraint with any number of points, or with a projection of its own, prevents its particles from being in a
   tree. */
static void rule_out(trees *t)
{
    const sn_visit *many = t->w->plan->many_table.column[0];
    uint32_t small[SN_MAX_BLOCK], count;
    for (uint32_t i = 0; i < t->w->plan->many_table.count; ++i) {
        const uint32_t *number =
            sn_store_particles(t->w->store, t->w->store->pool[many[i].kind], many[i].row, small, &count);
        for (uint32_t k = 0; k < count; ++k)
            sets_mark(t->parent, number[k]);
    }
}

static bool is_candidate(const trees *t, uint32_t number)
{
    return is_movable(t->w, number) && !sets_is_marked(t->parent, number);
}

/* Lists the items of the particles in trees. False if there are none. */
static bool list_items(trees *t)
{
    plan_work *w = t->w;
    const uint32_t numbers = w->particles->numbers;
    for (uint32_t i = 0; i < w->items; ++i)
        for (uint32_t k = 0; k < w->item[i].count && !t->swept[i]; ++k) {
            const uint32_t number = w->particle[w->item[i].first + k];
            if (is_candidate(t, number))
                t->start[number + 1]++;
        }
    for (uint32_t i = 0; i < numbers; ++i)
        t->start[i + 1] += t->start[i];
    const uint32_t total = t->start[numbers];
    t->of = sn_plan_scratch(w, total, sizeof *t->of);
    if (!total || w->failed)
        return false;
    for (uint32_t i = 0; i < w->items; ++i)
        for (uint32_t k = 0; k < w->item[i].count && !t->swept[i]; ++k) {
            const uint32_t number = w->particle[w->item[i].first + k];
            if (is_candidate(t, number))
                t->of[t->start[number]++] = i;
        }
    memmove(t->start + 1, t->start, numbers * sizeof *t->start);
    t->start[0] = 0;
    return true;
}

/* Whether an item acts between movable particles and something immovable. */
static bool is_fixed(const plan_work *w, const plan_item *item)
{
    bool fixed = item->count == 1;
    for (uint32_t k = 0; k < item->count && !fixed; ++k)
        fixed = !is_movable(w, w->particle[item->first + k]);
    return fixed;
}

/* Reaches all particles of a tree from one of them. Returns their number. */
static uint32_t walk(trees *t, uint32_t from)
{
    const plan_work *w = t->w;
    uint32_t head = 0, tail = 0;
    t->queue[tail++] = from;
    t->via[from] = PLAN_NONE;
    while (head < tail) {
        const uint32_t number = t->queue[head++];
        t->mass[number] = 1 / weight(w, number);
        t->fixed[number] = 0;
        for (uint32_t i = t->start[number]; i < t->start[number + 1]; ++i) {
            const plan_item *item = &w->item[t->of[i]];
            if (t->of[i] == t->via[number])
                continue;
            t->fixed[number] += is_fixed(w, item);
            for (uint32_t k = 0; k < item->count; ++k) {
                const uint32_t other = w->particle[item->first + k];
                if (other == number || !is_movable(w, other))
                    continue;
                t->via[other] = t->of[i];
                t->up[other] = number;
                t->queue[tail++] = other;
            }
        }
    }
    for (uint32_t i = tail; i-- > 1;) {
        const uint32_t number = t->queue[i], up = t->up[number];
        t->mass[up] += t->mass[number];
        t->fixed[up] += t->fixed[number];
    }
    return tail;
}

/* The load of an item that was reached through particle `from`, as a multiple of its lightest particle. */
static double load_of(const trees *t, const plan_item *item, uint32_t from, uint32_t root)
{
    const plan_work *w = t->w;
    const double total = t->mass[root];
    double lightest = 1 / weight(w, from), rest = total, heaviest = 0, held = 0;
    uint32_t left = t->fixed[root], holders = 0;
    for (uint32_t k = 0; k < item->count; ++k) {
        const uint32_t side = w->particle[item->first + k];
        if (side == from || !is_movable(w, side))
            continue;
        lightest = 1 / weight(w, side) < lightest ? 1 / weight(w, side) : lightest;
        rest -= t->mass[side];
        left -= t->fixed[side];
        heaviest = t->mass[side] > heaviest ? t->mass[side] : heaviest;
        holders += t->fixed[side] > 0;
        held = t->fixed[side] > 0 ? t->mass[side] : held;
    }
    if (is_fixed(w, item))
        return (t->fixed[root] > 1 ? total / 2 : total) / lightest;
    holders += left > 0;
    held = left > 0 ? rest : held;
    heaviest = rest > heaviest ? rest : heaviest;
    return (holders > 1 ? total / 2 : total - (holders ? held : heaviest)) / lightest;
}

/* The largest load of the items of a tree; 0 for a tree of one item, which a sweep solves. */
static double most_load(const trees *t, uint32_t reached)
{
    double most = 0;
    uint32_t items = 0;
    for (uint32_t i = 0; i < reached; ++i) {
        const uint32_t number = t->queue[i];
        for (uint32_t k = t->start[number]; k < t->start[number + 1]; ++k) {
            if (t->of[k] == t->via[number])
                continue;
            const plan_item *item = &t->w->item[t->of[k]];
            const bool turns = pool_holds_turn(t->w->store->pool[item->kind], item->row);
            const double load = load_of(t, item, number, t->queue[0]) * (turns ? PLAN_TURN : 1);
            most = load > most ? load : most;
            items++;
        }
    }
    return items > 1 ? most : 0;
}

/* Adds the items of a tree to the plan's trees, and takes them out of all that follows. */
static void take_tree(trees *t, uint32_t reached)
{
    plan_work *w = t->w;
    for (uint32_t i = 0; i < reached; ++i) {
        const uint32_t number = t->queue[i];
        w->in_tree[number] = true;
        for (uint32_t k = t->start[number]; k < t->start[number + 1]; ++k) {
            plan_item *item = &w->item[t->of[k]];
            if (item->done)
                continue;
            sn_visit *visit = sn_plan_grow(w, &w->plan->tree_table, 1);
            if (!visit)
                return;
            *visit = (sn_visit){item->kind, item->row};
            item->done = true;
            item->form = SN_FORM_SINGLE;
        }
    }
}

void sn_plan_trees(plan_work *w)
{
    const uint32_t numbers = w->particles->numbers;
    if (!w->particles->x || !w->items)
        return;
    trees t = {.w = w,
               .parent = sn_plan_scratch(w, numbers, sizeof *t.parent),
               .start = sn_plan_scratch(w, (size_t)numbers + 2, sizeof *t.start),
               .swept = sn_plan_scratch(w, w->items, sizeof *t.swept)};
    if (w->failed)
        return;
    memset(t.start, 0, ((size_t)numbers + 2) * sizeof *t.start);
    find_loops(&t);
    rule_out(&t);
    if (!list_items(&t))
        return;
    t.queue = w->queue;
    t.via = sn_plan_scratch(w, numbers, sizeof *t.via);
    t.up = sn_plan_scratch(w, numbers, sizeof *t.up);
    t.mass = sn_plan_scratch(w, numbers, sizeof *t.mass);
    t.fixed = sn_plan_scratch(w, numbers, sizeof *t.fixed);
    for (uint32_t i = 0; i < numbers && !w->failed; ++i) {
        if (t.start[i] == t.start[i + 1] || sets_find_marked(t.parent, i) != i)
            continue;
        const uint32_t reached = walk(&t, i);
        if (most_load(&t, reached) >= PLAN_LOAD)
            take_tree(&t, reached);
        for (uint32_t k = 0; k < reached; ++k)
            w->tree_like[t.queue[k]] = true;
    }
}
