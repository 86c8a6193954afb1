/* Scenes in which every solver has to behave, whatever its formulas: what the tests of single solvers share. A test
   sets the settings, and these ask the questions. */
#ifndef SINEW_TESTS_SOLVER_CASES_H
#define SINEW_TESTS_SOLVER_CASES_H

#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))
#define FRAME                    (1.0 / 60)

/* Changes nothing but what a test is about. */
typedef void solver_setup(sn_settings *s);

static inline sn_world *solver_world(solver_setup *setup, uint32_t substeps, uint32_t iterations)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.iterations = iterations;
    setup(&def.settings);
    return support_world_from(&def);
}

static inline void solver_choose(sn_world *world, solver_setup *setup)
{
    sn_settings s = sn_world_settings(world);
    setup(&s);
    assert_ok(world, sn_world_configure(world, &s));
}

static inline void solver_cascade(sn_settings *s)
{
    s->solver = SN_SOLVER_GAUSS_SEIDEL;
}

static inline void solver_set_gravity(sn_world *world, sn_vec3 gravity)
{
    sn_settings s = sn_world_settings(world);
    s.gravity = gravity;
    assert_ok(world, sn_world_configure(world, &s));
}

static inline double solver_distance(const sn_world *world, sn_particle a, sn_particle b)
{
    return support_gap(sn_particle_position(world, a), sn_particle_position(world, b));
}

static inline double solver_speed(const sn_world *world, sn_particle p)
{
    return support_gap(sn_particle_velocity(world, p), vec(0, 0, 0));
}

/* Every particle is where it can be, and slower than that. */
static inline void assert_bounded(const sn_world *world, uint32_t particles, double size, double speed)
{
    for (uint32_t i = 0; i < particles; ++i) {
        sn_particle p = sn_particle_from_index(world, i);
        sn_vec3 x = sn_particle_position(world, p), v = sn_particle_velocity(world, p);
        if (!support_is_finite(x) || !support_is_finite(v))
            fail_msg("particle %u is nowhere", i);
        double far = support_gap(x, vec(0, 0, 0)), fast = support_gap(v, vec(0, 0, 0));
        if (!(far < size) || !(fast < speed))
            fail_msg("particle %u is at a distance of %g m and moves with %g m/s", i, far, fast);
    }
}

/* ---- A hanging chain --------------------------------------------------------------------------------------------- */

#define CHAIN_MOST 64

/* A chain of rods that starts sideways, hanging on particle 0. */
typedef struct solver_chain {
    sn_world *world;
    uint32_t links;
    double link; /* m */
    sn_particle node[CHAIN_MOST + 1];
    sn_constraint rod[CHAIN_MOST];
} solver_chain;

static inline solver_chain chain_in(sn_world *world, uint32_t links, double link, double mass, double compliance)
{
    solver_chain c = {.world = world, .links = links, .link = link};
    assert_in_range(links, 1, CHAIN_MOST);
    for (uint32_t i = 0; i <= links; ++i) {
        c.node[i] = sn_particle_add_at(world, vec(link * i, 0, 0), i ? real(mass) : SN_IMMOVABLE);
        if (i == 0)
            continue;
        c.rod[i - 1] = sn_constraint_add_distance(world, sn_at(c.node[i - 1]), sn_at(c.node[i]), real(link));
        assert_ok(world, sn_constraint_set_material(world, c.rod[i - 1], (sn_material){real(compliance), 0}));
    }
    return c;
}

/* The largest |length - rest| / rest. */
static inline double chain_strain(const solver_chain *c)
{
    double worst = 0;
    for (uint32_t i = 0; i < c->links; ++i)
        worst = fmax(worst, fabs(solver_distance(c->world, c->node[i], c->node[i + 1]) / c->link - 1));
    return worst;
}

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

typedef struct momenta {
    double linear[3], angular[3];
    double scale[2]; /* the sum of what single particles contribute, by which an error is small */
} momenta;

static inline momenta momenta_of(const sn_world *world, uint32_t particles)
{
    momenta m;
    memset(&m, 0, sizeof(m));
    for (uint32_t i = 0; i < particles; ++i) {
        sn_particle p = sn_particle_from_index(world, i);
        sn_vec3 x = sn_particle_position(world, p), v = sn_particle_velocity(world, p);
        double mass = (double)sn_particle_mass(world, p), a[3] = {(double)x.x, (double)x.y, (double)x.z};
        double b[3] = {mass * (double)v.x, mass * (double)v.y, mass * (double)v.z};
        for (uint32_t k = 0; k < 3; ++k) {
            m.linear[k] += b[k];
            m.angular[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        }
        m.scale[0] += sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        m.scale[1] += sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    }
    return m;
}

static inline double linear_drift(const momenta *a, const momenta *b)
{
    double sum = 0;
    for (uint32_t k = 0; k < 3; ++k)
        sum += (a->linear[k] - b->linear[k]) * (a->linear[k] - b->linear[k]);
    return sqrt(sum);
}

static inline double angular_drift(const momenta *a, const momenta *b)
{
    double sum = 0;
    for (uint32_t k = 0; k < 3; ++k)
        sum += (a->angular[k] - b->angular[k]) * (a->angular[k] - b->angular[k]);
    return sqrt(sum);
}

/* Four rods between five free particles of different masses, tumbling through empty space. */
static inline sn_world *tumbling_rods(solver_setup *setup, uint32_t iterations)
{
    static const double place[5][3] = {{0, 0, 0}, {1, 0, 0}, {1.5, 0.8, 0}, {0.9, 1.4, 0.5}, {0.2, 1.9, 0.1}};
    static const double velocity[5][3] = {{0.3, 0, 1}, {0, 0.5, -0.4}, {-0.6, 0.2, 0}, {0.1, -0.3, 0.8}, {0.4, 0.4, 0}};
    static const double mass[5] = {1, 0.5, 2, 1.5, 0.7};
    sn_world *world = solver_world(setup, 1, iterations);
    solver_set_gravity(world, vec(0, 0, 0));
    sn_particle last = {0, 0};
    for (uint32_t i = 0; i < 5; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(place[i][0], place[i][1], place[i][2]), real(mass[i]));
        assert_ok(world, sn_particle_set_velocity(world, p, vec(velocity[i][0], velocity[i][1], velocity[i][2])));
        if (i > 0)
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE);
        last = p;
    }
    return world;
}

/* ---- Too many constraints ---------------------------------------------------------------------------------------- */

/* A hanging chain all of whose rods are there twice. */
static inline void check_every_rod_twice(solver_setup *setup, double strain)
{
    solver_chain c = chain_in(solver_world(setup, 10, 10), 5, 0.2, 0.1, 0);
    for (uint32_t i = 0; i < c.links; ++i)
        sn_constraint_add_distance(c.world, sn_at(c.node[i]), sn_at(c.node[i + 1]), real(c.link));
    for (uint32_t i = 0; i < 300; ++i) {
        assert_ok(c.world, sn_world_step(c.world, real(FRAME)));
        assert_bounded(c.world, c.links + 1, 1.1, 20);
    }
    assert_true(chain_strain(&c) < strain);
    sn_world_destroy(c.world);
}

/* A rigid triangle with one of its edges twice, hanging on a corner. */
static inline void check_triangle_with_a_double_edge(solver_setup *setup, double stretch)
{
    sn_world *world = solver_world(setup, 10, 10);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                b = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_particle c = sn_particle_add_at(world, vec(0.4, 0.8, 0.1), 2);
    double rest[3] = {solver_distance(world, a, b), solver_distance(world, b, c), solver_distance(world, c, a)};
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(b), sn_at(c), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(c), sn_at(b), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(c), sn_at(a), SN_MEASURE);
    for (uint32_t i = 0; i < 300; ++i) {
        assert_ok(world, sn_world_step(world, real(FRAME)));
        assert_bounded(world, 3, 1.1, 20);
        assert_close(solver_distance(world, a, b), rest[0], stretch);
        assert_close(solver_distance(world, b, c), rest[1], stretch);
        assert_close(solver_distance(world, c, a), rest[2], stretch);
    }
    sn_world_destroy(world);
}

/* ---- Changes between steps --------------------------------------------------------------------------------------- */

/* Constraints and particles come and go while a chain hangs; what is left is a chain that holds. */
static inline void check_comings_and_goings(solver_setup *setup, double strain)
{
    solver_chain c = chain_in(solver_world(setup, 10, 20), 6, 0.2, 0.1, 0);
    for (uint32_t round = 0; round < support_long(20, 10); ++round) {
        support_run(c.world, 5, FRAME);
        sn_particle p = sn_particle_add_at(c.world, sn_particle_position(c.world, c.node[3]), real(0.1));
        sn_constraint rod = sn_constraint_add_distance(c.world, sn_at(c.node[6]), sn_at(p), SN_MEASURE);
        sn_constraint pin = sn_constraint_add_pin(c.world, c.node[4]);
        sn_constraint_add_half_space(c.world, sn_at(c.node[5]), vec(0, -5, 0), vec(0, 1, 0));
        sn_vec3 pinned = sn_particle_position(c.world, c.node[4]);
        double apart = solver_distance(c.world, c.node[6], p);
        support_run(c.world, 3, FRAME);
        assert_vec_close(sn_particle_position(c.world, c.node[4]), pinned, 0.1 * c.link);
        assert_close(solver_distance(c.world, c.node[6], p), apart, 0.2 * c.link);
        assert_ok(c.world, sn_constraint_remove(c.world, round % 2 ? pin : rod));
        support_run(c.world, 2, FRAME);
        assert_ok(c.world, sn_particle_remove(c.world, p)); /* and what holds it */
        if (round % 2 == 0)
            assert_ok(c.world, sn_constraint_remove(c.world, pin));
        uint32_t link = round % c.links; /* a rod is taken away and put back */
        assert_ok(c.world, sn_constraint_remove(c.world, c.rod[link]));
        c.rod[link] = sn_constraint_add_distance(c.world, sn_at(c.node[link]), sn_at(c.node[link + 1]), real(c.link));
        assert_bounded(c.world, c.links + 1, 2, 30);
    }
    support_run(c.world, support_long(300, 120), FRAME);
    assert_true(chain_strain(&c) < strain);
    sn_world_destroy(c.world);
}

/* How much velocities and places of a chain change in one step, at most. */
static inline void step_changes(solver_chain *c, double *velocity, double *place)
{
    sn_vec3 v[CHAIN_MOST + 1], x[CHAIN_MOST + 1];
    for (uint32_t i = 0; i <= c->links; ++i) {
        x[i] = sn_particle_position(c->world, c->node[i]);
        v[i] = sn_particle_velocity(c->world, c->node[i]);
    }
    support_run(c->world, 1, FRAME);
    *velocity = *place = 0;
    for (uint32_t i = 0; i <= c->links; ++i) {
        *velocity = fmax(*velocity, support_gap(v[i], sn_particle_velocity(c->world, c->node[i])));
        *place = fmax(*place, support_gap(x[i], sn_particle_position(c->world, c->node[i])));
    }
}

/* From the cascade to this solver and back, every half second of a swing: the step after a change moves nothing more
   than the steps around it do, but for a share. */
static inline void check_switching(solver_setup *setup, double share)
{
    solver_chain c = chain_in(solver_world(solver_cascade, 10, 10), 4, 0.25, 0.1, 0);
    double velocity[240], place[240];
    for (uint32_t i = 0; i < COUNT_OF(velocity); ++i) {
        if (i % 30 == 0)
            solver_choose(c.world, i / 30 % 2 ? setup : solver_cascade);
        step_changes(&c, &velocity[i], &place[i]);
    }
    for (uint32_t i = 30; i < COUNT_OF(velocity); i += 30) {
        double around[2] = {0, 0};
        for (uint32_t k = 1; k <= 3; ++k) {
            around[0] = fmax(around[0], fmax(velocity[i - k], velocity[i + k]));
            around[1] = fmax(around[1], fmax(place[i - k], place[i + k]));
        }
        if (velocity[i] > (1 + share) * around[0] || place[i] > (1 + share) * around[1])
            fail_msg("step %u changes velocities by %g m/s and places by %g m; those around it by %g and %g", i,
                     velocity[i], place[i], around[0], around[1]);
    }
    sn_world_destroy(c.world);
}

/* ---- Everything -------------------------------------------------------------------------------------------------- */

/* The zoo without the kinds that project by themselves, which have no gradient to offer. */
static inline void zoo_without_projections(sn_world *world)
{
    support_animals zoo = support_zoo(world);
    for (uint32_t kind = 1; kind < zoo.kind_count; ++kind)
        if (support_kind_fits(world, kind) && sn_kind_info(world, kind)->project) {
            assert_ok(world, sn_constraint_remove(world, zoo.rigid[kind]));
            assert_ok(world, sn_constraint_remove(world, zoo.half_stiff[kind]));
        }
}

/* Every kind of the table, rigid, soft, damped and on spots, in 2D and 3D. */
static inline void check_zoo(solver_setup *setup)
{
    for (uint32_t n = 0; n < 4; ++n) {
        sn_world_def def = sn_default_world_def();
        def.dimensions = 2 + n % 2;
        def.settings.iterations = n / 2 ? 5 : 1;
        setup(&def.settings);
        sn_world *world = support_world_from(&def);
        zoo_without_projections(world);
        for (uint32_t frame = 0; frame < support_long(60, 5); ++frame) {
            assert_ok(world, sn_world_step(world, real(FRAME)));
            assert_bounded(world, SUPPORT_ZOO_PARTICLES, 100, 2000);
        }
        sn_world_destroy(world);
    }
}

/* A kind that projects by itself is refused, by name. */
static inline void check_projections_are_refused(solver_setup *setup, const char *name)
{
    sn_world *world = solver_world(setup, 1, 1);
    support_animals zoo = support_zoo(world);
    uint64_t hash = sn_world_hash(world);
    uint32_t kind = 1;
    while (kind < zoo.kind_count && !sn_kind_info(world, kind)->project)
        ++kind;
    assert_true(kind < zoo.kind_count);
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_step(world, real(FRAME)));
    assert_says(sn_world_error(world), name);
    assert_says(sn_world_error(world), sn_kind_info(world, kind)->name);
    assert_true(sn_world_hash(world) == hash);
    solver_choose(world, solver_cascade);
    support_run(world, 1, FRAME);
    sn_world_destroy(world);
}

/* ---- Memory and snapshots ---------------------------------------------------------------------------------------- */

/* A warmed-up step asks for no memory, also after going back to a snapshot. */
static inline void check_no_allocation(solver_setup *setup)
{
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    def.settings.iterations = 2;
    setup(&def.settings);
    sn_world *world = support_world_from(&def);
    zoo_without_projections(world);
    support_run(world, 2, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    support_run(world, 1, FRAME);
    uint64_t before = memory.requests;
    support_run(world, 3, FRAME);
    assert_int_equal(memory.requests, before);
    assert_ok(world, sn_world_load(world, saved));
    before = memory.requests;
    support_run(world, 3, FRAME);
    assert_int_equal(memory.requests, before);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* When memory runs out the step says so and changes nothing, and the next one works. */
static inline void check_out_of_memory(solver_setup *setup)
{
    for (uint64_t fail = 1;; ++fail) {
        support_memory memory = {0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        setup(&def.settings);
        sn_world *world = support_world_from(&def);
        solver_chain c = chain_in(world, 10, 0.1, 0.1, 0);
        uint64_t hash = sn_world_hash(world);
        memory.fail_at = memory.requests + fail;
        sn_result result = sn_world_step(world, real(FRAME));
        if (memory.failures > 0) {
            assert_result(world, SN_ERROR_MEMORY, result);
            assert_true(sn_world_hash(world) == hash);
        }
        memory.fail_at = 0;
        support_run(world, 5, FRAME);
        assert_true(chain_strain(&c) < 1);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (memory.failures == 0)
            return;
    }
}

/* What follows a snapshot follows it again, in another world too. */
static inline void check_snapshots(solver_setup *setup)
{
    sn_world *world = solver_world(setup, 4, 3), *other = solver_world(setup, 1, 1);
    const uint32_t some = support_long(10, 4);
    zoo_without_projections(world);
    support_run(world, some, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    support_run(world, some, FRAME);
    assert_ok(other, sn_world_load(other, saved));
    support_run(other, some, FRAME);
    assert_same_world(world, other);
    assert_ok(world, sn_world_load(world, saved));
    support_run(world, some, FRAME);
    assert_same_world(world, other);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

#endif
