/* The benchmark: what a step costs, and how well the constraints hold at that price.

       bench [--quick]

   Each scene runs its frames in blocks; the CPU time of a block divided by its projections is one sample, and the
   table shows the median of the samples and their spread. Stretch is |l - rest| / rest over the structural rods (the
   rope: all) at the end. A figure without the stretch beside it would mean nothing: not solving at all is fastest. */
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCKS 5

typedef struct scene {
    sn_world *world;
    uint32_t projections; /* in a frame */
    sn_constraints structural[4];
} scene;

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void must(bool good, const sn_world *world, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench: %s: %s\n", what, world ? sn_world_error(world) : "no world");
    exit(1);
}

static sn_world *make_world(uint32_t substeps, uint32_t iterations)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.iterations = iterations;
    sn_world *world;
    must(sn_world_create(&def, &world) == SN_OK, NULL, "world");
    return world;
}

/* All rods of a grid from (i, j) to (i + di, j + dj), as one run. */
static sn_constraints add_rods(sn_world *world, uint32_t n, int di, int dj)
{
    uint32_t *index = malloc(2 * (size_t)n * n * sizeof *index), count = 0;
    must(index != NULL, world, "memory");
    for (int i = 0; i < (int)n; ++i)
        for (int j = 0; j < (int)n; ++j) {
            int k = i + di, l = j + dj;
            if (k < 0 || l < 0 || k >= (int)n || l >= (int)n)
                continue;
            index[2 * count] = (uint32_t)(i * (int)n + j);
            index[2 * count + 1] = (uint32_t)(k * (int)n + l);
            ++count;
        }
    sn_constraints run = sn_add_constraints(world, SN_KIND_DISTANCE, count, index, NULL, NULL);
    must(run.count == count, world, "rods");
    free(index);
    return run;
}

/* n x n particles, 5 cm apart, 1 kg each, two corners held, rods along both directions and both diagonals. */
static scene make_cloth(uint32_t n)
{
    scene s = {.world = make_world(10, 1)};
    sn_real *xyz = malloc(3 * (size_t)n * n * sizeof *xyz);
    must(xyz != NULL, s.world, "memory");
    for (uint32_t i = 0; i < n * n; ++i) {
        xyz[3 * i] = (sn_real)(0.05 * (i % n));
        xyz[3 * i + 1] = 0;
        xyz[3 * i + 2] = (sn_real)(0.05 * (i / n));
    }
    sn_particles grid = sn_add_particles(s.world, n * n, xyz, 0, 1);
    must(grid.count == n * n, s.world, "particles");
    free(xyz);
    must(sn_particle_set_mass(s.world, sn_particles_at(grid, 0), SN_IMMOVABLE) == SN_OK &&
             sn_particle_set_mass(s.world, sn_particles_at(grid, n - 1), SN_IMMOVABLE) == SN_OK,
         s.world, "corners");
    s.structural[0] = add_rods(s.world, n, 1, 0);
    s.structural[1] = add_rods(s.world, n, 0, 1);
    add_rods(s.world, n, 1, 1);
    add_rods(s.world, n, 1, -1);
    s.projections = 10 * sn_world_constraint_count(s.world, SN_KIND_NONE);
    return s;
}

/* A thousand particles in a row, the last a hundred times heavier, held at the first; 20 passes a frame. */
static scene make_rope(uint32_t n)
{
    scene s = {.world = make_world(20, 1)};
    uint32_t *index = malloc(2 * (size_t)n * sizeof *index);
    must(index != NULL, s.world, "memory");
    for (uint32_t i = 0; i < n; ++i) {
        sn_real mass = i == 0 ? SN_IMMOVABLE : i == n - 1 ? 100 : 1;
        must(sn_add_particle(s.world, (sn_vec3){(sn_real)(0.05 * i), 0, 0}, mass).generation, s.world, "particle");
        index[2 * i] = i;
        index[2 * i + 1] = i + 1;
    }
    s.structural[0] = sn_add_constraints(s.world, SN_KIND_DISTANCE, n - 1, index, NULL, NULL);
    must(s.structural[0].count == n - 1, s.world, "rods");
    free(index);
    s.projections = 20 * (n - 1);
    return s;
}

static void measure_stretch(const scene *s, double *mean, double *largest)
{
    double sum = 0, count = 0;
    *largest = 0;
    for (int r = 0; r < 4; ++r)
        for (uint32_t i = 0; i < s->structural[r].count; ++i) {
            sn_constraint c = sn_constraints_at(s->structural[r], i);
            sn_constraint_def def;
            sn_point points[SN_MAX_POINTS];
            sn_real value[SN_MAX_ROWS];
            must(sn_constraint_read(s->world, c, &def, points, SN_MAX_POINTS) == SN_OK &&
                     sn_constraint_value(s->world, c, value) == SN_OK,
                 s->world, "stretch");
            double stretch = fabs((double)value[0]) / (double)def.param[0];
            sum += stretch;
            count += 1;
            *largest = fmax(*largest, stretch);
        }
    *mean = sum / count;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run(const char *name, uint32_t n, scene s, int frames)
{
    double sample[BLOCKS], mean, largest;
    for (int block = 0; block < BLOCKS; ++block) {
        double start = cpu_seconds();
        for (int frame = 0; frame < frames / BLOCKS; ++frame)
            must(sn_world_step(s.world, (sn_real)(1.0 / 60)) == SN_OK, s.world, name);
        sample[block] = (cpu_seconds() - start) / (frames / BLOCKS);
    }
    qsort(sample, BLOCKS, sizeof *sample, by_value);
    double median = sample[BLOCKS / 2];
    measure_stretch(&s, &mean, &largest);
    printf("| %-6s | %5u | %10.1f | %12.2f | %5.1f %% | %12.4f | %11.3f |\n", name, n, median * 1e9 / s.projections,
           median * 1e3, 100 * (sample[BLOCKS - 1] - sample[0]) / median, mean, largest);
    fflush(stdout);
    sn_world_destroy(s.world);
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: bench [--quick]\n");
        return 2;
    }
    printf("Sinew %s, %s precision, reference solver, one thread; median of %d blocks\n\n", sn_version(),
           sn_real_size() == 4 ? "single" : "double", BLOCKS);
    printf("| scene  |     n | ns/project | ms per frame |  spread | stretch mean | stretch max |\n");
    printf("|--------|------:|-----------:|-------------:|--------:|-------------:|------------:|\n");
    if (quick) {
        run("cloth", 16, make_cloth(16), 20);
        run("rope", 100, make_rope(100), 20);
        return 0;
    }
    run("cloth", 64, make_cloth(64), 300);
    run("cloth", 128, make_cloth(128), 300);
    run("cloth", 256, make_cloth(256), 300);
    run("rope", 1000, make_rope(1000), 300);
    return 0;
}
