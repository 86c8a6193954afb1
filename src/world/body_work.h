/* Shared by the files about dynamic bodies: frames, and checks of arguments. */
#ifndef SN_WORLD_BODY_WORK_H
#define SN_WORLD_BODY_WORK_H

#include "bodies/rotation.h"
#include "world/world.h"

/* The points from which a hull was made, as given: when they are read back they must make the same hull. */
typedef struct hull_source {
    sn_vec3 *point;
    uint32_t count;
} hull_source;

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static inline sn_quat round_quat(const double q[4])
{
    return (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
}

static inline sn_vec3 round_vector(const double a[3])
{
    return vec3((sn_real)a[0], (sn_real)a[1], (sn_real)a[2]);
}

/* Sets q, which takes principal axes to the world: the inverse of `own` (the user's frame to principal axes), then the
   rotation of the user's frame. */
static inline void body_set_turn(sn_body_state *body, sn_quat rotation)
{
    sn_quat unit = sn_quat_normal(rotation);
    double turn[4] = {(double)unit.x, (double)unit.y, (double)unit.z, (double)unit.w};
    double back[4] = {-body->own[0], -body->own[1], -body->own[2], body->own[3]};
    sn_rotate_normalise(turn);
    sn_rotate_times(turn, back, body->q);
    sn_rotate_normalise(body->q);
}

static inline void body_set_spin(sn_body_state *body, sn_vec3 spin)
{
    double omega[3] = {(double)spin.x, (double)spin.y, (double)spin.z};
    sn_rotate_vector_back(body->q, omega, omega);
    for (int i = 0; i < 3; ++i)
        body->l[i] = isinf(body->k[i]) ? 0 : body->k[i] * body->k[i] * omega[i];
    sn_rotate_vector(body->q, body->l, body->l);
}

/* The position of the centre of mass of a body whose own frame is at `position`. */
static inline sn_vec3 body_centre_at(const sn_body_state *body, sn_vec3 position)
{
    double a[3];
    sn_rotate_vector(body->own, body->centre, a); /* to principal axes, and on to the world */
    sn_rotate_vector(body->q, a, a);
    return vec3((sn_real)((double)position.x + a[0]), (sn_real)((double)position.y + a[1]),
                (sn_real)((double)position.z + a[2]));
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static inline bool good_quat(sn_quat q)
{
    double square =
        (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w;
    return isfinite(square) && square > 0;
}

static inline sn_result body_check_quat(const sn_world *world, const char *what, sn_quat q)
{
    if (good_quat(q))
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "%s is (%g, %g, %g, %g); it must be finite and not zero", what,
                      (double)q.x, (double)q.y, (double)q.z, (double)q.w);
}

static inline sn_result body_check_spin(const sn_world *world, sn_vec3 spin)
{
    const double most = fmax(fabs((double)spin.x), fmax(fabs((double)spin.y), fabs((double)spin.z)));
    if (vec3_is_finite(spin) && most < SN_TOO_FAST)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "spin is (%g, %g, %g) rad/s; it must be finite and below %g",
                      (double)spin.x, (double)spin.y, (double)spin.z, SN_TOO_FAST);
}

/* In a 2D world bodies rotate only about z. */
static inline sn_result body_check_planar(const sn_world *world, const char *what, sn_quat turn, sn_vec3 spin)
{
    if (world->dimensions == 3 || (turn.x == 0 && turn.y == 0 && spin.x == 0 && spin.y == 0))
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "%s is not about z; in a 2D world bodies turn about z only", what);
}

#endif
