/* The validation cases of elastic rods: a rod that bends under a load at its end, and a ring that buckles because it is
   twisted. */
#include "validation/row_tools.h"

/* ---- Row 11: the elastica ---------------------------------------------------------------------------------------- */

enum { PIECES = 40 };

static void add_angle(sn_world *world, const sn_particle node[3], double compliance)
{
    const sn_point point[3] = {sn_at(node[0]), sn_at(node[1]), sn_at(node[2])};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_ANGLE);
    def.points = point;
    def.param[0] = 0;
    def.compliance = real(compliance);
    must(world, sn_constraint_add(world, &def, NULL), "angle");
}

/* A rod of 1 m and EI = 1 N m^2, without weight, clamped at the origin. Between two pieces of length l it bends with the
   stiffness EI / l. The clamp acts on half of that length. */
typedef struct rod {
    sn_world *world;
    sn_particle node[PIECES + 2];
} rod;

static rod make_rod(double x, double y, double damping)
{
    const double piece = 1.0 / PIECES;
    rod r = {.world = make_world(10, 1, damping)};
    set_gravity(r.world, vec(0, 0, 0));
    for (int i = 0; i < PIECES + 2; ++i) {
        const double at = piece * (i - 1);
        r.node[i] = sn_particle_add_at(r.world, vec(at * x, at * y, 0), i < 2 ? SN_IMMOVABLE : real(piece));
        if (i < 2)
            continue;
        sn_constraint_add_distance(r.world, sn_at(r.node[i - 1]), sn_at(r.node[i]), real(piece));
        add_angle(r.world, r.node + i - 2, i == 2 ? piece / 2 : piece);
    }
    return r;
}

/* Where its end comes to rest under a load of `newtons` downwards. At first a small force pushes it aside. */
static sn_vec3 rest_under_load(rod r, double newtons, int seconds)
{
    for (int i = 0; i < 60 * seconds; ++i) {
        must(r.world, sn_particle_apply_force(r.world, r.node[PIECES + 1], vec(i < 10 ? 1e-2 : 0, -newtons, 0)),
             "load");
        must(r.world, sn_world_step(r.world, real(FRAME)), "step");
    }
    const sn_vec3 end = sn_particle_position(r.world, r.node[PIECES + 1]);
    sn_world_destroy(r.world);
    return end;
}

void elastica(records *out)
{
    static const double expected[][2] = {{1, 0.301721}, {2, 0.493458}, {5, 0.713792}, {10, 0.810609}};
    for (size_t i = 0; i < COUNT_OF(expected); ++i) {
        const double drop = -(double)rest_under_load(make_rod(1, 0, 4), expected[i][0], 10).y;
        record *r = append(out, 11, JUDGE_WITHIN, expected[i][1], drop, 0.01 * expected[i][1]);
        SETUP(r, "rod of 40 pieces, clamped, P L²/EI = %g at its end, drop / L", expected[i][0]);
    }
}

/* An upright rod with a load on it buckles at P L^2 / EI = (pi / 2)^2. Beyond that K(k) = sqrt(P L^2 / EI) gives the
   modulus k, and its end is 2 k / K beside its foot and 2 E / K - 1 above it (Euler 1744). For 1.1 times that load k =
   0.418896. */
void buckling_column(records *out)
{
    const double critical = PI * PI / 4;
    record *r =
        append(out, 0, JUDGE_AT_MOST, 1e-3, fabs((double)rest_under_load(make_rod(0, 1, 1), 0.97 * critical, 30).x), 0);
    SETUP(r, "upright rod under 0.97 of the load that buckles it, end aside / L");
    const sn_vec3 end = rest_under_load(make_rod(0, 1, 1), 1.1 * critical, 30);
    r = append(out, 0, JUDGE_WITHIN, 0.508534, (double)end.x, 0.01);
    SETUP(r, "upright rod under 1.1 of that load, end aside / L");
    r = append(out, 0, JUDGE_WITHIN, 0.820296, (double)end.y, 0.01);
    SETUP(r, "upright rod under 1.1 of that load, height of its end / L");
}

/* ---- Row 12: a ring that is twisted ------------------------------------------------------------------------------ */

enum { LINKS = 48, TWIST = 3, BEND = 4, AXES = 6 };

typedef struct ring {
    sn_world *world;
    sn_body link[LINKS];
    sn_vec3 place[LINKS];
} ring;

/* A part of the joint between link i and the next: springs about the axes from `first` to `last`. All other axes are
   free, but the first part keeps the ends together. A joint has one compliance for all of its drives, so bend and twist
   are two constraints. */
static void add_springs(const ring *r, uint32_t i, uint32_t first, uint32_t last, double stiffness, double target)
{
    const double at = 2 * PI * (i + 0.5) / LINKS;
    const sn_constraint joint = sn_joint_add_six(r->world, r->link[i], r->link[(i + 1) % LINKS],
                                                 vec(cos(at), 0, sin(at)), vec(-sin(at), 0, cos(at)), vec(0, 1, 0));
    const sn_real compliance = real(1 / stiffness);
    for (uint32_t axis = first == BEND ? TWIST : 0; axis < AXES; ++axis) {
        const sn_real free = axis < TWIST ? SN_JOINT_MOST : real(PI);
        must(r->world, sn_joint_set_axis_limits(r->world, joint, axis, -free, free), "free axis");
    }
    must(r->world, sn_constraint_set_param(r->world, joint, "angular_target_compliance", &compliance, 1), "compliance");
    for (uint32_t axis = first; axis <= last; ++axis)
        must(r->world, sn_joint_set_axis_target(r->world, joint, axis, axis == first ? real(target) : 0, SN_JOINT_MOST),
             "spring");
}

/* A ring of 1 m of a rod that is straight by itself, with k_bend = EI and k_twist = GJ, and twisted by `twist` in all.
   The springs hold the twist: it cannot get lost at a seam. Links are thrown a little out of the plane, along mode 2. */
static ring make_ring(double bend, double twist_stiffness, double twist)
{
    const double length = 2 * PI / LINKS, radius = 0.03, half = length / 2 - radius;
    ring r = {.world = make_world(10, 4, 1)};
    set_gravity(r.world, vec(0, 0, 0));
    for (int i = 0; i < LINKS; ++i) {
        const double at = 2 * PI * i / LINKS, x = cos(at), z = sin(at);
        r.link[i] = sn_body_add_capsule(r.world, vec(x + z * half, 0, z - x * half), vec(x - z * half, 0, z + x * half),
                                        real(radius), 1000);
        must(r.world, sn_body_set_group(r.world, r.link[i], 1), "group");
        must(r.world, sn_body_set_velocity(r.world, r.link[i], vec(0, 0.05 * cos(2 * at), 0), vec(0, 0, 0)), "throw");
    }
    for (uint32_t i = 0; i < LINKS; ++i) {
        add_springs(&r, i, BEND, BEND + 1, bend / length, 2 * PI / LINKS);
        add_springs(&r, i, TWIST, TWIST, twist_stiffness / length, -twist / LINKS);
    }
    return r;
}

/* How far a link is from the plane that fits the ring best. The whole ring may lean: a rod that is straight by itself
   and bends alike to all sides has no stiffness against that. */
static double out_of_plane(ring *r)
{
    double mean[3] = {0}, xx = 0, zz = 0, xy = 0, zy = 0, most = 0;
    for (int i = 0; i < LINKS; ++i) {
        r->place[i] = sn_body_position(r->world, r->link[i]);
        mean[0] += (double)r->place[i].x / LINKS;
        mean[1] += (double)r->place[i].y / LINKS;
        mean[2] += (double)r->place[i].z / LINKS;
    }
    for (int i = 0; i < LINKS; ++i) {
        const double x = (double)r->place[i].x - mean[0], y = (double)r->place[i].y - mean[1],
                     z = (double)r->place[i].z - mean[2];
        xx += x * x, zz += z * z, xy += x * y, zy += z * y;
    }
    for (int i = 0; i < LINKS; ++i) {
        const double x = (double)r->place[i].x - mean[0], y = (double)r->place[i].y - mean[1],
                     z = (double)r->place[i].z - mean[2];
        most = fmax(most, fabs(y - xy / xx * x - zy / zz * z));
    }
    return most;
}

/* It stays flat up to a twist of 2 pi sqrt(3) EI / GJ, and buckles above (Michell 1889; Zajac 1962). */
void twisted_ring(records *out)
{
    static const double ratio[] = {1, 0.5, 2};
    for (size_t i = 0; i < support_long((uint32_t)COUNT_OF(ratio), 1); ++i)
        for (int above = 0; above < 2; ++above) {
            const double share = above ? 1.1 : 0.9;
            ring r = make_ring(5 * ratio[i], 5, share * 2 * PI * sqrt(3) * ratio[i]);
            double now = 0, most = 0;
            for (int frame = 0; frame < 1200 && !(above && most > 0.05); ++frame) {
                run(r.world, 1, FRAME);
                now = out_of_plane(&r);
                most = fmax(most, now);
            }
            record *judged =
                above ? append(out, 12, JUDGE_AT_LEAST, 5e-2, most, 0) : append(out, 12, JUDGE_AT_MOST, 5e-3, now, 0);
            SETUP(judged, "ring with k_bend / k_twist = %g, twisted by %g of what buckles it, 10 × 4, out of plane / R",
                  ratio[i], share);
            sn_world_destroy(r.world);
        }
}
