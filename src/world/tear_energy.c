/* Limits the energy after a tear or a cut, which must not increase.

   Elastic energy. A vertex that becomes two changes no length, and rods that are doubled or divided together store what
   they stored before (tear_split.c, tear_insert.c). Constraints that are new, measured again or moved apart could store
   more. They are *eased*: a rod gets another rest length, so that it stores no more than allowed; other constraints get
   a larger compliance; constraints that cannot be eased are removed.

   Kinetic energy. A vertex that is inserted on an edge takes mass from the edge's ends to a point between them. With
   the same momentum and angular momentum, rotating parts then rotate faster, by I / I', like a skater. The kinetic
   energy of that is taken from the relative motion of the vertices around it. For some vertices let V and w be the
   velocity and angular velocity of the rigid body with their momentum P and angular momentum L, and d_i = v_i - V - w x
   r_i the rest. The d_i have neither momentum nor angular momentum, so v_i = V + w x r_i + f d_i conserves both for any
   f, and

       K = |P|^2 / (2 M) + L . w / 2 + f^2 sum m_i |d_i|^2 / 2.

   So f < 1 removes the gain. Vertices that move as a rigid body have d_i = 0: they do rotate faster, because only their
   rotation has energy. */
#include "world/world.h"

#include "base/dvec.h"

/* ---- Elastic ----------------------------------------------------------------------------------------------------- */

bool sn_tear_has_length(uint32_t kind)
{
    return sn_tear_is_rod(kind) || kind == SN_KIND_DISTANCE_MIN;
}

double sn_tear_length(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_vec4 *x = world->particles.x;
    return dvec3_length(dvec3_seen(vec4_xyz(x[world->ids.value[a]]), vec4_xyz(x[world->ids.value[b]])));
}

double sn_tear_excess(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = world->constraints.pool[kind];
    const uint32_t *point = pool->point + 2 * (size_t)row;
    const sn_real *param = pool->param + (size_t)row * pool->param_count;
    if ((point[0] | point[1]) & SN_ANCHOR_BIT)
        return 0;
    const double length = sn_tear_length(world, point[0], point[1]), by = length - (double)param[0];
    if (kind == SN_KIND_DISTANCE_MAX)
        return fmax(by, 0);
    if (kind == SN_KIND_DISTANCE_MIN)
        return fmin(by, 0);
    if (kind == SN_KIND_DISTANCE_BAND)
        return length > (double)param[1] ? length - (double)param[1] : fmin(by, 0);
    return by;
}

void sn_tear_lengthen(sn_world *world, uint32_t kind, uint32_t row, double by)
{
    sn_pool *pool = world->constraints.pool[kind];
    sn_real *param = pool->param + (size_t)row * pool->param_count;
    sn_limits_touch_rod(world, kind, row);
    for (uint32_t i = 0; i < (kind == SN_KIND_DISTANCE_BAND ? 2u : 1u); ++i) {
        const double to = (double)param[i] + by;
        param[i] = (sn_real)(to > 0 ? to : 0);
    }
    sn_store_log(&world->constraints, kind, row, 1, SN_EDIT_CHANGED);
}

void sn_tear_measure(sn_world *world, uint32_t kind, uint32_t row)
{
    sn_pool *pool = world->constraints.pool[kind];
    const uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    sn_real *param = pool->param + (size_t)row * pool->param_count;
    sn_vec3 x[SN_MAX_POINTS];
    sn_limits_touch_rod(world, kind, row);
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        if (point[i] & SN_ANCHOR_BIT)
            return;
        x[i] = vec3_sub(vec4_xyz(world->particles.x[world->ids.value[point[i]]]),
                        vec4_xyz(world->particles.x[world->ids.value[point[0]]]));
    }
    const sn_eval_in in = {.x = x, .param = param, .points = pool->kind->points};
    pool->kind->measure(&in, param);
}

/* False if it cannot be eased. */
static bool ease(sn_world *world, uint32_t kind, uint32_t row, double most)
{
    sn_pool *pool = world->constraints.pool[kind];
    const double now = sn_tear_energy(world, kind, row);
    if (!(now > most))
        return true;
    if (sn_tear_has_length(kind)) {
        const double by = sn_tear_excess(world, kind, row);
        sn_tear_lengthen(world, kind, row, by * (1 - sqrt(most / now)));
        return true;
    }
    if (2 * most > now) {
        pool->give[row].compliance *= (sn_real)(now / most);
        pool->give[row].damping *= (sn_real)(most / now);
    } else if (pool->kind->measure && !pool_has_lists(pool)) {
        sn_tear_measure(world, kind, row);
    }
    sn_store_log(&world->constraints, kind, row, 1, SN_EDIT_CHANGED);
    return sn_tear_energy(world, kind, row) <= most * (1 + 1e-5);
}

void sn_tear_ease(sn_world *world, uint32_t kind, uint32_t row, double most, uint32_t *removed, double *released)
{
    double more = 0;
    if (ease(world, kind, row, most) || kind == SN_KIND_VOLUME) /* a solid without one of its tetrahedra had a hole; its
                                                                   volume was measured again, but for rounding */
        return;
    sn_tear_remove(world, kind, row, &more);
    *released += most;
    ++*removed;
}

/* ---- Kinetic ----------------------------------------------------------------------------------------------------- */

static bool is_free(const sn_world *world, uint32_t particle)
{
    const uint32_t slot = world->ids.value[particle];
    return world->particles.x[slot].w != 0 && !world->particles.body[slot];
}

static sn_dvec3 speed_of(const sn_world *world, uint32_t particle)
{
    const sn_particle_store *p = &world->particles;
    const uint32_t slot = world->ids.value[particle];
    return dvec3_add(dvec3_from(vec4_xyz(p->v[slot])), dvec3_from(vec4_xyz(p->v_low[slot])));
}

static double mass_of(const sn_world *world, uint32_t particle)
{
    return (double)world->particles.v[world->ids.value[particle]].w;
}

double sn_tear_kinetic(const sn_world *world, const uint32_t *particle, uint32_t count)
{
    double energy = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_dvec3 v = speed_of(world, particle[i]);
        energy += is_free(world, particle[i]) ? mass_of(world, particle[i]) * dvec3_dot(v, v) / 2 : 0;
    }
    return energy;
}

/* Solves I w = L for a symmetric I. It is singular if all points are on a line; the angular velocity along the line is
   then 0. */
static sn_dvec3 turning(const double inertia[6], sn_dvec3 l)
{
    double a[3][4] = {{inertia[0], inertia[3], inertia[4], l.x},
                      {inertia[3], inertia[1], inertia[5], l.y},
                      {inertia[4], inertia[5], inertia[2], l.z}};
    double w[3] = {0, 0, 0};
    const double least = 1e-9 * (inertia[0] + inertia[1] + inertia[2]);
    bool used[3] = {false, false, false};
    uint32_t order[3], rank = 0;
    for (; rank < 3; ++rank) { /* the largest diagonal first; the matrix is positive semidefinite */
        uint32_t best = 3;
        for (uint32_t i = 0; i < 3; ++i)
            if (!used[i] && a[i][i] > least && (best == 3 || a[i][i] > a[best][best]))
                best = i;
        if (best == 3)
            break;
        used[best] = true;
        order[rank] = best;
        for (uint32_t i = 0; i < 3; ++i)
            for (uint32_t k = 0; !used[i] && k < 4; ++k)
                if (k == 3 || !used[k])
                    a[i][k] -= a[i][best] / a[best][best] * a[best][k];
    }
    while (rank-- > 0) {
        const uint32_t i = order[rank];
        double sum = a[i][3];
        for (uint32_t k = 0; k < 3; ++k)
            sum -= k != i ? a[i][k] * w[k] : 0;
        w[i] = sum / a[i][i];
    }
    return dvec3(w[0], w[1], w[2]);
}

/* The rigid motion with the momentum and angular momentum of some particles. */
typedef struct motion {
    sn_dvec3 centre, speed, turn;
    double mass;
} motion;

static sn_dvec3 place_of(const sn_world *world, uint32_t particle)
{
    const sn_particle_store *p = &world->particles;
    const uint32_t slot = world->ids.value[particle];
    return dvec3_add(dvec3_from(vec4_xyz(p->x[slot])), dvec3_from(vec4_xyz(p->x_low[slot])));
}

static motion motion_of(const sn_world *world, const uint32_t *particle, uint32_t count)
{
    motion m = {.mass = 0};
    double inertia[6] = {0};
    sn_dvec3 l = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i)
        if (is_free(world, particle[i])) {
            const double own = mass_of(world, particle[i]);
            m.mass += own;
            m.centre = dvec3_add(m.centre, dvec3_scale(place_of(world, particle[i]), own));
            m.speed = dvec3_add(m.speed, dvec3_scale(speed_of(world, particle[i]), own));
        }
    if (!(m.mass > 0))
        return m;
    m.centre = dvec3_scale(m.centre, 1 / m.mass);
    m.speed = dvec3_scale(m.speed, 1 / m.mass);
    for (uint32_t i = 0; i < count; ++i)
        if (is_free(world, particle[i])) {
            const double own = mass_of(world, particle[i]);
            const sn_dvec3 r = dvec3_sub(place_of(world, particle[i]), m.centre);
            const sn_dvec3 v = dvec3_sub(speed_of(world, particle[i]), m.speed);
            const double square = dvec3_dot(r, r);
            l = dvec3_add(l, dvec3_scale(dvec3_cross(r, v), own));
            inertia[0] += own * (square - r.x * r.x);
            inertia[1] += own * (square - r.y * r.y);
            inertia[2] += own * (square - r.z * r.z);
            inertia[3] -= own * r.x * r.y;
            inertia[4] -= own * r.x * r.z;
            inertia[5] -= own * r.y * r.z;
        }
    m.turn = turning(inertia, l);
    return m;
}

double sn_tear_calm(sn_world *world, const uint32_t *particle, uint32_t count, double excess)
{
    const sn_particle_store *p = &world->particles;
    const motion m = motion_of(world, particle, count);
    double inner = 0;
    if (!(excess > 0) || !(m.mass > 0))
        return 0;
    for (int moves = 0; moves < 2; ++moves) {
        const double f = moves ? sqrt(fmax(0, 1 - excess / inner)) : 0;
        for (uint32_t i = 0; i < count; ++i) {
            if (!is_free(world, particle[i]))
                continue;
            const uint32_t slot = world->ids.value[particle[i]];
            const sn_dvec3 rigid =
                dvec3_add(m.speed, dvec3_cross(m.turn, dvec3_sub(place_of(world, particle[i]), m.centre)));
            const sn_dvec3 own = dvec3_sub(speed_of(world, particle[i]), rigid);
            inner += moves ? 0 : mass_of(world, particle[i]) * dvec3_dot(own, own) / 2;
            if (moves)
                sn_tear_set_whole(&p->v[slot], &p->v_low[slot], dvec3_add(rigid, dvec3_scale(own, f)));
        }
        if (!(inner > 0))
            return 0;
    }
    return fmin(excess, inner);
}
