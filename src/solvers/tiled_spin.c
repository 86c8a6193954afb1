/* Free closed surfaces, on which nothing outside of them acts, keep their angular momentum.

   Each projection conserves angular momentum about the positions at that moment. But later projections move these
   positions, and what counts are the positions at the end. With many constraints that act against each other, as the
   skin of a balloon does against its volume, the differences add up to a constant torque, which depends on the order of
   the constraints. A balloon of 0.5 m without gravity and damping began to rotate by itself, and reached 24 rad/s
   within four seconds; more passes or substeps did not help.

   So the angular momentum is noted before a pass, and after it the surface is rotated to restore it. With the moment of
   inertia I about the centre of mass, r from there, and L the missing angular momentum,

       w = I^-1 L,     v += w x r,     x += h (w x r).

   Neither the centre of mass nor momentum changes, since the sum of m r is 0. In the first pass of a substep particles
   have not been predicted yet: what damping leaves of L, and the torque of forces, are then added beforehand.

   A surface that hangs on one particle at rest is rotated about that particle, and r is counted from there: the support
   exerts no torque about it, but gravity does. Without this such a balloon whirled ever faster, damped or not. The
   momentum that the surface gains in the last substep, less what damping and forces do, is what the particle exerts.
   (The forces of its rods do not sum to that: pressure and skin are far larger than the weight, and move the surface to
   and fro within a substep, so that directions at its end are not those in which they acted.) */
#include "base/symmetric.h"
#include "solvers/tiled_work.h"

typedef struct spinning {
    sn_dvec3 centre;   /* m */
    sn_dvec3 momentum; /* kg m^2/s, about the centre */
    sn_dvec3 torque;   /* N m, of forces */
    sn_dvec3 total;    /* kg m/s */
    sn_dvec3 force;    /* N, with a pivot with gravity */
    double inertia[6]; /* kg m^2: xx, yy, zz, xy, xz, yz */
} spinning;

static sn_dvec3 both(const sn_vec4 *high, const sn_vec4 *low)
{
    return dvec3_add(dvec3_from(vec4_xyz(*high)), dvec3_from(vec4_xyz(*low)));
}

/* All sums are about the position of `pivot`, or of the first particle, and then moved to the centre of mass. */
static spinning look(const sn_motion *m, uint32_t pivot)
{
    const uint32_t first = pivot == SN_PLAN_NONE ? m->list[0] : pivot;
    const sn_dvec3 origin = both(&m->x[first], &m->x_low[first]);
    sn_dvec3 centre = dvec3(0, 0, 0), total = centre, force = centre;
    spinning s = {.centre = centre};
    double mass = 0, square[6] = {0}; /* kg m^2: sums of m x x, m y y, m z z, m x y, m x z, m y z */
    for (uint32_t i = 0; i < m->count; ++i) {
        const uint32_t slot = m->list[i];
        const double own = slot == pivot ? 0 : (double)m->v[slot].w;
        const sn_dvec3 r = dvec3_sub(both(&m->x[slot], &m->x_low[slot]), origin), mr = dvec3_scale(r, own);
        const sn_dvec3 p = dvec3_scale(both(&m->v[slot], &m->v_low[slot]), own);
        mass += own;
        centre = dvec3_add(centre, mr);
        total = dvec3_add(total, p);
        s.momentum = dvec3_add(s.momentum, dvec3_cross(r, p));
        if (m->force && slot != pivot) {
            const sn_dvec3 f = dvec3_from(m->force[slot]);
            force = dvec3_add(force, f);
            s.torque = dvec3_add(s.torque, dvec3_cross(r, f));
        }
        square[0] += mr.x * r.x;
        square[1] += mr.y * r.y;
        square[2] += mr.z * r.z;
        square[3] += mr.x * r.y;
        square[4] += mr.x * r.z;
        square[5] += mr.y * r.z;
    }
    if (pivot != SN_PLAN_NONE) {
        s.torque = dvec3_add(s.torque, dvec3_cross(centre, dvec3_from(m->gravity)));
        s.force = dvec3_add(force, dvec3_scale(dvec3_from(m->gravity), mass));
        s.total = total;
        mass = 0; /* nothing is moved */
    }
    centre = mass > 0 ? dvec3_scale(centre, 1 / mass) : dvec3(0, 0, 0);
    const double xx = square[0] - mass * centre.x * centre.x, yy = square[1] - mass * centre.y * centre.y,
                 zz = square[2] - mass * centre.z * centre.z;
    s.inertia[0] = yy + zz;
    s.inertia[1] = zz + xx;
    s.inertia[2] = xx + yy;
    s.inertia[3] = mass * centre.x * centre.y - square[3];
    s.inertia[4] = mass * centre.x * centre.z - square[4];
    s.inertia[5] = mass * centre.y * centre.z - square[5];
    s.momentum = dvec3_sub(s.momentum, dvec3_cross(centre, total));
    s.torque = dvec3_sub(s.torque, dvec3_cross(centre, force));
    s.centre = dvec3_add(origin, centre);
    return s;
}

/* Whether a particle stays where it is in this step. */
static bool rests(const sn_motion *m, uint32_t slot)
{
    const sn_dvec3 v = both(&m->v[slot], &m->v_low[slot]);
    return m->x[slot].w == 0 && v.x == 0 && v.y == 0 && v.z == 0;
}

/* Finds the particles of a free surface, and its pivot: the one that is immovable; SN_PLAN_NONE: there is none. False if
   there is nothing to do: it was removed, or has more than one immovable particle in this step. */
static bool find(const sn_tiled *t, uint32_t index, sn_motion *m, uint32_t *pivot)
{
    const sn_plan *plan = t->in->plan;
    const sn_visit visit = plan->many[plan->free[index]];
    uint32_t *list = t->in->store->many.column[SN_MANY_NUMBER];
    if (!visit.kind || tiled_leaves_out(t, plan->free[index]))
        return false;
    *m = *t->motion;
    m->first = 0;
    m->count = sn_tiled_slots(t->in, visit, list);
    m->list = list;
    m->mark = ((const tiled *)t->in->scratch->tiled)->mark_table.column[0];
    bool moves = m->end_kick == 0 && !m->looks_back;
    *pivot = SN_PLAN_NONE;
    for (uint32_t i = 0; moves && i < m->count; ++i) {
        if (m->x[list[i]].w > 0)
            continue;
        moves = *pivot == SN_PLAN_NONE && rests(m, list[i]);
        *pivot = list[i];
    }
    return moves;
}

/* The columns of spin_table besides the angular momentum. */
typedef struct hangings {
    sn_dvec3 *expected; /* kg m/s: the momentum without what the pivot exerts */
    sn_dvec3 *pulled;   /* kg m/s: the impulse that the pivot exerted in the last substep */
    uint32_t *pivot;
} hangings;

static hangings hangings_of(const tiled *t)
{
    return (hangings){t->spin_table.column[1], t->spin_table.column[2], t->spin_table.column[3]};
}

static void note_momentum(const sn_tiled *t, uint32_t i, uint32_t pivot, const spinning *s, bool predicts,
                          const sn_motion *m)
{
    const hangings h = hangings_of(t->in->scratch->tiled);
    h.pivot[i] = pivot;
    h.expected[i] = s->total;
    if (predicts)
        h.expected[i] = dvec3_add(dvec3_scale(s->total, (double)m->keep), dvec3_scale(s->force, (double)m->kick));
}

bool sn_tiled_pulled(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t slot, sn_dvec3 *impulse)
{
    const tiled *t = scratch->tiled;
    bool found = false;
    if (!t || t->read != plan->makes)
        return false;
    const hangings h = hangings_of(t);
    for (uint32_t i = 0; i < plan->free_table.count; ++i)
        if (h.pivot[i] == slot) {
            *impulse = h.pulled[i];
            found = true;
        }
    return found;
}

void sn_tiled_note_spins(const sn_tiled *t)
{
    sn_dvec3 *momentum = ((const tiled *)t->in->scratch->tiled)->spin_table.column[0];
    const hangings h = hangings_of(t->in->scratch->tiled);
    for (uint32_t i = 0; i < t->in->plan->free_table.count && t->pass == 0 && !t->inner; ++i) {
        h.pivot[i] = SN_PLAN_NONE;
        h.pulled[i] = dvec3(0, 0, 0);
    }
    sn_motion m;
    uint32_t pivot;
    for (uint32_t i = 0; i < t->in->plan->free_table.count; ++i) {
        if (!find(t, i, &m, &pivot))
            continue;
        const spinning s = look(&m, pivot);
        const bool predicts = t->pass == 0 && t->predicts;
        momentum[i] = s.momentum;
        note_momentum(t, i, pivot, &s, predicts, &m);
        if (predicts)
            momentum[i] = dvec3_add(dvec3_scale(s.momentum, (double)m.keep), dvec3_scale(s.torque, (double)m.kick));
    }
}

/* Rotates a surface so that it has this angular momentum. The remaining error is of second order in the angle. */
#define MOST_TURNS 3
#define SMALL_TURN 1e-4 /* rad: above this another rotation follows */

static bool turn(const sn_tiled *t, const sn_motion *m, uint32_t pivot, sn_dvec3 wanted)
{
    double angle = 1;
    bool good = true;
    for (int i = 0; good && i < MOST_TURNS && angle > SMALL_TURN; ++i) {
        double inverse[6];
        const spinning s = look(m, pivot);
        if (!(symmetric_inverse(s.inertia, inverse) > 0))
            return true;
        const sn_dvec3 l = dvec3_scale(dvec3_sub(wanted, s.momentum), 1 / (double)m->rate);
        const sn_dvec3 by = dvec3(inverse[0] * l.x + inverse[3] * l.y + inverse[4] * l.z,
                                  inverse[3] * l.x + inverse[1] * l.y + inverse[5] * l.z,
                                  inverse[4] * l.x + inverse[5] * l.y + inverse[2] * l.z);
        angle = dvec3_length(by);
        t->table->note(m);
        for (uint32_t k = 0; k < m->count; ++k) {
            sn_vec4 *low = &m->x_low[m->list[k]];
            const sn_dvec3 r = dvec3_sub(both(&m->x[m->list[k]], low), s.centre);
            const sn_vec3 d = dvec3_round(dvec3_cross(by, r));
            *low = (sn_vec4){low->x + d.x, low->y + d.y, low->z + d.z, low->w};
        }
        good = t->table->settle(m);
    }
    return good;
}

bool sn_tiled_keep_spins(const sn_tiled *t)
{
    const sn_dvec3 *momentum = ((const tiled *)t->in->scratch->tiled)->spin_table.column[0];
    const hangings h = hangings_of(t->in->scratch->tiled);
    bool good = true;
    sn_motion m;
    uint32_t pivot;
    for (uint32_t i = 0; good && i < t->in->plan->free_table.count; ++i) {
        if (!find(t, i, &m, &pivot))
            continue;
        good = turn(t, &m, pivot, momentum[i]);
        if (pivot != SN_PLAN_NONE)
            h.pulled[i] = dvec3_add(h.pulled[i], dvec3_sub(look(&m, pivot).total, h.expected[i]));
    }
    return good;
}
