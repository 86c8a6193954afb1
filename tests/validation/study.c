/* Accuracy for time: what the integrators make of a millisecond, over scenes whose physics is known. What 'make integrator-docs'
   calls, for docs/integrators.md.

       study [--brief] [SCENE...]

   Prints a line of names, and then one line for each scene, method and number of substeps, with tabs between:

   scene, method, substeps, passes, ms_frame (CPU time of the steps of a frame), error and its unit, energy (what is missing or too
   much at the end), gain (the most that there ever was too much), both as a share of the energy that is exchanged, and spin (change of
   the angular momentum about the centre, as a share of it). A dash: it makes no sense there. A run that fails has "failed" for its error. --brief is
   for tests: seconds instead of minutes, and no figure is worth anything. */
#include "validation/row_tools.h"

#include <time.h>

/* ---- Methods ----------------------------------------------------------------------------------------------------- */

typedef struct method {
    const char *name;
    sn_integrator integrator;
    sn_gradients gradients;
    uint32_t passes;
    double gamma;   /* damping of constraints, in substeps: see join */
    bool symmetric; /* passes there and back by the reference solver */
} method;

static const method methods[] = {
    {"symplectic Euler", SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 1, 0, false},
    {"symplectic Euler, 2 passes", SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 2, 0, false},
    {"leapfrog", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_CURRENT, 1, 0, false},
    {"leapfrog, SHAKE, 2 passes", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START, 2, 0, false},
    {"BDF2", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT, 1, 0, false},
    {"BDF2, 2 passes", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT, 2, 0, false},
    {"BDF2, damped constraints", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT, 1, 2, false},
};

/* What scenes without an exact answer are held against. It cannot gain energy: see docs/stability.md. */
static const method reference = {"reference", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT, 2, 0, true};

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

enum { MOST_SWEEPS = 128, REFERENCE_SUBSTEPS = 256 };

typedef struct trial {
    sn_world *world;
    sn_particles particles;
    const method *method;
    double h;      /* s: a substep */
    uint32_t side; /* of a cloth */
    double time;   /* s */
    double centre[3];
} trial;

typedef struct study {
    const char *name;
    const char *unit; /* of its error */
    uint32_t frames, brief;
    uint32_t most_sweeps; /* in a frame */
    double gravity, damping;
    void (*build)(trial *t);
    double (*error)(const trial *t, const double *exact); /* exact: places, as the reference has them */
    bool has_reference, has_energy, has_spin;
} study;

static void add_run(trial *t, uint32_t count, const double *xyz)
{
    sn_real *x = malloc(3 * sizeof *x * count);
    if (!x)
        give_up("particles", "out of memory");
    for (uint32_t i = 0; i < 3 * count; ++i)
        x[i] = real(xyz[i]);
    t->particles = sn_particles_add(t->world, count, x, 0, 1);
    free(x);
    if (t->particles.count == 0)
        give_up("particles", sn_world_error(t->world));
}

static void hold(const trial *t, uint32_t i)
{
    must(t->world, sn_particle_set_mass(t->world, sn_particles_at(t->particles, i), SN_IMMOVABLE), "hold");
}

#define HARDLY 1e-10 /* m/N: damping needs a compliance */

/* With a damping of gamma the constraint resists its own change, so that a pass corrects 1 / (1 + gamma) of an error. Where the
   constraint is soft against the masses, w = 2/kg, there is less to damp: otherwise a spring would lose its second order. */
static void join(const trial *t, uint32_t a, uint32_t b, double compliance)
{
    sn_point p = sn_at(sn_particles_at(t->particles, a)), q = sn_at(sn_particles_at(t->particles, b));
    sn_constraint rod = sn_constraint_add_distance(t->world, p, q, SN_MEASURE);
    double h = t->method->integrator == SN_INTEGRATOR_BDF2 ? 2 * t->h / 3 : t->h, damping = 0;
    if (t->method->gamma > 0) {
        compliance = fmax(compliance, HARDLY);
        damping = t->method->gamma * 2 / (2 + compliance / (h * h)) * h / compliance;
    }
    must(t->world, sn_constraint_set_material(t->world, rod, (sn_material){real(compliance), real(damping)}), "rod");
}

static sn_vec3 place_of(const trial *t, uint32_t i)
{
    return sn_particle_position(t->world, sn_particles_at(t->particles, i));
}

/* Root mean square of the distances from where the reference has them, m. */
static double distance_from(const trial *t, const double *exact)
{
    double sum = 0;
    for (uint32_t i = 0; i < t->particles.count; ++i) {
        sn_vec3 x = place_of(t, i);
        const double *e = &exact[3 * (size_t)i];
        sum += pow((double)x.x - e[0], 2) + pow((double)x.y - e[1], 2) + pow((double)x.z - e[2], 2);
    }
    return sqrt(sum / t->particles.count);
}

/* Twenty links of 5 cm, let go at 45 degrees, for a second. */
static void build_chain(trial *t)
{
    enum { LINKS = 20 };
    double xyz[3 * (LINKS + 1)] = {0};
    for (uint32_t i = 0; i <= LINKS; ++i) {
        xyz[3 * i] = 0.05 * i * sqrt(0.5);
        xyz[3 * i + 1] = -xyz[3 * i];
    }
    add_run(t, LINKS + 1, xyz);
    hold(t, 0);
    for (uint32_t i = 0; i < LINKS; ++i)
        join(t, i, i + 1, 0);
}

/* A square of side x side, 5 cm apart, with rods along its sides and both diagonals, that hangs down by `tilt` from level. */
static void build_sheet(trial *t, uint32_t side, double tilt)
{
    double *xyz = calloc(3 * (size_t)side * side, sizeof *xyz);
    if (!xyz)
        give_up("sheet", "out of memory");
    for (uint32_t i = 0; i < side * side; ++i) {
        double along = 0.05 * (i / side);
        xyz[3 * (size_t)i] = 0.05 * (i % side);
        xyz[3 * (size_t)i + 1] = -along * sin(tilt);
        xyz[3 * (size_t)i + 2] = along * cos(tilt);
    }
    t->side = side;
    add_run(t, side * side, xyz);
    free(xyz);
    for (uint32_t i = 0; i < side * side; ++i) {
        bool right = i % side + 1 < side, below = i / side + 1 < side;
        if (right)
            join(t, i, i + 1, 0);
        if (below)
            join(t, i, i + side, 0);
        if (right && below) {
            join(t, i, i + side + 1, 0);
            join(t, i + 1, i + side, 0);
        }
    }
}

/* Held at two corners; with damping it comes to rest. */
static void build_hanging(trial *t)
{
    build_sheet(t, 24, 0);
    hold(t, 0);
    hold(t, t->side - 1);
}

/* Held along its upper edge, let go at 45 degrees. */
static void build_swinging(trial *t)
{
    build_sheet(t, 24, 0.785398);
    for (uint32_t i = 0; i < t->side; ++i)
        hold(t, i);
}

/* Root mean square strain of the rods along rows and columns: nothing should stretch. */
static double strain(const trial *t, const double *exact)
{
    double sum = 0;
    uint32_t count = 0;
    (void)exact;
    for (uint32_t i = 0; i < t->side * t->side; ++i)
        for (uint32_t way = 0; way < 2; ++way) {
            uint32_t j = way ? i + t->side : i + 1;
            if (way ? j >= t->side * t->side : i % t->side + 1 >= t->side)
                continue;
            sum += pow(support_gap(place_of(t, i), place_of(t, j)) / 0.05 - 1, 2);
            ++count;
        }
    return sqrt(sum / count);
}

/* A block of 5 x 5 x 5 particles, 10 cm apart, of soft rods to all neighbours, that turns freely at 3 rad/s. */
static void build_block(trial *t)
{
    enum { SIDE = 5, COUNT = SIDE * SIDE * SIDE };
    double xyz[3 * COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) {
        xyz[3 * i] = 0.1 * (i % SIDE);
        xyz[3 * i + 1] = 0.1 * (i / SIDE % SIDE);
        xyz[3 * i + 2] = 0.1 * (i / SIDE / SIDE);
    }
    add_run(t, COUNT, xyz);
    for (uint32_t i = 0; i < COUNT; ++i)
        for (uint32_t j = i + 1; j < COUNT; ++j)
            if (support_gap(place_of(t, i), place_of(t, j)) < 0.18)
                join(t, i, j, 1e-5);
    for (uint32_t i = 0; i < COUNT; ++i) {
        sn_vec3 v = vec(-3 * (xyz[3 * i + 1] - 0.2), 3 * (xyz[3 * i] - 0.2), 0);
        must(t->world, sn_particle_set_velocity(t->world, sn_particles_at(t->particles, i), v), "turn");
    }
}

/* 1 kg on a soft constraint: 10/s. */
static void build_spring(trial *t)
{
    const double xyz[6] = {0, 0, 0, 1, 0, 0};
    add_run(t, 2, xyz);
    hold(t, 0);
    join(t, 0, 1, 0.01);
    must(t->world, sn_particle_set_position(t->world, sn_particles_at(t->particles, 1), vec(1.1, 0, 0)), "pull");
}

static double spring_error(const trial *t, const double *exact)
{
    (void)exact;
    return fabs((double)place_of(t, 1).x - 1 - 0.1 * cos(10 * t->time)) / 0.1;
}

/* How far the centre of what is free has moved, m. */
static double drift(const trial *t, const double *exact)
{
    sn_report r;
    (void)exact;
    must(t->world, sn_world_report(t->world, &r), "report");
    return sqrt(pow(r.centre[0] - t->centre[0], 2) + pow(r.centre[1] - t->centre[1], 2) +
                pow(r.centre[2] - t->centre[2], 2));
}

static const study studies[] = {
    {"spring", "amplitudes", 60, 6, MOST_SWEEPS, 0, 0, build_spring, spring_error, false, true, false},
    {"chain", "m", 60, 3, MOST_SWEEPS, G, 0, build_chain, distance_from, true, true, false},
    {"swinging cloth", "m", 60, 3, MOST_SWEEPS, G, 0, build_swinging, distance_from, true, true, false},
    {"hanging cloth", "strain", 600, 3, 64, G, 2, build_hanging, strain, false, false, false},
    {"turning block", "m of drift", 10000, 20, 32, 0, 0, build_block, drift, false, true, true},
};

/* ---- Running ----------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    double ms, error, energy, gain, spin;
    bool failed;
} outcome;

static bool brief;

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static trial begin(const study *s, const method *m, uint32_t substeps)
{
    trial t = {.world = make_world(substeps, m->passes, s->damping), .method = m, .h = FRAME / substeps};
    sn_report report;
    sn_settings settings = sn_world_settings(t.world);
    settings.gravity = vec(0, -s->gravity, 0);
    settings.integrator = m->integrator;
    settings.gradients = m->gradients;
    if (m->symmetric) {
        settings.solver = SN_SOLVER_GAUSS_SEIDEL;
        settings.order = SN_ORDER_SYMMETRIC;
    }
    must(t.world, sn_world_configure(t.world, &settings), "settings");
    must(t.world, sn_world_set_threads(t.world, 1), "threads");
    s->build(&t);
    must(t.world, sn_world_report(t.world, &report), "report");
    memcpy(t.centre, report.centre, sizeof t.centre);
    return t;
}

/* Energy of all kinds, the most that there was of it, and how much was exchanged: what fell, or all of it. */
typedef struct energies {
    double first, now, most, least_potential, first_potential;
} energies;

/* Where rods are meant to be rigid, what they are missed by is no energy. */
static void look(const study *s, const trial *t, energies *e, bool first)
{
    sn_report r;
    must(t->world, sn_world_report(t->world, &r), "report");
    e->now = r.kinetic + r.potential + (s->gravity > 0 ? 0 : r.elastic);
    if (first)
        *e = (energies){e->now, e->now, e->now, r.potential, r.potential};
    e->most = fmax(e->most, e->now);
    e->least_potential = fmin(e->least_potential, r.potential);
}

/* The angular momentum about the centre. */
static double spin_of(const trial *t)
{
    sn_report r;
    must(t->world, sn_world_report(t->world, &r), "report");
    const double *c = r.centre, *p = r.momentum, *l = r.angular_momentum;
    return sqrt(pow(l[0] - c[1] * p[2] + c[2] * p[1], 2) + pow(l[1] - c[2] * p[0] + c[0] * p[2], 2) +
                pow(l[2] - c[0] * p[1] + c[1] * p[0], 2));
}

/* Looking costs more than stepping where worlds are small, so it is not done in every frame of a long run. */
static outcome play(const study *s, trial *t)
{
    const uint32_t frames = brief ? s->brief : s->frames, every = frames > 600 ? 100 : 1;
    outcome o = {.error = NAN};
    energies e;
    look(s, t, &e, true);
    double spin = spin_of(t), seconds = 0;
    for (uint32_t i = 0; i < frames && !o.failed; ++i) {
        double start = cpu_seconds();
        o.failed = sn_world_step(t->world, real(FRAME)) != SN_OK;
        seconds += i > 0 ? cpu_seconds() - start : 0; /* the plan is made in the first */
        if (i % every == 0)
            look(s, t, &e, false);
    }
    look(s, t, &e, false);
    t->time = frames * FRAME;
    double exchanged = s->gravity > 0 ? e.first_potential - e.least_potential : e.first;
    o.ms = 1e3 * seconds / (frames - 1);
    o.energy = (e.now - e.first) / exchanged;
    o.gain = (e.most - e.first) / exchanged;
    o.spin = spin_of(t) / spin - 1;
    return o;
}

/* Where everything is with many substeps; NULL if the scene needs none. Free it. */
static double *make_exact(const study *s)
{
    if (!s->has_reference)
        return NULL;
    trial t = begin(s, &reference, brief ? 64 : REFERENCE_SUBSTEPS);
    if (play(s, &t).failed)
        give_up(s->name, "the reference fails");
    double *exact = malloc(3 * sizeof *exact * t.particles.count);
    if (!exact)
        give_up(s->name, "out of memory");
    for (uint32_t i = 0; i < t.particles.count; ++i) {
        sn_vec3 x = place_of(&t, i);
        exact[3 * (size_t)i] = (double)x.x;
        exact[3 * (size_t)i + 1] = (double)x.y;
        exact[3 * (size_t)i + 2] = (double)x.z;
    }
    sn_world_destroy(t.world);
    return exact;
}

static void print_share(bool there, double value)
{
    if (there)
        printf("\t%.4g", value);
    else
        printf("\t-");
}

static void measure(const study *s, const method *m, uint32_t substeps, const double *exact)
{
    trial t = begin(s, m, substeps);
    outcome o = play(s, &t);
    if (!o.failed)
        o.error = s->error(&t, exact);
    printf("%s\t%s\t%u\t%u\t%.4g\t", s->name, m->name, (unsigned)substeps, (unsigned)m->passes, o.ms);
    if (o.failed)
        printf("failed\t%s", s->unit);
    else
        printf("%.4g\t%s", o.error, s->unit);
    print_share(s->has_energy && !o.failed, o.energy);
    print_share(s->has_energy && !o.failed, o.gain);
    print_share(s->has_spin && !o.failed, o.spin);
    putchar('\n');
    fflush(stdout);
    sn_world_destroy(t.world);
}

static void study_scene(const study *s)
{
    double *exact = make_exact(s);
    uint32_t most = brief ? 4 : s->most_sweeps;
    for (uint32_t i = 0; i < COUNT_OF(methods); ++i)
        for (uint32_t sweeps = brief ? 4 : 2; sweeps <= most; sweeps *= 2)
            if (sweeps % methods[i].passes == 0)
                measure(s, &methods[i], sweeps / methods[i].passes, exact);
    if (exact) { /* with half the substeps: the reference is no better than a third of what lies between the two */
        method half = reference;
        half.name = "reference, half the substeps";
        measure(s, &half, (brief ? 64 : REFERENCE_SUBSTEPS) / 2, exact);
    }
    free(exact);
}

int main(int argc, char **argv)
{
    int first = argc > 1 && strcmp(argv[1], "--brief") == 0 ? 2 : 1;
    uint32_t found = 0;
    brief = first == 2;
    puts("scene\tmethod\tsubsteps\tpasses\tms_frame\terror\tunit\tenergy\tgain\tspin");
    for (uint32_t i = 0; i < COUNT_OF(studies); ++i) {
        bool wanted = first >= argc;
        for (int k = first; k < argc; ++k)
            wanted = wanted || strcmp(argv[k], studies[i].name) == 0;
        if (wanted)
            study_scene(&studies[i]);
        found += wanted;
    }
    if (found < (uint32_t)(first < argc ? argc - first : 1))
        give_up("study", "there is no such scene");
    return EXIT_SUCCESS;
}
