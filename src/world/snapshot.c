/* Snapshots: the whole state of a world in one block of memory.

   One function, walk, names every part of the state, once. It is run to measure, to write, to reserve and to read. A
   restore first reserves all memory that it needs, which may fail, and then copies, which cannot. */
#include "world/world.h"

#include <string.h>

struct sn_snapshot {
    sn_allocator allocator; /* that of the world; the snapshot may outlive the world */
    unsigned char *data;
    size_t size;
    size_t capacity;
};

typedef enum stream_mode { MEASURE, WRITE, RESERVE, READ } stream_mode;

typedef struct stream {
    stream_mode mode;
    unsigned char *at;
    size_t size; /* bytes so far */
    const sn_allocator *allocator;
    bool failed; /* out of memory while reserving */
} stream;

static void walk_bytes(stream *s, void *bytes, size_t size)
{
    s->size += size;
    if (!size || s->mode == MEASURE)
        return;
    if (s->mode == WRITE)
        memcpy(s->at, bytes, size);
    else if (s->mode == READ)
        memcpy(bytes, s->at, size);
    s->at += size;
}

/* A table: its count, then the used part of each column that is state. */
static void walk_table(stream *s, sn_table *table)
{
    uint32_t count = table->count;
    if (s->mode == RESERVE || s->mode == READ)
        memcpy(&count, s->at, sizeof count);
    if (s->mode == RESERVE && !sn_table_reserve(table, s->allocator, count))
        s->failed = true;
    if (s->mode == READ)
        table->count = count;
    uint32_t unused = count;
    walk_bytes(s, &unused, sizeof unused);
    for (uint32_t i = 0; i < table->saved; ++i)
        walk_bytes(s, table->column[i], (size_t)count * table->width[i]);
}

static void walk_ids(stream *s, sn_ids *ids)
{
    uint32_t numbers[3] = {ids->live, ids->lowest_free, ids->highest};
    walk_bytes(s, numbers, sizeof numbers);
    if (s->mode == READ) {
        ids->live = numbers[0];
        ids->lowest_free = numbers[1];
        if (numbers[2] > ids->highest)
            ids->highest = numbers[2];
    }
    walk_table(s, &ids->table);
    if (s->mode == RESERVE || s->mode == READ)
        sn_ids_restored(ids);
}

/* Properties of a kind that must be the same in another world for its constraints to make sense there. */
typedef struct kind_mark {
    uint32_t kind;
    uint32_t points, rows, params, inequality, point_params, state;
    sn_eval_fn *eval;
    char name[64];
} kind_mark;

/* Sets every byte, so that two marks can be compared as memory. */
static void make_mark(kind_mark *mark, const sn_pool *pool, uint32_t kind)
{
    memset(mark, 0, sizeof *mark);
    mark->kind = kind;
    mark->points = pool->kind->points;
    mark->rows = pool->kind->rows;
    mark->params = pool->param_count;
    mark->inequality = pool->kind->inequality;
    mark->point_params = pool->point_param_count;
    mark->state = pool->kind->state;
    mark->eval = pool->kind->eval;
    strncpy(mark->name, pool->kind->name, sizeof mark->name - 1);
}

static void walk_pool(stream *s, sn_pool *pool)
{
    walk_ids(s, &pool->ids);
    walk_table(s, &pool->table);
    walk_bytes(s, &pool->list_waste, sizeof pool->list_waste);
    walk_table(s, &pool->list_table);
    walk_table(s, &pool->own_table);
    walk_table(s, &pool->user_table);
    walk_table(s, &pool->free_table);
}

/* The pools that have constraints, each after its mark. A mark of kind 0 ends the list. */
static void walk_pools(stream *s, sn_store *store)
{
    kind_mark mark;
    if (s->mode == MEASURE || s->mode == WRITE) {
        for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
            sn_pool *pool = store->pool[kind];
            if (!pool->ids.live)
                continue;
            make_mark(&mark, pool, kind);
            walk_bytes(s, &mark, sizeof mark);
            walk_pool(s, pool);
        }
        memset(&mark, 0, sizeof mark);
        walk_bytes(s, &mark, sizeof mark);
        return;
    }
    for (;;) {
        memcpy(&mark, s->at, sizeof mark);
        s->at += sizeof mark;
        if (!mark.kind)
            return;
        walk_pool(s, store->pool[mark.kind]);
    }
}

/* The highest generations of constraints, also of empty pools: the handle of a constraint that was removed before the
   save must stay stale in another world. There the number may belong to another kind, whose generations then rise
   without need. */
static void walk_generations(stream *s, sn_store *store)
{
    uint32_t count = store->kind_count;
    if (s->mode == RESERVE || s->mode == READ)
        memcpy(&count, s->at, sizeof count);
    uint32_t unused = count;
    walk_bytes(s, &unused, sizeof unused);
    for (uint32_t kind = 1; kind < count; ++kind) {
        sn_ids *ids = kind < store->kind_count ? &store->pool[kind]->ids : NULL;
        uint32_t highest = ids ? ids->highest : 0;
        walk_bytes(s, &highest, sizeof highest);
        if (s->mode == READ && ids && highest > ids->highest)
            ids->floor = ids->highest = highest;
    }
}

/* The plan itself: a plan that is made again after edits would be different, and edits may come before the next
   step. */
static void walk_plan(stream *s, sn_world *world)
{
    sn_plan *plan = &world->plan;
    struct {
        uint32_t made, canonical, loose, particles, widest_rows, live;
    } head = {plan->made, plan->canonical, plan->loose, plan->particles, plan->widest_rows, plan->live};
    if (s->mode == RESERVE || s->mode == READ)
        memcpy(&head, s->at, sizeof head);
    walk_bytes(s, &head, sizeof head);
    if (s->mode == READ) {
        plan->filled = false;
        plan->made = head.made;
        plan->canonical = head.canonical;
        plan->loose = head.loose;
        plan->particles = head.particles;
        plan->widest_rows = head.widest_rows;
        plan->live = head.live;
        plan->makes++;
    }
    if (s->mode == RESERVE && head.made && !sn_plan_reserve_log(&world->constraints, s->allocator, head.live))
        s->failed = true;
    if (!head.made)
        return;
#define SN_PLAN_TABLE(type, name) walk_table(s, &plan->name##_table);
    SN_PLAN_ARRAYS(SN_PLAN_TABLE)
#undef SN_PLAN_TABLE
    if (s->mode == RESERVE || s->mode == READ)
        sn_plan_bind(plan); /* also if memory runs out later, and the plan stays what it was */
}

/* The data from which limits were made, if tears have removed some limits that the constraints would make again. */
static void walk_limits(stream *s, sn_world *world)
{
    sn_limits_base *base = &world->limits;
    uint32_t torn = (s->mode == MEASURE || s->mode == WRITE) && sn_limits_are_torn(world);
    walk_bytes(s, &torn, sizeof torn);
    if (s->mode == RESERVE)
        memcpy(&torn, s->at - sizeof torn, sizeof torn);
    if (s->mode == READ && !torn)
        base->torn_table.count = 0;
    if (!torn)
        return;
    struct {
        uint32_t most, slots;
    } head = {base->most, base->mark_table.count};
    if (s->mode == RESERVE || s->mode == READ)
        memcpy(&head, s->at, sizeof head);
    walk_bytes(s, &head, sizeof head);
    if (s->mode == RESERVE && !sn_limits_reserve(base, s->allocator, head.most, head.slots))
        s->failed = true;
    if (s->mode == READ)
        base->most = head.most;
    walk_table(s, &base->rod_table);
    walk_table(s, &base->torn_table);
    walk_bytes(s, base->count, sizeof base->count);
    walk_bytes(s, base->particles, sizeof base->particles);
}

/* The data of contact, except the records of fixed shapes, which come at the start. Shapes are not written: a world
   keeps all shapes that it ever had. */
static void walk_contact(stream *s, sn_contact_world *contact)
{
    walk_bytes(s, &contact->settings, sizeof contact->settings);
    walk_table(s, &contact->group_table);
    walk_ids(s, &contact->fixed_shape_ids);
    walk_ids(s, &contact->skin_ids);
    walk_table(s, &contact->skin_table);
    walk_table(s, &contact->triangle_table);
    walk_table(s, &contact->segment_table);
    walk_table(s, &contact->cell_table);
    walk_bytes(s, &contact->skin_generation, sizeof contact->skin_generation);
    walk_table(s, &contact->rest_table);
    walk_table(s, &contact->own_place_table);
    walk_table(s, &contact->spin_table);
    walk_table(s, &contact->impulse_table);
    walk_table(s, &contact->surface_impulse_table);
    walk_table(s, &contact->sleep.table);
    walk_table(s, &contact->events.touching_table);
    if (s->mode == READ)
        sn_sleep_restored(&contact->sleep), contact->events.event_table.count = 0;
    if (s->mode == READ)
        contact->impulse_start_table.count = 0; /* the next step makes it */
    if (s->mode == READ)
        sn_contact_restored(contact);
}

/* The hulls that bodies use: for each its number, the number of its points, and the points. The number 0 ends the list.
   A world without a hull of these points makes it, bit for bit the same, in RESERVE. */
static void walk_hulls(stream *s, sn_bodies *bodies)
{
    uint32_t head[2] = {0, 0};
    if (s->mode == MEASURE || s->mode == WRITE) {
        for (uint32_t i = 0; i < bodies->hull_table.count; ++i) {
            if (!sn_bodies_use_hull(bodies, i))
                continue;
            const sn_vec3 *points = sn_bodies_hull_points(bodies, i, &head[1]);
            head[0] = i + 1;
            walk_bytes(s, head, sizeof head);
            walk_bytes(s, (void *)points, head[1] * sizeof *points);
        }
        head[0] = head[1] = 0;
        walk_bytes(s, head, sizeof head);
        return;
    }
    for (;; s->at += head[1] * sizeof(sn_vec3)) {
        memcpy(head, s->at, sizeof head);
        s->at += sizeof head;
        if (!head[0])
            break;
        if (s->mode == READ)
            sn_bodies_bind_hull(bodies, head[0], sn_bodies_find_hull(bodies, s->at, head[1]));
        else if (!sn_bodies_take_hull(bodies, s->allocator, s->at, head[1]))
            s->failed = true;
    }
    if (s->mode == READ)
        sn_bodies_hulls_bound(bodies);
}

/* The whole state. The dimensions, the fixed shapes with the hashes of their data, and the marks come first, so that a
   restore can check them. */
static void walk(stream *s, sn_world *world)
{
    uint32_t numbers[2] = {world->dimensions, world->constraints.counts.most_points};
    if (s->mode == RESERVE) {
        memcpy(numbers, s->at, sizeof numbers);
        s->failed = !sn_store_reserve_many(&world->constraints, s->allocator, numbers[1]);
    }
    walk_bytes(s, numbers, sizeof numbers);
    walk_table(s, &world->contact.fixed_shape_table);
    walk_table(s, &world->contact.object_field_table);
    walk_table(s, &world->bodies.part_table);
    walk_hulls(s, &world->bodies);
    walk_pools(s, &world->constraints);
    walk_generations(s, &world->constraints);
    uint32_t compactions = world->constraints.counts.compactions;
    walk_bytes(s, &world->constraints.counts, sizeof world->constraints.counts);
    if (s->mode == READ) /* must rise, so that data derived from other sequence numbers are recognised as outdated */
        world->constraints.counts.compactions = compactions + 1;
    walk_table(s, &world->constraints.run_table);
    walk_table(s, &world->constraints.anchor_table);
    walk_table(s, &world->constraints.compromise_table);
    walk_table(s, &world->breaking.table);
    walk_table(s, &world->tearing.tip_table);
    walk_table(s, &world->tearing.sweep_table);
    for (uint32_t i = 0; i < 2; ++i)
        walk_table(s, &world->tearing.place_table[i]);
    walk_table(s, &world->tearing.severed_table);
    for (uint32_t i = 0; i < SN_ROD_KINDS; ++i)
        walk_table(s, &world->tearing.wear_table[i]);
    if (s->mode == READ)
        world->breaking.broken_table.count = 0;
    uint32_t next_field = world->state.next_field, next_drag = world->state.next_drag;
    walk_bytes(s, &world->state, sizeof world->state);
    if (s->mode == READ && world->state.next_field < next_field) /* numbers of fields and drags are not reused */
        world->state.next_field = next_field;
    if (s->mode == READ && world->state.next_drag < next_drag)
        world->state.next_drag = next_drag;
    walk_ids(s, &world->ids);
    uint32_t particles = 0, bodies = 0;
    if (s->mode == RESERVE)
        memcpy(&particles, s->at, sizeof particles);
    walk_table(s, &world->particles.table);
    walk_table(s, &world->history.table);
    walk_table(s, &world->target_table);
    walk_table(s, &world->field_table);
    walk_table(s, &world->drag_table);
    walk_contact(s, &world->contact);
    walk_ids(s, &world->bodies.names);
    walk_table(s, &world->bodies.fixed_table);
    walk_ids(s, &world->bodies.ids);
    if (s->mode == RESERVE)
        memcpy(&bodies, s->at, sizeof bodies);
    walk_table(s, &world->bodies.table);
    if (s->mode == RESERVE && /* behind the particles there is always room for turns */
        !sn_table_reserve(&world->particles.table, s->allocator, (uint64_t)particles + bodies + 1))
        s->failed = true;
    walk_table(s, &world->body_contacts.kept_table);
    if (s->mode == RESERVE && !sn_table_reserve(&world->bodies.turn_table, s->allocator, world->bodies.table.capacity))
        s->failed = true;
    if (s->mode == RESERVE)
        sn_bodies_bind(&world->bodies);
    if (s->mode == READ)
        sn_bodies_restored(&world->bodies);
    walk_table(s, &world->rest_shape_table);
    walk_plan(s, world);
    walk_limits(s, world);
    if (s->mode == RESERVE || s->mode == READ) {
        sn_particle_store_bind(&world->particles);
        sn_history_bind(&world->history);
        sn_store_bind(&world->constraints);
    }
    if (s->mode == READ) {
        sn_tear_restored(world);
        world->constraints.edits++;
        world->constraints.changes++;
        world->constraints.log_lost = true;
    }
    for (uint32_t i = 0; s->mode == READ && i < world->particles.table.count; ++i)
        world->contact.has_radii = world->contact.has_radii || world->particles.radius[i] > 0;
}

/* The size in bytes. First removes dead entries from the order of constraints: these could refer to empty pools, which
   are not written. 0 if there is no memory for that. */
size_t sn_state_measure(sn_world *world)
{
    if (world->constraints.counts.removed && !sn_store_compact(&world->constraints, &world->allocator))
        return 0;
    sn_breaking_tidy(world);
    sn_world_follow_edits(world);
    stream s = {.mode = MEASURE};
    walk(&s, world);
    return s.size;
}

void sn_state_write(sn_world *world, unsigned char *data)
{
    stream s = {.mode = WRITE, .at = data};
    walk(&s, world);
}

sn_snapshot *sn_world_save(sn_world *world)
{
    if (sn_world_enter(world) != SN_OK)
        return NULL;
    size_t size = sn_state_measure(world);
    sn_snapshot *snapshot = size ? sn_allocate(&world->allocator, sizeof *snapshot) : NULL;
    unsigned char *data = snapshot ? sn_allocate(&world->allocator, size) : NULL;
    if (!data) {
        sn_release(&world->allocator, snapshot, sizeof *snapshot);
        world_fail(world, SN_ERROR_MEMORY, "no memory for a snapshot of %zu bytes", size);
        return NULL;
    }
    *snapshot = (sn_snapshot){world->allocator, data, size, size};
    sn_state_write(world, data);
    return snapshot;
}

sn_result sn_world_save_into(sn_world *world, sn_snapshot *snapshot)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!snapshot)
        return world_fail(world, SN_ERROR_ARGUMENT, "snapshot is NULL");
    size_t size = sn_state_measure(world);
    if (!size)
        return world_fail(world, SN_ERROR_MEMORY, "no memory to prepare a snapshot");
    if (size > snapshot->capacity) {
        unsigned char *data = sn_allocate(&snapshot->allocator, size);
        if (!data)
            return world_fail(world, SN_ERROR_MEMORY, "no memory for a snapshot of %zu bytes", size);
        sn_release(&snapshot->allocator, snapshot->data, snapshot->capacity);
        snapshot->data = data;
        snapshot->capacity = size;
    }
    sn_state_write(world, snapshot->data);
    snapshot->size = size;
    return SN_OK;
}

/* Checks that the world has the data of every fixed shape in the snapshot. Skips the records. */
static sn_result check_fixed_shapes(sn_world *world, unsigned char **at)
{
    uint32_t count;
    memcpy(&count, *at, sizeof count);
    *at += sizeof count;
    for (uint32_t i = 0; i < count; ++i) {
        sn_fixed_shape record;
        memcpy(&record, *at, sizeof record);
        *at += sizeof record;
        if (record.data && !sn_contact_find_data(&world->contact, record.data, record.data_hash, record.def.type))
            return world_fail(
                world, SN_ERROR_ARGUMENT,
                "the snapshot has body %u, whose %s this world does not have; add a body with the same to it "
                "first",
                record.body, sn_shape_type_name(record.def.type));
    }
    return SN_OK;
}

/* The same for the distance fields of objects. */
static sn_result check_object_fields(sn_world *world, unsigned char **at)
{
    uint32_t count;
    memcpy(&count, *at, sizeof count);
    *at += sizeof count;
    for (uint32_t i = 0; i < count; ++i) {
        sn_object_field record;
        memcpy(&record, *at, sizeof record);
        *at += sizeof record;
        if (!sn_contact_find_data(&world->contact, record.data, record.data_hash, SN_SHAPE_FIELD))
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "the snapshot has a field of group %u, which this world does not have; give the same to "
                              "a group of it first",
                              record.group);
    }
    return SN_OK;
}

/* Skips bodies, whose hulls are part of the snapshot. */
static void step_over_bodies(unsigned char **at)
{
    uint32_t count, head[2];
    memcpy(&count, *at, sizeof count);
    *at += sizeof count + count * sizeof(sn_body_part);
    do {
        memcpy(head, *at, sizeof head);
        *at += sizeof head + head[1] * sizeof(sn_vec3);
    } while (head[0]);
}

/* Skips a table with columns like those of `table`. */
static void step_over(unsigned char **at, const sn_table *table)
{
    uint32_t count;
    memcpy(&count, *at, sizeof count);
    *at += sizeof count;
    for (uint32_t i = 0; i < table->saved; ++i)
        *at += (size_t)count * table->width[i];
}

/* Checks that every kind in the snapshot is the same here. Skips the tables after each mark. */
static sn_result check(sn_world *world, const unsigned char *data)
{
    stream s = {.mode = RESERVE, .at = (unsigned char *)data}; /* reads only */
    uint32_t dimensions;
    memcpy(&dimensions, s.at, sizeof dimensions);
    s.at += 2 * sizeof(uint32_t);
    if (dimensions != world->dimensions)
        return world_fail(world, SN_ERROR_ARGUMENT, "the snapshot is of a %uD world, this one is %uD", dimensions,
                          world->dimensions);
    sn_result result = check_fixed_shapes(world, &s.at);
    if (result != SN_OK || (result = check_object_fields(world, &s.at)) != SN_OK)
        return result;
    step_over_bodies(&s.at);
    for (;;) {
        kind_mark mark, own;
        memcpy(&mark, s.at, sizeof mark);
        if (!mark.kind)
            return SN_OK;
        memset(&own, 0, sizeof own);
        if (mark.kind < world->constraints.kind_count)
            make_mark(&own, world->constraints.pool[mark.kind], mark.kind);
        if (memcmp(&own, &mark, sizeof own) != 0)
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "the snapshot uses kind %u, '%s', which is not registered so in this world", mark.kind,
                              mark.name);
        s.at += sizeof mark + 3 * sizeof(uint32_t);
        const sn_pool *pool = world->constraints.pool[mark.kind];
        step_over(&s.at, &pool->ids.table);
        step_over(&s.at, &pool->table);
        s.at += sizeof(uint32_t); /* list_waste */
        step_over(&s.at, &pool->list_table);
        step_over(&s.at, &pool->own_table);
        step_over(&s.at, &pool->user_table);
        step_over(&s.at, &pool->free_table);
    }
}

sn_result sn_state_load(sn_world *world, const unsigned char *data, size_t size)
{
    unsigned char *at = (unsigned char *)data; /* RESERVE and READ do not write to it */
    sn_result result = check(world, data);
    if (result != SN_OK)
        return result;
    stream s = {.mode = RESERVE, .at = at, .allocator = &world->allocator};
    walk(&s, world);
    if (s.failed)
        return world_fail(world, SN_ERROR_MEMORY, "no memory to restore a snapshot of %zu bytes", size);

    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) { /* kinds that are not in the snapshot become
                                                                               empty */
        sn_pool *pool = world->constraints.pool[kind];
        pool->table.count = pool->ids.table.count = pool->ids.live = pool->ids.lowest_free = 0;
        pool->list_table.count = pool->list_waste = pool->own_table.count = 0;
        pool->user_table.count = pool->free_table.count = 0;
        sn_ids_restored(&pool->ids);
    }
    s = (stream){.mode = READ, .at = at};
    walk(&s, world);
    if (world->plan.made) /* storage and constraints are those for which it was made */
        sn_store_log_begin(&world->constraints);
    sn_limits_restored(world);
    world->incidence.built = false;
    world->moves++;
    return SN_OK;
}

sn_result sn_world_load(sn_world *world, const sn_snapshot *snapshot)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!snapshot)
        return world_fail(world, SN_ERROR_ARGUMENT, "snapshot is NULL");
    return sn_state_load(world, snapshot->data, snapshot->size);
}

size_t sn_snapshot_size(const sn_snapshot *snapshot)
{
    return snapshot ? sizeof *snapshot + snapshot->capacity : 0;
}

void sn_snapshot_destroy(sn_snapshot *snapshot)
{
    if (!snapshot)
        return;
    sn_allocator allocator = snapshot->allocator;
    sn_release(&allocator, snapshot->data, snapshot->capacity);
    sn_release(&allocator, snapshot, sizeof *snapshot);
}
