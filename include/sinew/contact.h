/* Contact: what keeps things from passing through each other.

   Particles have a radius and belong to a group, their affiliation. Those of different groups collide with each other, and
   those of one group if the group says so; group 0, to which particles belong that were given none, does. A particle with
   radius 0 collides with bodies that stand or are led, and with skins, not with other particles. Particles that a constraint
   joins, or that start nearer than the sum of their radii to each other in one group (sn_group_contact.rest_gap), are left
   alone.

   Bodies collide with their shapes (shapes.h, bodies.h). Those that stand, or are led by you, are the world that all else moves
   in: nothing pushes them. A skin is a mesh of triangles between particles, such as cloth: other particles collide with its
   triangles, and push them.

   Contact is found once a step, with a margin for what can happen in it, and every substep looks again how deep things are.
   Fast particles are followed along their way, so that they do not pass thin things. Friction is Coulomb's, with the force
   that presses as it was found in the same substep; it does not depend on masses.

   Contact computes up to 1e18 m from the origin, and with ways up to that length in a step, so that no square overflows. In a world
   with skins, radii or shapes of bodies, a step in which something is farther away, or may come farther, gives
   SN_ERROR_DIVERGED and names it. */
#ifndef SINEW_CONTACT_H
#define SINEW_CONTACT_H

#include <sinew/shapes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Groups of particles -------------------------------------------------------------------------------------------- */

/* How the particles of a group take part in contact. */
typedef struct sn_group_contact {
    sn_contact_material material;
    uint32_t category; /* a bit set: what they are; default 1 */
    uint32_t mask;     /* with which categories they collide, if those do with them, too; default all bits */
    bool self;         /* with each other; default: group 0 only */
    sn_real
        rest_gap; /* m: two of one group that were nearer than the sum of their radii plus this when the group's rest
                          shape was taken never collide; default 0; see sn_world_take_rest_shape */
    bool rolls; /* they turn: friction makes them spin, and balls roll; without it they slide like blocks, and friction
                          alone holds them. Spin of its own (sn_particle_spin), the inertia of a solid ball; default false */
    bool directional; /* others are pushed along the normals of this object, which its distance field or its skin tells,
                          instead of along the line between centres, so that two objects made of particles cannot
                          interlock; default false; without a field or skin it does nothing */
} sn_group_contact;

/* Everything at its default; self is true for group 0. */
SN_API sn_group_contact sn_default_group_contact(uint32_t group);

/* From the next step on. Refused: numbers out of range, named in the message. */
SN_API sn_result sn_world_set_group_contact(sn_world *world, uint32_t group, const sn_group_contact *contact);
/* That of a group as it is now, which is the default if it was never set; all zero for NULL. */
SN_API sn_group_contact sn_world_group_contact(const sn_world *world, uint32_t group);

/* Remembers where the particles of the group are now as its rest shape; see rest_gap. Those that join the group later have no
   place in it, and those that leave it, or are removed, lose theirs. A second call replaces the first. Refused: a group
   without particles. */
SN_API sn_result sn_world_take_rest_shape(sn_world *world, uint32_t group);

/* Gives the object that a group is the signed distance field of its shape, for `directional`: which way is out at a particle is
   the field's gradient where the particle is now, turned as the object turns from now on (the rotation that fits its particles
   best). Counts before a skin. Of def everything that describes a field counts, and position and rotation: where the field's own
   frame lies now. NULL takes it away. Particles that join the group later have no place in it, and those that leave it, or are
   removed, lose theirs. A second call replaces the first. Like those of bodies, fields are kept until the world ends. Refused:
   what sn_body_add refuses of a field, another type, a group without particles or with all of them on a line, and a 2D
   world. */
SN_API sn_result sn_world_set_group_field(sn_world *world, uint32_t group, const sn_shape_def *def);
SN_API bool sn_world_has_group_field(const sn_world *world, uint32_t group);

/* rad/s: how fast a particle of a group that rolls turns, axis times rate; 0 for others. Setting it is refused for those. */
SN_API sn_vec3 sn_particle_spin(const sn_world *world, sn_particle particle);
SN_API sn_result sn_particle_set_spin(sn_world *world, sn_particle particle, sn_vec3 spin);

/* ---- The world ------------------------------------------------------------------------------------------------------ */

/* sn_contact_settings is in world.h: it is also part of sn_world_def. */
SN_API sn_contact_settings sn_default_contact_settings(void);
SN_API sn_contact_settings sn_world_contact_settings(const sn_world *world);
SN_API sn_result sn_world_set_contact_settings(sn_world *world, const sn_contact_settings *settings);

/* ---- Sleep -----------------------------------------------------------------------------------------------------------

   With sn_contact_settings.sleep, particles that constraints or contacts join fall asleep together when none of them was faster
   than sleep_speed for sleep_time, and one of them touches a body that stands or an immovable particle, or a constraint holds it to
   one or to a place in the world: what swings or flies never does. A rigid body that came no farther than 3 sleep_speed sleep_time in 3 sleep_time counts as slow from then on, as long as it
   stays there: a body that is jammed may have a velocity that leads nowhere. Sleepers have no velocity, stay where they are to the last bit, and cost next to nothing in contact; constraints between
   them do nothing. Masses read as ever. What wakes one of them wakes all that fell asleep with it: another particle that is
   faster than sleep_speed and comes to it, a kinematic body or target that moves there, and every call that changes one of
   them, its constraints, what it touches, or the world: settings, fields, groups, skins. A force field that changes by itself
   does not. sn_world_relax wakes all. */

/* False while it sleeps, and for a bad handle. Immovable particles do not sleep. */
SN_API bool sn_particle_is_awake(const sn_world *world, sn_particle particle);

/* How many particles do not sleep, immovable ones included. */
SN_API uint32_t sn_world_awake_count(const sn_world *world);

/* Wakes a particle, and all that fell asleep with it. Fine for one that is awake. */
SN_API sn_result sn_particle_wake(sn_world *world, sn_particle particle);

/* ---- Skins ---------------------------------------------------------------------------------------------------------- */

typedef struct sn_skin {
    uint32_t index;
    uint32_t generation;
} sn_skin;

typedef struct sn_skin_def {
    const uint32_t *triangles; /* particle numbers, three each; copied */
    uint32_t triangle_count;
    const uint32_t *segments; /* particle numbers, two each; copied. Ropes, nets and fringes; see below */
    uint32_t segment_count;   /* default 0. There must be a triangle or a segment */
    sn_real
        thickness; /* m: nothing comes nearer to a triangle than this plus its own radius; not negative; default 0 */
    bool
        one_sided; /* only from its front, from which corners run counter-clockwise; otherwise particles stay on the side
                          that they are on; default false */
    bool
        self_collision; /* it collides with itself and with other skins that say so, vertices with triangles and edges with
                            edges; see below. thickness must then be positive; default false */
    uint64_t user;      /* yours */
} sn_skin_def;

SN_API sn_skin_def sn_default_skin_def(void);

/* Surfaces that never pass through themselves: skins with self_collision. Two of them, or two parts of one, keep the sum of their thicknesses
   from each other: a fold of a cloth of thickness 2 mm is a gap of 4 mm. Parts of one skin that are near in the rest shape may come
   nearer, up to half of their distance there; so a mesh may be finer than its thickness. The rest shape is that of sn_world_take_rest_shape; particles
   that have no place in one get it when such a skin is added, where they are then. Friction and restitution are those of
   the groups. Groups whose filters disagree, and features of two skins that a constraint joins, pass each other.

   And what does not intersect (sn_query_intersections) when a substep begins does not when it ends, whatever moved it, at any number of
   substeps and passes: vertices that would pass are stopped on their ways. What nothing stops is the exception: particles with a target, and
   immovable ones. If a surface begins with intersections, these stay or part as they will, and all others are kept out.

   Ropes: segments of such a skin are edges without triangles, round ones whose radius is the thickness. Segments collide with segments, edges and
   vertices, their ends also with triangles; a rope collides with itself, with other ropes and with cloth. On a strand, segments in a row without a branch, "near in the
   rest shape" is measured along the strand, so a rope may begin in a coil or a knot. Segments share ends as triangles do: particle numbers. A segment
   counts while a constraint joins its ends, or neither of them moves: not once a rope broke there.

   Animated meshes, a figure that walks: a skin whose particles are immovable and are set before every step by sn_particles_move_to, a rigid part or all
   vertices one by one. Cloth collides with it as with other surfaces, and friction drags it along. What the figure presses moves along with it (see docs/cloth.md for what
   that cannot do). Skins of immovable particles do not collide with each other.

   In a 2D world self_collision does nothing. With other particles and bodies such a skin collides as every skin does. */

/* Adds a skin. Particles of its own group, group 0 too, do not collide with it: give what is to lie on it another group. Its material
   and filter are those of the group of its particles. A skin whose particles are removed loses
   their triangles and segments. Refused: an unknown particle, a triangle with a corner twice, a segment with an end twice, negative thickness, neither
   triangles nor segments, segments without self_collision. */
SN_API sn_result sn_skin_add(sn_world *world, const sn_skin_def *def, sn_skin *skin);
SN_API sn_result sn_skin_remove(sn_world *world, sn_skin skin);
SN_API bool sn_skin_is_valid(const sn_world *world, sn_skin skin);
SN_API uint64_t sn_skin_user(const sn_world *world, sn_skin skin); /* 0, and an error, for a bad handle */
SN_API sn_result sn_skin_set_user(sn_world *world, sn_skin skin, uint64_t user);

/* ---- Callbacks ------------------------------------------------------------------------------------------------------

   Two functions of yours may look at contacts before they act: a filter, which says whether two may touch at all, and a
   pre-solve function, which sees where they touch and may switch the contact off for the step or change its friction,
   its restitution and the velocity of its surface: one-way platforms, conveyor belts, ice. examples/one_way_platform.c is
   a program with both.

   When: at the start of a step for all that may touch in it, and within the step for bodies that come near each other and
   for what is found late, because it was thrown farther than its velocity said. Once for each contact in a step; again if
   the step has to be taken again. The filter is asked first. Sensors have a filter and no pre-solve. What sleeps is not
   asked about.

   On which thread: on the one that called sn_world_step, one call at a time, in an order that does not depend on threads,
   SIMD or addresses. So a function needs no locks. (Box2D and Jolt call from several threads at once.)

   What they may do: read. Handles of the pair may be looked at by calls that take a const world and a handle: positions,
   velocities, groups, user data, definitions. Every call that changes the world is refused with SN_ERROR_BUSY. For results
   that are the same each time, an answer must depend on what the function is given and on what changes between steps
   only. A step that fails is undone, but what a function noted elsewhere is not.

   What they may return: a friction or restitution that sn_contact_material would refuse, or a surface velocity that is not
   finite, makes the step fail with SN_ERROR_HOST; the message names the pair and the number, and nothing has changed.

   They are no part of the state: neither snapshots nor hashes know of them. To set one wakes all that sleeps. A world
   without them does not pay for them. */

#define SN_NO_TRIANGLE UINT32_MAX

/* Two that touch, or may. The first is a particle or a dynamic body; the other one of: particle, body of any type, triangle of a skin. */
typedef struct sn_contact_pair {
    sn_particle particle; /* of a body its particle. Of two particles or bodies the one with the lower number */
    sn_body body;         /* null: a particle */
    uint32_t shape;       /* of the body: which of its shapes; otherwise 0 */
    sn_particle other;    /* null: a static or kinematic body. Of a skin: the corner that has most of the weight */
    sn_body
        other_body; /* null: a particle or a skin. One that is the first of the two has the other one here whatever its type */
    uint32_t other_shape; /* of that body; otherwise 0 */
    sn_skin skin;         /* null: something else */
    uint32_t
        triangle; /* of the skin, or of a shape that is a mesh or a height field, counted as they were given; otherwise
                              SN_NO_TRIANGLE. A skin that lost triangles counts those that are left */
} sn_contact_pair;

/* A contact before it acts: of bodies the manifold of two of their shapes. */
typedef struct sn_contact {
    sn_contact_pair pair;
    sn_vec3 point;      /* m: where they are nearest; of several points the deepest */
    sn_vec3 normal;     /* length 1, towards pair.particle */
    sn_real separation; /* m: between the surfaces; negative: they overlap */
    sn_vec3 velocity;   /* m/s: of the particle or body at the point, seen from the other */

    /* yours to change, for this step */
    sn_real static_friction, dynamic_friction, restitution; /* as mixed from both materials */
    sn_vec3
        surface_velocity; /* m/s: the other's surface runs so below the particle, like a belt; what of it is along the
                                  normal does not count; at first what the materials say */
} sn_contact;

/* Whether the two may touch in this step. */
typedef bool sn_contact_filter_fn(void *context, const sn_contact_pair *pair);

/* Whether the contact acts in this step. */
typedef bool sn_pre_solve_fn(void *context, sn_contact *contact);

/* NULL takes it away. Skins with self_collision ask in each substep, and what is refused then passes through. */
SN_API sn_result sn_world_set_contact_filter(sn_world *world, sn_contact_filter_fn *function, void *context);
SN_API sn_result sn_world_set_pre_solve(sn_world *world, sn_pre_solve_fn *function, void *context);

/* ---- Events --------------------------------------------------------------------------------------------------------- */

typedef enum sn_contact_phase { SN_CONTACT_BEGIN = 0, SN_CONTACT_STAY, SN_CONTACT_END } sn_contact_phase;

/* A contact of a particle with a particle or a static or kinematic body, in the last step. Of two particles the one with the lower
   number is `particle`. Of a particle and a triangle of a skin `particle` is the one that touches it, and `other` is
   the corner that has most of the weight there: when it slides on to another corner, one contact ends and another
   begins. Two touch in a step if they were pushed apart in one of its substeps; a sensor, if they overlapped in one.
   Contacts of two that sleep, or of a sleeper and something that stands, give no events, and go on when it wakes. */
typedef struct sn_contact_event {
    sn_contact_phase phase;
    sn_particle particle;
    sn_particle other; /* null: a static or kinematic body */
    bool sensor;
    sn_vec3 point;  /* m: where they touched last; at the end: where the particle is */
    sn_vec3 normal; /* towards `particle`; 0 at the end */
    sn_real
        impulse; /* N s: what they pushed each other apart with in the step, along the normal, a bounce included; 0 at the
                        end, and of sensors */
    sn_real
        impact; /* m/s: how fast the two came together, along the normal, in the hardest impact of the step; 0 if that
                        is below sn_contact_settings.impact_above, at the end, and of sensors */
    sn_body body,
        other_body; /* of the particles, or what is static or kinematic; null: they are none. Also at the end */
    uint32_t shape,
        other_shape;   /* of the bodies: which shape pressed hardest; otherwise, and at the end, 0. Of a static or
                                    kinematic body each shape that is touched gives an event of its own, and so does each sensor of any body,
                                    also at the end */
    sn_skin skin;      /* null: no skin, or the end */
    uint32_t triangle; /* as in sn_contact_pair; SN_NO_TRIANGLE at the end */
} sn_contact_event;

/* The events of the last step, by the particles' numbers, then those of the others, static and kinematic bodies last; *count gets how
   many. They die with the next step and with every call that changes the world: read them first, then act. NULL if
   there are none, or settings.events is off. What is removed ends without an event. A snapshot knows what touches what,
   so that the step after loading one gives the same events again. */
SN_API const sn_contact_event *sn_world_contact_events(const sn_world *world, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
