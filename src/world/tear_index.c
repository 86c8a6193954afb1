/* The index of triangles and constraints at each particle. It consists of linked lists, so that a tear changes only a
   few entries.

   It is made when something first tears or is cut. Later constraints are added to it. It is made again only if skins
   were edited, the order of constraints was compacted, or a constraint got other particles. */
#include "world/world.h"

#include <string.h>

static sn_tear_head *heads(const sn_tearing *t)
{
    return t->head_table.column[0];
}

static sn_tear_node *nodes(const sn_tearing *t)
{
    return t->node_table.column[0];
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

void sn_tear_link(sn_tearing *t, uint32_t particle, uint32_t place)
{
    uint32_t *next = t->next_table.column[0];
    next[place] = heads(t)[particle].triangle;
    heads(t)[particle].triangle = place;
}

void sn_tear_unlink(sn_tearing *t, uint32_t particle, uint32_t place)
{
    uint32_t *next = t->next_table.column[0], *at = &heads(t)[particle].triangle;
    while (*at != place)
        at = &next[*at];
    *at = next[place];
}

uint32_t sn_tear_triangles_at(const sn_world *world, uint32_t particle, uint32_t *found, uint32_t most)
{
    const sn_tearing *t = &world->tearing;
    const uint32_t *next = t->next_table.column[0];
    uint32_t count = 0;
    if (particle >= t->head_table.count)
        return 0;
    for (uint32_t place = heads(t)[particle].triangle; place != SN_TEAR_NONE; place = next[place]) {
        if (count == most)
            return UINT32_MAX;
        uint32_t at = count++;
        for (; at > 0 && found[at - 1] > place; --at) /* the order must not depend on past edits */
            found[at] = found[at - 1];
        found[at] = place;
    }
    return count;
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

static bool holds(const sn_world *world, const sn_tear_node *node, uint32_t particle)
{
    const sn_pool *pool = world->constraints.pool[node->kind];
    uint32_t small[4 * SN_MAX_POINTS], count;
    if (!sn_ids_is_live(&pool->ids, node->row))
        return false;
    if (pool->kind->points == 2) { /* quick test: most are rods */
        const uint32_t *point = pool->point + 2 * (size_t)node->row;
        if (!((point[0] | point[1]) & SN_ANCHOR_BIT))
            return point[0] == particle || point[1] == particle;
    }
    const uint32_t *held = sn_store_particles(&world->constraints, pool, node->row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (held[i] == particle)
            return true;
    return false;
}

static bool is_before(const sn_tear_node *a, const sn_tear_node *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->row < b->row;
}

uint32_t sn_tear_constraints_at(sn_world *world, uint32_t particle, sn_tear_node *found, uint32_t most)
{
    sn_tearing *t = &world->tearing;
    sn_tear_node *node = nodes(t);
    uint32_t count = 0;
    if (particle >= t->head_table.count)
        return 0;
    for (uint32_t *at = &heads(t)[particle].constraint; *at != SN_TEAR_NONE;) {
        const sn_tear_node here = node[*at];
        uint32_t to = count;
        while (to > 0 && is_before(&here, &found[to - 1]))
            --to;
        const bool seen = to > 0 && found[to - 1].kind == here.kind && found[to - 1].row == here.row;
        if (seen || !holds(world, &here, particle)) { /* removes the entry, so that it is not tested again */
            *at = here.next;
            continue;
        }
        if (count == most)
            return UINT32_MAX;
        memmove(found + to + 1, found + to, (count++ - to) * sizeof *found);
        found[to] = here;
        at = &node[*at].next;
    }
    return count;
}

bool sn_tear_is_pinned(const sn_world *world, uint32_t particle)
{
    const sn_tearing *t = &world->tearing;
    uint32_t count = 0;
    for (uint32_t at = heads(t)[particle].constraint; at != SN_TEAR_NONE; at = nodes(t)[at].next, ++count)
        if (world->constraints.pool[nodes(t)[at].kind]->kind->points == 1 && holds(world, &nodes(t)[at], particle))
            return true;
    return false;
}

bool sn_tear_may_tear(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_tearing *t = &world->tearing;
    if (!sn_tear_is_rod(kind) || !sn_ids_is_live(&world->constraints.pool[kind]->ids, row))
        return false;
    const uint32_t *point = world->constraints.pool[kind]->point + 2 * (size_t)row;
    if ((point[0] | point[1]) & SN_ANCHOR_BIT || point[0] >= t->head_table.count || point[1] >= t->head_table.count)
        return false;
    const uint32_t skin = sn_tear_skin_of(&heads(t)[point[0]]);
    return skin && skin == sn_tear_skin_of(&heads(t)[point[1]]) &&
           skin_tears(&contact_skins(&world->contact)[skin - 1]);
}

/* Memory for one more range must be reserved. */
static void add_rod(sn_tearing *t, uint32_t kind, uint32_t row)
{
    sn_tear_range *range = t->range_table.column[0];
    const uint32_t count = t->range_table.count;
    for (uint32_t i = count; i-- > 0;) {
        if (range[i].kind != kind || row < range[i].first || row > range[i].end)
            continue;
        range[i].end = row == range[i].end ? row + 1 : range[i].end;
        return;
    }
    range[t->range_table.count++] = (sn_tear_range){.kind = kind, .first = row, .end = row + 1};
}

void sn_tear_index_at(sn_world *world, uint32_t kind, uint32_t row, uint32_t particle)
{
    sn_tearing *t = &world->tearing;
    sn_incidence_add(&world->incidence, kind, row, particle);
    nodes(t)[t->node_table.count] = (sn_tear_node){kind, row, heads(t)[particle].constraint};
    heads(t)[particle].constraint = t->node_table.count++;
}

void sn_tear_index_constraint(sn_world *world, uint32_t kind, uint32_t row)
{
    sn_tearing *t = &world->tearing;
    const sn_pool *pool = world->constraints.pool[kind];
    uint32_t small[4 * SN_MAX_POINTS], count;
    const uint32_t *held = sn_store_particles(&world->constraints, pool, row, small, &count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_tear_head *head = &heads(t)[held[i]];
        if (head->constraint != SN_TEAR_NONE && nodes(t)[head->constraint].kind == kind &&
            nodes(t)[head->constraint].row == row)
            continue;
        sn_tear_index_at(world, kind, row, held[i]);
    }
    if (sn_tear_may_tear(world, kind, row))
        add_rod(t, kind, row);
}

/* An upper bound of the number of nodes for a constraint. */
static uint32_t node_count(const sn_world *world, uint32_t kind, uint32_t row)
{
    uint32_t small[4 * SN_MAX_POINTS], count;
    sn_store_particles(&world->constraints, world->constraints.pool[kind], row, small, &count);
    return count;
}

/* ---- Making the index -------------------------------------------------------------------------------------------- */

/* Extends the heads to all particles. */
static bool extend_heads(sn_world *world, uint32_t more)
{
    sn_tearing *t = &world->tearing;
    const uint32_t numbers = world->ids.table.count;
    if (!sn_table_reserve(&t->head_table, &world->allocator, (uint64_t)numbers + more) ||
        !sn_table_reserve(&t->busy_table, &world->allocator, (uint64_t)numbers + more))
        return false;
    for (; t->head_table.count < numbers; t->head_table.count++)
        heads(t)[t->head_table.count] =
            (sn_tear_head){.triangle = SN_TEAR_NONE, .constraint = SN_TEAR_NONE, .cell = SN_TEAR_NONE};
    for (; t->busy_table.count < numbers; t->busy_table.count++)
        ((uint32_t *)t->busy_table.column[0])[t->busy_table.count] = 0;
    return true;
}

static void index_skins(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    const sn_skin_record *skin = contact_skins(&world->contact);
    const uint32_t *corner = world->contact.triangle_table.column[0];
    for (uint32_t i = 0; i < t->head_table.count; ++i)
        heads(t)[i].triangle = SN_TEAR_NONE;
    t->next_table.count = 3 * world->contact.triangle_table.count;
    for (uint32_t s = 0; s < world->contact.skin_table.count; ++s)
        for (uint32_t i = 3 * skin[s].first; i < 3 * (skin[s].first + skin[s].count); ++i) {
            sn_tear_link(t, corner[i], i);
            if (!heads(t)[corner[i]].skin)
                heads(t)[corner[i]].skin = s + 1;
        }
}

/* Finds rods of skins that tear, as ranges. With `counts` it only counts the ranges. */
static uint32_t index_rods(sn_world *world, bool counts)
{
    sn_tearing *t = &world->tearing;
    uint32_t ranges = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        bool last = false;
        for (uint32_t row = 0; sn_tear_is_rod(kind) && row < world->constraints.pool[kind]->ids.table.count; ++row) {
            const bool now = sn_tear_may_tear(world, kind, row);
            ranges += now && !last;
            if (now && !counts && !last)
                ((sn_tear_range *)t->range_table.column[0])[t->range_table.count++] =
                    (sn_tear_range){kind, row, row, 0};
            if (now && !counts)
                ((sn_tear_range *)t->range_table.column[0])[t->range_table.count - 1].end = row + 1;
            last = now;
        }
    }
    return ranges;
}

/* Finds corners of tetrahedra, and the skin around these: that of any vertex that is connected with them. */
static void index_solids(sn_world *world)
{
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    sn_tear_head *head = heads(&world->tearing);
    bool changed = pool->ids.live > 0;
    for (uint32_t row = 0; changed && row < pool->ids.table.count; ++row)
        for (uint32_t i = 0; i < 4; ++i) {
            const uint32_t p = pool->point[4 * (size_t)row + i];
            if (sn_ids_is_live(&pool->ids, row) && !(p & SN_ANCHOR_BIT))
                head[p].solid = 1 + head[p].skin;
        }
    while (changed) {
        changed = false;
        for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
            const uint32_t *p = pool->point + 4 * (size_t)row;
            uint32_t most = 0;
            if (!sn_ids_is_live(&pool->ids, row) || (p[0] | p[1] | p[2] | p[3]) & SN_ANCHOR_BIT)
                continue;
            for (uint32_t i = 0; i < 4; ++i)
                most = head[p[i]].solid > most ? head[p[i]].solid : most;
            for (uint32_t i = 0; i < 4; ++i)
                if (head[p[i]].solid < most)
                    head[p[i]].solid = most, changed = true;
        }
    }
}

static bool make(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    sn_store *store = &world->constraints;
    t->indexed = false;
    t->head_table.count = t->node_table.count = t->range_table.count = 0;
    uint64_t total = 0;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i)
        total += node_count(world, store->run[r].kind, store->run[r].first + i);
    if (!extend_heads(world, 0) || !sn_table_reserve(&t->node_table, &world->allocator, total) ||
        !sn_table_reserve(&t->next_table, &world->allocator, 3 * (uint64_t)world->contact.triangle_table.count))
        return false;
    index_skins(world);
    if (!sn_solid_index(world))
        return false;
    index_solids(world);
    if (!sn_table_reserve(&t->range_table, &world->allocator, index_rods(world, true)))
        return false;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i) {
        const uint32_t kind = store->run[r].kind, row = store->run[r].first + i;
        uint32_t small[4 * SN_MAX_POINTS], count;
        const uint32_t *held = sn_store_particles(store, store->pool[kind], row, small, &count);
        for (uint32_t k = 0; k < count; ++k)
            sn_tear_index_at(world, kind, row, held[k]);
    }
    index_rods(world, false);
    t->indexed = true;
    t->sequence = store->counts.next_sequence;
    t->compactions = store->counts.compactions;
    t->generation = world->contact.skin_generation;
    t->edits = t->strength_edits;
    return true;
}

/* Adds later constraints, which are last in the order. */
static bool extend(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    const sn_store *store = &world->constraints;
    uint32_t r = store->run_table.count;
    while (r > 0 && store->run[r - 1].sequence + store->run[r - 1].count > t->sequence)
        --r;
    uint64_t total = 0, rods = 0;
    for (int fills = 0; fills < 2; ++fills) {
        for (uint32_t k = r, i = 0; sn_store_next(store, &k, &i); ++i) {
            const uint32_t kind = store->run[k].kind, row = store->run[k].first + i;
            if (store->run[k].sequence + i < t->sequence)
                continue;
            if (fills)
                sn_tear_index_constraint(world, kind, row);
            else
                total += node_count(world, kind, row), rods += sn_tear_is_rod(kind);
        }
        if (!fills && (!sn_table_reserve(&t->node_table, &world->allocator, t->node_table.count + total) ||
                       !sn_table_reserve(&t->range_table, &world->allocator, t->range_table.count + rods)))
            return false;
    }
    t->sequence = store->counts.next_sequence;
    return true;
}

bool sn_tear_index(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    const sn_store *store = &world->constraints;
    if (!t->indexed || t->compactions != store->counts.compactions || t->generation != world->contact.skin_generation ||
        t->edits != t->strength_edits || t->sequence > store->counts.next_sequence ||
        t->node_table.count > 16 * (uint64_t)store->counts.live + 65536) /* most entries are outdated */
        return make(world);
    return extend_heads(world, 0) && (t->sequence == store->counts.next_sequence || extend(world));
}

uint32_t sn_tear_make_gaps(sn_world *world, const uint32_t *more, uint32_t total)
{
    sn_contact_world *contact = &world->contact;
    sn_skin_record *skin = contact_skins(contact);
    uint32_t(*all)[3] = contact->triangle_table.column[0], left = total;
    bool moved = false;
    for (uint32_t s = contact->skin_table.count; total && s-- > 0;) { /* from the last skin to the first */
        left -= more[s];
        const uint32_t first = skin[s].first + left;
        memmove(all + first, all + skin[s].first, skin[s].count * sizeof *all);
        memset(all + first + skin[s].count, 0, more[s] * sizeof *all);
        skin[s].first = first;
        moved = moved || left;
    }
    contact->triangle_table.count += total;
    contact->skin_generation += total != 0;
    contact->edits += total != 0;
    world->tearing.generation = contact->skin_generation;
    world->tearing.next_table.count = 3 * contact->triangle_table.count;
    if (moved)
        index_skins(world);
    return total;
}

void sn_tear_index_anew(sn_world *world)
{
    const bool follows = world->incidence.follows;
    world->incidence.follows = false; /* known entries must not be added again */
    world->tearing.indexed = false;
    sn_tear_index(world); /* needs no more memory than it has */
    world->incidence.follows = follows;
}

bool sn_tear_reserve(sn_world *world, uint32_t particles, uint32_t rows)
{
    sn_tearing *t = &world->tearing;
    sn_store *store = &world->constraints;
    uint64_t all = 0, numbers = (uint64_t)world->ids.table.count + particles;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        if (store->pool[kind]->ids.live && store->pool[kind]->kind->points) {
            if (!sn_store_reserve_rows(store, &world->allocator, kind, rows))
                return false;
            all += rows;
        }
    sn_table *by_number[] = {&world->contact.rest_table, &world->contact.own_place_table, &world->contact.spin_table,
                             &world->rest_shape_table};
    for (size_t i = 0; i < sizeof by_number / sizeof *by_number; ++i) /* the rest shape may begin in this very step */
        if ((by_number[i]->count || by_number[i] == &world->rest_shape_table) &&
            !sn_table_reserve(by_number[i], &world->allocator, numbers))
            return false;
    const uint64_t found = sn_tear_room_for(particles) + 2 * all; /* constraints that change their points, and new
                                                                     ones */
    return sn_particles_reserve_more(world, particles) && sn_blade_sweep_reserve(world, numbers) &&
           extend_heads(world, particles) &&
           sn_incidence_reserve(&world->incidence, &world->allocator, numbers, found) &&
           sn_table_reserve(&store->run_table, &world->allocator, store->run_table.count + all) &&
           (store->run = store->run_table.column[0], true) &&
           sn_table_reserve(&world->target_table, &world->allocator, (uint64_t)world->target_table.count + particles) &&
           sn_table_reserve(&t->node_table, &world->allocator, t->node_table.count + found) &&
           sn_table_reserve(&t->range_table, &world->allocator, t->range_table.count + all) &&
           sn_table_reserve(&t->event_table, &world->allocator, (uint64_t)t->event_table.count + 2 * particles) &&
           sn_table_reserve(&t->copy_table, &world->allocator, t->copy_table.count + all) &&
           sn_table_reserve(&t->change_table, &world->allocator, SN_TOPOLOGY_MOST) &&
           sn_breaking_reserve(world, (uint32_t)(all < UINT32_MAX ? all : UINT32_MAX));
}
