/* What all types of shapes share: sizes, rotations and capsules, with messages about the keys of the file. All
   return false after an error. */
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

/* Reads a rotation from the keys `turn` or `rotation`, of a record that has both. */
bool sn_read_rotation(sn_reader *reader, bool flat, const sn_turn *turn, const sn_numbers *rotation, sn_quat *out);

/* Checks that x is a length. times: the number in the file is this multiple of x, for messages. */
bool sn_read_length(sn_reader *reader, const char *key, sn_real x, double times);

/* Reads the edges of a box and halves them. In a plane, two numbers are enough. */
bool sn_read_size(const sn_scene *scene, sn_reader *reader, sn_vec3 size, sn_vec3 *half);

/* The pose of a shape along y that reaches from a to b. Returns their distance. */
double sn_segment_pose(sn_vec3 a, sn_vec3 b, sn_real *half, sn_vec3 *position, sn_quat *rotation);

/* Reads a capsule, from its length, or from its ends if no other key places it. */
bool sn_read_capsule(sn_reader *reader, const sn_capsule_keys *keys, bool placed, sn_real *half, sn_vec3 *position,
                     sn_quat *rotation);

#endif
