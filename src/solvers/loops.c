/* Finds loops, and the order in which their nodes are eliminated. See loops.h. */
#include "solvers/loops.h"

#include "base/sets.h"
#include "solvers/loops_work.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

/* ---- Order ------------------------------------------------------------------------------------------------------- */

static uint32_t bits_of(const uint64_t *row, uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < words; ++i)
        count += (uint32_t)__builtin_popcountll(row[i]);
    return count;
}

/* Eliminates a node: the nodes that it is coupled to become coupled to each other. */
static void eliminate(uint64_t *near, uint32_t nodes, uint32_t words, uint32_t *degree, uint32_t node)
{
    const uint64_t *own = near + (size_t)node * words;
    for (uint32_t other = 0; other < nodes; ++other) {
        uint64_t *row = near + (size_t)other * words;
        if (!(own[other / 64] >> other % 64 & 1))
            continue;
        for (uint32_t i = 0; i < words; ++i)
            row[i] |= own[i];
        row[other / 64] &= ~(UINT64_C(1) << other % 64);
        row[node / 64] &= ~(UINT64_C(1) << node % 64);
        degree[other] = bits_of(row, words);
    }
}

uint64_t sn_loops_order(uint64_t *near, uint32_t nodes, uint32_t words, uint32_t *degree, uint32_t *order)
{
    uint64_t work = 0;
    for (uint32_t i = 0; i < nodes; ++i)
        degree[i] = bits_of(near + (size_t)i * words, words);
    for (uint32_t done = 0; done < nodes; ++done) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < nodes; ++i)
            next = degree[i] < degree[next] ? i : next;
        work += 1 + (uint64_t)degree[next] * (degree[next] + 3) / 2;
        eliminate(near, nodes, words, degree, next);
        degree[next] = NONE;
        order[done] = next;
    }
    return work;
}

/* ---- Which ------------------------------------------------------------------------------------------------------- */

typedef struct finding {
    sn_loops *l;
    const sn_allocator *allocator;
    const sn_solver_in *in;
    const sn_visit *list;
    uint32_t listed, numbers, bodies;
    uint32_t *parent;                /* by a particle's number */
    bool *loops;                     /* of roots */
    uint32_t *loop_of;               /* the number of the loop */
    uint32_t *node_of, *rotation_of; /* by a particle's number, and by a body's row */
} finding;

static void *room(finding *f, size_t count, size_t size)
{
    return rooms_take(&f->l->rooms, f->allocator, count, size);
}

static bool is_movable(const finding *f, uint32_t number)
{
    return f->in->frame.x[f->in->frame.slot[number]].w > 0;
}

/* A movable particle of a listed constraint; NONE: it has none. */
static uint32_t first_movable(const finding *f, const sn_span *s)
{
    for (uint32_t i = 0; i < s->count; ++i)
        if (is_movable(f, s->particle[i]))
            return s->particle[i];
    return NONE;
}

static void span_of(const finding *f, uint32_t place, sn_span *s)
{
    const sn_visit visit = f->list[place];
    s->count = s->turns = 0;
    if (visit.kind)
        sn_forest_span(f->in->store, f->in->store->pool[visit.kind], visit.row, s);
}

static void measure(finding *f)
{
    sn_span s;
    for (uint32_t i = 0; i < f->listed; ++i) {
        span_of(f, i, &s);
        for (uint32_t k = 0; k < s.count; ++k)
            f->numbers = s.particle[k] >= f->numbers ? s.particle[k] + 1 : f->numbers;
        for (uint32_t k = 0; k < s.turns; ++k)
            f->bodies = s.body[k] >= f->bodies ? s.body[k] + 1 : f->bodies;
    }
}

static void join_all(finding *f)
{
    sn_span s;
    for (uint32_t i = 0; i < f->numbers; ++i) {
        f->parent[i] = i;
        f->loop_of[i] = f->node_of[i] = NONE;
    }
    for (uint32_t i = 0; i < f->bodies; ++i)
        f->rotation_of[i] = NONE;
    for (uint32_t i = 0; i < f->listed; ++i) {
        span_of(f, i, &s);
        const uint32_t first = first_movable(f, &s);
        for (uint32_t k = 0; k < s.count; ++k) {
            if (s.particle[k] == first || !is_movable(f, s.particle[k]))
                continue;
            const uint32_t a = sets_find(f->parent, first), b = sets_find(f->parent, s.particle[k]);
            f->loops[a] |= a == b || f->loops[b];
            f->parent[b] = a;
        }
    }
}

/* The loop of a listed constraint; NONE: it is in no loop. */
static uint32_t *loop_at(const finding *f, const sn_span *s)
{
    const uint32_t first = first_movable(f, s);
    const uint32_t root = first == NONE ? NONE : sets_find(f->parent, first);
    return root == NONE || !f->loops[root] ? NULL : &f->loop_of[root];
}

/* Counts loops, their constraints and the nodes that these mention. */
static uint32_t count_all(finding *f)
{
    sn_loops *l = f->l;
    uint32_t mentions = 0;
    sn_span s;
    for (uint32_t i = 0; i < f->listed; ++i) {
        span_of(f, i, &s);
        uint32_t *loop = loop_at(f, &s);
        if (!loop)
            continue;
        *loop = *loop == NONE ? l->count++ : *loop;
        l->ties++;
        mentions += s.count + s.turns;
    }
    return mentions;
}

static uint32_t node_at(finding *f, uint32_t *of, uint32_t id)
{
    if (*of == NONE) {
        *of = f->l->nodes++;
        f->l->id[*of] = id;
    }
    return *of;
}

/* Lists the constraints of a loop and their nodes, in the order of the plan's list. */
static void list_loop(finding *f, uint32_t index, const uint32_t *next, uint32_t first, uint32_t *tie,
                      uint32_t *mention, uint32_t *numbers)
{
    sn_loops *l = f->l;
    sn_loop *loop = &l->loop[index];
    sn_span s;
    loop->tie = *tie;
    loop->node = l->nodes;
    for (uint32_t i = first; i != NONE; i = next[i]) {
        sn_loop_tie *t = &l->tie[(*tie)++];
        l->at[i] = *tie;
        span_of(f, i, &s);
        const uint32_t rows = f->in->store->pool[f->list[i].kind]->kind->rows;
        *t = (sn_loop_tie){.kind = f->list[i].kind,
                           .row = f->list[i].row,
                           .place = i,
                           .node = *mention,
                           .number = *numbers,
                           .rows = (uint8_t)rows,
                           .count = (uint8_t)(s.count + s.turns)};
        *numbers += (uint32_t)loop_numbers_size(rows, t->count);
        for (uint32_t k = 0; k < s.count; ++k)
            l->tie_node[(*mention)++] =
                is_movable(f, s.particle[k]) ? node_at(f, &f->node_of[s.particle[k]], s.particle[k]) : NONE;
        for (uint32_t k = 0; k < s.turns; ++k)
            l->tie_node[(*mention)++] =
                is_movable(f, s.centre[k]) ? node_at(f, &f->rotation_of[s.body[k]], s.body[k] | SN_TURN_BIT) : NONE;
        loop->wide = loop->wide || s.turns;
    }
    loop->tie_end = *tie;
    loop->node_end = l->nodes;
}

static bool list_all(finding *f, uint32_t mentions)
{
    sn_loops *l = f->l;
    uint32_t *first = room(f, l->count, sizeof *first), *last = room(f, l->count, sizeof *last),
             *next = room(f, f->listed, sizeof *next);
    uint32_t tie = 0, mention = 0, numbers = 0;
    uint64_t most = 0;
    sn_span s;
    if (l->rooms.failed)
        return false;
    memset(first, 0xff, l->count * sizeof *first);
    for (uint32_t i = 0; i < f->listed; ++i) {
        span_of(f, i, &s);
        const uint32_t *loop = loop_at(f, &s);
        if (!loop)
            continue;
        if (first[*loop] == NONE)
            first[*loop] = i;
        else
            next[last[*loop]] = i;
        last[*loop] = i;
        next[i] = NONE;
        most += loop_numbers_size(f->in->store->pool[f->list[i].kind]->kind->rows, s.count + s.turns);
    }
    l->loop = room(f, l->count, sizeof *l->loop);
    l->tie = room(f, l->ties, sizeof *l->tie);
    l->tie_node = room(f, mentions, sizeof *l->tie_node);
    l->id = room(f, mentions, sizeof *l->id);
    l->number = room(f, most, sizeof *l->number);
    l->at = room(f, f->listed, sizeof *l->at);
    for (uint32_t i = 0; i < l->count && !l->rooms.failed; ++i)
        list_loop(f, i, next, first[i], &tie, &mention, &numbers);
    return !l->rooms.failed;
}

/* ---- Structure --------------------------------------------------------------------------------------------------- */

/* Lists that are made for one loop after the other, and whose lengths are not known before. They are made twice:
   the first time only lengths are counted. */
typedef struct structure {
    uint64_t *near;
    uint32_t *degree, *order, *place; /* place: of a node of the loop in the order */
    uint32_t columns, changes, pairs;
    bool fills;
} structure;

/* Sets the bits of pairs of nodes that constraints couple. */
static void couple(const sn_loops *l, const sn_loop *loop, uint64_t *near, uint32_t words)
{
    for (uint32_t i = loop->tie; i < loop->tie_end; ++i) {
        const uint32_t *node = l->tie_node + l->tie[i].node;
        for (uint32_t a = 0; a < l->tie[i].count; ++a)
            for (uint32_t b = 0; b < l->tie[i].count; ++b) {
                const uint32_t from = node[a] - loop->node, to = node[b] - loop->node;
                if (node[a] != NONE && node[b] != NONE && from != to)
                    near[(size_t)from * words + to / 64] |= UINT64_C(1) << to % 64;
            }
    }
}

/* The block of two nodes in the order of elimination, upper the earlier one. */
static uint32_t block_of(const sn_loops *l, uint32_t upper, uint32_t lower)
{
    uint32_t at = l->column[upper];
    while (l->below[at] != lower)
        ++at;
    return at;
}

static void fill_column(sn_loops *l, const sn_loop *loop, const structure *s, uint32_t words, uint32_t place)
{
    const uint32_t node = loop->node + place;
    uint32_t at = s->columns;
    l->column[node] = at;
    l->target[node] = s->changes;
    const uint64_t *row = s->near + (size_t)s->order[place] * words;
    for (uint32_t other = place + 1; other < loop->node_end - loop->node; ++other)
        if (row[s->order[other] / 64] >> s->order[other] % 64 & 1)
            l->below[at++] = loop->node + other;
}

static void fill_changes(sn_loops *l, uint32_t node)
{
    uint32_t *change = l->change + l->target[node];
    for (uint32_t a = l->column[node]; a < l->column[node + 1]; ++a)
        for (uint32_t b = a + 1; b < l->column[node + 1]; ++b)
            *change++ = block_of(l, l->below[a], l->below[b]);
}

/* Finds the blocks that pairs of nodes of each constraint add to. */
static void fill_pairs(sn_loops *l, sn_loop *loop, structure *s)
{
    for (uint32_t i = loop->tie; i < loop->tie_end; ++i) {
        const uint32_t *node = l->tie_node + l->tie[i].node;
        l->tie[i].block = s->pairs;
        for (uint32_t a = 0; a < l->tie[i].count; ++a)
            for (uint32_t b = a + 1; b < l->tie[i].count; ++b, ++s->pairs)
                if (node[a] != NONE && node[b] != NONE && node[a] != node[b])
                    l->tie_block[s->pairs] =
                        node[a] > node[b] ? 2 * block_of(l, node[b], node[a]) : 2 * block_of(l, node[a], node[b]) + 1;
    }
}

/* Numbers the nodes of a loop in the order of elimination. */
static void renumber(sn_loops *l, const sn_loop *loop, const structure *s, uint32_t *scratch)
{
    const uint32_t nodes = loop->node_end - loop->node;
    for (uint32_t i = 0; i < nodes; ++i) {
        s->place[s->order[i]] = i;
        scratch[i] = l->id[loop->node + s->order[i]];
    }
    memcpy(l->id + loop->node, scratch, nodes * sizeof *scratch);
    for (uint32_t i = l->tie[loop->tie].node; i < l->tie[loop->tie_end - 1].node + l->tie[loop->tie_end - 1].count; ++i)
        if (l->tie_node[i] != NONE)
            l->tie_node[i] = loop->node + s->place[l->tie_node[i] - loop->node];
}

/* A loop of too many nodes, because it has grown since the plan was made, does not act. */
static bool is_small(const sn_loop *loop)
{
    return loop->node_end - loop->node <= 2 * SN_LOOP_NODES;
}

static void order_loop(sn_loops *l, sn_loop *loop, structure *s)
{
    const uint32_t nodes = loop->node_end - loop->node, words = (nodes + 63) / 64;
    memset(s->near, 0, (size_t)nodes * words * sizeof *s->near);
    couple(l, loop, s->near, words);
    sn_loops_order(s->near, nodes, words, s->degree, s->order);
    if (s->fills)
        renumber(l, loop, s, s->degree);
    for (uint32_t i = 0; i < nodes; ++i) {
        const uint32_t count = bits_of(s->near + (size_t)s->order[i] * words, words);
        if (s->fills)
            fill_column(l, loop, s, words, i);
        s->columns += count;
        s->changes += count ? count * (count - 1) / 2 : 0;
    }
    if (!s->fills)
        return;
    l->column[loop->node_end] = s->columns;
    for (uint32_t i = loop->node; i < loop->node_end; ++i)
        fill_changes(l, i);
}

static void each_loop(sn_loops *l, structure *s)
{
    s->columns = s->changes = s->pairs = 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        if (!is_small(&l->loop[i]))
            continue;
        order_loop(l, &l->loop[i], s);
        if (s->fills)
            fill_pairs(l, &l->loop[i], s);
    }
}

static bool find_structure(finding *f)
{
    sn_loops *l = f->l;
    uint32_t most = 0, pairs = 0;
    for (uint32_t i = 0; i < l->count; ++i)
        if (is_small(&l->loop[i]) && l->loop[i].node_end - l->loop[i].node > most)
            most = l->loop[i].node_end - l->loop[i].node;
    for (uint32_t i = 0; i < l->ties; ++i)
        pairs += l->tie[i].count * (l->tie[i].count - 1u) / 2;
    structure s = {.near = room(f, (size_t)most * ((most + 63) / 64), sizeof *s.near),
                   .degree = room(f, most, sizeof *s.degree),
                   .order = room(f, most, sizeof *s.order),
                   .place = room(f, most, sizeof *s.place)};
    if (l->rooms.failed)
        return false;
    each_loop(l, &s);
    l->work = s.changes + s.columns;
    l->slot = room(f, l->nodes, sizeof *l->slot);
    l->w = room(f, l->nodes, sizeof *l->w);
    l->x = room(f, l->nodes, sizeof *l->x);
    l->moved = room(f, l->nodes, sizeof *l->moved);
    l->diagonal = room(f, l->nodes, sizeof *l->diagonal);
    l->bend = room(f, l->nodes, sizeof *l->bend);
    l->column = room(f, (size_t)l->nodes + 1, sizeof *l->column);
    l->target = room(f, l->nodes, sizeof *l->target);
    l->below = room(f, s.columns, sizeof *l->below);
    l->block = room(f, s.columns, sizeof *l->block);
    l->change = room(f, s.changes, sizeof *l->change);
    l->tie_block = room(f, pairs, sizeof *l->tie_block);
    if (l->rooms.failed)
        return false;
    s.fills = true;
    each_loop(l, &s);
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

void sn_loops_release(sn_loops *loops, const sn_allocator *allocator)
{
    rooms_release(&loops->rooms, allocator);
    *loops = (sn_loops){0};
}

bool sn_loops_reserve(sn_loops *l, const sn_allocator *allocator, const sn_solver_in *in)
{
    finding f = {
        .l = l, .allocator = allocator, .in = in, .list = in->plan->tree, .listed = in->plan->tree_table.count};
    if (l->made && l->edits == in->plan->tree_edits)
        return true;
    l->made = false;
    l->count = l->ties = l->nodes = l->work = l->solved = l->rooms.count = 0;
    l->rooms.failed = false;
    if (f.listed) {
        measure(&f);
        f.parent = room(&f, f.numbers, sizeof *f.parent);
        f.loops = room(&f, f.numbers, sizeof *f.loops);
        f.loop_of = room(&f, f.numbers, sizeof *f.loop_of);
        f.node_of = room(&f, f.numbers, sizeof *f.node_of);
        f.rotation_of = room(&f, f.bodies, sizeof *f.rotation_of);
        if (l->rooms.failed)
            return false;
        join_all(&f);
        const uint32_t mentions = count_all(&f);
        if (l->count && !(list_all(&f, mentions) && find_structure(&f)))
            return false;
    }
    l->edits = in->plan->tree_edits;
    l->made = true;
    return true;
}

/* A loop acts if all of its particles that are movable in this step were so when it was found, and none of its
   constraints is in the forest. */
static bool look_at_loop(sn_loops *l, const sn_forest *forest, const sn_frame *frame, sn_loop *loop)
{
    bool acts = is_small(loop);
    double least = INFINITY, most = 0;
    for (uint32_t i = loop->node; i < loop->node_end; ++i) {
        const bool turn = l->id[i] & SN_TURN_BIT;
        const uint32_t number = l->id[i] & ~SN_TURN_BIT,
                       centre = turn ? frame->slot[frame->turn[number].centre] : frame->slot[number];
        l->slot[i] = turn ? frame->turn_slot + number : centre;
        l->w[i] = (double)frame->x[centre].w;
        least = l->w[i] > 0 ? fmin(least, l->w[i]) : least;
        most = fmax(most, l->w[i]);
    }
    for (uint32_t i = loop->tie; i < loop->tie_end; ++i)
        acts = acts && !sn_forest_has_listed(forest, l->tie[i].place);
    loop->soft = fmin(SN_LOOP_SOFT,
                      fmax(SN_LOOP_SOFT_SHARE * least / (most * (loop->node_end - loop->node)), SN_LOOP_SOFT_LEAST));
    return acts && most > 0;
}

void sn_loops_begin(sn_loops *l, const sn_forest *forest, const sn_frame *frame)
{
    l->solved = 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        sn_loop *loop = &l->loop[i];
        loop->acts = look_at_loop(l, forest, frame, loop);
        loop->turning = loop->solved = false;
        l->solved += loop->acts ? loop->tie_end - loop->tie : 0;
        for (uint32_t k = loop->tie; k < loop->tie_end; ++k)
            l->tie[k].is_solved = loop->acts;
    }
}

bool sn_loops_have(const sn_loops *l, uint32_t place)
{
    return l->solved && l->at[place] && l->tie[l->at[place] - 1].is_solved;
}
