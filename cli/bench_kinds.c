/* The cost of kinds: constraints that share no particles, compared with the same particles and bodies without them,
   alternately. The difference is the cost of their projection. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEVER          ((sn_real)1e20) /* N, N m: no constraint reaches this */
#define APART          3               /* m between constraints, which are 1 m large */
#define RAGDOLLS       1000
#define QUICK_RAGDOLLS 10

/* ---- Variants of constraints ------------------------------------------------------------------------------------- */

enum { ON_PARTICLES, ON_TRIANGLE, ON_BODY };

typedef struct feature {
    const char *name;
    sn_real compliance, damping, softer, strength; /* softer: 1 - k */
    int first;                                     /* what the first point is on */
    const char *param[2];                          /* for joints with these parameters: set to value */
    sn_real value[2];
} feature;

static const feature features[SN_BENCH_COSTS] = {
    {.name = "plain"},
    {.name = "compliance", .compliance = (sn_real)1e-4},
    {.name = "damping", .compliance = (sn_real)1e-4, .damping = 1},
    {.name = "stiffness", .softer = (sn_real)0.25},
    {.name = "strength", .strength = NEVER},
    {.name = "spot", .first = ON_TRIANGLE},
    {.name = "body", .first = ON_BODY},
    {.name = "limits", .param = {"least", "most"}, .value = {(sn_real)-0.01, (sn_real)0.01}},
    {.name = "motor", .param = {"speed", "speed_most"}, .value = {1, 10}},
    {.name = "friction", .param = {"friction"}, .value = {1}},
};

const char *sn_bench_cost_name(uint32_t i)
{
    return features[i].name;
}

static int find_param(const sn_kind *kind, const char *name)
{
    int at = 0;
    for (const sn_param *p = kind->param; p->name; at += p->type == SN_PARAM_REAL ? 1 : 3, ++p)
        if (strcmp(p->name, name) == 0)
            return at;
    return -1;
}

static bool suits(const sn_kind *kind, const feature *f)
{
    for (int i = 0; i < 2 && f->param[i]; ++i)
        if (!kind->oriented || find_param(kind, f->param[i]) < 0)
            return false;
    return !(f->first && kind->oriented);
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

/* A world to build. */
typedef struct plan {
    const sn_bench_job *job;
    uint32_t kind;
    const sn_kind *about;
    const feature *f;
    sn_simd simd;
    uint32_t particles, bodies; /* per constraint */
    bool with;                  /* with the constraints */
} plan;

typedef struct site {
    sn_world *world;
    sn_snapshot *start;
} site;

static double draw(uint64_t *seed)
{
    return (double)(sn_bench_draw(seed) >> 11) / (double)(UINT64_C(1) << 53);
}

static sn_vec3 draw_vector(uint64_t *seed, double size)
{
    double x = draw(seed), y = draw(seed), z = draw(seed);
    return (sn_vec3){(sn_real)((2 * x - 1) * size), (sn_real)((2 * y - 1) * size), (sn_real)((2 * z - 1) * size)};
}

/* The position of point p of constraint i. */
static sn_vec3 place_of(const plan *s, uint32_t i, uint32_t p)
{
    uint64_t seed = (uint64_t)i * SN_MAX_POINTS + (s->about->oriented ? 0 : p);
    const uint32_t side = (uint32_t)ceil(cbrt(s->job->what->n));
    sn_vec3 x = draw_vector(&seed, 0.5);
    x.x += (sn_real)(APART * (i % side));
    x.y += (sn_real)(APART * (i / side % side));
    x.z += (sn_real)(APART * (i / side / side));
    return x;
}

static bool add_particle(const plan *s, site *to, uint32_t number)
{
    uint64_t seed = ~(uint64_t)number;
    sn_particle p =
        sn_particle_add_at(to->world, place_of(s, number / s->particles, s->bodies + number % s->particles), 1);
    return p.generation != 0 && sn_particle_set_velocity(to->world, p, draw_vector(&seed, 1)) == SN_OK;
}

static bool add_body(const plan *s, site *to, uint32_t number)
{
    uint64_t seed = ~(uint64_t)number;
    sn_body_def def = sn_default_body_def();
    const sn_vec3 x = place_of(s, number / s->bodies, number % s->bodies), arm = draw_vector(&seed, 0.3);
    def.position = (sn_vec3){x.x + arm.x, x.y + arm.y, x.z + arm.z};
    def.velocity = draw_vector(&seed, 1);
    def.spin = draw_vector(&seed, 1);
    def.mass = 1;
    def.moments = (sn_vec3){(sn_real)0.1, (sn_real)0.12, (sn_real)0.15};
    return sn_body_add(to->world, &def, NULL) == SN_OK;
}

/* Sets parameters that are neither measured nor have a default. */
static void choose_params(const plan *s, uint32_t i, sn_real *param)
{
    uint64_t seed = i;
    for (const sn_param *p = s->about->param; p->name; param += p->type == SN_PARAM_REAL ? 1 : 3, ++p) {
        if (s->about->measure || p->has_default)
            continue;
        if (p->type == SN_PARAM_REAL) {
            param[0] = (sn_real)0.5;
            continue;
        }
        sn_vec3 v = p->type == SN_PARAM_POSITION ? place_of(s, i, 0) : draw_vector(&seed, 1);
        param[0] = v.x, param[1] = v.y, param[2] = v.z;
    }
}

/* Handles of a new world are numbered from 0, so the numbers of a constraint's particles follow from the order in
   which these were added. */
static bool add_constraint(const plan *s, site *to, uint32_t i, const uint32_t *particle, const uint32_t *body)
{
    const feature *f = s->f;
    sn_world *world = to->world;
    sn_constraint_def def = sn_default_constraint_def(s->kind);
    sn_point point[SN_MAX_POINTS];
    sn_constraint made;
    uint32_t next = 0;
    sn_particle own[SN_MAX_POINTS + 2];
    for (uint32_t k = 0; k < s->particles; ++k)
        own[k] = sn_particle_from_index(world, particle[i * s->particles + k]);
    for (uint32_t p = 0; p < s->about->points; ++p)
        if (p < s->bodies) {
            sn_body b = sn_body_from_index(world, body[i * s->bodies + p]);
            point[p] = sn_on_body(b, sn_body_to_own(world, b, place_of(s, i, p)));
        } else if (p == 0 && f->first == ON_TRIANGLE) {
            point[p] = sn_on_triangle(own[0], own[1], own[2], (sn_real)0.5, (sn_real)0.25, (sn_real)0.25);
            next = 3;
        } else {
            point[p] = sn_at(own[next++]);
        }
    choose_params(s, i, def.param);
    for (int k = 0; k < 2 && f->param[k]; ++k)
        def.param[find_param(s->about, f->param[k])] = f->value[k];
    def.points = point;
    def.compliance = f->compliance;
    def.damping = f->damping;
    def.stiffness = 1 - f->softer;
    return sn_constraint_add(world, &def, &made) == SN_OK &&
           (f->strength == 0 ||
            sn_constraint_set_strength(world, made, f->strength, s->about->oriented ? f->strength : 0) == SN_OK);
}

/* The numbers from 0 on, shuffled; `at` gets the place of each number. */
static bool make_order(uint32_t count, uint32_t **order, uint32_t **at)
{
    uint64_t seed = count;
    *order = malloc(((size_t)count + 1) * sizeof **order);
    *at = malloc(((size_t)count + 1) * sizeof **at);
    for (uint32_t i = 0; i < count && *order && *at; ++i) {
        uint32_t j = (uint32_t)(sn_bench_draw(&seed) % (i + 1));
        (*order)[i] = (*order)[j];
        (*order)[j] = i;
    }
    for (uint32_t i = 0; i < count && *order && *at; ++i)
        (*at)[(*order)[i]] = i;
    return *order && *at;
}

static bool fill(const plan *s, site *to)
{
    const uint32_t n = s->job->what->n, particles = n * s->particles, bodies = n * s->bodies;
    uint32_t *order[3] = {NULL}, *at[3] = {NULL};
    bool good = make_order(particles, &order[0], &at[0]) && make_order(bodies, &order[1], &at[1]) &&
                make_order(n, &order[2], &at[2]);
    for (uint32_t i = 0; i < bodies && good; ++i)
        good = add_body(s, to, order[1][i]);
    for (uint32_t i = 0; i < particles && good; ++i) {
        good = add_particle(s, to, order[0][i]);
        at[0][order[0][i]] += bodies; /* the centre particles of bodies were added first */
    }
    for (uint32_t i = 0; i < n && good && s->with; ++i)
        good = add_constraint(s, to, order[2][i], at[0], at[1]);
    for (int k = 0; k < 3; ++k) {
        free(order[k]);
        free(at[k]);
    }
    return good;
}

/* 1,000 ragdolls without shapes, held only by their joints. */
static bool fill_ragdolls(const plan *s, site *to)
{
    sn_bench_model model = {0};
    sn_world *shaped = NULL;
    sn_world_def plain = sn_default_world_def();
    bool good = sn_bench_build_ragdolls(s->job->what->n, &model) && sn_world_create(&plain, &shaped) == SN_OK;
    sn_body *body = good ? malloc((size_t)model.bodies * sizeof *body) : NULL;
    good = body && sn_bench_add_bodies(shaped, &model, body);
    for (uint32_t i = 0; i < model.bodies && good; ++i) {
        uint64_t seed = i;
        sn_body_def def;
        good = sn_body_read(shaped, body[i], &def) == SN_OK;
        def.shapes = NULL;
        def.shape_count = 0;
        def.velocity = draw_vector(&seed, 1);
        def.spin = draw_vector(&seed, 1);
        good = good && sn_body_add(to->world, &def, &body[i]) == SN_OK;
    }
    good = good && (!s->with || sn_bench_add_joints(to->world, &model, body));
    sn_world_destroy(shaped);
    sn_bench_model_release(&model);
    free(body);
    return good;
}

static bool build(const plan *s, site *to, char *status)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = (sn_vec3){0, 0, 0};
    def.settings.stiffening = SN_STIFFENING_OFF;
    def.settings.substeps = s->job->substeps;
    def.settings.iterations = 1;
    def.threads = 1;
    def.simd = s->simd;
    if (sn_world_create(&def, &to->world) == SN_OK && (s->about ? fill(s, to) : fill_ragdolls(s, to)) &&
        (to->start = sn_world_save(to->world)))
        return true;
    const char *error = to->world ? sn_world_error(to->world) : "";
    snprintf(status, SN_BENCH_TEXT, "%s", error[0] ? error : "out of memory");
    return false;
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

/* Always from the start, where constraints have errors to correct. The first frame makes the plan. */
static bool time_block(site *at, uint32_t frames, double *seconds)
{
    const sn_real dt = (sn_real)SN_BENCH_DT;
    if (sn_world_load(at->world, at->start) != SN_OK || sn_world_step(at->world, dt) != SN_OK)
        return false;
    double start = sn_cpu_seconds();
    for (uint32_t i = 0; i < frames; ++i)
        if (sn_world_step(at->world, dt) != SN_OK)
            return false;
    *seconds = (sn_cpu_seconds() - start) / frames;
    return true;
}

static bool time_rounds(site *with, site *without, uint32_t frames, uint32_t rounds, sn_bench_samples *samples)
{
    for (uint32_t round = 0; round < rounds && round < SN_BENCH_SAMPLES; ++round) {
        double seconds[2];
        for (uint32_t turn = 0; turn < 2; ++turn)
            if (!time_block((turn + round) % 2 ? with : without, frames, &seconds[(turn + round) % 2]))
                return false;
        samples->value[samples->count++] = seconds[1] - seconds[0];
    }
    return true;
}

/* Measures one cell of the table. */
static bool measure(plan *s, uint32_t rounds, sn_bench_row *row, uint32_t cell)
{
    site with = {0}, without = {0};
    sn_bench_samples samples = {0};
    char status[SN_BENCH_TEXT] = "";
    s->with = true;
    bool good = build(s, &with, status);
    s->with = false;
    good = good && build(s, &without, status);
    if (good && !time_rounds(&with, &without, s->job->frames, rounds, &samples)) {
        snprintf(status, sizeof status, "a step failed: %.60s%.60s", sn_world_error(with.world),
                 sn_world_error(without.world));
        good = false;
    }
    if (good) {
        row->constraints = sn_world_constraint_count(with.world, SN_KIND_NONE);
        row->cost[cell] = 1e9 * sn_bench_median(&samples) / ((double)s->job->substeps * row->constraints);
        row->cost_spread[cell] = sn_bench_spread(&samples);
    }
    if (good && cell == 0) {
        row->particles = sn_world_particle_count(with.world);
        row->substeps = s->job->substeps;
        row->iterations = 1;
        row->blocks = samples.count;
        row->frames = s->job->frames * samples.count;
        row->projections = (double)row->substeps * row->constraints;
        row->ns = row->cost[0];
        row->ms = 1e-6 * row->ns * row->projections;
        row->spread = row->cost_spread[0];
    }
    if (!good)
        snprintf(row->status, sizeof row->status, "%s: %.120s", features[cell].name, status);
    sn_world_destroy(with.world);
    sn_world_destroy(without.world);
    sn_snapshot_destroy(with.start);
    sn_snapshot_destroy(without.start);
    return good;
}

bool sn_bench_kind_is_measured(uint32_t kind)
{
    const sn_kind *about = sn_kind_info(NULL, kind);
    return about->points > 0 && !about->force;
}

bool sn_bench_measure_kind(const sn_bench_job *job, uint32_t kind, bool wide, uint32_t rounds, sn_bench_row *row)
{
    const sn_kind *about = sn_kind_info(NULL, kind);
    bool good = true;
    snprintf(row->version, sizeof row->version, "%s", sn_version());
    snprintf(row->kind, sizeof row->kind, "%s", about->name);
    row->wide = wide;
    row->rows = about->rows;
    row->points = about->points;
    for (uint32_t i = 0; i < SN_BENCH_COSTS && good; ++i) {
        const feature *f = &features[i];
        plan s = {.job = job, .kind = kind, .about = about, .f = f, .simd = wide ? SN_SIMD_AUTO : SN_SIMD_SCALAR};
        s.bodies = about->oriented ? about->points : f->first == ON_BODY ? 1 : 0;
        s.particles = about->points - s.bodies + (f->first == ON_TRIANGLE ? 2 : 0);
        if (suits(about, f))
            good = measure(&s, rounds, row, i);
    }
    return good;
}

bool sn_bench_measure_joints(const sn_bench_job *job, bool wide, uint32_t rounds, sn_bench_row *row)
{
    sn_bench_case ragdolls = *job->what;
    ragdolls.n = ragdolls.n > RAGDOLLS ? RAGDOLLS : QUICK_RAGDOLLS;
    sn_bench_job own = *job;
    own.what = &ragdolls;
    plan s = {.job = &own, .f = &features[0], .simd = wide ? SN_SIMD_AUTO : SN_SIMD_SCALAR};
    snprintf(row->version, sizeof row->version, "%s", sn_version());
    snprintf(row->kind, sizeof row->kind, "%u ragdolls", (unsigned)ragdolls.n);
    row->wide = wide;
    row->points = 2;
    return measure(&s, rounds, row, 0);
}
