/* Preloads of contact: the slow part of what a fixed shape pushes a particle with, exerted before the constraints.

   Contact is solved after the constraints. So constraints find the particles of a base moved by the whole load, by
   load * h^2 / mass of one particle, and contact puts them back only then. A soft block on the ground sagged too far by
   that: by 8 to 400 %. So where constraints have preloads (solvers/preload.h), contacts have them as well:

       P += s (force / mass - P),     s as there.

   P changes the velocity of the particle before it is predicted (sn_contact_preloads_begin), and is a part of the
   impulse with which contact begins after the constraints.

   P lifts no particle off its surface. What does so after all preloads is taken back before the first pass
   (sn_contact_preloads_give_back): where preloads of rods are bounded and that of contact is not, as at one substep, a
   block would jump. Faster than s a block would jump as well: constraints that have not converged answer with forces
   that tremble. */
#include "contact/particle_work.h"
#include "solvers/preload.h"
#include "solvers/tiled.h"

static bool takes(const sn_world *world, const sn_static_contact *contact)
{
    return !contact->sensor && !contact->belted && !(world->contacts.spins && sn_spin_has(world, contact->slot)) &&
           sn_tiled_preloads_at(&world->scratch, &world->plan, contact->slot);
}

static void choose(const sn_contact_pass *p, sn_static_contact *contact)
{
    contact->preloaded = takes(p->world, contact);
}

static void follow(const sn_contact_pass *p, sn_static_contact *contact)
{
    const sn_real inverse_h2 = p->pairs.inverse_h * p->pairs.inverse_h;
    const sn_real now = contact->normal_impulse * inverse_h2;
    sn_contact_load *load = &contact->load;
    const bool slack = (sn_real)SN_PRELOAD_SLACK * load->along > now;
    const sn_real share = slack ? (sn_real)SN_PRELOAD_FASTEST : p->preload_share;
    const sn_vec3 more = vec3_sub(vec3_scale(contact->tangent_impulse, inverse_h2), load->across);
    load->along += share * (now - load->along);
    load->across = across(vec3_add(load->across, vec3_scale(more, share)), contact->normal);
    const sn_real much = vec3_length(load->across), most = contact->friction.dynamic_friction * load->along;
    if (much > most)
        load->across = vec3_scale(load->across, most / much);
}

static void load_one(const sn_contact_pass *p, sn_static_contact *contact)
{
    contact->ahead = 0;
    if (!contact->preloaded)
        return;
    if (!(contact->normal_impulse > 0)) {
        contact->load = (sn_contact_load){0};
        return;
    }
    follow(p, contact);
    sn_vec4 *v = &p->world->particles.v[contact->slot];
    const sn_vec3 push = vec3_add(vec3_scale(contact->normal, contact->load.along), contact->load.across);
    if (!vec3_is_finite(push)) {
        contact->load = (sn_contact_load){0};
        return;
    }
    contact->ahead = contact->load.along * p->h * p->h;
    contact->ahead_across = vec3_scale(contact->load.across, p->h * p->h);
    *v = vec4(vec3_add(vec4_xyz(*v), vec3_scale(push, p->h)), v->w);
}

bool sn_contact_preloads_begin(sn_contact_pass *p, bool first)
{
    const sn_world *world = p->world;
    if (!(p->preload_share > 0) || !world->plan.made)
        return true;
    return (!first || sn_contacts_run_statics(p, choose)) && sn_contacts_run_statics(p, load_one);
}

static void give_back(const sn_contact_pass *p, sn_static_contact *contact)
{
    if (!(contact->ahead > 0))
        return;
    const sn_vec3 u = vec3_scale(vec4_xyz(p->world->particles.v[contact->slot]), p->h);
    const sn_vec3 moved = vec3_sub(u, sn_contacts_surface_way(p, contact));
    const sn_real off = vec3_dot(moved, contact->normal), share = off < contact->ahead ? off / contact->ahead : 1;
    if (!(off > 0))
        return;
    const sn_vec3 all = vec3_add(vec3_scale(contact->normal, contact->ahead), contact->ahead_across);
    const sn_vec3 back = vec3_scale(all, -share);
    sn_contacts_move(p, contact, back, back);
    contact->ahead -= share * contact->ahead;
    contact->ahead_across = vec3_scale(contact->ahead_across, 1 - share);
}

bool sn_contact_preloads_give_back(sn_contact_pass *p)
{
    return !(p->preload_share > 0) || sn_contacts_run_statics(p, give_back);
}
