#include "collision/pose.h"

#include "base/dvec.h"

sn_pose sn_pose_between(const sn_pose *a, const sn_pose *b, sn_real t)
{
    if (t == 0 || t == 1)
        return t == 0 ? *a : *b;
    sn_vec3 turn = sn_quat_between(a->rotation, b->rotation);
    sn_dvec3 from = dvec3_from(a->position), displacement = dvec3_sub(dvec3_from(b->position), from);
    return (sn_pose){dvec3_round(dvec3_add(from, dvec3_scale(displacement, (double)t))),
                     sn_quat_rotated(a->rotation, vec3_scale(turn, t))};
}

sn_vec3 sn_pose_to_own(const sn_pose *pose, sn_vec3 p)
{
    return sn_quat_rotate_back(pose->rotation, vec3_sub(p, pose->position));
}

sn_vec3 sn_pose_to_world(const sn_pose *pose, sn_vec3 p)
{
    return vec3_add(sn_quat_rotate(pose->rotation, p), pose->position);
}

static bool is_nothing(const sn_pose *own)
{
    const sn_vec3 p = own->position;
    const sn_quat q = own->rotation;
    return p.x == 0 && p.y == 0 && p.z == 0 && q.x == 0 && q.y == 0 && q.z == 0 && q.w == 1;
}

sn_pose sn_pose_of(const sn_pose *pose, const sn_pose *own)
{
    if (is_nothing(own))
        return *pose;
    return (sn_pose){sn_pose_to_world(pose, own->position), sn_quat_times(pose->rotation, own->rotation)};
}
