/* A world with a valid and an invalid handle of everything, and checks that a call on it is refused as documented:
   it returns what its description says; it logs exactly one message, which is also that of sn_world_error and names
   the thing and the value; and the hash of the world does not change. Failures are counted and printed, so that one
   run of a test shows all of them; the test ends with assert_int_equal(b->failures, 0). */
#ifndef SINEW_TESTS_BENCH_H
#define SINEW_TESTS_BENCH_H

#include "support/support.h"

typedef struct bench {
    sn_world *world;
    support_log log;
    uint32_t failures;

    sn_particles run; /* ten valid particles; their numbers are above 50 so that they can be recognised in messages */
    sn_particle a, b, c, d;
    sn_particle stale;       /* removed, and its number is used again */
    sn_particle gone;        /* removed, and its number is free */
    sn_particles broken_run; /* of three, the middle one was removed */

    sn_constraint rod, band, pin, plane, box;
    sn_constraint stale_rod; /* removed, and its number is used again */
    sn_constraint gone_rod;  /* removed, and its number is free */
    sn_constraint lost_rod;  /* removed with its particle */

    sn_snapshot *snapshot;

    uint64_t hash; /* before the call under test */
    uint32_t logged;
} bench;

/* Fixtures of cmocka; *state is the bench. */
int bench_setup(void **state);
int bench_setup_2d(void **state);
int bench_teardown(void **state);

#define ON_BENCH(test)    cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)
#define ON_2D_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup_2d, bench_teardown)

/* Invalid handles of particles: null, its number used again, its number free, never issued (twice), not yet issued. */
#define BENCH_BAD_PARTICLES 6
void bench_bad_particles(const bench *b, sn_particle bad[BENCH_BAD_PARTICLES]);

/* A rod of 1 m. */
sn_constraint_def bench_rod_def(const sn_point *points);

/* ---- Checking one call ------------------------------------------------------------------------------------------- */

/* Around a call: bench_before stores the state, bench_after checks the result. words as in support_says. */
void bench_before(bench *b);
void bench_after(bench *b, bool as_documented, const char *words, const char *call, int line);

/* Counts and prints a failure. */
void bench_wrong(bench *b, int line, const char *call, const char *what);

/* The call must return the result, with a message that contains the words. */
#define REFUSED(b, expected, words, call)                                                                              \
    do {                                                                                                               \
        bench_before(b);                                                                                               \
        sn_result refused_result = (call);                                                                             \
        bench_after(b, refused_result == (expected), words, #call, __LINE__);                                          \
    } while (0)

/* The condition, which contains the call, must be true, with a message that contains the words. */
#define REFUSED_WITH(b, condition, words)                                                                              \
    do {                                                                                                               \
        bench_before(b);                                                                                               \
        bool refused_well = (condition);                                                                               \
        bench_after(b, refused_well, words, #condition, __LINE__);                                                     \
    } while (0)

/* The call changes nothing and the condition holds; it may or may not report an error. */
#define HARMLESS(b, condition)                                                                                         \
    do {                                                                                                               \
        bench_before(b);                                                                                               \
        if (!(condition))                                                                                              \
            bench_wrong(b, __LINE__, #condition, "is not true");                                                       \
        if (sn_world_hash((b)->world) != (b)->hash)                                                                    \
            bench_wrong(b, __LINE__, #condition, "changed the world");                                                 \
    } while (0)

bool bench_is_null_particle(sn_particle p);
bool bench_is_null_run(sn_particles run);
bool bench_is_null_constraint(sn_constraint c);
bool bench_is_null_constraints(sn_constraints run);

/* ---- Bad values -------------------------------------------------------------------------------------------------- */

typedef struct bad_value {
    double value;
    const char *word; /* as shown in a message */
} bad_value;

extern const bad_value bench_not_finite[3];
extern const bad_value bench_negative[5];       /* negative or not finite */
extern const bad_value bench_masses[6];         /* outside of the range, or NaN */
extern const bad_value bench_inverse_masses[6]; /* the same for inverse masses */
extern const bad_value bench_shares[5];         /* not in [0, 1] */

/* A vector with one invalid component; z is 0 unless it is the invalid one. */
sn_vec3 bench_spoilt(uint32_t axis, double value);

/* "word value" and "word 17", in buffers that are valid until the call after the next. */
const char *bench_words(const char *word, const char *value);
const char *bench_number(const char *word, uint32_t number);

#endif
