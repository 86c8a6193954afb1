/* Contact of particles with skins, the triangles between other particles.

   A particle stays on its side of a triangle, at the distance of its radius and the skin's thickness. As in
   wide/contact.h a contact is one-sided, warm started, and has friction. The particle and the three corners share its
   impulse by their inverse masses and by the barycentric weights b of the contact point:

       W = w + sum b_i^2 w_i,    particle += w P n / W,    corner i -= b_i w_i P n / W,

   which conserves linear and angular momentum. The path of a fast particle is swept against the moving triangle.
   Contacts of one colour share no particle and run in parallel.

   One round of pushes leaves crossings where several triangles come together, or where a heavy particle drags light
   ones along. So at the end of a substep all paths since its start are checked. A particle whose path leads through a
   triangle is pushed again, a few times. If that does not help, all four particles stop on their paths shortly before
   contact. This only shortens paths, and what does not move crosses nothing new, so the rounds end. Therefore a
   particle is always on the side of a triangle on which it started, and its position at the start of a substep defines
   that side. The exception are kinematic particles: they do not stop.

   Directional rejection is here, too. If two particles of different objects collide, and one has an outward normal and
   asks for it (sn_group_contact.directional), they are pushed along that normal instead of the line between their
   centres. For a particle that has got behind the other object's surface that line points farther in, and two objects
   hook into each other; the normal leads out. Such a pair is a contact with a triangle whose corners are all the other
   particle. */
#include "contact/particle_contacts.h"

#include "base/math.h"
#include "collision/triangle.h"
#include "contact/restitution.h"
#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

#define WORK_OF_SKIN_CONTACT 100.0 /* ns, about */

/* Relative to the reach: a shorter path cannot lead past a triangle unseen. */
#define SLOW ((sn_real)0.5)

/* Relative to the size of a triangle and the distance from it: a particle so near to the plane may be on either side,
   by rounding. */
#define ON_PLANE (SINEW_DOUBLE ? (sn_real)1e-14 : (sn_real)1e-6)

/* Times the longest displacement of a particle before contact acts: a pair that is farther apart is not tested exactly.
   Twice would be enough if nothing were pushed. */
#define FAR 4

/* Relative to the reach. A particle that comes nearer to a triangle than NEAREST is pushed again; nearer than STOPPED,
   it is stopped. A particle that was nearer before comes no nearer than NO_NEARER of its distance. So gaps do not
   shrink until rounding confuses the sides. */
#define NEAREST   ((sn_real)0.25)
#define STOPPED   ((sn_real)0.0625)
#define NO_NEARER ((sn_real)0.99)

/* The data of one loop. */
typedef struct passing {
    sn_world *world;
    const sn_skin_contact_pass *pass;
    void (*one)(const struct passing *p, sn_skin_contact *skin_contact);
    sn_skin_contact *skin_contact; /* the first of the colour */
    uint32_t round;                /* the round at the end of a substep */
    atomic_bool *crossed;          /* set if a particle crossed a triangle; NULL outside rounds */
} passing;

static sn_vec3 place(const sn_world *world, uint32_t slot)
{
    return vec4_xyz(world->particles.x[slot]);
}

/* Positions of particles when the substep began. */
static const sn_vec4 *starts_of(const sn_world *world)
{
    return world->contacts.path_table.column[0];
}

static sn_vec3 start_of(const sn_world *world, uint32_t slot)
{
    return vec4_xyz(starts_of(world)[slot]);
}

static sn_vec3 cross_of(sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

static void run_piece(void *data, uint32_t first, uint32_t end)
{
    const passing *p = data;
    for (uint32_t i = first; i < end; ++i)
        p->one(p, &p->skin_contact[i]);
}

static bool run_with(passing p)
{
    sn_world *world = p.world;
    const sn_contacts *c = &world->contacts;
    const uint32_t *start = c->skin_contact_start_table.column[0];
    for (uint32_t k = 0; c->skin_contacts && k <= SN_SKIN_CONTACT_COLOURS && start[k] < c->skin_contacts; ++k) {
        uint32_t count = start[k + 1] - start[k];
        p.skin_contact = (sn_skin_contact *)c->skin_contact_table.column[0] + start[k];
        if (k == SN_SKIN_CONTACT_COLOURS || !sn_parallel_wants(&world->parallel, count * WORK_OF_SKIN_CONTACT))
            run_piece(&p, 0, count);
        else if (!sn_parallel_for(&world->parallel, count, run_piece, &p))
            return false;
    }
    return true;
}

static bool run(sn_world *world, const sn_skin_contact_pass *pass,
                void (*one)(const passing *p, sn_skin_contact *skin_contact))
{
    return run_with((passing){.world = world, .pass = pass, .one = one});
}

/* The relative position or velocity: of the particle less that of the contact point on the triangle. */
static sn_vec3 relative(const sn_vec4 *column, const sn_skin_contact *g)
{
    sn_vec3 r = vec4_xyz(column[g->slot[0]]);
    for (uint32_t k = 0; k < 3; ++k)
        r = vec3_sub(r, vec3_scale(vec4_xyz(column[g->slot[k + 1]]), g->weight[k]));
    return r;
}

/* W: the effective inverse mass. */
static sn_real mobility(const sn_world *world, const sn_skin_contact *g)
{
    const sn_vec4 *x = world->particles.x;
    sn_real w = x[g->slot[0]].w;
    for (uint32_t k = 0; k < 3; ++k)
        w += g->weight[k] * g->weight[k] * x[g->slot[k + 1]].w;
    return w;
}

static void add(sn_vec4 *to, sn_vec3 by, sn_real share)
{
    *to = vec4(vec3_add(vec4_xyz(*to), vec3_scale(by, share)), to->w);
}

/* Moves all four, by a change of their relative position and of their relative velocity. */
static void move(sn_world *world, const sn_skin_contact *g, sn_vec3 by, sn_vec3 speed)
{
    sn_vec4 *x = world->particles.x, *v = world->particles.v;
    sn_real give = mobility(world, g);
    if (!(give > 0))
        return;
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t slot = g->slot[k];
        sn_real share = (k == 0 ? 1 : -g->weight[k - 1]) * x[slot].w / give;
        sn_contacts_add(world, slot, vec3_scale(by, share));
        add(&v[slot], speed, share);
    }
}

/* Relative to the reach: a pair of balls that approached by more in a substep is swept, as in wide/contact.h. */
#define PAIR_FAR ((sn_real)0.25)

/* The gap of two balls that came together on a long path, measured from the plane through their first contact. */
static bool swept_gap(const sn_world *world, sn_skin_contact *g, sn_real h, sn_real *gap)
{
    const sn_vec3 d = vec3_sub(place(world, g->slot[0]), place(world, g->slot[1])),
                  u = vec3_scale(relative(world->particles.v, g), h), from = vec3_sub(d, u);
    const sn_real square = vec3_dot(u, u), s = -vec3_dot(from, u) / square;
    const sn_vec3 q = vec3_add(from, vec3_scale(u, s));
    const sn_real inside = g->reach * g->reach - vec3_dot(q, q);
    if (!(square > PAIR_FAR * PAIR_FAR * g->reach * g->reach) || !(s > 0) || !(inside > 0))
        return false;
    const sn_real t = s - real_sqrt(inside / square);
    const sn_vec3 at = vec3_add(from, vec3_scale(u, t > 0 ? t : 0));
    const sn_real length = vec3_length(at);
    if (t > 1 || !(length > 0))
        return false;
    g->normal = vec3_scale(at, 1 / length);
    *gap = vec3_dot(d, g->normal) - g->reach;
    return true;
}

/* Directional rejection as in the lecture: along the normal of the object, or, if the other particle is behind it,
   along the line between the two, mirrored at the plane across the normal. */
static sn_real pair_gap(const sn_world *world, sn_skin_contact *g, sn_real h)
{
    sn_vec3 d = vec3_sub(place(world, g->slot[0]), place(world, g->slot[1])), n = vec3(0, 1, 0);
    sn_real length = vec3_length(d), gap;
    if (!world->contacts.directed || world->particles.group[g->slot[0]] == world->particles.group[g->slot[1]] ||
        !sn_outward_direction(&world->contacts, g->slot[0], g->slot[1],
                              &n)) { /* the contact is here for rolling only */
        if (swept_gap(world, g, h, &gap))
            return gap;
        g->normal = length > 0 ? vec3_scale(d, 1 / length) : n;
        return length - g->reach;
    }
    sn_real along = vec3_dot(d, n);
    if (along < 0) {
        sn_vec3 mirrored = vec3_sub(d, vec3_scale(n, 2 * along));
        n = vec3_scale(mirrored, 1 / vec3_length(mirrored));
    }
    g->normal = n;
    return length - g->reach;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

/* The paths of the four particles of a contact in this substep. */
typedef struct displacements {
    sn_vec3 start[4], end[4];
    sn_real closer; /* m: an upper bound of their approach */
} displacements;

static displacements displacements_of(const sn_world *world, const sn_skin_contact *g)
{
    displacements w;
    sn_real farthest = 0, own = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        w.start[k] = start_of(world, g->slot[k]);
        w.end[k] = place(world, g->slot[k]);
        sn_vec3 displacement = vec3_sub(w.end[k], w.start[k]);
        sn_real square = vec3_dot(displacement, displacement);
        if (k == 0)
            own = square;
        else
            farthest = square > farthest ? square : farthest;
    }
    w.closer = (sn_real)sqrt((double)own) + (sn_real)sqrt((double)farthest);
    return w;
}

/* From the point with these weights to the particle. */
static sn_vec3 seen_from_point(const sn_vec3 *x, const sn_real *weight)
{
    sn_vec3 d = x[0];
    for (uint32_t k = 0; k < 3; ++k)
        d = vec3_sub(d, vec3_scale(x[k + 1], weight[k]));
    return d;
}

/* Positions at a time between start and end. */
static void between(const displacements *w, sn_real t, sn_vec3 *x)
{
    for (uint32_t k = 0; k < 4; ++k)
        x[k] = vec3_add(w->start[k], vec3_scale(vec3_sub(w->end[k], w->start[k]), t));
}

/* Measures the distance when the substep begins, and the side. If the particle is on the plane but for rounding, it is
   on the side where it was last. */
static void look(sn_skin_contact *g, const displacements *w)
{
    sn_real weight[3];
    if (g->looked)
        return;
    sn_triangle_near(w->start[0], w->start[1], w->start[2], w->start[3], weight);
    sn_vec3 d = seen_from_point(w->start, weight), n = cross_of(w->start[1], w->start[2], w->start[3]);
    sn_real along = vec3_dot(d, n), size = vec3_length(n), far = vec3_length(d);
    sn_real edge = vec3_length(vec3_sub(w->start[2], w->start[1])) + vec3_length(vec3_sub(w->start[3], w->start[1]));
    if ((along < 0 ? -along : along) > ON_PLANE * (far + edge) * size)
        g->side = along < 0 ? -1 : 1;
    g->clear = far;
    g->looked = true;
}

/* True if they cannot come as near as this in the substep. Measures only if the known bound does not decide. */
static bool stay_apart(sn_skin_contact *g, const displacements *w, sn_real reach)
{
    if (g->clear - w->closer > reach)
        return true;
    look(g, w);
    return g->clear - w->closer > reach;
}

/* True if the particle came from behind a one-sided skin. */
static bool may_pass(const sn_skin_contact *g)
{
    return g->one_sided && g->side < 0;
}

/* True if the particle's path leads through the triangle. Returns the point of crossing as weights, and the normal on
   the side from which the particle came. */
static bool passes(const displacements *w, sn_real *weight, sn_vec3 *normal)
{
    sn_real t;
    sn_vec3 x[4];
    if (!sn_triangle_sweep_hits(w->start, w->end, 0, &t, weight))
        return false;
    between(w, t, x);
    sn_vec3 n = cross_of(x[1], x[2], x[3]), before = seen_from_point(w->start, weight);
    sn_real area = vec3_length(n), along = vec3_dot(before, n);
    if (!(area > 0) || along == 0) /* edge on: the direction from which it came */
        n = before, area = along = vec3_length(before);
    if (!(area > 0))
        return false;
    *normal = vec3_scale(n, (along < 0 ? -1 : 1) / area);
    return true;
}

/* ---- Gaps -------------------------------------------------------------------------------------------------------- */

/* The gap to a point of the triangle along a normal, both found by the sweep. */
static sn_real gap_from(sn_skin_contact *g, const displacements *w, const sn_real *weight, sn_vec3 normal)
{
    memcpy(g->weight, weight, sizeof g->weight);
    g->normal = normal;
    return vec3_dot(seen_from_point(w->end, weight), normal) - g->reach;
}

/* The gap of a particle that has crossed the triangle, measured from the crossing. False if it has not crossed. */
static bool gap_of_passing(sn_skin_contact *g, const displacements *w, sn_real *gap)
{
    sn_real weight[3];
    sn_vec3 normal;
    if (!passes(w, weight, &normal))
        return false;
    *gap = gap_from(g, w, weight, normal);
    return true;
}

/* The gap of a particle that came within reach on its path, and may have left again: measured from the first
   contact. */
static bool gap_of_meeting(sn_skin_contact *g, const displacements *w, sn_real *gap)
{
    sn_real t, weight[3];
    sn_vec3 x[4];
    if (!sn_triangle_sweep_hits(w->start, w->end, g->reach, &t, weight))
        return false;
    between(w, t, x);
    sn_vec3 d = seen_from_point(x, weight);
    sn_real far = vec3_length(d);
    if (far > 0)
        *gap = gap_from(g, w, weight, vec3_scale(d, 1 / far));
    return far > 0;
}

/* The gap, negative if they overlap or the particle has crossed. Sets the normal and the weights. */
static sn_real gap_of(const sn_world *world, sn_skin_contact *g, sn_real h)
{
    sn_real gap;
    if (g->triangle == SN_SKIN_CONTACT_PAIR)
        return pair_gap(world, g, h);
    if (g->clear > g->reach + FAR * world->contacts.longest_displacement && !(g->normal_impulse > 0))
        return g->clear - g->reach;
    displacements w = displacements_of(world, g);
    if (stay_apart(g, &w, g->reach) && !(g->normal_impulse > 0))
        return g->clear - w.closer - g->reach;
    look(g, &w);
    if (may_pass(g))
        return g->reach;
    sn_vec3 n = cross_of(w.end[1], w.end[2], w.end[3]);
    sn_real area = vec3_length(n);
    if (w.closer > SLOW * g->reach && (gap_of_passing(g, &w, &gap) || gap_of_meeting(g, &w, &gap)))
        return gap;
    if (!(area > 0))
        return g->reach; /* the triangle is degenerate: its neighbours act */
    n = vec3_scale(n, g->side / area);
    uint32_t feature = sn_triangle_near(w.end[0], w.end[1], w.end[2], w.end[3], g->weight);
    sn_vec3 d = relative(world->particles.x, g);
    sn_real distance = vec3_length(d), along = vec3_dot(d, n);
    if (along < 0 && gap_of_passing(g, &w, &gap))
        return gap;
    if (feature == 0) {
        g->normal = along < 0 ? vec3_scale(n, -1) : n;
        return (along < 0 ? -along : along) - g->reach;
    }
    g->normal = distance > 0 ? vec3_scale(d, 1 / distance) : n;
    return distance - g->reach;
}

/* The rotation of the other ball; a triangle has none. */
static sn_spinning other_spin(const sn_world *world, const sn_skin_contact *g)
{
    return g->triangle == SN_SKIN_CONTACT_PAIR ? sn_spin_of(world, g->slot[1]) : (sn_spinning){0};
}

static void warm(const passing *p, sn_skin_contact *g)
{
    sn_real last = g->normal_impulse, steady = last < 2 * g->last ? last : 2 * g->last;
    g->last = last;
    if (!(last > 0))
        return;
    if (steady >
        g->reach) /* no load is that large in a substep, and all triangles around an edge would begin with it */
        steady = 0;
    g->normal_impulse = steady;
    g->tangent_impulse = vec3_scale(g->tangent_impulse, steady / last);
    gap_of(p->world, g, p->pass->h);
    sn_vec3 push = vec3_add(vec3_scale(g->normal, steady), g->tangent_impulse);
    const sn_spinning a = sn_spin_of(p->world, g->slot[0]), b = other_spin(p->world, g);
    sn_real give = mobility(p->world, g);
    if ((a.turns || b.turns) && give > 0) {
        sn_spin_push(p->world, &a, &b, g->normal, vec3_scale(g->tangent_impulse, 1 / (give * p->pass->h)));
        sn_spin_warm(p->world, &a, &b, &g->rolled, steady / last);
    }
    move(p->world, g, push, vec3_scale(push, 1 / p->pass->h));
}

static void project(const passing *p, sn_skin_contact *g)
{
    if (g->off)
        return;
    sn_real h = p->pass->h, gap = gap_of(p->world, g, h);
    if (!(gap < 0) && !(g->normal_impulse > 0))
        return;
    g->touched = true;
    sn_vec3 n = g->normal, u = vec3_scale(relative(p->world->particles.v, g), h);
    sn_real along = vec3_dot(u, n), before = gap - along;
    if (p->crossed) /* in rounds a particle may have been moved without a velocity: its path has the displacement */
        before = gap - vec3_dot(vec3_sub(relative(p->world->particles.x, g), relative(starts_of(p->world), g)), n);
    sn_real normal_impulse = g->normal_impulse + (before < 0 ? before : 0) - gap;
    normal_impulse = normal_impulse > 0 ? normal_impulse : 0;
    sn_vec3 tangent_impulse = vec3_sub(g->tangent_impulse, vec3_scale(n, vec3_dot(g->tangent_impulse, n)));
    sn_real give = mobility(p->world, g);
    const sn_spinning a = sn_spin_of(p->world, g->slot[0]), b = other_spin(p->world, g);
    sn_vec3 slip = vec3_sub(u, vec3_scale(n, along));
    if (g->belted)
        slip = vec3_sub(slip, vec3_scale(vec3_sub(g->belt, vec3_scale(n, vec3_dot(g->belt, n))), h));
    if (a.turns || b.turns)
        slip =
            vec3_scale(vec3_add(slip, vec3_scale(sn_spin_slip(p->world, &a, &b, n), h)), sn_spin_share(&a, &b, give));
    sn_vec3 tangential = vec3_sub(tangent_impulse, slip);
    sn_real much = vec3_length(tangential);
    if (much > g->friction.static_friction * normal_impulse)
        tangential = vec3_scale(tangential, g->friction.dynamic_friction * normal_impulse / much);
    if ((a.turns || b.turns) && give > 0) {
        sn_real radius = a.turns && b.turns ? a.radius * b.radius / (a.radius + b.radius)
                         : a.turns          ? a.radius
                                            : b.radius;
        sn_spin_push(p->world, &a, &b, n, vec3_scale(vec3_sub(tangential, tangent_impulse), 1 / (give * h)));
        sn_spin_resist(p->world, &a, &b, g->friction.rolling * radius * normal_impulse / (give * h), &g->rolled);
    }
    sn_vec3 push = vec3_add(vec3_scale(n, normal_impulse - g->normal_impulse), vec3_sub(tangential, tangent_impulse));
    sn_real deep = before < 0 ? -before * p->pass->ease : 0;
    deep = deep > p->pass->part ? p->pass->part : deep;
    if (p->crossed && -before - (1 - NEAREST) * g->reach > deep)
        deep = -before - (1 - NEAREST) * g->reach;
    move(p->world, g, vec3_add(push, vec3_scale(n, deep)), vec3_scale(push, 1 / h));
    g->normal_impulse = normal_impulse;
    g->tangent_impulse = tangential;
}

static void contact(const passing *p, sn_skin_contact *g)
{
    g->before = relative(p->world->particles.v, g);
}

/* m/s^2: relative acceleration by gravity along the normal: 0 unless some of the particles are immovable. */
static sn_real gravity_between(const passing *p, const sn_skin_contact *g)
{
    const sn_vec4 *x = p->world->particles.x;
    sn_real falls = x[g->slot[0]].w > 0;
    for (uint32_t k = 0; k < 3; ++k)
        falls -= x[g->slot[k + 1]].w > 0 ? g->weight[k] : 0;
    return falls * vec3_dot(p->world->state.settings.gravity, g->normal);
}

static void bounce(const passing *p, sn_skin_contact *g)
{
    g->stopped = 0;
    if (!(g->normal_impulse > 0))
        return;
    sn_real give = mobility(p->world, g), along = vec3_dot(relative(p->world->particles.v, g), g->normal), wanted = 0;
    const sn_real came = (g->normal_impulse - g->last) / p->pass->h - along;
    g->impact = came > g->impact ? came : g->impact;
    g->impulse += give > 0 ? g->normal_impulse / (give * p->pass->h) : 0;
    if (g->friction.restitution > 0) {
        const sn_real approach = -vec3_dot(g->before, g->normal);
        if (approach > p->pass->bounce_above)
            wanted = sn_restitution(g->friction.restitution, approach, along, gravity_between(p, g), p->pass->h,
                                    p->pass->behind);
    }
    if (wanted > 0 || along < 0) { /* the speed that still approaches after an impact is removed */
        move(p->world, g, vec3(0, 0, 0), vec3_scale(g->normal, wanted - along));
        g->impulse += give > 0 ? (wanted - along) / give : 0;
        g->stopped = wanted - along;
    }
}

/* ---- Preventing crossings ---------------------------------------------------------------------------------------- */

/* True if they cross, or come too near to be sure. *t: the time. */
static bool crosses(const sn_world *world, sn_skin_contact *g, displacements *w, sn_real *t)
{
    sn_real weight[3], least = STOPPED * g->reach;
    if (g->off)
        return false;
    if (g->triangle == SN_SKIN_CONTACT_PAIR) {
        *w = displacements_of(world, g);
        const sn_vec3 from = vec3_sub(w->start[0], w->start[1]), to = vec3_sub(w->end[0], w->end[1]);
        g->clear = vec3_length(from);
        return sn_contacts_balls_pass(from, vec3_sub(to, from), g->reach, true, t);
    }
    g->closer = 2 * world->contacts.longest_displacement;
    if (g->clear - g->closer > least)
        return false;
    *w = displacements_of(world, g);
    g->closer = w->closer;
    if (stay_apart(g, w, least) || may_pass(g))
        return false;
    look(g, w);
    least = least < NO_NEARER * g->clear ? least : NO_NEARER * g->clear;
    return sn_triangle_sweep_hits(w->start, w->end, least, t, weight);
}

static void push_again(const passing *p, sn_skin_contact *g)
{
    displacements w;
    sn_real t;
    if (!crosses(p->world, g, &w, &t))
        return;
    project(p, g);
    atomic_store_explicit(p->crossed, true, memory_order_relaxed);
}

/* Stops all four where they come too near. Particles that were near before stay at their start. */
static void stop(const passing *p, sn_skin_contact *g)
{
    displacements w;
    sn_real t = 0;
    sn_vec3 x[4];
    if (!crosses(p->world, g, &w, &t))
        return;
    t *= NO_NEARER; /* shortly before, or rounding might find them there again */
    if (p->round >= SN_ROUNDS_OF_PUSHES + SN_ROUNDS_OF_STOPS || g->clear < NEAREST * g->reach)
        t = 0;
    between(&w, t, x);
    const uint32_t particles = g->triangle == SN_SKIN_CONTACT_PAIR ? 2 : 4;
    for (uint32_t k = 0; k < particles; ++k)
        sn_contacts_stop_particle(p->world, g->slot[k], t > 0 ? x[k] : w.start[k], t);
    atomic_store_explicit(p->crossed, true, memory_order_relaxed);
}

/* Positions have changed since the distance was measured. */
static void forget_distance(const passing *p, sn_skin_contact *g)
{
    (void)p;
    g->clear = g->closer = 0;
}

bool sn_skin_contacts_round(sn_world *world, const sn_skin_contact_pass *pass, uint32_t round, bool *crossed)
{
    atomic_bool flag = false;
    const sn_contacts *c = &world->contacts;
    if (!c->watches && !(c->skin_contact_pairs && c->has_starts))
        return true;
    if ((c->watches && !sn_skin_contacts_follow(world)) ||
        !run_with((passing){.world = world,
                            .pass = pass,
                            .one = round < SN_ROUNDS_OF_PUSHES ? push_again : stop,
                            .round = round,
                            .crossed = &flag}))
        return false;
    *crossed = *crossed || atomic_load_explicit(&flag, memory_order_relaxed);
    return true;
}

bool sn_skin_contacts_end_rounds(sn_world *world, const sn_skin_contact_pass *pass, bool crossed)
{
    return !crossed || run(world, pass, forget_distance);
}

/* ---- The phases of a substep ------------------------------------------------------------------------------------- */

/* Lowers the bound of the distance by the approach in the substep before. */
static void approach(const passing *p, sn_skin_contact *g)
{
    (void)p;
    g->clear -= g->closer;
    g->looked = false;
}

static void note_starts(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    sn_vec4 *start = world->contacts.path_table.column[0];
    memcpy(start + first, world->particles.x + first, (end - first) * sizeof *start);
}

bool sn_skin_contacts_begin(sn_world *world, uint32_t i, uint32_t substeps, sn_real h)
{
    sn_contacts *c = &world->contacts;
    c->time_left = h * (sn_real)(substeps - i);
    if (!c->watches)
        return true;
    if (i > 0 && !run(world, NULL, approach))
        return false;
    return sn_parallel_for(&world->parallel, world->particles.table.count, note_starts, world);
}

bool sn_skin_contacts_solve_hits(sn_world *world)
{
    return run(world, NULL, contact);
}

bool sn_skin_contacts_warm(sn_world *world, const sn_skin_contact_pass *pass)
{
    return sn_skin_contacts_follow(world) && run(world, pass, warm);
}

bool sn_skin_contacts_project(sn_world *world, const sn_skin_contact_pass *pass)
{
    return run(world, pass, project);
}

bool sn_skin_contacts_bounce(sn_world *world, const sn_skin_contact_pass *pass)
{
    return run(world, pass, bounce);
}
