/* The end of a substep: nothing has passed through anything.

   One sweep of pushes leaves some crossings. A ball that was hit passes through something that was not near before. A
   push away from one static contact leads through another. Skins push their particles once more. So the end of a
   substep goes in rounds (see sn_skin_contacts_round). Each round checks all paths, from the start of the substep to
   the current positions. A particle that crosses something is pushed again, and if that does not help, it is stopped on
   its path. Stopping only shortens paths, and what does not move crosses nothing, so this ends. */
#include "contact/particle_work.h"

#include <string.h>

/* BEHIND is relative to the displacement of a particle, ROUNDED to its distance from the origin: a particle that is
   farther than their sum behind a surface has passed it. */
#define BEHIND  (SINEW_DOUBLE ? (sn_real)1e-12 : (sn_real)1e-6)
#define ROUNDED (SINEW_DOUBLE ? (sn_real)1e-14 : (sn_real)1e-6)

/* A stopped particle stops no nearer to a surface than STOPPED times its radius. */
#define BEFORE  SN_STOPS_BEFORE
#define STOPPED ((sn_real)0.0625)

/* A particle that slides along a face of a mesh or field touches it all the time, which hides other faces from a cast. So
   the path is cast again beside that face, for so many faces that it may slide along. */
#define FACES 4u

/* Relative to the path: how far beside a face of a distance field. A cast goes forward by the distance from the field, and
   along a face that is too near it would have to leave out something. */
#define ASIDE ((sn_real)1e-3)

/* The data of one round. */
typedef struct keeping {
    sn_contact_pass *p;
    uint32_t round;
    uint32_t new_statics; /* static contacts from here on have not been checked */
    atomic_bool found;
} keeping;

static sn_vec3 start_of(const sn_contact_pass *p, uint32_t slot)
{
    return vec4_xyz(starts(p->contacts)[slot]);
}

static sn_vec3 place_of(const sn_contact_pass *p, uint32_t slot)
{
    return vec4_xyz(p->world->particles.x[slot]);
}

static bool passes_ball(const sn_contact_pass *p, uint32_t a, uint32_t b, sn_real reach, sn_real *t)
{
    const sn_vec3 from = vec3_sub(start_of(p, a), start_of(p, b)), to = vec3_sub(place_of(p, a), place_of(p, b));
    return sn_contacts_balls_pass(from, vec3_sub(to, from), reach, false, t);
}

/* A free particle keeps its velocity: the next substep begins where it touches, and finds the contact. One that
   constraints hold gets the velocity with which it came so far. For they were opened by stopping some of their
   particles, and close in the next substep. With d the displacements until the stop and P the projection onto the errors
   of the constraints, that turns v into v - P v - P d / h. For v = d / h that is a reflection, which leaves the energy as
   it is. With the whole velocity short ropes that bounce between walls gained energy without end. */
void sn_contacts_stop_particle(sn_world *world, uint32_t slot, sn_vec3 at, sn_real t)
{
    const sn_particle_store *store = &world->particles;
    if (store->x[slot].w == 0) /* immovable, or with a target */
        return;
    store->x[slot] = vec4(at, store->x[slot].w);
    store->x_low[slot] = vec4(vec3(0, 0, 0), store->x_low[slot].w);
    if (!sn_incidence_holds(&world->incidence, &world->constraints, store->index[slot]))
        return;
    store->v[slot] = vec4(vec3_scale(vec4_xyz(store->v[slot]), t), store->v[slot].w);
    store->v_low[slot] = vec4(vec3_scale(vec4_xyz(store->v_low[slot]), t), store->v_low[slot].w);
}

static void stop_on_path(const sn_contact_pass *p, uint32_t slot, sn_real t)
{
    const sn_vec3 start = start_of(p, slot);
    const sn_vec3 at = t > 0 ? vec3_add(start, vec3_scale(vec3_sub(place_of(p, slot), start), t)) : start;
    sn_contacts_stop_particle(p->world, slot, at, t);
}

static void look_at_pairs(void *data, uint32_t first, uint32_t end)
{
    keeping *k = data;
    const sn_contact_pairs *set = k->p->set;
    bool found = false;
    for (uint32_t b = first; b < end && !found; ++b)
        for (uint32_t i = 0; i < set->near.lanes[b] && !found; ++i) {
            const sn_real reach = pair_column(set, PAIR_REACH)[(size_t)b * SN_NEAR + i];
            sn_real t;
            found = passes_ball(k->p, set->near.batch[b].a[i], set->near.batch[b].b[i], reach, &t);
        }
    if (found)
        atomic_store_explicit(&k->found, true, memory_order_relaxed);
}

/* With a light ball between a heavy one and a static contact, it takes hundreds of rounds until the reaction of the
   static contact reaches the heavy ball. So from the fifth round on a ball that is supported by a static contact does
   not give way. The other ball is stopped by it as by the static contact itself, and counts as supported in turn. */
#define ROUNDS_OF_BOTH 4u

static uint8_t *leaning(const sn_contacts *c)
{
    return c->left_table.column[2];
}

static void note_leaning(const sn_contact_pass *p)
{
    const sn_static_contact *contact = p->contacts->static_table.column[0];
    memset(leaning(p->contacts), 0, p->world->particles.table.count);
    for (uint32_t i = 0; i < p->contacts->static_contacts; ++i)
        if (contact[i].normal_impulse > 0)
            leaning(p->contacts)[contact[i].slot] = true;
}

/* Of two supported balls, the one that follows the other gives way: true if that is b. */
static bool pursues(const sn_contact_pass *p, uint32_t b, uint32_t a, sn_vec3 n)
{
    return vec3_dot(vec3_sub(place_of(p, b), start_of(p, b)), n) +
               vec3_dot(vec3_sub(place_of(p, a), start_of(p, a)), n) <
           0;
}

/* Moves b away from a, which is supported, to the position of first contact. False if that does not apply. */
static bool push_off(const sn_contact_pass *p, uint32_t a, uint32_t b, sn_real reach)
{
    const sn_particle_store *store = &p->world->particles;
    sn_real t;
    if (!leaning(p->contacts)[a] || store->x[b].w == 0 || !passes_ball(p, a, b, reach, &t))
        return false;
    const sn_vec3 from = vec3_sub(start_of(p, b), start_of(p, a)),
                  displacement = vec3_sub(place_of(p, b), place_of(p, a));
    const sn_vec3 at = vec3_add(from, vec3_scale(vec3_sub(displacement, from), t));
    const sn_real length = vec3_length(at);
    if (!(length > 0))
        return false;
    const sn_vec3 n = vec3_scale(at, 1 / length);
    if (leaning(p->contacts)[b] && !pursues(p, b, a, n))
        return false;
    const sn_vec3 v = vec3_sub(vec4_xyz(store->v[b]), vec4_xyz(store->v[a]));
    const sn_real gap = vec3_dot(displacement, n) - length, along = vec3_dot(v, n);
    sn_contacts_add(p->world, b, vec3_scale(n, gap < 0 ? -gap : 0));
    if (along < 0)
        store->v[b] = vec4(vec3_sub(vec4_xyz(store->v[b]), vec3_scale(n, along)), store->v[b].w);
    leaning(p->contacts)[b] = true;
    return true;
}

/* On one thread: there are few pairs. */
static void keep_pairs(const keeping *k)
{
    const sn_contact_pass *p = k->p;
    const sn_contact_pairs *set = p->set;
    for (uint32_t b = 0; b < set->near.batches; ++b)
        for (uint32_t i = 0; i < set->near.lanes[b]; ++i) {
            const uint32_t one = set->near.batch[b].a[i], other = set->near.batch[b].b[i];
            sn_real t;
            if (!passes_ball(p, one, other, pair_column(set, PAIR_REACH)[(size_t)b * SN_NEAR + i], &t))
                continue;
            const sn_real reach = pair_column(set, PAIR_REACH)[(size_t)b * SN_NEAR + i];
            if (k->round >= ROUNDS_OF_BOTH && k->round < SN_ROUNDS_OF_PUSHES &&
                (push_off(p, one, other, reach) || push_off(p, other, one, reach)))
                continue;
            if (k->round < SN_ROUNDS_OF_PUSHES) {
                sn_wide_contacts run = p->pairs;
                run.first = b;
                run.end = b + 1;
                p->wide->sweep(&run);
                break;
            }
            if (k->round >= SN_ROUNDS_OF_PUSHES + SN_ROUNDS_OF_STOPS)
                t = 0;
            stop_on_path(p, one, t);
            stop_on_path(p, other, t);
        }
}

/* True if a path begins on a surface, or behind it by rounding. Particles that have a radius are there only if something
   presses them. */
static bool is_on(const sn_shape *shape, const sn_path *path, const sn_static_contact *contact, sn_real far,
                  sn_touch *touch)
{
    return (path->radius == 0 || contact->normal_impulse > 0) &&
           sn_shape_near(shape, path->from, path->radius + far, touch) && touch->distance <= path->radius + far;
}

/* True if a particle's centre crosses the surface of a fixed shape, or comes so near that rounding might put it on the
   other side. *start, *end: its path in the frame of the shape. *t: the time. */
static bool passes_static(const sn_contact_pass *p, const sn_static_contact *contact, sn_vec3 *start, sn_vec3 *end,
                          sn_real *t)
{
    const sn_fixed_motion *m = &motions(p->contacts)[contact->number];
    sn_shape shape = record_of(p->world, contact->number)->shape;
    sn_touch touch;
    *start = sn_pose_to_own(&m->start, start_of(p, contact->slot));
    *end = sn_pose_to_own(&m->end, place_of(p, contact->slot));
    const sn_vec3 displacement = vec3_sub(*end, *start);
    const sn_real length = vec3_length(displacement);
    const sn_real far = BEHIND * length + ROUNDED * (vec3_length(start_of(p, contact->slot)) + vec3_length(*start));
    sn_real least = STOPPED * (p->world->particles.radius[contact->slot] + shape.guard);
    if (shape.type == SN_SHAPE_MESH && !shape.data->closed && least < 2 * far)
        least = 2 * far; /* what is behind a sheet, if only by rounding, is on its other side */
    if (contact->sensor || !(length > 0))
        return false;
    if (shape.type == SN_SHAPE_PLANE) {
        *t = start->y > least ? BEFORE * (start->y - least) / (start->y - end->y) : 0;
        return end->y < least - far && end->y < start->y;
    }
    shape.thickness = 0;
    sn_path path = {*start, displacement, least};
    for (uint32_t face = 0; face < FACES; ++face) {
        const bool touches = sn_contacts_first_touch(&shape, &path, t, &touch);
        *t *= BEFORE;
        if (touches && vec3_dot(vec3_sub(touch.point, *end), touch.normal) > far - least)
            return true;
        if (shape.type < SN_SHAPE_MESH || (!touches && !is_on(&shape, &path, contact, far, &touch)))
            return false;
        const sn_real side = vec3_dot(vec3_sub(path.from, touch.point), touch.normal);
        const sn_real aside = 2 * far + (shape.type == SN_SHAPE_FIELD ? ASIDE * length : 0);
        path.from = vec3_add(path.from, vec3_scale(touch.normal, aside + (side < least ? least - side : 0)));
    }
    return false;
}

/* In the first round only contacts that other contacts may have led through, unless something is fast: the contact that
   was pushed last is satisfied. */
static bool is_due(const keeping *k, uint32_t i)
{
    const sn_static_contact *contact = k->p->contacts->static_table.column[0];
    return contact[i].shared || k->round > 0 || i >= k->new_statics || k->p->contacts->fast;
}

static void look_at_statics(void *data, uint32_t first, uint32_t end)
{
    keeping *k = data;
    const sn_static_contact *contact = k->p->contacts->static_table.column[0];
    bool found = false;
    for (uint32_t i = first; i < end && !found; ++i) {
        sn_vec3 a, b;
        sn_real t;
        found = is_due(k, i) && passes_static(k->p, &contact[i], &a, &b, &t);
    }
    if (found)
        atomic_store_explicit(&k->found, true, memory_order_relaxed);
}

static void keep_statics(const keeping *k)
{
    const sn_contact_pass *p = k->p;
    sn_static_contact *contact = p->contacts->static_table.column[0];
    for (uint32_t i = 0; i < p->contacts->static_contacts; ++i) {
        sn_vec3 start, end;
        sn_real t;
        if (!is_due(k, i) || !passes_static(p, &contact[i], &start, &end, &t))
            continue;
        if (k->round < SN_ROUNDS_OF_PUSHES) {
            sn_contacts_project_static(p, &contact[i]);
            continue;
        }
        t = k->round >= SN_ROUNDS_OF_PUSHES + SN_ROUNDS_OF_STOPS ? 0 : t;
        const sn_vec3 at = vec3_add(start, vec3_scale(vec3_sub(end, start), t));
        sn_contacts_stop_particle(p->world, contact[i].slot,
                                  sn_pose_to_world(&motions(p->contacts)[contact[i].number].end, at), t);
    }
}

/* A round for balls and fixed shapes. Sets *crossed if something crossed. */
static bool keep_balls(sn_contact_pass *p, uint32_t round, bool *crossed)
{
    sn_contacts *c = p->contacts;
    keeping k = {.p = p, .round = round, .new_statics = c->static_contacts};
    if (!c->has_starts || !sn_contacts_follow(p->world, p->h, false))
        return !c->has_starts;
    for (uint32_t set = 0; set < SN_PAIR_SETS && c->fast; ++set) {
        sn_batch_loop loop;
        sn_contacts_choose_pairs(p, set);
        atomic_store_explicit(&k.found, false, memory_order_relaxed);
        if (!sn_contacts_run_batches(p->world, p->set, &loop, look_at_pairs, &k))
            return false;
        if (!atomic_load_explicit(&k.found, memory_order_relaxed))
            continue;
        if (round >= ROUNDS_OF_BOTH)
            note_leaning(p);
        keep_pairs(&k);
        *crossed = true;
    }
    atomic_store_explicit(&k.found, false, memory_order_relaxed);
    if (c->static_contacts && !sn_parallel_for(&p->world->parallel, c->static_contacts, look_at_statics, &k))
        return false;
    if (atomic_load_explicit(&k.found, memory_order_relaxed)) {
        keep_statics(&k);
        *crossed = true;
    }
    return true;
}

bool sn_contacts_keep_apart(sn_contact_pass *p, const sn_skin_contact_pass *skin_contact, uint32_t first, bool *any)
{
    bool crossed = true;
    for (uint32_t round = first; round < SN_ROUNDS && crossed; ++round) {
        *any = round > first;
        crossed = false;
        if (!sn_skin_contacts_round(p->world, skin_contact, round, &crossed) || !keep_balls(p, round, &crossed))
            return false;
    }
    return sn_skin_contacts_end_rounds(p->world, skin_contact, crossed);
}
