/* The limits of the machine, measured in the same run as the rows that they are compared with. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <sinew/sinew.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ---- Projections in contiguous arrays ---------------------------------------------------------------------------- */

#define RODS   520 /* nine arrays fit into a first-level cache of 32 KiB, and none begins 4 KiB after another */
#define SWEEPS 64  /* timed together */

#if SINEW_DOUBLE
#define ROOT sqrt
#else
#define ROOT sqrtf
#endif

#if defined(__GNUC__)
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

/* Rods between points with the same index in two groups of arrays. */
typedef struct rods {
    sn_real ax[RODS], ay[RODS], az[RODS], aw[RODS];
    sn_real bx[RODS], by[RODS], bz[RODS], bw[RODS];
    sn_real rest[RODS];
} rods;

/* Plain C that compilers vectorise: no two rods share a point; one exact root and one exact division each. */
static INLINE void sweep(rods *r)
{
    for (uint32_t i = 0; i < RODS; ++i) {
        sn_real dx = r->bx[i] - r->ax[i], dy = r->by[i] - r->ay[i], dz = r->bz[i] - r->az[i];
        sn_real length = ROOT(dx * dx + dy * dy + dz * dz);
        sn_real share = (length - r->rest[i]) / (length * (r->aw[i] + r->bw[i]));
        sn_real a = share * r->aw[i], b = share * r->bw[i];
        r->ax[i] += a * dx;
        r->ay[i] += a * dy;
        r->az[i] += a * dz;
        r->bx[i] -= b * dx;
        r->by[i] -= b * dy;
        r->bz[i] -= b * dz;
    }
}

static void sweep_baseline(rods *r)
{
    sweep(r);
}

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2"))) static void sweep_avx2(rods *r)
{
    sweep(r);
}
#endif

typedef void sweep_fn(rods *r);

static sweep_fn *choose_sweep(const char **lanes)
{
#if defined(__GNUC__) && defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        *lanes = "AVX2";
        return sweep_avx2;
    }
#endif
    *lanes = "baseline";
    return sweep_baseline;
}

static void stretch_all(rods *r)
{
    for (uint32_t i = 0; i < RODS; ++i) {
        r->ax[i] = r->ay[i] = r->az[i] = 0;
        r->bx[i] = (sn_real)(0.05 + 1e-4 * (i % 7));
        r->by[i] = r->bz[i] = (sn_real)0.01;
        r->aw[i] = r->bw[i] = 1;
        r->rest[i] = (sn_real)0.05;
    }
}

/* The least of many times: interruptions only add time. */
static double measure_contiguous(bool quick, const char **lanes)
{
    rods *r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
    sweep_fn *volatile run = choose_sweep(lanes); /* volatile: called each time, not inlined into the loop */
    double best = INFINITY;
    for (uint32_t turn = 0; r && turn < (quick ? 50u : 2000u); ++turn) {
        stretch_all(r);
        run(r);
        double start = sn_seconds_now();
        for (uint32_t i = 0; i < SWEEPS; ++i)
            run(r);
        double seconds = sn_seconds_now() - start;
        best = seconds < best ? seconds : best;
    }
    free(r);
    return r ? 1e9 * best / ((double)SWEEPS * RODS) : NAN;
}

/* ---- Copying ----------------------------------------------------------------------------------------------------- */

#define COPIES 15

static double measure_copy(bool quick)
{
    size_t size = (quick ? (size_t)32 : (size_t)256) << 20;
    unsigned char *from = malloc(size), *to = malloc(size);
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    double best = INFINITY;
    if (from && to) {
        memset(from, 1, size);
        memset(to, 2, size);
        for (int turn = 0; turn < COPIES; ++turn) {
            double start = sn_seconds_now();
            copy(to, from, size);
            double seconds = sn_seconds_now() - start;
            best = seconds < best ? seconds : best;
        }
    }
    free(from);
    free(to);
    return from && to && best > 0 ? 2 * (double)size / best : NAN;
}

/* ---- The machine ------------------------------------------------------------------------------------------------- */

/* The text after "key : " in a file of such lines. */
static void read_line_of(const char *path, const char *key, char *text, size_t size)
{
    char line[256];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        ++colon;
        colon += strspn(colon, " \t");
        colon[strcspn(colon, "\n")] = 0;
        snprintf(text, size, "%s", colon);
        break;
    }
    if (file)
        fclose(file);
}

/* The size of a cache of the first core in bytes, as the kernel lists it ("32768K"); 0 if unknown. */
static double read_cache(uint32_t level)
{
    for (unsigned i = 0; i < 8; ++i) {
        char path[96], kind[16] = "", unit = 0;
        unsigned this_level = 0, size = 0;
        static const char *const parts[] = {"level", "type", "size"};
        bool good = true;
        for (int part = 0; part < 3 && good; ++part) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", i, parts[part]);
            FILE *file = fopen(path, "r");
            good = file && (part == 0   ? fscanf(file, "%u", &this_level) == 1
                            : part == 1 ? fscanf(file, "%15s", kind) == 1
                                        : fscanf(file, "%u%c", &size, &unit) >= 1);
            if (file)
                fclose(file);
        }
        if (good && this_level == level && strcmp(kind, "Instruction") != 0)
            return size * (unit == 'M' ? 1048576.0 : unit == 'K' ? 1024.0 : 1.0);
    }
    return 0;
}

/* The number of threads that a world uses by default. */
static uint32_t count_cores(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    uint32_t cores = sn_world_create(&def, &world) == SN_OK ? sn_world_threads(world) : 1;
    sn_world_destroy(world);
    return cores;
}

static void describe(sn_bench_machine *m)
{
    struct utsname name;
    snprintf(m->cpu, sizeof m->cpu, "unknown");
    read_line_of("/proc/cpuinfo", "model name", m->cpu, sizeof m->cpu);
#if defined(__clang__)
    snprintf(m->compiler, sizeof m->compiler, "%s", __VERSION__);
#elif defined(__GNUC__)
    snprintf(m->compiler, sizeof m->compiler, "gcc %s", __VERSION__);
#else
    snprintf(m->compiler, sizeof m->compiler, "unknown");
#endif
    if (uname(&name) == 0)
        snprintf(m->system, sizeof m->system, "%.40s %.40s %.40s", name.sysname, name.release, name.machine);
    m->cores = count_cores();
    m->l1 = read_cache(1);
    m->l2 = read_cache(2);
    m->l3 = read_cache(3);
}

bool sn_bench_machine_measure(sn_bench_machine *m, bool quick)
{
    memset(m, 0, sizeof *m);
    describe(m);
    m->contiguous_ns = measure_contiguous(quick, &m->lanes);
    m->copy_bandwidth = measure_copy(quick);
    if (!isnan(m->contiguous_ns) && !isnan(m->copy_bandwidth))
        return true;
    sn_complain(0, "bench: out of memory");
    return false;
}

/* ---- Limits of a row --------------------------------------------------------------------------------------------- */

/* The least memory traffic of a substep if a scene is larger than all caches. Position, velocity and inverse mass of
   a particle are read, and the first two are written. If the scene is not regular, the two numbers and the length of
   each rod are read. */
#define PARTICLE_REALS 13
#define ROD_BYTES      8

void sn_bench_limit(const sn_bench_machine *m, sn_bench_row *row)
{
    if (!row->distances || row->status[0] || !(row->constraints > 0))
        return;
    bool regular = strcmp(row->path, "grid") == 0;
    double moved = (double)row->particles * PARTICLE_REALS * sizeof(sn_real) +
                   (regular ? 0 : (double)row->constraints * (ROD_BYTES + sizeof(sn_real)));
    double arithmetic = m->contiguous_ns / row->threads;
    double memory = 1e9 * moved / m->copy_bandwidth / row->constraints;
    /* Several threads together may have more memory bandwidth than the single thread of the copy test. */
    row->memory_bound = row->threads == 1 && m->l3 > 0 && moved > m->l3 && memory > arithmetic;
    row->limit_ns = row->memory_bound ? memory : arithmetic;
    row->limit_share = row->ns > 0 ? row->limit_ns / row->ns : NAN;
}
