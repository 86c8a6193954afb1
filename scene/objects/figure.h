/* A human figure of particles and sticks, whose joints bend as far as they should, and the way they should (T. Jakobsen,
   Advanced Character Physics, 2001). */
#ifndef SN_SCENE_FIGURE_H
#define SN_SCENE_FIGURE_H

#include "scene/object.h"

typedef enum sn_figure_pose {
    SN_POSE_STANDING, /* arms at the sides */
    SN_POSE_ARMS_OUT, /* arms stretched out to both sides, a T */
    SN_POSE_SITTING   /* as on a chair */
} sn_figure_pose;

/* It faces z of its frame, with its left to x and the origin on the ground, below its hips. */
typedef struct sn_figure_def {
    sn_real height; /* m, when it stands; default 1.8 */
    sn_figure_pose pose;
    bool limits; /* its joints have limits; without, a stick can turn any way about its ends; default true */
} sn_figure_def;

sn_figure_def sn_default_figure_def(void);

extern const sn_object_type sn_object_figure;

#endif
