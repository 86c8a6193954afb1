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
#define SN_LANE_DOUBLE 1 /* several bodies or joints at a time */
#include "world/substep.h"

#include "bodies/turning_lanes.h"

#include <math.h>

/* h^2 T r / I, from which on there is no correction. */
#define STIFF 0.2

/* The square of the sine of half the rotation of a body in a substep (1e-5 rad). If all bodies rotate by less, they
   lose less than 1e-10 of their energy in it. */
#define SLOW 2.5e-11

/* As many bodies of an articulation as there are lanes. The last one is repeated. */
typedef struct some {
    sn_articulated *body[SN_WIDTH];
    sn_body_state *state[SN_WIDTH];
} some;

SN_LANES_INLINE some some_of(const sn_world *world, const sn_pivots *swing, uint32_t first)
{
    some g;
    for (uint32_t i = 0; i < SN_WIDTH; ++i) {
        const uint32_t row = swing->member[first + i < swing->members ? first + i : swing->members - 1];
        g.body[i] = &sn_articulated_bodies(world)[row];
        g.state[i] = &world->bodies.state[row];
    }
    return g;
}

/* Computes the rotation of bodies from their end to their start, and clears what is missing. True if one rotated
   far. */
SN_LANES_INLINE bool begin_some(const some *g)
{
    const lanes zero = lanes_all(0);
    const lanes4 q = PICK4(g->state, ->q);
    const lanes4 back = times((lanes4){-q.x, -q.y, -q.z, q.w}, PICK4(g->body, ->start));
    PUT4(g->body, ->back, back);
    PUT3(g->body, ->missing, ((lanes3){zero, zero, zero}));
    PUT(g->body, ->impulse_sum, zero);
    return flags_any(lanes_above(lanes3_dot(vector_part(back), vector_part(back)), lanes_all(SLOW)));
}

/* As many pivots as there are lanes. The last one is repeated. An end that is no point of a body has one of no
   rotation. */
typedef struct some_pivots {
    const sn_real *lambda[SN_WIDTH];
    const sn_anchor *anchor[2][SN_WIDTH];
    const double *q[2][SN_WIDTH], *back[2][SN_WIDTH];
    flags hinge;
} some_pivots;

SN_LANES_INLINE some_pivots pivots_of(const sn_world *world, const sn_pivots *swing, uint32_t first)
{
    static const double still[4] = {0, 0, 0, 1};
    some_pivots g;
    uint32_t hinges = 0;
    for (uint32_t i = 0; i < SN_WIDTH; ++i) {
        const uint32_t index = first + i < swing->count ? first + i : swing->count - 1;
        const sn_visit *visit = &swing->pivot[index];
        const sn_pivot_ends *ends = &swing->ends[index];
        const sn_pool *pool = world->constraints.pool[visit->kind];
        g.lambda[i] = pool->lambda + (size_t)visit->row * pool->kind->rows;
        hinges |= (uint32_t)ends->hinge << i;
        for (uint32_t k = 0; k < 2; ++k) {
            const uint32_t row = ends->body[k];
            g.anchor[k][i] = &world->constraints.anchor[ends->anchor[k]];
            g.q[k][i] = row == SN_ID_FREE ? still : world->bodies.state[row].q;
            g.back[k][i] = ends->moves[k] ? sn_articulated_bodies(world)[row].back : still;
        }
    }
    g.hinge = flags_of(hinges);
    return g;
}

/* What is missing for the bodies of one end, along their own axes; and the impulse times the arm, as the last number.
   p: m kg, what the joint exerts on it. An arm that is rotated by the quaternion (v, w) moves by t w + v x t,
   t = 2 v x arm. */
SN_LANES_INLINE lanes4 missing_at(const some_pivots *g, uint32_t end, lanes3 p, lanes size)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    const lanes3 arm = PICK_VECTOR(g->anchor[end], ->place.);
    const lanes4 own = PICK_TURN(g->anchor[end], ->turn.), back = PICK4(g->back[end], );
    const lanes3 v = vector_part(back), t = lanes3_cross(v, arm);
    const lanes3 by = lanes3_scale(lanes3_add(lanes3_scale(t, back.w), lanes3_cross(v, t)), two);
    const lanes3 missing = lanes3_cross(by, p);
    const lanes3 axis = {one - two * (own.y * own.y + own.z * own.z), two * (own.x * own.y + own.w * own.z),
                         two * (own.x * own.z - own.w * own.y)};
    const lanes3 m = lanes3_choose(g->hinge, lanes3_scale(axis, lanes3_dot(missing, axis)), missing);
    return (lanes4){m.x, m.y, m.z, size * lanes3_length(arm)};
}

/* Adds it, joint after joint. */
SN_LANES_INLINE void add_missing(const sn_world *world, const sn_pivots *swing, uint32_t first, const lanes4 missing[2])
{
    double more[2][4][SN_WIDTH];
    for (uint32_t k = 0; k < 2; ++k) {
        lanes_store(more[k][0], missing[k].x);
        lanes_store(more[k][1], missing[k].y);
        lanes_store(more[k][2], missing[k].z);
        lanes_store(more[k][3], missing[k].w);
    }
    for (uint32_t i = 0; i < SN_WIDTH && first + i < swing->count; ++i) {
        const sn_pivot_ends *ends = &swing->ends[first + i];
        for (uint32_t k = 0; k < 2; ++k) {
            sn_articulated *body = ends->moves[k] ? &sn_articulated_bodies(world)[ends->body[k]] : NULL;
            for (uint32_t c = 0; body && c < 3; ++c)
                body->missing[c] += more[k][c][i];
            if (body)
                body->impulse_sum += more[k][3][i];
        }
    }
}

/* Rows are along the axes of the first point. What they exert on it is the opposite of what they exert on the second
   point. */
SN_LANES_INLINE void look_at_pivots(const sn_world *world, const sn_pivots *swing, uint32_t first)
{
    const some_pivots g = pivots_of(world, swing, first);
    const lanes4 own = PICK_TURN(g.anchor[0], ->turn.), a = PICK4(g.q[0], ), b = PICK4(g.q[1], );
    const lanes3 exerted = {-PICK(g.lambda, [0]), -PICK(g.lambda, [1]), -PICK(g.lambda, [2])};
    const lanes size = lanes3_length(exerted);
    const lanes3 p = turned(vector_part(own), own.w, exerted);
    const lanes3 opposite = turned(vector_part(b), -b.w, turned(vector_part(a), a.w, (lanes3){-p.x, -p.y, -p.z}));
    const lanes4 missing[2] = {missing_at(&g, 0, p, size), missing_at(&g, 1, opposite, size)};
    add_missing(world, swing, first, missing);
}

/* J: a share s of the correction adds a s + b s^2. */
typedef struct gains {
    double a, b;
    double stiff; /* the largest h^2 T r / I */
} gains;

/* Adds the terms of some bodies. Multipliers are impulses times h. About a locked axis nothing is missing. */
SN_LANES_INLINE void weigh_some(const some *g, uint32_t count, double h, gains *sum)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), two = lanes_all(2), w = PICK(g->body, ->w);
    const lanes4 q = PICK4(g->state, ->q);
    const lanes3 l = turned(vector_part(q), -q.w, PICK3(g->state, ->l)), k = PICK3(g->state, ->k);
    const lanes3 inverse = {one / (k.x * k.x), one / (k.y * k.y), one / (k.z * k.z)}, m = PICK3(g->body, ->missing);
    const lanes3 missing = {lanes_keep(lanes_above(inverse.x, zero), m.x * w / lanes_all(h)),
                            lanes_keep(lanes_above(inverse.y, zero), m.y * w / lanes_all(h)),
                            lanes_keep(lanes_above(inverse.z, zero), m.z * w / lanes_all(h))};
    const lanes square = lanes3_dot(missing, missing);
    const lanes a = missing.x * l.x * inverse.x + missing.y * l.y * inverse.y + missing.z * l.z * inverse.z;
    const lanes b =
        missing.x * missing.x * inverse.x + missing.y * missing.y * inverse.y + missing.z * missing.z * inverse.z;
    const lanes stiff = PICK(g->body, ->impulse_sum) * w * b / square;
    double stiffness[SN_WIDTH];
    lanes_store(stiffness, lanes_keep(lanes_above(square, zero), stiff));
    PUT3(g->body, ->missing, missing);
    PUT(g->body, ->a, a / w);
    PUT(g->body, ->b, b / (two * w));
    for (uint32_t i = 0; i < SN_WIDTH && i < count; ++i) {
        sum->a += g->body[i]->a;
        sum->b += g->body[i]->b;
        sum->stiff = stiffness[i] > sum->stiff ? stiffness[i] : sum->stiff;
    }
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

SN_LANES_INLINE void restore_some(const some *g, lanes share)
{
    const lanes4 q = PICK4(g->state, ->q);
    const lanes3 gain = lanes3_scale(turned(vector_part(q), q.w, PICK3(g->body, ->missing)), share);
    const lanes3 l = lanes3_add(PICK3(g->state, ->l), gain);
    const lanes kinetic = PICK(g->body, ->kinetic) + share * (PICK(g->body, ->a) + share * PICK(g->body, ->b));
    PUT3(g->state, ->l, l);
    PUT(g->body, ->kinetic, kinetic);
}

void SN_LANES_NAME(sn_swing_restore, SN_VECTOR)(sn_world *world, const sn_pivots *swing, double due, double h)
{
    gains sum = {0};
    double most = due, little = 0;
    bool turns = false;
    for (uint32_t i = 0; i < swing->members; ++i) {
        const sn_articulated *body = &sn_articulated_bodies(world)[swing->member[i]];
        most -= body->kinetic + body->ahead;
        little += body->little;
    }
    most += little;
    if (!(fabs(most) > little))
        return;
    for (uint32_t i = 0; i < swing->members; i += SN_WIDTH) {
        const some g = some_of(world, swing, i);
        turns = begin_some(&g) || turns;
    }
    if (!turns)
        return;
    for (uint32_t i = 0; i < swing->count; i += SN_WIDTH)
        look_at_pivots(world, swing, i);
    for (uint32_t i = 0; i < swing->members; i += SN_WIDTH) {
        const some g = some_of(world, swing, i);
        weigh_some(&g, swing->members - i, h, &sum);
    }
    const double share = share_of(&sum, most);
    for (uint32_t i = 0; share > 0 && i < swing->members; i += SN_WIDTH) {
        const some g = some_of(world, swing, i);
        restore_some(&g, lanes_all(share));
    }
}

#if !SN_VECTOR
void sn_swing_restore(sn_world *world, const sn_pivots *swing, double due, double h)
{
    const uint32_t vector = world->wide ? world->wide->vector : 0;
#if SN_LANES_32
    if (vector >= 32) {
        sn_swing_restore_lanes_32(world, swing, due, h);
        return;
    }
#endif
#if SN_LANES_16 && !defined(__wasm__) /* on WebAssembly one lane is used */
    if (vector >= 16) {
        sn_swing_restore_lanes_16(world, swing, due, h);
        return;
    }
#endif
    (void)vector;
    sn_swing_restore_lanes_0(world, swing, due, h);
}
#endif
