/* Shape matching groups that a blade divides.

   Members that are neighbours in the rest shape are connected, unless a blade has passed between them. Neighbours are
   defined by distance: up to NEAR times the longest edge of the minimum spanning tree of all members. So all members
   are connected before the first cut. Separated pairs are stored, so a blade may be swept frame by frame. When a group
   is not connected any more, the largest part stays in the group, and each of the others leaves it, as after a tear
   (tear_shape.c). */
#include "world/world.h"

#include "base/dvec.h"
#include "base/hash.h"
#include "base/sets.h"
#include "base/sort.h"

#include <string.h>

/* With 1.5, diagonals in the squares of a grid are included, and those of a cube are not. */
#define NEAR 1.5

/* Two members that a blade has separated, the lower number first. */
typedef struct severed {
    sn_particle a, b;
} severed;

/* A group that is divided. */
typedef struct parted {
    uint32_t kind, row;
    uint32_t label;     /* index in label_table of its first member */
    uint32_t pair, end; /* range in pair_table */
} parted;

void sn_shape_cut_init(sn_shape_cut *c)
{
    sn_table_column(&c->group_table, sizeof(parted), false);
    sn_table_column(&c->label_table, sizeof(uint32_t), false);
    sn_table_column(&c->near_table, sizeof(double), false);
    sn_table_column(&c->pair_table, sizeof(sn_sort_item), false);
    sn_table_column(&c->pair_table, sizeof(sn_sort_item), false);
}

void sn_shape_cut_release(sn_shape_cut *c, const sn_allocator *allocator)
{
    sn_table_release(&c->group_table, allocator);
    sn_table_release(&c->label_table, allocator);
    sn_table_release(&c->near_table, allocator);
    sn_table_release(&c->pair_table, allocator);
}

uint32_t sn_severed_width(void)
{
    return sizeof(severed);
}

uint64_t sn_severed_hash(uint64_t hash, const sn_world *world)
{
    const severed *pair = world->tearing.severed_table.column[0];
    for (uint32_t i = 0; i < world->tearing.severed_table.count; ++i)
        if (sn_particle_is_valid(world, pair[i].a) && sn_particle_is_valid(world, pair[i].b))
            hash = hash_u64(hash, (uint64_t)pair[i].a.index << 32 | pair[i].b.index);
    return hash;
}

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* True if a blade has separated two particles before. */
static bool is_severed(const sn_world *world, uint32_t a, uint32_t b)
{
    const severed *pair = world->tearing.severed_table.column[0];
    const uint64_t key = key_of(a, b);
    uint32_t low = 0, high = world->tearing.severed_table.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (key_of(pair[middle].a.index, pair[middle].b.index) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < world->tearing.severed_table.count && key_of(pair[low].a.index, pair[low].b.index) == key &&
           sn_particle_is_valid(world, pair[low].a) && sn_particle_is_valid(world, pair[low].b);
}

/* ---- Finding pairs and parts ------------------------------------------------------------------------------------- */

/* A group that is examined. */
typedef struct looking {
    sn_shape_cut *c;
    const sn_real *rest;
    sn_list list;
    uint32_t *label;
    double near; /* m^2: largest squared distance of neighbours */
} looking;

static uint32_t member_of(const looking *l, uint32_t i)
{
    return l->list.particle[l->list.local[i]];
}

static sn_dvec3 place_of(const looking *l, uint32_t i)
{
    const sn_world *world = l->c->world;
    return dvec3_from(vec4_xyz(world->particles.x[world->ids.value[member_of(l, i)]]));
}

static double square_between(const looking *l, uint32_t i, uint32_t k)
{
    double square = 0;
    for (uint32_t n = 0; n < 3; ++n) {
        const double d = (double)l->rest[3 * (size_t)i + n] - (double)l->rest[3 * (size_t)k + n];
        square += d * d;
    }
    return square;
}

/* The squared length of the longest edge of the minimum spanning tree of all members (Prim). */
static double longest_of_tree(const looking *l)
{
    double *near = l->c->near_table.column[0], longest = 0;
    for (uint32_t i = 0; i < l->list.point_count; ++i)
        near[i] = HUGE_VAL;
    for (uint32_t now = 0, left = l->list.point_count; left > 1; --left) {
        uint32_t next = SN_TEAR_NONE;
        near[now] = -1; /* it is in the tree */
        for (uint32_t i = 0; i < l->list.point_count; ++i) {
            if (near[i] < 0)
                continue;
            near[i] = fmin(near[i], square_between(l, now, i));
            next = next == SN_TEAR_NONE || near[i] < near[next] ? i : next;
        }
        longest = fmax(longest, near[next]);
        now = next;
    }
    return longest;
}

/* True if the boxes of the blade and the group overlap. */
static bool is_near_blade(const looking *l)
{
    sn_dvec3 low = place_of(l, 0), high = low;
    for (uint32_t i = 1; i < l->list.point_count; ++i) {
        const sn_dvec3 x = place_of(l, i);
        low = dvec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = dvec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    const sn_dvec3 *from = &l->c->low, *to = &l->c->high;
    return high.x >= from->x && high.y >= from->y && high.z >= from->z && low.x <= to->x && low.y <= to->y &&
           low.z <= to->z;
}

static bool note_pair(sn_shape_cut *c, uint32_t a, uint32_t b)
{
    if (!sn_table_reserve(&c->pair_table, &c->world->allocator, (uint64_t)c->pair_table.count + 1))
        return false;
    ((sn_sort_item *)c->pair_table.column[0])[c->pair_table.count++] =
        (sn_sort_item){key_of(a, b), a < b ? a : b, a < b ? b : a};
    return true;
}

/* Connects neighbours that no blade has separated. False when memory runs out. */
static bool join(const looking *l)
{
    const sn_shape_cut *c = l->c;
    for (uint32_t i = 1; i < l->list.point_count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            if (square_between(l, i, k) > l->near)
                continue;
            const uint32_t a = member_of(l, i), b = member_of(l, k);
            const bool before = is_severed(c->world, a, b);
            const bool now = !before && c->may_cut(c->world, c->blade, a) && c->may_cut(c->world, c->blade, b) &&
                             c->crosses(c->blade, place_of(l, i), place_of(l, k));
            if (now && !note_pair(l->c, a, b))
                return false;
            if (!before && !now)
                sets_join(l->label, i, k);
        }
    return true;
}

static bool look_at_group(sn_shape_cut *c, uint32_t kind, uint32_t row)
{
    const sn_world *world = c->world;
    const sn_pool *pool = world->constraints.pool[kind];
    looking l = {c, pool_own(pool, row), pool_list(pool, row), NULL, 0};
    const uint32_t count = l.list.point_count, first = c->label_table.count;
    const uint32_t pair = c->pair_table.count;
    bool apart = false;
    if (count < 2 || !is_near_blade(&l))
        return true;
    if (!sn_table_reserve(&c->label_table, &world->allocator, (uint64_t)first + count) ||
        !sn_table_reserve(&c->near_table, &world->allocator, count) ||
        !sn_table_reserve(&c->group_table, &world->allocator, (uint64_t)c->group_table.count + 1))
        return false;
    l.label = (uint32_t *)c->label_table.column[0] + first;
    for (uint32_t i = 0; i < count; ++i)
        l.label[i] = i;
    l.near = NEAR * NEAR * longest_of_tree(&l);
    if (!join(&l))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        l.label[i] = sets_find(l.label, i);
        apart = apart || l.label[i] != 0;
    }
    if (c->pair_table.count == pair || !apart)
        return true;
    ((parted *)c->group_table.column[0])[c->group_table.count++] =
        (parted){kind, row, first, pair, c->pair_table.count};
    c->label_table.count = first + count;
    return sn_shape_reserve((sn_world *)world, kind, row);
}

/* Room for as many groups as there may be: each takes members that leave. */
static bool reserve_groups(const sn_shape_cut *c)
{
    sn_world *world = c->world;
    const uint32_t most = c->group_table.count ? world->tearing.shape_points / SN_SHAPE_LEAST : 0;
    for (uint32_t kind = 1; most && kind < world->constraints.kind_count; ++kind)
        if (sn_shape_is_group(kind) && !sn_store_reserve_rows(&world->constraints, &world->allocator, kind, most))
            return false;
    return sn_breaking_reserve(world, most);
}

bool sn_shape_cut_find(sn_shape_cut *c)
{
    const sn_world *world = c->world;
    sn_tearing *t = (sn_tearing *)&world->tearing;
    t->shapes = t->shape_points = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        for (uint32_t row = 0; sn_shape_is_group(kind) && row < world->constraints.pool[kind]->ids.table.count; ++row)
            if (sn_ids_is_live(&world->constraints.pool[kind]->ids, row) && !look_at_group(c, kind, row))
                return false;
    return reserve_groups(c) && sn_table_reserve(&t->severed_table, &world->allocator,
                                                 (uint64_t)t->severed_table.count + c->pair_table.count);
}

/* ---- Dividing groups --------------------------------------------------------------------------------------------- */

/* The part with the most members; the first of several. */
static uint32_t largest(const uint32_t *label, uint32_t count)
{
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t size = 0;
        for (uint32_t k = i; k < count && label[i] == i; ++k)
            size += label[k] == i;
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    return best;
}

/* All parts but the largest leave a group, one after the other. False if the caller refused. */
static bool part_group(sn_shape_cut *c, const parted *p)
{
    sn_world *world = c->world;
    const sn_pool *pool = world->constraints.pool[p->kind];
    uint32_t count = pool_point_count(pool, p->row), *label = (uint32_t *)c->label_table.column[0] + p->label;
    const uint32_t keeps = largest(label, count), all = count;
    const sn_constraint group = {p->kind, p->row, pool->ids.generation[p->row]};
    bool refused = false;
    for (uint32_t part = 0; part < all; ++part) {
        bool *leaves = world->tearing.leave_table.column[0], any = false;
        for (uint32_t i = 0; i < count; ++i) {
            leaves[i] = label[i] == part && part != keeps;
            any = any || leaves[i];
        }
        sn_tear tear = {.type = SN_TEAR_LEAVE, .cut = true, .constraint = group};
        const bool left = any && sn_shape_leave(world, group, &tear);
        refused = refused || (any && !left);
        if (!left)
            continue;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; ++i)
            if (label[i] != part)
                label[kept++] = label[i];
        c->left += count - kept;
        count = kept;
        if (pool_point_count(pool, p->row) == count)
            continue;
        double released = 0; /* too few are left */
        sn_tear_remove(world, p->kind, p->row, &released);
        c->removed++;
        break;
    }
    return !refused;
}

/* Adds the pairs that were separated now to the earlier ones, and drops pairs of removed particles. */
static void remember_pairs(sn_shape_cut *c)
{
    sn_world *world = c->world;
    sn_table *table = &world->tearing.severed_table;
    severed *pair = table->column[0];
    const sn_sort_item *item = c->pair_table.column[0];
    uint32_t kept = 0;
    if (c->pair_table.count)
        sn_sort(c->pair_table.column[0], c->pair_table.column[1], c->pair_table.count);
    for (uint32_t i = 0; i < table->count; ++i)
        if (sn_particle_is_valid(world, pair[i].a) && sn_particle_is_valid(world, pair[i].b))
            pair[kept++] = pair[i];
    uint32_t from = kept, news = 0;
    for (uint32_t i = 0; i < c->pair_table.count; ++i) /* a pair may be in several groups */
        news += i == 0 || item[i].key != item[i - 1].key;
    table->count = kept + news;
    for (uint32_t i = c->pair_table.count, to = table->count; i > 0; --i) {
        const sn_sort_item *now = &item[i - 1];
        if (i > 1 && now->key == item[i - 2].key)
            continue;
        while (from > 0 && key_of(pair[from - 1].a.index, pair[from - 1].b.index) > now->key)
            pair[--to] = pair[--from];
        pair[--to] = (severed){{now->a, world->ids.generation[now->a]}, {now->b, world->ids.generation[now->b]}};
    }
}

void sn_shape_cut_part(sn_shape_cut *c)
{
    const parted *group = c->group_table.column[0];
    sn_sort_item *item = c->pair_table.column[0];
    uint32_t kept = 0, from = 0;
    for (uint32_t i = 0; i < c->group_table.count; ++i) {
        const uint32_t end = part_group(c, &group[i]) ? group[i].end : group[i].pair; /* if refused, the pairs are not
                                                                                         separated */
        for (; from < end; ++from)
            item[kept++] = item[from];
        from = group[i].end;
    }
    for (; from < c->pair_table.count; ++from)
        item[kept++] = item[from];
    c->pair_table.count = kept;
    remember_pairs(c);
}
