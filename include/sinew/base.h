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

/* ---- Numbers --------------------------------------------------------------------------------------------------
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

/* A turn in space, of length 1. */
typedef struct sn_quat {
    sn_real x, y, z, w; /* w is the real part */
} sn_quat;

/* A parameter with this value is taken from the particles as they are when the constraint is added (the rest
   length of a rod is then its length now), or, where the kind cannot measure it, from the kind's default. */
#define SN_MEASURE ((sn_real)-3.0e38)

/* The mass of a particle that no force and no constraint moves. Its inverse mass is 0. */
#define SN_IMMOVABLE ((sn_real)INFINITY)

/* ---- Results --------------------------------------------------------------------------------------------------
   One convention for all calls. What a call returns says whether it failed, by its type:

       sn_result                      SN_OK, or the reason; what it writes through a pointer is then null, zero, or as it was
       a handle, a run, a pointer     null: all zero, of a run count 0
       a number of something new      0
       sn_real, sn_vec3, sn_quat      NaN, in each part
       a count, a size, a group       0
       bool                           false: "no"
       another struct                 all zero
       nothing                        only calls that destroy, which ignore NULL

   Why it failed is told in words by sn_world_error, and each failing call is logged once, also one that reads. A null or stale handle, a NULL
   world, a bad number: never more than that. Questions that have an answer for anything are no failures: sn_..._is_valid, counts of NULL,
   a name that is not there (sn_kind_find). A call that fails has changed nothing, asleep or awake, sn_world_hash included, unless its description
   says otherwise. With a NULL world there is nothing that could tell why. */

typedef enum sn_result {
    SN_OK = 0,
    SN_ERROR_ARGUMENT, /* a value that makes no sense: NaN, negative mass, NULL, an unknown name */
    SN_ERROR_STALE,    /* a handle of something that was removed, or that never existed */
    SN_ERROR_MEMORY,   /* the allocator returned NULL */
    SN_ERROR_LIMIT,    /* more than a world can hold */
    SN_ERROR_BUSY,     /* the world was called from inside one of its own callbacks */
    SN_ERROR_DIVERGED, /* a substep would have produced an infinity or a NaN; it was not taken */
    SN_ERROR_HOST,     /* a hook of the caller broke its promise, such as a task system that loses tasks */
    SN_CANCELLED       /* the caller asked for it; see sn_world_set_cancel. Not logged: nothing is wrong */
} sn_result;

/* ---- Versions -------------------------------------------------------------------------------------------------
   Two libraries of one soname are interchangeable: programs need not be compiled again. The soname has the major version, and before 1.0 the
   minor one, too (libsinew.so.0.1, later libsinew.so.1). Within it functions and enum values may be added, and patches may change results
   where CHANGELOG.md says so; no function goes or changes its type, no struct grows, and no value gets another meaning.
   A struct gets a field, at its end, only together with a new soname. That costs a program a compilation and no change: the default of an appended field
   is what the library did before there was one. So start from the default function, sn_default_..., of every struct that has one, and set what you
   want; a struct that is filled by hand has zeros in fields that it does not know. There is no field for the size of a struct: structs of this
   API are returned by value, are parts of each other and lie in arrays of yours, and there a size would not help.
   `make abi` compares the library with that of the last release. */

/* A short English name of a result, such as "stale handle". Never NULL; the string is static. */
SN_API const char *sn_result_text(sn_result result);

/* The version of the library that is linked, such as "0.1.0". The string is static. */
SN_API const char *sn_version(void);

/* The size in bytes of sn_real in the library that is linked: 4 or 8. */
SN_API size_t sn_real_size(void);

/* ---- Hooks of the host program --------------------------------------------------------------------------------
   Each is optional (a zeroed struct means the built-in behaviour) and carries a context that is passed back. A function
   of the caller, hook or callback, must return: leaving it by longjmp or an exception leaves the world in the middle of a
   call for ever.

   Every call of this library, whatever it does, runs in the floating-point mode of IEEE: rounding to nearest, denormals kept,
   exceptions masked; and puts back the mode that it found. So results do not depend on what the host has set. Hooks, force fields,
   kinds and other callbacks are called from within and see that mode, too. One that changes it must put it back. Tasks
   of sn_tasks set it for themselves on whatever thread they run. */

/* Memory. Set both functions or neither. allocate returns at least size bytes aligned to alignment (a power of two,
   at most 64), or NULL. release gets the size that was asked for. Built in: the C library's allocator.
   Called only from the thread that calls the world, never during a warmed-up step; where several threads ask a world
   (sinew/query.h), from whichever asks, one at a time. Must not call the world. */
typedef struct sn_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *block, size_t size);
    void *context;
} sn_allocator;

typedef enum sn_log_level { SN_LOG_ERROR, SN_LOG_WARNING, SN_LOG_INFO } sn_log_level;

/* Messages: each failing call is logged once, as an error, with the text of sn_world_error; settings that are known to be
   delicate are logged as a warning. The text lives for the call only, and the hook must not call the world. Of queries that are
   refused on several threads at the same moment one is logged, so the hook is called by one thread at a time. Built in: silence. */
typedef struct sn_log {
    void (*write)(void *context, sn_log_level level, const char *text);
    void *context;
} sn_log;

/* Parallel loops. run must call task(data, i) once for every i in 0 .. count-1, in any order and on any threads, and
   return when all of them have returned. Results never depend on it: the cut into tasks is fixed by the scene. All loops
   of a step over particles and over tiles of constraints use it, and those of SN_SOLVER_JACOBI over constraints, unless
   they are too small to be worth it; the other solvers work through the constraints one by one, on the calling thread.
   At most 64 tasks run at once: on more threads than that some wait for others. Loops follow each other within
   microseconds, so run should find its threads awake. A task that is not run makes the step fail with SN_ERROR_HOST; one
   that is run twice has no effect the second time, and one that is still running when run returns is waited for. One that
   is run late, in a later loop, does its part of that; after the world is destroyed none may be run.
   Built in: a pool of threads, see sn_world_def.threads. */
typedef struct sn_tasks {
    void (*run)(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
    void *context;
} sn_tasks;

#ifdef __cplusplus
}
#endif
#endif
