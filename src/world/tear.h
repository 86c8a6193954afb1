/* Tearing and cutting: see sinew/tear.h.

       tear.c             strengths, breaking at the end of a step, events, topology
       tear_over.c        which rods are over their limit
       tear_index.c       which triangles and constraints are at a particle
       tear_split.c       a vertex of a skin becomes several, and its constraints follow
       tear_apart.c       the parts of a split vertex are moved apart
       tear_blade.c       blades
       tear_sweep.c       segments that are moved on by one cut after another while things move
       tear_path.c        the paths of a blade over triangles
       tear_cut.c         blades: which edges and rods they cross, vertices on edges
       tear_insert.c      a vertex is inserted on an edge
       tear_energy.c      limits the energy after tears
       tear_solid.c       solids: faces between cells that separate
       tear_cells.c       their cells: tetrahedra, and those of lattices
       tear_wear.c        fatigue
       tear_shape.c       shape matching: groups lose members and are divided
       tear_cut_shape.c   the same by a blade

   Skins own the topology: their triangles define what is connected. A constraint belongs to the mesh by its particles.
   A vertex is split into *parts*: the sets of its triangles that are still connected by edges at it. */
#ifndef SN_WORLD_TEAR_H
#define SN_WORLD_TEAR_H

#include "base/dvec.h"
#include "base/memory.h"
#include "collision/touch.h"
#include "constraints/store.h"

#include <sinew/tear.h>

struct sn_world;

/* Vertices with more triangles or constraints than this are not split. */
#define SN_TEAR_FAN         64u
#define SN_TEAR_CONSTRAINTS 256u

/* Nor are those that would become more parts than this. */
#define SN_TEAR_PARTS 8u

#define SN_TEAR_NONE UINT32_MAX

/* The most rods over their limit that are examined in a step, the worst first. */
#define SN_TEAR_OVER (4 * SN_TEARS_A_STEP)

/* The most changes of triangles that are recorded for renderers. */
#define SN_TOPOLOGY_MOST 65536u

/* For each particle, by number: the first items of its lists. */
typedef struct sn_tear_head {
    uint32_t triangle;   /* 3 * triangle + corner, in the world's table of triangles; next_table has the next one */
    uint32_t constraint; /* in node_table */
    uint32_t cell;       /* 8 * row + corner, of a cell of a lattice; cell_next_table has the next one */
    uint32_t skin;       /* 1 + row of the first skin of which it is a vertex; 0: none */
    uint32_t solid;      /* 0: in no cell; 1: in some; 2 + row of the skin around these */
} sn_tear_head;

/* 1 + row of the skin of which a particle is a vertex, or which is around its cells; 0: none. */
static inline uint32_t sn_tear_skin_of(const sn_tear_head *head)
{
    return head->skin ? head->skin : head->solid > 1 ? head->solid - 1 : 0;
}

/* A constraint at a particle. It may have been removed, or have other particles now: test before use. */
typedef struct sn_tear_node {
    uint32_t kind, row, next;
} sn_tear_node;

/* Rods of skins that tear: rows first .. end - 1 of a kind. */
typedef struct sn_tear_range {
    uint32_t kind, first, end;
    uint32_t item; /* index of the first, counted over all ranges */
} sn_tear_range;

/* A rod that is over its limit. */
typedef struct sn_tear_over {
    uint32_t kind, row;
    double ratio; /* load relative to the limit */
} sn_tear_over;

/* Cells that are separated by a blade, or by a plane across a rod. The functions return: the side of the blade on
   which a point is, 1 or -1; whether a point is on it, seen along its normal; and which particles it may cut. */
typedef struct sn_solid_cut {
    struct sn_world *world;
    const void *blade;
    int (*side)(const void *blade, sn_dvec3 x);
    bool (*on)(const void *blade, sn_dvec3 x);
    bool (*may_cut)(const struct sn_world *world, const void *blade, uint32_t particle);
    sn_dvec3 low, high; /* its bounding box */

    sn_table face_table;   /* faces that are cut */
    sn_table shut_table;   /* of sn_sort_item: pairs of cells whose face has no room to open; and scratch */
    sn_table vertex_table; /* of uint32_t: their vertices, some twice */
    sn_table more_table;   /* of uint32_t, by skin: triangles that it gets by the tears of a step */
    bool inside_out;       /* some cell near the blade is */
    uint32_t first;        /* its first event */
    uint32_t split, removed;
    double released;
} sn_solid_cut;

/* Damage to a rod by loads. */
typedef struct sn_wear {
    uint32_t generation; /* of the rod with that number */
    sn_real peak;        /* highest recent load, as a share of its strength when new */
    sn_real lost;        /* lost share of that strength */
} sn_wear;

/* Kinds of rods. */
#define SN_ROD_KINDS 4u

/* Where a cut ended inside a skin. */
typedef struct sn_tear_tip {
    sn_particle vertex;
    sn_particle from; /* the blade came along the edge from this vertex, which is also whole; null: not along an edge */
} sn_tear_tip;

/* A segment that may be moved on by a later cut. */
typedef struct sn_tear_sweep {
    sn_vec3 end[2]; /* m: its ends after its last cut */
    uint64_t steps; /* number of steps of the world at that time */
} sn_tear_sweep;

/* A former position of a particle, by number. */
typedef struct sn_tear_place_then {
    sn_vec3 x;           /* m */
    uint32_t generation; /* of the particle; if different, the particle did not exist */
} sn_tear_place_then;

/* Derived or scratch data, except for the parts marked as state. */
typedef struct sn_tearing {
    sn_tear_fn *function; /* the caller's function; NULL: none */
    void *context;
    sn_table event_table;  /* of sn_tear: events of cuts, and of the step after them */
    sn_table copy_table;   /* of sn_tear_copy: the same for constraints that were copied */
    bool told;             /* the step is done: the next event begins a new list */
    sn_table change_table; /* of sn_topology_change */
    uint64_t topology;     /* see sn_world_topology */
    uint64_t known;        /* its value before the first entry of change_table */

    /* Constraints that broke and members that left a group, but for rods of skins that were cut; of uint32_t: the ends
       of these rods, as of event_table. */
    uint64_t breaks;
    sn_table parted_table;

    sn_table tip_table; /* of sn_tear_tip: where cuts ended inside skins, so that the next cut continues from there.
                           State */

    sn_table sweep_table;    /* of sn_tear_sweep. State */
    sn_table place_table[2]; /* of sn_tear_place_then: at the first cut by a segment since the last step, and at the
                                previous one in an earlier step; see sn_world_state.swept. State */

    sn_table tip_at_table; /* of uint32_t, by particle number, during a cut: 1 + the first tip at this particle; 0:
                              none */

    sn_table severed_table; /* pairs of members of shape matching groups that blades have separated, by number. State */

    sn_table wear_table[SN_ROD_KINDS]; /* of sn_wear, by kind and row: rods of skins with fatigue. State */

    bool indexed;             /* the index below is valid */
    uint32_t sequence;        /* for constraints below this sequence number */
    uint32_t compactions;     /* for this number of compactions of the store */
    uint32_t generation;      /* for skins of this generation */
    uint64_t edits;           /* and for this number of edits of strengths */
    uint64_t strength_edits;  /* number of edits of strengths */
    uint64_t own_edits;       /* number of edits by tears, see limits.c */
    uint64_t edits_before;    /* and of all edits before this one */
    sn_table head_table;      /* of sn_tear_head, by particle number */
    sn_table next_table;      /* of uint32_t, by 3 * triangle + corner */
    sn_table cell_next_table; /* of uint32_t, by 8 * row + corner of cells of lattices */
    sn_table node_table;      /* of sn_tear_node */
    sn_table range_table;     /* of sn_tear_range */
    uint32_t items;           /* number of rods in all ranges */
    sn_table flag_table;      /* of uint8_t, by item: it is over its limit */
    sn_table over_table;      /* of sn_tear_over */
    sn_table busy_table;      /* of uint32_t, by particle number: the step in which it was next to a tear */
    uint32_t step;            /* the present step, for busy_table */
    sn_solid_cut solid;       /* tetrahedra that tear in this step */
    sn_table leave_table;     /* of bool: members that leave a shape matching group */
    sn_table torn_table;      /* of uint8_t, by triangle: no group contains it any more */
    bool torn;                /* and there is such a triangle */
    uint32_t shapes;          /* number of groups that may tear in this step */
    uint32_t shape_points;    /* and the sum of their members */
    uint32_t room_particles;  /* remaining room in this step: particles, */
    uint32_t room_rows;       /* constraints of each kind, */
    uint64_t room_nodes;      /* and constraints that may get other particles */
    /* For moving parts of vertices apart, in a step or a cut: */
    const struct sn_query_tree *gap_tree; /* of all triangles; NULL: gap_table has those nearby */
    sn_bounds gap_near;                   /* m */
    sn_table gap_table;                   /* of uint32_t */
    uint32_t gap_looks;                   /* how often it was filled */
    sn_real gap_moved;                    /* m: largest displacement of a part */
    sn_dvec3 gap_direction;               /* direction between the parts of the last vertex */
} sn_tearing;

void sn_tearing_init(sn_tearing *tearing);
void sn_tearing_release(sn_tearing *tearing, const sn_allocator *allocator);

/* Before a step: begins a new list of tears, and reserves memory. False when memory runs out. */
bool sn_tear_begin(struct sn_world *world);

/* After a step: breaks and tears things that are over their limit. */
void sn_tear_end(struct sn_world *world);

/* Marks a particle, and all that were just added, as next to a tear of this step. */
void sn_tear_mark_busy(sn_tearing *tearing, uint32_t particle);

/* True if some skin tears by force; true if a constraint is a rod of such a skin, as of the start of a step. The forces
   of these rods must be known, so limits of stiff meshes may not take a part of them. */
bool sn_tear_any_by_force(const struct sn_world *world);
bool sn_tear_by_force(const struct sn_world *world, uint32_t kind, uint32_t row);

/* True if there is a skin that may tear; true if a rod belongs to such a skin. */
bool sn_tear_any(const struct sn_world *world);
bool sn_tear_has(const struct sn_world *world, uint32_t kind, uint32_t row);

/* After loading: the topology has changed. */
void sn_tear_restored(struct sn_world *world);

/* After skins were added or removed, or lost triangles. */
void sn_tear_skins_changed(struct sn_world *world);

/* After a constraint got other particles. */
void sn_tear_constraint_changed(struct sn_world *world);

/* The strength of constraint `row` of a kind, as a factor of that in its def. */
double sn_tear_factor(uint32_t seed, double spread, uint32_t kind, uint32_t row);

/* True if the kind is a rod. The rest length of a rod, or its upper limit, in m. */
bool sn_tear_is_rod(uint32_t kind);
sn_real sn_tear_rest(const sn_pool *pool, uint32_t kind, uint32_t row);

/* length / rest - 1 of a rod at present; 0 if undefined. */
double sn_tear_strain(const struct sn_world *world, uint32_t kind, uint32_t row);

/* m: the position of the first point of a constraint, or of one of its particles. */
sn_vec3 sn_tear_place(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Calls the caller's function. */
bool sn_tear_allowed(struct sn_world *world, const sn_tear *tear);

/* Before a step, and before a cut: removes events of the last step. */
void sn_tear_begin_events(struct sn_world *world);

/* Adds an event. Memory must be reserved. */
void sn_tear_tell(struct sn_world *world, const sn_tear *tear);

/* J: the elastic energy of a constraint. */
double sn_tear_energy(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Removes a constraint and adds its energy to *released. */
void sn_tear_remove(struct sn_world *world, uint32_t kind, uint32_t row, double *released);

/* Removes the constraints that depend on a rod that broke. The rod itself must still exist, and is not removed. Returns
   their number. */
uint32_t sn_tear_remove_dependents(struct sn_world *world, uint32_t kind, uint32_t row, double *released);

/* Adds the ends of cuts to a hash, if there are any. */
uint64_t sn_tear_hash(uint64_t hash, const struct sn_world *world);

/* Records for renderers that a triangle, by its index in the world's table, has changed. */
void sn_tear_note_triangle(struct sn_world *world, uint32_t triangle);

/* ---- tear_over.c ------------------------------------------------------------------------------------------------- */

/* N: the tension of a rod; 0 if it is shorter than its rest length. h2: the square of the substep. */
double sn_tear_pull(const struct sn_world *world, uint32_t kind, uint32_t row, double h2);

/* Lists rods that are over their limit in over_table, the worst first. */
void sn_tear_find_over(struct sn_world *world);

/* ---- tear_index.c ------------------------------------------------------------------------------------------------ */

/* Updates the index. False when memory runs out. */
bool sn_tear_index(struct sn_world *world);

/* Adds a constraint that is new, or has other particles, to the lists of its particles. Memory must be reserved. */
void sn_tear_index_constraint(struct sn_world *world, uint32_t kind, uint32_t row);

/* True if a constraint with one point, such as a pin, holds a particle. */
bool sn_tear_is_pinned(const struct sn_world *world, uint32_t particle);

/* True if a constraint is a rod of a skin that tears. */
bool sn_tear_may_tear(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Adds a constraint to the list of one more particle. */
void sn_tear_index_at(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t particle);

/* Makes a gap behind the triangles of every skin for new ones: `more` by row of the skin, `total` in all. Memory must
   be reserved. Returns the total. */
uint32_t sn_tear_make_gaps(struct sn_world *world, const uint32_t *more, uint32_t total);

/* Call it after that if tetrahedra were separated. */
void sn_tear_index_anew(struct sn_world *world);

/* Removes a corner of a triangle from the list of its particle, or adds it. */
void sn_tear_unlink(sn_tearing *tearing, uint32_t particle, uint32_t place);
void sn_tear_link(sn_tearing *tearing, uint32_t particle, uint32_t place);

/* The constraints at a particle, each once, as nodes whose `next` is not set. UINT32_MAX if there are more than
   most. */
uint32_t sn_tear_constraints_at(struct sn_world *world, uint32_t particle, sn_tear_node *found, uint32_t most);

/* The triangles at a particle, as 3 * triangle + corner, in the order of their numbers. UINT32_MAX if there are more
   than most. */
uint32_t sn_tear_triangles_at(const struct sn_world *world, uint32_t particle, uint32_t *found, uint32_t most);

/* How many constraints may get other particles if this many particles are added. */
static inline uint64_t sn_tear_room_for(uint32_t particles)
{
    return (uint64_t)particles * 64;
}

/* Reserves memory for this many more particles, and this many more constraints of every kind. */
bool sn_tear_reserve(struct sn_world *world, uint32_t particles, uint32_t rows);

/* ---- tear_blade.c ------------------------------------------------------------------------------------------------ */

/* A triangle of a blade, or a plane. */
typedef struct sn_blade_side {
    sn_dvec3 a, u, v, n; /* a corner, the edges from it, and their cross product; a plane uses only n */
    double uu, uv, vv, determinant;
} sn_blade_side;

#define SN_BLADE_SIDES 2u

typedef struct sn_blade_shape {
    const sn_cut_def *def;
    sn_blade_side side[SN_BLADE_SIDES];
    uint32_t sides;
    sn_dvec3 low, high;    /* bounding box, for a segment of its whole path */
    sn_vec3 segment[2][2]; /* m: a segment's ends at the beginning and at the end */
    uint32_t sweep;        /* row of the sweep that it continues; SN_TEAR_NONE: none */
    bool moving;           /* things have moved since; their positions then are in place_table */
    uint32_t then;         /* with this index */
} sn_blade_shape;

/* An edge or a rod that a blade crosses. */
typedef struct sn_crossing {
    uint32_t p, q;
    double t;        /* position on the edge, from p */
    double time;     /* 0 to 1; 0 for blades that are not segments */
    bool up;         /* at that time the volume of p, q and the segment becomes positive */
    bool inserts;    /* a vertex is inserted there */
    uint32_t vertex; /* its number, once it exists */
} sn_crossing;

/* SN_ERROR_ARGUMENT if the definition makes no blade. */
sn_result sn_blade_make(const struct sn_world *world, const sn_cut_def *def, sn_blade_shape *blade);

/* True if the blade crosses the line from x to y. *t: the first crossing. */
bool sn_blade_crosses(const sn_blade_shape *blade, sn_dvec3 x, sn_dvec3 y, double *t);

/* The sides of the blade's bounding box, or of a plane, on which a point is, as bits. If two points have a bit in
   common, nothing is crossed between them. */
uint8_t sn_blade_beside(const sn_blade_shape *blade, sn_dvec3 x);

/* True if a point is within the blade, seen along its normal. 1 or -1 if it is above or below. */
bool sn_blade_has(const sn_blade_shape *blade, sn_dvec3 x);
int sn_blade_side_of(const sn_blade_shape *blade, sn_dvec3 x);

/* ---- tear_sweep.c ------------------------------------------------------------------------------------------------ */

void sn_blade_sweep_init(sn_tearing *tearing);

/* Find: finds the sweep that a blade continues. Begin: reserves memory, before crossings are computed; false when
   memory runs out. Go: stores the new position of the segment and the positions of things, before anything changes. */
void sn_blade_sweep_find(const struct sn_world *world, sn_blade_shape *blade);
bool sn_blade_sweep_begin(struct sn_world *world, sn_blade_shape *blade);
void sn_blade_sweep_go(struct sn_world *world, sn_blade_shape *blade);

/* True if a segment passes through an edge or a rod. Passing there and back does not count. */
bool sn_blade_sweep_crosses(const struct sn_world *world, const sn_blade_shape *blade, uint32_t p, uint32_t q,
                            sn_crossing *crossing);

/* m: the position of a particle at a time of the cut, 0 to 1; and the vector from one end of the segment to the
   other. */
sn_dvec3 sn_blade_sweep_place(const struct sn_world *world, const sn_blade_shape *blade, uint32_t particle,
                              double time);
sn_dvec3 sn_blade_sweep_displacement(const sn_blade_shape *blade, double time);

/* Stores a position for a new particle: that of a point between two others, or of one of them. Memory must be
   reserved. */
void sn_blade_sweep_insert(struct sn_world *world, uint32_t made, uint32_t p, uint32_t q, double t);
bool sn_blade_sweep_reserve(struct sn_world *world, uint64_t numbers);

/* After a successful step: removes data that are not needed any more. */
void sn_blade_sweep_step(struct sn_world *world);

/* For a shift of the origin. */
void sn_blade_sweep_shift(struct sn_world *world, sn_vec3 offset);

uint64_t sn_blade_sweep_hash(uint64_t hash, const struct sn_world *world);

/* At the beginning of a cut: lists which vertices are tips. False when memory runs out. */
bool sn_blade_index_tips(struct sn_world *world);

/* The corner of a triangle at which a cut ended, the last of several; SN_TEAR_NONE if there is none. True if a cut
   passed along an edge and left both ends whole. */
uint32_t sn_blade_tip_of(const struct sn_world *world, const uint32_t corner[3]);
bool sn_blade_has_passed(const struct sn_world *world, uint32_t a, uint32_t b);

/* ---- tear_path.c ------------------------------------------------------------------------------------------------- */

/* The path of a blade over a triangle from one crossing to another, by their indices in the list of crossings. */
typedef struct sn_cut_path {
    uint32_t from; /* SN_TEAR_NONE: from the end of an earlier cut */
    uint32_t tip;  /* which is at this corner */
    uint32_t to;
} sn_cut_path;

/* Finds all paths; false when memory runs out. */
bool sn_path_find(struct sn_world *world, const sn_blade_shape *blade, const sn_table *crossing_table,
                  sn_table *path_table, sn_table *item_table);

/* ---- tear_split.c ------------------------------------------------------------------------------------------------ */

/* A vertex that will be split. */
typedef struct sn_split {
    uint32_t vertex; /* its number */
    uint32_t count;  /* number of its triangles */
    uint32_t place[SN_TEAR_FAN];
    uint32_t other[SN_TEAR_FAN][2]; /* the other corners of each */
    uint8_t part[SN_TEAR_FAN];      /* and its part */
    uint32_t parts;
    uint32_t made[SN_TEAR_PARTS]; /* the vertex of each part; one of them is the old one */
} sn_split;

/* True if the edge from the vertex to `other` is cut between its triangles i and k of the fan. */
typedef bool sn_split_fn(const void *data, const sn_split *split, uint32_t i, uint32_t k, uint32_t other);

/* Finds the parts that are left when edges are cut. False if there is only one, or the vertex cannot be split. */
bool sn_split_find(const struct sn_world *world, sn_split *split, uint32_t vertex, sn_split_fn *is_cut,
                   const void *data);

/* True if there is room for any more splits in this step; true if there is room for this vertex, and it can be
   split. */
bool sn_split_has_room(const struct sn_world *world);
bool sn_split_fits(struct sn_world *world, uint32_t vertex);

/* tear_apart.c. Begin: before the splits of a step or a cut. Set apart: after the parts of a vertex were made, moves
   them apart. True if their triangles do not intersect others. */
void sn_split_begin(struct sn_world *world);
bool sn_split_set_apart(struct sn_world *world, const sn_split *split, uint32_t *removed, double *released);

/* True if the parts of the cells at a vertex of a solid, with the part of each cell, can be moved away from each other,
   or need not be. Their faces may look in so many directions that no displacement leads away from all. */
bool sn_solid_may_part(struct sn_world *world, uint32_t vertex, uint32_t parts, uint32_t count, const uint32_t *cell,
                       const uint8_t *part);

/* True if a face of three corners inside a solid intersects no triangle of a skin. */
bool sn_solid_may_open(struct sn_world *world, const uint32_t corner[3]);

/* After the faces of torn or cut solids became triangles (`more` by row of the skin, the last of it): moves the parts
   of all their vertices apart, which the events from `first` on tell. */
void sn_solid_set_apart(struct sn_world *world, uint32_t first, const uint32_t *more, uint32_t *removed,
                        double *released);

/* After all vertices of a cut were inserted: for a vertex of a skin that collides with itself, removes intersections
   that are due to rounding of its position. */
void sn_tear_free_vertex(struct sn_world *world, uint32_t vertex, uint32_t *removed, double *released);

/* A vertex, and those at the two ends of a tear through it. */
#define SN_SPLITS_AT_ONCE 3u

/* Splits a vertex, and the vertices at the ends of the tear where these reach a border. tear: the event, without the
   new particles; one event is added for each new particle. */
void sn_split_apply(struct sn_world *world, sn_split *split, const sn_tear *tear, uint32_t *removed, double *released);

/* kg: the value of the last bit of a mass. Shares that are multiples of it sum to the mass to the last bit. */
double sn_split_last_place(sn_real mass);

/* Lists the rods over triangles at some vertices. Drop removes those that are not over triangles any more. */
typedef struct sn_tear_rods {
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    uint32_t count;
} sn_tear_rods;

void sn_tear_note_rods(struct sn_world *world, const uint32_t *vertex, uint32_t count, sn_tear_rods *rods);
void sn_tear_drop_rods(struct sn_world *world, const sn_tear_rods *rods, uint32_t *removed, double *released);

/* Replaces a point of a constraint that is a particle by another particle, and informs the plan. */
void sn_split_replace(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t from, uint32_t to);

/* Informs the plan that a constraint has other points: it is removed from its batch and put behind all others. */
void sn_split_log(struct sn_world *world, uint32_t kind, uint32_t row);

/* A constraint becomes one of n parallel ones that together have its force and energy. */
void sn_split_weaken(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t n);

/* Copies a constraint with the same points. Memory must be reserved. Returns the row of the copy. */
uint32_t sn_split_copy(struct sn_world *world, uint32_t kind, uint32_t row);
uint32_t sn_split_copy_untold(struct sn_world *world, uint32_t kind, uint32_t row); /* not added to
                                                                                       sn_world_tear_copies */

/* ---- tear_insert.c ----------------------------------------------------------------------------------------------- */

/* The most triangles of an edge on which a vertex can be inserted. */
#define SN_TEAR_SIDES 8u

/* The triangles of an edge, in the order of their numbers. Returns how many there are. */
uint32_t sn_tear_edge_sides(const struct sn_world *world, uint32_t p, uint32_t q, uint32_t *triangle, uint32_t most);

/* Inserts a vertex on the edge from p to q, at the share t of its length, 0 to 1. Skins must have gaps for the new
   triangles. Returns its number. */
uint32_t sn_tear_insert(struct sn_world *world, uint32_t p, uint32_t q, double t, uint32_t *removed, double *released);

/* ---- tear_energy.c ----------------------------------------------------------------------------------------------- */

/* True if a kind has a rest length: rods, and constraints that keep two particles apart. */
bool sn_tear_has_length(uint32_t kind);

/* m: the distance of two particles. */
double sn_tear_length(const struct sn_world *world, uint32_t a, uint32_t b);

/* m: the length of such a constraint minus its rest length; 0 if it is not active. */
double sn_tear_excess(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Adds to its rest length, m. */
void sn_tear_lengthen(struct sn_world *world, uint32_t kind, uint32_t row, double by);

/* Measures its parameters again, at the present positions. */
void sn_tear_measure(struct sn_world *world, uint32_t kind, uint32_t row);

/* Changes a constraint so that it stores at most `most`, J. If that is impossible it is removed, and its energy is
   released. */
void sn_tear_ease(struct sn_world *world, uint32_t kind, uint32_t row, double most, uint32_t *removed,
                  double *released);

/* J: of the movable ones among these particles. */
double sn_tear_kinetic(const struct sn_world *world, const uint32_t *particle, uint32_t count);

/* Removes kinetic energy, at most `excess` J, from the relative motion of some particles. Momentum and angular momentum
   are conserved. Returns the removed energy. */
double sn_tear_calm(struct sn_world *world, const uint32_t *particle, uint32_t count, double excess);

/* Stores a position or velocity with its rounding remainder. */
void sn_tear_set_whole(sn_vec4 *high, sn_vec4 *low, sn_dvec3 value);

/* ---- tear_solid.c ------------------------------------------------------------------------------------------------ */

/* True if a particle is a corner of a tetrahedron, or of a cell of a lattice. */
bool sn_solid_has(const struct sn_world *world, uint32_t particle);

/* Adds the cells of lattices to an empty index. False when memory runs out. */
bool sn_solid_index(struct sn_world *world);

void sn_solid_init(sn_solid_cut *cut);
void sn_solid_release(sn_solid_cut *cut, const sn_allocator *allocator);

/* Finds what a blade cuts, and changes nothing. False when memory runs out. */
bool sn_solid_find(sn_solid_cut *cut);

/* Splits the vertices. Memory must be reserved. */
void sn_solid_split(sn_solid_cut *cut);

/* Adds the number of new triangles to `more`, by skin. Returns their total. */
uint32_t sn_solid_count(const sn_solid_cut *cut, uint32_t *more);

/* Adds these triangles, in the gaps behind those of their skins. */
void sn_solid_close(sn_solid_cut *cut);

/* Before a step in which solids may tear: reserves memory. False when memory runs out. */
bool sn_solid_reserve(struct sn_world *world);

/* Splits a vertex of a solid across the direction to another vertex, and those at the ends of that tear. tear: the
   event, without the new particles. False if it cannot be split. */
bool sn_solid_tear(struct sn_world *world, uint32_t vertex, uint32_t to, const sn_tear *tear);

/* After all tears of a step: the new faces become triangles of skins. */
void sn_solid_finish(struct sn_world *world);

/* ---- tear_wear.c ------------------------------------------------------------------------------------------------- */

/* Updates the wear with a load at the end of a step. load: as a share of the strength when new. */
void sn_wear_by(sn_wear *wear, double load, sn_real fatigue);

/* Reserves memory for all rods and `more`, if there is a skin with fatigue. False when memory runs out. */
bool sn_wear_reserve(struct sn_world *world, uint32_t more);

/* The wear of a rod; NULL if there is no fatigue. */
sn_wear *sn_wear_of(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Copies the wear of a rod to a rod that was made from it. */
void sn_wear_copy(struct sn_world *world, uint32_t kind, uint32_t from, uint32_t to);

uint64_t sn_wear_hash(uint64_t hash, const struct sn_world *world);

/* ---- tear_shape.c ------------------------------------------------------------------------------------------------ */

bool sn_shape_is_group(uint32_t kind);

/* So many members have a shape. */
#define SN_SHAPE_LEAST 4u

/* By how much the worst member of a group is off, in parts of the radius; 0 if that does not exist. */
double sn_shape_strain(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Before a step, for every group that may tear: reserves memory. False when memory runs out. */
bool sn_shape_reserve(struct sn_world *world, uint32_t kind, uint32_t row);

/* After a cut added triangles, and before anything is torn: the lists of gaps follow. There is room. */
void sn_shape_follow_gaps(struct sn_world *world);

/* The worst member, and members with similar deviation, leave a group, unless the caller refuses. tear: the event,
   without the members. True if too few are left: remove the group. */
bool sn_shape_part(struct sn_world *world, sn_constraint group, sn_tear *tear);

/* The members in leave_table leave a group. False if the caller refuses. If fewer than four would be left, these stay
   in the list: remove the group. */
bool sn_shape_leave(struct sn_world *world, sn_constraint group, sn_tear *tear);

/* After all groups of a step or a cut: removes triangles of skins whose groups have separated. */
void sn_shape_finish(struct sn_world *world);

/* ---- tear_cut_shape.c -------------------------------------------------------------------------------------------- */

/* The effect of a blade on shape matching groups. */
typedef struct sn_shape_cut {
    struct sn_world *world;
    const void *blade;
    bool (*crosses)(const void *blade, sn_dvec3 x, sn_dvec3 y); /* it passes between two points */
    bool (*may_cut)(const struct sn_world *world, const void *blade, uint32_t particle);
    sn_dvec3 low, high; /* its bounding box */

    sn_table group_table;   /* groups that are divided */
    sn_table label_table;   /* and the part of each member: the number of its first member */
    sn_table near_table;    /* scratch, of double */
    sn_table pair_table;    /* of sn_sort_item: pairs of members that it separates, and scratch for these */
    uint32_t left, removed; /* number of members that left, and of removed groups */
} sn_shape_cut;

void sn_shape_cut_init(sn_shape_cut *c);
void sn_shape_cut_release(sn_shape_cut *c, const sn_allocator *allocator);

/* Find computes the effect, and reserves memory; false when memory runs out. Part applies it. */
bool sn_shape_cut_find(sn_shape_cut *c);
void sn_shape_cut_part(sn_shape_cut *c);

/* Bytes of a pair of members that a blade has separated. The hash of these pairs. */
uint32_t sn_severed_width(void);
uint64_t sn_severed_hash(uint64_t hash, const struct sn_world *world);

#endif
