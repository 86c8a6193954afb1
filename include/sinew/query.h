/* Asking a world what is where: rays, moving spheres, nearest points. Queries look at particles (as balls of their
   radius), at skins (their triangles, thickness left out), at colliders (thickness included) and at the shapes of
   bodies, as they are now. They change nothing.

   A particle of radius 0 is a point: no ray meets it, but balls do, and it is found as the nearest. The particle of a
   body is found only if that has no shape; otherwise the body is. What is one-sided is not there for who is behind it,
   and a ray in the plane of a triangle does not meet it. What is equally far is found in the order particles, skins,
   colliders, bodies, and by number. In a 2D world, too, queries may come from anywhere in space: a mouse looks at it
   from outside. A hit is finite: what is so far away, or so large, that its point, normal or distance cannot be computed is
   not found.

   A few queries after a step look at everything there is; where many are asked the world makes itself a tree, for which
   it takes memory, and later queries are quick. Results do not depend on it, and where there is no memory for it
   queries stay slow. In callbacks of the world queries are allowed; they then always look at everything. */
#ifndef SINEW_QUERY_H
#define SINEW_QUERY_H

#include <sinew/bodies.h>
#include <sinew/constraints.h>
#include <sinew/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sn_query_what {
    SN_QUERY_PARTICLES = 1,
    SN_QUERY_SKINS = 2,
    SN_QUERY_COLLIDERS = 4, /* those that are no sensors */
    SN_QUERY_SENSORS = 8,   /* colliders that are sensors */
    SN_QUERY_BODIES = 16,
    SN_QUERY_ALL = 23 /* all but sensors */
} sn_query_what;

typedef struct sn_query_filter {
    uint32_t what; /* bits of sn_query_what, at least one; default SN_QUERY_ALL */
    uint32_t mask; /* only what has one of these categories; default all bits. Particles, skins and bodies have that
                      of their group; see sn_group_contact */
} sn_query_filter;

SN_API sn_query_filter sn_default_query_filter(void);

/* What was found. Exactly one of particle, skin, collider and body is not null, that is, has a generation other than 0;
   the index alone does not tell. */
typedef struct sn_hit {
    sn_particle particle;
    sn_skin skin;
    uint32_t triangle;     /* skin or mesh collider: which of its triangles; body: which of its shapes */
    sn_particle corner[3]; /* skin: its corners, */
    sn_real weight[3];     /*   and what they count at the point: sn_on_triangle makes a point of them */
    sn_collider collider;
    sn_vec3 point;    /* m: on the surface */
    sn_vec3 normal;   /* of the surface, length 1: out of what is solid, otherwise towards the one who asks */
    sn_real distance; /* m: along the ray or way; otherwise to the surface, negative inside */
    sn_body body;     /* sn_on_body(body, sn_body_to_own(world, body, point)) makes a point of it */
} sn_hit;

/* The first thing that a ray meets within `length` metres (may be INFINITY; beyond 1e18 m nothing is found); direction
   need not have length 1, but not 0. False if nothing, or if an argument is bad (then there is an error); *hit is then
   zeroed. A ray that starts inside of something solid meets it at distance 0, and the point is the nearest of its
   surface. */
SN_API bool sn_query_ray(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                         sn_query_filter filter, sn_hit *hit);

/* The same for a ball of this radius (m, not negative). hit.distance is how far its centre travels; what the ball
   overlaps at the start it meets at distance 0, whichever way it goes. */
SN_API bool sn_query_sphere_cast(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction,
                                 sn_real length, sn_query_filter filter, sn_hit *hit);

/* The nearest surface within reach metres of p (may be INFINITY), seen from outside or from inside. */
SN_API bool sn_query_closest(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter, sn_hit *hit);

/* All that a ball touches, or is inside of: up to `most` of them go to hits (may be NULL if that is 0), in the order
   particles (by number), skins (by index and triangle), colliders (by index), bodies (by index); returns how many there
   are in all. hit.distance is that of the ball's centre. */
SN_API uint32_t sn_query_overlap(const sn_world *world, sn_vec3 centre, sn_real radius, sn_query_filter filter,
                                 sn_hit *hits, uint32_t most);

/* For dragging with the mouse: the point under a ray, as a constraint takes it (sn_add_pin_at, for one): on a skin the
   spot of its triangle, on a body the spot of its surface, otherwise the particle. Colliders hide what lies behind
   them, but not sensors. A null point (all zero) if there is nothing. *distance (m, may be NULL) is where along the ray
   that point is; NaN if there is none. reach: particles are found as balls of at least this radius (m), so that small
   ones can be hit, too; but where the ray meets a skin or a body, that goes before particles that the ray only
   passes. */
SN_API sn_point sn_query_pick(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length, sn_real reach,
                              sn_real *distance);

#ifdef __cplusplus
}
#endif
#endif
