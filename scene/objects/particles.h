/* Particles given one by one: by hand, and by a saved scene. */
#ifndef SN_SCENE_PARTICLES_H
#define SN_SCENE_PARTICLES_H

#include "scene/object.h"

/* An empty list counts as not given. The lists are used during the call only. */
typedef struct sn_particles_def {
    sn_numbers positions; /* m: x, y, z of each, in the frame */
    sn_numbers
        velocities;    /* m/s: x, y, z of each, in the frame: they rotate with it, but are not scaled. They are added
                          to the velocity and spin of the object */
    sn_numbers spins;  /* rad/s: x, y, z of each, in the frame; for a group with rolling particles */
    sn_numbers masses; /* kg, one each; otherwise the mass of the object in equal shares, or, without one, 1 kg each */
    sn_numbers fixed;  /* numbers of the immovable ones, from 0 on */
    sn_numbers radii;  /* m, one each, not scaled; otherwise the radius of the object */
    sn_numbers triangles;   /* the surface: three particles each, from 0 on */
    sn_numbers lines;       /* lines to draw: two particles each */
    sn_numbers rest;        /* m: x, y, z of each in the world, in the rest shape of their group; otherwise the rest
                               shape is where they are */
    const sn_value *bodies; /* a list of rigid bodies; may be NULL */
    const sn_value *parts;  /* a record: the name of a part and a list of its particles; may be NULL */
} sn_particles_def;

sn_particles_def sn_default_particles_def(void);

extern const sn_object_type sn_object_particles;

#endif
