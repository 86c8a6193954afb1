/* Contact of bodies: joints that contact opens.

   Joints are solved before contact, as if nothing were in the way. Contact then moves bodies as if they had no
   joints. An arm that is caught under another body is pulled along by its torso, and put back by contact, in every
   substep. The torso goes on, because the arm alone is light: a joint transmits no more than a spring of the
   stiffness m / h^2, with m the mass of the arm, or a share of that where joints may not add energy
   (world/articulations.c). Of 10,000 joints of ragdolls that fell on each other, single ones opened by 313 mm.

   So after its sweeps contact checks whether it opened a joint by more than a share of its arms. The joints of such
   an articulation are then held, by impulses at their points. Sweeps over the contacts that this disturbs, and
   holding, take turns. With v the relative velocity of the two points, from a to b, r the arms, and g the gap at
   the end of the substep if v becomes 0,

       e = g + v h        is the gap at its end,
       P = K^-1 (u - v)   the impulse that changes v to u.

   Positions follow from velocities here, as for contact, so both agree. u is 0; or -REST g / h, which closes a part
   of the gap, if P as a whole still takes energy: P . (v + u) <= 0. So holding never adds energy. With u = -g / h
   for every gap, the largest gap is 8 mm instead of 33, but some random figures of bodies of very different masses
   explode.

   An impulse reaches a light body between heavy ones only by a share of its mass in each turn. So it takes many
   turns. Few joints need it: of 1,000 ragdolls that fall, the joints of 80 in a substep.

   Articulations share no bodies, and turns do not depend on their order. So results do not depend on threads. */
#include "contact/body_work.h"

#include "base/quad.h"
#include "bodies/rotation.h"
#include "world/substep.h"

#define JOLT  ((sn_real)0.002) /* of its size: a body that contact moves by less in a substep opens no joint */
#define REST  ((sn_real)0.5)   /* the share of a gap that is closed */
#define TURNS 16u              /* turns of holding and sweeps */

#define WORK_OF_LOOK 200.0  /* ns, about, of an articulation in the first turn, */
#define WORK_OF_HOLD 1500.0 /*   and in another one, of one that was disturbed, */
#define SHARE        4u     /*   of which a task takes so many */

/* State of an articulation in a pass: the gaps of its joints are known; and their masses; some were far open in the
   last turn. Most articulations that contact moves are not open, and need no masses. */
enum { READY = 1, WEIGHED = 2, FAR = 4 };

static uint8_t *states(const sn_world *world)
{
    return world->articulations.first_table.column[3];
}

static sn_open_joint *joints(const sn_world *world)
{
    return world->articulations.pivot_table.column[1];
}

/* ---- One joint --------------------------------------------------------------------------------------------------- */

static const sn_anchor *surface_point(const sn_world *world, const sn_visit *visit, uint32_t point)
{
    const sn_pool *pool = world->constraints.pool[visit->kind];
    const uint32_t code = pool->point[(size_t)visit->row * pool->kind->points + point];
    const sn_anchor *anchor = code & SN_ANCHOR_BIT ? &world->constraints.anchor[code & ~SN_ANCHOR_BIT] : NULL;
    return anchor && anchor->type != SN_POINT_PARTICLES ? anchor : NULL;
}

/* m/s: of an end that moves. */
static inline quad velocity_of(const sn_vec4 *records, uint32_t mover, quad arm)
{
    const sn_vec4 *record = &records[SN_BODY_CONTACT_RECORD * (size_t)mover];
    return quad_add(quad_load(&record[0]), quad_cross(quad_load(&record[1]), arm));
}

/* Adds to K: the velocity at the end of an arm per impulse there. */
static void add_yield(const sn_world *world, uint32_t mover, sn_vec3 arm, double k[3][3])
{
    const sn_vec4 *record = contact_record(world, mover);
    for (int i = 0; i < 3; ++i) {
        const sn_vec3 push = {i == 0, i == 1, i == 2};
        const sn_vec3 v = vec3_cross(contact_turn_by(record, vec3_cross(arm, push)), arm);
        k[i][0] += (double)v.x, k[i][1] += (double)v.y, k[i][2] += (double)v.z;
        k[i][i] += (double)record[0].w;
    }
}

/* Inverse of a symmetric matrix, in the order of sn_open_joint. False: there is none. */
static bool invert(double k[3][3], sn_real inverse[6])
{
    const double xx = k[1][1] * k[2][2] - k[1][2] * k[1][2], xy = k[0][2] * k[1][2] - k[0][1] * k[2][2],
                 xz = k[0][1] * k[1][2] - k[0][2] * k[1][1], det = k[0][0] * xx + k[0][1] * xy + k[0][2] * xz;
    const double minor[6] = {xx, k[0][0] * k[2][2] - k[0][2] * k[0][2], k[0][0] * k[1][1] - k[0][1] * k[0][1], xy,
                             xz, k[0][1] * k[0][2] - k[0][0] * k[1][2]};
    for (int i = 0; i < 6; ++i)
        inverse[i] = (sn_real)(minor[i] / det);
    return det > 0;
}

static void weigh_joint(const sn_world *world, sn_open_joint *joint)
{
    double k[3][3] = {{0}};
    if (joint->a != SN_NO_MOVER)
        add_yield(world, joint->a, vec4_xyz(joint->arm_a), k);
    if (joint->b != SN_NO_MOVER)
        add_yield(world, joint->b, vec4_xyz(joint->arm_b), k);
    if (!invert(k, joint->mass))
        joint->a = joint->b = SN_NO_MOVER;
}

/* True if a joint will be open too far at the end of the substep. v: m/s, the relative velocity of its ends. */
static inline bool is_far(const sn_body_contact_substep *s, const sn_open_joint *joint, quad *v)
{
    const sn_vec4 *records = contact_records(s->world);
    *v = quad_all(0);
    if (joint->a == joint->b)
        return false;
    if (joint->b != SN_NO_MOVER)
        *v = velocity_of(records, joint->b, quad_load(&joint->arm_b));
    if (joint->a != SN_NO_MOVER)
        *v = quad_sub(*v, velocity_of(records, joint->a, quad_load(&joint->arm_a)));
    const quad end = quad_add(quad_load(&joint->gap), quad_scale(*v, s->h));
    return quad_dot3(end, end) > joint->most * joint->most;
}

static quad impulse_for(const sn_open_joint *joint, quad of)
{
    const sn_real *m = joint->mass;
    sn_vec4 v;
    quad_store(&v, of);
    v = vec4(vec3(m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
                  m[4] * v.x + m[5] * v.y + m[2] * v.z),
             0);
    return quad_load(&v);
}

static void push(const sn_body_contact_substep *s, uint32_t mover, const sn_vec4 *arm, quad p, bool far)
{
    if (mover == SN_NO_MOVER)
        return;
    sn_vec4 *record = contact_record(s->world, mover), torque;
    quad_store(&torque, quad_cross(quad_load(arm), p));
    const sn_vec3 spin = contact_turn_by(record, vec4_xyz(torque));
    quad_store(&record[0], quad_add(quad_load(&record[0]), quad_xyz(quad_scale(p, record[0].w))));
    record[1] = vec4(vec3_add(vec4_xyz(record[1]), spin), far ? s->run.sweep : record[1].w);
}

/* Applies an impulse to a joint, unless its gap does not grow. True if it was open too far. */
static bool hold_joint(const sn_body_contact_substep *s, sn_open_joint *joint)
{
    quad v;
    const bool far = is_far(s, joint, &v);
    const quad gap = quad_load(&joint->gap), end = quad_add(gap, quad_scale(v, s->h));
    if (!(quad_dot3(end, end) > quad_dot3(gap, gap)))
        return false;
    const quad wanted = quad_scale(gap, -REST * s->inverse_h);
    quad p = impulse_for(joint, quad_sub(wanted, v));
    if (quad_dot3(p, quad_add(v, wanted)) > 0)
        p = impulse_for(joint, quad_scale(v, -1));
    quad_store(&joint->held, quad_add(quad_load(&joint->held), p));
    push(s, joint->b, &joint->arm_b, p, far);
    push(s, joint->a, &joint->arm_a, quad_scale(p, -1), far);
    return far;
}

/* ---- Articulations ----------------------------------------------------------------------------------------------- */

/* True if contact changed the motion of one of its bodies by much; after the first turn, in sweep run.since or
   later. */
static bool is_jolted(const sn_body_contact_substep *s, const sn_mover_columns *c, const uint32_t *member,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const sn_mover *m = &c->mover[member[i]];
        const sn_vec4 *record = &c->record[SN_BODY_CONTACT_RECORD * (size_t)member[i]];
        if (!contact_is_stirred(s->world, member[i], (uint32_t)s->run.since) || !columns_have_impulse(c, member[i]))
            continue;
        const quad gain = quad_xyz(quad_sub(quad_load(&record[0]), quad_load(&c->v[m->slot]))),
                   spin = quad_xyz(quad_sub(quad_load(&record[1]), quad_load(&m->spin)));
        const sn_real most = JOLT * m->extent * s->inverse_h;
        if (quad_dot3(gain, gain) + m->extent * m->extent * quad_dot3(spin, spin) > most * most)
            return true;
    }
    return false;
}

/* Loads bodies without contacts, too. */
static void load_others(const sn_body_contact_substep *s, const sn_mover_columns *c, const uint32_t *member,
                        uint32_t count)
{
    uint32_t list[SN_TURN_BATCH], others = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (columns_have_impulse(c, member[i]))
            continue;
        c->mark[member[i]] |= SN_MARK_HELD;
        list[others++] = member[i];
        if (others < SN_TURN_BATCH)
            continue;
        sn_body_contacts_load(s, list, others);
        others = 0;
    }
    sn_body_contacts_load(s, list, others);
}

static bool is_open(const sn_body_contact_substep *s, const sn_open_joint *joint, uint32_t count)
{
    quad v;
    for (uint32_t i = 0; i < count; ++i)
        if (is_far(s, &joint[i], &v))
            return true;
    return false;
}

/* Forwards and backwards, so that an impulse reaches all joints. */
static bool hold_joints(const sn_body_contact_substep *s, sn_open_joint *joint, uint32_t count)
{
    bool far = false;
    for (uint32_t i = 0; i < count; ++i)
        hold_joint(s, &joint[i]);
    for (uint32_t i = count; i > 0; --i)
        far = hold_joint(s, &joint[i - 1]) || far;
    return far;
}

typedef struct holding {
    const sn_body_contact_substep *s;
    const uint32_t *list; /* of articulations, */
    uint32_t count;       /*   so many */
    atomic_bool open;     /* some joint was open too far */
} holding;

static void hold_one(holding *h, uint32_t index)
{
    const sn_body_contact_substep *s = h->s;
    const sn_articulations *all = &s->world->articulations;
    const uint32_t *first = all->first_table.column[0], *pivot = all->first_table.column[1];
    const uint32_t *member = (const uint32_t *)all->member_table.column[0] + first[index],
                   members = first[index + 1] - first[index];
    const sn_pivots swing = {.ends = (const sn_pivot_ends *)all->pivot_table.column[2] + pivot[index],
                             .count = pivot[index + 1] - pivot[index]};
    const uint32_t count = swing.count;
    const sn_mover_columns c = contact_columns(s->world);
    uint8_t *state = &states(s->world)[index];
    sn_open_joint *joint = joints(s->world) + pivot[index];
    if (!(*state & FAR) && !is_jolted(s, &c, member, members))
        return;
    if (!(*state & READY)) {
        load_others(s, &c, member, members);
        sn_body_pivots_ready(s, &swing, joint);
    }
    *state = (uint8_t)((*state | READY) & ~FAR);
    if (!is_open(s, joint, count))
        return;
    for (uint32_t k = 0; k < count && !(*state & WEIGHED); ++k)
        weigh_joint(s->world, &joint[k]);
    *state |= WEIGHED;
    if (hold_joints(s, joint, count))
        *state |= FAR;
    contact_raise(&h->open);
    for (uint32_t i = 0; i < members; ++i)
        if (contact_record(s->world, member[i])[1].w >= s->run.sweep)
            sn_body_contacts_stir_mover(s, member[i]);
}

static void hold_some(void *data, uint32_t index, uint32_t worker)
{
    holding *h = data;
    (void)worker;
    for (uint32_t i = SHARE * index; i < h->count && i < SHARE * (index + 1); ++i)
        hold_one(h, h->list[i]);
}

/* Adds the impulses of holding to the multipliers of joints, which are their forces times h^2. The first three rows are
   along the axes of the first point. */
static void tell_joint(const sn_world *world, sn_real h, const sn_visit *visit, const sn_open_joint *joint)
{
    const sn_pool *pool = world->constraints.pool[visit->kind];
    const sn_anchor *a = surface_point(world, visit, 0);
    sn_real *lambda = pool->lambda + (size_t)visit->row * pool->kind->rows;
    double p[3] = {(double)joint->held.x, (double)joint->held.y, (double)joint->held.z};
    const double own[4] = {(double)a->turn.x, (double)a->turn.y, (double)a->turn.z, (double)a->turn.w};
    if (a->type == SN_POINT_BODY)
        sn_rotate_vector_back(world->bodies.state[a->body].q, p, p);
    sn_rotate_vector_back(own, p, p);
    for (int i = 0; i < 3; ++i)
        lambda[i] += (sn_real)p[i] * h;
}

static void tell_piece(void *data, uint32_t begin, uint32_t end)
{
    const sn_body_contact_substep *s = data;
    const sn_articulations *all = &s->world->articulations;
    const uint32_t *pivot = all->first_table.column[1];
    const sn_visit *visit = all->pivot_table.column[0];
    const sn_open_joint *joint = joints(s->world);
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t k = pivot[i]; states(s->world)[i] & READY && k < pivot[i + 1]; ++k)
            if (joint[k].a != joint[k].b && vec3_dot(vec4_xyz(joint[k].held), vec4_xyz(joint[k].held)) > 0)
                tell_joint(s->world, s->h, &visit[k], &joint[k]);
}

/* Lists all articulations for the first turn, and those that may have opened since the last turn for others. */
static uint32_t list_disturbed(const sn_body_contact_substep *s, bool first, uint32_t *list)
{
    const sn_articulations *all = &s->world->articulations;
    const _Atomic uint32_t *stirred = contact_stirred_articulations(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; ++i) {
        if (first)
            states(s->world)[i] = 0;
        if (first || states(s->world)[i] & FAR ||
            (sn_real)atomic_load_explicit(&stirred[i], memory_order_relaxed) >= s->run.since)
            list[count++] = i;
    }
    return count;
}

static bool static_friction_all(const sn_body_contact_substep *s, bool first, bool *open)
{
    uint32_t *list = s->world->articulations.first_table.column[5];
    sn_parallel *parallel = &s->world->parallel;
    holding h = {.s = s, .list = list, .count = list_disturbed(s, first, list)};
    const double work = SN_BODY_CONTACTS_AWAKE * h.count * (first ? WORK_OF_LOOK : WORK_OF_HOLD);
    const bool good = sn_parallel_tasks(sn_parallel_wants(parallel, work) ? parallel : NULL,
                                        (h.count + SHARE - 1) / SHARE, hold_some, &h);
    *open = h.open;
    return good;
}

bool sn_body_contacts_hold_joints(sn_body_contact_substep *s)
{
    sn_world *world = s->world;
    bool good = true, open = true;
    if (!world->articulations.limits)
        return true;
    s->run.stirred_only = true;
    s->run.since = 0;
    for (uint32_t turn = 0; good && turn < TURNS; ++turn) {
        s->run.sweep += 1;
        good = static_friction_all(s, turn == 0, &open);
        if (!open && turn == 0)
            return good;
        if (!open)
            break;
        s->run.since = s->run.sweep;
        s->run.sweep += 1;
        s->run.sweep += (sn_real)sn_body_contacts_sweep_violent(s, &good);
    }
    return good && sn_parallel_few(&world->parallel, world->articulations.count, WORK_OF_LOOK, tell_piece, s);
}
