/* Contact of bodies.

   A contact is two convex pieces that may touch, or a piece and a ball or a fixed shape, with up to four points that
   share a normal n. Points are found once a step, when the two may first press on each other in it. They are anchors
   on both bodies and move with them. Their depth when a substep begins, the *gap*, is the input of the pass over
   velocities at its end. With v the relative velocity at a point, after everything else in the substep has acted, and
   K the inverse of the effective mass,

       normal      P' = max(0, P - (v.n + max(gap, 0) / h) / K)      no nearer than touching, and not deeper
       friction    T' = T - v_t / K, cut to the length mu P'

   P and T are the impulses of this substep so far. A substep begins with those that the last one ended with (warm
   start), but with no more than twice those of the one before that: a weight presses in both, an impact does not.
   Gaps and arms are those at the start of the substep, and inertia is that at the end, so momentum is kept. The
   changes of velocities, times h, are added to positions and rotations. Impacts come before that, one after the
   other. Overlapping bodies are pushed apart after it, slowly, without a velocity, which costs a little of the
   angular momentum.

   Fast bodies. The points of a pair that is apart are those where the two are nearest when they are searched for. A
   body that would pass them is followed along its path: it touches elsewhere, or passes by (`clear`). For rotating
   bodies, gaps are those at the end of the substep (contact_bend). Bodies that a fast one may hit are searched for as
   far ahead as they may be thrown (body_throws.c). A body that leaves its box of the start of the step is searched for
   again, alone (sn_body_contacts_find_again): before a substep if its velocity leads out, and after it if it was
   thrown out; then it stops before what it would have passed (body_sweep.c). As long as a body would get far into
   another there are more sweeps, over these two and their neighbours; the deeper it is, the smaller the error that
   counts as far.

   Overlap. Contact acts only at the known points. So a manifold must have all corners that may come down before it is
   made again, not only those that touch now. Bodies that are deep in spite of sweeps came in beside the points
   (manifold.c says which are kept), slid with old ones, or were found late. tests/world/test_falling_boxes.c measures
   this independently.

   It is the contact of particles (wide/contact.h) in terms of impulses: for balls both are the same. The arithmetic
   is in wide/body_contact.h, for eight pairs at once; the order in which they are solved is in body_groups.c. */
#include "contact/body_work.h"

#include "base/quad.h"
#include "integrators/integrator.h"
#include "world/substep.h"

/* Sweeps over all contacts in a pass. With one, a tower of twenty boxes sways by centimetres for ever. With two it is
   at rest after seven seconds, to 1e-8 J for a hundred tons. */
#define SWEEPS        2u
#define STRIKES       64u           /* sweeps of impacts, each passes impulses on at least once */
#define PARTINGS      4u            /* sweeps that correct overlaps, as long as some overlap is large, */
#define DEEP          ((sn_real)15) /* times slop: and as long as some overlap is as deep as this, */
#define DEEP_PARTINGS 16u           /*   this many: with four, the corrections of others drove single boxes deeper */
#define MORE          30u /* at most this many times the sweeps, as long as a contact is violent (body_violent.c) */

/* ---- A pass ------------------------------------------------------------------------------------------------------ */

static sn_wide_body_contacts run_of(const sn_body_contact_substep *s, const sn_body_contact_group *group)
{
    sn_wide_body_contacts run = s->run;
    run.first = group->batch;
    run.end = group->batch + group->batches;
    return run;
}

static bool is_turned(const sn_world *world, uint32_t record)
{
    const uint32_t mover = record / SN_BODY_CONTACT_RECORD;
    return mover < world->body_contacts.mover_table.count && contact_marks(world)[mover] & SN_MARK_TURNED;
}

static void weigh(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = run_of(s, group);
    for (uint32_t b = run.first; s->world->body_contacts.turned && b < run.end; ++b) {
        sn_wide_body_contact *batch = &run.batch[b];
        for (uint32_t lane = 0; lane < batch->lanes && !batch->bends; ++lane)
            batch->bends = is_turned(s->world, batch->a[lane]) || is_turned(s->world, batch->b[lane]);
        group->bends = group->bends || batch->bends;
    }
    if (group->bends)
        s->wide->weigh(&run);
}

static bool weigh_all(const sn_body_contact_substep *s)
{
    const sn_body_contact_group *group = s->world->body_contacts.group_table.column[0];
    bool bends = s->world->body_contacts.turned;
    for (uint32_t i = 0; i < s->world->body_contacts.group_table.count; ++i)
        bends = bends || group[i].bends;
    return !bends || sn_body_contacts_by_level(s, weigh);
}

static void warm(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = run_of(s, group);
    s->wide->warm(&run);
}

/* Called if a contact of the group had a large error in this sweep. */
static void be_violent(const sn_body_contact_substep *s, const sn_body_contact_group *group)
{
    contact_raise(s->violent);
    sn_body_contacts_stir(s, &s->run.batch[group->batch], group->batches);
}

static void project(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = run_of(s, group);
    if (s->wide->project(&run))
        be_violent(s, group);
}

static void strike(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = run_of(s, group);
    if (s->wide->strike(&run))
        contact_raise(s->violent);
}

static void part(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = run_of(s, group);
    if ((group->deep || s->run.stirred_only) && s->wide->part(&run))
        be_violent(s, group);
}

static bool strike_all(sn_body_contact_substep *s)
{
    if (!s->world->body_contacts.bounces)
        return true;
    s->run.sweep = 0;
    bool good = sn_body_contacts_by_level(s, strike);
    atomic_store_explicit(s->violent, true, memory_order_relaxed);
    for (uint32_t i = 0; good && *s->violent && i < STRIKES; ++i) {
        atomic_store_explicit(s->violent, false, memory_order_relaxed);
        s->run.sweep = (sn_real)(i + 1);
        good = sn_body_contacts_by_level(s, strike);
    }
    return good;
}

/* Corrects overlaps, after velocities are known. The corrections are behind the velocities in the records of bodies. */
static bool part_all(sn_body_contact_substep *s)
{
    bool good = true;
    s->run.mover = contact_records(s->world) + 6;
    atomic_store_explicit(s->violent, true, memory_order_relaxed);
    sn_body_contacts_calm(s->world);
    for (uint32_t i = 0; good && *s->violent && i < DEEP_PARTINGS; ++i) {
        atomic_store_explicit(s->violent, false, memory_order_relaxed);
        s->run.since = (sn_real)i;
        s->run.sweep = (sn_real)(i + 1);
        s->run.stirred_only = i > 0;
        s->run.deep = i < PARTINGS ? SN_BODY_CONTACT_FAR_OFF : DEEP;
        good = sn_body_contacts_by_level(s, part);
    }
    return good;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* Moves a mover. gain: m/s; by: m. True if it is certain that its motion is sound after that. */
static inline bool move_mover(sn_world *world, const sn_particle_store *p, uint32_t slot, quad gain, quad by)
{
    bool sound = true;
    if (!quad_is_zero(gain)) {
        quad v = quad_load(&p->v[slot]), low = quad_xyz(quad_load(&p->v_low[slot]));
        quad_add_compensated(&v, &low, gain);
        quad_store(&p->v[slot], v);
        quad_store(&p->v_low[slot], low);
        sound = quad_dot3(v, v) < SN_SURELY_SLOW;
        if (world->history.table.count)
            sn_history_forget(&world->history, slot);
    }
    if (!quad_is_zero(by)) { /* the same as sn_contacts_add */
        const quad was = quad_load(&p->x[slot]), sum = quad_add(was, by);
        quad_store(&p->x_low[slot], quad_add(quad_load(&p->x_low[slot]), quad_sub(by, quad_sub(sum, was))));
        quad_store(&p->x[slot], sum);
        sound = sound && quad_is_zero(quad_xyz(quad_sub(sum, sum)));
    }
    return sound;
}

/* Rotates the bodies of a batch. Returns the same. */
static bool turn_bodies(const sn_body_contact_substep *s, sn_spin_batch *batch, const uint32_t *mover)
{
    sn_world *world = s->world;
    const bool looks_back = sn_integrators[world->state.settings.integrator]->looks_back;
    const bool sound = s->turning->spin(batch);
    for (uint32_t i = 0; i < batch->count; ++i) {
        const sn_mover *m = &contact_movers(world)[mover[i]];
        if (looks_back)
            sn_history_forget(&world->history, m->slot);
        if (body_is_pulled(batch->body[i]))
            sn_bodies_pull(&world->bodies, m->body);
    }
    batch->count = 0;
    return sound;
}

bool sn_body_contacts_store(const sn_body_contact_substep *s, uint32_t first, uint32_t end)
{
    const sn_mover_columns c = contact_columns(s->world);
    const sn_particle_store particles = s->world->particles;
    const sn_real h = s->h;
    const bool limits = s->world->body_contacts.tumbles;
    sn_spin_batch batch;
    uint32_t mover[SN_TURN_BATCH];
    bool sound = true;
    batch.count = 0;
    batch.h = (double)h;
    for (uint32_t at = first; at < end; ++at) {
        const uint32_t i = c.listed[at], n = batch.count;
        sn_mover *m = &c.mover[i];
        m->energy = -1;
        if (!columns_have_impulse(&c, i) || m->w == 0)
            continue;
        /* overlap correction, which causes no velocity */
        const sn_vec4 *record = &c.record[SN_BODY_CONTACT_RECORD * (size_t)i];
        const quad place = quad_xyz(quad_load(&record[6])), turn = quad_xyz(quad_load(&record[7]));
        const quad gain = quad_xyz(quad_sub(quad_load(&record[0]), quad_load(&c.v[m->slot]))),
                   spin = quad_xyz(quad_sub(quad_load(&record[1]), quad_load(&m->spin)));
        if (m->body == SN_ID_FREE)
            contact_raise(&s->world->body_contacts.balls_moved);
        if (limits)
            sn_body_contacts_note_energy(s->world, m);
        const sn_real moves = contact_bears(s->world, i) ? 0 : h; /* joints decide where it is; see body_loads.c */
        sound = move_mover(s->world, &particles, m->slot, gain,
                           quad_scale(quad_add(gain, quad_scale(place, s->inverse_h)), moves)) &&
                sound;
        if (m->body == SN_ID_FREE || (quad_is_zero(spin) && quad_is_zero(turn)))
            continue;
        batch.body[n] = &c.state[m->body];
        batch.as[n] = c.motion[m->body].q;
        batch.inverse[n] = m->inverse;
        batch.odd[n] = m->odd;
        batch.start[n] = &c.turn[m->body].start;
        batch.now[n] = &c.turn[m->body].now;
        quad_store(&batch.gain[n], spin);
        quad_store(&batch.by[n], moves > 0 ? turn : quad_scale(spin, -h));
        mover[batch.count++] = i;
        if (batch.count == SN_TURN_BATCH)
            sound = turn_bodies(s, &batch, mover) && sound;
    }
    return (!batch.count || turn_bodies(s, &batch, mover)) && sound;
}

bool sn_body_contacts_pass(sn_world *world, sn_real h)
{
    sn_body_contact_substep s = contact_substep(world, h);
    uint32_t passes = world->state.settings.iterations, movers = world->body_contacts.list_table.count;
    atomic_bool violent = false;
    s.violent = &violent;
    world->body_contacts.looked = false;
    atomic_store_explicit(&world->body_contacts.balls_moved, false, memory_order_relaxed);
    sn_body_contacts_forget_expected(world);
    if (!world->body_contacts.list_table.count && !world->body_contacts.follows_balls)
        return true;
    sn_stage_enter(world, SN_STAGE_CONTACT);
    if (!world->body_contacts.count) /* forces or constraints may have thrown bodies into others */
        return sn_body_contacts_stop(&s, false);
    sn_body_contacts_load_fixed_shapes(world);
    bool good =
        (world->body_contacts.loaded || sn_body_contacts_share(world, movers, sn_body_contacts_load_piece, &s)) &&
        weigh_all(&s) && strike_all(&s);
    sn_body_contacts_unload(&s);
    good = good && sn_body_contacts_by_level(&s, warm);
    world->body_contacts.loaded = false;
    uint32_t sweeps = SWEEPS * (passes ? passes : 1);
    sn_body_contacts_calm(world);
    s.run.sweep = 0;
    for (uint32_t i = 0, count = 1; good && (i < sweeps || (violent && i < MORE * sweeps)); i += count) {
        s.run.since = s.run.sweep;
        s.run.sweep = (sn_real)(i + 1);
        s.run.stirred_only = i >= sweeps;
        s.run.settles = i > 0;
        if (i >= sweeps) {
            count = sn_body_contacts_sweep_violent(&s, &good);
        } else {
            atomic_store_explicit(&violent, false, memory_order_relaxed);
            good = sn_body_contacts_by_level(&s, project);
        }
        world->profiler.last.counts.sweeps += world->profiler.on ? count : 0;
    }
    good = good && sn_body_contacts_hold_joints(&s) && part_all(&s);
    world->body_contacts.tumbles = sn_body_contacts_any_turns_far(world, h);
    return good && sn_body_contacts_stop(&s, true);
}
