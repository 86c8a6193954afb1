/* Asking a world what is where: rays, moving shapes, overlaps, nearest points. Queries look at particles (as balls of
   their radius), at skins (their triangles, thickness left out) and at the shapes of bodies (rounding included), as they are
   now. They change nothing.

   A particle of radius 0 is a point: no ray hits it, but balls and other shapes do, and it is found as the nearest. The
   particle of a body is found only if that has no shape; otherwise the body is. What is one-sided is not there for what
   is behind it, and a ray in the plane of a triangle does not hit it. What is equally far is found in the order
   particles, skins, bodies, and by number. In a 2D world, too, queries may come from anywhere in space: a
   mouse looks at it from outside. A hit is finite: what is so far away, or so large, that its point, normal or distance
   cannot be computed is not found.

   Threads: the calls of this header that take a const world may run on any number of threads at once, as long as no thread
   steps the world or makes another call that takes a world that is not const. So may sn_world_draw, and calls that take a
   const world and a live handle and read something; but not sn_body_read, sn_world_hash, sn_world_report and those that evaluate
   constraints. Answers do not depend on what other threads ask. The error in words (sn_world_error) belongs to no thread:
   of queries that are refused on several threads at the same moment one is remembered, and logged.

   Speed: after a step or an edit a few queries look at everything there is; where many are asked, one of them makes an
   index (trees of boxes), for which it takes memory from the world's allocator on the thread that it runs on, and
   all later ones are quick. While one thread makes the index, others go on without it. sn_query_prepare makes it at once;
   until the world next changes, queries then neither allocate nor write. Answers do not depend on the index, and where there is no memory
   for it queries stay slow. In callbacks of the world queries are allowed; in those of a step they always look at everything. */
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
    SN_QUERY_STATICS = 4, /* static and kinematic bodies; shapes that are no sensors */
    SN_QUERY_SENSORS = 8, /*   and those that are, of bodies of every type */
    SN_QUERY_BODIES = 16, /* dynamic bodies, but for their sensors */
    SN_QUERY_ALL = 23     /* all but sensors */
} sn_query_what;

/* What was found. Exactly one of particle, skin and body is not null, that is, has a generation other than 0;
   the index alone does not tell. */
typedef struct sn_hit {
    sn_particle particle;
    sn_skin skin;
    uint32_t triangle; /* skin, or a shape that is a mesh or a height field: which of its triangles; otherwise of a body
                              SN_NO_TRIANGLE, of a particle 0 */
    sn_particle corner[3]; /* skin: its corners, */
    sn_real weight[3];     /*   and what they count at the point: sn_on_triangle makes a point of them */
    sn_vec3 point;         /* m: on the surface */
    sn_vec3 normal;   /* of the surface, length 1: out of what is solid, otherwise towards where the query comes from */
    sn_real distance; /* m: along the ray or way; otherwise to the surface, negative inside */
    sn_body body;     /* sn_on_body(body, sn_body_to_own(world, body, point)) makes a point of it */
    uint32_t shape;   /* which of its shapes */
} sn_hit;

/* Whether a hit counts. It may call what takes a const world, other queries too; every other call is refused with
   SN_ERROR_BUSY. It is called on the thread that asks, for hits that would be part of the answer if it says yes, in an
   order that is not told and perhaps for some that turn out not to be; so its answer must depend on what it is given
   alone. A dynamic body, a shape of another body or a triangle of a skin whose hit does not count is not there at all: nothing
   else of it is looked at. */
typedef bool sn_query_filter_fn(void *context, const sn_hit *hit);

typedef struct sn_query_filter {
    uint32_t what;     /* bits of sn_query_what, at least one; default SN_QUERY_ALL */
    uint32_t mask;     /* only what has one of these categories; default all bits. Particles, skins and dynamic bodies
                      have that of their group; see sn_group_contact. Shapes of other bodies have their own */
    uint32_t category; /* what asks: only what has one of these bits in its mask; default 0: masks are not looked at */
    sn_query_filter_fn *function; /* asked last; default NULL: all count */
    void *context;                /* for it */
} sn_query_filter;

SN_API sn_query_filter sn_default_query_filter(void);

/* Makes the index for the world as it is now, so that the queries until it next changes are quick and write nothing: once
   after a step, before threads ask. Costs nothing if nothing has changed. SN_ERROR_MEMORY: queries work all the same, more slowly.
   Not needed for right answers. It is no part of the state: hashes and snapshots do not know of it. */
SN_API sn_result sn_query_prepare(sn_world *world);

/* ---- Rays ----------------------------------------------------------------------------------------------------------- */

/* The first thing that a ray hits within `length` metres (may be INFINITY; beyond 1e18 m nothing is found); direction
   need not have length 1, but not 0. False if nothing, or if an argument is bad (then there is an error); *hit is then
   zeroed. A ray that starts inside of something solid hits it at distance 0, and the point is the nearest of its
   surface. */
SN_API bool sn_query_ray(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                         sn_query_filter filter, sn_hit *hit);

/* Whether it hits anything: for lines of sight. Faster, as it need not be the first. */
SN_API bool sn_query_ray_any(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                             sn_query_filter filter);

/* All that it hits, each thing once, where the ray first hits it: the nearest `most` of them go to hits (may be NULL if
   that is 0), the nearest first. Returns how many there are in all. Of a skin each triangle is a thing, and of a static or
   kinematic body each shape. */
SN_API uint32_t sn_query_ray_all(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                                 sn_query_filter filter, sn_hit *hits, uint32_t most);

typedef struct sn_ray {
    sn_vec3 origin;    /* m */
    sn_vec3 direction; /* not 0 */
    sn_real length;    /* m; not negative; may be INFINITY */
} sn_ray;

/* Many rays with one call: hits[i] is what sn_query_ray says of rays[i], zeroed if that hits nothing. Returns how many
   hit something. A bad ray is named in the error; then no ray is followed and all hits are zeroed. It runs on the thread
   that calls: for several, give each a part of the rays. Rays that start near each other and go about the same way, as those of a camera do,
   are faster by a third than one by one if they are next to each other in the list. */
SN_API uint32_t sn_query_rays(const sn_world *world, const sn_ray *rays, uint32_t count, sn_query_filter filter,
                              sn_hit *hits);

/* ---- Shapes that move ------------------------------------------------------------------------------------------------ */

/* The same for a ball of this radius (m, not negative). hit.distance is how far its centre travels; what the ball
   overlaps at the start it hits at distance 0, whichever way it goes. */
SN_API bool sn_query_sphere_cast(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction,
                                 sn_real length, sn_query_filter filter, sn_hit *hit);

/* The same for a convex shape that does not turn on its way. It starts at shape->position and
   shape->rotation, in the world; its density does not count. hit.distance is how far it travels, a millionth of the
   size of the smaller of the two too little rather than too much. What it overlaps at the start it hits at distance 0,
   whichever way it goes; hit.normal is then the way out. hit.point is one of the places that touch. Shapes that are
   distance fields are hit by corners, middles of edges and middles of faces. A hull is made of its points anew for every
   call, which takes some microseconds; it may have as many as that of a body. Bad shapes are refused as sn_body_add does. */
SN_API bool sn_query_shape_cast(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                                sn_query_filter filter, sn_hit *hit);
SN_API bool sn_query_shape_cast_any(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                                    sn_query_filter filter);
SN_API uint32_t sn_query_shape_cast_all(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction,
                                        sn_real length, sn_query_filter filter, sn_hit *hits, uint32_t most);

/* ---- What is there ---------------------------------------------------------------------------------------------------- */

/* The nearest surface within reach metres of p (may be INFINITY), seen from outside or from inside. */
SN_API bool sn_query_closest(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter, sn_hit *hit);

/* All that a ball touches, or is inside of: up to `most` of them go to hits (may be NULL if that is 0), in the order
   particles (by number), skins (by index and triangle), bodies of every type (by index); returns how many there
   are in all. hit.distance is that of the ball's centre. */
SN_API uint32_t sn_query_overlap(const sn_world *world, sn_vec3 centre, sn_real radius, sn_query_filter filter,
                                 sn_hit *hits, uint32_t most);

/* All that a shape touches, in the same order. hit.distance is that of the surfaces: 0 or, where they overlap, minus the
   depth; to move the shape by that along hit.normal parts the two (but for a fiftieth of the size of the smaller one
   where they overlap by more than both are rounded; of meshes and skins that cut through the shape it is the way out of one
   triangle only). For things within a distance, round the shape: its rounding grows by
   that. A sphere is a ball as above, but its distance, too, is that of the surfaces. */
SN_API uint32_t sn_query_shape_overlap(const sn_world *world, const sn_shape_def *shape, sn_query_filter filter,
                                       sn_hit *hits, uint32_t most);

/* ---- What intersects -------------------------------------------------------------------------------------------------- */

/* Two triangles of skins that intersect, or a triangle and a segment. */
typedef struct sn_intersection {
    sn_skin skin, other_skin; /* may be the same */
    uint32_t triangle; /* of them, counted as they were given; a skin that lost triangles counts those that are left */
    uint32_t other_triangle;
    bool segment; /* other_triangle is a segment of other_skin */
} sn_intersection;

/* Pairs of triangles of all skins, of one or of two, that have a point in common: the first `most` of them go to found (may be NULL if that is 0),
   ordered by skin and triangle, then by the other's. Returns how many there are in all. Exact: what is decided is whether the positions, as
   sn_particle_position reads them, intersect, without a tolerance and without rounding. To touch is to intersect. A corner or an edge that two
   triangles share, because it is of the same particles, is none; but triangles that share an edge and are folded flat onto each
   other intersect. Behind those come triangles and segments (ropes), ordered by segment, then by triangle; segments that share a particle with the triangle, and
   those that do not count any more, are left out. Thickness does not count. 0 in a 2D world. Takes some microseconds a triangle. */
SN_API uint32_t sn_query_intersections(const sn_world *world, sn_intersection *found, uint32_t most);

/* For dragging with the mouse: the point under a ray, as a constraint takes it (sn_constraint_add_pin_at, for one): on a skin the
   spot of its triangle, on a dynamic body the spot of its surface, otherwise the particle. Other bodies hide what lies
   behind them, but not sensors. A null point (all zero) if there is nothing. *distance (m, may be NULL) is where along the ray
   that point is; NaN if there is none. reach: particles are found as balls of at least this radius (m), so that small
   ones can be hit, too; but where the ray hits a skin or a body, that goes before particles that the ray only
   passes. */
SN_API sn_point sn_query_pick(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length, sn_real reach,
                              sn_real *distance);

#ifdef __cplusplus
}
#endif
#endif
