/* Energy conservation of swinging bodies.

   A joint pulls at the end of a substep, in the directions at that time, because only that is stable under any
   load. A body on a circle has rotated by an angle a then, and so has the pull: it brakes by a^2 of the
   velocity, in every substep. A rod of 1 m that falls from 120 degrees lost 26 % of m g l in ten seconds, at ten
   substeps in 1/60 s.

   The same pulls along the arms at the start (SHAKE) take no energy, and conserve angular momentum to the last
   bit. But solving with them fails under high tension. So joints are solved as always, and momentum is corrected
   after that. With the arm r from the centre to the joint and the impulse p that the joint exerts, what is
   missing is

       (r_start - r_end) x p.

   For a hinge, only the component along its axis counts. Across the axis other rows hold, and would remove what
   they did not cause. (Thin rods with a load exploded by that.)

   There are two limits.

   - The correction is an explicit force. Tension T stiffens a body of inertia I against rotation, by T r. The
     correction is safe while h^2 T r / I is small: up to STIFF / 4 all of it is applied, from STIFF on nothing. Faster
     motions are braked as before.
   - An articulation gains no energy. Its kinetic energy may be that at the start of the substep plus the work of forces
     on its path. If the whole correction exceeds this, a share of it is applied. Where joints push instead of pull, as
     for a rod above its hinge, they drive instead of brake: then the correction takes as much.

   Velocities are half a substep older than positions. For that reason alone, under gravity their energy varies
   by h m g v / 2. A limit that ignores this cuts off increases, and takes 9 % of the energy of small swings in
   ten seconds. So the limited energy is that of one time: forces do work along the mean of the velocities before
   and after (ahead).

   Rods of 1 m on hinges, released from level (one of them from 120 degrees), ten substeps, lost in ten seconds
   as a share of m g l:

       rods      1       2       3      10      20     8, from 30 degrees
       before   26 %    33 %    50 %   240 %   246 %   2.3 %
       after     0.1 %   0.5 %   8 %    57 %    46 %   0.01 %

   A top of 30 rad/s precesses 0.2 % too fast instead of 3 %, and keeps its spin, of which it lost 7 % in four
   seconds.

   Kinds with rows along rotating axes (sliders, wheels) are braked as before, and so are rods between points of
   bodies. */
#include "world/substep.h"

#include "bodies/rotation.h"

#include <math.h>
#include <string.h>

/* h^2 T r / I, from which on there is no correction. */
#define STIFF 0.2

/* A share of the energy of a fall for one substep: smaller errors are not corrected. At ten substeps in 1/60 s that
   is at most 8e-5 J for each kg and second. Bodies at rest stay below it. */
#define LITTLE 1e-3

/* The square of the sine of half the rotation of a body in a substep (1e-5 rad). If all bodies rotate by less, they
   lose less than 1e-10 of their energy in it. */
#define SLOW 2.5e-11

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* `present` is the predicted energy, m v^2 / 2 with v = v0 + kick. Forces did the work m kick . (x / h), with x / h
   the velocity along the path that joints allowed. */
double sn_swing_due(const sn_world *world, const sn_pivots *swing)
{
    double sum = 0;
    for (uint32_t i = 0; i < swing->members; ++i) {
        const sn_articulated *body = &sn_articulated_bodies(world)[swing->member[i]];
        const sn_vec4 v = world->particles.v[body->slot];
        const double way[3] = {(double)v.x - body->v[0], (double)v.y - body->v[1], (double)v.z - body->v[2]};
        const double forces = dot(body->kick, way) + (0.5 - LITTLE / 2) * dot(body->kick, body->kick);
        sum += body->present + forces / (double)world->particles.x[body->slot].w;
    }
    return sum;
}

/* Computes the rotation of a body from its end to its start, and clears what is missing. True if it rotated far. */
static bool begin_body(const sn_world *world, uint32_t row)
{
    sn_articulated *body = &sn_articulated_bodies(world)[row];
    const double *q = world->bodies.state[row].q, back[4] = {-q[0], -q[1], -q[2], q[3]};
    sn_rotate_times(back, body->start, body->back);
    memset(body->missing, 0, sizeof body->missing);
    body->pressed = 0;
    return dot(body->back, body->back) > SLOW;
}

/* Adds what is missing for the body of one point, along its own axes. p: m kg, what the joint exerts on it. An arm
   that is rotated by the quaternion (v, w) moves by t w + v x t, t = 2 v x arm. */
static void add_missing(const sn_world *world, const sn_spot *spot, const double p[3], double size, bool hinge)
{
    sn_articulated *body = &sn_articulated_bodies(world)[spot->body];
    const double arm[3] = {(double)spot->place.x, (double)spot->place.y, (double)spot->place.z}, *v = body->back;
    double t[3], by[3], missing[3], along = 1, axis[3];
    cross(v, arm, t);
    cross(v, t, by);
    for (int i = 0; i < 3; ++i)
        by[i] = 2 * (t[i] * v[3] + by[i]);
    cross(by, p, missing);
    if (hinge) {
        const double own[4] = {(double)spot->turn.x, (double)spot->turn.y, (double)spot->turn.z, (double)spot->turn.w};
        sn_rotate_axis(own, 0, axis);
        along = dot(missing, axis);
    }
    for (int i = 0; i < 3; ++i)
        body->missing[i] += hinge ? along * axis[i] : missing[i];
    body->pressed += size * sqrt(dot(arm, arm));
}

static bool is_free(const sn_world *world, const sn_spot *spot)
{
    return spot && world->particles.x[world->ids.value[world->bodies.state[spot->body].particle]].w > 0;
}

/* Rows are along the axes of the first point. What they exert on it is the opposite of what they exert on the second
   point. */
static void look_at_pivot(const sn_world *world, const sn_visit *pivot)
{
    const sn_store *store = &world->constraints;
    const sn_pool *pool = store->pool[pivot->kind];
    const bool hinge = pool->kind->pivot == SN_PIVOT_AXIS;
    const sn_spot *a = sn_point_on_body(store, pool, pivot->row, 0), *b = sn_point_on_body(store, pool, pivot->row, 1);
    const sn_quat turn = store->spot[pool->point[(size_t)pivot->row * pool->kind->points] & ~SN_SPOT_BIT].turn;
    const double own[4] = {(double)turn.x, (double)turn.y, (double)turn.z, (double)turn.w};
    const sn_real *lambda = pool->lambda + (size_t)pivot->row * pool->kind->rows;
    double p[3] = {-(double)lambda[0], -(double)lambda[1], -(double)lambda[2]};
    const double size = sqrt(dot(p, p));
    sn_rotate_vector(own, p, p);
    if (is_free(world, a))
        add_missing(world, a, p, size, hinge);
    if (!is_free(world, b))
        return;
    for (int i = 0; i < 3; ++i)
        p[i] = -p[i];
    if (a)
        sn_rotate_vector(world->bodies.state[a->body].q, p, p);
    sn_rotate_vector_back(world->bodies.state[b->body].q, p, p);
    add_missing(world, b, p, size, hinge);
}

/* J: a share s of the correction adds a s + b s^2. */
typedef struct gains {
    double a, b;
    double stiff; /* the largest h^2 T r / I */
} gains;

/* Adds the terms of a body. Multipliers are impulses times h. About a locked axis nothing is missing. */
static void weigh(const sn_world *world, uint32_t row, double h, gains *sum)
{
    sn_articulated *body = &sn_articulated_bodies(world)[row];
    const sn_body_state *state = &world->bodies.state[row];
    const double w = (double)world->particles.x[body->slot].w;
    double *missing = body->missing, l[3], square = 0, a = 0, b = 0;
    sn_rotate_vector_back(state->q, state->l, l);
    for (int i = 0; i < 3; ++i) {
        const double inverse = 1 / (state->k[i] * state->k[i]);
        missing[i] = inverse > 0 ? missing[i] * w / h : 0;
        square += missing[i] * missing[i];
        a += missing[i] * l[i] * inverse;
        b += missing[i] * missing[i] * inverse;
    }
    body->a = a / w;
    body->b = b / (2 * w);
    sum->a += body->a;
    sum->b += body->b;
    if (square > 0)
        sum->stiff = fmax(sum->stiff, body->pressed * w * b / square);
}

/* The share, at most 1, for which a s + b s^2 is nearest to `most`, but not above it. */
static double share_of(const gains *sum, double most)
{
    const double stiff = sum->stiff > STIFF / 4 ? (STIFF - sum->stiff) / (STIFF - STIFF / 4) : 1;
    if (!(stiff > 0) || !(most > 0 || sum->a < 0))
        return 0;
    const double all = sum->a + sum->b;
    if (most > 0 ? !(all > most) : !(all < most))
        return stiff;
    const double root = sqrt(fmax(0, sum->a * sum->a + 4 * sum->b * most));
    return stiff * fmin(1, fmax(0, ((most > 0 ? root : -root) - sum->a) / (2 * sum->b)));
}

/* J: the energy that the half substep adds by which velocities are older than positions: half of m kick . (v - v0). */
static double ahead(const sn_world *world, const sn_articulated *body)
{
    const sn_vec4 v = world->particles.v[body->slot];
    const double gain[3] = {(double)v.x - body->v[0] + body->kick[0], (double)v.y - body->v[1] + body->kick[1],
                            (double)v.z - body->v[2] + body->kick[2]};
    return dot(body->kick, gain) / 2 / (double)world->particles.x[body->slot].w;
}

void sn_swing_restore(sn_world *world, const sn_pivots *swing, double due, double h)
{
    gains sum = {0};
    double most = due, little = 0;
    for (uint32_t i = 0; i < swing->members; ++i) {
        const sn_articulated *body = &sn_articulated_bodies(world)[swing->member[i]];
        most -= body->kinetic + ahead(world, body);
        little += LITTLE / 2 * dot(body->kick, body->kick) / (double)world->particles.x[body->slot].w;
    }
    most += little;
    if (!(fabs(most) > little))
        return;
    bool turns = false;
    for (uint32_t i = 0; i < swing->members; ++i)
        turns = begin_body(world, swing->member[i]) || turns;
    if (!turns)
        return;
    for (uint32_t i = 0; i < swing->count; ++i)
        look_at_pivot(world, &swing->pivot[i]);
    for (uint32_t i = 0; i < swing->members; ++i)
        weigh(world, swing->member[i], h, &sum);
    const double share = share_of(&sum, most);
    for (uint32_t i = 0; share > 0 && i < swing->members; ++i) {
        sn_body_state *state = &world->bodies.state[swing->member[i]];
        sn_articulated *body = &sn_articulated_bodies(world)[swing->member[i]];
        sn_rotate_vector(state->q, body->missing, body->missing);
        for (int k = 0; k < 3; ++k)
            state->l[k] += share * body->missing[k];
        body->kinetic += share * (body->a + share * body->b);
    }
}
