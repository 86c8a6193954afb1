/* Contact manifolds of two convex solids, or of a convex solid and a fixed shape: a few points with one normal. Pure
   functions: they depend only on their arguments. Everything is computed in double, relative to one of the two, so that
   it is as precise far from the origin as near it. */
#ifndef SN_COLLISION_MANIFOLD_H
#define SN_COLLISION_MANIFOLD_H

#include "collision/shape.h"

#define SN_MANIFOLD_MOST 4

typedef struct sn_manifold_point {
    sn_vec3 a, b;     /* m: points on the surfaces of a and b, each in its own frame; from b to a: distance * normal */
    sn_real distance; /* m; negative: overlap */
    uint32_t feature; /* identifies the corners and edges that touch; stable while they touch, unique in a manifold */
} sn_manifold_point;

typedef struct sn_manifold {
    sn_vec3 normal; /* in the world, length 1, from b towards a */
    uint32_t count;
    sn_manifold_point point[SN_MANIFOLD_MOST];
    sn_real apart; /* m: of two convex solids without points: a lower bound of their distance, beyond reach */
} sn_manifold;

/* Contact of two convex solids: points whose distance is at most reach (m, not negative). False if there are none.

   - Touching faces have up to four points: the deepest, and those that would be the deepest if the bodies tilted.
     Touching edges and corners also have points of the faces around them.
   - Points are dropped if they are farther than the nearest one by more than a quarter of the smaller solid's size and
     an eighth of reach.
   - In an overlap one point is as deep as the shortest way out, up to a fiftieth of the smaller solid's size (its inner
     radius), and the normal has that direction. For separated solids one point has their distance, up to a few
     ten-thousandths.
   - Where the normal of a face is nearly as good as that of two crossing edges, the face is used, so that contacts of
     stacks do not alternate. Where all normals are equally good (the same centre), it is always the same one. Swapping
     a and b gives the same points and the opposite normal, up to choices between equally good ones.
   - Rounded solids: a point may be inside the surface by a part of the rounding where the solid is inclined to the
     normal. The nearest point is exact. */
bool sn_manifold_convex(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                        sn_manifold *m);

/* Contact with a fixed shape, including its thickness (but not guard). Returns the number of manifolds written, at most
   capacity.

   - Planes and solids have one manifold. Meshes and fields have one for each direction: normals that differ by less
     than about 2 degrees share one. If there are more than capacity, the nearest ones are merged.
   - Triangles of a mesh are solid from the side of the centre of a. Those of closed or one-sided meshes are solid only
     from the front. The normal at an edge or corner is one that the triangles around it allow, so that nothing catches
     on inner edges of a flat floor. A body with its centre inside a closed mesh is pushed out to the nearest point of
     the surface.
   - Fields are sampled at corners, edge centres and face centres of the body, and at the nearest point. */
uint32_t sn_manifold_shape(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                           sn_manifold *m, uint32_t capacity);

/* When a, which moves by `displacement` (m, in the world) without rotation, first touches b: t in 0 .. 1, and the
   normal there (in the world, from b towards a). False if it does not. Like sn_solid_cast: a contact or overlap at the
   start counts at t = 0 if a moves inwards, and not at all otherwise. Precise to a millionth of the smaller solid's
   size: rather early than late, and never past the contact. */
bool sn_manifold_cast(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_convex *b,
                      const sn_pose *pb, sn_real *t, sn_vec3 *normal);

/* The same for two boxes, at a fifteenth of the cost, without the normal. Rounded boxes count as boxes enlarged by
   their rounding on all sides, so t may be earlier than above. Boxes that overlap at the start touch at t = 0, whatever
   their direction. */
bool sn_boxes_hit(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_convex *b, const sn_pose *pb,
                  sn_real *t);

/* The same with a fixed shape. Fields are sampled at corners, edge centres and face centres of a. */
bool sn_manifold_cast_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_shape *b,
                            const sn_pose *pb, sn_real *t, sn_vec3 *normal);

/* The same for queries that also need the position. touch has the point on b and the normal in the world, and the
   triangle of a mesh. The point is one of those that touch. */
bool sn_convex_sweep(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_convex *b, const sn_pose *pb,
                     sn_real *t, sn_touch *touch);
bool sn_convex_sweep_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_shape *b,
                           const sn_pose *pb, sn_real *t, sn_touch *touch);

/* The same with a triangle in the world, solid from both sides. An overlap at the start does not count. */
bool sn_convex_sweep_triangle(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_vec3 corner[3],
                              sn_real *t, sn_touch *touch);

/* The distance of a from b (m; negative: overlap), with the nearest point on b and the normal, from b towards a, in the
   world. False if the distance is more than reach (m, not negative). Exact up to rounding errors, unless the solids
   overlap by more than their rounding. Then, and always for fields, the depth is that of sn_manifold_convex or
   sn_manifold_shape. */
bool sn_convex_gap(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                   sn_touch *touch);
bool sn_convex_gap_shape(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                         sn_touch *touch);
bool sn_convex_gap_triangle(const sn_convex *a, const sn_pose *pa, const sn_vec3 corner[3], sn_real reach,
                            sn_touch *touch);

#endif
