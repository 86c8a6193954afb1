/* The benchmark: its scenes are what their definitions say, shuffling changes nothing but numbers, and the statistics
   are right. No test looks at a time that was measured. */
#include "support/support.h"
#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

typedef struct expected {
    const char *scene;
    uint32_t n, particles, edges, structural, tets, held;
} expected;

static uint32_t count_structural(const sn_bench_model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->edges; ++i)
        count += m->edge[i].structural;
    return count;
}

static uint32_t count_held(const sn_bench_model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->particles; ++i)
        count += isinf(m->mass[i]) != 0;
    return count;
}

static void scenes_have_the_sizes_they_promise(void **state)
{
    (void)state;
    static const expected list[] = {
        {"cloth", 64, 4096, 16002, 8064, 0, 2},
        {"cloth", 128, 16384, 64770, 32512, 0, 2},
        {"cloth", 256, 65536, 260610, 130560, 0, 2},
        {"cloth", 512, 262144, 1045506, 523264, 0, 2},
        {"cloth", 2, 4, 6, 4, 0, 2},
        {"rope", 1000, 1000, 999, 999, 0, 1},
        {"rope_heavy", 1000, 1000, 999, 999, 0, 1},
        {"tets", 20, 9261, 51660, 51660, 40000, 2},
        {"tets_links", 20, 9261, 51660, 51660, 0, 2},
        {"ropes", 1000, 32000, 31000, 31000, 0, 1000},
        {"cloths", 256, 65536, 238080, 122880, 0, 512},
        {"pile", 2000, 2000, 0, 0, 0, 0},
        {"pile", 1, 1, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        sn_bench_case c;
        sn_bench_model m;
        assert_true(sn_bench_case_find(list[i].scene, list[i].n, &c));
        assert_true(sn_bench_model_build(&c, SN_BENCH_GRID, &m));
        assert_int_equal(m.particles, list[i].particles);
        assert_int_equal(m.edges, list[i].edges);
        assert_int_equal(count_structural(&m), list[i].structural);
        assert_int_equal(m.tets, list[i].tets);
        assert_int_equal(count_held(&m), list[i].held);
        sn_bench_model_release(&m);
    }
}

static int by_pair(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* No pair is joined twice, none with itself; and edges start at their rest lengths. */
static void check_edges(const sn_bench_model *m)
{
    uint32_t(*pair)[2] = malloc(m->edges * sizeof *pair);
    assert_non_null(pair);
    for (uint32_t i = 0; i < m->edges; ++i) {
        const sn_bench_edge *e = &m->edge[i];
        assert_true(e->a < m->particles && e->b < m->particles && e->a != e->b);
        pair[i][0] = e->a < e->b ? e->a : e->b;
        pair[i][1] = e->a < e->b ? e->b : e->a;
        const double *a = &m->xyz[3 * e->a], *b = &m->xyz[3 * e->b];
        double length = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
        assert_true(fabs(length - e->rest) < 1e-12);
    }
    qsort(pair, m->edges, sizeof *pair, by_pair);
    for (uint32_t i = 1; i < m->edges; ++i)
        assert_true(by_pair(pair[i - 1], pair[i]) < 0);
    free(pair);
}

static void edges_are_whole_and_at_rest(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sn_bench_case_count(); ++i) {
        const sn_bench_case *c = sn_bench_case_at(i);
        if (c->n > 256)
            continue;
        for (uint32_t path = SN_BENCH_GRID; path <= SN_BENCH_GENERAL; path <<= 1) {
            sn_bench_model m;
            double mean, largest;
            assert_true(sn_bench_model_build(c, path, &m));
            check_edges(&m);
            sn_bench_model_stretch(&m, m.xyz, &mean, &largest);
            assert_true(mean <= largest && largest < 1e-12);
            sn_bench_model_release(&m);
        }
    }
}

/* The tetrahedra fill the block: the sum of their volumes is its own, and every edge of theirs is there. */
static void tetrahedra_fill_the_block(void **state)
{
    (void)state;
    sn_bench_case c;
    sn_bench_model m;
    assert_true(sn_bench_case_find("tets", 20, &c));
    assert_true(sn_bench_model_build(&c, SN_BENCH_GENERAL, &m));
    double sum = 0;
    for (uint32_t i = 0; i < m.tets; ++i) {
        double e[3][3];
        for (int k = 0; k < 9; ++k)
            e[k / 3][k % 3] = m.xyz[3 * m.tet[4 * i + (uint32_t)k / 3 + 1] + (uint32_t)k % 3] -
                              m.xyz[3 * m.tet[4 * i] + (uint32_t)k % 3];
        double volume =
            (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
             e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
            6;
        assert_true(volume > 0);
        sum += volume;
    }
    assert_true(fabs(sum - 1) < 1e-9); /* 20 times 5 cm, cubed */
    sn_bench_model_release(&m);
}

/* ---- Shuffling --------------------------------------------------------------------------------------------------- */

static void shuffling_changes_numbers_only(void **state)
{
    (void)state;
    sn_bench_case c;
    sn_bench_model plain, mixed, again;
    assert_true(sn_bench_case_find("cloth", 17, &c));
    assert_true(sn_bench_model_build(&c, SN_BENCH_GRID, &plain));
    assert_true(sn_bench_model_build(&c, SN_BENCH_GENERAL, &mixed));
    assert_true(sn_bench_model_build(&c, SN_BENCH_GENERAL, &again));
    size_t bytes = 3 * plain.particles * sizeof *plain.xyz;
    assert_memory_not_equal(plain.xyz, mixed.xyz, bytes);
    assert_memory_equal(again.xyz, mixed.xyz, bytes);
    assert_int_equal(plain.edges, mixed.edges);
    assert_int_equal(count_structural(&plain), count_structural(&mixed));
    assert_int_equal(count_held(&mixed), 2);
    double sums[2] = {0, 0};
    for (uint32_t i = 0; i < 3 * plain.particles; ++i) {
        sums[0] += plain.xyz[i] * plain.xyz[i];
        sums[1] += mixed.xyz[i] * mixed.xyz[i];
    }
    assert_true(fabs(sums[0] - sums[1]) < 1e-9 * sums[0]);
    uint32_t neighbours = 0; /* a row-by-row numbering would have many */
    for (uint32_t i = 0; i < mixed.edges; ++i)
        neighbours += mixed.edge[i].a + 1 == mixed.edge[i].b;
    assert_true(neighbours < mixed.edges / 20);
    sn_bench_model_release(&plain);
    sn_bench_model_release(&mixed);
    sn_bench_model_release(&again);
}

/* ---- Stretch ----------------------------------------------------------------------------------------------------- */

static void stretch_is_relative_and_of_structure_only(void **state)
{
    (void)state;
    sn_bench_case c;
    sn_bench_model m;
    double mean, largest;
    assert_true(sn_bench_case_find("cloth", 2, &c));
    assert_true(sn_bench_model_build(&c, SN_BENCH_GRID, &m));
    double place[12];
    memcpy(place, m.xyz, sizeof place);
    place[3] += 0.05; /* the edge from 0 to 1 is twice as long, the one from 1 to 3 by a root of two */
    sn_bench_model_stretch(&m, place, &mean, &largest);
    assert_true(fabs(largest - 1) < 1e-12);
    assert_true(fabs(mean - (1 + sqrt(2) - 1) / 4) < 1e-12);
    place[0] = NAN;
    sn_bench_model_stretch(&m, place, &mean, &largest);
    assert_true(isnan(mean) && isnan(largest));
    sn_bench_model_release(&m);
}

/* ---- Piles ------------------------------------------------------------------------------------------------------- */

/* Spheres start apart from each other and from the walls, not in columns, above a box with 5000 to a square metre. */
static void piles_start_loose_inside_their_box(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 7, 500, 2000, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        for (uint32_t path = SN_BENCH_GRID; path <= SN_BENCH_GENERAL; path <<= 1) {
            sn_bench_case c;
            sn_bench_model m;
            sn_bench_overlap overlap;
            assert_true(sn_bench_case_find("pile", sizes[i], &c) && sn_bench_case_is_pile(&c));
            assert_true(sn_bench_model_build(&c, path, &m));
            assert_true(m.radius == 0.05 && fabs(m.box * m.box * 5000 - sizes[i]) < 1e-9 * sizes[i]);
            assert_true(sn_bench_model_overlap(&m, m.xyz, &overlap));
            if (sizes[i] >= 500) /* the box of a few is smaller than they are */
                assert_true(overlap.mean == 0 && overlap.largest == 0 && overlap.contacts == 0);
            double aside = 0;
            for (uint32_t k = 0; k + 1 < m.particles && path == SN_BENCH_GRID; ++k)
                aside += fabs(m.xyz[3 * k + 1] - m.xyz[3 * k + 4]) > 0.002;
            assert_true(path != SN_BENCH_GRID || aside >= 0.5 * (sizes[i] - 1));
            sn_bench_model_release(&m);
        }
}

/* What the definition says, pair by pair. */
static sn_bench_overlap overlap_by_pairs(const sn_bench_model *m, const double *x)
{
    double sum = 0, most = 0, pairs = 0, walls = 0;
    for (uint32_t i = 0; i < m->particles; ++i) {
        double depth[3] = {m->radius - x[3 * i + 1], m->radius - m->box / 2 + fabs(x[3 * i]),
                           m->radius - m->box / 2 + fabs(x[3 * i + 2])};
        for (int k = 0; k < 3; ++k)
            if (depth[k] > 0) {
                sum += depth[k];
                most = fmax(most, depth[k]);
                ++walls;
            }
        for (uint32_t j = 0; j < i; ++j) {
            double d = 2 * m->radius - sqrt(pow(x[3 * i] - x[3 * j], 2) + pow(x[3 * i + 1] - x[3 * j + 1], 2) +
                                            pow(x[3 * i + 2] - x[3 * j + 2], 2));
            if (d > 0) {
                sum += d;
                most = fmax(most, d);
                ++pairs;
            }
        }
    }
    return (sn_bench_overlap){sum / (pairs + walls) / m->radius, most / m->radius, (2 * pairs + walls) / m->particles};
}

static void overlap_is_that_of_all_pairs_and_walls(void **state)
{
    (void)state;
    sn_bench_case c;
    sn_bench_model m;
    assert_true(sn_bench_case_find("pile", 700, &c));
    assert_true(sn_bench_model_build(&c, SN_BENCH_GENERAL, &m));
    for (uint32_t i = 0; i < 3 * m.particles; ++i)
        m.xyz[i] *= i % 3 == 1 ? 0.3 : 1.1; /* into each other, into the floor and into the walls */
    sn_bench_overlap found, brute = overlap_by_pairs(&m, m.xyz);
    assert_true(sn_bench_model_overlap(&m, m.xyz, &found));
    assert_true(brute.contacts > 2 && brute.largest > 0.5);
    assert_true(fabs(found.mean - brute.mean) < 1e-9 && fabs(found.largest - brute.largest) < 1e-12);
    assert_true(fabs(found.contacts - brute.contacts) < 1e-12);
    static const double bad[] = {NAN, INFINITY, -1e9};
    for (int i = 0; i < 3; ++i) {
        m.xyz[4] = bad[i];
        assert_true(sn_bench_model_overlap(&m, m.xyz, &found));
        assert_true(isnan(found.mean) && isnan(found.largest) && isnan(found.contacts));
    }
    sn_bench_model_release(&m);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void unknown_scenes_and_sizes_are_not_found(void **state)
{
    (void)state;
    sn_bench_case c;
    assert_false(sn_bench_case_find("clotho", 64, &c));
    assert_false(sn_bench_case_find("cloth", 1, &c));
    assert_false(sn_bench_case_find("cloth", SN_BENCH_CLOTH + 1, &c));
    assert_false(sn_bench_case_find("rope", 999, &c));
    assert_false(sn_bench_case_find("pile", 0, &c));
    assert_false(sn_bench_case_find("pile", SN_BENCH_PILE + 1, &c));
    assert_true(sn_bench_case_find("pile", 1000000, &c) && c.slow);
    assert_true(sn_bench_case_find("pile", 3000, &c) && !c.slow);
    assert_int_equal(c.n, 3000);
    assert_true(sn_bench_case_find("cloth", 300, &c));
    assert_int_equal(c.n, 300);
    assert_null(sn_bench_case_at(sn_bench_case_count()));
    for (uint32_t path = 1; path < SN_BENCH_PATH_END; path <<= 1)
        assert_int_equal(sn_bench_path_find(sn_bench_path_name(path)), path);
    assert_int_equal(sn_bench_path_find("?"), 0);
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

/* A clock that goes on by what the steps say they took. */
static double fake_now;

static double fake_clock(void)
{
    return fake_now;
}

typedef struct stepper {
    uint32_t steps, fails_at;
    double cost[2]; /* of the first step and of the others */
} stepper;

static bool fake_step(void *context)
{
    stepper *s = context;
    fake_now += s->cost[s->steps > 0];
    return ++s->steps != s->fails_at;
}

static void blocks_cover_all_frames(void **state)
{
    (void)state;
    static const uint32_t frames[] = {1, 5, 6, 10, 11, 12, 299, 300};
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; ++i) {
        stepper s = {.cost = {8, 0.5}};
        sn_bench_samples samples = {0};
        assert_true(sn_bench_run_blocks(&samples, frames[i], fake_step, &s, fake_clock));
        assert_int_equal(s.steps, frames[i] < 6 ? 6 : frames[i]);
        assert_true(samples.count >= SN_BENCH_LEAST);
        assert_true(samples.first == 8 && samples.total == 0.5 * (s.steps - 1));
        assert_true(sn_bench_median(&samples) == 0.5 && sn_bench_spread(&samples) == 0);
        uint32_t before = samples.count;
        assert_true(sn_bench_run_blocks(&samples, frames[i], fake_step, &s, fake_clock));
        assert_true(samples.count == 2 * before && samples.first == 8);
    }
    stepper failing = {.fails_at = 4};
    sn_bench_samples samples = {0};
    assert_false(sn_bench_run_blocks(&samples, 20, fake_step, &failing, fake_clock));
}

static void runs_end_when_enough_was_measured(void **state)
{
    (void)state;
    sn_bench_samples s = {.count = 10, .total = 0.4};
    assert_true(sn_bench_wants_more(&s, 0.5));
    assert_false(sn_bench_wants_more(&s, 0.3));
    s.count = SN_BENCH_SAMPLES - SN_BENCH_BLOCKS + 1;
    assert_false(sn_bench_wants_more(&s, 0.5));
}

static void median_and_spread_ignore_an_outlier(void **state)
{
    (void)state;
    sn_bench_samples s = {.count = 5, .value = {100, 3, 1, 2, 4}};
    assert_true(sn_bench_median(&s) == 3);
    assert_true(fabs(sn_bench_spread(&s) - 2.0 / 3) < 1e-12); /* quartiles 2 and 4 */
    sn_bench_samples even = {.count = 4, .value = {4, 1, 2, 3}};
    assert_true(sn_bench_median(&even) == 2.5);
    sn_bench_samples none = {0};
    assert_true(sn_bench_median(&none) == 0 && sn_bench_spread(&none) == 0);
}

/* ---- Limits and rows --------------------------------------------------------------------------------------------- */

static void limits_divide_by_threads_and_know_memory(void **state)
{
    (void)state;
    sn_bench_machine machine = {.contiguous_ns = 0.5, .copy_bandwidth = 1e10, .l3 = 1e6};
    sn_bench_row row = sn_bench_row_new("cloth", 64, "sinew", "grid", 1);
    row.particles = 100;
    row.constraints = 400;
    row.ns = 2;
    row.distances = true;
    sn_bench_limit(&machine, &row);
    assert_true(!row.memory_bound && row.limit_ns == 0.5 && row.limit_share == 0.25);
    row.threads = 2;
    sn_bench_limit(&machine, &row);
    assert_true(row.limit_ns == 0.25);
    row.threads = 1;
    row.particles = 1000000;
    row.constraints = 4000000;
    sn_bench_limit(&machine, &row);
    assert_true(row.memory_bound);
    assert_true(fabs(row.limit_ns - 13.0 * sizeof(sn_real) / 4 / 10) < 1e-9); /* bytes a rod at 10 bytes/ns */
    sn_bench_row other = sn_bench_row_new("tets", 20, "sinew", "general", 1);
    other.constraints = 1;
    sn_bench_limit(&machine, &other);
    assert_true(isnan(other.limit_ns));
}

/* A small cloth runs on every path, on one thread and on two, with the same stretch. */
static void measures_a_world(void **state)
{
    (void)state;
    sn_bench_case c;
    assert_true(sn_bench_case_find("cloth", 8, &c));
    for (uint32_t path = 1; path < SN_BENCH_PATH_END; path <<= 1) {
        double stretch[2];
        for (uint32_t threads = 1; threads <= 2; ++threads) {
            sn_bench_job job = {
                .what = &c, .path = path, .threads = threads, .substeps = 4, .frames = 12, .edits = true};
            sn_bench_row row = sn_bench_row_new(c.scene, c.n, "sinew", sn_bench_path_name(path), threads);
            if (!sn_bench_measure(&job, &row))
                fail_msg("%s: %s", row.path, row.status);
            assert_int_equal(row.particles, 64);
            assert_int_equal(row.constraints, 210);
            assert_int_equal(row.frames, 12);
            assert_true(row.blocks >= SN_BENCH_LEAST && row.projections == 840);
            assert_true(row.distances && row.bytes > 0 && row.edit_ns >= 0);
            assert_true(row.stretch_mean > 0 && row.stretch_mean <= row.stretch_max);
            stretch[threads - 1] = row.stretch_mean;
        }
        assert_true(stretch[0] == stretch[1]);
    }
}

/* A pile is settled once for all its rows, with the same end as if each had settled by itself. */
static void measures_a_settled_pile(void **state)
{
    (void)state;
    sn_bench_case c;
    sn_bench_settled settled = {0};
    sn_bench_row first = {0};
    assert_true(sn_bench_case_find("pile", 120, &c));
    for (uint32_t run = 0; run < 3; ++run) {
        sn_bench_job job = {.what = &c, .path = SN_BENCH_GENERAL, .threads = 1 + run % 2, .substeps = 5};
        job.settle = 60;
        job.frames = 6;
        job.edits = true; /* of which it has none */
        job.settled = &settled;
        if (run == 2)
            sn_bench_settled_release(&settled);
        sn_bench_row row = sn_bench_row_new(c.scene, c.n, "sinew", "general", job.threads);
        if (!sn_bench_measure(&job, &row))
            fail_msg("%s", row.status);
        assert_true(settled.snapshot && settled.place && settled.path == SN_BENCH_GENERAL);
        assert_int_equal(row.particles, 120);
        assert_int_equal(row.constraints, 0);
        assert_int_equal(row.settled, 60);
        assert_true(!row.distances && row.projections == 600 && row.ns > 0 && isnan(row.edit_ns));
        assert_true(row.contacts > 1 && row.stretch_max >= row.stretch_mean && row.stretch_mean > 0);
        assert_true(row.kinetic >= 0 && row.fastest * row.fastest >= 2 * row.kinetic * (1 - 1e-9));
        first = run == 0 ? row : first;
        assert_true(row.stretch_mean == first.stretch_mean && row.kinetic == first.kinetic);
    }
    sn_bench_settled_release(&settled);
    assert_int_equal(settled.meter.now, 0);
}

/* Every feature can be added to the cloth, grid or not, and is held against one that was measured before it. */
static void measures_what_features_cost(void **state)
{
    (void)state;
    sn_bench_case c;
    assert_true(sn_bench_case_find("features", 12, &c));
    assert_true(sn_bench_case_is_features(&c));
    for (uint32_t path = SN_BENCH_GRID; path <= SN_BENCH_GENERAL; path <<= 1)
        for (uint32_t i = 0; i < sn_bench_feature_count(); ++i) {
            sn_bench_job job = {.what = &c, .path = path, .threads = 1, .substeps = 3, .frames = 2};
            sn_bench_row row = sn_bench_row_new(c.scene, c.n, "sinew", sn_bench_path_name(path), 1);
            if (!sn_bench_measure_feature(&job, i, 3, &row))
                fail_msg("%s: %s", row.feature, row.status);
            assert_true(row.feature[0] && row.about[0] && row.against[0] && row.ratio > 0 && row.ratio_spread >= 0);
            assert_int_equal(strcmp(row.feature, "plain") == 0, i == 0);
            assert_true(row.particles >= 144 && row.constraints >= 506 && row.frames == 6 && row.blocks == 3);
            assert_true(row.projections == 3.0 * row.iterations * row.constraints && row.stretch_mean > 0);
        }
}

static void says_that_bullet_is_not_there(void **state)
{
    (void)state;
    sn_bench_case c;
    assert_true(sn_bench_case_find("cloth", 8, &c));
    sn_bench_job job = {.what = &c, .path = SN_BENCH_GRID, .threads = 1, .substeps = 4, .frames = 12};
    sn_bench_row row = sn_bench_row_new("cloth", 8, "bullet", "links", 1);
    assert_false(sn_bench_bullet(NULL, &job, &row));
    assert_string_equal(row.status, "not installed");
    assert_false(sn_bench_bullet("/no/such/program", &job, &row));
    assert_string_equal(row.status, "not installed");
    assert_false(sn_bench_bullet("/bin/false", &job, &row));
    assert_non_null(strstr(row.status, "exit code 1"));
    assert_false(sn_bench_bullet("/bin/echo", &job, &row));
    assert_string_equal(row.status, "the program printed no row");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_have_the_sizes_they_promise),
        cmocka_unit_test(edges_are_whole_and_at_rest),
        cmocka_unit_test(tetrahedra_fill_the_block),
        cmocka_unit_test(shuffling_changes_numbers_only),
        cmocka_unit_test(stretch_is_relative_and_of_structure_only),
        cmocka_unit_test(piles_start_loose_inside_their_box),
        cmocka_unit_test(overlap_is_that_of_all_pairs_and_walls),
        cmocka_unit_test(unknown_scenes_and_sizes_are_not_found),
        cmocka_unit_test(blocks_cover_all_frames),
        cmocka_unit_test(runs_end_when_enough_was_measured),
        cmocka_unit_test(median_and_spread_ignore_an_outlier),
        cmocka_unit_test(limits_divide_by_threads_and_know_memory),
        cmocka_unit_test(measures_a_world),
        cmocka_unit_test(measures_a_settled_pile),
        cmocka_unit_test(measures_what_features_cost),
        cmocka_unit_test(says_that_bullet_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
