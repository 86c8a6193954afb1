/* The tables of the scene format that several files use. Those of object types are in scene/objects/. */
#ifndef SN_SCENE_TABLES_H
#define SN_SCENE_TABLES_H

#include "scene/contact.h"

extern const sn_choices sn_jacobi_choices, sn_drift_choices, sn_linear_choices, sn_stiffening_choices,
    sn_solver_choices, sn_integrator_choices, sn_order_choices, sn_gradients_choices, sn_drag_choices, sn_event_choices,
    sn_force_choices;

/* "world" */
typedef struct sn_world_keys {
    sn_settings settings;
    uint32_t dimensions;
    sn_list_of drags; /* of sn_drag_keys */
} sn_world_keys;

typedef struct sn_drag_keys {
    sn_drag_def def;
    const char *object;     /* it acts on this object only */
    const sn_value *matrix; /* three lists of three numbers */
} sn_drag_keys;

/* "run" */
typedef struct sn_run_keys {
    uint32_t frames;
    sn_real rate;
    uint32_t warm_up;
    sn_real time;
    uint32_t frame;
} sn_run_keys;

/* "record" */
typedef struct sn_record_keys {
    const sn_value *particles;
    const sn_value *forces;
    const sn_value *slopes;
    uint32_t every;
} sn_record_keys;

/* The keys of the whole document. */
typedef struct sn_scene_keys {
    uint32_t version;
    const char *title, *about, *topic;
    sn_world_keys world;
    sn_run_keys run;
    sn_record_keys record;
    sn_contact_settings contact;
    const sn_value *variables, *materials, *groups, *objects, *bodies, *constraints;
    const sn_value *names, *attachments, *forces, *motions, *blades, *characters, *events;
} sn_scene_keys;

/* The keys that all objects have. */
typedef struct sn_object_keys {
    sn_object_def def;
    const char *type;
    const sn_value *material;
    const sn_value *group;   /* a number, or the name of a group */
    const sn_value *contact; /* a group record, for the object's group */
    const sn_value *skin;    /* true, false or a skin record */
    const sn_value *pins;
} sn_object_keys;

/* Young's modulus and the section of a rod, from which its compliance follows; NaN: not given. */
typedef struct sn_young {
    sn_real young;     /* Pa */
    sn_real thickness; /* m: the diameter of a round section */
    sn_real area;      /* m^2: that of any section */
} sn_young;

/* An attachment. */
typedef struct sn_attachment_keys {
    const char *name;
    const sn_value *between;
    sn_real distance, compliance, damping;
    sn_young young;
    sn_tear_def tear; /* strain and force 0: it does not tear */
} sn_attachment_keys;

typedef enum sn_force_type { SN_FORCE_EACH, SN_FORCE_ACCELERATION, SN_FORCE_WIND } sn_force_type;

typedef struct sn_force_keys {
    sn_force_type type;
    const sn_value *of;
    sn_vec3 value;
    sn_real from, to;
    sn_real drag, gust, period;
    sn_real turbulence, eddies;
    uint32_t seed;
} sn_force_keys;

typedef struct sn_motion_key {
    sn_real time;
    sn_vec3 move;
    sn_real angle;
} sn_motion_key;

typedef struct sn_motion_keys {
    const sn_value *of;
    sn_list_of keys; /* of sn_motion_key */
    sn_vec3 axis, about;
    bool smooth, repeat, release;
    sn_numbers start;
} sn_motion_keys;

typedef struct sn_blade_key {
    sn_real time;
    sn_vec3 a, b;
} sn_blade_key;

typedef struct sn_blade_keys {
    const char *object;
    sn_list_of keys; /* of sn_blade_key */
    bool edges_only;
} sn_blade_keys;

typedef enum sn_event_type {
    SN_EVENT_IMPULSE,
    SN_EVENT_VELOCITY,
    SN_EVENT_TELEPORT,
    SN_EVENT_RELEASE,
    SN_EVENT_PIN,
    SN_EVENT_CUT,
    SN_EVENT_ATTACH,
    SN_EVENT_LENGTH,
    SN_EVENT_TEAR
} sn_event_type;

/* The condition of an event. */
typedef struct sn_when_keys {
    const sn_value *contact, *broken, *between;
    sn_real below, above; /* m; NaN: not given */
} sn_when_keys;

typedef struct sn_event_keys {
    sn_real time;
    sn_event_type type;
    sn_when_keys when;
    const sn_value *of, *between;
    sn_vec3 value;
    sn_real distance, compliance; /* of attach; NaN: their distance at that time */
    sn_young young;
    sn_real length, scale;   /* of length; NaN: not given */
    sn_vec3 through, normal; /* of cut: a plane; NaN: not given */
    const char *object;      /* of tear, and of a cut by a plane */
    sn_tear_def tear;
} sn_event_keys;

/* A constraint of the list "constraints", without the parameters of its kind. */
typedef struct sn_constraint_keys {
    const char *name, *kind;
    const sn_value *points, *each, *index, *bodies;
    sn_vec3 anchor, axis, second_axis; /* for joints of bodies; NaN: not given */
    const sn_value *compliance, *damping, *stiffness;
    sn_young young;
    bool collides;
    sn_real strength, torque_strength; /* 0: it does not break */
    sn_real tear_strain, tear_force;   /* both 0: it does not tear */
    sn_real tear_fatigue;
    sn_numbers state;
} sn_constraint_keys;

extern const sn_record sn_choose_record, sn_spot_record, sn_place_record; /* select.c */
extern const sn_record sn_scene_record, sn_world_record, sn_run_record, sn_record_record, sn_drag_record,
    sn_stuff_record, sn_object_record, sn_attachment_record, sn_force_record, sn_motion_record, sn_motion_key_record,
    sn_blade_record, sn_blade_key_record, sn_event_record, sn_when_record, sn_constraint_record;

/* The format's version, the key "sinew". */
#define SN_SCENE_VERSION 1

#endif
