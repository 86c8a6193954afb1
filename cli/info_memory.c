/* The memory of a world, measured through its allocator. */
#include "cli/info.h"

#include <sinew/sinew.h>

#include <math.h>
#include <stdlib.h>

#define LEAST_PARTICLES 64 /* enough for constraints of every kind */

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

static void *take(void *context, size_t size, size_t alignment)
{
    sn_meter *meter = context;
    size_t unit = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    if (size > SIZE_MAX - unit)
        return NULL;
    void *block = aligned_alloc(unit, (size + unit - 1) / unit * unit);
    if (block) {
        meter->now += size;
        meter->peak = meter->now > meter->peak ? meter->now : meter->peak;
    }
    return block;
}

static void give_back(void *context, void *block, size_t size)
{
    ((sn_meter *)context)->now -= size;
    free(block);
}

sn_allocator sn_meter_allocator(sn_meter *meter)
{
    return (sn_allocator){take, give_back, meter};
}

/* ---- Worlds to measure ------------------------------------------------------------------------------------------- */

static sn_world *make_world(sn_meter *meter)
{
    sn_world *world = NULL;
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 1;
    def.settings.stiffening = SN_STIFFENING_OFF; /* memory of stiff meshes is not that of a constraint */
    def.allocator = sn_meter_allocator(meter);
    return sn_world_create(&def, &world) == SN_OK ? world : NULL;
}

/* A step allocates the solver's memory. It may fail. */
static void settle(sn_world *world)
{
    (void)sn_world_step(world, (sn_real)1e-4);
}

/* Adds particles along a winding curve; no few consecutive ones are coplanar or coincide. */
static bool add_particles(sn_world *world, uint32_t count)
{
    sn_real *xyz = malloc(3 * (size_t)count * sizeof *xyz);
    if (!xyz)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        double t = i % 1000;
        xyz[3 * (size_t)i] = (sn_real)((2 + sin(1.3 * t)) * cos(0.7 * t));
        xyz[3 * (size_t)i + 1] = (sn_real)((2 + sin(1.3 * t)) * sin(0.7 * t));
        xyz[3 * (size_t)i + 2] = (sn_real)(0.1 * t + 0.01 * (i / 1000));
    }
    bool added = sn_particles_add(world, count, xyz, 0, 1).count == count;
    free(xyz);
    return added;
}

static bool add_constraints(sn_world *world, uint32_t particles, uint32_t kind, uint32_t count)
{
    uint32_t points = sn_kind_info(NULL, kind)->points;
    uint32_t *index = malloc((size_t)count * points * sizeof *index);
    if (!index)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < points; ++k)
            index[(size_t)i * points + k] = (uint32_t)(((uint64_t)i + k) % particles);
    bool added = sn_constraints_add_kind(world, kind, count, index, NULL, NULL).count == count;
    free(index);
    return added;
}

double sn_measure_particle(uint32_t particles)
{
    uint32_t count = particles < LEAST_PARTICLES ? LEAST_PARTICLES : particles;
    sn_meter meter = {0, 0};
    double bytes = (double)NAN;
    sn_world *world = make_world(&meter);
    if (world) {
        settle(world);
        uint64_t before = meter.now;
        if (add_particles(world, count)) {
            settle(world);
            bytes = (double)(meter.now - before) / count;
        }
    }
    sn_world_destroy(world);
    return bytes;
}

double sn_measure_constraint(uint32_t particles, uint32_t kind, uint32_t count)
{
    const sn_kind *info = sn_kind_info(NULL, kind);
    if (!info || info->points == 0 || count == 0)
        return (double)NAN;
    uint32_t enough = particles < LEAST_PARTICLES ? LEAST_PARTICLES : particles;
    sn_meter meter = {0, 0};
    double bytes = (double)NAN;
    sn_world *world = make_world(&meter);
    if (world && add_particles(world, enough)) {
        settle(world);
        uint64_t before = meter.now;
        if (add_constraints(world, enough, kind, count)) {
            settle(world);
            bytes = (double)(meter.now - before) / count;
        }
    }
    sn_world_destroy(world);
    return bytes;
}
