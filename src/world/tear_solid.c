/* Solids are cut along the faces between their cells.

   A cell is a tetrahedron, which is a constraint of the kind volume, or one of the eight-cornered cells of a lattice
   (sn_skin_set_cells). A cell is on the side of the blade on which its centre is. A face between two on different
   sides, whose centre is on the blade, is *cut*. The new surface consists of such faces, so it is as rough as the cells
   are large. A vertex of a cut face is split into the parts of its cells that are still connected by faces at it. Mass
   is divided by volume, and all parts have the velocity of the vertex. Constraints with several points go with the cell
   that contains them. A rod at the cut is copied for each part, and all copies are softer, as in tear_split.c. No
   length changes, so the energy does not change.

   The skin around the solid stays closed: each of its triangles is in a face of one cell and goes with it, and every
   cut face adds triangles on each side: one for a tetrahedron, two for a cell of a lattice. Where the cut ends inside,
   the two sides have a common edge. The two triangles of a square meet at a corner that was split, so none of them has
   the same three vertices as one on the other side. */
#include "world/tear_cells.h"
#include "world/world.h"

#include "base/dvec.h"
#include "base/sort.h"

#include <string.h>

typedef struct face {
    uint32_t cell[2];
    uint32_t count;       /* of its corners */
    uint8_t corner[2][4]; /* which corners of the cells they are */
    uint8_t opposite[2];  /* of tetrahedra */
    bool apart;           /* its two sides have different vertices now */
} face;

/* Triangles that a cut face adds to its skin. */
static uint32_t triangles_of(const face *of)
{
    return 2 * (of->count - 2);
}

static int side_of(const sn_solid_cut *s, uint32_t cell)
{
    return s->side(s->blade, sn_cell_middle(s->world, sn_cell_corners(s->world, cell), sn_cell_corner_count(cell)));
}

/* ---- Faces ------------------------------------------------------------------------------------------------------- */

typedef struct box {
    sn_dvec3 low, high;
} box;

static void include(box *b, sn_dvec3 x)
{
    b->low = dvec3(fmin(b->low.x, x.x), fmin(b->low.y, x.y), fmin(b->low.z, x.z));
    b->high = dvec3(fmax(b->high.x, x.x), fmax(b->high.y, x.y), fmax(b->high.z, x.z));
}

static bool touch(const box *a, const box *b)
{
    return a->low.x <= b->high.x && a->low.y <= b->high.y && a->low.z <= b->high.z && b->low.x <= a->high.x &&
           b->low.y <= a->high.y && b->low.z <= a->high.z;
}

/* True if a cell is near the blade. */
static bool is_near(const sn_solid_cut *s, uint32_t cell)
{
    const uint32_t *corner = sn_cell_corners(s->world, cell);
    const box blade = {s->low, s->high};
    box b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (uint32_t i = 0; i < sn_cell_corner_count(cell); ++i)
        include(&b, sn_cell_place(s->world, corner[i]));
    const double size = dvec3_length(dvec3_sub(b.high, b.low));
    const sn_dvec3 margin = {size, size, size};
    b.low = dvec3_sub(b.low, margin), b.high = dvec3_add(b.high, margin);
    return touch(&b, &blade);
}

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* True if there is no room for the two sides of the face between two cells. */
static bool is_shut(const sn_solid_cut *s, uint32_t a, uint32_t b)
{
    const sn_sort_item *shut = s->shut_table.column[0];
    const uint32_t i = sort_lower_bound(shut, s->shut_table.count, key_of(a, b));
    return i < s->shut_table.count && shut[i].key == key_of(a, b);
}

static bool is_cut(const sn_solid_cut *s, uint32_t a, uint32_t b, const uint32_t *corner)
{
    const uint32_t count = a & SN_CELL_LATTICE ? 4 : 3;
    if (is_shut(s, a, b))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        if (!s->may_cut(s->world, s->blade, corner[i]))
            return false;
    return side_of(s, a) != side_of(s, b) && s->on(s->blade, sn_cell_middle(s->world, corner, count)) &&
           is_near(s, a) && is_near(s, b);
}

static face face_between(const sn_solid_cut *s, uint32_t a, uint32_t f, uint32_t b)
{
    const uint32_t *own = sn_cell_corners(s->world, a), *other = sn_cell_corners(s->world, b);
    face made = {.cell = {a, b}, .count = a & SN_CELL_LATTICE ? 4 : 3, .opposite = {(uint8_t)f, 0}};
    uint32_t used = 0;
    for (uint32_t i = 0; i < made.count; ++i) {
        made.corner[0][i] = sn_cell_face(a, f)[i];
        for (uint8_t k = 0; k < sn_cell_corner_count(b); ++k)
            if (other[k] == own[made.corner[0][i]])
                made.corner[1][i] = k, used |= 1u << k;
    }
    for (uint8_t k = 0; k < 4; ++k)
        if (!(used >> k & 1))
            made.opposite[1] = k;
    return made;
}

static bool add_face(sn_solid_cut *s, const face *of)
{
    if (!sn_table_reserve(&s->face_table, &s->world->allocator, (uint64_t)s->face_table.count + 1))
        return false;
    ((face *)s->face_table.column[0])[s->face_table.count++] = *of;
    return true;
}

/* The triangles that a face may be divided into: of a square by both diagonals. */
static uint32_t triangulations(const face *of)
{
    return of->count == 4 ? 4 : 1;
}

static void take_triangle(const sn_world *world, const face *of, uint32_t which, uint32_t corner[3])
{
    for (uint32_t k = 0, used = 0; used < 3; ++k)
        if (of->count == 3 || k != which)
            corner[used++] = sn_cell_corners(world, of->cell[0])[of->corner[0][k]];
}

static box box_of(const sn_world *world, const face *of)
{
    box b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (uint32_t k = 0; k < of->count; ++k)
        include(&b, sn_cell_place(world, sn_cell_corners(world, of->cell[0])[of->corner[0][k]]));
    return b;
}

/* True if the skin around a face collides with itself. */
static bool collides_with_itself(const sn_solid_cut *s, const face *of)
{
    const sn_world *world = s->world;
    const uint32_t particle = sn_cell_corners(world, of->cell[0])[of->corner[0][0]],
                   row = ((const sn_tear_head *)world->tearing.head_table.column[0])[particle].solid;
    return row > 1 && contact_skins(&world->contact)[row - 2].self_collision;
}

/* True if a cell is inside out somewhere: a tetrahedron other than at rest, a cell of a lattice at a corner. */
static bool is_inverted(const sn_world *world, uint32_t cell)
{
    const uint32_t *p = sn_cell_corners(world, cell), corners = cell & SN_CELL_LATTICE ? 8 : 1;
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    const double rest = corners == 1 ? (double)pool->param[(size_t)cell * pool->param_count] : 1;
    for (uint32_t c = 0; c < corners; ++c) {
        sn_dvec3 edge[3];
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t to = corners == 1 ? k + 1 : c ^ 1u << k;
            edge[k] = dvec3_sub(sn_cell_place(world, p[to]), sn_cell_place(world, p[c]));
            edge[k] = dvec3_scale(edge[k], c >> k & 1 ? -1 : 1);
        }
        if (dvec3_dot(edge[0], dvec3_cross(edge[1], edge[2])) * rest < 0)
            return true;
    }
    return false;
}

/* True if both sides of a face have room: its cells are not inside out, and it intersects no triangle; or its skin does
   not collide with itself. */
static bool has_room(const sn_solid_cut *s, const face *of)
{
    sn_world *world = s->world;
    if (!collides_with_itself(s, of))
        return true;
    if (is_inverted(world, of->cell[0]) || is_inverted(world, of->cell[1]))
        return false;
    for (uint32_t i = 0; i < triangulations(of); ++i) {
        uint32_t corner[3];
        take_triangle(world, of, i, corner);
        if (!sn_solid_may_open(world, corner))
            return false;
    }
    return true;
}

/* True if a face crosses one of the first ones that are cut, as it may where cells are inside out. */
static bool crosses_another(const sn_solid_cut *s, const face *of, uint32_t count)
{
    const face *other = s->face_table.column[0];
    if (!s->inside_out || !collides_with_itself(s, of))
        return false;
    const box own = box_of(s->world, of);
    for (uint32_t i = 0; i < count; ++i) {
        const box its = box_of(s->world, &other[i]);
        for (uint32_t k = 0; k < triangulations(of) && touch(&own, &its); ++k)
            for (uint32_t j = 0; j < triangulations(&other[i]); ++j) {
                uint32_t a[3], b[3];
                take_triangle(s->world, of, k, a);
                take_triangle(s->world, &other[i], j, b);
                if (sn_query_corners_cross(s->world, a, b))
                    return true;
            }
    }
    return false;
}

static bool shut(sn_solid_cut *s, const face *of)
{
    if (!sn_table_reserve(&s->shut_table, &s->world->allocator, (uint64_t)s->shut_table.count + 1))
        return false;
    ((sn_sort_item *)s->shut_table.column[0])[s->shut_table.count++] =
        (sn_sort_item){.key = key_of(of->cell[0], of->cell[1])};
    return true;
}

static bool add_vertex(sn_solid_cut *s, uint32_t particle)
{
    const uint32_t *vertex = s->vertex_table.column[0];
    for (uint32_t i = s->vertex_table.count; i-- > 0 && i + 64 > s->vertex_table.count;) /* most repeat soon */
        if (vertex[i] == particle)
            return true;
    if (!sn_table_reserve(&s->vertex_table, &s->world->allocator, (uint64_t)s->vertex_table.count + 1))
        return false;
    ((uint32_t *)s->vertex_table.column[0])[s->vertex_table.count++] = particle;
    return true;
}

void sn_solid_init(sn_solid_cut *s)
{
    *s = (sn_solid_cut){.split = 0};
    sn_table_column(&s->face_table, sizeof(face), false);
    sn_table_column(&s->vertex_table, sizeof(uint32_t), false);
    sn_table_column(&s->more_table, sizeof(uint32_t), false);
    sn_table_column(&s->shut_table, sizeof(sn_sort_item), false);
    sn_table_column(&s->shut_table, sizeof(sn_sort_item), false);
}

/* Finds the cut faces of a cell above the blade. */
static bool find_faces(sn_solid_cut *s, uint32_t cell)
{
    uint32_t corner[4];
    if (!is_near(s, cell) || side_of(s, cell) < 0)
        return true;
    for (uint32_t f = 0; f < sn_cell_face_count(cell); ++f) {
        const uint32_t count = sn_cell_take_face(s->world, cell, f, corner),
                       other = sn_cell_behind(s->world, cell, corner, count);
        if (other == UINT32_MAX || !is_cut(s, cell, other, corner))
            continue;
        const face of = face_between(s, cell, f, other);
        if (!has_room(s, &of) || crosses_another(s, &of, s->face_table.count)) {
            if (!shut(s, &of))
                return false;
            continue;
        }
        if (!add_face(s, &of))
            return false;
        for (uint32_t i = 0; i < count; ++i)
            if (!add_vertex(s, corner[i]))
                return false;
    }
    return true;
}

bool sn_solid_find(sn_solid_cut *s)
{
    const uint32_t rows = s->world->constraints.pool[SN_KIND_VOLUME]->ids.table.count,
                   cells = s->world->contact.cell_table.count;
    sn_split_begin(s->world);
    for (uint32_t row = 0; row < rows && !s->inside_out; ++row)
        s->inside_out = sn_cell_is_tetrahedron(s->world, row) && is_near(s, row) && is_inverted(s->world, row);
    for (uint32_t i = 0; i < cells && !s->inside_out; ++i)
        s->inside_out = is_near(s, SN_CELL_LATTICE | i) && is_inverted(s->world, SN_CELL_LATTICE | i);
    for (uint32_t row = 0; row < rows; ++row)
        if (sn_cell_is_tetrahedron(s->world, row) && !find_faces(s, row))
            return false;
    for (uint32_t i = 0; i < cells; ++i)
        if (!find_faces(s, SN_CELL_LATTICE | i))
            return false;
    sn_sort(s->shut_table.column[0], s->shut_table.column[1], s->shut_table.count);
    return true;
}

void sn_solid_release(sn_solid_cut *s, const sn_allocator *allocator)
{
    sn_table_release(&s->face_table, allocator);
    sn_table_release(&s->vertex_table, allocator);
    sn_table_release(&s->more_table, allocator);
    sn_table_release(&s->shut_table, allocator);
}

/* ---- Splitting --------------------------------------------------------------------------------------------------- */

/* A vertex and the cells at it. */
typedef struct fan {
    uint32_t vertex, count, cell[SN_TEAR_FAN];
    uint8_t part[SN_TEAR_FAN];
    uint32_t parts, made[SN_TEAR_PARTS];
} fan;

/* Finds the parts, numbered by their first cell. False if there is only one. */
static bool find_parts(const sn_solid_cut *s, fan *f)
{
    sn_world *world = s->world;
    uint8_t root[SN_TEAR_FAN], number[SN_TEAR_FAN];
    f->count = sn_cells_at(world, f->vertex, f->cell);
    if (f->count == UINT32_MAX || f->count < 2 || world->particles.body[world->ids.value[f->vertex]])
        return false;
    for (uint32_t i = 0; i < f->count; ++i)
        root[i] = (uint8_t)i;
    for (uint32_t i = 1; i < f->count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            uint32_t corner[4], a = i, b = k;
            while (root[a] != a)
                a = root[a];
            while (root[b] != b)
                b = root[b];
            if (a != b && sn_cell_shared_face(world, f->cell[i], f->cell[k], f->vertex, corner) != UINT32_MAX &&
                !is_cut(s, f->cell[i], f->cell[k], corner))
                root[a < b ? b : a] = (uint8_t)(a < b ? a : b);
        }
    f->parts = 0;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t a = i;
        while (root[a] != a)
            a = root[a];
        if (a == i)
            number[i] = (uint8_t)f->parts++;
        f->part[i] = number[a];
    }
    return f->parts > 1 && f->parts <= SN_TEAR_PARTS;
}

/* Makes particles and masses. All masses but one are multiples of the last place of the mass, see tear_split.c. */
static void make_particles(sn_world *world, fan *f)
{
    sn_tearing *t = &world->tearing;
    sn_tear_head *head = t->head_table.column[0];
    double share[SN_TEAR_PARTS] = {0}, total = 0;
    uint32_t keeps = 0;
    for (uint32_t i = 0; i < f->count; ++i) {
        const double v = sn_cell_volume(world, f->cell[i]);
        share[f->part[i]] += v > 0 ? v : 1e-30;
        total += v > 0 ? v : 1e-30;
    }
    for (uint32_t i = 1; i < f->parts; ++i)
        keeps = share[i] > share[keeps] ? i : keeps;
    const sn_real mass = world->particles.v[world->ids.value[f->vertex]].w;
    const bool movable = world->particles.x[world->ids.value[f->vertex]].w != 0;
    const double last = movable ? sn_split_last_place(mass) : 1;
    sn_real left = mass;
    double kept = 1;
    for (uint32_t i = 0; i < f->parts; ++i) {
        const double part = fmax(0.02, share[i] / total);
        if (i == keeps) {
            f->made[i] = f->vertex;
            continue;
        }
        const sn_real own = movable ? (sn_real)(floor(part * (double)mass / last + 0.5) * last) : mass;
        f->made[i] = sn_particle_copy(world, f->vertex, own, movable ? part : 1);
        if (f->made[i] >= t->head_table.count)
            t->head_table.count = f->made[i] + 1;
        head[f->made[i]] = (sn_tear_head){.triangle = SN_TEAR_NONE,
                                          .constraint = SN_TEAR_NONE,
                                          .cell = SN_TEAR_NONE,
                                          .skin = head[f->vertex].skin,
                                          .solid = head[f->vertex].solid};
        left = movable ? left - own : left;
        kept -= part;
    }
    sn_particle_take_share(world, f->vertex, left, movable ? kept : 1);
}

/* The set of parts that have a cell with all of these particles. */
static uint32_t parts_with(const sn_world *world, const fan *f, const uint32_t *other, uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < count; ++k)
            found += sn_cell_has(world, f->cell[i], other[k]);
        set |= found == count ? 1u << f->part[i] : 0;
    }
    return set;
}

static void replace(sn_world *world, uint32_t kind, uint32_t row, const fan *f, uint32_t part)
{
    if (f->made[part] != f->vertex)
        sn_split_replace(world, kind, row, f->vertex, f->made[part]);
}

/* Gives a cell the vertex of its part. */
static void move_cell(sn_world *world, const fan *f, uint32_t i)
{
    if (!(f->cell[i] & SN_CELL_LATTICE))
        replace(world, SN_KIND_VOLUME, f->cell[i], f, f->part[i]);
    else if (f->made[f->part[i]] != f->vertex)
        sn_cell_replace(world, f->cell[i], f->vertex, f->made[f->part[i]]);
}

/* Moves one constraint at the vertex that is not a tetrahedron. Cells must still have their old corners. */
static void follow(sn_solid_cut *s, const fan *f, const sn_tear_node *node)
{
    sn_world *world = s->world;
    const sn_pool *pool = world->constraints.pool[node->kind];
    uint32_t small[4 * SN_MAX_POINTS], other[4 * SN_MAX_POINTS], count, others = 0, first = 0;
    if (pool_has_lists(pool)) {
        if (pool->kind->repeats)
            sn_tear_remove(world, node->kind, node->row, &s->released), s->removed++;
        return;
    }
    const uint32_t *point = pool->point + (size_t)node->row * pool->kind->points;
    bool own = false;
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        own = own || point[i] == f->vertex;
    if (!own)
        return;
    sn_sleep_disturb_constraint(world, pool, node->row);
    const uint32_t *held = sn_store_particles(&world->constraints, pool, node->row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (held[i] != f->vertex)
            other[others++] = held[i];
    uint32_t set = pool->kind->points == 1 ? (1u << f->parts) - 1 : parts_with(world, f, other, others), n = 0;
    if (!set) { /* if it leads to something else it stays; if it spans the cut it is removed */
        if (pool->kind->points > 2)
            sn_tear_remove(world, node->kind, node->row, &s->released), s->removed++;
        return;
    }
    for (uint32_t i = 0; i < f->parts; ++i)
        n += set >> i & 1;
    if (n > 1 && pool->kind->points > 1)
        sn_split_weaken(world, node->kind, node->row, n);
    while (!(set >> first & 1))
        ++first;
    for (uint32_t i = first + 1; i < f->parts; ++i) {
        if (!(set >> i & 1))
            continue;
        const uint32_t made = sn_split_copy(world, node->kind, node->row);
        uint32_t *code = pool->point + (size_t)made * pool->kind->points;
        for (uint32_t k = 0; k < pool->kind->points; ++k)
            code[k] = code[k] == f->vertex ? f->made[i] : code[k];
        sn_tear_index_constraint(world, node->kind, made);
    }
    if (f->made[first] == f->vertex && n > 1)
        sn_store_log(&world->constraints, node->kind, node->row, 1, SN_EDIT_CHANGED);
    replace(world, node->kind, node->row, f, first);
}

/* Triangles of skins go with the cell of which they are in a face. */
static void move_triangles(sn_world *world, const fan *f)
{
    sn_tearing *t = &world->tearing;
    uint32_t place[SN_TEAR_FAN], *corner = world->contact.triangle_table.column[0];
    const uint32_t count = sn_tear_triangles_at(world, f->vertex, place, SN_TEAR_FAN);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        const uint32_t *of = corner + place[i] / 3 * 3;
        const uint32_t other[2] = {of[(place[i] + 1) % 3], of[(place[i] + 2) % 3]};
        const uint32_t set = parts_with(world, f, other, 2);
        uint32_t part = 0;
        while (set && !(set >> part & 1))
            ++part;
        if (!set || f->made[part] == f->vertex)
            continue;
        sn_tear_unlink(t, f->vertex, place[i]);
        corner[place[i]] = f->made[part];
        sn_tear_link(t, f->made[part], place[i]);
        sn_tear_note_triangle(world, place[i] / 3);
    }
}

static void tell(sn_solid_cut *s, const fan *f, sn_tear tear, double released)
{
    sn_world *world = s->world;
    sn_skin_record *skin = contact_skins(&world->contact);
    for (uint32_t i = 0; i < f->parts; ++i) {
        for (uint32_t k = 0; k < world->contact.skin_table.count; ++k)
            if (skin[k].least <= f->vertex && f->vertex <= skin[k].most) {
                skin[k].least = f->made[i] < skin[k].least ? f->made[i] : skin[k].least;
                skin[k].most = f->made[i] > skin[k].most ? f->made[i] : skin[k].most;
            }
        if (f->made[i] == f->vertex)
            continue;
        tear.released = (sn_real)released;
        released = 0;
        tear.made = (sn_particle){f->made[i], world->ids.generation[f->made[i]]};
        sn_tear_tell(world, &tear);
        s->split++;
    }
}

/* Splits a vertex. of: the event, without the vertex, its position and its skin. True if it was split. */
static bool split(sn_solid_cut *s, uint32_t vertex, const sn_tear *of)
{
    sn_world *world = s->world;
    sn_tearing *t = &world->tearing;
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    fan f = {.vertex = vertex};
    const uint32_t row = sn_tear_skin_of((const sn_tear_head *)t->head_table.column[0] + vertex);
    const double before = s->released;
    sn_tear tear = *of;
    tear.particle = (sn_particle){vertex, world->ids.generation[vertex]};
    tear.place = vec4_xyz(world->particles.x[world->ids.value[vertex]]);
    if (row) {
        const uint32_t number = contact_skins(&world->contact)[row - 1].number;
        tear.skin = (sn_skin){number, world->contact.skin_ids.generation[number]};
    }
    if (!find_parts(s, &f) || !sn_split_fits(world, vertex) ||
        !sn_solid_may_part(world, vertex, f.parts, f.count, f.cell, f.part) || !sn_tear_allowed(world, &tear))
        return false;
    const uint32_t count = sn_tear_constraints_at(world, vertex, node, SN_TEAR_CONSTRAINTS);
    make_particles(world, &f);
    for (uint32_t i = 0; i < count; ++i)
        if (node[i].kind != SN_KIND_VOLUME)
            follow(s, &f, &node[i]);
    move_triangles(world, &f);
    for (uint32_t i = 0; i < f.count; ++i)
        move_cell(world, &f, i);
    t->room_particles -= f.parts - 1;
    tell(s, &f, tear, s->released - before);
    t->sequence = world->constraints.counts.next_sequence;
    sn_sleep_disturb(world, vertex);
    return true;
}

/* Sets `apart` of faces whose sides have different vertices now. */
static void note_apart(sn_solid_cut *s)
{
    face *of = s->face_table.column[0];
    for (uint32_t i = 0; i < s->face_table.count; ++i)
        for (uint32_t k = 0; k < of[i].count; ++k)
            of[i].apart = of[i].apart || sn_cell_corners(s->world, of[i].cell[0])[of[i].corner[0][k]] !=
                                             sn_cell_corners(s->world, of[i].cell[1])[of[i].corner[1][k]];
}

void sn_solid_split(sn_solid_cut *s)
{
    const sn_tear tear = {.type = SN_TEAR_SPLIT, .cut = true};
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        split(s, ((const uint32_t *)s->vertex_table.column[0])[i], &tear);
    note_apart(s);
}

/* ---- Triangles of the cut ---------------------------------------------------------------------------------------- */

/* 2 + row of the skin that gets triangles for a face; below 2: none. */
static uint32_t skin_of(const sn_solid_cut *s, uint32_t i)
{
    const face *of = (const face *)s->face_table.column[0] + i;
    const uint32_t particle = sn_cell_corners(s->world, of->cell[0])[of->corner[0][0]];
    return of->apart ? ((const sn_tear_head *)s->world->tearing.head_table.column[0])[particle].solid : 0;
}

uint32_t sn_solid_count(const sn_solid_cut *s, uint32_t *more)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < s->face_table.count; ++i)
        if (skin_of(s, i) > 1) {
            const uint32_t added = triangles_of((const face *)s->face_table.column[0] + i);
            more[skin_of(s, i) - 2] += added, total += added;
        }
    return total;
}

/* True if the corners of a face, in the order of one of its tetrahedra, are counter-clockwise as seen from the fourth
   corner. At rest: a tetrahedron that is inverted now has the same neighbours as before. */
static bool looks_inwards(const sn_world *world, const face *of, uint32_t k)
{
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    const uint8_t at[4] = {of->corner[k][0], of->corner[k][1], of->corner[k][2], of->opposite[k]};
    const uint32_t *corner = sn_cell_corners(world, of->cell[k]);
    double volume = (double)pool->param[(size_t)of->cell[k] * pool->param_count];
    if (volume == 0) { /* its rest volume is 0 */
        const sn_dvec3 x = sn_cell_place(world, corner[0]), b = dvec3_sub(sn_cell_place(world, corner[1]), x),
                       c = dvec3_sub(sn_cell_place(world, corner[2]), x),
                       d = dvec3_sub(sn_cell_place(world, corner[3]), x);
        volume = dvec3_dot(dvec3_cross(b, c), d);
    }
    for (uint32_t i = 1; i < 4; ++i)
        for (uint32_t j = 0; j < i; ++j)
            volume = at[j] > at[i] ? -volume : volume;
    return volume > 0;
}

static void add_triangle(sn_world *world, sn_skin_record *skin, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c}, at = skin->first + skin->count++;
    memcpy((uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)at, corner, sizeof corner);
    for (uint32_t j = 0; j < 3; ++j) {
        skin->least = corner[j] < skin->least ? corner[j] : skin->least;
        skin->most = corner[j] > skin->most ? corner[j] : skin->most;
    }
    sn_tear_note_triangle(world, at);
}

/* Adds side k of a face. The triangles of a square meet at a corner that was split. */
static void close_side(sn_world *world, sn_skin_record *skin, const face *of, uint32_t k)
{
    uint32_t a[2][4], first = 0;
    for (uint32_t j = 0; j < 2; ++j)
        for (uint32_t i = 0; i < of->count; ++i)
            a[j][i] = sn_cell_corners(world, of->cell[j])[of->corner[j][i]];
    while (of->count == 4 && a[0][first] == a[1][first])
        ++first;
    const bool turned = of->count == 4 ? k == 1 : looks_inwards(world, of, k);
    for (uint32_t i = 1; i + 1 < of->count; ++i) {
        const uint32_t b = a[k][(first + i) % of->count], c = a[k][(first + i + 1) % of->count];
        add_triangle(world, skin, a[k][first], turned ? c : b, turned ? b : c);
    }
}

void sn_solid_close(sn_solid_cut *s)
{
    for (uint32_t i = 0; i < s->face_table.count; ++i)
        for (uint32_t k = 0, row = skin_of(s, i); row > 1 && k < 2; ++k)
            close_side(s->world, &contact_skins(&s->world->contact)[row - 2], (const face *)s->face_table.column[0] + i,
                       k);
}

/* ---- Tears -------------------------------------------------------------------------------------------------------
   A rod that is too long splits the solid at one of its ends, as it splits cloth: the plane through that vertex across
   the rod divides the cells at it, and the faces between the two sides open like a wedge. So the tear is like a
   cut by a blade that reaches only the faces of one vertex. The next step continues at its edge, where strain is
   greatest. */

/* The most faces of tears in a step. */
#define FACES_A_STEP (8 * SN_TEARS_A_STEP)

typedef struct across {
    sn_dvec3 at, displacement;
} across;

static int side_across(const void *data, sn_dvec3 x)
{
    const across *a = data;
    return dvec3_dot(dvec3_sub(x, a->at), a->displacement) > 0 ? 1 : -1;
}

static bool is_anywhere(const void *data, sn_dvec3 x)
{
    (void)data, (void)x;
    return true;
}

static bool is_any(const sn_world *world, const void *data, uint32_t particle)
{
    (void)world, (void)data, (void)particle;
    return true;
}

static int no_side(const void *data, sn_dvec3 x)
{
    (void)data, (void)x;
    return 1;
}

bool sn_solid_reserve(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    const sn_allocator *allocator = &world->allocator;
    const uint64_t triangles = (uint64_t)world->contact.triangle_table.count + 4 * FACES_A_STEP;
    return triangles <= SN_MAX_COUNT && sn_table_reserve(&t->solid.face_table, allocator, FACES_A_STEP) &&
           sn_table_reserve(&t->solid.more_table, allocator, (uint64_t)world->contact.skin_table.count + 1) &&
           sn_table_reserve(&world->contact.triangle_table, allocator, triangles) &&
           sn_table_reserve(&t->next_table, allocator, 3 * triangles);
}

/* Adds the faces at a vertex between cells on two sides. Returns their number; UINT32_MAX if there is no room. */
static uint32_t add_faces(sn_solid_cut *s, uint32_t vertex)
{
    uint32_t cell[SN_TEAR_FAN], corner[4];
    const uint32_t count = sn_cells_at(s->world, vertex, cell), before = s->face_table.count;
    for (uint32_t i = 1; count != UINT32_MAX && i < count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const uint32_t f = sn_cell_shared_face(s->world, cell[i], cell[k], vertex, corner);
            if (f == UINT32_MAX || !is_cut(s, cell[i], cell[k], corner))
                continue;
            if (s->face_table.count == FACES_A_STEP) {
                s->face_table.count = before;
                return UINT32_MAX;
            }
            const face of = face_between(s, cell[i], f, cell[k]);
            add_face(s, &of); /* memory is reserved */
        }
    return s->face_table.count - before;
}

/* Marks all corners of some cells as next to a tear of this step. */
static void mark_cells(sn_world *world, const uint32_t *cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < sn_cell_corner_count(cell[i]); ++k)
            sn_tear_mark_busy(&world->tearing, sn_cell_corners(world, cell[i])[k]);
}

/* True if the faces from `first` on have room, and no cell at their vertex is inside out. If its skin does not collide
   with itself they need none. */
static bool may_open(const sn_solid_cut *s, uint32_t first, const uint32_t *around, uint32_t count)
{
    const face *of = s->face_table.column[0];
    if (!collides_with_itself(s, &of[first]))
        return true;
    for (uint32_t i = 0; i < count; ++i)
        if (is_inverted(s->world, around[i]))
            return false;
    for (uint32_t i = first; i < s->face_table.count; ++i)
        if (!has_room(s, &of[i]) || crosses_another(s, &of[i], first))
            return false;
    return true;
}

bool sn_solid_tear(sn_world *world, uint32_t vertex, uint32_t to, const sn_tear *tear)
{
    sn_solid_cut *s = &world->tearing.solid;
    const across plane = {sn_cell_place(world, vertex),
                          dvec3_sub(sn_cell_place(world, to), sn_cell_place(world, vertex))};
    const uint32_t first = s->face_table.count;
    uint32_t around[SN_TEAR_FAN];
    s->world = world;
    s->blade = &plane;
    s->side = side_across;
    s->on = is_anywhere;
    s->may_cut = is_any;
    s->low = dvec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
    s->high = dvec3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    s->inside_out = true; /* perhaps: not looked for in all cells */
    const uint32_t faces = add_faces(s, vertex), count = sn_cells_at(world, vertex, around);
    if (faces == UINT32_MAX || !faces || !may_open(s, first, around, count) || !split(s, vertex, tear)) {
        s->face_table.count = first;
        return false;
    }
    s->side = no_side; /* the ends of the tear are split only where they alone connect cells */
    for (uint32_t i = first; i < first + faces; ++i) {
        const face of = ((const face *)s->face_table.column[0])[i];
        for (uint32_t k = 0; k < of.count; ++k) {
            const uint32_t end = sn_cell_corners(world, of.cell[0])[of.corner[0][k]];
            if (end != vertex)
                split(s, end, tear);
        }
    }
    note_apart(s);
    mark_cells(world, around, count);
    sn_world_break_motion(world);
    return true;
}

void sn_solid_finish(sn_world *world)
{
    sn_solid_cut *s = &world->tearing.solid;
    uint32_t *more = s->more_table.column[0];
    double released = 0;
    if (!s->face_table.count)
        return;
    memset(more, 0, (world->contact.skin_table.count + 1) * sizeof *more);
    if (sn_tear_make_gaps(world, more, sn_solid_count(s, more))) {
        sn_solid_close(s);
        sn_tear_index_anew(world);
        sn_solid_set_apart(world, s->first, more, &s->removed, &released);
    }
    s->face_table.count = 0;
}
