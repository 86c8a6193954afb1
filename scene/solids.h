/* What shapes of every type have in common: sizes, rotations and capsules, checked in the words of the file. All of
   them return false after an error. */
#ifndef SN_SCENE_SOLIDS_H
#define SN_SCENE_SOLIDS_H

#include "scene/contact.h"
#include "scene/state.h"

static inline bool sn_is_zero(sn_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

/* Four numbers x, y, z, w, not all 0. */
bool sn_read_quaternion(sn_reader *reader, const char *key, const sn_numbers *numbers, sn_quat *out);

/* A rotation given as a turn or as a quaternion, of something that has both keys. */
bool sn_read_rotation(sn_reader *reader, bool flat, const sn_turn *turn, const sn_numbers *rotation, sn_quat *out);

/* x: what the engine is to have of the number that was found, which is so many times that. */
bool sn_read_length(sn_reader *reader, const char *key, sn_real x, double times);

/* Half of the edges of a box. In a plane two numbers are enough. */
bool sn_read_size(const sn_scene *scene, sn_reader *reader, sn_vec3 size, sn_vec3 *half);

/* Where something along y is that reaches from a to b. Gives their distance. */
double sn_segment_pose(sn_vec3 a, sn_vec3 b, sn_real *half, sn_vec3 *position, sn_quat *rotation);

/* A capsule, by its length, or by its ends if it is not placed otherwise. */
bool sn_read_capsule(sn_reader *reader, const sn_capsule_keys *keys, bool placed, sn_real *half, sn_vec3 *position,
                     sn_quat *rotation);

#endif
