#include "scene/solids.h"

#include <math.h>

/* m: the engine accepts nothing larger. It is checked here, so that messages can name the keys of the file. */
#define LARGEST 1e15

bool sn_read_quaternion(sn_reader *reader, const char *key, const sn_numbers *numbers, sn_quat *out)
{
    const double *q = numbers->data;
    if (numbers->count != 4)
        return sn_reader_fail_key(reader, key, "found %u numbers, expected four: x, y, z, w", numbers->count);
    *out = (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
    if (out->x == 0 && out->y == 0 && out->z == 0 && out->w == 0)
        return sn_reader_fail_key(reader, key, "all four numbers are 0, expected a quaternion of length 1");
    return true;
}

bool sn_read_rotation(sn_reader *reader, bool flat, const sn_turn *turn, const sn_numbers *rotation, sn_quat *out)
{
    if (sn_is_zero(turn->axis))
        return sn_reader_fail_key(reader, "turn", "the axis has length 0");
    if (flat && turn->angle != 0 && (turn->axis.x != 0 || turn->axis.y != 0))
        return sn_reader_fail_key(reader, "turn", "in a 2D world things turn about the axis [0, 0, 1] only");
    *out = sn_rotation_about(turn->axis, (double)turn->angle);
    if (!rotation->data)
        return true;
    if (turn->angle != 0)
        return sn_reader_fail_key(reader, "rotation", "both 'turn' and 'rotation' are given, expected one of them");
    return sn_read_quaternion(reader, "rotation", rotation, out);
}

static bool is_length(double x)
{
    return x > 0 && x <= LARGEST;
}

bool sn_read_length(sn_reader *reader, const char *key, sn_real x, double times)
{
    return is_length((double)x) || sn_reader_fail_key(reader, key, "found %g, expected more than 0 m, and at most %g",
                                                      times * (double)x, times * LARGEST);
}

bool sn_read_size(const sn_scene *scene, sn_reader *reader, sn_vec3 size, sn_vec3 *half)
{
    if (sn_world_dimensions(scene->world) == 2 && size.z == 0)
        size.z = 1; /* in a plane, two numbers are enough */
    *half = (sn_vec3){size.x / 2, size.y / 2, size.z / 2};
    return (is_length((double)half->x) && is_length((double)half->y) && is_length((double)half->z)) ||
           sn_reader_fail_key(reader, "size", "found [%g, %g, %g], expected more than 0 m each, and at most %g",
                              (double)size.x, (double)size.y, (double)size.z, 2 * LARGEST);
}

double sn_segment_pose(sn_vec3 a, sn_vec3 b, sn_real *half, sn_vec3 *position, sn_quat *rotation)
{
    double d[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    *half = (sn_real)(length / 2);
    if (length > 0)
        *rotation =
            sn_rotation_facing((sn_vec3){(sn_real)(d[0] / length), (sn_real)(d[1] / length), (sn_real)(d[2] / length)});
    *position = (sn_vec3){(sn_real)(((double)a.x + (double)b.x) / 2), (sn_real)(((double)a.y + (double)b.y) / 2),
                          (sn_real)(((double)a.z + (double)b.z) / 2)};
    return length;
}

bool sn_read_capsule(sn_reader *reader, const sn_capsule_keys *keys, bool placed, sn_real *half, sn_vec3 *position,
                     sn_quat *rotation)
{
    sn_vec3 a = keys->from, b = keys->to;
    *half = keys->length / 2;
    if (!sn_read_length(reader, "radius", keys->radius, 1))
        return false;
    if (isnan(a.x) && isnan(b.x))
        return sn_read_length(reader, "length", *half, 2);
    if (isnan(a.x) || isnan(b.x))
        return sn_reader_fail(reader, "'from' and 'to' go together, and '%s' is missing", isnan(a.x) ? "from" : "to");
    if (placed)
        return sn_reader_fail(reader, "'from' and 'to' say where it is, so 'position', 'turn' and 'rotation' cannot");
    double length = sn_segment_pose(a, b, half, position, rotation);
    return is_length((double)*half) ||
           sn_reader_fail_key(reader, "to", "it is %g m from 'from', expected more than 0, and at most %g", length,
                              2 * LARGEST);
}

/* ---- Rotations --------------------------------------------------------------------------------------------------- */

typedef struct turning {
    double x, y, z, w;
} turning;

static sn_quat rounded(turning q)
{
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (sn_quat){(sn_real)(q.x / length), (sn_real)(q.y / length), (sn_real)(q.z / length),
                     (sn_real)(q.w / length)};
}

/* v scaled to length 1, whatever its length. */
static void direction_of(sn_vec3 v, double out[3])
{
    double x[3] = {(double)v.x, (double)v.y, (double)v.z};
    double largest = fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2])); /* so that no square overflows or underflows */
    double length = 0;
    for (int i = 0; i < 3; ++i) {
        out[i] = x[i] / largest;
        length += out[i] * out[i];
    }
    for (int i = 0; i < 3; ++i)
        out[i] /= sqrt(length);
}

sn_quat sn_rotation_about(sn_vec3 axis, double angle)
{
    if (angle == 0)
        return (sn_quat){0, 0, 0, 1};
    double a[3], s = sn_math_sin(angle / 2);
    direction_of(axis, a);
    return rounded((turning){s * a[0], s * a[1], s * a[2], sn_math_cos(angle / 2)});
}

sn_quat sn_rotation_after(sn_quat q, sn_quat p)
{
    turning a = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    turning b = {(double)p.x, (double)p.y, (double)p.z, (double)p.w};
    return rounded(
        (turning){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z});
}

sn_quat sn_rotation_facing(sn_vec3 direction)
{
    double d[3];
    direction_of(direction, d);
    if (d[0] == 0 && d[2] == 0) /* half a rotation about x: also if d is -y, where the other formula has no axis */
        return d[1] > 0 ? (sn_quat){0, 0, 0, 1} : (sn_quat){1, 0, 0, 0};
    /* the half-way quaternion (y x d, 1 + y.d); 1 + y.d without cancellation where d is nearly -y */
    double w = d[1] > 0 ? 1 + d[1] : (d[0] * d[0] + d[2] * d[2]) / (1 - d[1]);
    return rounded((turning){d[2], 0, -d[0], w});
}

sn_vec3 sn_rotation_applied(sn_quat r, sn_vec3 v)
{
    double q[3] = {(double)r.x, (double)r.y, (double)r.z}, a[3] = {(double)v.x, (double)v.y, (double)v.z}, t[3], out[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = 2 * (q[j] * a[k] - q[k] * a[j]);
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[i] + (double)r.w * t[i] + q[j] * t[k] - q[k] * t[j];
    }
    return (sn_vec3){(sn_real)out[0], (sn_real)out[1], (sn_real)out[2]};
}
