/* A vertex of a skin becomes several, one for each part of its triangles, and its constraints follow.

   Mass. Vertex i of n gets m_i with m_1 + ... + m_n = m, in proportion to the areas A_i of its triangles. In floating
   point that sum is exact if all m_i but one are multiples of the last place of m, and the last one is the difference:
   it is then also such a multiple, and below m. All have the velocity and position of the old vertex, so sum m_i v = m
   v and sum m_i x x v = m x x v: momentum and angular momentum are conserved.

   Constraints. Let o be another particle of a constraint at the vertex. The constraint can go with the parts that have
   a triangle with o, or that have o behind the edge opposite to the vertex. A rod between the vertex and a particle on
   the tear can go with both sides: it becomes two, each with twice the compliance, so that C^2 / (2 a) = 2 C^2 / (2
   2a): they store what it stored. A constraint with three or more points goes with the part that has the triangle of
   two of its other particles. If several parts have one, it spans the tear and is removed. A constraint without other
   particles on the skin goes with the part in its direction. */
#include "world/world.h"

#include "base/dvec.h"

#include <string.h>

/* A part gets at least this share of the mass of a vertex. */
#define LEAST_SHARE 0.02

/* kg: vertices with less are not split, because a share might be 0. */
#define LEAST_MASS 1e-27

static const uint32_t *corners_at(const sn_world *world, uint32_t place)
{
    return (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)(place / 3);
}

/* The two other corners of a triangle of the fan. */
static void others_at(const sn_world *world, uint32_t place, uint32_t other[2])
{
    const uint32_t *corner = corners_at(world, place);
    other[0] = corner[(place % 3 + 1) % 3];
    other[1] = corner[(place % 3 + 2) % 3];
}

static sn_dvec3 seen_from(const sn_world *world, uint32_t vertex, uint32_t particle)
{
    const sn_particle_store *p = &world->particles;
    return dvec3_seen(vec4_xyz(p->x[world->ids.value[vertex]]), vec4_xyz(p->x[world->ids.value[particle]]));
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

static uint32_t root_of(const uint8_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i];
    return i;
}

/* Numbers the parts by their first triangle. */
static void number_parts(sn_split *split, const uint8_t *parent)
{
    uint8_t number[SN_TEAR_FAN];
    split->parts = 0;
    for (uint32_t i = 0; i < split->count; ++i) {
        const uint32_t root = root_of(parent, i);
        if (root == i)
            number[i] = (uint8_t)split->parts++;
        split->part[i] = number[root];
    }
}

bool sn_split_find(const sn_world *world, sn_split *split, uint32_t vertex, sn_split_fn *is_cut, const void *data)
{
    uint8_t parent[SN_TEAR_FAN];
    split->vertex = vertex;
    split->parts = 0;
    split->count = sn_tear_triangles_at(world, vertex, split->place, SN_TEAR_FAN);
    if (split->count == UINT32_MAX || split->count < 2 || world->particles.body[world->ids.value[vertex]])
        return false;
    for (uint32_t i = 0; i < split->count; ++i) {
        parent[i] = (uint8_t)i;
        others_at(world, split->place[i], split->other[i]);
    }
    for (uint32_t i = 1; i < split->count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const uint32_t *one = split->other[i], *two = split->other[k];
            for (uint32_t j = 0; j < 4; ++j) {
                if (one[j / 2] != two[j % 2])
                    continue;
                const uint32_t a = root_of(parent, k), b = root_of(parent, i);
                if (a != b && !is_cut(data, split, i, k, one[j / 2]))
                    parent[a < b ? b : a] = (uint8_t)(a < b ? a : b); /* the root is the first of them */
            }
        }
    number_parts(split, parent);
    return split->parts > 1 && split->parts <= SN_TEAR_PARTS;
}

static bool is_neighbour(const sn_world *world, uint32_t a, uint32_t b)
{
    uint32_t triangle[SN_TEAR_SIDES];
    return sn_tear_edge_sides(world, a, b, triangle, SN_TEAR_SIDES) > 0;
}

/* ---- The part for a constraint ----------------------------------------------------------------------------------- */

/* The set of parts that have a triangle with this particle. */
static uint32_t parts_beside(const sn_split *split, uint32_t particle)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < split->count; ++i)
        if (split->other[i][0] == particle || split->other[i][1] == particle)
            set |= 1u << split->part[i];
    return set;
}

/* The same, or that have the particle behind their far edge, or else a neighbour of it. */
static uint32_t parts_of(const sn_world *world, const sn_split *split, uint32_t particle)
{
    uint32_t set = parts_beside(split, particle), near = 0, place[SN_TEAR_FAN];
    const uint32_t count = set ? 0 : sn_tear_triangles_at(world, particle, place, SN_TEAR_FAN);
    for (uint32_t k = 0; count != UINT32_MAX && k < count; ++k) {
        uint32_t far[2];
        others_at(world, place[k], far);
        for (uint32_t i = 0; i < split->count; ++i) {
            const uint32_t *other = split->other[i];
            if ((other[0] == far[0] && other[1] == far[1]) || (other[0] == far[1] && other[1] == far[0]))
                set |= 1u << split->part[i];
        }
    }
    for (uint32_t i = 0; !set && count && i < split->count; ++i) { /* or a neighbour of the particle */
        const uint32_t *other = split->other[i];
        if (is_neighbour(world, other[0], particle) || is_neighbour(world, other[1], particle))
            near |= 1u << split->part[i];
    }
    return set ? set : near;
}

static bool is_among(const uint32_t *number, uint32_t count, uint32_t particle)
{
    for (uint32_t i = 0; i < count; ++i)
        if (number[i] == particle)
            return true;
    return false;
}

/* The set of parts that have a triangle of the vertex and two of these particles. */
static uint32_t parts_of_two(const sn_split *split, const uint32_t *number, uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < split->count; ++i) {
        const uint32_t *other = split->other[i];
        if (is_among(number, count, other[0]) && is_among(number, count, other[1]))
            set |= 1u << split->part[i];
    }
    return set;
}

/* The part in the direction of the mean of these particles, which are not on the skin; the first of several. */
static uint32_t part_towards(const sn_world *world, const sn_split *split, const uint32_t *number, uint32_t count)
{
    sn_dvec3 displacement = {0, 0, 0};
    double most = -HUGE_VAL;
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; ++i)
        displacement = dvec3_add(displacement, seen_from(world, split->vertex, number[i]));
    for (uint32_t i = 0; i < split->count; ++i) {
        const uint32_t *other = split->other[i];
        const sn_dvec3 middle =
            dvec3_add(seen_from(world, split->vertex, other[0]), seen_from(world, split->vertex, other[1]));
        const double length = dvec3_length(middle), along = length > 0 ? dvec3_dot(middle, displacement) / length : 0;
        if (along > most)
            most = along, best = split->part[i];
    }
    return best;
}

static uint32_t bits(uint32_t set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1)
        ++count;
    return count;
}

/* The lowest part of a set. */
static uint32_t lowest(uint32_t set)
{
    uint32_t part = 0;
    while (!(set >> part & 1))
        ++part;
    return part;
}

/* The set of parts for a constraint with `points` points and these other particles; empty if it spans the tear. */
static uint32_t choose(const sn_world *world, const sn_split *split, uint32_t points, const uint32_t *other,
                       uint32_t count)
{
    const uint32_t all = (1u << split->parts) - 1;
    if (count == 0)
        return points == 1 ? all : 1;
    uint32_t set = points > 2 ? parts_of_two(split, other, count) : 0;
    if (set)
        return bits(set) == 1 ? set : 0;
    if (points == 2) { /* a rod along the tear goes with both sides */
        set = parts_beside(split, other[0]);
        set = set ? set : parts_of(world, split, other[0]);
        if (!set)
            return 1u << part_towards(world, split, other, count);
        return parts_beside(split, other[0]) ? set : 1u << lowest(set);
    }
    set = all;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t of = parts_of(world, split, other[i]);
        set &= of ? of : all;
    }
    return set == all ? 1u << part_towards(world, split, other, count) : set ? 1u << lowest(set) : 0;
}

/* ---- Constraints follow ------------------------------------------------------------------------------------------ */

void sn_split_log(sn_world *world, uint32_t kind, uint32_t row)
{
    sn_store_log(&world->constraints, kind, row, 1, SN_EDIT_REMOVED);
    sn_store_log(&world->constraints, kind, row, 1, SN_EDIT_ADDED);
    world->constraints.edits++;
}

void sn_split_replace(sn_world *world, uint32_t kind, uint32_t row, uint32_t from, uint32_t to)
{
    sn_pool *pool = world->constraints.pool[kind];
    uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    sn_limits_touch_rod(world, kind, row);
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        if (point[i] == from)
            point[i] = to;
    sn_split_log(world, kind, row);
    world->tearing.room_nodes--;
    sn_tear_index_at(world, kind, row, to);
}

uint32_t sn_split_copy_untold(sn_world *world, uint32_t kind, uint32_t row)
{
    sn_store *store = &world->constraints;
    sn_pool *pool = store->pool[kind];
    uint32_t made;
    world->tearing.room_rows--;
    sn_store_reserve(store, &world->allocator, kind, 1, 0, &made); /* memory is reserved */
    const uint32_t generation = sn_store_take(store, kind, made, 1);
    const uint32_t place = pool->place[made]; /* for a reused row it is corrected when the log is read */
    sn_table_copy_row(&pool->table, made, row);
    pool->place[made] = place;
    sn_pool_set_collides(pool, made, sn_pool_collides(pool, row)); /* memory is reserved, here and below */
    sn_pool_set_user(pool, made, 1, sn_pool_user(pool, row));
    sn_breaking_copy(world, kind, row, (sn_constraint){kind, made, generation});
    sn_wear_copy(world, kind, row, made);
    return made;
}

uint32_t sn_split_copy(sn_world *world, uint32_t kind, uint32_t row)
{
    const uint32_t made = sn_split_copy_untold(world, kind, row),
                   *generation = world->constraints.pool[kind]->ids.generation;
    sn_table *copies = &world->tearing.copy_table;
    ((sn_tear_copy *)copies->column[0])[copies->count++] =
        (sn_tear_copy){.made = {kind, made, generation[made]}, .parent = {kind, row, generation[row]}};
    return made;
}

void sn_split_weaken(sn_world *world, uint32_t kind, uint32_t row, uint32_t n)
{
    sn_pool *pool = world->constraints.pool[kind];
    sn_give *give = &pool->give[row];
    give->compliance *= (sn_real)n;
    give->damping /= (sn_real)n;
    for (uint32_t i = 0; i < pool->kind->rows; ++i) {
        pool->lambda[(size_t)row * pool->kind->rows + i] /= (sn_real)n;
        pool->preload[(size_t)row * pool->kind->rows + i] /= (sn_real)n;
    }
    if (kind == SN_KIND_SPRING)
        for (uint32_t i = 1; i < 3; ++i)
            pool->param[(size_t)row * pool->param_count + i] /= (sn_real)n;
    sn_breaking_weaken(world, kind, row, n);
}

/* Barycentric points go with their triangle; those in no triangle of the fan stay. */
static void move_anchors(sn_world *world, const sn_split *split, uint32_t kind, uint32_t row)
{
    sn_store *store = &world->constraints;
    const sn_pool *pool = store->pool[kind];
    bool moved = false;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        const uint32_t code = pool->point[(size_t)row * pool->kind->points + i];
        sn_anchor *anchor = code & SN_ANCHOR_BIT ? &store->anchor[code & ~SN_ANCHOR_BIT] : NULL;
        for (uint32_t j = 0; anchor && anchor->type == SN_POINT_PARTICLES && j < anchor->count; ++j) {
            if (anchor->particle[j] != split->vertex)
                continue;
            const uint32_t set = parts_of_two(split, anchor->particle, anchor->count);
            const uint32_t to = set ? split->made[lowest(set)] : split->vertex;
            if (to != split->vertex)
                sn_tear_index_at(world, kind, row, to), world->tearing.room_nodes--, moved = true;
            anchor->particle[j] = to;
        }
    }
    if (moved)
        sn_split_log(world, kind, row);
}

/* Moves one constraint at the vertex. */
static void follow(sn_world *world, const sn_split *split, const sn_tear_node *node, uint32_t *removed,
                   double *released)
{
    const sn_pool *pool = world->constraints.pool[node->kind];
    uint32_t small[4 * SN_MAX_POINTS], other[4 * SN_MAX_POINTS], count, others = 0;
    if (pool_has_lists(pool)) { /* a surface is not closed any more; clusters and curves keep the old vertex */
        if (pool->kind->repeats)
            sn_tear_remove(world, node->kind, node->row, released), ++*removed;
        return;
    }
    sn_sleep_disturb_constraint(world, pool, node->row);
    const uint32_t *point = pool->point + (size_t)node->row * pool->kind->points;
    move_anchors(world, split, node->kind, node->row);
    if (!is_among(point, pool->kind->points, split->vertex))
        return;
    const uint32_t *held = sn_store_particles(&world->constraints, pool, node->row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (held[i] != split->vertex)
            other[others++] = held[i];
    const uint32_t set = choose(world, split, pool->kind->points, other, others), n = bits(set);
    if (n == 0) {
        sn_tear_remove(world, node->kind, node->row, released), ++*removed;
        return;
    }
    if (n > 1)
        sn_split_weaken(world, node->kind, node->row, n);
    for (uint32_t rest = set & (set - 1); rest; rest &= rest - 1) {
        const uint32_t made = sn_split_copy(world, node->kind, node->row), to = split->made[lowest(rest)];
        uint32_t *code = pool->point + (size_t)made * pool->kind->points;
        for (uint32_t i = 0; i < pool->kind->points; ++i)
            code[i] = code[i] == split->vertex ? to : code[i];
        sn_tear_index_constraint(world, node->kind, made);
    }
    if (split->made[lowest(set)] != split->vertex)
        sn_split_replace(world, node->kind, node->row, split->vertex, split->made[lowest(set)]);
    else if (n > 1)
        sn_store_log(&world->constraints, node->kind, node->row, 1, SN_EDIT_CHANGED);
}

/* ---- Rods over triangles -----------------------------------------------------------------------------------------
   A rod between two vertices that is not an edge, such as the second diagonal of a cell, or a rod to the next but one
   against bending, is over triangles: its ends have a common neighbour. If a tear, or an inserted vertex, takes that
   away, the rod spans parts that are not one sheet any more, and is removed. A rod that never had a common neighbour is
   a string of the caller's, and stays. */

static bool have_common_neighbour(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_tear_head *head = world->tearing.head_table.column[0];
    const uint32_t *next = world->tearing.next_table.column[0];
    for (uint32_t place = head[a].triangle; place != SN_TEAR_NONE; place = next[place]) {
        uint32_t other[2];
        others_at(world, place, other);
        if (is_neighbour(world, other[0], b) || is_neighbour(world, other[1], b))
            return true;
    }
    return false;
}

/* True if a rod is over triangles; with `on`, also if it is on an edge. */
static bool is_over_triangles(const sn_world *world, const sn_tear_node *node, bool on)
{
    const sn_tear_head *head = world->tearing.head_table.column[0];
    const uint32_t *point = world->constraints.pool[node->kind]->point + 2 * (size_t)node->row;
    if (!sn_tear_is_rod(node->kind) || (point[0] | point[1]) & SN_ANCHOR_BIT || !head[point[0]].skin ||
        !head[point[1]].skin)
        return false;
    return is_neighbour(world, point[0], point[1]) ? on : have_common_neighbour(world, point[0], point[1]);
}

void sn_tear_note_rods(sn_world *world, const uint32_t *vertex, uint32_t count, sn_tear_rods *rods)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t found = sn_tear_constraints_at(world, vertex[i], node, SN_TEAR_CONSTRAINTS);
        for (uint32_t k = 0; found != UINT32_MAX && k < found && rods->count < SN_TEAR_CONSTRAINTS; ++k) {
            bool seen = !is_over_triangles(world, &node[k], false);
            for (uint32_t j = 0; j < rods->count && !seen; ++j)
                seen = rods->node[j].kind == node[k].kind && rods->node[j].row == node[k].row;
            if (!seen)
                rods->node[rods->count++] = node[k];
        }
    }
}

/* Lists rods over triangles among the constraints at a vertex that is split. Rods to its neighbours are on edges. */
static void note_rods_at(const sn_world *world, const sn_split *split, const sn_tear_node *node, uint32_t count,
                         sn_tear_rods *rods)
{
    for (uint32_t i = 0; i < count && rods->count < SN_TEAR_CONSTRAINTS; ++i) {
        const uint32_t *point = world->constraints.pool[node[i].kind]->point + 2 * (size_t)node[i].row;
        if (sn_tear_is_rod(node[i].kind) && !parts_beside(split, point[0] == split->vertex ? point[1] : point[0]) &&
            is_over_triangles(world, &node[i], false))
            rods->node[rods->count++] = node[i];
    }
}

/* Lists rods between two neighbours of the vertex in different parts. The vertex is a common neighbour of their
   ends. */
static void note_rods_across(sn_world *world, const sn_split *split, sn_tear_rods *rods)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    uint32_t around[2 * SN_TEAR_FAN], of[2 * SN_TEAR_FAN], count = 0;
    for (uint32_t i = 0; i < 2 * split->count; ++i) { /* each once */
        const uint32_t *other = split->other[i / 2];
        if (!is_among(around, count, other[i % 2]))
            around[count++] = other[i % 2];
    }
    for (uint32_t i = 0; i < count; ++i)
        of[i] = parts_beside(split, around[i]);
    for (uint32_t i = 0; i < count; ++i) {
        if (of[i] == 1 || of[i] == (1u << split->parts) - 1) /* found from the other end; or in all parts */
            continue;
        const uint32_t found = sn_tear_constraints_at(world, around[i], node, SN_TEAR_CONSTRAINTS);
        for (uint32_t k = 0; found != UINT32_MAX && k < found && rods->count < SN_TEAR_CONSTRAINTS; ++k) {
            const uint32_t *point = world->constraints.pool[node[k].kind]->point + 2 * (size_t)node[k].row;
            if (!sn_tear_is_rod(node[k].kind) || (point[0] | point[1]) & SN_ANCHOR_BIT)
                continue;
            const uint32_t there = point[0] == around[i] ? point[1] : point[0];
            for (uint32_t j = 0; j < count; ++j)
                if (around[j] == there && !(of[j] & of[i])) /* if both parts are beyond the first, it is listed twice:
                                                               the second time it is already removed */
                    rods->node[rods->count++] = node[k];
        }
    }
}

void sn_tear_drop_rods(sn_world *world, const sn_tear_rods *rods, uint32_t *removed, double *released)
{
    for (uint32_t i = 0; i < rods->count; ++i)
        if (sn_ids_is_live(&world->constraints.pool[rods->node[i].kind]->ids, rods->node[i].row) &&
            !is_over_triangles(world, &rods->node[i], true))
            sn_tear_remove(world, rods->node[i].kind, rods->node[i].row, released), ++*removed;
}

/* ---- Splitting --------------------------------------------------------------------------------------------------- */

double sn_split_last_place(sn_real mass)
{
    int exponent;
    frexp((double)mass, &exponent);
    return ldexp(1, exponent - (SINEW_DOUBLE ? 53 : 24));
}

static sn_real part_of(sn_real mass, double share)
{
    const double last = sn_split_last_place(mass);
    return (sn_real)(floor(share * (double)mass / last + 0.5) * last);
}

/* The share of each part, by area; if all areas are 0, by number of triangles. */
static void share_out(const sn_world *world, const sn_split *split, double share[SN_TEAR_PARTS])
{
    double area[SN_TEAR_PARTS] = {0}, number[SN_TEAR_PARTS] = {0}, total = 0, sum = 0;
    for (uint32_t i = 0; i < split->count; ++i) {
        const uint32_t *other = split->other[i];
        const double twice = dvec3_length(
            dvec3_cross(seen_from(world, split->vertex, other[0]), seen_from(world, split->vertex, other[1])));
        area[split->part[i]] += twice;
        number[split->part[i]] += 1;
        total += twice;
    }
    for (uint32_t i = 0; i < split->parts; ++i) {
        share[i] = total > 0 && isfinite(total) ? area[i] / total : number[i] / split->count;
        share[i] = share[i] > LEAST_SHARE ? share[i] : LEAST_SHARE;
        sum += share[i];
    }
    for (uint32_t i = 0; i < split->parts; ++i)
        share[i] /= sum;
}

/* True if there is room for this many more splits. */
static bool has_room(const sn_world *world, uint32_t splits)
{
    const sn_tearing *t = &world->tearing;
    const uint32_t particles = splits * SN_TEAR_PARTS;
    return t->room_particles >= particles && t->room_rows >= particles * SN_TEAR_CONSTRAINTS &&
           t->room_nodes >= particles * SN_TEAR_CONSTRAINTS;
}

bool sn_split_has_room(const sn_world *world)
{
    return has_room(world, SN_SPLITS_AT_ONCE);
}

static bool fits(sn_world *world, uint32_t vertex, uint32_t splits)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const sn_real mass = world->particles.v[world->ids.value[vertex]].w;
    return mass > (sn_real)LEAST_MASS && has_room(world, splits) &&
           sn_tear_constraints_at(world, vertex, node, SN_TEAR_CONSTRAINTS) != UINT32_MAX;
}

bool sn_split_fits(sn_world *world, uint32_t vertex)
{
    return fits(world, vertex, SN_SPLITS_AT_ONCE);
}

static void note_triangles(sn_world *world, const sn_split *split)
{
    sn_tearing *t = &world->tearing;
    uint32_t *corner = world->contact.triangle_table.column[0];
    for (uint32_t i = 0; i < split->count; ++i) {
        const uint32_t place = split->place[i], to = split->made[split->part[i]];
        if (to == split->vertex)
            continue;
        sn_tear_unlink(t, split->vertex, place);
        corner[place] = to;
        sn_tear_link(t, to, place);
        sn_tear_note_triangle(world, place / 3);
    }
}

/* Makes particles, masses and pending forces. The largest part keeps the vertex. */
static void make_particles(sn_world *world, sn_split *split)
{
    sn_tearing *t = &world->tearing;
    sn_tear_head *head = t->head_table.column[0];
    double share[SN_TEAR_PARTS];
    uint32_t keeps = 0;
    share_out(world, split, share);
    for (uint32_t i = 1; i < split->parts; ++i)
        keeps = share[i] > share[keeps] ? i : keeps;
    const sn_real mass = world->particles.v[world->ids.value[split->vertex]].w;
    const bool movable = world->particles.x[world->ids.value[split->vertex]].w != 0;
    sn_real left = mass;
    for (uint32_t i = 0; i < split->parts; ++i) {
        if (i == keeps) {
            split->made[i] = split->vertex;
            continue;
        }
        const sn_real own = movable ? part_of(mass, share[i]) : mass;
        split->made[i] = sn_particle_copy(world, split->vertex, own, movable ? share[i] : 1);
        if (split->made[i] >= t->head_table.count)
            t->head_table.count = split->made[i] + 1;
        head[split->made[i]] = (sn_tear_head){.triangle = SN_TEAR_NONE,
                                              .constraint = SN_TEAR_NONE,
                                              .cell = SN_TEAR_NONE,
                                              .skin = head[split->vertex].skin,
                                              .solid = head[split->vertex].solid};
        left = movable ? left - own : left;
    }
    sn_particle_take_share(world, split->vertex, left, movable ? share[keeps] : 1);
}

/* Splits a vertex. True if its triangles do not intersect others afterwards. */
static bool apply(sn_world *world, sn_split *split, const sn_tear *tear, uint32_t *removed, double *released)
{
    sn_tearing *t = &world->tearing;
    sn_skin_record *skin = contact_skins(&world->contact);
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    uint32_t gone = 0;
    double energy = 0;
    const uint32_t count = sn_tear_constraints_at(world, split->vertex, node, SN_TEAR_CONSTRAINTS);
    sn_tear_rods rods = {0};
    note_rods_at(world, split, node, count, &rods);
    note_rods_across(world, split, &rods);
    make_particles(world, split);
    for (uint32_t i = 0; i < count; ++i)
        follow(world, split, &node[i], &gone, &energy);
    note_triangles(world, split);
    sn_tear_drop_rods(world, &rods, &gone, &energy);
    const bool free = sn_split_set_apart(world, split, &gone, &energy);
    t->room_particles -= split->parts - 1;
    for (uint32_t s = 0; s < world->contact.skin_table.count; ++s) /* a vertex may belong to several skins */
        for (uint32_t i = 0; i < split->parts; ++i)
            if (skin[s].least <= split->vertex && split->vertex <= skin[s].most) {
                skin[s].least = split->made[i] < skin[s].least ? split->made[i] : skin[s].least;
                skin[s].most = split->made[i] > skin[s].most ? split->made[i] : skin[s].most;
                world->contact.edits += skin[s].self_collision && i == 0;
                world->contact.tears += skin[s].self_collision && i == 0;
                skin[s].self_collision = skin[s].self_collision ? SN_SKIN_TORN : 0;
            }
    for (uint32_t i = 0; i < split->parts; ++i) {
        if (split->made[i] == split->vertex)
            continue;
        sn_tear event = *tear;
        event.made = (sn_particle){split->made[i], world->ids.generation[split->made[i]]};
        event.released = (sn_real)energy;
        energy = 0;
        sn_tear_tell(world, &event);
        *released += (double)event.released;
    }
    *removed += gone;
    t->sequence = world->constraints.counts.next_sequence;
    sn_sleep_disturb(world, split->vertex);
    sn_world_break_motion(world);
    return free;
}

static bool is_never_cut(const void *data, const sn_split *split, uint32_t i, uint32_t k, uint32_t other)
{
    (void)data, (void)split, (void)i, (void)k, (void)other;
    return false;
}

/* Where a tear ends at a border, or at another tear, the triangles are connected only by the vertex itself: it is
   split, too. No edge is cut by that. */
void sn_split_apply(sn_world *world, sn_split *split, const sn_tear *tear, uint32_t *removed, double *released)
{
    uint32_t ends[2 * SN_TEAR_FAN], count = 0;
    for (uint32_t i = 0; i < 2 * split->count; ++i) { /* neighbours in several parts */
        const uint32_t *other = split->other[i / 2];
        if (bits(parts_beside(split, other[i % 2])) > 1 && !is_among(ends, count, other[i % 2]))
            ends[count++] = other[i % 2];
    }
    apply(world, split, tear, removed, released);
    for (uint32_t i = 0; i < count; ++i) {
        sn_split end;
        sn_tear event = *tear;
        if (!sn_split_find(world, &end, ends[i], is_never_cut, NULL) || !fits(world, end.vertex, 1))
            continue;
        event.particle = (sn_particle){end.vertex, world->ids.generation[end.vertex]};
        event.place = vec4_xyz(world->particles.x[world->ids.value[end.vertex]]);
        if (apply(world, &end, &event, removed, released))
            continue;
        sn_split_set_apart(world, split, removed, released); /* there may be more room now */
        sn_split_set_apart(world, &end, removed, released);
    }
}
