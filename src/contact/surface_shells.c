/* Shells: bodies as surfaces see them. A vertex of a cloth touches a body by its radius, as every particle does. Between the vertices of a coarse cloth there is room for a corner of a box, a thin rod or
   the tip of a cone. So the core of each shape, which is a polyhedron, a segment or a point, has features as skins have, and what is not flat of it is a contact with the triangles and
   edges of a cloth; the guard looks at all of it.

   The corners of a shell have no particles. They stand behind the vertices of skins in all tables that are kept by vertex, and are led: where they begin and end in a substep is where the body does.
   Shells have something to do where a skin comes near them; the others cost a look at their boxes. */
#include "contact/particle_contacts.h"

#include "contact/particle_work.h"
#include "world/world.h"

#include <string.h>

#define MOST_TRIANGLES 4096u        /* of a mesh: edges of larger ones are short */
#define ROUND          ((sn_real)2) /* edges of the cloth: what is rounder than that is known well enough by vertices */
#define FLAT           (1 - 1e-6)   /* the cosine from which on two triangles are one face */
#define STAYS_NEAR     ((sn_real)4) /* edges: from so far away a shell is taken to be near */

/* What is read of a shape: the polyhedron inside of its rounding, or a mesh. */
typedef struct core {
    sn_hull hull;
    sn_convex_room room;
    const sn_trimesh *mesh;
    sn_real radius; /* m: of its rounding */
} core;

static bool take_convex(const sn_convex *convex, core *to)
{
    to->hull = sn_convex_core(convex, &to->room);
    to->radius = convex->radius;
    to->mesh = NULL;
    return true;
}

/* False: it has nothing sharp, or too much of it. */
static bool take_fixed(const sn_world *world, uint32_t number, core *to)
{
    if (!sn_ids_is_live(&world->contact.fixed_shape_ids, number))
        return false;
    const sn_fixed_shape *r = contact_fixed_shape(&world->contact, number);
    if (r->def.sensor || r->shape.type == SN_SHAPE_PLANE || r->shape.type == SN_SHAPE_FIELD)
        return false;
    if (r->shape.type != SN_SHAPE_MESH) {
        const sn_convex solid = sn_shape_solid(&r->shape);
        return take_convex(&solid, to);
    }
    to->mesh = r->shape.data->mesh;
    to->radius = r->shape.thickness;
    return sn_trimesh_triangles(to->mesh) <= MOST_TRIANGLES && !r->def.one_sided;
}

static uint32_t vertices_of(const core *c)
{
    return c->mesh ? sn_trimesh_vertices(c->mesh) : c->hull.vertices;
}

static uint32_t triangles_of(const core *c)
{
    return c->mesh ? sn_trimesh_triangles(c->mesh) : c->hull.loops - 2 * c->hull.faces;
}

/* Whether it counts for cloth whose edges are as long as this. */
static bool is_sharp(const core *c, sn_real edge)
{
    return c->mesh || c->radius < ROUND * edge;
}

void sn_surface_shells_count(const sn_world *world, sn_real edge, sn_surface_shells_size *size)
{
    core c;
    *size = (sn_surface_shells_size){0};
    for (uint32_t number = 0; number < world->contact.fixed_shape_ids.table.count; ++number)
        if (take_fixed(world, number, &c) && is_sharp(&c, edge)) {
            size->shells++;
            size->vertices += vertices_of(&c);
            size->triangles += triangles_of(&c);
            size->edges += c.mesh ? 0 : c.hull.vertices == 2;
        }
}

/* ---- Making them -------------------------------------------------------------------------------------------------------- */

static void add_corner(sn_surfaces *s, sn_vec3 place, uint32_t skin)
{
    const uint32_t vertex = s->all_vertices++;
    surface_vertices(s)[vertex] = (sn_surface_vertex){.number = SN_SURFACE_NONE,
                                                      .slot = SN_SURFACE_NONE,
                                                      .skin = skin,
                                                      .triangle = SN_SURFACE_NONE,
                                                      .edge = SN_SURFACE_NONE};
    ((sn_vec3 *)s->shell_corner_table.column[0])[vertex - s->vertex_table.count] = place;
}

static void add_triangle(sn_surfaces *s, uint32_t skin, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t made = s->triangle_table.count++;
    sn_surface_triangle *t = &surface_triangles(s)[made];
    *t = (sn_surface_triangle){.vertex = {a, b, c}, .skin = skin};
    for (uint32_t k = 0; k < 3; ++k)
        if (surface_vertices(s)[t->vertex[k]].triangle == SN_SURFACE_NONE) {
            surface_vertices(s)[t->vertex[k]].triangle = made;
            t->owns |= 1u << k;
        }
}

static void add_shell(sn_surfaces *s, uint32_t number, const core *c, sn_real edge)
{
    const uint32_t row = s->all_skins++, first = s->all_vertices;
    sn_surface_shell *shell = (sn_surface_shell *)s->shell_table.column[0] + s->shell_table.count++;
    sn_surface_skin *skin = &surface_skins(s)[row];
    *skin = (sn_surface_skin){.row = SN_SURFACE_NONE,
                              .shell = s->shell_table.count,
                              .first = s->triangle_table.count,
                              .first_vertex = first,
                              .thickness = c->radius,
                              .edge = edge};
    *shell = (sn_surface_shell){.skin = row, .number = number, .first_tile = SN_SURFACE_NONE};
    for (uint32_t i = 0; c->mesh && i < vertices_of(c); ++i)
        add_corner(s, sn_trimesh_vertex(c->mesh)[i], row);
    for (uint32_t i = 0; !c->mesh && i < vertices_of(c); ++i)
        add_corner(s, dvec3_round(c->hull.vertex[i]), row);
    const uint32_t *index = c->mesh ? sn_trimesh_index(c->mesh) : NULL;
    for (uint32_t i = 0; c->mesh && i < triangles_of(c); ++i)
        add_triangle(s, row, first + index[3 * i], first + index[3 * i + 1], first + index[3 * i + 2]);
    for (uint32_t i = 0; !c->mesh && i < c->hull.faces; ++i) {
        const sn_hull_face *face = &c->hull.face[i];
        const uint8_t *loop = c->hull.loop + face->first;
        for (uint32_t k = 2; k < face->count; ++k)
            add_triangle(s, row, first + loop[0], first + loop[k - 1], first + loop[k]);
    }
    skin->count = s->triangle_table.count - skin->first;
    skin->vertices = s->all_vertices - first;
}

void sn_surface_shells_add(const sn_world *world, sn_surfaces *s, sn_real edge)
{
    core c;
    for (uint32_t number = 0; number < world->contact.fixed_shape_ids.table.count; ++number)
        if (take_fixed(world, number, &c) && is_sharp(&c, edge))
            add_shell(s, number, &c, edge);
}

sn_vec3 sn_surface_shell_corner(const sn_surfaces *s, uint32_t vertex)
{
    return ((const sn_vec3 *)s->shell_corner_table.column[0])[vertex - s->vertex_table.count];
}

static sn_dvec3 normal_with(const sn_surfaces *s, const sn_surface_edge *edge, uint32_t across)
{
    const sn_dvec3 a = dvec3_from(sn_surface_shell_corner(s, edge->vertex[0]));
    const sn_dvec3 b = dvec3_from(sn_surface_shell_corner(s, edge->vertex[1]));
    const sn_dvec3 n = dvec3_cross(dvec3_sub(b, a), dvec3_sub(dvec3_from(sn_surface_shell_corner(s, across)), a));
    const double length = dvec3_length(n);
    return length > 0 ? dvec3_scale(n, 1 / length) : n;
}

/* Edges within a flat face; segments of capsules are edges of their own. */
void sn_surface_shells_edges(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->edge_table.count; ++i) {
        sn_surface_edge *edge = &surface_edges(s)[i];
        if (edge->vertex[0] < s->vertex_table.count || edge->across[1] == SN_SURFACE_NONE)
            continue;
        edge->flat = dvec3_dot(normal_with(s, edge, edge->across[0]), normal_with(s, edge, edge->across[1])) < -FLAT;
    }
    for (uint32_t i = s->skin_table.count; i < s->all_skins; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        skin->first_edge = s->edge_table.count;
        skin->segments = !skin->count && skin->vertices == 2;
        if (skin->segments)
            surface_edges(s)[s->edge_table.count++] =
                (sn_surface_edge){.vertex = {skin->first_vertex, skin->first_vertex + 1},
                                  .across = {SN_SURFACE_NONE, SN_SURFACE_NONE},
                                  .triangle = SN_SURFACE_NONE};
    }
}

/* ---- Where they are ------------------------------------------------------------------------------------------------------- */

static sn_bounds of_shell(const sn_world *world, const sn_surface_shell *shell)
{
    return motions(&world->contacts)[shell->number].swept;
}

static bool overlaps(const sn_bounds *a, const sn_bounds *b, sn_real by)
{
    return a->low.x - by <= b->high.x && b->low.x - by <= a->high.x && a->low.y - by <= b->high.y &&
           b->low.y - by <= a->high.y && a->low.z - by <= b->high.z && b->low.z - by <= a->high.z;
}

static bool is_same(const sn_pose *a, const sn_pose *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Corners, as the substep begins and where it leads. m: how far one is from where the substep before ended, squared. */
static sn_real place_corners(const sn_world *world, sn_surfaces *s, sn_surface_shell *shell, sn_real h, bool fresh,
                             bool begins)
{
    const sn_surface_skin *skin = &surface_skins(s)[shell->skin];
    const sn_fixed_motion *m = &motions(&world->contacts)[shell->number];
    const bool stands = is_same(&m->start, &m->end);
    sn_real jump = 0;
    if (!fresh && stands && is_same(&shell->end, &m->end) && is_same(&shell->start, &m->start))
        return 0;
    for (uint32_t i = skin->first_vertex; i < skin->first_vertex + skin->vertices; ++i) {
        sn_surface_motion *v = &surface_motions(s)[i];
        const sn_vec3 start = sn_pose_to_world(&m->start, sn_surface_shell_corner(s, i)), d = vec3_sub(start, v->end);
        const sn_real square = vec3_dot(d, d);
        jump = square <= jump ? jump : square;
        v->start = start;
        v->end = stands ? start : sn_pose_to_world(&m->end, sn_surface_shell_corner(s, i));
        v->velocity = vec3_scale(vec3_sub(v->end, v->start), 1 / h);
        v->share = v->next = 1;
        v->led = true;
        v->hit = false;
        v->changed = !begins;
    }
    shell->start = m->start;
    shell->end = m->end;
    return fresh ? 0 : jump;
}

static void turn_tiles(sn_surfaces *s, const sn_surface_shell *shell, bool off)
{
    for (uint32_t i = 0; i < shell->tiles; ++i)
        surface_tiles(s)[shell->first_tile + i].off = off;
}

sn_real sn_surface_shells_place(const sn_world *world, sn_surfaces *s, const sn_bounds *box, sn_real h, bool begins)
{
    sn_surface_shell *shell = s->shell_table.column[0];
    sn_real jump = 0;
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        const sn_bounds own = of_shell(world, &shell[i]);
        const sn_real edge = surface_skins(s)[shell[i].skin].edge;
        const bool was = shell[i].near;
        shell[i].near = overlaps(&own, box, edge) || (was && (!begins || overlaps(&own, box, STAYS_NEAR * edge)));
        if (shell[i].near != was) {
            turn_tiles(s, &shell[i], !shell[i].near);
            s->searched = false;
        }
        if (shell[i].near && (begins || !was)) {
            const sn_real here = place_corners(world, s, &shell[i], h, !was, begins);
            jump = here <= jump ? jump : here;
        }
    }
    return jump;
}

void sn_surface_shells_change(sn_surfaces *s, bool all)
{
    const sn_surface_shell *shell = s->shell_table.column[0];
    for (uint32_t k = 0; k < s->shell_table.count; ++k) {
        const sn_surface_skin *skin = &surface_skins(s)[shell[k].skin];
        for (uint32_t i = skin->first_vertex; shell[k].near && i < skin->first_vertex + skin->vertices; ++i) {
            sn_surface_motion *v = &surface_motions(s)[i];
            v->changed = all || v->hit;
            v->hit = false;
        }
    }
}

/* ---- What they are to others ------------------------------------------------------------------------------------------------- */

const sn_surface_shell *sn_surface_shell_of(const sn_surfaces *s, uint32_t vertex)
{
    if (vertex < s->vertex_table.count)
        return NULL;
    return (const sn_surface_shell *)s->shell_table.column[0] +
           surface_skins(s)[surface_vertices(s)[vertex].skin].shell - 1;
}

bool sn_surface_shell_agrees(const sn_world *world, const sn_surface_skin *shell, const sn_surface_skin *skin)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t number = ((const sn_surface_shell *)s->shell_table.column[0])[shell->shell - 1].number;
    const sn_group_contact *group = sn_contact_group(&world->contact, skin->group);
    const sn_filter filter = sn_fixed_shape_filter(&world->contact, contact_fixed_shape(&world->contact, number));
    return sn_contacts_agree(group->category, group->mask, filter.category, filter.mask);
}

bool sn_surface_shell_joins(const sn_world *world, const sn_surface_candidate *c)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t second = c->edges ? 2 : 1;
    const bool first = c->vertex[0] >= s->vertex_table.count;
    const sn_surface_shell *shell = sn_surface_shell_of(s, c->vertex[first ? 0 : 3]);
    const uint32_t body = contact_fixed_shape(&world->contact, shell->number)->body;
    for (uint32_t k = first ? second : 0; k < (first ? 4 : second); ++k)
        if (sn_fixed_joins(world, body, surface_vertices(s)[c->vertex[k]].number))
            return true;
    return false;
}
