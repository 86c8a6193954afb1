/* The cost of features: the same cloth with and without them, alternately. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR             1000 /* m */
#define NEVER           1e20 /* N: no rod of a cloth reaches this */
#define FEW             1.1  /* target for a feature that few constraints or particles use */
#define SCHEMES         1.3  /* target for another integrator */
#define TOUCHES_NOTHING 2.5  /* target for self-collision of a cloth that does not touch itself */
#define FOLDED          8    /* target for a cloth that touches itself in many places */
#define NEVER_TORN      1e6  /* strain */
#define TORN_A_FRAME    8u   /* vertices that tear per frame */
#define NO_GOAL         ((double)NAN)

static sn_settings *settings_of(const sn_bench_world *b, sn_settings *s)
{
    *s = sn_world_settings(b->world);
    return s;
}

static bool configure(const sn_bench_world *b, const sn_settings *s)
{
    return sn_world_configure(b->world, s) == SN_OK;
}

/* Chooses the constraints on which a feature is set: the one in the middle, or all. */
typedef bool rod_fn(const sn_bench_world *b, sn_constraint rod);

static bool on_one(const sn_bench_world *b, rod_fn *set)
{
    return set(b, sn_constraints_at(b->rods, b->rods.count / 2));
}

static bool on_all(const sn_bench_world *b, rod_fn *set)
{
    bool good = true;
    for (uint32_t i = 0; i < b->rods.count && good; ++i)
        good = set(b, sn_constraints_at(b->rods, i));
    return good;
}

static sn_vec3 beside(double x, double y, double z)
{
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

static sn_particle middle(const sn_bench_world *b)
{
    return sn_particles_at(b->particles, b->particles.count / 2);
}

/* ---- Features ---------------------------------------------------------------------------------------------------- */

static bool nothing(sn_bench_world *b)
{
    (void)b;
    return true;
}

static bool add_drag(const sn_bench_world *b, uint32_t group)
{
    sn_drag_def drag = sn_default_drag_def();
    drag.strength = (sn_real)0.01;
    drag.one_group = true;
    drag.group = group;
    return sn_drag_add(b->world, &drag, NULL) == SN_OK;
}

static bool drag_empty(sn_bench_world *b)
{
    return add_drag(b, 7);
}

static bool dynamic_friction_all(sn_bench_world *b)
{
    return add_drag(b, 0);
}

static bool set_strength(const sn_bench_world *b, sn_constraint rod)
{
    return sn_constraint_set_strength(b->world, rod, (sn_real)NEVER, 0) == SN_OK;
}

static bool set_damping(const sn_bench_world *b, sn_constraint rod)
{
    return sn_constraint_set_material(b->world, rod, (sn_material){(sn_real)1e-7, 1}) == SN_OK;
}

static bool set_stiffness(const sn_bench_world *b, sn_constraint rod)
{
    return sn_constraint_set_stiffness(b->world, rod, (sn_real)0.9) == SN_OK;
}

static bool set_compliance(const sn_bench_world *b, sn_constraint rod)
{
    return sn_constraint_set_material(b->world, rod, (sn_material){(sn_real)1e-7, 0}) == SN_OK;
}

#define ONE_AND_ALL(name)                                                                                              \
    static bool name##_one(sn_bench_world *b)                                                                          \
    {                                                                                                                  \
        return on_one(b, set_##name);                                                                                  \
    }                                                                                                                  \
    static bool name##_all(sn_bench_world *b)                                                                          \
    {                                                                                                                  \
        return on_all(b, set_##name);                                                                                  \
    }
ONE_AND_ALL(strength)
ONE_AND_ALL(damping)
ONE_AND_ALL(stiffness)
ONE_AND_ALL(compliance)

static bool set_integrator(const sn_bench_world *b, sn_integrator integrator)
{
    sn_settings s;
    settings_of(b, &s)->integrator = integrator;
    return configure(b, &s);
}

static bool forward_euler(sn_bench_world *b)
{
    return set_integrator(b, SN_INTEGRATOR_FORWARD_EULER);
}

static bool leapfrog(sn_bench_world *b)
{
    return set_integrator(b, SN_INTEGRATOR_LEAPFROG);
}

static bool verlet(sn_bench_world *b)
{
    return set_integrator(b, SN_INTEGRATOR_VERLET);
}

static bool bdf2(sn_bench_world *b)
{
    return set_integrator(b, SN_INTEGRATOR_BDF2);
}

static bool set_passes(const sn_bench_world *b, uint32_t iterations, double tolerance)
{
    sn_settings s;
    settings_of(b, &s)->iterations = iterations;
    s.tolerance = (sn_real)tolerance;
    return configure(b, &s);
}

static bool four_passes(sn_bench_world *b)
{
    return set_passes(b, 4, 0);
}

static bool tolerance_one(sn_bench_world *b)
{
    return set_passes(b, 1, 1e-9);
}

static bool tolerance_four(sn_bench_world *b)
{
    return set_passes(b, 4, 1e-9);
}

static bool gradients_start(sn_bench_world *b)
{
    sn_settings s;
    settings_of(b, &s)->gradients = SN_GRADIENTS_START;
    return configure(b, &s);
}

static bool profile(sn_bench_world *b)
{
    sn_settings s;
    settings_of(b, &s)->profile = true;
    return configure(b, &s);
}

/* A kind as a program would register it: two points keep the distance "rest". */
static bool eval_own(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 d = {in->x[1].x - in->x[0].x, in->x[1].y - in->x[0].y, in->x[1].z - in->x[0].z};
    double length = sqrt((double)d.x * (double)d.x + (double)d.y * (double)d.y + (double)d.z * (double)d.z);
    if (!(length > 0))
        return false;
    sn_real r = (sn_real)(1 / length);
    out->c[0] = (sn_real)length - in->param[0];
    out->gradient[1] = (sn_vec3){r * d.x, r * d.y, r * d.z};
    out->gradient[0] = (sn_vec3){-r * d.x, -r * d.y, -r * d.z};
    return true;
}

static bool add_own(const sn_bench_world *b, sn_particle p, sn_particle q, double rest)
{
    static const sn_kind kind = {.name = "own",
                                 .points = 2,
                                 .rows = 1,
                                 .internal = true,
                                 .param = {{.name = "rest", .unit = "m"}},
                                 .eval = eval_own};
    sn_point points[2] = {sn_at(p), sn_at(q)};
    sn_constraint_def def = sn_default_constraint_def(sn_kind_register(b->world, &kind));
    def.points = points;
    def.param[0] = (sn_real)rest;
    return sn_constraint_add(b->world, &def, NULL) == SN_OK;
}

static bool kind_elsewhere(sn_bench_world *b)
{
    return add_own(b, sn_particle_add_at(b->world, beside(-1, 0, 0), 1),
                   sn_particle_add_at(b->world, beside(-1.1, 0, 0), 1), 0.1);
}

/* Adds one such constraint parallel to an existing rod. */
static bool kind_in_cloth(sn_bench_world *b)
{
    const sn_bench_edge *e = &b->model.edge[b->model.edges / 2];
    return add_own(b, sn_particles_at(b->particles, e->a), sn_particles_at(b->particles, e->b), e->rest);
}

/* Hangs a particle on the middle of a triangle of the cloth: a corner and its two neighbours along rods. */
static bool spot(sn_bench_world *b)
{
    const sn_bench_edge *edge = b->model.edge, *first = &edge[b->model.edges / 2], *second = NULL;
    for (uint32_t i = 0; i < b->model.edges && !second; ++i)
        if (edge[i].a == first->a && edge[i].b != first->b)
            second = &edge[i];
    if (!second)
        return false;
    sn_real third = (sn_real)(1.0 / 3);
    sn_point on = sn_on_triangle(sn_particles_at(b->particles, first->a), sn_particles_at(b->particles, first->b),
                                 sn_particles_at(b->particles, second->b), third, third, 1 - 2 * third);
    sn_vec3 x = sn_point_position(b->world, on);
    x.y -= (sn_real)0.1;
    return sn_constraint_add_distance(b->world, on, sn_at(sn_particle_add_at(b->world, x, 1)), SN_MEASURE).generation !=
           0;
}

static bool far_particle(sn_bench_world *b)
{
    return sn_particle_add_at(b->world, beside(FAR, 0, 0), 1).generation != 0;
}

static bool far_cloth(sn_bench_world *b)
{
    bool good = true;
    for (uint32_t i = 0; i < b->particles.count && good; ++i) {
        sn_particle p = sn_particles_at(b->particles, i);
        sn_vec3 x = sn_particle_position(b->world, p);
        x.x += FAR;
        good = sn_particle_set_position(b->world, p, x) == SN_OK;
    }
    return good;
}

/* A target at the present position is a target, too. */
static bool move_one(sn_bench_world *b)
{
    return sn_particle_move_to(b->world, middle(b), sn_particle_position(b->world, middle(b))) == SN_OK;
}

static bool push_one(sn_bench_world *b)
{
    return sn_particle_apply_force(b->world, middle(b), beside(0, 1, 0)) == SN_OK;
}

static sn_vec3 wind_above(void *context, const sn_field_in *in)
{
    (void)context;
    return beside(in->position.y > 1 ? 1 : 0, 0, 0);
}

static bool field(sn_bench_world *b)
{
    return sn_field_add(b->world, wind_above, NULL, true, NULL) == SN_OK;
}

static bool static_body(sn_bench_world *b)
{
    return sn_static_add_box(b->world, beside(0, -FAR, 0), beside(1, 1, 1)).generation != 0;
}

static bool body(sn_bench_world *b)
{
    return sn_body_is_valid(b->world, sn_body_add_box(b->world, beside(-FAR, 0, 0), beside(1, 1, 1), 1));
}

/* The particles of the square cloth may be numbered in any order, so they are identified by position. */
static bool add_skin(sn_bench_world *b, bool self_collision, const sn_tear_def *tear)
{
    sn_skin skin;
    const uint32_t count = b->particles.count, n = (uint32_t)lround(sqrt((double)count));
    uint32_t *at = malloc(count * sizeof *at), *corner = malloc(6 * (size_t)count * sizeof *corner), corners = 0;
    for (uint32_t i = 0; at && i < count; ++i) {
        const sn_vec3 x = sn_particle_position(b->world, sn_particles_at(b->particles, i));
        at[lround((double)x.z / SN_BENCH_SPACING) * n + lround((double)x.x / SN_BENCH_SPACING)] =
            sn_particles_at(b->particles, i).index;
    }
    for (uint32_t i = 0; at && corner && i + n < count; ++i) {
        if (i % n + 1 == n)
            continue;
        const uint32_t six[6] = {at[i], at[i + n], at[i + 1], at[i + 1], at[i + n], at[i + n + 1]};
        memcpy(corner + corners, six, sizeof six);
        corners += 6;
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = corners / 3;
    def.thickness = (sn_real)(0.2 * SN_BENCH_SPACING);
    def.self_collision = self_collision;
    const bool good = at && corner && sn_skin_add(b->world, &def, &skin) == SN_OK &&
                      (!tear || sn_skin_set_tear(b->world, skin, tear) == SN_OK);
    free(at);
    free(corner);
    return good;
}

static bool surface(sn_bench_world *b)
{
    return add_skin(b, true, NULL);
}

/* A cloth held by a whole edge that hangs 20 degrees off the vertical; gravity is rotated for that. It swings, and
   stays smooth. */
static bool hung(sn_bench_world *b)
{
    sn_settings s;
    bool good = true;
    for (uint32_t i = 0; i < b->particles.count && good; ++i) {
        const sn_particle p = sn_particles_at(b->particles, i);
        if ((double)sn_particle_position(b->world, p).z < 0.5 * SN_BENCH_SPACING)
            good = sn_particle_set_mass(b->world, p, SN_IMMOVABLE) == SN_OK;
    }
    settings_of(b, &s)->gravity = beside(0, -0.342 * 9.81, 0.94 * 9.81);
    return good && configure(b, &s);
}

static bool hung_surface(sn_bench_world *b)
{
    return hung(b) && add_skin(b, true, NULL);
}

static bool plain_skin(sn_bench_world *b)
{
    return add_skin(b, false, NULL);
}

static bool tear_never(sn_bench_world *b)
{
    const sn_tear_def tear = {.strain = (sn_real)NEVER_TORN};
    return add_skin(b, false, &tear);
}

/* Very soft rods: a particle that is moved stays there, and tearing depends on each rod alone. */
static bool add_soft(sn_bench_world *b, double strain)
{
    const sn_tear_def tear = {.strain = (sn_real)strain};
    const sn_material soft = {.compliance = 100};
    sn_settings s;
    bool good = add_skin(b, false, &tear);
    for (uint32_t i = 0; i < b->rods.count && good; ++i)
        good = sn_constraint_set_material(b->world, sn_constraints_at(b->rods, i), soft) == SN_OK;
    settings_of(b, &s)->gravity = beside(0, 0, 0);
    return good && configure(b, &s);
}

static bool soft_never(sn_bench_world *b)
{
    return add_soft(b, NEVER_TORN);
}

static bool soft_torn(sn_bench_world *b)
{
    return add_soft(b, 1);
}

/* Moves other vertices in each frame; those far from their original positions were moved before. */
static bool move_some(sn_bench_world *b)
{
    const uint32_t frame = (uint32_t)lround(60 * sn_world_time(b->world));
    bool good = true;
    for (uint32_t i = 0; i < TORN_A_FRAME && good; ++i) {
        const uint32_t number = (uint32_t)(((uint64_t)frame * TORN_A_FRAME + i) * 7919 % b->particles.count);
        const sn_particle p = sn_particles_at(b->particles, number);
        const sn_vec3 x = sn_particle_position(b->world, p);
        good = sn_particle_set_position(b->world, p,
                                        beside((double)x.x, (double)x.y + 2 * SN_BENCH_SPACING, (double)x.z)) == SN_OK;
    }
    return good;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

typedef bool feature_fn(sn_bench_world *b);

typedef struct feature {
    const char *name, *about;
    feature_fn *add;        /* before the first frame */
    feature_fn *each_frame; /* before every frame */
    double target;          /* the largest ratio that is wanted */
    uint32_t against;       /* the row that it is compared with, by number in the table */
} feature;

enum { PLAIN, FOUR_PASSES = 2, HUNG = 29, SKIN = 32, SOFT = 34 };

static const feature features[] = {
    {"plain", "plain: symplectic Euler, 1 pass", nothing, nothing, NO_GOAL, PLAIN},
    {"profile", "profile on", profile, nothing, FEW, PLAIN},
    {"passes-4", "4 passes", four_passes, nothing, NO_GOAL, PLAIN},
    {"tolerance-1", "tolerance 1e-9 m, 1 pass", tolerance_one, nothing, NO_GOAL, PLAIN},
    {"tolerance-4", "tolerance 1e-9 m, 4 passes", tolerance_four, nothing, NO_GOAL, FOUR_PASSES},
    {"gradients-start", "gradients at the start", gradients_start, nothing, NO_GOAL, PLAIN},
    {"forward-euler", "forward Euler", forward_euler, nothing, SCHEMES, PLAIN},
    {"leapfrog", "leapfrog", leapfrog, nothing, SCHEMES, PLAIN},
    {"verlet", "Verlet", verlet, nothing, SCHEMES, PLAIN},
    {"bdf2", "BDF2", bdf2, nothing, SCHEMES, PLAIN},
    {"drag-empty", "drag on an empty group", drag_empty, nothing, FEW, PLAIN},
    {"drag-all", "drag on the cloth", dynamic_friction_all, nothing, NO_GOAL, PLAIN},
    {"strength-one", "a strength that does not break on 1 rod", strength_one, nothing, FEW, PLAIN},
    {"strength-all", "a strength that does not break on all rods", strength_all, nothing, NO_GOAL, PLAIN},
    {"damping-one", "damping on 1 rod", damping_one, nothing, FEW, PLAIN},
    {"damping-all", "damping on all rods", damping_all, nothing, NO_GOAL, PLAIN},
    {"stiffness-one", "a stiffness k < 1 on 1 rod", stiffness_one, nothing, FEW, PLAIN},
    {"stiffness-all", "a stiffness k < 1 on all rods", stiffness_all, nothing, NO_GOAL, PLAIN},
    {"compliance-one", "compliance on 1 rod", compliance_one, nothing, FEW, PLAIN},
    {"compliance-all", "compliance on all rods", compliance_all, nothing, NO_GOAL, PLAIN},
    {"kind-elsewhere", "a user kind on 2 particles elsewhere", kind_elsewhere, nothing, FEW, PLAIN},
    {"kind-in-cloth", "a user kind on 2 particles of the cloth", kind_in_cloth, nothing, FEW, PLAIN},
    {"spot", "a rod from inside a triangle of the cloth", spot, nothing, FEW, PLAIN},
    {"far-particle", "a particle 1 km away", far_particle, nothing, FEW, PLAIN},
    {"far-cloth", "the whole cloth 1 km away", far_cloth, nothing, NO_GOAL, PLAIN},
    {"target-one", "a kinematic target for 1 particle in each frame", nothing, move_one, FEW, PLAIN},
    {"force-one", "a force on 1 particle in each frame", nothing, push_one, FEW, PLAIN},
    {"field", "a force field, asked for every particle", field, nothing, NO_GOAL, PLAIN},
    {"static-far", "a static body 1 km away", static_body, nothing, FEW, PLAIN},
    {"hung", "held by an edge instead, 20 degrees from hanging", hung, nothing, NO_GOAL, PLAIN},
    {"self-collision", "the same, a skin that collides with itself; it touches nothing", hung_surface, nothing,
     TOUCHES_NOTHING, HUNG},
    {"folds", "a skin that collides with itself, and crumples as it falls", surface, nothing, FOLDED, PLAIN},
    {"skin", "a skin", plain_skin, nothing, NO_GOAL, PLAIN},
    {"tear-never", "a skin that may tear, and does not", tear_never, nothing, FEW, SKIN},
    {"tear-soft", "the same, of rods that hardly pull; 8 vertices are moved in each frame", soft_never, move_some,
     NO_GOAL, PLAIN},
    {"tear-frame", "and tear there: 8 vertices in each frame", soft_torn, move_some, NO_GOAL, SOFT},
    {"body-far", "a rigid body 1 km away", body, nothing, FEW, PLAIN},
};

uint32_t sn_bench_feature_count(void)
{
    return (uint32_t)(sizeof features / sizeof features[0]);
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static bool frame(const feature *f, sn_bench_world *b)
{
    return f->each_frame(b) && sn_bench_world_step(b);
}

static bool build(const sn_bench_job *job, const feature *f, sn_bench_world *b, char *status)
{
    if (!sn_bench_world_build(job, NULL, b, status))
        return false;
    if (f->add(b) && frame(f, b)) /* the plan is made in the first frame */
        return true;
    snprintf(status, SN_BENCH_TEXT, "%s: %.100s", f->name, sn_world_error(b->world));
    return false;
}

/* The first frame, which is not measured, brings the world back into the cache. */
static bool time_block(const feature *f, sn_bench_world *b, uint32_t frames, sn_bench_samples *samples)
{
    if (!frame(f, b))
        return false;
    double start = sn_cpu_seconds();
    for (uint32_t i = 0; i < frames; ++i)
        if (!frame(f, b))
            return false;
    double seconds = sn_cpu_seconds() - start;
    samples->total += seconds;
    samples->value[samples->count++] = seconds / frames;
    return true;
}

/* The order of the two alternates from round to round. */
static bool time_rounds(const feature *const f[2], sn_bench_world *b, uint32_t frames, uint32_t rounds,
                        sn_bench_samples *samples)
{
    for (uint32_t round = 0; round < rounds && round < SN_BENCH_SAMPLES; ++round)
        for (uint32_t turn = 0; turn < 2; ++turn) {
            uint32_t which = (turn + round) % 2;
            if (!time_block(f[which], &b[which], frames, &samples[which]))
                return false;
        }
    return true;
}

static void fill(const sn_bench_job *job, const sn_bench_world *b, sn_bench_samples *samples, sn_bench_row *row)
{
    sn_bench_samples ratios = {.count = samples[0].count};
    for (uint32_t i = 0; i < ratios.count; ++i)
        ratios.value[i] = samples[0].value[i] > 0 ? samples[1].value[i] / samples[0].value[i] : 1;
    row->ratio = sn_bench_median(&ratios);
    row->ratio_spread = sn_bench_spread(&ratios);
    row->particles = sn_world_particle_count(b->world);
    row->constraints = sn_world_constraint_count(b->world, SN_KIND_NONE);
    row->substeps = job->substeps;
    row->iterations = sn_world_settings(b->world).iterations;
    row->frames = job->frames * samples[1].count;
    row->blocks = samples[1].count;
    row->ms = 1e3 * sn_bench_median(&samples[1]);
    row->projections = (double)row->substeps * row->iterations * row->constraints;
    row->ns = 1e6 * row->ms / row->projections;
    row->spread = sn_bench_spread(&samples[1]);
    row->bytes = (double)b->meter.now;
}

bool sn_bench_measure_feature(const sn_bench_job *job, uint32_t i, uint32_t rounds, sn_bench_row *row)
{
    const feature *const f[2] = {&features[features[i].against], &features[i]};
    sn_bench_world b[2] = {0};
    sn_bench_samples samples[2] = {0};
    snprintf(row->version, sizeof row->version, "%s", sn_version());
    snprintf(row->feature, sizeof row->feature, "%s", f[1]->name);
    snprintf(row->against, sizeof row->against, "%s", f[0]->name);
    snprintf(row->about, sizeof row->about, "%s", f[1]->about);
    row->ratio_target = f[1]->target;
    bool good = build(job, f[0], &b[0], row->status) && build(job, f[1], &b[1], row->status);
    if (good && !time_rounds(f, b, job->frames, rounds, samples)) {
        snprintf(row->status, sizeof row->status, "a step failed: %.60s%.60s", sn_world_error(b[0].world),
                 sn_world_error(b[1].world));
        good = false;
    }
    if (good)
        fill(job, &b[1], samples, row);
    if (good && !sn_bench_world_quality(&b[1], row)) {
        snprintf(row->status, sizeof row->status, "out of memory");
        good = false;
    }
    sn_bench_world_release(&b[0]);
    sn_bench_world_release(&b[1]);
    return good;
}
