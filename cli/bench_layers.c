/* Layers of cloth that collide with each other: the time of a frame while they fall freely and when they lie on each
   other, by the number of vertices and of layers, compared with the same cloth without self_collision. Wall time. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define DT ((sn_real)(1.0 / 60))

enum {
    FALLING = 4,   /* frames in which the layers fall freely, */
    PRESSING = 14, /* frames until most of them lie on each other, */
    MEASURED = 3   /* frames that are measured then */
};

typedef struct stack {
    uint32_t layers, side; /* vertices along an edge of a layer */
    bool quick;            /* also run with --quick */
} stack;

static const stack stacks[] = {{1, 32, true},   {10, 8, true},  {10, 16, false}, {10, 24, false},
                               {10, 32, false}, {5, 16, false}, {20, 16, false}, {40, 16, false}};

/* ---- The world --------------------------------------------------------------------------------------------------- */

static bool join(sn_world *world, sn_particles run, uint32_t a, uint32_t b)
{
    return sn_constraint_add_distance(world, sn_at(sn_particles_at(run, a)), sn_at(sn_particles_at(run, b)), SN_MEASURE)
               .generation > 0;
}

/* Adds rods along edges and across squares. */
static bool add_rods(sn_world *world, sn_particles run, uint32_t side)
{
    bool done = true;
    for (uint32_t i = 0; done && i < side * side; ++i) {
        const bool right = i % side + 1 < side, up = i / side + 1 < side;
        done = (!right || join(world, run, i, i + 1)) && (!up || join(world, run, i, i + side)) &&
               (!right || !up || (join(world, run, i, i + side + 1) && join(world, run, i + 1, i + side)));
    }
    return done;
}

static bool add_skin(sn_world *world, sn_particles run, uint32_t side, sn_real thickness)
{
    const uint32_t squares = (side - 1) * (side - 1);
    uint32_t *corner = malloc(6 * (size_t)squares * sizeof *corner), count = 0;
    if (!corner)
        return false;
    for (uint32_t i = 0; i < side * side; ++i) {
        const uint32_t a = run.first + i;
        const uint32_t both[6] = {a, a + side, a + 1, a + 1, a + side, a + side + 1};
        if (i % side + 1 == side || i / side + 1 == side)
            continue;
        memcpy(corner + count, both, sizeof both);
        count += 6;
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = count / 3;
    def.thickness = thickness;
    def.self_collision = true;
    const bool done = sn_skin_add(world, &def, NULL) == SN_OK;
    free(corner);
    return done;
}

/* Adds a layer of 1 m and 0.2 kg, displaced a little from the one below it. */
static bool add_layer(sn_world *world, const stack *s, uint32_t layer, bool surfaces)
{
    const uint32_t count = s->side * s->side;
    const double edge = 1.0 / (s->side - 1), thickness = edge / 5;
    sn_real *xyz = malloc(3 * (size_t)count * sizeof *xyz);
    if (!xyz)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        xyz[3 * i] = (sn_real)(i % s->side * edge - 0.5 + 0.13 * edge * (layer % 7));
        xyz[3 * i + 1] = (sn_real)(0.41 + thickness + 2.5 * thickness * layer);
        xyz[3 * i + 2] = (sn_real)(i / s->side * edge - 0.5 + 0.17 * edge * (layer % 5)); /* NOLINT: whole rows */
    }
    const sn_particles run = sn_particles_add(world, count, xyz, 0, (sn_real)(0.2 / count));
    free(xyz);
    bool done = run.count == count;
    for (uint32_t i = 0; done && i < count; ++i)
        done = sn_particle_set_radius(world, sn_particles_at(run, i), (sn_real)thickness) == SN_OK &&
               sn_particle_set_group(world, sn_particles_at(run, i), surfaces ? layer + 1 : 1) == SN_OK;
    return done && add_rods(world, run, s->side) && (!surfaces || add_skin(world, run, s->side, (sn_real)thickness));
}

static sn_world *make(const stack *s, uint32_t threads, bool surfaces)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    def.threads = threads;
    def.settings.substeps = 10;
    def.settings.damping = (sn_real)0.3;
    if (sn_world_create(&def, &world) != SN_OK)
        return NULL;
    bool done = sn_static_add_sphere(world, (sn_vec3){0, 0, 0}, (sn_real)0.4).generation > 0;
    for (uint32_t i = 0; done && i < s->layers; ++i)
        done = add_layer(world, s, i, surfaces);
    if (done)
        return world;
    sn_world_destroy(world);
    return NULL;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

typedef struct cost {
    double falling, pressing; /* ms per frame */
    uint32_t intersections;   /* at the end */
} cost;

static double frames(sn_world *world, uint32_t count)
{
    const double start = sn_seconds_now();
    for (uint32_t i = 0; i < count; ++i)
        if (sn_world_step(world, DT) != SN_OK)
            return 0;
    return count ? 1e3 * (sn_seconds_now() - start) / count : 0;
}

static bool measure(const stack *s, uint32_t threads, bool surfaces, cost *found)
{
    sn_world *world = make(s, threads, surfaces);
    if (!world)
        return false;
    frames(world, 1); /* makes plans and tables */
    found->falling = frames(world, FALLING - 1);
    frames(world, PRESSING - FALLING);
    found->pressing = frames(world, MEASURED);
    found->intersections = surfaces ? sn_query_intersections(world, NULL, 0) : 0;
    sn_world_destroy(world);
    return true;
}

bool sn_bench_layers(const uint32_t *threads, uint32_t count, bool quick, bool json)
{
    if (!json)
        printf("\nlayers: sheets of 1 m that fall on a sphere and press on each other, 10 substeps; ms a frame, and\n"
               "how many times as long as the same sheets without self_collision\n\n"
               "  %6s %8s %7s %10s %8s %10s %8s %16s\n",
               "layers", "vertices", "threads", "falling", "times", "pressing", "times", "us per vertex");
    for (uint32_t k = 0; k < sizeof stacks / sizeof *stacks; ++k)
        for (uint32_t i = 0; i < count; ++i) {
            const stack *s = &stacks[k];
            const uint32_t vertices = s->layers * s->side * s->side;
            cost plain, with;
            if (quick && !s->quick)
                continue;
            if (!measure(s, threads[i], false, &plain) || !measure(s, threads[i], true, &with))
                return false;
            printf(json ? "{\"scene\": \"layers\", \"layers\": %u, \"vertices\": %u, \"threads\": %u, \"falling_ms\": "
                          "%.3f, "
                          "\"falling_times\": %.2f, \"pressing_ms\": %.3f, \"pressing_times\": %.2f, "
                          "\"us_per_vertex_and_substep\": %.3f, \"intersections\": %u}\n"
                        : "  %6u %8u %7u %10.2f %8.1f %10.2f %8.1f %16.2f%.0u\n",
                   s->layers, vertices, threads[i], with.falling, with.falling / plain.falling, with.pressing,
                   with.pressing / plain.pressing, 1e3 * with.pressing / (10.0 * vertices), with.intersections);
            fflush(stdout);
            if (with.intersections)
                sn_complain(0, "bench: %u intersections", with.intersections);
        }
    return true;
}
