/* Contact of surfaces with themselves and with each other: skins that say self_collision. Scratch of a step, never state: what is kept from
   step to step only saves looking again, and no result depends on it.

   Four levels, each a part of the one before:

       features     vertices, edges and triangles of such skins, made when skins are edited            surface_topology.c
       candidates   pairs (vertex, triangle) and (edge, edge) whose boxes touch; searched for when     surface_broad_phase.c
                    a vertex has left the box in which it was expected
       near         candidates that were looked at in this substep: by how far they were apart when    surface_narrow_phase.c
                    last looked at, and how far vertices have come since, others cannot meet
       contacts     those that may touch in this substep: solved after every pass                      surface_solve.c

   And at the end of every substep the guard: surface_guard.c. */
#ifndef SN_CONTACT_SURFACE_CONTACTS_H
#define SN_CONTACT_SURFACE_CONTACTS_H

#include "base/dvec.h"
#include "base/memory.h"
#include "collision/bvh.h"
#include "contact/skin_contacts.h"

#define SN_SURFACE_NONE    UINT32_MAX
#define SN_SURFACE_COLOURS 64u

/* Pairs of one skin are seen from the mean of its vertices, pairs of two from the mean of all: so that things which move together do not move. Pairs of features
   all of whose vertices are at most four edges from each other are also seen from their neighbours: a vertex moves by how far it moves against
   those that are at most two edges away, so that a cloth which turns, swings and bends hardly moves at all. */
enum { SN_SURFACE_OWN, SN_SURFACE_ALL, SN_SURFACE_VIEWS, SN_SURFACE_LOCAL = SN_SURFACE_VIEWS, SN_SURFACE_MEASURES };

typedef struct sn_surface_vertex {
    uint32_t number, slot;              /* of the particle */
    uint32_t skin;                      /* row in skin_table here; a particle of two skins counts to the first */
    uint32_t triangle;                  /* that owns it */
    sn_vec3 start;                      /* m: where this substep began */
    sn_vec3 end;                        /*   and where it leads */
    sn_vec3 way;                        /* what spreads are measured of, */
    sn_real spread;                     /*   and how much it differs from the neighbours' at most */
    float share;                        /* of its way that it goes, as of the last round of the guard */
    bool shortened;                     /*   in which it became less */
    sn_real speed[SN_SURFACE_MEASURES]; /* m/s: when the substep began */
    sn_bounds box[SN_SURFACE_VIEWS];    /* where it was expected when candidates were looked for */
    sn_real path[SN_SURFACE_MEASURES];  /* m: so far it has come since then, up to the start of this substep */
    sn_real ahead[SN_SURFACE_MEASURES]; /* m: and in it, as of its end */
} sn_surface_vertex;

typedef struct sn_surface_triangle {
    uint32_t vertex[3];
    uint32_t edge[3]; /* from vertex i to vertex i + 1 */
    uint32_t skin;
    uint32_t owns; /* bits 0 to 2: vertices, 3 to 5: edges that no triangle before it has */
} sn_surface_triangle;

typedef struct sn_surface_edge {
    uint32_t vertex[2];
    uint32_t across
        [2]; /* the third vertices of its triangles; SN_SURFACE_NONE: there is no such triangle. Of more than two the first two */
    uint32_t triangle; /* that owns it */
} sn_surface_edge;

typedef struct sn_surface_skin {
    uint32_t row;                    /* in the world's table of skins */
    uint32_t first, count;           /* triangles */
    uint32_t first_vertex, vertices; /* those that count to it */
    sn_real thickness;               /* m */
    sn_real edge;                    /* m: mean length, when the topology was made */
    uint32_t group;                  /* of its particles: that of the first */
    sn_dvec3 mean, velocity;         /* m, m/s: of its vertices when the substep began */
    sn_dvec3 end;                    /* m: of its vertices at the end of the substep */
    sn_bounds reach;                 /* of all its boxes, seen from the mean of all */
} sn_surface_skin;

/* A pair of features that may meet: a vertex and a triangle, or two edges. */
typedef struct sn_surface_candidate {
    uint32_t vertex[4];      /* the vertex and the corners; or the ends of one edge, then of the other */
    uint32_t one, other;     /* the vertex and the triangle; or the edges */
    uint32_t triangle, pair; /* it comes from these two triangles, the first of which looked for the other */
    sn_real reach;           /* m: nearer than this they push each other */
    sn_real thickness;       /* m: of both */
    sn_real clear;           /* m: at least so far they were apart when they were last looked at, and */
    sn_real path[4];         /*   its vertices had come so far then */
    uint8_t view;            /* SN_SURFACE_OWN or SN_SURFACE_ALL */
    uint8_t measure;         /* by which its vertices' paths count: view, or SN_SURFACE_LOCAL; see surface_measure */
    bool edges;
    bool sorted;        /* which of them was asked */
    bool rested;        /* reach is that of the rest shape */
    bool asked, joined; /* whether a constraint joins the two, which are of two skins, was asked; it does */
} sn_surface_candidate;

/* Two that may touch in this substep, by the spots that are nearest as it begins, and the direction between these. */
typedef struct sn_surface_contact {
    uint32_t slot[4];
    uint32_t colour;
    sn_real weight[4];      /* of the four, with signs: the sum of weight times place is from the other to the one */
    sn_vec3 normal;         /* the same way, length 1 */
    sn_real reach;          /* m */
    sn_real give;           /* 1/kg: inverse mass of the pair */
    sn_real normal_impulse; /* m: as in wide/contact.h */
    sn_vec3 tangent_impulse;
    sn_real hold, drag; /* friction */
    sn_real restitution;
    sn_real before; /* m/s: along the normal, before the substep */
} sn_surface_contact;

typedef struct sn_surfaces {
    bool on;              /* in this step there are some */
    bool joined;          /* some particles are in two of the skins: all skins then share one mean */
    uint64_t edits;       /* of the contact world, when features were made */
    sn_table index_table; /* of uint32_t, by particle number: 1 + its vertex; 0: none */
    sn_table
        vertex_table; /* of sn_surface_vertex; of atomic_uint: what share of its way it goes, the bits of a float */
    sn_table triangle_table; /* of sn_surface_triangle; of two sn_bounds: where it is expected, as of its vertices */
    sn_table edge_table;     /* of sn_surface_edge; of two sn_bounds, as of triangles */
    sn_table ring_start_table,
        ring_table;      /* of uint32_t: for each vertex, and one more, where its neighbours begin; those */
    sn_table sort_table; /* of sn_sort_item, twice: for making features */
    sn_table skin_table; /* of sn_surface_skin */
    sn_table tree_table; /* of sn_bvh, by skin, twice: its boxes seen from its mean, and in the world */
    uint32_t trees;      /* so many of them were initialised */
    sn_table
        candidate_table; /* of sn_surface_candidate, now and, last, before the search; of sn_real, m: when to look at it again, see surface_due */
    sn_table
        piece_table; /* of uint32_t, by piece of triangles: where its candidates begin, how many have room, how many there are */
    bool searched;                /* candidates are those of the features, as of boxes */
    sn_dvec3 mean, velocity, end; /* m, m/s: of all vertices, as those of a skin */
    double path
        [SN_SURFACE_MEASURES]; /* m: so far the fastest vertex of each substep since the search has come, added up */
    sn_real speed[SN_SURFACE_MEASURES]; /* m/s: of the fastest in this one */
    sn_table mark_table;    /* of uint32_t, by vertex: the number of the last search around a vertex that came by */
    uint32_t marks;         /* so many were made */
    sn_table near_table;    /* of uint32_t: candidates that are near in this substep */
    sn_table contact_table; /* of sn_surface_contact: by colour, and as they were found */
    sn_table colour_table;  /* of uint64_t, by slot */
    uint32_t colour_start[SN_SURFACE_COLOURS + 2];
    uint64_t searches, looks, rounds, stops,
        forced; /* counts, for tests and measurements: of looks at levels; of vertices that the guard stopped; and
                                                  of pairs that things which nothing stops drove into each other */
} sn_surfaces;

struct sn_world;

void sn_surfaces_init(sn_surfaces *surfaces);
void sn_surfaces_release(sn_surfaces *surfaces, const sn_allocator *allocator);

/* When a step begins. SN_ERROR_MEMORY; nothing has changed then. */
sn_result sn_surfaces_find(struct sn_world *world, sn_real dt);

/* Whether a particle is a vertex of such a skin, and a skin is one; once they are found. */
bool sn_surfaces_has(const struct sn_world *world, uint32_t number);

/* Around the passes of a substep, as in particle_contacts.h. False: lost tasks, or contacts.failed. */
bool sn_surfaces_begin(struct sn_world *world, sn_real h);
bool sn_surfaces_pass(struct sn_world *world, sn_real h, sn_real part, sn_real ease);
bool sn_surfaces_bounce(struct sn_world *world, sn_real h, sn_real bounce_above);

/* The guard: nothing that was apart when the substep began intersects when it ends. After everything else. */
bool sn_surfaces_guard(struct sn_world *world, sn_real h);

/* Integrators that look back start anew with vertices that were pushed or stopped. */
void sn_surfaces_forget(struct sn_world *world);

/* ---- Shared by the levels ------------------------------------------------------------------------------------------- */

static inline sn_surface_vertex *surface_vertices(const sn_surfaces *s)
{
    return s->vertex_table.column[0];
}

static inline sn_surface_triangle *surface_triangles(const sn_surfaces *s)
{
    return s->triangle_table.column[0];
}

static inline sn_surface_edge *surface_edges(const sn_surfaces *s)
{
    return s->edge_table.column[0];
}

static inline sn_surface_skin *surface_skins(const sn_surfaces *s)
{
    return s->skin_table.column[0];
}

static inline sn_surface_candidate *surface_candidates(const sn_surfaces *s)
{
    return s->candidate_table.column[0];
}

/* With one skin there are no pairs of two. */
static inline int surface_views(const sn_surfaces *s)
{
    return s->skin_table.count > 1 ? SN_SURFACE_VIEWS : 1;
}

/* m: of the path of the fastest: a candidate need not be looked at before. */
static inline sn_real *surface_due(const sn_surfaces *s)
{
    return s->candidate_table.column[1];
}

/* The measure of a candidate, beside surface_due. */
static inline uint8_t *surface_measure(const sn_surfaces *s)
{
    return s->candidate_table.column[3];
}

/* surface_topology.c: makes features anew if skins were edited; false when memory runs out. */
bool sn_surfaces_make(struct sn_world *world);

/* surface_broad_phase.c: when a substep begins, where its vertices are, and how far they have come; the same at its end; whether every vertex is where it
   was expected, at the start and after h more, or at the ends; and candidates, for some time to come. */
void sn_surfaces_measure(struct sn_world *world);
void sn_surfaces_measure_ends(struct sn_world *world);
void sn_surfaces_stand_still(sn_surfaces *s); /* the same, but that views stay where they were at the start */
bool sn_surfaces_stay(const struct sn_world *world, sn_real h, bool ends);
bool sn_surfaces_search(struct sn_world *world, sn_real h, bool ends);

/* Whether the boxes of the two touch, with what their velocities add in a substep of h. */
bool sn_surface_may_meet(const struct sn_world *world, const sn_surface_candidate *c, sn_real h);

/* m: how much nearer the two may have come since they were last looked at, up to the start of this substep, or its end. */
sn_real sn_surface_closer(const sn_surfaces *s, const sn_surface_candidate *c, bool ends);

/* surface_topology.c: whether all vertices of the one are at most four edges from all of the other. */
bool sn_surface_is_local(sn_surfaces *s, const sn_surface_candidate *c);

/* The reach of a pair that is near: by its rest shape. */
void sn_surface_take_reach(const struct sn_world *world, sn_surface_candidate *c);

/* Whether a constraint joins two of different skins: then they are left alone. */
bool sn_surface_is_joined(const struct sn_world *world, sn_surface_candidate *c);

/* surface_narrow_phase.c: the nearest spots of a pair, with places of its four vertices: their distance (never too large by more than rounding), weights as in
   sn_surface_contact, and whether the pair is the one that stands for what is nearest: not a neighbour's business. */
typedef struct sn_surface_spots {
    double distance;
    double weight[4];
    sn_dvec3 apart; /* from the other to the one */
    uint32_t
        inner; /* vertex and triangle: 0 inside, 1 to 3 on an edge, 4 to 6 in a corner; edges: 0 inside both, 1 not */
} sn_surface_spots;

sn_surface_spots sn_surface_nearest(bool edges, const sn_dvec3 x[4]);

#endif
