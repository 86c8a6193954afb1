/* The forest: which constraints are in trees, against union and find, and what trees hand out, against a dense
   solve. */
#include "support/support.h"

#include "solvers/forest.h"
#include "world/world.h"

#include <math.h>

/* ---- Worlds
   --------------------------------------------------------------------------------------------------------- */

static sn_particle at(const sn_world *world, uint32_t index)
{
    return sn_particle_from_index(world, index);
}

/* Particles strewn about, so many in a thousand of them immovable, of masses from 0.1 to 10 kg. */
static sn_world *strewn(uint32_t particles, uint32_t immovable, uint64_t *seed)
{
    sn_world *world = support_void();
    for (uint32_t i = 0; i < particles; ++i) {
        double mass = pow(10, support_random_in(seed, -1, 1));
        sn_vec3 place =
            vec(support_random_in(seed, -1, 1), support_random_in(seed, -1, 1), support_random_in(seed, -1, 1));
        sn_particle_add_at(world, place, support_random_below(seed, 1000) < immovable ? SN_IMMOVABLE : real(mass));
    }
    return world;
}

static sn_constraint link_of(sn_world *world, uint32_t a, uint32_t b)
{
    sn_constraint c = sn_constraint_add_distance(world, sn_at(at(world, a)), sn_at(at(world, b)), 1);
    assert_true(sn_constraint_is_valid(world, c));
    return c;
}

/* A constraint of some kind between `first` and random others among the first `limit`; sometimes one point is a
   spot. */
static void add_random(sn_world *world, uint32_t first, uint32_t limit, uint64_t *seed)
{
    static const uint32_t kinds[] = {SN_KIND_DISTANCE,   SN_KIND_DISTANCE, SN_KIND_DISTANCE,
                                     SN_KIND_DISTANCE,   SN_KIND_PIN,      SN_KIND_ANGLE,
                                     SN_KIND_ATTACHMENT, SN_KIND_VOLUME,   SN_KIND_DISTANCE_BAND};
    sn_constraint_def def = sn_default_constraint_def(kinds[support_random_below(seed, COUNT_OF(kinds))]);
    const uint32_t points = sn_kind_info(world, def.kind)->points;
    uint32_t number[8] = {first};
    sn_point point[8];
    for (uint32_t i = 1; i < points + 2; ++i) { /* two more, for a spot */
        uint32_t j = 0;
        number[i] = support_random_below(seed, limit);
        while (j < i && number[j] != number[i])
            ++j;
        i -= j < i; /* try again */
    }
    for (uint32_t i = 0; i < points; ++i)
        point[i] = sn_at(at(world, number[i]));
    if (support_random_below(seed, 10) == 0)
        point[0] = sn_on_triangle(at(world, number[0]), at(world, number[points]), at(world, number[points + 1]),
                                  real(0.25), real(0.25), real(0.5));
    def.points = point;
    for (uint32_t i = 0; i < 6; ++i)
        def.param[i] = 1;
    assert_ok(world, sn_constraint_add(world, &def, NULL));
}

static sn_forest forest_of(sn_world *world)
{
    sn_forest forest;
    sn_frame frame = sn_world_frame(world);
    sn_forest_init(&forest);
    assert_true(sn_forest_find(&forest, &world->allocator, &world->constraints, &frame));
    return forest;
}

/* ---- Which are trees
   -------------------------------------------------------------------------------------------------- */

#define MOST 4000

/* Particles and constraints in one numbering: constraint number i is MOST + i. */
typedef struct reference {
    uint32_t parent[2 * MOST], nodes[2 * MOST], edges[2 * MOST];
    bool bad[2 * MOST];
} reference;

static uint32_t root_of(reference *r, uint32_t i)
{
    while (r->parent[i] != i)
        i = r->parent[i] = r->parent[r->parent[i]];
    return i;
}

/* The particles of a constraint, each once. */
static uint32_t distinct(const sn_store *store, uint32_t kind, uint32_t row, uint32_t *out)
{
    uint32_t small[SN_MAX_BLOCK], count, kept = 0;
    const uint32_t *particle = sn_store_particles(store, store->pool[kind], row, small, &count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t j = 0;
        while (j < kept && out[j] != particle[i])
            ++j;
        if (j == kept && kept < SN_MAX_BLOCK)
            out[kept++] = particle[i];
    }
    return kept;
}

static bool is_movable(const sn_world *world, uint32_t number)
{
    return world->particles.x[world->ids.value[number]].w > 0;
}

static bool has_no_gradient(const sn_pool *pool)
{
    return pool->kind->project || pool->kind->points == 0;
}

/* A part of the graph is a tree if it has one edge less than nodes. */
static void analyse(const sn_world *world, reference *r)
{
    const sn_store *store = &world->constraints;
    uint32_t number = MOST, particle[SN_MAX_BLOCK];
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < 2 * MOST; ++i) {
        r->parent[i] = i;
        r->nodes[i] = 1;
    }
    for (uint32_t k = 0, i = 0; sn_store_next(store, &k, &i); ++i) {
        const sn_pool *pool = store->pool[store->run[k].kind];
        if (pool->kind->force)
            continue;
        r->bad[root_of(r, number)] |= has_no_gradient(pool);
        uint32_t count = distinct(store, store->run[k].kind, store->run[k].first + i, particle);
        for (uint32_t j = 0; j < count; ++j) {
            if (!is_movable(world, particle[j]))
                continue;
            uint32_t a = root_of(r, number), b = root_of(r, particle[j]);
            r->edges[a]++;
            if (a == b)
                continue;
            r->parent[b] = a;
            r->nodes[a] += r->nodes[b];
            r->edges[a] += r->edges[b];
            r->bad[a] |= r->bad[b];
        }
        ++number;
    }
}

/* The forest has what it should have. Returns how much that is. */
static uint32_t assert_right(sn_world *world, const sn_forest *forest)
{
    static reference r;
    const sn_store *store = &world->constraints;
    uint32_t number = MOST, found = 0;
    analyse(world, &r);
    for (uint32_t k = 0, i = 0; sn_store_next(store, &k, &i); ++i) {
        if (store->pool[store->run[k].kind]->kind->force)
            continue;
        uint32_t root = root_of(&r, number++);
        bool is_tree = !r.bad[root] && r.edges[root] == r.nodes[root] - 1;
        if (sn_forest_has(forest, store->run[k].kind, store->run[k].first + i) != is_tree)
            fail_msg("constraint %u should%s be in the forest", number - 1 - MOST, is_tree ? "" : " not");
        found += is_tree;
    }
    assert_int_equal(sn_forest_count(forest), found);
    return found;
}

static uint32_t trees_in(sn_world *world)
{
    sn_forest forest = forest_of(world);
    uint32_t count = assert_right(world, &forest);
    sn_forest_release(&forest, &world->allocator);
    return count;
}

static void known_graphs(void **state)
{
    (void)state;
    uint64_t seed = 1;
    sn_world *world = strewn(20, 0, &seed);
    assert_int_equal(trees_in(world), 0);
    for (uint32_t i = 0; i < 9; ++i)
        link_of(world, i, i + 1);
    assert_int_equal(trees_in(world), 9); /* a rope */
    link_of(world, 4, 10);
    link_of(world, 10, 11);
    assert_int_equal(trees_in(world), 11); /* with a branch */
    sn_constraint_add_pin(world, at(world, 0));
    sn_constraint_add_pin(world, at(world, 0));
    sn_constraint_add_pin(world, at(world, 9));
    assert_int_equal(trees_in(world), 14); /* pinned, at one end twice */
    sn_constraint twice = link_of(world, 10, 11);
    assert_int_equal(trees_in(world), 0); /* a link that is there twice is a cycle */
    assert_ok(world, sn_constraint_remove(world, twice));
    assert_int_equal(trees_in(world), 14);
    link_of(world, 0, 9);
    assert_int_equal(trees_in(world), 0); /* a ring */
    assert_ok(world, sn_particle_set_mass(world, at(world, 0), SN_IMMOVABLE));
    assert_int_equal(trees_in(world), 15); /* which what does not move cuts open */
    assert_ok(world, sn_particle_set_mass(world, at(world, 0), 1));
    assert_int_equal(trees_in(world), 0);
    sn_world_destroy(world);
}

/* Spots hold all their particles; two spots in one triangle share them and make no cycle by themselves. */
static void spots(void **state)
{
    (void)state;
    uint64_t seed = 2;
    sn_world *world = strewn(12, 0, &seed);
    sn_point a = sn_on_triangle(at(world, 0), at(world, 1), at(world, 2), real(0.5), real(0.25), real(0.25));
    sn_point b = sn_on_triangle(at(world, 2), at(world, 1), at(world, 0), real(0.5), real(0.25), real(0.25));
    sn_constraint_add_distance(world, a, sn_at(at(world, 5)), 1);
    link_of(world, 5, 6);
    assert_int_equal(trees_in(world), 2);
    sn_constraint inside = sn_constraint_add_distance(world, a, b, 1);
    assert_int_equal(trees_in(world), 0); /* the two share three particles */
    assert_ok(world, sn_constraint_remove(world, inside));
    assert_int_equal(trees_in(world), 2);
    sn_constraint_add_distance(world, a, b, 1);
    sn_constraint_add_distance(world, b, sn_at(at(world, 2)), 1);
    assert_int_equal(trees_in(world), 0);
    sn_world_destroy(world);
    world = strewn(12, 0, &seed);
    sn_constraint_add_distance(
        world, sn_on_triangle(at(world, 0), at(world, 1), at(world, 2), real(0.5), real(0.25), real(0.25)),
        sn_on_triangle(at(world, 2), at(world, 1), at(world, 0), real(0.5), real(0.25), real(0.25)), 1);
    assert_int_equal(trees_in(world), 1);
    sn_world_destroy(world);
}

static void random_graphs(void **state)
{
    (void)state;
    uint64_t seed = 3;
    uint32_t trees = 0, all = 0;
    for (uint32_t round = 0; round < 300; ++round) {
        uint32_t particles = 10 + support_random_below(&seed, 200);
        sn_world *world = strewn(particles, support_random_below(&seed, 700), &seed);
        uint32_t count = support_random_below(&seed, particles);
        for (uint32_t i = 0; i < count; ++i)
            add_random(world, support_random_below(&seed, particles), particles, &seed);
        trees += trees_in(world);
        all += count;
        sn_world_destroy(world);
    }
    assert_true(trees > all / 10 && trees < all * 9 / 10); /* both happen */
}

/* The analysis follows every change of constraints and masses, and is done again only then. */
static void follows_changes(void **state)
{
    (void)state;
    uint64_t seed = 4;
    sn_world *world = strewn(60, 100, &seed);
    sn_frame frame = sn_world_frame(world);
    sn_forest forest;
    sn_constraint added[40];
    uint32_t count = 0;
    sn_forest_init(&forest);
    for (uint32_t round = 0; round < 500; ++round) {
        uint32_t what = support_random_below(&seed, 4), n = support_random_below(&seed, 60);
        if (what == 0 && count < COUNT_OF(added)) {
            added[count++] = link_of(world, n, (n + 1 + support_random_below(&seed, 59)) % 60);
        } else if (what == 1 && count > 0) {
            uint32_t which = support_random_below(&seed, count);
            assert_ok(world, sn_constraint_remove(world, added[which]));
            added[which] = added[--count];
        } else if (what == 2) {
            assert_ok(world, sn_particle_set_mass(world, at(world, n), round % 3 ? 1 : SN_IMMOVABLE));
        }
        frame = sn_world_frame(world);
        assert_true(sn_forest_find(&forest, &world->allocator, &world->constraints, &frame));
        assert_right(world, &forest);
    }
    sn_forest_release(&forest, &world->allocator);
    sn_world_destroy(world);
}

/* Room is made for any set of immovable particles, so that finding trees never allocates. */
static void memory(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint64_t fail = 0; fail < 9; ++fail) {
        support_memory memory = {0};
        sn_allocator allocator = support_allocator(&memory);
        sn_world *world = strewn(50, 1000, &seed);
        sn_forest forest;
        for (uint32_t i = 0; i < 49; ++i)
            link_of(world, i, i + 1);
        sn_frame frame = sn_world_frame(world);
        sn_forest_init(&forest);
        memory.fail_at = fail;
        bool enough = sn_forest_find(&forest, &allocator, &world->constraints, &frame);
        assert_true(enough == (memory.failures == 0));
        assert_true(fail == 0 || fail > 7 || !enough);
        assert_true(sn_forest_find(&forest, &allocator, &world->constraints, &frame));
        uint64_t requests = memory.requests;
        for (uint32_t i = 0; i < 50; ++i) {
            assert_ok(world, sn_particle_set_mass(world, at(world, i), 1));
            assert_true(sn_forest_find(&forest, &allocator, &world->constraints, &frame));
            assert_int_equal(assert_right(world, &forest), 49);
        }
        assert_true(memory.requests == requests);
        sn_forest_release(&forest, &allocator);
        assert_memory_clean(&memory);
        sn_world_destroy(world);
    }
}

/* ---- Solutions, against a dense solve
   ------------------------------------------------------------------------------------ */

#define ROWS      90
#define PARTICLES 60

/* A random problem: gradients that have nothing to do with the constraints. */
typedef struct problem {
    sn_world *world;
    uint64_t seed;
    double diagonal;     /* up to so much; 0: rigid */
    double turn;         /* up to so much */
    double scale;        /* of what is to be solved, if rows turn; they then exert from 50 to 100 N before */
    double share;        /* if not 0 */
    uint32_t inequality; /* in a hundred rows */
    uint32_t resting;    /* in a hundred constraints */
    /* what was filled in, by row */
    uint32_t rows;
    uint32_t kind[ROWS], row[ROWS], of[ROWS];
    double j[ROWS][3 * PARTICLES], rhs[ROWS], give[ROWS], bend[ROWS], least[ROWS], before[ROWS];
    bool acts[ROWS], one_way[ROWS];
    /* and what came out */
    double lambda[ROWS], x[3 * PARTICLES];
} problem;

static bool fill(void *context, uint32_t kind, uint32_t row, sn_forest_rows *out)
{
    problem *p = context;
    const sn_pool *pool = p->world->constraints.pool[kind];
    uint32_t particle[SN_MAX_BLOCK], count = distinct(&p->world->constraints, kind, row, particle);
    if (p->share > 0)
        out->share = p->share;
    bool rests = support_random_below(&p->seed, 100)<p->resting, central = p->turn> 0 && count == 2;
    out->block = (sn_block){.rows = pool->kind->rows, .count = count, .gradient = out->room.gradient};
    const uint32_t only = support_random_below(&p->seed, pool->kind->rows); /* that acts, of several that turn */
    sn_vec3 line = vec(support_random_in(&p->seed, -1, 1), support_random_in(&p->seed, -1, 1), 1);
    for (uint32_t r = 0; r < pool->kind->rows; ++r) {
        uint32_t n = p->rows++;
        assert_in_range(n, 0, ROWS - 1);
        p->kind[n] = kind, p->row[n] = row, p->of[n] = r;
        memset(p->j[n], 0, sizeof p->j[n]);
        for (uint32_t i = 0; i < count; ++i) {
            sn_vec3 g = vec(support_random_in(&p->seed, -1, 1), support_random_in(&p->seed, -1, 1),
                            support_random_in(&p->seed, -1, 1));
            if (central)
                g = i ? (sn_vec3){-line.x, -line.y, -line.z} : line;
            out->block.gradient[r * count + i] = g;
            p->j[n][3 * particle[i]] = (double)g.x;
            p->j[n][3 * particle[i] + 1] = (double)g.y;
            p->j[n][3 * particle[i] + 2] = (double)g.z;
        }
        p->rhs[n] = out->rhs[r] = support_random_in(&p->seed, -1, 1) * (p->turn > 0 ? p->scale : 1);
        p->give[n] = out->diagonal[r] = support_random_in(&p->seed, 0.01, 1) * p->diagonal;
        p->bend[n] = out->turn[r] = central ? support_random_in(&p->seed, 0.5, 1) * p->turn : 0;
        p->before[n] = out->lambda0[r] = central ? support_random_in(&p->seed, -100, -50) : 0;
        p->one_way[n] = !rests && support_random_below(&p->seed, 100) < p->inequality;
        p->least[n] = out->least[r] = p->one_way[n] ? -support_random_in(&p->seed, 0, 0.1) : 0;
        p->acts[n] = !rests && !(p->one_way[n] && p->rhs[n] < 0) && (!central || r == only);
        out->inequality |= (uint32_t)p->one_way[n] << r;
        out->acting &= ~((uint32_t)!p->acts[n] << r);
    }
    return true;
}

static void take(void *context, uint32_t kind, uint32_t row, const double *lambda)
{
    problem *p = context;
    for (uint32_t n = 0; n < p->rows; ++n)
        if (p->kind[n] == kind && p->row[n] == row)
            p->lambda[n] = lambda[p->of[n]];
}

static void move(void *context, uint32_t slot, const double *x)
{
    problem *p = context;
    memcpy(p->x + 3 * p->world->particles.index[slot], x, 3 * sizeof *x);
}

/* Solves a dense system by elimination with pivots; b becomes the solution. */
static void solve_dense(double *a, double *b, uint32_t n)
{
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; ++i)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        for (uint32_t i = 0; i < n && best != k; ++i) {
            double swap = a[k * n + i];
            a[k * n + i] = a[best * n + i];
            a[best * n + i] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        assert_true(fabs(a[k * n + k]) > 1e-13);
        for (uint32_t i = k + 1; i < n; ++i) {
            double f = a[i * n + k] / a[k * n + k];
            b[i] -= f * b[k];
            for (uint32_t j = k; f != 0 && j < n; ++j)
                a[i * n + j] -= f * a[k * n + j];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; ++j)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

/* The two ends of a row's constraint. */
static void ends_of(const problem *p, uint32_t n, uint32_t end[2])
{
    uint32_t particle[SN_MAX_BLOCK];
    assert_int_equal(distinct(&p->world->constraints, p->kind[n], p->row[n], particle), 2);
    memcpy(end, particle, 2 * sizeof *end);
}

/* (M + K) x - J^T lambda = 0, J x + give lambda = rhs, with K from kappa by row; rows that do not act have lambda =
   least. */
static void reference_solution(const problem *p, const double *kappa, double *lambda, double *x)
{
    const uint32_t particles = p->world->particles.table.count, size = 3 * particles + p->rows;
    double *a = calloc((size_t)size * size, sizeof *a), *b = calloc(size, sizeof *b);
    assert_non_null(a);
    assert_non_null(b);
    for (uint32_t i = 0; i < 3 * particles; ++i) {
        bool moves = is_movable(p->world, i / 3);
        a[i * size + i] = moves ? 1 / (double)sn_particle_inverse_mass(p->world, at(p->world, i / 3)) : 1;
        for (uint32_t n = 0; moves && n < p->rows; ++n)
            a[i * size + 3 * particles + n] = -p->j[n][i];
    }
    for (uint32_t n = 0; n < p->rows; ++n) {
        const uint32_t at_row = 3 * particles + n;
        if (!p->acts[n]) {
            a[at_row * size + at_row] = 1;
            b[at_row] = p->least[n];
            continue;
        }
        for (uint32_t i = 0; i < 3 * particles; ++i)
            a[at_row * size + i] = is_movable(p->world, i / 3) ? p->j[n][i] : 0;
        a[at_row * size + at_row] = p->give[n];
        b[at_row] = p->rhs[n];
        if (!kappa || kappa[n] <= 0)
            continue;
        uint32_t end[2];
        ends_of(p, n, end);
        const double *g = p->j[n] + 3 * end[0];
        double square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        for (uint32_t e = 0; e < 4; ++e)
            for (uint32_t k = 0; k < 9; ++k) {
                uint32_t to = 3 * end[e / 2] + k / 3, from = 3 * end[e % 2] + k % 3;
                double across = (k / 3 == k % 3) - g[k / 3] * g[k % 3] / square;
                if (is_movable(p->world, to / 3) && is_movable(p->world, from / 3))
                    a[to * size + from] += (e / 2 == e % 2 ? 1 : -1) * kappa[n] * across;
            }
    }
    solve_dense(a, b, size);
    memcpy(x, b, 3 * particles * sizeof *x);
    memcpy(lambda, b + 3 * particles, p->rows * sizeof *lambda);
    free(a);
    free(b);
}

static void solve(problem *p)
{
    sn_frame frame = sn_world_frame(p->world);
    sn_forest forest = forest_of(p->world);
    assert_int_equal(sn_forest_count(&forest), sn_world_constraint_count(p->world, SN_KIND_NONE));
    const sn_forest_job job = {.frame = &frame, .context = p, .fill = fill, .take = take, .move = move};
    p->rows = 0;
    memset(p->lambda, 0, sizeof p->lambda);
    memset(p->x, 0, sizeof p->x);
    assert_true(sn_forest_solve(&forest, &job));
    sn_forest_release(&forest, &p->world->allocator);
}

static void assert_solved(const problem *p, const double *lambda, const double *x, double tolerance)
{
    double size = 0, most = 0;
    for (uint32_t n = 0; n < p->rows; ++n)
        size = fmax(size, fabs(lambda[n]));
    for (uint32_t n = 0; n < p->rows; ++n)
        assert_close(p->lambda[n], lambda[n], tolerance * size);
    for (uint32_t i = 0; i < 3 * p->world->particles.table.count; ++i)
        most = fmax(most, fabs(x[i]));
    for (uint32_t i = 0; i < 3 * p->world->particles.table.count; ++i)
        assert_close(p->x[i], x[i], tolerance * most);
}

/* A random tree: every constraint joins one particle that is part of it with others that are not yet. */
static sn_world *random_tree(uint64_t *seed, bool links_only)
{
    sn_world *world = strewn(PARTICLES, 0, seed);
    uint32_t used = 1, rows = 0;
    static const uint32_t kinds[] = {SN_KIND_PIN,      SN_KIND_DISTANCE,   SN_KIND_DISTANCE,
                                     SN_KIND_DISTANCE, SN_KIND_ANGLE,      SN_KIND_VOLUME,
                                     SN_KIND_COPLANAR, SN_KIND_ATTACHMENT, SN_KIND_DISTANCE_BAND};
    while (used + 3 < PARTICLES / 2 && rows < ROWS / 2) {
        uint32_t kind = links_only ? (uint32_t)SN_KIND_DISTANCE : kinds[support_random_below(seed, COUNT_OF(kinds))];
        sn_constraint_def def = sn_default_constraint_def(kind);
        const uint32_t points = sn_kind_info(world, kind)->points, turn = support_random_below(seed, points);
        uint32_t hold = support_random_below(seed, 3) ? used - 1 : support_random_below(seed, used);
        sn_point point[8];
        for (uint32_t i = 0; i < points; ++i)
            point[(i + turn) % points] = sn_at(at(world, i ? used + i - 1 : hold));
        def.points = point;
        for (uint32_t i = 0; i < 6; ++i)
            def.param[i] = 1;
        assert_ok(world, sn_constraint_add(world, &def, NULL));
        used += points - 1;
        rows += sn_kind_info(world, kind)->rows;
    }
    return world;
}

/* The gradients are rounded to sn_real, and so are inverse masses; everything else is double. */
static void trees_solve_exactly(void **state)
{
    (void)state;
    uint64_t seed = 6;
    static problem p;
    for (uint32_t round = 0; round < 200; ++round) {
        p = (problem){.world = random_tree(&seed, false), .seed = seed, .diagonal = 1, .resting = round % 4 ? 0 : 20};
        for (uint32_t i = 0; i < 5 && round % 2; ++i) /* some of it held */
            assert_ok(p.world,
                      sn_particle_set_mass(p.world, at(p.world, support_random_below(&seed, 30)), SN_IMMOVABLE));
        double lambda[ROWS], x[3 * PARTICLES];
        solve(&p);
        reference_solution(&p, NULL, lambda, x);
        assert_solved(&p, lambda, x, 1e-6);
        sn_world_destroy(p.world);
    }
}

/* Rigid links, the root held: here D of a leaf at the hook would be 0. */
static void rigid_trees_solve_exactly(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static problem p;
    for (uint32_t round = 0; round < 200; ++round) {
        p = (problem){.world = random_tree(&seed, true), .seed = seed};
        if (round % 2)
            assert_ok(p.world,
                      sn_particle_set_mass(p.world, at(p.world, support_random_below(&seed, 5)), SN_IMMOVABLE));
        double lambda[ROWS], x[3 * PARTICLES];
        solve(&p);
        reference_solution(&p, NULL, lambda, x);
        assert_solved(&p, lambda, x, 1e-5);
        sn_world_destroy(p.world);
    }
}

/* With turning: what comes out solves the equations with kappa in them. kappa is nearly known beforehand: rows exert
   far more already than what is to be solved for adds to that. */
static void turning_trees(void **state)
{
    (void)state;
    uint64_t seed = 8;
    static problem p;
    for (uint32_t round = 0; round < 300; ++round) {
        const bool links = round % 2;
        p = (problem){.world = random_tree(&seed, links), .seed = seed, .diagonal = 1, .turn = 1, .scale = 1e-6};
        p.diagonal = links && round % 3 ? 1e-3 : 1;
        for (uint32_t i = 0; i < 3 && round % 4; ++i)
            assert_ok(p.world,
                      sn_particle_set_mass(p.world, at(p.world, support_random_below(&seed, 30)), SN_IMMOVABLE));
        double lambda[ROWS], x[3 * PARTICLES], kappa[ROWS] = {0};
        solve(&p);
        reference_solution(&p, NULL, lambda, x);
        for (uint32_t n = 0; n < p.rows; ++n)
            for (uint32_t k = 0; k < p.rows; ++k) /* all rows of a constraint together, on the one that acts */
                if (p.acts[n] && p.kind[k] == p.kind[n] && p.row[k] == p.row[n])
                    kappa[n] -= (p.before[k] + lambda[k]) * p.bend[k];
        reference_solution(&p, kappa, lambda, x);
        assert_solved(&p, lambda, x, 1e-5);
        sn_world_destroy(p.world);
    }
}

/* Inequalities: nobody pulls, nobody is violated, and who pushes touches. Which of them act is found by trying, and not
   always: then still nobody pulls. */
static void inequalities(void **state)
{
    (void)state;
    uint64_t seed = 9;
    uint32_t right = 0, all = 400;
    static problem p;
    for (uint32_t round = 0; round < all; ++round) {
        p = (problem){.world = random_tree(&seed, round % 2), .seed = seed, .diagonal = 0.1, .inequality = 60};
        double worst = 0;
        solve(&p);
        for (uint32_t n = 0; n < p.rows; ++n) {
            double slack = p.give[n] * p.lambda[n] - p.rhs[n];
            for (uint32_t i = 0; i < 3 * PARTICLES; ++i)
                slack += p.j[n][i] * p.x[i];
            if (!p.one_way[n]) {
                worst = fmax(worst, fabs(slack));
                continue;
            }
            assert_true(p.lambda[n] >= p.least[n] - 1e-12);
            worst = fmax(worst, fmax(-slack, fmin(slack, p.lambda[n] - p.least[n])));
        }
        right += worst < 1e-5;
        sn_world_destroy(p.world);
    }
    assert_true(right > all * 19 / 20);
}

/* Of a constraint by itself, lambda is its share of the solution. */
static void shares(void **state)
{
    (void)state;
    uint64_t seed = 10;
    static problem p;
    for (uint32_t round = 0; round < 50; ++round) {
        static const uint32_t kinds[] = {SN_KIND_DISTANCE, SN_KIND_VOLUME, SN_KIND_ATTACHMENT, SN_KIND_ANGLE};
        double whole[6];
        p = (problem){.world = strewn(6, 0, &seed), .seed = seed, .diagonal = 1, .share = 1};
        sn_constraint_def def = sn_default_constraint_def(kinds[round % 4]);
        sn_point point[4] = {sn_at(at(p.world, 0)), sn_at(at(p.world, 1)), sn_at(at(p.world, 2)),
                             sn_at(at(p.world, 3))};
        def.points = point;
        def.param[0] = 1;
        assert_ok(p.world, sn_constraint_add(p.world, &def, NULL));
        solve(&p);
        memcpy(whole, p.lambda, sizeof whole);
        p.seed = seed;
        p.share = 0.3;
        solve(&p);
        for (uint32_t n = 0; n < p.rows; ++n)
            assert_close(p.lambda[n], 0.3 * whole[n], 1e-6);
        sn_world_destroy(p.world);
    }
}

static bool fill_badly(void *context, uint32_t kind, uint32_t row, sn_forest_rows *out)
{
    problem *p = context;
    fill(context, kind, row, out);
    if (row == 7)
        out->rhs[0] = p->scale;
    return row != 7 || p->scale != 0;
}

/* What is not finite is named, whoever notices; a tree that has it hands out nothing. */
static void faults(void **state)
{
    (void)state;
    static const double bad[] = {0, (double)INFINITY, (double)NAN, 1e308}; /* 0: the caller says so */
    uint64_t seed = 11;
    static problem p;
    for (size_t i = 0; i < COUNT_OF(bad) - SINEW_DOUBLE; ++i) { /* 1e308 is no float */
        p = (problem){.world = strewn(30, 0, &seed), .seed = seed, .scale = bad[i]};
        for (uint32_t n = 0; n < 20; ++n)
            link_of(p.world, n, n + 1);
        sn_frame frame = sn_world_frame(p.world);
        sn_forest forest = forest_of(p.world);
        const sn_forest_job job = {.frame = &frame, .context = &p, .fill = fill_badly, .take = take, .move = move};
        assert_false(sn_forest_solve(&forest, &job));
        assert_int_equal(forest.fault_kind, SN_KIND_DISTANCE);
        if (bad[i] < 1e300)
            assert_int_equal(forest.fault_row, 7);
        for (uint32_t n = 0; n < 3 * PARTICLES; ++n)
            assert_true(p.x[n] == 0);
        sn_forest_release(&forest, &p.world->allocator);
        sn_world_destroy(p.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_graphs),
        cmocka_unit_test(spots),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(follows_changes),
        cmocka_unit_test(memory),
        cmocka_unit_test(trees_solve_exactly),
        cmocka_unit_test(rigid_trees_solve_exactly),
        cmocka_unit_test(turning_trees),
        cmocka_unit_test(inequalities),
        cmocka_unit_test(shares),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
