/* Cutting: finds the edges of skins and the rods that a blade crosses, and cuts them.

   1. Crossed rods that belong to no skin are removed, and so are those between two vertices of a skin that are not an
      edge of it.
   2. A crossing of an edge that is near one of its ends *marks* that vertex. On every other crossed edge a vertex is
      inserted, and marked.
   3. Over each triangle the blade goes from one crossing to another (tear_path.c), and so from one marked vertex to
      another. By then these are joined by an edge, which is *cut*. An edge with two paths is not cut. Every marked
      vertex is split into the parts of its triangles that are connected by edges that are not cut. So the last vertex
      of a cut that ends inside a skin stays whole. It is a *tip*, from which the next cut continues.

   (Earlier, the side of the blade on which each triangle is decided. In moving cloth that is not the same as having
   been passed: edges along which a blade had gone stayed joined, and others separated.)

   A vertex exactly on a plane counts as above it, so every edge is either crossed or not, and a triangle has two
   crossings or none. */
#include "world/world.h"

#include "base/dvec.h"
#include "base/sort.h"

#include <string.h>

/* Crossings that are nearer to an end than this share of the edge go through the end. */
#define NEAR_END 0.1

/* If the masses of the ends differ by more than this, no vertex is inserted between them: the shares could not be
   summed. */
#define MOST_RATIO 1e4

static sn_dvec3 place_of(const sn_world *world, uint32_t particle)
{
    return dvec3_from(vec4_xyz(world->particles.x[world->ids.value[particle]]));
}

/* True if the blade crosses the line from p to q. */
static bool crosses(const sn_world *world, const sn_blade_shape *b, uint32_t p, uint32_t q, sn_crossing *found)
{
    if (b->def->blade == SN_BLADE_SEGMENT)
        return sn_blade_sweep_crosses(world, b, p, q, found);
    *found = (sn_crossing){.p = p, .q = q};
    return sn_blade_crosses(b, place_of(world, p), place_of(world, q), &found->t);
}

static bool may_cut(const sn_world *world, const sn_blade_shape *b, uint32_t particle)
{
    return !b->def->one_group || world->particles.group[world->ids.value[particle]] == b->def->group;
}

/* ---- Crossings --------------------------------------------------------------------------------------------------- */

typedef struct cutting {
    sn_world *world;
    sn_blade_shape blade;
    sn_table crossing_table; /* of sn_crossing: edges of skins, each once */
    sn_table beside_table;   /* of uint8_t, by particle number: see sn_blade_beside, for the whole time of the cut */
    sn_table path_table;     /* of sn_cut_path, over triangles */
    sn_table link_table;     /* of sn_sort_item, twice: cut edges, sorted by their ends */
    sn_table rod_table;      /* of sn_tear_node: rods that will be removed */
    sn_table mark_table;     /* of uint32_t: marked vertices */
    sn_table root_table;     /* by marked vertex: of uint32_t, the vertex from which it came, or itself; of bool, it was
                                split, or may not be split */
    sn_table more_table;     /* of uint32_t, by skin: new triangles */
    sn_solid_cut solid;      /* tetrahedra and cells of lattices */
    sn_shape_cut shape;      /* groups of shape matching */
    uint32_t inserts;        /* number of crossings that get a vertex */
    uint32_t gaps;           /* number of new triangles */
    sn_cut_info info;
    double released;
} cutting;

static bool is_edge(const sn_world *world, uint32_t p, uint32_t q)
{
    uint32_t triangle[SN_TEAR_SIDES];
    return sn_tear_edge_sides(world, p, q, triangle, SN_TEAR_SIDES) > 0;
}

static sn_tear_head head_of(const sn_world *world, uint32_t particle)
{
    return ((const sn_tear_head *)world->tearing.head_table.column[0])[particle];
}

static bool add_item(cutting *c, sn_table *table, const void *item)
{
    if (!sn_table_reserve(table, &c->world->allocator, (uint64_t)table->count + 1))
        return false;
    memcpy((char *)table->column[0] + (size_t)table->count++ * table->width[0], item, table->width[0]);
    return true;
}

/* True if a shape matching group contains both ends of an edge. The group is divided there; new vertices on the skin
   would be in no group. */
static bool is_matched(const cutting *c, uint32_t p, uint32_t q)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const uint32_t count = sn_tear_constraints_at(c->world, p, node, SN_TEAR_CONSTRAINTS);
    bool found = false;
    for (uint32_t i = 0; count != UINT32_MAX && i < count && !found; ++i) {
        const bool group = sn_shape_is_group(node[i].kind);
        const sn_list list = group ? pool_list(c->world->constraints.pool[node[i].kind], node[i].row) : (sn_list){0};
        for (uint32_t k = 0; k < list.point_count && !found; ++k)
            found = list.particle[list.local[k]] == q;
    }
    return found;
}

/* A quick test that is made before edges and rods are tested: there are many, nearly all of them far from the blade. */
static bool find_beside(cutting *c)
{
    sn_world *world = c->world;
    if (!sn_table_reserve(&c->beside_table, &world->allocator, world->ids.table.count))
        return false;
    uint8_t *beside = c->beside_table.column[0];
    for (uint32_t i = 0; i < world->ids.table.count; ++i) {
        if (!sn_ids_is_live(&world->ids, i))
            continue;
        beside[i] = sn_blade_beside(&c->blade, place_of(world, i));
        if (beside[i] && c->blade.moving)
            beside[i] &= sn_blade_beside(&c->blade, sn_blade_sweep_place(world, &c->blade, i, 0));
    }
    return true;
}

/* Finds crossed edges. Each is computed from its lower end, in the first of its triangles. */
static bool find_edges(cutting *c)
{
    const sn_world *world = c->world;
    const sn_skin_record *skin = contact_skins(&world->contact);
    const uint32_t *corner = world->contact.triangle_table.column[0];
    const uint8_t *beside = c->beside_table.column[0];
    for (uint32_t s = 0; s < world->contact.skin_table.count; ++s)
        for (uint32_t i = 3 * skin[s].first; i < 3 * (skin[s].first + skin[s].count); ++i) {
            const uint32_t a = corner[i], d = corner[i / 3 * 3 + (i % 3 + 1) % 3];
            sn_crossing found;
            uint32_t triangle[SN_TEAR_SIDES];
            if (beside[a] & beside[d])
                continue;
            if ((sn_solid_has(world, a) && sn_solid_has(world, d)) ||
                !crosses(world, &c->blade, a < d ? a : d, a < d ? d : a, &found) || !may_cut(world, &c->blade, a) ||
                !may_cut(world, &c->blade, d))
                continue;
            const uint32_t sides = sn_tear_edge_sides(world, found.p, found.q, triangle, SN_TEAR_SIDES);
            if (sides > SN_TEAR_SIDES || triangle[0] != i / 3 || is_matched(c, found.p, found.q))
                continue;
            if (!add_item(c, &c->crossing_table, &found))
                return false;
        }
    return true;
}

static bool is_marked(const sn_world *world, uint32_t particle)
{
    const sn_tearing *t = &world->tearing;
    return particle < t->busy_table.count && ((const uint32_t *)t->busy_table.column[0])[particle] == t->step;
}

static void mark(sn_world *world, uint32_t particle)
{
    sn_tearing *t = &world->tearing;
    uint32_t *busy = t->busy_table.column[0];
    for (; t->busy_table.count <= particle; t->busy_table.count++)
        busy[t->busy_table.count] = 0;
    busy[particle] = t->step;
}

static bool add_mark(cutting *c, uint32_t vertex)
{
    if (is_marked(c->world, vertex))
        return true;
    mark(c->world, vertex);
    return add_item(c, &c->mark_table, &vertex);
}

/* Chooses crossings that go through an end, and marks these vertices. A marked vertex counts as on the blade, so
   nothing is inserted on its edges. */
static bool choose_marks(cutting *c)
{
    sn_world *world = c->world;
    sn_tearing *t = &world->tearing;
    sn_crossing *at = c->crossing_table.column[0];
    const sn_cut_path *path = c->path_table.column[0];
    const double near = c->blade.def->edges_only ? 0.5 : NEAR_END;
    if (++t->step == 0)
        memset(t->busy_table.column[0], 0, t->busy_table.count * sizeof(uint32_t)), t->step = 1;
    for (uint32_t i = 0; i < c->crossing_table.count; ++i) {
        const double p = (double)world->particles.v[world->ids.value[at[i].p]].w;
        const double q = (double)world->particles.v[world->ids.value[at[i].q]].w;
        const bool unlike = isfinite(p) && isfinite(q) && (p > MOST_RATIO * q || q > MOST_RATIO * p);
        const double least = unlike ? 0.5 : near;
        const uint32_t end = at[i].t <= 0.5 ? at[i].p : at[i].q;
        if (!(at[i].t > least && at[i].t < 1 - least) && !add_mark(c, end))
            return false;
    }
    for (uint32_t i = 0; i < c->path_table.count; ++i)
        if (path[i].from == SN_TEAR_NONE && !add_mark(c, path[i].tip))
            return false;
    for (uint32_t i = 0; i < c->crossing_table.count; ++i) {
        const bool p = is_marked(world, at[i].p), q = is_marked(world, at[i].q);
        at[i].inserts = !p && !q;
        at[i].vertex = p && (!q || at[i].t <= 0.5) ? at[i].p : at[i].q;
        c->inserts += at[i].inserts;
    }
    return true;
}

/* A rod along an edge of a tetrahedron is handled with the tetrahedra. */
static bool is_in_solid(const sn_world *world, uint32_t a, uint32_t b)
{
    const uint32_t of = head_of(world, a).solid;
    return of && of == head_of(world, b).solid;
}

static bool find_rods(cutting *c)
{
    const sn_world *world = c->world;
    const uint8_t *beside = c->beside_table.column[0];
    const double near = c->blade.def->edges_only ? 0.5 : NEAR_END;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; sn_tear_is_rod(kind) && row < pool->ids.table.count; ++row) {
            const uint32_t *point = pool->point + 2 * (size_t)row;
            sn_crossing found;
            if (!sn_ids_is_live(&pool->ids, row) || (point[0] | point[1]) & SN_ANCHOR_BIT ||
                beside[point[0]] & beside[point[1]])
                continue;
            const bool on_skin = head_of(world, point[0]).skin && head_of(world, point[1]).skin;
            if (is_in_solid(world, point[0], point[1]) || !crosses(world, &c->blade, point[0], point[1], &found) ||
                !may_cut(world, &c->blade, point[0]) || !may_cut(world, &c->blade, point[1]))
                continue;
            if (on_skin && (is_edge(world, point[0], point[1]) || (found.t <= near && is_marked(world, point[0])) ||
                            (found.t >= 1 - near && is_marked(world, point[1]))))
                continue; /* edges are divided, and a rod at a vertex that is split goes with one of its parts */
            const sn_tear_node node = {kind, row, 0};
            if (!add_item(c, &c->rod_table, &node))
                return false;
        }
    }
    return true;
}

/* True if the blade passes through a joint: it crosses the path from the centre of one body over the anchors to the
   centre of the other. */
static bool cuts_joint(const cutting *c, const sn_pool *pool, uint32_t row)
{
    const sn_world *world = c->world;
    sn_dvec3 displacement[4] = {{0, 0, 0}};
    uint32_t places = 0;
    bool may = true, cuts = false;
    double t;
    for (uint32_t i = 0; i < 2; ++i) {
        const sn_anchor *on_body = sn_point_on_body(&world->constraints, pool, row, i);
        const uint32_t code = pool->point[2 * (size_t)row + i];
        const sn_dvec3 anchor =
            code & SN_ANCHOR_BIT
                ? dvec3_from(sn_world_anchor_place(world, &world->constraints.anchor[code & ~SN_ANCHOR_BIT]))
                : place_of(world, code);
        if (on_body && i == 0)
            displacement[places++] = place_of(world, on_body->particle[0]);
        displacement[places++] = anchor;
        if (on_body && i == 1)
            displacement[places++] = place_of(world, on_body->particle[0]);
        may = may && (!on_body || may_cut(world, &c->blade, on_body->particle[0]));
    }
    for (uint32_t i = 1; may && i < places; ++i)
        cuts = cuts || sn_blade_crosses(&c->blade, displacement[i - 1], displacement[i], &t);
    return cuts;
}

static bool find_joints(cutting *c)
{
    const sn_world *world = c->world;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        const bool joints = pool->kind->oriented && pool->kind->points == 2;
        for (uint32_t row = 0; joints && row < pool->ids.table.count; ++row) {
            const sn_tear_node node = {kind, row, 0};
            if (sn_ids_is_live(&pool->ids, row) && cuts_joint(c, pool, row) && !add_item(c, &c->rod_table, &node))
                return false;
        }
    }
    return true;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Reserves memory for make_gaps. */
static bool reserve_gaps(cutting *c)
{
    sn_world *world = c->world;
    const uint64_t count = (uint64_t)world->contact.triangle_table.count + (uint64_t)SN_TEAR_SIDES * c->inserts +
                           4 * (uint64_t)c->solid.face_table.count;
    return count <= SN_MAX_COUNT && sn_table_reserve(&world->contact.triangle_table, &world->allocator, count) &&
           sn_table_reserve(&world->tearing.next_table, &world->allocator, 3 * count) &&
           (!c->shape.group_table.count || sn_table_reserve(&world->tearing.torn_table, &world->allocator, count)) &&
           sn_table_reserve(&c->more_table, &world->allocator, (uint64_t)world->contact.skin_table.count + 1);
}

/* Makes a gap behind the triangles of every skin for the new ones. */
static void make_gaps(cutting *c)
{
    sn_world *world = c->world;
    const sn_crossing *at = c->crossing_table.column[0];
    uint32_t *more = c->more_table.column[0], total = 0, triangle[SN_TEAR_SIDES];
    memset(more, 0, (world->contact.skin_table.count + 1) * sizeof *more);
    for (uint32_t i = 0; i < c->crossing_table.count; ++i) {
        const uint32_t sides =
            !at[i].inserts ? 0 : sn_tear_edge_sides(world, at[i].p, at[i].q, triangle, SN_TEAR_SIDES);
        for (uint32_t k = 0; k < sides; ++k, ++total)
            more[contact_skin_of(&world->contact, triangle[k]) - contact_skins(&world->contact)]++;
    }
    c->gaps = sn_tear_make_gaps(world, more, total + sn_solid_count(&c->solid, more));
}

static bool reserve(cutting *c)
{
    sn_world *world = c->world;
    sn_tearing *t = &world->tearing;
    const uint64_t vertices = (uint64_t)c->inserts + c->mark_table.count + c->solid.vertex_table.count;
    const uint64_t particles = 4 * vertices + 256, rows = 32 * vertices + 32768 + c->shape.label_table.count;
    if (rows > SN_MAX_COUNT || !sn_table_reserve(&c->mark_table, &world->allocator, particles) ||
        !sn_table_reserve(&t->tip_table, &world->allocator, t->tip_table.count + SN_TEAR_PARTS * particles) ||
        !sn_table_reserve(&c->root_table, &world->allocator, world->ids.table.count + particles) ||
        !sn_table_reserve(&c->link_table, &world->allocator, c->path_table.count) ||
        !sn_tear_reserve(world, (uint32_t)particles, (uint32_t)rows) ||
        !sn_table_reserve(&t->parted_table, &world->allocator,
                          t->parted_table.count + 2 * (uint64_t)c->rod_table.count) ||
        !sn_table_reserve(&t->event_table, &world->allocator,
                          t->event_table.count + 2 * particles + c->rod_table.count + c->shape.label_table.count))
        return false;
    sn_split_begin(world);
    t->room_particles = (uint32_t)particles;
    t->room_rows = (uint32_t)rows;
    t->room_nodes = sn_tear_room_for((uint32_t)particles);
    return true;
}

/* ---- Cutting ----------------------------------------------------------------------------------------------------- */

static void remove_rods(cutting *c)
{
    sn_world *world = c->world;
    const sn_tear_node *node = c->rod_table.column[0];
    for (uint32_t i = 0; i < c->rod_table.count; ++i) {
        const sn_pool *pool = world->constraints.pool[node[i].kind];
        const uint32_t *point = pool->point + 2 * (size_t)node[i].row;
        double released = 0;
        if (!sn_ids_is_live(&pool->ids, node[i].row)) /* it was removed with another */
            continue;
        sn_tear tear = {.type = SN_TEAR_BREAK,
                        .cut = true,
                        .constraint = {node[i].kind, node[i].row, pool->ids.generation[node[i].row]},
                        .place = sn_tear_place(world, node[i].kind, node[i].row),
                        .strain = (sn_real)sn_tear_strain(world, node[i].kind, node[i].row)};
        if (!sn_tear_allowed(world, &tear))
            continue;
        const bool rod = sn_tear_is_rod(node[i].kind); /* otherwise a joint */
        const bool on_skin = rod && head_of(world, point[0]).skin && head_of(world, point[1]).skin;
        uint32_t *parted = world->tearing.parted_table.column[0];
        for (uint32_t k = 0; on_skin && k < 2; ++k)
            parted[world->tearing.parted_table.count++] = point[k];
        world->tearing.breaks += !on_skin;
        if (rod && !on_skin)
            c->info.removed += sn_tear_remove_dependents(world, node[i].kind, node[i].row, &released);
        if (sn_ids_is_live(&pool->ids, node[i].row))
            sn_tear_remove(world, node[i].kind, node[i].row, &released), c->info.removed++;
        tear.released = (sn_real)released;
        c->released += released;
        sn_tear_tell(world, &tear);
    }
}

static uint64_t key_of(const cutting *c, uint32_t p, uint32_t q)
{
    const uint32_t *root = c->root_table.column[0], a = root[p], b = root[q];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Lists the cut edges: those with an odd number of paths. For use when all vertices exist. */
static void link(cutting *c)
{
    const sn_crossing *at = c->crossing_table.column[0];
    const sn_cut_path *path = c->path_table.column[0];
    sn_sort_item *item = c->link_table.column[0];
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < c->path_table.count; ++i) {
        const uint32_t from = path[i].from == SN_TEAR_NONE ? path[i].tip : at[path[i].from].vertex;
        if (from != at[path[i].to].vertex)
            item[count++] = (sn_sort_item){.key = key_of(c, from, at[path[i].to].vertex)};
    }
    if (count)
        sn_sort(item, c->link_table.column[1], count);
    for (uint32_t i = 0; i < count; ++i) {
        if (kept && item[kept - 1].key == item[i].key)
            kept--;
        else
            item[kept++] = item[i];
    }
    c->link_table.count = kept;
}

static bool is_cut(const void *data, const sn_split *split, uint32_t i, uint32_t k, uint32_t other)
{
    const cutting *c = data;
    (void)i, (void)k;
    if (sn_blade_has_passed(c->world, split->vertex, other))
        return true;
    if (!is_marked(c->world, other))
        return false;
    const uint64_t key = key_of(c, split->vertex, other);
    const sn_sort_item *item = c->link_table.column[0];
    const uint32_t at = sort_lower_bound(item, c->link_table.count, key);
    return at < c->link_table.count && item[at].key == key;
}

static void set_root(cutting *c, uint32_t vertex, uint32_t root)
{
    mark(c->world, vertex);
    ((uint32_t *)c->root_table.column[0])[vertex] = root;
    ((bool *)c->root_table.column[1])[vertex] = false;
}

/* Splits a marked vertex; its copies are marked as well. So are those of other vertices at a border that are split with
   it. */
static void open(cutting *c, uint32_t vertex)
{
    sn_world *world = c->world;
    const uint32_t *root = c->root_table.column[0];
    bool *opened = c->root_table.column[1];
    sn_split split;
    uint32_t removed = 0;
    if (!sn_split_find(world, &split, vertex, is_cut, c) || !sn_split_fits(world, vertex))
        return;
    const uint32_t skin = contact_skins(&world->contact)[head_of(world, vertex).skin - 1].number;
    const sn_tear tear = {.type = SN_TEAR_SPLIT,
                          .cut = true,
                          .skin = {skin, world->contact.skin_ids.generation[skin]},
                          .particle = {vertex, world->ids.generation[vertex]},
                          .place = vec4_xyz(world->particles.x[world->ids.value[vertex]])};
    opened[vertex] = true;
    if (!sn_tear_allowed(world, &tear))
        return;
    const uint32_t first = world->tearing.event_table.count;
    sn_split_apply(world, &split, &tear, &removed, &c->released);
    const sn_tear *event = world->tearing.event_table.column[0];
    for (uint32_t i = first; i < world->tearing.event_table.count; ++i)
        if (is_marked(world, event[i].particle.index)) {
            set_root(c, event[i].made.index, root[event[i].particle.index]);
            opened[event[i].particle.index] = true;
        }
    c->info.split += world->tearing.event_table.count - first;
    c->info.removed += removed;
}

static sn_particle handle_of(const sn_world *world, uint32_t vertex)
{
    return (sn_particle){vertex, world->ids.generation[vertex]};
}

/* Adds a vertex at which a cut ended behind `count` tips: once for each edge along which the cut came, or once without
   an edge. Returns the new count. */
static uint32_t add_tip(const cutting *c, uint32_t vertex, sn_tear_tip *tip, uint32_t count)
{
    const sn_world *world = c->world;
    const uint32_t first = count;
    sn_split split;
    sn_split_find(world, &split, vertex, is_cut, c);
    for (uint32_t i = 1; split.count != UINT32_MAX && i < split.count; ++i)
        for (uint32_t j = 0; j < 4 * i && count - first < SN_TEAR_PARTS; ++j) {
            const uint32_t k = j / 4, other = split.other[i][j % 4 / 2];
            if (other == split.other[k][j % 2] && is_cut(c, &split, i, k, other))
                tip[count++] = (sn_tear_tip){.vertex = handle_of(world, vertex), .from = handle_of(world, other)};
        }
    if (count == first)
        tip[count++] = (sn_tear_tip){.vertex = handle_of(world, vertex)};
    return count;
}

/* Tips that are still whole are kept. Tips that were split or removed are dropped. Marked vertices that are whole
   become new tips. */
static void note_tips(cutting *c)
{
    sn_world *world = c->world;
    const uint32_t *marked = c->mark_table.column[0];
    const bool *opened = c->root_table.column[1];
    sn_table *table = &world->tearing.tip_table;
    sn_tear_tip *tip = table->column[0];
    uint32_t count = table->count, kept = 0;
    for (uint32_t i = 0; i < c->mark_table.count; ++i)
        if (!opened[marked[i]])
            count = add_tip(c, marked[i], tip, count);
    for (uint32_t i = 0; i < table->count; ++i)
        if (sn_particle_is_valid(world, tip[i].vertex) && !is_marked(world, tip[i].vertex.index))
            tip[kept++] = tip[i];
    memmove(tip + kept, tip + table->count, (count - table->count) * sizeof *tip);
    table->count = kept + (count - table->count);
}

static void cut_skins(cutting *c)
{
    sn_world *world = c->world;
    sn_crossing *at = c->crossing_table.column[0];
    uint32_t *marked = c->mark_table.column[0];
    const uint32_t first = c->mark_table.count;
    for (uint32_t i = 0; i < c->crossing_table.count; ++i)
        if (at[i].inserts) {
            at[i].vertex = sn_tear_insert(world, at[i].p, at[i].q, at[i].t, &c->info.removed, &c->released);
            marked[c->mark_table.count++] = at[i].vertex;
            c->info.inserted++;
        }
    for (uint32_t i = first; i < c->mark_table.count; ++i)
        sn_tear_free_vertex(world, marked[i], &c->info.removed, &c->released);
    for (uint32_t i = 0; i < c->mark_table.count; ++i)
        set_root(c, marked[i], marked[i]);
    link(c);
    for (uint32_t i = 0; i < c->mark_table.count; ++i)
        open(c, marked[i]);
    note_tips(c);
}

static int solid_side(const void *data, sn_dvec3 x)
{
    return sn_blade_side_of(data, x);
}

static bool solid_on(const void *data, sn_dvec3 x)
{
    return sn_blade_has(data, x);
}

static bool shape_crosses(const void *data, sn_dvec3 x, sn_dvec3 y)
{
    double t;
    return sn_blade_crosses(data, x, y, &t);
}

static bool solid_may(const sn_world *world, const void *data, uint32_t particle)
{
    return may_cut(world, data, particle);
}

/* Everything is found, and memory for it reserved, before anything changes. */
static sn_result cut(cutting *c)
{
    sn_world *world = c->world;
    sn_store *store = &world->constraints;
    sn_solid_init(&c->solid);
    c->solid.world = world;
    c->solid.blade = &c->blade;
    c->solid.side = solid_side;
    c->solid.on = solid_on;
    c->solid.may_cut = solid_may;
    c->solid.low = c->blade.low;
    c->solid.high = c->blade.high;
    c->shape.world = world;
    c->shape.blade = &c->blade;
    c->shape.crosses = shape_crosses;
    c->shape.may_cut = solid_may;
    c->shape.low = c->blade.low;
    c->shape.high = c->blade.high;
    if (!sn_tear_index(world) || !sn_blade_index_tips(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a cut");
    if (!sn_blade_sweep_begin(world, &c->blade) || (c->blade.sides && !sn_solid_find(&c->solid)) || !find_beside(c) ||
        !find_edges(c) || !sn_path_find(world, &c->blade, &c->crossing_table, &c->path_table, &c->link_table) ||
        !choose_marks(c) || !find_rods(c) || !find_joints(c) || !sn_shape_cut_find(&c->shape) || !reserve(c) ||
        !reserve_gaps(c))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a cut");
    sn_blade_sweep_go(world, &c->blade);
    if (!c->crossing_table.count && !c->rod_table.count && !c->solid.face_table.count && !c->shape.pair_table.count)
        return SN_OK;
    const sn_fresh fresh = store->counts.fresh; /* as after a tear */
    sn_incidence_begin(&world->incidence, store);
    c->solid.first = world->tearing.event_table.count;
    sn_solid_split(&c->solid);
    c->info.split += c->solid.split, c->info.removed += c->solid.removed, c->released += c->solid.released;
    make_gaps(c);
    sn_solid_close(&c->solid);
    if (c->solid.face_table.count && c->gaps)
        sn_tear_index_anew(world);
    world->contact.tears += c->gaps && !c->solid.face_table.count; /* only vertices of cloth */
    remove_rods(c);
    cut_skins(c);
    if (c->solid.face_table.count)
        sn_solid_set_apart(world, c->solid.first, c->more_table.column[0], &c->info.removed, &c->released);
    sn_incidence_end(&world->incidence, store);
    if (c->shape.group_table.count)
        sn_shape_follow_gaps(world);
    sn_shape_cut_part(&c->shape);
    sn_shape_finish(world);
    c->info.left += c->shape.left, c->info.removed += c->shape.removed;
    const bool held = store->compromise_table.count > 0 && store->counts.fresh.any;
    store->counts.fresh = fresh;
    store->counts.fresh.any = fresh.any || held;
    sn_store_tidy(store, &world->allocator);
    sn_sleep_wake_all(world);
    sn_world_break_motion(world);
    return SN_OK;
}

sn_result sn_world_cut(sn_world *world, const sn_cut_def *def, sn_cut_info *info)
{
    if (info)
        *info = (sn_cut_info){0};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL; start from sn_default_cut_def()");
    cutting c = {.world = world};
    if ((result = sn_blade_make(world, def, &c.blade)) != SN_OK)
        return result;
    sn_table_column(&c.crossing_table, sizeof(sn_crossing), false);
    sn_table_column(&c.beside_table, sizeof(uint8_t), false);
    sn_table_column(&c.path_table, sizeof(sn_cut_path), false);
    sn_table_column(&c.link_table, sizeof(sn_sort_item), false);
    sn_table_column(&c.link_table, sizeof(sn_sort_item), false);
    sn_table_column(&c.rod_table, sizeof(sn_tear_node), false);
    sn_table_column(&c.mark_table, sizeof(uint32_t), false);
    sn_table_column(&c.root_table, sizeof(uint32_t), false);
    sn_table_column(&c.root_table, sizeof(bool), false);
    sn_tear_begin_events(world);
    sn_table_column(&c.more_table, sizeof(uint32_t), false);
    sn_shape_cut_init(&c.shape);
    sn_limits_tear_begin(world);
    result = cut(&c);
    sn_limits_tear_end(world);
    sn_solid_release(&c.solid, &world->allocator);
    sn_shape_cut_release(&c.shape, &world->allocator);
    sn_table_release(&c.more_table, &world->allocator);
    sn_table_release(&c.crossing_table, &world->allocator);
    sn_table_release(&c.rod_table, &world->allocator);
    sn_table_release(&c.mark_table, &world->allocator);
    sn_table_release(&c.beside_table, &world->allocator);
    sn_table_release(&c.path_table, &world->allocator);
    sn_table_release(&c.link_table, &world->allocator);
    sn_table_release(&c.root_table, &world->allocator);
    c.info.released = (sn_real)fmax(0, c.released);
    if (info && result == SN_OK)
        *info = c.info;
    return result;
}
