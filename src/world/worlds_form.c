/* The common form of alike worlds, and inner worlds of copies of it.

   Inner worlds do not belong to a batch. Members are copied in before every step, so an inner world can step one batch
   after the other. Each thread has one for all batches that it steps, which then stays in its cache: with one for each
   batch, 1,024 ropes took 1.25 times as long, 4,096 carts 1.8 times. While a form has fewer batches than there are
   threads, each batch has its own. */
#include "world/worlds.h"

#include "base/hash.h"
#include "constraints/store.h"
#include "integrators/integrator.h"

#include <math.h>
#include <string.h>

/* ---- The form of a world ----------------------------------------------------------------------------------------- */

/* Measures, writes or compares the data that worlds must have in common, and hashes them. */
typedef struct form_stream {
    unsigned char *write;      /* or NULL */
    const unsigned char *with; /* to be compared with, or NULL */
    size_t left;               /* its remaining size */
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

static bool is_alike(const sn_world *world, const sn_form *form)
{
    form_stream s = {.with = form->bytes, .left = form->size};
    form_walk(&s, world);
    return !s.differs && s.left == 0;
}

/* ---- Which worlds may be stepped side by side -------------------------------------------------------------------- */

/* Larger worlds fill the lanes by themselves, and comparing orders takes quadratic time. */
#define MOST_CONSTRAINTS 1000u

static bool has_plain_constraints(const sn_store *store)
{
    if (!store->counts.live || store->counts.live > MOST_CONSTRAINTS || store->counts.removed ||
        store->counts.fresh.any || store->compromise_table.count)
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
            if (pool->point[i] & SN_ANCHOR_BIT)
                return false;
    }
    return true;
}

/* True if contact is impossible, and only constraints and given forces act. */
static bool is_quiet(const sn_world *world)
{
    const sn_contact_world *c = &world->contact;
    return !(c->settings.on && c->has_radii) && !c->settings.sleep && !c->settings.events && !c->skin_ids.live &&
           !c->fixed_shape_ids.live && !c->spin_table.count && !c->impulse_table.count && !world->bodies.names.live &&
           !world->bodies.ids.live && !world->field_table.count && !world->drag_table.count &&
           !world->target_table.count && !world->breaking.table.count && !world->tearing.function &&
           !world->tearing.tip_table.count && !world->tearing.sweep_table.count &&
           !world->tearing.severed_table.count && !world->rest_shape_table.count && !world->history.table.count &&
           !world->cancel && !world->filter && !world->pre_solve && !world->profiler.begin;
}

static bool is_plainly_planned(const sn_world *world)
{
    const sn_plan *plan = &world->plan;
    const uint32_t count = world->particles.table.count;
    return plan->made && plan->canonical && plan->particles == count && plan->loose == count &&
           !plan->many_table.count && !plan->hub_table.count && !plan->extra_table.count &&
           world->ids.table.count == count;
}

/* -0 + 0 is 0: a gravity of -0 would differ where a tile has forces. */
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

/* ---- An inner world ---------------------------------------------------------------------------------------------- */

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

/* Rows of a copy are consecutive, as in the model. */
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

/* Ropes that are solved directly, eight at once, are faster if they are interleaved in storage: SN_TEAM_PLACE defines
   how. That changes no result. */
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
    /* they do not contradict each other, but the present errors may be large */
    inner->constraints.counts.fresh = model->constraints.counts.fresh;
    sn_world_follow_edits(inner);
    if (!made || !sn_world_plan(inner) || !braid(inner, model, copies)) {
        sn_world_destroy(inner);
        return NULL;
    }
    return inner;
}

/* ---- Whether copies are solved like the world alone -------------------------------------------------------------- */

/* True if a copy of the model, planned again, equals the model, including its plan. */
static bool is_as_made(const sn_world *model, const sn_form *form)
{
    sn_world *one = make_inner(model, 1);
    const bool same = one && is_alike(one, form);
    sn_world_destroy(one);
    return same;
}

/* The time at which each constraint is projected. Its index is `base` of its kind plus its row. */
typedef struct turns {
    uint32_t base[SN_KIND_BUILTIN_END];
    uint32_t count;
    uint32_t *at;
    bool wider; /* some that compute in double are in planes, where positions are not rounded to single before */
} turns;

#define IN_TREES                                                                                                       \
    0x80000000u /* part of a tree: trees come last, and the constraint found first decides how one is solved */

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

/* True if two constraints of the model share a particle. */
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

/* True if in each copy constraints that share a particle, or are in trees, are in the same order as in the model. Other
   constraints may be in any order. */
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

/* True if SN_BESIDE copies would take more vectors per copy than SN_BESIDE_FEW: kinds that cannot be in planes are then
   divided into small tiles. */
static bool is_worse_with_many(const sn_world *model)
{
    sn_world *few = make_inner(model, SN_BESIDE_FEW), *many = make_inner(model, SN_BESIDE);
    const bool worse =
        few && many && many->plan.mask_table.count > SN_BESIDE / SN_BESIDE_FEW * few->plan.mask_table.count;
    sn_world_destroy(few);
    sn_world_destroy(many);
    return worse;
}

/* True if everything is solved directly: eight at once, with lanes of doubles. */
static bool is_of_ropes(const sn_world *model)
{
    return model->plan.tree_table.count == model->constraints.counts.live;
}

/* The number of copies in a batch. Eight ropes are solved at once, and more than twice eight gain nothing. */
static uint32_t choose_copies(const sn_world *model)
{
    return is_of_ropes(model) || is_worse_with_many(model) ? SN_BESIDE_FEW : SN_BESIDE;
}

/* ---- Forms ------------------------------------------------------------------------------------------------------- */

static uint64_t form_hash(const sn_world *world)
{
    form_stream s = {.hash = SN_HASH_SEED};
    form_walk(&s, world);
    return s.hash | 1;
}

uint64_t sn_form_hash(const sn_world *world)
{
    return may_lie_beside(world) ? form_hash(world) : 0;
}

bool sn_form_fits(const sn_form *form, const sn_world *world)
{
    return may_lie_beside(world) && is_alike(world, form);
}

static bool write_bytes(sn_form *form, const sn_world *model)
{
    form_stream measure = {.hash = SN_HASH_SEED};
    form_walk(&measure, model);
    form->size = measure.size;
    form->bytes = sn_allocate(&form->allocator, form->size);
    form_stream write = {.write = form->bytes};
    if (form->bytes)
        form_walk(&write, model);
    return form->bytes != NULL;
}

/* Lists the slots of the particles of copies, which are the same in all inner worlds. */
static bool list_slots(sn_form *form, const sn_world *model, const sn_world *inner)
{
    form->slot = sn_allocate(&form->allocator, (size_t)form->particles * form->copies * sizeof *form->slot);
    for (uint32_t copy = 0; form->slot && copy < form->copies; ++copy)
        for (uint32_t s = 0; s < form->particles; ++s)
            form->slot[(size_t)copy * form->particles + s] =
                inner->ids.value[copy * form->particles + model->particles.index[s]];
    return form->slot != NULL;
}

/* Adds an inner world. It takes a step, so that later steps, on any thread, do not allocate. */
static bool add_inner(sn_form *form, const sn_world *model, sn_real dt)
{
    sn_world *inner = make_inner(model, form->copies);
    if (!inner)
        return false;
    const uint64_t hash = form_hash(inner);
    const bool fits = form->inner_count
                          ? hash == form->inner_hash
                          : inner->plan.loose == inner->particles.table.count &&
                                has_same_order(model, inner, form->copies) && list_slots(form, model, inner);
    if (!fits) {
        sn_world_destroy(inner);
        return false;
    }
    form->inner_hash = hash;
    form->inner[form->inner_count++] = (sn_inner){.world = inner};
    sn_world_step(inner, dt > 0 ? dt : 1);
    return true;
}

sn_form *sn_form_create(const sn_worlds *worlds, const sn_world *model)
{
    sn_form *form = sn_allocate(&worlds->allocator, sizeof *form);
    if (!form)
        return NULL;
    *form = (sn_form){.allocator = worlds->allocator,
                      .hash = sn_form_hash(model),
                      .copies = choose_copies(model),
                      .particles = model->particles.table.count,
                      .inner_most = sn_parallel_workers(&worlds->parallel)};
    for (uint32_t kind = 1; kind < SN_KIND_BUILTIN_END; ++kind)
        if (model->constraints.pool[kind]->ids.live)
            form->kinds[form->kind_count++] = kind;
    form->inner = sn_allocate(&worlds->allocator, form->inner_most * sizeof *form->inner);
    if (form->inner && write_bytes(form, model) && is_as_made(model, form) && add_inner(form, model, worlds->dt))
        return form;
    sn_form_destroy(form);
    return NULL;
}

void sn_form_destroy(sn_form *form)
{
    const sn_allocator allocator = form->allocator;
    for (uint32_t i = 0; i < form->inner_count; ++i)
        sn_world_destroy(form->inner[i].world);
    sn_release(&allocator, form->inner, form->inner_most * sizeof *form->inner);
    sn_release(&allocator, form->bytes, form->size);
    sn_release(&allocator, form->slot, (size_t)form->particles * form->copies * sizeof *form->slot);
    sn_release(&allocator, form, sizeof *form);
}

bool sn_form_take(sn_form *form, const sn_world *model, sn_real dt, uint32_t *place)
{
    *place = 0;
    while (*place < form->inner_count && form->inner[*place].taken)
        ++*place;
    if (*place == form->inner_count && form->inner_count < form->inner_most && !add_inner(form, model, dt))
        return false;
    if (*place < form->inner_count)
        form->inner[*place].taken = true;
    form->batches++;
    return true;
}

void sn_form_leave(sn_form *form, uint32_t place)
{
    if (place < form->inner_count)
        form->inner[place].taken = false;
    if (--form->batches == 0)
        sn_form_destroy(form);
}
