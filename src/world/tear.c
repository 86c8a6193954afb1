/* Tearing: strengths of skins and runs, tears at the end of a step, events, and topology for renderers.

   A sheet under tension tears across it: the rod that is too long does not part, but the cloth at one of its
   ends. So the vertex there is split, by the plane through it across the rod, and the triangles on the far side
   take the rod with them. (The alternative, to open the sheet along the rod itself, makes slits along the pull,
   which carry the load as before.) An end at a border or a tear is preferred to one inside the sheet, so that a
   tear continues and few new ones begin. */
#include "world/world.h"

#include "base/dvec.h"
#include "base/hash.h"

#include <string.h>

#define MOST_SPREAD 0.9

/* The largest number of constraints of each kind that are added with the vertices of a step. */
#define ROWS_A_STEP (16 * SN_TEARS_A_STEP)

void sn_tearing_init(sn_tearing *t)
{
    sn_table_column(&t->event_table, sizeof(sn_tear), false);
    sn_table_column(&t->copy_table, sizeof(sn_tear_copy), false);
    sn_table_column(&t->parted_table, sizeof(uint32_t), false);
    sn_table_column(&t->tip_table, sizeof(sn_tear_tip), true);
    sn_blade_sweep_init(t);
    sn_table_column(&t->tip_at_table, sizeof(uint32_t), false);
    sn_table_column(&t->severed_table, sn_severed_width(), true);
    sn_table_column(&t->change_table, sizeof(sn_topology_change), false);
    sn_table_column(&t->head_table, sizeof(sn_tear_head), false);
    sn_table_column(&t->next_table, sizeof(uint32_t), false);
    sn_table_column(&t->cell_next_table, sizeof(uint32_t), false);
    sn_table_column(&t->node_table, sizeof(sn_tear_node), false);
    sn_table_column(&t->range_table, sizeof(sn_tear_range), false);
    sn_table_column(&t->flag_table, sizeof(uint8_t), false);
    sn_table_column(&t->gap_table, sizeof(uint32_t), false);
    sn_table_column(&t->over_table, sizeof(sn_tear_over), false);
    sn_table_column(&t->busy_table, sizeof(uint32_t), false);
    for (uint32_t i = 0; i < SN_ROD_KINDS; ++i)
        sn_table_column(&t->wear_table[i], sizeof(sn_wear), true);
    sn_table_column(&t->leave_table, sizeof(bool), false);
    sn_table_column(&t->torn_table, sizeof(uint8_t), false);
    sn_solid_init(&t->solid);
    t->topology = t->known = 1;
}

void sn_tearing_release(sn_tearing *t, const sn_allocator *allocator)
{
    sn_table *const tables[] = {
        &t->event_table,    &t->copy_table,      &t->change_table,  &t->head_table, &t->next_table,  &t->node_table,
        &t->range_table,    &t->flag_table,      &t->over_table,    &t->gap_table,  &t->busy_table,  &t->tip_table,
        &t->tip_at_table,   &t->leave_table,     &t->severed_table, &t->torn_table, &t->sweep_table, &t->place_table[0],
        &t->place_table[1], &t->cell_next_table, &t->parted_table};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        sn_table_release(tables[i], allocator);
    for (uint32_t i = 0; i < SN_ROD_KINDS; ++i)
        sn_table_release(&t->wear_table[i], allocator);
    sn_solid_release(&t->solid, allocator);
}

/* ---- Strength ---------------------------------------------------------------------------------------------------- */

sn_tear_def sn_default_tear_def(void)
{
    return (sn_tear_def){0};
}

static sn_result check_def(const sn_world *world, const char *what, const sn_tear_def *def)
{
    const struct {
        const char *name;
        sn_real value;
        double most;
        const char *unit;
    } number[] = {{"strain", def->strain, HUGE_VAL, ""},
                  {"force", def->force, HUGE_VAL, " N"},
                  {"spread", def->spread, MOST_SPREAD, ""},
                  {"fatigue", def->fatigue, 1, ""}};
    for (size_t i = 0; i < sizeof number / sizeof *number; ++i)
        if (!isfinite(number[i].value) || number[i].value < 0 || (double)number[i].value > number[i].most)
            return world_fail(world, SN_ERROR_ARGUMENT, "%s: tear: %s is %g%s; it must be %s", what, number[i].name,
                              (double)number[i].value, number[i].unit,
                              i == 2   ? "between 0 and 0.9"
                              : i == 3 ? "between 0 and 1"
                                       : "finite and not negative");
    if (def->strain == 0 && def->force == 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: tear: strain and force are both 0; one of them must be given",
                          what);
    return SN_OK;
}

/* The record of a live skin; NULL, and an error, otherwise. */
static sn_skin_record *record_of(const sn_world *world, sn_skin skin)
{
    if (sn_skin_is_valid(world, skin))
        return &contact_skins(&world->contact)[world->contact.skin_ids.value[skin.index]];
    world_fail(world, SN_ERROR_STALE, "skin %u (generation %u) does not exist (any more)", skin.index, skin.generation);
    return NULL;
}

sn_result sn_skin_set_tear(sn_world *world, sn_skin skin, const sn_tear_def *def)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    sn_skin_record *record = record_of(world, skin);
    if (!record)
        return SN_ERROR_STALE;
    if (def && (result = check_def(world, "skin", def)) != SN_OK)
        return result;
    record->tear = def ? *def : sn_default_tear_def();
    world->tearing.strength_edits++;
    return SN_OK;
}

sn_result sn_skin_read_tear(const sn_world *world, sn_skin skin, sn_tear_def *def)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL");
    const sn_skin_record *record = record_of(world, skin);
    if (!record)
        return SN_ERROR_STALE;
    *def = record->tear;
    return SN_OK;
}

bool sn_tear_is_rod(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX || kind == SN_KIND_DISTANCE_BAND ||
           kind == SN_KIND_SPRING;
}

sn_real sn_tear_rest(const sn_pool *pool, uint32_t kind, uint32_t row)
{
    return pool->param[(size_t)row * pool->param_count + (kind == SN_KIND_DISTANCE_BAND ? 1 : 0)];
}

double sn_tear_factor(uint32_t seed, double spread, uint32_t kind, uint32_t row)
{
    const uint64_t hash = hash_u64(hash_u64(hash_u64(SN_HASH_SEED, seed), kind), row);
    return 1 + spread * ((double)(hash >> 11) * 0x1p-52 - 1);
}

sn_result sn_constraints_set_tear(sn_world *world, sn_constraints run, const sn_tear_def *def)
{
    sn_result result = sn_constraints_check_run(world, run);
    if (result != SN_OK)
        return result;
    if (def && (result = check_def(world, "constraints", def)) != SN_OK)
        return result;
    const sn_kind *kind = sn_kind_info(world, run.kind);
    if (def && def->strain > 0 && !sn_tear_is_rod(run.kind) && !sn_shape_is_group(run.kind))
        return world_fail(
            world, SN_ERROR_ARGUMENT,
            "constraints: tear: strain is %g; the kind %s has no strain, which rods and shapes have: it must be 0",
            (double)def->strain, kind->name);
    if ((result = sn_breaking_prepare(world, kind, def ? def->force : 0, 0)) != SN_OK)
        return result;
    return sn_breaking_set_run(world, run, def);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

sn_result sn_world_set_tear_function(sn_world *world, sn_tear_fn *function, void *context)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    world->tearing.function = function;
    world->tearing.context = context;
    return SN_OK;
}

bool sn_tear_allowed(sn_world *world, const sn_tear *tear)
{
    const sn_tearing *t = &world->tearing;
    if (!t->function)
        return true;
    const bool busy = world->busy;
    world->busy = true;
    const bool allowed = t->function(t->context, tear);
    world->busy = busy;
    return allowed;
}

void sn_tear_begin_events(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    t->event_table.count = t->told ? 0 : t->event_table.count;
    t->copy_table.count = t->told ? 0 : t->copy_table.count;
    t->parted_table.count = t->told ? 0 : t->parted_table.count;
    t->told = false;
}

void sn_tear_tell(sn_world *world, const sn_tear *tear)
{
    sn_table *table = &world->tearing.event_table;
    world->tearing.breaks += tear->type == SN_TEAR_LEAVE || (tear->type == SN_TEAR_BREAK && !tear->cut);
    ((sn_tear *)table->column[0])[table->count++] = *tear;
}

const sn_tear *sn_world_tears(const sn_world *world, uint32_t *count)
{
    const uint32_t tears = world ? world->tearing.event_table.count : 0;
    if (count)
        *count = tears;
    return tears ? world->tearing.event_table.column[0] : NULL;
}

const sn_tear_copy *sn_world_tear_copies(const sn_world *world, uint32_t *count)
{
    const uint32_t copies = world ? world->tearing.copy_table.count : 0;
    if (count)
        *count = copies;
    return copies ? world->tearing.copy_table.column[0] : NULL;
}

double sn_tear_strain(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = world->constraints.pool[kind];
    const uint32_t *point = pool->point + 2 * (size_t)row;
    if (!sn_tear_is_rod(kind) || (point[0] | point[1]) & SN_ANCHOR_BIT)
        return 0;
    const sn_vec4 *x = world->particles.x;
    const double rest = (double)sn_tear_rest(pool, kind, row);
    const double length =
        dvec3_length(dvec3_seen(vec4_xyz(x[world->ids.value[point[0]]]), vec4_xyz(x[world->ids.value[point[1]]])));
    return rest > 0 && isfinite(length) ? length / rest - 1 : 0;
}

sn_vec3 sn_tear_place(const sn_world *world, uint32_t kind, uint32_t row)
{
    uint32_t small[4 * SN_MAX_POINTS], count;
    const uint32_t *held = sn_store_particles(&world->constraints, world->constraints.pool[kind], row, small, &count);
    return count ? vec4_xyz(world->particles.x[world->ids.value[held[0]]]) : vec3(0, 0, 0);
}

double sn_tear_energy(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = world->constraints.pool[kind];
    const double compliance = (double)pool->give[row].compliance;
    sn_real value[SN_MAX_ROWS];
    double energy = 0;
    if (kind == SN_KIND_SPRING) {
        const double rest = (double)sn_tear_rest(pool, kind, row), by = sn_tear_strain(world, kind, row) * rest;
        return (double)pool->param[(size_t)row * pool->param_count + 1] * by * by / 2;
    }
    if (compliance == 0 || pool->kind->own_rows || pool->kind->project || pool->kind->force ||
        sn_constraint_value(world, (sn_constraint){kind, row, pool->ids.generation[row]}, value) != SN_OK)
        return 0;
    for (uint32_t i = 0; i < pool->kind->rows; ++i) {
        const double c = (double)value[i];
        if (isfinite(c) && (c < 0 || !(pool->kind->inequality >> i & 1)))
            energy += c * c / (2 * compliance);
    }
    return energy;
}

void sn_tear_remove(sn_world *world, uint32_t kind, uint32_t row, double *released)
{
    *released += sn_tear_energy(world, kind, row);
    sn_sleep_disturb_constraint(world, world->constraints.pool[kind], row);
    sn_limits_touch_rod(world, kind, row);
    sn_store_remove(&world->constraints, kind, row);
}

/* ---- Constraints that go with a rod ------------------------------------------------------------------------------ */

static bool has_particle(const sn_world *world, const sn_tear_node *node, uint32_t particle)
{
    const sn_pool *pool = world->constraints.pool[node->kind];
    uint32_t small[4 * SN_MAX_POINTS], count;
    const uint32_t *held = sn_store_particles(&world->constraints, pool, node->row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (held[i] == particle)
            return true;
    return false;
}

/* Removes constraints that hold both particles and have no strength of their own or from a skin. Returns their
   number. */
static uint32_t remove_joining(sn_world *world, uint32_t a, uint32_t b, double *released)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const uint32_t count = sn_tear_constraints_at(world, a, node, SN_TEAR_CONSTRAINTS);
    uint32_t removed = 0;
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i)
        if (!pool_has_lists(world->constraints.pool[node[i].kind]) && has_particle(world, &node[i], b) &&
            !sn_breaking_has(world, node[i].kind, node[i].row) && !sn_tear_may_tear(world, node[i].kind, node[i].row)) {
            sn_tear_remove(world, node[i].kind, node[i].row, released);
            ++removed;
        }
    return removed;
}

uint32_t sn_tear_remove_dependents(sn_world *world, uint32_t kind, uint32_t row, double *released)
{
    const uint32_t *point = world->constraints.pool[kind]->point + 2 * (size_t)row, end[2] = {point[0], point[1]};
    uint32_t removed = 0;
    if (!sn_tear_is_rod(kind) || (end[0] | end[1]) & SN_ANCHOR_BIT)
        return 0;
    removed += remove_joining(world, end[0], end[1], released);
    for (uint32_t k = 0; k < 2; ++k) { /* constraints that span the rod and the next one */
        sn_tear_node node[SN_TEAR_CONSTRAINTS];
        const uint32_t count = sn_tear_constraints_at(world, end[k], node, SN_TEAR_CONSTRAINTS);
        for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
            const uint32_t *next = world->constraints.pool[node[i].kind]->point + 2 * (size_t)node[i].row;
            if (!sn_tear_is_rod(node[i].kind) || !sn_breaking_has(world, node[i].kind, node[i].row) ||
                (next[0] | next[1]) & SN_ANCHOR_BIT)
                continue;
            const uint32_t beyond = next[0] == end[k] ? next[1] : next[0];
            if (beyond != end[1 - k])
                removed += remove_joining(world, end[1 - k], beyond, released);
        }
    }
    return removed;
}

uint64_t sn_tear_hash(uint64_t hash, const sn_world *world)
{
    const sn_tear_tip *tip = world->tearing.tip_table.column[0];
    for (uint32_t i = 0; i < world->tearing.tip_table.count; ++i)
        if (sn_particle_is_valid(world, tip[i].vertex)) {
            const uint32_t from = sn_particle_is_valid(world, tip[i].from) ? tip[i].from.index + 1 : 0;
            hash = hash_u64(hash, (uint64_t)from << 32 | tip[i].vertex.index);
        }
    return sn_wear_hash(sn_severed_hash(sn_blade_sweep_hash(hash, world), world), world);
}

/* ---- Topology ---------------------------------------------------------------------------------------------------- */

/* Discards the recorded changes. */
static void forget_changes(sn_tearing *t)
{
    t->change_table.count = 0;
    t->known = ++t->topology;
}

void sn_tear_restored(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    t->indexed = false;
    t->event_table.count = t->copy_table.count = t->parted_table.count = 0;
    forget_changes(t);
}

void sn_tear_constraint_changed(sn_world *world)
{
    world->tearing.indexed = false;
}

void sn_tear_skins_changed(sn_world *world)
{
    forget_changes(&world->tearing);
}

void sn_tear_note_triangle(sn_world *world, uint32_t triangle)
{
    sn_tearing *t = &world->tearing;
    const sn_skin_record *skin = contact_skin_of(&world->contact, triangle);
    const uint32_t *corner = (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)triangle;
    if (t->change_table.count >= SN_TOPOLOGY_MOST)
        forget_changes(t);
    const sn_skin of = {skin->number, world->contact.skin_ids.generation[skin->number]};
    ((sn_topology_change *)t->change_table.column[0])[t->change_table.count++] =
        (sn_topology_change){of, triangle - skin->first, {corner[0], corner[1], corner[2]}};
    t->topology++;
}

const uint32_t *sn_skin_triangles(const sn_world *world, sn_skin skin, uint32_t *count)
{
    const sn_skin_record *record = world ? record_of(world, skin) : NULL;
    if (count)
        *count = record ? record->count : 0;
    return record ? (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)record->first : NULL;
}

uint64_t sn_world_topology(const sn_world *world)
{
    return world ? world->tearing.topology : 0;
}

bool sn_world_topology_since(const sn_world *world, uint64_t since, const sn_topology_change **change, uint32_t *count)
{
    const sn_tearing *t = world ? &world->tearing : NULL;
    const bool known = t && since >= t->known && since <= t->topology;
    if (count)
        *count = known ? (uint32_t)(t->topology - since) : 0;
    if (change)
        *change = known && t->topology > since
                      ? (const sn_topology_change *)t->change_table.column[0] + (since - t->known)
                      : NULL;
    return known;
}

/* ---- A step: what is over its limit ------------------------------------------------------------------------------ */

static bool any_tears(const sn_world *world)
{
    const sn_skin_record *skin = contact_skins(&world->contact);
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        if (skin_tears(&skin[i]) && skin[i].count)
            return true;
    return false;
}

bool sn_tear_any_by_force(const sn_world *world)
{
    const sn_skin_record *skin = contact_skins(&world->contact);
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        if (skin[i].tear.force > 0 && skin[i].count)
            return true;
    return false;
}

/* The skin whose rod this is; 0: none. */
static uint32_t skin_of_rod(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_tearing *t = &world->tearing;
    const sn_tear_head *head = t->head_table.column[0];
    const uint32_t *point = world->constraints.pool[kind]->point + 2 * (size_t)row;
    if (!sn_tear_is_rod(kind) || (point[0] | point[1]) & SN_ANCHOR_BIT || point[0] >= t->head_table.count ||
        point[1] >= t->head_table.count)
        return 0;
    const uint32_t skin = sn_tear_skin_of(&head[point[0]]);
    return skin == sn_tear_skin_of(&head[point[1]]) ? skin : 0;
}

bool sn_tear_by_force(const sn_world *world, uint32_t kind, uint32_t row)
{
    const uint32_t skin = skin_of_rod(world, kind, row);
    return skin && contact_skins(&world->contact)[skin - 1].tear.force > 0;
}

bool sn_tear_has(const sn_world *world, uint32_t kind, uint32_t row)
{
    return skin_of_rod(world, kind, row) != 0;
}

bool sn_tear_any(const sn_world *world)
{
    return world->tearing.head_table.count > 0;
}

/* Numbers the rods that may tear, range by range. */
static void number_items(sn_tearing *t)
{
    sn_tear_range *range = t->range_table.column[0];
    t->items = 0;
    for (uint32_t i = 0; i < t->range_table.count; ++i) {
        range[i].item = t->items;
        t->items += range[i].end - range[i].first;
    }
}

/* If skins separate with groups, the index is made again at the end of the step. Other rods may tear then, in more
   ranges: at most as many as there are rods. */
static bool reserve_items(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    uint64_t items = t->items;
    if (world->breaking.any_tears) {
        items = 0;
        for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
            items += sn_tear_is_rod(kind) ? world->constraints.pool[kind]->ids.table.count : 0;
        if (!sn_table_reserve(&t->range_table, &world->allocator, items))
            return false;
    }
    return items <= SN_MAX_COUNT && sn_table_reserve(&t->flag_table, &world->allocator, items) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, (uint32_t)items);
}

bool sn_tear_begin(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    sn_tear_begin_events(world);
    const bool tears = any_tears(world);
    if (!tears && !world->breaking.table.count)
        return true;
    if ((tears || world->breaking.any_tears) && !sn_tear_index(world))
        return false;
    number_items(t);
    if (tears && (!sn_tear_reserve(world, SN_TEARS_A_STEP, ROWS_A_STEP) || !reserve_items(world) ||
                  !sn_table_reserve(&t->over_table, &world->allocator, SN_TEAR_OVER)))
        return false;
    if (tears && !sn_wear_reserve(world, ROWS_A_STEP))
        return false;
    const bool solids = world->constraints.pool[SN_KIND_VOLUME]->ids.live || world->contact.cell_table.count;
    if (tears && solids && !sn_solid_reserve(world))
        return false;
    return sn_table_reserve(&t->event_table, &world->allocator,
                            (uint64_t)t->event_table.count + world->breaking.table.count + t->shape_points +
                                2 * SN_TEARS_A_STEP);
}

/* ---- A step: vertices part --------------------------------------------------------------------------------------- */

/* True if a vertex is held, so that it cannot be split: its copies would be held as well. */
static bool is_held(const sn_world *world, uint32_t vertex)
{
    const uint32_t slot = world->ids.value[vertex];
    return world->particles.x[slot].w == 0 || world->particles.target[slot] || sn_tear_is_pinned(world, vertex);
}

/* Triangles on both sides of a plane across the rod. */
typedef struct sides {
    bool far[SN_TEAR_FAN];
} sides;

static bool is_between_sides(const void *data, const sn_split *split, uint32_t i, uint32_t k, uint32_t other)
{
    const sides *s = data;
    (void)split, (void)other;
    return s->far[i] != s->far[k];
}

/* Splits the triangles at a vertex by the plane across the direction to another vertex. */
static bool find_split(const sn_world *world, sn_split *split, uint32_t vertex, uint32_t to)
{
    sides s;
    uint32_t place[SN_TEAR_FAN];
    const sn_vec4 *x = world->particles.x;
    const sn_vec3 from = vec4_xyz(x[world->ids.value[vertex]]);
    const sn_dvec3 displacement = dvec3_seen(from, vec4_xyz(x[world->ids.value[to]]));
    const uint32_t *corner = world->contact.triangle_table.column[0];
    const uint32_t count = sn_tear_triangles_at(world, vertex, place, SN_TEAR_FAN);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        sn_dvec3 sum = {0, 0, 0};
        for (uint32_t k = 0; k < 3; ++k)
            sum = dvec3_add(sum, dvec3_seen(from, vec4_xyz(x[world->ids.value[corner[place[i] / 3 * 3 + k]]])));
        s.far[i] = dvec3_dot(sum, displacement) > 0;
    }
    return sn_split_find(world, split, vertex, is_between_sides, &s);
}

/* True if a vertex is at a border or a tear: some edge of it has one triangle. */
static bool is_at_border(const sn_world *world, uint32_t vertex)
{
    uint32_t place[SN_TEAR_FAN], other[2 * SN_TEAR_FAN];
    const uint32_t *corner = world->contact.triangle_table.column[0];
    const uint32_t count = sn_tear_triangles_at(world, vertex, place, SN_TEAR_FAN);
    for (uint32_t i = 0; count != UINT32_MAX && i < 2 * count; ++i)
        other[i] = corner[place[i / 2] / 3 * 3 + (place[i / 2] % 3 + 1 + i % 2) % 3];
    for (uint32_t i = 0; count != UINT32_MAX && i < 2 * count; ++i) {
        uint32_t k = 0;
        while (k < 2 * count && (k == i || other[k] != other[i]))
            ++k;
        if (k == 2 * count)
            return true;
    }
    return false;
}

void sn_tear_mark_busy(sn_tearing *t, uint32_t particle)
{
    uint32_t *busy = t->busy_table.column[0];
    for (; t->busy_table.count < t->head_table.count; t->busy_table.count++) /* constraints that were just added */
        busy[t->busy_table.count] = t->step;
    busy[particle] = t->step;
}

static void mark_busy(sn_world *world, const sn_split *split)
{
    const uint32_t *corner = world->contact.triangle_table.column[0];
    for (uint32_t i = 0; i < 3 * split->count; ++i)
        sn_tear_mark_busy(&world->tearing, corner[split->place[i / 3] / 3 * 3 + i % 3]);
    for (uint32_t i = 0; i < split->parts; ++i)
        sn_tear_mark_busy(&world->tearing, split->made[i]);
}

/* Splits a vertex of cloth across the direction to another, unless the caller refuses. False if it cannot be split. */
static bool tear_cloth(sn_world *world, uint32_t vertex, uint32_t to, const sn_tear *tear)
{
    sn_split split;
    uint32_t removed = 0;
    double released = 0;
    if (!find_split(world, &split, vertex, to) || !sn_split_fits(world, vertex))
        return false;
    if (!sn_tear_allowed(world, tear))
        return true;
    sn_split_apply(world, &split, tear, &removed, &released);
    mark_busy(world, &split);
    return true;
}

/* Handles a rod above its limit: the cloth, or the solid, is split at one of its ends. */
static void give_way(sn_world *world, const sn_tear_over *over, double h2)
{
    sn_tearing *t = &world->tearing;
    const sn_pool *pool = world->constraints.pool[over->kind];
    const sn_tear_head *head = t->head_table.column[0];
    const uint32_t *busy = t->busy_table.column[0], *point = pool->point + 2 * (size_t)over->row;
    const uint32_t end[2] = {point[0], point[1]};
    if (!sn_ids_is_live(&pool->ids, over->row) || busy[end[0]] == t->step || busy[end[1]] == t->step)
        return;
    const sn_skin_record *skin = &contact_skins(&world->contact)[sn_tear_skin_of(&head[end[0]]) - 1];
    const bool solid = sn_solid_has(world, end[0]) && sn_solid_has(world, end[1]);
    bool border[2];
    for (uint32_t k = 0; k < 2; ++k)
        border[k] = solid ? head[end[k]].triangle != SN_TEAR_NONE : is_at_border(world, end[k]);
    const uint64_t coin = hash_u64(hash_u64(hash_u64(SN_HASH_SEED, skin->tear.seed), ~(uint64_t)over->kind), over->row);
    const uint32_t first = border[0] != border[1] ? border[1] : (uint32_t)(coin >> 63);
    for (uint32_t k = 0; k < 2; ++k) {
        const uint32_t vertex = end[first ^ k], other = end[first ^ k ^ 1];
        const sn_tear tear = {.type = SN_TEAR_SPLIT,
                              .skin = {skin->number, world->contact.skin_ids.generation[skin->number]},
                              .particle = {vertex, world->ids.generation[vertex]},
                              .constraint = {over->kind, over->row, pool->ids.generation[over->row]},
                              .place = vec4_xyz(world->particles.x[world->ids.value[vertex]]),
                              .strain = (sn_real)sn_tear_strain(world, over->kind, over->row),
                              .force = (sn_real)sn_tear_pull(world, over->kind, over->row, h2)};
        if (!is_held(world, vertex) && (solid ? sn_solid_tear : tear_cloth)(world, vertex, other, &tear))
            return;
    }
}

void sn_tear_end(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    sn_store *store = &world->constraints;
    t->told = true;
    if (!any_tears(world))
        return;
    if (t->generation != world->contact.skin_generation) { /* skins have separated with groups */
        sn_tear_index_anew(world);
        number_items(t);
    }
    sn_split_begin(world);
    t->solid.first = t->event_table.count;
    t->room_particles = SN_TEARS_A_STEP;
    t->room_rows = ROWS_A_STEP;
    t->room_nodes = sn_tear_room_for(SN_TEARS_A_STEP);
    sn_tear_find_over(world);
    if (!t->over_table.count)
        return;
    const sn_tear_over *over = t->over_table.column[0];
    const double h2 = (double)world->state.h * (double)world->state.h;
    const sn_fresh fresh = store->counts.fresh; /* torn rods are far from their rest lengths, which is no
                                                   contradiction */
    if (++t->step == 0)
        memset(t->busy_table.column[0], 0, t->busy_table.count * sizeof(uint32_t)), t->step = 1;
    const bool none = world->starts.found && !world->starts.any && world->starts.changes == store->changes;
    sn_incidence_begin(&world->incidence, store);
    for (uint32_t i = 0; i < t->over_table.count && sn_split_has_room(world); ++i)
        give_way(world, &over[i], h2);
    sn_solid_finish(world);
    sn_incidence_end(&world->incidence, store);
    if (none) /* if no constraint uses the start of a substep, no part of one does */
        world->starts.changes = store->changes;
    const bool held = store->compromise_table.count > 0 && store->counts.fresh.any;
    store->counts.fresh = fresh;
    store->counts.fresh.any = fresh.any || held;
    sn_store_tidy(store, &world->allocator);
}
