/* Nothing leaves a room: random things are thrown about between six walls, faster than a room is long in a substep, and
   bounce from wall to wall; balls are driven at a plate that moves freely. After every step they are on the side on
   which they began.

       SINEW_SEED=17 test_rooms      one throw alone, told step by step

       SINEW_FIRST=100000 test_rooms  others: numbers from there on

   Many more are SINEW_LONG_TESTS. */
#include "support/fixed.h"
#include "support/support.h"

#include "base/quat.h"

#include <math.h>

enum { STEPS = 12, WALLS = 6 };

typedef enum walls { PLANES, BOXES, SHEETS, SOLIDS, TURNING, KINDS } walls;

static const char *const walls_name[] = {"planes", "boxes", "sheets", "solids", "boxes that turn"};

typedef enum thing { POINT, BALL, ROPE, RIGID, BODY, THINGS } thing;

static const char *const thing_name[] = {"point", "ball", "rope", "rigid group", "body"};

enum { ROPE_LENGTH = 6 };

typedef struct room {
    uint64_t seed;
    walls kind;
    thing what;
    uint32_t substeps;
    double half, thick, speed, size, restitution, friction, dt;
    bool pushed;
    sn_world *world;
    sn_body walls;
    sn_particle part[8];
    uint32_t parts;
} room;

static double exponential(uint64_t *seed, double least, double most)
{
    return least * pow(most / least, support_random_in(seed, 0, 1));
}

static sn_vec3 any_direction(uint64_t *seed)
{
    for (;;) {
        const sn_vec3 v =
            vec(support_random_in(seed, -1, 1), support_random_in(seed, -1, 1), support_random_in(seed, -1, 1));
        const double length = (double)vec3_length(v);
        if (length > 0.1 && length <= 1)
            return vec3_scale(v, real(1 / length));
    }
}

static room draw(uint64_t number)
{
    static const uint32_t substeps[] = {1, 2, 3, 4, 10, 20};
    static const double restitutions[] = {0, 0.5, 0.9, 1}, frictions[] = {0, 0.5, 1},
                        steps[] = {1.0 / 240, 1.0 / 60, 1.0 / 30};
    room r = {.seed = number * 2654435761u + 777};
    uint64_t *s = &r.seed;
    r.kind = (walls)(number % KINDS);
    r.what = (thing)(number / KINDS % THINGS);
    r.substeps = substeps[support_random_below(s, COUNT_OF(substeps))];
    r.restitution = restitutions[support_random_below(s, COUNT_OF(restitutions))];
    r.friction = frictions[support_random_below(s, COUNT_OF(frictions))];
    r.dt = steps[support_random_below(s, COUNT_OF(steps))];
    r.half = exponential(s, 0.05, 1);
    r.thick = exponential(s, 0.002, 0.5);
    r.speed = exponential(s, 1, 500);
    r.size = r.half / 30 * support_random_in(s, 0.2, 1);
    r.pushed = support_random_below(s, 3) == 0;
    return r;
}

/* ---- The room
   -------------------------------------------------------------------------------------------------------- */

/* A wall whose face is its xz plane, solid below. */
static sn_shape_def wall(const room *r, sn_vec3 *vertex, uint32_t *corner)
{
    static const uint32_t solid[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    static const uint32_t sheet[] = {0, 2, 1, 1, 2, 3};
    const double wide = 1.5 * r->half;
    sn_shape_def def = sn_default_shape_def(r->kind == PLANES                        ? SN_SHAPE_PLANE
                                            : r->kind == SHEETS || r->kind == SOLIDS ? SN_SHAPE_MESH
                                                                                     : SN_SHAPE_BOX);
    def.half = vec(wide, r->thick / 2, wide);
    if (def.type != SN_SHAPE_MESH)
        return def;
    const uint32_t count = r->kind == SHEETS ? COUNT_OF(sheet) : COUNT_OF(solid);
    memcpy(corner, r->kind == SHEETS ? sheet : solid, count * sizeof *corner);
    for (uint32_t i = 0; i < 8; ++i)
        vertex[i] = r->kind == SHEETS ? vec(i & 1 ? wide : -wide, 0, i & 2 ? wide : -wide)
                                      : vec(i & 1 ? wide : -wide, i & 2 ? 0 : -r->thick, i & 4 ? wide : -wide);
    def.vertices = vertex;
    def.vertex_count = r->kind == SHEETS ? 4 : 8;
    def.triangles = corner;
    def.triangle_count = count / 3;
    return def;
}

static void add_walls(room *r)
{
    static const double turn[WALLS][3] = {{0, 0, 0},         {3.141593, 0, 0}, {1.570796, 0, 0},
                                          {-1.570796, 0, 0}, {0, 0, 1.570796}, {0, 0, -1.570796}};
    sn_vec3 vertex[WALLS][8];
    uint32_t corner[WALLS][36];
    sn_shape_def shape[WALLS];
    sn_body_def def = sn_default_body_def();
    for (uint32_t i = 0; i < WALLS; ++i) {
        shape[i] = wall(r, vertex[i], corner[i]);
        shape[i].rotation = sn_quat_rotated((sn_quat){0, 0, 0, 1}, vec(turn[i][0], turn[i][1], turn[i][2]));
        const double sunk = shape[i].type == SN_SHAPE_BOX ? r->thick / 2 : 0;
        shape[i].position = sn_quat_rotate(shape[i].rotation, vec(0, -r->half - sunk, 0));
    }
    def.type = r->kind == TURNING ? SN_BODY_KINEMATIC : SN_BODY_STATIC;
    def.shapes = shape;
    def.shape_count = WALLS;
    assert_ok(r->world, sn_body_add(r->world, &def, &r->walls));
    if (r->kind == TURNING)
        assert_ok(r->world,
                  sn_body_set_velocity(r->world, r->walls, vec(0, 0, 0),
                                       vec3_scale(any_direction(&r->seed), real(exponential(&r->seed, 0.1, 10)))));
}

static void add_particle(room *r, sn_vec3 at, sn_vec3 velocity, double radius)
{
    sn_particle_def def = sn_default_particle_def();
    def.position = at;
    def.velocity = velocity;
    def.radius = real(radius);
    def.group = 3;
    assert_ok(r->world, sn_particle_add(r->world, &def, &r->part[r->parts++]));
}

static void add_body(room *r, sn_vec3 at, sn_vec3 velocity)
{
    static const sn_shape_type types[] = {SN_SHAPE_SPHERE, SN_SHAPE_BOX, SN_SHAPE_CAPSULE};
    sn_shape_def shape = sn_default_shape_def(types[support_random_below(&r->seed, COUNT_OF(types))]);
    sn_body_def def = sn_default_body_def();
    sn_body body;
    if (shape.type != SN_SHAPE_BOX)
        shape.radius = real(r->size);
    shape.half = vec(r->size, r->size, r->size);
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = at;
    def.velocity = velocity;
    assert_ok(r->world, sn_body_add(r->world, &def, &body));
    r->part[r->parts++] = sn_body_particle(r->world, body);
}

static void add_thing(room *r)
{
    const sn_vec3 v = vec3_scale(any_direction(&r->seed), real(r->speed));
    const double near = 0.3 * r->half;
    const sn_vec3 at = vec(support_random_in(&r->seed, -near, near), support_random_in(&r->seed, -near, near),
                           support_random_in(&r->seed, -near, near));
    if (r->what == POINT || r->what == BALL)
        add_particle(r, at, v, r->what == BALL ? r->size : 0);
    if (r->what == BODY)
        add_body(r, at, v);
    for (uint32_t i = 0; r->what == ROPE && i < ROPE_LENGTH; ++i) {
        add_particle(r, vec3_add(at, vec(2.2 * r->size * i, 0, 0)), v, r->size);
        if (i)
            sn_constraint_add_distance(r->world, sn_at(r->part[i - 1]), sn_at(r->part[i]), SN_MEASURE);
    }
    for (uint32_t i = 0; r->what == RIGID && i < 8; ++i) {
        const double s = r->size;
        add_particle(r, vec3_add(at, vec(i & 1 ? s : -s, i & 2 ? s : -s, i & 4 ? s : -s)), v, 0.9 * s);
    }
    if (r->what == RIGID)
        sn_constraint_add_rigid_group(r->world, 3);
}

static room build(uint64_t number)
{
    room r = draw(number);
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = r.substeps;
    r.world = support_world_from(&def);
    for (uint32_t group = 0; group < 4; ++group) {
        sn_group_contact contact = sn_default_group_contact(group);
        contact.self = group == 0;
        contact.material.restitution = real(r.restitution);
        contact.material.static_friction = contact.material.dynamic_friction = real(r.friction);
        assert_ok(r.world, sn_world_set_group_contact(r.world, group, &contact));
    }
    add_walls(&r);
    add_thing(&r);
    return r;
}

/* m: how far the farthest part is beyond the walls. */
static double outside(const room *r)
{
    const sn_quat q = sn_body_rotation(r->world, r->walls), back = {-q.x, -q.y, -q.z, q.w};
    double most = -r->half;
    for (uint32_t i = 0; i < r->parts; ++i) {
        const sn_vec3 x = sn_quat_rotate(back, sn_particle_position(r->world, r->part[i]));
        most = fmax(most, fmax(fabs((double)x.x), fmax(fabs((double)x.y), fabs((double)x.z))) - r->half);
    }
    return most;
}

/* m: for rounding, which pushes that add up make larger; and if the walls turn, what leans on one may be a little
   behind it when a substep ends. */
static double allowed(const room *r)
{
    return 1e-5 * r->half + (r->pushed ? 4e-6 : 1e-6) * r->speed * r->dt + (r->kind == TURNING ? 0.01 * r->half : 0);
}

static bool throws_out(uint64_t number, bool tells)
{
    room r = build(number);
    bool out = false;
    for (uint32_t step = 0; step < STEPS && !out; ++step) {
        for (uint32_t i = 0; r.pushed && i < r.parts; ++i)
            assert_ok(r.world,
                      sn_particle_apply_impulse(
                          r.world, r.part[i],
                          vec3_scale(any_direction(&r.seed), real(r.speed) * sn_particle_mass(r.world, r.part[i]))));
        assert_ok(r.world, sn_world_step(r.world, real(r.dt)));
        const double by = outside(&r);
        out = !(by <= allowed(&r));
        for (uint32_t i = 0; tells && i < r.parts; ++i) {
            const sn_vec3 x = sn_particle_position(r.world, r.part[i]), v = sn_particle_velocity(r.world, r.part[i]);
            printf("    %u: (%g, %g, %g) m, (%g, %g, %g) m/s\n", i, (double)x.x, (double)x.y, (double)x.z, (double)v.x,
                   (double)v.y, (double)v.z);
        }
        if (tells)
            printf("  step %u: %g m beyond\n", step, by);
    }
    if (out)
        printf("room %llu: a %s of %g m at %g m/s leaves %s of %g m (thick %g), %u substeps of %g s, restitution %g, "
               "friction %g%s\n",
               (unsigned long long)number, thing_name[r.what], r.size, r.speed, walls_name[r.kind], r.half, r.thick,
               r.substeps, r.dt, r.restitution, r.friction, r.pushed ? ", pushed" : "");
    sn_world_destroy(r.world);
    return out;
}

static void test_nothing_leaves_a_room(void **state)
{
    (void)state;
    uint32_t out = 0;
    const uint32_t count = support_long(50000, support_rounds(1, 0) ? 1500 : 300);
    const char *from = getenv("SINEW_FIRST");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 0;
    for (uint64_t number = first; number < first + count; ++number)
        out += throws_out(number, false);
    assert_int_equal(out, 0);
}

/* A ball between two planes, which flies from one to the other within a substep: it was through the second in the first
   step. */
static void test_bounces_between_two_planes(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = 3;
    sn_world *world = support_world_from(&def);
    sn_group_contact contact = sn_default_group_contact(0);
    contact.material.restitution = real(0.9);
    assert_ok(world, sn_world_set_group_contact(world, 0, &contact));
    sn_static_add_plane(world, vec(0.1, 0, 0), vec(-1, 0, 0));
    sn_static_add_plane(world, vec(-0.1, 0, 0), vec(1, 0, 0));
    sn_particle_def ball = sn_default_particle_def();
    sn_particle p;
    ball.radius = real(0.002);
    ball.velocity = vec(60, 5, 0);
    assert_ok(world, sn_particle_add(world, &ball, &p));
    for (uint32_t step = 0; step < 20; ++step) {
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_true(fabs((double)sn_particle_position(world, p).x) < 0.0981);
    }
    sn_world_destroy(world);
}

/* ---- A free plate
   ---------------------------------------------------------------------------------------------------- */

typedef struct push {
    sn_vec3 force;
} push;

static sn_vec3 push_balls(void *context, const sn_field_in *in)
{
    return in->group == 3 ? ((const push *)context)->force : vec(0, 0, 0);
}

/* A ball or a short rope of balls above a plate of any mass; a field, a rope or another ball drives it, so that it
   reaches the plate much faster than the velocity with which the step begins says. */
static bool passes_plate(uint64_t number)
{
    enum { BY_FIELD, BY_ROPE, BY_BLOW, WAYS };
    uint64_t seed = number * 40503u + 5;
    const double speed = exponential(&seed, 1, 300), thick = exponential(&seed, 0.002, 0.2),
                 radius = exponential(&seed, 0.002, 0.05);
    const double mass = exponential(&seed, 0.1, 1000), above = radius + support_random_in(&seed, 0.001, 0.3);
    static const uint32_t substeps[] = {1, 3, 10, 20};
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = substeps[number / WAYS % COUNT_OF(substeps)];
    sn_world *world = support_world_from(&def);
    sn_body plate = sn_body_add_box(world, vec(0, -thick / 2, 0), vec(2, thick / 2, 2), real(mass / (16 * thick)));
    sn_particle_def ball = sn_default_particle_def();
    sn_particle p, other;
    ball.position = vec(0, above, 0);
    ball.radius = real(radius);
    ball.group = 3;
    assert_ok(world, sn_particle_add(world, &ball, &p));
    push down = {vec(0, -speed * 60, 0)};
    if (number % WAYS == BY_FIELD)
        assert_ok(world, sn_field_add(world, push_balls, &down, false, NULL));
    if (number % WAYS == BY_ROPE) {
        other = sn_particle_add_at(world, vec(0, -6, 0), SN_IMMOVABLE);
        sn_constraint_add_distance(world, sn_at(p), sn_at(other), real(fmax(1, 6 + above - speed / 60)));
    }
    if (number % WAYS == BY_BLOW) {
        ball.position = vec(0, above + 2.5 * radius, 0);
        ball.velocity = vec(0, -speed, 0);
        ball.mass = 100;
        ball.group = 4;
        assert_ok(world, sn_particle_add(world, &ball, &other));
    }
    bool through = false;
    for (uint32_t step = 0; step < 4 && !through; ++step) {
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        const sn_vec3 own = sn_body_to_own(world, plate, sn_particle_position(world, p));
        if (fabs((double)own.x) > 1.9 || fabs((double)own.z) > 1.9)
            break;
        through = !((double)own.y > 0);
    }
    if (through)
        printf("plate %llu: a ball of %g m at %g m/s by way %llu passes %g m of %g kg\n", (unsigned long long)number,
               radius, speed, (unsigned long long)(number % WAYS), thick, mass);
    sn_world_destroy(world);
    return through;
}

static void test_balls_do_not_pass_a_free_plate(void **state)
{
    (void)state;
    uint32_t through = 0;
    const uint32_t count = support_long(20000, support_rounds(1, 0) ? 600 : 200);
    for (uint64_t number = 0; number < count; ++number)
        through += passes_plate(number);
    assert_int_equal(through, 0);
}

int main(void)
{
    const char *one = getenv("SINEW_SEED");
    if (one)
        return throws_out(strtoull(one, NULL, 10), true);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_leaves_a_room),
                                       cmocka_unit_test(test_bounces_between_two_planes),
                                       cmocka_unit_test(test_balls_do_not_pass_a_free_plate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
