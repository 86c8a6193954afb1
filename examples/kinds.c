/* Constraint kinds: eight small scenes in one picture, the one in docs/constraints.md.

       kinds [OUT_DIR]

   Every scene is simulated by one function below and written to OUT_DIR (default: out) as text: NAME.dat has poses,
   one block each, and NAME_path.dat the paths of its particles, one line per frame. kinds.gp then draws
   constraints.png with gnuplot. */
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { FRAMES_PER_SECOND = 60 };

static const double pi = 3.14159265358979324;
static const sn_particle pen_up = {0, 0}; /* in a list of particles to draw: begins a new line */

/* ---- Small helpers ----------------------------------------------------------------------------------------------- */

static sn_vec3 vec(double x, double y, double z)
{
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

static void give_up(const char *what, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "kinds: %s%s%s\n", what, why[0] ? ": " : "", why);
    exit(EXIT_FAILURE);
}

/* Receives the message of every failing call, and ends the program. */
static void log_failure(void *context, sn_log_level level, const char *text)
{
    if (level == SN_LOG_ERROR)
        give_up(context, text);
}

static sn_world *make_world(const char *scene, uint32_t dimensions, double gravity)
{
    static char name[32];
    snprintf(name, sizeof name, "%s", scene);
    sn_world *world;
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.substeps = 50;
    def.log = (sn_log){.write = log_failure, .context = name};
    sn_world_create(&def, &world);
    return world;
}

static FILE *open_file(const char *name, const char *suffix)
{
    char path[64];
    snprintf(path, sizeof path, "%s%s", name, suffix);
    FILE *file = fopen(path, "w");
    if (!file)
        give_up(path, strerror(errno));
    return file;
}

static void close_file(FILE *file)
{
    if (!close_whole(file))
        give_up("cannot write all of a file", "is the disk full?");
}

static void write_point(FILE *file, const sn_world *world, sn_particle p)
{
    sn_vec3 x = sn_particle_position(world, p);
    fprintf(file, "%.4f %.5f %.5f %.5f\n", sn_world_time(world), (double)x.x, (double)x.y, (double)x.z);
}

static void write_pose(FILE *file, const sn_world *world, const sn_particle *drawn, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (drawn[i].generation == pen_up.generation)
            fputc('\n', file);
        else
            write_point(file, world, drawn[i]);
    fputs("\n\n", file);
}

/* Writes a line: the time, then x and y of every particle. */
static void write_paths(FILE *file, const sn_world *world, const sn_particle *drawn, size_t count)
{
    fprintf(file, "%.4f", sn_world_time(world));
    for (size_t i = 0; i < count; ++i) {
        sn_vec3 x = sn_particle_position(world, drawn[i]);
        fprintf(file, " %.5f %.5f", (double)x.x, (double)x.y);
    }
    fputc('\n', file);
}

/* Runs the world for so many frames, writes poses and paths, and destroys the world. */
static void film(const char *name, sn_world *world, const sn_particle *drawn, size_t count, int frames)
{
    FILE *poses = open_file(name, ".dat"), *path = open_file(name, "_path.dat");
    for (int frame = 0; frame <= frames; ++frame) {
        if (frame > 0)
            sn_world_step(world, (sn_real)1 / FRAMES_PER_SECOND);
        write_pose(poses, world, drawn, count);
        write_paths(path, world, drawn, count);
    }
    close_file(poses);
    close_file(path);
    sn_world_destroy(world);
}

/* ---- Beads on wires ---------------------------------------------------------------------------------------------- */

/* A bead that starts at the first of the points. The curve through them is smooth or straight from point to point. */
static void bead(const char *name, bool smooth, const double (*place)[2], uint32_t count, int frames)
{
    sn_particle drawn[16];
    sn_world *world = make_world(name, 2, 9.81);
    for (uint32_t i = 0; i < count; ++i)
        drawn[i] = sn_particle_add_at(world, vec(place[i][0], place[i][1], 0), SN_IMMOVABLE);
    drawn[count] = sn_particle_add_at(world, vec(place[0][0] + 0.01, place[0][1], 0), (sn_real)0.1);
    if (smooth)
        sn_constraint_add_on_spline(world, drawn[count], count, drawn);
    else
        sn_constraint_add_on_polyline(world, drawn[count], count, drawn);
    film(name, world, drawn, count + 1, frames);
}

static void spline(void)
{
    static const double place[][2] = {{0, 3}, {0.6, 1.3}, {1.3, 0.4}, {2.1, 1.7}, {2.8, 1.1}, {3.4, 0.4}, {4, 0.1}};
    bead("spline", true, place, COUNT(place), 150);
}

static void polyline(void)
{
    static const double place[][2] = {{0, 3}, {0.8, 2.4}, {1.3, 1.4}, {2.3, 1.2}, {3.1, 0.6}, {3.3, 0.1}, {4, 0}};
    bead("polyline", false, place, COUNT(place), 150);
}

/* ---- Joints ------------------------------------------------------------------------------------------------------ */

/* Three links on a fixed stump. Every joint rotates by 27 degrees at most, up or down. */
static void arm(void)
{
    enum { POINTS = 5 };
    const double link = 0.5, limit = 0.15 * pi;
    const sn_vec3 axis = {0, 0, 1};
    sn_world *world = make_world("arm", 2, 9.81);
    sn_particle p[POINTS];
    double x = 0, y = 0;
    for (int i = 0; i < POINTS; ++i) {
        p[i] = sn_particle_add_at(world, vec(x, y, 0), i < 2 ? SN_IMMOVABLE : (sn_real)0.2);
        x += link * (i == 0 ? 0.5 : cos(i * limit));
        y += link * (i == 0 ? 0 : sin(i * limit));
    }
    for (int i = 1; i + 1 < POINTS; ++i)
        sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[i + 1]), SN_MEASURE);
    for (int i = 0; i + 2 < POINTS; ++i) {
        sn_constraint_add_hinge_min(world, sn_at(p[i]), sn_at(p[i + 1]), sn_at(p[i + 2]), axis, (sn_real)-limit);
        sn_constraint_add_hinge_max(world, sn_at(p[i]), sn_at(p[i + 1]), sn_at(p[i + 2]), axis, (sn_real)limit);
    }
    film("arm", world, p, POINTS, 240);
}

/* A bob moves around a hoop and drives a slider on an upright wire: a Scotch yoke. */
static void yoke(void)
{
    sn_world *world = make_world("yoke", 2, 9.81);
    sn_particle p[2];
    p[0] = sn_particle_add_at(world, vec(1.6, 0.95, 0), (sn_real)0.2);
    p[1] = sn_particle_add_at(world, vec(0.312, 0.95, 0), 1);
    sn_particle_set_velocity(world, p[1], vec(1, 0, 0));
    sn_constraint_add_on_circle(world, sn_at(p[1]), vec(0, 0, 0), vec(0, 0, 1), 1);
    sn_constraint_add_on_line(world, sn_at(p[0]), vec(1.6, 0, 0), vec(0, 1, 0));
    sn_constraint_add_connector_axis(world, sn_at(p[1]), sn_at(p[0]), vec(0, 1, 0));
    film("yoke", world, p, 2, 90);
}

/* Rods and a soft, damped collinearity constraint: an arc opens into a line. There is no gravity. */
static void row(void)
{
    enum { POINTS = 13 };
    sn_world *world = make_world("row", 2, 0);
    sn_particle p[POINTS];
    for (int i = 0; i < POINTS; ++i) {
        double angle = 0.05 * pi + 0.9 * pi * i / (POINTS - 1);
        p[i] = sn_particle_add_at(world, vec(-cos(angle), sin(angle), 0), (sn_real)0.1);
        if (i > 0)
            sn_constraint_add_distance(world, sn_at(p[i - 1]), sn_at(p[i]), SN_MEASURE);
    }
    sn_constraints line = sn_constraints_add_collinear(world, POINTS, p);
    const sn_material soft = {.compliance = (sn_real)0.5, .damping = 2};
    for (uint32_t i = 0; i < line.count; ++i)
        sn_constraint_set_material(world, sn_constraints_at(line, i), soft);
    film("row", world, p, POINTS, 360);
}

/* ---- Surfaces ---------------------------------------------------------------------------------------------------- */

enum { STRIP_CELLS = 20 };

/* A strip of 1 m by 0.1 m, two triangles per cell, at rest, with its first cell held. side receives the near edge. */
static sn_world *make_strip(double compliance, sn_particle *side)
{
    const double cell = 1.0 / STRIP_CELLS;
    sn_world *world = make_world("strip", 3, 9.81);
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 200; /* the strip is light and stiff: with 50 it would sag a quarter too far */
    sn_world_configure(world, &settings);
    sn_particle p[2 * STRIP_CELLS + 4];
    const uint32_t count = COUNT(p);
    for (uint32_t i = 0; i < count; ++i) {
        p[i] = sn_particle_add_at(world, vec((i / 2 - 1.0) * cell, 0, i % 2 * 0.1),
                                  i < 4 ? SN_IMMOVABLE : (sn_real)0.0005);
        if (i % 2 == 0)
            side[i / 2] = p[i];
    }
    for (uint32_t i = 3; i < count; ++i) {
        sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[i - 1]), SN_MEASURE);
        sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[i - 2]), SN_MEASURE);
        if (i % 2 == 1) /* it bends, but does not twist */
            sn_constraint_add_connector_plane(world, sn_at(p[i]), sn_at(p[i - 1]), vec(0, 0, 1));
        sn_constraint fold =
            sn_constraint_add_bending(world, sn_at(p[i - 3]), sn_at(p[i]), sn_at(p[i - 2]), sn_at(p[i - 1]));
        sn_constraint_set_material(world, fold, (sn_material){.compliance = (sn_real)compliance});
    }
    return world;
}

static void strip(void)
{
    static const double compliance[] = {3, 10, 30};
    FILE *file = open_file("strip", ".dat");
    for (size_t i = 0; i < COUNT(compliance); ++i) {
        sn_particle side[STRIP_CELLS + 2];
        sn_relax_info info;
        sn_world *world = make_strip(compliance[i], side);
        sn_world_relax(world, NULL, &info);
        if (!info.rested)
            give_up("strip", "does not come to rest");
        write_pose(file, world, side, COUNT(side));
        sn_world_destroy(world);
    }
    close_file(file);
}

enum { SECTORS = 20, RINGS = 9, BALLOON_POINTS = RINGS * SECTORS + 2, BALLOON_TRIANGLES = 2 * RINGS * SECTORS };

static const double balloon_radius = 0.5;

/* The number of the particle in a ring; ring 0 is the north pole, ring RINGS + 1 the south pole. */
static uint32_t balloon_point(int ring, int sector)
{
    return ring == 0       ? 0
           : ring <= RINGS ? (uint32_t)(1 + (ring - 1) * SECTORS + (sector + SECTORS) % SECTORS)
                           : BALLOON_POINTS - 1;
}

/* A compliant rod under tension. Its stiffness is proportional to the area for which it stands, hence to its length
   squared, so that the tension of the skin is the same everywhere, from the wide cells of the equator to the narrow
   ones of the poles. */
static void add_rubber(sn_world *world, sn_particle a, sn_particle b)
{
    sn_vec3 x = sn_particle_position(world, a), y = sn_particle_position(world, b);
    double length = hypot(hypot((double)(x.x - y.x), (double)(x.y - y.y)), (double)(x.z - y.z));
    double width = hypot((double)(x.x + y.x), (double)(x.z + y.z)), spacing = pi * balloon_radius / (RINGS + 1);
    double stiffness = 60 * width * spacing * spacing / (length * length);
    sn_constraint edge = sn_constraint_add_distance(world, sn_at(a), sn_at(b), (sn_real)(0.7 * length));
    sn_constraint_set_material(world, edge, (sn_material){.compliance = sn_compliance((sn_real)stiffness)});
}

/* A triangle of the skin, and those of its edges that run to a higher number: of two neighbouring triangles, one
   adds the edge. */
static void add_triangle(sn_world *world, const sn_particle *p, uint32_t *index, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[4] = {a, b, c, a};
    for (int i = 0; i < 3; ++i) {
        index[i] = p[corner[i]].index;
        if (corner[i] < corner[i + 1])
            add_rubber(world, p[corner[i]], p[corner[i + 1]]);
    }
}

static void build_balloon(sn_world *world, sn_particle *p)
{
    uint32_t index[BALLOON_TRIANGLES][3];
    int count = 0;
    for (int i = 0; i < BALLOON_POINTS; ++i) {
        int ring = i == 0 ? 0 : i == BALLOON_POINTS - 1 ? RINGS + 1 : (i - 1) / SECTORS + 1;
        double tilt = pi * ring / (RINGS + 1), turn = 2 * pi * (i - 1 + 0.5 * ring) / SECTORS, r = balloon_radius;
        p[i] = sn_particle_add_at(world, vec(r * sin(tilt) * cos(turn), r * cos(tilt), -r * sin(tilt) * sin(turn)),
                                  (sn_real)0.002);
    }
    for (int k = 0; k <= RINGS; ++k)
        for (int s = 0; s < SECTORS; ++s) {
            uint32_t a = balloon_point(k, s), b = balloon_point(k, s + 1);
            uint32_t c = balloon_point(k + 1, s), d = balloon_point(k + 1, s - 1);
            if (k > 0)
                add_triangle(world, p, index[count++], a, c, b);
            if (k < RINGS)
                add_triangle(world, p, index[count++], a, d, c);
        }
    sn_constraint_add_surface(world, SN_KIND_SURFACE_VOLUME, BALLOON_TRIANGLES, index[0], SN_MEASURE, 1);
}

/* Lists the lines of the skin to draw, each closed. */
static size_t draw_balloon(const sn_particle *p, sn_particle *drawn)
{
    size_t count = 0;
    for (int ring = 0; ring <= RINGS + 1; ++ring) {
        for (int s = 0; s <= SECTORS; ++s)
            drawn[count++] = p[balloon_point(ring, s - ring / 2)];
        drawn[count++] = pen_up;
    }
    return count;
}

/* The height of the plates: they wait for a second, close in from 1 m to 0.6 m and wait again. */
static double plate_height(int frame)
{
    return frame < 60 ? 0.5 : frame < 150 ? 0.5 - 0.2 * (frame - 60) / 90 : 0.3;
}

static void balloon(void)
{
    sn_world *world = make_world("balloon", 3, 0);
    sn_settings settings = sn_world_settings(world);
    settings.damping = 3;
    sn_world_configure(world, &settings);
    sn_particle p[BALLOON_POINTS], drawn[(RINGS + 2) * (SECTORS + 2)];
    sn_constraint plate[2][BALLOON_POINTS];
    build_balloon(world, p);
    for (int i = 0; i < 2 * BALLOON_POINTS; ++i)
        plate[i % 2][i / 2] =
            sn_constraint_add_half_space(world, sn_at(p[i / 2]), vec(0, 0, 0), vec(0, i % 2 ? -1 : 1, 0));
    for (int i = 0; i < 2; ++i) /* keeps it from rolling over between the plates */
        sn_constraint_add_on_line(world, sn_at(p[i * (BALLOON_POINTS - 1)]), vec(0, 0, 0), vec(0, 1, 0));
    FILE *file = open_file("balloon", ".dat");
    size_t count = draw_balloon(p, drawn);
    for (int frame = 0; frame <= 240; ++frame) {
        sn_real height = (sn_real)plate_height(frame);
        for (int i = 0; i < 2 * BALLOON_POINTS; ++i)
            sn_constraint_set_param(world, plate[i % 2][i / 2], "origin", (sn_real[]){0, i % 2 ? height : -height, 0},
                                    3);
        sn_world_step(world, (sn_real)1 / FRAMES_PER_SECOND);
        if (frame == 60 || frame == 240)
            write_pose(file, world, drawn, count);
    }
    close_file(file);
    sn_world_destroy(world);
}

/* ---- A spring and rods ------------------------------------------------------------------------------------------- */

/* Three masses of 1 kg are released: on a spring of 80 N/m with a damper, on a rod of the same compliance, on a
   rigid rod. */
static void spring(void)
{
    sn_world *world = make_world("spring", 2, 9.81);
    sn_particle mass[3];
    sn_point hook[3];
    for (int i = 0; i < 3; ++i) {
        hook[i] = sn_at(sn_particle_add_at(world, vec(i, 0, 0), SN_IMMOVABLE));
        mass[i] = sn_particle_add_at(world, vec(i, -1, 0), 1);
    }
    sn_constraint_add_spring(world, hook[0], sn_at(mass[0]), 1, 80, 1);
    sn_constraint soft = sn_constraint_add_distance(world, hook[1], sn_at(mass[1]), 1);
    sn_constraint_set_material(world, soft, (sn_material){.compliance = sn_compliance(80), .damping = 1});
    sn_constraint_add_distance(world, hook[2], sn_at(mass[2]), 1);
    film("spring", world, mass, 3, 180);
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* Every panel has a place, (column, row) from the upper left; X, Y, W, H are its pixels. */
static const char *const style =
    "# Draws the picture of kinds: gnuplot kinds.gp\n"
    "set terminal pngcairo rounded font 'sans,11' background '#fdfcfa' size 1600, 850\n"
    "set output 'constraints.png'; set multiplot; unset key; unset colorbox\n"
    "W = 345.; H = 300.\n"
    "set style line 1 lc rgb '#2b527c' lw 2\n"
    "set style line 2 lc rgb '#e2592d' lw 1.2\n"
    "set style line 3 lc rgb '#3a3f47' lw 2\n"
    "set style line 4 lc rgb '#b5aea2' lw 2\n"
    "set style line 6 lc rgb '#8a8f98' lw 1\n"
    "set style fill solid noborder\n"
    "place = 'unset label; unset border; unset tics; "
    "set palette defined (0 \"#d5e0ec\", 0.45 \"#86a9cb\", 1 \"#1d3f66\"); "
    "X = 45 + 390. * column; Y = 465 - 425. * row; "
    "set lmargin at screen X / 1600; set rmargin at screen (X + W) / 1600; "
    "set bmargin at screen Y / 850; set tmargin at screen (Y + H) / 850; "
    "set label 1 \"{/:Bold \".name.\"}\" at screen X / 1600, (Y + H + 46) / 850 tc ls 3; "
    "set label 2 note at screen X / 1600, (Y + H + 24) / 850 tc ls 6'\n"
    "window = 'set xrange [left : right]; set yrange [bottom : bottom + (right - left) * H / W]'\n";

static const char *const panels[] = {
    "column = 0; row = 0; name = 'on\\_spline'; note = 'a bead on a smooth wire, 12 pictures a second'\n"
    "left = -0.15; right = 4.15; bottom = -0.3; @place; @window; set cbrange [0 : 1.9]\n"
    "plot 'spline_path.dat' using 16:17 with lines ls 4 lw 1.5, \\\n"
    "     'spline.dat' index 0 every ::0::6 using 2:3:(0.035) with circles ls 3, \\\n"
    "     'spline_path.dat' every 5::0::90 using 16:17:(0.085):1 with circles lc palette\n",

    "column = 1; row = 0; name = 'on\\_polyline'; note = 'round the corners, and a stop at the end'\n"
    "left = -0.15; right = 4.15; bottom = -0.3; @place; @window; set cbrange [0 : 1.9]\n"
    "plot 'polyline.dat' index 0 every ::0::6 using 2:3 with lines ls 4 lw 1.5, \\\n"
    "     '' index 0 every ::0::6 using 2:3:(0.035) with circles ls 3, \\\n"
    "     'polyline_path.dat' every 5::0::105 using 16:17:(0.085):1 with circles lc palette\n",

    "column = 2; row = 0; name = 'hinge\\_min, hinge\\_max'; note = 'three links fall from limit to limit'\n"
    "left = -0.55; right = 2.15; bottom = -1.18; @place; @window; set cbrange [0 : 0.7]\n"
    "plot 'arm_path.dat' using ($1 < 0.72 ? $10 : NaN):11 with lines ls 2, \\\n"
    "     for [k in '0 6 12 18 24 30 36 240'] 'arm.dat' index int(k) using 2:3:1 with lines lw 2.5 lc palette, \\\n"
    "     for [k in '0 6 12 18 24 30 36 240'] '' index int(k) every ::2 using 2:3:(0.03):1 with circles lc palette, "
    "\\\n"
    "     '' index 0 every ::0::1 using 2:3 with lines ls 3 lw 5\n",

    "column = 3; row = 0; name = 'connector\\_axis, on\\_circle, on\\_line'\n"
    "note = 'a slider stays level with a bob on a hoop'\n"
    "left = -1.2; right = 1.9; bottom = -1.35; @place; @window; set cbrange [0 : 0.8]\n"
    "set parametric; set trange [-pi : pi]; set samples 200\n"
    "plot cos(t), sin(t) with lines ls 4 lw 1.5, 1.6, t / pi * 1.15 with lines ls 4 lw 1.5, \\\n"
    "     'yoke.dat' index 0:48:4 using 2:3:1 with lines lw 0.8 lc palette, \\\n"
    "     'yoke_path.dat' every 4::0::48 using 4:5:(0.06):1 with circles lc palette, \\\n"
    "     '' every 4::0::48 using 2:3:(0.045):1 with circles lc palette\n"
    "unset parametric\n",

    "column = 0; row = 1; name = 'bending'; note = 'a clamped strip at rest; compliances in 1/(N m)'\n"
    "left = -0.1; right = 1.15; bottom = -0.97; @place; @window; set cbrange [0 : 2]\n"
    "$clamp << END\n-0.05 0.1\n-0.05 -0.1\nEND\n"
    "array compliance[3] = ['3', '10', '30']\n"
    "plot $clamp with lines ls 4 lw 6, \\\n"
    "     for [k = 0 : 2] 'strip.dat' index k using 2:3:(2 - 0.75 * k) \\\n"
    "         with linespoints pt 7 ps 0.45 lw 2 lc palette, \\\n"
    "     for [k = 0 : 2] '' index k every ::21::21 using 2:3:(compliance[k + 1]) with labels offset 2, 0.3 tc ls 6\n",

    "column = 1; row = 1; name = 'surface\\_volume'; note = 'a balloon between plates keeps its volume'\n"
    "@place; set label 3 'before' at screen (X + 0.24 * W) / 1600, (Y + 60) / 850 center tc ls 6\n"
    "set label 4 'after' at screen (X + 0.76 * W) / 1600, (Y + 60) / 850 center tc ls 6\n"
    "set view 88, 0; set view equal xyz; set xyplane at -0.5\n"
    "set lmargin at screen (X - 60) / 1600; set rmargin at screen (X + W + 60) / 1600\n"
    "set bmargin at screen (Y - 30) / 850; set tmargin at screen (Y + H + 50) / 850\n"
    "set xrange [-1.25 : 1.25]; set yrange [-0.7 : 0.7]; set zrange [-0.5 : 0.5]\n"
    "set palette defined (0 '#3f6f9f', 1 '#a9c4de'); set cbrange [-0.5 : 0.5]\n"
    "set pm3d depthorder border lc rgb '#2b527c' lw 0.4 lighting primary 0.5 specular 0.15\n"
    "plate = 'set arrow nohead ls 4 lw 3 from'\n"
    "@plate -1.2, 0, 0.5 to -0.1, 0, 0.5; @plate -1.2, 0, -0.5 to -0.1, 0, -0.5\n"
    "@plate 0.05, 0, 0.3 to 1.25, 0, 0.3; @plate 0.05, 0, -0.3 to 1.25, 0, -0.3\n"
    "splot 'balloon.dat' index 0 using ($2 - 0.65):4:3 with pm3d, '' index 1 using ($2 + 0.65):4:3 with pm3d\n"
    "unset pm3d; unset arrow\n",

    "column = 2; row = 1; name = 'collinear'; note = 'soft and damped: an arc of rods becomes a line'\n"
    "left = -1.5; right = 1.5; bottom = -0.75; @place; @window; set cbrange [0 : sqrt(6)]\n"
    "plot for [k in '0 12 24 45 80 140 360'] 'row.dat' index int(k) using 2:3:(sqrt($1)) with linespoints pt 7 ps 0.9 "
    "lw 1.6 lc palette, \\\n"
    "     'row_path.dat' using 2:3 with lines ls 2, '' using 26:27 with lines ls 2\n",

    "column = 3; row = 1; name = 'spring, distance'; note = 'three times 1 kg, let go: length in m'\n"
    "@place; set xrange [0 : 3]; set yrange [0.96 : 1.28]\n"
    "set border 3 ls 6; set tics scale 0.5 tc ls 6; set xtics 1 nomirror format '%g s'; set ytics 0.1 nomirror\n"
    "set label 3 'spring, 80 N/m' at 1.3, 1.262 tc rgb '#6d95bd'\n"
    "set label 4 'rod, compliance 1/80 m/N' at 1.3, 1.24 tc ls 2\n"
    "set label 5 'rigid rod' at 1.3, 1.016 tc ls 3\n"
    "plot 'spring_path.dat' using 1:(-$3) with lines lw 4 lc rgb '#86a9cb', \\\n"
    "     '' using 1:(-$5) with lines ls 2 dt (8, 8) lw 2, '' using 1:(-$7) with lines ls 3\n",
};

static void draw(const char *folder)
{
    FILE *file = open_file("kinds", ".gp");
    fputs(style, file);
    for (size_t i = 0; i < COUNT(panels); ++i)
        fprintf(file, "\n%s", panels[i]);
    fputs("unset multiplot\nset output\n", file);
    close_file(file);
    if (system("gnuplot --version " NOWHERE) != 0) {
        printf("No picture: gnuplot is not installed. Later: cd %s && gnuplot kinds.gp\n", folder);
        return;
    }
    remove("constraints.png");
    if (system("gnuplot kinds.gp") != 0)
        give_up("gnuplot failed on kinds.gp", "its messages are above");
    if (!is_whole_png("constraints.png"))
        give_up("gnuplot did not write all of constraints.png", "is the disk full?");
    printf("Picture: %s/constraints.png\n", folder);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "out";
    bool help = strcmp(folder, "-h") == 0 || strcmp(folder, "--help") == 0;
    if (help || argc > 2 || folder[0] == '-' || folder[0] == '\0') {
        fputs("usage: kinds [OUT_DIR]\nDraws constraint kinds at work into OUT_DIR (default: out).\n",
              help ? stdout : stderr);
        return help ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if ((make_folder(folder) != 0 && errno != EEXIST) || enter_folder(folder) != 0)
        give_up(folder, strerror(errno));
    spline();
    polyline();
    arm();
    yoke();
    strip();
    balloon();
    row();
    spring();
    draw(folder);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
