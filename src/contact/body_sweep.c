/* Contact of bodies: at the end of a substep no body has passed through what it touched.

   A pass finds impulses for bodies as they are when a substep begins. A plate that is hit at its edge at hundreds of
   metres a second gets a spin that rotates it by more than a radian in the rest of the substep, and its other end
   through what hit it. So the paths of fast bodies are checked once more at the end, from where they began to where
   they are, rotating evenly. Two that would overlap by more than half of the inner radius of the thinner one stop
   before that, on their paths. They keep their velocities, except for what gravity added on the rest of the path: the
   next substep begins where they touch, and finds the contact points there.

   The distance of two bodies changes by no more than the motion of their points, so steps of that length are never
   too long (Mirtich 1996). In an overlap, steps of an eighth of the thickness are short enough to see it become
   deeper.

   Bodies stop before fixed shapes, too, and a moving one takes them along from there. Contact points on fixed shapes
   hold any load, but they are those of the start of the substep: a small body that hits at a hundred metres a second
   gets a spin of thousands of radians a second, which takes other corners through before the next substep begins. A
   distance field does not know how thick it is, and pushes a body that is beyond its middle out on the other side:
   there a tenth of the depth is too deep. The same holds for meshes. */
#include "contact/body_work.h"

#include "base/math.h"
#include "bodies/rotation.h"
#include "world/substep.h"

#define ROUNDS 16u            /* rounds: a body that stops may be in the path of another; */
#define PLAIN  8u             /* after this many, bodies that touch do not move at all, so that the rounds end */
#define STEPS  1024u          /* along a path, at most; a body that needs more stops there */
#define DEEP   ((sn_real)0.5) /* of the inner radius: a larger overlap is too deep */
/* The cosine of half an angle of 1/50 rad: for smaller rotations the displacement of the centre alone counts. */
#define STILL  ((sn_real)0.99995)

#define LITTLE                                                                                                         \
    ((sn_real)1e-4) /* of the same: counts as no deeper; with a hundredth small boxes crept through in a second */
#define STRIDE  ((sn_real)0.25) /* of the same: length of steps in an overlap */
#define SHALLOW ((sn_real)0.1)  /* of the same: for a mesh or a field, which may be thin */

/* Two bodies, or a body and a fixed shape, on their paths. */
typedef struct duel {
    const sn_world *world;
    const sn_body_contact *contact;
    const sn_mover *a, *b;
    const sn_convex *solid_a, *solid_b;
    sn_real radius;        /* m: of a ball, which b is if solid_b is NULL and there is no shape */
    const sn_shape *shape; /* instead of b: a fixed shape */
    sn_pose place, end;    /* its poses at the start and end of the substep */
    bool moves;            /* the shape moves */
    sn_real displacement;  /* m: the largest relative displacement of two points */
    sn_real thin;          /* m: the smaller inner radius; less for meshes and fields, which may be thinner */
} duel;

/* The rotation of a body in the substep. */
static sn_vec3 rotation_of(const sn_world *world, const sn_mover *m)
{
    return sn_quat_between(m->from.rotation, world->bodies.turn[m->body].start);
}

/* The pose of a body at a share of its path. */
static sn_pose pose_at(const sn_world *world, const sn_mover *m, sn_real t)
{
    sn_vec3 displacement = vec3_sub(vec4_xyz(world->particles.x[m->slot]), m->from.position);
    sn_pose pose = {vec3_add(m->from.position, vec3_scale(displacement, t)), m->from.rotation};
    if (m->body == SN_ID_FREE)
        return pose;
    pose.rotation = sn_quat_rotated(pose.rotation, vec3_scale(rotation_of(world, m), t));
    return pose;
}

static sn_real nearest_of(const sn_manifold *m, uint32_t count, sn_real reach)
{
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t i = 0; i < m[k].count; ++i)
            reach = m[k].point[i].distance < reach ? m[k].point[i].distance : reach;
    return reach;
}

/* m: the distance between a body and a fixed shape at a share of their paths, at most reach. */
static sn_real apart_from_shape_at(const duel *d, sn_real t, sn_real reach)
{
    const sn_pose a = pose_at(d->world, d->a, t * d->a->share),
                  at = contact_part_pose(d->world, &a, d->contact->part_a);
    const sn_pose place = d->moves ? sn_pose_between(&d->place, &d->end, t) : d->place;
    sn_manifold m[SN_BODY_CONTACT_LAYERS];
    return nearest_of(m, sn_manifold_shape(d->solid_a, &at, d->shape, &place, reach, m, SN_BODY_CONTACT_LAYERS), reach);
}

/* m: the distance of the two at a share of their paths, at most reach. */
static sn_real apart_at(const duel *d, sn_real t, sn_real reach)
{
    if (d->shape)
        return apart_from_shape_at(d, t, reach);
    sn_pose a = pose_at(d->world, d->a, t * d->a->share), b = pose_at(d->world, d->b, t * d->b->share);
    sn_pose at_a = contact_part_pose(d->world, &a, d->contact->part_a),
            at_b = d->solid_b ? contact_part_pose(d->world, &b, d->contact->part_b) : b;
    sn_manifold m;
    sn_touch touch;
    if (!d->solid_b)
        return sn_convex_near(d->solid_a, sn_pose_to_own(&at_a, b.position), reach + d->radius, &touch)
                   ? touch.distance - d->radius
                   : reach;
    return nearest_of(&m, sn_manifold_convex(d->solid_a, &at_a, d->solid_b, &at_b, reach, &m), reach);
}

/* m: a distance below this is too deep, given the distance when the substep begins. A deep overlap must not become
   deeper from substep to substep. */
static sn_real deepest_of(const duel *d, sn_real apart)
{
    return (apart < -DEEP * d->thin ? apart : -DEEP * d->thin) - LITTLE * d->thin;
}

/* The share of their paths that the two may go. */
static sn_real share_of(const duel *d)
{
    sn_real t = 0, last = 0, deepest = 0;
    for (uint32_t step = 0; step < STEPS; ++step) {
        sn_real apart = apart_at(d, t, d->displacement);
        if (step == 0)
            deepest = deepest_of(d, apart);
        else if (apart < deepest)
            return last;
        if (t >= 1 || apart >= d->displacement * (1 - t))
            return 1;
        last = t;
        t += (apart > STRIDE * d->thin ? apart : STRIDE * d->thin) / d->displacement;
        t = t < 1 ? t : 1;
    }
    return last;
}

/* m: the inner radius of the thinner of the two. The thickness of a mesh or a field at the contact is not known. */
static sn_real thinness(const sn_convex *solid, const sn_shape *shape)
{
    const sn_real inner = sn_convex_inner(solid);
    if (shape->type >= SN_SHAPE_MESH)
        return SHALLOW * inner;
    if (shape->type == SN_SHAPE_PLANE || shape->type == SN_SHAPE_SPHERE || shape->type == SN_SHAPE_CAPSULE)
        return inner;
    const sn_convex other = sn_shape_solid(shape);
    return sn_convex_inner(&other) < inner ? sn_convex_inner(&other) : inner;
}

static bool stands(const sn_fixed_motion *m)
{
    return contact_is_zero(m->velocity) && contact_is_zero(m->spin);
}

/* m: the largest displacement in the substep of points of a moving shape where a body is on its path. A plane that
   rotates has no such bound as a whole. */
static sn_real displacement_near(const sn_fixed_motion *motion, const sn_mover *a, sn_real h)
{
    if (isfinite(motion->speed))
        return motion->speed * h;
    const sn_real far = vec3_length(vec3_sub(a->from.position, motion->start.position)) + a->displacement + a->extent;
    return (vec3_length(motion->velocity) + vec3_length(motion->spin) * far) * h;
}

/* The share of the rest of its path that a body may go before a fixed shape. */
static sn_real share_before_fixed_shape(const sn_world *world, const sn_body_contact *contact, sn_real h, bool slow)
{
    const sn_shape *shape = &sn_body_contact_record(world, contact->fixed_shape)->shape;
    const sn_mover *a = &contact_movers(world)[contact->a];
    const sn_fixed_motion *motion = contact_motion(world, contact->fixed_shape);
    const bool moves = !stands(motion);
    if (contact->layer > 0 || contact->sensor || a->w == 0 || a->carrier == contact->fixed_shape + 1)
        return 1;
    duel d = {.world = world,
              .contact = contact,
              .a = a,
              .shape = shape,
              .place = motion->start,
              .end = motion->end,
              .moves = moves,
              .displacement = a->displacement * a->share + (moves ? displacement_near(motion, a, h) : 0)};
    d.solid_a = &world->bodies.part[contact->part_a].convex;
    d.thin = thinness(d.solid_a, shape);
    if (!slow && !(d.displacement > (shape->type >= SN_SHAPE_MESH ? 4 : 1) * d.thin))
        return 1;
    return share_of(&d);
}

/* m: the displacement of the centre of a body in the substep. */
static sn_vec3 displacement_of_centre(const sn_world *world, const sn_mover *m)
{
    return vec3_sub(vec4_xyz(world->particles.x[m->slot]), m->from.position);
}

/* m: the largest displacement of points of one relative to the other, on the rest of their paths: two that fall side by
   side hardly approach each other. */
static sn_real displacement_between(const sn_world *world, const sn_mover *a, const sn_mover *b)
{
    const sn_vec3 by_a = displacement_of_centre(world, a), by_b = displacement_of_centre(world, b);
    const sn_real turned_a = a->displacement - vec3_length(by_a), turned_b = b->displacement - vec3_length(by_b);
    return vec3_length(vec3_sub(vec3_scale(by_a, a->share), vec3_scale(by_b, b->share))) + turned_a * a->share +
           turned_b * b->share;
}

/* True if they are too slow to pass through each other. Most are by their displacements alone; then the contact itself
   need not be read. */
static bool are_slow(const sn_world *world, const sn_mover *a, const sn_mover *b)
{
    const sn_real most = 4 * (a->thin < b->thin ? a->thin : b->thin);
    return !(a->displacement * a->share + b->displacement * b->share > most) ||
           !(displacement_between(world, a, b) > most);
}

/* The share of the rest of their paths that the two of a contact may go. slow: also if they are slow. */
static sn_real share_of_two(const sn_world *world, const sn_body_contact *contact, sn_real h, bool slow)
{
    if (contact->b == SN_NO_MOVER)
        return share_before_fixed_shape(world, contact, h, slow);
    if (contact->sensor)
        return 1;
    const sn_mover *a = &contact_movers(world)[contact->a], *b = &contact_movers(world)[contact->b];
    if (!slow && are_slow(world, a, b))
        return 1;
    duel d = {.world = world, .contact = contact, .a = a, .b = b, .displacement = displacement_between(world, a, b)};
    d.solid_a = &world->bodies.part[contact->part_a].convex;
    d.thin = sn_convex_inner(d.solid_a);
    if (contact->part_b != SN_ID_FREE)
        d.solid_b = &world->bodies.part[contact->part_b].convex;
    else
        d.radius = world->particles.radius[b->slot];
    /* A ball may be a point, and passes a body by the body's thickness alone. */
    const sn_real half = d.thin / 2, ball = d.radius < half ? half : d.radius;
    const sn_real other = d.solid_b ? sn_convex_inner(d.solid_b) : ball;
    d.thin = other < d.thin ? other : d.thin;
    return share_of(&d);
}

/* ---- Deep overlaps ------------------------------------------------------------------------------------------------ */

/* What is slow cannot pass through something in one substep. But a heavy body may press a light one that cannot give way
   deeper in every substep: contact of bodies does not know what is behind a ball, nor sweeps what is behind many bodies.
   So pairs whose overlap was more than a quarter of an inner radius when the substep began are looked at, too. Not those
   of bodies that constraints hold: to stop them opens joints, and these press them deeper. */
static bool is_held(const sn_world *world, const sn_mover *m)
{
    return sn_incidence_holds(&world->incidence, &world->constraints, world->particles.index[m->slot]);
}

static bool is_buried(const sn_world *world, const sn_body_contact *contact)
{
    const sn_wide_body_contact *batch = world->body_contacts.batch_table.column[0];
    if (!contact->lane)
        return false;
    const uint32_t lane = (contact->lane - 1) % SN_BODY_CONTACTS;
    const sn_mover *a = &contact_movers(world)[contact->a];
    sn_real thin = a->thin;
    if (contact->b != SN_NO_MOVER && contact_movers(world)[contact->b].thin < thin)
        thin = contact_movers(world)[contact->b].thin;
    batch += (contact->lane - 1) / SN_BODY_CONTACTS;
    bool deep = false;
    for (uint32_t k = 0; k < batch->points; ++k)
        deep = deep || batch->rest[k].gap[lane] < -thin;
    return deep && !is_held(world, a) &&
           !(contact->b != SN_NO_MOVER && is_held(world, &contact_movers(world)[contact->b]));
}

static bool any_buried(const sn_world *world)
{
    const sn_body_contact_group *group = world->body_contacts.group_table.column[0];
    const sn_wide_body_contact *batch = world->body_contacts.batch_table.column[0];
    for (uint32_t g = 0; g < world->body_contacts.group_table.count; ++g)
        for (uint32_t b = group[g].batch; group[g].deep && b < group[g].batch + group[g].batches; ++b)
            for (uint32_t lane = 0; batch[b].deep && lane < batch[b].lanes; ++lane)
                if (is_buried(world, &contact_all(world)[batch[b].contact[lane]]))
                    return true;
    return false;
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* The result of a round for a contact: the shares of their whole paths that the two may go; 1: no limit. For a fixed
   shape that moves, the share of its own path. */
typedef struct shares {
    sn_real a, b;
} shares;

typedef struct stopping {
    const sn_world *world;
    sn_real h;
    bool at_once; /* bodies that touch do not move at all: they stop each other again and again */
    atomic_bool stopped;
} stopping;

static shares *all_shares(const sn_world *world)
{
    return world->body_contacts.contact_table.column[6];
}

/* Checks all contacts before any body is stopped, so that the order does not matter. */
static void look_piece(void *data, uint32_t first, uint32_t end)
{
    stopping *s = data;
    const sn_body_contact_watch *watch = s->world->body_contacts.contact_table.column[4];
    for (uint32_t i = first; i < end; ++i) {
        const sn_body_contact *contact = &contact_all(s->world)[i];
        all_shares(s->world)[i] = (shares){1, 1};
        const bool bodies = watch[i].b < s->world->body_contacts.mover_table.count;
        const bool buried = s->world->body_contacts.buried && is_buried(s->world, contact);
        if (bodies && !buried &&
            are_slow(s->world, &contact_movers(s->world)[watch[i].a], &contact_movers(s->world)[watch[i].b]))
            continue;
        sn_real t = share_of_two(s->world, contact, s->h, buried);
        if (t >= 1)
            continue;
        t = s->at_once ? 0 : t;
        all_shares(s->world)[i].a = t * contact_movers(s->world)[contact->a].share;
        all_shares(s->world)[i].b = contact->b == SN_NO_MOVER ? t : t * contact_movers(s->world)[contact->b].share;
        contact_raise(&s->stopped);
    }
}

static bool stop(sn_mover *m, sn_real share)
{
    if (m->w == 0 || !(share < m->share))
        return false;
    m->share = share;
    m->carrier = 0;
    return true;
}

/* A body that keeps rotating after an impact, and is so deep that it may not, would not move in any substep, nor would
   bodies behind it. So two bodies that cannot move at all lose half of their relative velocity, and of their spins. */
#define JAMMED ((sn_real)0.5)

static void change_velocity(sn_world *world, const sn_mover *m, sn_vec3 by)
{
    sn_pair v = {vec4_xyz(world->particles.v[m->slot]), vec4_xyz(world->particles.v_low[m->slot])};
    pair_add(&v, by);
    world->particles.v[m->slot] = vec4(v.high, world->particles.v[m->slot].w);
    world->particles.v_low[m->slot] = vec4(v.low, 0);
    sn_history_forget(&world->history, m->slot);
}

static void slow_spin(sn_world *world, const sn_mover *m)
{
    for (int k = 0; m->body != SN_ID_FREE && m->w > 0 && k < 3; ++k)
        world->bodies.state[m->body].l[k] *= (double)JAMMED;
}

static void break_jam(sn_world *world, const sn_mover *a, const sn_mover *b)
{
    const sn_vec3 between = vec3_sub(vec4_xyz(world->particles.v[b->slot]), vec4_xyz(world->particles.v[a->slot]));
    const sn_real share = JAMMED / (a->w + b->w);
    change_velocity(world, a, vec3_scale(between, share * a->w));
    change_velocity(world, b, vec3_scale(between, -share * b->w));
    slow_spin(world, a);
    slow_spin(world, b);
}

static void stop_two(sn_world *world, const sn_body_contact *contact, const shares *s)
{
    sn_mover *a = &contact_movers(world)[contact->a];
    const bool stopped = stop(a, s->a);
    if (contact->b != SN_NO_MOVER) {
        sn_mover *b = &contact_movers(world)[contact->b];
        const bool other = stop(b, s->b);
        if ((stopped || other) && s->a == 0 && a->w > 0 && b->w > 0)
            break_jam(world, a, b);
    } else if ((stopped || (s->b < 1 && s->a <= a->share && !a->carrier)) &&
               !stands(
                   contact_motion(world, contact->fixed_shape))) { /* the shape must not pass a body at rest, either */
        a->carrier = contact->fixed_shape + 1;
        a->carried = s->b;
    } else if (stopped && s->a == 0) {
        slow_spin(world, a);
    }
}

/* The pose at which a body stops: at a share of its path, and then carried along by the shape that stopped it. */
static sn_pose stopped_at(const sn_world *world, const sn_mover *m)
{
    sn_pose pose = pose_at(world, m, m->share);
    if (!m->carrier)
        return pose;
    const sn_fixed_motion *motion = contact_motion(world, m->carrier - 1);
    const sn_pose then = sn_pose_between(&motion->start, &motion->end, m->carried);
    const sn_quat back = {-then.rotation.x, -then.rotation.y, -then.rotation.z, then.rotation.w};
    pose.position = sn_pose_to_world(&motion->end, sn_pose_to_own(&then, pose.position));
    pose.rotation = sn_quat_times(motion->end.rotation, sn_quat_times(back, pose.rotation));
    return pose;
}

/* Gravity accelerated a body on its whole path. It must not keep the speed gained on the part that it did not fall:
   bodies that fall close behind each other stop again and again, and would gain energy without end. */
static void slow_down(sn_world *world, const sn_mover *m, sn_real h)
{
    const sn_vec3 g = world->state.settings.gravity;
    const sn_real square = vec3_dot(g, g);
    const sn_real falls = square > 0 ? vec3_dot(vec4_xyz(world->particles.v[m->slot]), g) / square
                                     : 0; /* s: for how long it has fallen */
    const sn_real gained = (1 - m->share) * h, less = falls < gained ? falls : gained;
    if (less > 0)
        change_velocity(world, m, vec3_scale(g, -less));
}

/* Moves a body to where it stops, or a ball. On its path it rotates evenly, and not as a free body does. With the same
   angular momentum it may have a larger energy in the orientation where it stops. It does not keep more than it had. */
static void take_back(sn_world *world, const sn_mover *m)
{
    const sn_pose to = stopped_at(world, m);
    sn_contacts_add(world, m->slot, vec3_sub(to.position, vec4_xyz(world->particles.x[m->slot])));
    if (m->body == SN_ID_FREE)
        return;
    sn_body_state *body = &world->bodies.state[m->body];
    const sn_vec3 turn = sn_quat_between(world->bodies.turn[m->body].start, to.rotation);
    const sn_real angle = vec3_length(turn);
    if (!(angle > 0))
        return;
    const double before = sn_body_contact_spin_energy(world, m);
    double half = (double)angle / 2, by = math_sin(half) / math_cos(half) / (double)angle;
    double a[3] = {(double)turn.x * by, (double)turn.y * by, (double)turn.z * by};
    sn_rotate_vector_back(body->q, a, a);
    sn_rotate_by(body->q, a);
    bodies_turned(&world->bodies, m->body);
    const double after = sn_body_contact_spin_energy(world, m);
    for (uint32_t k = 0; after > before && k < 3; ++k)
        body->l[k] *= sqrt(before / after);
}

static void take_back_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_substep *s = data;
    sn_world *world = s->world;
    for (uint32_t i = first; i < end; ++i) {
        const sn_mover *m = &contact_movers(world)[contact_listed(world)[i]];
        if (m->share < 1) {
            if (m->body == SN_ID_FREE)
                contact_raise(&world->body_contacts.balls_moved);
            slow_down(world, m, s->h);
            take_back(world, m);
        }
    }
}

typedef struct measuring {
    sn_body_contact_substep *s;
    bool stores, notes;
    sn_real coming; /* m: the largest displacement of a fixed shape */
    atomic_bool fast, left;
} measuring;

/* The path of a ball in the substep. True if it is fast. */
static bool measure_ball(const sn_world *world, sn_mover *m)
{
    m->from.position = sn_body_ball_start(world, m->slot);
    m->displacement = vec3_length(vec3_sub(vec4_xyz(world->particles.x[m->slot]), m->from.position));
    return m->displacement > m->thin;
}

/* Measures the displacements of bodies. Notes whether one is fast, and whether one left its search bounds. */
static void measure_piece(void *data, uint32_t first, uint32_t end)
{
    measuring *measure = data;
    const sn_world *world = measure->s->world;
    bool fast = false, left = false;
    for (uint32_t i = first; i < end; ++i) {
        sn_mover *m = &contact_movers(world)[contact_listed(world)[i]];
        m->share = 1;
        m->carrier = 0;
        if (m->body == SN_ID_FREE) {
            fast = measure_ball(world, m) || fast;
            continue;
        }
        sn_vec3 displacement = vec3_sub(vec4_xyz(world->particles.x[m->slot]), m->from.position);
        sn_quat q = world->bodies.turn[m->body].start, p = m->from.rotation;
        sn_real cosine = contact_magnitude(q.x * p.x + q.y * p.y + q.z * p.z + q.w * p.w);
        m->displacement = vec3_length(displacement);
        if (cosine < STILL)
            m->displacement += vec3_length(rotation_of(world, m)) * m->extent;
        const bool leaves = m->displacement > m->thin && !sn_body_contact_has_room(world, m, vec3(0, 0, 0));
        contact_set_left(world, m->body, leaves);
        fast = fast || m->displacement + measure->coming > m->thin;
        left = left || leaves;
    }
    if (left)
        contact_raise(&measure->left);
    if (fast)
        contact_raise(&measure->fast);
}

/* False if all bodies are surely slow, by their small rotations and displacements. Then nothing has to be measured. */
static bool may_be_fast(const measuring *measure, uint32_t first, uint32_t end)
{
    const sn_mover_columns c = contact_columns(measure->s->world);
    const sn_real coming = measure->coming;
    bool fast = false;
    for (uint32_t i = first; i < end; ++i) {
        sn_mover *m = &c.mover[c.listed[i]];
        if (m->body == SN_ID_FREE) {
            fast = measure_ball(measure->s->world, m) || fast;
            continue;
        }
        const sn_vec4 *record =
            &c.record[SN_BODY_CONTACT_RECORD * (size_t)c.listed[i]]; /* from the start of the substep */
        const quad displacement = quad_sub(quad_load(&c.x[m->slot]), quad_load(&record[4]));
        const quad turn = quad_times(quad_load(&c.turn[m->body].start), quad_load(&record[5]));
        const sn_real room = SN_CERTAIN * (m->thin - coming);
        fast = fast || !(room > 0 && quad_dot3(displacement, displacement) < room * room &&
                         contact_magnitude(quad_sum4(turn)) >= STILL);
        c.flags[m->body] &= (uint8_t)~SN_ROW_LEFT;
    }
    return fast;
}

static void end_piece(void *data, uint32_t first, uint32_t end)
{
    measuring *measure = data;
    sn_world *world = measure->s->world;
    for (uint32_t at = first, next; at < end; at = next) {
        next = contact_least(at + SN_FEW, end);
        if (measure->stores && !sn_body_contacts_store(measure->s, at, next))
            contact_raise(&world->body_contacts.suspect);
        if (measure->notes) /* movers of bodies have the numbers of their rows */
            sn_articulations_note_some(world, contact_listed(world) + at, next - at);
        if (may_be_fast(measure, at, next))
            contact_raise(&measure->fast);
    }
}

/* Sets up new movers: they have not moved. */
static void stand_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_mover *m = &contact_movers(world)[contact_listed(world)[i]];
        const sn_quat q = m->from.rotation;
        if (q.x != 0 || q.y != 0 || q.z != 0 || q.w != 0)
            continue;
        m->from = contact_pose(world, m);
        m->displacement = 0;
        m->share = 1;
        if (m->body == SN_ID_FREE)
            measure_ball(world, m);
    }
}

/* Bodies that were thrown out of their search bounds may have hit others on their paths. New movers among these are at
   rest or asleep. */
static bool find_left(sn_world *world)
{
    world->contacts.failed = sn_body_contacts_find_again(world, true);
    return world->contacts.failed == SN_OK &&
           sn_body_contacts_share(world, world->body_contacts.list_table.count, stand_piece, world);
}

/* m: the largest displacement of a fixed shape in a substep; infinite for a plane that rotates. */
static sn_real farthest_fixed_shape(const sn_world *world, sn_real h)
{
    const uint32_t *mover = world->contacts.mover_table.column[0];
    sn_real most = 0;
    for (uint32_t i = 0; i < world->contacts.mover_table.count; ++i) {
        const sn_real displacement = h * contact_motion(world, mover[i])->speed;
        most = displacement > most ? displacement : most;
    }
    return most;
}

/* True if the effect of contact on jointed bodies is noted here: nothing else moves them until the substep ends. */
static bool notes_articulations(const sn_world *world)
{
    return world->articulations.limits && !world->contacts.surfaces.on &&
           world->body_contacts.list_table.count >= world->bodies.awake_table.count;
}

/* The flags of a mover; NULL: it is no body. */
static uint8_t *flags_of(const sn_world *world, uint32_t mover)
{
    const uint32_t body = mover == SN_NO_MOVER ? SN_ID_FREE : contact_movers(world)[mover].body;
    return body == SN_ID_FREE ? NULL : &contact_flags(world)[body];
}

/* Slow bodies count, too: what carries them may press them deeper in every substep. */
bool sn_body_contacts_look_at_paths(sn_world *world, sn_real h)
{
    sn_body_contact_substep s = contact_substep(world, h);
    measuring measure = {.s = &s, .coming = farthest_fixed_shape(world, h)};
    if (!sn_body_contacts_share(world, world->body_contacts.list_table.count, measure_piece, &measure) ||
        (measure.left && !find_left(world)))
        return false;
    for (uint32_t i = 0; i < world->body_contacts.count; ++i) {
        const sn_body_contact *contact = &contact_all(world)[i];
        uint8_t *both[2] = {flags_of(world, contact->a), flags_of(world, contact->b)};
        const bool carried = (both[0] && *both[0] & SN_ROW_CARRIED) || (both[1] && *both[1] & SN_ROW_CARRIED);
        if (!carried || !(share_of_two(world, contact, h, true) < 1))
            continue;
        for (uint32_t k = 0; k < 2; ++k)
            if (both[k])
                *both[k] |= SN_ROW_BLOCKED;
    }
    return true;
}

static bool stop_all(sn_body_contact_substep *pass)
{
    sn_world *world = pass->world;
    bool stopped = false;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        stopping s = {.world = world, .h = pass->h, .at_once = round >= PLAIN};
        if (!sn_body_contacts_share(world, world->body_contacts.count, look_piece, &s))
            return false;
        for (uint32_t i = 0; s.stopped && i < world->body_contacts.count; ++i)
            stop_two(world, &contact_all(world)[i], &all_shares(world)[i]);
        if (!s.stopped)
            break;
        stopped = true;
    }
    world->articulations.noted = world->articulations.noted && !stopped;
    return !stopped || sn_body_contacts_share(world, world->body_contacts.list_table.count, take_back_piece, pass);
}

bool sn_body_contacts_stop(sn_body_contact_substep *pass, bool stores)
{
    sn_world *world = pass->world;
    const sn_real h = pass->h;
    world->body_contacts.looked = world->body_contacts.list_table.count >= world->bodies.awake_table.count;
    /* spins of particles are checked one by one */
    atomic_store_explicit(&world->body_contacts.suspect, world->contact.spin_table.count > 0, memory_order_relaxed);
    measuring measure = {
        .s = pass, .stores = stores, .notes = notes_articulations(world), .coming = farthest_fixed_shape(world, h)};
    const uint32_t movers = world->body_contacts.list_table.count;
    world->articulations.noted = measure.notes;
    if (!sn_body_contacts_share(world, movers, end_piece, &measure))
        return false;
    if (stores && world->body_contacts.tumbles)
        sn_body_contacts_limit_energy(world);
    bool balls = false;
    const bool buried = stores && any_buried(world);
    world->body_contacts.buried = buried;
    if (!sn_body_balls_left(world, &balls))
        return false;
    if (!measure.fast && !balls && !buried)
        return true;
    atomic_store_explicit(&measure.fast, false, memory_order_relaxed);
    if (!sn_body_contacts_share(world, movers, measure_piece, &measure))
        return false;
    if (!measure.fast && !balls && !buried)
        return true;
    if ((measure.left || balls) && !find_left(world))
        return false;
    return stop_all(pass);
}

bool sn_body_contacts_stop_again(sn_world *world, sn_real h)
{
    sn_body_contact_substep pass = contact_substep(world, h);
    measuring measure = {.s = &pass, .coming = farthest_fixed_shape(world, h)};
    return sn_body_contacts_share(world, world->body_contacts.list_table.count, measure_piece, &measure) &&
           stop_all(&pass);
}
