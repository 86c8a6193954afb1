/* Arguments and programs at random. What is drawn is mostly good; now and then one argument is spoilt in a way that the
   list of calls says is bad, a handle is stale, or a number is extreme. */
#include "random/net.h"

/* ---- Chance ---------------------------------------------------------------------------------------------------------
   */

static uint32_t draw(net_maker *m, uint32_t below)
{
    return support_random_below(&m->random, below);
}

static bool chance(net_maker *m, uint32_t percent)
{
    return draw(m, 100) < percent;
}

static double between(net_maker *m, double least, double most)
{
    double x = support_random_in(&m->random, least, most);
    if (chance(m, 30)) /* coarse numbers, so that things coincide */
        x = floor(4 * x) / 4;
    return x < least ? least : x;
}

static const double extremes[] = {0,   1e-42, 1e-38, 1e-30, 1e-20, 1e-10, 1e-5, 10,   1e3,
                                  1e5, 1e8,   1e12,  1e15,  1e18,  1e20,  1e30, 1e38, 3.4e38};

/* A number in the range, or, in wild worlds, now and then an extreme one. */
static double number(net_maker *m, double least, double most)
{
    double x = between(m, least, most);
    if (m->wild && chance(m, 4)) {
        x = extremes[draw(m, COUNT_OF(extremes))];
        x = least < 0 && chance(m, 50) ? -x : x;
    }
    return (double)(sn_real)x;
}

/* ---- Cells ----------------------------------------------------------------------------------------------------------
   */

static void push_real(net_maker *m, double x)
{
    net_op_push(m->op, (net_cell){.type = CELL_REAL, .as.real = (double)(sn_real)x}); /* exact in every float mode */
}

static void push_number(net_maker *m, uint64_t x)
{
    net_op_push(m->op, (net_cell){.type = CELL_NUMBER, .as.number = x});
}

static void push_list(net_maker *m, uint32_t count, bool null)
{
    net_op_push(m->op, (net_cell){.type = CELL_LIST, .flaw = null, .as.number = count});
}

static void push_vector(net_maker *m, double x, double y, double z)
{
    push_real(m, (double)(sn_real)x);
    push_real(m, (double)(sn_real)y);
    push_real(m, (double)(sn_real)z);
}

static bool is_flat(const net_maker *m)
{
    return sn_world_dimensions(m->stage->world) == 2;
}

/* ---- Handles --------------------------------------------------------------------------------------------------------
   */

static bool makes(net_type type, net_type wanted)
{
    switch (wanted) {
    case TYPE_PARTICLE:
    case TYPE_PARTICLE_NUMBER:
        return type == TYPE_PARTICLE || type == TYPE_RUN || type == TYPE_BODY;
    case TYPE_CONSTRAINT:
        return type == TYPE_CONSTRAINT || type == TYPE_CONSTRAINTS;
    case TYPE_BODY_OR_WORLD:
    case TYPE_ANY_BODY:
        return type == TYPE_BODY || type == TYPE_FIXED;
    case TYPE_SAVED:
        return type == TYPE_SNAPSHOT;
    default:
        return type == wanted;
    }
}

static uint32_t items_of(const net_made *made, net_type wanted)
{
    if (wanted != TYPE_RUN && made->type == TYPE_RUN)
        return made->as.run.count;
    if (wanted != TYPE_CONSTRAINTS && made->type == TYPE_CONSTRAINTS)
        return made->as.constraints.count;
    return 1;
}

#define MOST_IN_RUN 60 /* longer ones, of grids, are no arguments */

/* Whether it is a constraint of a long list that the call would be given all points of. */
static bool is_long(const net_maker *m, net_type type, const net_cell *cell)
{
    return type == TYPE_CONSTRAINT && m->op->call == CALL_sn_constraint_change &&
           sn_constraint_point_count(m->stage->world, net_constraint(m->stage, cell)) > MOST_IN_RUN;
}

static bool was_used(const net_maker *m, const net_cell *cell)
{
    for (uint32_t i = 0; i < m->op->cells; ++i) {
        const net_cell *c = &m->op->cell[i];
        if (c->type == CELL_HANDLE && c->flaw == FLAW_NONE && c->as.number == cell->as.number && c->item == cell->item)
            return true;
    }
    return false;
}

/* A handle of the type, alive and not yet an argument of this call if there is such a one. */
static net_cell pick(net_maker *m, net_type type)
{
    net_cell best = {.type = CELL_HANDLE, .flaw = FLAW_NULL};
    int rank = 0;
    bool dead = chance(m, 2);
    for (int tries = 0; tries < 40 && rank < 3; ++tries) {
        uint32_t serial = 1 + draw(m, m->serial);
        const net_made *made = &m->stage->made[serial];
        if (serial > NET_OPS || !makes(made->type, type) || (type == TYPE_RUN && made->as.run.count > MOST_IN_RUN))
            continue;
        net_cell cell = {.type = CELL_HANDLE, .item = draw(m, items_of(made, type)), .as.number = serial};
        if (is_long(m, type, &cell))
            continue;
        int is = net_is_alive(m->stage, made, cell.item) == dead ? 1 : was_used(m, &cell) ? 2 : 3;
        if (is > rank) {
            rank = is;
            best = cell;
        }
    }
    return best;
}

static void make_handle(net_maker *m, net_type type)
{
    net_cell cell = pick(m, type);
    if (type == TYPE_BODY_OR_WORLD && chance(m, 20))
        cell.flaw = FLAW_NULL;
    net_op_push(m->op, cell);
    if (type == TYPE_CONSTRAINT) {
        m->constraint = net_constraint(m->stage, &cell);
        m->kind = m->constraint.kind;
    }
    if (type == TYPE_RUN) {
        const net_made *made = &m->stage->made[cell.as.number];
        m->run = made->type == TYPE_RUN && cell.flaw == FLAW_NONE ? made->as.run : (sn_particles){0, 0, 0};
        m->count = m->run.count;
    }
}

/* ---- Vectors --------------------------------------------------------------------------------------------------------
   */

/* Three numbers of a range. The last is drawn first: of the arguments of one call a compiler would choose the order. */
static void make_vector(net_maker *m, double least, double most, bool flat)
{
    double z = flat ? 0 : number(m, least, most), y = number(m, least, most), x = number(m, least, most);
    push_vector(m, x, y, z);
}

static void make_place(net_maker *m, double size)
{
    double x = number(m, -size, size), y = number(m, -size, size);
    push_vector(m, x, y, is_flat(m) ? 0 : number(m, -size, size));
}

static void make_direction(net_maker *m, bool in_plane)
{
    static const double axes[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {1, 1, 0}, {-1, 0, 0}};
    uint32_t i = draw(m, 8);
    if (is_flat(m) && !in_plane && chance(m, 60))
        push_vector(m, 0, 0, 1);
    else if (i < 6 && !(is_flat(m) && axes[i][2] != 0))
        push_vector(m, axes[i][0], axes[i][1], axes[i][2]);
    else {
        double z = is_flat(m) ? 0 : number(m, -1, 1), y = number(m, -1, 1);
        push_vector(m, number(m, 0.1, 1), y, z);
    }
}

static void make_spin(net_maker *m, double most)
{
    bool still = chance(m, 30), flat = is_flat(m);
    double x = still || flat ? 0 : number(m, -most, most), y = still || flat ? 0 : number(m, -most, most);
    push_vector(m, x, y, still ? 0 : number(m, -most, most));
}

static void make_rotation(net_maker *m, bool flat)
{
    bool plain = chance(m, 40);
    push_real(m, plain || flat ? 0 : number(m, -1, 1));
    push_real(m, plain || flat ? 0 : number(m, -1, 1));
    push_real(m, plain ? 0 : number(m, -1, 1));
    push_real(m, plain ? 1 : number(m, 0.1, 1));
}

/* Whether a parameter is a bound, by the end of its name. */
static bool is_bound(const char *name, const char *end, const char *other)
{
    size_t length = strlen(name), of_end = strlen(end), of_other = strlen(other);
    return (length >= of_end && strcmp(name + length - of_end, end) == 0) ||
           (length >= of_other && strcmp(name + length - of_other, other) == 0);
}

/* A value of a parameter of a kind. */
static void make_param(net_maker *m, const sn_param *p, bool measured)
{
    double least = p->least == 0 && p->most == 0 ? -1 : fmax((double)p->least, -2);
    double most = p->least == 0 && p->most == 0 ? 1 : fmin((double)p->most, 2);
    bool flat = is_flat(m) && p->type == SN_PARAM_POSITION;
    if (m->featured && is_bound(p->name, "least", "min")) /* a range that is none is refused */
        most = fmin(most, 0);
    if (m->featured && is_bound(p->name, "most", "max"))
        least = fmax(least, 0);
    if (p->type == SN_PARAM_REAL)
        push_real(m, measured ? (double)SN_MEASURE : number(m, least, most));
    else if (measured)
        push_vector(m, (double)SN_MEASURE, (double)SN_MEASURE, (double)SN_MEASURE);
    else if (p->type == SN_PARAM_DIRECTION)
        make_direction(m, false);
    else
        make_vector(m, least, most, flat);
}

static bool has_param(const net_maker *m, const char *name)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    for (int i = 0; kind && i < SN_MAX_PARAMS && kind->param[i].name; ++i)
        if (strcmp(kind->param[i].name, name) == 0)
            return true;
    return false;
}

static void make_params(net_maker *m)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    uint32_t start = m->op->cells;
    for (int i = 0; kind && i < SN_MAX_PARAMS && kind->param[i].name; ++i)
        make_param(m, &kind->param[i],
                   (kind->measure || kind->param[i].has_default) &&
                       chance(m, m->featured ? 60 : 75)); /* otherwise it must be given */
    while (m->op->cells < start + SN_MAX_PARAM_NUMBERS)
        push_real(m, (double)SN_MEASURE);
}

/* ---- Numbers
   --------------------------------------------------------------------------------------------------------- */

/* Whether the argument that is being made has this name. */
static bool is_named(const net_maker *m, const char *name)
{
    return strcmp(m->leaf_name[m->leaf - 1], name) == 0;
}

static void make_near_place(net_maker *m)
{
    make_place(m, 1.5);
}

static void make_motion(net_maker *m)
{
    make_place(m, 5);
}

static void make_force(net_maker *m)
{
    make_place(m, chance(m, 80) ? 10 : 1000);
}

static void make_slow_spin(net_maker *m)
{
    make_spin(m, 5);
}

static void make_world_rotation(net_maker *m)
{
    make_rotation(m, is_flat(m));
}

static void make_own_rotation(net_maker *m)
{
    make_rotation(m, is_flat(m) && chance(m, 80));
}

static void make_any_direction(net_maker *m)
{
    make_direction(m, false);
}

static void make_flat_direction(net_maker *m)
{
    make_direction(m, true);
}

static void push_measured(net_maker *m)
{
    push_vector(m, (double)SN_MEASURE, (double)SN_MEASURE, (double)SN_MEASURE);
}

static void make_moments(net_maker *m)
{
    if (m->length && chance(m, 85))
        push_measured(m);
    else
        make_vector(m, 0.5, 1, false);
}

static void make_angles(net_maker *m)
{
    if (m->kind && is_named(m, "target_turn") && (!has_param(m, "swing") || chance(m, 60)))
        push_measured(m);
    else
        make_vector(m, -1, 1, false);
}

static void make_matrix(net_maker *m)
{
    double a = number(m, 0, 2), b = number(m, 0, 2), c = number(m, 0, 2);
    double k = chance(m, 50) ? 0 : fmin(a, b) / 2;
    const double entry[9] = {a, k, 0, k, b, 0, 0, 0, c};
    for (int i = 0; i < 9; ++i)
        push_real(m, entry[i]);
}

static void make_body_mass(net_maker *m)
{
    push_real(m, m->length && chance(m, 75) ? (double)SN_MEASURE : chance(m, 20) ? INFINITY : number(m, 0.1, 5));
}

/* Also of shapes: positive for round ones. */
static void make_radius(net_maker *m)
{
    push_real(m, m->shape > SN_SHAPE_CAPSULE && chance(m, 50) ? 0 : number(m, 0.05, 0.4));
}

static void make_compliance(net_maker *m)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    m->each = kind && (kind->project || kind->force) ? 0 : chance(m, m->featured ? 60 : 40);
    push_real(m, m->each ? number(m, 1e-6, 0.05) : 0);
}

/* It needs compliance, of a constraint. */
static void make_damping(net_maker *m)
{
    push_real(m, (m->kind && !m->each) || chance(m, m->featured ? 40 : 70) ? 0 : number(m, 0, 2));
}

/* What is to be stepped with a strength must not break at once. */
static void make_strength(net_maker *m)
{
    static const double strengths[] = {0, 10, 1e3, 1e4, 1e5, 1e6}; /* N, or N m */
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    if (m->featured)
        push_real(m, is_named(m, "torque") && kind && !kind->oriented ? 0 : strengths[draw(m, COUNT_OF(strengths))]);
    else
        push_real(m, chance(m, is_named(m, "torque") ? 60 : 50) ? 0 : number(m, 0, 200));
}

static void make_dynamic_friction(net_maker *m)
{
    push_real(m, between(m, 0, 0.25)); /* less than the static one, also in wild worlds */
}

static void make_anti_drift(net_maker *m)
{
    push_real(m, chance(m, 60) ? (double)SN_DRIFT_BY_TIME : chance(m, 30) ? 0 : number(m, 0, 1000));
}

static void make_joint_number(net_maker *m)
{
    bool is_own = m->kind == 0 || has_param(m, m->leaf_name[m->leaf - 1]);
    if (!is_own || chance(m, m->featured ? 50 : 75))
        push_real(m, m->kind == 0 ? number(m, -1, 1) : (double)SN_MEASURE);
    else if (is_named(m, "least"))
        push_real(m, number(m, -1, 0));
    else if (is_named(m, "target") || is_named(m, "speed"))
        push_real(m, number(m, -1, 1));
    else
        push_real(m, number(m, 0, strstr(m->leaf_name[m->leaf - 1], "compliance") ? 0.01 : 1));
}

#define A_FRAME ((double)(sn_real)(1.0 / 60))

#define RULE(type_, name_, ...)                                                                                        \
    {                                                                                                                  \
        .type = TYPE_##type_, .name = name_, __VA_ARGS__                                                               \
    }
#define BY(type_, name_, make_)            RULE(type_, name_, .make = make_)
#define RANGE(type_, name_, least_, most_) RULE(type_, name_, .least = least_, .most = most_)
#define MIXED(type_, name_, least_, most_, percent_, instead_)                                                         \
    RULE(type_, name_, .least = least_, .most = most_, .percent = percent_, .instead = instead_)
#define VECTOR(type_, name_, size_, least_, most_, percent_, instead_)                                                 \
    RULE(type_, name_, .size = size_, .least = least_, .most = most_, .percent = percent_, .instead = instead_)

/* How the numbers of an argument are made. Of the lines for its type the first counts whose name is its own or NULL. */
static const struct number_rule {
    net_type type;
    const char *name;
    void (*make)(net_maker *m); /* if not as the rest of the line says: */
    double least, most;
    uint32_t percent; /* of which the number is `instead` */
    double instead;
    enum { ONE, THREE, IN_PLANE } size; /* a number; a vector; a vector whose z is 0 in a flat world */
} number_rules[] = {
    BY(PLACE, NULL, make_near_place),
    BY(MOTION, NULL, make_motion),
    BY(FORCE, NULL, make_force),
    BY(SPIN, NULL, make_slow_spin),
    BY(TORQUE, NULL, make_slow_spin),
    BY(RUNNING, NULL, make_slow_spin),
    BY(ROTATION, NULL, make_world_rotation),
    BY(OWN_ROTATION, NULL, make_own_rotation),
    BY(DIRECTION, NULL, make_any_direction),
    BY(FLAT_DIRECTION, NULL, make_flat_direction),
    VECTOR(HALF, NULL, THREE, 0.1, 0.6, 0, 0),
    VECTOR(OWN_PLACE, NULL, IN_PLANE, -0.4, 0.4, 0, 0),
    VECTOR(CUT_CORNER, NULL, THREE, -2, 2, 0, 0),
    VECTOR(CENTRE, NULL, IN_PLANE, -0.2, 0.2, 85, (double)SN_MEASURE),
    BY(MOMENTS, NULL, make_moments),
    BY(ANGLES, NULL, make_angles),
    BY(MATRIX, NULL, make_matrix),
    VECTOR(CORNER, "high", THREE, 0, 0, 100, 1),
    VECTOR(CORNER, NULL, THREE, 0, 0, 100, -1),
    MIXED(STEP, NULL, 0, 0.05, 85, A_FRAME),
    MIXED(MASS, NULL, 0.1, 3, 12, INFINITY),
    BY(BODY_MASS, NULL, make_body_mass),
    MIXED(INVERSE_MASS, NULL, 0.2, 3, 20, 0),
    BY(RADIUS, NULL, make_radius),
    RANGE(LENGTH_M, NULL, 0.5, 2),
    RANGE(EXTENT, NULL, 0.1, 0.6),
    RANGE(DENSITY, NULL, 1, 1000),
    MIXED(OWN_DENSITY, NULL, 1, 1000, 70, 0),
    BY(COMPLIANCE, NULL, make_compliance),
    MIXED(AMOUNT, "tolerance", 0, 0.01, 80, 0),
    BY(AMOUNT, "damping", make_damping),
    MIXED(AMOUNT, "drift_time", 0.01, 0.5, 60, 0),
    MIXED(AMOUNT, "sleep_speed", 0, 1, 10, 0.01),
    MIXED(AMOUNT, "sleep_time", 0, 0.1, 10, 0),
    MIXED(AMOUNT, "strength", 0, 200, 70, 0),
    BY(AMOUNT, "force", make_strength),
    BY(AMOUNT, "torque", make_strength),
    MIXED(AMOUNT, "torque_strength", 0, 200, 80, 0),
    RANGE(AMOUNT, "strain", 0.01, 0.5),
    MIXED(AMOUNT, "rest_gap", 0, 0.3, 80, 0),
    MIXED(AMOUNT, "spin_damping", 0, 2, 70, 0),
    MIXED(AMOUNT, "pressure", 0, 3, 40, 1),
    MIXED(AMOUNT, NULL, 0, 2, 30, 0),
    RANGE(STIFFNESS, NULL, 0, 100),
    MIXED(POSITIVE, "dt", 0, 0, 100, A_FRAME),
    RANGE(POSITIVE, NULL, 0.05, 2),
    MIXED(POSITIVE_OR_INFINITE, NULL, 1e-6, 0.1, 30, INFINITY),
    RANGE(SPREAD, NULL, 0, 0.9),
    MIXED(SHARE, NULL, 0, 1, 50, 1),
    BY(FRICTION, "dynamic_friction", make_dynamic_friction),
    RANGE(FRICTION, NULL, 0.25, 1),
    RANGE(RELAXATION, NULL, 0.5, 2),
    BY(ANTI_DRIFT, NULL, make_anti_drift),
    MIXED(BOUNCE, NULL, 0, 1, 50, -1),
    MIXED(REST, "least", 0.05, 1, 60, (double)SN_MEASURE),
    MIXED(REST, "most", 1, 2, 60, (double)SN_MEASURE),
    MIXED(REST, NULL, 0.05, 2, 60, (double)SN_MEASURE),
    MIXED(SIGNED, "rest", -1, 1, 60, (double)SN_MEASURE),
    RANGE(SIGNED, "least", -1, 0),
    RANGE(SIGNED, "most", 0, 1),
    RANGE(SIGNED, NULL, -1, 1),
    MIXED(DISTANCE, NULL, -1, 1, 50, INFINITY),
    RANGE(ANGLE, "least", -1, 0),
    RANGE(ANGLE, "most", 0, 1),
    MIXED(ANGLE, NULL, -1.5, 1.5, 60, (double)SN_MEASURE),
    RANGE(TURN, NULL, 0, 3),
    BY(JOINT_NUMBER, NULL, make_joint_number),
    MIXED(DRIVE_MOST, NULL, 0, 100, 30, 0),
    BY(PARAMS, NULL, make_params),
    RANGE(CHARACTER_NUMBER, "radius", 0.1, 0.4),
    RANGE(CHARACTER_NUMBER, "height", 1, 2),
    MIXED(CHARACTER_NUMBER, "step_height", 0, 0.5, 20, 0),
    RANGE(CHARACTER_NUMBER, "slope_limit", 0, 1.5),
    RANGE(CHARACTER_NUMBER, "skin", 0.001, 0.02),
    MIXED(CHARACTER_NUMBER, "mass", 0, 100, 20, 0),
    RANGE(CHARACTER_NUMBER, "push", 0, 1000),
};

static void make_reals(net_maker *m, net_type type)
{
    const struct number_rule *r = number_rules, *end = number_rules + COUNT_OF(number_rules);
    while (r < end && (r->type != type || (r->name && !is_named(m, r->name))))
        ++r;
    if (r == end)
        fail_msg("no numbers for %s", net_type_of(type)->name);
    if (r->make) {
        r->make(m);
        return;
    }
    bool instead = r->percent == 100 || (r->percent && chance(m, m->featured ? r->percent / 2 : r->percent));
    if (r->size == ONE)
        push_real(m, instead ? r->instead : number(m, r->least, r->most));
    else if (instead)
        push_vector(m, r->instead, r->instead, r->instead);
    else
        make_vector(m, r->least, r->most, r->size == IN_PLANE && is_flat(m));
}

/* ---- Integers
   --------------------------------------------------------------------------------------------------------- */

static bool fits(const net_maker *m, const sn_kind *kind, net_type type)
{
    bool surface = kind->points == 0 && kind->repeats, list = kind->points == 0 && !surface;
    if (kind->spatial && is_flat(m))
        return false;
    switch (type) {
    case TYPE_BULK_KIND:
        return kind->points && !kind->oriented;
    case TYPE_LIST_KIND:
        return list;
    case TYPE_SURFACE_KIND:
        return surface;
    case TYPE_MATCH_KIND:
        return strncmp(kind->name, "shape_match", 11) == 0;
    case TYPE_JOINT_KIND:
        return kind->oriented;
    default:
        return !kind->oriented || sn_world_body_count(m->stage->world);
    }
}

static uint32_t make_kind(net_maker *m, net_type type)
{
    uint32_t count = sn_kind_count(m->stage->world);
    m->kind = 0;
    for (int tries = 0; tries < 200; ++tries) {
        uint32_t kind = 1 + (m->featured ? m->turn++ % (count - 1) : draw(m, count - 1));
        m->kind = kind;
        if (fits(m, sn_kind_info(m->stage->world, kind), type))
            break;
    }
    return m->kind;
}

/* How many points a constraint of the kind at hand gets, and how many constraints or points a call. */
static uint32_t make_count(net_maker *m, const char *name)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    bool surface = kind && kind->points == 0 && kind->repeats;
    if (strcmp(name, "point_count") == 0) {
        if (m->op->call == CALL_sn_constraint_change && kind && kind->points == 0)
            return m->count = sn_constraint_point_count(m->stage->world, m->constraint);
        return m->count = !kind          ? 2
                          : surface      ? 12
                          : kind->points ? kind->points
                                         : kind->least_points + draw(m, 3) * (kind->point_step ? kind->point_step : 1);
    }
    if (m->op->call == CALL_sn_constraint_add_surface)
        return m->count = 4;
    if (m->op->call == CALL_sn_constraints_add_lists)
        return m->count = draw(m, 4);
    return m->count = m->op->call == CALL_sn_constraints_add_collinear  ? 3 + draw(m, 3)
                      : m->op->call == CALL_sn_constraints_add_coplanar ? 4 + draw(m, 3)
                                                                        : 2 + draw(m, 4);
}

static uint64_t make_number(net_maker *m, net_type type, const char *name)
{
    switch (type) {
    case TYPE_COUNT:
    case TYPE_COUNT_NOT_0:
        return make_count(m, name);
    case TYPE_LENGTH:
    case TYPE_LENGTH_NOT_0:
        return m->length;
    case TYPE_TRIANGLES:
        return m->length / 3;
    case TYPE_SEGMENTS:
        return m->length / 2;
    case TYPE_CELLS:
        return m->length / 8;
    case TYPE_GROUP:
        if (m->op->call != CALL_sn_world_set_group_field)
            return chance(m, 50) ? 0 : draw(m, 4);
        /* fall through */
    case TYPE_FULL_GROUP: {
        net_cell cell = pick(m, TYPE_PARTICLE);
        return sn_particle_group(m->stage->world, net_particle(m->stage, &cell));
    }
    case TYPE_QUERY_WHAT:
        return 1 + draw(m, 31);
    case TYPE_BITS:
        return chance(m, 60) ? UINT32_MAX : draw(m, 4);
    case TYPE_MADE:
        return m->op->call == CALL_sn_body_add    ? sn_default_body_def().made
               : m->op->call == CALL_sn_joint_add ? sn_default_joint_def(1).made
                                                  : sn_default_constraint_def(1).made;
    case TYPE_SAME_KIND:
        return m->kind;
    case TYPE_KIND:
    case TYPE_BULK_KIND:
    case TYPE_LIST_KIND:
    case TYPE_SURFACE_KIND:
    case TYPE_MATCH_KIND:
    case TYPE_JOINT_KIND:
        return make_kind(m, type);
    case TYPE_SUBSTEPS:
        return 1 + draw(m, 4);
    case TYPE_MOST_SUBSTEPS: /* never below the least */
        return 4 + draw(m, 4);
    case TYPE_PASSES:
        return draw(m, 4);
    case TYPE_STEPS:
        return 1 + draw(m, 6);
    case TYPE_THREADS:
        return 1 + draw(m, 3);
    case TYPE_AGO:
        return draw(m, 2);
    case TYPE_SHAPE_NUMBER:
        return 0;
    default:
        fail_msg("no number for %s", net_type_of(type)->name);
        return 0;
    }
}

static uint32_t choices(net_type type)
{
    switch (type) {
    case TYPE_SOLVER:
        return SN_SOLVER_TILED + 1;
    case TYPE_INTEGRATOR:
        return SN_INTEGRATOR_BDF2 + 1;
    case TYPE_ORDER:
        return SN_ORDER_THERE_AND_BACK + 1;
    case TYPE_MIX:
        return SN_MIX_MOST + 1;
    case TYPE_SHAPE_TYPE:
        return SN_SHAPE_CONE + 1;
    case TYPE_BODY_TYPE:
    case TYPE_MOVED_TYPE:
        return SN_BODY_KINEMATIC + 1;
    case TYPE_FIXED_TYPE:
    case TYPE_FIELD_TYPE:
        return SN_SHAPE_FIELD + 1;
    case TYPE_BLADE:
        return SN_BLADE_PLANE + 1;
    case TYPE_DRAG_FORM:
        return SN_DRAG_RIGID + 1;
    default:
        return 2;
    }
}

static void make_choice(net_maker *m, net_type type)
{
    uint32_t value = draw(m, choices(type));
    if (type == TYPE_SOLVER)
        m->each = value = chance(m, 40) ? SN_SOLVER_TILED : value;
    if (type == TYPE_ORDER && m->each == SN_SOLVER_TILED)
        value = SN_ORDER_THERE_AND_BACK;
    if (type == TYPE_INTEGRATOR)
        m->shape = value =
            chance(m, 50) ? SN_INTEGRATOR_SYMPLECTIC_EULER
            : value == SN_INTEGRATOR_BDF2 && (m->each == SN_SOLVER_IMPULSES || m->each == SN_SOLVER_LAGRANGE)
                ? SN_INTEGRATOR_VERLET
                : value;
    if (type == TYPE_GRADIENTS && (m->shape == SN_INTEGRATOR_BDF2 || chance(m, 60)))
        value = SN_GRADIENTS_CURRENT;
    if (type == TYPE_FIELD_TYPE)
        value = SN_SHAPE_FIELD;
    if (type == TYPE_FIXED_TYPE && (value == SN_SHAPE_HULL || value == SN_SHAPE_HEIGHTS))
        value = SN_SHAPE_PLANE; /* lists of their own are not made here */
    if (type == TYPE_BODY_TYPE)
        value = SN_BODY_DYNAMIC; /* others have calls of their own */
    if (type == TYPE_MOVED_TYPE && value == SN_BODY_DYNAMIC)
        value = SN_BODY_KINEMATIC;
    if (type == TYPE_SHAPE_TYPE || type == TYPE_FIXED_TYPE || type == TYPE_FIELD_TYPE) {
        m->shape = value;
        m->each = draw(m, 3); /* what a field is made from: a function, samples, a mesh */
        m->corners = 0;
    }
    push_number(m, value);
}

/* ---- Points and lists
   --------------------------------------------------------------------------------------------------- */

static void make_point(net_maker *m)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    bool oriented = kind && kind->oriented, bodies = sn_world_body_count(m->stage->world) > 0;
    uint32_t roll = kind && (kind->project || kind->points == 0) ? 0 : draw(m, 100);
    uint32_t count = oriented || roll >= 75 ? 0 : roll >= 68 ? 4 : roll >= 58 ? 3 : 1;
    sn_point_type type = count                                                    ? SN_POINT_PARTICLES
                         : (oriented ? bodies && roll < 85 : bodies && roll < 95) ? SN_POINT_BODY
                                                                                  : SN_POINT_PLACE;
    if (!oriented && !bodies && type == SN_POINT_PLACE && roll < 95) {
        type = SN_POINT_PARTICLES;
        count = 1;
    }
    for (uint32_t i = 0; i < 4; ++i)
        if (i < count)
            make_handle(m, TYPE_PARTICLE);
        else
            net_op_push(m->op, (net_cell){.type = CELL_HANDLE, .flaw = FLAW_NULL});
    static const double weights[5][4] = {
        {0, 0, 0, 0}, {1, 0, 0, 0}, {0}, {0.5, 0.25, 0.25, 0}, {0.25, 0.25, 0.125, 0.375}};
    for (uint32_t i = 0; i < 4; ++i)
        push_real(m, weights[count][i]);
    push_number(m, count);
    push_number(m, type);
    if (type == SN_POINT_BODY)
        make_handle(m, TYPE_BODY);
    else
        net_op_push(m->op, (net_cell){.type = CELL_HANDLE, .flaw = FLAW_NULL});
    if (count)
        push_vector(m, 0, 0, 0);
    else
        make_place(m, type == SN_POINT_BODY ? 0.5 : 1.5);
    if (count) {
        push_vector(m, 0, 0, 0);
        push_real(m, 0);
    } else
        make_rotation(m, is_flat(m));
}

static void make_value(net_maker *m, net_type type, const char *name);

static const double mesh_corner[8][3] = {{-.5, -.5, -.5}, {.5, -.5, -.5}, {.5, .5, -.5}, {-.5, .5, -.5},
                                         {-.5, -.5, .5},  {.5, -.5, .5},  {.5, .5, .5},  {-.5, .5, .5}};
static const uint32_t box_triangles[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                           2, 3, 7, 2, 7, 6, 1, 2, 6, 1, 6, 5, 0, 4, 7, 0, 7, 3};
static const uint32_t tetrahedron[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

/* An argument that is made of others, so that one alone is not spoilt. */
static void skip_leaf(net_maker *m, uint32_t bad)
{
    if (m->leaf < NET_LEAVES) {
        m->all_bad[m->leaf] = bad;
        m->leaf_name[m->leaf++] = "item";
    }
}

/* A list of items that are leaves of their own. */
static void make_items(net_maker *m, net_type of, uint32_t count, const char *name)
{
    push_list(m, count, false);
    m->length = count;
    for (uint32_t i = 0; i < count; ++i)
        make_value(m, of, name);
    m->length = count;
}

/* Particles by their numbers: each constraint of its own ones. */
static void make_numbers(net_maker *m)
{
    uint32_t call = m->op->call, count = m->count;
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    if (call == CALL_sn_constraint_add_surface) {
        push_list(m, 12, false);
        net_cell corner[4];
        for (int i = 0; i < 4; ++i)
            corner[i] = pick(m, TYPE_PARTICLE_NUMBER);
        for (int i = 0; i < 12; ++i) {
            net_op_push(m->op, corner[tetrahedron[i]]);
            skip_leaf(m, 0);
        }
        m->length = 12;
        return;
    }
    if (call == CALL_sn_constraints_add || call == CALL_sn_constraints_add_kind)
        count *= kind ? kind->points : 1;
    if (call == CALL_sn_skin_add)
        count = 3 * (1 + draw(m, 3));
    if (call == CALL_sn_skin_set_cells)
        count = 8 * (1 + draw(m, 2));
    make_items(m, TYPE_PARTICLE_NUMBER, count, "index");
}

/* Where the lists of several constraints begin; m->count becomes the length of all together. */
static void make_starts(net_maker *m)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    uint32_t at = 0, count = m->count, least = kind && kind->least_points ? kind->least_points : 2;
    push_list(m, count + 1, false);
    for (uint32_t i = 0; i <= count; ++i) {
        push_number(m, at);
        skip_leaf(m, 0);
        if (i < count)
            at += least + draw(m, 2) * (kind && kind->point_step ? kind->point_step : 1);
    }
    m->count = at;
}

static void make_box_corners(net_maker *m, bool mesh)
{
    bool wanted = !mesh                             ? m->shape == SN_SHAPE_HULL
                  : m->op->call == CALL_sn_body_add ? chance(m, 12)
                  : m->shape == SN_SHAPE_MESH       ? true
                                                    : m->shape == SN_SHAPE_FIELD && m->each == 2;
    m->length = m->corners = 0;
    push_list(m, wanted ? 8 : 0, !wanted);
    double size = between(m, 0.5, 1.5);
    for (int i = 0; i < 8 && wanted; ++i) {
        push_vector(m, size * mesh_corner[i][0], size * mesh_corner[i][1], size * mesh_corner[i][2]);
        skip_leaf(m, 0);
    }
    if (wanted)
        m->length = m->corners = 8;
}

static void make_mesh_triangles(net_maker *m)
{
    bool open = m->op->call == CALL_fixed_add && m->shape == SN_SHAPE_MESH && chance(m, 40);
    uint32_t count = !m->corners ? 0 : open ? 6 : 36;
    push_list(m, count, !count);
    for (uint32_t i = 0; i < count; ++i) {
        push_number(m, box_triangles[i]);
        skip_leaf(m, 0);
    }
    m->length = count;
}

/* Segments of a skin: mostly none, since those with some need self_collision. */
static void make_ends(net_maker *m)
{
    const uint32_t count = chance(m, 75) ? 0 : 2 * (1 + (uint32_t)draw(m, 2));
    push_list(m, count, !count);
    m->length = count;
    for (uint32_t i = 0; i < count; ++i)
        make_value(m, TYPE_PARTICLE_NUMBER, "end");
    m->length = count;
}

/* The corners of a tetrahedron, triangle by triangle. */
static void make_closed_surface(net_maker *m)
{
    net_cell corner[4];
    push_list(m, m->count, false);
    for (int i = 0; i < 4; ++i)
        corner[i] = pick(m, TYPE_PARTICLE);
    for (uint32_t i = 0; i < m->count; ++i) {
        net_op_push(m->op, corner[tetrahedron[i % 12]]);
        for (int k = 0; k < 3; ++k)
            net_op_push(m->op, (net_cell){.type = CELL_HANDLE, .flaw = FLAW_NULL});
        for (int k = 0; k < 4; ++k)
            push_real(m, k == 0);
        push_number(m, 1);
        push_number(m, SN_POINT_PARTICLES);
        net_op_push(m->op, (net_cell){.type = CELL_HANDLE, .flaw = FLAW_NULL});
        for (int k = 0; k < 7; ++k)
            push_real(m, 0);
        skip_leaf(m, 0);
    }
}

static void make_points(net_maker *m)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    if (kind && kind->points == 0 && kind->repeats)
        make_closed_surface(m);
    else
        make_items(m, TYPE_POINT, m->count, m->leaf_name[m->leaf - 1]);
}

static void make_no_points(net_maker *m)
{
    push_list(m, 0, true);
}

static void make_corners(net_maker *m)
{
    make_box_corners(m, false);
}

static void make_mesh_corners(net_maker *m)
{
    make_box_corners(m, true);
}

/* own: of points, instead of the constraint. */
static void make_lists_of_params(net_maker *m, bool own)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    uint32_t each = own ? sn_kind_point_param_count(kind) : sn_kind_param_count(kind);
    bool given = kind && each && chance(m, 30);
    push_list(m, given ? m->count * each : 0, !given);
    for (uint32_t i = 0; given && i < m->count; ++i)
        for (const sn_param *p = own ? kind->point_param : kind->param; p->name; ++p)
            make_param(m, p, (own ? kind->measure_points != NULL : kind->measure != NULL) && chance(m, 60));
}

static void make_param_lists(net_maker *m)
{
    make_lists_of_params(m, false);
}

static void make_point_params(net_maker *m)
{
    make_lists_of_params(m, true);
}

static void make_state(net_maker *m)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    bool given = kind && kind->state && chance(m, 20);
    push_list(m, given ? kind->state : 0, !given);
    for (uint32_t i = 0; given && i < kind->state; ++i)
        push_real(m, 0);
}

static void make_values(net_maker *m)
{
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    const sn_param *p = kind && m->param >= 0 ? &kind->param[m->param] : NULL;
    m->length = p && p->type != SN_PARAM_REAL ? 3 : 1;
    push_list(m, m->length, false);
    if (p)
        make_param(m, p, kind->measure && chance(m, 20));
    else
        push_real(m, 1);
}

static void make_shapes(net_maker *m)
{
    make_items(m, TYPE_BODY_SHAPE, chance(m, 15) ? 0 : 1 + draw(m, 3), m->leaf_name[m->leaf - 1]);
}

/* Distances from a sphere. */
static void make_samples(net_maker *m)
{
    bool given = m->shape == SN_SHAPE_FIELD && m->each == 1;
    push_list(m, given ? 125 : 0, !given);
    for (int i = 0; given && i < 125; ++i) {
        double x = i % 5 * 0.5 - 1, y = i / 5 % 5 * 0.5 - 1, z = i / 25 * 0.5 - 1;
        push_real(m, sqrt(x * x + y * y + z * z) - 0.6);
    }
}

/* Lists that are more than their items. */
static const struct list_rule {
    net_type type;
    void (*make)(net_maker *m);
} list_rules[] = {
    {TYPE_POINTS, make_points},
    {TYPE_NO_POINTS, make_no_points},
    {TYPE_NUMBERS, make_numbers},
    {TYPE_STARTS, make_starts},
    {TYPE_CORNERS, make_corners},
    {TYPE_MESH_CORNERS, make_mesh_corners},
    {TYPE_MESH_TRIANGLES, make_mesh_triangles},
    {TYPE_ENDS, make_ends},
    {TYPE_PARAM_LISTS, make_param_lists},
    {TYPE_POINT_PARAMS, make_point_params},
    {TYPE_STATE, make_state},
    {TYPE_VALUES, make_values},
    {TYPE_SHAPES, make_shapes},
    {TYPE_SAMPLES, make_samples},
};

static void make_list(net_maker *m, net_type type, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(list_rules); ++i)
        if (list_rules[i].type == type) {
            list_rules[i].make(m);
            return;
        }
    make_items(m, (net_type)net_type_of(type)->of, m->count, name);
}

/* ---- Spoiling -------------------------------------------------------------------------------------------------------
   */

static void spoil_reals(net_cell *cell, uint32_t count, uint32_t bad, uint32_t which)
{
    double value = bad == SN_BAD_NAN         ? NAN
                   : bad == SN_BAD_INFINITE  ? INFINITY
                   : bad == SN_BAD_NEGATIVE  ? -1
                   : bad == SN_BAD_ABOVE_ONE ? 1.5
                   : bad == SN_BAD_TINY      ? 1e-31
                   : bad == SN_BAD_HUGE      ? 1e31
                                             : 0.25;
    if (bad == SN_BAD_ZERO)
        for (uint32_t i = 0; i < count; ++i)
            cell[i].as.real = 0;
    else if (bad == SN_BAD_DEPTH)
        cell[2].as.real = value;
    else if (bad == SN_BAD_TILT)
        cell[which % 2].as.real = value;
    else
        cell[which % count].as.real = value;
}

/* Makes the value in these cells bad. False if it cannot be. */
static bool spoil(net_maker *m, net_type type, net_cell *cell, uint32_t cells)
{
    const net_type_info *info = net_type_of(type);
    const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
    uint32_t bad = m->bad, params = sn_kind_param_count(kind);
    bool flat = is_flat(m);
    if ((bad == SN_BAD_DEPTH || bad == SN_BAD_TILT) && !flat)
        return false;
    switch (info->class) {
    case CLASS_WORLD:
    case CLASS_OUT:
        cell->as.number = 0;
        return true;
    case CLASS_HANDLE:
        cell->flaw = bad == SN_BAD_NULL                            ? FLAW_NULL
                     : cell->flaw == FLAW_NULL || (cell->item & 1) ? FLAW_WILD
                                                                   : FLAW_GENERATION;
        if (type == TYPE_PARTICLE_NUMBER)
            cell->flaw = FLAW_WILD;
        return true;
    case CLASS_DOUBLE:
    case CLASS_REALS:
        if (type == TYPE_PARAMS && !params)
            return false;
        spoil_reals(cell, type == TYPE_PARAMS ? params : cells, bad, (uint32_t)m->random);
        return true;
    case CLASS_NUMBER:
    case CLASS_SIZE:
    case CLASS_CHOICE:
        cell->as.number = bad == SN_BAD_ZERO                                                           ? 0
                          : type == TYPE_STRIDE                                                        ? 1
                          : type == TYPE_FULL_GROUP                                                    ? 0xfffffff0u
                          : type == TYPE_SUBSTEPS || type == TYPE_MOST_SUBSTEPS || type == TYPE_PASSES ? 100001
                          : info->class == CLASS_CHOICE && type != TYPE_FIELD_TYPE                     ? choices(type)
                          : type == TYPE_FIELD_TYPE                                                    ? SN_SHAPE_BOX
                                                                                                       : 0x7fffffffu;
        return true;
    case CLASS_POINT:
        if (cell[9].as.number == SN_POINT_PARTICLES && bad == SN_BAD_STALE)
            cell[0].flaw = FLAW_GENERATION;
        else if (cell[9].as.number == SN_POINT_PARTICLES)
            cell[4].as.real = NAN;
        else if (cell[9].as.number == SN_POINT_BODY && bad == SN_BAD_STALE)
            cell[10].flaw = FLAW_WILD;
        else if (bad == SN_BAD_NAN)
            cell[11].as.real = NAN;
        else
            return false;
        return cell[9].as.number != SN_POINT_PARTICLES || bad == SN_BAD_STALE || cell[8].as.number > 1;
    case CLASS_RECORD:
    case CLASS_LIST:
        if (cell->flaw || (info->class == CLASS_LIST && !cell->as.number))
            return false;
        cell->flaw = 1;
        return true;
    case CLASS_CODE:
        cell->as.number = bad == SN_BAD_NULL ? 0 : 4 + (m->random & 3);
        return true;
    case CLASS_TEXT:
        cell->flaw = bad == SN_BAD_NULL;
        cell->as.number = SN_MAX_PARAMS;
        return true;
    default:
        return false;
    }
}

/* ---- Values ---------------------------------------------------------------------------------------------------------
   */

static void make_fields(net_maker *m, net_struct number)
{
    const net_struct_info *s = net_struct_of(number);
    uint32_t first = m->op->cells, leaf[40];
    for (uint32_t i = 0; i < s->fields; ++i) {
        leaf[i] = m->leaf;
        make_value(m, s->field[i].type, s->field[i].name);
    }
    leaf[s->fields] = m->leaf;
    if (m->bad_argument != UINT32_MAX)
        return;
    _Alignas(16) char data[1024];
    m->stage->used = 0;
    const net_cell *cell = m->op->cell + first;
    memset(data, 0, sizeof data);
    for (uint32_t i = 0; i < s->fields; ++i)
        cell = net_read(m->stage, s->field[i].type, cell, data + s->field[i].offset);
    for (uint32_t i = 0; i < s->fields; ++i)
        if (!s->field[i].counts(data))
            for (uint32_t k = leaf[i]; k < leaf[i + 1]; ++k)
                m->all_bad[k] = 0;
}

static void make_leaf(net_maker *m, net_type type, const char *name)
{
    const net_type_info *info = net_type_of(type);
    switch (info->class) {
    case CLASS_WORLD:
        push_number(m, 1);
        break;
    case CLASS_OUT:
        push_number(m, !(info->bad & SN_BAD_NULL) && chance(m, 5) ? 0 : 1);
        break;
    case CLASS_HANDLE:
        make_handle(m, type);
        break;
    case CLASS_DOUBLE:
        /* a clock would make two runs differ */
        push_real(m, type == TYPE_WALL_SECONDS ? 0 : chance(m, 85) ? 1.0 / 60 : number(m, 0, 0.2));
        break;
    case CLASS_REALS:
        make_reals(m, type);
        break;
    case CLASS_NUMBER:
        if (type == TYPE_SAMPLE_COUNT)
            for (int i = 0; i < 3; ++i)
                push_number(m, 5);
        else if (type == TYPE_VERTEX_NUMBER)
            push_number(m, 0);
        else
            push_number(m, make_number(m, type, name));
        break;
    case CLASS_SIZE:
        push_number(m, type == TYPE_BYTES ? 65536u * (1 + draw(m, 4)) : 0);
        break;
    case CLASS_USER:
        push_number(m, draw(m, 10));
        break;
    case CLASS_TRUTH:
        push_number(m, strcmp(name, "on") == 0 || strcmp(name, "particles") == 0      ? !chance(m, 10)
                       : strcmp(name, "profile") == 0                                 ? chance(m, 30)
                       : strcmp(name, "parallel") == 0 || strcmp(name, "sensor") == 0 ? chance(m, 10)
                                                                                      : chance(m, 40));
        break;
    case CLASS_CHOICE:
        make_choice(m, type);
        break;
    case CLASS_POINT:
        make_point(m);
        break;
    case CLASS_CODE:
        push_number(m, type == TYPE_FIELD_FUNCTION       ? 1 + (chance(m, 60) ? draw(m, 2) : draw(m, NET_FIELDS - 1))
                       : type == TYPE_NEW_KIND           ? 1 + draw(m, 3)
                       : type == TYPE_CANCEL_FUNCTION    ? (chance(m, 20) ? 2 : draw(m, 2))
                       : type == TYPE_FILTER_FUNCTION    ? draw(m, NET_FILTERS)
                       : type == TYPE_TEAR_FUNCTION      ? draw(m, NET_TEARS)
                       : type == TYPE_PRE_SOLVE_FUNCTION ? (chance(m, 10) ? 3 : draw(m, 3))
                       : type == TYPE_DISTANCE_FUNCTION
                           ? (m->shape == SN_SHAPE_FIELD && m->each == 0 ? 1 + draw(m, 2) : 0)
                           : 1);
        break;
    case CLASS_TEXT: {
        const sn_kind *kind = sn_kind_info(m->stage->world, m->kind);
        uint32_t count = 0;
        while (kind && kind->param[count].name)
            ++count;
        m->param = count ? (int)draw(m, count) : -1;
        net_op_push(m->op, (net_cell){.type = CELL_NUMBER,
                                      .item = m->kind,
                                      .as.number = m->param < 0 ? SN_MAX_PARAMS : (uint64_t)m->param});
        break;
    }
    default:
        break;
    }
}

static void make_value(net_maker *m, net_type type, const char *name)
{
    const net_type_info *info = net_type_of(type);
    uint32_t first = m->op->cells, leaf = m->leaf;
    if (info->class == CLASS_STRUCT) {
        make_fields(m, (net_struct)info->of);
        return;
    }
    if (leaf >= NET_LEAVES)
        fail_msg("a call with more than %d arguments", NET_LEAVES);
    m->all_bad[leaf] = info->bad;
    m->leaf_name[leaf] = name;
    m->leaf++;
    if (info->class == CLASS_RECORD) {
        bool null = !(info->bad & SN_BAD_NULL) && type != TYPE_RELAX_DEF && chance(m, 20);
        push_list(m, 1, null);
        make_fields(m, (net_struct)info->of);
        if (null)
            for (uint32_t k = leaf; k < m->leaf; ++k)
                m->all_bad[k] = 0;
    } else if (info->class == CLASS_LIST)
        make_list(m, type, name);
    else
        make_leaf(m, type, name);
    if (leaf == m->bad_argument)
        m->spoilt = spoil(m, type, m->op->cell + first, m->op->cells - first);
}

void net_make_arguments(net_maker *m, net_op *op)
{
    const net_call_info *call = net_call_of((net_call)op->call);
    m->op = op;
    op->cells = 0;
    m->leaf = 0;
    m->spoilt = false;
    m->kind = m->count = m->length = m->each = m->corners = 0;
    m->shape = 0;
    m->param = -1;
    m->constraint = (sn_constraint){0, 0, 0};
    for (uint32_t i = 0; i < call->arguments; ++i)
        make_value(m, call->argument[i].type, call->argument[i].name);
}

/* ---- Programs -------------------------------------------------------------------------------------------------------
   */

static void make_other(net_maker *m, net_op *op)
{
    m->op = op;
    op->cells = 0;
    m->kind = 0;
    switch (op->call) {
    case OP_QUERY: /* which, from where, to where, length, radius, of what */
        push_number(m, draw(m, 5));
        for (int i = 0; i < 6; ++i)
            push_real(m, number(m, -2, 2));
        push_real(m, chance(m, 30) ? INFINITY : number(m, 0, 5));
        push_real(m, number(m, 0, 1));
        push_number(m, chance(m, 60) ? SN_QUERY_ALL : 1 + draw(m, 31));
        break;
    case OP_EVENTS:
        push_number(m, draw(m, 8));
        break;
    case OP_COPY:
        net_op_push(m->op, pick(m, (net_type[]){TYPE_BODY, TYPE_FIXED, TYPE_CONSTRAINT}[draw(m, 3)]));
        break;
    default: /* OP_GRID: how many each way, and whether it is a cloth */
        push_number(m, 20 + draw(m, 24));
        push_number(m, chance(m, 70));
        break;
    }
}

/* Makes one argument bad in one of the ways that the list has for it; otherwise leaves the op as it is. */
static void make_bad(net_maker *m, net_op *op, uint64_t seed, uint32_t turn)
{
    uint32_t leaves = m->leaf;
    uint64_t random = m->random;
    for (int tries = 0; tries < 10; ++tries) {
        uint32_t leaf = support_random_below(&random, leaves), bad = 1u << support_random_below(&random, 12);
        if (!(m->all_bad[leaf] & bad))
            continue;
        m->random = seed; /* the same once more, but for one */
        m->turn = turn;
        m->bad_argument = leaf;
        m->bad = bad;
        net_make_arguments(m, op);
        m->bad_argument = UINT32_MAX;
        if (m->spoilt) {
            op->bad = bad;
            op->bad_at = leaf;
        }
        break;
    }
}

static bool is_enabled(const net_maker *m, uint32_t call)
{
    return m->enabled[call / 32] >> call % 32 & 1;
}

/* In every third world kinds take turns, and most constraints have features: compliance and damping, k, a strength,
   limits, motors. Particles and bodies come first, constraints and steps by turns, then everything. */
static uint32_t choose_featured(net_maker *m, uint32_t done, uint32_t ops)
{
    static const uint32_t first[] = {CALL_sn_particles_add,   CALL_sn_body_add_box,     CALL_sn_particles_add,
                                     CALL_sn_body_add_sphere, CALL_sn_body_add_capsule, CALL_sn_particles_add};
    static const uint32_t then[] = {
        CALL_sn_constraint_add, CALL_sn_constraint_add,          CALL_sn_constraint_add,          CALL_sn_joint_add,
        CALL_sn_constraint_add, CALL_sn_constraint_set_strength, CALL_sn_constraint_set_strength, CALL_sn_world_step};
    if (done < COUNT_OF(first))
        return first[done];
    if (done < 2 * ops / 3)
        return then[draw(m, COUNT_OF(then))];
    return chance(m, 50) ? (uint32_t)CALL_sn_world_step : OP_COUNT;
}

/* A call that is not switched off in this world: things first, then steps, edits and all the rest. */
static uint32_t choose(net_maker *m, uint32_t done, uint32_t ops)
{
    static const uint32_t things[] = {
        CALL_sn_particle_add_at,        CALL_sn_particles_add,  CALL_sn_particle_add,     CALL_sn_body_add,
        CALL_sn_body_add_sphere,        CALL_sn_body_add_box,   CALL_sn_body_add_capsule, CALL_fixed_add,
        CALL_sn_static_add_plane,       CALL_sn_static_add_box, CALL_sn_constraint_add,   CALL_sn_joint_add,
        CALL_sn_world_set_group_contact};
    if (m->featured) {
        uint32_t call = choose_featured(m, done, ops);
        if (call != OP_COUNT)
            return call;
    }
    if (done < 2 && chance(m, 70))
        return done ? CALL_sn_world_set_contact_settings : CALL_sn_world_configure;
    if (done < ops / 3 && chance(m, 70)) {
        uint32_t call = things[draw(m, COUNT_OF(things))];
        if (is_enabled(m, call))
            return call;
    }
    if (done >= ops / 4 && chance(m, 35))
        return CALL_sn_world_step;
    for (;;) {
        uint32_t call = draw(m, OP_COUNT + 6);
        call = call >= OP_COUNT ? OP_QUERY + (call - OP_COUNT) % 3 : call;
        if (call != OP_GRID && (call >= CALL_COUNT || is_enabled(m, call)))
            return call;
    }
}

void net_make_program(net_program *program, uint64_t seed, uint32_t ops, bool large)
{
    static net_stage stage;
    memset(&stage, 0, sizeof stage - sizeof stage.room);
    net_maker m = {.random = seed, .stage = &stage, .bad_argument = UINT32_MAX};
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->dimensions = chance(&m, 20) ? 2 : 3;
    m.wild = chance(&m, 30);
    m.featured = seed % 3 == 2 && !large;
    m.wild = m.wild && !m.featured;
    m.turn = (uint32_t)(seed / 3 * 13);
    for (size_t i = 0; i < COUNT_OF(m.enabled); ++i) /* each world does without some calls */
        m.enabled[i] = (uint32_t)(support_random(&m.random) | support_random(&m.random));
    if (large) /* a triangle right through a cloth is near everything */
        m.enabled[CALL_sn_skin_add / 32] &= ~(1u << CALL_sn_skin_add % 32);
    ops = ops > NET_OPS ? NET_OPS : ops;
    net_create(&stage, program->dimensions, &net_variant_list[0], NULL, NULL);
    for (uint32_t i = 0; i < ops; ++i) {
        net_op *op = &program->op[program->ops];
        *op = (net_op){.call = large && i == 3 ? (uint32_t)OP_GRID : choose(&m, i, ops), .serial = i + 1};
        m.serial = i + 1;
        if (op->call >= CALL_COUNT)
            make_other(&m, op);
        else {
            uint64_t before = m.random;
            uint32_t turn = m.turn;
            net_make_arguments(&m, op);
            if (chance(&m, 8))
                make_bad(&m, op, before, turn);
        }
        program->ops++;
        if (net_record)
            net_op_write(net_record, program, op);
        net_play_op(&stage, op);
    }
    net_destroy(&stage);
}
