/* Contacts that are solved together with trees of constraints, of particles that constraints press on fixed shapes
   (solvers/forest_leaning.c).

   Contact acts after the constraints, so the constraints are solved as if there were no surface. That is right as long
   as the displacement that contact then applies is small compared with the distances between particles. For trees with
   a heavy load, the surfaces that supported particles in the last substep are part of the equations instead, and
   contact continues from the impulses that were found. Friction is limited by the normal impulse of the last
   substep. */
#include "contact/particle_supports.h"

#include "contact/particle_work.h"

/* The least cosine between the normals of a contact now and in the last substep for which it is the same support. */
#define SUPPORT_SAME ((sn_real)0.9)

static sn_contact_support *supports(const sn_contacts *c)
{
    return c->support_table.column[0];
}

static uint32_t *support_of(const sn_contacts *c)
{
    return c->support_of_table.column[0];
}

static sn_static_contact *contact_of(const sn_contacts *c, const sn_contact_support *s)
{
    return (sn_static_contact *)c->static_table.column[0] + s->contact;
}

bool sn_supports_reserve(sn_world *world)
{
    sn_contacts *c = &world->contacts;
    const bool any = world->plan.made && world->plan.tree_table.count && c->static_contacts;
    const uint32_t count = any ? world->particles.table.count : 0;
    c->support_table.count = 0;
    c->most_supports = any ? c->static_contacts : 0;
    if (!sn_table_reserve(&c->support_table, &world->allocator, c->most_supports) ||
        !sn_table_reserve(&c->support_of_table, &world->allocator, count))
        return false;
    if (count)
        memset(support_of(c), 0, count * sizeof(uint32_t));
    c->support_of_table.count = count;
    return true;
}

/* The normal and the gap between a particle and a fixed shape. False if it is not near. */
static bool look(const sn_world *world, const sn_static_contact *contact, sn_vec3 x, const sn_pose *pose,
                 sn_vec3 *normal, sn_real *gap)
{
    const sn_shape *shape = &record_of(world, contact->number)->shape;
    const sn_real radius = world->particles.radius[contact->slot] + shape->guard;
    sn_touch touch;
    if (shape->type == SN_SHAPE_PLANE) {
        *normal = sn_quat_rotate(pose->rotation, vec3(0, 1, 0));
        *gap = vec3_dot(vec3_sub(x, pose->position), *normal) - shape->thickness - radius;
        return true;
    }
    if (!sn_shape_near(shape, sn_pose_to_own(pose, x), 2 * (radius + shape->thickness), &touch))
        return false;
    *normal = sn_quat_rotate(pose->rotation, touch.normal);
    *gap = touch.distance - radius;
    return true;
}

static bool may_support(const sn_world *world, const sn_static_contact *contact)
{
    return contact->normal_impulse > 0 && !contact->sensor && !contact->belted &&
           !(world->contacts.spins && sn_spin_has(world, contact->slot));
}

/* Of several contacts of a particle, the one with the largest normal impulse counts. */
static void add_support(sn_world *world, uint32_t number)
{
    sn_contacts *c = &world->contacts;
    const sn_static_contact *contact = (const sn_static_contact *)c->static_table.column[0] + number;
    uint32_t *of = &support_of(c)[contact->slot];
    sn_vec3 normal;
    sn_real gap;
    if (!may_support(world, contact) || c->support_table.count == c->most_supports ||
        (*of && contact_of(c, &supports(c)[*of - 1])->normal_impulse >= contact->normal_impulse) ||
        !look(world, contact, vec4_xyz(world->particles.x[contact->slot]), &motions(c)[contact->number].start, &normal,
              &gap))
        return;
    if (!*of)
        *of = ++c->support_table.count;
    supports(c)[*of - 1] =
        (sn_contact_support){.slot = contact->slot,
                             .contact = number,
                             .from = vec4_xyz(world->particles.x[contact->slot]),
                             .before = gap < 0 ? gap : 0,
                             .normal_impulse = contact->ahead,
                             .tangent_impulse = contact->ahead > 0 ? contact->ahead_across : vec3(0, 0, 0)};
}

void sn_supports_begin(sn_world *world, sn_real h)
{
    sn_contacts *c = &world->contacts;
    for (uint32_t i = 0; i < c->support_table.count; ++i)
        support_of(c)[supports(c)[i].slot] = 0;
    c->support_table.count = 0;
    c->supports_warm = false;
    c->supports_h = h;
    for (uint32_t i = 0; c->most_supports && i < c->static_contacts; ++i)
        add_support(world, i);
}

bool sn_supports_lean(void *data, uint32_t slot, sn_support *out)
{
    const sn_world *world = data;
    const sn_contacts *c = &world->contacts;
    if (!support_of(c)[slot])
        return false;
    const sn_contact_support *s = &supports(c)[support_of(c)[slot] - 1];
    const sn_static_contact *contact = contact_of(c, s);
    const sn_fixed_motion *m = &motions(c)[contact->number];
    const sn_vec3 x = vec3_add(vec4_xyz(world->particles.x[slot]), vec4_xyz(world->particles.x_low[slot]));
    sn_vec3 n;
    sn_real gap;
    if (!look(world, contact, x, &m->end, &n, &gap) || vec3_dot(n, contact->normal) < SUPPORT_SAME)
        return false;
    const sn_vec3 was = c->supports_warm ? contact->tangent_impulse : s->tangent_impulse;
    const sn_vec3 displacement = vec3_sub(vec3_sub(x, s->from), surface_displacement(m, x, world->contacts.supports_h));
    const sn_vec3 wants = vec3_sub(contact->tangent_impulse, vec3_scale(displacement, (sn_real)SN_SUPPORT_GRIP));
    out->normal = dvec3_from(n);
    out->gap = (double)gap - (double)s->before;
    out->exerted = (double)(c->supports_warm ? contact->normal_impulse : s->normal_impulse);
    out->by_friction = dvec3_from(across(was, n));
    out->friction = dvec3_from(across(wants, n));
    out->static_friction = (double)(contact->friction.static_friction * contact->normal_impulse);
    out->dynamic_friction = (double)(contact->friction.dynamic_friction * contact->normal_impulse);
    return true;
}

void sn_supports_leant(void *data, uint32_t slot, const sn_support *support)
{
    const sn_world *world = data;
    const sn_contacts *c = &world->contacts;
    sn_contact_support *s = &supports(c)[support_of(c)[slot] - 1];
    sn_static_contact *contact = contact_of(c, s);
    const sn_vec3 push = vec3((sn_real)support->push.x, (sn_real)support->push.y, (sn_real)support->push.z);
    sn_real *normal = c->supports_warm ? &contact->normal_impulse : &s->normal_impulse;
    sn_vec3 *tangent = c->supports_warm ? &contact->tangent_impulse : &s->tangent_impulse;
    *normal += (sn_real)support->normal_force;
    *normal = *normal > 0 ? *normal : 0;
    *tangent = vec3_add(*tangent, push);
    s->held = true;
}

void sn_supports_warm(sn_world *world)
{
    sn_contacts *c = &world->contacts;
    c->supports_warm = true;
}

bool sn_supports_take_over(const sn_contacts *c, sn_static_contact *contact)
{
    const uint32_t of = c->support_table.count ? support_of(c)[contact->slot] : 0;
    const sn_contact_support *s = of ? &supports(c)[of - 1] : NULL;
    if (!s || !s->held || contact_of(c, s) != contact)
        return false;
    contact->last = contact->normal_impulse;
    contact->normal_impulse = s->normal_impulse;
    contact->tangent_impulse = s->tangent_impulse;
    contact->clear = 0;
    return true;
}
