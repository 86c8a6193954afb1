/* What an event waits for besides a time, and the events that add constraints and change lengths. */
#ifndef SN_SCENE_TRIGGERS_H
#define SN_SCENE_TRIGGERS_H

#include "scene/tables.h"

#include <sinew/sinew.h>

typedef struct sn_scene_event sn_scene_event;

typedef enum sn_trigger_type {
    SN_TRIGGER_NONE,    /* its time */
    SN_TRIGGER_CONTACT, /* two things touched in the last frame */
    SN_TRIGGER_BROKEN,  /* a constraint is gone */
    SN_TRIGGER_DISTANCE /* two points are nearer, or farther apart */
} sn_trigger_type;

/* One of two that touch: particles, bodies by the particles in their middle, or a static or kinematic body. */
typedef struct sn_trigger_side {
    bool anything;
    uint32_t count; /* of particles */
    const uint32_t *number;
    uint32_t marks;            /* how long the next is, */
    const unsigned char *mark; /*   by number of a particle: it is one of them */
    sn_body fixed;             /* null: none */
    const char *fixed_name;
} sn_trigger_side;

typedef struct sn_trigger {
    sn_trigger_type type;
    bool holds; /* what it waits for has come: the event happens with the next frame */
    sn_trigger_side side[2];
    uint32_t count; /* of constraints */
    const sn_constraint *constraint;
    sn_point between[2];
} sn_trigger;

/* Where a point is, m; no number if what it is of was removed. */
sn_vec3 sn_scene_point_place(const sn_world *world, const sn_point *point);

/* Reads the keys `when` and `between` of an event, and what else its type needs. False after an error. */
struct sn_scene;
bool sn_scene_read_trigger(struct sn_scene *scene, sn_reader *reader, sn_scene_event *event);

/* After a step: notes whose condition holds. */
void sn_scene_look_at_triggers(struct sn_scene *scene);

/* Makes an event of the types attach and length happen; others are left alone. */
sn_result sn_scene_happen_to_constraints(struct sn_scene *scene, const sn_scene_event *event);

#endif
