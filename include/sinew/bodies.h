/* Rigid bodies: dynamic, kinematic and static.

   A dynamic body moves by forces. It is a particle, its centre of mass, with three moments of inertia about three
   principal axes. The particle is one like any other (sn_body_particle): it has a group, fields, drags and gravity
   act on it, and it is one of the particles of the world. Rotation belongs to the body: sn_body_spin and so on.

   A static body does not move: the ground, a wall. A kinematic one is moved by your program: a lift, a paddle, a
   hand. It goes to a target (sn_body_move_to) or moves at its velocity. Nothing pushes either of them. They have no
   mass, and no particle. The first constraint on one gives it an immovable particle, which moves with it and exists
   as long as the body.

   Every kind of constraint accepts points of bodies (sn_on_body) as well as particles: a rope is tied to a crate, a
   crate hangs in a net, cloth is pinned to a moving body, and the body feels the reaction. Joints between bodies are
   constraints, too: see joints.h.

   A body has a frame of its own, in which its shapes and points are given. Its origin need not be the centre of mass,
   which follows from the shapes. Position and rotation of a body are those of this frame. The centre of a body
   without mass is the origin of its frame. */
#ifndef SINEW_BODIES_H
#define SINEW_BODIES_H

#include <sinew/constraints.h>
#include <sinew/contact.h>
#include <sinew/shapes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Bodies ---------------------------------------------------------------------------------- */

typedef enum sn_body_type {
    SN_BODY_DYNAMIC = 0, /* forces, constraints and contact move it */
    SN_BODY_STATIC,      /* it does not move */
    SN_BODY_KINEMATIC    /* your program moves it, and it pushes what is in its way */
} sn_body_type;

typedef struct sn_body_def {
    uint32_t made;     /* set by sn_default_body_def; shows that the struct was started from it */
    sn_body_type type; /* default SN_BODY_DYNAMIC */
    sn_vec3 position;  /* m: of its own frame; default 0 */
    sn_quat rotation;  /* of its own frame; normalised for you; zero is refused; default (0, 0, 0, 1) */
    sn_vec3 velocity;  /* m/s, of the centre of mass; default 0. A kinematic body keeps it; a static one has none */
    sn_vec3 spin;      /* rad/s, the angular velocity in the world, axis times rate; default 0; likewise */

    const sn_shape_def *shapes; /* used during the call only; NULL: it has no shape and collides with nothing. One that
                                   is not dynamic has at least one */
    uint32_t shape_count;

    /* of a dynamic body */
    sn_real density;         /* kg/m^3, of shapes that have none of their own, and of the mesh; default 1000 */
    const sn_vec3 *vertices; /* m: a closed mesh in the own frame, or NULL. If there is one, mass, centre and inertia
                                are taken from it, and the shapes are for contact only. Used during the call only */
    uint32_t vertex_count;
    const uint32_t *triangles; /* three each, counter-clockwise seen from outside */
    uint32_t triangle_count;

    sn_real mass;    /* kg; SN_IMMOVABLE: only you move it; default SN_MEASURE: density times volume */
    sn_vec3 centre;  /* m: of mass, in the own frame; default SN_MEASURE each: from shapes or mesh, or 0 */
    sn_vec3 moments; /* kg m^2: about the principal axes through the centre; none larger than the two others together.
                            INFINITY: it does not rotate about that axis. Default SN_MEASURE each: from shapes or mesh,
                            scaled with the mass */
    sn_quat axes; /* the rotation of the principal axes in the own frame, if moments are given; default (0, 0, 0, 1) */
    sn_real spin_damping; /* 1/s: its spin decays at this rate, besides that of the world; not negative; default 0 */

    /* of every body */
    uint32_t group; /* of its particle, if it has one: what it collides with, and its material; see sn_group_contact */
    uint64_t user;  /* yours; also of its particle */
} sn_body_def;

SN_API sn_body_def sn_default_body_def(void);

/* Adds a body, and its particle if it is dynamic. In a 2D world a body rotates about z only, with its moment of inertia
   about z. Hulls, meshes and fields are kept until the world ends, so that snapshots can restore them. Equal ones are
   stored once. A world refuses a snapshot with a mesh or a field that it never had.

   Refused, with a message that says what is wrong and names the shape:
     - NaN, a mass or a size that is not positive, impossible moments, neither a shape nor mass and moments;
     - a plane, mesh, height field or distance field of a dynamic body; a hull without volume;
     - a mesh that is empty, has an index out of range or a triangle without area;
     - a mass mesh or a baked field whose mesh is open (the edge is named) or inside out;
     - a closed mesh that crosses or touches itself (two triangles are named; an open one is a sheet, and may);
     - heights or samples that are not finite, more than 2^28 samples or 2^26 heights, a field without a sample that is
       solid. */
SN_API sn_result sn_body_add(sn_world *world, const sn_body_def *def, sn_body *body);

/* Short forms of dynamic bodies, at rest. Places and sizes in m, density in kg/m^3. half: half of the size along each
   axis. A null handle on failure, as for a size that is not positive. */
SN_API sn_body sn_body_add_sphere(sn_world *world, sn_vec3 centre, sn_real radius, sn_real density);
SN_API sn_body sn_body_add_box(sn_world *world, sn_vec3 centre, sn_vec3 half, sn_real density);
/* From a to b: the centres of its round ends, or of its caps. They must be apart. */
SN_API sn_body sn_body_add_capsule(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius, sn_real density);
SN_API sn_body sn_body_add_cylinder(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius, sn_real density);

/* The same of static ones. A plane is solid behind a point of it; its normal points out and has any length but 0. */
SN_API sn_body sn_static_add_plane(sn_world *world, sn_vec3 point, sn_vec3 normal);
SN_API sn_body sn_static_add_sphere(sn_world *world, sn_vec3 centre, sn_real radius);
SN_API sn_body sn_static_add_box(sn_world *world, sn_vec3 centre, sn_vec3 half);
SN_API sn_body sn_static_add_capsule(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius);
SN_API sn_body sn_static_add_cylinder(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius);

/* Removes a body, its particle, and every constraint of it. (sn_particle_remove on its particle does the same.) */
SN_API sn_result sn_body_remove(sn_world *world, sn_body body);
SN_API bool sn_body_is_valid(const sn_world *world, sn_body body);
SN_API uint32_t sn_world_body_count(const sn_world *world); /* of every type */

/* Numbers of bodies are below this; some of them may be free. */
SN_API uint32_t sn_world_body_limit(const sn_world *world);

/* The live body with this number; null (and an error) if there is none. */
SN_API sn_body sn_body_from_index(const sn_world *world, uint32_t index);

/* SN_BODY_DYNAMIC, and an error, for a stale handle. */
SN_API sn_body_type sn_body_type_of(const sn_world *world, sn_body body);

/* Makes a static body kinematic, or a kinematic one static if it does not move. A dynamic body cannot be changed: to
   hold one for a while, set its mass to SN_IMMOVABLE. */
SN_API sn_result sn_body_set_type(sn_world *world, sn_body body, sn_body_type type);

/* The particle at its centre of mass, and the body of a particle; null if it has none. */
SN_API sn_particle sn_body_particle(const sn_world *world, sn_body body);
SN_API sn_body sn_particle_body(const sn_world *world, sn_particle particle);

/* ---- How it moves -------------------------------------------------------------------------------
   Reading a body with a stale handle returns NaN and an error. */

SN_API sn_vec3 sn_body_position(const sn_world *world, sn_body body); /* m: of its own frame */
SN_API sn_quat sn_body_rotation(const sn_world *world, sn_body body);
SN_API sn_vec3 sn_body_centre(const sn_world *world, sn_body body);           /* m: of mass, in the world */
SN_API sn_vec3 sn_body_velocity(const sn_world *world, sn_body body);         /* m/s, of the centre of mass */
SN_API sn_vec3 sn_body_spin(const sn_world *world, sn_body body);             /* rad/s */
SN_API sn_vec3 sn_body_angular_momentum(const sn_world *world, sn_body body); /* kg m^2/s, about its centre of mass */
/* m/s: of its point that is currently at this place in the world. */
SN_API sn_vec3 sn_body_velocity_at(const sn_world *world, sn_body body, sn_vec3 place);

/* From its own frame to the world and back, m. */
SN_API sn_vec3 sn_body_to_world(const sn_world *world, sn_body body, sn_vec3 place);
SN_API sn_vec3 sn_body_to_own(const sn_world *world, sn_body body, sn_vec3 place);

/* m: the corners of a box along the axes of the world, around all its shapes, with sensors and rounding. Never too
   small, and at most a thousandth too large; that of a rotated static or kinematic shape is the box around its rotated
   own box. A plane is infinite (-INFINITY, INFINITY). A body without shapes has the box of its centre. Either may be
   NULL. On failure both are NaN. */
SN_API sn_result sn_body_bounds(const sn_world *world, sn_body body, sn_vec3 *low, sn_vec3 *high);

/* False while it sleeps (contact.h), and for a stale handle. Static, kinematic and immovable bodies do not sleep. */
SN_API bool sn_body_is_awake(const sn_world *world, sn_body body);

/* Wakes it and its island. Does nothing if it is awake. */
SN_API sn_result sn_body_wake(sn_world *world, sn_body body);

/* Teleports at once, and wakes it; velocity and spin stay. What it touches is not carried along, and the target of a
   kinematic body is dropped. The rotation is normalised for you; zero is refused, here and in sn_body_move_to. */
SN_API sn_result sn_body_set_pose(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation);
/* A kinematic body keeps this velocity from the next step on, until it gets another. Refused: a static body, and a
   spin of 1e37 rad/s and above. A step in which a velocity or a spin would reach 1e37 returns SN_ERROR_DIVERGED and
   names the body. */
SN_API sn_result sn_body_set_velocity(sn_world *world, sn_body body, sn_vec3 velocity, sn_vec3 spin);

/* During the next step it moves evenly to this pose, with any mass, and pushes what is in its way. A kinematic body
   carries along what it touches; if its velocity has changed in the same way from step to step, it changes evenly within
   the step, too. Afterwards it stops, or continues at its velocity. A static body is refused. */
SN_API sn_result sn_body_move_to(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation);

/* ---- Forces ---------------------------------------------------------------------------------- */

/* Refused for bodies that are not dynamic. */

/* For the next step: a force in N at a point of the world, and a torque in N m. They add up, and wake the body. */
SN_API sn_result sn_body_apply_force(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 place);
SN_API sn_result sn_body_apply_torque(sn_world *world, sn_body body, sn_vec3 torque);

/* At once: an impulse in N s at a point of the world, and an angular impulse in N m s. They wake the body. An
   immovable body ignores them. */
SN_API sn_result sn_body_apply_impulse(sn_world *world, sn_body body, sn_vec3 impulse, sn_vec3 place);
SN_API sn_result sn_body_apply_angular_impulse(sn_world *world, sn_body body, sn_vec3 impulse);

/* ---- What it is ------------------------------------------------------------------------------ */

/* kg; SN_IMMOVABLE for static and kinematic bodies, and for others that are immovable. */
SN_API sn_real sn_body_mass(const sn_world *world, sn_body body);

/* Reads a definition that would make the same body as it is now. Shapes and what they point to belong to the world,
   and are valid until the next body is added, removed or read. */
SN_API sn_result sn_body_read(const sn_world *world, sn_body body, sn_body_def *def);

/* The number of its shapes, and the user data of a shape. Hits and contacts have the number of the shape. 0 if there
   is none. */
SN_API uint32_t sn_body_shape_count(const sn_world *world, sn_body body);
SN_API uint64_t sn_body_shape_user(const sn_world *world, sn_body body, uint32_t shape);

SN_API uint32_t sn_body_group(const sn_world *world, sn_body body);
SN_API uint64_t sn_body_user(const sn_world *world, sn_body body);
SN_API sn_result sn_body_set_group(sn_world *world, sn_body body, uint32_t group);
SN_API sn_result sn_body_set_user(sn_world *world, sn_body body, uint64_t user);

/* The material and the filter of one of its shapes; NULL: those of the group of the body. */
SN_API sn_result sn_body_set_material(sn_world *world, sn_body body, uint32_t shape,
                                      const sn_contact_material *material);
SN_API sn_result sn_body_set_filter(sn_world *world, sn_body body, uint32_t shape, const sn_filter *filter);

/* Sets the mass of a dynamic body, kg. The moments are scaled with it. SN_IMMOVABLE holds it in place until the next
   call sets a mass again. */
SN_API sn_result sn_body_set_mass(sn_world *world, sn_body body, sn_real mass);
SN_API sn_result sn_body_set_spin_damping(sn_world *world, sn_body body, sn_real damping);

#ifdef __cplusplus
}
#endif
#endif
