/* Worlds of balls and fixed shapes for the tests of contact. */
#ifndef SINEW_TESTS_WORLD_CONTACT_WORLDS_H
#define SINEW_TESTS_WORLD_CONTACT_WORLDS_H

#include "support/fixed.h"
#include "support/support.h"

#include <math.h>

#define GRAVITY   9.81
#define FRAME     (1.0 / 60)
#define PI        3.14159265358979323846
#define TURNED_BY (PI / 180) /* rad: a degree */

/* A world in which things sleep, or tell of their contacts. */
static inline sn_world *contact_world(sn_world_def def, bool sleep, bool events)
{
    sn_world *world = support_world_from(&def);
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.sleep = sleep;
    settings.events = events;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    return world;
}

/* Other ways to run a world of one thread: on two, on four, without wide instructions, and by a hook. */
enum { CONTACT_VARIANTS = 4 };

static inline sn_world_def contact_variant(int variant, support_tasks *tasks)
{
    sn_world_def def = sn_default_world_def();
    def.threads = variant == 0 ? 2 : variant == 1 ? 4 : 1;
    def.simd = variant == 2 ? SN_SIMD_SCALAR : SN_SIMD_AUTO;
    if (variant == 3)
        def.tasks = support_tasks_hook(tasks);
    return def;
}

static inline void step(sn_world *world)
{
    assert_ok(world, sn_world_step(world, real(FRAME)));
}

static inline sn_particle ball(sn_world *world, sn_vec3 at, double mass, double radius)
{
    sn_particle_def def = sn_default_particle_def();
    sn_particle p;
    def.position = at;
    def.mass = real(mass);
    def.radius = real(radius);
    assert_ok(world, sn_particle_add(world, &def, &p));
    return p;
}

static inline sn_particle flying_ball(sn_world *world, sn_vec3 at, sn_vec3 velocity, double mass, double radius)
{
    sn_particle p = ball(world, at, mass, radius);
    assert_ok(world, sn_particle_set_velocity(world, p, velocity));
    return p;
}

static inline sn_body add_plane(sn_world *world, sn_vec3 point, sn_vec3 normal)
{
    sn_body plane = fixed_add_plane(world, point, normal);
    assert_true(sn_body_is_valid(world, plane));
    return plane;
}

static inline sn_body add_floor(sn_world *world)
{
    return add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
}

static inline sn_contact_material material(double friction, double restitution)
{
    sn_contact_material m = sn_default_contact_material();
    m.static_friction = m.dynamic_friction = real(friction);
    m.restitution = real(restitution);
    return m;
}

/* The same for the particles of group 0 and for all fixed shapes. */
static inline void set_materials(sn_world *world, double friction, double restitution)
{
    sn_group_contact group = sn_default_group_contact(0);
    group.material = material(friction, restitution);
    assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    for (uint32_t i = 0; i < fixed_count(world); ++i)
        assert_ok(world, sn_body_set_material(world, sn_body_from_index(world, i), 0, &group.material));
}

static inline void set_gravity(sn_world *world, sn_vec3 gravity)
{
    sn_settings settings = sn_world_settings(world);
    settings.gravity = gravity;
    assert_ok(world, sn_world_configure(world, &settings));
}

static inline sn_vec3 place(const sn_world *world, sn_particle p)
{
    return sn_particle_position(world, p);
}

static inline sn_vec3 speed(const sn_world *world, sn_particle p)
{
    return sn_particle_velocity(world, p);
}

static inline double length(sn_vec3 a)
{
    return support_gap(a, vec(0, 0, 0));
}

static inline double dot(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/* Four walls around the floor, which is there already, so that balls lie in a box of these sides; and the floor. */
static inline void add_tub(sn_world *world, double x, double z)
{
    add_floor(world);
    add_plane(world, vec(-x / 2, 0, 0), vec(1, 0, 0));
    add_plane(world, vec(x / 2, 0, 0), vec(-1, 0, 0));
    add_plane(world, vec(0, 0, -z / 2), vec(0, 0, 1));
    add_plane(world, vec(0, 0, z / 2), vec(0, 0, -1));
}

/* Balls loosely above each other in a tub of this side. */
static inline void pour(sn_world *world, uint32_t count, double side, double radius, uint64_t seed)
{
    uint32_t per = (uint32_t)((side - 2 * radius) / (2.1 * radius)) + 1;
    for (uint32_t i = 0; i < count; ++i) {
        double a = i % per, b = i / per % per, c = i / (per * per);
        sn_vec3 at = vec(radius - side / 2 + 2.1 * radius * a + support_random_in(&seed, 0, 0.05 * radius),
                         radius * (1 + 2.1 * c),
                         radius - side / 2 + 2.1 * radius * b + support_random_in(&seed, 0, 0.05 * radius));
        ball(world, at, 1, radius);
    }
}

/* As a share of the smaller radius: the deepest overlap of two balls that no constraint joins. */
static inline double deepest_overlap(const sn_world *world)
{
    sn_view view = sn_world_view_positions(world);
    double worst = 0;
    for (uint32_t i = 0; i < view.count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            const sn_real *a = sn_view_at(&view, i), *b = sn_view_at(&view, j);
            sn_particle p = sn_particle_from_index(world, view.index[i]);
            sn_particle q = sn_particle_from_index(world, view.index[j]);
            double r = (double)sn_particle_radius(world, p), s = (double)sn_particle_radius(world, q);
            double gap = support_gap((sn_vec3){a[0], a[1], a[2]}, (sn_vec3){b[0], b[1], b[2]}) - r - s;
            worst = fmax(worst, -gap / fmin(r, s));
        }
    return worst;
}

#define CONTACT_MOST 1024u

/* Where everything is, to see later how far it has come. */
typedef struct whereabouts {
    sn_vec3 at[CONTACT_MOST];
    uint32_t count;
} whereabouts;

static inline void look(const sn_world *world, whereabouts *w)
{
    w->count = sn_world_particle_count(world);
    assert_true(w->count <= CONTACT_MOST);
    for (uint32_t i = 0; i < w->count; ++i)
        w->at[i] = place(world, sn_particle_from_index(world, i));
}

/* m: the farthest that any has come since. */
static inline double farthest(const sn_world *world, const whereabouts *w)
{
    double most = 0;
    for (uint32_t i = 0; i < w->count; ++i)
        most = fmax(most, support_gap(w->at[i], place(world, sn_particle_from_index(world, i))));
    return most;
}

#endif
