#include "scene/objects/figure.h"

#include <math.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

/* ---- Anatomy: lengths are shares of the height ------------------------------------------------------------------- */

enum {
    HEAD,
    NECK,
    CHEST,
    SPINE,
    LEFT_SHOULDER, /* from here on left and right alternate */
    RIGHT_SHOULDER,
    LEFT_ELBOW,
    RIGHT_ELBOW,
    LEFT_HAND,
    RIGHT_HAND,
    LEFT_HIP,
    RIGHT_HIP,
    LEFT_KNEE,
    RIGHT_KNEE,
    LEFT_FOOT,
    RIGHT_FOOT,
    PARTICLES
};

static const char *const names[PARTICLES] = {
    "head",      "neck",       "chest",    "spine",     "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
    "left_hand", "right_hand", "left_hip", "right_hip", "left_knee",     "right_knee",     "left_foot",  "right_foot"};

/* Proportions of Drillis and Contini, from Winter (Biomechanics and Motor Control of Human Movement, fig. 4.1):
   heights of knee, hip and shoulder 0.285, 0.530 and 0.818, arms of 0.186 and 0.146, and hands of 0.108, of which
   half is taken. The width of the hips is that of the joints, not of the body. A leg ends at the sole. The spine
   lies behind the shoulders and the chest before them, which makes the trunk a solid; a flat trunk could warp. */
#define SHOULDER_HEIGHT 0.818
#define SHOULDER_SIDE   0.129
#define HIP_HEIGHT      0.530
#define HIP_SIDE        0.055
#define UPPER_ARM       0.186
#define FOREARM         0.200
#define THIGH           0.245
#define SHANK           0.285

/* Height and depth of the particles in the middle. */
static const struct {
    uint32_t particle;
    double y, z;
} middle[] = {{HEAD, 0.936, 0.01}, {NECK, 0.850, -0.02}, {CHEST, 0.740, 0.06}, {SPINE, 0.630, -0.05}};

/* Masses in per cent of the whole (men; de Leva 1996, Adjustments to Zatsiorsky-Seluyanov's segment inertia
   parameters). The mass of a segment goes to its ends such that its centre of mass is the given share of its length
   from its first end. Hands are counted with forearms, feet with shanks. The trunk's 43.46 are distributed such that
   its centre is that of the table, 0.69 of the height. */
static const struct {
    uint32_t from, to;
    double mass, share;
} segments[] = {
    {HEAD, HEAD, 6.94, 0},
    {NECK, NECK, 4, 0},
    {CHEST, CHEST, 7, 0},
    {SPINE, SPINE, 8.46, 0},
    {LEFT_SHOULDER, RIGHT_SHOULDER, 12, 0.5},
    {LEFT_HIP, RIGHT_HIP, 12, 0.5},
    {LEFT_SHOULDER, LEFT_ELBOW, 2.71, 0.58},
    {RIGHT_SHOULDER, RIGHT_ELBOW, 2.71, 0.58},
    {LEFT_ELBOW, LEFT_HAND, 2.23, 0.50},
    {RIGHT_ELBOW, RIGHT_HAND, 2.23, 0.50},
    {LEFT_HIP, LEFT_KNEE, 14.16, 0.41},
    {RIGHT_HIP, RIGHT_KNEE, 14.16, 0.41},
    {LEFT_KNEE, LEFT_FOOT, 5.70, 0.52},
    {RIGHT_KNEE, RIGHT_FOOT, 5.70, 0.52},
};

/* A man of 1.8 m and 75 kg has 985 kg/m^3, a little less than water. */
#define VOLUME  0.01306 /* of the height cubed */
#define DENSITY 985.0   /* kg/m^3 */

/* The side of a stick's square cross-section, as a share of the height. It sets the compliance of a figure with a
   Young's modulus. */
#define STICK_SIDE 0.03

/* ---- Poses ------------------------------------------------------------------------------------------------------- */

static const struct {
    double arm_out, elbow; /* rad: the angle of the arm from hanging to the side; the bend of the elbow */
    double thigh, knee;    /* rad: the angle of the thigh from hanging forwards, and the bend of the knee */
} postures[] = {
    [SN_POSE_STANDING] = {0.14, 0.2, 0, 0},
    [SN_POSE_ARMS_OUT] = {SN_PI / 2, 0, 0, 0},
    [SN_POSE_SITTING] = {0.14, 0.9, SN_PI / 2, SN_PI / 2},
};

static void put(sn_vec3 *place, uint32_t i, double x, double y, double z)
{
    place[i] = (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

/* Puts `far` at a distance from `near`: straight down, then rotated forwards and out to the side. */
static void swing(sn_vec3 *place, uint32_t near, uint32_t far, double length, double forwards, double out)
{
    double down = length * sn_math_cos(forwards);
    put(place, far, (double)place[near].x + down * sn_math_sin(out), (double)place[near].y - down * sn_math_cos(out),
        (double)place[near].z + length * sn_math_sin(forwards));
}

static void take_pose(double height, sn_figure_pose pose, sn_vec3 *place)
{
    double arm_out = postures[pose].arm_out, elbow = postures[pose].elbow, thigh = postures[pose].thigh,
           shank = thigh - postures[pose].knee;
    double seat = SHANK * sn_math_cos(shank) + THIGH * sn_math_cos(thigh) - HIP_HEIGHT;
    for (uint32_t i = 0; i < COUNT(middle); ++i)
        put(place, middle[i].particle, 0, (middle[i].y + seat) * height, middle[i].z * height);
    for (uint32_t right = 0; right < 2; ++right) {
        double side = right ? -1 : 1;
        put(place, LEFT_SHOULDER + right, side * SHOULDER_SIDE * height, (SHOULDER_HEIGHT + seat) * height, 0);
        put(place, LEFT_HIP + right, side * HIP_SIDE * height, (HIP_HEIGHT + seat) * height, 0);
        swing(place, LEFT_SHOULDER + right, LEFT_ELBOW + right, UPPER_ARM * height, 0, side * arm_out);
        swing(place, LEFT_ELBOW + right, LEFT_HAND + right, FOREARM * height, elbow, side * arm_out);
        swing(place, LEFT_HIP + right, LEFT_KNEE + right, THIGH * height, thigh, 0);
        swing(place, LEFT_KNEE + right, LEFT_FOOT + right, SHANK * height, shank, 0);
    }
}

static void weigh(double total, sn_real *mass)
{
    double sum[PARTICLES] = {0};
    for (uint32_t i = 0; i < COUNT(segments); ++i) {
        sum[segments[i].from] += segments[i].mass * (1 - segments[i].share);
        sum[segments[i].to] += segments[i].mass * segments[i].share;
    }
    for (uint32_t i = 0; i < PARTICLES; ++i)
        mass[i] = (sn_real)(total / 100 * sum[i]);
}

/* ---- Sticks and joints ------------------------------------------------------------------------------------------- */

/* The sticks that are drawn, and those that only stiffen the trunk. */
static const uint32_t bones[][2] = {{HEAD, NECK},
                                    {NECK, LEFT_SHOULDER},
                                    {NECK, RIGHT_SHOULDER},
                                    {NECK, SPINE},
                                    {SPINE, LEFT_HIP},
                                    {SPINE, RIGHT_HIP},
                                    {LEFT_HIP, RIGHT_HIP},
                                    {LEFT_SHOULDER, LEFT_ELBOW},
                                    {RIGHT_SHOULDER, RIGHT_ELBOW},
                                    {LEFT_ELBOW, LEFT_HAND},
                                    {RIGHT_ELBOW, RIGHT_HAND},
                                    {LEFT_HIP, LEFT_KNEE},
                                    {RIGHT_HIP, RIGHT_KNEE},
                                    {LEFT_KNEE, LEFT_FOOT},
                                    {RIGHT_KNEE, RIGHT_FOOT}};

static const uint32_t braces[][2] = {
    {LEFT_SHOULDER, RIGHT_SHOULDER}, {LEFT_SHOULDER, LEFT_HIP}, {RIGHT_SHOULDER, RIGHT_HIP}, {LEFT_SHOULDER, RIGHT_HIP},
    {RIGHT_SHOULDER, LEFT_HIP},      {SPINE, LEFT_SHOULDER},    {SPINE, RIGHT_SHOULDER},     {CHEST, LEFT_SHOULDER},
    {CHEST, RIGHT_SHOULDER},         {CHEST, LEFT_HIP},         {CHEST, RIGHT_HIP}};

/* Limbs do not pass through each other or the trunk: these pairs keep a distance, as a share of the height. */
static const uint32_t apart[][2] = {{LEFT_KNEE, RIGHT_KNEE}, {LEFT_FOOT, RIGHT_FOOT}, {LEFT_ELBOW, SPINE},
                                    {RIGHT_ELBOW, SPINE},    {LEFT_HAND, SPINE},      {RIGHT_HAND, SPINE}};
static const double gaps[] = {0.06, 0.06, 0.10, 0.10, 0.08, 0.08};

/* Joints that bend to one side only. The far end of a limb stays on one side of a plane through the limb's near
   stick and a third point; that is the side from which the three corners run counter-clockwise. A foot stays behind
   the plane of thigh and hips. A hand stays before the plane of upper arm and chest: with a hanging arm that is in
   front, with an arm raised to the front it is above. The limits below keep these planes from degenerating. (A limit
   on an angle about an axis from side to side is equivalent as long as no stick is along that axis. For a
   stretched-out arm the angle jumps, and the figure with it.) */
static const uint32_t elbows[][4] = {{LEFT_HAND, LEFT_SHOULDER, CHEST, LEFT_ELBOW},
                                     {RIGHT_HAND, RIGHT_SHOULDER, RIGHT_ELBOW, CHEST}};
static const uint32_t knees[][4] = {{LEFT_FOOT, LEFT_HIP, LEFT_KNEE, RIGHT_HIP},
                                    {RIGHT_FOOT, RIGHT_HIP, LEFT_HIP, RIGHT_KNEE}};

/* A thigh swings forwards (negative) by 120 degrees and backwards by 20, about the axis of the shoulders. Its angle
   is measured from the line from spine to hip, which points 26.6 degrees to the front. */
static const uint32_t thighs[][5] = {{SPINE, LEFT_HIP, LEFT_KNEE, RIGHT_SHOULDER, LEFT_SHOULDER},
                                     {SPINE, RIGHT_HIP, RIGHT_KNEE, RIGHT_SHOULDER, LEFT_SHOULDER}};

#define DEGREES(x)      ((sn_real)((x)*SN_PI / 180))
#define THIGH_FORWARDS  DEGREES(26.6 - 120)
#define THIGH_BACKWARDS DEGREES(26.6 + 20)

/* Cones: the angle between two consecutive sticks is at most, or at least, this. */
static const struct {
    const char *name;
    uint32_t kind;
    sn_real angle;
    uint32_t count;
    uint32_t point[2][3]; /* of the left side, of the right side */
} cones[] = {
    {"head_cone", SN_KIND_ANGLE_MAX, DEGREES(50), 1, {{SPINE, NECK, HEAD}}},
    {"elbow_folds",
     SN_KIND_ANGLE_MAX,
     DEGREES(150),
     2,
     {{LEFT_SHOULDER, LEFT_ELBOW, LEFT_HAND}, {RIGHT_SHOULDER, RIGHT_ELBOW, RIGHT_HAND}}},
    {"knee_folds",
     SN_KIND_ANGLE_MAX,
     DEGREES(150),
     2,
     {{LEFT_HIP, LEFT_KNEE, LEFT_FOOT}, {RIGHT_HIP, RIGHT_KNEE, RIGHT_FOOT}}},
    {"arms_in",
     SN_KIND_ANGLE_MAX,
     DEGREES(140),
     2,
     {{CHEST, LEFT_SHOULDER, LEFT_ELBOW}, {CHEST, RIGHT_SHOULDER, RIGHT_ELBOW}}},
    {"arms_back",
     SN_KIND_ANGLE_MIN,
     DEGREES(25),
     2,
     {{CHEST, LEFT_SHOULDER, LEFT_ELBOW}, {CHEST, RIGHT_SHOULDER, RIGHT_ELBOW}}},
    {"thighs_in",
     SN_KIND_ANGLE_MAX,
     DEGREES(110),
     2,
     {{RIGHT_HIP, LEFT_HIP, LEFT_KNEE}, {LEFT_HIP, RIGHT_HIP, RIGHT_KNEE}}},
    {"thighs_out",
     SN_KIND_ANGLE_MIN,
     DEGREES(40),
     2,
     {{RIGHT_HIP, LEFT_HIP, LEFT_KNEE}, {LEFT_HIP, RIGHT_HIP, RIGHT_KNEE}}},
};

static bool add_sticks(sn_build *build, const sn_vec3 *place, const char *name, uint32_t count, const uint32_t *stick,
                       double height)
{
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_real length[COUNT(bones)];
    double stretch = (double)build->stuff->stretch, scale = sn_build_scale(build), side = STICK_SIDE * height * scale;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 a = place[stick[2 * i]], b = place[stick[2 * i + 1]];
        double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y, z = (double)b.z - (double)a.z;
        length[i] = (sn_real)(scale * sqrt(x * x + y * y + z * z));
    }
    return sn_build_constraints(build, name, &def, count, stick, length, stretch / (side * side),
                                stretch > 0 ? length : NULL);
}

static bool keep_apart(sn_build *build, double height)
{
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE_MIN);
    sn_real least[COUNT(gaps)];
    for (uint32_t i = 0; i < COUNT(gaps); ++i)
        least[i] = (sn_real)(gaps[i] * height * sn_build_scale(build));
    return sn_build_constraints(build, "apart", &def, COUNT(apart), apart[0], least, 0, NULL);
}

static bool add_limits(sn_build *build)
{
    sn_constraint_def one_side = sn_default_constraint_def(SN_KIND_POINT_TRIANGLE);
    sn_constraint_def to_and_fro = sn_default_constraint_def(SN_KIND_HINGE_POINTS);
    one_side.param[0] = 0;
    to_and_fro.param[0] = THIGH_FORWARDS;
    to_and_fro.param[1] = THIGH_BACKWARDS;
    bool good = sn_build_constraints(build, "elbows", &one_side, COUNT(elbows), elbows[0], NULL, 0, NULL) &&
                sn_build_constraints(build, "knees", &one_side, COUNT(knees), knees[0], NULL, 0, NULL) &&
                sn_build_constraints(build, "thighs", &to_and_fro, COUNT(thighs), thighs[0], NULL, 0, NULL);
    for (uint32_t i = 0; good && i < COUNT(cones); ++i) {
        sn_constraint_def def = sn_default_constraint_def(cones[i].kind);
        def.param[0] = cones[i].angle;
        good = sn_build_constraints(build, cones[i].name, &def, cones[i].count, cones[i].point[0], NULL, 0, NULL);
    }
    return good;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static bool name_parts(sn_build *build)
{
    static const uint32_t trunk[] = {NECK, CHEST, SPINE, LEFT_SHOULDER, RIGHT_SHOULDER, LEFT_HIP, RIGHT_HIP};
    uint32_t side[2][PARTICLES], count = 0;
    for (uint32_t i = 0; i < PARTICLES; ++i)
        if (!sn_build_range(build, names[i], i, 1))
            return false;
    for (uint32_t i = LEFT_SHOULDER; i < PARTICLES; i += 2, ++count) {
        side[0][count] = i;
        side[1][count] = i + 1;
    }
    return sn_build_part(build, "left", count, side[0]) && sn_build_part(build, "right", count, side[1]) &&
           sn_build_range(build, "shoulders", LEFT_SHOULDER, 2) && sn_build_range(build, "hands", LEFT_HAND, 2) &&
           sn_build_range(build, "hips", LEFT_HIP, 2) && sn_build_range(build, "feet", LEFT_FOOT, 2) &&
           sn_build_part(build, "trunk", COUNT(trunk), trunk);
}

/* ---- The object -------------------------------------------------------------------------------------------------- */

static double mass_of(const sn_build *build, double height)
{
    double volume = VOLUME * height * height * height;
    bool given = !isnan(build->def->mass) || !isnan(build->stuff->density);
    return given ? (double)sn_build_mass(build, volume) : DENSITY * volume;
}

static bool build_figure(sn_build *build, const void *own)
{
    const sn_figure_def *def = own;
    double height = (double)def->height;
    if (!(height > 0))
        return sn_build_fail(build, "height", "found %g, expected more than 0 m", height);
    if ((unsigned)def->pose >= COUNT(postures))
        return sn_build_fail(build, "pose", "there is no pose %u", (unsigned)def->pose);
    uint32_t limits = COUNT(elbows) + COUNT(knees) + COUNT(thighs) + 2 * COUNT(cones);
    if (!sn_build_begin(build, PARTICLES, COUNT(bones) + COUNT(braces) + COUNT(apart) + (def->limits ? limits : 0)))
        return false;
    sn_vec3 place[PARTICLES];
    sn_real mass[PARTICLES];
    take_pose(height, def->pose, place);
    weigh(mass_of(build, height * sn_build_scale(build)), mass);
    return sn_build_particles(build, PARTICLES, place, mass, 0) &&
           add_sticks(build, place, "bones", COUNT(bones), bones[0], height) &&
           add_sticks(build, place, "braces", COUNT(braces), braces[0], height) && keep_apart(build, height) &&
           (!def->limits || add_limits(build)) && sn_build_lines(build, COUNT(bones), bones[0]) && name_parts(build);
}

sn_figure_def sn_default_figure_def(void)
{
    return (sn_figure_def){.height = (sn_real)1.8, .pose = SN_POSE_STANDING, .limits = true};
}

static void figure_defaults(void *record)
{
    *(sn_figure_def *)record = sn_default_figure_def();
}

static const char *const pose_names[] = {"standing", "arms_out", "sitting"};
static const char *const pose_abouts[] = {"arms at the sides", "arms stretched out to both sides", "as on a chair"};
static const sn_choices poses = {COUNT(pose_names), pose_names, pose_abouts};

#define KEY(key) offsetof(sn_figure_def, key)

static const sn_key figure_keys[] = {
    {"height", SN_KEY_REAL, KEY(height), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the height of the figure when it stands; it weighs 75 kg at 1.8 m unless told otherwise, and with the "
              "cube of its height"},
    {"pose", SN_KEY_CHOICE, KEY(pose), .of = &poses, .about = "how it begins, facing z with its left to x"},
    {"limits", SN_KEY_TRUTH, KEY(limits), .about = "its joints bend only as far as those of a human, and as they do"},
    {.name = NULL}};

static const sn_record figure_record = {"figure", "A human figure.", sizeof(sn_figure_def), figure_keys,
                                        figure_defaults};

const sn_object_type sn_object_figure = {
    .name = "figure",
    .about = "A human of particles and sticks with joints that have limits, its origin on the ground below its hips",
    .parts =
        "parts: head, neck, chest, spine, left_shoulder, left_elbow, left_hand, left_hip, left_knee, left_foot, the "
        "same of the right, and shoulders, hands, hips, feet, trunk, left, right; constraints: bones, braces, apart, "
        "elbows, knees, thighs, head_cone, elbow_folds, knee_folds, arms_in, arms_back, thighs_in, thighs_out",
    .dimension = 3,
    .spatial = true,
    .record = &figure_record,
    .build = build_figure,
};
