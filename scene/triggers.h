/* Conditions of events other than a time, and the events that add constraints and change lengths. */
#ifndef SN_SCENE_TRIGGERS_H
#define SN_SCENE_TRIGGERS_H

#include "scene/tables.h"

#include <sinew/sinew.h>

typedef struct sn_scene_event sn_scene_event;

typedef enum sn_trigger_type {
    SN_TRIGGER_NONE,    /* only its time */
    SN_TRIGGER_CONTACT, /* contact between two things in the last frame */
    SN_TRIGGER_BROKEN,  /* a constraint no longer exists */
    SN_TRIGGER_DISTANCE /* two points are nearer, or farther apart, than a distance */
} sn_trigger_type;

/* One side of a contact: particles, bodies by their centre particles, or a static or kinematic body. */
typedef struct sn_trigger_side {
    bool anything;
    uint32_t count; /* of particles */
    const uint32_t *number;
    uint32_t marks;            /* the size of mark, */
    const unsigned char *mark; /* by number of a particle: it belongs to this side */
    sn_body fixed;             /* null: none */
    const char *fixed_name;
} sn_trigger_side;

typedef struct sn_trigger {
    sn_trigger_type type;
    bool holds; /* the condition holds: the event happens with the next frame */
    sn_trigger_side side[2];
    uint32_t count; /* of constraints */
    const sn_constraint *constraint;
    sn_point between[2];
} sn_trigger;

/* The position of a point, m; NaN if the thing that it belongs to was removed. */
sn_vec3 sn_scene_point_place(const sn_world *world, const sn_point *point);

/* Reads the keys `when` and `between` of an event, and others that its type needs. False after an error. */
struct sn_scene;
bool sn_scene_read_trigger(struct sn_scene *scene, sn_reader *reader, sn_scene_event *event);

/* After a step: finds conditions that hold now. */
void sn_scene_look_at_triggers(struct sn_scene *scene);

/* Executes events of the types attach and length; other types are ignored. */
sn_result sn_scene_happen_to_constraints(struct sn_scene *scene, const sn_scene_event *event);

#endif
