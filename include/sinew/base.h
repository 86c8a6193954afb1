/* Sinew, a position-based dynamics engine. Numbers, results and the hooks into the host program. */
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 1
#define SN_VERSION_PATCH 0

/* SINEW_DOUBLE and SINEW_SHARED describe how the library was built. The CMake target and the pkg-config file
   set them for you; set them by hand only when you compile without either. */
#ifndef SINEW_DOUBLE
#define SINEW_DOUBLE 0
#endif

#ifndef SN_API /* inside the library it is nothing; see cmake/calls.cmake */
#if defined(SINEW_SHARED) && defined(_WIN32)
#ifdef SINEW_BUILDING
#define SN_API __declspec(dllexport)
#else
#define SN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SN_API __attribute__((visibility("default")))
#else
#define SN_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers ------------------------------------------------------------------------------------
   Units are SI throughout: metres, kilograms, seconds, newtons, radians. sn_real is float; a library built with
   SINEW_DOUBLE uses double everywhere instead. */

#if SINEW_DOUBLE
typedef double sn_real;
/* A program and a library that disagree about sn_real do not link. */
#ifndef sn_world_create
#define sn_world_create sn_world_create_double
#endif
#else
typedef float sn_real;
#endif

typedef struct sn_vec3 {
    sn_real x, y, z;
} sn_vec3;

/* A rotation. A unit quaternion. */
typedef struct sn_quat {
    sn_real x, y, z, w; /* w is the real part */
} sn_quat;

/* A parameter with this value is measured when the constraint is added: the rest length of a rod is then its current
   length. If the kind cannot measure it, it gets the kind's default. */
#define SN_MEASURE ((sn_real)-3.0e38)

/* The mass of a particle that no force and no constraint moves. Its inverse mass is 0. */
#define SN_IMMOVABLE ((sn_real)INFINITY)

/* ---- Results ------------------------------------------------------------------------------------
   One convention for all calls. A call that fails returns, by its type:

       sn_result                      a reason, not SN_OK; what it writes through a pointer is null, zero or unchanged
       a handle, a run, a pointer     null: all zero; count 0 of a run
       a number of something new      0
       sn_real, sn_vec3, sn_quat      NaN, in each part
       a count, a size, a group       0
       bool                           false: "no"
       another struct                 all zero
       nothing                        only calls that destroy, which ignore NULL

   sn_world_error returns the reason as text, and each failing call is logged once, also one that only reads. A null
   or stale handle, a NULL world or a bad number is such a failure, and never worse. Some questions have an answer for
   every argument and do not fail: sn_..._is_valid, counts of NULL, a name that does not exist (sn_kind_find). A call
   that fails has changed nothing, neither sleep nor sn_world_hash, unless its description says otherwise. With a NULL
   world there is no place for the reason. */

typedef enum sn_result {
    SN_OK = 0,
    SN_ERROR_ARGUMENT, /* a value that makes no sense: NaN, negative mass, NULL, an unknown name */
    SN_ERROR_STALE,    /* a handle of a thing that was removed, or that never existed */
    SN_ERROR_MEMORY,   /* the allocator returned NULL */
    SN_ERROR_LIMIT,    /* more than a world can hold */
    SN_ERROR_BUSY,     /* the world was called from inside one of its own callbacks */
    SN_ERROR_DIVERGED, /* a substep would have produced an infinity or a NaN; it was not taken */
    SN_ERROR_HOST,     /* a hook of the caller broke its promise, such as a task system that loses tasks */
    SN_CANCELLED       /* the caller cancelled it; see sn_world_set_cancel. Not an error, so not logged */
} sn_result;

/* ---- Versions -----------------------------------------------------------------------------------
   Two libraries with the same soname are interchangeable: programs need not be compiled again. The soname has the
   major version, and before 1.0 also the minor one (libsinew.so.0.1, later libsinew.so.1). `make abi` compares the
   library with that of the last release.

   Within a soname, functions and enum values may be added, and patches may change results where CHANGELOG.md says so.
   No function is removed or changes its type, no struct grows, and no value changes its meaning.

   A struct gets a new field only with a new soname, and only at its end. A program then has to be compiled again, but
   not changed: the default of the new field is the earlier behaviour. So start from the default function,
   sn_default_..., of every struct that has one, and set what you want. A struct that is filled by hand has zeros in
   fields that it does not know. Structs have no field for their size: they are returned by value, contain each other
   and are elements of your arrays, where a size would not help. */

/* A short English name of a result, such as "stale handle". Never NULL; the string is static. */
SN_API const char *sn_result_text(sn_result result);

/* The version of the library that is linked, such as "0.1.0". The string is static. */
SN_API const char *sn_version(void);

/* The size in bytes of sn_real in the library that is linked: 4 or 8. */
SN_API size_t sn_real_size(void);

/* ---- Hooks of the host program ------------------------------------------------------------------
   Each is optional (a zeroed struct means the built-in behaviour) and has a context that is passed to it. A function
   of the caller, hook or callback, must return. If it is left by longjmp or an exception, the world stays inside the
   call for ever.

   Every call of this library runs in the floating-point mode of IEEE: rounding to nearest, denormals kept, exceptions
   masked. It restores the mode of the caller at its end. So results do not depend on the mode of the host. Hooks,
   force fields, kinds and other callbacks run in that mode, too. A callback that changes the mode must restore it.
   Tasks of sn_tasks set it on every thread that runs them. */

/* Memory. Set both functions or neither. allocate returns at least size bytes aligned to alignment (a power of two,
   at most 64), or NULL. release gets the size that was asked for. Built in: the C library's allocator. Called only
   from the thread that calls the world, and never during a warmed-up step. If several threads query a world
   (sinew/query.h), it is called from any of them, one at a time. Must not call the world. */
typedef struct sn_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *block, size_t size);
    void *context;
} sn_allocator;

typedef enum sn_log_level { SN_LOG_ERROR, SN_LOG_WARNING, SN_LOG_INFO } sn_log_level;

/* Messages. Each failing call is logged once, as an error, with the text of sn_world_error. Settings that are known
   to cause trouble are logged as a warning. The text is valid during the call only, and the hook must not call the
   world. If queries fail on several threads at the same moment, one is logged, so only one thread at a time calls the
   hook. Built in: no messages. */
typedef struct sn_log {
    void (*write)(void *context, sn_log_level level, const char *text);
    void *context;
} sn_log;

/* Parallel loops. run must call task(data, i) once for every i in 0 .. count-1, in any order and on any threads, and
   return when all of them have returned. Results never depend on it: the division into tasks is fixed by the scene.
   Built in: a pool of threads, see sn_world_def.threads.

   A step uses it for all loops over particles and over tiles of constraints, and for those of SN_SOLVER_JACOBI over
   constraints, unless they are too small. The other solvers work through the constraints one by one, on the calling
   thread. At most 64 tasks run at once: on more threads than that some wait for others. Loops follow each other within
   microseconds, so the threads of run should be awake.

   A task that is not run makes the step fail with SN_ERROR_HOST. A task that is run twice has no effect the second
   time. A task that is still running when run returns is waited for. A task that is run late does work of the current
   loop. After the world is destroyed no task may be run. */
typedef struct sn_tasks {
    void (*run)(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
    void *context;
} sn_tasks;

#ifdef __cplusplus
}
#endif
#endif
