/* Tearing and cutting: see sinew/tear.h.

       tear.c          strengths, what gives way at the end of a step, events, topology
       tear_over.c     which rods are over what they bear
       tear_index.c    which triangles and constraints are at a particle
       tear_split.c    a vertex of a skin becomes several, and what holds it follows
       tear_blade.c    blades
       tear_sweep.c    segments that are moved on by one cut after another while things move
       tear_path.c     the paths of a blade over triangles
       tear_cut.c      blades: which edges and rods they cross, vertices on edges
       tear_insert.c   a vertex is put on an edge
       tear_energy.c   what they may not gain
       tear_solid.c    tetrahedra: faces that part
       tear_wear.c     fatigue
       tear_shape.c    shape matching: groups lose members and become two
       tear_cut_shape.c   the same by a blade

   Skins own the topology: their triangles say what hangs together. A constraint belongs to the mesh by its particles. A vertex is split into *parts*, the sets of
   its triangles that still hang together by edges at it. */
#ifndef SN_WORLD_TEAR_H
#define SN_WORLD_TEAR_H

#include "base/dvec.h"
#include "base/memory.h"
#include "collision/touch.h"
#include "constraints/store.h"

#include <sinew/tear.h>

struct sn_world;

/* Vertices of more triangles or constraints than this are not split. */
#define SN_TEAR_FAN         64u
#define SN_TEAR_CONSTRAINTS 256u

/* Nor are those that would become more parts. */
#define SN_TEAR_PARTS 8u

#define SN_TEAR_NONE UINT32_MAX

/* The worst of those that are over their limit, so many, are looked at in a step. */
#define SN_TEAR_OVER (4 * SN_TEARS_A_STEP)

/* So many changes of triangles are remembered for renderers, at most. */
#define SN_TOPOLOGY_MOST 65536u

/* At each particle, by number: the first of its lists. */
typedef struct sn_tear_head {
    uint32_t triangle;   /* 3 * triangle + corner, in the world's table of triangles; the next is in next_table */
    uint32_t constraint; /* in node_table */
    uint32_t skin;       /* 1 + row of the first skin that it is a vertex of; 0: none */
    uint32_t solid;      /* 0: of no tetrahedron; 1: of some; 2 + row of the skin around these */
} sn_tear_head;

/* 1 + row of the skin that a particle is a vertex of, or that is around the tetrahedra that it is inside of; 0: none. */
static inline uint32_t sn_tear_skin_of(const sn_tear_head *head)
{
    return head->skin ? head->skin : head->solid > 1 ? head->solid - 1 : 0;
}

/* A constraint at a particle. It may have gone, or hold others now: that is looked at before it is believed. */
typedef struct sn_tear_node {
    uint32_t kind, row, next;
} sn_tear_node;

/* Rods of skins that tear: rows first .. end - 1 of a kind. */
typedef struct sn_tear_range {
    uint32_t kind, first, end;
    uint32_t item; /* of the first, counted over all ranges */
} sn_tear_range;

/* A rod that is over its limit. */
typedef struct sn_tear_over {
    uint32_t kind, row;
    double ratio; /* of what it bears */
} sn_tear_over;

/* Tetrahedra that come apart: by a blade, or by a plane across a rod. It says on which side of it a place is, 1 or -1, whether one is on it, seen along its normal, and which
   particles it may cut. */
typedef struct sn_solid_cut {
    struct sn_world *world;
    const void *blade;
    int (*side)(const void *blade, sn_dvec3 x);
    bool (*on)(const void *blade, sn_dvec3 x);
    bool (*may_cut)(const struct sn_world *world, const void *blade, uint32_t particle);
    sn_dvec3 low, high; /* around it */

    sn_table face_table;   /* that are cut */
    sn_table vertex_table; /* of uint32_t: their vertices, some twice */
    sn_table more_table;   /* of uint32_t, by skin: triangles that it gets by tears of a step */
    uint32_t split, removed;
    double released;
} sn_solid_cut;

/* What loads have done to a rod. */
typedef struct sn_wear {
    uint32_t generation; /* of the rod with that number */
    sn_real peak;        /* of the load that it bears now: a part of its strength when new */
    sn_real lost;        /* of that strength: a share */
} sn_wear;

/* Kinds of rods. */
#define SN_ROD_KINDS 4u

/* Where a cut ended inside a skin. */
typedef struct sn_tear_tip {
    sn_particle vertex;
    sn_particle from; /* the blade came along the edge from this one, which is whole, too; null: not along an edge */
} sn_tear_tip;

/* A segment that may go on. */
typedef struct sn_tear_sweep {
    sn_vec3 end[2]; /* m: where its last cut left it, */
    uint64_t steps; /*   after so many steps of the world */
} sn_tear_sweep;

/* Where a particle was, by number. */
typedef struct sn_tear_place_then {
    sn_vec3 x;           /* m */
    uint32_t generation; /* of the particle; another one: it was not there */
} sn_tear_place_then;

/* Derived, or scratch, but for what skins and strengths remember. */
typedef struct sn_tearing {
    sn_tear_fn *function; /* the caller's; NULL: none */
    void *context;
    sn_table event_table;  /* of sn_tear: of cuts, and of the step after them */
    sn_table copy_table;   /* of sn_tear_copy: the same of constraints */
    bool told;             /* the step is done: what comes next begins anew */
    sn_table change_table; /* of sn_topology_change */
    uint64_t topology;     /* see sn_world_topology */
    uint64_t known;        /*   the number that it had before the first of change_table */

    sn_table
        tip_table; /* of sn_tear_tip: where cuts ended inside skins, so that the next one goes on from there. State */

    sn_table sweep_table;    /* of sn_tear_sweep. State */
    sn_table place_table[2]; /* of sn_tear_place_then, at the first cut by a segment since the last step, and at the one
                                before that in an earlier step, see sn_world_state.swept. State */

    sn_table tip_at_table; /* of uint32_t, by particle number, in a cut: 1 + the first tip that it is; 0: none */

    sn_table severed_table; /* members of groups of shape matching that blades have passed between, by number. State */

    sn_table wear_table[SN_ROD_KINDS]; /* of sn_wear, by kind and row: rods of skins with fatigue. State */

    bool indexed;            /* what follows is that of the world, */
    uint32_t sequence;       /*   with constraints below this sequence number, */
    uint32_t compactions;    /*   after so many compactions of the store, */
    uint32_t generation;     /*   for skins of this generation */
    uint64_t edits;          /*   and this number of edits of strengths */
    uint64_t strength_edits; /* so many were made */
    uint64_t own_edits;      /* so many by tears, see limits.c, */
    uint64_t edits_before;   /*   and all before this one */
    sn_table head_table;     /* of sn_tear_head, by particle number */
    sn_table next_table;     /* of uint32_t, by 3 * triangle + corner */
    sn_table node_table;     /* of sn_tear_node */
    sn_table range_table;    /* of sn_tear_range */
    uint32_t items;          /* rods in all ranges */
    sn_table flag_table;     /* of uint8_t, by item: it is over its limit */
    sn_table over_table;     /* of sn_tear_over */
    sn_table busy_table;     /* of uint32_t, by particle number: the step in which it was next to a tear */
    uint32_t step;           /* of busy_table */
    sn_solid_cut solid;      /* tetrahedra that tear in this step */
    sn_table leave_table;    /* of bool: members of a group of shape matching that leave it */
    sn_table torn_table;     /* of uint8_t, by triangle: no group holds it any more; */
    bool torn;               /*   and there is one */
    uint32_t shapes;         /* so many of these may tear in this step, */
    uint32_t shape_points;   /*   with so many members in all */
    uint32_t room_particles; /* so many may still come in this step, */
    uint32_t room_rows;      /*   and so many constraints of each kind, */
    uint64_t room_nodes;     /*   and so many may get other particles */
    /* for setting parts of vertices apart, in a step or a cut: */
    const struct sn_query_tree *gap_tree; /* of all triangles; NULL: those near here are in gap_table: */
    sn_bounds gap_near;                   /* m */
    sn_table gap_table;                   /* of uint32_t */
    uint32_t gap_looks;                   /* so often it was filled */
    sn_real gap_moved;                    /* m: no part was moved farther; */
    sn_dvec3 gap_way;                     /*   and from where to where those of the last vertex were */
} sn_tearing;

void sn_tearing_init(sn_tearing *tearing);
void sn_tearing_release(sn_tearing *tearing, const sn_allocator *allocator);

/* Before a step: nothing has come apart, and there is room for what may. False when memory runs out. */
bool sn_tear_begin(struct sn_world *world);

/* After a step: what is over its limit gives way. */
void sn_tear_end(struct sn_world *world);

/* A particle, and all that have just come, are next to a tear of this step. */
void sn_tear_mark_busy(sn_tearing *tearing, uint32_t particle);

/* Whether some skin tears by force; and whether a constraint is a rod of one that does, as of the start of a step. What such rods exert must be known, so limits of stiff
   meshes may take no part of it. */
bool sn_tear_any_by_force(const struct sn_world *world);
bool sn_tear_by_force(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Whether there is a skin that may tear, and whether a rod is one of such a skin. */
bool sn_tear_any(const struct sn_world *world);
bool sn_tear_has(const struct sn_world *world, uint32_t kind, uint32_t row);

/* After loading: the topology is another one. */
void sn_tear_restored(struct sn_world *world);

/* Skins came, went or lost triangles. */
void sn_tear_skins_changed(struct sn_world *world);

/* A constraint holds other particles now. */
void sn_tear_constraint_changed(struct sn_world *world);

/* The strength of constraint `row` of a kind: a factor of what its def says. */
double sn_tear_factor(uint32_t seed, double spread, uint32_t kind, uint32_t row);

/* Whether it is a rod, by kind; and what it is at most at rest, m. */
bool sn_tear_is_rod(uint32_t kind);
sn_real sn_tear_rest(const sn_pool *pool, uint32_t kind, uint32_t row);

/* length / rest - 1 of a rod now; 0 where that does not exist. */
double sn_tear_strain(const struct sn_world *world, uint32_t kind, uint32_t row);

/* m: where the first point of a constraint is, or one of its particles. */
sn_vec3 sn_tear_place(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Asks the caller's function. */
bool sn_tear_allowed(struct sn_world *world, const sn_tear *tear);

/* Before a step, and before a cut: events of the last step go. */
void sn_tear_begin_events(struct sn_world *world);

/* Adds an event, for which there is room. */
void sn_tear_tell(struct sn_world *world, const sn_tear *tear);

/* J: the elastic energy of a constraint. */
double sn_tear_energy(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Removes a constraint and adds its energy to *released. */
void sn_tear_remove(struct sn_world *world, uint32_t kind, uint32_t row, double *released);

/* What goes with a rod that gave way; it is still there, and is not removed here. Returns how many. */
uint32_t sn_tear_remove_dependents(struct sn_world *world, uint32_t kind, uint32_t row, double *released);

/* Adds where cuts ended to a hash, if one did. */
uint64_t sn_tear_hash(uint64_t hash, const struct sn_world *world);

/* A triangle, by its place in the world's table, has changed: for renderers. */
void sn_tear_note_triangle(struct sn_world *world, uint32_t triangle);

/* ---- tear_over.c ------------------------------------------------------------------------------------------------------- */

/* N: what a rod pulls with; 0 if it is shorter than at rest. h2: the square of the substep. */
double sn_tear_pull(const struct sn_world *world, uint32_t kind, uint32_t row, double h2);

/* Lists those that are over their limit in over_table, the worst first. */
void sn_tear_find_over(struct sn_world *world);

/* ---- tear_index.c ------------------------------------------------------------------------------------------------------ */

/* Brings the index up to date; false when memory runs out. */
bool sn_tear_index(struct sn_world *world);

/* A constraint has come, or holds other particles: it is found at all of them. There must be room. */
void sn_tear_index_constraint(struct sn_world *world, uint32_t kind, uint32_t row);

/* Whether a constraint of one point, such as a pin, holds a particle. */
bool sn_tear_is_pinned(const struct sn_world *world, uint32_t particle);

/* Whether a constraint is a rod of a skin that tears. */
bool sn_tear_may_tear(const struct sn_world *world, uint32_t kind, uint32_t row);

/* It is found at this particle, too. */
void sn_tear_index_at(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t particle);

/* Behind the triangles of every skin a gap for those that it will get, by row of the skin, `total` in all. There is room. Returns the total. */
uint32_t sn_tear_make_gaps(struct sn_world *world, const uint32_t *more, uint32_t total);

/* After that, where tetrahedra parted. */
void sn_tear_index_anew(struct sn_world *world);

/* Takes a corner of a triangle out of the list of its particle, and puts it in. */
void sn_tear_unlink(sn_tearing *tearing, uint32_t particle, uint32_t place);
void sn_tear_link(sn_tearing *tearing, uint32_t particle, uint32_t place);

/* The constraints that hold a particle, once each, as nodes whose `next` says nothing; UINT32_MAX if there are more than most. */
uint32_t sn_tear_constraints_at(struct sn_world *world, uint32_t particle, sn_tear_node *found, uint32_t most);

/* The triangles of a particle, as 3 * triangle + corner, in the order of their numbers; UINT32_MAX if there are more than most. */
uint32_t sn_tear_triangles_at(const struct sn_world *world, uint32_t particle, uint32_t *found, uint32_t most);

/* So many constraints may get other particles where so many particles come. */
static inline uint64_t sn_tear_room_for(uint32_t particles)
{
    return (uint64_t)particles * 64;
}

/* Room for so many more particles, and so many more constraints of every kind. */
bool sn_tear_reserve(struct sn_world *world, uint32_t particles, uint32_t rows);

/* ---- tear_blade.c ------------------------------------------------------------------------------------------------------ */

/* A triangle of a blade, or a plane. */
typedef struct sn_blade_side {
    sn_dvec3 a, u, v, n; /* a corner, the edges from it, and their product; of a plane only n counts */
    double uu, uv, vv, determinant;
} sn_blade_side;

#define SN_BLADE_SIDES 2u

typedef struct sn_blade_shape {
    const sn_cut_def *def;
    sn_blade_side side[SN_BLADE_SIDES];
    uint32_t sides;
    sn_dvec3 low, high;    /* around it, and around a segment wherever it was */
    sn_vec3 segment[2][2]; /* m: a segment's ends at the begin and at the end */
    uint32_t sweep;        /* the row of the sweep that it goes on with; SN_TEAR_NONE: with none */
    bool moving;           /* things have moved since; where they were is in place_table */
    uint32_t then;         /*   of this number */
} sn_blade_shape;

/* An edge, or a rod, that a blade crosses. */
typedef struct sn_crossing {
    uint32_t p, q;
    double t;        /* from p */
    double time;     /* 0 to 1; of blades that are no segments 0 */
    bool up;         /* the volume of p, q and the segment becomes positive then */
    bool inserts;    /* a vertex comes there; */
    uint32_t vertex; /*   its number, once it is there */
} sn_crossing;

/* SN_ERROR_ARGUMENT for what makes no blade. */
sn_result sn_blade_make(const struct sn_world *world, const sn_cut_def *def, sn_blade_shape *blade);

/* Whether it crosses the way from one place to another; of several times the first. */
bool sn_blade_crosses(const sn_blade_shape *blade, sn_dvec3 x, sn_dvec3 y, double *t);

/* On which sides of the box around it a place is, or of a plane, as bits. Between two places that have one in common
   nothing is crossed. */
uint8_t sn_blade_beside(const sn_blade_shape *blade, sn_dvec3 x);

/* Whether a place is in it, seen along its normal; and 1 or -1: above or below it. */
bool sn_blade_has(const sn_blade_shape *blade, sn_dvec3 x);
int sn_blade_side_of(const sn_blade_shape *blade, sn_dvec3 x);

/* ---- tear_sweep.c ------------------------------------------------------------------------------------------------------ */

void sn_blade_sweep_init(sn_tearing *tearing);

/* Which sweep a blade goes on with; before what it crosses is asked for: room, false when memory runs out; and before
   anything changes: where it goes, and where things are, is noted. */
void sn_blade_sweep_find(const struct sn_world *world, sn_blade_shape *blade);
bool sn_blade_sweep_begin(struct sn_world *world, sn_blade_shape *blade);
void sn_blade_sweep_go(struct sn_world *world, sn_blade_shape *blade);

/* Whether a segment passes through an edge or a rod; there and back is not. */
bool sn_blade_sweep_crosses(const struct sn_world *world, const sn_blade_shape *blade, uint32_t p, uint32_t q,
                            sn_crossing *crossing);

/* m: where a particle was at some time of the cut, 0 to 1, and the way from one end of the segment to the other. */
sn_dvec3 sn_blade_sweep_place(const struct sn_world *world, const sn_blade_shape *blade, uint32_t particle,
                              double time);
sn_dvec3 sn_blade_sweep_way(const sn_blade_shape *blade, double time);

/* A particle that came was between two others, or with one. There is room for so many numbers. */
void sn_blade_sweep_insert(struct sn_world *world, uint32_t made, uint32_t p, uint32_t q, double t);
bool sn_blade_sweep_reserve(struct sn_world *world, uint64_t numbers);

/* When a step has succeeded: what is not needed any more goes. */
void sn_blade_sweep_step(struct sn_world *world);

/* The origin moves. */
void sn_blade_sweep_shift(struct sn_world *world, sn_vec3 offset);

uint64_t sn_blade_sweep_hash(uint64_t hash, const struct sn_world *world);

/* When a cut begins: which vertices are tips. False when memory runs out. */
bool sn_blade_index_tips(struct sn_world *world);

/* The corner of a triangle at which a cut ended, of several the last; SN_TEAR_NONE: there is none. And whether one
   has passed along an edge, both ends of which were whole after it. */
uint32_t sn_blade_tip_of(const struct sn_world *world, const uint32_t corner[3]);
bool sn_blade_has_passed(const struct sn_world *world, uint32_t a, uint32_t b);

/* ---- tear_path.c ------------------------------------------------------------------------------------------------------- */

/* A blade passes over a triangle from one crossing to another, by their places in the list of crossings. */
typedef struct sn_cut_path {
    uint32_t from; /* SN_TEAR_NONE: from where a cut ended, */
    uint32_t tip;  /*   at this corner */
    uint32_t to;
} sn_cut_path;

/* Finds all paths; false when memory runs out. */
bool sn_path_find(struct sn_world *world, const sn_blade_shape *blade, const sn_table *crossing_table,
                  sn_table *path_table, sn_table *item_table);

/* ---- tear_split.c ------------------------------------------------------------------------------------------------------ */

/* A vertex that is to be split. */
typedef struct sn_split {
    uint32_t vertex; /* its number */
    uint32_t count;  /* triangles, */
    uint32_t place[SN_TEAR_FAN];
    uint32_t other[SN_TEAR_FAN][2]; /*   the other corners of each, */
    uint8_t part[SN_TEAR_FAN];      /*   and the part that it is of */
    uint32_t parts;
    uint32_t made[SN_TEAR_PARTS]; /* the number of each part's vertex; one of them is the old one */
} sn_split;

/* Whether the edge from the vertex to another is cut between two of its triangles, by their places in the fan. */
typedef bool sn_split_fn(const void *data, const sn_split *split, uint32_t i, uint32_t k, uint32_t other);

/* Finds the parts that are left when edges are cut. False if there is one only, or it cannot be split. */
bool sn_split_find(const struct sn_world *world, sn_split *split, uint32_t vertex, sn_split_fn *is_cut,
                   const void *data);

/* Whether there is room for any more in this step; and whether there is for a vertex, and it can be split. */
bool sn_split_has_room(const struct sn_world *world);
bool sn_split_fits(struct sn_world *world, uint32_t vertex);

/* tear_apart.c: before splits of a step or a cut. And once the parts of a vertex are there: whether nothing of theirs intersects. */
void sn_split_begin(struct sn_world *world);
bool sn_split_set_apart(struct sn_world *world, const sn_split *split, uint32_t *removed, double *released);

/* After all vertices of a cut are on their edges: one of a skin that collides with itself intersects nothing because its place is rounded. */
void sn_tear_free_vertex(struct sn_world *world, uint32_t vertex, uint32_t *removed, double *released);

/* A vertex, and those at the ends of a tear through it. */
#define SN_SPLITS_AT_ONCE 3u

/* Splits it, and vertices at the ends of the tear that it makes where these reach a border. tear is the event, less what is made; it is told once for each particle that
   came. */
void sn_split_apply(struct sn_world *world, sn_split *split, const sn_tear *tear, uint32_t *removed, double *released);

/* kg: what the last bit of a mass is worth. Shares that are multiples of it sum to the mass to the last bit. */
double sn_split_last_place(sn_real mass);

/* Rods that lie over triangles at some vertices, and those of them that do no longer: these are removed. */
typedef struct sn_tear_rods {
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    uint32_t count;
} sn_tear_rods;

void sn_tear_note_rods(struct sn_world *world, const uint32_t *vertex, uint32_t count, sn_tear_rods *rods);
void sn_tear_drop_rods(struct sn_world *world, const sn_tear_rods *rods, uint32_t *removed, double *released);

/* The point of a constraint that is this particle by itself becomes another one; the plan is told. */
void sn_split_replace(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t from, uint32_t to);

/* The plan is told that a constraint has other points: it is taken out of its batch and put behind all others. */
void sn_split_log(struct sn_world *world, uint32_t kind, uint32_t row);

/* A constraint becomes one of n that act side by side and together exert and store what it did. */
void sn_split_weaken(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t n);

/* One more constraint like another, with the same points; there is room. Returns its row. */
uint32_t sn_split_copy(struct sn_world *world, uint32_t kind, uint32_t row);
uint32_t sn_split_copy_untold(struct sn_world *world, uint32_t kind, uint32_t row); /* not among sn_world_tear_copies */

/* ---- tear_insert.c ----------------------------------------------------------------------------------------------------- */

/* Triangles of an edge at most, where a vertex can be inserted. */
#define SN_TEAR_SIDES 8u

/* The triangles of an edge, in the order of their numbers, and how many there are. */
uint32_t sn_tear_edge_sides(const struct sn_world *world, uint32_t p, uint32_t q, uint32_t *triangle, uint32_t most);

/* Puts a vertex on the edge from p to q, at the part t of its length, 0 to 1. Skins have gaps for the new triangles behind theirs. Its number. */
uint32_t sn_tear_insert(struct sn_world *world, uint32_t p, uint32_t q, double t, uint32_t *removed, double *released);

/* ---- tear_energy.c ----------------------------------------------------------------------------------------------------- */

/* Whether a kind has a rest length: rods, and those that keep two apart. */
bool sn_tear_has_length(uint32_t kind);

/* m: between two particles. */
double sn_tear_length(const struct sn_world *world, uint32_t a, uint32_t b);

/* m: how much longer such a constraint is than at rest; negative: shorter; 0 where it does not act. */
double sn_tear_excess(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Adds to its rest length, m. */
void sn_tear_lengthen(struct sn_world *world, uint32_t kind, uint32_t row, double by);

/* What follows from places is that of the places now. */
void sn_tear_measure(struct sn_world *world, uint32_t kind, uint32_t row);

/* Changes a constraint so that it stores no more than `most`, J; where that cannot be done it is removed, and what it had is released. */
void sn_tear_ease(struct sn_world *world, uint32_t kind, uint32_t row, double most, uint32_t *removed,
                  double *released);

/* J: of those particles that are free. */
double sn_tear_kinetic(const struct sn_world *world, const uint32_t *particle, uint32_t count);

/* Takes so much kinetic energy, J, from how some particles move beside one another; momentum and angular momentum stay. Returns what it took. */
double sn_tear_calm(struct sn_world *world, const uint32_t *particle, uint32_t count, double excess);

/* A place or velocity and what rounding leaves over of it. */
void sn_tear_set_whole(sn_vec4 *high, sn_vec4 *low, sn_dvec3 value);

/* ---- tear_solid.c ------------------------------------------------------------------------------------------------------ */

/* Whether a particle is the corner of a tetrahedron. */
bool sn_solid_has(const struct sn_world *world, uint32_t particle);

void sn_solid_init(sn_solid_cut *cut);
void sn_solid_release(sn_solid_cut *cut, const sn_allocator *allocator);

/* Finds what a blade cuts, and changes nothing; false when memory runs out. */
bool sn_solid_find(sn_solid_cut *cut);

/* Splits the vertices. There is room. */
void sn_solid_split(sn_solid_cut *cut);

/* Adds to more, by skin, the triangles that it gets; returns how many these are. */
uint32_t sn_solid_count(const sn_solid_cut *cut, uint32_t *more);

/* Adds these, behind the triangles of their skins, where there are gaps for them. */
void sn_solid_close(sn_solid_cut *cut);

/* Before a step in which solids may tear: room for that. False when memory runs out. */
bool sn_solid_reserve(struct sn_world *world);

/* Splits a vertex of tetrahedra across the way to another one, and those at the ends of that tear; tear is the event, less what is made. False if it cannot be
   split. */
bool sn_solid_tear(struct sn_world *world, uint32_t vertex, uint32_t to, const sn_tear *tear);

/* After all tears of a step: their faces become triangles of skins. */
void sn_solid_finish(struct sn_world *world);

/* ---- tear_wear.c ------------------------------------------------------------------------------------------------------- */

/* A load, as a part of the strength when new, at the end of a step. */
void sn_wear_by(sn_wear *wear, double load, sn_real fatigue);

/* Room for all rods, if there is a skin with fatigue, and so many more. False when memory runs out. */
bool sn_wear_reserve(struct sn_world *world, uint32_t more);

/* That of a rod; NULL: nothing wears. */
sn_wear *sn_wear_of(const struct sn_world *world, uint32_t kind, uint32_t row);

/* A rod that came has the wear of the one that it came from. */
void sn_wear_copy(struct sn_world *world, uint32_t kind, uint32_t from, uint32_t to);

uint64_t sn_wear_hash(uint64_t hash, const struct sn_world *world);

/* ---- tear_shape.c ------------------------------------------------------------------------------------------------------ */

bool sn_shape_is_group(uint32_t kind);

/* So many members have a shape. */
#define SN_SHAPE_LEAST 4u

/* By how much the worst member of a group is off, in parts of the radius; 0 if that does not exist. */
double sn_shape_strain(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Before a step, for every group that may tear: room for that. False when memory runs out. */
bool sn_shape_reserve(struct sn_world *world, uint32_t kind, uint32_t row);

/* A cut has brought triangles since; none is torn yet. There is room. */
void sn_shape_follow_gaps(struct sn_world *world);

/* The worst member and what is off as it is leave a group, unless the caller refuses. tear is the event, less what is said of members. True: too few are left, and the group is to be
   removed. */
bool sn_shape_part(struct sn_world *world, sn_constraint group, sn_tear *tear);

/* Members that leave_table names leave a group, unless the caller refuses: then false. Where fewer than four would be left, these stay in the list, and the group is to be
   removed. */
bool sn_shape_leave(struct sn_world *world, sn_constraint group, sn_tear *tear);

/* After all groups of a step, or a cut: triangles of skins that have parted go. */
void sn_shape_finish(struct sn_world *world);

/* ---- tear_cut_shape.c -------------------------------------------------------------------------------------------------- */

/* What a blade does to groups of shape matching. */
typedef struct sn_shape_cut {
    struct sn_world *world;
    const void *blade;
    bool (*crosses)(const void *blade, sn_dvec3 x, sn_dvec3 y); /* it passes between two places */
    bool (*may_cut)(const struct sn_world *world, const void *blade, uint32_t particle);
    sn_dvec3 low, high; /* around it */

    sn_table group_table;   /* groups that part, */
    sn_table label_table;   /*   and the part of each of their members: the number of its first one */
    sn_table near_table;    /* scratch, of double */
    sn_table pair_table;    /* of sn_sort_item: members that it parts, and scratch for these */
    uint32_t left, removed; /* members and groups */
} sn_shape_cut;

void sn_shape_cut_init(sn_shape_cut *c);
void sn_shape_cut_release(sn_shape_cut *c, const sn_allocator *allocator);

/* Finds what it does, and makes room; false when memory runs out. Then does it. */
bool sn_shape_cut_find(sn_shape_cut *c);
void sn_shape_cut_part(sn_shape_cut *c);

/* Bytes of a pair that a blade has parted; and adds these to a hash. */
uint32_t sn_severed_width(void);
uint64_t sn_severed_hash(uint64_t hash, const struct sn_world *world);

#endif
