/* The error of a scene, and the time of a frame:

       sinew-bench-curves SCENE [--plain LIST] [--auto LIST] [--reference N | --reference-auto N] [--frames N]
           [--motion] [--watch PARTICLE] [--set PATH=VALUE ...]

   The scene runs with plain sweeps and many substeps of one pass each (--reference): this is the reference. If plain
   sweeps would need too many substeps, the reference uses the scene's own solver (--reference-auto). Then the scene
   runs with plain sweeps (--plain) and with its own solver (--auto), for each number of substeps, and is compared
   frame by frame with --motion, otherwise in the last frame only.

   off: distance of particles from their reference positions, root mean square and largest. rods: difference of their
   strain from the reference, mean and largest. pressure: of the first surface that keeps a volume. Times are CPU
   times of one thread, per frame, without the first frame. */
#include "shared.h"

#include <sinew/scene.h>
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *scene, *watch;
    uint32_t plain[MOST_LIST], plains, autos[MOST_LIST], auto_count, reference, frames;
    const char *set[MOST_LIST];
    uint32_t sets;
    bool motion;
    bool right_is_auto; /* the reference does not use plain sweeps */
} options;

/* The results of a run, for each frame that is compared. */
typedef struct course {
    uint32_t particles, rods, frames;
    double *place;    /* three numbers per particle */
    double *strain;   /* one per rod */
    double *pressure; /* Pa */
    double height;    /* m, at the end: of the particle of --watch */
    double kinetic;   /* J, at the end */
    double ms;
} course;

static void course_free(course *c)
{
    free(c->place);
    free(c->strain);
    free(c->pressure);
    *c = (course){0};
}

static bool is_rod(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX;
}

static double strain_of(const sn_view *x, const sn_point *point, double rest)
{
    const sn_real *a = sn_view_find(x, point[0].particle[0].index), *b = sn_view_find(x, point[1].particle[0].index);
    const double d[3] = {(double)(a[0] - b[0]), (double)(a[1] - b[1]), (double)(a[2] - b[2])};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / rest - 1;
}

static void note(const sn_world *world, course *c, uint32_t frame)
{
    const sn_view x = sn_world_view_positions(world);
    double *place = c->place + 3 * (size_t)c->particles * frame, *strain = c->strain + (size_t)c->rods * frame;
    for (uint32_t i = 0; i < c->particles; ++i)
        for (int k = 0; k < 3; ++k)
            place[3 * i + k] = (double)sn_view_find(&x, i)[k];
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) {
        sn_constraint_def def;
        sn_point point[SN_MAX_POINTS];
        if (is_rod(walk.constraint.kind) &&
            sn_constraint_read(world, walk.constraint, &def, point, SN_MAX_POINTS) == SN_OK)
            *strain++ = strain_of(&x, point, (double)def.param[0]);
        else if (walk.constraint.kind == SN_KIND_SURFACE_VOLUME)
            c->pressure[frame] = (double)sn_constraint_force(world, walk.constraint).row[0];
    }
}

/* Opens the scene with this number of substeps. */
static sn_scene *open(const options *o, uint32_t substeps, bool plain)
{
    char why[2000], count[40];
    const char *set[MOST_LIST + 2];
    sn_scene_def def = sn_default_scene_def();
    sn_scene *scene;
    snprintf(count, sizeof count, "world.substeps=%u", substeps);
    for (uint32_t i = 0; i < o->sets; ++i)
        set[i] = o->set[i];
    set[o->sets] = count;
    set[o->sets + 1] = plain ? "world.stiffening=off" : "world.stiffening=auto";
    def.set = set;
    def.set_count = o->sets + 2;
    def.threads = 1;
    if (sn_scene_open(o->scene, &def, &scene, why, sizeof why) != SN_OK)
        fputs(why, stderr);
    return scene;
}

static bool run(const options *o, uint32_t substeps, bool plain, course *c)
{
    sn_scene *scene = open(o, substeps, plain);
    *c = (course){0};
    if (!scene)
        return false;
    sn_world *world = sn_scene_world(scene);
    const uint32_t frames = o->frames ? o->frames : sn_scene_describe(scene).frames;
    c->particles = sn_world_particle_count(world);
    c->rods =
        sn_world_constraint_count(world, SN_KIND_DISTANCE) + sn_world_constraint_count(world, SN_KIND_DISTANCE_MAX);
    c->frames = o->motion ? frames : 1;
    c->place = calloc(3 * (size_t)c->particles * c->frames, sizeof(double));
    c->strain = calloc((size_t)c->rods * c->frames + 1, sizeof(double));
    c->pressure = calloc(c->frames, sizeof(double));
    bool good = c->place && c->strain && c->pressure;
    for (uint32_t i = 0; i < frames && good; ++i) {
        const double start = now();
        good = sn_scene_step(scene) == SN_OK;
        c->ms += i > 0 ? 1e3 * (now() - start) / (frames - 1) : 0;
        if (good && (o->motion || i + 1 == frames))
            note(world, c, o->motion ? i : 0);
    }
    if (!good)
        fprintf(stderr, "%s\n", sn_scene_error(scene));
    if (good && o->watch)
        c->height = (double)sn_particle_position(world, sn_scene_find_particle(scene, o->watch)).y;
    sn_report report;
    if (good && sn_world_report(world, &report) == SN_OK)
        c->kinetic = (double)report.kinetic;
    sn_scene_destroy(scene);
    return good;
}

typedef struct errors {
    double off, far, strain, worst; /* off and rods, see above */
    double pressure;                /* of the last frame, Pa */
} errors;

static errors compare(const course *c, const course *right)
{
    errors e = {.pressure = c->pressure[c->frames - 1]};
    const size_t places = (size_t)c->particles * c->frames, rods = (size_t)c->rods * c->frames;
    for (size_t i = 0; i < places; ++i) {
        double d2 = 0;
        for (size_t k = 3 * i; k < 3 * i + 3; ++k)
            d2 += (c->place[k] - right->place[k]) * (c->place[k] - right->place[k]);
        e.off += d2 / (double)places;
        e.far = fmax(e.far, sqrt(d2));
    }
    e.off = sqrt(e.off);
    for (size_t i = 0; i < rods; ++i) {
        const double off = fabs(c->strain[i] - right->strain[i]);
        e.strain += off / (double)rods;
        e.worst = fmax(e.worst, off);
    }
    return e;
}

static bool report(const options *o, uint32_t substeps, bool plain, const course *right)
{
    course c;
    const bool good = run(o, substeps, plain, &c);
    if (good) {
        const errors e = compare(&c, right);
        printf("%-5s %5u  off %9.3f mm  largest %9.3f mm  height %8.4f  rods %9.5f %%  worst %9.4f %%  pressure %8.2f  "
               "kinetic %8.1e  %.3f ms\n",
               plain ? "plain" : "auto", substeps, 1e3 * e.off, 1e3 * e.far, c.height, 1e2 * e.strain, 1e2 * e.worst,
               e.pressure, c.kinetic, c.ms);
        fflush(stdout);
    }
    course_free(&c);
    return good;
}

static bool read_options(int count, char **text, options *o)
{
    for (int i = 1; i < count; ++i) {
        if (!strcmp(text[i], "--motion"))
            o->motion = true;
        else if (text[i][0] != '-')
            o->scene = text[i];
        else if (i + 1 == count)
            return false;
        else if (!strcmp(text[i], "--plain"))
            o->plains = read_list(text[++i], o->plain);
        else if (!strcmp(text[i], "--auto"))
            o->auto_count = read_list(text[++i], o->autos);
        else if (!strcmp(text[i], "--watch"))
            o->watch = text[++i];
        else if (!strcmp(text[i], "--reference"))
            o->reference = (uint32_t)atoi(text[++i]);
        else if (!strcmp(text[i], "--reference-auto")) {
            o->reference = (uint32_t)atoi(text[++i]);
            o->right_is_auto = true;
        } else if (!strcmp(text[i], "--frames"))
            o->frames = (uint32_t)atoi(text[++i]);
        else if (!strcmp(text[i], "--set") && o->sets < MOST_LIST)
            o->set[o->sets++] = text[++i];
        else
            return false;
    }
    return o->scene && o->reference;
}

int main(int count, char **text)
{
    options o = {.plain = {10, 20, 40, 80}, .plains = 4, .autos = {5, 10, 20}, .auto_count = 3, .reference = 1000};
    course right;
    if (!read_options(count, text, &o)) {
        fprintf(stderr, "usage: see the top of bench/curves.c\n");
        return 2;
    }
    bool good = run(&o, o.reference, !o.right_is_auto, &right);
    if (good)
        printf("right %5u  %u particles, %u rods, height %.4f, pressure %.2f, kinetic %.1e, %.3f ms\n", o.reference,
               right.particles, right.rods, right.height, right.pressure[right.frames - 1], right.kinetic, right.ms);
    fflush(stdout);
    for (uint32_t i = 0; i < o.plains && good; ++i)
        good = report(&o, o.plain[i], true, &right);
    for (uint32_t i = 0; i < o.auto_count && good; ++i)
        good = report(&o, o.autos[i], false, &right);
    course_free(&right);
    return good ? 0 : 1;
}
