/* The rigid bodies of the benchmark as bodies of Sinew. */
#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>

static sn_vec3 vec_of(const double v[3])
{
    return (sn_vec3){(sn_real)v[0], (sn_real)v[1], (sn_real)v[2]};
}

static bool add_body(sn_world *world, const sn_bench_body *from, sn_body *body)
{
    sn_shape_def shape = sn_default_shape_def(from->half[0] > 0 ? SN_SHAPE_BOX : SN_SHAPE_CAPSULE);
    sn_body_def def = sn_default_body_def();
    shape.half = from->half[0] > 0 ? vec_of(from->half) : (sn_vec3){shape.half.x, (sn_real)from->half[1], shape.half.z};
    *(shape.type == SN_SHAPE_BOX ? &shape.rounding : &shape.radius) = (sn_real)from->radius;
    def.shapes = &shape;
    def.shape_count = 1;
    def.mass = (sn_real)from->mass;
    def.position = vec_of(from->pose);
    def.rotation =
        (sn_quat){(sn_real)from->pose[3], (sn_real)from->pose[4], (sn_real)from->pose[5], (sn_real)from->pose[6]};
    return sn_body_add(world, &def, body) == SN_OK;
}

static bool add_joint(sn_world *world, const sn_bench_joint *from, const sn_body *body)
{
    sn_joint_def def = sn_default_joint_def(from->swing > 0 ? SN_KIND_JOINT_CONE_TWIST : SN_KIND_JOINT_HINGE);
    def.a = body[from->a];
    def.b = body[from->b];
    def.anchor = vec_of(from->anchor);
    def.axis = vec_of(from->axis);
    def.least = (sn_real)from->least;
    def.most = (sn_real)from->most;
    if (from->swing > 0)
        def.swing = (sn_real)from->swing;
    return sn_joint_add(world, &def).generation != 0;
}

bool sn_bench_add_bodies(sn_world *world, const sn_bench_model *model, sn_body *body)
{
    for (uint32_t i = 0; i < model->bodies; ++i)
        if (!add_body(world, &model->body[i], &body[i]))
            return false;
    return true;
}

bool sn_bench_add_joints(sn_world *world, const sn_bench_model *model, const sn_body *body)
{
    for (uint32_t i = 0; i < model->joints; ++i)
        if (!add_joint(world, &model->joint[i], body))
            return false;
    return true;
}

void sn_bench_read_bodies(const sn_world *world, uint32_t count, const sn_body *body, double *pose)
{
    for (uint32_t i = 0; i < count; ++i) {
        double *to = &pose[7 * (size_t)i];
        sn_vec3 x = sn_body_position(world, body[i]);
        sn_quat q = sn_body_rotation(world, body[i]);
        to[0] = (double)x.x, to[1] = (double)x.y, to[2] = (double)x.z;
        to[3] = (double)q.x, to[4] = (double)q.y, to[5] = (double)q.z, to[6] = (double)q.w;
    }
}

bool sn_bench_measure_bodies(const sn_world *world, const sn_bench_model *model, const sn_body *body, sn_bench_row *row)
{
    double *pose = malloc(7 * (size_t)model->bodies * sizeof *pose), sum = 0, most = 0;
    sn_bench_overlap overlap;
    if (!pose)
        return false;
    sn_bench_read_bodies(world, model->bodies, body, pose);
    bool good = sn_bench_model_bodies_hold(model, pose, &overlap);
    free(pose);
    for (uint32_t i = 0; i < model->bodies; ++i) {
        sn_vec3 v = sn_body_velocity(world, body[i]);
        double square = (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
        sum += model->body[i].mass * square / 2;
        most = square > most ? square : most;
    }
    row->stretch_mean = overlap.mean;
    row->stretch_max = overlap.largest;
    row->contacts = overlap.contacts;
    row->kinetic = sum / model->bodies;
    row->fastest = sqrt(most);
    return good;
}
