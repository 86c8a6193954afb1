#include "scene/objects/rope.h"

#include <math.h>

/* Slack, as a share of the distance of the ends, up to which a rope is straight. */
#define TAUT 1e-6

/* Most iterations of Newton's method for the shape of a sagging rope; it takes fewer. */
#define SAG_PASSES 100

/* Permitted error at the end of the rope, as a share of its length. */
#define SAG_MISS 1e-12

/* One iteration reduces the horizontal force by at most this share, so that it stays positive. */
#define SAG_BOLDNESS 0.9

#define MOST_SEGMENTS 1e8

/* A curve is approximated by this many straight pieces between consecutive points. */
#define CURVE_SAMPLES 64u

/* ---- Strands: ropes and chains ----------------------------------------------------------------------------------- */

static bool strand_particles(sn_build *build, const sn_strand *strand, const sn_vec3 *place)
{
    uint32_t count = strand->pieces + 1;
    sn_real *mass = sn_build_take(build, count, sizeof *mass);
    if (!mass)
        return false;
    double share = strand->mass / strand->pieces;
    for (uint32_t i = 0; i < count; ++i)
        mass[i] = (sn_real)(i == 0 || i + 1 == count ? share / 2 : share);
    mass[count - 1] = (sn_real)(share / 2 + strand->bob);
    return sn_build_particles(build, count, place, mass, 0);
}

bool sn_build_strand(sn_build *build, const sn_strand *strand, const sn_vec3 *place)
{
    uint32_t *line = sn_build_take(build, strand->pieces, 2 * sizeof *line);
    if (!line || !strand_particles(build, strand, place))
        return false;
    for (uint32_t i = 0; i < strand->pieces; ++i) {
        line[2 * i] = i;
        line[2 * i + 1] = i + 1;
    }
    sn_constraint_def def = sn_default_constraint_def(strand->kind);
    def.param[0] = (sn_real)strand->piece;
    return sn_build_constraints(build, strand->hold, &def, strand->pieces, line, NULL,
                                (double)build->stuff->stretch * strand->piece, NULL) &&
           sn_build_lines(build, strand->pieces, line) && sn_build_range(build, "start", 0, 1) &&
           sn_build_range(build, "end", strand->pieces, 1);
}

/* ---- The shape of a rope ----------------------------------------------------------------------------------------- */

typedef struct vector {
    double x, y, z;
} vector;

static vector widen(sn_vec3 v)
{
    return (vector){(double)v.x, (double)v.y, (double)v.z};
}

static double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a + s b */
static vector along(vector a, double s, vector b)
{
    return (vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static sn_vec3 narrow(vector v)
{
    return (sn_vec3){(sn_real)v.x, (sn_real)v.y, (sn_real)v.z};
}

/* The path of a rope. */
typedef struct course {
    vector from, way; /* to - from */
    vector down;      /* a unit vector */
    double length, piece;
    uint32_t segments;
} course;

static void lay_straight(const course *c, sn_vec3 *place)
{
    for (uint32_t i = 0; i <= c->segments; ++i)
        place[i] = narrow(along(c->from, (double)i / c->segments, c->way));
}

/* A rope at rest between two points. Every piece pulls with the same force h across the direction of sag. Along it,
   the force is v - i for piece i, in units of the weight of a particle, since the weight of one particle is lost
   from each piece to the next. A piece points along its force, so the ends are in place if

       sum l (h, v - i) / sqrt(h^2 + (v - i)^2) = (span, drop).

   That is where the gradient of a convex function vanishes. Newton's method finds it, with steps that are halved
   until they descend:

       f(h, v) = sum l sqrt(h^2 + (v - i)^2) - h span - v drop */
typedef struct sag {
    double l, span, drop;
    uint32_t segments;
    double h, v;
} sag;

typedef struct slope {
    double f, fh, fv, fhh, fhv, fvv;
} slope;

static slope slope_at(const sag *s, double h, double v)
{
    slope at = {-h * s->span - v * s->drop, -s->span, -s->drop, 0, 0, 0};
    for (uint32_t i = 0; i < s->segments; ++i) {
        double q = v - i, r = sqrt(h * h + q * q);
        double a = h / r, b = q / r, k = s->l / r;
        at.f += s->l * r;
        at.fh += s->l * a;
        at.fv += s->l * b;
        at.fhh += k * b * b;
        at.fhv -= k * a * b;
        at.fvv += k * a * a;
    }
    return at;
}

/* False if no such force is found: see fold. */
static bool solve_sag(sag *s)
{
    s->v = (s->segments - 1) / 2.0;
    s->h = s->segments / 2.0;
    slope at = slope_at(s, s->h, s->v);
    for (uint32_t pass = 0; pass < SAG_PASSES; ++pass) {
        if (fabs(at.fh) + fabs(at.fv) <= SAG_MISS * s->l * s->segments)
            return true;
        double det = at.fhh * at.fvv - at.fhv * at.fhv;
        double dh = -(at.fvv * at.fh - at.fhv * at.fv) / det, dv = -(at.fhh * at.fv - at.fhv * at.fh) / det;
        double descent = at.fh * dh + at.fv * dv;
        double step = dh < -SAG_BOLDNESS * s->h ? -SAG_BOLDNESS * s->h / dh : 1;
        if (!(det > 0 && descent < 0))
            return false;
        slope next = slope_at(s, s->h + step * dh, s->v + step * dv);
        for (; step > 1e-9 && next.f > at.f + 1e-4 * step * descent; step /= 2)
            next = slope_at(s, s->h + step / 2 * dh, s->v + step / 2 * dv);
        if (step <= 1e-9) /* near the solution f no longer distinguishes two points, but the gradient does */
            return fabs(at.fh) + fabs(at.fv) <= sqrt(SAG_MISS) * s->l * s->segments;
        s->h += step * dh;
        s->v += step * dv;
        at = next;
    }
    return false;
}

/* A piece of the rope: its components across and along the direction of sag. */
typedef struct flat {
    double across, along;
} flat;

static flat piece_at(const sag *s, uint32_t i)
{
    double q = s->v - i, r = sqrt(s->h * s->h + q * q);
    return (flat){s->l * s->h / r, s->l * q / r};
}

/* If a rope has so much slack that its strands hang straight down, there is no force across, and its lowest piece
   has no definite direction: f is not smooth there. Two pieces at the bottom, from `first` on, then span the
   remaining distance, bent downwards. */
static uint32_t fold(const sag *s, flat pair[2])
{
    double lowest = fmin(fmax(floor(s->v + 0.5), 0), s->segments - 1.0);
    uint32_t first = (uint32_t)fmin(lowest, s->segments - 2.0);
    flat way = {s->span, s->drop};
    for (uint32_t i = 0; i < s->segments; ++i)
        if (i != first && i != first + 1) {
            flat piece = piece_at(s, i);
            way.across -= piece.across;
            way.along -= piece.along;
        }
    double size = sqrt(way.across * way.across + way.along * way.along);
    double out = sqrt(fmax(s->l * s->l - size * size / 4, 0));
    flat bend = size > 0 ? (flat){-way.along / size * out, way.across / size * out} : (flat){0, out};
    pair[0] = (flat){way.across / 2 + bend.across, way.along / 2 + bend.along};
    pair[1] = (flat){way.across / 2 - bend.across, way.along / 2 - bend.along};
    return first;
}

/* A unit vector perpendicular to down, in the direction of `way`; if `way` is along down, one in the x-y plane if
   there is one. */
static vector side_of(vector way, vector down, double *span)
{
    vector side = along(way, -dot(way, down), down);
    *span = sqrt(dot(side, side));
    if (*span == 0)
        side = down.x != 0 || down.y != 0 ? (vector){-down.y, down.x, 0} : (vector){1, 0, 0};
    return along((vector){0, 0, 0}, 1 / sqrt(dot(side, side)), side);
}

static void lay_sagging(const course *c, sn_vec3 *place)
{
    sag s = {.l = c->piece, .drop = dot(c->way, c->down), .segments = c->segments};
    vector side = side_of(c->way, c->down, &s.span), at = c->from;
    flat pair[2];
    bool smooth = solve_sag(&s);
    uint32_t folded = smooth ? 0 : fold(&s, pair);
    for (uint32_t i = 0; i < c->segments; ++i) {
        flat piece = !smooth && i - folded < 2 ? pair[i - folded] : piece_at(&s, i);
        place[i] = narrow(at);
        at = along(along(at, piece.across, side), piece.along, c->down);
    }
    place[c->segments] = narrow(along(c->from, 1, c->way));
}

/* ---- Laid through points ----------------------------------------------------------------------------------------- */

/* A point on the Catmull-Rom curve through all points; t from 0 to count - 1. */
static vector curve_at(sn_numbers through, double t)
{
    const uint32_t count = through.count / 3, span = t < count - 1 ? (uint32_t)t : count - 2;
    const double u = t - span;
    const double w[4] = {((2 - u) * u - 1) * u / 2, ((3 * u - 5) * u * u + 2) / 2, ((4 - 3 * u) * u + 1) * u / 2,
                         (u - 1) * u * u / 2};
    vector p = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const int64_t i = (int64_t)span + k - 1, last = (int64_t)count - 1;
        const double *x = through.data + 3 * (i < 0 ? 0 : i > last ? last : i);
        p = along(p, w[k], (vector){x[0], x[1], x[2]});
    }
    return p;
}

/* Divides the curve from its start into pieces of equal chord length. Returns how many fit, and where they end. */
static uint32_t march(sn_numbers through, double piece, uint32_t most, sn_vec3 *place)
{
    const uint32_t samples = CURVE_SAMPLES * (through.count / 3 - 1);
    vector from = curve_at(through, 0), before = from;
    uint32_t fit = 0;
    place[0] = narrow(from);
    for (uint32_t i = 1; i <= samples && fit < most; ++i) {
        const vector to = curve_at(through, (double)i / CURVE_SAMPLES), d = along(to, -1, before);
        for (; fit < most; ++fit) { /* |before + s d - from| = piece */
            const vector e = along(before, -1, from);
            const double a = dot(d, d), b = dot(d, e), c = dot(e, e) - piece * piece;
            const double root = b * b - a * c, s = a > 0 && root >= 0 ? (sqrt(root) - b) / a : 2;
            if (!(s >= 0 && s <= 1))
                break;
            from = along(before, s, d);
            place[fit + 1] = narrow(from);
        }
        before = to;
    }
    return fit;
}

/* Finds the length of which exactly the given number of pieces fit. */
static void lay_through(course *c, sn_numbers through, sn_vec3 *place)
{
    double low = 0, high = 0;
    for (uint32_t i = 1; i <= CURVE_SAMPLES * (through.count / 3 - 1); ++i) {
        const vector d =
            along(curve_at(through, (double)i / CURVE_SAMPLES), -1, curve_at(through, (double)(i - 1) / CURVE_SAMPLES));
        high += sqrt(dot(d, d)) / c->segments;
    }
    high *= 1 + TAUT;
    for (uint32_t i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
        const double middle = (low + high) / 2;
        if (march(through, middle, c->segments, place) == c->segments)
            low = middle;
        else
            high = middle;
    }
    march(through, low, c->segments, place);
    c->piece = low;
    c->length = low * c->segments;
}

static bool plan_through(sn_build *build, const sn_rope_def *def, course *c)
{
    const sn_numbers through = def->through;
    if (through.count % 3 || through.count < 6)
        return sn_build_fail(build, "through", "found %u numbers, expected three for each of two places or more",
                             through.count);
    if (!isnan(def->length) || !isnan(def->to.x))
        return sn_build_fail(build, "through", "'length' or 'to' is given as well, expected one way to lay the rope");
    for (uint32_t i = 3; i < through.count; i += 3)
        if (through.data[i] == through.data[i - 3] && through.data[i + 1] == through.data[i - 2] &&
            through.data[i + 2] == through.data[i - 1])
            return sn_build_fail(build, "through", "places %u and %u are the same", i / 3 - 1, i / 3);
    c->segments = def->segments;
    return true;
}

/* Length and ends from the keys; false, with the reason, if they contradict each other. */
static bool plan(sn_build *build, const sn_rope_def *def, course *c)
{
    bool given = !isnan(def->length), to = !isnan(def->to.x);
    double size = sqrt(dot(widen(def->direction), widen(def->direction)));
    if (!(size > 0 && isfinite(size)))
        return sn_build_fail(build, "direction", "it has no length, expected a vector that points somewhere");
    c->from = widen(def->from);
    c->down = along((vector){0, 0, 0}, 1 / size, widen(def->direction));
    c->way =
        to ? along(widen(def->to), -1, c->from) : along((vector){0, 0, 0}, given ? (double)def->length : 1, c->down);
    double way = sqrt(dot(c->way, c->way));
    c->length = given ? (double)def->length : way;
    c->segments = def->segments;
    c->piece = c->length / def->segments;
    if (to && given && c->length < way * (1 - TAUT))
        return sn_build_fail(build, "length", "found %g m, expected no less than the %g m between 'from' and 'to'",
                             c->length, way);
    if (!(c->length > 0))
        return sn_build_fail(build, to ? "to" : "length", "the rope has no length");
    if (c->length > way * (1 + TAUT) && def->segments < 2)
        return sn_build_fail(build, "segments", "a rope that sags needs 2 segments at least");
    return true;
}

/* ---- The rope ---------------------------------------------------------------------------------------------------- */

/* Adds bending. A joint of two pieces rotates by the bending moment times `bend` times the length for which it
   stands, one piece. */
static bool bend(sn_build *build, const course *c)
{
    uint32_t count = c->segments - 1;
    uint32_t *index = sn_build_take(build, count, 3 * sizeof *index);
    if (!index)
        return false;
    for (uint32_t i = 0; i < 3 * count; ++i)
        index[i] = i / 3 + i % 3;
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_ANGLE);
    def.param[0] = 0;
    return sn_build_constraints(build, "bend", &def, count, index, NULL,
                                (double)build->stuff->bend * c->piece * sn_build_scale(build), NULL);
}

static bool build_rope(sn_build *build, const void *own)
{
    const sn_rope_def *def = own;
    course c = {.segments = 0};
    bool bends = !isnan(build->stuff->bend) && def->segments > 1;
    bool solid = bends && !isnan(build->stuff->young); /* with `area`, of loose strands, no bend follows from young */
    if (def->segments == 0)
        return sn_build_fail(build, "segments", "found 0, expected 1 or more");
    if (!(def->through.count ? plan_through(build, def, &c) : plan(build, def, &c)) ||
        !sn_build_begin(build, def->segments + 1.0, def->segments + (bends ? def->segments - 1.0 : 0)))
        return false;
    sn_vec3 *place = sn_build_take(build, def->segments + (uint64_t)1, sizeof *place);
    if (!place)
        return false;
    if (def->through.count)
        lay_through(&c, def->through, place);
    else if (c.length > sqrt(dot(c.way, c.way)) * (1 + TAUT))
        lay_sagging(&c, place);
    else
        lay_straight(&c, place);
    sn_strand strand = {.hold = "links",
                        .kind = def->rods || solid ? SN_KIND_DISTANCE : SN_KIND_DISTANCE_MAX,
                        .pieces = def->segments,
                        .piece = c.piece * sn_build_scale(build),
                        .mass = (double)sn_build_mass(build, c.length * sn_build_scale(build)),
                        .bob = (double)def->bob};
    return sn_build_strand(build, &strand, place) && (!bends || bend(build, &c));
}

sn_rope_def sn_default_rope_def(void)
{
    return (sn_rope_def){.length = (sn_real)NAN,
                         .segments = 20,
                         .direction = {0, -1, 0},
                         .to = {(sn_real)NAN, (sn_real)NAN, (sn_real)NAN}};
}

static void rope_defaults(void *record)
{
    *(sn_rope_def *)record = sn_default_rope_def();
}

#define KEY(key) offsetof(sn_rope_def, key)

static const sn_key rope_keys[] = {
    {"length", SN_KEY_REAL, KEY(length), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the length of the rope; if not given, the distance to 'to', or 1 m; with a 'to' that is nearer, the "
              "rope hangs in between at rest"},
    {"segments", SN_KEY_COUNT, KEY(segments), .least = 1, .most = MOST_SEGMENTS,
     .about = "how many pieces the rope is cut into"},
    {"direction", SN_KEY_VECTOR, KEY(direction),
     .about =
         "the direction in which the rope runs from 'from', or sags on the way to 'to'; its length does not matter"},
    {"from", SN_KEY_VECTOR, KEY(from), .unit = "m",
     .about = "the place of the first particle of the rope, in the frame"},
    {"to", SN_KEY_VECTOR, KEY(to), .unit = "m",
     .about =
         "the place of the last particle of the rope, in the frame; if not given, the rope runs along 'direction'"},
    {"rods", SN_KEY_TRUTH, KEY(rods),
     .about = "its pieces resist compression as well, and not stretching alone; those of a solid line, with `young` "
              "and a `thickness`, always do"},
    {"bob", SN_KEY_REAL, KEY(bob), .unit = "kg", .most = 1e30,
     .about = "the mass of a bob on the last particle, besides the rope's own mass"},
    {"through", SN_KEY_REALS, KEY(through), .unit = "m",
     .about = "places in the frame, three numbers each, through which it is laid in a smooth curve: a knot, a coil"},
    {.name = NULL}};

static const sn_record rope_record = {"rope", "A rope.", sizeof(sn_rope_def), rope_keys, rope_defaults};

const sn_object_type sn_object_rope = {
    .name = "rope",
    .about = "A rope, which resists stretching and, if its material does, bending",
    .parts = "parts: start, end; constraints: links, bend",
    .dimension = 1,
    .record = &rope_record,
    .build = build_rope,
};
