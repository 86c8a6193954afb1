/* Loops on the calling thread, on the built-in pool and on a caller's task system that may be slow, wasteful or forgetful:
   every item once, or the loop says that some are missing. */
#include "support/support.h"

#include "base/parallel.h"

#include <time.h>

#define MOST_ITEMS (SN_LEAST_ITEMS + 5 * SN_PIECE + 5)
#define MOST_TASKS 300

/* What a loop has done. */
typedef struct ledger {
    uint32_t workers;
    atomic_uint ran[MOST_ITEMS];
    atomic_uint busy[SN_MOST_THREADS];
    atomic_uint wrong;
    atomic_uint at_once, most_at_once;
    atomic_uint slow; /* tasks with a number below this take their time */
} ledger;

static ledger l; /* too large for a stack */

static void start(uint32_t workers)
{
    memset(&l, 0, sizeof l);
    l.workers = workers;
}

static void doze(long microseconds)
{
    struct timespec time = {0, 1000 * microseconds};
    nanosleep(&time, NULL);
}

static void note_items(void *data, uint32_t first, uint32_t end)
{
    if (data != &l || first >= end)
        atomic_fetch_add(&l.wrong, 1);
    for (uint32_t i = first; i < end; ++i)
        atomic_fetch_add(&l.ran[i], 1);
}

static void note_task(void *data, uint32_t index, uint32_t worker)
{
    if (data != &l || worker >= l.workers || atomic_exchange(&l.busy[worker], 1)) {
        atomic_fetch_add(&l.wrong, 1);
        return;
    }
    unsigned now = atomic_fetch_add(&l.at_once, 1) + 1, most = atomic_load(&l.most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&l.most_at_once, &most, now))
        ;
    if (index < atomic_load(&l.slow))
        doze(3000);
    atomic_fetch_add(&l.ran[index], 1);
    atomic_fetch_sub(&l.at_once, 1);
    atomic_store(&l.busy[worker], 0);
}

/* The first `count` ran once, nothing else ran. Then forgets it. */
static void assert_ran_once(uint32_t count)
{
    for (uint32_t i = 0; i < MOST_ITEMS; ++i)
        if (atomic_load(&l.ran[i]) != (i < count))
            fail_msg("item %u of %u ran %u times", i, count, atomic_load(&l.ran[i]));
    assert_int_equal(atomic_load(&l.wrong), 0);
    memset(l.ran, 0, sizeof l.ran);
}

static uint32_t ran_of(uint32_t count)
{
    uint32_t ran = 0;
    for (uint32_t i = 0; i < count; ++i)
        ran += atomic_load(&l.ran[i]) != 0;
    return ran;
}

/* ---- All ways to run a loop -------------------------------------------------------------------------------------- */

static void run_all_sizes(sn_parallel *p, const sn_allocator *allocator)
{
    const uint32_t items[] = {0,         1, 2, SN_PIECE - 1, SN_PIECE, SN_PIECE + 1, SN_LEAST_ITEMS - 1, SN_LEAST_ITEMS,
                              MOST_ITEMS};
    const uint32_t tasks[] = {0, 1, 2, 3, 10, MOST_TASKS};
    start(sn_parallel_workers(p));
    for (uint32_t i = 0; i < COUNT_OF(items); ++i) {
        assert_true(sn_parallel_reserve(p, allocator, items[i]));
        assert_true(sn_parallel_for(p, items[i], note_items, &l));
        assert_ran_once(items[i]);
    }
    for (uint32_t i = 0; i < COUNT_OF(tasks); ++i) {
        assert_true(sn_parallel_reserve_tasks(p, allocator, tasks[i]));
        assert_true(sn_parallel_tasks(p, tasks[i], note_task, &l));
        assert_ran_once(tasks[i]);
    }
    sn_parallel_repair(p); /* nothing to do */
    assert_ran_once(0);
}

static void test_pool(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads <= 8; ++threads) {
        support_memory memory = {0};
        sn_allocator allocator = support_allocator(&memory);
        sn_parallel p = {.threads = threads};
        assert_int_equal(sn_parallel_workers(&p), threads ? threads : 1);
        sn_parallel_begin_step(&p);
        run_all_sizes(&p, &allocator);
        sn_parallel_end_step(&p);
        assert_int_equal(memory.requests, threads > 1);
        sn_parallel_release(&p, &allocator);
        assert_memory_clean(&memory);
    }
}

static void test_hooks(void **state)
{
    (void)state;
    support_tasks modes[] = {{.mode = SUPPORT_TASKS_FORWARD},
                             {.mode = SUPPORT_TASKS_REVERSE},
                             {.mode = SUPPORT_TASKS_THREADS, .threads = 2},
                             {.mode = SUPPORT_TASKS_THREADS, .threads = 8},
                             {.mode = SUPPORT_TASKS_TWICE},
                             {.mode = SUPPORT_TASKS_ECHO, .threads = 3}};
    for (uint32_t i = 0; i < COUNT_OF(modes); ++i) {
        support_memory memory = {0};
        sn_allocator allocator = support_allocator(&memory);
        sn_parallel p = {.tasks = support_tasks_hook(&modes[i]), .threads = 4};
        assert_int_equal(sn_parallel_workers(&p), SN_HOOK_WORKERS);
        sn_parallel_begin_step(&p);
        run_all_sizes(&p, &allocator);
        sn_parallel_end_step(&p);
        assert_true(modes[i].runs > 0);
        assert_int_equal(modes[i].most, MOST_TASKS);
        assert_null(p.pool); /* a hook takes its place */
        sn_parallel_release(&p, &allocator);
        assert_memory_clean(&memory);
    }
}

/* Nothing but the calling thread: no parallel, no room, or one thread. */
static void test_in_place(void **state)
{
    (void)state;
    support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
    sn_parallel none = {0}, hook = {.tasks = support_tasks_hook(&tasks)}, pool = {.threads = 4};
    start(1);
    assert_true(sn_parallel_tasks(NULL, MOST_TASKS, note_task, &l));
    assert_ran_once(MOST_TASKS);
    assert_true(sn_parallel_tasks(&none, MOST_TASKS, note_task, &l));
    assert_ran_once(MOST_TASKS);
    assert_true(sn_parallel_tasks(&hook, MOST_TASKS, note_task, &l));
    assert_ran_once(MOST_TASKS);
    assert_true(sn_parallel_for(&hook, MOST_ITEMS, note_items, &l));
    assert_ran_once(MOST_ITEMS);
    assert_true(sn_parallel_tasks(&pool, MOST_TASKS, note_task, &l));
    assert_ran_once(MOST_TASKS);
    assert_true(sn_parallel_for(&pool, MOST_ITEMS, note_items, &l));
    assert_ran_once(MOST_ITEMS);
    assert_int_equal(tasks.runs, 0);
}

static void test_wants(void **state)
{
    (void)state;
    support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
    sn_parallel alone = {.threads = 1}, pool = {.threads = 2}, hook = {.tasks = support_tasks_hook(&tasks)};
    assert_false(sn_parallel_wants(&alone, 1e9));
    assert_false(sn_parallel_wants(&pool, SN_LEAST_SHARED_WORK / 2));
    assert_true(sn_parallel_wants(&pool, SN_LEAST_SHARED_WORK * 2));
    assert_false(sn_parallel_wants(&hook, SN_LEAST_SHARED_WORK / 2));
    assert_true(sn_parallel_wants(&hook, SN_LEAST_SHARED_WORK * 2));
    assert_false(sn_parallel_wants(&pool, (double)NAN));
}

/* ---- The pool ---------------------------------------------------------------------------------------------------- */

static void test_changing_threads(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_parallel p = {.threads = 1};
    for (uint32_t i = 0; i < 60; ++i) {
        uint32_t threads = 1 + i * 5 % 8;
        sn_parallel_set_threads(&p, &allocator, threads);
        assert_null(p.pool);
        start(threads);
        assert_true(sn_parallel_reserve_tasks(&p, &allocator, 20));
        sn_threads *pool = p.pool;
        assert_true((pool != NULL) == (threads > 1));
        assert_true(sn_parallel_tasks(&p, 20, note_task, &l));
        assert_ran_once(20);
        sn_parallel_set_threads(&p, &allocator, threads); /* no change */
        assert_ptr_equal(p.pool, pool);
    }
    sn_parallel_release(&p, &allocator);
    assert_memory_clean(&memory);
}

/* Small loops make neither a pool nor threads. */
static void test_small_loops(void **state)
{
    (void)state;
    sn_parallel p = {.threads = 4};
    assert_true(sn_parallel_reserve(&p, &sn_default_allocator, SN_LEAST_ITEMS - 1));
    assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, 1));
    assert_null(p.pool);
    assert_true(sn_parallel_reserve(&p, &sn_default_allocator, SN_LEAST_ITEMS));
    assert_non_null(p.pool);
    start(4);
    assert_true(sn_parallel_for(&p, SN_LEAST_ITEMS - 1, note_items, &l));
    assert_true(sn_parallel_tasks(&p, 1, note_task, &l));
    assert_int_equal(sn_threads_made(p.pool), 0);
    sn_parallel_release(&p, &sn_default_allocator);
}

static void test_missing_threads(void **state)
{
    (void)state;
    sn_parallel p = {.threads = 4, .refused = 2};
    assert_int_equal(sn_parallel_missing_threads(&p), 0);
    start(4);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, 20));
        assert_true(sn_parallel_tasks(&p, 20, note_task, &l));
        assert_ran_once(20);
        assert_int_equal(sn_parallel_missing_threads(&p), i == 0 ? 2 : 0); /* said once */
    }
    sn_parallel_release(&p, &sn_default_allocator);
}

static void test_no_memory(void **state)
{
    (void)state;
    support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
    for (uint32_t hooked = 0; hooked < 2; ++hooked) {
        support_memory memory = {.fail_at = 1};
        sn_allocator allocator = support_allocator(&memory);
        sn_parallel p = {.threads = 4};
        if (hooked)
            p.tasks = support_tasks_hook(&tasks);
        start(sn_parallel_workers(&p));
        assert_false(sn_parallel_reserve(&p, &allocator, MOST_ITEMS));
        assert_true(sn_parallel_reserve(&p, &allocator, MOST_ITEMS)); /* there is memory again */
        assert_true(sn_parallel_for(&p, MOST_ITEMS, note_items, &l));
        assert_ran_once(MOST_ITEMS);
        sn_parallel_release(&p, &allocator);
        assert_memory_clean(&memory);
    }
}

/* ---- Task systems that break their promise ----------------------------------------------------------------------- */

static void test_lost_tasks(void **state)
{
    (void)state;
    const uint32_t lost[] = {0, 7, SUPPORT_LOSE_ALL};
    for (uint32_t i = 0; i < COUNT_OF(lost); ++i) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_LOSE, .lost = lost[i]};
        sn_parallel p = {.tasks = support_tasks_hook(&tasks)};
        start(SN_HOOK_WORKERS);
        assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, 20));
        assert_false(sn_parallel_tasks(&p, 20, note_task, &l));
        assert_int_equal(ran_of(20), lost[i] == SUPPORT_LOSE_ALL ? 0 : 19);
        sn_parallel_repair(&p);
        assert_ran_once(20);
        sn_parallel_repair(&p);
        assert_ran_once(0);
        tasks.runs = 0;
        assert_true(sn_parallel_reserve(&p, &sn_default_allocator, MOST_ITEMS));
        assert_false(sn_parallel_for(&p, MOST_ITEMS, note_items, &l));
        sn_parallel_repair(&p);
        assert_ran_once(MOST_ITEMS);
        tasks.runs = 0;
        assert_false(sn_parallel_for(&p, MOST_ITEMS, note_items, &l)); /* not repaired: */
        start(SN_HOOK_WORKERS);
        assert_true(sn_parallel_tasks(&p, 1, note_task, &l)); /* the next loop forgets it, */
        sn_parallel_repair(&p);
        assert_ran_once(1);
        assert_true(sn_parallel_tasks(&p, 20, note_task, &l)); /* and is not touched by it */
        assert_ran_once(20);
        sn_parallel_release(&p, &sn_default_allocator);
    }
}

/* Keeps the first task of a run for later. */
typedef struct hoarder {
    void (*task)(void *data, uint32_t index);
    void *data;
    bool hoard;
    bool bring; /* runs what was kept before everything else */
} hoarder;

static void hoarding_run(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    hoarder *h = context;
    if (h->bring)
        h->task(h->data, 0);
    h->task = task;
    h->data = data;
    for (uint32_t i = h->hoard; i < count; ++i)
        task(data, i);
}

/* A task that comes after its loop does nothing then, and its part of a loop that runs. */
static void test_late_tasks(void **state)
{
    (void)state;
    hoarder h = {.hoard = true};
    sn_parallel p = {.tasks = {hoarding_run, &h}};
    start(SN_HOOK_WORKERS);
    assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, 20));
    assert_false(sn_parallel_tasks(&p, 20, note_task, &l));
    h.task(h.data, 0);
    assert_int_equal(ran_of(20), 19);
    sn_parallel_repair(&p);
    h.task(h.data, 0);
    h.task(h.data, UINT32_MAX);
    assert_ran_once(20);

    h.hoard = false;
    h.bring = true;
    assert_true(sn_parallel_tasks(&p, 20, note_task, &l));
    assert_ran_once(20);
    h.hoard = true; /* the old one takes the place of the one that is kept */
    assert_true(sn_parallel_tasks(&p, 20, note_task, &l));
    assert_ran_once(20);

    assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, 2000)); /* other memory */
    h.task(h.data, 0);
    assert_ran_once(0);
    sn_parallel_release(&p, &sn_default_allocator);
    h.task(h.data, 0); /* there is still something to ask, and it says no */
    assert_ran_once(0);
}

/* Hands each task to a thread of its own and does not wait for them, or only for some. */
enum { HASTY_THREADS = 80 };

typedef struct hasty {
    struct errand {
        pthread_t thread;
        void (*task)(void *data, uint32_t index);
        void *data;
        uint32_t index;
    } errand[HASTY_THREADS];
    uint32_t count;
    uint32_t failures;
    bool waits;
} hasty;

static void *run_errand(void *data)
{
    struct errand *e = data;
    e->task(e->data, e->index);
    return NULL;
}

static void wait_for_all(hasty *h)
{
    for (uint32_t i = 0; i < h->count; ++i)
        h->failures += pthread_join(h->errand[i].thread, NULL) != 0;
    h->count = 0;
}

static void hasty_run(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    hasty *h = context;
    for (uint32_t i = 0; i < count; ++i) {
        struct errand *e = &h->errand[h->count];
        e->task = task;
        e->data = data;
        e->index = i;
        if (pthread_create(&e->thread, NULL, run_errand, e) == 0)
            h->count++;
        else
            h->failures++;
    }
    if (h->waits)
        wait_for_all(h);
}

/* More threads than numbers for workers, each of them in a task that takes its time. */
static void test_more_threads_than_workers(void **state)
{
    (void)state;
    static hasty h;
    h = (hasty){.waits = true};
    sn_parallel p = {.tasks = {hasty_run, &h}};
    start(SN_HOOK_WORKERS);
    atomic_store(&l.slow, HASTY_THREADS);
    assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, HASTY_THREADS));
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(sn_parallel_tasks(&p, HASTY_THREADS, note_task, &l));
        assert_ran_once(HASTY_THREADS);
    }
    assert_in_range(atomic_load(&l.most_at_once), 2, SN_HOOK_WORKERS);
    assert_int_equal(h.failures, 0);
    sn_parallel_release(&p, &sn_default_allocator);
}

/* When the loop returns nothing of it runs any more, and what was not begun then is not begun later. */
static void test_run_returns_too_early(void **state)
{
    (void)state;
    static hasty h;
    h = (hasty){0};
    sn_parallel p = {.tasks = {hasty_run, &h}};
    start(SN_HOOK_WORKERS);
    atomic_store(&l.slow, 3);
    assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, 20));
    for (uint32_t i = 0; i < 20; ++i) {
        bool all = sn_parallel_tasks(&p, 20, note_task, &l);
        assert_int_equal(atomic_load(&l.at_once), 0);
        assert_true(all == (ran_of(20) == 20));
        sn_parallel_repair(&p);
        wait_for_all(&h);
        assert_ran_once(20);
    }
    assert_int_equal(h.failures, 0);
    sn_parallel_release(&p, &sn_default_allocator);
}

/* The same with loops that follow at once: late tasks of one meet the next. */
static void test_stragglers(void **state)
{
    (void)state;
    static hasty h;
    h = (hasty){0};
    sn_parallel p = {.tasks = {hasty_run, &h}};
    start(SN_HOOK_WORKERS);
    assert_true(sn_parallel_reserve_tasks(&p, &sn_default_allocator, 20));
    for (uint32_t i = 0; i < 30; ++i) {
        for (uint32_t k = 0; k < HASTY_THREADS / 20; ++k) {
            sn_parallel_tasks(&p, 20, note_task, &l);
            sn_parallel_repair(&p);
            assert_ran_once(20);
        }
        wait_for_all(&h);
        assert_ran_once(0);
    }
    assert_int_equal(h.failures, 0);
    sn_parallel_release(&p, &sn_default_allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_wants),
        cmocka_unit_test(test_changing_threads),
        cmocka_unit_test(test_small_loops),
        cmocka_unit_test(test_missing_threads),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_lost_tasks),
        cmocka_unit_test(test_late_tasks),
        cmocka_unit_test(test_more_threads_than_workers),
        cmocka_unit_test(test_run_returns_too_early),
        cmocka_unit_test(test_stragglers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
