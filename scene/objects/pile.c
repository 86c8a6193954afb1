#include "scene/objects/pile.h"

#include "scene/chance.h"

#include <math.h>

#define MOST_BODIES 1e6

/* The distance between two bodies of any orientation, as a factor of what they need. */
#define LOOSE 1.02

#define SIZES UINT64_C(0x5bd1e995) /* makes the seed of sizes differ from that of orientations */

sn_pile_def sn_default_pile_def(void)
{
    return (sn_pile_def){.columns = 4,
                         .rows = 6,
                         .layers = 4,
                         .size = {(sn_real)0.2, (sn_real)0.2, (sn_real)0.2},
                         .spacing = (sn_real)NAN,
                         .turned = true,
                         .seed = 1};
}

/* A uniformly distributed random rotation: a point of the unit ball in four dimensions, found by rejection. */
static sn_quat any_turn(uint64_t *seed)
{
    for (;;) {
        double q[4], square = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = sn_chance(seed);
            square += q[i] * q[i];
        }
        double size = sqrt(square);
        if (square <= 1 && square > 0.01)
            return (sn_quat){(sn_real)(q[0] / size), (sn_real)(q[1] / size), (sn_real)(q[2] / size),
                             (sn_real)(q[3] / size)};
    }
}

/* The corners of an octahedron that fills the box. */
static void make_octahedron(sn_vec3 half, sn_vec3 corner[6])
{
    for (int i = 0; i < 6; ++i) {
        sn_real sign = i % 2 ? -1 : 1;
        corner[i] =
            (sn_vec3){i / 2 == 0 ? sign * half.x : 0, i / 2 == 1 ? sign * half.y : 0, i / 2 == 2 ? sign * half.z : 0};
    }
}

/* The shape of body number n, `size` times as large as usual. Returns its volume in m^3. corner is room for a hull. */
static double make_shape(const sn_pile_def *def, uint32_t n, double size, sn_shape_def *shape, sn_vec3 corner[6])
{
    static const sn_shape_type type[] = {SN_SHAPE_BOX, SN_SHAPE_SPHERE, SN_SHAPE_CAPSULE, SN_SHAPE_HULL};
    const sn_real s = (sn_real)size / 2;
    sn_vec3 half = {def->size.x * s, def->size.y * s, def->size.z * s};
    double x = (double)half.x, y = (double)half.y, z = (double)half.z;
    *shape = sn_default_shape_def(type[def->shapes == SN_PILE_MIXED ? n % 4 : (uint32_t)def->shapes]);
    switch (shape->type) {
    case SN_SHAPE_SPHERE:
        shape->radius = half.x;
        return 4.0 / 3 * SN_PI * x * x * x;
    case SN_SHAPE_CAPSULE: /* as long as the box is high, and half as wide */
        shape->radius = half.x / 2;
        shape->half.y = half.y - shape->radius > half.y / 4 ? half.y - shape->radius : half.y / 4;
        return SN_PI * x * x / 4 * (2 * (double)shape->half.y + 4.0 / 3 * x / 2);
    case SN_SHAPE_HULL:
        make_octahedron(half, corner);
        shape->vertices = corner;
        shape->vertex_count = 6;
        return 4.0 / 3 * x * y * z;
    default:
        shape->half = half;
        return 8 * x * y * z;
    }
}

/* The size of a body relative to the usual one. Sizes are drawn in the order of the bodies from a seed of their own,
   so that orientations do not depend on them. */
static double any_size(const sn_pile_def *def, uint64_t *seed)
{
    return 1 + (double)def->vary * sn_chance(seed);
}

static bool add_body(sn_build *build, const sn_pile_def *def, double density, uint32_t n, double size, sn_vec3 place,
                     uint64_t *seed)
{
    sn_body_def body = sn_default_body_def();
    sn_shape_def shape;
    sn_vec3 corner[6];
    make_shape(def, n, size, &shape, corner);
    body.shapes = &shape;
    body.shape_count = 1;
    body.density = (sn_real)density;
    body.position = place;
    if (def->turned)
        body.rotation = any_turn(seed);
    return sn_build_body(build, &body, NULL);
}

static bool check(sn_build *build, const sn_pile_def *def)
{
    double count = (double)def->columns * def->rows * def->layers;
    if (!(count > 0))
        return sn_build_fail(build, NULL, "found %u columns, %u rows and %u layers, expected 1 or more of each",
                             def->columns, def->rows, def->layers);
    if (count > MOST_BODIES)
        return sn_build_fail(build, NULL, "these are %.7g bodies, expected at most %g", count, MOST_BODIES);
    if (!(def->size.x > 0 && def->size.y > 0 && def->size.z > 0))
        return sn_build_fail(build, "size", "found [%g, %g, %g], expected more than 0 m each", (double)def->size.x,
                             (double)def->size.y, (double)def->size.z);
    if (!isnan(def->spacing) && !(def->spacing > 0))
        return sn_build_fail(build, "spacing", "found %g, expected more than 0 m", (double)def->spacing);
    return sn_build_begin(build, 3 * count, 0);
}

static bool build_pile(sn_build *build, const void *own)
{
    const sn_pile_def *def = own;
    if (!check(build, def))
        return false;
    uint32_t count = def->columns * def->rows * def->layers, n = 0;
    double x = (double)def->size.x, y = (double)def->size.y, z = (double)def->size.z, volume = 0;
    const double widest = def->shapes == SN_PILE_SPHERES ? x : sqrt(x * x + y * y + z * z);
    const double spacing = isnan(def->spacing) ? LOOSE * (1 + (double)def->vary) * widest : (double)def->spacing;
    double scale = sn_build_scale(build);
    uint64_t sizes = def->seed ^ SIZES;
    for (uint32_t i = 0; i < count; ++i) {
        sn_shape_def shape;
        sn_vec3 corner[6];
        volume += make_shape(def, i, any_size(def, &sizes), &shape, corner) * scale * scale * scale;
    }
    double density = sn_build_density(build, volume);
    uint64_t seed = def->seed;
    sizes = def->seed ^ SIZES;
    for (uint32_t j = 0; j < def->rows; ++j)
        for (uint32_t k = 0; k < def->layers; ++k)
            for (uint32_t i = 0; i < def->columns; ++i, ++n) {
                sn_vec3 place = {(sn_real)((i - (def->columns - 1) / 2.0) * spacing), (sn_real)((j + 0.5) * spacing),
                                 (sn_real)((k - (def->layers - 1) / 2.0) * spacing)};
                if (!add_body(build, def, density, n, any_size(def, &sizes), place, &seed))
                    return false;
            }
    return true;
}

static void pile_defaults(void *record)
{
    *(sn_pile_def *)record = sn_default_pile_def();
}

static const char *const shape_names[] = {"boxes", "spheres", "capsules", "hulls", "mixed"};
static const char *const shape_about[] = {"of the given size", "of its first number as their diameter",
                                          "as long as it is high", "octahedra that fill it",
                                          "all of them, one after the other"};
static const sn_choices shapes = {5, shape_names, shape_about};

#define KEY(key) offsetof(sn_pile_def, key)

static const sn_key pile_keys[] = {
    {"columns", SN_KEY_COUNT, KEY(columns), .least = 1, .most = MOST_BODIES, .about = "how many bodies along x"},
    {"rows", SN_KEY_COUNT, KEY(rows), .least = 1, .most = MOST_BODIES,
     .about = "how many bodies along y, from the origin of the frame upwards"},
    {"layers", SN_KEY_COUNT, KEY(layers), .least = 1, .most = MOST_BODIES, .about = "how many bodies along z"},
    {"shapes", SN_KEY_CHOICE, KEY(shapes), .of = &shapes, .about = "the shapes of the bodies"},
    {"size", SN_KEY_VECTOR, KEY(size), .unit = "m", .least = 0, .most = 1e6, .about = "the size of a body"},
    {"spacing", SN_KEY_REAL, KEY(spacing), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the distance from middle to middle; if not given, large enough that no body touches another, however it "
              "is rotated"},
    {"vary", SN_KEY_REAL, KEY(vary), .least = 0, .most = 0.9,
     .about = "sizes differ by up to this share, up and down: 0.3 makes them 0.7 to 1.3 times as large"},
    {"turned", SN_KEY_TRUTH, KEY(turned), .about = "each body has a random rotation"},
    {"seed", SN_KEY_COUNT, KEY(seed), .about = "the seed of rotations and sizes: another number gives another pile"},
    {.name = NULL}};

static const sn_record pile_record = {"pile", "A pile.", sizeof(sn_pile_def), pile_keys, pile_defaults};

const sn_object_type sn_object_pile = {
    .name = "pile",
    .about = "Rigid bodies in rows, layers and columns, to fall on a heap, of 1000 kg/m^3 unless told otherwise",
    .parts = "no parts; no constraints",
    .dimension = 3,
    .spatial = true,
    .collides = true,
    .record = &pile_record,
    .build = build_pile,
};
