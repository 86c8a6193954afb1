#include "scene/objects/net.h"

#include <math.h>

/* The most knots in a row or column, and pieces in a cord. It is more than a world can hold, and small enough that
   products of three such numbers are exact in a double. */
#define MOST_SIDE 100000

/* The particles are the knots, row by row, then the particles inside the cords along the rows, then those inside the
   cords along the columns. */
typedef struct weave {
    uint32_t rows, columns, pieces, inner; /* inner: particles inside one cord, pieces - 1 */
    uint32_t upright;                      /* the first particle inside a cord of a column */
    uint32_t particles, links;
    double width, height;
} weave;

static uint32_t knot(const weave *w, uint32_t row, uint32_t column)
{
    return row * w->columns + column;
}

/* Particle k, 0 .. pieces, of the cord to the right of a knot, or above it. */
static uint32_t across(const weave *w, uint32_t row, uint32_t column, uint32_t k)
{
    if (k == 0 || k == w->pieces)
        return knot(w, row, column + (k != 0));
    return w->rows * w->columns + (row * (w->columns - 1) + column) * w->inner + k - 1;
}

static uint32_t up(const weave *w, uint32_t row, uint32_t column, uint32_t k)
{
    if (k == 0 || k == w->pieces)
        return knot(w, row + (k != 0), column);
    return w->upright + (column * (w->rows - 1) + row) * w->inner + k - 1;
}

/* Places a particle, by its number of pieces of cord to the right of and above the first one. */
static void put(const weave *w, sn_vec3 *place, uint32_t i, uint64_t right, uint64_t above)
{
    double x = (double)right / ((double)(w->columns - 1) * w->pieces);
    double y = (double)above / ((double)(w->rows - 1) * w->pieces);
    place[i] = (sn_vec3){(sn_real)((x - 0.5) * w->width), (sn_real)((y - 0.5) * w->height), 0};
}

static void lay(const weave *w, sn_vec3 *place)
{
    const uint64_t p = w->pieces;
    for (uint32_t r = 0; r < w->rows; ++r)
        for (uint32_t c = 0; c < w->columns; ++c) {
            put(w, place, knot(w, r, c), c * p, r * p);
            for (uint32_t k = 1; k < w->pieces; ++k) {
                if (c + 1 < w->columns)
                    put(w, place, across(w, r, c, k), c * p + k, r * p);
                if (r + 1 < w->rows)
                    put(w, place, up(w, r, c, k), c * p, r * p + k);
            }
        }
}

/* Lists the pieces, two particles each, those along rows first. Returns their number. */
static uint32_t tie(const weave *w, uint32_t *link)
{
    uint32_t *at = link;
    for (uint32_t r = 0; r < w->rows; ++r)
        for (uint32_t c = 0; c + 1 < w->columns; ++c)
            for (uint32_t k = 0; k < w->pieces; ++k, at += 2) {
                at[0] = across(w, r, c, k);
                at[1] = across(w, r, c, k + 1);
            }
    uint32_t lying = (uint32_t)((at - link) / 2);
    for (uint32_t c = 0; c < w->columns; ++c)
        for (uint32_t r = 0; r + 1 < w->rows; ++r)
            for (uint32_t k = 0; k < w->pieces; ++k, at += 2) {
                at[0] = up(w, r, c, k);
                at[1] = up(w, r, c, k + 1);
            }
    return lying;
}

/* Distributes the mass: half of each piece goes to either end. */
static void weigh(const weave *w, const uint32_t *link, const sn_real *length, double per_metre, sn_real *mass)
{
    for (uint32_t i = 0; i < w->links; ++i)
        for (uint32_t end = 0; end < 2; ++end)
            mass[link[2 * i + end]] += (sn_real)(per_metre * (double)length[i] / 2);
}

static bool name_border(sn_build *build, const weave *w, const char *name, bool lying, uint32_t line)
{
    uint32_t cords = (lying ? w->columns : w->rows) - 1;
    uint32_t count = cords * w->pieces + 1;
    uint32_t *index = sn_build_take(build, count, sizeof *index);
    if (!index)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t cord = i / w->pieces < cords ? i / w->pieces : cords - 1, k = i - cord * w->pieces;
        index[i] = lying ? across(w, line, cord, k) : up(w, cord, line, k);
    }
    return sn_build_part(build, name, count, index);
}

static bool name_parts(sn_build *build, const weave *w)
{
    uint32_t top = w->rows - 1, right = w->columns - 1;
    return sn_build_range(build, "knots", 0, w->rows * w->columns) &&
           sn_build_range(build, "bottom_left", knot(w, 0, 0), 1) &&
           sn_build_range(build, "bottom_right", knot(w, 0, right), 1) &&
           sn_build_range(build, "top_left", knot(w, top, 0), 1) &&
           sn_build_range(build, "top_right", knot(w, top, right), 1) && name_border(build, w, "bottom", true, 0) &&
           name_border(build, w, "top", true, top) && name_border(build, w, "left", false, 0) &&
           name_border(build, w, "right", false, right);
}

/* Fills in the counts, after a check that they are valid. */
static bool plan(sn_build *build, const sn_net_def *def, weave *w)
{
    if (def->rows < 2 || def->rows > MOST_SIDE || def->columns < 2 || def->columns > MOST_SIDE)
        return sn_build_fail(build, NULL, "found %u rows and %u columns of knots, expected 2 to %d of each", def->rows,
                             def->columns, MOST_SIDE);
    if (def->cord_segments < 1 || def->cord_segments > MOST_SIDE)
        return sn_build_fail(build, "cord_segments", "found %u, expected 1 to %d", def->cord_segments, MOST_SIDE);
    if (!(def->width > 0 && def->height > 0))
        return sn_build_fail(build, NULL, "found %g m by %g m, expected a width and height of more than 0",
                             (double)def->width, (double)def->height);
    double knots = (double)def->rows * def->columns, lying = def->rows * (def->columns - 1.0),
           upright = def->columns * (def->rows - 1.0), inner = def->cord_segments - 1.0;
    double particles = knots + (lying + upright) * inner, links = (lying + upright) * def->cord_segments;
    if (!sn_build_begin(build, particles, links))
        return false;
    if (particles > UINT32_MAX || links > UINT32_MAX / 2)
        return sn_build_fail(build, NULL, "%g particles and %g pieces of cord are more than a world holds", particles,
                             links);
    *w = (weave){.rows = def->rows,
                 .columns = def->columns,
                 .pieces = def->cord_segments,
                 .inner = def->cord_segments - 1,
                 .upright = (uint32_t)(knots + lying * inner),
                 .particles = (uint32_t)particles,
                 .links = (uint32_t)links,
                 .width = (double)def->width,
                 .height = (double)def->height};
    return true;
}

static bool build_net(sn_build *build, const void *own)
{
    weave w = {.rows = 0};
    if (!plan(build, own, &w))
        return false;
    sn_vec3 *place = sn_build_take(build, w.particles, sizeof *place);
    sn_real *mass = place ? sn_build_take(build, w.particles, sizeof *mass) : NULL;
    uint32_t *link = mass ? sn_build_take(build, w.links, 2 * sizeof *link) : NULL;
    sn_real *length = link ? sn_build_take(build, w.links, sizeof *length) : NULL;
    if (!length)
        return false;
    double scale = sn_build_scale(build), dx = scale * w.width / ((w.columns - 1.0) * w.pieces),
           dy = scale * w.height / ((w.rows - 1.0) * w.pieces);
    lay(&w, place);
    uint32_t lying = tie(&w, link);
    for (uint32_t i = 0; i < w.links; ++i)
        length[i] = (sn_real)(i < lying ? dx : dy);
    double metres = lying * dx + (w.links - lying) * dy;
    weigh(&w, link, length, (double)sn_build_mass(build, metres) / metres, mass);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE_MAX);
    double stretch = (double)build->stuff->stretch;
    return sn_build_particles(build, w.particles, place, mass, 0) &&
           sn_build_constraints(build, "cords", &def, w.links, link, length, stretch, stretch > 0 ? length : NULL) &&
           sn_build_lines(build, w.links, link) && name_parts(build, &w);
}

sn_net_def sn_default_net_def(void)
{
    return (sn_net_def){.rows = 11, .columns = 11, .width = 1, .height = 1, .cord_segments = 1};
}

static void net_defaults(void *record)
{
    *(sn_net_def *)record = sn_default_net_def();
}

#define KEY(key) offsetof(sn_net_def, key)

static const sn_key net_keys[] = {{"rows", SN_KEY_COUNT, KEY(rows), .least = 2, .most = MOST_SIDE,
                                   .about = "how many rows of knots; the first is the lowest"},
                                  {"columns", SN_KEY_COUNT, KEY(columns), .least = 2, .most = MOST_SIDE,
                                   .about = "how many columns of knots, from left to right"},
                                  {"width", SN_KEY_REAL, KEY(width), .unit = "m", .flags = SN_KEY_POSITIVE,
                                   .about = "how wide it is, along x of its frame, whose origin is in the middle"},
                                  {"height", SN_KEY_REAL, KEY(height), .unit = "m", .flags = SN_KEY_POSITIVE,
                                   .about = "how high it is, along y of its frame, whose origin is in the middle"},
                                  {"cord_segments", SN_KEY_COUNT, KEY(cord_segments), .least = 1, .most = MOST_SIDE,
                                   .about = "how many pieces the cord between two knots is cut into"},
                                  {.name = NULL}};

static const sn_record net_record = {"net", "A net.", sizeof(sn_net_def), net_keys, net_defaults};

const sn_object_type sn_object_net = {
    .name = "net",
    .about = "A net of cords that resist stretching only, knotted where they cross",
    .parts =
        "parts: knots, top_left, top_right, bottom_left, bottom_right, top, bottom, left, right; constraints: cords",
    .dimension = 1,
    .record = &net_record,
    .build = build_net,
};
