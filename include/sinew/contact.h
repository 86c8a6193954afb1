/* Contact keeps things from passing through each other.

   Particles have a radius and belong to a group. Particles of different groups collide with each other, and those of
   one group if the group says so. Group 0, the default, does. A particle with radius 0 collides with static and
   kinematic bodies and with skins, not with other particles. Two particles do not collide if a constraint joins them,
   or if they belong to one group and start closer than the sum of their radii (sn_group_contact.rest_gap).

   Bodies collide with their shapes (shapes.h, bodies.h). Nothing pushes static and kinematic bodies.
   A skin is a mesh of triangles between particles, such as cloth: other particles collide with its
   triangles, and push them.

   The broad phase runs once per step, with a margin for the motion in it, and every substep measures depths again.
   Fast particles are swept along their paths, so that they do not pass through thin things. Friction is Coulomb's,
   with the normal force of the same substep. It does not depend on masses.

   Contact works up to 1e18 m from the origin, and with motions up to that length in a step, so that no square
   overflows. In a world with skins, radii or shapes of bodies, a step in which something is farther away, or may get
   farther, returns SN_ERROR_DIVERGED and names it. */
#ifndef SINEW_CONTACT_H
#define SINEW_CONTACT_H

#include <sinew/shapes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Groups of particles --------------------------------------------------------------------- */

/* How the particles of a group take part in contact. */
typedef struct sn_group_contact {
    sn_contact_material material;
    uint32_t category; /* the bits of their category; default 1 */
    uint32_t mask;     /* the categories that they collide with, if the masks of those agree; default all bits */
    bool self;         /* they collide with each other; default: group 0 only */
    sn_real rest_gap;  /* m: two of one group never collide if they were closer than the sum of their radii plus this in
                         the group's rest shape; default 0; see sn_world_take_rest_shape */
    bool rolls; /* they rotate: friction makes them spin, and balls roll. Otherwise they slide like blocks. They have a
                          spin of their own (sn_particle_spin) and the inertia of a solid ball; default false */
    bool directional; /* others are pushed along the normals of this object, from its distance field or its skin,
                          instead of along the line between centres, so that two objects made of particles cannot
                          interlock; default false; without a field or skin it does nothing */
} sn_group_contact;

/* Everything at its default; self is true for group 0. */
SN_API sn_group_contact sn_default_group_contact(uint32_t group);

/* Takes effect with the next step. Refused: numbers out of range, named in the message. */
SN_API sn_result sn_world_set_group_contact(sn_world *world, uint32_t group, const sn_group_contact *contact);
/* The current contact of a group; the default if it was never set; all zero for NULL. */
SN_API sn_group_contact sn_world_group_contact(const sn_world *world, uint32_t group);

/* Stores the current positions of the group's particles as its rest shape; see rest_gap. Particles that join the
   group later are not part of it, and those that leave it, or are removed, are no longer part of it. A second call
   replaces the first. Refused: a group without particles. */
SN_API sn_result sn_world_take_rest_shape(sn_world *world, uint32_t group);

/* m: the position of a particle in the rest shape of its group or skin, relative to a point that is the same for all of
   these; NaN if it is in none. A particle that a tear has made is where its parent was. */
SN_API sn_vec3 sn_particle_rest_position(const sn_world *world, sn_particle particle);

/* Sets the signed distance field of the object that a group forms, for `directional`. The outward direction at a
   particle is the field's gradient at its current position, rotated with the object from now on (the rotation that
   fits its particles best). A field is used before a skin. def describes a field; its position and rotation are those
   of the field's own frame now. NULL removes the field. Particles that join the group later are not part of it, and
   those that leave it, or are removed, are no longer. A second call replaces the first. Like those of bodies, fields
   are kept until the world ends. Refused: a field that sn_body_add refuses, another type, a group without particles
   or with all of them on a line, and a 2D world. */
SN_API sn_result sn_world_set_group_field(sn_world *world, uint32_t group, const sn_shape_def *def);
SN_API bool sn_world_has_group_field(const sn_world *world, uint32_t group);

/* rad/s: the angular velocity of a particle in a group that rolls, axis times rate; 0 for others. Setting it is
   refused for those. */
SN_API sn_vec3 sn_particle_spin(const sn_world *world, sn_particle particle);
SN_API sn_result sn_particle_set_spin(sn_world *world, sn_particle particle, sn_vec3 spin);

/* ---- The world ------------------------------------------------------------------------------- */

/* sn_contact_settings is in world.h: it is also part of sn_world_def. */
SN_API sn_contact_settings sn_default_contact_settings(void);
SN_API sn_contact_settings sn_world_contact_settings(const sn_world *world);
SN_API sn_result sn_world_set_contact_settings(sn_world *world, const sn_contact_settings *settings);

/* ---- Sleep --------------------------------------------------------------------------------------

   Particles that constraints or contacts join form an island. With sn_contact_settings.sleep, an island falls asleep
   when none of its particles was faster than sleep_speed for sleep_time, and it is supported: one of them touches a
   static body or an immovable particle, or a constraint holds it to one or to a point of the world. An island that
   swings or flies never sleeps. A rigid body that moved no farther than 3 sleep_speed sleep_time in 3 sleep_time
   counts as slow from then on, as long as it stays there: a jammed body may have a velocity without moving.

   Sleeping particles have no velocity, stay where they are to the last bit, and cost almost nothing in contact.
   Constraints between them do nothing. Their masses read as before.

   An island wakes as a whole: when a particle faster than sleep_speed comes close, when a kinematic body or target
   moves there, and by every call that changes one of its particles, their constraints, what they touch, or the world:
   settings, fields, groups, skins. A force field that changes by itself does not wake it. sn_world_relax wakes
   everything. */

/* False while it sleeps, and for a bad handle. Immovable particles do not sleep. */
SN_API bool sn_particle_is_awake(const sn_world *world, sn_particle particle);

/* How many particles do not sleep, immovable ones included. */
SN_API uint32_t sn_world_awake_count(const sn_world *world);

/* Wakes a particle and its island. Does nothing if it is awake. */
SN_API sn_result sn_particle_wake(sn_world *world, sn_particle particle);

/* ---- Skins ----------------------------------------------------------------------------------- */

typedef struct sn_skin {
    uint32_t index;
    uint32_t generation;
} sn_skin;

typedef struct sn_skin_def {
    const uint32_t *triangles; /* particle numbers, three each; copied */
    uint32_t triangle_count;
    const uint32_t *segments; /* particle numbers, two each; copied. Ropes, nets and fringes; see below */
    uint32_t segment_count;   /* default 0. There must be a triangle or a segment */
    sn_real thickness; /* m: the distance that others keep from a triangle, besides their own radius; not negative;
                          default 0 */
    bool one_sided; /* it pushes to its front only, from which corners run counter-clockwise. Otherwise particles stay
                       on the side that they are on; default false */
    bool self_collision; /* it collides with itself and with other skins that have this, vertices with triangles and
                            edges with edges; see below. thickness must then be positive; default false */
    uint64_t user;       /* yours */
} sn_skin_def;

SN_API sn_skin_def sn_default_skin_def(void);

/* Surfaces that never pass through themselves: skins with self_collision. Two of them, or two parts of one, keep a
   distance of the sum of their thicknesses: a fold of a cloth of thickness 2 mm is a gap of 4 mm. Parts of one skin
   that are close in the rest shape may come closer, down to half of their distance there; so a mesh may be finer than
   its thickness. The rest shape is that of sn_world_take_rest_shape. Particles that are not in one are added to it,
   at their current positions, when such a skin is added. Friction and restitution are those of the groups. Groups
   whose filters disagree, and features of two skins that a constraint joins, do not collide.

   Surfaces that do not intersect (sn_query_intersections) at the start of a substep do not intersect at its end,
   after any motion and at any number of substeps and passes: vertices that would pass through are stopped. Particles
   with a target and immovable ones are the exception: nothing stops them. A surface that begins with intersections,
   or is set where it intersects, is pulled apart over some frames: two features that cross move apart at 1 m/s at
   most. Meanwhile what is near the crossing may pass through; all other pairs stay apart. Segments that pass through
   triangles are not pulled out.

   Bodies: triangles and edges of such a skin also collide with corners, edges, tips and axes of bodies of all types,
   at the distance of the thickness, and are stopped before they pass through one. Particles collide by their radius,
   as always; those whose radius is less than the thickness also do by that. Left out: planes, distance fields,
   one-sided meshes, meshes of more than 4,096 triangles, and shapes that are rounder than two mean edges of the skin,
   which vertices alone feel well enough.

   Ropes: segments of such a skin are round edges without triangles. Their radius is the thickness. Segments collide
   with segments, edges and vertices, their ends also with triangles; a rope collides with itself, with other ropes,
   with cloth, and with bodies as above. A strand is segments in a row without a branch. On a strand, "close in the rest shape" is measured
   along the strand, so a rope may begin in a coil or a knot. Segments share ends as triangles do: by particle
   numbers. A segment collides while a constraint joins its ends, or while both are immovable: not after a rope broke
   there.

   Animated meshes: a skin of immovable particles that sn_particles_move_to sets before every step, as a rigid part or
   vertex by vertex. Cloth collides with it as with other surfaces, and friction drags it along. Cloth that it presses
   moves along with it (docs/cloth.md has the limits). Skins of immovable particles do not collide with each other.

   In a 2D world self_collision does nothing. With other particles such a skin collides as every skin does. */

/* Adds a skin. Particles of its own group, also of group 0, do not collide with it: give things that should lie on it
   another group. Its material and filter are those of the group of its particles. A skin whose particles are removed
   loses their triangles and segments. Refused: an unknown particle, a triangle with a corner twice, a segment with an
   end twice, negative thickness, neither triangles nor segments, segments without self_collision. */
SN_API sn_result sn_skin_add(sn_world *world, const sn_skin_def *def, sn_skin *skin);
SN_API sn_result sn_skin_remove(sn_world *world, sn_skin skin);
SN_API bool sn_skin_is_valid(const sn_world *world, sn_skin skin);
SN_API uint64_t sn_skin_user(const sn_world *world, sn_skin skin); /* 0, and an error, for a bad handle */
SN_API sn_result sn_skin_set_user(sn_world *world, sn_skin skin, uint64_t user);

/* ---- Callbacks ----------------------------------------------------------------------------------

   Two functions of yours may see contacts before they act. A filter decides whether two things may touch at all. A
   pre-solve function sees where they touch, and may switch the contact off for the step or change its friction, its
   restitution and the velocity of its surface: one-way platforms, conveyor belts, ice. examples/one_way_platform.c is
   a program with both.

   When: at the start of a step for everything that may touch in it, and within the step for bodies that come close to
   each other and for contacts that are found late, because something was thrown farther than its velocity predicted.
   Once for each contact in a step, and again if the step has to be taken again. The filter is called first. Sensors
   have a filter and no pre-solve. Sleeping things are left out.

   On which thread: on the one that called sn_world_step, one call at a time, in an order that does not depend on
   threads, SIMD or addresses. So a function needs no locks. (Box2D and Jolt call from several threads at once.)

   What they may do: read. They may call functions that take a const world and a handle of the pair: positions,
   velocities, groups, user data, definitions. Every call that changes the world is refused with SN_ERROR_BUSY. For
   deterministic results, the answer must depend only on the arguments and on data that changes between steps.
   A step that fails is undone, but what a function stored elsewhere is not.

   What they may return: a friction or restitution that sn_contact_material would refuse, or a surface velocity that
   is not finite, makes the step fail with SN_ERROR_HOST. The message names the pair and the number, and nothing has
   changed.

   They are not part of the state: they are not in snapshots or hashes. Setting one wakes everything. A world
   without them pays nothing. */

#define SN_NO_TRIANGLE UINT32_MAX

/* Two things that touch, or may touch. The first is a particle or a dynamic body. The other is a particle, a body of
   any type, or a triangle of a skin. */
typedef struct sn_contact_pair {
    sn_particle
        particle;   /* the first; the particle of a body. Of two particles or bodies, the one with the lower number */
    sn_body body;   /* null: a particle */
    uint32_t shape; /* of the body: which of its shapes; otherwise 0 */
    sn_particle other;    /* null: a static or kinematic body. Of a skin: the corner that has most of the weight */
    sn_body other_body;   /* the other, if it is a body of any type; null: a particle or a skin */
    uint32_t other_shape; /* of that body; otherwise 0 */
    sn_skin skin;         /* null: something else */
    uint32_t triangle;    /* of the skin, or of a shape that is a mesh or a height field, counted as they were given;
                          otherwise SN_NO_TRIANGLE. A skin that lost triangles counts those that are left */
} sn_contact_pair;

/* A contact before it acts: of bodies the manifold of two of their shapes. */
typedef struct sn_contact {
    sn_contact_pair pair;
    sn_vec3 point;      /* m: where they are nearest; of several points the deepest */
    sn_vec3 normal;     /* a unit vector towards pair.particle */
    sn_real separation; /* m: between the surfaces; negative: they overlap */
    sn_vec3 velocity;   /* m/s: of the particle or body at the point, relative to the other */

    /* yours to change, for this step */
    sn_real static_friction, dynamic_friction, restitution; /* as mixed from both materials */
    sn_vec3 surface_velocity; /* m/s: the velocity of the other's surface, like that of a belt; its part along the
                                  normal is ignored; at first that of the materials */
} sn_contact;

/* Whether the two may touch in this step. */
typedef bool sn_contact_filter_fn(void *context, const sn_contact_pair *pair);

/* Whether the contact acts in this step. */
typedef bool sn_pre_solve_fn(void *context, sn_contact *contact);

/* NULL removes it. Skins with self_collision ask in each substep, and a pair that is refused passes through. */
SN_API sn_result sn_world_set_contact_filter(sn_world *world, sn_contact_filter_fn *function, void *context);
SN_API sn_result sn_world_set_pre_solve(sn_world *world, sn_pre_solve_fn *function, void *context);

/* ---- Events ---------------------------------------------------------------------------------- */

typedef enum sn_contact_phase { SN_CONTACT_BEGIN = 0, SN_CONTACT_STAY, SN_CONTACT_END } sn_contact_phase;

/* A contact of a particle with a particle or a static or kinematic body, in the last step. Of two particles the one
   with the lower number is `particle`. If a particle touches a triangle of a skin, `particle` is that particle, and
   `other` is the corner with the most weight there: when it slides to another corner, one contact ends and another
   begins. Two things touch in a step if contact pushed them apart in one of its substeps; a sensor, if they
   overlapped in one. Contacts between sleeping things, or of a sleeping and a static one, give no events, and
   continue when it wakes. */
typedef struct sn_contact_event {
    sn_contact_phase phase;
    sn_particle particle;
    sn_particle other; /* null: a static or kinematic body */
    bool sensor;
    sn_vec3 point;   /* m: where they touched last; at the end: where the particle is */
    sn_vec3 normal;  /* towards `particle`; 0 at the end */
    sn_real impulse; /* N s: the normal impulse between them in the step, with bounces; 0 at the end, and of sensors */
    sn_real impact;  /* m/s: the approach speed along the normal in the hardest impact of the step; 0 if that
                        is below sn_contact_settings.impact_above, at the end, and of sensors */
    /* The bodies of the particles, or the static or kinematic body; null: no body. Also at the end */
    sn_body body, other_body;
    /* Of the bodies: which shape pressed hardest; otherwise, and at the end, 0. Of a static or kinematic body each
       shape that is touched gives an event of its own, and so does each sensor of any body, also at the end */
    uint32_t shape, other_shape;
    sn_skin skin;      /* null: no skin, or the end */
    uint32_t triangle; /* as in sn_contact_pair; SN_NO_TRIANGLE at the end */
} sn_contact_event;

/* The events of the last step, sorted by the numbers of the particles, then of the others, static and kinematic
   bodies last. *count gets their number. They are valid until the next step or the next call that changes the world:
   read them first, then act. NULL if there are none, or settings.events is off. A contact of a thing that is removed
   ends without an event. A snapshot contains the contacts, so the step after loading it gives the same events again. */
SN_API const sn_contact_event *sn_world_contact_events(const sn_world *world, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
