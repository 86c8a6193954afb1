/* The stretch of stiff cloth, and the time that it takes:

       sinew-bench-convergence [CASE ...] [--n LIST] [--mesh grid|shuffled] [--passes LIST] [--iterations N]
           [--frames N] [--damping RATE] [--threads N] [--seed N] [--off | --both]

   Cloth of n by n particles with a mass of 1 kg, 5 cm apart, with rigid rods, undamped. A case is what holds it:
   corners (two of them), edge, corner, sphere (it falls on one), drag (a corner is moved at 5 m/s). The grid has
   both diagonals; shuffled is the same as triangles, with one diagonal and all numbers in random order.

   Stretch is (length - rest) / rest of rods that are too long, in per cent: the mean over all rods, and the largest,
   in the last fifth of the frames; rods that are too short count as squeezed. Energy is kinetic and potential, per
   mass: the largest rise above its running minimum. Passes are substeps of one pass each. */
#include "shared.h"

#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 0.05 /* m between neighbours */

typedef struct options {
    uint32_t n[MOST_LIST], ns, passes[MOST_LIST], passes_count, iterations, frames, threads, seed;
    const char *cases[MOST_LIST];
    uint32_t case_count;
    bool shuffled, off, both;
    double damping;
} options;

typedef struct cloth {
    sn_world *world;
    uint32_t n, rods;
    uint32_t *pair;   /* two numbers per rod */
    double *rest;     /* m */
    uint32_t *number; /* of the particle at each place of the grid */
    sn_vec3 dragged;  /* position of the dragged corner */
} cloth;

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % n);
}

static void add_rod(cloth *c, uint32_t a, uint32_t b, double rest)
{
    c->pair[2 * c->rods] = c->number[a];
    c->pair[2 * c->rods + 1] = c->number[b];
    c->rest[c->rods++] = rest;
}

static void weave(cloth *c, bool triangles)
{
    const uint32_t n = c->n;
    const double s = SPACING, d = s * sqrt(2.0);
    for (uint32_t y = 0; y < n; ++y)
        for (uint32_t x = 0; x + 1 < n; ++x)
            add_rod(c, y * n + x, y * n + x + 1, s);
    for (uint32_t y = 0; y + 1 < n; ++y)
        for (uint32_t x = 0; x < n; ++x)
            add_rod(c, y * n + x, (y + 1) * n + x, s);
    for (uint32_t y = 0; y + 1 < n; ++y)
        for (uint32_t x = 0; x + 1 < n; ++x)
            if (!triangles || (x + y) % 2 == 0)
                add_rod(c, y * n + x, (y + 1) * n + x + 1, d);
    for (uint32_t y = 0; y + 1 < n; ++y)
        for (uint32_t x = 0; x + 1 < n; ++x)
            if (!triangles || (x + y) % 2 == 1)
                add_rod(c, y * n + x + 1, (y + 1) * n + x, d);
}

static void shuffle_rods(cloth *c)
{
    for (uint32_t i = c->rods; i-- > 1;) {
        const uint32_t j = random_below(i + 1), a = c->pair[2 * i], b = c->pair[2 * i + 1];
        const double rest = c->rest[i];
        c->pair[2 * i] = c->pair[2 * j], c->pair[2 * i + 1] = c->pair[2 * j + 1], c->rest[i] = c->rest[j];
        c->pair[2 * j] = a, c->pair[2 * j + 1] = b, c->rest[j] = rest;
    }
}

static bool is_held(const char *name, uint32_t n, uint32_t i)
{
    if (!strcmp(name, "corners"))
        return i == 0 || i == n - 1;
    if (!strcmp(name, "edge"))
        return i < n;
    return !strcmp(name, "corner") && i == 0;
}

static bool build(cloth *c, const char *name, uint32_t n, uint32_t passes, const options *o, bool off)
{
    const uint32_t count = n * n;
    random_state = o->seed;
    *c = (cloth){.n = n};
    c->pair = malloc(8 * (size_t)count * 4), c->rest = malloc(8 * (size_t)count * 4),
    c->number = malloc(4 * (size_t)count);
    sn_real *xyz = malloc(3 * sizeof(sn_real) * count), *rest = malloc(4 * sizeof(sn_real) * count);
    sn_world_def def = sn_default_world_def();
    def.threads = o->threads;
    def.settings.substeps = passes;
    def.settings.iterations = o->iterations;
    def.settings.damping = (sn_real)o->damping;
    def.settings.stiffening = off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    if (!c->pair || !c->rest || !c->number || !xyz || !rest || sn_world_create(&def, &c->world) != SN_OK)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        c->number[i] = i;
    for (uint32_t i = count; o->shuffled && i-- > 1;) {
        const uint32_t j = random_below(i + 1), k = c->number[i];
        c->number[i] = c->number[j], c->number[j] = k;
    }
    const double side = SPACING * (n - 1);
    const bool ball = !strcmp(name, "sphere");
    for (uint32_t i = 0; i < count; ++i) {
        sn_real *p = xyz + 3 * (size_t)c->number[i];
        p[0] = (sn_real)(SPACING * ((double)(i % n) - 0.5 * (n - 1)));
        p[1] = ball ? (sn_real)(0.31 * side) : 0;
        p[2] = (sn_real)(SPACING * ((double)(i / n) - 0.5 * (n - 1)));
    }
    sn_particles run = sn_particles_add(c->world, count, xyz, 0, 1);
    for (uint32_t i = 0; i < count; ++i) {
        if (is_held(name, n, i))
            sn_particle_set_mass(c->world, sn_particles_at(run, c->number[i]), SN_IMMOVABLE);
        if (ball)
            sn_particle_set_radius(c->world, sn_particles_at(run, c->number[i]), (sn_real)(0.4 * SPACING));
    }
    weave(c, o->shuffled);
    if (o->shuffled)
        shuffle_rods(c);
    for (uint32_t i = 0; i < c->rods; ++i)
        rest[i] = (sn_real)c->rest[i];
    bool good = sn_constraints_add_kind(c->world, SN_KIND_DISTANCE, c->rods, c->pair, rest, NULL).count == c->rods;
    if (ball) {
        sn_contact_settings contact = sn_world_contact_settings(c->world);
        contact.particles = false; /* no self-contact: it would cost more than everything else */
        good = good && sn_world_set_contact_settings(c->world, &contact) == SN_OK;
        good = good && sn_static_add_sphere(c->world, (sn_vec3){0}, (sn_real)(0.3 * side)).generation;
    }
    c->dragged = (sn_vec3){(sn_real)(-0.5 * side), 0, (sn_real)(-0.5 * side)};
    free(xyz);
    free(rest);
    return good;
}

static void destroy(cloth *c)
{
    sn_world_destroy(c->world);
    free(c->pair);
    free(c->rest);
    free(c->number);
}

typedef struct figures {
    double mean, squeezed, largest, energy, lowest, centre, ms;
} figures;

static void measure(const cloth *c, figures *f)
{
    const sn_view x = sn_world_view_positions(c->world), v = sn_world_view_velocities(c->world);
    double sum = 0, squeezed = 0, energy = 0, lowest = 0, centre = 0;
    for (uint32_t i = 0; i < c->rods; ++i) {
        const sn_real *a = sn_view_find(&x, c->pair[2 * i]), *b = sn_view_find(&x, c->pair[2 * i + 1]);
        const double d[3] = {(double)(a[0] - b[0]), (double)(a[1] - b[1]), (double)(a[2] - b[2])};
        const double off = (sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - c->rest[i]) / c->rest[i];
        squeezed += off < 0 ? -off : 0;
        sum += off > 0 ? off : 0;
        f->largest = off > f->largest ? off : f->largest;
    }
    const uint32_t count = c->n * c->n;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_real *p = sn_view_find(&x, i), *u = sn_view_find(&v, i);
        energy += (9.81 * (double)p[1] +
                   ((double)u[0] * (double)u[0] + (double)u[1] * (double)u[1] + (double)u[2] * (double)u[2]) / 2) /
                  count;
        lowest = (double)p[1] < lowest ? (double)p[1] : lowest;
        centre += (double)p[1] / count;
    }
    f->mean = sum / c->rods;
    f->squeezed = squeezed / c->rods;
    f->energy = energy;
    f->lowest = lowest;
    f->centre = centre;
}

static bool run(cloth *c, const char *name, uint32_t frames, figures *f)
{
    const bool drags = !strcmp(name, "drag");
    double sum = 0, squeezed = 0, least = INFINITY, spent = 0, lowest = 0, centre = 0;
    uint32_t counted = 0;
    *f = (figures){0};
    double rise = 0;
    for (uint32_t i = 0; i < frames; ++i) {
        if (drags) {
            c->dragged.x += (sn_real)(5.0 / 60);
            sn_particle_move_to(c->world, sn_particle_from_index(c->world, c->number[0]), c->dragged);
        }
        const double start = now();
        if (sn_world_step(c->world, (sn_real)(1.0 / 60)) != SN_OK) {
            fprintf(stderr, "frame %u: %s\n", i, sn_world_error(c->world));
            return false;
        }
        if (i > 0)
            spent += now() - start;
        figures here = {0};
        const bool counts = i >= frames - frames / 5;
        if (counts || i % 10 == 0)
            measure(c, &here);
        else
            continue;
        least = here.energy < least ? here.energy : least;
        rise = here.energy - least > rise ? here.energy - least : rise;
        if (!counts)
            continue;
        sum += here.mean;
        squeezed += here.squeezed;
        lowest += here.lowest;
        centre += here.centre;
        counted++;
        f->largest = here.largest > f->largest ? here.largest : f->largest;
    }
    f->mean = sum / counted;
    f->squeezed = squeezed / counted;
    f->energy = rise;
    f->lowest = lowest / counted;
    f->centre = centre / counted;
    f->ms = 1e3 * spent / (frames - 1);
    return true;
}

static bool read_options(int count, char **text, options *o)
{
    for (int i = 1; i < count; ++i) {
        if (!strcmp(text[i], "--off"))
            o->off = true;
        else if (!strcmp(text[i], "--both"))
            o->both = true;
        else if (text[i][0] != '-' && o->case_count < MOST_LIST)
            o->cases[o->case_count++] = text[i];
        else if (i + 1 == count)
            return false;
        else if (!strcmp(text[i], "--n"))
            o->ns = read_list(text[++i], o->n);
        else if (!strcmp(text[i], "--passes"))
            o->passes_count = read_list(text[++i], o->passes);
        else if (!strcmp(text[i], "--iterations"))
            o->iterations = (uint32_t)atoi(text[++i]);
        else if (!strcmp(text[i], "--threads"))
            o->threads = (uint32_t)atoi(text[++i]);
        else if (!strcmp(text[i], "--seed"))
            o->seed = (uint32_t)atoi(text[++i]);
        else if (!strcmp(text[i], "--frames"))
            o->frames = (uint32_t)atoi(text[++i]);
        else if (!strcmp(text[i], "--damping"))
            o->damping = atof(text[++i]);
        else if (!strcmp(text[i], "--mesh"))
            o->shuffled = !strcmp(text[++i], "shuffled");
        else
            return false;
    }
    return true;
}

static bool report(const options *o, const char *name, uint32_t n, uint32_t passes, bool off)
{
    cloth c;
    figures f;
    bool good = build(&c, name, n, passes, o, off) && run(&c, name, o->frames, &f);
    if (good)
        printf("%-8s %-8s %4u  %3u x %u %-5s  mean %7.3f (squeezed %.3f) %%  largest %8.2f %%  energy rose %.2g J/kg  "
               "lowest %.4f "
               "centre %.4f  %.3f ms\n",
               name, o->shuffled ? "shuffled" : "grid", n, passes, o->iterations, off ? "plain" : "stiff", 100 * f.mean,
               100 * f.squeezed, 100 * f.largest, f.energy, f.lowest, f.centre, f.ms);
    fflush(stdout);
    destroy(&c);
    return good;
}

int main(int count, char **text)
{
    static const char *const all[] = {"corners", "edge", "sphere", "drag"};
    options o = {
        .n = {64}, .ns = 1, .passes = {10}, .passes_count = 1, .iterations = 1, .frames = 300, .threads = 1, .seed = 1};
    bool good = read_options(count, text, &o);
    if (!good) {
        fprintf(stderr, "usage: see the top of bench/convergence.c\n");
        return 2;
    }
    if (!o.case_count)
        for (; o.case_count < 4; ++o.case_count)
            o.cases[o.case_count] = all[o.case_count];
    for (uint32_t c = 0; c < o.case_count; ++c)
        for (uint32_t i = 0; i < o.ns; ++i)
            for (uint32_t p = 0; p < o.passes_count; ++p)
                for (int off = o.both || o.off; off >= (o.off && !o.both); --off)
                    good = report(&o, o.cases[c], o.n[i], o.passes[p], off) && good;
    return good ? 0 : 1;
}
