/* Contact of bodies.

   A meet is two convex pieces that may touch, or a piece and a ball or a collider, with up to four points that share a normal n.
   Points are found where things are when a substep begins; how deep they are then, the *gap*, is what the pass over velocities
   at its end needs to know. With v the relative velocity at a point, after everything else in the substep acted, and K the
   inverse of the mass that it moves,

       normal      P' = max(0, P - (v.n + max(gap, 0) / h) / K)      no nearer than touching, and not deeper
       friction    T' = T - v_t / K, cut to the length mu P'

   P and T are impulses of this substep so far. A substep begins with those that the last one ended with, but with no more than
   twice what the one before that ended with: a weight presses in both, a blow does not. As gaps and arms are those at the start
   of the substep, momentum is kept. Velocities move places: what changed of them is added to places and turns, times h.
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

#define OFF_COURSE ((sn_real)0.05) /* of a velocity */
#define EASE       ((sn_real)0.2) /* the share of an overlap that is parted in a substep, at most at the speed of push_out */

/* ---- A pass --------------------------------------------------------------------------------------------------------------- */

/* A push across the normal, where the two rub. */
static void push_across(const sn_world *world, const sn_meet *meet, sn_vec3 impulse)
{
    sn_mover *a = &meet_movers(world)[meet->a];
    a->v = vec3_add(a->v, vec3_scale(impulse, a->w));
    a->spin = vec3_add(a->spin, meet_times_inverse(a, vec3_cross(meet->rub.ra, impulse)));
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[meet->b];
    b->v = vec3_sub(b->v, vec3_scale(impulse, b->w));
    b->spin = vec3_sub(b->spin, meet_times_inverse(b, vec3_cross(meet->rub.rb, impulse)));
}

/* A torque about the normal. */
static void twist(const sn_world *world, const sn_meet *meet, sn_real impulse)
{
    sn_mover *a = &meet_movers(world)[meet->a];
    a->spin = vec3_add(a->spin, vec3_scale(meet->rub.turn_a, impulse));
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[meet->b];
    b->spin = vec3_sub(b->spin, vec3_scale(meet->rub.turn_b, impulse));
}

static void turn_both(const sn_world *world, const sn_meet *meet, sn_vec3 impulse)
{
    sn_mover *a = &meet_movers(world)[meet->a];
    a->spin = vec3_add(a->spin, meet_times_inverse(a, impulse));
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[meet->b];
    b->spin = vec3_sub(b->spin, meet_times_inverse(b, impulse));
}

/* So much more at each point, along the normal. */
static void push_along(const sn_world *world, const sn_meet *meet, const sn_real *more)
{
    sn_vec3 turn_a = vec3(0, 0, 0), turn_b = turn_a;
    sn_real total = 0;
    for (uint32_t i = 0; i < meet->count; ++i) {
        total += more[i];
        turn_a = vec3_add(turn_a, vec3_scale(meet->point[i].turn_a, more[i]));
        turn_b = vec3_add(turn_b, vec3_scale(meet->point[i].turn_b, more[i]));
    }
    sn_mover *a = &meet_movers(world)[meet->a];
    a->v = vec3_add(a->v, vec3_scale(meet->n, a->w * total));
    a->spin = vec3_add(a->spin, turn_a);
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &meet_movers(world)[meet->b];
    b->v = vec3_sub(b->v, vec3_scale(meet->n, b->w * total));
    b->spin = vec3_sub(b->spin, turn_b);
}

static void warm(const sn_meet_substep *s, sn_meet *meet)
{
    sn_real more[SN_MANIFOLD_MOST], before = 0, after = 0;
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_meet_point *p = &meet->point[i];
        sn_real pressed = p->pressed, steady = pressed < 2 * p->last ? pressed : 2 * p->last;
        before += pressed;
        after += steady;
        p->last = pressed;
        p->pressed = more[i] = steady;
    }
    sn_real share = before > 0 ? after / before : 0;
    meet->rub.rubbed = vec3_scale(meet->rub.rubbed, share);
    meet->rub.twisted *= share;
    meet->rub.rolled = vec3_scale(meet->rub.rolled, share);
    if (!(after > 0))
        return;
    push_along(s->world, meet, more);
    push_across(s->world, meet, meet->rub.rubbed);
    twist(s->world, meet, meet->rub.twisted);
    if (meet->round > 0)
        turn_both(s->world, meet, meet->rub.rolled);
}

/* The points of a meet press together: each alone would tilt the bodies onto the others, and towers would sway for ever. Their
   impulses are found by going round them a few times, which touches nothing but a matrix of four by four. v: how fast they come
   apart beyond what is wanted. */
static void press_together(const sn_meet_substep *s, sn_meet *meet, sn_real *v, uint32_t rounds)
{
    sn_real more[SN_MANIFOLD_MOST], pressed[SN_MANIFOLD_MOST];
    for (uint32_t i = 0; i < meet->count; ++i)
        pressed[i] = meet->point[i].pressed;
    for (uint32_t round = 0; round < (meet->count > 1 ? rounds : 1); ++round) {
        sn_real changed = 0, total = 0;
        for (uint32_t i = 0; i < meet->count; ++i) {
            sn_real wanted = pressed[i] - v[i] * meet->point[i].mass, change;
            wanted = wanted > 0 ? wanted : 0;
            change = wanted - pressed[i];
            pressed[i] = wanted;
            changed += change < 0 ? -change : change;
            total += wanted;
            for (uint32_t k = 0; k < meet->count; ++k)
                v[k] += meet->coupling[i][k] * change;
        }
        if (changed <= SETTLED * total)
            break;
    }
    for (uint32_t i = 0; i < meet->count; ++i) {
        more[i] = pressed[i] - meet->point[i].pressed;
        meet->point[i].pressed = pressed[i];
    }
    push_along(s->world, meet, more);
}

/* m/s: how fast a point comes nearer than touching; negative if it does. */
static sn_real excess(const sn_meet_substep *s, const sn_meet *meet, const sn_meet_point *p)
{
    return meet_approach(s->world, meet, p) + ((p->gap > 0 ? p->gap : 0) + p->bend) * s->inverse_h;
}

static void press(const sn_meet_substep *s, sn_meet *meet)
{
    sn_real v[SN_MANIFOLD_MOST], wrong = 0;
    bool acts = false;
    for (uint32_t i = 0; i < meet->count; ++i) {
        v[i] = excess(s, meet, &meet->point[i]);
        bool active = v[i] < 0 || meet->point[i].pressed > 0;
        acts = acts || active;
        wrong = active && meet_magnitude(v[i]) > wrong ? meet_magnitude(v[i]) : wrong;
    }
    if (wrong * s->h > FAR_OFF * meet->slop)
        atomic_store_explicit(s->violent, true, memory_order_relaxed);
    if (acts)
        press_together(s, meet, v, ROUNDS);
}

/* What friction holds is left, the rest is cut to what it drags with. */
static sn_real cut(sn_real much, sn_real hold, sn_real drag)
{
    return much > hold ? drag / much : 1;
}

/* What is round resists rolling with a torque, up to a share of what presses. */
static void resist_rolling(const sn_meet_substep *s, sn_meet *meet, sn_real pressed)
{
    sn_meet_rub *r = &meet->rub;
    sn_vec3 spin = meet_movers(s->world)[meet->a].spin, wanted;
    spin = vec3_sub(spin, meet->b == SN_NO_MOVER ? meet_motion(s->world, meet->collider)->spin
                                                 : meet_movers(s->world)[meet->b].spin);
    wanted = vec3_sub(r->rolled, vec3_scale(spin, r->roll));
    sn_real most = meet->grip.rolling * meet->round * pressed;
    wanted = vec3_scale(wanted, cut(vec3_length(wanted), most, most));
    turn_both(s->world, meet, vec3_sub(wanted, r->rolled));
    r->rolled = wanted;
}

/* One mass for all directions, that of the one that yields most: what slides is then dragged against its slip, whatever way its
   body yields. */
static void rub(const sn_meet_substep *s, sn_meet *meet)
{
    sn_meet_rub *r = &meet->rub;
    sn_real pressed = 0, lever = 0;
    for (uint32_t i = 0; i < meet->count; ++i) {
        pressed += meet->point[i].pressed;
        lever += meet->point[i].pressed * meet->point[i].far;
    }
    if (!(pressed > 0) && r->twisted == 0 && vec3_dot(r->rubbed, r->rubbed) == 0 && meet_is_zero(r->rolled))
        return;
    sn_vec3 v = vec3_sub(meet_relative_velocity(s->world, meet, r->ra, r->rb), r->surface);
    v = vec3_sub(v, vec3_scale(meet->n, vec3_dot(v, meet->n)));
    sn_vec3 wanted = vec3_sub(r->rubbed, vec3_scale(v, r->across));
    wanted = vec3_scale(wanted, cut(vec3_length(wanted), meet->grip.hold * pressed, meet->grip.drag * pressed));
    push_across(s->world, meet, vec3_sub(wanted, r->rubbed));
    r->rubbed = wanted;
    if (meet->round > 0)
        resist_rolling(s, meet, pressed);
    if (!(r->about > 0))
        return;
    sn_real spin = vec3_dot(meet_movers(s->world)[meet->a].spin, meet->n) - r->spin;
    if (meet->b != SN_NO_MOVER)
        spin -= vec3_dot(meet_movers(s->world)[meet->b].spin, meet->n);
    sn_real turn = r->twisted - spin * r->about;
    turn *= cut(turn < 0 ? -turn : turn, meet->grip.hold * lever, meet->grip.drag * lever);
    twist(s->world, meet, turn - r->twisted);
    r->twisted = turn;
}

/* Two that were to pass each other may be thrown together. */
static bool is_off_course(const sn_meet_substep *s, const sn_meet *meet)
{
    sn_vec3 off = vec3_sub(meet_course(s->world, meet), meet->course);
    return vec3_dot(off, off) > OFF_COURSE * OFF_COURSE * vec3_dot(meet->course, meet->course);
}

/* Friction first, with what presses so far: what presses then has the last word, and nothing sinks in. */
static void project(const sn_meet_substep *s, sn_meet *meet)
{
    if (meet->clear && !is_off_course(s, meet))
        return;
    rub(s, meet);
    press(s, meet);
}

/* Whoever came fast goes back, a share as fast: all points together, so that a box that falls flat does not begin to turn. */
static void bounce(const sn_meet_substep *s, sn_meet *meet)
{
    sn_real v[SN_MANIFOLD_MOST];
    bool acts = false;
    for (uint32_t i = 0; i < meet->count; ++i) {
        const sn_meet_point *p = &meet->point[i];
        bool struck = p->pressed > 0 && p->before < -s->bounce_above;
        v[i] = struck ? meet_approach(s->world, meet, p) + meet->grip.restitution * p->before : excess(s, meet, p);
        acts = acts || struck;
    }
    if (acts && meet->grip.restitution > 0)
        press_together(s, meet, v, BOUNCE_ROUNDS);
}

/* m: how much deeper than is left alone a point was at the start of the substep, of which a share is parted now, less what it was
   parted by already. Negative: so much is to be done. */
static bool wants_parting(const sn_meet_substep *s, const sn_meet *meet, const sn_meet_point *p, sn_real *apart)
{
    const sn_mover *a = &meet_movers(s->world)[meet->a];
    sn_real deep = -p->gap - meet->slop, most = s->push_out * s->h, wanted = EASE * deep < most ? EASE * deep : most;
    *apart = vec3_dot(a->place, meet->n) + vec3_dot(a->turn, p->arm_a) - wanted;
    if (meet->b != SN_NO_MOVER) {
        const sn_mover *b = &meet_movers(s->world)[meet->b];
        *apart -= vec3_dot(b->place, meet->n) + vec3_dot(b->turn, p->arm_b);
    }
    return deep > 0;
}

/* Moves the two, without a velocity. */
static void move_apart(const sn_meet_substep *s, sn_meet *meet, const sn_real *parted)
{
    sn_mover *a = &meet_movers(s->world)[meet->a], *b = meet->b == SN_NO_MOVER ? NULL : &meet_movers(s->world)[meet->b];
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_meet_point *p = &meet->point[i];
        a->place = vec3_add(a->place, vec3_scale(meet->n, a->w * parted[i]));
        a->turn = vec3_add(a->turn, vec3_scale(p->turn_a, parted[i]));
        if (b) {
            b->place = vec3_sub(b->place, vec3_scale(meet->n, b->w * parted[i]));
            b->turn = vec3_sub(b->turn, vec3_scale(p->turn_b, parted[i]));
        }
    }
}

/* Parts what overlapped at the start of the substep. All points of a meet together, as they are pressed: one after the other, the
   first would tilt the bodies, always to the same side, and what is lifted so falls again. A tower of flat bricks swayed, and
   fell. */
static void part(const sn_meet_substep *s, sn_meet *meet)
{
    sn_real apart[SN_MANIFOLD_MOST], parted[SN_MANIFOLD_MOST] = {0};
    bool deep[SN_MANIFOLD_MOST], any = false;
    for (uint32_t i = 0; i < meet->count; ++i) {
        deep[i] = wants_parting(s, meet, &meet->point[i], &apart[i]);
        any = any || deep[i];
    }
    if (!any)
        return;
    for (uint32_t round = 0; round < ROUNDS; ++round)
        for (uint32_t i = 0; i < meet->count; ++i) {
            if (!deep[i])
                continue;
            sn_real wanted = parted[i] - apart[i] * meet->point[i].mass;
            sn_real change = (wanted > 0 ? wanted : 0) - parted[i];
            parted[i] += change;
            for (uint32_t k = 0; k < meet->count; ++k)
                apart[k] += meet->coupling[i][k] * change;
        }
    move_apart(s, meet, parted);
}

static void colour_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_meet_substep *s = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_meet *meet = &meet_all(s->world)[s->first + i];
        if (!meet->sensor)
            s->one(s, meet);
    }
}

/* Meets of a colour share no mover; the last colour is for those that found no other, one by one. */
static bool by_colour(sn_meet_substep *s, void (*one)(const sn_meet_substep *s, sn_meet *meet))
{
    const uint32_t *start = s->world->meets.start;
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

static void note_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_meet_substep *s = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_meet *meet = &meet_all(s->world)[i];
        for (uint32_t k = 0; k < meet->count; ++k) {
            meet->point[k].impulse += meet->sensor ? 0 : meet->point[k].pressed;
            meet->touched = meet->touched || (meet->sensor ? meet->point[k].gap < 0 : meet->point[k].pressed > 0);
        }
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
    return good && sn_parallel_for(&world->parallel, world->meets.meets, note_piece, &s);
}
