/* Mass of convex shapes, of every type. */
#include "bodies/mass.h"

#include "base/math.h"

#include <sinew/math.h>

#include <stdio.h>

/* ---- Solids of revolution -------------------------------------------------------------------------------------------
   About y, with the profile r(y), a solid of density 1 has

       V = pi ∫ r^2 dy,   ∫ y dV = pi ∫ r^2 y dy,   ∫ y^2 dV = pi ∫ r^2 y^2 dy,   ∫ x^2 dV = ∫ z^2 dV =
       pi/4 ∫ r^4 dy.

   A profile consists of straight pieces and of arcs (the rounding). Each is integrated over its own parameter by
   Gauss's rule of sixteen points. There the integrands are polynomials of degree 5, or smooth, so the result is precise
   to the last digits. */

typedef struct sums {
    double volume, first, along, across; /* m^3, m^4, m^5, m^5 */
} sums;

/* A piece of a profile: a line from (r0, y0) to (r1, y1), or, with a radius, an arc about (r0, y0) between two angles
   above the horizontal. */
typedef struct piece {
    double r0, y0, r1, y1;
    double radius, from, to;
} piece;

static void add_sample(sums *s, const piece *p, double t, double weight)
{
    double r, y, rate;
    if (p->radius > 0) {
        const double angle = p->from + t * (p->to - p->from);
        r = p->r0 + p->radius * sn_math_cos(angle);
        y = p->y0 + p->radius * sn_math_sin(angle);
        rate = p->radius * sn_math_cos(angle) * (p->to - p->from);
    } else {
        r = p->r0 + t * (p->r1 - p->r0);
        y = p->y0 + t * (p->y1 - p->y0);
        rate = p->y1 - p->y0;
    }
    const double disc = weight * rate * SN_PI * r * r;
    s->volume += disc;
    s->first += disc * y;
    s->along += disc * y * y;
    s->across += disc * r * r / 4;
}

static void add_piece(sums *s, const piece *p)
{
    static const double place[8] = {0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863,
                                    0.6178762444026437484, 0.7554044083550030339, 0.8656312023878317439,
                                    0.9445750230732325761, 0.9894009349916499326};
    static const double weight[8] = {0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382,
                                     0.1495959888165767321, 0.1246289712555338720, 0.0951585116824927848,
                                     0.0622535239386478929, 0.0271524594117540949};
    for (uint32_t i = 0; i < 8; ++i) {
        add_sample(s, p, 0.5 - place[i] / 2, weight[i] / 2);
        add_sample(s, p, 0.5 + place[i] / 2, weight[i] / 2);
    }
}

static bool finish(const sums *s, double density, sn_mass_properties *mass, char *message, size_t size)
{
    const double m = density * s->volume, centre = s->first / s->volume;
    const double along = density * (s->along - s->first * centre), across = density * s->across;
    *mass = (sn_mass_properties){m, {0, centre, 0}, {along + across, 2 * across, along + across, 0, 0, 0}};
    if (m > 0 && across > 0 && isfinite(m) && isfinite(mass->inertia[0]) && isfinite(mass->inertia[1]))
        return true;
    snprintf(message, size, "its mass of %g kg and its moment of %g kg m^2 are beyond the range of numbers", m,
             mass->inertia[0]);
    return false;
}

static bool mass_of_revolved(sn_mass_properties *mass, const sn_convex *convex, double density, char *message,
                             size_t size)
{
    const double radius = (double)convex->half.x, half = (double)convex->half.y, round = (double)convex->radius;
    const double right = SN_PI / 2;
    sums s = {0};
    if (convex->type == SN_SHAPE_CYLINDER) {
        const piece pieces[] = {{radius, -half, 0, 0, round, -right, 0},
                                {radius + round, -half, radius + round, half, 0, 0, 0},
                                {radius, half, 0, 0, round, 0, right}};
        for (uint32_t i = 0; i < 3; ++i)
            if (i == 1 || round > 0)
                add_piece(&s, &pieces[i]);
        s.first = 0; /* zero by symmetry */
        return finish(&s, density, mass, message, size);
    }
    /* The angle of the side's normal above the horizontal. */
    const double lean = sn_math_atan2(radius, 2 * half), out = round * sn_math_cos(lean),
                 up = round * sn_math_sin(lean);
    const piece pieces[] = {{radius, -half, 0, 0, round, -right, 0},
                            {radius, -half, 0, 0, round, 0, lean},
                            {radius + out, -half + up, out, half + up, 0, 0, 0},
                            {0, half, 0, 0, round, lean, right}};
    for (uint32_t i = 0; i < 4; ++i)
        if (i == 2 || round > 0)
            add_piece(&s, &pieces[i]);
    return finish(&s, density, mass, message, size);
}

/* ---- Hulls ------------------------------------------------------------------------------------------------------- */

/* The hull's faces, cut into triangles. */
static bool mass_of_hull(sn_mass_properties *mass, const sn_allocator *allocator, const sn_hull *hull, double radius,
                         double density, bool *out_of_memory, char *message, size_t size)
{
    sn_vec3 vertex[SN_HULL_VERTICES];
    uint32_t index[3 * 2 * SN_HULL_VERTICES], triangles = 0;
    for (uint32_t i = 0; i < hull->vertices; ++i)
        vertex[i] = dvec3_round(hull->vertex[i]);
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const uint8_t *loop = hull->loop + hull->face[f].first;
        for (uint32_t i = 2; i < hull->face[f].count; ++i, ++triangles) {
            index[3 * triangles] = loop[0];
            index[3 * triangles + 1] = loop[i - 1];
            index[3 * triangles + 2] = loop[i];
        }
    }
    return sn_mass_of_convex(mass, allocator, vertex, hull->vertices, index, triangles, radius, density, out_of_memory,
                             message, size);
}

bool sn_mass_of_shape(sn_mass_properties *mass, const sn_allocator *allocator, const sn_convex *convex, double density,
                      bool *out_of_memory, char *message, size_t size)
{
    const double half[3] = {(double)convex->half.x, (double)convex->half.y, (double)convex->half.z};
    const double radius = (double)convex->radius;
    switch (convex->type) {
    case SN_SHAPE_SPHERE:
        return sn_mass_of_sphere(mass, radius, density, message, size);
    case SN_SHAPE_CAPSULE:
        return sn_mass_of_capsule(mass, half[1], radius, density, message, size);
    case SN_SHAPE_BOX:
        return sn_mass_of_box(mass, half, radius, density, message, size);
    case SN_SHAPE_HULL:
        return mass_of_hull(mass, allocator, convex->hull, radius, density, out_of_memory, message, size);
    default:
        return mass_of_revolved(mass, convex, density, message, size);
    }
}
