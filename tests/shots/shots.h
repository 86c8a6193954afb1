/* Random shots at everything: nothing passes through, nothing gains energy.

   draw.c     what is shot at what, from a number
   targets.c  what is shot at: plates of every kind, rooms, tubes
   things.c   what is shot, and what drives it
   judge.c    whether something is on the wrong side, and how much energy there is */
#ifndef SINEW_TESTS_SHOTS_H
#define SINEW_TESTS_SHOTS_H

#include "support/support.h"

enum { MOST_PARTS = 24, MOST_POINTS = 16 };

typedef enum arena { AT_PLATE, IN_ROOM, IN_TUBE, AT_PAIR, ARENAS } arena;

/* In the frame of a target its front is at z = 0, and shots come from above. */
typedef enum target {
    PLANE,
    BOX,
    HULL,
    SOLID_MESH,
    SHEET,
    ONE_SIDED,
    HEIGHTS,
    FIELD,
    GRID,
    ROW,      /* of boxes side by side */
    DISK,     /* a cylinder that lies on its cap */
    SPHERE,   /* round things that what is shot may get around */
    ROLLER,   /* a cylinder, or a capsule, */
    COMING,   /* a kinematic box that comes along */
    SWINGING, /* and one that turns about an axis in its face */
    FREE,     /* a plate that moves, */
    SLIDING,  /* and one that moves and does not turn */
    TARGETS
} target;

typedef enum thing {
    POINT,
    BALL,
    ROPE,
    GROUP, /* rigid */
    SPHERE_BODY,
    CAPSULE,
    BOX_BODY,
    HULL_BODY,
    CYLINDER,
    CONE,
    COMPOUND,
    JOINTED,
    THINGS
} thing;

typedef enum driver {
    BY_VELOCITY,
    BY_FORCE,
    BY_FIELD,
    BY_ROPE,
    BY_HAND, /* a kinematic particle that pulls a rope */
    BY_MOTOR,
    BY_IMPULSE,
    BY_BLOW,  /* of a body from behind */
    BY_PRESS, /* of a kinematic box from behind, which stops before there is no room */
    DRIVERS
} driver;

typedef enum walls { PLANES, BOXES, SHEETS, HOLLOW_MESH, HOLLOW_FIELD, WALLS } walls;
typedef enum motion { STILL, MOVING, TURNING, SHAKEN, MOTIONS } motion;

/* A particle or a body of what is shot. It covers the hull of its points, grown by `round`. */
typedef struct shot_part {
    sn_particle particle;
    sn_body body;
    bool is_body;
    thing what;
    double extent, round; /* m: of the ball around it */
    uint32_t points;
    sn_vec3 point[MOST_POINTS];
    sn_vec3 was; /* in the frame of the target */
} shot_part;

typedef struct shot {
    uint64_t number, seed;
    arena where;
    target at;
    thing what;
    driver by;
    walls walls;
    motion motion;
    uint32_t substeps, passes, frames, count; /* count: of things in a room or a tube */
    double dt, speed, spin, size, thick, half, wide, ratio, mass, far, aside[2], restitution, friction, gap;
    bool rolls, end;
    sn_quat turn;
    sn_vec3 origin;

    sn_world *world;
    sn_body frame;      /* of the target; null: the world's, from origin and turn */
    bool tumbles, left; /* a free plate turned far; something came out at the end of a tube */
    shot_part part[MOST_PARTS];
    uint32_t parts;
    sn_body pusher;
    sn_vec3 force;
    double energy, lowest; /* J: at the start, and the least so far, */
    double gain;           /*   and the largest gain since the least, as a share of that at the start */
    uint32_t culprit;      /* the part that is on the wrong side */
    double deepest;        /* m: the farthest that a point of a part came behind the front */
} shot;

double shot_exponential(uint64_t *seed, double least, double most);
uint32_t shot_among(uint64_t *seed, uint32_t count);
sn_vec3 shot_direction(uint64_t *seed);

shot shot_draw(uint64_t number);
void shot_tell(const shot *s);
const char *shot_thing_name(thing what);

/* In the frame of the shot, and in the world. */
sn_vec3 shot_place(const shot *s, sn_vec3 own);
sn_vec3 shot_along(const shot *s, sn_vec3 own);
sn_vec3 shot_seen(const shot *s, sn_vec3 place); /* in the frame of the target as it is now */

void shot_add_target(shot *s);
void shot_add_things(shot *s);
void shot_drive(shot *s, uint32_t frame); /* before a step */

/* Before the first step, and after each: what is wrong, or NULL. */
void shot_judge_start(shot *s);
const char *shot_judge(shot *s);
bool shot_keeps_energy(const shot *s); /* nothing drives it */

#endif
