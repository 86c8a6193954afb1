/* Contact of bodies: what turns far in a substep gains no energy on what stands still.

   A static body does no work: friction and restitution leave at most the energy that a body had. The impulses of contact
   keep to that as long as arms and inertia are those of one moment. But a body that rotates by radians in a substep
   rotates between them: its velocities are those of its start, and its inertia is that of its end. And where contact
   changes its rotation, the orientation at the end is another one. With the same angular momentum that is another
   energy: a slender capsule that ends along its momentum has many times as much. So its energy is measured before contact
   and after it, at the orientations of both moments. If it is larger after it, all its velocities are made smaller by the
   same factor: then contact points still separate.

   What touches something that moves may get energy from there, and what constraints hold may get it from them; neither
   is limited here. */
#include "contact/body_work.h"

#include "bodies/rotation.h"

#include <math.h>

#define FAR ((sn_real)0.1) /* rad: what turns by less in a substep is right without this */

double sn_body_contact_spin_energy(const sn_world *world, const sn_mover *m)
{
    const sn_body_state *body = &world->bodies.state[m->body];
    double own[3], sum = 0;
    sn_rotate_vector_back(body->q, body->l, own);
    for (uint32_t k = 0; k < 3; ++k)
        sum += own[k] * own[k] * m->inverse[k];
    return sum;
}

/* m^2/s^2: twice the kinetic energy per unit of mass. */
static double energy_of(const sn_world *world, const sn_mover *m)
{
    const sn_vec4 v = world->particles.v[m->slot];
    return (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z +
           sn_body_contact_spin_energy(world, m);
}

bool sn_body_contacts_note_energy(const sn_world *world, sn_mover *m, sn_vec4 spin, sn_real h)
{
    const sn_real before = vec3_length(vec4_xyz(m->spin)), after = vec3_length(vec4_xyz(spin));
    m->energy = (before > after ? before : after) * h > FAR ? energy_of(world, m) : 0;
    return m->energy > 0;
}

static bool presses(const sn_world *world, const sn_body_contact *contact)
{
    const sn_wide_body_contact *batch = world->body_contacts.batch_table.column[0];
    if (!contact->lane)
        return false;
    const uint32_t lane = (contact->lane - 1) % SN_BODY_CONTACTS;
    batch += (contact->lane - 1) / SN_BODY_CONTACTS;
    for (uint32_t k = 0; k < batch->points; ++k)
        if (batch->point[k].normal_impulse[lane] > 0 || batch->rest[k].struck[lane] > 0)
            return true;
    return false;
}

/* Does not limit what touches something that moves, or a belt. */
static void pass_over(const sn_world *world, const sn_body_contact *contact)
{
    sn_mover *mover = contact_movers(world);
    const bool fixed = contact->b == SN_NO_MOVER;
    if (fixed) {
        const sn_fixed_motion *motion = contact_motion(world, contact->fixed_shape);
        if (!motion->moves && contact_is_zero(contact->belt))
            return;
    }
    if (!presses(world, contact))
        return;
    mover[contact->a].energy = 0;
    if (!fixed)
        mover[contact->b].energy = 0;
}

static bool is_held(const sn_world *world, const sn_mover *m)
{
    return sn_incidence_holds(&world->incidence, &world->constraints, world->particles.index[m->slot]);
}

static void shrink(sn_world *world, const sn_mover *m, double share)
{
    sn_vec4 *v = &world->particles.v[m->slot], *low = &world->particles.v_low[m->slot];
    *v = vec4(vec3_scale(vec4_xyz(*v), (sn_real)share), v->w);
    *low = vec4(vec3_scale(vec4_xyz(*low), (sn_real)share), low->w);
    for (uint32_t k = 0; k < 3; ++k)
        world->bodies.state[m->body].l[k] *= share;
}

void sn_body_contacts_limit_energy(sn_world *world)
{
    const uint32_t *listed = contact_listed(world);
    for (uint32_t i = 0; i < world->body_contacts.count; ++i)
        pass_over(world, &contact_all(world)[i]);
    for (uint32_t i = 0; i < world->body_contacts.list_table.count; ++i) {
        sn_mover *m = &contact_movers(world)[listed[i]];
        if (m->body == SN_ID_FREE || !(m->energy > 0))
            continue;
        const double after = energy_of(world, m);
        if (after > m->energy && !is_held(world, m))
            shrink(world, m, sqrt(m->energy / after));
        m->energy = 0;
    }
}
