/* A human of sixteen rigid bodies.

   Masses are shares of that of the whole, and lengths shares of the height. They are those of D. A. Winter,
   "Biomechanics and Motor Control of Human Movement" (4th edition, 2009): table 4.1 for masses, figure 4.1 (after
   Drillis and Contini) for heights of joints and lengths of limbs. (P. de Leva, "Adjustments to
   Zatsiorsky-Seluyanov's segment inertia parameters", 1996, has heavier thighs, 0.142, and a lighter trunk, 0.435;
   the figure of particles follows de Leva.) The thickness of the pieces, the division of the trunk and the limits of
   the joints are our own choice; inertia follows from the shapes.

   The ragdoll stands on the origin, faces z and has its left side towards x. Shoulders, hips, back, neck and wrists
   are cones with a twist. The middle of a cone is not the direction of the limb in this pose but that about which it
   moves most freely. Elbows, knees and ankles are hinges. */
#include "scene/objects/ragdoll.h"
#include "scene/contact.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* kg/m^3 of the whole, and its volume as a share of the cube of the height: 75 kg at 1.8 m, as for the figure of
   particles. */
#define DENSITY 985.0
#define VOLUME  0.01306

sn_ragdoll_def sn_default_ragdoll_def(void)
{
    return (sn_ragdoll_def){
        .height = (sn_real)1.8, .limits = true, .friction = 2, .muscle_stiffness = 300, .muscle_damping = 15};
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

enum { PELVIS, BELLY, CHEST, HEAD, UPPER_ARM, FOREARM, HAND, THIGH, SHANK, FOOT, PIECES };

/* A piece of the left side or the middle: shares of the mass and of the height. */
typedef struct piece {
    const char *name;
    double mass;
    sn_shape_type type; /* capsules: from end to end, including the radius; boxes: around the middle of both */
    double from[3], to[3];
    double half[3]; /* of boxes */
    double radius;  /* of capsules and spheres, and the rounding of boxes, which is part of half */
} piece;

#define HIP_HEIGHT      0.530
#define KNEE_HEIGHT     0.285
#define ANKLE_HEIGHT    0.039
#define SHOULDER_HEIGHT 0.818
#define WAIST_LOW       0.600
#define WAIST_HIGH      0.680
#define NECK_HEIGHT     0.850
#define SHOULDER_WIDTH  0.129 /* from the middle; so is HIP_SIDE */
#define HIP_SIDE        0.055 /* of the joints, as in the figure of particles */
#define UPPER_ARM_LONG  0.186
#define FOREARM_LONG    0.146
#define HAND_LONG       0.108
#define FOOT_LONG       0.152

/* Arms are given hanging; for the other pose they are rotated. */
static const piece pieces[PIECES] = {
    [PELVIS] = {"pelvis", 0.142, SN_SHAPE_BOX, {0, 0.545, 0}, {0, 0.545, 0}, {0.092, 0.055, 0.062}, 0.02},
    [BELLY] = {"belly", 0.139, SN_SHAPE_BOX, {0, 0.640, 0}, {0, 0.640, 0}, {0.080, 0.038, 0.058}, 0.02},
    [CHEST] = {"chest", 0.216, SN_SHAPE_BOX, {0, 0.763, 0}, {0, 0.763, 0}, {0.100, 0.083, 0.066}, 0.025},
    [HEAD] = {"head", 0.081, SN_SHAPE_CAPSULE, {0, 0.862, 0}, {0, 1, 0}, {0}, 0.055},
    [UPPER_ARM] = {"upper_arm",
                   0.028,
                   SN_SHAPE_CAPSULE,
                   {SHOULDER_WIDTH, SHOULDER_HEIGHT, 0},
                   {SHOULDER_WIDTH, SHOULDER_HEIGHT - UPPER_ARM_LONG, 0},
                   {0},
                   0.027},
    [FOREARM] = {"forearm",
                 0.016,
                 SN_SHAPE_CAPSULE,
                 {SHOULDER_WIDTH, SHOULDER_HEIGHT - UPPER_ARM_LONG, 0},
                 {SHOULDER_WIDTH, SHOULDER_HEIGHT - UPPER_ARM_LONG - FOREARM_LONG, 0},
                 {0},
                 0.022},
    [HAND] = {"hand",
              0.006,
              SN_SHAPE_BOX,
              {SHOULDER_WIDTH, SHOULDER_HEIGHT - UPPER_ARM_LONG - FOREARM_LONG, 0},
              {SHOULDER_WIDTH, SHOULDER_HEIGHT - UPPER_ARM_LONG - FOREARM_LONG - HAND_LONG, 0},
              {0.010, 0.054, 0.024},
              0.006},
    [THIGH] = {"thigh", 0.100, SN_SHAPE_CAPSULE, {HIP_SIDE, HIP_HEIGHT, 0}, {HIP_SIDE, KNEE_HEIGHT, 0}, {0}, 0.046},
    [SHANK] = {"shank", 0.0465, SN_SHAPE_CAPSULE, {HIP_SIDE, KNEE_HEIGHT, 0}, {HIP_SIDE, ANKLE_HEIGHT, 0}, {0}, 0.032},
    [FOOT] = {"foot",
              0.0145,
              SN_SHAPE_BOX,
              {HIP_SIDE, 0.0195, 0.040},
              {HIP_SIDE, 0.0195, 0.040},
              {0.0275, 0.0195, FOOT_LONG / 2},
              0.008},
};

static bool is_paired(int i)
{
    return i >= UPPER_ARM;
}

static bool is_arm(int i)
{
    return i >= UPPER_ARM && i <= HAND;
}

/* The ragdoll while it is made, with the items of its pieces in the object. side 0 is left (or the middle), 1 right. */
typedef struct doll {
    sn_build *build;
    const sn_ragdoll_def *def;
    double height, mass;
    uint32_t item[PIECES][2];
} doll;

/* A point of the left half, in shares of the height, in the frame. An arm may be stretched out. */
static sn_vec3 place_of(const doll *d, const double share[3], bool arm, int side)
{
    double x = share[0], y = share[1], z = share[2];
    if (arm && d->def->pose == SN_RAGDOLL_ARMS_OUT) { /* a point below the shoulder becomes one beside it */
        double below = SHOULDER_HEIGHT - y, out = x - SHOULDER_WIDTH;
        x = SHOULDER_WIDTH + below;
        y = SHOULDER_HEIGHT + out;
    }
    if (side == 1)
        x = -x;
    return (sn_vec3){(sn_real)(x * d->height), (sn_real)(y * d->height), (sn_real)(z * d->height)};
}

static sn_vec3 between(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
}

static bool add_piece(doll *d, int i, int side)
{
    const piece *p = &pieces[i];
    sn_shape_def shape = sn_default_shape_def(p->type);
    sn_body_def body = sn_default_body_def();
    sn_vec3 from = place_of(d, p->from, is_arm(i), side), to = place_of(d, p->to, is_arm(i), side);
    sn_vec3 way = {to.x - from.x, to.y - from.y, to.z - from.z};
    bool long_ = way.x != 0 || way.y != 0 || way.z != 0;
    double h = d->height;
    shape.radius = (sn_real)(p->radius * h);
    if (p->type == SN_SHAPE_BOX) {
        shape.rounding = shape.radius;
        shape.half = (sn_vec3){(sn_real)((p->half[0] - p->radius) * h), (sn_real)((p->half[1] - p->radius) * h),
                               (sn_real)((p->half[2] - p->radius) * h)};
    } else {
        sn_shape_def ends = shape; /* the shape is along y in its own frame */
        sn_shape_between(from, to, &ends);
        shape.half.y = ends.half.y - shape.radius;
    }
    body.shapes = &shape;
    body.shape_count = 1;
    body.mass = (sn_real)(p->mass * d->mass);
    body.position = between(from, to);
    if (long_)
        body.rotation = sn_rotation_facing(way);
    return sn_build_body(d->build, &body, &d->item[i][side]);
}

static bool name_piece(doll *d, int i, int side)
{
    char name[40];
    snprintf(name, sizeof name, "%s%s", !is_paired(i) ? "" : side ? "right_" : "left_", pieces[i].name);
    return sn_build_range(d->build, name, d->item[i][side], 1);
}

static bool add_pieces(doll *d)
{
    for (int i = 0; i < PIECES; ++i)
        for (int side = 0; side < (is_paired(i) ? 2 : 1); ++side)
            if (!add_piece(d, i, side) || !name_piece(d, i, side))
                return false;
    return true;
}

/* ---- Joints ------------------------------------------------------------------------------------------------------ */

/* A joint between two pieces of the left or the middle. */
typedef struct link {
    const char *name;
    int a, b;
    uint32_t kind;
    double place[3];    /* shares of the height, with hanging arms */
    double middle[3];   /* cones: the direction in which the limb moves most freely; hinges: not used */
    double axis[3];     /* cones: the direction of the limb; hinges: the axis */
    double swing;       /* rad */
    double least, most; /* rad: of the twist, or of the hinge */
    double share;       /* of friction and muscle */
} link;

#define CONE  SN_KIND_JOINT_CONE_TWIST
#define HINGE SN_KIND_JOINT_HINGE

static const link links[] = {
    {"back", PELVIS, BELLY, CONE, {0, WAIST_LOW, 0}, {0, 1, 0.2}, {0, 1, 0}, 0.5, -0.3, 0.3, 1},
    {"back", BELLY, CHEST, CONE, {0, WAIST_HIGH, 0}, {0, 1, 0.2}, {0, 1, 0}, 0.5, -0.4, 0.4, 1},
    {"neck", CHEST, HEAD, CONE, {0, NECK_HEIGHT, 0}, {0, 1, 0.1}, {0, 1, 0}, 0.7, -1, 1, 0.2},
    {"shoulders",
     CHEST,
     UPPER_ARM,
     CONE,
     {SHOULDER_WIDTH, SHOULDER_HEIGHT, 0},
     {0.8, -0.3, 0.5},
     {0, -1, 0},
     1.6,
     -1.2,
     1.2,
     0.4},
    {"elbows",
     UPPER_ARM,
     FOREARM,
     HINGE,
     {SHOULDER_WIDTH, SHOULDER_HEIGHT - UPPER_ARM_LONG, 0},
     {0},
     {-1, 0, 0},
     0,
     0,
     2.5,
     0.25},
    {"wrists",
     FOREARM,
     HAND,
     CONE,
     {SHOULDER_WIDTH, SHOULDER_HEIGHT - UPPER_ARM_LONG - FOREARM_LONG, 0},
     {0, -1, 0},
     {0, -1, 0},
     0.9,
     -0.4,
     0.4,
     0.08},
    {"hips", PELVIS, THIGH, CONE, {HIP_SIDE, HIP_HEIGHT, 0}, {0.25, -0.8, 0.6}, {0, -1, 0}, 1.1, -0.6, 0.6, 1},
    {"knees", THIGH, SHANK, HINGE, {HIP_SIDE, KNEE_HEIGHT, 0}, {0}, {1, 0, 0}, 0, 0, 2.4, 0.7},
    {"ankles", SHANK, FOOT, HINGE, {HIP_SIDE, ANKLE_HEIGHT, 0}, {0}, {1, 0, 0}, 0, -0.4, 0.8, 0.4},
};

/* A direction of the left half, mirrored for side 1. turns: it is an axis of rotation, which mirrors with the
   opposite sign. An arm may be stretched out: down then becomes to the side. */
static sn_vec3 displacement_of(const doll *d, const double v[3], bool arm, bool turns, int side)
{
    double x = v[0], y = v[1], z = v[2];
    if (arm && d->def->pose == SN_RAGDOLL_ARMS_OUT) {
        double down = -y;
        y = x;
        x = down;
    }
    if (side == 1 && turns)
        y = -y, z = -z;
    else if (side == 1)
        x = -x;
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

static void set_limits(const doll *d, const link *l, sn_joint_def *joint)
{
    if (!d->def->limits)
        return;
    joint->least = (sn_real)l->least;
    joint->most = (sn_real)l->most;
    if (l->kind == CONE)
        joint->swing = (sn_real)l->swing;
}

static void set_muscle(const doll *d, const link *l, sn_joint_def *joint)
{
    const sn_ragdoll_def *def = d->def;
    if (!(def->muscle > 0)) {
        joint->friction = (sn_real)(l->share * (double)def->friction);
        return;
    }
    joint->target_most = (sn_real)(l->share * (double)def->muscle);
    joint->target_compliance = (sn_real)(1 / (l->share * (double)def->muscle_stiffness));
    joint->target_damping = (sn_real)(l->share * (double)def->muscle_damping);
}

static bool add_joint(doll *d, const link *l, int side)
{
    bool arm = is_arm(l->b), turns = l->kind == HINGE;
    int side_a = is_paired(l->a) ? side : 0;
    sn_joint_def joint = sn_default_joint_def(l->kind);
    joint.anchor = place_of(d, l->place, arm, side);
    sn_vec3 axis = displacement_of(d, l->axis, arm, turns, side);
    /* the middle of a cone is fixed to the trunk, whatever the pose of the arm; that of a wrist rotates with the arm */
    joint.axis = turns ? axis : displacement_of(d, l->middle, arm && is_arm(l->a), false, side);
    set_limits(d, l, &joint);
    set_muscle(d, l, &joint);
    return sn_build_joint_leaning(d->build, l->name, &joint, d->item[l->a][side_a], d->item[l->b][side], axis);
}

static bool add_joints(doll *d)
{
    for (size_t i = 0; i < COUNT(links); ++i)
        for (int side = 0; side < (is_paired(links[i].b) ? 2 : 1); ++side)
            if (!add_joint(d, &links[i], side))
                return false;
    return true;
}

/* ---- The object -------------------------------------------------------------------------------------------------- */

static bool build_ragdoll(sn_build *build, const void *own)
{
    const sn_ragdoll_def *def = own;
    doll d = {.build = build, .def = def, .height = (double)def->height};
    if (!(def->height > 0))
        return sn_build_fail(build, "height", "found %g, expected more than 0 m", (double)def->height);
    if ((unsigned)def->pose > SN_RAGDOLL_ARMS_OUT)
        return sn_build_fail(build, "pose", "there is no pose %u", (unsigned)def->pose);
    if (def->muscle > 0 && !(def->muscle_stiffness > 0))
        return sn_build_fail(build, "muscle_stiffness", "found %g, expected more than 0 N m/rad",
                             (double)def->muscle_stiffness);
    double tall = d.height * sn_build_scale(build), volume = VOLUME * tall * tall * tall;
    bool given = !isnan(build->def->mass) || !isnan(build->stuff->density);
    d.mass = given ? (double)sn_build_mass(build, volume) : DENSITY * volume;
    return sn_build_begin(build, 60, 20) && add_pieces(&d) && add_joints(&d);
}

static void ragdoll_defaults(void *record)
{
    *(sn_ragdoll_def *)record = sn_default_ragdoll_def();
}

static const char *const pose_names[] = {"standing", "arms_out"};
static const char *const pose_about[] = {"arms at the sides", "arms stretched out to both sides"};
static const sn_choices poses = {2, pose_names, pose_about};

#define KEY(key) offsetof(sn_ragdoll_def, key)

static const sn_key ragdoll_keys[] = {
    {"height", SN_KEY_REAL, KEY(height), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the height of the figure when it stands; it weighs 75 kg at 1.8 m unless told otherwise, and with the "
              "cube of its height"},
    {"pose", SN_KEY_CHOICE, KEY(pose), .of = &poses, .about = "how it begins, facing z with its left to x"},
    {"limits", SN_KEY_TRUTH, KEY(limits), .about = "its joints bend only as far as those of a human, and as they do"},
    {"friction", SN_KEY_REAL, KEY(friction), .unit = "N m", .most = 1e30,
     .about = "the dry friction of hips and back, of other joints less; where there is no muscle"},
    {"muscle", SN_KEY_REAL, KEY(muscle), .unit = "N m", .most = 1e30,
     .about = "its joints are driven to the pose that it begins in, those of hips and back with at most this, others "
              "with less; 0: it is limp"},
    {"muscle_stiffness", SN_KEY_REAL, KEY(muscle_stiffness), .unit = "N m/rad", .most = 1e30,
     .about = "how stiff the muscles are"},
    {"muscle_damping", SN_KEY_REAL, KEY(muscle_damping), .unit = "N m s", .most = 1e30,
     .about = "how damped the muscles are"},
    {.name = NULL}};

static const sn_record ragdoll_record = {"ragdoll", "A human of rigid bodies.", sizeof(sn_ragdoll_def), ragdoll_keys,
                                         ragdoll_defaults};

const sn_object_type sn_object_ragdoll = {
    .name = "ragdoll",
    .about = "A human of sixteen rigid bodies with joints that have limits, its origin on the ground below its hips",
    .parts =
        "parts: pelvis, belly, chest, head, left_upper_arm, left_forearm, left_hand, left_thigh, left_shank, "
        "left_foot, the same of the right; constraints: back, neck, shoulders, elbows, wrists, hips, knees, ankles",
    .dimension = 3,
    .spatial = true,
    .record = &ragdoll_record,
    .build = build_ragdoll,
};
