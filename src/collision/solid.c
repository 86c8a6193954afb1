#include "collision/solid.h"

#include "base/dvec.h"

/* Box, sphere and capsule are one case: a core rounded by a radius. The core is a box whose sides may be 0. A sphere
   that moves towards one of them is a point that moves towards the same core with a larger radius.

   Everything is computed in double, where differences of floats have a negligible error. This costs nothing: the time
   is dominated by one square root and one division. */

typedef struct core {
    sn_dvec3 half; /* m */
    double radius; /* m */
} core;

typedef struct near_point {
    double distance; /* m */
    sn_dvec3 point, normal;
} near_point;

/* Relative to the path: tolerance for a contact at the border of a stretch of the path. */
#define TIME_SLACK 1e-12

/* m: a point nearer to the core than this counts as on it, because the direction would be lost. Its square is a normal
   number. */
#define LEAST_BEYOND 1e-125

static inline core core_of(const sn_solid *solid)
{
    switch (solid->type) {
    case SN_SOLID_BOX:
        return (core){dvec3_from(solid->half), 0};
    case SN_SOLID_CAPSULE:
        return (core){{0, (double)solid->half.y, 0}, (double)solid->radius};
    default:
        return (core){{0, 0, 0}, (double)solid->radius};
    }
}

static inline void write_touch(sn_touch *touch, const near_point *s)
{
    *touch = (sn_touch){(sn_real)s->distance, dvec3_round(s->point), dvec3_round(s->normal), 0};
}

/* ---- Nearest point ----------------------------------------------------------------------------------------------- */

static inline double positive(double x)
{
    return x > 0 ? x : 0;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* For p inside the core: out through the nearest face; of equally near ones the first. beyond: how far p is beyond the
   faces, at most 0. */
static void leave_core(const core *c, sn_dvec3 p, sn_dvec3 beyond, near_point *s)
{
    s->point = p;
    s->normal = dvec3(0, 0, 0);
    if (beyond.x >= beyond.y && beyond.x >= beyond.z) {
        s->normal.x = p.x < 0 ? -1 : 1;
        s->point.x = s->normal.x * (c->half.x + c->radius);
        s->distance = beyond.x - c->radius;
    } else if (beyond.y >= beyond.z) {
        s->normal.y = p.y < 0 ? -1 : 1;
        s->point.y = s->normal.y * (c->half.y + c->radius);
        s->distance = beyond.y - c->radius;
    } else {
        s->normal.z = p.z < 0 ? -1 : 1;
        s->point.z = s->normal.z * (c->half.z + c->radius);
        s->distance = beyond.z - c->radius;
    }
}

/* Along one axis: the coordinate of the core's point nearest to p. */
static inline double clamp_to(double half, double p, double beyond)
{
    return beyond > 0 ? copysign(half, p) : p;
}

SN_INLINE void near_core(const core *c, sn_dvec3 p, near_point *s)
{
    sn_dvec3 beyond = {fabs(p.x) - c->half.x, fabs(p.y) - c->half.y, fabs(p.z) - c->half.z};
    if (!(larger(larger(beyond.x, beyond.y), beyond.z) > LEAST_BEYOND)) {
        leave_core(c, p, beyond, s);
        return;
    }
    sn_dvec3 q = {positive(beyond.x), positive(beyond.y), positive(beyond.z)};
    double length = dvec3_length(q), inverse = 1 / length;
    s->distance = length - c->radius;
    s->normal.x = copysign(q.x * inverse, p.x);
    s->normal.y = copysign(q.y * inverse, p.y);
    s->normal.z = copysign(q.z * inverse, p.z);
    s->point.x = clamp_to(c->half.x, p.x, beyond.x) + c->radius * s->normal.x;
    s->point.y = clamp_to(c->half.y, p.y, beyond.y) + c->radius * s->normal.y;
    s->point.z = clamp_to(c->half.z, p.z, beyond.z) + c->radius * s->normal.z;
}

void sn_solid_near(const sn_solid *solid, sn_vec3 p, sn_touch *touch)
{
    if (solid->type == SN_SOLID_PLANE) {
        *touch = (sn_touch){p.y, {p.x, 0, p.z}, {0, 1, 0}, 0};
        return;
    }
    core c = core_of(solid);
    near_point s;
    near_core(&c, dvec3_from(p), &s);
    write_touch(touch, &s);
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

/* A path relative to a core, by axes. */
typedef struct flight {
    double half[3];                  /* m: of the core */
    double from[3], displacement[3]; /* m */
    double reach;                    /* m: sum of the radii of sphere and solid */
} flight;

/* The interval of time in which |v + t w| <= reach. It is computed from the time when v + t w is nearest to 0, so that
   no significant digits cancel. */
static bool time_within(const double v[3], const double w[3], double reach, double *in, double *out)
{
    double speed = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double nearest = speed > 0 ? -(v[0] * w[0] + v[1] * w[1] + v[2] * w[2]) / speed : 0;
    double x = v[0] + nearest * w[0], y = v[1] + nearest * w[1], z = v[2] + nearest * w[2];
    double least = sqrt(x * x + y * y + z * z);
    if (!(least <= reach))
        return false;
    double around = speed > 0 ? sqrt((reach - least) * (reach + least) / speed) : (double)INFINITY;
    *in = nearest - around;
    *out = nearest + around;
    return true;
}

/* When the path enters the core's box, enlarged by the reach on all sides, and the axis of the face through which it
   does. False if it never does. */
static bool enter_box(const flight *f, double *t, uint32_t *axis)
{
    double in = -(double)INFINITY, out = (double)INFINITY;
    for (uint32_t i = 0; i < 3; ++i) {
        double half = f->half[i] + f->reach;
        if (f->displacement[i] == 0) {
            if (fabs(f->from[i]) > half)
                return false;
            continue;
        }
        double first = (copysign(half, -f->displacement[i]) - f->from[i]) / f->displacement[i];
        double last = (copysign(half, f->displacement[i]) - f->from[i]) / f->displacement[i];
        if (first > in) {
            in = first;
            *axis = i;
        }
        out = last < out ? last : out;
    }
    *t = in;
    return in <= out && in <= 1 && out >= 0;
}

/* True if the sphere that enters there touches the face itself, not the rounding around it. */
static bool hits_face(const flight *f, double t, uint32_t axis)
{
    bool inside = true;
    for (uint32_t i = 0; i < 3; ++i)
        inside &= i == axis || fabs(f->from[i] + t * f->displacement[i]) <= f->half[i];
    return inside;
}

/* When the path next passes a plane of the core's box; then it is beyond the core along other axes. */
static double next_turn(const flight *f, double now)
{
    double next = 1;
    for (uint32_t i = 0; i < 3; ++i)
        for (int side = -1; side <= 1; side += 2) {
            if (f->displacement[i] == 0 || f->half[i] == 0)
                continue;
            double t = (side * f->half[i] - f->from[i]) / f->displacement[i];
            next = t > now && t < next ? t : next;
        }
    return next;
}

/* The path relative to the nearest point of the core, at the time t and until the next turn: only along the axes on
   which the position is beyond the core. False if it is beyond on none. */
static bool displacement_beyond(const flight *f, double t, double v[3], double w[3])
{
    bool any = false;
    for (uint32_t i = 0; i < 3; ++i) {
        double x = f->from[i] + t * f->displacement[i];
        bool beyond = f->half[i] == 0 || fabs(x) > f->half[i];
        v[i] = beyond ? f->from[i] - copysign(f->half[i], x) : 0;
        w[i] = beyond ? f->displacement[i] : 0;
        any |= beyond;
    }
    return any;
}

/* The squared distance to a box along a line consists of pieces of parabolas, one between each two turns. The first
   piece that comes down to the reach gives the contact. */
static bool hits_rounding(const flight *f, double now, double *t)
{
    while (now < 1) {
        double v[3], w[3], in, out, turn = next_turn(f, now);
        if (!displacement_beyond(f, now + (turn - now) / 2, v, w)) {
            *t = now;
            return true;
        }
        if (time_within(v, w, f->reach, &in, &out) && in <= turn + TIME_SLACK && out >= now - TIME_SLACK) {
            *t = in < now ? now : in > turn ? turn : in;
            return true;
        }
        now = turn;
    }
    return false;
}

static sn_dvec3 place_at(const flight *f, double t)
{
    return dvec3(f->from[0] + t * f->displacement[0], f->from[1] + t * f->displacement[1],
                 f->from[2] + t * f->displacement[2]);
}

static void touch_face(const core *c, const flight *f, double t, uint32_t axis, near_point *s)
{
    double side = f->displacement[axis] > 0 ? -1 : 1, level = side * (f->half[axis] + c->radius);
    s->point = place_at(f, t);
    s->normal = dvec3(0, 0, 0);
    *(axis == 0 ? &s->normal.x : axis == 1 ? &s->normal.y : &s->normal.z) = side;
    *(axis == 0 ? &s->point.x : axis == 1 ? &s->point.y : &s->point.z) = level;
}

/* The sphere is outside at the start and approaches. */
static bool cast_core(const core *c, const sn_path *path, double *t, near_point *s)
{
    flight f = {{c->half.x, c->half.y, c->half.z},
                {(double)path->from.x, (double)path->from.y, (double)path->from.z},
                {(double)path->displacement.x, (double)path->displacement.y, (double)path->displacement.z},
                c->radius + (double)path->radius};
    uint32_t axis = 0;
    if (!enter_box(&f, t, &axis))
        return false;
    if (f.reach == 0 || (*t >= 0 && hits_face(&f, *t, axis))) {
        touch_face(c, &f, *t, axis, s);
        return *t >= 0;
    }
    if (!hits_rounding(&f, positive(*t), t))
        return false;
    near_core(c, place_at(&f, *t), s);
    return true;
}

static bool cast_plane(const sn_path *path, double *t, near_point *s)
{
    sn_dvec3 from = dvec3_from(path->from), displacement = dvec3_from(path->displacement);
    *t = (from.y - (double)path->radius) / -displacement.y;
    s->point = dvec3(from.x + *t * displacement.x, 0, from.z + *t * displacement.z);
    return *t <= 1;
}

bool sn_solid_cast(const sn_solid *solid, const sn_path *path, sn_real *t, sn_touch *touch)
{
    core c = core_of(solid);
    sn_dvec3 from = dvec3_from(path->from);
    bool is_plane = solid->type == SN_SOLID_PLANE;
    near_point s = {from.y, {from.x, 0, from.z}, {0, 1, 0}};
    if (!is_plane)
        near_core(&c, from, &s);

    /* The distance from a convex solid is a convex function of time: if it does not fall at the start, it never
       does. */
    if (!(dvec3_dot(s.normal, dvec3_from(path->displacement)) < 0))
        return false;
    double when = 0;
    if (s.distance > (double)path->radius && !(is_plane ? cast_plane(path, &when, &s) : cast_core(&c, path, &when, &s)))
        return false;
    s.distance = 0;
    *t = (sn_real)when;
    write_touch(touch, &s);
    return true;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

/* The sum, rounded up. */
static sn_real sum_up(sn_real a, sn_real b)
{
    sn_real sum = a + b;
    return sum_error(a, b) > 0 ? sum + sum * (SINEW_DOUBLE ? (sn_real)DBL_EPSILON : (sn_real)FLT_EPSILON) : sum;
}

sn_bounds sn_solid_bounds(const sn_solid *solid)
{
    sn_real far = (sn_real)INFINITY, r = solid->radius;
    sn_vec3 high = {r, r, r};
    if (solid->type == SN_SOLID_PLANE)
        return (sn_bounds){{-far, -far, -far}, {far, 0, far}};
    if (solid->type == SN_SOLID_BOX)
        high = solid->half;
    if (solid->type == SN_SOLID_CAPSULE)
        high.y = sum_up(solid->half.y, r);
    return (sn_bounds){vec3_scale(high, -1), high};
}
