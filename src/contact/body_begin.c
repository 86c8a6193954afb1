/* Contact of bodies: loads movers at the start of a substep, and finds bodies that have left the space that was
   searched for them. */
#include "contact/callbacks.h"
#include "contact/body_work.h"
#include "world/substep.h"

#include "base/quad.h"
#include "bodies/rotation.h"

#include <math.h>
#include <string.h>

sn_real sn_body_contact_spins(const sn_world *world, const sn_mover *m)
{
    if (m->body == SN_ID_FREE)
        return 0;
    const sn_quat *p = &m->from.rotation, *q = &world->bodies.turn[m->body].start;
    if (quad_is_zero(quad_load(p))) /* the step begins */
        return 0;
    return contact_turned(m->extent, p, q);
}

/* The velocity of a kinematic body in a record is the one that takes it to its target in the rest of the step, not
   that of the substep before. Likewise its angular velocity. */
static void lead(const sn_world *world, const sn_mover *m, sn_vec4 *v, sn_vec4 *to)
{
    const sn_target *target = (const sn_target *)world->target_table.column[0] + world->particles.target[m->slot] - 1;
    sn_vec3 displacement = vec3_sub(target->place, vec4_xyz(world->particles.x[m->slot]));
    double spin[3], inverse[3];
    *v = vec4(vec3_scale(displacement, 1 / world->body_contacts.left), 0);
    if (m->body == SN_ID_FREE)
        return;
    sn_body_inverse_moments(&world->bodies.state[m->body], inverse);
    sn_rotate_velocity(world->bodies.state[m->body].q, world->bodies.motion[m->body].l, inverse, spin);
    to[1] = vec4(vec3((sn_real)spin[0], (sn_real)spin[1], (sn_real)spin[2]), 0);
}

static void record_pose(const sn_pose *pose, sn_real spun, sn_vec4 *to)
{
    to[4] = vec4(pose->position, spun);
    to[5] = (sn_vec4){pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
}

/* Records of fixed shapes: with an inverse mass of 0. */
void sn_body_contacts_load_fixed_shapes(const sn_world *world)
{
    const uint32_t *number = world->body_contacts.fixed_shape_table.column[0];
    for (uint32_t i = 0; i < world->body_contacts.fixed_shape_table.count; ++i) {
        const sn_fixed_motion *m = contact_motion(world, number[i]);
        sn_vec4 *to = contact_record(world, world->body_contacts.mover_table.count + 1 + i);
        memset(to, 0, SN_BODY_CONTACT_RECORD * sizeof *to);
        to[0] = vec4(m->velocity, 0);
        to[1] = vec4(m->spin, contact_is_zero(m->spin) ? 0 : m->speed);
        record_pose(&m->start, 0, to);
    }
}

/* m/s: an upper bound of the increase of the velocity of points of a movable mover, by forces and torques, in the
   substep that begins. Factor 2: a body that leans on an edge rotates about it; as with gravity, its points move twice
   as far as its centre would. */
static sn_real driven(const sn_body_contact_substep *s, const sn_mover *m)
{
    const sn_world *world = s->world;
    const sn_real pushed = s->force ? 2 * s->h * m->w * vec3_length(s->force[m->slot]) : 0;
    if (m->body == SN_ID_FREE)
        return pushed;
    const double *t = world->bodies.motion[m->body].torque;
    if (world->bodies.motion[m->body].is_free || (t[0] == 0 && t[1] == 0 && t[2] == 0))
        return pushed;
    const double *x = m->inverse;
    const double most = x[0] > x[1] ? (x[0] > x[2] ? x[0] : x[2]) : x[1] > x[2] ? x[1] : x[2];
    return pushed + 2 * s->h * m->extent * (sn_real)(most * sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]));
}

typedef struct watching {
    sn_body_contact_substep *s;
    sn_substep *predicts; /* bodies are predicted in the same loop; NULL: they have been */
    atomic_bool fast, left;
} watching;

/* Up to eight movers, as arguments of functions on lanes. */
typedef struct mover_group {
    sn_spin_batch spins;
    sn_wide_movers movers;
    uint32_t mover[SN_TURN_BATCH];
    sn_vec4 kinematic[SN_TURN_BATCH]; /* m/s: velocities of kinematic movers */
} mover_group;

_Static_assert(SN_TURN_BATCH == SN_BODY_CONTACTS, "batches of both have one size");
_Static_assert(offsetof(sn_mover, spun) == offsetof(sn_mover, extent) + SN_MOVER_DISPLACEMENTS * sizeof(sn_real) &&
                   offsetof(sn_mover, sought) == offsetof(sn_mover, extent) + SN_MOVER_SOUGHT * sizeof(sn_real) &&
                   offsetof(sn_mover, from) == offsetof(sn_mover, extent) + SN_MOVER_PLACE * sizeof(sn_real) &&
                   offsetof(sn_mover, from.rotation) == offsetof(sn_mover, extent) + SN_MOVER_TURN * sizeof(sn_real) &&
                   sizeof(sn_pose) == (SN_MOVER_NUMBERS - SN_MOVER_PLACE) * sizeof(sn_real),
               "numbers of a mover lie as wide/wide.h says");

/* A ball is treated as a body that does not rotate. */
static inline void group_add(const sn_body_contact_substep *s, const sn_mover_columns *c, mover_group *g,
                             uint32_t mover, bool watched)
{
    static sn_body_state ball = {.q = {0, 0, 0, 1}};
    static sn_quat still = {0, 0, 0, 1};
    sn_mover *m = &c->mover[mover];
    sn_vec4 *to = &c->record[SN_BODY_CONTACT_RECORD * (size_t)mover], *x = &c->x[m->slot];
    const bool turns = m->body != SN_ID_FREE;
    const uint32_t at = g->spins.count++;
    const sn_real w = x->w, thin = m->thin;
    m->w = w;
    to[3] = (sn_vec4){0, 0, 0, thin};
    to[6] = (sn_vec4){0, 0, 0, w};
    to[7] = (sn_vec4){0};
    g->mover[at] = mover;
    g->spins.body[at] = turns ? &c->state[m->body] : &ball;
    g->spins.as[at] = g->spins.body[at]->q;
    g->spins.inverse[at] = m->inverse;
    g->spins.odd[at] = turns ? m->odd : SN_ALL_ALIKE;
    g->spins.w[at] = w;
    g->spins.record[at] = to;
    g->movers.watched |= (uint32_t)watched << at;
    g->movers.record[at] = &to->x;
    g->movers.own[at] = &m->extent;
    g->movers.x[at] = &x->x;
    g->movers.v[at] = &c->v[m->slot].x;
    g->movers.turn[at] = turns ? &c->turn[m->body].start.x : &still.x;
    g->movers.driven[at] = w != 0 && (s->force || !turns || !c->motion[m->body].is_free) ? driven(s, m) : 0;
}

static void group_begin(const sn_body_contact_substep *s, mover_group *g)
{
    g->spins.count = g->movers.watched = g->movers.left = 0;
    g->movers.fast = false;
    g->movers.fall = vec3_length(s->world->state.settings.gravity) * s->h;
}

/* Loads the positions of movers at the start of a substep, and how far they may move. */
static void group_end(watching *w, mover_group *g)
{
    const sn_world *world = w->s->world;
    const uint32_t count = g->spins.count;
    if (!count)
        return;
    w->s->turning->weigh(&g->spins);
    for (uint32_t i = 0; i < count && world->target_table.count; ++i) {
        const sn_mover *m = &contact_movers(world)[g->mover[i]];
        if (world->particles.target[m->slot]) {
            lead(world, m, &g->kinematic[i], g->spins.record[i]);
            g->movers.v[i] = &g->kinematic[i].x;
        }
    }
    for (uint32_t i = count; i < SN_TURN_BATCH; ++i) {
        g->movers.record[i] = g->movers.record[count - 1];
        g->movers.own[i] = g->movers.own[count - 1];
        g->movers.x[i] = g->movers.x[count - 1];
        g->movers.v[i] = g->movers.v[count - 1];
        g->movers.turn[i] = g->movers.turn[count - 1];
        g->movers.driven[i] = g->movers.driven[count - 1];
        g->movers.watched |= (g->movers.watched >> (count - 1) & 1) << i;
    }
    g->movers.count = count;
    w->s->wide->begin(&w->s->run, &g->movers);
    if (g->movers.fast)
        contact_raise(&w->fast);
    /* a body that moves farther than expected may touch something that was not found */
    for (uint32_t i = 0; i < count; ++i) {
        if (!(g->movers.watched >> i & 1))
            continue;
        const sn_mover *m = &contact_movers(world)[g->mover[i]];
        const bool leaves = g->movers.left >> i & 1 &&
                            !sn_body_contact_has_room(world, m, vec3_scale(vec4_xyz(g->spins.record[i][0]), w->s->h));
        contact_set_left(world, g->mover[i], leaves);
        if (leaves)
            contact_raise(&w->left);
    }
    group_begin(w->s, g);
}

/* The velocities of movers at the start of the pass, for those that may get an impulse in it. Their positions are known
   since the start of the substep. Angular velocities and inertias are those from which a body rotated freely to its
   present orientation: those at the start of the substep, except for what constraints changed. The predicted angular
   velocity is not needed any more; it is overwritten. */
static void end_loading(const sn_body_contact_substep *s, sn_spin_batch *batch, const uint32_t *mover)
{
    s->turning->back(batch);
    const uint32_t turned = s->turning->weigh_again(batch); /* by something other than the angular velocity */
    for (uint32_t i = 0; i < batch->count; ++i) {
        contact_movers(s->world)[mover[i]].spin = batch->record[i][1];
        if (turned >> i & 1)
            contact_marks(s->world)[mover[i]] |= SN_MARK_TURNED;
    }
    if (turned)
        contact_raise(&s->world->body_contacts.turned);
    batch->count = 0;
}

void sn_body_contacts_load(const sn_body_contact_substep *s, const uint32_t *list, uint32_t count)
{
    const sn_mover_columns c = contact_columns(s->world);
    sn_spin_batch batch;
    uint32_t mover[SN_TURN_BATCH];
    batch.count = 0;
    batch.h = (double)s->h;
    for (uint32_t at = 0; at < count; ++at) {
        const uint32_t i = list[at], n = batch.count;
        if (!columns_have_impulse(&c, i))
            continue;
        sn_mover *m = &c.mover[i];
        sn_vec4 *to = &c.record[SN_BODY_CONTACT_RECORD * (size_t)i];
        const sn_real w = c.x[m->slot].w;
        m->w = w;
        to[0] = c.v[m->slot];
        to[0].w = w;
        to[1].w = 0;
        if (m->body == SN_ID_FREE)
            continue;
        batch.body[n] = &c.state[m->body];
        batch.as[n] = c.motion[m->body].q;
        batch.inverse[n] = m->inverse;
        batch.odd[n] = m->odd;
        batch.w[n] = w;
        batch.record[n] = to;
        mover[batch.count++] = i;
        if (batch.count == SN_TURN_BATCH)
            end_loading(s, &batch, mover);
    }
    end_loading(s, &batch, mover);
}

void sn_body_contacts_load_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_substep *s = data;
    sn_body_contacts_load(s, contact_listed(s->world) + first, end - first);
}

bool sn_body_contact_has_room(const sn_world *world, const sn_mover *m, sn_vec3 displacement)
{
    const sn_vec3 from = vec3_sub(vec4_xyz(world->particles.x[m->slot]), m->sought), to = vec3_add(from, displacement);
    const sn_real by = m->turned;
    const sn_bounds *room = &m->room;
    return from.x - by >= room->low.x && to.x - by >= room->low.x && from.x + by <= room->high.x &&
           to.x + by <= room->high.x && from.y - by >= room->low.y && to.y - by >= room->low.y &&
           from.y + by <= room->high.y && to.y + by <= room->high.y && from.z - by >= room->low.z &&
           to.z - by >= room->low.z && from.z + by <= room->high.z && to.z + by <= room->high.z;
}

/* Awake bodies are the first in the list of movers. SN_FEW of them go through all of this while they are in the cache.
   After a search within the substep, only movers count that are not loaded yet, or that left their space. */
static void begin_piece(void *data, uint32_t first, uint32_t end)
{
    watching *w = data;
    const sn_world *world = w->s->world;
    const uint32_t awake = world->bodies.awake_table.count, listed = world->body_contacts.list_table.count;
    const sn_mover_columns c = contact_columns(world);
    const bool again = w->s->again;
    mover_group g;
    group_begin(w->s, &g);
    for (uint32_t at = first, next; at < end; at = next) {
        next = contact_least(at + SN_FEW, end);
        if (w->predicts && at < awake)
            sn_turns_predict_piece(w->predicts, at, contact_least(next, awake));
        for (uint32_t k = at; k < contact_least(next, listed); ++k) {
            const uint32_t i = c.listed[k];
            if (again && c.mark[i] & SN_MARK_LOADED)
                continue;
            c.mark[i] = (uint8_t)((c.mark[i] | SN_MARK_LOADED) & ~(SN_MARK_HELD | SN_MARK_TURNED));
            group_add(w->s, &c, &g, i, k < awake && (!again || c.flags[i] & SN_ROW_LEFT));
            if (g.spins.count == SN_TURN_BATCH)
                group_end(w, &g);
        }
    }
    group_end(w, &g);
}

/* Loads all movers at the start of a substep. */
static bool load_movers(watching *w)
{
    sn_world *world = w->s->world;
    const uint32_t awake = world->bodies.awake_table.count, listed = world->body_contacts.list_table.count;
    if (!sn_body_contacts_share(world, awake > listed ? awake : listed, begin_piece, w))
        return false;
    sn_body_contacts_load_fixed_shapes(world);
    return true;
}

/* The same. Then bodies that left the space that was searched for them are searched for again. */
static bool begin_movers(sn_body_contact_substep *s, sn_substep *substep)
{
    sn_world *world = s->world;
    watching w = {.s = s, .predicts = substep};
    if (!load_movers(&w))
        return false;
    sn_stage_enter(world, SN_STAGE_NARROW_PHASE);
    w.predicts = NULL;
    if (w.left) {
        if (!sn_solve_write_back(substep)) /* the search looks at all particles */
            return false;
        world->contacts.failed = sn_body_contacts_find_again(world, false);
        s->again = true;
        if (world->contacts.failed != SN_OK || !load_movers(&w))
            return false;
    }
    world->body_contacts.fast = w.fast;
    return !w.fast || sn_body_contacts_pass_throws_on(s);
}

bool sn_body_contacts_begin(sn_substep *substep)
{
    sn_world *world = substep->world;
    const sn_real h = substep->h;
    sn_body_contact_substep s = contact_substep(world, h);
    s.begins = true;
    atomic_store_explicit(&world->body_contacts.turned, false, memory_order_relaxed);
    s.force = substep->motion.force;
    if (!world->body_contacts.mover_table.count) {
        sn_turns_predict(substep);
        return true;
    }
    bool good = sn_body_balls_begin(world) && begin_movers(&s, substep);
    sn_stage_enter(world, SN_STAGE_NARROW_PHASE); /* which a search within the step interrupts */
    s.run = contact_substep(world, h).run;        /* tables may have grown */
    good =
        good && (!world->body_contacts.count || (sn_callbacks_contacts(&s) && sn_body_contacts_ready_groups(&s) &&
                                                 sn_body_contacts_carry(&s, substep) && sn_body_contacts_expect(&s)));
    world->body_contacts.left -= h;
    return good;
}
