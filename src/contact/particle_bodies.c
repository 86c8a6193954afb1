/* Rigid bodies that are made of particles: contact gives them no velocity that they should not have.

   Contact stops single particles. In the next substep the shape pulls them back to where they belong, into the surface,
   and that becomes a velocity; contact stops them again. So the impulses on a body are more than what stops it: cubes
   bounced with half of their speed at restitution 0, and bodies that began hooked into each other gained energy without
   end, the more substeps there were.

   Therefore, at the end of a substep, all contacts between a body and one other thing are treated together. With J the
   impulse of a contact, and u the relative velocity at the contact if each moves as a rigid body,

       S = sum J u            must not be above 0 where restitution is 0: contact does not separate the two.

   If S is above 0, the share S / (sum J du) of all J is removed, du being the change of u by the J themselves. Then S =
   0: a plastic impact. Each removal lowers the kinetic energy of the rigid motions. If S <= 0 for all pairs, contact
   adds nothing to that energy: it changes it by S - (sum J du) / 2. Momentum is conserved, because both sides get
   opposite impulses. First only the normal components are treated, because otherwise the energy that friction takes
   from a sliding body would let it bounce; then the whole impulses. Positions stay as contact left them. At last the
   particles get the velocities of their bodies, so that no velocity is left that is not a rigid motion. */
#include "contact/particle_bodies.h"

#include "base/dvec.h"
#include "base/sort.h"
#include "base/symmetric.h"
#include "contact/particle_work.h"

#include <math.h>
#include <string.h>

#define SWEEPS 8u /* at most, over all pairs */

/* Relative to the cube of a third of the trace of an inertia: if the determinant is below this, the body is a line, and
   its rotation is left alone. */
#define A_LINE 1e-9

#define OTHER_FIXED    0x80000000u
#define OTHER_PARTICLE 0x40000000u

/* A contact of a body: it pushes the first particle along n, and the others, by their weights, the opposite way. */
typedef struct sn_rigid_push {
    uint32_t body, other; /* 1 + the bodies; other 0: none */
    uint32_t slot[4], slots;
    sn_real weight[4];        /* that of the first is 1 */
    sn_dvec3 n;               /* towards the first */
    sn_dvec3 impulse;         /* N s: on the first */
    sn_dvec3 surface;         /* m/s: of a fixed shape */
    sn_real *normal_impulse;  /* the normal impulse for the warm start */
    sn_real *tangent_impulse; /* the friction impulse: three numbers, `stride` apart */
    sn_real *noted;           /* N s: the impulse of the step, for events */
    uint32_t stride;
} sn_rigid_push;

void sn_rigid_init(sn_rigid *r)
{
    *r = (sn_rigid){0};
    for (int i = 0; i < 5; ++i)
        sn_table_column(&r->group_table, sizeof(uint32_t), false);
    sn_table_column(&r->member_table, sizeof(uint32_t), false);
    sn_table_column(&r->neighbour_table, sizeof(uint32_t), false);
    sn_table_column(&r->motion_table, sizeof(sn_rigid_motion), false);
    sn_table_column(&r->push_table, sizeof(sn_rigid_push), false);
    sn_table_column(&r->push_table, sizeof(sn_sort_item), false);
    sn_table_column(&r->push_table, sizeof(sn_sort_item), false);
}

void sn_rigid_release(sn_rigid *r, const sn_allocator *allocator)
{
    sn_table_release(&r->group_table, allocator);
    sn_table_release(&r->member_table, allocator);
    sn_table_release(&r->neighbour_table, allocator);
    sn_table_release(&r->motion_table, allocator);
    sn_table_release(&r->push_table, allocator);
}

static const uint32_t *members(const sn_world *world, const sn_rigid_motion *m)
{
    return (const uint32_t *)world->contacts.rigid.member_table.column[0] + m->first;
}

static sn_rigid_motion *motion(const sn_world *world, uint32_t body)
{
    return (sn_rigid_motion *)world->contacts.rigid.motion_table.column[0] + body - 1;
}

static uint64_t most_pushes(const sn_contacts *c)
{
    return (uint64_t)c->pairs[SN_PAIRS_FIRST].near.pairs + c->pairs[SN_PAIRS_LATE].near.pairs + c->static_contacts +
           c->skin_contacts;
}

bool sn_rigid_prepare(sn_world *world)
{
    sn_contacts *c = &world->contacts;
    if (!c->any)
        return true;
    if (!sn_rigid_find(world))
        return false;
    for (uint32_t set = 0; set < SN_PAIR_SETS && c->rigid.groups; ++set)
        if (!sn_table_reserve(&c->pairs[set].given_table, &world->allocator, c->pairs[set].near.batches))
            return false;
    return !c->rigid.groups || sn_table_reserve(&c->rigid.push_table, &world->allocator, most_pushes(c));
}

/* ---- Rigid motions ----------------------------------------------------------------------------------------------- */

static sn_dvec3 times(const double m[6], sn_dvec3 a)
{
    return dvec3(m[0] * a.x + m[3] * a.y + m[4] * a.z, m[3] * a.x + m[1] * a.y + m[5] * a.z,
                 m[4] * a.x + m[5] * a.y + m[2] * a.z);
}

/* True if something else holds the body: then it is left alone. */
static bool is_held(const sn_world *world, const sn_rigid_motion *m)
{
    const uint32_t *particle = members(world, m);
    bool held = m->shared;
    for (uint32_t i = 0; i < m->count && !held; ++i)
        held = world->particles.x[world->ids.value[particle[i]]].w == 0;
    return held;
}

/* Computes mass, centre and inverse inertia. */
static void place_body(const sn_world *world, sn_rigid_motion *m)
{
    const sn_particle_store *p = &world->particles;
    const uint32_t *particle = members(world, m);
    double inertia[6] = {0};
    m->held = is_held(world, m);
    if (m->held)
        return;
    m->mass = 0;
    m->centre = dvec3(0, 0, 0);
    for (uint32_t i = 0; i < m->count; ++i) {
        const uint32_t slot = world->ids.value[particle[i]];
        const double mass = (double)p->v[slot].w;
        m->mass += mass;
        m->centre = dvec3_add(m->centre, dvec3_scale(dvec3_from(vec4_xyz(p->x[slot])), mass));
    }
    m->centre = dvec3_scale(m->centre, 1 / m->mass);
    for (uint32_t i = 0; i < m->count; ++i) {
        const uint32_t slot = world->ids.value[particle[i]];
        const double mass = (double)p->v[slot].w;
        const sn_dvec3 r = dvec3_sub(dvec3_from(vec4_xyz(p->x[slot])), m->centre);
        inertia[0] += mass * (r.y * r.y + r.z * r.z);
        inertia[1] += mass * (r.x * r.x + r.z * r.z);
        inertia[2] += mass * (r.x * r.x + r.y * r.y);
        inertia[3] -= mass * r.x * r.y;
        inertia[4] -= mass * r.x * r.z;
        inertia[5] -= mass * r.y * r.z;
    }
    const double third = (inertia[0] + inertia[1] + inertia[2]) / 3;
    if (!(symmetric_inverse(inertia, m->inverse) > A_LINE * third * third * third))
        memset(m->inverse, 0, sizeof m->inverse);
}

/* Constraints inside a body change neither its momentum nor its angular momentum. Projections of rods conserve the
   former, but the latter to first order only: they act along rods as they are, not as they were when the substep began.
   Rods that contact had bent by centimetres made two hooked bodies spin without end. So the angular momentum of the
   body is set to what damping and forces make of it. */
void sn_rigid_expect(sn_world *world, const sn_motion *motion_of)
{
    const sn_particle_store *p = &world->particles;
    for (uint32_t body = 1; body <= world->contacts.rigid.groups; ++body) {
        sn_rigid_motion *m = motion(world, body);
        m->expects = m->alone && !motion_of->looks_back && !motion_of->ends_previous;
        if (!m->expects || is_held(world, m))
            continue;
        const uint32_t *particle = members(world, m);
        sn_dvec3 sum = dvec3(0, 0, 0);
        double mass = 0;
        m->expected = m->centre = dvec3(0, 0, 0);
        m->energy = 0;
        for (uint32_t i = 0; i < m->count; ++i) {
            const uint32_t slot = world->ids.value[particle[i]];
            const double own = (double)p->v[slot].w;
            const sn_dvec3 a = dvec3_from(motion_acceleration(motion_of, slot));
            const sn_dvec3 v = dvec3_add(dvec3_scale(dvec3_from(vec4_xyz(p->v[slot])), (double)motion_of->keep),
                                         dvec3_scale(a, (double)motion_of->kick + (double)motion_of->end_kick));
            const sn_dvec3 x = dvec3_from(vec4_xyz(p->x[slot]));
            mass += own;
            m->centre = dvec3_add(m->centre, dvec3_scale(x, own));
            sum = dvec3_add(sum, dvec3_scale(v, own));
            m->energy += dvec3_dot(v, v) * own / 2;
            m->expected = dvec3_add(m->expected, dvec3_scale(dvec3_cross(x, v), own));
        }
        m->expected = dvec3_sub(m->expected, dvec3_cross(dvec3_scale(m->centre, 1 / mass), sum));
    }
}

/* Measures the momenta before contact acts. Contact moves particles while they have velocities that the body has not,
   so the change of the momenta has to be computed from the contact impulses alone. */
static void measure(const sn_world *world, sn_rigid_motion *m)
{
    const sn_particle_store *p = &world->particles;
    const uint32_t *particle = members(world, m);
    place_body(world, m);
    m->v = m->l = dvec3(0, 0, 0);
    m->touched = false;
    m->others = 0;
    for (uint32_t i = 0; i < m->count && !m->held; ++i) {
        const uint32_t slot = world->ids.value[particle[i]];
        const sn_dvec3 momentum = dvec3_scale(dvec3_from(vec4_xyz(p->v[slot])), (double)p->v[slot].w);
        const sn_dvec3 r = dvec3_sub(dvec3_from(vec4_xyz(p->x[slot])), m->centre);
        m->v = dvec3_add(m->v, dvec3_scale(momentum, 1 / m->mass));
        m->l = dvec3_add(m->l, dvec3_cross(r, momentum));
    }
    if (m->expects)
        m->l = m->expected;
}

void sn_rigid_begin(sn_world *world)
{
    for (uint32_t body = 1; body <= world->contacts.rigid.groups; ++body)
        measure(world, motion(world, body));
    for (uint32_t set = 0; world->contacts.rigid.groups && set < SN_PAIR_SETS; ++set) {
        const sn_contact_pairs *pairs = &world->contacts.pairs[set];
        if (pairs->near.batches)
            memset(pairs->given_table.column[0], 0, (size_t)pairs->near.batches * 3 * SN_NEAR * sizeof(sn_real));
    }
}

/* m/s: of a particle, or of its body at that point. */
static sn_dvec3 velocity_of(const sn_world *world, uint32_t slot)
{
    const uint32_t body = ((const uint32_t *)world->contacts.rigid.group_table.column[0])[world->particles.index[slot]];
    const sn_rigid_motion *m = body ? motion(world, body) : NULL;
    if (!m || m->held)
        return dvec3_from(vec4_xyz(world->particles.v[slot]));
    const sn_dvec3 r = dvec3_sub(dvec3_from(vec4_xyz(world->particles.x[slot])), m->centre);
    return dvec3_add(m->v, dvec3_cross(m->spin, r));
}

/* ---- The contacts on them ---------------------------------------------------------------------------------------- */

/* The body of a particle, if its motion is to be corrected; otherwise 0. */
static uint32_t body_of(sn_world *world, uint32_t slot)
{
    const uint32_t body = ((const uint32_t *)world->contacts.rigid.group_table.column[0])[world->particles.index[slot]];
    if (!body)
        return 0;
    sn_rigid_motion *m = motion(world, body);
    if (!m->touched && !m->held) { /* position and inertia now, with the momenta before contact */
        place_body(world, m);
        m->spin = times(m->inverse, m->l);
        m->touched = true;
    }
    return m->held ? 0 : body;
}

/* The sum of impulses on a body, and their moments. */
typedef struct impulse_sum {
    sn_dvec3 force, torque;
} impulse_sum;

static void add_impulse_sum(impulse_sum *b, const sn_rigid_motion *m, sn_dvec3 place, sn_dvec3 impulse)
{
    b->force = dvec3_add(b->force, impulse);
    b->torque = dvec3_add(b->torque, dvec3_cross(dvec3_sub(place, m->centre), impulse));
}

/* Twice the kinetic energy of these impulses on a body at rest. */
static double weight_of(const impulse_sum *b, const sn_rigid_motion *m)
{
    return dvec3_dot(b->force, b->force) / m->mass + dvec3_dot(b->torque, times(m->inverse, b->torque));
}

static void strike(sn_rigid_motion *m, const impulse_sum *b, double share)
{
    m->v = dvec3_add(m->v, dvec3_scale(b->force, share / m->mass));
    m->spin = dvec3_add(m->spin, dvec3_scale(times(m->inverse, b->torque), share));
}

/* m/s: how fast the other side of a contact may be. `second`: as seen from what is pushed back. */
static double speed_of_other(const sn_world *world, const sn_rigid_push *push, bool second)
{
    const uint32_t body = second ? push->body : push->other;
    double most = dvec3_length(push->surface);
    if (body && !motion(world, body)->expects)
        return (double)INFINITY;
    if (body)
        return 2 * sqrt(2 * motion(world, body)->energy / motion(world, body)->mass);
    for (uint32_t k = second ? 0 : 1; k < (second ? 1 : push->slots); ++k)
        most = fmax(most, dvec3_length(dvec3_from(vec4_xyz(world->particles.v[push->slot[k]]))));
    return most;
}

/* Adds the impulse of a contact to the motions of bodies, and, unless it bounces, to the contacts that may be reduced.
   The key has the body with the lower number first; a contact without a body on its first side is keyed from the other
   side. */
static void add(sn_world *world, sn_rigid_push push, uint32_t other, bool elastic)
{
    sn_rigid *r = &world->contacts.rigid;
    push.body = body_of(world, push.slot[0]);
    push.other = push.slots > 1 ? body_of(world, push.slot[1]) : 0;
    if (push.body == push.other) /* of the same body, or of none */
        return;
    for (uint32_t k = 0; k < push.slots; ++k)
        if (k ? push.other : push.body) {
            sn_rigid_motion *m = motion(world, k ? push.other : push.body);
            m->others = fmax(m->others, speed_of_other(world, &push, k > 0));
            impulse_sum b = {{0, 0, 0}, {0, 0, 0}};
            add_impulse_sum(&b, m, dvec3_from(vec4_xyz(world->particles.x[push.slot[k]])),
                            dvec3_scale(push.impulse, (k ? -1 : 1) * (double)push.weight[k]));
            strike(m, &b, 1);
        }
    if (elastic)
        return;
    uint32_t i = r->push_table.count++, body = push.body, name = push.other ? push.other : other;
    if (!body || (push.other && push.other < body)) {
        name = body ? body : OTHER_PARTICLE | world->particles.index[push.slot[0]];
        body = push.other;
    }
    ((sn_rigid_push *)r->push_table.column[0])[i] = push;
    ((sn_sort_item *)r->push_table.column[1])[i] = (sn_sort_item){(uint64_t)body << 32 | name, i, 0};
}

static void add_statics(sn_world *world, sn_real h)
{
    sn_static_contact *contact = world->contacts.static_table.column[0];
    for (uint32_t i = 0; i < world->contacts.static_contacts; ++i) {
        if (!(contact[i].normal_impulse > 0))
            continue;
        const sn_fixed_motion *m = &motions(&world->contacts)[contact[i].number];
        const sn_vec3 surface = vec3_add(m->velocity, vec3_cross(m->spin, vec3_sub(contact[i].point, m->end.position)));
        const sn_vec3 push = vec3_add(vec3_scale(contact[i].normal, contact[i].normal_impulse + h * contact[i].stopped),
                                      contact[i].tangent_impulse);
        const double mass = (double)world->particles.v[contact[i].slot].w;
        add(world,
            (sn_rigid_push){.slot = {contact[i].slot},
                            .slots = 1,
                            .weight = {1},
                            .n = dvec3_from(contact[i].normal),
                            .impulse = dvec3_scale(dvec3_from(push), mass / (double)h),
                            .surface = dvec3_from(vec3_add(surface, contact[i].belt)),
                            .normal_impulse = &contact[i].normal_impulse,
                            .tangent_impulse = &contact[i].tangent_impulse.x,
                            .stride = 1,
                            .noted = &contact[i].impulse},
            OTHER_FIXED | contact[i].number, contact[i].friction.restitution > 0);
    }
}

static void add_pairs(sn_world *world, const sn_contact_pairs *set)
{
    const sn_particle_store *p = &world->particles;
    for (uint32_t b = 0; b < set->near.batches; ++b)
        for (uint32_t i = 0; i < set->near.lanes[b]; ++i) {
            const size_t at = (size_t)b * SN_NEAR + i;
            const uint32_t one = set->near.batch[b].a[i], two = set->near.batch[b].b[i];
            const sn_real give = p->x[one].w + p->x[two].w;
            const sn_real *given = pair_given(&world->contacts, set, b, i);
            const sn_dvec3 change = dvec3_from(vec3(given[0], given[SN_NEAR], given[2 * SN_NEAR]));
            const sn_dvec3 d = dvec3_sub(dvec3_from(vec4_xyz(p->x[one])), dvec3_from(vec4_xyz(p->x[two])));
            const double length = dvec3_length(d);
            if (!(dvec3_dot(change, change) > 0) || !(give > 0))
                continue;
            add(world,
                (sn_rigid_push){.slot = {one, two},
                                .slots = 2,
                                .weight = {1, 1},
                                .n = length > 0 ? dvec3_scale(d, 1 / length) : dvec3(0, 1, 0),
                                .impulse = dvec3_scale(change, 1 / (double)give),
                                .normal_impulse = &pair_column(set, PAIR_NORMAL_IMPULSE)[at],
                                .tangent_impulse =
                                    pair_column(set, PAIR_FRICTION_IMPULSE) + (size_t)b * 3 * SN_NEAR + i,
                                .stride = SN_NEAR,
                                .noted = &pair_column(set, PAIR_IMPULSE)[at]},
                OTHER_PARTICLE | p->index[two], world->contacts.varied && pair_column(set, PAIR_RESTITUTION)[at] > 0);
        }
}

static void add_skin_contacts(sn_world *world, sn_real h)
{
    sn_skin_contact *skin_contact = world->contacts.skin_contact_table.column[0];
    const sn_vec4 *x = world->particles.x;
    for (uint32_t i = 0; i < world->contacts.skin_contacts; ++i) {
        sn_skin_contact *g = &skin_contact[i];
        const sn_vec3 pushed = vec3_add(vec3_scale(g->normal, g->normal_impulse + h * g->stopped), g->tangent_impulse);
        double give = (double)x[g->slot[0]].w;
        sn_rigid_push push = {.slots = g->triangle == SN_SKIN_CONTACT_PAIR ? 2 : 4,
                              .weight = {1},
                              .n = dvec3_from(g->normal),
                              .surface = dvec3_from(g->belt),
                              .normal_impulse = &g->normal_impulse,
                              .tangent_impulse = &g->tangent_impulse.x,
                              .stride = 1,
                              .noted = &g->impulse};
        memcpy(push.slot, g->slot, sizeof push.slot);
        memcpy(push.weight + 1, g->weight, sizeof g->weight);
        for (uint32_t k = 1; k < push.slots; ++k)
            give += (double)push.weight[k] * (double)push.weight[k] * (double)x[g->slot[k]].w;
        if (!(g->normal_impulse > 0) || !(give > 0))
            continue;
        push.impulse = dvec3_scale(dvec3_from(pushed), 1 / ((double)h * give));
        add(world, push, OTHER_PARTICLE | world->particles.index[g->slot[1]], g->friction.restitution > 0);
    }
}

/* ---- Reducing impulses ------------------------------------------------------------------------------------------- */

/* The part of a contact impulse that is treated: the normal component, or all. */
static sn_dvec3 part_of(const sn_rigid_push *push, bool along)
{
    const double much = dvec3_dot(push->impulse, push->n);
    return along ? dvec3_scale(push->n, much > 0 ? much : 0) : push->impulse;
}

/* Removes a share of one contact impulse: from the particles, and from the stored impulses. */
static void take_back(const sn_world *world, sn_rigid_push *push, double share, bool along)
{
    const sn_particle_store *p = &world->particles;
    const sn_dvec3 back = dvec3_scale(part_of(push, along), share);
    for (uint32_t k = 0; k < push->slots; ++k) {
        const uint32_t slot = push->slot[k];
        const double by = (k ? 1 : -1) * (double)push->weight[k] * (double)p->x[slot].w;
        p->v[slot] = vec4(vec3_add(vec4_xyz(p->v[slot]), dvec3_round(dvec3_scale(back, by))), p->v[slot].w);
    }
    *push->noted -= (sn_real)dvec3_dot(back, push->n);
    push->impulse = dvec3_sub(push->impulse, back);
    *push->normal_impulse *= (sn_real)(1 - share);
    if (!along ||
        !(*push->normal_impulse > 0)) /* no friction without a normal impulse: kernels of any width rely on it */
        for (uint32_t k = 0; k < 3; ++k)
            push->tangent_impulse[k * push->stride] *= (sn_real)(along ? 0 : 1 - share);
}

/* The contacts of one body with one other thing, together. */
typedef struct together {
    sn_rigid_motion *a, *b;
    impulse_sum on_a, on_b;
    double parting, weight; /* S, and sum J du */
} together;

static void look_at(const sn_world *world, const sn_rigid_push *push, uint32_t first, bool along, together *t)
{
    const sn_dvec3 impulse = part_of(push, along);
    sn_dvec3 u = dvec3_scale(push->surface, -1);
    for (uint32_t k = 0; k < push->slots; ++k) {
        const uint32_t body = k ? push->other : push->body, slot = push->slot[k];
        const double part = (k ? -1 : 1) * (double)push->weight[k];
        u = dvec3_add(u, dvec3_scale(velocity_of(world, slot), part));
        if (!body) {
            t->weight += dvec3_dot(impulse, impulse) * part * part * (double)world->particles.x[slot].w;
            continue;
        }
        const bool is_first = first == body; /* the contacts of a pair may be seen from either side */
        add_impulse_sum(is_first ? &t->on_a : &t->on_b, motion(world, body),
                        dvec3_from(vec4_xyz(world->particles.x[slot])), dvec3_scale(impulse, part));
        *(is_first ? &t->a : &t->b) = motion(world, body);
    }
    t->parting += dvec3_dot(impulse, u);
}

/* True if some impulse was removed. */
static bool calm_pair(const sn_world *world, const sn_sort_item *item, uint32_t count, bool along)
{
    sn_rigid_push *all = world->contacts.rigid.push_table.column[0];
    together t = {0};
    for (uint32_t i = 0; i < count; ++i)
        look_at(world, &all[item[i].a], (uint32_t)(item[i].key >> 32), along, &t);
    t.weight += (t.a ? weight_of(&t.on_a, t.a) : 0) + (t.b ? weight_of(&t.on_b, t.b) : 0);
    if (!(t.parting > 0) || !(t.weight > 0))
        return false;
    const double share = t.parting < t.weight ? t.parting / t.weight : 1;
    for (uint32_t i = 0; i < count; ++i)
        take_back(world, &all[item[i].a], share, along);
    if (t.a)
        strike(t.a, &t.on_a, -share);
    if (t.b)
        strike(t.b, &t.on_b, -share);
    return true;
}

/* Treats normal components and whole impulses by turns. */
static void calm_all(const sn_world *world)
{
    const sn_sort_item *item = world->contacts.rigid.push_table.column[1];
    const uint32_t count = world->contacts.rigid.push_table.count;
    bool more = true;
    for (uint32_t sweep = 0; more && sweep < SWEEPS; ++sweep) {
        more = false;
        for (uint32_t first = 0, end = 0; first < count; first = end) {
            while (end < count && item[end].key == item[first].key)
                ++end;
            more = calm_pair(world, item + first, end - first, true) || more;
            more = calm_pair(world, item + first, end - first, false) || more;
        }
    }
}

/* A body that is pressed flat into a corner has hardly any inertia, and would spin a thousand times as fast with its
   angular momentum. What stands does no work: a body has no more energy than it had. What moves at s throws it at most
   as two walls do that come from two sides, which adds 4 s to its speed. The spin gives way. */
static void limit_energy(sn_rigid_motion *m)
{
    const double fast = sqrt(2 * m->energy / m->mass) + 4 * m->others, most = m->mass * fast * fast / 2;
    const double flight = m->mass * dvec3_dot(m->v, m->v) / 2, rest = most - flight;
    double inertia[6];
    if (!m->expects || !isfinite(most) || !(symmetric_inverse(m->inverse, inertia) > 0))
        return;
    const double turns = dvec3_dot(m->spin, times(inertia, m->spin)) / 2;
    if (turns > rest)
        m->spin = dvec3_scale(m->spin, rest > 0 ? sqrt(rest / turns) : 0);
    if (rest < 0)
        m->v = dvec3_scale(m->v, sqrt(most / flight));
}

/* Sets the velocities of particles to those of the body. */
static void stiffen(const sn_world *world, const sn_rigid_motion *m)
{
    const uint32_t *particle = members(world, m);
    for (uint32_t i = 0; i < m->count; ++i) {
        const uint32_t slot = world->ids.value[particle[i]];
        sn_vec4 *v = &world->particles.v[slot];
        *v = vec4(dvec3_round(velocity_of(world, slot)), v->w);
    }
}

static void leave(sn_world *world, uint32_t slot)
{
    const uint32_t body = ((const uint32_t *)world->contacts.rigid.group_table.column[0])[world->particles.index[slot]];
    if (body)
        motion(world, body)->held = true;
}

/* Bodies that a surface pushes are left alone in this substep: its impulses are not among those that are treated here,
   and would be lost. The energy limit of surfaces treats such a body. */
static void leave_pushed(sn_world *world)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_contact *contact = s->contact_table.column[0];
    const sn_surface_tangle *tangle = s->tangle_table.column[0];
    for (uint32_t i = 0; s->on && i < s->contact_table.count; ++i)
        for (uint32_t k = 0; contact[i].normal_impulse > 0 && k < 4; ++k)
            leave(world, contact[i].slot[k]);
    for (uint32_t i = 0; s->on && i < s->tangle_table.count; ++i)
        for (uint32_t k = 0; k < 5; ++k)
            if (tangle[i].vertex[k] < s->vertex_table.count)
                leave(world, surface_vertices(s)[tangle[i].vertex[k]].slot);
}

void sn_rigid_calm(sn_world *world, sn_real h)
{
    sn_rigid *r = &world->contacts.rigid;
    if (!r->groups)
        return;
    r->push_table.count = 0;
    leave_pushed(world);
    add_statics(world, h);
    add_pairs(world, &world->contacts.pairs[SN_PAIRS_FIRST]);
    add_pairs(world, &world->contacts.pairs[SN_PAIRS_LATE]);
    add_skin_contacts(world, h);
    if (r->push_table.count) {
        sn_sort(r->push_table.column[1], r->push_table.column[2], r->push_table.count);
        calm_all(world);
    }
    for (uint32_t body = 1; body <= r->groups; ++body)
        if (motion(world, body)->touched && !motion(world, body)->held) {
            limit_energy(motion(world, body));
            stiffen(world, motion(world, body));
        }
}
