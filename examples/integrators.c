/* The properties of the five integrators, in figures and curves: the source of the numbers and pictures in
   docs/integrators.md.

       integrators [OUT_DIR]

   Three experiments: an orbit, whose error shows the order of each scheme; a mass on a spring, whose energy shows
   what a scheme adds or removes; a pendulum on a rod, which shows the effect of projection. Tables are printed,
   curves are written to OUT_DIR (default: out) as text, and integrators.gp draws them with gnuplot. */
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A method: a scheme, and where constraints take their gradients. */
typedef struct method {
    const char *name;
    sn_integrator integrator;
    sn_gradients gradients;
} method;

static const method schemes[] = {
    {"forward Euler", SN_INTEGRATOR_FORWARD_EULER, SN_GRADIENTS_CURRENT},
    {"symplectic Euler", SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT},
    {"leapfrog", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_CURRENT},
    {"Verlet", SN_INTEGRATOR_VERLET, SN_GRADIENTS_CURRENT},
    {"BDF2", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT},
};

/* With a rod: every scheme with plain projection, and with gradients at the start where that is available. */
static const method with_rods[] = {
    {"plain, symplectic Euler", SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT},
    {"plain, leapfrog or Verlet", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_CURRENT},
    {"BDF2", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT},
    {"SHAKE, symplectic Euler", SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_START},
    {"SHAKE, leapfrog or Verlet", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START},
};

static sn_vec3 vec(double x, double y, double z)
{
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

static void give_up(const char *what, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "integrators: %s%s%s\n", what, why[0] ? ": " : "", why);
    exit(EXIT_FAILURE);
}

static void log_failure(void *context, sn_log_level level, const char *text)
{
    (void)context;
    if (level == SN_LOG_ERROR)
        give_up(text, "");
}

/* A world whose steps are single substeps. Any failing call ends the program. */
static sn_world *make_world(const method *m, double gravity)
{
    sn_world *world;
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.integrator = m->integrator;
    def.settings.gradients = m->gradients;
    def.settings.substeps = 1;
    def.settings.iterations = 20;
    def.log.write = log_failure;
    sn_world_create(&def, &world);
    return world;
}

static double energy_of(sn_world *world)
{
    sn_report report;
    sn_world_report(world, &report);
    return report.kinetic + report.potential + report.elastic;
}

static FILE *open_file(const char *name)
{
    FILE *file = fopen(name, "w");
    if (!file)
        give_up(name, strerror(errno));
    return file;
}

static void close_file(FILE *file)
{
    if (!close_whole(file))
        give_up("cannot write all of a file", "is the disk full?");
}

/* ---- An orbit ---------------------------------------------------------------------------------------------------- */

static sn_vec3 pull_of_the_sun(void *context, const sn_field_in *in)
{
    double x = (double)in->position.x, y = (double)in->position.y, r = hypot(x, y), f = (double)in->mass / (r * r * r);
    (void)context;
    return vec(-f * x, -f * y, 0);
}

/* Two seconds of an elliptic orbit that starts in its perihelion at (1, 0) with speed 1.25. Returns the distance
   from the solution of Kepler's equation. */
static double orbit_error(const method *m, int steps)
{
    const double time = 2, a = 1 / (2 - 1.25 * 1.25), e = 1 - 1 / a, mean = time / (a * sqrt(a));
    double anomaly = mean;
    for (int i = 0; i < 30; ++i)
        anomaly -= (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
    sn_world *world = make_world(m, 0);
    sn_particle_def def = sn_default_particle_def();
    def.position = vec(1, 0, 0);
    def.velocity = vec(0, 1.25, 0);
    sn_particle planet;
    sn_particle_add(world, &def, &planet);
    sn_field_add(world, pull_of_the_sun, NULL, true, NULL);
    for (int i = 0; i < steps; ++i)
        sn_world_step(world, (sn_real)(time / steps));
    sn_vec3 x = sn_particle_position(world, planet);
    sn_world_destroy(world);
    return hypot((double)x.x - a * (cos(anomaly) - e), (double)x.y - a * sqrt(1 - e * e) * sin(anomaly));
}

static void orbit(void)
{
    enum { COARSEST = 50, HALVINGS = 6 };
    FILE *file = open_file("orbit.dat");
    double error[COUNT(schemes)][HALVINGS];
    printf("Orbit: error of the place after 2 s, m\n%-26s", "h, s");
    for (int k = 0; k < HALVINGS; ++k)
        printf("%10.5f", 2.0 / (COARSEST << k));
    puts("     order");
    for (size_t i = 0; i < COUNT(schemes); ++i) {
        printf("%-26s", schemes[i].name);
        for (int k = 0; k < HALVINGS; ++k)
            printf("%10.2e", error[i][k] = orbit_error(&schemes[i], COARSEST << k));
        printf("%10.2f\n", log2(error[i][2] / error[i][3]));
    }
    for (int k = 0; k < HALVINGS; ++k) {
        fprintf(file, "%g", 2.0 / (COARSEST << k));
        for (size_t i = 0; i < COUNT(schemes); ++i)
            fprintf(file, " %g", error[i][k]);
        fputc('\n', file);
    }
    close_file(file);
}

/* ---- A spring ---------------------------------------------------------------------------------------------------- */

/* 1 kg on a spring of 100 N/m, with an amplitude of half a metre. */
static sn_world *make_spring(const method *m)
{
    sn_world *world = make_world(m, 0);
    sn_point ends[2];
    ends[0] = sn_at(sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE));
    ends[1] = sn_at(sn_particle_add_at(world, vec(1.5, 0, 0), 1));
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_SPRING);
    def.points = ends;
    def.param[0] = 1;
    def.param[1] = 100;
    sn_constraint_add(world, &def, NULL);
    return world;
}

/* Writes the energy of a world over time, relative to `zero`, as a share of `whole`; returns the last value. */
static double write_energies(FILE *file, sn_world *world, int steps, int rate, double zero, double whole)
{
    double share = 1;
    for (int i = 0; i <= steps; ++i) {
        share = (energy_of(world) - zero) / whole;
        if (file)
            fprintf(file, "%g %.6f\n", sn_world_time(world), share);
        if (i < steps)
            sn_world_step(world, (sn_real)1 / (sn_real)rate);
    }
    if (file)
        fputs("\n\n", file);
    sn_world_destroy(world);
    return share;
}

static void spring(void)
{
    enum { RATE = 120 };
    FILE *file = open_file("spring.dat");
    puts("\nSpring: energy after 5 s at h = 1/120 s, in % of the start");
    for (size_t i = 0; i < COUNT(schemes); ++i) {
        sn_world *world = make_spring(&schemes[i]);
        double whole = energy_of(world);
        printf("%-26s%10.2f\n", schemes[i].name, 100 * write_energies(file, world, 5 * RATE, RATE, 0, whole));
    }
    close_file(file);
}

/* ---- A pendulum -------------------------------------------------------------------------------------------------- */

static const double g = 9.81;

/* 1 kg on a rod of 1 m, at rest 90 degrees from the vertical. */
static sn_world *make_pendulum(const method *m, sn_particle *bob)
{
    sn_world *world = make_world(m, g);
    sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    *bob = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint_add_distance(world, sn_at(hook), sn_at(*bob), 1);
    return world;
}

/* The time from the first to the third passage of the lowest point. */
static double period(const method *m, int rate)
{
    sn_particle bob;
    sn_world *world = make_pendulum(m, &bob);
    double first = 0, last = 0, before = 1;
    for (int passages = 0; passages < 3;) {
        sn_world_step(world, (sn_real)1 / (sn_real)rate);
        double now = (double)sn_particle_position(world, bob).x;
        if ((before < 0) != (now < 0)) {
            last = sn_world_time(world) - now / (now - before) / rate;
            if (++passages == 1)
                first = last;
        }
        before = now;
    }
    sn_world_destroy(world);
    return last - first;
}

static void pendulum(void)
{
    enum { RATE = 600 };
    const double exact = 2.36784194757623;
    FILE *file = open_file("pendulum.dat");
    printf("\nPendulum from 90 degrees: period, exact %.6f s, and energy after 5.2 s, in %% of the start\n", exact);
    printf("%-26s%14s%9s%14s%9s%14s\n", "", "h = 1/600 s", "off, %", "h = 1/6000 s", "off, %", "energy, %");
    for (size_t i = 0; i < COUNT(with_rods); ++i) {
        sn_particle bob;
        double coarse = period(&with_rods[i], RATE), fine = period(&with_rods[i], 10 * RATE);
        double left = write_energies(NULL, make_pendulum(&with_rods[i], &bob), 26 * RATE / 5, RATE, -g, g);
        write_energies(file, make_pendulum(&with_rods[i], &bob), 12 * RATE, RATE, -g, g);
        printf("%-26s%14.6f%9.4f%14.6f%9.4f%14.3f\n", with_rods[i].name, coarse, 100 * (coarse / exact - 1), fine,
               100 * (fine / exact - 1), 100 * left);
    }
    close_file(file);
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

static const char script[] =
    "# Draws the curves of integrators: gnuplot integrators.gp\n"
    "set terminal pngcairo rounded font 'sans,11' background '#fdfcfa' size 720, 420\n"
    "set border 3 lc rgb '#8a8f98'; set tics nomirror tc rgb '#3a3f47'; set grid lc rgb '#e9e5de' lt 1\n"
    "set style line 1 lc rgb '#e2592d' lw 2\n"
    "set style line 2 lc rgb '#d9a62e' lw 2\n"
    "set style line 3 lc rgb '#2b527c' lw 3\n"
    "set style line 4 lc rgb '#9fc3e6' lw 1.5 dt (6, 6)\n"
    "set style line 5 lc rgb '#3a8f5c' lw 2\n"
    "array name[5] = ['forward Euler', 'symplectic Euler', 'leapfrog', 'Verlet', 'BDF2']\n"
    "\n"
    "set output 'integrators_order.png'\n"
    "set title 'Orbit: error after 2 s'; set xlabel 'substep h, s'; set ylabel 'm'\n"
    "set logscale xy; set format y '10^{%T}'; set key bottom right; set xrange [0.001 : 0.05]\n"
    "plot for [k = 1 : 5] 'orbit.dat' using 1:(column(k + 1)) with linespoints ls k pt 7 ps 0.7 title name[k], \\\n"
    "     0.9 * x with lines lc rgb '#8a8f98' dt 3 title 'h', 1.2 * x**2 with lines lc rgb '#8a8f98' dt 2 title 'h^2'\n"
    "\n"
    "set output 'integrators_spring.png'\n"
    "set title 'Mass on a spring, h = 1/120 s: energy'; set xlabel 's'; set ylabel 'share of the start'\n"
    "unset logscale; set format y; set key top right; set xrange [0 : 5]; set yrange [0.9 : 1.25]\n"
    "plot for [k = 1 : 5] 'spring.dat' index k - 1 with lines ls k title name[k]\n"
    "\n"
    "set terminal pngcairo rounded font 'sans,11' background '#fdfcfa' size 720, 560\n"
    "set output 'integrators_pendulum.png'\n"
    "set multiplot; set lmargin 9; set xrange [0 : 12]\n"
    "set title 'Rod pendulum from 90°, h = 1/600 s: energy'; set size 1, 0.6; set origin 0, 0.4\n"
    "unset xlabel; set yrange [0.68 : 1.02]; set key bottom left\n"
    "plot 'pendulum.dat' index 0 with lines ls 1 title 'plain projection', \\\n"
    "     '' index 3 with lines ls 2 title 'SHAKE, symplectic Euler', \\\n"
    "     '' index 4 with lines ls 3 title 'SHAKE, leapfrog or Verlet', '' index 2 with lines ls 5 title 'BDF2'\n"
    "set title 'the same, enlarged'; set size 1, 0.4; set origin 0, 0; set xlabel 's'; unset ylabel\n"
    "set yrange [0.9965 : 1.0035]; set ytics 0.002; unset key\n"
    "plot for [k in '0 3 4 2'] 'pendulum.dat' index int(k) with lines ls (k == 0 ? 1 : k == 3 ? 2 : k == 4 ? 3 : 5)\n"
    "unset multiplot\n";

static void draw(const char *folder)
{
    FILE *file = open_file("integrators.gp");
    fputs(script, file);
    close_file(file);
    if (system("gnuplot --version " NOWHERE) != 0)
        printf("\nNo pictures: gnuplot is not installed. Later: cd %s && gnuplot integrators.gp\n", folder);
    else if (system("gnuplot integrators.gp") != 0)
        give_up("gnuplot failed on integrators.gp", "its messages are above");
    else if (!is_whole_png("integrators_order.png") || !is_whole_png("integrators_spring.png") ||
             !is_whole_png("integrators_pendulum.png"))
        give_up("gnuplot did not write all of the pictures", "is the disk full?");
    else
        printf("\nPictures: %s/integrators_{order,spring,pendulum}.png\n", folder);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "out";
    if ((make_folder(folder) != 0 && errno != EEXIST) || enter_folder(folder) != 0)
        give_up(folder, strerror(errno));
    orbit();
    spring();
    pendulum();
    draw(folder);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
