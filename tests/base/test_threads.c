/* The built-in thread pool: every task once, whatever the number of threads, however short or far apart the loops are. */
#include "support/support.h"

#include "base/memory.h"
#include "base/threads.h"

#include <fenv.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LOOPS 20000
#else
#define LOOPS 100000
#endif

#define MOST 5000 /* tasks */

/* What a loop has done: how often each task ran, and whether a worker was in two tasks at once. */
typedef struct ledger {
    uint32_t workers;
    atomic_uint ran[MOST];
    atomic_uint busy[SN_MOST_THREADS];
    atomic_uint wrong; /* workers that were busy, or do not exist */
    atomic_uint at_once, most_at_once;
} ledger;

static void note(void *data, uint32_t index, uint32_t worker)
{
    ledger *l = data;
    if (worker >= l->workers || atomic_exchange(&l->busy[worker], 1))
        atomic_fetch_add(&l->wrong, 1);
    unsigned now = atomic_fetch_add(&l->at_once, 1) + 1, most = atomic_load(&l->most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&l->most_at_once, &most, now))
        ;
    atomic_fetch_add(&l->ran[index], 1);
    atomic_fetch_sub(&l->at_once, 1);
    if (worker < l->workers)
        atomic_store(&l->busy[worker], 0);
}

static void assert_ran_once(ledger *l, uint32_t count)
{
    for (uint32_t i = 0; i < MOST; ++i)
        assert_int_equal(atomic_load(&l->ran[i]), i < count);
    assert_int_equal(atomic_load(&l->wrong), 0);
    memset(l->ran, 0, sizeof l->ran);
}

static sn_threads *pool_of(uint32_t count)
{
    sn_threads *pool = sn_threads_create(&sn_default_allocator, count, 0);
    assert_non_null(pool);
    return pool;
}

static void end(sn_threads *pool)
{
    sn_threads_destroy(pool, &sn_default_allocator);
}

static void doze(long microseconds)
{
    struct timespec time = {0, 1000 * microseconds};
    nanosleep(&time, NULL);
}

/* ---- Every task once --------------------------------------------------------------------------------------------- */

static void test_every_task_once(void **state)
{
    (void)state;
    static ledger l;
    const uint32_t counts[] = {0, 1, 2, 3, 5, 7, 8, 9, 64, 1000, MOST};
    for (uint32_t threads = 2; threads <= 8; ++threads) {
        sn_threads *pool = pool_of(threads);
        l.workers = threads;
        for (uint32_t i = 0; i < COUNT_OF(counts); ++i) {
            sn_threads_run(pool, counts[i], note, &l);
            assert_ran_once(&l, counts[i]);
        }
        end(pool);
    }
}

typedef struct sums {
    uint32_t of[32]; /* not atomic: the pool orders who writes here */
} sums;

static void add_number(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    ((sums *)data)->of[index] += index + 1;
}

/* Loops that follow each other at once, on as many threads as there are cores, and on more. What one loop wrote the next
   one reads, on another thread. */
static void test_many_short_loops(void **state)
{
    (void)state;
    const uint32_t threads[] = {2, 3, 8};
    for (uint32_t t = 0; t < COUNT_OF(threads); ++t) {
        sn_threads *pool = pool_of(threads[t]);
        sums s = {{0}};
        uint64_t expected[32] = {0};
        uint32_t loops = t == 0 ? LOOPS : LOOPS / 10;
        sn_threads_begin_step(pool);
        for (uint32_t i = 0; i < loops; ++i) {
            uint32_t count = 2 + i % 31;
            sn_threads_run(pool, count, add_number, &s);
            for (uint32_t k = 0; k < count; ++k)
                expected[k] += k + 1;
        }
        sn_threads_end_step(pool);
        for (uint32_t k = 0; k < 32; ++k)
            assert_true(s.of[k] == (uint32_t)expected[k]);
        end(pool);
    }
}

/* Pauses about as long as a thread stays awake: some are then about to fall asleep, some asleep. */
static void test_loops_between_sleep_and_waking(void **state)
{
    (void)state;
    static ledger l;
    uint64_t seed = 1;
    l.workers = 4;
    sn_threads *pool = pool_of(4);
    for (uint32_t i = 0; i < 1000; ++i) {
        uint32_t count = 2 + support_random_below(&seed, 6);
        if (i % 100 == 0)
            sn_threads_begin_step(pool);
        if (i % 100 == 30)
            sn_threads_end_step(pool);
        sn_threads_run(pool, count, note, &l);
        for (uint32_t k = 0; k < count; ++k)
            assert_int_equal(atomic_exchange(&l.ran[k], 0), 1);
        doze((long)support_random_below(&seed, 120));
    }
    assert_ran_once(&l, 0);
    end(pool);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* Tasks that wait for each other: they end only if as many threads run them. */
typedef struct meeting {
    uint32_t size;
    atomic_uint here;
    atomic_uint_least64_t workers;
} meeting;

static void meet(void *data, uint32_t index, uint32_t worker)
{
    (void)index;
    meeting *m = data;
    atomic_fetch_or(&m->workers, UINT64_C(1) << worker);
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < m->size)
        sn_threads_yield();
}

/* All threads of the pool, the calling one among them, are at work at once, also after they have slept. */
static void test_all_threads_work(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= 8; ++threads) {
        sn_threads *pool = pool_of(threads);
        for (uint32_t i = 0; i < 10; ++i) {
            meeting m = {.size = threads};
            sn_threads_run(pool, threads, meet, &m);
            assert_true(atomic_load(&m.workers) == (UINT64_C(1) << threads) - 1);
            if (i % 3 == 0)
                doze(2000);
        }
        end(pool);
    }
}

/* A task that waits for all others: they do not wait for it, even those that stand behind it in the same share. */
typedef struct jam {
    uint32_t count;
    atomic_uint done;
} jam;

static void hold_up(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    jam *j = data;
    while (index == 0 && atomic_load(&j->done) < j->count - 1)
        sn_threads_yield();
    atomic_fetch_add(&j->done, 1);
}

static void test_others_take_over(void **state)
{
    (void)state;
    sn_threads *pool = pool_of(3);
    for (uint32_t count = 2; count < 100; ++count) {
        jam j = {.count = count};
        sn_threads_run(pool, count, hold_up, &j);
        assert_int_equal(atomic_load(&j.done), count);
    }
    end(pool);
}

/* No thread before the first loop that is shared, and all of them from then on. */
static void test_threads_are_made_late(void **state)
{
    (void)state;
    static ledger l;
    l.workers = 4;
    sn_threads *pool = pool_of(4);
    assert_int_equal(sn_threads_made(pool), 0);
    sn_threads_begin_step(pool);
    sn_threads_end_step(pool);
    assert_int_equal(sn_threads_made(pool), 0);
    sn_threads_run(pool, 4, note, &l);
    assert_int_equal(sn_threads_made(pool), 3);
    assert_int_equal(sn_threads_missing(pool), 0);
    assert_ran_once(&l, 4);
    end(pool);
    end(pool_of(5)); /* never used */
    end(NULL);
}

static void test_threads_that_cannot_be_made(void **state)
{
    (void)state;
    static ledger l;
    l.workers = 8;
    for (uint32_t refused = 1; refused <= 8; ++refused) {
        sn_threads *pool = sn_threads_create(&sn_default_allocator, 8, refused);
        assert_int_equal(sn_threads_missing(pool), 0);
        for (uint32_t i = 0; i < 3; ++i) {
            sn_threads_run(pool, 100, note, &l);
            assert_ran_once(&l, 100);
        }
        assert_int_equal(sn_threads_made(pool), refused - 1);
        assert_int_equal(sn_threads_missing(pool), 8 - refused);
        meeting m = {.size = refused};
        sn_threads_run(pool, refused, meet, &m);
        end(pool);
    }
}

static void test_come_and_go(void **state)
{
    (void)state;
    static ledger l;
    for (uint32_t i = 0; i < 200; ++i) {
        uint32_t threads = 2 + i % 7;
        support_memory memory = {0};
        sn_allocator allocator = support_allocator(&memory);
        l.workers = threads;
        sn_threads *pool = sn_threads_create(&allocator, threads, 0);
        assert_non_null(pool);
        for (uint32_t k = 0; k < i % 4; ++k)
            sn_threads_run(pool, 10, note, &l);
        if (i % 5 == 0)
            doze(200); /* some end while they sleep, some while they are awake */
        assert_int_equal(memory.requests, 1);
        sn_threads_destroy(pool, &allocator);
        assert_memory_clean(&memory);
        for (uint32_t k = 0; k < 10; ++k)
            assert_int_equal(atomic_exchange(&l.ran[k], 0), i % 4);
    }
    support_memory none = {.fail_at = 1};
    sn_allocator allocator = support_allocator(&none);
    assert_null(sn_threads_create(&allocator, 4, 0));
    assert_memory_clean(&none);
}

/* ---- The host ---------------------------------------------------------------------------------------------------- */

typedef struct guest {
    pthread_t thread;
    uint32_t threads;
    bool failed;
} guest;

/* cmocka's assertions belong to the main thread, so this only takes notes. */
static void *use_a_pool(void *data)
{
    guest *g = data;
    sn_threads *pool = sn_threads_create(&sn_default_allocator, g->threads, 0);
    if (!pool) {
        g->failed = true;
        return NULL;
    }
    sums s = {{0}};
    for (uint32_t i = 0; i < 500; ++i)
        sn_threads_run(pool, 32, add_number, &s);
    for (uint32_t k = 0; k < 32; ++k)
        g->failed |= s.of[k] != 500 * (k + 1);
    sn_threads_destroy(pool, &sn_default_allocator);
    return NULL;
}

static void test_pools_side_by_side(void **state)
{
    (void)state;
    guest guests[4];
    for (uint32_t i = 0; i < COUNT_OF(guests); ++i) {
        guests[i] = (guest){.threads = 2 + i};
        assert_int_equal(pthread_create(&guests[i].thread, NULL, use_a_pool, &guests[i]), 0);
    }
    for (uint32_t i = 0; i < COUNT_OF(guests); ++i) {
        assert_int_equal(pthread_join(guests[i].thread, NULL), 0);
        assert_false(guests[i].failed);
    }
}

/* A task may use another pool. */
static void use_another(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    guest *g = (guest *)data + index;
    use_a_pool(g);
}

static void test_pool_inside_pool(void **state)
{
    (void)state;
    guest guests[3] = {{.threads = 2}, {.threads = 3}, {.threads = 2}};
    sn_threads *pool = pool_of(3);
    sn_threads_run(pool, 3, use_another, guests);
    end(pool);
    for (uint32_t i = 0; i < COUNT_OF(guests); ++i)
        assert_false(guests[i].failed);
}

static void *run_elsewhere(void *pool)
{
    meeting m = {.size = 3};
    sn_threads_run(pool, 3, meet, &m);
    return NULL;
}

static void test_callers_change(void **state)
{
    (void)state;
    sn_threads *pool = pool_of(3);
    for (uint32_t i = 0; i < 20; ++i) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_elsewhere, pool), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        run_elsewhere(pool);
    }
    end(pool);
}

/* What a third is, to each worker: its last digit depends on the rounding. */
typedef struct thirds {
    meeting meeting;
    double of[2];
} thirds;

static void divide(void *data, uint32_t index, uint32_t worker)
{
    thirds *t = data;
    volatile double one = 1, three = 3;
    t->of[worker] = one / three;
    meet(&t->meeting, index, worker);
}

/* A thread inherits the rounding of the one that makes it; the tasks must not. */
static void test_float_mode(void **state)
{
    (void)state;
    volatile double one = 1, three = 3;
    double third = one / three;
    thirds t = {.meeting.size = 2};
    sn_threads *pool = pool_of(2);
    assert_int_equal(fesetround(FE_UPWARD), 0);
    sn_threads_run(pool, 2, divide, &t);
    double upward = one / three;
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    end(pool);
    assert_true(upward > third); /* or else this test says nothing */
    assert_true(t.of[1] == third);
}

/* The threads leave the host's signals to the host. */
static void look_at_signals(void *data, uint32_t index, uint32_t worker)
{
    thirds *t = data;
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    t->of[worker] = sigismember(&set, SIGTERM) + 2 * sigismember(&set, SIGSEGV);
    meet(&t->meeting, index, worker);
}

static void test_signals(void **state)
{
    (void)state;
    thirds t = {.meeting.size = 2};
    sn_threads *pool = pool_of(2);
    sn_threads_run(pool, 2, look_at_signals, &t);
    assert_true(t.of[0] == 0);
    assert_true(t.of[1] == 1);
    end(pool);
}

/* In a process that was forked there are no threads: tasks run all the same, and nobody is waited for. */
static void test_fork(void **state)
{
    (void)state;
    static ledger l;
    l.workers = 4;
    sn_threads *pool = pool_of(4);
    sn_threads_run(pool, 100, note, &l);
    assert_ran_once(&l, 100);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        sn_threads_begin_step(pool);
        sn_threads_run(pool, 100, note, &l);
        bool right = sn_threads_made(pool) == 0;
        for (uint32_t i = 0; i < 100; ++i)
            right &= atomic_load(&l.ran[i]) == 1;
        sn_threads_end_step(pool);
        end(pool);
        _exit(right ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    sn_threads_begin_step(pool);
    meeting m = {.size = 4};
    sn_threads_run(pool, 4, meet, &m);
    end(pool);
}

/* The child may also go without a step. */
static void test_fork_and_destroy(void **state)
{
    (void)state;
    sn_threads *pool = pool_of(3);
    meeting m = {.size = 3};
    sn_threads_run(pool, 3, meet, &m);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        end(pool);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    end(pool);
}

static void test_number_of_threads(void **state)
{
    (void)state;
    assert_int_equal(sn_threads_for(1), 1);
    assert_int_equal(sn_threads_for(7), 7);
    assert_int_equal(sn_threads_for(SN_MOST_THREADS), SN_MOST_THREADS);
    assert_int_equal(sn_threads_for(SN_MOST_THREADS + 1), SN_MOST_THREADS);
    assert_in_range(sn_threads_for(0), 1, SN_MOST_THREADS_BY_ITSELF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_task_once),
        cmocka_unit_test(test_many_short_loops),
        cmocka_unit_test(test_loops_between_sleep_and_waking),
        cmocka_unit_test(test_all_threads_work),
        cmocka_unit_test(test_others_take_over),
        cmocka_unit_test(test_threads_are_made_late),
        cmocka_unit_test(test_threads_that_cannot_be_made),
        cmocka_unit_test(test_come_and_go),
        cmocka_unit_test(test_pools_side_by_side),
        cmocka_unit_test(test_pool_inside_pool),
        cmocka_unit_test(test_callers_change),
        cmocka_unit_test(test_float_mode),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_and_destroy),
        cmocka_unit_test(test_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
