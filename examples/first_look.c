/* A first look at Sinew: four scenes, simulated and drawn.

       first_look [OUT_DIR]

   Every scene is built by one function below and run for a few seconds of its own time. What happened is written to
   OUT_DIR (default: out) as text: NAME.dat holds poses, NAME_path.dat the path of one particle and the energies, frame
   by frame. first_look.gp then draws the pictures with gnuplot. */
#include <sinew/sinew.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#define make_folder(path) _mkdir(path)
#define enter_folder      _chdir
#define is_terminal()     _isatty(1)
#define NOWHERE           ">nul 2>&1"
#else
#include <unistd.h>
#define make_folder(path) mkdir(path, 0777)
#define enter_folder      chdir
#define is_terminal()     isatty(STDOUT_FILENO)
#define NOWHERE           ">/dev/null 2>&1"
#endif

#include "first_look_plot.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { FRAMES_PER_SECOND = 60, MAX_DRAWN = 1024 };

static const double quarter_turn = 1.57079632679489662;

/* A scene: a world, what to draw of it, and what came of it. */
typedef struct scene {
    const char *name;
    sn_world *world;
    sn_particle drawn[MAX_DRAWN]; /* the drawing, point by point; a null particle lifts the pen */
    uint32_t drawn_count;
    sn_particle traced; /* the particle whose path is written */
    sn_particle held[2];
    bool failed;         /* a call failed, and the reason was printed */
    double wall;         /* s spent in sn_world_step */
    double worst;        /* m, the largest error of a rod in any frame */
    double energy_first; /* J at the start */
    double energy_last;  /* J at the end */
} scene;

/* How to make one. Builders need not look at every result: log_failure hears of each call that fails, and build_scene
   looks at what it heard. */
typedef struct recipe {
    const char *name;
    void (*build)(scene *s);
    sn_result (*before_frame)(scene *s, double time); /* may be NULL */
    int seconds;
    int frames_per_pose;
    uint32_t substeps;
    uint32_t dimensions;
} recipe;

/* ---- Small helpers ----------------------------------------------------------------------------------------------- */

static sn_vec3 vec(double x, double y, double z)
{
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

/* Says what went wrong; false, so that callers can return it. */
static bool complain(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("first_look: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

/* The world reports every call that fails. The first is the cause; the rest follow from it. */
static void log_failure(void *context, sn_log_level level, const char *text)
{
    scene *s = context;
    if (level == SN_LOG_ERROR && !s->failed)
        s->failed = !complain("%s: %s", s->name, text);
}

static void draw_to(scene *s, sn_particle p)
{
    if (s->drawn_count < MAX_DRAWN)
        s->drawn[s->drawn_count++] = p;
    else
        log_failure(s, SN_LOG_ERROR, "too much to draw; raise MAX_DRAWN");
}

static void lift_pen(scene *s)
{
    draw_to(s, (sn_particle){0, 0});
}

/* A rigid rod as long as its ends are apart now, which is also drawn. */
static void add_rod(scene *s, sn_particle a, sn_particle b)
{
    sn_add_distance(s->world, sn_at(a), sn_at(b), SN_MEASURE);
    draw_to(s, a);
    draw_to(s, b);
    lift_pen(s);
}

/* ---- Scene 1: a rope with a heavy bob ---------------------------------------------------------------------------- */

enum { ROPE_LINKS = 20 };

static void build_rope(scene *s)
{
    const double link = 0.1, angle = 1.25; /* m; rad from the vertical */
    sn_particle last = {0, 0};
    for (int i = 0; i <= ROPE_LINKS; ++i) {
        double x = link * i * sin(angle), y = link * (ROPE_LINKS - i * cos(angle));
        sn_particle p = sn_add_particle(s->world, vec(x, y, 0), i == ROPE_LINKS ? 10 : (sn_real)0.1);
        if (i == 0)
            sn_add_pin(s->world, p);
        else
            sn_add_distance(s->world, sn_at(last), sn_at(p), SN_MEASURE);
        draw_to(s, p);
        last = p;
    }
    s->traced = last;
}

/* ---- Scene 2: the box of four particles and six rods, in two dimensions ------------------------------------------ */

/* Keeps a particle on one side of a plane that gives: a spring and a damper, off which the box bounces a little. */
static void add_wall(scene *s, sn_particle p, sn_vec3 origin, sn_vec3 normal)
{
    sn_constraint wall = sn_add_half_space(s->world, sn_at(p), origin, normal);
    sn_constraint_set_material(s->world, wall, (sn_material){.compliance = sn_compliance(100000), .damping = 60});
}

/* Stands in for friction until there are contacts: what touches the ground is slowed down along it, with so many
   newtons per metre per second. */
static sn_vec3 rub_on_ground(void *context, const sn_field_in *in)
{
    const sn_real height = (sn_real)0.06, drag = *(const sn_real *)context;
    sn_vec3 force = {-drag * in->velocity.x, 0, -drag * in->velocity.z};
    return in->position.y < height ? force : (sn_vec3){0, 0, 0};
}

static void build_box(scene *s)
{
    static const unsigned char rods[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}};
    static sn_real drag = 3;
    const double reach = 0.3, spin = -5;
    const sn_vec3 centre = vec(0.45, 1.25, 0), velocity = vec(3.2, 2.9, 0);
    sn_particle corner[4];
    for (int i = 0; i < 4; ++i) {
        double x = reach * cos(0.3 + i * quarter_turn), y = reach * sin(0.3 + i * quarter_turn);
        sn_particle_def def = sn_default_particle_def();
        def.position = vec((double)centre.x + x, (double)centre.y + y, 0);
        def.velocity = vec((double)velocity.x - spin * y, (double)velocity.y + spin * x, 0);
        sn_particle_add(s->world, &def, &corner[i]);
    }
    for (size_t i = 0; i < COUNT(rods); ++i)
        add_rod(s, corner[rods[i][0]], corner[rods[i][1]]);
    for (int i = 0; i < 4; ++i) {
        add_wall(s, corner[i], vec(0, 0, 0), vec(0, 1, 0));
        add_wall(s, corner[i], vec(0, 0, 0), vec(1, 0, 0));
        add_wall(s, corner[i], vec(4, 0, 0), vec(-1, 0, 0));
    }
    sn_world_add_field(s->world, rub_on_ground, &drag, true, NULL);
    s->traced = corner[0];
}

/* ---- Scene 3: a stick figure falls ------------------------------------------------------------------------------- */

enum joint {
    HEAD,
    NECK,
    SHOULDER_L,
    SHOULDER_R,
    ELBOW_L,
    ELBOW_R,
    HAND_L,
    HAND_R,
    HIP_L,
    HIP_R,
    KNEE_L,
    KNEE_R,
    FOOT_L,
    FOOT_R,
    JOINTS
};

/* Where the joints of a standing figure of 1.75 m are (x to its left, y up, z forward), the mass that each carries in
   kg, and how far it keeps from the ground. */
static const struct {
    double x, y, z, mass, radius;
} body[JOINTS] = {
    [HEAD] = {0.00, 1.63, 0.02, 5, 0.12},       [NECK] = {0.00, 1.45, 0.00, 6, 0.06},
    [SHOULDER_L] = {0.19, 1.39, 0.00, 6, 0.06}, [SHOULDER_R] = {-0.19, 1.39, 0.00, 6, 0.06},
    [ELBOW_L] = {0.31, 1.13, -0.03, 2, 0.05},   [ELBOW_R] = {-0.31, 1.13, -0.03, 2, 0.05},
    [HAND_L] = {0.37, 0.90, 0.10, 1.5, 0.05},   [HAND_R] = {-0.37, 0.90, 0.10, 1.5, 0.05},
    [HIP_L] = {0.12, 0.92, 0.00, 10, 0.08},     [HIP_R] = {-0.12, 0.92, 0.00, 10, 0.08},
    [KNEE_L] = {0.14, 0.49, 0.05, 5, 0.06},     [KNEE_R] = {-0.14, 0.49, 0.05, 5, 0.06},
    [FOOT_L] = {0.15, 0.06, 0.00, 2, 0.05},     [FOOT_R] = {-0.15, 0.06, 0.00, 2, 0.05},
};

/* Bones that are drawn. */
static const unsigned char bones[][2] = {
    {HEAD, NECK},          {NECK, SHOULDER_L}, {NECK, SHOULDER_R},  {SHOULDER_L, ELBOW_L}, {ELBOW_L, HAND_L},
    {SHOULDER_R, ELBOW_R}, {ELBOW_R, HAND_R},  {SHOULDER_L, HIP_L}, {SHOULDER_R, HIP_R},   {HIP_L, HIP_R},
    {HIP_L, KNEE_L},       {KNEE_L, FOOT_L},   {HIP_R, KNEE_R},     {KNEE_R, FOOT_R},
};

/* Braces that keep the trunk stiff and are not drawn. */
static const unsigned char braces[][2] = {
    {SHOULDER_L, SHOULDER_R}, {SHOULDER_L, HIP_R}, {SHOULDER_R, HIP_L}, {NECK, HIP_L}, {NECK, HIP_R},
};

/* Pairs that never come closer than a share of the distance they start with, so that limbs do not fold through. */
static const struct {
    unsigned char a, b;
    double share;
} clearances[] = {
    {HEAD, SHOULDER_L, 0.8},   {HEAD, SHOULDER_R, 0.8},   {HEAD, HIP_L, 0.9},        {HEAD, HIP_R, 0.9},
    {HAND_L, SHOULDER_L, 0.5}, {HAND_R, SHOULDER_R, 0.5}, {ELBOW_L, HIP_L, 0.5},     {ELBOW_R, HIP_R, 0.5},
    {ELBOW_L, ELBOW_R, 0.5},   {HAND_L, HAND_R, 0.25},    {HAND_L, HEAD, 0.25},      {HAND_R, HEAD, 0.25},
    {KNEE_L, KNEE_R, 0.8},     {FOOT_L, FOOT_R, 0.6},     {FOOT_L, KNEE_R, 0.5},     {FOOT_R, KNEE_L, 0.5},
    {FOOT_L, HIP_L, 0.45},     {FOOT_R, HIP_R, 0.45},     {KNEE_L, SHOULDER_L, 0.5}, {KNEE_R, SHOULDER_R, 0.5},
    {KNEE_L, HIP_R, 0.85},     {KNEE_R, HIP_L, 0.85},     {HAND_L, HIP_R, 0.5},      {HAND_R, HIP_L, 0.5},
};

static void build_figure(scene *s)
{
    static sn_real drag = 500;
    const double lift = 0.55, turn = 0.45; /* m above the ground; rad/s forwards about the feet */
    sn_particle joint[JOINTS];
    for (int i = 0; i < JOINTS; ++i) {
        sn_particle_def def = sn_default_particle_def();
        def.position = vec(body[i].x, body[i].y + lift, body[i].z);
        def.velocity = vec(0.15 * turn * body[i].y, 0, turn * body[i].y);
        def.mass = (sn_real)body[i].mass;
        sn_particle_add(s->world, &def, &joint[i]);
    }
    for (size_t i = 0; i < COUNT(bones); ++i)
        add_rod(s, joint[bones[i][0]], joint[bones[i][1]]);
    for (size_t i = 0; i < COUNT(braces); ++i)
        sn_add_distance(s->world, sn_at(joint[braces[i][0]]), sn_at(joint[braces[i][1]]), SN_MEASURE);
    for (size_t i = 0; i < COUNT(clearances); ++i) {
        int a = clearances[i].a, b = clearances[i].b;
        double apart = hypot(hypot(body[a].x - body[b].x, body[a].y - body[b].y), body[a].z - body[b].z);
        sn_add_distance_min(s->world, sn_at(joint[a]), sn_at(joint[b]), (sn_real)(apart * clearances[i].share));
    }
    for (int i = 0; i < JOINTS; ++i)
        sn_add_half_space(s->world, sn_at(joint[i]), vec(0, body[i].radius, 0), vec(0, 1, 0));
    sn_world_add_field(s->world, rub_on_ground, &drag, true, NULL);
    s->traced = joint[HEAD];
}

/* ---- Scene 4: a curtain, its two corners drawn together ---------------------------------------------------------- */

enum { CURTAIN_COLUMNS = 25, CURTAIN_ROWS = 19 };

static const double curtain_spacing = 0.07; /* m */

static sn_vec3 curtain_corner(int side, double time)
{
    double closing = time < 2 ? 0.5 - 0.5 * cos(quarter_turn * time) : 1;
    double half = 0.5 * curtain_spacing * (CURTAIN_COLUMNS - 1) * (1 - 0.35 * closing);
    return vec(side == 0 ? -half : half, 2, 0);
}

/* A light breeze that comes and goes across the cloth. */
static sn_vec3 breeze(void *context, const sn_field_in *in)
{
    double x = (double)in->position.x, y = (double)in->position.y;
    double push = 1.3 + 1.3 * sin(2.1 * in->time + 3 * x) * cos(1.3 * in->time - 2 * y);
    (void)context;
    return vec(0, 0, push * (double)in->mass);
}

/* Rods from every particle to the one that is so many columns and rows away. */
static void weave(scene *s, sn_particles cloth, int columns, int rows)
{
    for (int row = 0; row + rows < CURTAIN_ROWS; ++row)
        for (int column = columns < 0 ? -columns : 0; column < CURTAIN_COLUMNS - (columns > 0 ? columns : 0);
             ++column) {
            int from = row * CURTAIN_COLUMNS + column, to = from + rows * CURTAIN_COLUMNS + columns;
            sn_particle a = sn_particles_at(cloth, (uint32_t)from), b = sn_particles_at(cloth, (uint32_t)to);
            sn_add_distance(s->world, sn_at(a), sn_at(b), SN_MEASURE);
        }
}

static void build_curtain(scene *s)
{
    sn_real xyz[CURTAIN_ROWS * CURTAIN_COLUMNS][3];
    for (int i = 0; i < CURTAIN_ROWS * CURTAIN_COLUMNS; ++i) {
        xyz[i][0] = (sn_real)(curtain_spacing * (i % CURTAIN_COLUMNS - 0.5 * (CURTAIN_COLUMNS - 1)));
        xyz[i][1] = (sn_real)(2 - curtain_spacing * (i / CURTAIN_COLUMNS));
        xyz[i][2] = 0;
    }
    sn_particles cloth = sn_add_particles(s->world, CURTAIN_ROWS * CURTAIN_COLUMNS, xyz[0], 0, (sn_real)0.002);
    weave(s, cloth, 1, 0);
    weave(s, cloth, 0, 1);
    weave(s, cloth, 1, 1);
    weave(s, cloth, -1, 1);
    s->held[0] = sn_particles_at(cloth, 0);
    s->held[1] = sn_particles_at(cloth, CURTAIN_COLUMNS - 1);
    for (int i = 0; i < 2; ++i)
        sn_particle_set_mass(s->world, s->held[i], SN_IMMOVABLE);
    sn_world_add_field(s->world, breeze, NULL, true, NULL);
    for (uint32_t i = 0; i < cloth.count; ++i) {
        if (i > 0 && i % CURTAIN_COLUMNS == 0)
            lift_pen(s);
        draw_to(s, sn_particles_at(cloth, i));
    }
    s->traced = sn_particles_at(cloth, cloth.count - 1);
}

static sn_result draw_curtain(scene *s, double time)
{
    sn_result result = sn_particle_move_to(s->world, s->held[0], curtain_corner(0, time));
    return result != SN_OK ? result : sn_particle_move_to(s->world, s->held[1], curtain_corner(1, time));
}

static const recipe recipes[] = {
    {"rope", build_rope, NULL, 10, 6, 200, 3},
    {"box", build_box, NULL, 5, 8, 40, 2},
    {"figure", build_figure, NULL, 4, 6, 40, 3},
    {"curtain", build_curtain, draw_curtain, 6, 30, 30, 3},
};

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static FILE *open_file(const char *name)
{
    FILE *file = fopen(name, "w");
    if (file == NULL)
        complain("cannot write %s: %s", name, strerror(errno));
    return file;
}

/* Closes a file and says whether all of it reached the disk. */
static bool close_file(FILE *file, const char *name)
{
    bool bad = ferror(file) != 0;
    bad = fclose(file) != 0 || bad;
    return bad ? complain("cannot write all of %s; is the disk full?", name) : true;
}

static void write_point(FILE *file, const scene *s, sn_particle p)
{
    sn_vec3 x = sn_particle_position(s->world, p);
    fprintf(file, "%.4f %.5f %.5f %.5f", sn_world_time(s->world), (double)x.x, (double)x.y, (double)x.z);
}

static void write_pose(FILE *file, const scene *s)
{
    for (uint32_t i = 0; i < s->drawn_count; ++i) {
        if (sn_particle_is_valid(s->world, s->drawn[i]))
            write_point(file, s, s->drawn[i]);
        fputc('\n', file);
    }
    fputs("\n\n", file);
}

static void write_path(FILE *file, const scene *s, const sn_report *r)
{
    write_point(file, s, s->traced);
    fprintf(file, " %.6g %.6g %.6g\n", r->kinetic, r->potential, r->elastic);
}

/* ---- Running a scene --------------------------------------------------------------------------------------------- */

static bool build_scene(scene *s, const recipe *r)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = r->dimensions;
    def.settings.substeps = r->substeps;
    def.settings.profile = true;
    def.log = (sn_log){.write = log_failure, .context = s};
    *s = (scene){.name = r->name};
    if (sn_world_create(&def, &s->world) != SN_OK)
        return false;
    r->build(s);
    return !s->failed;
}

static void show_progress(const char *name, int frame, int frames)
{
    if (is_terminal() && (frame % 6 == 0 || frame == frames)) {
        printf("\r%-8s %3d %%", name, 100 * frame / frames);
        fflush(stdout);
    }
}

/* Keeps the figures of a frame. */
static bool measure(scene *s, sn_report *report, bool first)
{
    if (sn_world_report(s->world, report) != SN_OK)
        return false;
    for (uint32_t i = 0; i < report->kind_count; ++i)
        if (report->kinds[i].kind == SN_KIND_DISTANCE)
            s->worst = fmax(s->worst, report->kinds[i].largest);
    s->wall += report->seconds_step;
    s->energy_last = report->kinetic + report->potential + report->elastic;
    if (first)
        s->energy_first = s->energy_last;
    return true;
}

static bool advance(scene *s, const recipe *r, int frame)
{
    if (r->before_frame != NULL && r->before_frame(s, (double)(frame + 1) / FRAMES_PER_SECOND) != SN_OK)
        return false;
    return sn_world_step(s->world, (sn_real)1 / FRAMES_PER_SECOND) == SN_OK;
}

static bool run_scene(scene *s, const recipe *r, FILE *poses, FILE *path)
{
    const int frames = r->seconds * FRAMES_PER_SECOND;
    sn_report report;
    fputs("# time x y z in s and m: one block for each pose, an empty line between strokes\n", poses);
    fputs("# time x y z kinetic potential elastic, in s, m and J\n", path);
    for (int frame = 0;; ++frame) {
        if (!measure(s, &report, frame == 0))
            return false;
        if (frame % r->frames_per_pose == 0)
            write_pose(poses, s);
        write_path(path, s, &report);
        show_progress(s->name, frame, frames);
        if (frame == frames)
            return true;
        if (!advance(s, r, frame))
            return false;
    }
}

static bool film_scene(scene *s, const recipe *r)
{
    char poses_name[64], path_name[64];
    snprintf(poses_name, sizeof poses_name, "%s.dat", r->name);
    snprintf(path_name, sizeof path_name, "%s_path.dat", r->name);
    FILE *poses = open_file(poses_name), *path = poses == NULL ? NULL : open_file(path_name);
    bool fine = path != NULL && run_scene(s, r, poses, path);
    if (path != NULL)
        fine = close_file(path, path_name) && fine;
    if (poses != NULL)
        fine = close_file(poses, poses_name) && fine;
    return fine;
}

static void tell_scene(const scene *s, const recipe *r)
{
    printf("%s%-9s %9u %11u %8d s %8.2f s %11.2f mm %9.1f -> %.1f J\n", is_terminal() ? "\r" : "", s->name,
           (unsigned)sn_world_particle_count(s->world), (unsigned)sn_world_constraint_count(s->world, SN_KIND_NONE),
           r->seconds, s->wall, 1e3 * s->worst, s->energy_first, s->energy_last);
    fflush(stdout);
}

static bool do_scene(const recipe *r)
{
    scene s;
    bool fine = build_scene(&s, r) && film_scene(&s, r);
    if (fine)
        tell_scene(&s, r);
    sn_world_destroy(s.world);
    return fine;
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

/* A page of its own for every panel, then one page with all of them. */
static void write_panel(FILE *file, const panel *p, rectangle place)
{
    fprintf(file, "\nX = %d.; Y = %d.; W = %d.; H = %d.\n", place.x, place.y, place.width, place.height);
    fprintf(file, "%s%s", panel_style, p->draw);
}

static void write_page(FILE *file, const char *name, int width, int height)
{
    fprintf(file, "\n# ---- %s\nset terminal %s size %d, %d\nset output '%s.png'\n", name, TERMINAL, width, height,
            name);
    fprintf(file, "PAGE_W = %d.; PAGE_H = %d.\n", width, height);
}

static bool write_script(void)
{
    FILE *file = open_file("first_look.gp");
    if (file == NULL)
        return false;
    fputs("# Draws the pictures of first_look: gnuplot first_look.gp\n", file);
    for (size_t i = 0; i < COUNT(panels); ++i) {
        rectangle place = {PAGE_SIDE, PAGE_FOOT, panels[i].hero.width * 3 / 2, panels[i].hero.height * 3 / 2};
        write_page(file, panels[i].name, place.width + 2 * PAGE_SIDE, place.height + PAGE_FOOT + PAGE_HEAD);
        write_panel(file, &panels[i], place);
    }
    write_page(file, "first_look", HERO_WIDTH, HERO_HEIGHT);
    fputs("set multiplot\n", file);
    for (size_t i = 0; i < COUNT(panels); ++i)
        write_panel(file, &panels[i], panels[i].hero);
    fputs("unset multiplot\nset output\n", file);
    return close_file(file, "first_look.gp");
}

/* Makes the pictures; says what to do where gnuplot is missing, which is no failure: the data are there. */
static bool draw_pictures(const char *folder, bool *drawn)
{
    *drawn = false;
    if (system("gnuplot --version " NOWHERE) != 0) {
        printf("\nNo pictures: gnuplot is not installed. Install it (Debian: apt install gnuplot-nox) and run\n"
               "    cd %s && gnuplot first_look.gp\n",
               folder);
        return true;
    }
    remove("first_look.png");
    if (system("gnuplot first_look.gp") != 0)
        return complain("gnuplot could not draw %s/first_look.gp; its messages are above", folder);
    struct stat picture;
    if (stat("first_look.png", &picture) != 0 || picture.st_size == 0)
        return complain("gnuplot wrote no %s/first_look.png; is the disk full?", folder);
    *drawn = true;
    return true;
}

static void tell_results(const char *folder, bool drawn)
{
    printf("\n%s/\n", folder);
    if (drawn) {
        printf("    first_look.png    all of it in one picture\n    ");
        for (size_t i = 0; i < COUNT(panels); ++i)
            printf("%s.png%s", panels[i].name, i + 1 < COUNT(panels) ? ", " : "\n");
    }
    printf("    *.dat             poses, paths and energies as text\n"
           "    first_look.gp     the gnuplot script that draws them\n");
    if (drawn)
        printf("\nOpen the picture with: xdg-open %s/first_look.png\n", folder);
}

static bool go_to(const char *folder)
{
    if (make_folder(folder) != 0 && errno != EEXIST)
        return complain("cannot make the folder %s: %s", folder, strerror(errno));
    if (enter_folder(folder) != 0)
        return complain("cannot use the folder %s: %s", folder, strerror(errno));
    return true;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "out";
    bool help = strcmp(folder, "-h") == 0 || strcmp(folder, "--help") == 0, drawn = false;
    if (help || argc > 2 || folder[0] == '-' || folder[0] == '\0') {
        fputs("usage: first_look [OUT_DIR]\nSimulates a few scenes and draws them into OUT_DIR (default: out).\n",
              help ? stdout : stderr);
        return help ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (!go_to(folder))
        return EXIT_FAILURE;
    printf("Sinew %s in %s precision\n\n", sn_version(), sn_real_size() == sizeof(float) ? "single" : "double");
    puts("scene     particles constraints simulated  wall time  rods off by     energy");
    for (size_t i = 0; i < COUNT(recipes); ++i)
        if (!do_scene(&recipes[i]))
            return EXIT_FAILURE;
    if (!write_script() || !draw_pictures(folder, &drawn))
        return EXIT_FAILURE;
    tell_results(folder, drawn);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
