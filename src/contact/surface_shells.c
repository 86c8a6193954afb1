/* Shells: the features of bodies, for contact with surfaces.

   A vertex of a cloth collides with a body by its radius, as every particle does. Between the vertices of a coarse
   cloth a corner of a box, a thin rod or the tip of a cone could pass. So the core of each shape, which is a
   polyhedron, a segment or a point, has features as skins have. Those that are not flat make contacts with the
   triangles and edges of a cloth, and the guard checks all of them.

   The corners of a shell have no particles. They are behind the vertices of skins in all tables by vertex, and
   cannot be pushed as particles: they start and end in a substep where the body does. Shells near a skin are placed
   in a substep; of the others, only boxes are tested. */
#include "contact/particle_contacts.h"

#include "bodies/rotation.h"
#include "contact/body_work.h"
#include "contact/callbacks.h"
#include "contact/particle_work.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"
#include "world/world.h"

#include <string.h>

#define MOST_TRIANGLES 4096u        /* of a mesh: larger meshes have short edges, and no shell */
#define ROUND          ((sn_real)2) /* edges of the cloth: for shapes with a larger rounding, vertices are enough */
#define FLAT           (1 - 1e-6)   /* cosine of the angle below which two triangles are one face */
#define STAYS_NEAR     ((sn_real)4) /* edges: a shell within this distance counts as near */

/* The core of a shape: the polyhedron inside its rounding, or a mesh. */
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

/* False: it has no sharp features, or too many. */
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

/* True if a shape is sharp enough to need a shell, for a cloth with this edge length (m). */
static bool is_sharp(const core *c, sn_real edge)
{
    return c->mesh || c->radius < ROUND * edge;
}

static bool take_part(const sn_world *world, uint32_t part, core *to)
{
    const sn_body_part *p = &world->bodies.part[part];
    return !p->sensor && take_convex(&p->convex, to);
}

/* Calls a function for all shapes that need a shell: fixed shapes, then parts of bodies. */
typedef void visit_fn(sn_surfaces *s, void *data, sn_surface_shell shell, const core *c);

static void visit_all(const sn_world *world, sn_surfaces *s, sn_real edge, visit_fn *visit, void *data)
{
    const sn_bodies *bodies = &world->bodies;
    core c;
    for (uint32_t number = 0; number < world->contact.fixed_shape_ids.table.count; ++number)
        if (take_fixed(world, number, &c) && is_sharp(&c, edge))
            visit(s, data, (sn_surface_shell){.number = number}, &c);
    for (uint32_t row = 0; row < bodies_rows(bodies); ++row)
        for (uint32_t i = 0; bodies_has(bodies, row) && i < bodies->state[row].parts; ++i) {
            const uint32_t part = bodies->state[row].part + i;
            if (take_part(world, part, &c) && is_sharp(&c, edge))
                visit(s, data, (sn_surface_shell){.number = SN_SURFACE_NONE, .row = row, .part = part}, &c);
        }
}

static void count(sn_surfaces *s, void *data, sn_surface_shell shell, const core *c)
{
    sn_surface_shells_size *size = data;
    (void)s, (void)shell;
    size->shells++;
    size->vertices += vertices_of(c);
    size->triangles += triangles_of(c);
    size->edges += !c->mesh && c->hull.vertices == 2;
}

void sn_surface_shells_count(const sn_world *world, sn_real edge, sn_surface_shells_size *size)
{
    *size = (sn_surface_shells_size){0};
    visit_all(world, NULL, edge, count, size);
}

/* ---- Making them ------------------------------------------------------------------------------------------------- */

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

static void add_shell(sn_surfaces *s, void *data, sn_surface_shell made, const core *c)
{
    const uint32_t row = s->all_skins++, first = s->all_vertices;
    const uint32_t number = s->shell_table.count++;
    sn_surface_shell *shell = (sn_surface_shell *)s->shell_table.column[0] + number;
    sn_surface_skin *skin = &surface_skins(s)[row];
    *skin = (sn_surface_skin){.row = SN_SURFACE_NONE,
                              .shell = s->shell_table.count,
                              .first = s->triangle_table.count,
                              .first_vertex = first,
                              .thickness = c->radius,
                              .edge = *(const sn_real *)data};
    *shell = made;
    if (made.number == SN_SURFACE_NONE && !((uint32_t *)s->body_table.column[0])[made.row])
        ((uint32_t *)s->body_table.column[0])[made.row] = s->shell_table.count;
    shell->skin = row;
    shell->first_tile = SN_SURFACE_NONE;
    shell->first = number && shell[-1].number == made.number && shell[-1].row == made.row ? shell[-1].first : number;
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
    s->body_table.count = bodies_rows(&world->bodies);
    if (s->body_table.count)
        memset(s->body_table.column[0], 0, s->body_table.count * sizeof(uint32_t));
    visit_all(world, s, edge, add_shell, &edge);
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

/* Marks edges within a flat face. Segments of capsules are edges without triangles. */
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

/* ---- Positions --------------------------------------------------------------------------------------------------- */

static sn_surface_shell *shells(const sn_surfaces *s)
{
    return s->shell_table.column[0];
}

static bool moves_freely(const sn_surface_shell *shell)
{
    return shell->number == SN_SURFACE_NONE;
}

static sn_pose body_pose(const sn_world *world, const sn_surface_shell *shell)
{
    const uint32_t slot = world->ids.value[world->bodies.state[shell->row].particle];
    return (sn_pose){vec4_xyz(world->particles.x[slot]), world->bodies.turn[shell->row].start};
}

static sn_vec3 spin_of(const sn_world *world, uint32_t row)
{
    const sn_body_state *body = &world->bodies.state[row];
    double inverse[3], spin[3];
    sn_body_inverse_moments(body, inverse);
    sn_rotate_velocity(body->q, body->l, inverse, spin);
    return vec3((sn_real)spin[0], (sn_real)spin[1], (sn_real)spin[2]);
}

/* The poses of its shape at the start and at the end of the substep. The end is predicted, or known if the substep
   ends. */
static void poses_of(const sn_world *world, const sn_surface_shell *shell, sn_real h, bool begins, sn_pose *start,
                     sn_pose *end)
{
    if (!moves_freely(shell)) {
        const sn_fixed_motion *m = &motions(&world->contacts)[shell->number];
        *start = m->start;
        *end = m->end;
        return;
    }
    const sn_pose now = body_pose(world, shell);
    if (!begins) {
        const sn_pose before = sn_surface_member_start(&world->contacts.surfaces, shell);
        *start = contact_part_pose(world, &before, shell->part);
        *end = contact_part_pose(world, &now, shell->part);
        return;
    }
    const uint32_t slot = world->ids.value[world->bodies.state[shell->row].particle];
    const sn_pose then = {vec3_add(now.position, vec3_scale(vec4_xyz(world->particles.v[slot]), h)),
                          sn_quat_rotated(now.rotation, vec3_scale(spin_of(world, shell->row), h))};
    *start = contact_part_pose(world, &now, shell->part);
    *end = contact_part_pose(world, &then, shell->part);
}

/* m: bounds of a shell in this substep. */
static sn_bounds of_shell(const sn_world *world, const sn_surface_shell *shell, sn_real h)
{
    if (!moves_freely(shell))
        return motions(&world->contacts)[shell->number].swept;
    const uint32_t slot = world->ids.value[world->bodies.state[shell->row].particle];
    const sn_real far =
        sn_body_reach(world, shell->row, false) + 2 * h * vec3_length(vec4_xyz(world->particles.v[slot]));
    const sn_vec3 x = vec4_xyz(world->particles.x[slot]), by = vec3(far, far, far);
    return (sn_bounds){vec3_sub(x, by), vec3_add(x, by)};
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

/* Places corners at the start and at the end of the substep. Returns the largest squared distance (m^2) of one from
   its end in the substep before. */
static sn_real place_corners(const sn_world *world, sn_surfaces *s, sn_surface_shell *shell, sn_real h, bool fresh,
                             bool begins)
{
    const sn_surface_skin *skin = &surface_skins(s)[shell->skin];
    sn_pose from, to;
    sn_real jump = 0;
    poses_of(world, shell, h, begins, &from, &to);
    const bool stands = is_same(&from, &to);
    if (!fresh && stands && is_same(&shell->end, &to) && is_same(&shell->start, &from))
        return 0;
    for (uint32_t i = skin->first_vertex; i < skin->first_vertex + skin->vertices; ++i) {
        sn_surface_motion *v = &surface_motions(s)[i];
        const sn_vec3 start = sn_pose_to_world(&from, sn_surface_shell_corner(s, i)), d = vec3_sub(start, v->end);
        const sn_real square = vec3_dot(d, d);
        jump = square <= jump ? jump : square;
        v->start = start;
        v->end = stands ? start : sn_pose_to_world(&to, sn_surface_shell_corner(s, i));
        v->velocity = vec3_scale(vec3_sub(v->end, v->start), 1 / h);
        v->share = v->next = 1;
        v->kinematic = true;
        v->hit = false;
        v->changed = !begins;
    }
    shell->start = from;
    shell->end = to;
    return fresh ? 0 : jump;
}

/* Computes the data of a movable body for contacts. */
static void measure_body(const sn_world *world, sn_surface_shell *first)
{
    const sn_body_state *body = &world->bodies.state[first->row];
    double m[3][3], w[3];
    first->slot = world->ids.value[body->particle];
    first->spin = spin_of(world, first->row);
    first->twist = vec3(0, 0, 0);
    sn_body_inverse_moments(body, w);
    sn_rotate_matrix(body->q, m);
    for (uint32_t i = 0; i < 6; ++i) {
        const uint32_t a = i % 3, b = i < 3 ? a : (a + 1) % 3;
        const double sum = m[a][0] * m[b][0] * w[0] + m[a][1] * m[b][1] * w[1] + m[a][2] * m[b][2] * w[2];
        first->inverse[i] = (sn_real)sum * world->particles.x[first->slot].w;
    }
}

static void turn_tiles(sn_surfaces *s, const sn_surface_shell *shell, bool off)
{
    for (uint32_t i = 0; i < shell->tiles; ++i)
        surface_tiles(s)[shell->first_tile + i].off = off;
}

bool sn_surface_shells_are_near(const sn_world *world, const sn_surfaces *s, const sn_bounds *box, sn_real h)
{
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        const sn_bounds own = of_shell(world, &shells(s)[i], h);
        if (overlaps(&own, box, surface_skins(s)[shells(s)[i].skin].edge))
            return true;
    }
    return false;
}

sn_real sn_surface_shells_place(const sn_world *world, sn_surfaces *s, const sn_bounds *box, sn_real h, bool begins)
{
    sn_surface_shell *shell = shells(s);
    sn_real jump = 0;
    if (begins)
        sn_surface_members_begin(world, s);
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        const sn_bounds own = of_shell(world, &shell[i], h);
        const sn_real edge = surface_skins(s)[shell[i].skin].edge;
        const bool was = shell[i].near;
        shell[i].near = overlaps(&own, box, edge) || (was && (!begins || overlaps(&own, box, STAYS_NEAR * edge)));
        if (shell[i].near != was) {
            turn_tiles(s, &shell[i], !shell[i].near);
            s->searched = false;
        }
        if (shell[i].near && begins && moves_freely(&shell[i]))
            measure_body(world, &shell[shell[i].first]);
        if (shell[i].near && (begins || !was)) {
            const sn_real here = place_corners(world, s, &shell[i], h, !was, begins);
            jump = here <= jump ? jump : here;
        }
    }
    return jump;
}

void sn_surface_shells_change(sn_surfaces *s, bool all)
{
    const sn_surface_shell *shell = shells(s);
    for (uint32_t k = 0; k < s->shell_table.count; ++k) {
        const sn_surface_skin *skin = &surface_skins(s)[shell[k].skin];
        for (uint32_t i = skin->first_vertex; shell[k].near && i < skin->first_vertex + skin->vertices; ++i) {
            sn_surface_motion *v = &surface_motions(s)[i];
            v->changed = all || v->hit;
            v->hit = false;
        }
    }
}

/* Contact has moved bodies, so their ends have changed. */
void sn_surface_shells_end(const sn_world *world, sn_surfaces *s)
{
    sn_surface_shell *shell = shells(s);
    for (uint32_t k = 0; k < s->shell_table.count; ++k) {
        const sn_surface_skin *skin = &surface_skins(s)[shell[k].skin];
        if (!shell[k].near || !moves_freely(&shell[k]))
            continue;
        const sn_pose now = body_pose(world, &shell[k]);
        shell[k].end = contact_part_pose(world, &now, shell[k].part);
        for (uint32_t i = skin->first_vertex; i < skin->first_vertex + skin->vertices; ++i) {
            sn_surface_motion *v = &surface_motions(s)[i];
            const sn_vec3 before = v->end;
            v->end = sn_pose_to_world(&shell[k].end, sn_surface_shell_corner(s, i));
            v->changed = v->changed || v->end.x != before.x || v->end.y != before.y || v->end.z != before.z;
        }
    }
}

/* Twists are found with the inertia as the substep began, and impulses act there: a body that turned since does so
   again, with the momentum that it has then. If that were taken from the twist where the body is now, a thin rod that
   turned by half a radian had hundreds of times the energy. */
void sn_surface_shells_turn(sn_world *world, sn_real h, bool moves)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_turning *turning = sn_turning_by(0);
    sn_surface_shell *shell = shells(s);
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        const sn_vec3 twist = shell[i].twist;
        if (shell[i].first != i || !moves_freely(&shell[i]) || (twist.x == 0 && twist.y == 0 && twist.z == 0))
            continue;
        const uint32_t row = shell[i].row;
        sn_body_state *body = &world->bodies.state[row];
        double inverse[3], as[4];
        sn_body_inverse_moments(body, inverse);
        sn_spin_batch batch = {.count = 1,
                               .body = {body},
                               .as = {as},
                               .h = (double)h,
                               .inverse = {inverse},
                               .odd = {SN_NONE_ALIKE},
                               .start = {&world->bodies.turn[row].start},
                               .now = {&world->bodies.turn[row].now},
                               .gain = {vec4(twist, 0)}};
        turning->back(&batch);
        batch.h = moves ? (double)h : 0;
        turning->spin(&batch);
        bodies_turned(&world->bodies, row);
        shell[i].twist = vec3(0, 0, 0);
    }
}

/* ---- Contacts with shells ---------------------------------------------------------------------------------------- */

sn_surface_shell *sn_surface_shell_of(const sn_surfaces *s, uint32_t vertex)
{
    return vertex < s->vertex_table.count ? NULL
                                          : shells(s) + surface_skins(s)[surface_vertices(s)[vertex].skin].shell - 1;
}

bool sn_surface_shells_are_one(const sn_world *world, const sn_surface_shell *a, const sn_surface_shell *b)
{
    if (!a || !b || moves_freely(a) != moves_freely(b))
        return false;
    return moves_freely(a) ? a->row == b->row
                           : contact_fixed_shape(&world->contact, a->number)->body ==
                                 contact_fixed_shape(&world->contact, b->number)->body;
}

static uint32_t slot_of(const sn_world *world, const sn_surface_shell *shell)
{
    return world->ids.value[world->bodies.state[shell->row].particle];
}

bool sn_surface_shell_agrees(const sn_world *world, const sn_surface_skin *skin_of_shell, const sn_surface_skin *skin)
{
    const sn_surface_shell *shell = shells(&world->contacts.surfaces) + skin_of_shell->shell - 1;
    const sn_group_contact *group = sn_contact_group(&world->contact, skin->group);
    const sn_filter filter =
        moves_freely(shell)
            ? sn_part_filter(world, shell->part, slot_of(world, shell))
            : sn_fixed_shape_filter(&world->contact, contact_fixed_shape(&world->contact, shell->number));
    return sn_contacts_agree(group->category, group->mask, filter.category, filter.mask);
}

/* True if a constraint joins the two, or rods keep the particle inside the shape: then they do not collide. */
static bool holds(const sn_world *world, const sn_surface_shell *shell, uint32_t number)
{
    const uint32_t body = world->bodies.state[shell->row].particle;
    const sn_body_part *part = &world->bodies.part[shell->part];
    return sn_incidence_joins(&world->incidence, &world->constraints, body, number) ||
           sn_incidence_leashes(&world->incidence, &world->constraints, body, number, part->place,
                                sn_convex_inner(&part->convex) + world->particles.radius[world->ids.value[number]]);
}

bool sn_surface_shell_joins(const sn_world *world, const sn_surface_candidate *c)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t second = c->edges ? 2 : 1;
    const bool first = c->vertex[0] >= s->vertex_table.count;
    const sn_surface_shell *shell = sn_surface_shell_of(s, c->vertex[first ? 0 : 3]);
    for (uint32_t k = first ? second : 0; k < (first ? 4 : second); ++k) {
        const uint32_t number = surface_vertices(s)[c->vertex[k]].number;
        if (moves_freely(shell)
                ? holds(world, shell, number)
                : sn_fixed_joins(world, contact_fixed_shape(&world->contact, shell->number)->body, number))
            return true;
    }
    return false;
}

const sn_contact_material *sn_surface_shell_material(const sn_world *world, const sn_surface_shell *shell,
                                                     sn_vec3 *belt)
{
    if (moves_freely(shell)) {
        const sn_contact_material *material = sn_part_material(world, shell->part, slot_of(world, shell));
        *belt = sn_quat_rotate(world->bodies.turn[shell->row].start, material->surface_velocity);
        return material;
    }
    const sn_fixed_shape *shape = contact_fixed_shape(&world->contact, shell->number);
    *belt = sn_fixed_surface_velocity(world, shape);
    return sn_fixed_shape_material(&world->contact, shape);
}

sn_contact_pair sn_surface_shell_pair(const sn_world *world, const sn_surface_shell *shell, uint32_t slot)
{
    if (!moves_freely(shell)) {
        const sn_static_contact contact = {.slot = slot, .number = shell->number, .triangle = SN_NO_TRIANGLE};
        return sn_contact_pair_of_static(world, &contact);
    }
    sn_contact_pair pair = sn_contact_pair_of(world, slot, slot_of(world, shell));
    pair.other_shape = shell->part - world->bodies.state[shell->row].part;
    return pair;
}
