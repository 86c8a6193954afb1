/* Joints: made from an anchor and an axis in the world, changed while they run, and read. */
#define SN_LANE_DOUBLE 1
#include "constraints/joint.h"
#include "world/world.h"

#include <stddef.h>
#include <string.h>

/* Marks a definition that was made by sn_default_joint_def; other memory is unlikely to contain it. */
#define DEF_MADE 0x5157e12u

/* Numbers of a definition with the names of their parameters. */
static const struct joint_number {
    const char *name;
    size_t offset;
} numbers[] = {
#define NUMBER(name)                                                                                                   \
    {                                                                                                                  \
#name, offsetof(sn_joint_def, name)                                                                            \
    }
    NUMBER(least),
    NUMBER(most),
    NUMBER(target),
    NUMBER(target_most),
    NUMBER(target_compliance),
    NUMBER(target_damping),
    NUMBER(speed),
    NUMBER(speed_most),
    NUMBER(friction),
    NUMBER(linear_compliance),
    NUMBER(linear_damping),
    NUMBER(angular_compliance),
    NUMBER(angular_damping),
    NUMBER(swing),
    NUMBER(rest),
    NUMBER(spring_compliance),
    NUMBER(spring_damping),
#undef NUMBER
};
#define NUMBER_COUNT (sizeof numbers / sizeof *numbers)

static sn_real *number_of(sn_joint_def *def, size_t i)
{
    return (sn_real *)((char *)def + numbers[i].offset);
}

sn_joint_def sn_default_joint_def(uint32_t kind)
{
    sn_joint_def def;
    memset(&def, 0, sizeof def);
    def.made = DEF_MADE;
    def.kind = kind;
    def.axis = vec3(1, 0, 0);
    def.target_turn = vec3(SN_MEASURE, SN_MEASURE, SN_MEASURE);
    for (size_t i = 0; i < NUMBER_COUNT; ++i)
        *number_of(&def, i) = SN_MEASURE;
    return def;
}

/* ---- Points ----------------------------------------------------------------------------------------------------- */

/* The shortest rotation of the x axis to a direction. */
static sn_quat turn_to(sn_vec3 axis)
{
    const sn_real half = (sn_real)0.70710678118654752440;
    return sn_quat_times(sn_quat_to(axis), (sn_quat){0, 0, half, half}); /* x to y first */
}

/* That rotation, followed by one about the axis: y is rotated towards `second`. */
sn_quat sn_joint_axes(sn_vec3 axis, sn_vec3 second)
{
    sn_quat turn = turn_to(axis);
    double y = vec3_dot_double(sn_quat_rotate(turn, vec3(0, 1, 0)), second);
    double z = vec3_dot_double(sn_quat_rotate(turn, vec3(0, 0, 1)), second), across = sqrt(y * y + z * z);
    if (!(across > 0))
        return turn;
    double c = y / across, half = sqrt(fmax(1 - c, 0) / 2);
    return sn_quat_times(turn, (sn_quat){(sn_real)(z < 0 ? -half : half), 0, 0, (sn_real)sqrt(fmax(1 + c, 0) / 2)});
}

/* In a 2D world an axis that is this close to z, or to the plane, is set to it: a slightly tilted hinge could not
   rotate. */
#define LEAST_LEAN 1e-6

static sn_vec3 straighten(sn_vec3 axis)
{
    double x = (double)axis.x, y = (double)axis.y, z = fabs((double)axis.z), across = sqrt(x * x + y * y);
    if (across < LEAST_LEAN * z)
        return vec3(0, 0, axis.z);
    return z < LEAST_LEAN * across ? vec3(axis.x, axis.y, 0) : axis;
}

static bool is_null(sn_body body)
{
    return body.generation == 0;
}

/* The point of a body with this position and these axes in the world. Without a body it is fixed in the world. */
static sn_result make_point(const sn_world *world, sn_body body, sn_vec3 place, sn_quat turn, sn_point *point)
{
    *point = sn_at_place_turned(place, turn);
    if (is_null(body))
        return SN_OK;
    if (sn_body_number(world, body) == SN_ID_FREE)
        return SN_ERROR_STALE;
    sn_quat q = sn_body_rotation(world, body), back = {-q.x, -q.y, -q.z, q.w};
    *point = sn_on_body_turned(body, sn_body_to_own(world, body, place), sn_quat_times(back, turn));
    return SN_OK;
}

/* ---- Adding ----------------------------------------------------------------------------------------------------- */

static bool is_joint(const sn_kind *kind)
{
    return kind && kind->oriented && kind->points == 2;
}

static sn_result check_kind(const sn_world *world, const sn_joint_def *def)
{
    if (!def || def->made != DEF_MADE)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is %s; start from sn_default_joint_def()",
                          def ? "not initialised" : "NULL");
    const sn_kind *kind = sn_kind_info(world, def->kind);
    if (!is_joint(kind))
        return world_fail(world, SN_ERROR_ARGUMENT, "kind %u (%s) is no joint", def->kind,
                          kind ? kind->name : "unknown");
    return SN_OK;
}

static sn_result check_def(const sn_world *world, const sn_joint_def *def)
{
    sn_result result = check_kind(world, def);
    if (result != SN_OK)
        return result;
    const sn_kind *kind = sn_kind_info(world, def->kind);
    sn_vec3 axis = def->axis;
    double square = vec3_dot_double(axis, axis);
    if (!isfinite(square) || !(square > 0))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: axis is (%g, %g, %g), which has no direction", kind->name,
                          (double)axis.x, (double)axis.y, (double)axis.z);
    if (!vec3_is_finite(def->second_axis))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: second_axis is (%g, %g, %g); it must be finite", kind->name,
                          (double)def->second_axis.x, (double)def->second_axis.y, (double)def->second_axis.z);
    if (is_null(def->a) && is_null(def->b))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: neither a nor b is a body", kind->name);
    if (!is_null(def->a) && def->a.index == def->b.index && def->a.generation == def->b.generation)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: a and b are the same body, %u", kind->name, def->a.index);
    return sn_world_check_vector(world, "the anchor of a joint", def->anchor);
}

/* Writes the numbers to the parameters of the same name. Refuses a given number that the kind does not have. */
static sn_result take_numbers(const sn_world *world, const sn_joint_def *from, sn_constraint_def *to)
{
    sn_joint_def def = *from;
    const sn_kind *kind = sn_kind_info(world, def.kind);
    bool taken[NUMBER_COUNT] = {false}, turn_taken = false;
    sn_real *value = to->param;
    for (const sn_param *p = kind->param; p->name; value += param_width(p), ++p) {
        if (p->type != SN_PARAM_REAL && strcmp(p->name, "target") == 0) {
            memcpy(value, &def.target_turn, sizeof def.target_turn);
            turn_taken = true;
            continue;
        }
        for (size_t i = 0; i < NUMBER_COUNT; ++i)
            if (p->type == SN_PARAM_REAL && strcmp(p->name, numbers[i].name) == 0) {
                *value = *number_of(&def, i);
                taken[i] = true;
            }
    }
    for (size_t i = 0; i < NUMBER_COUNT; ++i)
        if (!taken[i] && *number_of(&def, i) != SN_MEASURE)
            return world_fail(world, SN_ERROR_ARGUMENT, "'%s' is %g; a constraint of kind '%s' has no such parameter%s",
                              numbers[i].name, (double)*number_of(&def, i), kind->name,
                              turn_taken && i == 2 ? " of one number (use target_turn)" : "");
    sn_vec3 turn = def.target_turn;
    if (!turn_taken && !(turn.x == SN_MEASURE && turn.y == SN_MEASURE && turn.z == SN_MEASURE))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "target_turn is given; a constraint of kind '%s' has no such target", kind->name);
    return SN_OK;
}

sn_result sn_joint_constraint(const sn_world *world, const sn_joint_def *joint, sn_constraint_def *def)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL");
    sn_result result = check_kind(world, joint);
    if (result != SN_OK)
        return result;
    sn_constraint_def made = sn_default_constraint_def(joint->kind);
    if ((result = take_numbers(world, joint, &made)) == SN_OK)
        *def = made;
    if (result == SN_OK)
        def->user = joint->user;
    return result;
}

static sn_result add_joint(sn_world *world, const sn_joint_def *def, sn_constraint *joint)
{
    sn_point points[2];
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check_def(world, def)) != SN_OK)
        return result;
    sn_constraint_def constraint;
    sn_quat turn = sn_joint_axes(world->dimensions == 2 ? straighten(def->axis) : def->axis, def->second_axis);
    if ((result = make_point(world, def->a, def->anchor, turn, &points[0])) != SN_OK ||
        (result = make_point(world, def->b, def->anchor, turn, &points[1])) != SN_OK ||
        (result = sn_joint_constraint(world, def, &constraint)) != SN_OK)
        return result;
    const bool breaks = def->strength != 0 || def->torque_strength != 0;
    if (breaks && (result = sn_breaking_prepare(world, sn_kind_info(world, def->kind), def->strength,
                                                def->torque_strength)) != SN_OK)
        return result;
    sn_pool *pool = world->constraints.pool[def->kind];
    if (!sn_pool_reserve_collides(pool, &world->allocator, pool->ids.table.count, def->collides))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact of what a %s joins", pool->kind->name);
    constraint.points = points;
    if ((result = sn_constraint_add(world, &constraint, joint)) == SN_OK && breaks)
        result = sn_constraint_set_strength(world, *joint, def->strength, def->torque_strength);
    return result == SN_OK && def->collides ? sn_constraint_set_collides(world, *joint, true) : result;
}

sn_constraint sn_joint_add(sn_world *world, const sn_joint_def *def)
{
    sn_constraint joint = {0}, none = {0};
    return add_joint(world, def, &joint) == SN_OK ? joint : none;
}

static sn_constraint add_simple(sn_world *world, uint32_t kind, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis)
{
    sn_joint_def def = sn_default_joint_def(kind);
    def.a = a;
    def.b = b;
    def.anchor = anchor;
    def.axis = axis;
    return sn_joint_add(world, &def);
}

sn_constraint sn_joint_add_ball(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor)
{
    return add_simple(world, SN_KIND_JOINT_BALL, a, b, anchor, vec3(1, 0, 0));
}

sn_constraint sn_joint_add_hinge(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis)
{
    return add_simple(world, SN_KIND_JOINT_HINGE, a, b, anchor, axis);
}

sn_constraint sn_joint_add_slider(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis)
{
    return add_simple(world, SN_KIND_JOINT_SLIDER, a, b, anchor, axis);
}

sn_constraint sn_joint_add_fixed(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor)
{
    return add_simple(world, SN_KIND_JOINT_FIXED, a, b, anchor, vec3(1, 0, 0));
}

sn_constraint sn_joint_add_universal(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis)
{
    return add_simple(world, SN_KIND_JOINT_UNIVERSAL, a, b, anchor, axis);
}

sn_constraint sn_joint_add_wheel(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis, sn_vec3 axle,
                                 sn_real stiffness, sn_real damping)
{
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_WHEEL);
    def.a = a;
    def.b = b;
    def.anchor = anchor;
    def.axis = axis;
    def.second_axis = vec3_cross(axle, axis); /* so z is along the axle */
    def.spring_compliance = stiffness == 0 ? 0 : isfinite(stiffness) ? sn_compliance(stiffness) : (sn_real)NAN;
    def.spring_damping = damping;
    return sn_joint_add(world, &def);
}

sn_constraint sn_joint_add_six(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis, sn_vec3 second_axis)
{
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_SIX);
    def.a = a;
    def.b = b;
    def.anchor = anchor;
    def.axis = axis;
    def.second_axis = second_axis;
    return sn_joint_add(world, &def);
}

static sn_result add_rope(sn_world *world, sn_body a, sn_body b, sn_vec3 from, sn_vec3 to, sn_real length,
                          sn_constraint *rope)
{
    const sn_quat none = {0, 0, 0, 1};
    sn_point points[2];
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = sn_world_check_vector(world, "the start of a rope", from)) != SN_OK ||
        (result = sn_world_check_vector(world, "the end of a rope", to)) != SN_OK ||
        (result = make_point(world, a, from, none, &points[0])) != SN_OK ||
        (result = make_point(world, b, to, none, &points[1])) != SN_OK)
        return result;
    *rope = sn_constraint_add_distance_max(world, points[0], points[1], length);
    return SN_OK;
}

sn_constraint sn_joint_add_rope(sn_world *world, sn_body a, sn_body b, sn_vec3 from, sn_vec3 to, sn_real length)
{
    sn_constraint rope = {0}, none = {0};
    return add_rope(world, a, b, from, to, length, &rope) == SN_OK ? rope : none;
}

/* The points of a joint of one of three kinds. */
static sn_result read_joint(sn_world *world, sn_constraint joint, const uint32_t kinds[3], const char *what,
                            sn_point *points)
{
    sn_constraint_def def;
    if (!sn_constraint_point_count(world, joint))
        return SN_ERROR_STALE;
    if (joint.kind != kinds[0] && joint.kind != kinds[1] && joint.kind != kinds[2])
        return world_fail(world, SN_ERROR_ARGUMENT, "a constraint of kind '%s' is no %s, which gears need",
                          sn_kind_info(world, joint.kind)->name, what);
    return sn_constraint_read(world, joint, &def, points, 2);
}

static sn_result add_gear(sn_world *world, sn_constraint first, sn_constraint second, sn_real ratio,
                          sn_constraint *gear)
{
    static const uint32_t hinge[3] = {SN_KIND_JOINT_HINGE, SN_KIND_JOINT_HINGE, SN_KIND_JOINT_HINGE};
    static const uint32_t any[3] = {SN_KIND_JOINT_HINGE, SN_KIND_JOINT_SLIDER, SN_KIND_JOINT_LINE};
    sn_point points[4];
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = read_joint(world, first, hinge, "hinge", points)) != SN_OK ||
        (result = read_joint(world, second, any, "hinge, slider or line", points + 2)) != SN_OK)
        return result;
    sn_constraint_def def =
        sn_default_constraint_def(second.kind == SN_KIND_JOINT_HINGE ? SN_KIND_JOINT_GEAR : SN_KIND_JOINT_RACK);
    def.points = points;
    def.param[0] = ratio;
    return sn_constraint_add(world, &def, gear);
}

sn_constraint sn_joint_add_gear(sn_world *world, sn_constraint first, sn_constraint second, sn_real ratio)
{
    sn_constraint gear = {0}, none = {0};
    return add_gear(world, first, second, ratio, &gear) == SN_OK ? gear : none;
}

/* ---- Changing --------------------------------------------------------------------------------------------------- */

/* The parameter of a live constraint, by name and size. NULL, without an error, if there is none. */
static const sn_real *find_number(const sn_world *world, sn_constraint c, const char *name, uint32_t width)
{
    const sn_pool *pool = world->constraints.pool[c.kind];
    const sn_real *value = pool->param + (size_t)c.index * pool->param_count;
    for (const sn_param *p = pool->kind->param; p->name; value += param_width(p), ++p)
        if (strcmp(p->name, name) == 0)
            return param_width(p) == width ? value : NULL;
    return NULL;
}

/* Common start: checks that the joint is alive and has these parameters. */
static sn_result begin(sn_world *world, sn_constraint joint, const char *name, uint32_t width, const char *other,
                       const char *what)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!sn_constraint_point_count(world, joint))
        return SN_ERROR_STALE;
    const sn_kind *kind = sn_kind_info(world, joint.kind);
    if (!is_joint(kind) || !find_number(world, joint, name, width) || !find_number(world, joint, other, 1))
        return world_fail(world, SN_ERROR_ARGUMENT, "a constraint of kind '%s' has no %s", kind->name, what);
    return SN_OK;
}

/* Sets a number that was checked, if the kind has it. */
static sn_result set_number(sn_world *world, sn_constraint joint, const char *name, sn_real value)
{
    return find_number(world, joint, name, 1) ? sn_constraint_set_param(world, joint, name, &value, 1) : SN_OK;
}

/* True if motor and target are about the same axis, so that only one of them can be on. */
static bool has_one_drive(const sn_world *world, sn_constraint joint)
{
    return sn_kind_info(world, joint.kind)->check == sn_joint_check_drive;
}

static sn_result check_drive(const sn_world *world, const char *what, sn_vec3 value, sn_real most)
{
    if (!vec3_is_finite(value))
        return world_fail(world, SN_ERROR_ARGUMENT, "the %s of a joint is (%g, %g, %g); it must be finite", what,
                          (double)value.x, (double)value.y, (double)value.z);
    if (!(most >= 0 && most <= SN_JOINT_MOST))
        return world_fail(world, SN_ERROR_ARGUMENT, "what a joint may exert for its %s is %g; it must lie in [0, %g]",
                          what, (double)most, (double)SN_JOINT_MOST);
    return SN_OK;
}

sn_result sn_joint_set_motor(sn_world *world, sn_constraint joint, sn_real speed, sn_real most)
{
    sn_result result = begin(world, joint, "speed", 1, "speed_most", "motor");
    if (result != SN_OK || (result = check_drive(world, "speed", vec3(speed, 0, 0), most)) != SN_OK ||
        (result = set_number(world, joint, "speed", speed)) != SN_OK)
        return result;
    if (most > 0 && has_one_drive(world, joint))
        set_number(world, joint, "target_most", 0);
    return set_number(world, joint, "speed_most", most);
}

/* width: 1 or 3 numbers. */
static sn_result set_target(sn_world *world, sn_constraint joint, const sn_real *target, uint32_t width, sn_real most)
{
    sn_result result =
        begin(world, joint, "target", width, "target_most", width == 1 ? "target" : "target of three numbers");
    sn_vec3 all = vec3(target[0], width > 1 ? target[1] : 0, width > 1 ? target[2] : 0);
    if (result != SN_OK || (result = check_drive(world, "target", all, most)) != SN_OK ||
        (result = sn_constraint_set_param(world, joint, "target", target, width)) != SN_OK)
        return result;
    if (most > 0 && has_one_drive(world, joint))
        set_number(world, joint, "speed_most", 0);
    return set_number(world, joint, "target_most", most);
}

sn_result sn_joint_set_target(sn_world *world, sn_constraint joint, sn_real target, sn_real most)
{
    return set_target(world, joint, &target, 1, most);
}

sn_result sn_joint_set_target_turn(sn_world *world, sn_constraint joint, sn_vec3 target, sn_real most)
{
    const sn_real numbers_of_it[3] = {target.x, target.y, target.z};
    return set_target(world, joint, numbers_of_it, 3, most);
}

/* Sets first the limit that is valid together with the old value of the other. */
sn_result sn_joint_set_limits(sn_world *world, sn_constraint joint, sn_real least, sn_real most)
{
    sn_result result = begin(world, joint, "least", 1, "most", "limits");
    if (result != SN_OK)
        return result;
    if (!(least <= most))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "the limits of a joint are %g and %g; the first must not exceed the second", (double)least,
                          (double)most);
    const sn_kind *kind = sn_kind_info(world, joint.kind);
    for (const sn_param *p = kind->param; p->name; ++p)
        if ((strcmp(p->name, "least") == 0 && least < p->least) || (strcmp(p->name, "most") == 0 && most > p->most))
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "the limits of a joint are %g and %g; they must lie in [%g, %g] %s", (double)least,
                              (double)most, (double)p->least, (double)p->most, p->unit);
    if (least <= *find_number(world, joint, "most", 1)) {
        result = set_number(world, joint, "least", least);
        return result != SN_OK ? result : set_number(world, joint, "most", most);
    }
    result = set_number(world, joint, "most", most);
    return result != SN_OK ? result : set_number(world, joint, "least", least);
}

/* ---- One axis of six --------------------------------------------------------------------------------------------- */

/* Names of parameters for translations and for angles. */
static const char *const limits[2][2] = {{"least", "most"}, {"angular_least", "angular_most"}};
static const char *const motors[2][2] = {{"speed", "speed_most"}, {"angular_speed", "angular_speed_most"}};
static const char *const targets[2][2] = {{"target", "target_most"}, {"angular_target", "angular_target_most"}};

static sn_result begin_axis(sn_world *world, sn_constraint joint, uint32_t axis)
{
    sn_result result = begin(world, joint, "angular_speed", 3, "target_compliance", "axes of its own");
    if (result == SN_OK && axis > 5)
        return world_fail(world, SN_ERROR_ARGUMENT, "axis is %u; a joint has axes 0 to 5", axis);
    return result;
}

/* Sets a number of one axis. */
static sn_result set_axis(sn_world *world, sn_constraint joint, uint32_t axis, const char *name, sn_real value)
{
    sn_real numbers_of_it[3];
    memcpy(numbers_of_it, find_number(world, joint, name, 3), sizeof numbers_of_it);
    numbers_of_it[axis % 3] = value;
    return sn_constraint_set_param(world, joint, name, numbers_of_it, 3);
}

sn_result sn_joint_set_axis_limits(sn_world *world, sn_constraint joint, uint32_t axis, sn_real least, sn_real most)
{
    sn_result result = begin_axis(world, joint, axis);
    if (result != SN_OK)
        return result;
    const sn_real bound = axis < 3 ? SN_JOINT_MOST : (sn_real)MATH_PI;
    if (!(least >= -bound && least <= most && most <= bound))
        return world_fail(
            world, SN_ERROR_ARGUMENT,
            "the limits of axis %u are %g and %g; they must lie in [%g, %g], the first not above the second", axis,
            (double)least, (double)most, -(double)bound, (double)bound);
    const char *const *name = limits[axis / 3];
    bool first = least <= find_number(world, joint, name[1], 3)[axis % 3]; /* valid together with the old second
                                                                              limit */
    result = set_axis(world, joint, axis, name[!first], first ? least : most);
    return result != SN_OK ? result : set_axis(world, joint, axis, name[first], first ? most : least);
}

/* Switches on the motor or the target of an axis, and the other one off. */
static sn_result drive_axis(sn_world *world, sn_constraint joint, uint32_t axis, bool runs, sn_real value, sn_real most)
{
    sn_result result = begin_axis(world, joint, axis);
    const char *const *name = (runs ? motors : targets)[axis / 3 % 2], *const *other =
                                                                           (runs ? targets : motors)[axis / 3 % 2];
    if (result != SN_OK || (result = check_drive(world, runs ? "speed" : "target", vec3(value, 0, 0), most)) != SN_OK ||
        (result = set_axis(world, joint, axis, name[0], value)) != SN_OK)
        return result;
    if (most > 0)
        set_axis(world, joint, axis, other[1], 0);
    return set_axis(world, joint, axis, name[1], most);
}

sn_result sn_joint_set_axis_motor(sn_world *world, sn_constraint joint, uint32_t axis, sn_real speed, sn_real most)
{
    return drive_axis(world, joint, axis, true, speed, most);
}

sn_result sn_joint_set_axis_target(sn_world *world, sn_constraint joint, uint32_t axis, sn_real target, sn_real most)
{
    return drive_axis(world, joint, axis, false, target, most);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* The input of a joint's formula at present. False, and an error, if it is none of these kinds. */
typedef struct sight {
    sn_vec3 x[SN_MAX_POINTS];
    sn_quat q[SN_MAX_POINTS];
    sn_eval_in in;
} sight;

static bool look(const sn_world *world, sn_constraint joint, const char *what, const uint32_t kinds[3], sight *seen)
{
    if (!world || !sn_constraint_point_count(world, joint))
        return false;
    if (joint.kind != kinds[0] && joint.kind != kinds[1] && joint.kind != kinds[2]) {
        world_fail(world, SN_ERROR_ARGUMENT, "a constraint of kind '%s' has no %s",
                   sn_kind_info(world, joint.kind)->name, what);
        return false;
    }
    sn_frame frame = sn_world_frame(world);
    seen->in = sn_evaluate_input(&world->constraints, world->constraints.pool[joint.kind], joint.index, &frame, seen->x,
                                 seen->q);
    return true;
}

sn_real sn_joint_angle(const sn_world *world, sn_constraint joint)
{
    static const uint32_t kinds[3] = {SN_KIND_JOINT_HINGE, SN_KIND_JOINT_CONE_TWIST, SN_KIND_JOINT_WHEEL};
    sight seen;
    if (!look(world, joint, "angle", kinds, &seen))
        return (sn_real)NAN;
    joint_pose pose = joint_look_at(&seen.in);
    return (sn_real)(joint.kind == SN_KIND_JOINT_WHEEL ? sn_joint_wheel_angle(&seen.in) : joint_twist(&pose).value);
}

sn_real sn_joint_way(const sn_world *world, sn_constraint joint)
{
    static const uint32_t kinds[3] = {SN_KIND_JOINT_SLIDER, SN_KIND_JOINT_LINE, SN_KIND_JOINT_WHEEL};
    sight seen;
    return look(world, joint, "distance along its axis", kinds, &seen) ? (sn_real)joint_displacement_at(&seen.in)
                                                                       : (sn_real)NAN;
}

sn_real sn_joint_swing(const sn_world *world, sn_constraint joint)
{
    static const uint32_t kinds[3] = {SN_KIND_JOINT_CONE_TWIST, SN_KIND_JOINT_UNIVERSAL, SN_KIND_JOINT_UNIVERSAL};
    sight seen;
    joint_turn swing[2];
    if (!look(world, joint, "swing", kinds, &seen))
        return (sn_real)NAN;
    joint_pose pose = joint_look_at(&seen.in);
    return (sn_real)joint_lean(&pose, swing);
}

sn_real sn_joint_axis_value(const sn_world *world, sn_constraint joint, uint32_t axis)
{
    static const uint32_t kinds[3] = {SN_KIND_JOINT_SIX, SN_KIND_JOINT_SIX, SN_KIND_JOINT_SIX};
    sight seen;
    if (!look(world, joint, "axes of its own", kinds, &seen))
        return (sn_real)NAN;
    if (axis > 5) {
        world_fail(world, SN_ERROR_ARGUMENT, "axis is %u; a joint has axes 0 to 5", axis);
        return (sn_real)NAN;
    }
    return (sn_real)sn_joint_six_value(&seen.in, axis);
}

sn_result sn_joint_reaction(const sn_world *world, sn_constraint joint, sn_vec3 *force, sn_vec3 *torque)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!sn_constraint_point_count(world, joint))
        return SN_ERROR_STALE;
    if (!is_joint(sn_kind_info(world, joint.kind)))
        return world_fail(world, SN_ERROR_ARGUMENT, "a constraint of kind '%s' is no joint",
                          sn_kind_info(world, joint.kind)->name);
    if (force)
        *force = sn_constraint_force_on(world, joint, 1);
    if (torque)
        *torque = sn_constraint_torque_on(world, joint, 1);
    return SN_OK;
}
