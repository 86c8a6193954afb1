/* A character: an upright capsule that a player or a program moves through a world. It slides along obstacles, climbs
   steps and slopes, rides on platforms, and pushes bodies. It is not a body itself: it moves as you tell it, as far
   as there is room, and only things that move into it push it. (Like Jolt's CharacterVirtual, PhysX' capsule
   controller, the mover of Box2D.)

   It is a plain struct of yours that uses queries (query.h): copy it to go back in time, drop it when it is not
   needed. In a loop:

       sn_character c = sn_default_character();
       c.position = start;
       for (;;) {
           c.velocity.x = wish.x, c.velocity.z = wish.z;           walk where the player wants
           if (!c.grounded)      c.velocity.y -= 9.81f * dt;       fall,
           else                  c.velocity.y = jump ? 5 : 0;      stand or jump
           sn_world_step(world, dt);
           sn_character_move(world, &c, dt);
       }

   It moves along casts of its shape, so it passes through nothing at any speed. It keeps a small distance (skin) from
   obstacles. */
#ifndef SINEW_CHARACTER_H
#define SINEW_CHARACTER_H

#include <sinew/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_character {
    /* What it is. */
    sn_real radius;      /* m; positive; default 0.3 */
    sn_real height;      /* m: from foot to head, at least twice the radius; default 1.8 */
    sn_vec3 up;          /* not 0; default (0, 1, 0) */
    sn_real step_height; /* m: it climbs steps up to this height, and follows the ground down as far; not negative;
                            default 0.3 */
    sn_real slope_limit; /* rad: it stands and walks on slopes up to this, and slides down steeper ones; 0 to pi / 2;
                            default 0.87, 50 degrees */
    sn_real skin; /* m: the distance that it keeps from obstacles; positive, less than the radius; default 0.006 */
    sn_real mass; /* kg: for impacts on bodies, and for its weight on the body that it stands on; not negative; default
                     80; 0: it pushes nothing */
    sn_real push; /* N: the largest force with which it pushes bodies; not negative; default 500 */
    sn_query_filter filter; /* what it collides with; default bodies of every type. Particles and skins stop it if you
                               add them, but are not pushed */
    sn_body body; /* a kinematic body that follows it, or null (default). With a capsule, for example, particles, cloth
                     and bodies collide with the character. Its queries ignore this body. Each move sets its target, so
                     it moves in the next step: the origin of its frame goes to the middle of the character, half of
                     height above the foot along up. So make it there, with a capsule around its origin */

    /* Where it is: yours to set, and set by each move. */
    sn_vec3 position; /* m: of the foot, the lowest point */
    sn_vec3 velocity; /* m/s: set it before a move, relative to the ground it stands on. A move replaces it by the
                         actual velocity, after obstacles, level if it stands. An upward velocity is a jump: it leaves
                         the ground, which no longer carries it (add ground_velocity to keep that) */

    /* What the last move found. */
    bool grounded;           /* it stands on ground that is no steeper than slope_limit */
    bool blocked;            /* an obstacle that it could not climb was in its way; */
    sn_hit wall;             /*   the last such obstacle */
    sn_hit ground;           /* what it stands on; all zero if it does not */
    sn_vec3 ground_velocity; /* m/s: of the ground at its foot, as measured by the moves */
    sn_vec3 moved;           /* m: its whole displacement, including that of the ground */
    uint32_t casts;          /* the number of queries of the move */
    sn_vec3 anchor;          /* internal: where it stands in the frame of the ground */
} sn_character;

SN_API sn_character sn_default_character(void);

/* Moves it by dt seconds (positive, finite): first with the ground, as that has moved since the last move, then by
   its velocity. Call it after a step of the same dt, on the thread that steps. A dynamic body that it runs into gets
   an impulse. A thing that moved into it pushes it out. Refused, by name, with nothing changed: numbers out of range
   or not finite, a position or displacement beyond 1e18 m, a bad filter, a stale body. The ground may be removed at
   any time. In a 2D world up, position and velocity have z = 0. */
SN_API sn_result sn_character_move(sn_world *world, sn_character *character, sn_real dt);

/* Whether there is room for it at a position (m, of the foot): before standing up, or before a teleport. False also
   for bad input. It may be called on any number of threads, as queries. */
SN_API bool sn_character_fits(const sn_world *world, const sn_character *character, sn_vec3 position);

#ifdef __cplusplus
}
#endif
#endif
