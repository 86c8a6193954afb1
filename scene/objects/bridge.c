/* The deck is along x, with its middle in the origin. Ropes join planks to each other, and the first and the last to
   the world, at both edges. They are a little longer than the gap, so that the deck sags. Two rails of particles
   hang above the edges between fixed ends, and hangers join planks to them. */
#include "scene/objects/bridge.h"
#include "scene/scene.h"

#include <math.h>

#define MOST_PLANKS 1e5

sn_bridge_def sn_default_bridge_def(void)
{
    return (sn_bridge_def){.planks = 16,
                           .plank = {(sn_real)0.25, (sn_real)0.05, 1},
                           .gap = (sn_real)0.05,
                           .slack = (sn_real)0.01,
                           .rail = (sn_real)0.8,
                           .rope = (sn_real)0.5};
}

/* A bridge that is being made. */
typedef struct bridge {
    sn_build *build;
    const sn_bridge_def *def;
    sn_world *world;
    double pitch;   /* m: from plank to plank */
    uint32_t along; /* particles of a rail; 0: no rails */
} bridge;

/* The middle of plank i; -1 and the number of planks stand for the anchors of the bridge. */
static double middle(const bridge *b, int64_t i)
{
    return ((double)i - (b->def->planks - 1) / 2.0) * b->pitch;
}

/* Adds the left rail, then the right one, each with a particle at every plank and one beyond either end. */
static bool add_rails(bridge *b)
{
    const sn_bridge_def *def = b->def;
    uint32_t count = 2 * b->along;
    sn_vec3 *place = sn_build_take(b->build, count, sizeof *place);
    sn_real *mass = sn_build_take(b->build, count, sizeof *mass);
    uint32_t *line = sn_build_take(b->build, count, 2 * sizeof *line), lines = 0;
    if (!place || !mass || !line)
        return false;
    sn_real share = (sn_real)((double)def->rope * b->pitch * sn_build_scale(b->build));
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t n = i % b->along;
        bool end = n == 0 || n + 1 == b->along;
        place[i] = (sn_vec3){(sn_real)middle(b, (int64_t)n - 1), def->rail,
                             i < b->along ? -def->plank.z / 2 : def->plank.z / 2};
        mass[i] = end ? SN_IMMOVABLE : share;
        if (n > 0) {
            line[2 * lines] = i - 1;
            line[2 * lines++ + 1] = i;
        }
    }
    sn_constraint_def rope = sn_default_constraint_def(SN_KIND_DISTANCE_MAX);
    double piece = b->pitch * sn_build_scale(b->build);
    rope.param[0] = (sn_real)(piece * (1 + (double)def->slack));
    return sn_build_particles(b->build, count, place, mass, 0) &&
           sn_build_constraints(b->build, "rails", &rope, lines, line, NULL, (double)b->build->stuff->stretch * piece,
                                NULL) &&
           sn_build_lines(b->build, lines, line);
}

static bool add_planks(bridge *b)
{
    const sn_bridge_def *def = b->def;
    double scale = sn_build_scale(b->build);
    double volume = (double)def->plank.x * (double)def->plank.y * (double)def->plank.z * def->planks;
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    sn_body_def body = sn_default_body_def();
    shape.half = (sn_vec3){def->plank.x / 2, def->plank.y / 2, def->plank.z / 2};
    body.shapes = &shape;
    body.shape_count = 1;
    body.density = (sn_real)sn_build_density(b->build, volume * scale * scale * scale);
    for (uint32_t i = 0; i < def->planks; ++i) {
        body.position = (sn_vec3){(sn_real)middle(b, i), 0, 0};
        if (!sn_build_body(b->build, &body, NULL))
            return false;
    }
    return true;
}

/* The point at the edge of plank i, at its beginning (end -1) or its end (1), on a side; beyond the ends of the
   bridge a point in the world. */
static sn_point edge_of(const bridge *b, int64_t i, int end, int side)
{
    const sn_bridge_def *def = b->def;
    sn_real scale = (sn_real)sn_build_scale(b->build);
    sn_vec3 place = {(sn_real)end * def->plank.x / 2, 0, (sn_real)side * def->plank.z / 2};
    if (i < 0 || i >= def->planks)
        return sn_at_place(sn_build_place(b->build, (sn_vec3){(sn_real)middle(b, i) + place.x, 0, place.z}));
    sn_body body = sn_object_body_at(b->build->object, b->build->object->run.count + (uint32_t)i);
    return sn_on_body(body, (sn_vec3){place.x * scale, 0, place.z * scale});
}

static bool add_tie(const bridge *b, const char *name, sn_point from, sn_point to, double length)
{
    sn_constraint_def tie = sn_default_constraint_def(SN_KIND_DISTANCE_MAX);
    sn_point points[2] = {from, to};
    double size = length * sn_build_scale(b->build);
    tie.points = points;
    tie.param[0] = (sn_real)size;
    tie.compliance = (sn_real)((double)b->build->stuff->stretch * size);
    if (tie.compliance > 0)
        tie.damping = (sn_real)((double)b->build->stuff->damping / (double)tie.compliance);
    return sn_build_tie(b->build, name, &tie);
}

static bool add_ties(bridge *b)
{
    const sn_bridge_def *def = b->def;
    double length = (double)def->gap + (double)def->slack * b->pitch;
    for (int64_t i = 0; i <= (int64_t)def->planks; ++i)
        for (int side = -1; side <= 1; side += 2)
            if (!add_tie(b, "ties", edge_of(b, i - 1, 1, side), edge_of(b, i, -1, side), length))
                return false;
    sn_constraints ties = b->build->object->hold[b->build->object->hold_count - 1].run;
    for (uint32_t i = 0; i < ties.count && def->strength > 0; ++i)
        if (sn_constraint_set_strength(b->world, sn_constraints_at(ties, i), def->strength, 0) != SN_OK)
            return sn_build_fail(b->build, "strength", "%s", sn_world_error(b->world));
    for (uint32_t i = 0; i < def->planks && b->along; ++i)
        for (int side = 0; side < 2; ++side) {
            sn_particle rail = sn_particles_at(b->build->object->run, (uint32_t)side * b->along + i + 1);
            if (!add_tie(b, "hangers", sn_at(rail), edge_of(b, i, 0, side ? 1 : -1), (double)def->rail))
                return false;
        }
    return true;
}

static bool check(sn_build *build, const sn_bridge_def *def)
{
    if (def->planks == 0)
        return sn_build_fail(build, "planks", "found 0, expected 1 or more");
    if (!(def->plank.x > 0 && def->plank.y > 0 && def->plank.z > 0))
        return sn_build_fail(build, "plank", "found [%g, %g, %g], expected more than 0 m each", (double)def->plank.x,
                             (double)def->plank.y, (double)def->plank.z);
    if (!(def->gap > 0))
        return sn_build_fail(build, "gap", "found %g, expected more than 0 m", (double)def->gap);
    return true;
}

static bool build_bridge(sn_build *build, const void *own)
{
    const sn_bridge_def *def = own;
    bridge b = {.build = build, .def = def, .world = sn_scene_world(build->scene)};
    if (!check(build, def))
        return false;
    b.pitch = (double)def->plank.x + (double)def->gap;
    b.along = def->rail > 0 ? def->planks + 2 : 0;
    if (!sn_build_begin(build, 5 * (def->planks + 2.0), 6 * (def->planks + 1.0)))
        return false;
    return (!b.along || add_rails(&b)) && add_planks(&b) && add_ties(&b) &&
           sn_build_range(build, "planks", 2 * b.along, def->planks) &&
           sn_build_range(build, "first", 2 * b.along, 1) &&
           sn_build_range(build, "middle", 2 * b.along + def->planks / 2, 1) &&
           sn_build_range(build, "last", 2 * b.along + def->planks - 1, 1) &&
           (!b.along ||
            (sn_build_range(build, "left_rail", 0, b.along) && sn_build_range(build, "right_rail", b.along, b.along)));
}

static void bridge_defaults(void *record)
{
    *(sn_bridge_def *)record = sn_default_bridge_def();
}

#define KEY(key) offsetof(sn_bridge_def, key)

static const sn_key bridge_keys[] = {
    {"planks", SN_KEY_COUNT, KEY(planks), .least = 1, .most = MOST_PLANKS, .about = "how many planks"},
    {"plank", SN_KEY_VECTOR, KEY(plank), .unit = "m", .least = 0, .most = 1e6,
     .about = "the size of a plank: along the bridge, which is x of its frame, upwards, and across"},
    {"gap", SN_KEY_REAL, KEY(gap), .unit = "m", .flags = SN_KEY_POSITIVE, .most = 1e6,
     .about = "the gap between two planks"},
    {"slack", SN_KEY_REAL, KEY(slack), .least = 0, .most = 10,
     .about = "ropes are longer than what they span by this share of the way from plank to plank"},
    {"rail", SN_KEY_REAL, KEY(rail), .unit = "m", .least = 0, .most = 1e6,
     .about = "how high its hand rails are; 0: there are none"},
    {"rope", SN_KEY_REAL, KEY(rope), .unit = "kg/m", .flags = SN_KEY_POSITIVE, .about = "the mass of a metre of rail"},
    {"strength", SN_KEY_REAL, KEY(strength), .unit = "N", .most = 1e30,
     .about = "the force at which the ties between planks break; 0: they do not break"},
    {.name = NULL}};

static const sn_record bridge_record = {"bridge", "A bridge.", sizeof(sn_bridge_def), bridge_keys, bridge_defaults};

const sn_object_type sn_object_bridge = {
    .name = "bridge",
    .about = "A bridge of planks that are tied to each other, and hang on rails of rope, between four fixed places and "
             "the ends of its rails. The density is that of the planks, 1000 kg/m^3 unless told otherwise, and "
             "stretch, in 1/N, and damping those of the ropes",
    .parts = "parts: planks, first, middle, last, left_rail, right_rail; constraints: ties, hangers, rails",
    .dimension = 3,
    .lines = true,
    .spatial = true,
    .record = &bridge_record,
    .build = build_bridge,
};
