/* Sheets of cloth that collide with themselves. */
#ifndef SN_TESTS_WORLD_CLOTH_SHEETS_H
#define SN_TESTS_WORLD_CLOTH_SHEETS_H

#include "support/support.h"

#include "world/world.h"

#include <math.h>

#define SIDE 12
#define DT   (1.0 / 60)

typedef struct sheet {
    uint32_t first; /* particle */
    sn_skin skin;
} sheet;

static inline uint32_t at(const sheet *s, uint32_t column, uint32_t row)
{
    return s->first + row * SIDE + column;
}

static inline void join(sn_world *world, const sheet *s, uint32_t a, uint32_t b)
{
    const sn_particle p = sn_particle_from_index(world, s->first + a), q = sn_particle_from_index(world, s->first + b);
    assert_true(sn_constraint_add_distance(world, sn_at(p), sn_at(q), SN_MEASURE).generation > 0);
}

/* A square of 1 m about a place, along two directions, of 0.2 kg. */
static inline sheet add_sheet(sn_world *world, sn_vec3 middle, sn_vec3 u, sn_vec3 v, uint32_t group)
{
    sheet s = {0};
    uint32_t corner[6 * (SIDE - 1) * (SIDE - 1)], count = 0;
    sn_real xyz[3 * SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const double a = i % SIDE / (SIDE - 1.0) - 0.5, b = i / SIDE / (SIDE - 1.0) - 0.5; /* NOLINT: whole rows */
        xyz[3 * i] = real((double)middle.x + a * (double)u.x + b * (double)v.x);
        xyz[3 * i + 1] = real((double)middle.y + a * (double)u.y + b * (double)v.y);
        xyz[3 * i + 2] = real((double)middle.z + a * (double)u.z + b * (double)v.z);
    }
    s.first = sn_particles_add(world, SIDE * SIDE, xyz, 0, real(0.2 / (SIDE * SIDE))).first;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t x = i % SIDE, y = i / SIDE;
        const sn_particle p = sn_particle_from_index(world, s.first + i);
        sn_particle_set_group(world, p, group);
        sn_particle_set_radius(world, p, real(0.004));
        if (x + 1 < SIDE)
            join(world, &s, i, i + 1);
        if (y + 1 < SIDE)
            join(world, &s, i, i + SIDE);
        if (x + 1 < SIDE && y + 1 < SIDE) {
            const uint32_t a = s.first + i, both[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
            join(world, &s, i, i + SIDE + 1);
            join(world, &s, i + 1, i + SIDE);
            memcpy(corner + count, both, sizeof both);
            count += 6;
        }
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = count / 3;
    def.thickness = real(0.005);
    def.self_collision = true;
    assert_ok(world, sn_skin_add(world, &def, &s.skin));
    return s;
}

static inline sn_world *make_world(uint32_t substeps)
{
    sn_world *world = support_world();
    sn_settings settings = sn_world_settings(world);
    settings.substeps = substeps;
    assert_ok(world, sn_world_configure(world, &settings));
    return world;
}

/* Steps, after each of which nothing intersects. */
static inline void run_apart(sn_world *world, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; ++i) {
        assert_ok(world, sn_world_step(world, real(DT)));
        assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
    }
}

static inline sn_vec3 mean_of(const sn_world *world, const sheet *s)
{
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const sn_vec3 x = sn_particle_position(world, sn_particle_from_index(world, s->first + i));
        sum[0] += (double)x.x, sum[1] += (double)x.y, sum[2] += (double)x.z;
    }
    return vec(sum[0] / (SIDE * SIDE), sum[1] / (SIDE * SIDE), sum[2] / (SIDE * SIDE));
}

#endif
