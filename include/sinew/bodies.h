/* Rigid bodies: particles that also have an orientation.

   A body is a particle, its centre of mass, with three moments of inertia about three principal axes. The particle is one
   like any other (sn_body_particle): it has a group, fields, drags and gravity act on it, and it appears among the particles
   of the world. What turns is the body's own: sn_body_spin and so on.

   Every kind of constraint accepts spots of bodies (sn_on_body) beside particles: a rope ties to a crate, a crate hangs in a
   net, cloth is pinned to what moves, and the reaction flows both ways. Joints between bodies are constraints, too: see
   joints.h.

   A body has a frame of its own, in which its shapes and spots are given. It need not be at the centre of mass: that is found
   from the shapes. Where a call speaks of the position and rotation of a body, it means that frame. */
#ifndef SINEW_BODIES_H
#define SINEW_BODIES_H

#include <sinew/constraints.h>
#include <sinew/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shapes --------------------------------------------------------------------------------------------------------- */

typedef enum sn_body_shape_type {
    SN_BODY_SPHERE = 0, /* radius */
    SN_BODY_CAPSULE,    /* all within radius of a segment along its own y axis, half.y to both sides */
    SN_BODY_BOX,        /* half its edges along its axes: half; rounded by radius, which may be 0 */
    SN_BODY_HULL        /* the convex hull of points; rounded by radius, which may be 0 */
} sn_body_shape_type;

/* One of the convex parts that a body is made of. */
typedef struct sn_body_shape {
    sn_body_shape_type type;
    sn_vec3 position; /* m: in the body's own frame; default 0 */
    sn_quat rotation; /* normalised for you; zero is refused; default (0, 0, 0, 1) */
    sn_vec3 half;     /* m; positive; default 0.5 each. Of capsules y counts, of spheres and hulls none: read, 0 */
    sn_real radius;   /* m; default 0.5 for spheres and capsules, to be set to 0 for sharp boxes and hulls */
    sn_real density;  /* kg/m^3; default 0: that of the body */
    const sn_vec3 *vertices; /* hull: points, not all in one plane, whose hull has at most 128 corners; copied */
    uint32_t vertex_count;
} sn_body_shape;

/* A shape of that type: a sphere and a capsule with a radius of 0.5 m, a sharp box with edges of 1 m. */
SN_API sn_body_shape sn_default_body_shape(sn_body_shape_type type);

/* ---- Bodies --------------------------------------------------------------------------------------------------------- */

typedef struct sn_body_def {
    uint32_t made;    /* set by sn_default_body_def, by which it is known that you started from it */
    sn_vec3 position; /* m: where its own frame is; default 0 */
    sn_quat rotation; /* how that is turned; normalised for you; zero is refused; default (0, 0, 0, 1) */
    sn_vec3 velocity; /* m/s, of the centre of mass; default 0 */
    sn_vec3 spin;     /* rad/s, axis times rate, in the world; default 0 */

    const sn_body_shape *shapes; /* used during the call only; NULL: it has no shape and collides with nothing */
    uint32_t shape_count;
    sn_real density; /* kg/m^3, of shapes that have none of their own, and of the mesh; default 1000 */
    const sn_vec3
        *vertices; /* a closed mesh in the own frame, from which mass, centre and inertia are taken in place of */
    uint32_t vertex_count;     /*   the shapes, which then serve contact alone; used during the call only */
    const uint32_t *triangles; /* three each, counter-clockwise seen from outside */
    uint32_t triangle_count;

    sn_real mass;    /* kg; SN_IMMOVABLE: only you move it; default SN_MEASURE: density times volume */
    sn_vec3 centre;  /* m: of mass, in the own frame; default SN_MEASURE each: from shapes or mesh, or 0 */
    sn_vec3 moments; /* kg m^2: about the principal axes through the centre; none larger than the two others together.
                            INFINITY: it does not turn about that one. Default SN_MEASURE each: from shapes or mesh, to
                            scale with the mass */
    sn_quat axes; /* how the principal axes are turned in the own frame, if moments are given; default (0, 0, 0, 1) */
    sn_real spin_damping; /* 1/s: its spin decays at this rate, besides that of the world; not negative; default 0 */
    uint32_t group;       /* of its particle: what it collides with, and its material; see sn_group_contact */
    uint64_t user;        /* of its particle: yours */
} sn_body_def;

SN_API sn_body_def sn_default_body_def(void);

/* Adds a body and its particle. Refused, with a message that says what is wrong: NaN, a mass or a size that is not positive,
   moments that no body has, neither a shape nor mass and moments, a mesh that is open or inside out, a hull without volume.
   In a 2D world it turns about z only: of its inertia the moment about z counts, whatever its principal axes are. */
SN_API sn_result sn_body_add(sn_world *world, const sn_body_def *def, sn_body *body);

/* Short forms, at rest; density in kg/m^3. A null handle on failure. */
SN_API sn_body sn_add_sphere_body(sn_world *world, sn_vec3 centre, sn_real radius, sn_real density);
SN_API sn_body sn_add_box_body(sn_world *world, sn_vec3 centre, sn_vec3 half, sn_real density);
/* From a to b, the centres of its round ends. */
SN_API sn_body sn_add_capsule_body(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius, sn_real density);

/* Removes a body, its particle, and every constraint that holds it. (sn_particle_remove on its particle does the same.) */
SN_API sn_result sn_body_remove(sn_world *world, sn_body body);
SN_API bool sn_body_is_valid(const sn_world *world, sn_body body);
SN_API uint32_t sn_world_body_count(const sn_world *world);

/* Numbers of bodies are below this; some of them may be free. */
SN_API uint32_t sn_world_body_limit(const sn_world *world);

/* The live body with this number; null (and an error) if there is none. */
SN_API sn_body sn_body_from_index(const sn_world *world, uint32_t index);

/* The particle at its centre of mass, and the body of a particle; null if it has none. */
SN_API sn_particle sn_body_particle(const sn_world *world, sn_body body);
SN_API sn_body sn_particle_body(const sn_world *world, sn_particle particle);

/* ---- How it moves --------------------------------------------------------------------------------------------------
   Reading a body that is gone gives NaN and an error. */

SN_API sn_vec3 sn_body_position(const sn_world *world, sn_body body); /* m: of its own frame */
SN_API sn_quat sn_body_rotation(const sn_world *world, sn_body body);
SN_API sn_vec3 sn_body_centre(const sn_world *world, sn_body body);           /* m: of mass, in the world */
SN_API sn_vec3 sn_body_velocity(const sn_world *world, sn_body body);         /* m/s, of the centre of mass */
SN_API sn_vec3 sn_body_spin(const sn_world *world, sn_body body);             /* rad/s */
SN_API sn_vec3 sn_body_angular_momentum(const sn_world *world, sn_body body); /* kg m^2/s, about its centre of mass */
/* m/s: of the spot of it that is now at this place in the world. */
SN_API sn_vec3 sn_body_velocity_at(const sn_world *world, sn_body body, sn_vec3 place);

/* From its own frame to the world and back, m. */
SN_API sn_vec3 sn_body_to_world(const sn_world *world, sn_body body, sn_vec3 place);
SN_API sn_vec3 sn_body_to_own(const sn_world *world, sn_body body, sn_vec3 place);

/* Teleports: at once; velocity and spin stay. */
SN_API sn_result sn_body_set_pose(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation);
/* Refused: a spin of 1e37 rad/s and above. A step in which a velocity or a spin would come to 1e37 gives SN_ERROR_DIVERGED
   and names the body. */
SN_API sn_result sn_body_set_velocity(sn_world *world, sn_body body, sn_vec3 velocity, sn_vec3 spin);

/* During the next step it moves evenly from where it is to there, whatever its mass, and pushes what is in its way. */
SN_API sn_result sn_body_move_to(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation);

/* ---- Forces --------------------------------------------------------------------------------------------------------- */

/* For the next step: N at a place in the world, and N m. They add up. */
SN_API sn_result sn_body_add_force(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 place);
SN_API sn_result sn_body_add_torque(sn_world *world, sn_body body, sn_vec3 torque);

/* At once: N s at a place in the world, and N m s. Nothing happens to an immovable one. */
SN_API sn_result sn_body_add_impulse(sn_world *world, sn_body body, sn_vec3 impulse, sn_vec3 place);
SN_API sn_result sn_body_add_angular_impulse(sn_world *world, sn_body body, sn_vec3 impulse);

/* ---- What it is ----------------------------------------------------------------------------------------------------- */

/* kg; SN_IMMOVABLE for one that nothing moves. */
SN_API sn_real sn_body_mass(const sn_world *world, sn_body body);

/* Reads back a definition that would make the same body as it is now. Shapes and vertices are the world's own, and die with
   the next body that is added or removed. */
SN_API sn_result sn_body_read(const sn_world *world, sn_body body, sn_body_def *def);

/* Another mass (kg, or SN_IMMOVABLE); the moments go with it. */
SN_API sn_result sn_body_set_mass(sn_world *world, sn_body body, sn_real mass);
SN_API sn_result sn_body_set_spin_damping(sn_world *world, sn_body body, sn_real damping);

#ifdef __cplusplus
}
#endif
#endif
