/* Contact of bodies.

   A meet is two convex pieces that may touch, or a piece and a ball or a collider, with up to four points that share a normal n.
   Points are found where things are when a substep begins; how deep they are then, the *gap*, is what the pass over velocities
   at its end needs to know. With v the relative velocity at a point, after everything else in the substep acted, and K the
   inverse of the mass that it moves,

       normal      P' = max(0, P - (v.n + max(gap, 0) / h) / K)      no nearer than touching, and not deeper
       friction    T' = T - v_t / K, cut to the length mu P'

   P and T are impulses of this substep so far. A substep begins with those that the last one ended with, but with no more than
   twice what the one before that ended with: a weight presses in both, a blow does not. As gaps and arms are those at the start
   of the substep, and inertia is that at the end, momentum is kept. Velocities move places: what changed of them is added to places and turns, times h.
   Restitution follows, and things that overlap are parted, slowly, without a velocity, which costs a little of the angular
   momentum.

   Fast things. Points of two that are apart are those where they are nearest when the substep begins; who would pass them is
   followed along its way, and either meets elsewhere, or passes by (`clear`). For what turns, gaps are those at the end of the
   substep (`bend`). Who may be struck by somebody fast is looked at as if it were as fast (`blow`), and when somebody has come
   farther than was looked for at the start of the step, it is looked again (sn_meets_find_again). As long as somebody would come
   far into another there are more sweeps.

   It is the contact of particles (wide/contact.h) in terms of impulses: for balls both are the same. */
#include "world/meets_work.h"

#include "bodies/rotation.h"
#include "integrators/integrator.h"

#include <string.h>

/* Sweeps over all meets in a pass. With one, a tower of twenty boxes sways by centimetres for ever; with two it is at rest, to
   1e-8 J of a hundred tons, after seven seconds. */
#define SWEEPS 2u

/* Of what presses: less than that need not be shared out further; 1e-4 let towers tremble. */
#define SETTLED       ((sn_real)1e-6)
#define ROUNDS        6u  /* over the points of a meet, to find what they press */
#define BOUNCE_ROUNDS 40u /* the same when they bounce: there is no next substep that could do better */

/* Times the overlap that is left alone, a tenth of the size: as long as somebody is wrong by so much there are more sweeps, up to
   so many times as many. */
#define FAR_OFF ((sn_real)50)
#define MORE    30u

#define ONE_POINT  ((sn_real)1e-4) /* of the product of the diagonal: two points that are one */
#define OFF_COURSE ((sn_real)0.05) /* of a velocity */
#define EASE       ((sn_real)0.2) /* the share of an overlap that is parted in a substep, at most at the speed of push_out */
#define EASE_MOST  ((sn_real)0.4) /* and up to this if it is deep: */
#define EASE_SLOPE ((sn_real)50)  /* more by one for so many times what is left alone */

/* ---- A pass --------------------------------------------------------------------------------------------------------------- */

/* A push across the normal, where the two rub. */
static void push_across(const sn_world *world, const sn_meet_pass *p, sn_vec3 impulse)
{
    sn_mover *a = &meet_movers(world)[p->a];
    a->v = vec3_add(a->v, vec3_scale(impulse, a->w));
    a->spin = vec3_add(a->spin, meet_times_inverse(a, vec3_cross(p->ra, impulse)));
    if (p->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[p->b];
    b->v = vec3_sub(b->v, vec3_scale(impulse, b->w));
    b->spin = vec3_sub(b->spin, meet_times_inverse(b, vec3_cross(p->rb, impulse)));
}

/* A torque about the normal. */
static void twist(const sn_world *world, const sn_meet_pass *p, sn_real impulse)
{
    sn_mover *a = &meet_movers(world)[p->a];
    a->spin = vec3_add(a->spin, vec3_scale(p->turn_n_a, impulse));
    if (p->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[p->b];
    b->spin = vec3_sub(b->spin, vec3_scale(p->turn_n_b, impulse));
}

static void turn_both(const sn_world *world, const sn_meet_pass *p, sn_vec3 impulse)
{
    sn_mover *a = &meet_movers(world)[p->a];
    a->spin = vec3_add(a->spin, meet_times_inverse(a, impulse));
    if (p->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[p->b];
    b->spin = vec3_sub(b->spin, meet_times_inverse(b, impulse));
}

/* The turn that pushes at the points of one give it. */
static sn_vec3 turn_of(const sn_real turn[SN_MANIFOLD_MOST][4], const sn_real *more)
{
    sn_real sum[4] = {0};
    for (int i = 0; i < SN_MANIFOLD_MOST; ++i)
        for (int c = 0; c < 4; ++c)
            sum[c] += turn[i][c] * more[i];
    return vec3(sum[0], sum[1], sum[2]);
}

/* So much more at each point, along the normal. */
static void push_along(const sn_world *world, const sn_meet_pass *p, const sn_real *more)
{
    const sn_real total = more[0] + more[1] + (more[2] + more[3]);
    sn_mover *a = &meet_movers(world)[p->a];
    a->v = vec3_add(a->v, vec3_scale(p->n, a->w * total));
    a->spin = vec3_add(a->spin, turn_of(p->turn_a, more));
    if (p->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[p->b];
    b->v = vec3_sub(b->v, vec3_scale(p->n, b->w * total));
    b->spin = vec3_sub(b->spin, turn_of(p->turn_b, more));
}

static void renew_turn(const sn_mover *m, sn_real (*arm)[SN_MANIFOLD_MOST], sn_real (*turn)[4])
{
    for (uint32_t k = 0; k < SN_MANIFOLD_MOST; ++k) {
        sn_vec3 spin = meet_times_inverse(m, vec3(arm[0][k], arm[1][k], arm[2][k]));
        turn[k][0] = spin.x;
        turn[k][1] = spin.y;
        turn[k][2] = spin.z;
    }
}

/* How pushes turn both, as they lie now: their spins become angular momentum by the inertia of the end of the substep. With that of
   the start, which is another one for what is not round and turns, momentum was off by a share of h times the spin. */
static void renew_turns(const sn_world *world, sn_meet_pass *p)
{
    const sn_mover *a = &meet_movers(world)[p->a];
    renew_turn(a, p->arm_a, p->turn_a);
    p->turn_n_a = meet_times_inverse(a, p->n);
    if (p->b == SN_NO_MOVER)
        return;
    const sn_mover *b = &meet_movers(world)[p->b];
    renew_turn(b, p->arm_b, p->turn_b);
    p->turn_n_b = meet_times_inverse(b, p->n);
}

static void warm(const sn_meet_substep *s, sn_meet_pass *p, sn_meet *meet)
{
    sn_real before = 0, after = 0;
    renew_turns(s->world, p);
    memset(p->pressed, 0, sizeof p->pressed);
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_meet_point *point = &meet->point[i];
        sn_real pressed = point->pressed, steady = pressed < 2 * point->last ? pressed : 2 * point->last;
        before += pressed;
        after += steady;
        point->last = pressed;
        p->pressed[i] = steady;
    }
    sn_real share = before > 0 ? after / before : 0;
    p->rub.rubbed = vec3_scale(meet->rub.rubbed, share);
    p->rub.twisted = meet->rub.twisted * share;
    p->rub.rolled = vec3_scale(meet->rub.rolled, share);
    if (!(after > 0))
        return;
    push_along(s->world, p, p->pressed);
    push_across(s->world, p, p->rub.rubbed);
    twist(s->world, p, p->rub.twisted);
    if (p->roll > 0)
        turn_both(s->world, p, p->rub.rolled);
}

/* Of two points exactly: both push, or one of them does and the other is not too near then, or none. Two that are so near to each
   other that they are one are left to the rounds. */
static bool push_two(const sn_meet_pass *p, const sn_real *v, sn_real *pushed)
{
    const sn_real k00 = p->coupling[0][0], k01 = p->coupling[0][1], k11 = p->coupling[1][1];
    const sn_real det = k00 * k11 - k01 * k01;
    if (!(det > ONE_POINT * (k00 * k11)))
        return false;
    const sn_real b0 = v[0] - (k00 * pushed[0] + k01 * pushed[1]), b1 = v[1] - (k01 * pushed[0] + k11 * pushed[1]);
    const sn_real both0 = k01 * b1 - k11 * b0, both1 = k01 * b0 - k00 * b1; /* times det */
    if (both0 >= 0 && both1 >= 0) {
        const sn_real by = 1 / det;
        pushed[0] = both0 * by;
        pushed[1] = both1 * by;
        return true;
    }
    const sn_real one0 = b0 < 0 ? -b0 * p->mass[0] : 0, one1 = b1 < 0 ? -b1 * p->mass[1] : 0;
    const bool first = b1 + k01 * one0 >= 0;
    pushed[0] = first ? one0 : 0;
    pushed[1] = first ? 0 : one1;
    return true;
}

/* What points push so that each is where it wants to be, or does not push. v: what is too much at each; pushed: what is pushed so
   far. Of more than two by going round them. */
static void balance(const sn_meet_pass *p, sn_real *v, sn_real *pushed, uint32_t rounds)
{
    if (p->count == 1) {
        const sn_real wanted = pushed[0] - v[0] * p->mass[0];
        pushed[0] = wanted > 0 ? wanted : 0;
        return;
    }
    if (p->count == 2 && push_two(p, v, pushed))
        return;
    for (uint32_t round = 0; round < rounds; ++round) {
        sn_real changed = 0, total = 0;
        for (uint32_t i = 0; i < p->count; ++i) {
            sn_real wanted = pushed[i] - v[i] * p->mass[i];
            wanted = wanted > 0 ? wanted : 0;
            const sn_real change = wanted - pushed[i];
            pushed[i] = wanted;
            changed += change < 0 ? -change : change;
            total += wanted;
            for (int k = 0; k < SN_MANIFOLD_MOST; ++k)
                v[k] += p->coupling[i][k] * change;
        }
        if (changed <= SETTLED * total)
            break;
    }
}

/* The points of a meet press together: each alone would tilt the bodies onto the others, and towers would sway for ever. Their
   impulses are found by going round them a few times, which touches nothing but a matrix of four by four. v: how fast they come
   apart beyond what is wanted. */
static void press_together(const sn_meet_substep *s, sn_meet_pass *p, sn_real *v, uint32_t rounds)
{
    sn_real more[SN_MANIFOLD_MOST], pressed[SN_MANIFOLD_MOST];
    memcpy(pressed, p->pressed, sizeof pressed);
    balance(p, v, pressed, rounds);
    for (int i = 0; i < SN_MANIFOLD_MOST; ++i) {
        more[i] = pressed[i] - p->pressed[i];
        p->pressed[i] = pressed[i];
    }
    push_along(s->world, p, more);
}

static void press(const sn_meet_substep *s, sn_meet_pass *p)
{
    sn_real v[SN_MANIFOLD_MOST], wrong = 0;
    bool acts = false;
    meet_speeds(s->world, p, v);
    for (int i = 0; i < SN_MANIFOLD_MOST; ++i)
        v[i] += p->room[i];
    for (uint32_t i = 0; i < p->count; ++i) {
        bool active = v[i] < 0 || p->pressed[i] > 0;
        acts = acts || active;
        wrong = active && meet_magnitude(v[i]) > wrong ? meet_magnitude(v[i]) : wrong;
    }
    if (wrong * s->h > FAR_OFF * p->slop)
        atomic_store_explicit(s->violent, true, memory_order_relaxed);
    if (acts)
        press_together(s, p, v, ROUNDS);
}

/* What friction holds is left, the rest is cut to what it drags with. */
static sn_real cut(sn_real much, sn_real hold, sn_real drag)
{
    return much > hold ? drag / much : 1;
}

/* What is round resists rolling with a torque, up to a share of what presses. */
static void resist_rolling(const sn_meet_substep *s, sn_meet_pass *p, const sn_meet *meet, sn_real pressed)
{
    sn_vec3 spin = meet_movers(s->world)[p->a].spin, wanted;
    spin = vec3_sub(spin, p->b == SN_NO_MOVER ? meet_motion(s->world, meet->collider)->spin
                                              : meet_movers(s->world)[p->b].spin);
    wanted = vec3_sub(p->rub.rolled, vec3_scale(spin, p->roll));
    sn_real most = p->rolling * pressed;
    wanted = vec3_scale(wanted, cut(vec3_length(wanted), most, most));
    turn_both(s->world, p, vec3_sub(wanted, p->rub.rolled));
    p->rub.rolled = wanted;
}

/* m/s: of a's spot where they rub, seen from b's, across the normal. */
static sn_vec3 slip_of(const sn_world *world, const sn_meet_pass *p)
{
    const sn_mover *a = &meet_movers(world)[p->a];
    sn_vec3 v = vec3_add(a->v, vec3_cross(a->spin, p->ra));
    if (p->b != SN_NO_MOVER) {
        const sn_mover *b = &meet_movers(world)[p->b];
        v = vec3_sub(v, vec3_add(b->v, vec3_cross(b->spin, p->rb)));
    }
    v = vec3_sub(v, p->surface);
    return vec3_sub(v, vec3_scale(p->n, vec3_dot(v, p->n)));
}

/* About the normal. */
static void rub_about(const sn_meet_substep *s, sn_meet_pass *p, sn_real lever)
{
    sn_real spin = vec3_dot(meet_movers(s->world)[p->a].spin, p->n) - p->spin;
    if (p->b != SN_NO_MOVER)
        spin -= vec3_dot(meet_movers(s->world)[p->b].spin, p->n);
    sn_real turn = p->rub.twisted - spin * p->about;
    turn *= cut(turn < 0 ? -turn : turn, p->hold * lever, p->drag * lever);
    twist(s->world, p, turn - p->rub.twisted);
    p->rub.twisted = turn;
}

/* One mass for all directions, that of the one that yields most: what slides is then dragged against its slip, whatever way its
   body yields. */
static void rub(const sn_meet_substep *s, sn_meet_pass *p, const sn_meet *meet)
{
    sn_real pressed = 0, lever = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        pressed += p->pressed[i];
        lever += p->pressed[i] * p->far[i];
    }
    if (!(pressed > 0) && p->rub.twisted == 0 && meet_is_zero(p->rub.rubbed) && meet_is_zero(p->rub.rolled))
        return;
    sn_vec3 wanted = vec3_sub(p->rub.rubbed, vec3_scale(slip_of(s->world, p), p->across));
    wanted = vec3_scale(wanted, cut(vec3_length(wanted), p->hold * pressed, p->drag * pressed));
    push_across(s->world, p, vec3_sub(wanted, p->rub.rubbed));
    p->rub.rubbed = wanted;
    if (p->roll > 0)
        resist_rolling(s, p, meet, pressed);
    if (p->about > 0)
        rub_about(s, p, lever);
}

/* Two that were to pass each other may be thrown together. */
static bool is_off_course(const sn_meet_substep *s, const sn_meet *meet)
{
    sn_vec3 off = vec3_sub(meet_course(s->world, meet), meet->course);
    return vec3_dot(off, off) > OFF_COURSE * OFF_COURSE * vec3_dot(meet->course, meet->course);
}

/* Friction first, with what presses so far: what presses then has the last word, and nothing sinks in. */
static void project(const sn_meet_substep *s, sn_meet_pass *p, sn_meet *meet)
{
    if (p->may_miss && !is_off_course(s, meet))
        return;
    rub(s, p, meet);
    press(s, p);
}

/* Whoever came fast goes back, a share as fast: all points together, so that a box that falls flat does not begin to turn. */
static void bounce(const sn_meet_substep *s, sn_meet_pass *p, sn_meet *meet)
{
    sn_real v[SN_MANIFOLD_MOST];
    bool acts = false;
    if (!(meet->grip.restitution > 0))
        return;
    meet_speeds(s->world, p, v);
    for (uint32_t i = 0; i < p->count; ++i) {
        const sn_real before = meet->point[i].before;
        bool struck = p->pressed[i] > 0 && before < -s->bounce_above;
        v[i] += struck ? meet->grip.restitution * before : p->room[i];
        acts = acts || struck;
    }
    if (acts)
        press_together(s, p, v, BOUNCE_ROUNDS);
}

/* The share of an overlap that is parted in a substep. Deep ones are in a hurry: with one share for all, single boxes of a pile
   stay wedged in others for seconds. */
static sn_real ease(sn_real deep, sn_real slop)
{
    sn_real share = EASE + deep / (EASE_SLOPE * slop);
    return share < EASE_MOST ? share : EASE_MOST;
}

/* How far points are apart by what was parted so far, less what is wanted: a share of how much deeper they were at the start of the
   substep than is left alone. Whether there is any that deep; others want nothing. */
static bool find_apart(const sn_meet_substep *s, const sn_meet_pass *p, sn_real *apart)
{
    const sn_mover *a = &meet_movers(s->world)[p->a], *b = p->b == SN_NO_MOVER ? NULL : &meet_movers(s->world)[p->b];
    const sn_real most = s->push_out * s->h;
    bool any = false;
    for (uint32_t i = 0; i < p->count; ++i)
        any = any || -p->gap[i] > p->slop;
    for (uint32_t i = 0; any && i < p->count; ++i) {
        sn_real deep = -p->gap[i] - p->slop, wanted = ease(deep, p->slop) * deep;
        wanted = wanted < most ? wanted : most;
        apart[i] = vec3_dot(a->place, p->n) - wanted;
        apart[i] += a->turn.x * p->arm_a[0][i] + a->turn.y * p->arm_a[1][i] + a->turn.z * p->arm_a[2][i];
        if (b) {
            apart[i] -= vec3_dot(b->place, p->n);
            apart[i] -= b->turn.x * p->arm_b[0][i] + b->turn.y * p->arm_b[1][i] + b->turn.z * p->arm_b[2][i];
        }
        if (!(deep > 0))
            apart[i] = SN_MEET_EVER;
    }
    return any;
}

/* Moves the two, without a velocity. */
static void move_apart(const sn_world *world, const sn_meet_pass *p, const sn_real *parted)
{
    const sn_real total = parted[0] + parted[1] + (parted[2] + parted[3]);
    sn_mover *a = &meet_movers(world)[p->a];
    a->place = vec3_add(a->place, vec3_scale(p->n, a->w * total));
    a->turn = vec3_add(a->turn, turn_of(p->turn_a, parted));
    if (p->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[p->b];
    b->place = vec3_sub(b->place, vec3_scale(p->n, b->w * total));
    b->turn = vec3_sub(b->turn, turn_of(p->turn_b, parted));
}

/* Parts what overlapped at the start of the substep. All points of a meet together, as they are pressed: one after the other, the
   first would tilt the bodies, always to the same side, and what is lifted so falls again. A tower of flat bricks swayed, and
   fell. */
static void part(const sn_meet_substep *s, sn_meet_pass *p, sn_meet *meet)
{
    sn_real apart[SN_MANIFOLD_MOST] = {0}, parted[SN_MANIFOLD_MOST] = {0};
    (void)meet;
    if (!find_apart(s, p, apart))
        return;
    balance(p, apart, parted, ROUNDS);
    move_apart(s->world, p, parted);
}

static void colour_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_meet_substep *s = data;
    const uint32_t *list = (const uint32_t *)s->world->meets.meet_table.column[3] + s->first;
    for (uint32_t i = first; i < end; ++i)
        s->one(s, &meet_passes(s->world)[list[i]], &meet_all(s->world)[list[i]]);
}

/* Meets of a colour share no mover; the last colour is for those that found no other, one by one. */
static bool by_colour(sn_meet_substep *s, void (*one)(const sn_meet_substep *s, sn_meet_pass *p, sn_meet *meet))
{
    const uint32_t *start = s->world->meets.active;
    s->one = one;
    for (uint32_t colour = 0; colour < SN_MEET_COLOURS; ++colour) {
        uint32_t count = start[colour + 1] - start[colour];
        s->first = start[colour];
        if (colour + 1 == SN_MEET_COLOURS || count < SN_MEET_FEW)
            colour_piece(s, 0, count);
        else if (!sn_meets_share(s->world, count, colour_piece, s))
            return false;
    }
    return true;
}

/* ---- What came of it -------------------------------------------------------------------------------------------------------- */

/* The momentum that goes with a change of spin is k^2 times that, along principal axes and per unit of mass. */
static void turn_body(sn_world *world, const sn_mover *m, sn_real h)
{
    sn_body_state *body = &world->bodies.state[m->body];
    sn_vec3 gain = vec3_sub(m->spin, m->spin0), by = vec3_add(vec3_scale(gain, h), m->turn);
    double l[3] = {(double)gain.x, (double)gain.y, (double)gain.z};
    double half[3] = {(double)by.x / 2, (double)by.y / 2, (double)by.z / 2};
    sn_rotate_vector_back(body->q, l, l);
    for (int i = 0; i < 3; ++i)
        l[i] *= isinf(body->k[i]) ? 0 : body->k[i] * body->k[i];
    sn_rotate_vector(body->q, l, l);
    for (int i = 0; i < 3; ++i)
        body->l[i] += l[i];
    sn_rotate_vector_back(body->q, half, half);
    sn_rotate_by(body->q, half);
    if (sn_integrators[world->state.settings.integrator]->is_smooth)
        sn_history_forget(&world->history, m->slot);
    sn_bodies_refresh(&world->bodies, m->body);
}

static void store_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_meet_substep *s = data;
    sn_world *world = s->world;
    for (uint32_t i = first; i < end; ++i) {
        const sn_mover *m = &meet_movers(world)[i];
        if (m->slot == SN_NO_SLOT || m->w == 0)
            continue;
        sn_vec3 gain = vec3_sub(m->v, m->v0), by = vec3_add(vec3_scale(gain, s->h), m->place);
        if (!meet_is_zero(gain)) {
            sn_pair v = {vec4_xyz(world->particles.v[m->slot]), vec4_xyz(world->particles.v_low[m->slot])};
            pair_add(&v, gain);
            world->particles.v[m->slot] = vec4(v.high, world->particles.v[m->slot].w);
            world->particles.v_low[m->slot] = vec4(v.low, 0);
            sn_history_forget(&world->history, m->slot);
        }
        if (!meet_is_zero(by))
            sn_contacts_add(world, m->slot, by);
        if (m->body != SN_ID_FREE && !(meet_is_zero(vec3_sub(m->spin, m->spin0)) && meet_is_zero(m->turn)))
            turn_body(world, m, s->h);
    }
}

/* What came of the pass is state of the points. */
static void note_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_meet_substep *s = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_meet *meet = &meet_all(s->world)[i];
        const sn_meet_pass *p = &meet_passes(s->world)[i];
        for (uint32_t k = 0; k < meet->count; ++k) {
            if (meet->sensor) {
                meet->touched = meet->touched || p->gap[k] < 0;
                continue;
            }
            meet->point[k].pressed = p->pressed[k];
            meet->point[k].impulse += p->pressed[k];
            meet->touched = meet->touched || p->pressed[k] > 0;
        }
        if (meet->count && !meet->sensor)
            meet->rub = p->rub;
    }
}

bool sn_meets_pass(sn_world *world, sn_real h)
{
    sn_meet_substep s = meet_substep(world, h);
    uint32_t passes = world->state.settings.iterations;
    atomic_bool violent = false;
    s.violent = &violent;
    if (!world->meets.meets)
        return true;
    bool good = sn_parallel_for(&world->parallel, world->meets.mover_table.count, sn_meets_load_piece, &s) &&
                by_colour(&s, warm);
    uint32_t sweeps = SWEEPS * (passes ? passes : 1);
    for (uint32_t i = 0; good && (i < sweeps || (violent && i < MORE * sweeps)); ++i) {
        atomic_store_explicit(&violent, false, memory_order_relaxed);
        good = by_colour(&s, project);
    }
    good = good && (!world->meets.bounces || by_colour(&s, bounce)) && by_colour(&s, part) &&
           sn_parallel_for(&world->parallel, world->meets.mover_table.count, store_piece, &s);
    if (good)
        sn_meets_stop(world);
    return good && sn_parallel_for(&world->parallel, world->meets.meets, note_piece, &s);
}
