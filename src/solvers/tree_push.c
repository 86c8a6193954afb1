/* The response of a tree of rods to forces.

   With M the masses, K the geometric stiffness (see "Turning" in forest_solve.c), J the gradients of rods and f the
   forces, in kg m,

       (M + K) x = J^T lambda + f,     J x + soft lambda = rhs.

   Along a rod the tension has no effect, so K may be the same in all directions: kappa (x - y) between its ends.
   Particles are eliminated from the leaves to the root. Let S x = F be the equation of a particle with its whole
   subtree, y the displacement of its parent, and n the direction to the parent. Then

       A = S + kappa,    (A, n; n^T, -soft) (x, lambda) = (F + kappa y, n y - rhs),

   and inserted into the equations of the parent (1 / d is `share`),

       a = A^-1 n,   d = n a + soft,   q = n - kappa a,
       S of the parent += kappa - kappa^2 A^-1 + q q^T / d,
       F of the parent += kappa A^-1 F + q (rhs + a F) / d,

   and on the way back lambda = (rhs + a F - q y) / d, x = A^-1 (F + kappa y - n lambda). An immovable particle has A^-1
   = 0. A pin is a spring of 1 / soft. */
#include "solvers/tree_push.h"

#include <string.h>

static sn_dvec3 times(const double m[6], sn_dvec3 v)
{
    return dvec3(m[0] * v.x + m[3] * v.y + m[5] * v.z, m[3] * v.x + m[1] * v.y + m[4] * v.z,
                 m[5] * v.x + m[4] * v.y + m[2] * v.z);
}

static void invert(const double m[6], double to[6])
{
    const double xx = m[1] * m[2] - m[4] * m[4], xy = m[4] * m[5] - m[3] * m[2], xz = m[3] * m[4] - m[1] * m[5];
    const double share = 1 / (m[0] * xx + m[3] * xy + m[5] * xz);
    to[0] = xx * share;
    to[1] = (m[0] * m[2] - m[5] * m[5]) * share;
    to[2] = (m[0] * m[1] - m[3] * m[3]) * share;
    to[3] = xy * share;
    to[4] = (m[3] * m[5] - m[0] * m[4]) * share;
    to[5] = xz * share;
}

static bool is_alone(const sn_push_node *p)
{
    return p->parent == SN_PUSH_NONE || p->slack;
}

static void add_diagonal(double m[6], double by)
{
    m[0] += by;
    m[1] += by;
    m[2] += by;
}

/* m += share v v^T */
static void add_square(double m[6], sn_dvec3 v, double share)
{
    m[0] += share * v.x * v.x;
    m[1] += share * v.y * v.y;
    m[2] += share * v.z * v.z;
    m[3] += share * v.x * v.y;
    m[4] += share * v.y * v.z;
    m[5] += share * v.z * v.x;
}

void sn_push_factor(sn_push_node *node, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        memset(node[i].s, 0, sizeof node[i].s);
        memset(node[i].inverse, 0, sizeof node[i].inverse);
        add_diagonal(node[i].s, node[i].mass);
    }
    for (uint32_t i = count; i-- > 0;) {
        sn_push_node *p = &node[i];
        if (p->pin) {
            add_diagonal(node[p->parent].s, 1 / p->soft);
            continue;
        }
        if (!is_alone(p))
            add_diagonal(p->s, p->kappa);
        if (p->mass > 0)
            invert(p->s, p->inverse);
        if (is_alone(p))
            continue;
        double *s = node[p->parent].s;
        p->a = times(p->inverse, p->n);
        p->share = 1 / (dvec3_dot(p->n, p->a) + p->soft);
        p->q = dvec3_sub(p->n, dvec3_scale(p->a, p->kappa));
        for (uint32_t k = 0; k < 6; ++k)
            s[k] -= p->kappa * p->kappa * p->inverse[k];
        add_diagonal(s, p->kappa);
        add_square(s, p->q, p->share);
    }
}

/* Computes F, in x, from the leaves to the root. */
static void go_up(sn_push_node *node, uint32_t count, bool shift)
{
    for (uint32_t i = 0; i < count; ++i)
        node[i].x = node[i].f;
    for (uint32_t i = count; i-- > 0;) {
        sn_push_node *p = &node[i];
        if (is_alone(p))
            continue;
        sn_dvec3 *f = &node[p->parent].x;
        if (p->pin) {
            if (shift)
                *f = dvec3_add(*f, dvec3_scale(p->rest, 1 / p->soft));
            continue;
        }
        p->lambda = ((shift ? p->rhs : 0) + dvec3_dot(p->a, p->x)) * p->share;
        *f = dvec3_add(*f, dvec3_scale(p->q, p->lambda));
        if (p->kappa > 0)
            *f = dvec3_add(*f, dvec3_scale(times(p->inverse, p->x), p->kappa));
    }
}

void sn_push_solve(sn_push_node *node, uint32_t count, bool shift)
{
    go_up(node, count, shift);
    for (uint32_t i = 0; i < count; ++i) {
        sn_push_node *p = &node[i];
        if (is_alone(p)) {
            p->x = times(p->inverse, p->x);
            p->lambda = 0;
            continue;
        }
        const sn_dvec3 y = node[p->parent].x;
        if (p->pin) {
            p->pin_force = dvec3_scale(dvec3_sub(shift ? p->rest : dvec3(0, 0, 0), y), 1 / p->soft);
            p->x = dvec3(0, 0, 0);
            continue;
        }
        p->lambda -= dvec3_dot(p->q, y) * p->share;
        const sn_dvec3 all = dvec3_sub(dvec3_add(p->x, dvec3_scale(y, p->kappa)), dvec3_scale(p->n, p->lambda));
        p->x = times(p->inverse, all);
    }
}
