/* Worlds of bodies for the tests of their contact. */
#ifndef SINEW_TESTS_WORLD_BODY_WORLDS_H
#define SINEW_TESTS_WORLD_BODY_WORLDS_H

#include "world/contact_worlds.h"

static inline sn_body box_body(sn_world *world, sn_vec3 at, sn_vec3 half, double density)
{
    sn_body body = sn_body_add_box(world, at, half, real(density));
    assert_true(sn_body_is_valid(world, body));
    return body;
}

static inline sn_body sphere_body(sn_world *world, sn_vec3 at, double radius, double density)
{
    sn_body body = sn_body_add_sphere(world, at, real(radius), real(density));
    assert_true(sn_body_is_valid(world, body));
    return body;
}

static inline sn_body flying(sn_world *world, sn_body body, sn_vec3 velocity, sn_vec3 spin)
{
    assert_ok(world, sn_body_set_velocity(world, body, velocity, spin));
    return body;
}

/* A body of several shapes. */
static inline sn_body compound_body(sn_world *world, sn_vec3 at, const sn_shape_def *shapes, uint32_t count,
                                    double density)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.position = at;
    def.shapes = shapes;
    def.shape_count = count;
    def.density = real(density);
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

static inline sn_vec3 minus(sn_vec3 a, sn_vec3 b)
{
    return vec((double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z);
}

static inline sn_vec3 cross(sn_vec3 a, sn_vec3 b)
{
    double ax = (double)a.x, ay = (double)a.y, az = (double)a.z, bx = (double)b.x, by = (double)b.y, bz = (double)b.z;
    return vec(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
}

/* About an axis of length 1. */
static inline sn_quat turned(sn_vec3 axis, double angle)
{
    double s = sin(angle / 2);
    return (sn_quat){real((double)axis.x * s), real((double)axis.y * s), real((double)axis.z * s),
                     real(cos(angle / 2))};
}

/* Linear and angular momentum of all bodies and other particles. */
typedef struct momenta {
    double p[3], l[3], scale; /* kg m/s, kg m^2/s; and of all without their signs */
} momenta;

static inline momenta momenta_of(const sn_world *world)
{
    momenta sum = {{0}, {0}, 0};
    for (uint32_t i = 0; i < sn_world_particle_count(world); ++i) {
        sn_particle p = sn_particle_from_index(world, i);
        sn_body body = sn_particle_body(world, p);
        double mass = (double)sn_particle_mass(world, p);
        sn_vec3 v = speed(world, p), x = place(world, p), l = cross(x, v), own = vec(0, 0, 0);
        if (body.generation)
            own = sn_body_angular_momentum(world, body);
        const double add[3] = {(double)v.x, (double)v.y, (double)v.z};
        const double turn[3] = {(double)l.x, (double)l.y, (double)l.z};
        const double spin[3] = {(double)own.x, (double)own.y, (double)own.z};
        for (int k = 0; k < 3; ++k) {
            sum.p[k] += mass * add[k];
            sum.l[k] += mass * turn[k] + spin[k];
        }
        sum.scale += mass * (length(v) + length(l)) + length(own);
    }
    return sum;
}

/* Angular momentum less exactly: what overlaps is moved apart without a velocity, on lines that do not all meet. */
static inline void assert_same_momenta(const momenta *a, const momenta *b)
{
    for (int k = 0; k < 3; ++k) {
        assert_close(a->p[k], b->p[k], (SINEW_DOUBLE ? 1e-12 : 1e-6) * a->scale);
        assert_close(a->l[k], b->l[k], 1e-4 * a->scale);
    }
}

/* J, as the world reports it. */
static inline double kinetic(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return (double)report.kinetic;
}

#endif
