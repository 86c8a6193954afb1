/* The rows of a bead on a curve.

   With p the closest point, T the tangent there, t = T / |T|, q = x - p and u, v perpendicular to t (find_across):

       C0 = q . u,   C1 = q . v,   C2 = distance from the nearer open end >= 0

   Each row is C = q . d, where the direction d(t) rotates with the tangent. With g = (dC/dt without its part along t) /
   |T|, the derivative by T,

       dC = d . (dx - dp) + g . dT

   Moving p along the curve does not change C at first order, since d . T = 0. But it rotates T, by bend du. The
   parameter u changes so that F = (x - p) . T stays 0: with F_u = -T . T + q . bend, the steepness,

       du = -[T . dx + sum over control points of (-place T + turn q) . dP] / F_u

   So the gradient is exact. It is not rotation invariant: u and v are tied to the axes of the world. A bead that is off
   its curve by r and is corrected in one projection changes angular momentum by a share (r / size of the curve)^2.
   Linear momentum is kept exactly. */
#include "constraints/curve.h"

/* Two unit vectors u, v perpendicular to a direction t, as a smooth function of it.

   e is the coordinate axis that t is least inclined to, s = e . t, m = sqrt(1 - s^2) >= sqrt(2/3):

       u = (e - s t) / m,   v = t x u = t x e / m

   Where two axes are equally far from t the later one is taken: for t in the plane of a 2D world u is the z axis, whose
   row has no gradient there, and v lies in the plane. u and v jump where another axis becomes the farthest. They then
   rotate about t, so that the two rows q . u = q . v = 0 still mean the same. */
typedef struct across {
    sn_vec3 t, e;
    sn_vec3 u, v;
    sn_real s, m;
} across;

/* t must have length 1. */
static across find_across(sn_vec3 t)
{
    sn_real x = real_abs(t.x), y = real_abs(t.y), z = real_abs(t.z);
    across p = {.t = t};
    if (z <= x && z <= y)
        p.e = vec3(0, 0, 1);
    else
        p.e = y <= x ? vec3(0, 1, 0) : vec3(1, 0, 0);
    p.s = vec3_dot(p.e, t);
    p.m = real_sqrt(1 - p.s * p.s);
    p.u = vec3_scale(vec3_sub(p.e, vec3_scale(t, p.s)), 1 / p.m);
    p.v = vec3_scale(vec3_cross(t, p.e), 1 / p.m);
    return p;
}

/* d(q . u)/dt for a constant q, from q . u = (q . e - s q . t) / m and d(1/m) = s / m^3 e . dt. */
static sn_vec3 across_turn_u(const across *p, sn_vec3 q)
{
    sn_real qt = vec3_dot(q, p->t), along = (vec3_dot(q, p->e) - p->s * qt) * p->s / (p->m * p->m * p->m);
    return vec3_add(vec3_scale(q, -p->s / p->m), vec3_scale(p->e, along - qt / p->m));
}

/* d(q . v)/dt for a constant q, from q . v = t . (e x q) / m. */
static sn_vec3 across_turn_v(const across *p, sn_vec3 q)
{
    sn_vec3 eq = vec3_cross(p->e, q);
    sn_real along = vec3_dot(p->t, eq) * p->s / (p->m * p->m * p->m);
    return vec3_add(vec3_scale(eq, 1 / p->m), vec3_scale(p->e, along));
}

/* a without its component along the unit vector t. */
static sn_vec3 beside(sn_vec3 a, sn_vec3 t)
{
    return vec3_sub(a, vec3_scale(t, vec3_dot(a, t)));
}

/* The data of one row. */
typedef struct curve_row {
    uint32_t row;
    sn_real c;
    sn_vec3 direction; /* dC/dx for a fixed place */
    sn_vec3 turn;      /* dC/dT */
} curve_row;

static void add_gradient(const sn_eval_in *in, const sn_eval_out *out, uint32_t row, uint32_t point, sn_vec3 g)
{
    sn_vec3 *at = &out->gradient[(size_t)row * in->points + point];
    *at = vec3_add(*at, g);
}

static void write_row(const sn_eval_in *in, const sn_eval_out *out, const sn_curve_place *place, const curve_row *r)
{
    sn_vec3 q = vec3_sub(in->x[0], place->p), at_bead = r->direction;
    sn_real turning = vec3_dot(place->bend, r->turn), motion = turning != 0 ? turning / place->steepness : 0;
    at_bead = vec3_sub(at_bead, vec3_scale(place->tangent, motion));
    out->c[r->row] = r->c;
    add_gradient(in, out, r->row, 0, at_bead);
    for (uint32_t i = 0; i < place->count; ++i) {
        const sn_curve_share *s = &place->share[i];
        sn_vec3 turn = vec3_sub(r->turn, vec3_scale(q, motion));
        add_gradient(in, out, r->row, s->point, vec3_sub(vec3_scale(turn, s->turn), vec3_scale(at_bead, s->place)));
    }
}

/* Inside, C2 is the distance from the nearer of two open ends. It has no effect there, but tells how far the end is. */
static void write_distance_from_end(const sn_eval_in *in, const sn_eval_out *out)
{
    const sn_vec3 *control = in->x + 1;
    uint32_t count = in->points - 1;
    if (curve_is_closed(control, count))
        return; /* a closed curve has no end: C2 = 0 */
    sn_vec3 from_start = vec3_sub(in->x[0], control[0]), from_finish = vec3_sub(in->x[0], control[count - 1]);
    bool start = vec3_dot(from_start, from_start) <= vec3_dot(from_finish, from_finish);
    sn_vec3 away = start ? from_start : from_finish;
    sn_real length = vec3_length(away);
    out->c[2] = length;
    if (length > 0) {
        add_gradient(in, out, 2, 0, vec3_scale(away, 1 / length));
        add_gradient(in, out, 2, start ? 1 : count, vec3_scale(away, -1 / length));
    }
}

bool sn_curve_rows(const sn_eval_in *in, const sn_curve_place *place, const sn_eval_out *out)
{
    sn_real length = vec3_length(place->tangent);
    if (!(length > 0))
        return false;
    sn_vec3 q = vec3_sub(in->x[0], place->p), t = vec3_scale(place->tangent, 1 / length);
    across p = find_across(t);
    sn_vec3 turn_u = vec3_scale(beside(across_turn_u(&p, q), t), 1 / length);
    sn_vec3 turn_v = vec3_scale(beside(across_turn_v(&p, q), t), 1 / length);
    write_row(in, out, place, &(curve_row){0, vec3_dot(q, p.u), p.u, turn_u});
    write_row(in, out, place, &(curve_row){1, vec3_dot(q, p.v), p.v, turn_v});
    if (place->end == SN_CURVE_INSIDE) {
        write_distance_from_end(in, out);
    } else {
        sn_real sign = place->end == SN_CURVE_BEFORE_START ? 1 : -1;
        sn_vec3 turn = vec3_scale(beside(q, t), sign / length);
        write_row(in, out, place, &(curve_row){2, sign * vec3_dot(q, t), vec3_scale(t, sign), turn});
    }
    return true;
}
