/* Stress of solids in a substep: see solids.h. */
#include "solvers/solids.h"

#include "base/symmetric.h"
#include "solvers/preload.h"

#include <stdio.h>
#include <string.h>

/* The best share of the stress along its own direction is so close to 1, or the stress is not used. */
#define TRUST 0.1

/* A pivot of less than this share of what stood on the diagonal is rounding: that unknown is 0. */
#define LEAST_PIVOT 1e-10

/* ---- The matrix ----------------------------------------------------------------------------------------------------------------- */

/* Cholesky's factorisation, row by row, in the rows' own room. */
static void factor(const sn_solids *s, sn_solid *solid, double h)
{
    const double give = 1 / (h * h) / (1 + solid->loss / h);
    const uint32_t first = solid->node * SN_SOLID_MODES, count = solid->nodes * SN_SOLID_MODES;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t from = s->start[first + i];
        double *row = s->factor + s->row[first + i];
        const double *inertia = s->inertia + s->row[first + i], *compliance = s->give + s->row[first + i];
        const double diagonal = inertia[i - from] + give * compliance[i - from];
        for (uint32_t j = from; j <= i; ++j) {
            const uint32_t other = s->start[first + j], begin = from > other ? from : other;
            const double *a = row + (begin - from), *b = s->factor + s->row[first + j] + (begin - other);
            double part[4] = {0};
            uint32_t k = 0;
            for (; k + 4 <= j - begin; k += 4)
                for (uint32_t l = 0; l < 4; ++l)
                    part[l] += a[k + l] * b[k + l];
            for (; k < j - begin; ++k)
                part[0] += a[k] * b[k];
            const double sum =
                inertia[j - from] + give * compliance[j - from] - ((part[0] + part[1]) + (part[2] + part[3]));
            if (j < i)
                row[j - from] = sum * s->factor[s->row[first + j] + j - other]; /* the diagonal has its inverse */
            else
                row[j - from] = sum > LEAST_PIVOT * diagonal ? 1 / sqrt(sum) : 0;
        }
    }
    solid->h = h;
}

/* Solves for what is in x. */
static void solve(const sn_solids *s, const sn_solid *solid, double *x)
{
    const uint32_t first = solid->node * SN_SOLID_MODES, count = solid->nodes * SN_SOLID_MODES;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t from = s->start[first + i];
        const double *row = s->factor + s->row[first + i];
        double part[4] = {0};
        uint32_t k = from;
        for (; k + 4 <= i; k += 4)
            for (uint32_t l = 0; l < 4; ++l)
                part[l] += row[k + l - from] * x[k + l];
        for (; k < i; ++k)
            part[0] += row[k - from] * x[k];
        x[i] = (x[i] - ((part[0] + part[1]) + (part[2] + part[3]))) * row[i - from];
    }
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t from = s->start[first + i];
        const double *row = s->factor + s->row[first + i];
        const double value = x[i] *= row[i - from];
        for (uint32_t k = from; k < i; ++k)
            x[k] -= row[k - from] * value;
    }
}

/* ---- Smooth places -------------------------------------------------------------------------------------------------------------- */

typedef struct loading {
    const sn_solids *s;
    const sn_solid *solid;
    const sn_solver_in *in;
    sn_real per_h2, per_h;
    sn_vec3 origin;
} loading;

static void take_places(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_frame *frame = &l->in->frame;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        const uint32_t slot = s->vertex[v].slot;
        const sn_vec3 from = vec3_sub(vec4_xyz(frame->x[slot]), l->origin);
        s->at[v] = vec3_add(from, vec4_xyz(frame->d[slot]));
    }
}

/* The affine motion of the particles of every node: its place, and what multiplies the distance from it in the rest shape. */
static void find_motions(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    memset(s->motion + solid->node, 0, solid->nodes * sizeof *s->motion);
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const sn_solid_vertex *vertex = &s->vertex[v];
        const double at[3] = {(double)s->at[v].x, (double)s->at[v].y, (double)s->at[v].z};
        for (uint32_t i = 0; i < vertex->nodes; ++i) {
            const sn_solid_node *node = &s->node[solid->node + vertex->node[i]];
            double(*m)[4] = s->motion[solid->node + vertex->node[i]];
            const double weight = (double)vertex->weight[i], x = (double)vertex->rest.x - node->place[0],
                         y = (double)vertex->rest.y - node->place[1], z = (double)vertex->rest.z - node->place[2];
            for (uint32_t k = 0; k < 3; ++k) {
                const double by = weight * at[k];
                m[k][0] += by;
                m[k][1] += by * x;
                m[k][2] += by * y;
                m[k][3] += by * z;
            }
        }
    }
    for (uint32_t n = solid->node; n < solid->node + solid->nodes; ++n) {
        const double *i = s->node[n].inverse;
        for (uint32_t k = 0; k < 3; ++k) { /* moments about the centre: the sum of distances in the rest shape is 0 */
            double *m = s->motion[n][k];
            const double x = m[1], y = m[2], z = m[3];
            m[0] /= s->node[n].weight;
            m[1] = i[0] * x + i[3] * y + i[4] * z;
            m[2] = i[3] * x + i[1] * y + i[5] * z;
            m[3] = i[4] * x + i[5] * y + i[2] * z;
        }
    }
}

static void smooth(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    find_motions(l);
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const sn_solid_vertex *vertex = &s->vertex[v];
        double sum[3] = {0};
        for (uint32_t i = 0; i < vertex->nodes; ++i) {
            const sn_solid_node *node = &s->node[solid->node + vertex->node[i]];
            double(*m)[4] = s->motion[solid->node + vertex->node[i]];
            const double weight = (double)vertex->weight[i], x = (double)vertex->rest.x - node->place[0],
                         y = (double)vertex->rest.y - node->place[1], z = (double)vertex->rest.z - node->place[2];
            for (uint32_t k = 0; k < 3; ++k)
                sum[k] += weight * (m[k][0] + m[k][1] * x + m[k][2] * y + m[k][3] * z);
        }
        s->smooth[v] = (sn_vec3){(sn_real)sum[0], (sn_real)sum[1], (sn_real)sum[2]};
    }
}

/* ---- Rods and tetrahedra -------------------------------------------------------------------------------------------------------- */

/* The gradient by the second end; its length is 1, or 0 where the ends coincide. */
static sn_vec3 rod_gradient(const sn_vec3 *at, const sn_solid_rod *rod, sn_real *length)
{
    const sn_vec3 way = vec3_sub(at[rod->end[1]], at[rod->end[0]]);
    *length = (sn_real)sqrt((double)vec3_dot(way, way));
    return *length > 0 ? vec3_scale(way, 1 / *length) : (sn_vec3){0, 0, 0};
}

/* Gradients by the corners after the first, whose is the negative of their sum. The volume. */
static sn_real tet_gradients(const sn_vec3 *at, const sn_solid_tet *tet, sn_vec3 g[3])
{
    const sn_vec3 a = at[tet->corner[0]], ab = vec3_sub(at[tet->corner[1]], a), ac = vec3_sub(at[tet->corner[2]], a),
                  ad = vec3_sub(at[tet->corner[3]], a);
    const sn_real sixth = (sn_real)(1.0 / 6);
    g[0] = vec3_scale(vec3_cross(ac, ad), sixth);
    g[1] = vec3_scale(vec3_cross(ad, ab), sixth);
    g[2] = vec3_scale(vec3_cross(ab, ac), sixth);
    return vec3_dot(g[2], ad);
}

static void push_rod(const loading *l, const sn_solid_rod *rod, sn_vec3 gradient, sn_real lambda)
{
    sn_vec3 *push = l->s->push;
    const sn_vec3 by = vec3_scale(gradient, lambda);
    push[rod->end[0]] = vec3_sub(push[rod->end[0]], by);
    push[rod->end[1]] = vec3_add(push[rod->end[1]], by);
}

static void push_tet(const loading *l, const sn_solid_tet *tet, const sn_vec3 g[3], sn_real lambda)
{
    sn_vec3 *push = l->s->push;
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_vec3 by = vec3_scale(g[i], lambda);
        push[tet->corner[i + 1]] = vec3_add(push[tet->corner[i + 1]], by);
        push[tet->corner[0]] = vec3_sub(push[tet->corner[0]], by);
    }
}

/* Moves particles by their pushes times a share, and forgets these. */
static void move(const loading *l, sn_real share)
{
    const sn_solids *s = l->s;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        s->at[v] = vec3_add(s->at[v], vec3_scale(s->push[v], share * s->vertex[v].w));
        s->push[v] = (sn_vec3){0, 0, 0};
    }
}

/* ---- Preloads: see preload.h ---------------------------------------------------------------------------------------------------- */

/* A preload follows what its constraint exerted in the last substep. */
static sn_real follow(const loading *l, sn_pool *pool, uint32_t row)
{
    const sn_solver_in *in = l->in;
    const sn_real last = in->last_h > 0 ? pool->lambda[row] / (in->last_h * in->last_h) : 0, kept = pool->preload[row];
    const bool slack = (sn_real)SN_PRELOAD_SLACK * kept * kept > last * kept;
    const sn_real share = slack ? (sn_real)SN_PRELOAD_FASTEST : (sn_real)in->preload_share;
    return pool->preload[row] = kept + share * (last - kept);
}

/* Follows all, and finds the most that w T / l is. */
static sn_real follow_all(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    sn_real most = 0;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i) {
        const sn_solid_rod *rod = &s->rod[i];
        const sn_real give = (s->vertex[rod->end[0]].w + s->vertex[rod->end[1]].w) / rod->rest;
        const sn_real by = follow(l, rods, rod->row) * give;
        most = by > most ? by : -by > most ? -by : most;
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; ++i)
        follow(l, tets, s->tet[i].row);
    return most;
}

/* All of a solid are loaded by the same share, so that those which hold each other still do. */
static void preload(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    const sn_real h2 = l->in->h * l->in->h, most = follow_all(l) * h2;
    const sn_real share = most > (sn_real)SN_SOLID_MOST ? h2 * (sn_real)SN_SOLID_MOST / most : h2;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i) {
        const sn_solid_rod *rod = &s->rod[i];
        const sn_real now = share * rods->preload[rod->row];
        sn_real length;
        rods->lambda[rod->row] = now;
        push_rod(l, rod, rod_gradient(s->smooth, rod, &length), now);
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; ++i) {
        const sn_solid_tet *tet = &s->tet[i];
        const sn_real now = share * tets->preload[tet->row];
        sn_vec3 g[3];
        tet_gradients(s->smooth, tet, g);
        tets->lambda[tet->row] = now;
        push_tet(l, tet, g, now);
    }
    move(l, 1);
}

static void clear(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i)
        rods->lambda[s->rod[i].row] = 0;
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; ++i)
        tets->lambda[s->tet[i].row] = 0;
}

/* ---- The lattice ---------------------------------------------------------------------------------------------------------------- */

/* How far a particle came since the substep began, where that is asked for. */
static sn_vec3 way_of(const loading *l, uint32_t v)
{
    const sn_frame *frame = &l->in->frame;
    const uint32_t slot = l->s->vertex[v].slot;
    const sn_vec3 from = vec3_sub(vec4_xyz(frame->start[slot]), l->origin);
    return vec3_sub(l->s->at[v], from);
}

/* gamma of a damped constraint, and what its rate takes from what is wanted. */
static sn_real gamma_of(const loading *l, sn_real compliance, sn_real damping)
{
    return damping > 0 ? compliance * damping * l->per_h : 0;
}

/* Qt (-C - a lambda), by vertex. */
static void find_residuals(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    const sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    memset(s->mode + solid->vertex, 0, solid->vertices * sizeof *s->mode);
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i) {
        const sn_solid_rod *rod = &s->rod[i];
        sn_real length, *a = s->mode[rod->end[0]], *b = s->mode[rod->end[1]];
        const sn_vec3 g = rod_gradient(s->at, rod, &length);
        const sn_real gamma = gamma_of(l, rod->compliance, rod->damping);
        sn_real off = rod->rest - length - rod->compliance * l->per_h2 * rods->lambda[rod->row];
        if (gamma > 0)
            off = (off - gamma * vec3_dot(g, vec3_sub(way_of(l, rod->end[1]), way_of(l, rod->end[0])))) / (1 + gamma);
        for (uint32_t m = 0; m < 6; ++m) {
            const sn_real by = (sn_real)0.5 * off * rod->q[m];
            a[m] += by;
            b[m] += by;
        }
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; ++i) {
        const sn_solid_tet *tet = &s->tet[i];
        sn_vec3 g[3];
        sn_real off = tet->rest - tet_gradients(s->at, tet, g);
        const sn_real gamma = gamma_of(l, tet->compliance, tet->damping);
        off -= tet->compliance * l->per_h2 * tets->lambda[tet->row];
        if (gamma > 0) {
            const sn_vec3 from = way_of(l, tet->corner[0]);
            sn_real rate = 0;
            for (uint32_t c = 0; c < 3; ++c)
                rate += vec3_dot(g[c], vec3_sub(way_of(l, tet->corner[c + 1]), from));
            off = (off - gamma * rate) / (1 + gamma);
        }
        for (uint32_t c = 0; c < 4; ++c)
            s->mode[tet->corner[c]][6] += (sn_real)0.25 * off;
    }
}

/* From particles to nodes; and back. */
static void gather_modes(const loading *l, double *to)
{
    const sn_solids *s = l->s;
    memset(to, 0, (size_t)l->solid->nodes * SN_SOLID_MODES * sizeof *to);
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v)
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i) {
            double *node = to + (size_t)s->vertex[v].node[i] * SN_SOLID_MODES;
            for (uint32_t m = 0; m < SN_SOLID_MODES; ++m)
                node[m] += (double)s->vertex[v].weight[i] * (double)s->mode[v][m];
        }
}

static void spread_modes(const loading *l, const double *from)
{
    const sn_solids *s = l->s;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        double sum[SN_SOLID_MODES] = {0};
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i) {
            const double *node = from + (size_t)s->vertex[v].node[i] * SN_SOLID_MODES;
            for (uint32_t m = 0; m < SN_SOLID_MODES; ++m)
                sum[m] += (double)s->vertex[v].weight[i] * node[m];
        }
        for (uint32_t m = 0; m < SN_SOLID_MODES; ++m)
            s->mode[v][m] = (sn_real)sum[m];
    }
}

/* The multipliers that modes say, the pushes that these make, and s . Qt A Q s as it is now. */
static double find_multipliers(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    double form = 0;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; ++i) {
        const sn_solid_rod *rod = &s->rod[i];
        const sn_real *a = s->mode[rod->end[0]], *b = s->mode[rod->end[1]];
        const sn_real gamma = gamma_of(l, rod->compliance, rod->damping);
        sn_real lambda = 0, length;
        for (uint32_t m = 0; m < 6; ++m)
            lambda += rod->q[m] * (a[m] + b[m]);
        lambda *= (sn_real)0.5;
        s->rod_lambda[i] = lambda;
        form += (double)(rod->compliance * l->per_h2 / (1 + gamma) * lambda * lambda);
        push_rod(l, rod, rod_gradient(s->smooth, rod, &length), lambda);
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; ++i) {
        const sn_solid_tet *tet = &s->tet[i];
        const sn_real gamma = gamma_of(l, tet->compliance, tet->damping);
        sn_real lambda = 0;
        sn_vec3 g[3];
        for (uint32_t c = 0; c < 4; ++c)
            lambda += s->mode[tet->corner[c]][6];
        lambda *= (sn_real)0.25;
        s->tet_lambda[i] = lambda;
        form += (double)(tet->compliance * l->per_h2 / (1 + gamma) * lambda * lambda);
        tet_gradients(s->smooth, tet, g);
        push_tet(l, tet, g, lambda);
    }
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v)
        form += (double)(s->vertex[v].w * vec3_dot(s->push[v], s->push[v]));
    return form;
}

static void stress(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    const uint32_t count = solid->nodes * SN_SOLID_MODES;
    double *x = s->unknown + 2 * (size_t)solid->node * SN_SOLID_MODES, *b = x + count, along = 0;
    find_residuals(l);
    gather_modes(l, b);
    memcpy(x, b, count * sizeof *x);
    solve(s, solid, x);
    for (uint32_t i = 0; i < count; ++i)
        along += x[i] * b[i];
    spread_modes(l, x);
    const double form = find_multipliers(l), share = along / form;
    const bool trusts = share > 1 - TRUST && share < 1 + TRUST;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    for (uint32_t i = solid->rod; trusts && i < solid->rod + solid->rods; ++i)
        rods->lambda[s->rod[i].row] += (sn_real)share * s->rod_lambda[i];
    for (uint32_t i = solid->tet; trusts && i < solid->tet + solid->tets; ++i)
        tets->lambda[s->tet[i].row] += (sn_real)share * s->tet_lambda[i];
    move(l, trusts ? (sn_real)share : 0);
}

/* ---- All of it ------------------------------------------------------------------------------------------------------------------ */

/* Takes out of the displacements, which are in `push`, what turns a free solid: the rotation with their angular momentum. */
static void keep_spin(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    double mass = 0, centre[3] = {0}, inertia[6] = {0}, turn[3] = {0}, inverse[6];
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const double m = 1 / (double)s->vertex[v].w;
        mass += m;
        for (uint32_t k = 0; k < 3; ++k)
            centre[k] += m * (double)vec3_part(&s->at[v], k);
    }
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const double m = 1 / (double)s->vertex[v].w, x = (double)s->at[v].x - centre[0] / mass,
                     y = (double)s->at[v].y - centre[1] / mass, z = (double)s->at[v].z - centre[2] / mass;
        const sn_vec3 d = s->push[v];
        const double more[6] = {y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
        for (uint32_t k = 0; k < 6; ++k)
            inertia[k] += m * more[k];
        turn[0] += m * (y * (double)d.z - z * (double)d.y);
        turn[1] += m * (z * (double)d.x - x * (double)d.z);
        turn[2] += m * (x * (double)d.y - y * (double)d.x);
    }
    if (!(symmetric_inverse(inertia, inverse) > 0))
        return;
    const double by[3] = {inverse[0] * turn[0] + inverse[3] * turn[1] + inverse[4] * turn[2],
                          inverse[3] * turn[0] + inverse[1] * turn[1] + inverse[5] * turn[2],
                          inverse[4] * turn[0] + inverse[5] * turn[1] + inverse[2] * turn[2]};
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const double x = (double)s->at[v].x - centre[0] / mass, y = (double)s->at[v].y - centre[1] / mass,
                     z = (double)s->at[v].z - centre[2] / mass;
        const sn_vec3 back = {(sn_real)(by[1] * z - by[2] * y), (sn_real)(by[2] * x - by[0] * z),
                              (sn_real)(by[0] * y - by[1] * x)};
        s->push[v] = vec3_sub(s->push[v], back);
    }
}

/* Moves the particles themselves, and settles what that does to velocities. */
static bool move_particles(const loading *l, sn_motion motion, const sn_motion_table *table)
{
    const sn_solids *s = l->s;
    const sn_solid *solid = l->solid;
    const sn_frame *frame = &l->in->frame;
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const uint32_t slot = s->vertex[v].slot;
        const sn_vec3 from = vec3_sub(vec4_xyz(frame->x[slot]), l->origin);
        s->push[v] = vec3_sub(s->at[v], vec3_add(from, vec4_xyz(frame->d[slot])));
    }
    if (!solid->held)
        keep_spin(l);
    motion.list = s->list + solid->vertex;
    motion.first = 0;
    motion.count = solid->vertices;
    motion.mark = s->mark + solid->vertex;
    motion.coarse = false;
    table->note(&motion);
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        sn_vec4 *low = &frame->d[s->vertex[v].slot];
        if (s->vertex[v].w > 0)
            *low = vec4(vec3_add(vec4_xyz(*low), s->push[v]), low->w);
        s->push[v] = (sn_vec3){0, 0, 0};
    }
    return table->settle(&motion);
}

bool sn_solids_load(const sn_solids *s, const sn_solver_in *in, sn_motion motion, const sn_motion_table *table,
                    uint32_t index)
{
    sn_solid *solid = &s->solid[index];
    const loading l = {.s = s,
                       .solid = solid,
                       .in = in,
                       .per_h2 = 1 / (in->h * in->h),
                       .per_h = 1 / in->h,
                       .origin = vec4_xyz(in->frame.x[s->vertex[solid->vertex].slot])};
    if (solid->h != (double)in->h)
        factor(s, solid, (double)in->h);
    take_places(&l);
    smooth(&l);
    if (in->preload_share > 0)
        preload(&l);
    else
        clear(&l);
    stress(&l);
    return move_particles(&l, motion, table);
}

void sn_solids_clear_others(const sn_solids *s, sn_store *store)
{
    for (uint32_t i = 0; i < s->others; ++i)
        store->pool[s->other[i].kind]->lambda[s->other[i].row] = 0;
}

void sn_solids_tell(const sn_solids *s, char *text, size_t size)
{
    uint32_t count = 0, particles = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        count += s->solid[i].sound;
        particles += s->solid[i].sound ? s->solid[i].vertices : 0;
    }
    const size_t at = strlen(text);
    if (count == 1)
        snprintf(text + at, size - at, "%sa solid of %u particles has its stress solved on a lattice", at ? "; " : "", particles);
    else if (count)
        snprintf(text + at, size - at, "%s%u solids of %u particles in all: each has its stress solved on a lattice",
                 at ? "; " : "", count, particles);
}
