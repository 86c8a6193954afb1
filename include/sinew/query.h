/* Queries: rays, moving shapes, overlaps, nearest points. They look at particles (as balls of their radius), at skins
   (their triangles, without thickness) and at the shapes of bodies (with rounding), in their current state. They
   change nothing.

   A particle of radius 0 is a point: no ray hits it, but balls and other shapes do, and it can be the nearest. The
   particle of a body is found only if the body has no shape; otherwise the body is found. A one-sided surface does
   not exist for a query from behind, and a ray in the plane of a triangle does not hit it. Things at equal distance
   are ordered: particles, skins, bodies, each by number. In a 2D world, too, queries may come from anywhere in space:
   a mouse looks at the plane from outside. A hit is finite: things so far away, or so large, that point, normal or
   distance cannot be computed are not found.

   Threads: the calls of this header that take a const world may run on any number of threads at once, as long as no
   thread steps the world or makes another call with a world that is not const. So may sn_world_draw, and calls that
   read something with a const world and a valid handle. The exceptions are sn_body_read, sn_world_hash,
   sn_world_report and calls that evaluate constraints. Answers do not depend on queries of other threads. The error
   text (sn_world_error) belongs to no thread: if queries fail on several threads at the same moment, one error is
   kept, and logged.

   Speed: the first few queries after a step or an edit look at everything. If there are many, one of them builds an
   index (trees of boxes), with memory from the world's allocator on its own thread, and all later ones are quick.
   While one thread builds the index, others continue without it. sn_query_prepare builds it at once; until the world
   next changes, queries then neither allocate nor write. Answers do not depend on the index. Without memory for it,
   queries stay slow. Queries are allowed in callbacks of the world; in those of a step they always look at
   everything. */
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
    SN_QUERY_STATICS = 4, /* static and kinematic bodies, without their sensors */
    SN_QUERY_SENSORS = 8, /* sensors of bodies of every type */
    SN_QUERY_BODIES = 16, /* dynamic bodies, without their sensors */
    SN_QUERY_ALL = 23     /* all but sensors */
} sn_query_what;

/* What was found. Exactly one of particle, skin and body is not null: it has a generation other than 0.
   (Its index may be 0.) */
typedef struct sn_hit {
    sn_particle particle;
    sn_skin skin;
    uint32_t triangle;     /* the triangle of a skin, or of a shape that is a mesh or a height field; SN_NO_TRIANGLE for
                          other shapes, 0 for a particle */
    sn_particle corner[3]; /* skin: the corners of the triangle, */
    sn_real weight[3];     /*   and their weights at the point: sn_on_triangle makes a point of them */
    sn_vec3 point;         /* m: on the surface */
    sn_vec3 normal; /* unit normal of the surface: outwards if it is solid, otherwise towards the origin of the query */
    sn_real distance; /* m: along the ray or path; otherwise to the surface, negative inside */
    sn_body body;     /* sn_on_body(body, sn_body_to_own(world, body, point)) makes a point of it */
    uint32_t shape;   /* which of its shapes */
} sn_hit;

/* Returns whether a hit counts. It may make calls that take a const world, also other queries; every other call is
   refused with SN_ERROR_BUSY. It is called on the thread of the query, in no particular order, for hits that could be
   part of the answer. Some of these may not be part of it in the end, so its result must depend on its arguments
   alone. If a hit does not count, the whole dynamic body, shape of another body, or triangle of a skin is ignored. */
typedef bool sn_query_filter_fn(void *context, const sn_hit *hit);

typedef struct sn_query_filter {
    uint32_t what;     /* bits of sn_query_what, at least one; default SN_QUERY_ALL */
    uint32_t mask;     /* only things with one of these categories; default all bits. Particles and skins have that of
                      their group, see sn_group_contact. Shapes have their own (sn_body_set_filter), or that of the
                      group of their body */
    uint32_t category; /* the categories of the query: only things with one of these bits in their mask; default 0:
                          masks are ignored */
    sn_query_filter_fn *function; /* called last; default NULL: all hits count */
    void *context;                /* for it */
} sn_query_filter;

SN_API sn_query_filter sn_default_query_filter(void);

/* Builds the index for the current state. Queries are then quick and write nothing until the world next changes. Call
   it once after a step, before several threads query. Costs nothing if nothing has changed. SN_ERROR_MEMORY: queries
   still work, more slowly. Answers do not depend on it. It is not part of the state: it is not in hashes or
   snapshots. */
SN_API sn_result sn_query_prepare(sn_world *world);

/* ---- Rays ------------------------------------------------------------------------------------ */

/* The first thing that a ray hits within `length` metres (may be INFINITY; beyond 1e18 m nothing is found). direction
   may have any length but 0. False if it hits nothing, or if an argument is bad (then there is an error); *hit is
   then zeroed. A ray that starts inside a solid hits it at distance 0, and the point is the nearest point of its
   surface. */
SN_API bool sn_query_ray(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                         sn_query_filter filter, sn_hit *hit);

/* Whether a ray hits anything: for lines of sight. Faster, because it need not find the first hit. */
SN_API bool sn_query_ray_any(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                             sn_query_filter filter);

/* Everything that a ray hits, each thing once, at its first hit. The nearest `most` of them go to hits (may be NULL
   if that is 0), the nearest first. Returns the number of all. Each triangle of a skin is a thing of its own, and so
   is each shape of a static or kinematic body. */
SN_API uint32_t sn_query_ray_all(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                                 sn_query_filter filter, sn_hit *hits, uint32_t most);

typedef struct sn_ray {
    sn_vec3 origin;    /* m */
    sn_vec3 direction; /* not 0 */
    sn_real length;    /* m; not negative; may be INFINITY */
} sn_ray;

/* Many rays in one call: hits[i] is the result of sn_query_ray for rays[i], zeroed if it hits nothing. Returns how
   many hit something. A bad ray is named in the error; then no ray is followed and all hits are zeroed. It runs on
   the calling thread: for several threads, give each a part of the rays. Rays with similar origins and directions, as
   those of a camera, are a third faster than one by one if they are neighbours in the list. */
SN_API uint32_t sn_query_rays(const sn_world *world, const sn_ray *rays, uint32_t count, sn_query_filter filter,
                              sn_hit *hits);

/* ---- Shapes that move ------------------------------------------------------------------------ */

/* The same for a ball of this radius (m, not negative). hit.distance is how far its centre travels. A thing that the
   ball overlaps at the start is hit at distance 0, in any direction. */
SN_API bool sn_query_sphere_cast(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction,
                                 sn_real length, sn_query_filter filter, sn_hit *hit);

/* The same for a convex shape that does not rotate on its path. It starts at shape->position and shape->rotation, in
   the world; its density is not used. hit.distance is how far it travels, and may be too short by a millionth of the
   size of the smaller of the two, but never too long. A thing that it overlaps at the start is hit at distance 0, in
   any direction; hit.normal is then the way out. hit.point is one of the touching points. Distance fields are tested
   with corners, middles of edges and middles of faces. A hull is built from its points in every call, which takes
   some microseconds; it may have as many corners as that of a body. Bad shapes are refused as in sn_body_add. */
SN_API bool sn_query_shape_cast(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                                sn_query_filter filter, sn_hit *hit);
SN_API bool sn_query_shape_cast_any(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                                    sn_query_filter filter);
SN_API uint32_t sn_query_shape_cast_all(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction,
                                        sn_real length, sn_query_filter filter, sn_hit *hits, uint32_t most);

/* ---- What is there --------------------------------------------------------------------------- */

/* The nearest surface within reach metres of p (may be INFINITY), seen from outside or from inside. */
SN_API bool sn_query_closest(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter, sn_hit *hit);

/* Everything that a ball touches, or is inside of. Up to `most` of them go to hits (may be NULL if that is 0), in the
   order particles (by number), skins (by index and triangle), bodies of every type (by index). Returns the number of
   all. hit.distance is that of the ball's centre. */
SN_API uint32_t sn_query_overlap(const sn_world *world, sn_vec3 centre, sn_real radius, sn_query_filter filter,
                                 sn_hit *hits, uint32_t most);

/* Everything that a shape touches, in the same order. hit.distance is that of the surfaces: 0 or, if they overlap,
   minus the depth. Moving the shape by that along hit.normal separates the two. There are two exceptions. If they
   overlap by more than both are rounded, up to a fiftieth of the size of the smaller one may remain. For meshes and
   skins that cut through the shape it is the way out of one triangle only. To find things within a distance, add the
   distance to the shape's rounding. A sphere is a ball as above, but its distance, too, is that of the surfaces. */
SN_API uint32_t sn_query_shape_overlap(const sn_world *world, const sn_shape_def *shape, sn_query_filter filter,
                                       sn_hit *hits, uint32_t most);

/* ---- What intersects ------------------------------------------------------------------------- */

/* Two triangles of skins that intersect, or a triangle and a segment. */
typedef struct sn_intersection {
    sn_skin skin, other_skin; /* may be the same */
    uint32_t triangle; /* of them, counted as they were given; a skin that lost triangles counts those that are left */
    uint32_t other_triangle;
    bool segment; /* other_triangle is a segment of other_skin */
} sn_intersection;

/* Pairs of triangles of all skins, of one or of two, that have a point in common. The first `most` of them go to found
   (may be NULL if that is 0), ordered by skin and triangle, then by the other's. Returns the number of all. 0 in a 2D
   world. Takes some microseconds per triangle.

   The test is exact: it decides whether the triangles at the positions of sn_particle_position intersect, without a
   tolerance and without rounding. Thickness is ignored. Touching counts as intersecting. A corner or an edge of the
   same particles that two triangles share does not count; but triangles that share an edge and are folded flat onto
   each other intersect. Pairs of which all particles are immovable are left out: limbs of an animated figure may
   cross.

   After the pairs of triangles come pairs of a triangle and a segment (ropes), ordered by segment, then by triangle.
   Segments that share a particle with the triangle, and segments of broken ropes, are left out. */
SN_API uint32_t sn_query_intersections(const sn_world *world, sn_intersection *found, uint32_t most);

/* For dragging with the mouse: the point under a ray, for a constraint such as sn_constraint_add_pin_at. It is a
   barycentric point of a triangle of a skin, a point on the surface of a dynamic body, or a particle. Other bodies
   hide what lies behind them, but sensors do not. A null point (all zero) if there is nothing. *distance (m, may be
   NULL) is the distance of the point along the ray; NaN if there is none. reach: particles are found as balls of at
   least this radius (m), so that small ones can be hit, too. But a skin or a body that the ray hits is preferred over
   particles that the ray only passes. */
SN_API sn_point sn_query_pick(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length, sn_real reach,
                              sn_real *distance);

#ifdef __cplusplus
}
#endif
#endif
