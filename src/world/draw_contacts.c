/* Debug drawing: contacts with a normal impulse, as stored for the next step. */
#include "integrators/integrator.h"
#include "contact/body_work.h"
#include "world/draw.h"

/* One contact point. force: N. */
static void draw_contact(const sn_drawing *d, sn_vec3 place, sn_vec3 normal, sn_real force)
{
    if (drawing_wants(d, SN_DRAW_CONTACTS)) {
        sn_drawing_point(d, place, 0, SN_COLOUR_CONTACT);
        sn_drawing_line(d, place, vec3_add(place, vec3_scale(normal, d->draw->axis_length)), SN_COLOUR_CONTACT);
    }
    if (drawing_wants(d, SN_DRAW_FORCES))
        sn_drawing_line(d, place, vec3_add(place, vec3_scale(normal, force * d->draw->force_length)), SN_COLOUR_FORCE);
}

/* s: the substep of the stored impulses; 0 before the first step. */
static sn_real last_substep(const sn_world *world)
{
    return world->state.h / sn_integrators[world->state.settings.integrator]->step_factor;
}

static sn_vec3 unit_or_up(sn_vec3 a)
{
    const sn_real length = vec3_length(a);
    return length > 0 ? vec3_scale(a, 1 / length) : vec3(0, 1, 0);
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static bool is_particle(const sn_world *world, uint32_t number, uint32_t generation)
{
    return number < world->ids.table.count && sn_ids_is_live(&world->ids, number) &&
           world->ids.generation[number] == generation;
}

/* The normal of a triangle, on the side of `from`. */
static sn_vec3 triangle_normal(const sn_world *world, uint32_t triangle, sn_vec3 from)
{
    const uint32_t *corner = (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)triangle;
    sn_vec3 x[3];
    for (uint32_t k = 0; k < 3; ++k)
        x[k] = vec4_xyz(world->particles.x[world->ids.value[corner[k]]]);
    const sn_vec3 n = unit_or_up(vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])));
    return vec3_dot(n, vec3_sub(from, x[0])) < 0 ? vec3_scale(n, -1) : n;
}

/* A stored impulse is the relative displacement of the two sides in a substep, m: the force is impulse / (w h^2), with
   w the sum of inverse masses. See contact/particle_contacts.h. */
static void draw_particle_contacts(const sn_drawing *d, sn_real h)
{
    const sn_world *world = d->world;
    const sn_kept_impulse *kept = world->contact.impulse_table.column[0];
    for (uint32_t i = 0; i < world->contact.impulse_table.count; ++i, ++kept) {
        if (!is_particle(world, kept->number, kept->generation))
            continue;
        const uint32_t slot = world->ids.value[kept->number],
                       other = kept->other & ~(SN_IMPULSE_FIXED | SN_IMPULSE_TRIANGLE);
        const sn_vec3 x = vec4_xyz(world->particles.x[slot]);
        sn_vec3 normal = kept->normal;
        sn_real give = world->particles.x[slot].w;
        if (kept->other & SN_IMPULSE_TRIANGLE) {
            if (kept->other_generation != world->contact.skin_generation ||
                other >= world->contact.triangle_table.count)
                continue;
            normal = triangle_normal(world, other, x);
        } else if (!(kept->other & SN_IMPULSE_FIXED)) {
            if (!is_particle(world, other, kept->other_generation))
                continue;
            normal = unit_or_up(vec3_sub(x, vec4_xyz(world->particles.x[world->ids.value[other]])));
            give += world->particles.x[world->ids.value[other]].w;
        }
        const sn_real force = give > 0 && h > 0 ? kept->normal_impulse / (give * h * h) : 0;
        draw_contact(d, vec3_sub(x, vec3_scale(normal, world->particles.radius[slot])), normal, force);
    }
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static sn_pose pose_of_particle(const sn_world *world, uint32_t slot)
{
    const uint32_t body = world->particles.body[slot];
    return (sn_pose){vec4_xyz(world->particles.x[slot]),
                     body ? world->bodies.turn[body - 1].start : (sn_quat){0, 0, 0, 1}};
}

/* The pose of the other one; false if it was removed. */
static bool pose_of_other(const sn_world *world, const sn_kept_manifold *m, sn_pose *pose)
{
    const uint32_t other = (uint32_t)m->key[0], number = other & ~SN_IMPULSE_FIXED;
    if (!(other & SN_IMPULSE_FIXED)) {
        if (!is_particle(world, number, m->generation[1]))
            return false;
        *pose = pose_of_particle(world, world->ids.value[number]);
        return true;
    }
    const sn_ids *ids = &world->contact.fixed_shape_ids;
    if (number >= ids->table.count || !sn_ids_is_live(ids, number) || ids->generation[number] != m->generation[1])
        return false;
    const sn_fixed_shape *record = &contact_fixed_shapes(&world->contact)[ids->value[number]];
    *pose = record->pose;
    return true;
}

static void draw_body_contacts(const sn_drawing *d, sn_real h)
{
    const sn_world *world = d->world;
    const sn_kept_manifold *m = world->body_contacts.kept_table.column[0];
    for (uint32_t i = 0; i < world->body_contacts.kept_table.count; ++i, ++m) {
        const uint32_t number = (uint32_t)(m->key[0] >> 32);
        sn_pose other;
        if (!is_particle(world, number, m->generation[0]) || !pose_of_other(world, m, &other))
            continue;
        const uint32_t slot = world->ids.value[number], body = world->particles.body[slot];
        const sn_pose own = pose_of_particle(world, slot);
        const uint32_t part = (uint32_t)(m->key[1] >> 32);
        if (!body || part >= world->bodies.state[body - 1].parts)
            continue;
        const sn_real round = world->bodies.part[world->bodies.state[body - 1].part + part].convex.radius;
        const sn_vec3 n = sn_quat_rotate(m->owner == SN_NORMAL_OF_B ? other.rotation : own.rotation, m->normal);
        for (uint32_t k = 0; k < m->count; ++k)
            if (m->point[k].normal_impulse > 0)
                draw_contact(d, vec3_sub(sn_pose_to_world(&own, m->point[k].a), vec3_scale(n, round)), n,
                             h > 0 ? m->point[k].normal_impulse / h : 0);
    }
}

void sn_draw_contacts(const sn_drawing *d)
{
    if (!drawing_wants(d, SN_DRAW_CONTACTS | SN_DRAW_FORCES))
        return;
    const sn_real h = last_substep(d->world);
    draw_particle_contacts(d, h);
    draw_body_contacts(d, h);
}
