/* A character: an upright capsule that a player or a program moves through a world. It slides along what it hits, climbs steps and slopes, rides
   what it stands on, and pushes bodies. It is no body itself: it goes where it is told, as far as there is room, and nothing pushes
   it but what moves into it. (Jolt's CharacterVirtual, PhysX' capsule controller, the mover of Box2D.)

   It is a plain struct of yours, made of queries (query.h): copy it to go back in time, throw it away when it is not needed. In a loop:

       sn_character c = sn_default_character();
       c.position = start;
       for (;;) {
           c.velocity.x = wish.x, c.velocity.z = wish.z;           walk where the player wants
           if (!c.grounded)      c.velocity.y -= 9.81f * dt;       fall,
           else                  c.velocity.y = jump ? 5 : 0;      stand or jump
           sn_world_step(world, dt);
           sn_character_move(world, &c, dt);
       }

   It moves along casts of its shape, so it passes through nothing, however fast it is. It keeps a small distance (skin) from what it hits. */
#ifndef SINEW_CHARACTER_H
#define SINEW_CHARACTER_H

#include <sinew/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_character {
    /* What it is. */
    sn_real radius; /* m; positive; default 0.3 */
    sn_real height; /* m: from foot to head, at least twice the radius; default 1.8 */
    sn_vec3 up;     /* not 0; default (0, 1, 0) */
    sn_real
        step_height; /* m: it climbs what is no higher, and follows the ground down as far; not negative; default 0.3 */
    sn_real
        slope_limit; /* rad: it stands and walks on slopes up to this, and slides down steeper ones; 0 to pi / 2; default 0.87, 50 degrees */
    sn_real skin; /* m: the distance that it keeps; positive, less than the radius; default 0.006 */
    sn_real
        mass; /* kg: with which it hits bodies, and presses on those that it stands on; not negative; default 80; 0: it pushes
                            nothing */
    sn_real push; /* N: it pushes bodies with at most this; not negative; default 500 */
    sn_query_filter
        filter; /* what it hits; default bodies of every type. Particles and skins stop it if you add them, and are not pushed */
    sn_body
        body; /* a kinematic one that follows it, or null (default): a capsule, say, with a filter of its own, by which particles, cloth
                               and bodies feel it. It is left out of its own queries and gets a target in every move, so it moves in the next step */

    /* Where it is: yours to set, and set by each move. */
    sn_vec3 position; /* m: of the foot, the lowest point */
    sn_vec3
        velocity; /* m/s: with which it is to move, besides what it stands on; then that with which it did: without what it ran into, and
                         level where it stands. Upwards is a jump: it leaves the ground, and is no longer carried (add ground_velocity to keep that) */

    /* What the last move found. */
    bool grounded;           /* it stands on something that is no steeper than slope_limit */
    bool blocked;            /* something was in its way that it could not climb; */
    sn_hit wall;             /*   the last such thing */
    sn_hit ground;           /* what it stands on; all zero if it does not */
    sn_vec3 ground_velocity; /* m/s: of what it stands on, there; as far as the moves tell */
    sn_vec3 moved;           /* m: in all, with what carried it */
    uint32_t casts;          /* so many queries it took */
    sn_vec3 anchor;          /* where it stands in the frame of the ground: its own */
} sn_character;

SN_API sn_character sn_default_character(void);

/* Moves it by dt seconds (positive, finite): first as what it stands on has moved since the last move, then by its velocity. Call it after a step
   of the same dt, on the thread that steps. What it runs into gets an impulse if it is a body that can move. What overlaps it, because it moved there, pushes it out.
   Refused, by name, with nothing changed: numbers out of range or not finite, a place or a way beyond 1e18 m, a bad filter, a stale body. What it stands on may be
   removed at any time. In a 2D world up, position and velocity have z = 0. */
SN_API sn_result sn_character_move(sn_world *world, sn_character *character, sn_real dt);

/* Whether it would have room at a place (m, of the foot): for standing up, or being put somewhere. False also for bad input. Const, and for any number
   of threads, as queries. */
SN_API bool sn_character_fits(const sn_world *world, const sn_character *character, sn_vec3 position);

#ifdef __cplusplus
}
#endif
#endif
