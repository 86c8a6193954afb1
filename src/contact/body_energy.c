/* Contact of bodies: what turns far in a substep gains no energy.

   Friction and restitution leave at most the energy that bodies had. The impulses of contact keep to that as long as arms
   and inertia are those of one moment. But a body that rotates by radians in a substep rotates between them: its
   velocities are those of its start, and its inertia is that of its end. And where contact changes its rotation, the
   orientation at the end is another one. With the same angular momentum that is another energy: a slender capsule that
   ends along its momentum has many times as much. So energies are measured before contact and after it, at the
   orientations of both moments, of all bodies that press on each other. If there is more after it, all their velocities
   are made smaller by the same factor: then contact points still separate. Where they touch nothing static, velocities
   count from that of their centre of mass, which stays.

   Bodies of an articulation count together: contact holds their joints, which do no work. Bodies that touch something
   that moves by itself may get energy from there, and what other constraints hold may get it from them; neither is
   limited here. */
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
    const double square = (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
    return m->body == SN_ID_FREE ? square : square + sn_body_contact_spin_energy(world, m);
}

bool sn_body_contacts_any_turns_far(const sn_world *world, sn_real h)
{
    const sn_mover_columns c = contact_columns(world);
    for (uint32_t i = 0; i < world->body_contacts.list_table.count; ++i) {
        const sn_vec4 spin = c.record[SN_BODY_CONTACT_RECORD * (size_t)c.listed[i] + 1];
        if (c.mover[c.listed[i]].body != SN_ID_FREE && columns_have_impulse(&c, c.listed[i]) &&
            vec3_length(vec4_xyz(spin)) * h > FAR)
            return true;
    }
    return false;
}

void sn_body_contacts_note_energy(const sn_world *world, sn_mover *m)
{
    m->energy = energy_of(world, m);
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

/* The first mover of the island of a mover. */
static uint32_t first_of(sn_mover *mover, uint32_t i)
{
    while (mover[i].island.parent != i)
        i = mover[i].island.parent = mover[mover[i].island.parent].island.parent;
    return i;
}

static void join(sn_mover *mover, uint32_t a, uint32_t b)
{
    const uint32_t one = first_of(mover, a), two = first_of(mover, b), first = one < two ? one : two,
                   other = one < two ? two : one;
    mover[other].island.parent = first;
    mover[first].island.stands = mover[first].island.stands || mover[other].island.stands;
    mover[first].island.driven = mover[first].island.driven || mover[other].island.driven;
}

/* Joins the islands of a contact, or notes what a fixed shape means for one. */
static void follow(const sn_world *world, const sn_body_contact *contact)
{
    sn_mover *mover = contact_movers(world);
    if (!presses(world, contact))
        return;
    uint32_t a = first_of(mover, contact->a);
    if (contact->b == SN_NO_MOVER) {
        mover[a].island.stands = true;
        if (contact_motion(world, contact->fixed_shape)->moves || !contact_is_zero(contact->belt))
            mover[a].island.driven = true;
        return;
    }
    mover[a].island.stands = mover[a].island.stands || mover[contact->a].w == 0 || mover[contact->b].w == 0;
    join(mover, a, contact->b);
}

/* The same for the constraints of a mover. Movers of bodies have the numbers of their rows. */
static void follow_joints(sn_world *world, uint32_t i)
{
    sn_mover *mover = contact_movers(world);
    const uint32_t row = mover[i].body;
    if (row != SN_ID_FREE && sn_articulations_have(&world->articulations, row))
        join(mover, i, sn_articulations_first(world, row));
    else if (sn_incidence_holds(&world->incidence, &world->constraints, world->particles.index[mover[i].slot]))
        mover[first_of(mover, i)].island.driven = true;
}

/* The sums of islands, in their first movers: energies before and after, momentum, mass. */
static void sum_up(const sn_world *world, sn_mover *mover, uint32_t i)
{
    const sn_mover *m = &mover[i];
    sn_mover_island *island = &mover[first_of(mover, i)].island;
    const sn_vec4 v = world->particles.v[m->slot];
    if (m->w == 0 || !(m->energy >= 0))
        return;
    const double mass = 1 / (double)m->w;
    island->before += mass * m->energy;
    island->after += mass * energy_of(world, m);
    island->mass += mass;
    island->momentum[0] += mass * (double)v.x;
    island->momentum[1] += mass * (double)v.y;
    island->momentum[2] += mass * (double)v.z;
}

/* The factor for the velocities of an island, or 1. *mean: that of its centre of mass, which counts as no velocity. */
static double share_of(const sn_mover_island *island, sn_vec3 *mean)
{
    double still = 0;
    *mean = vec3(0, 0, 0);
    if (!island->stands && island->mass > 0) {
        for (uint32_t k = 0; k < 3; ++k)
            still += island->momentum[k] * island->momentum[k] / island->mass;
        *mean = vec3(island->momentum[0] / island->mass, island->momentum[1] / island->mass,
                     island->momentum[2] / island->mass);
    }
    if (island->driven || !(island->after > island->before) || !(island->before > still))
        return 1;
    return sqrt((island->before - still) / (island->after - still));
}

static void shrink(sn_world *world, const sn_mover *m, sn_vec3 mean, sn_real share)
{
    sn_vec4 *v = &world->particles.v[m->slot], *low = &world->particles.v_low[m->slot];
    *v = vec4(vec3_add(mean, vec3_scale(vec3_sub(vec4_xyz(*v), mean), share)), v->w);
    *low = vec4(vec3_scale(vec4_xyz(*low), share), low->w);
    for (uint32_t k = 0; m->body != SN_ID_FREE && k < 3; ++k)
        world->bodies.state[m->body].l[k] *= (double)share;
}

void sn_body_contacts_limit_energy(sn_world *world)
{
    const uint32_t *listed = contact_listed(world), count = world->body_contacts.list_table.count;
    sn_mover *mover = contact_movers(world);
    for (uint32_t i = 0; i < world->body_contacts.mover_table.count; ++i)
        mover[i].island = (sn_mover_island){.parent = i};
    for (uint32_t i = 0; i < count; ++i)
        follow_joints(world, listed[i]);
    for (uint32_t i = 0; i < world->body_contacts.count; ++i)
        follow(world, &contact_all(world)[i]);
    for (uint32_t i = 0; i < count; ++i)
        sum_up(world, mover, listed[i]);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_mover *m = &mover[listed[i]];
        sn_vec3 mean;
        const double share = share_of(&mover[first_of(mover, listed[i])].island, &mean);
        if (share < 1 && m->w > 0 && m->energy >= 0)
            shrink(world, m, mean, (sn_real)share);
    }
}
