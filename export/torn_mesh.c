#include "export/torn_mesh.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool is_own(const sn_object *object, uint32_t number)
{
    return number - object->run.first < object->run.count;
}

/* The vertex for a particle of the skin. */
static uint32_t vertex_of(const sn_torn_mesh *mesh, const sn_object *object, uint32_t number)
{
    if (is_own(object, number))
        return number - object->run.first;
    const uint32_t *found = bsearch(&number, mesh->number, mesh->came, sizeof *mesh->number, compare);
    return object->run.count + (uint32_t)(found - mesh->number);
}

static void *resize(void *block, size_t size, bool *good)
{
    void *larger = realloc(block, size ? size : 1);
    *good = *good && larger;
    return larger ? larger : block;
}

/* Reads the triangles of the skin, if they have changed. */
static bool read_triangles(sn_torn_mesh *mesh, const sn_world *world, const sn_object *object)
{
    uint32_t count;
    bool good = true;
    mesh->triangle_count = object->triangle_count;
    mesh->triangle = object->triangle;
    mesh->came = 0;
    if (!sn_skin_is_valid(world, object->skin))
        return true;
    const uint32_t *corner = sn_skin_triangles(world, object->skin, &count);
    mesh->number = resize(mesh->number, 3 * (size_t)count * sizeof *mesh->number, &good);
    mesh->own_triangle = resize(mesh->own_triangle, 3 * (size_t)count * sizeof *mesh->own_triangle, &good);
    if (!good)
        return false;
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        if (!is_own(object, corner[i]))
            mesh->number[mesh->came++] = corner[i];
    if (mesh->came)
        qsort(mesh->number, mesh->came, sizeof *mesh->number, compare);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < mesh->came; ++i)
        if (!kept || mesh->number[kept - 1] != mesh->number[i])
            mesh->number[kept++] = mesh->number[i];
    mesh->came = kept;
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        mesh->own_triangle[i] = vertex_of(mesh, object, corner[i]);
    mesh->triangle_count = count;
    mesh->triangle = mesh->own_triangle;
    return true;
}

/* ---- Groups of shape matching ------------------------------------------------------------------------------------ */

static bool is_shape(uint32_t kind)
{
    return kind >= SN_KIND_SHAPE_MATCH && kind <= SN_KIND_SHAPE_MATCH_QUADRATIC;
}

/* Whether a group has particles of the object but is none of its original groups: a tear or a cut made it. */
static bool is_formed(const sn_world *world, const sn_object *object, sn_constraint group)
{
    const uint32_t count = sn_constraint_point_count(world, group);
    bool own = false;
    for (uint32_t h = 0; h < object->hold_count; ++h)
        if (object->hold[h].run.kind == group.kind &&
            group.index - object->hold[h].run.first < object->hold[h].run.count)
            return false;
    sn_constraint_def def;
    sn_point *point = malloc(((size_t)count + 1) * sizeof *point);
    own = point && sn_constraint_read(world, group, &def, point, count) == SN_OK &&
          is_own(object, point[0].particle[0].index);
    free(point);
    return own;
}

/* Whether a soft body was cut: one of its groups no longer exists, or there is a new one. */
static bool has_cut_groups(const sn_world *world, const sn_object *object)
{
    bool any = false, cut = false;
    for (uint32_t h = 0; h < object->hold_count; ++h)
        for (uint32_t i = 0; is_shape(object->hold[h].run.kind) && i < object->hold[h].run.count; ++i) {
            any = true;
            cut = cut || !sn_constraint_is_valid(world, sn_constraints_at(object->hold[h].run, i));
        }
    sn_constraint_walk walk = {0};
    while (any && !cut && sn_constraint_next(world, &walk))
        cut = is_shape(walk.constraint.kind) && is_formed(world, object, walk.constraint);
    return cut;
}

/* Whether a soft body can tear: its groups have a strength. */
static bool has_weak_groups(const sn_world *world, const sn_object *object)
{
    for (uint32_t h = 0; h < object->hold_count; ++h) {
        sn_tear_def tear;
        const sn_constraints run = object->hold[h].run;
        for (uint32_t i = 0; is_shape(run.kind) && i < run.count; ++i)
            if (sn_constraint_is_valid(world, sn_constraints_at(run, i)))
                return sn_constraint_read_tear(world, sn_constraints_at(run, i), &tear) == SN_OK && tear.strain > 0;
    }
    return false;
}

/* The groups of each particle of an object: those of particle i are group[start[i]] and on, ascending. */
typedef struct membership {
    uint32_t *start, *group;
    sn_point *point;
    uint32_t room;
} membership;

/* Visits all groups, and counts members, or, with notes, stores them. */
static bool walk_groups(const sn_world *world, const sn_object *object, membership *m, bool notes)
{
    sn_constraint_walk walk = {0};
    for (uint32_t number = 0; sn_constraint_next(world, &walk); ++number) {
        const uint32_t kind = walk.constraint.kind, count = sn_constraint_point_count(world, walk.constraint);
        sn_constraint_def def;
        bool good = true;
        if (!is_shape(kind))
            continue;
        if (count > m->room)
            m->point = resize(m->point, count * sizeof *m->point, &good), m->room = good ? count : m->room;
        if (!good || sn_constraint_read(world, walk.constraint, &def, m->point, count) != SN_OK)
            return false;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t particle = m->point[i].particle[0].index;
            if (!is_own(object, particle))
                continue;
            if (notes)
                m->group[m->start[particle - object->run.first]++] = number;
            else
                m->start[particle - object->run.first + 1]++;
        }
    }
    return true;
}

static bool share_group(const membership *m, const uint32_t *corner)
{
    for (uint32_t i = m->start[corner[0]]; i < m->start[corner[0] + 1]; ++i) {
        uint32_t found = 0;
        for (uint32_t c = 1; c < 3; ++c)
            for (uint32_t k = m->start[corner[c]]; k < m->start[corner[c] + 1]; ++k)
                found += m->group[k] == m->group[i];
        if (found == 2)
            return true;
    }
    return false;
}

/* Removes triangles of a soft body with tearing groups that lie between parts that no group joins. */
static bool leave_out_parted(sn_torn_mesh *mesh, const sn_world *world, const sn_object *object)
{
    bool good = true;
    membership m = {.start = calloc((size_t)object->run.count + 2, sizeof *m.start)};
    good = m.start && walk_groups(world, object, &m, false);
    for (uint32_t i = 0; good && i < object->run.count; ++i)
        m.start[i + 1] += m.start[i];
    if (good)
        m.group = resize(NULL, ((size_t)m.start[object->run.count] + 1) * sizeof *m.group, &good);
    good = good && walk_groups(world, object, &m, true); /* this has moved each start to the next one */
    if (good)
        memmove(m.start + 1, m.start, object->run.count * sizeof *m.start), m.start[0] = 0;
    mesh->own_triangle = resize(mesh->own_triangle, 3 * (size_t)object->triangle_count * sizeof(uint32_t), &good);
    uint32_t kept = 0;
    for (uint32_t i = 0; good && i < object->triangle_count; ++i)
        if (share_group(&m, object->triangle + 3 * (size_t)i))
            memcpy(mesh->own_triangle + 3 * (size_t)kept++, object->triangle + 3 * (size_t)i, 3 * sizeof(uint32_t));
    free(m.start), free(m.group), free(m.point);
    mesh->triangle_count = good ? kept : 0;
    mesh->triangle = mesh->own_triangle;
    return good;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static uint64_t pair_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Lists the pairs of particles that constraints of an object join; *gone: some constraint no longer exists. */
static uint32_t list_pairs(const sn_world *world, const sn_object *object, uint64_t *pair, bool *gone)
{
    uint32_t count = 0;
    *gone = false;
    for (uint32_t h = 0; h < object->hold_count; ++h)
        for (uint32_t i = 0; i < object->hold[h].run.count; ++i) {
            const sn_constraint c = sn_constraints_at(object->hold[h].run, i);
            sn_constraint_def def;
            sn_point point[SN_MAX_POINTS];
            if (!sn_constraint_is_valid(world, c)) {
                *gone = true;
                continue;
            }
            if (sn_kind_info(world, c.kind)->points != 2 ||
                sn_constraint_read(world, c, &def, point, SN_MAX_POINTS) != SN_OK || point[0].count != 1 ||
                point[1].count != 1)
                continue;
            if (pair)
                pair[count] = pair_of(point[0].particle[0].index, point[1].particle[0].index);
            ++count;
        }
    return count;
}

/* Finds the lines to draw: a line whose constraint broke, tore or was cut is left out. As long as all constraints
   exist, so do all lines. */
static bool read_lines(sn_torn_mesh *mesh, const sn_world *world, const sn_object *object)
{
    bool gone = false, good = true;
    mesh->line_count = object->line_count;
    mesh->line = object->line;
    for (uint32_t h = 0; object->line_count && h < object->hold_count && !gone; ++h)
        for (uint32_t i = 0; i < object->hold[h].run.count && !gone; ++i)
            gone = !sn_constraint_is_valid(world, sn_constraints_at(object->hold[h].run, i));
    if (!gone)
        return true;
    const uint32_t pairs = list_pairs(world, object, NULL, &gone);
    uint64_t *pair = malloc(((size_t)pairs + 1) * sizeof *pair);
    mesh->own_line = resize(mesh->own_line, 2 * (size_t)object->line_count * sizeof *mesh->own_line, &good);
    if (!pair || !good) {
        free(pair);
        return false;
    }
    list_pairs(world, object, pair, &gone);
    qsort(pair, pairs, sizeof *pair, compare_pairs);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < object->line_count; ++i) {
        const uint32_t *line = object->line + 2 * (size_t)i;
        const uint64_t wanted = pair_of(object->run.first + line[0], object->run.first + line[1]);
        if (bsearch(&wanted, pair, pairs, sizeof *pair, compare_pairs))
            memcpy(mesh->own_line + 2 * (size_t)kept++, line, 2 * sizeof *line);
    }
    free(pair);
    mesh->line_count = kept;
    mesh->line = mesh->own_line;
    return true;
}

bool sn_torn_mesh_read(sn_torn_mesh *mesh, const sn_world *world, const sn_object *object)
{
    if (mesh->topology != sn_world_topology(world) && !read_triangles(mesh, world, object))
        return false;
    if (object->triangle_count && !sn_skin_is_valid(world, object->skin) &&
        (has_weak_groups(world, object) || has_cut_groups(world, object)) && !leave_out_parted(mesh, world, object))
        return false;
    mesh->topology = sn_world_topology(world);
    mesh->vertex_count = object->run.count + mesh->came;
    return read_lines(mesh, world, object);
}

void sn_torn_mesh_release(sn_torn_mesh *mesh)
{
    free(mesh->number);
    free(mesh->own_triangle);
    free(mesh->own_line);
    *mesh = (sn_torn_mesh){0};
}

sn_particle sn_torn_mesh_particle(const sn_torn_mesh *mesh, const sn_world *world, const sn_object *object,
                                  uint32_t vertex)
{
    if (vertex < object->run.count)
        return sn_particles_at(object->run, vertex);
    return sn_particle_from_index(world, mesh->number[vertex - object->run.count]);
}
