/* Making a hierarchy: memory, and when it has to be made. */
#include "solvers/hierarchy_work.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

void sn_hierarchy_init(sn_hierarchy *h)
{
    *h = (sn_hierarchy){0};
    sn_table_column(&h->mesh_table, sizeof *h->mesh, false);
    sn_table_column(&h->part_table, sizeof *h->part, false);
    sn_table_column(&h->part_of_table, sizeof *h->part_of, false);
    sn_table_column(&h->tile_table, sizeof *h->tile, false);
    sn_table_column(&h->level_table, sizeof *h->level, false);
    sn_table_column(&h->share_table, sizeof *h->share, false);
    sn_table_column(&h->listed_table, sizeof *h->listed, false);
    sn_table_column(&h->turn_table, sizeof *h->turn, false);
    sn_table_column(&h->task_table, sizeof *h->task, false);
    sn_table_column(&h->stage_table, sizeof *h->stage, false);
    sn_table_column(&h->node_table, 2 * sizeof *h->node, false);
    sn_table_column(&h->node_table, sizeof *h->w, false);
    sn_table_column(&h->node_table, sizeof *h->parent, false);
    sn_table_column(&h->node_table, sizeof *h->first, false);
    sn_table_column(&h->node_table, sizeof *h->last, false);
    sn_table_column(&h->node_table, sizeof *h->node_pulled, false);
    sn_table_column(&h->member_table, sizeof *h->member, false);
    sn_table_column(&h->member_table, sizeof *h->at, false);
    sn_table_column(&h->member_table, sizeof *h->weight, false);
    sn_table_column(&h->group_table, sizeof *h->group, false);
    sn_table_column(&h->row_table, sizeof *h->row, false);
    sn_table_column(&h->run_table, sizeof *h->run, false);
    sn_table_column(&h->batch_table, 2 * SN_BATCH * sizeof *h->end, false);
    sn_table_column(&h->batch_table, SN_BATCH * sizeof *h->most, false);
    sn_table_column(&h->batch_table, sizeof *h->mask, false);
    sn_table_column(&h->batch_table, 2 * sizeof *h->offset, false);
    sn_table_column(&h->batch_table, sizeof *h->to_fixed, false);
    sn_table_column(&h->tether_table, sizeof *h->tether, false);
    sn_table_column(&h->row_tether_table, sizeof *h->row_tether, false);
    sn_table_column(&h->row_tether_table, sizeof *h->row_pulled, false);
    sn_table_column(&h->far_table, sizeof *h->far, false);
    sn_table_column(&h->far_table, sizeof *h->far_pulled, false);
    sn_table_column(&h->span_table, sizeof *h->span, false);
    sn_table_column(&h->sling_table, sizeof *h->sling, false);
    sn_table_column(&h->path_table, sizeof *h->path, false);
    sn_table_column(&h->pin_table, sizeof *h->pin, false);
    sn_table_column(&h->pin_table, sizeof *h->pin_slot, false);
    sn_table_column(&h->pin_table, sizeof *h->pull, false);
    sn_table_column(&h->pin_table, sizeof *h->told, false);
    sn_table_column(&h->pin_of_table, sizeof *h->pin_of, false);
    sn_table_column(&h->heap_table, sizeof(hierarchy_visit), false);
}

#define FOR_TABLES(DO)                                                                                                 \
    DO(mesh_table)                                                                                                     \
    DO(part_table)                                                                                                     \
    DO(part_of_table)                                                                                                  \
    DO(tile_table)                                                                                                     \
    DO(level_table)                                                                                                    \
    DO(share_table)                                                                                                    \
    DO(listed_table)                                                                                                   \
    DO(turn_table)                                                                                                     \
    DO(task_table)                                                                                                     \
    DO(stage_table)                                                                                                    \
    DO(node_table)                                                                                                     \
    DO(member_table)                                                                                                   \
    DO(group_table)                                                                                                    \
    DO(row_table)                                                                                                      \
    DO(run_table)                                                                                                      \
    DO(batch_table)                                                                                                    \
    DO(tether_table)                                                                                                   \
    DO(row_tether_table)                                                                                               \
    DO(far_table)                                                                                                      \
    DO(span_table)                                                                                                     \
    DO(sling_table)                                                                                                    \
    DO(path_table)                                                                                                     \
    DO(pin_table)                                                                                                      \
    DO(pin_of_table)                                                                                                   \
    DO(heap_table)

void sn_hierarchy_release(sn_hierarchy *h, const sn_allocator *allocator)
{
#define RELEASE(name) sn_table_release(&h->name, allocator);
    FOR_TABLES(RELEASE)
#undef RELEASE
    for (uint32_t i = 0; i < SN_HIERARCHY_BLOCKS; ++i)
        sn_release(allocator, h->block[i], h->block_size[i]);
}

static void clear(sn_hierarchy *h)
{
#define EMPTY(name) h->name.count = 0;
    FOR_TABLES(EMPTY)
#undef EMPTY
    memset(h->count, 0, sizeof h->count);
    memset(h->particles, 0, sizeof h->particles);
    h->made = h->by_mass = h->notes = h->noted = false;
    h->work = NULL;
}

void sn_hierarchy_bind(sn_hierarchy *h)
{
    h->mesh = h->mesh_table.column[0];
    h->part = h->part_table.column[0];
    h->part_of = h->part_of_table.column[0];
    h->tile = h->tile_table.column[0];
    h->level = h->level_table.column[0];
    h->share = h->share_table.column[0];
    h->listed = h->listed_table.column[0];
    h->turn = h->turn_table.column[0];
    h->task = h->task_table.column[0];
    h->stage = h->stage_table.column[0];
    h->node = h->node_table.column[0];
    h->w = h->node_table.column[1];
    h->parent = h->node_table.column[2];
    h->first = h->node_table.column[3];
    h->last = h->node_table.column[4];
    h->node_pulled = h->node_table.column[5];
    h->member = h->member_table.column[0];
    h->at = h->member_table.column[1];
    h->weight = h->member_table.column[2];
    h->group = h->group_table.column[0];
    h->row = h->row_table.column[0];
    h->run = h->run_table.column[0];
    h->end = h->batch_table.column[0];
    h->most = h->batch_table.column[1];
    h->mask = h->batch_table.column[2];
    h->offset = h->batch_table.column[3];
    h->to_fixed = h->batch_table.column[4];
    h->tether = h->tether_table.column[0];
    h->row_tether = h->row_tether_table.column[0];
    h->row_pulled = h->row_tether_table.column[1];
    h->far = h->far_table.column[0];
    h->far_pulled = h->far_table.column[1];
    h->span = h->span_table.column[0];
    h->sling = h->sling_table.column[0];
    h->path = h->path_table.column[0];
    h->pin = h->pin_table.column[0];
    h->pin_slot = h->pin_table.column[1];
    h->pull = h->pin_table.column[2];
    h->told = h->pin_table.column[3];
    h->pin_of = h->pin_of_table.column[0];
}

void *sn_hierarchy_scratch(hierarchy_work *w, size_t count, size_t size)
{
    const size_t bytes = count * size + 1;
    void **block = &w->h->block[w->blocks];
    size_t *has = &w->h->block_size[w->blocks++];
    if (w->failed || bytes > *has) {
        sn_release(w->allocator, *block, *has);
        *has = bytes + bytes / 4;
        *block = w->failed ? NULL : sn_allocate(w->allocator, *has);
    }
    if (!*block) {
        *has = 0;
        w->failed = true;
        return NULL;
    }
    return memset(*block, 0, bytes);
}

bool sn_hierarchy_grow(hierarchy_work *w, sn_table *table, uint32_t more)
{
    const uint64_t count = (uint64_t)table->count + more;
    if (w->failed || (count > table->capacity && !sn_table_reserve(table, w->allocator, count + count / 4 + 16)))
        w->failed = true;
    else
        table->count += more;
    sn_hierarchy_bind(w->h);
    return !w->failed;
}
/* ---- Making it --------------------------------------------------------------------------------------------------- */

typedef struct masses {
    const sn_solver_in *in;
    atomic_bool differ;
} masses;

/* Whether inverse masses are equal to w. */
static bool are_same(const sn_vec4 *x, const sn_real *w, uint32_t count)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; ++i)
        others += x[i].w != w[i];
    return others == 0;
}

/* The same in a step, of one particle. */
static bool is_same(const sn_solver_in *in, const sn_real *w, uint32_t slot)
{
    return in->frame.x[slot].w == w[slot] || (w[slot] == 0 && hierarchy_is_pinned(in->stiffen.base, slot));
}

/* Compares the masses of the particles of one tile of the first layer. */
static void look_at_masses(void *data, uint32_t index, uint32_t worker)
{
    masses *m = data;
    const sn_tile *tile = &m->in->plan->tile[index];
    const sn_real *w = m->in->stiffen.base->w_table.column[0];
    bool same = true;
    (void)worker;
    const bool plain = !m->in->stiffen.target && !m->in->stiffen.base->pinned_table.count;
    if (plain)
        same = are_same(m->in->frame.x + tile->first, w + tile->first, tile->count);
    for (uint32_t i = tile->first; !plain && same && i < tile->first + tile->count; ++i)
        same = w[i] == sn_hierarchy_limit_mass(m->in, i);
    if (!same)
        atomic_store_explicit(&m->differ, true, memory_order_relaxed);
}

/* ns of a particle, about. */
#define WORK_OF_MASS 2.0

/* Whether inverse masses in the coming step are those for which the hierarchy was made. */
static bool are_masses_same(const sn_solver_in *in, bool *lost)
{
    masses m = {.in = in};
    if (in->stiffen.base->w_table.count != in->plan->particles)
        return false;
    const bool share = sn_parallel_wants(in->parallel, WORK_OF_MASS * in->plan->particles);
    sn_parallel_begin_step(in->parallel);
    if (!sn_parallel_tasks(share ? in->parallel : NULL, in->plan->layer[1], look_at_masses, &m)) {
        sn_parallel_repair(in->parallel);
        *lost = true;
    }
    sn_parallel_end_step(in->parallel);
    return !m.differ;
}

static bool note_masses(hierarchy_work *w)
{
    sn_table *table = &w->in->stiffen.base->w_table;
    if (!sn_table_reserve(table, w->allocator, w->slots))
        return false;
    table->count = w->slots;
    for (uint32_t i = 0; i < w->slots; ++i)
        ((sn_real *)table->column[0])[i] = sn_hierarchy_limit_mass(w->in, i);
    return true;
}

/* Limits are made anew when this number of particles and rods is torn, for each particle of meshes with limits.
   Splitting a vertex of a cloth tears three or four rods with it. So a quarter of the smallest aggregates may be gone
   by then. */
#define MOST_TORN (1.0 / 9)

/* With fewer rods, every tear makes limits anew, which takes at most a millisecond: limits that follow tears are
   slightly fewer than those made anew. */
#define LEAST_FOLLOWED 10000u

/* Makes the present state the base. */
static void make_base(hierarchy_work *w)
{
    sn_limits_base *base = w->in->stiffen.base;
    base->makes = 0;
    base->rod_table.count = base->w_table.count = base->torn_table.count = 0;
    sn_hierarchy_choose(w);
    if (!w->failed && w->h->by_mass && !note_masses(w))
        w->failed = true;
    if (w->failed)
        return;
    base->most = 0;
    for (uint32_t i = 0; i < w->slots && w->rods; ++i)
        base->most += w->mesh[i] != SN_PLAN_NONE;
    base->most = w->rods < LEAST_FOLLOWED ? 0 : 1 + (uint32_t)(MOST_TORN * base->most);
    const bool none = !w->rods && w->h->by_mass && w->in->store->pool[SN_KIND_DISTANCE]->ids.live >= LEAST_FOLLOWED;
    if (none) /* no limits; the search for meshes takes long, and is not repeated for tears */
        base->most = 1;
    w->failed = !sn_table_reserve(&base->torn_table, w->allocator, base->most) ||
                !sn_table_reserve(&base->mark_table, w->allocator, w->slots);
    if (w->failed)
        return;
    base->mark_table.count = w->rods || none ? w->slots : 0;
    if (base->mark_table.count)
        memset(base->mark_table.column[0], 0, w->slots);
    memcpy(base->count, w->h->count, sizeof base->count);
    memcpy(base->particles, w->h->particles, sizeof base->particles);
    base->makes = w->in->plan->makes;
    base->edits = w->in->stiffen.edits;
}

/* Gives torn particles the masses from before the tears, or their present ones. */
static void set_masses(const sn_solver_in *in, bool before)
{
    const sn_limits_base *base = in->stiffen.base;
    const sn_torn *torn = base->torn_table.column[0];
    for (uint32_t i = 0; i < base->torn_table.count; ++i)
        if (torn[i].a == (torn[i].b & ~SN_TORN_LAST))
            ((sn_real *)base->w_table.column[0])[torn[i].a] =
                before ? torn[i].w : sn_hierarchy_limit_mass(in, torn[i].a);
}

static void take_base(hierarchy_work *w)
{
    const sn_limits_base *base = w->in->stiffen.base;
    sn_hierarchy_choose_again(w);
    set_masses(w->in, true);
    memcpy(w->h->count, base->count, sizeof base->count);
    memcpy(w->h->particles, base->particles, sizeof base->particles);
}

static void find_limits_to_fixed(const sn_hierarchy *h)
{
    for (uint32_t b = 0; b < h->batch_table.count; ++b) {
        h->to_fixed[b] = 0;
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
            const uint32_t *end = &h->end[2 * (size_t)b * SN_BATCH + lane];
            if (h->mask[b] >> lane & 1 && (h->w[end[0] / 2] == 0 || h->w[end[SN_BATCH] / 2] == 0))
                h->to_fixed[b] |= (uint16_t)(1u << lane);
        }
    }
}

static void make(hierarchy_work *w, bool again)
{
    if (again)
        take_base(w);
    else
        make_base(w);
    w->h->w_by_slot = w->w = w->in->stiffen.base->w_table.column[0];
    if (w->failed || !w->h->mesh_table.count)
        return;
    if (!sn_hierarchy_note_shapes(w->in, w->allocator, w->mesh, w->slots)) {
        w->failed = true;
        return;
    }
    sn_hierarchy_find_tiles(w);
    if (!w->failed)
        sn_hierarchy_find_edges(w);
    if (!w->failed)
        sn_hierarchy_find_slings(w);
    if (!w->failed)
        sn_hierarchy_cut_tiles(w);
    if (!w->failed)
        sn_hierarchy_list_particles(w);
    if (!w->failed)
        sn_hierarchy_find_pins(w);
    if (!w->failed)
        sn_hierarchy_add_levels(w);
    if (!w->failed)
        sn_hierarchy_find_tethers(w);
    if (!w->failed)
        sn_hierarchy_tie_slings(w);
    if (!w->failed)
        sn_hierarchy_add_stages(w);
    for (uint32_t n = 0; n < w->h->node_table.count && !w->failed; ++n)
        hierarchy_x(w->h, n)->w = w->h->w[n];
    if (!w->failed)
        find_limits_to_fixed(w->h);
    w->h->batches = w->in->plan->mask_table.count;
    w->h->far_off = sn_hierarchy_scratch(w, (size_t)w->h->batches + SN_AT_ONCE, sizeof *w->h->far_off);
    w->h->home = sn_hierarchy_scratch(w, w->in->plan->layer[1], sizeof *w->h->home);
    w->h->mended = sn_hierarchy_scratch(w, w->in->plan->tile_table.count, sizeof *w->h->mended);
    w->h->off_outside = sn_hierarchy_scratch(w, w->slots, sizeof *w->h->off_outside);
    w->h->queue = sn_hierarchy_scratch(w, w->slots, sizeof *w->h->queue);
    w->h->queued = sn_hierarchy_scratch(w, w->slots, sizeof *w->h->queued);
    w->h->rod_start = w->start;
    w->h->rod_leaves = w->leaves;
    w->h->rod = w->edge;
    w->h->tile_of = w->tile;
    w->h->place = w->place;
    w->h->slots = w->slots;
    sn_hierarchy_reserve_tears(w);
    w->h->work = sn_hierarchy_scratch(w, 1, sizeof *w);
    if (!w->failed)
        *w->h->work = *w;
}

/* Whether nothing but tears has changed since limits were made. */
static bool is_base(sn_hierarchy *h, const sn_solver_in *in)
{
    const sn_limits_base *base = in->stiffen.base;
    if (base->makes != in->plan->makes || base->edits != in->stiffen.edits)
        return false;
    return h->made ? !h->by_mass || are_masses_same(in, &h->lost)
                   : base->torn_table.count > 0 && are_masses_same(in, &h->lost);
}

/* Makes the hierarchy from the present state, or again from the base. */
static bool make_for(sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in, bool again)
{
    clear(h);
    hierarchy_work w = {.h = h, .in = in, .allocator = allocator, .slots = in->plan->particles};
    make(&w, again);
    if (again)
        set_masses(in, false);
    if (w.failed) {
        clear(h);
        return false;
    }
    h->made = true;
    h->makes = in->plan->makes;
    return true;
}

bool sn_hierarchy_reserve(sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_stiffen *s = &in->stiffen;
    const sn_store *store = in->store;
    const uint32_t rods = store->pool[SN_KIND_DISTANCE]->ids.live + store->pool[SN_KIND_DISTANCE_MAX]->ids.live,
                   hinges = store->pool[SN_KIND_BENDING]->ids.live + store->pool[SN_KIND_DIHEDRAL]->ids.live +
                            store->pool[SN_KIND_ANGLE]->ids.live;
    if (s->on && (rods >= SN_LEAST_MESH || hinges)) { /* plates ask for what is held, too */
        if (!sn_table_reserve(&s->base->pinned_table, allocator,
                              sn_hierarchy_has_pins(store) ? in->plan->particles : 0))
            return false;
        sn_hierarchy_note_pinned(s->base, store, in->frame.slot, in->plan->particles, in->frame.x, s->breaks, s->world);
    }
    if (!s->on || rods < SN_LEAST_MESH) {
        clear(h);
        return true;
    }
    h->made = h->made && h->makes == in->plan->makes;
    const bool based = is_base(h, in);
    if (based && !h->made && !make_for(h, allocator, in, true))
        return false;
    if (!based && !make_for(h, allocator, in, false))
        return false;
    if (h->work)
        sn_hierarchy_follow(h->work, in);
    return true;
}

void sn_hierarchy_look(const sn_hierarchy *h, const sn_solver_in *in, uint32_t tile)
{
    const sn_real *w = h->w_by_slot;
    for (uint32_t p = h->part_of[tile]; p < h->part_of[tile + 1]; ++p) {
        sn_hierarchy_part *part = &h->part[p];
        const sn_tile *at = &in->plan->tile[tile];
        const uint32_t members = h->first[part->node + part->nodes] - h->first[part->node];
        const bool some = members < at->count || in->stiffen.base->pinned_table.count;
        part->same = some || are_same(in->frame.x + at->first, w + at->first, at->count);
        for (uint32_t k = h->first[part->node]; part->same && some && k < h->first[part->node + part->nodes]; ++k)
            part->same = is_same(in, w, h->member[k]);
    }
}

/* No rod is off by this share. */
#define NEVER_OFF ((sn_real)1e9)

/* Whether two immovable particles are farther apart than the mesh between them reaches, at the start or the end of the
   step. */
static bool is_stretched(const sn_hierarchy *h, const sn_solver_in *in, const sn_hierarchy_span *span)
{
    const sn_stiffen *s = &in->stiffen;
    const uint32_t a = h->pin_slot[span->pin[0]], b = h->pin_slot[span->pin[1]];
    const sn_vec3 now = vec3_sub(vec4_xyz(in->frame.x[a]), vec4_xyz(in->frame.x[b]));
    const sn_vec3 then = vec3_sub(s->place_after(s->world, a), s->place_after(s->world, b));
    return vec3_dot(now, now) > span->most * span->most || vec3_dot(then, then) > span->most * span->most;
}

/* Limits are rigid. In a mesh that is stretched by immovable particles, they would keep everything rigid except the
   rods next to these particles, which would have to stretch by the whole difference. So such a mesh is only swept, and
   its rods, which are rightly long, are not mended.

   Nor are those of a net, which has limits near immovable particles only. All of its rods are too long: if they are
   mended one by one, the net never comes to rest (0.2 to 41 J with a load of 20 kg), and mending takes up to three
   times the time, in which more substeps do as much. */
static void leave_stretched(sn_hierarchy *h, const sn_solver_in *in)
{
    for (uint32_t i = 0; i < h->span_table.count; ++i)
        h->mesh[h->span[i].mesh].stretched = h->mesh[h->span[i].mesh].stretched || is_stretched(h, in, &h->span[i]);
    for (uint32_t p = 0; p < h->part_table.count; ++p) {
        sn_hierarchy_mesh *mesh = &h->mesh[h->part[p].mesh];
        mesh->acts = mesh->acts && !mesh->stretched;
        if (mesh->stretched || !mesh->linked)
            h->home[in->plan->tile[h->part[p].tile].body].off = NEVER_OFF;
    }
}

void sn_hierarchy_begin(sn_hierarchy *h, const sn_solver_in *in)
{
    for (uint32_t i = 0; i < h->tile_table.count; ++i)
        h->home[in->plan->tile[h->tile[i]].body].off = SN_HIERARCHY_OFF;
    for (uint32_t m = 0; m < h->mesh_table.count; ++m) {
        sn_hierarchy_mesh *mesh = &h->mesh[m];
        mesh->origin = in->frame.x[mesh->first];
        mesh->acts = true;
        mesh->stretched = false;
    }
    for (uint32_t p = 0; p < h->part_table.count; ++p)
        h->mesh[h->part[p].mesh].acts = h->mesh[h->part[p].mesh].acts && h->part[p].same;
    leave_stretched(h, in);
}

void sn_hierarchy_tell(const sn_hierarchy *h, uint32_t solids, uint32_t particles, char *text, size_t size)
{
    static const char *const words[SN_STIFFENED_COUNT + 1] = {
        [SN_STIFFENED] = "has limits against stretching",
        [SN_PLAIN_SMALL] = "is swept: few of its particles can move",
        [SN_PLAIN_TREE] = "is swept: it has few loops",
        [SN_PLAIN_SOFT] = "is swept: its rods are elastic",
        [SN_PLAIN_BREAKS] = "is swept: its rods can break",
        [SN_PLAIN_HELD] = "is swept: its rods contradict each other",
        [SN_PLAIN_SHAPE] = "has limits near immovable particles alone: it is no flat sheet of triangles, and no body",
        [SN_STIFFENED_COUNT] = "has its stress solved on a lattice",
    };
    size_t at = 0;
    text[0] = 0;
    for (uint32_t i = 0; i <= SN_STIFFENED_COUNT && at < size; ++i) {
        uint32_t count = i < SN_STIFFENED_COUNT ? h->count[i] : solids;
        uint32_t of = i < SN_STIFFENED_COUNT ? h->particles[i] : particles;
        if (i == SN_PLAIN_SOFT && solids <= count) { /* solids are included in these */
            count -= solids;
            of -= particles;
        }
        if (count == 1)
            at += (size_t)snprintf(text + at, size - at, "%sa mesh of %u particles %s", at ? "; " : "", of, words[i]);
        else if (count)
            at += (size_t)snprintf(text + at, size - at, "%s%u meshes of %u particles in all: each %s", at ? "; " : "",
                                   count, of, words[i]);
    }
    uint32_t stretched = 0;
    for (uint32_t m = 0; m < h->mesh_table.count; ++m)
        stretched += h->mesh[m].stretched;
    if (stretched && at < size)
        snprintf(text + at, size - at, "; %u swept while immovable particles stretch %s", stretched,
                 stretched == 1 ? "it" : "them");
}
