/* Shared by several test programs: worlds with everything in them, memory that counts and fails, task hooks, and
   comparisons. Include this first: it includes cmocka with what cmocka needs before it. */
#ifndef SINEW_TESTS_SUPPORT_H
#define SINEW_TESTS_SUPPORT_H

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sinew/sinew.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* Literals in tests are double; these convert them to sn_real in either build. */
static inline sn_real real(double x)
{
    return (sn_real)x;
}

static inline sn_vec3 vec(double x, double y, double z)
{
    sn_vec3 v = {(sn_real)x, (sn_real)y, (sn_real)z};
    return v;
}

/* The largest finite sn_real, and the relative error that a few operations may cause. */
#if SINEW_DOUBLE
#define SUPPORT_REAL_MAX  DBL_MAX
#define SUPPORT_ROUND_OFF 1e-13
#else
#define SUPPORT_REAL_MAX  FLT_MAX
#define SUPPORT_ROUND_OFF 1e-5
#endif

bool support_is_finite(sn_vec3 v);
bool support_is_nan(sn_vec3 v); /* all three components are */
double support_gap(sn_vec3 a, sn_vec3 b);

/* |a - b| <= tolerance, with both numbers in the message. */
#define assert_close(a, b, tolerance)                                                                                  \
    support_assert_close((double)(a), (double)(b), (double)(tolerance), #a " = " #b, __FILE__, __LINE__)
void support_assert_close(double a, double b, double tolerance, const char *what, const char *file, int line);

#define assert_vec_close(a, b, tolerance)                                                                              \
    support_assert_vec_close((a), (b), (double)(tolerance), #a " = " #b, __FILE__, __LINE__)
void support_assert_vec_close(sn_vec3 a, sn_vec3 b, double tolerance, const char *what, const char *file, int line);

/* Compares bits, so that -0 differs from 0 and NaN equals itself. */
#define assert_vec_same(a, b) support_assert_vec_same((a), (b), #a " is " #b, __FILE__, __LINE__)
void support_assert_vec_same(sn_vec3 a, sn_vec3 b, const char *what, const char *file, int line);

/* The call must return SN_OK; otherwise the test fails with the world's reason. */
#define assert_ok(world, call) support_assert_result((world), (call), SN_OK, #call, __FILE__, __LINE__)
#define assert_result(world, expected, call)                                                                           \
    support_assert_result((world), (call), (expected), #call, __FILE__, __LINE__)
void support_assert_result(const sn_world *world, sn_result got, sn_result expected, const char *call, const char *file,
                           int line);

/* Whether text contains every word of words, in upper or lower case; a word "a|b" stands for either. */
bool support_says(const char *text, const char *words);
#define assert_says(text, words) support_assert_says((text), (words), "", __FILE__, __LINE__)
void support_assert_says(const char *text, const char *words, const char *call, const char *file, int line);

/* Both worlds must have the same particles, bit for bit, and the same hash. */
#define assert_same_world(a, b) support_assert_same_world((a), (b), __FILE__, __LINE__)
void support_assert_same_world(const sn_world *a, const sn_world *b, const char *file, int line);

/* A small generator of pseudo-random numbers (splitmix64); the state is the seed. */
uint64_t support_random(uint64_t *state);
uint32_t support_random_below(uint64_t *state, uint32_t limit);
double support_random_in(uint64_t *state, double least, double most);

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* How often a long test repeats something. With SINEW_LONG_TESTS in the environment (make test-long, make check)
   `full` times. Otherwise an eighth of that; under a sanitizer `watched` times, since it is several times slower and
   finds the faults in the first rounds. A `watched` of 0 leaves something out under a sanitizer; one above `full` is
   a stride. Without a sanitizer both are done in full. */
uint32_t support_rounds(uint32_t full, uint32_t watched);

/* The same for tests that take long in every build: `full` times with SINEW_LONG_TESTS in the environment, else
   `brief` times. */
uint32_t support_long(uint32_t full, uint32_t brief);

/* Skips a test under a sanitizer: a long one that is about physics only, whose code is also run by shorter tests.
   With SINEW_LONG_TESTS it runs. */
#define support_skip_watched()                                                                                         \
    do {                                                                                                               \
        if (support_rounds(1, 0) == 0)                                                                                 \
            skip();                                                                                                    \
    } while (0)

/* ---- Known failures ---------------------------------------------------------------------------------------------- */

/* A known defect, as a check that will hold once it is cured. While it does not hold, "KNOWN FAILURE: ..." is
   printed, and scripts/test.sh lists these lines at the end of a run. Once it holds the test fails, so that the
   check is replaced by an ordinary assertion. */
#define assert_known_failure(name, holds) support_known_failure((name), (holds), __FILE__, __LINE__)
void support_known_failure(const char *name, bool holds, const char *file, int line);

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* An allocator that counts, fails on demand, and checks how it is used. Blocks have exactly the requested alignment,
   and are filled with rubbish when allocated and when released. Zero it first. */
typedef struct support_memory {
    uint64_t requests;     /* calls of allocate so far */
    uint64_t fail_at;      /* the request with this number (from 1) gets NULL; 0: none */
    bool fail_ever_after;  /* and all later requests, too */
    uint64_t failures;     /* requests that got NULL */
    uint8_t rubbish;       /* the byte that fills new blocks; 0: 0xCD */
    size_t blocks, bytes;  /* not released yet */
    uint64_t wrong_size;   /* blocks released with another size than that of their request */
    uint64_t wrong_align;  /* requests whose alignment is not a power of two up to 64 */
    uint64_t wrong_thread; /* calls from another thread than that of the first call */
    uint64_t overruns;     /* blocks with writes beyond their end, or released twice */
    bool owned;
    pthread_t owner;
} support_memory;

sn_allocator support_allocator(support_memory *memory);

/* Everything must be released, without any wrong use. */
#define assert_memory_clean(memory) support_assert_memory_clean((memory), __FILE__, __LINE__)
void support_assert_memory_clean(const support_memory *memory, const char *file, int line);

/* For tests in which every request fails once, the first in the first round. A default world with this allocator; */
sn_world_def support_scarce(support_memory *memory);

/* whether a call ran out of memory: that must then be its error, with the world's hash unchanged; */
#define ran_out(world, before, call) support_ran_out((world), (before), (call), #call, __FILE__, __LINE__)
bool support_ran_out(const sn_world *world, uint64_t before, sn_result got, const char *call, const char *file,
                     int line);

/* and the end of a round: all memory of the world is released. False if no request failed, so that there is no
   further round. */
bool support_had_failed(sn_world *world, const support_memory *memory);

/* Whether worlds can use vectors of this width: some builds have none. */
bool support_has_width(sn_simd simd);

/* ---- Logs -------------------------------------------------------------------------------------------------------- */

typedef struct support_log {
    uint32_t count;
    sn_log_level level; /* of the last message */
    char text[1024];
} support_log;

sn_log support_log_hook(support_log *log);

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

typedef enum support_task_mode {
    SUPPORT_TASKS_FORWARD, /* on the calling thread */
    SUPPORT_TASKS_REVERSE, /* on the calling thread, the last task first */
    SUPPORT_TASKS_THREADS, /* on several threads at once, the last task first */
    SUPPORT_TASKS_TWICE,   /* each task twice in a row */
    SUPPORT_TASKS_ECHO,    /* all tasks, and then all of them again on several threads */
    SUPPORT_TASKS_LOSE     /* skips task number lost % count in run number lossy_run */
} support_task_mode;

typedef struct support_tasks {
    support_task_mode mode;
    uint32_t threads;   /* for SUPPORT_TASKS_THREADS and _ECHO */
    uint32_t lost;      /* for SUPPORT_TASKS_LOSE; SUPPORT_LOSE_ALL: every task */
    uint32_t lossy_run; /* counted from 0 */
    uint32_t runs;      /* runs so far */
    uint32_t most;      /* the largest number of tasks in a run */
} support_tasks;

#define SUPPORT_LOSE_ALL UINT32_MAX

sn_tasks support_tasks_hook(support_tasks *tasks);

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

/* A default world; the test fails if it cannot be made. */
sn_world *support_world(void);
sn_world *support_world_2d(void);
sn_world *support_world_from(const sn_world_def *def);

/* Properties of sweeps that hold in any order are tested in all orders: those of SN_SOLVER_GAUSS_SEIDEL, by their
   numbers, and that of SN_SOLVER_TILED, which follows from its plan. */
enum { SUPPORT_TILED = SN_ORDER_THERE_AND_BACK + 1, SUPPORT_SWEEPS };

/* Sets solver and order. */
void support_set_sweep(sn_settings *settings, int sweep);

/* An empty space: no gravity, one substep, one pass. It isolates the effect of a call. */
sn_world *support_void(void);

/* A registered kind for the tests: two points keep the x distance "gap" (one row, internal, measurable). */
extern const sn_kind support_kind_gap;

/* Whether constraints of a kind can be added to particles of this world: not spatial ones in a flat world, and not
   those with axes. */
bool support_kind_fits(const sn_world *world, uint32_t kind);

/* Whether a kind has compliance and damping: forces and kinds with their own projection do not. */
bool support_kind_gives(const sn_kind *kind);

/* Whether its points may be barycentric: not for kinds with any number of points, or with their own projection. */
bool support_kind_takes_spots(const sn_kind *kind);

/* A kind whose points are the corners of triangles of a closed surface: any number of points, three by three, with
   repeated particles. */
bool support_kind_is_surface(const sn_kind *kind);

#define SUPPORT_MOST_POINTS 32

/* The number of points of a constraint of this kind in the tests: that of the kind. For a kind with any number: for
   a surface a tetrahedron, otherwise the least number; with `longer` an octahedron, or three more. */
uint32_t support_point_count(const sn_kind *kind, bool longer);

/* The particle of point i: for a surface a corner of the tetrahedron or octahedron, counter-clockwise seen from
   outside; otherwise a particle of its own. */
uint32_t support_particle_of_point(const sn_kind *kind, bool longer, uint32_t i);

/* The definition of a constraint of any kind with the given points, support_point_count of them (not longer):
   parameters that can be measured are, the others are harmless. */
sn_constraint_def support_constraint_def(const sn_world *world, uint32_t kind, const sn_point *points);

#define SUPPORT_ZOO_PARTICLES 324
#define SUPPORT_ZOO_KINDS     64

/* Everything at once. For every kind that fits the world there are a rigid constraint between particles, one between
   barycentric points in triangles and tetrahedra, one that is soft and damped, and one of half the stiffness. Soft
   tethers hold all of it under gravity. Works in 2D and 3D worlds; handles of what a kind does not support are null. */
typedef struct support_animals {
    sn_particles grid;                           /* SUPPORT_ZOO_PARTICLES of them; the first four are immovable */
    sn_constraints tethers;                      /* a soft pin for each of them */
    uint32_t kind_count;                         /* as of sn_kind_count */
    sn_constraint rigid[SUPPORT_ZOO_KINDS];      /* by kind: between particles */
    sn_constraint on_spots[SUPPORT_ZOO_KINDS];   /* between barycentric points */
    sn_constraint soft[SUPPORT_ZOO_KINDS];       /* compliance and damping */
    sn_constraint half_stiff[SUPPORT_ZOO_KINDS]; /* k = 0.5 */
} support_animals;

support_animals support_zoo(sn_world *world);

/* A field with swirls, a pure function of position and time. context is not used. */
sn_vec3 support_wind(void *context, const sn_field_in *in);

/* Takes steps, each of which must succeed. */
void support_run(sn_world *world, uint32_t steps, double dt);

#endif
