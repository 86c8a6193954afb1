/* The parts of contact of convex solids; for manifold*.c only. A solid is a core (a polyhedron with one or more
   corners) and a rounding. Everything is in double, in one frame that has the axes of b. */
#ifndef SN_COLLISION_MANIFOLD_WORK_H
#define SN_COLLISION_MANIFOLD_WORK_H

#include "collision/manifold.h"

/* ---- Tolerances -------------------------------------------------------------------------------------------------- */

/* Relative to the smaller solid's size: how much better another face, or a pair of edges, must be to be taken instead.
   Larger values are more stable, and less precise about the shortest way out. */
#define SN_MANIFOLD_TIE 1e-3

/* The same for a pair of edges whose normal is nearly that of the face: a box that leans slightly still stands on the
   face. */
#define SN_MANIFOLD_LEAN 2e-2

/* The same: how far beside a face a corner may be to still count as over it. For stacked boxes of the same size this
   gives their corners, not crossings of edges that come and go. */
#define SN_MANIFOLD_BESIDE 1e-3

/* The same: tolerance for the distance of points of separated solids. NEARLY is relative to the distance of the cores:
   along its own normal an inclined face is farther away by that much. */
#define SN_MANIFOLD_FINE   1e-6
#define SN_MANIFOLD_NEARLY 3e-4

/* The same: points whose depths differ by less count as equally deep, and the one at the border is kept. */
#define SN_MANIFOLD_LEVEL 1e-4

/* The most times that the cores of solids of revolution are rotated to face each other. */
#define SN_FACING_ROUNDS 3u

/* Relative to the sag of a core: results that differ by less are equally good, and the last one is taken. */
#define SN_FACING_TIE 1e-4

/* Two solids, at least one of revolution, and their poses. */
typedef struct sn_facing {
    sn_convex a, b;
    sn_pose pa, pb;
} sn_facing;

/* Makes their cores face each other: along a normal (in the world, from b towards a); or each towards the point where
   the other one is touched. */
void sn_facing_by_normal(sn_facing *f, sn_vec3 normal);
void sn_facing_by_place(sn_facing *f, sn_vec3 on_a, sn_vec3 on_b);

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

typedef struct sn_frame_pair {
    sn_dvec3 axis[3];  /* of a, in the frame */
    sn_dvec3 place;    /* m: of a's origin, in the frame */
    sn_dvec3 origin;   /* m: of the frame, relative to b's origin */
    sn_dvec3 world[3]; /* the axes of the frame in the world */
} sn_frame_pair;

/* The axes of a rotation. The quaternion need not be of unit length to the last digit of a double. */
void sn_axes_of(sn_quat q, sn_dvec3 axis[3]);

/* The origin of the frame is that of b. */
sn_frame_pair sn_frame_pair_from(const sn_pose *pa, const sn_pose *pb);

static inline sn_dvec3 dvec3_by_axes(const sn_dvec3 axis[3], sn_dvec3 v)
{
    return dvec3(axis[0].x * v.x + axis[1].x * v.y + axis[2].x * v.z,
                 axis[0].y * v.x + axis[1].y * v.y + axis[2].y * v.z,
                 axis[0].z * v.x + axis[1].z * v.y + axis[2].z * v.z);
}

static inline sn_dvec3 dvec3_on_axes(const sn_dvec3 axis[3], sn_dvec3 v)
{
    return dvec3(dvec3_dot(axis[0], v), dvec3_dot(axis[1], v), dvec3_dot(axis[2], v));
}

/* ---- Work -------------------------------------------------------------------------------------------------------- */

#define SN_CANDIDATES 256u

/* A contact point of the cores. */
typedef struct sn_candidate {
    sn_dvec3 a, b;    /* m: in the frame; from b to a: distance * normal */
    double distance;  /* m */
    uint32_t feature; /* see sn_feature_kind */
} sn_candidate;

typedef enum sn_axis_type { SN_AXIS_NONE, SN_AXIS_FACE_A, SN_AXIS_FACE_B, SN_AXIS_EDGES } sn_axis_type;

typedef struct sn_axis {
    sn_axis_type type;
    double separation; /* m: -INFINITY if there is none */
    sn_dvec3 normal;   /* from b to a */
    uint32_t a, b;     /* faces or edges */
} sn_axis;

typedef struct sn_collision {
    sn_hull a, b;           /* cores, in the frame */
    double rounding[2];     /* m: of a and b */
    double reach;           /* m: between the cores */
    double size;            /* m: of the smaller solid */
    sn_dvec3 centre[2];     /* m: of a and b */
    const sn_dvec3 *front;  /* b is a triangle that is solid only from this side; otherwise NULL */
    sn_axis face_a, face_b; /* the faces of a and of b with the largest separation (least overlap) */
    sn_axis edges;          /* the same for pairs of edges, if they were tested */
    double apart;           /* m: result if no point is within reach: a lower bound of the distance of the cores */
    sn_dvec3 normal;        /* result: from b to a */
    uint32_t count;
    sn_candidate point[SN_CANDIDATES];
} sn_collision;

/* Names of features: a corner of a with anything, a corner of b with anything, two edges, or two corners. */
typedef enum sn_feature_kind {
    SN_FEATURE_CORNER_A = 0,
    SN_FEATURE_CORNER_B = 1,
    SN_FEATURE_EDGES = 2,
    SN_FEATURE_CORNERS = 3
} sn_feature_kind;

static inline uint32_t feature_name(sn_feature_kind kind, uint32_t of_a, uint32_t of_b)
{
    return (uint32_t)kind << 30 | of_a << 14 | of_b;
}

static inline uint32_t edge_name(uint32_t from, uint32_t to)
{
    return from < to ? from << 7 | to : to << 7 | from;
}

/* A core moved to another pose. The result is in the room. */
typedef struct sn_moved_room {
    sn_dvec3 vertex[SN_HULL_VERTICES];
    sn_hull_face face[SN_HULL_FACES];
} sn_moved_room;
sn_hull sn_hull_moved(const sn_hull *hull, const sn_dvec3 axis[3], sn_dvec3 place, sn_moved_room *room);

/* A triangle, relative to its first corner. */
sn_hull sn_triangle_core(const sn_vec3 corner[3], sn_hull_triangle_room *room);

/* Finds the contact points once the axes are known. False if no point is within reach. Not for two cores that are
   points or segments. */
bool sn_collide(sn_collision *c);

/* The same for two segments. */
bool sn_collide_segments(sn_collision *c);

/* The nearest point of a core, on its surface if it is a solid. The distance is negative inside. */
void sn_core_near(const sn_hull *core, sn_dvec3 p, sn_hull_near_point *near_point);

/* The smallest distance of the candidates (m); infinite without candidates. */
double sn_candidates_nearest(const sn_candidate *point, uint32_t count);

/* The position of a contact point, seen along the normal (m), and the distance there. x is rotated away from common
   directions of corners and edges, by an angle of this cosine and sine. */
typedef struct sn_flat {
    double x, y, distance;
} sn_flat;
#define SN_FLAT_COSINE 0.8290375725550416
#define SN_FLAT_SINE   0.5591929034707468

/* Selects at most SN_MANIFOLD_MOST points by their positions, as sn_candidates_reduce. kept: room for that many, and
   for at least two. Returns the number. */
uint32_t sn_flats_reduce(const sn_flat *point, uint32_t count, double size, uint8_t *kept);

/* m: the distance above which points are dropped, for this distance of the nearest one. */
double sn_collision_far(const sn_collision *c, double nearest, double reach);

/* Keeps at most SN_MANIFOLD_MOST of the candidates: the deepest and those farthest apart, and none between others.
   Returns the number. size (m): of the smaller solid. */
uint32_t sn_candidates_reduce(sn_candidate *point, uint32_t count, sn_dvec3 normal, double size);

/* Writes the candidates as a manifold. */
void sn_manifold_write(const sn_frame_pair *f, const double rounding[2], sn_dvec3 normal, const sn_candidate *point,
                       uint32_t count, sn_manifold *m);

/* ---- Shapes (manifold_shape.c) ----------------------------------------------------------------------------------- */

/* The points of a core at which fields are sampled: corners, then edge centres, then face centres. Their number is the
   sum of these. */
sn_dvec3 sn_core_sample(const sn_hull *core, uint32_t sample, uint32_t *feature);

/* The box from low to high (m), enlarged by at least `around` (m) on all sides, whatever the rounding. */
sn_bounds sn_bounds_around(sn_dvec3 low, sn_dvec3 high, double around);

/* A triangle of a mesh, in the frame. */
typedef struct sn_mesh_triangle {
    sn_hull_triangle_room room;
    sn_hull hull;
    bool turned; /* corners b and c are swapped */
} sn_mesh_triangle;

/* True if a solid with this centre (m, relative to the mesh) touches an open two-sided mesh from the back. The triangle
   nearest to the centre decides, if one is within reach (m). */
bool sn_mesh_from_behind(const sn_shape *shape, sn_dvec3 middle, double reach);

/* A triangle with its front on the side of the centre of a (m, in the frame). False if it is not solid from there. */
bool sn_mesh_triangle_from(const sn_shape *shape, uint32_t number, sn_dvec3 origin, sn_dvec3 middle, bool from_behind,
                           sn_mesh_triangle *triangle);

/* True if the plane with this normal through a point of a triangle has the mesh around that point on or below it. Only
   then can the mesh be touched there with this normal. slack (m): parts of the mesh within this distance of the point
   are considered. */
bool sn_mesh_allows(const sn_shape *shape, sn_dvec3 origin, const sn_mesh_triangle *triangle, sn_dvec3 near_point,
                    sn_dvec3 normal, double slack);

/* ---- Axes (manifold_axes.c) -------------------------------------------------------------------------------------- */

/* Find the axes of a collision. False if an axis shows that nothing is within reach; then `apart` is a lower bound of
   the distance. */
bool sn_axes_of_hulls(sn_collision *c);

/* The axes used to find points (manifold.c). area_a, area_b: areas of the two faces. */
typedef struct sn_axis_choice {
    const sn_axis *face, *best, *first;
    double enough; /* m: the largest accepted distance of the nearest point */
    bool exact;    /* only some normals are allowed, as for a mesh */
} sn_axis_choice;
sn_axis_choice sn_axes_choose(const sn_collision *c, double area_a, double area_b);

/* ---- Boxes (manifold_boxes.c) ------------------------------------------------------------------------------------ */

/* A result found without hulls. UNKNOWN: none was found, and of m only `count` and `apart` may have been written. */
typedef enum sn_quick_answer { SN_QUICK_APART, SN_QUICK_TOUCH, SN_QUICK_UNKNOWN } sn_quick_answer;

/* Sets the axes of the collision in any case. */
sn_quick_answer sn_boxes_touch(sn_collision *c, const sn_frame_pair *f, const sn_convex *a, const sn_convex *b,
                               sn_real reach, sn_manifold *m);

/* A box and the plane y = 0 of the frame, as in sn_manifold_shape. */
uint32_t sn_box_on_plane(const sn_convex *box, const sn_frame_pair *f, const sn_collision *c, sn_manifold *m);

/* ---- Capsules (manifold_capsules.c) ------------------------------------------------------------------------------ */

sn_quick_answer sn_capsules_touch(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb,
                                  sn_real reach, sn_manifold *m);

/* ---- Points (manifold_points.c) ---------------------------------------------------------------------------------- */

/* Each replaces the candidates of the collision. Returns the number of those within reach. */
uint32_t sn_points_on_face(sn_collision *c, bool of_a, uint32_t face);
uint32_t sn_points_of_edges(sn_collision *c, sn_dvec3 normal, uint32_t edge_a, uint32_t edge_b);

/* For separated cores: by their nearest points and the direction between these. */
uint32_t sn_points_between(sn_collision *c, sn_dvec3 normal, sn_dvec3 on_a, sn_dvec3 on_b, double distance);

/* Where edges or corners touch in one point: adds the points where the faces around it would touch along the normal if
   the bodies rotated. Without these a box that hit with an edge, and came down flat within the substep, sank in by a
   tenth of its size. */
void sn_points_around(sn_collision *c);

/* Against a half-space that ends at height `level` (m) along the normal. */
uint32_t sn_points_on_plane(sn_collision *c, sn_dvec3 normal, double level);

/* ---- Distance (manifold_distance.c) ------------------------------------------------------------------------------ */

typedef struct sn_between {
    double distance;     /* m: 0 where they overlap or touch */
    sn_dvec3 on_a, on_b; /* m: the nearest points, unless they overlap */
    sn_dvec3 normal;     /* from b to a, unless they overlap */
} sn_between;

/* The distance of two cores, with a moved by `shift`. */
void sn_distance_between(const sn_hull *a, sn_dvec3 shift, const sn_hull *b, sn_between *between);

/* A core in the frame. That of a solid of revolution is a polyhedron inside of it, which gets further corners on the
   true surface where it has to be exact. Its edges and faces stay those of the polyhedron. */
typedef struct sn_true_core {
    sn_hull hull;
    sn_dvec3 *vertex; /* room for SN_HULL_VERTICES corners; NULL: the hull is exact as it is */
    uint32_t corners; /* of the polyhedron */
    bool cone;
    sn_dvec3 axis, place; /* of the solid of revolution */
    double radius, half;  /* m */
} sn_true_core;

typedef struct sn_true_room {
    sn_convex_room own;
    sn_moved_room moved;
} sn_true_room;

/* That of a solid in the frame, and in its own. */
sn_true_core sn_true_core_at(const sn_convex *convex, const sn_dvec3 axis[3], sn_dvec3 place, sn_true_room *room);
sn_true_core sn_true_core_own(const sn_convex *convex, sn_true_room *room);

/* Adds the corner that is farthest in a direction of length 1, if it is farther than the others by more than `enough`
   (m): two that are nearly one spoil a simplex. True if it did. */
bool sn_true_corner(sn_true_core *core, sn_dvec3 direction, double enough);

/* As sn_distance_between, of the solids themselves; at most `enough` (m) too large. */
void sn_true_between(sn_true_core *a, sn_dvec3 shift, sn_true_core *b, double enough, sn_between *between);

#endif
