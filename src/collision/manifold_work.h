/* The parts that contact of convex solids is made of; for manifold*.c only. Solids are cores, polyhedra with any number
   of corners from one on, and roundings. Everything is in double, in one frame that has the axes of b. */
#ifndef SN_COLLISION_MANIFOLD_WORK_H
#define SN_COLLISION_MANIFOLD_WORK_H

#include "collision/manifold.h"

/* ---- Tolerances -------------------------------------------------------------------------------------------------- */

/* Of the size of the smaller one: how much better another face, or a pair of edges, must be to be taken instead. Larger
   ones are more stable and less precise in what is the shortest way out. */
#define SN_MANIFOLD_TIE 1e-3

/* The same for a pair of edges whose normal is nearly that of the face: a box that leans a little stands on it still.
   */
#define SN_MANIFOLD_LEAN 2e-2

/* The same: how far beside a face a corner may be and still be over it. Corners of boxes of the same size that are
   stacked are, and not crossings of edges that come and go. */
#define SN_MANIFOLD_BESIDE 1e-3

/* The same: points of solids that are apart may be so much farther off than the distance; and so much of the distance
   between the cores, by which a face that leans is farther off along its normal. */
#define SN_MANIFOLD_FINE   1e-6
#define SN_MANIFOLD_NEARLY 3e-4

/* The same: points whose depths differ by less are equally deep, and the one at the border is kept. */
#define SN_MANIFOLD_LEVEL 1e-4

/* So often, at most, the cores of solids of revolution are turned to what they face. */
#define SN_FACING_ROUNDS 3u

/* Of what a core may lack: what is better by less is equally good, and the last that was tried is taken. */
#define SN_FACING_TIE 1e-4

/* Two solids, one or both of revolution, and where they are. */
typedef struct sn_facing {
    sn_convex a, b;
    sn_pose pa, pb;
} sn_facing;

/* Turns their cores to each other: along a normal (in the world, from b towards a); or each to the spot where the other one is touched. */
void sn_facing_by_normal(sn_facing *f, sn_vec3 normal);
void sn_facing_by_place(sn_facing *f, sn_vec3 on_a, sn_vec3 on_b);

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

typedef struct sn_frame_pair {
    sn_dvec3 axis[3];  /* of a, in the frame */
    sn_dvec3 place;    /* m: of a's origin, in the frame */
    sn_dvec3 origin;   /* m: of the frame, seen from b's origin */
    sn_dvec3 world[3]; /* the axes of the frame in the world */
} sn_frame_pair;

/* The axes of a rotation. The quaternion need not be of length 1 to the last digit of a double. */
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

/* A point of contact of the cores. */
typedef struct sn_candidate {
    sn_dvec3 a, b;    /* m: in the frame; from b to a it is distance * normal */
    double distance;  /* m */
    uint32_t feature; /* see the names below */
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
    double size;            /* m: of the smaller one */
    sn_dvec3 centre[2];     /* m: of a and b */
    const sn_dvec3 *front;  /* b is a triangle that is solid from this side only; otherwise NULL */
    sn_axis face_a, face_b; /* faces of a and of b between which there is most room, or least overlap; and the same */
    sn_axis edges;          /*   for pairs of edges, where those were looked at */
    double apart;           /* m: the answer, if no point is within reach: the cores are at least so far apart */
    sn_dvec3 normal;        /* the answer: from b to a */
    uint32_t count;
    sn_candidate point[SN_CANDIDATES];
} sn_collision;

/* Names of features: what meets is a corner of a and anything, a corner of b and anything, two edges, or two corners.
   */
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

/* A core somewhere else; the room holds what has moved. */
typedef struct sn_moved_room {
    sn_dvec3 vertex[SN_HULL_VERTICES];
    sn_hull_face face[SN_HULL_FACES];
} sn_moved_room;
sn_hull sn_hull_moved(const sn_hull *hull, const sn_dvec3 axis[3], sn_dvec3 place, sn_moved_room *room);

/* A triangle, seen from its first corner. */
sn_hull sn_triangle_core(const sn_vec3 corner[3], sn_hull_triangle_room *room);

/* Fills the answer, once the axes are known: false if no point is within reach. Not for two that are points or segments. */
bool sn_collide(sn_collision *c);

/* Two segments. */
bool sn_collide_segments(sn_collision *c);

/* The nearest spot of a core, on its surface if it is a solid; negative distance inside. */
void sn_core_near(const sn_hull *core, sn_dvec3 p, sn_hull_spot *spot);

/* m: of the cores, where they are nearest; infinite without candidates. */
double sn_candidates_nearest(const sn_candidate *point, uint32_t count);

/* Where a point of contact is, seen along the normal (m), and how far apart the two are there. x is turned against what corners and edges
   are often along, by an angle of this cosine and sine. */
typedef struct sn_flat {
    double x, y, distance;
} sn_flat;
#define SN_FLAT_COSINE 0.8290375725550416
#define SN_FLAT_SINE   0.5591929034707468

/* At most SN_MANIFOLD_MOST of the points, by their places: as below. kept: room for so many, and for two at least. */
uint32_t sn_flats_reduce(const sn_flat *point, uint32_t count, double size, uint8_t *kept);

/* m: points that are farther off are left out, if the nearest is so far off. */
double sn_collision_far(const sn_collision *c, double nearest, double reach);

/* Keeps at most SN_MANIFOLD_MOST of the candidates, the deepest and those farthest apart, and none between others. How
   many. size (m): of the smaller solid. */
uint32_t sn_candidates_reduce(sn_candidate *point, uint32_t count, sn_dvec3 normal, double size);

/* The candidates as a manifold. */
void sn_manifold_write(const sn_frame_pair *f, const double rounding[2], sn_dvec3 normal, const sn_candidate *point,
                       uint32_t count, sn_manifold *m);

/* ---- Shapes (manifold_shape.c) ----------------------------------------------------------------------------------- */

/* Spots of a core by which fields are felt: corners, middles of edges, middles of faces; the number of them is the sum
   of these. */
sn_dvec3 sn_core_sample(const sn_hull *core, uint32_t sample, uint32_t *feature);

/* The box from low to high (m) and more than `around` (m) to all sides, whatever rounding does. */
sn_bounds sn_bounds_around(sn_dvec3 low, sn_dvec3 high, double around);

/* A triangle of a mesh, in the frame. */
typedef struct sn_mesh_triangle {
    sn_hull_triangle_room room;
    sn_hull hull;
    bool turned; /* corners b and c have changed places */
} sn_mesh_triangle;

/* Whether what has its middle (m, seen from the mesh) there touches an open mesh that is solid from both sides from its
   back: the triangle that is nearest to the middle tells, if one is within reach (m). */
bool sn_mesh_from_behind(const sn_shape *shape, sn_dvec3 middle, double reach);

/* Turned so that its front is on the side where the middle of a (m, in the frame) is; false if it is not solid from
   there. */
bool sn_mesh_triangle_from(const sn_shape *shape, uint32_t number, sn_dvec3 origin, sn_dvec3 middle, bool from_behind,
                           sn_mesh_triangle *triangle);

/* Whether a plane with this normal through a spot of a triangle has all of the mesh around that spot on or below it:
   only then can the mesh be touched there so. slack (m): what is nearer is there. */
bool sn_mesh_allows(const sn_shape *shape, sn_dvec3 origin, const sn_mesh_triangle *triangle, sn_dvec3 spot,
                    sn_dvec3 normal, double slack);

/* ---- Axes (manifold_axes.c) -------------------------------------------------------------------------------------- */

/* Find the axes of a collision. False if one of them shows that nothing is within reach; then they are at least `apart` apart. */
bool sn_axes_of_hulls(sn_collision *c);

/* The axes by which points are looked for (manifold.c), by the areas of the two faces. */
typedef struct sn_axis_choice {
    const sn_axis *face, *best, *first;
    double enough; /* m: the nearest point is no farther off */
    bool exact;    /* a mesh allows some normals only */
} sn_axis_choice;
sn_axis_choice sn_axes_choose(const sn_collision *c, double area_a, double area_b);

/* ---- Boxes (manifold_boxes.c) ------------------------------------------------------------------------------------ */

/* An answer without hulls. UNKNOWN: none was found this way, and of m only `count` and `apart` may be written. */
typedef enum sn_quick_answer { SN_QUICK_APART, SN_QUICK_TOUCH, SN_QUICK_UNKNOWN } sn_quick_answer;

/* The axes of the collision are known then, whatever the answer. */
sn_quick_answer sn_boxes_touch(sn_collision *c, const sn_frame_pair *f, const sn_convex *a, const sn_convex *b,
                               sn_real reach, sn_manifold *m);

/* A box and the plane y = 0 of the frame: as sn_manifold_shape. */
uint32_t sn_box_on_plane(const sn_convex *box, const sn_frame_pair *f, const sn_collision *c, sn_manifold *m);

/* ---- Capsules (manifold_capsules.c) ------------------------------------------------------------------------------ */

sn_quick_answer sn_capsules_touch(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb,
                                  sn_real reach, sn_manifold *m);

/* ---- Points (manifold_points.c) ---------------------------------------------------------------------------------- */

/* Each makes candidates of the collision, from nothing: the number of those within reach. */
uint32_t sn_points_on_face(sn_collision *c, bool of_a, uint32_t face);
uint32_t sn_points_of_edges(sn_collision *c, sn_dvec3 normal, uint32_t edge_a, uint32_t edge_b);

/* Of cores that are apart, by the direction and the points in which they are nearest. */
uint32_t sn_points_between(sn_collision *c, sn_dvec3 normal, sn_dvec3 on_a, sn_dvec3 on_b, double distance);

/* Where edges or corners meet in one point, adds those in which the faces around it would meet along the normal, if the two turned. Without
   them a box that struck with an edge, and came down flat within the substep, sank in by a tenth of its size. */
void sn_points_around(sn_collision *c);

/* Of a half-space that ends at height `level` (m) along the normal. */
uint32_t sn_points_on_plane(sn_collision *c, sn_dvec3 normal, double level);

/* ---- Distance (manifold_distance.c) ------------------------------------------------------------------------------ */

typedef struct sn_between {
    double distance;     /* m: 0 where they overlap or touch */
    sn_dvec3 on_a, on_b; /* m: the nearest points, unless they overlap */
    sn_dvec3 normal;     /* from b to a, likewise */
} sn_between;

/* The distance of two cores, the first of them moved by `shift`. */
void sn_distance_between(const sn_hull *a, sn_dvec3 shift, const sn_hull *b, sn_between *between);

#endif
