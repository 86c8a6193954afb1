/* Contact of bodies: movers as they are when a substep begins, and bodies that left the space that was searched for them. */
#include "contact/callbacks.h"
#include "contact/body_work.h"
#include "world/substep.h"

#include "base/quad.h"
#include "bodies/rotation.h"

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

/* One that is led moves as it will, not as it did. */
static void lead(const sn_world *world, const sn_mover *m, sn_vec4 *to)
{
    const sn_target *target = (const sn_target *)world->target_table.column[0] + world->particles.target[m->slot] - 1;
    sn_vec3 way = vec3_sub(target->place, vec4_xyz(world->particles.x[m->slot]));
    double spin[3], inverse[3];
    to[0] = vec4(vec3_scale(way, 1 / world->body_contacts.left), m->w);
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

/* A fixed shape is one that nothing moves. */
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

/* m/s: how much faster spots of a mover become by forces and torques in the substep that begins, at most. One that leans on an edge turns
   about that: as with gravity, spots come twice as far as its centre would. */
static sn_real driven(const sn_body_contact_substep *s, const sn_mover *m)
{
    const sn_world *world = s->world;
    const sn_real pushed = s->force ? 2 * s->h * m->w * vec3_length(s->force[m->slot]) : 0;
    if (m->body == SN_ID_FREE || m->w == 0)
        return pushed;
    const double *t = world->bodies.motion[m->body].torque;
    if (world->bodies.motion[m->body].is_free || (t[0] == 0 && t[1] == 0 && t[2] == 0))
        return pushed;
    const double *x = m->inverse;
    const double most = x[0] > x[1] ? (x[0] > x[2] ? x[0] : x[2]) : x[1] > x[2] ? x[1] : x[2];
    return pushed + 2 * s->h * m->extent * (sn_real)(most * sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]));
}

/* Where a mover is when a substep begins, and how far it may come. */
static inline void begin_mover(const sn_body_contact_substep *s, sn_mover *m, sn_vec4 *to)
{
    const sn_world *world = s->world;
    const quad none = {0}, place = quad_load(&world->particles.x[m->slot]);
    const bool turns = m->body != SN_ID_FREE;
    const quad rotation = turns ? quad_load(&world->bodies.turn[m->body].start) : none;
    m->spun += sn_body_contact_spins(world, m);
    quad_store(&m->from, place); /* the place of a pose comes first */
    quad_store(&m->from.rotation, rotation);
    if (!turns)
        m->from.rotation.w = 1;
    if (world->particles.target[m->slot])
        lead(world, m, to);
    const quad spin = quad_load(&to[1]);
    to[1].w = turns ? real_sqrt(quad_dot3(spin, spin)) * m->extent : 0;
    if (s->force || !turns || !world->bodies.motion[m->body].is_free)
        to[1].w += driven(s, m);
    quad_store(&to[4], place);
    to[4].w = m->spun;
    to[5] = (sn_vec4){m->from.rotation.x, m->from.rotation.y, m->from.rotation.z, m->from.rotation.w};
}

/* Movers that are loaded, once it is known how they spin. */
static void end_loading(const sn_body_contact_substep *s, const uint32_t *mover, uint32_t count)
{
    sn_mover *all = contact_movers(s->world);
    sn_vec4 *record = contact_records(s->world);
    for (uint32_t i = 0; i < count; ++i) {
        sn_mover *m = &all[mover[i]];
        sn_vec4 *to = &record[SN_BODY_CONTACT_RECORD * (size_t)mover[i]];
        if (s->begins)
            begin_mover(s, m, to);
        else
            m->spin = to[1];
    }
}

/* What a record says besides how a mover spins. What it is parted by is 0 since the substep began. */
static sn_vec4 *load_record(const sn_body_contact_substep *s, uint32_t mover, sn_mover *m)
{
    const sn_vec4 none = vec4(vec3(0, 0, 0), 0);
    const sn_real w = s->world->particles.x[m->slot].w;
    sn_vec4 *to = contact_record(s->world, mover);
    m->w = w;
    to[0] = s->world->particles.v[m->slot];
    to[0].w = w;
    to[1] = to[2] = none;
    to[3] = (sn_vec4){0, 0, 0, m->thin};
    if (s->begins) {
        to[6] = (sn_vec4){0, 0, 0, w};
        to[7] = none;
    }
    return to;
}

/* Once a substep has begun, only those count that may be pressed in it; and after a search in it, those that are not known yet. */
void sn_body_contacts_load_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_substep *s = data;
    const sn_world *world = s->world;
    sn_spin_batch batch;
    uint32_t mover[SN_TURN_BATCH];
    batch.count = 0;
    for (uint32_t at = first; at < end; ++at) {
        const uint32_t i = contact_listed(world)[at];
        if (!s->begins && !contact_has_impulse(world, i))
            continue;
        uint8_t *mark = &contact_marks(world)[i];
        if (s->again && *mark & SN_MARK_LOADED)
            continue;
        *mark |= SN_MARK_LOADED;
        sn_mover *m = &contact_movers(world)[i];
        sn_vec4 *to = load_record(s, i, m);
        if (m->body == SN_ID_FREE) {
            end_loading(s, &i, 1);
            continue;
        }
        batch.body[batch.count] = &world->bodies.state[m->body];
        batch.inverse[batch.count] = m->inverse;
        batch.odd[batch.count] = m->odd;
        batch.record[batch.count] = to;
        mover[batch.count++] = i;
        if (batch.count == SN_TURN_BATCH) {
            s->turning->weigh(&batch, 0);
            end_loading(s, mover, batch.count);
            batch.count = 0;
        }
    }
    s->turning->weigh(&batch, 0);
    end_loading(s, mover, batch.count);
}

typedef struct watching {
    sn_body_contact_substep *s;
    sn_substep *predicts; /* bodies are predicted in the same loop; NULL: they have been */
    atomic_bool fast, left;
} watching;

bool sn_body_contact_has_room(const sn_world *world, const sn_mover *m, sn_vec3 way)
{
    const sn_vec3 from = vec3_sub(vec4_xyz(world->particles.x[m->slot]), m->sought), to = vec3_add(from, way);
    const sn_real by = m->turned;
    const sn_bounds *room = &m->room;
    return from.x - by >= room->low.x && to.x - by >= room->low.x && from.x + by <= room->high.x &&
           to.x + by <= room->high.x && from.y - by >= room->low.y && to.y - by >= room->low.y &&
           from.y + by <= room->high.y && to.y + by <= room->high.y && from.z - by >= room->low.z &&
           to.z - by >= room->low.z && from.z + by <= room->high.z && to.z + by <= room->high.z;
}

/* A body that comes farther than was thought, because of what was exerted on it, may touch things that were not looked at. */
static void watch_piece(void *data, uint32_t first, uint32_t end)
{
    watching *w = data;
    const sn_world *world = w->s->world;
    const sn_real h = w->s->h, fall = vec3_length(world->state.settings.gravity) * h;
    bool fast = false, left = false; /* what threads write often they wait for */
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t row = bodies_awake(&world->bodies)[i];
        if (w->s->again && !contact_has_left(world, row))
            continue;
        sn_mover *m = &contact_movers(world)[row];
        const sn_vec4 *record = contact_record(world, row);
        const quad v = quad_load(&record[0]), gone = quad_sub(quad_load(&record[4]), quad_load(&m->sought));
        const sn_real turning = record[1].w, way = h * (real_sqrt(quad_dot3(v, v)) + turning + fall);
        const sn_real turned = m->turned + h * (turning + fall);
        m->way = way;
        m->turned = turned;
        fast |= way > m->thin;
        const bool leaves = m->w != 0 &&
                            !(real_sqrt(quad_dot3(gone, gone)) + way + turned <
                              CERTAIN * m->free) && /* which most are content with */
                            !sn_body_contact_has_room(world, m, vec3_scale(vec4_xyz(record[0]), h));
        contact_set_left(world, row, leaves);
        left |= leaves;
    }
    if (fast)
        contact_raise(&w->fast);
    if (left)
        contact_raise(&w->left);
}

/* Bodies that are awake come first among the movers. A few are taken through all of this while they are in the cache. */
static void begin_piece(void *data, uint32_t first, uint32_t end)
{
    watching *w = data;
    const sn_world *world = w->s->world;
    const uint32_t awake = world->bodies.awake_table.count, listed = world->body_contacts.list_table.count;
    for (uint32_t at = first, next; at < end; at = next) {
        next = contact_least(at + SN_FEW, end);
        if (w->predicts && at < awake)
            sn_turns_predict_piece(w->predicts, at, contact_least(next, awake));
        if (at < listed)
            sn_body_contacts_load_piece(w->s, at, contact_least(next, listed));
        if (at < awake)
            watch_piece(w, at, contact_least(next, awake));
    }
}

/* Movers as they are when a substep begins. */
static bool load_movers(watching *w)
{
    sn_world *world = w->s->world;
    const uint32_t awake = world->bodies.awake_table.count, listed = world->body_contacts.list_table.count;
    if (!sn_body_contacts_share(world, awake > listed ? awake : listed, begin_piece, w))
        return false;
    sn_body_contacts_load_fixed_shapes(world);
    return true;
}

/* The same, and what may touch: those that left where they were looked for are searched for again. */
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
    return !w.fast || sn_body_contacts_hand_on_blows(s);
}

bool sn_body_contacts_begin(sn_substep *substep)
{
    sn_world *world = substep->world;
    const sn_real h = substep->h;
    sn_body_contact_substep s = contact_substep(world, h);
    s.begins = true;
    s.force = substep->motion.force;
    if (!world->body_contacts.mover_table.count) {
        sn_turns_predict(substep);
        return true;
    }
    bool good = begin_movers(&s, substep);
    sn_stage_enter(world, SN_STAGE_NARROW_PHASE); /* which a search within the step interrupts */
    s.run = contact_substep(world, h).run;        /* tables may have grown */
    good = good && (!world->body_contacts.count ||
                    (sn_callbacks_contacts(&s) && sn_body_contacts_ready_groups(&s) && sn_body_contacts_expect(&s)));
    world->body_contacts.left -= h;
    return good;
}
