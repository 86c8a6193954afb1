/* Contacts of surfaces as a caller sees them: their two sides, and their effects in a step.

   A contact of features is reported as one of two particles: on each side the corner with the largest weight. In
   the events of a step, impulses of contacts with the same two particles are added up. */
#include "contact/callbacks.h"
#include "contact/particle_contacts.h"
#include "contact/surface_shells.h"

static uint32_t heaviest(const sn_surface_contact *c, uint32_t first, uint32_t end)
{
    uint32_t most = first;
    for (uint32_t k = first + 1; k < end; ++k)
        most = fabs((double)c->weight[k]) > fabs((double)c->weight[most]) ? k : most;
    return most;
}

/* The triangle of the side that is reported as the other: the triangle itself, or the owner of an edge or a vertex. */
static uint32_t triangle_of(const sn_surfaces *s, const sn_surface_contact *c, bool turned)
{
    if (c->edges)
        return surface_edges(s)[turned ? c->one : c->other].triangle;
    return turned ? surface_vertices(s)[c->one].triangle : c->other;
}

sn_contact_pair sn_surface_contact_pair(const sn_world *world, const sn_surface_contact *c, bool *turned)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t second = c->edges ? 2 : 1, one = heaviest(c, 0, second), other = heaviest(c, second, 4);
    if (c->shell) {
        const bool first = c->side > 0;
        sn_contact_pair pair = sn_surface_shell_pair(world, c->shell, c->slot[first ? other : one]);
        *turned = sn_contact_pair_sort(&pair) != first;
        return pair;
    }
    sn_contact_pair pair = sn_contact_pair_of(world, c->slot[one], c->slot[other]);
    *turned = sn_contact_pair_sort(&pair);
    const sn_surface_skin *skin = &surface_skins(s)[surface_vertices(s)[c->vertex[*turned ? one : other]].skin];
    const uint32_t number = contact_skins(&world->contact)[skin->row].number, triangle = triangle_of(s, c, *turned);
    pair.skin = (sn_skin){number, world->contact.skin_ids.generation[number]};
    if (triangle >= skin->first && triangle < skin->first + skin->count)
        pair.triangle = triangle - skin->first;
    return pair;
}

sn_vec3 sn_surface_contact_point(const sn_surfaces *s, const sn_surface_contact *c)
{
    sn_vec3 point = {0, 0, 0};
    if (c->side > 0) /* the one feature is on the shell */
        for (uint32_t k = 0; k < (c->edges ? 2u : 1u); ++k)
            point = vec3_add(point, vec3_scale(surface_motions(s)[c->vertex[k]].start, c->weight[k]));
    for (uint32_t k = c->edges ? 2 : 1; k < 4 && !(c->side > 0); ++k)
        point = vec3_sub(point, vec3_scale(surface_motions(s)[c->vertex[k]].start, c->weight[k]));
    return point;
}

/* The material at a vertex; of a shell also its surface velocity. */
static const sn_contact_material *material_of(const sn_world *world, uint32_t vertex, sn_vec3 *belt)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_shell *shell = sn_surface_shell_of(s, vertex);
    if (!shell)
        return &sn_contact_group(&world->contact, surface_skins(s)[surface_vertices(s)[vertex].skin].group)->material;
    return sn_surface_shell_material(world, shell, belt);
}

/* The point on a movable body is relative to its centre. Its inverse mass is added. */
static void add_body(const sn_world *world, sn_surface_contact *made)
{
    const sn_surface_shell *body = made->body;
    const sn_vec4 centre = world->particles.x[body->slot];
    made->contact_point = vec3_sub(made->contact_point, vec4_xyz(centre));
    made->drift = vec3_cross(body->spin, made->contact_point);
    const sn_vec3 lever = vec3_cross(made->contact_point, made->normal);
    const sn_real along = vec3_dot(lever, sn_surface_shell_gives(body, lever));
    sn_real all = 0; /* the sum over three axes */
    for (int k = 0; k < 3; ++k) {
        const sn_vec3 other = vec3_cross(made->contact_point, vec3(k == 0, k == 1, k == 2));
        all += vec3_dot(other, sn_surface_shell_gives(body, other));
    }
    const sn_real centres = made->give + centre.w, across = all - along;
    made->give = centres + along;
    made->tangential = across > along ? made->give / (centres + across) : 1;
}

sn_surface_contact sn_surface_contact_make(const sn_world *world, const sn_surface_candidate *c,
                                           const sn_real weight[4], sn_vec3 normal)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_shell *shell_one = sn_surface_shell_of(s, c->vertex[0]),
                     *shell_two = sn_surface_shell_of(s, c->vertex[3]);
    const uint32_t first = shell_one ? 3 : 0; /* the index of a corner that is a particle */
    sn_vec3 belt = {0, 0, 0};
    sn_surface_contact made = {.one = c->one,
                               .other = c->other,
                               .edges = c->edges,
                               .rope = c->segments || surface_vertices(s)[c->vertex[0]].triangle == SN_SURFACE_NONE,
                               .reach = sn_surface_reach(world, c),
                               .normal = normal,
                               .tangential = 1,
                               .shell = shell_one ? shell_one : shell_two,
                               .side = shell_one   ? 1
                                       : shell_two ? -1
                                                   : 0,
                               .friction = sn_contacts_friction(material_of(world, c->vertex[0], &belt),
                                                                material_of(world, c->vertex[3], &belt))};
    if (made.shell && made.shell->number == SN_SURFACE_NONE)
        made.body = (sn_surface_shell *)s->shell_table.column[0] + made.shell->first;
    made.belt = vec3_scale(belt, shell_one ? -1 : 1);
    for (uint32_t k = 0; k < 4; ++k) {
        made.vertex[k] = c->vertex[k];
        made.weight[k] = weight[k];
        const sn_surface_motion *m = &surface_motions(s)[c->vertex[k]];
        made.before += weight[k] * vec3_dot(m->velocity, normal);
        if (c->vertex[k] >= s->vertex_table.count) {
            made.slot[k] = made.body ? made.body->slot : surface_vertices(s)[c->vertex[first]].slot;
            made.contact_point =
                vec3_add(made.contact_point, vec3_scale(made.body ? m->start : m->end, weight[k] * made.side));
            made.drift = vec3_add(made.drift, vec3_scale(m->velocity, weight[k] * made.side));
            continue;
        }
        made.own[k] = weight[k];
        made.slot[k] = surface_vertices(s)[c->vertex[k]].slot;
        made.give += weight[k] * weight[k] * world->particles.x[made.slot[k]].w;
    }
    if (made.body)
        add_body(world, &made);
    return made;
}

bool sn_surfaces_tell(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_contact *c = s->contact_table.column[0];
    if (!s->on || !world->contact.settings.events)
        return true;
    if (!sn_table_reserve(&s->told_table, &world->allocator, (uint64_t)s->told_table.count + s->contact_table.count) ||
        !sn_contact_events_make_room(world, (uint64_t)s->told_table.count + s->contact_table.count)) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for events of surfaces");
        return false;
    }
    for (uint32_t i = 0; i < s->contact_table.count; ++i) {
        bool turned;
        if (!(c[i].normal_impulse > 0))
            continue;
        const sn_contact_pair pair = sn_surface_contact_pair(world, &c[i], &turned);
        ((sn_surface_told *)s->told_table.column[0])[s->told_table.count++] =
            (sn_surface_told){.pair = pair,
                              .point = sn_surface_contact_point(s, &c[i]),
                              .normal = vec3_scale(c[i].normal, turned ? -1 : 1),
                              .impulse = (c[i].normal_impulse / h + c[i].throws) / c[i].give,
                              .impact = c[i].before < 0 ? -c[i].before : 0};
    }
    return true;
}
