/* The one formula by which every constraint of every kind is projected.

       dlambda = [-C - a lambda - g grad C . d] / [(1 + g) sum w |grad C|^2 + a],     d += w grad C dlambda

   C and its gradient are taken at the moved positions x + d. a = compliance / h^2, g = compliance * damping / h, and h
   is the integrator's effective step (Macklin, Mueller and Chentanez, "XPBD", 2016). lambda starts at 0 in every
   substep and accumulates over passes: resetting it would make stiffness depend on the number of passes. For several
   rows the sums become the matrix A = (1 + g) J W J^T + a, solved at once. The stiffness k of the lectures scales
   dlambda.

   Inequalities (C >= 0) only push, and only when they are violated: damping alone does not make them act at a distance.
   A rigid inequality keeps its lambda from earlier passes of the substep. A compliant one may reduce it again, down to
   lambda = 0.

   Kinds with own_rows describe each row at each evaluation (sn_row). Then a row may be a rate: -C becomes rate h - grad
   C . d. It may have a compliance of its own. Its lambda may be bounded, by most h^2. C may have limits, which are
   enforced with any force. */
#ifndef SN_SOLVERS_ROW_H
#define SN_SOLVERS_ROW_H

#include "base/math.h"
#include "constraints/evaluate.h"

/* The parameters of a constraint in one substep. */
typedef struct sn_row_give {
    sn_real alpha;     /* compliance / h^2 */
    sn_real gamma;     /* compliance * damping / h */
    sn_real k;         /* stiffness */
    sn_real inverse_h; /* 1/s */
} sn_row_give;

/* The largest alpha and gamma. A softer constraint exerts no visible force, and infinite numbers would do harm. */
#define SN_ROW_MOST ((sn_real)1e30)

static inline sn_row_give row_give(const sn_give *give, sn_real inverse_h)
{
    sn_real alpha = give->compliance * inverse_h * inverse_h, gamma = give->compliance * give->damping * inverse_h;
    return (sn_row_give){alpha < SN_ROW_MOST ? alpha : SN_ROW_MOST, gamma < SN_ROW_MOST ? gamma : SN_ROW_MOST,
                         give->stiffness, inverse_h};
}

/* k' = 1 - (1 - k)^(1/n): n passes with k' leave the same error, (1 - k'), as one with k (Mueller et al. 2007). */
static inline sn_real row_stiffness(sn_real k, uint32_t n)
{
    return n <= 1 || k == 0 || k == 1 ? k : (sn_real)-math_expm1(math_log(1 - (double)k) / n);
}

/* Whether a row acts: an equality, a violated inequality (or one that is not a number), or a compliant inequality whose
   lambda may have to be reduced. */
static inline bool row_acts(bool inequality, sn_real c, sn_real alpha, sn_real lambda)
{
    return !inequality || !(c >= 0) || (alpha > 0 && lambda > 0);
}

/* The meaning of one row of a block at present. */
typedef struct sn_row_now {
    sn_row_type type;
    bool inequality;
    bool limited; /* C has limits: low and high */
    double alpha, gamma;
    double most;      /* of |lambda|; INFINITY: no bound */
    double low, high; /* of C; infinite: no limit */
} sn_row_now;

sn_row_now sn_row_look(const sn_block *block, uint32_t r, uint32_t inequality, const sn_row_give *give);

static inline bool row_is_limited(const sn_row_now *now)
{
    return now->limited;
}

/* grad C . d of one row. Here and below count is block->count. It is a parameter so that it is a constant for the usual
   shapes, and loops over it are unrolled. */
SN_INLINE sn_real row_motion(const sn_block *block, uint32_t count, uint32_t row, const sn_vec4 *d)
{
    sn_real sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += vec3_dot(block->gradient[row * count + i], vec4_xyz(d[block->slot[i]]));
    return sum;
}

/* The same for the displacement that dampers resist: the effective step times the rate of C. With BDF2, whose velocity
   is (3 d - d_old) / 2h, that is d - d_old / 3, or 2/3 d without a history. Otherwise it is d. */
SN_INLINE sn_real row_displacement(const sn_block *block, uint32_t count, uint32_t row, const sn_frame *frame)
{
    sn_real sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t slot = block->slot[i];
        sn_vec3 displacement = vec3_sub(vec4_xyz(frame->x[slot]), vec4_xyz(frame->start[slot]));
        displacement = vec3_add(displacement, vec4_xyz(frame->d[slot]));
        if (frame->old_d) {
            sn_vec3 back = frame->old_d[slot].w == frame->h ? vec4_xyz(frame->old_d[slot]) : displacement;
            displacement = vec3_sub(displacement, vec3_scale(back, (sn_real)(1.0 / 3)));
        }
        sum += vec3_dot(block->gradient[row * count + i], displacement);
    }
    return sum;
}

/* The same, plus the displacement expected from contact. For dampers. */
SN_INLINE sn_real row_damped_displacement(const sn_block *block, uint32_t count, uint32_t row, const sn_frame *frame)
{
    sn_real sum = row_displacement(block, count, row, frame);
    return frame->expected ? sum + row_motion(block, count, row, frame->expected) : sum;
}

/* The same, plus the displacement expected from friction. For rates. Normal forces are left out: if a motor presses an
   arm against something, contact pushes back as hard, and the motor would hold against that when it has to reverse. */
SN_INLINE sn_real row_rate_displacement(const sn_block *block, uint32_t count, uint32_t row, const sn_frame *frame)
{
    sn_real sum = row_displacement(block, count, row, frame);
    return frame->by_friction ? sum + row_motion(block, count, row, frame->by_friction) : sum;
}

/* The part of row_displacement that is only rounding of the position at the start. The displacement of a rate in a
   substep is small, so this part has to be removed. */
double sn_row_rounded_off(const sn_block *block, uint32_t r, const sn_frame *frame);

/* d += w grad C dlambda. */
SN_INLINE void row_apply(const sn_block *block, uint32_t count, uint32_t row, sn_real dlambda, sn_vec4 *d)
{
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 g = block->gradient[row * count + i];
        sn_vec4 *p = &d[block->slot[i]];
        sn_real s = block->w[i] * dlambda;
        *p = (sn_vec4){p->x + s * g.x, p->y + s * g.y, p->z + s * g.z, 0};
    }
}

/* dlambda of several rows, solved together; in row.c. */
bool sn_row_step_block(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                       const sn_real *lambda, sn_real *dlambda);

/* A linear step is accurate only while rotations are small, because gradients rotate with bodies. A step that would
   rotate a body by more than 0.25 rad is scaled down as a whole, so momentum is conserved. The rest is left to later
   passes and substeps. Without that, joints gain energy without bound if an impact rotates their bodies by more than
   half a radian in a substep. */
void sn_row_limit_turns(const sn_block *block, const sn_frame *frame, sn_real *dlambda);

/* lambda += dlambda, and row_apply for each of the rows in turn. */
void sn_row_apply_block(const sn_block *block, sn_real *lambda, const sn_real *dlambda, sn_vec4 *d);

/* Computes the change of the multipliers of an evaluated constraint, and changes nothing: a solver that combines
   several constraints applies it later. Rows that do not act get 0. False if the result is not finite. */
SN_INLINE bool row_step(const sn_block *block, uint32_t count, uint32_t rows, uint32_t inequality, sn_row_give give,
                        const sn_frame *frame, const sn_real *lambda, sn_real *dlambda)
{
    if (rows > 1 || block->row)
        return sn_row_step_block(block, inequality, give, frame, lambda, dlambda);
    dlambda[0] = 0;
    sn_real c = block->c[0];
    if (!row_acts(inequality, c, give.alpha, lambda[0]))
        return true;
    sn_real mobility = 0;
    for (uint32_t i = 0; i < count; ++i)
        mobility += block->w[i] * vec3_dot(block->gradient[i], block->gradient[i]);
    if (!isfinite(c) || !isfinite(mobility))
        return false;
    if (mobility == 0 && give.alpha == 0)
        return true; /* nothing here can move; a compliant constraint still exerts its force */
    sn_real wanted = -c - give.alpha * lambda[0];
    if (give.gamma > 0)
        wanted -= give.gamma * row_damped_displacement(block, count, 0, frame);
    sn_real step = give.k * wanted / ((1 + give.gamma) * mobility + give.alpha);
    if (inequality && lambda[0] + step < 0)
        step = -lambda[0];
    dlambda[0] = step;
    return isfinite(step);
}

/* Projects an evaluated constraint: moves frame->d and accumulates lambda. False if the result is not finite; then
   nothing was moved. */
SN_INLINE bool row_solve(const sn_block *block, uint32_t count, uint32_t rows, uint32_t inequality, sn_row_give give,
                         const sn_frame *frame, sn_real *lambda)
{
    sn_real dlambda[SN_MAX_ROWS];
    if (!row_step(block, count, rows, inequality, give, frame, lambda, dlambda))
        return false;
    if (frame->turn && count && block->slot[count - 1] >= frame->turn_slot)
        sn_row_limit_turns(block, frame, dlambda);
    if (rows > 1) {
        sn_row_apply_block(block, lambda, dlambda, frame->d);
    } else if (dlambda[0] != 0) {
        lambda[0] += dlambda[0];
        row_apply(block, count, 0, dlambda[0], frame->d);
    }
    return true;
}

/* How far C of a row is beyond its limits; 0: it is not. row is NULL if the kind has no own_rows. */
double sn_row_excess(const sn_row *row, double c);

/* The error of a constraint in metres: the largest |C + a lambda + g grad C . d| / |grad C| of its rows that act. Rows
   that nothing can change, such as a rigid constraint of immovable particles, count 0. */
sn_real sn_row_residual(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                        const sn_real *lambda);

/* The same for a constraint with own_rows, from what its projection would do: the largest |dlambda| of a row times its
   denominator, divided by |grad C|. Not a number if the projection is not finite. */
sn_real sn_row_asked(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                     const sn_real *lambda);

#endif
