/* Where two convex solids, or one and a fixed shape, touch: a few points with one normal, for contact of
   bodies. Pure functions; they depend on nothing but what they are given. All of it is found in double, seen from one
   of the two, so that it is as precise far from the origin as there. */
#ifndef SN_COLLISION_MANIFOLD_H
#define SN_COLLISION_MANIFOLD_H

#include "collision/shape.h"

#define SN_MANIFOLD_MOST 4

typedef struct sn_manifold_point {
    sn_vec3 a, b;     /* m: spots on the surfaces of a and b, each in its own frame; from b to a: distance * normal */
    sn_real distance; /* m: negative: overlap */
    uint32_t
        feature; /* names the corners and edges that touch, as long as they do; differs between points of a manifold */
} sn_manifold_point;

typedef struct sn_manifold {
    sn_vec3 normal; /* in the world, length 1, from b towards a */
    uint32_t count;
    sn_manifold_point point[SN_MANIFOLD_MOST];
    sn_real apart; /* m: of two convex solids without a point: they are at least so far apart, and not within reach */
} sn_manifold;

/* Contact of two convex solids: points whose distance is at most reach (m, not negative); false if there are none.
   Faces that touch have up to four points: the deepest, and those that would be the deepest if the two tilted. Edges and corners that
   touch have those of the faces around them besides. Those that are far off are left out: farther than the nearest one by a quarter of the
   smaller one's size and an eighth of reach. One point of an overlap is as deep as
   the shortest way out is long, but for a fiftieth of the smaller one's size (its inner radius), and the normal is that
   way. Of solids that are apart, one has their distance, but for a few ten-thousandths. Where the normal of a face is
   nearly as good as that of two edges that cross, it is that of the face, so that stacks do not flicker. Where all
   normals are equally good (the same centre), one of them, always the same. a and b swapped give the same points and
   the opposite normal, up to choices between equally good ones. Rounded ones: a spot may be inside of the surface by a
   part of the rounding where the solid is inclined to the normal; the nearest point is exact. */
bool sn_manifold_convex(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                        sn_manifold *m);

/* Contact with a fixed shape, its thickness included (guard is not): how many manifolds were written, at most
   capacity. Planes and solids have one. Meshes and fields have one for each direction: normals that differ by less than
   about 2 degrees share one, and where there are more than capacity the nearest ones do. Of a mesh, triangles are solid
   from the side that the centre of a is on; those of closed meshes, and one-sided ones, only from their front. The
   normal at an edge or corner is one that the triangles around it allow, so that nothing is caught on edges inside of a
   flat floor. A body with its centre inside of a closed mesh is pushed out to the nearest spot of the surface. Fields
   are felt by corners, middles of edges and faces, and the nearest spot. */
uint32_t sn_manifold_shape(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                           sn_manifold *m, uint32_t capacity);

/* When a, which moves by `way` (m, in the world) without turning, first touches b: t in 0 .. 1, and the normal there
   (in the world, from b towards a); false if it does not. As sn_solid_cast: what touches or overlaps at the start does
   so at t = 0 if it moves inwards, and not at all otherwise. Precise to a millionth of the smaller one's size, a little
   early rather than late, and never through. */
bool sn_manifold_cast(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_convex *b, const sn_pose *pb,
                      sn_real *t, sn_vec3 *normal);

/* The same of two boxes, at a fifteenth of the price, without the normal. Rounded ones count as boxes that are larger by their roundings to
   all sides: then t may be early by more. Those that overlap at the start do so at t = 0, wherever they move. */
bool sn_boxes_meet(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_convex *b, const sn_pose *pb,
                   sn_real *t);

/* The same with a fixed shape. Fields are touched by corners, middles of edges and faces. */
bool sn_manifold_cast_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                            sn_real *t, sn_vec3 *normal);

/* The same for queries, which also want to know where: touch has the place on b and the normal in the world, and which
   triangle of a mesh. The place is one of those that touch. */
bool sn_convex_sweep(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_convex *b, const sn_pose *pb,
                     sn_real *t, sn_touch *touch);
bool sn_convex_sweep_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                           sn_real *t, sn_touch *touch);

/* A triangle in the world, solid from both sides. What it overlaps at the start does not count. */
bool sn_convex_sweep_triangle(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_vec3 corner[3], sn_real *t,
                              sn_touch *touch);

/* How far a is from b (m; negative: overlap), with the nearest place on b and the normal, from b towards a, in the world;
   false if that is more than reach (m, not negative). Exact up to rounding unless the solids overlap by more than their
   roundings: then the depth is that of sn_manifold_convex, or of sn_manifold_shape. Of fields always so. */
bool sn_convex_gap(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                   sn_touch *touch);
bool sn_convex_gap_shape(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                         sn_touch *touch);
bool sn_convex_gap_triangle(const sn_convex *a, const sn_pose *pa, const sn_vec3 corner[3], sn_real reach,
                            sn_touch *touch);

#endif
