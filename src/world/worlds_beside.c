/* Worlds that are alike, side by side.

   Worlds are alike if they differ in nothing but places, velocities and forces. Sixteen or 32 of them are copied into one inner world, which has as many copies
   of what is in each, stepped as one, and copied back. The plan of the inner world lays its copies beside each other, so that a
   constraint of each is in a lane.

   Why the bits are those of a world alone. The plan cuts and orders each connected body by itself, whatever else there is (plan.h). What
   is coupled across bodies is left out: contact, sleep, drags, a tolerance by which passes end. And a plan that edits have made to
   differ from one made as a whole is not taken: a copy of the world, planned anew, must have the very plan that the world has. Forces are laid
   aside where some worlds have them and others do not, since a tile without any is predicted without them.

   A step of the inner world that fails tells nothing of which copy failed: then each member is stepped alone. */
#include "world/worlds.h"

#include "base/hash.h"
#include "base/sort.h"
#include "constraints/store.h"
#include "integrators/integrator.h"
#include "world/substep.h"

#include <string.h>

/* ---- What a world is like ------------------------------------------------------------------------------------------------ */

/* Measures, writes or compares what worlds must have in common, and hashes it. */
typedef struct form_stream {
    unsigned char *write;      /* or NULL */
    const unsigned char *with; /* to be compared with, or NULL, and */
    size_t left;               /*   so much of it */
    size_t size;
    uint64_t hash;
    bool differs;
} form_stream;

static void form_bytes(form_stream *s, const void *bytes, size_t size)
{
    s->size += size;
    if (!size || s->differs)
        return;
    if (s->write) {
        memcpy(s->write, bytes, size);
        s->write += size;
        return;
    }
    if (s->with) {
        s->differs = size > s->left || memcmp(s->with, bytes, size) != 0;
        s->with += size;
        s->left -= s->differs ? 0 : size;
        return;
    }
    const unsigned char *at = bytes;
    uint64_t word = 0;
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        s->hash = hash_u64(s->hash, word);
    }
    word = 0;
    memcpy(&word, at, size);
    s->hash = hash_u64(s->hash, word);
}

static void form_table(form_stream *s, const sn_table *table)
{
    form_bytes(s, &table->count, sizeof table->count);
    form_bytes(s, table->column[0], (size_t)table->count * table->width[0]);
}

static void form_pool(form_stream *s, const sn_pool *pool, uint32_t kind)
{
    const uint32_t count = pool->table.count, head[] = {kind, count};
    form_bytes(s, head, sizeof head);
    form_bytes(s, pool->point, (size_t)count * pool->kind->points * sizeof *pool->point);
    form_bytes(s, pool->param, (size_t)count * pool->param_count * sizeof *pool->param);
    form_bytes(s, pool->give, count * sizeof *pool->give);
}

static void form_walk(form_stream *s, const sn_world *world)
{
    const sn_particle_store *p = &world->particles;
    const sn_plan *plan = &world->plan;
    const uint32_t head[] = {world->dimensions, p->table.count,    plan->particles,
                             plan->loose,       plan->widest_rows, plan->live};
    const uint64_t set = sn_settings_hash(0, &world->state.settings);
    form_bytes(s, head, sizeof head);
    form_bytes(s, &set, sizeof set);
    form_bytes(s, &world->wide, sizeof world->wide);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        const sn_real masses[] = {p->x[i].w, p->v[i].w};
        form_bytes(s, masses, sizeof masses);
    }
    form_bytes(s, p->index, p->table.count * sizeof *p->index);
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        if (world->constraints.pool[kind]->ids.live)
            form_pool(s, world->constraints.pool[kind], kind);
    for (uint32_t r = 0, i = 0; sn_store_next(&world->constraints, &r, &i); ++i) {
        const uint32_t which[] = {world->constraints.run[r].kind, world->constraints.run[r].first + i};
        form_bytes(s, which, sizeof which);
    }
#define SN_FORM_PLAN(type, name) form_table(s, &plan->name##_table);
    SN_PLAN_ARRAYS(SN_FORM_PLAN)
#undef SN_FORM_PLAN
}

static bool is_alike(const sn_world *world, const sn_beside *batch)
{
    form_stream s = {.with = batch->form, .left = batch->form_size};
    form_walk(&s, world);
    return !s.differs && s.left == 0;
}

/* ---- Which worlds may be laid beside others ----------------------------------------------------------------------------------- */

/* Larger worlds fill the lanes by themselves, and to compare orders takes the square of it. */
#define MOST_CONSTRAINTS 1000u

static bool has_plain_constraints(const sn_store *store)
{
    if (!store->counts.live || store->counts.live > MOST_CONSTRAINTS || store->counts.removed ||
        store->counts.fresh.any || store->held_table.count)
        return false;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        const sn_kind *k = pool->kind;
        if (!pool->ids.live)
            continue;
        if (kind >= SN_KIND_BUILTIN_END || k->force || k->project || k->settle || k->state || k->own_rows ||
            k->oriented || !k->points || pool->ids.live != pool->table.count)
            return false;
        for (size_t i = 0; i < (size_t)pool->table.count * k->points; ++i)
            if (pool->point[i] & SN_SPOT_BIT)
                return false;
    }
    return true;
}

/* Nothing can touch anything, and nothing but constraints and given forces acts. */
static bool is_quiet(const sn_world *world)
{
    const sn_contact_world *c = &world->contact;
    return !(c->settings.on && c->has_radii) && !c->settings.sleep && !c->settings.events && !c->skin_ids.live &&
           !c->fixed_shape_ids.live && !c->spin_table.count && !c->impulse_table.count && !world->bodies.names.live &&
           !world->bodies.ids.live && !world->field_table.count && !world->drag_table.count &&
           !world->target_table.count && !world->breaking.table.count && !world->tearing.function &&
           !world->tearing.tip_table.count && !world->tearing.severed_table.count && !world->rest_shape_table.count &&
           !world->history.table.count && !world->cancel && !world->filter && !world->pre_solve &&
           !world->profiler.begin;
}

static bool is_plainly_planned(const sn_world *world)
{
    const sn_plan *plan = &world->plan;
    const uint32_t count = world->particles.table.count;
    return plan->made && plan->canonical && plan->particles == count && plan->loose == count &&
           !plan->many_table.count && !plan->hub_table.count && !plan->extra_table.count &&
           world->ids.table.count == count;
}

/* A sum of -0 and 0 is 0: where there are forces in a tile, gravity of -0 is another. */
static bool is_plain_gravity(sn_vec3 g)
{
    return !((g.x == 0 && signbit(g.x)) || (g.y == 0 && signbit(g.y)) || (g.z == 0 && signbit(g.z)));
}

static bool may_lie_beside(const sn_world *world)
{
    const sn_settings *s = &world->state.settings;
    return world->wide && s->solver == SN_SOLVER_TILED && !sn_integrators[s->integrator]->looks_back &&
           s->tolerance == 0 && !s->profile && is_plain_gravity(s->gravity) && is_plainly_planned(world) &&
           is_quiet(world) && has_plain_constraints(&world->constraints);
}

/* ---- An inner world ---------------------------------------------------------------------------------------------------------- */

static bool copy_particles(sn_world *inner, const sn_world *model)
{
    const sn_particle_store *from = &model->particles;
    for (uint32_t number = 0; number < from->table.count; ++number) {
        const uint32_t slot = model->ids.value[number];
        sn_particle_def def = sn_default_particle_def();
        sn_particle made;
        if (from->x[slot].w == 0)
            def.mass = SN_IMMOVABLE;
        if (sn_particle_add(inner, &def, &made) != SN_OK)
            return false;
        const uint32_t to = inner->ids.value[made.index];
        inner->particles.x[to] = from->x[slot];
        inner->particles.v[to] = from->v[slot];
        inner->particles.x_low[to] = from->x_low[slot];
        inner->particles.v_low[to] = from->v_low[slot];
    }
    return true;
}

/* Rows of a copy lie one after the other, as they do in the model. */
static bool copy_constraint(sn_world *inner, const sn_world *model, uint32_t kind, uint32_t row, uint32_t copy)
{
    const sn_pool *from = model->constraints.pool[kind];
    sn_pool *to = inner->constraints.pool[kind];
    const uint32_t first = copy * model->particles.table.count, points = from->kind->points;
    sn_constraint_def def = sn_default_constraint_def(kind);
    sn_point point[SN_MAX_POINTS];
    sn_constraint made;
    for (uint32_t i = 0; i < points; ++i) {
        const uint32_t number = first + from->point[(size_t)row * points + i];
        point[i] = sn_at((sn_particle){number, inner->ids.generation[number]});
    }
    def.points = point;
    memcpy(def.param, from->param + (size_t)row * from->param_count, from->param_count * sizeof *def.param);
    def.compliance = from->give[row].compliance;
    def.damping = from->give[row].damping;
    def.stiffness = from->give[row].stiffness;
    if (sn_constraint_add(inner, &def, &made) != SN_OK || made.index != copy * from->table.count + row)
        return false;
    memcpy(to->param + (size_t)made.index * to->param_count, def.param, to->param_count * sizeof *def.param);
    to->give[made.index] = from->give[row];
    return true;
}

/* Ropes that are solved directly, eight at once, had better lie beside each other: SN_TEAM_PLACE tells how. Where they lie changes no result. */
static bool braid(sn_world *inner, const sn_world *model, uint32_t copies)
{
    const uint32_t particles = model->particles.table.count, count = copies * particles;
    const sn_plan *plan = &inner->plan;
    if (copies % SN_CHAIN_TEAM || plan->tile_table.count != 1 || plan->particles != count || plan->run_table.count ||
        plan->tree_table.count != inner->constraints.counts.live)
        return true;
    uint32_t *order = sn_allocate(&inner->allocator, count * sizeof *order);
    for (uint32_t copy = 0; order && copy < copies; ++copy)
        for (uint32_t s = 0; s < particles; ++s) {
            const uint32_t first = (copy / SN_CHAIN_TEAM * particles + s) * SN_CHAIN_TEAM;
            order[first + SN_TEAM_PLACE(copy % SN_CHAIN_TEAM)] = copy * particles + model->particles.index[s];
        }
    const bool stored = order && sn_world_store_particles(inner, order);
    sn_release(&inner->allocator, order, count * sizeof *order);
    return stored;
}

static sn_world *make_inner(const sn_world *model, uint32_t copies)
{
    sn_world_def def = sn_default_world_def();
    sn_world *inner;
    def.settings = model->state.settings;
    def.dimensions = model->dimensions;
    def.allocator = model->allocator;
    def.contact = model->contact.settings;
    def.threads = 1;
    if (sn_world_create(&def, &inner) != SN_OK)
        return NULL;
    inner->wide = model->wide;
    inner->fleeting = true;
    bool made = true;
    for (uint32_t copy = 0; made && copy < copies; ++copy) {
        made = copy_particles(inner, model);
        for (uint32_t r = 0, i = 0; made && sn_store_next(&model->constraints, &r, &i); ++i)
            made = copy_constraint(inner, model, model->constraints.run[r].kind, model->constraints.run[r].first + i,
                                   copy);
    }
    /* they are known not to contradict each other, but may be missed by much as things are now */
    inner->constraints.counts.fresh = model->constraints.counts.fresh;
    sn_world_follow_edits(inner);
    if (!made || !sn_world_plan(inner) || !braid(inner, model, copies)) {
        sn_world_destroy(inner);
        return NULL;
    }
    return inner;
}

/* ---- Batches ----------------------------------------------------------------------------------------------------------------- */

static sn_beside *batch_at(const sn_worlds *worlds, uint32_t i)
{
    return (sn_beside *)worlds->beside_table.column[0] + i;
}

static void release_batch(sn_worlds *worlds, sn_beside *batch)
{
    sn_world_destroy(batch->inner);
    sn_release(&worlds->allocator, batch->form, batch->form_size);
    sn_release(&worlds->allocator, batch->slot, (size_t)batch->particles * batch->copies * sizeof *batch->slot);
    *batch = (sn_beside){.inner = NULL};
}

void sn_beside_release(sn_worlds *worlds)
{
    for (uint32_t i = 0; i < worlds->beside_table.count; ++i)
        release_batch(worlds, batch_at(worlds, i));
    sn_table_release(&worlds->beside_table, &worlds->allocator);
}

/* Whether a copy of the model, planned anew, is what the model is: its plan, too. */
static bool is_as_made(const sn_world *model, const sn_beside *batch)
{
    sn_world *one = make_inner(model, 1);
    const bool same = one && is_alike(one, batch);
    sn_world_destroy(one);
    return same;
}

/* When a constraint is projected, by the number that it has among all kinds: `base` of its kind, and its row. */
typedef struct turns {
    uint32_t base[SN_KIND_BUILTIN_END];
    uint32_t count;
    uint32_t *at;
    bool wider; /* some that compute in double are in planes, where places are not rounded to single before */
} turns;

#define IN_TREES                                                                                                       \
    0x80000000u /* it is part of a tree, and these come after all others: which is found first decides how it is solved */

static bool list_turns(turns *t, const sn_world *world)
{
    const sn_plan *plan = &world->plan;
    uint32_t now = 0;
    t->count = 0;
    for (uint32_t kind = 1; kind < SN_KIND_BUILTIN_END; ++kind) {
        t->base[kind] = t->count;
        t->count += world->constraints.pool[kind]->table.count;
    }
    if (!(t->at = sn_allocate(&world->allocator, t->count * sizeof *t->at)))
        return false;
    memset(t->at, 0, t->count * sizeof *t->at);
    for (uint32_t r = 0; r < plan->run_table.count; ++r) {
        const sn_plan_run *run = &plan->run[r];
        for (uint32_t b = run->batch; b < run->batch + run->batches; ++b, ++now)
            for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
                if (plan->mask[b] >> lane & 1)
                    t->at[t->base[run->kind] + plan->row[b * SN_BATCH + lane]] = now;
        for (uint32_t i = run->visit; i < run->visit + run->visits; ++i)
            t->at[t->base[plan->visit[i].kind] + plan->visit[i].row] = now++;
    }
    for (uint32_t i = 0; i < plan->tile_table.count; ++i)
        for (uint32_t r = plan->tile[i].run; plan->tile[i].rows && r < plan->tile[i].run + plan->tile[i].runs; ++r)
            t->wider = t->wider || world->constraints.pool[plan->run[r].kind]->kind->lanes->twice;
    for (uint32_t i = 0; i < plan->tree_table.count; ++i)
        t->at[t->base[plan->tree[i].kind] + plan->tree[i].row] = IN_TREES | i;
    return true;
}

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Whether two constraints of the model share a particle. */
static bool share(const sn_store *store, sn_visit a, sn_visit b)
{
    const sn_pool *one = store->pool[a.kind], *other = store->pool[b.kind];
    for (uint32_t i = 0; i < one->kind->points; ++i)
        for (uint32_t j = 0; j < other->kind->points; ++j)
            if (one->point[(size_t)a.row * one->kind->points + i] ==
                other->point[(size_t)b.row * other->kind->points + j])
                return true;
    return false;
}

/* Whether constraints that share a particle, or are in trees, come one after the other as they do in the model, in each copy. Others may come
   in any order. */
static bool keeps_order(const sn_world *model, const turns *own, const turns *inner, uint32_t copies)
{
    const sn_store *store = &model->constraints;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i)
        for (uint32_t q = r, j = i; sn_store_next(store, &q, &j); ++j) {
            const sn_visit a = {store->run[r].kind, store->run[r].first + i},
                           b = {store->run[q].kind, store->run[q].first + j};
            const uint32_t rows_a = store->pool[a.kind]->table.count, rows_b = store->pool[b.kind]->table.count;
            const int order = compare(own->at[own->base[a.kind] + a.row], own->at[own->base[b.kind] + b.row]);
            const bool both = (own->at[own->base[a.kind] + a.row] & own->at[own->base[b.kind] + b.row] & IN_TREES) != 0;
            for (uint32_t copy = 0; copy < copies && (both || share(store, a, b)); ++copy)
                if (compare(inner->at[inner->base[a.kind] + copy * rows_a + a.row],
                            inner->at[inner->base[b.kind] + copy * rows_b + b.row]) != order)
                    return false;
        }
    return true;
}

static bool has_same_order(const sn_world *model, const sn_world *inner, uint32_t copies)
{
    turns own = {.at = NULL}, all = {.at = NULL};
    const bool same = list_turns(&own, model) && list_turns(&all, inner) && !own.wider && !all.wider &&
                      keeps_order(model, &own, &all, copies);
    sn_release(&model->allocator, own.at, own.count * sizeof *own.at);
    sn_release(&model->allocator, all.at, all.count * sizeof *all.at);
    return same;
}

/* Whether SN_BESIDE copies would take more vectors each than SN_BESIDE_FEW: kinds that cannot be in planes are then cut into small tiles. */
static bool is_worse_with_many(const sn_world *model)
{
    sn_world *few = make_inner(model, SN_BESIDE_FEW), *many = make_inner(model, SN_BESIDE);
    const bool worse =
        few && many && many->plan.mask_table.count > SN_BESIDE / SN_BESIDE_FEW * few->plan.mask_table.count;
    sn_world_destroy(few);
    sn_world_destroy(many);
    return worse;
}

/* All of it is solved directly: eight at once, whose lanes are doubles. */
static bool is_of_ropes(const sn_world *model)
{
    return model->plan.tree_table.count == model->constraints.counts.live;
}

/* How many copies a batch of it should have. Eight ropes are solved at once, and more than two times eight gain nothing. */
static uint32_t choose_copies(const sn_world *model)
{
    return is_of_ropes(model) || is_worse_with_many(model) ? SN_BESIDE_FEW : SN_BESIDE;
}

static bool fill_batch(sn_worlds *worlds, sn_beside *batch, const sn_world *model, uint64_t hash, uint32_t copies)
{
    form_stream measure = {.hash = SN_HASH_SEED};
    form_walk(&measure, model);
    *batch = (sn_beside){
        .form_size = measure.size, .hash = hash, .copies = copies, .particles = model->particles.table.count};
    for (uint32_t i = 0; i < copies; ++i)
        batch->member[i] = SN_NO_WORLD;
    for (uint32_t kind = 1; kind < SN_KIND_BUILTIN_END; ++kind)
        if (model->constraints.pool[kind]->ids.live)
            batch->kinds[batch->kind_count++] = kind;
    const size_t slots = (size_t)batch->particles * copies;
    batch->form = sn_allocate(&worlds->allocator, batch->form_size);
    batch->slot = sn_allocate(&worlds->allocator, slots * sizeof *batch->slot);
    if (!batch->form || !batch->slot)
        return false;
    form_stream write = {.write = batch->form};
    form_walk(&write, model);
    if (!is_as_made(model, batch) || !(batch->inner = make_inner(model, copies)))
        return false;
    for (uint32_t copy = 0; copy < copies; ++copy)
        for (uint32_t s = 0; s < batch->particles; ++s)
            batch->slot[(size_t)copy * batch->particles + s] =
                batch->inner->ids.value[copy * batch->particles + model->particles.index[s]];
    return batch->inner->plan.loose == batch->inner->particles.table.count &&
           has_same_order(model, batch->inner, batch->copies);
}

/* A batch like the model, in a place that is free or behind the others; NULL: without memory, or the model cannot be laid beside others. */
static sn_beside *make_batch(sn_worlds *worlds, const sn_world *model, uint64_t hash, uint32_t copies)
{
    uint32_t at = 0;
    while (at < worlds->beside_table.count && batch_at(worlds, at)->inner)
        ++at;
    if (!sn_table_reserve(&worlds->beside_table, &worlds->allocator, (uint64_t)at + 1))
        return NULL;
    if (at == worlds->beside_table.count)
        worlds->beside_table.count++;
    sn_beside *batch = batch_at(worlds, at);
    if (fill_batch(worlds, batch, model, hash, copies))
        return batch;
    release_batch(worlds, batch);
    return NULL;
}

static void join(sn_worlds *worlds, sn_beside *batch, uint32_t number)
{
    uint32_t copy = 0;
    while (batch->member[copy] != SN_NO_WORLD)
        ++copy;
    batch->member[copy] = number;
    batch->members++;
    worlds->entry[number].batch = 1 + (uint32_t)(batch - batch_at(worlds, 0));
    worlds->entry[number].copy = copy;
}

static void leave(sn_worlds *worlds, sn_beside *batch, uint32_t copy)
{
    sn_worlds_entry *entry = &worlds->entry[batch->member[copy]];
    entry->batch = 0;
    entry->judged_calls = 0;
    batch->member[copy] = SN_NO_WORLD;
    batch->leaves[copy] = false;
    if (--batch->members == 0)
        release_batch(worlds, batch);
}

/* ---- Grouping ---------------------------------------------------------------------------------------------------------------- */

/* Looks at worlds in no batch that something happened to. True if one of them may join. */
static bool judge(sn_worlds *worlds)
{
    bool any = false;
    for (uint32_t i = 0; i < worlds->alone_count; ++i) {
        sn_worlds_entry *entry = &worlds->entry[worlds->alone[i]];
        if (entry->judged_calls == entry->world->calls)
            continue;
        form_stream s = {.hash = SN_HASH_SEED};
        const bool may = may_lie_beside(entry->world);
        if (may)
            form_walk(&s, entry->world);
        entry->hash = may ? s.hash | 1 : 0;
        entry->judged_calls = entry->world->calls;
        any = any || may;
    }
    return any;
}

/* Worlds of one hash join batches that have room, then new ones. */
static void group_alike(sn_worlds *worlds, const sn_sort_item *item, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t b = 0; b < worlds->beside_table.count; ++b) {
        sn_beside *batch = batch_at(worlds, b);
        while (batch->inner && batch->hash == item->key && batch->members < batch->copies && next < count &&
               is_alike(worlds->entry[item[next].a].world, batch))
            join(worlds, batch, item[next++].a);
    }
    uint32_t copies = 0;
    while (count - next >= SN_BESIDE_LEAST) {
        const sn_world *model = worlds->entry[item[next].a].world;
        copies = copies ? copies : choose_copies(model);
        sn_beside *batch = make_batch(worlds, model, item->key, copies);
        uint32_t first = next;
        while (batch && next < count && batch->members < batch->copies &&
               is_alike(worlds->entry[item[next].a].world, batch))
            join(worlds, batch, item[next++].a);
        for (; next == first && next < count; ++next, ++first) /* until something happens to them */
            worlds->entry[item[next].a].hash = 0;
    }
}

static void form_groups(sn_worlds *worlds)
{
    sn_sort_item *item = worlds->sorted;
    uint32_t count = 0;
    for (uint32_t i = 0; i < worlds->count; ++i)
        if (!worlds->entry[i].batch && worlds->entry[i].hash)
            item[count++] = (sn_sort_item){worlds->entry[i].hash, i, 0};
    sn_sort(item, item + worlds->count, count);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && item[end].key == item[first].key;)
            ++end;
        group_alike(worlds, item + first, end - first);
    }
}

static void list_alone(sn_worlds *worlds)
{
    worlds->alone_count = 0;
    for (uint32_t i = 0; i < worlds->count; ++i)
        if (!worlds->entry[i].batch)
            worlds->alone[worlds->alone_count++] = i;
}

static void dismiss(sn_worlds *worlds)
{
    for (uint32_t b = 0; b < worlds->beside_table.count; ++b)
        for (uint32_t c = 0; batch_at(worlds, b)->inner && c < batch_at(worlds, b)->copies; ++c)
            if (batch_at(worlds, b)->leaves[c])
                leave(worlds, batch_at(worlds, b), c);
}

/* All other threads wait while this runs. So it looks at batches only if some member leaves, and at worlds only that are in none. */
void sn_beside_group(sn_worlds *worlds)
{
    if (atomic_exchange_explicit(&worlds->leaving, false, memory_order_relaxed)) {
        dismiss(worlds);
        list_alone(worlds);
    }
    if (worlds->side_by_side && judge(worlds)) {
        form_groups(worlds);
        list_alone(worlds);
    }
}

/* ---- The step ---------------------------------------------------------------------------------------------------------------- */

/* Worlds lie all over memory. What says where things are is fetched for all members first; what a step changes besides, too. */
static void fetch_heads(const sn_worlds *worlds, const sn_beside *batch)
{
#ifdef __GNUC__
    for (uint32_t c = 0; c < batch->copies; ++c) {
        if (batch->member[c] == SN_NO_WORLD)
            continue;
        const sn_world *world = worlds->entry[batch->member[c]].world;
        const void *const part[] = {&world->calls,        &world->state,
                                    &world->state.steps,  &world->particles.table,
                                    &world->particles.x,  &world->constraints.pool[batch->kinds[0]],
                                    &world->target_table, &world->fault,
                                    &world->moves,        &world->contact.spin_table};
        for (uint32_t i = 0; i < sizeof part / sizeof *part; ++i)
            __builtin_prefetch(part[i], 1);
    }
    for (uint32_t c = 0; c < batch->copies; ++c)
        for (uint32_t i = 0; i < batch->kind_count && batch->member[c] != SN_NO_WORLD; ++i)
            __builtin_prefetch(&worlds->entry[batch->member[c]].world->constraints.pool[batch->kinds[i]]->lambda);
#else
    (void)worlds;
    (void)batch;
#endif
}

/* And while one is copied, the next is fetched. */
static void fetch(const sn_world *world, uint32_t particles)
{
#ifdef __GNUC__
    const sn_vec4 *const column[] = {world->particles.x, world->particles.v, world->particles.x_low,
                                     world->particles.v_low};
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t at = 0; at < particles; at += 64 / sizeof(sn_vec4))
            __builtin_prefetch(column[i] + at, 1);
#else
    (void)world;
    (void)particles;
#endif
}

/* One column of a pool of the inner world, and that of a world whose constraints lie in one piece of it: what the next substep begins with. */
static void copy_rows(const sn_beside *batch, uint32_t copy, const sn_world *world, bool in)
{
    for (uint32_t i = 0; i < batch->kind_count; ++i) {
        const sn_pool *inner = batch->inner->constraints.pool[batch->kinds[i]],
                      *outer = world->constraints.pool[batch->kinds[i]];
        const size_t rows = (size_t)(inner->table.count / batch->copies) * inner->kind->rows, at = copy * rows;
        sn_real *const pair[2][2] = {{inner->lambda + at, outer->lambda}, {inner->preload + at, outer->preload}};
        for (uint32_t c = 0; c < 2; ++c)
            memcpy(pair[c][!in], pair[c][in], rows * sizeof *inner->lambda);
    }
}

static bool is_warm(const sn_beside *batch)
{
    return sn_world_is_warm(&batch->inner->state.settings);
}

static void copy_in(const sn_beside *batch, uint32_t copy, const sn_world *world, bool forces)
{
    const sn_particle_store *from = &world->particles, *to = &batch->inner->particles;
    const uint32_t *slot = batch->slot + (size_t)copy * batch->particles;
    for (uint32_t i = 0; i < batch->particles; ++i) {
        to->x[slot[i]] = from->x[i];
        to->v[slot[i]] = from->v[i];
        to->x_low[slot[i]] = from->x_low[i];
        to->v_low[slot[i]] = from->v_low[i];
    }
    for (uint32_t i = 0; forces && i < batch->particles; ++i)
        to->force[slot[i]] = from->force[i];
    if (is_warm(batch))
        copy_rows(batch, copy, world, true);
}

static void copy_out(const sn_beside *batch, uint32_t copy, sn_world *world)
{
    const sn_particle_store *to = &world->particles, *from = &batch->inner->particles;
    const uint32_t *slot = batch->slot + (size_t)copy * batch->particles;
    for (uint32_t i = 0; i < batch->particles; ++i) {
        to->x[i] = from->x[slot[i]];
        to->v[i] = from->v[slot[i]];
        to->x_low[i] = from->x_low[slot[i]];
        to->v_low[i] = from->v_low[slot[i]];
    }
    copy_rows(batch, copy, world, false);
}

/* What steps change in a world besides. */
static void pass_time(sn_world *world, const sn_world *inner, sn_real dt, uint32_t steps)
{
    const uint32_t substeps = world->state.settings.substeps;
    for (uint32_t i = 0; i < steps; ++i)
        world->state.time = world->state.time + (double)dt * substeps / substeps; /* as take_substeps has it */
    world->state.h = inner->state.h;
    world->state.passes = inner->state.passes;
    world->fault = (sn_fault){0};
    world->moves += steps;
    sn_world_finish_step(world);
    world->state.steps += steps;
}

/* Lists those of the members that have forces, or those that have none. Their multipliers are from a substep of the same h, which is returned;
   others are stepped alone. */
static sn_real choose(sn_worlds *worlds, sn_beside *batch, bool forces, uint32_t first, uint32_t steps,
                      uint32_t *chosen, uint32_t *count)
{
    sn_real h = 0;
    *count = 0;
    for (uint32_t c = 0; c < batch->copies; ++c) {
        if (batch->member[c] == SN_NO_WORLD || batch->leaves[c])
            continue;
        const sn_worlds_entry *entry = &worlds->entry[batch->member[c]];
        const sn_world_state *state = &entry->world->state;
        if (state->forces_pending != forces || !sn_worlds_goes_on(entry, first))
            continue;
        h = *count ? h : state->h;
        if (is_warm(batch) && state->h != h)
            sn_worlds_step_alone(worlds, batch->member[c], first, steps);
        else
            chosen[(*count)++] = c;
    }
    return h;
}

/* Copies without a world do what the first one does. */
static void copy_all_in(const sn_worlds *worlds, const sn_beside *batch, bool forces, const uint32_t *chosen,
                        uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t c = 0; c < batch->copies; ++c) {
        const bool own = next < count && chosen[next] == c;
        if (own && next + 1 < count)
            fetch(worlds->entry[batch->member[chosen[next + 1]]].world, batch->particles);
        copy_in(batch, c, worlds->entry[batch->member[chosen[own ? next : 0]]].world, forces);
        next += own;
    }
}

/* False if one of the steps fails. The inner world is then good for nothing until others are copied in. */
static bool step_inner(sn_world *inner, sn_real dt, uint32_t steps)
{
    sn_result result = SN_OK;
    for (uint32_t i = 0; result == SN_OK && i < steps; ++i) {
        inner->state.time = 0;
        result = sn_world_step(inner, dt);
    }
    if (result != SN_OK)
        sn_forces_clear(inner);
    return result == SN_OK;
}

/* Steps those of the members that have forces, or those that have none: all steps at once, between which nothing is copied. */
static void step_some(sn_worlds *worlds, sn_beside *batch, bool forces, uint32_t first, uint32_t steps)
{
    uint32_t chosen[SN_BESIDE], count;
    const sn_real h = choose(worlds, batch, forces, first, steps, chosen, &count);
    bool done = count >= SN_BESIDE_LEAST && worlds->dt > 0; /* without time nothing is done, and nothing noted */
    if (done) {
        copy_all_in(worlds, batch, forces, chosen, count);
        batch->inner->state.forces_pending = forces;
        batch->inner->state.h = h;
        done = step_inner(batch->inner, worlds->dt, steps);
        batch->stepped += done ? count : 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t number = batch->member[chosen[i]];
        if (!done) {
            sn_worlds_step_alone(worlds, number, first, steps);
            continue;
        }
        copy_out(batch, chosen[i], worlds->entry[number].world);
        pass_time(worlds->entry[number].world, batch->inner, worlds->dt, steps);
        sn_worlds_note_step(worlds, &worlds->entry[number], SN_OK, first);
    }
}

/* Those that are no longer alike are stepped alone, now and until the end of the call. */
static void judge_members(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps)
{
    for (uint32_t c = 0; c < batch->copies; ++c) {
        if (batch->member[c] == SN_NO_WORLD)
            continue;
        sn_worlds_entry *entry = &worlds->entry[batch->member[c]];
        if (!batch->leaves[c] && (entry->judged_calls != entry->world->calls || entry->world->busy)) {
            batch->leaves[c] = entry->world->busy || !may_lie_beside(entry->world) || !is_alike(entry->world, batch);
            entry->judged_calls = entry->world->calls;
        }
        if (batch->leaves[c]) {
            atomic_store_explicit(&worlds->leaving, true, memory_order_relaxed);
            sn_worlds_step_alone(worlds, batch->member[c], first, steps);
        }
    }
}

static void step_members(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps)
{
    batch->stepped = 0;
    step_some(worlds, batch, false, first, steps);
    step_some(worlds, batch, true, first, steps);
}

static bool has_forces(const sn_worlds *worlds, const sn_beside *batch)
{
    bool any = false;
    for (uint32_t c = 0; c < batch->copies; ++c)
        any = any || (batch->member[c] != SN_NO_WORLD && worlds->entry[batch->member[c]].world->state.forces_pending);
    return any;
}

/* Forces act in one step. So as long as there are any, steps are taken one by one. */
void sn_beside_step(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps)
{
    fetch_heads(worlds, batch);
    for (uint32_t done = 0, now; done < steps; done += now) {
        for (uint32_t c = 0; worlds->acts && c < batch->copies; ++c)
            if (batch->member[c] != SN_NO_WORLD)
                sn_worlds_act_again(worlds, batch->member[c], first + done);
        now = worlds->acts || has_forces(worlds, batch) ? 1 : steps - done;
        judge_members(worlds, batch, first + done, now);
        step_members(worlds, batch, first + done, now);
    }
}
