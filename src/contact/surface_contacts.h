/* Contact of surfaces with themselves and with each other: skins that say self_collision. Scratch of a step, never state: what is kept here from
   step to step only saves looking again, and no result depends on it. What contacts carry is state, and is with the contact world: surface_memory.c.

   Five levels, each a part of the one before:

       features     vertices, edges and triangles of such skins, made when skins are edited            surface_topology.c
                    and of bodies, which are there where skins come near them                          surface_shells.c
       tiles        some seventy triangles, or segments, that hang together, and how they move             surface_tiles.c, surface_looks.c
                    what a tear does not affect is kept, and what is known of pairs of these           surface_follow.c
       pairs        of tiles whose boxes come near each other, a tile with itself among them           surface_tiles.c
       candidates   (vertex, triangle) and (edge, edge) of a pair that are near; listed again when     surface_pairs.c,
                    others may have come near; not where a surface is smooth                           surface_listing.c, surface_sweeps.c, surface_smooth.c
       contacts     those that may touch in this substep: solved after every pass                      surface_narrow_phase.c,
                                                                                                       surface_solve.c

   What a surface costs that touches nothing is a look at each of its vertices when a substep begins and when it ends, and a few numbers for each pair of
   tiles. And at the end of every substep comes the guard: surface_guard.c. */
#ifndef SN_CONTACT_SURFACE_CONTACTS_H
#define SN_CONTACT_SURFACE_CONTACTS_H

#include "base/dvec.h"
#include "base/memory.h"
#include "base/sort.h"
#include "collision/bvh.h"
#include "collision/pose.h"
#include "contact/skin_contacts.h"
#include "wide/wide.h"

#include <sinew/contact.h>

#define SN_SURFACE_NONE    UINT32_MAX
#define SN_SURFACE_COLOURS 64u
#define SN_SURFACE_HOOD    32u
#define SN_TILE_TRIANGLES  96u /* at most */
#define SN_TILE_CORNERS    64u /* at most: a bit of a word for each */

typedef struct sn_surface_vertex {
    uint32_t number, slot; /* of the particle */
    uint32_t skin;         /* row in skin_table here; a particle of two skins counts to the first */
    uint32_t triangle;     /* that owns it; SN_SURFACE_NONE: it has segments alone, */
    uint32_t edge;         /*   of which this is the first; otherwise the first edge of all */
    uint32_t piece;        /* of what hangs together; see surface_energy.c */
    bool joined;           /* a constraint joins it to one of another skin */
    uint32_t strand;       /* 1 + that of a chain of segments that it is on; 0: none */
    sn_real arc, around;   /* m: its place along that, and how long the chain is if it is closed; otherwise 0 */
} sn_surface_vertex;

/* Where a vertex is. */
typedef struct sn_surface_motion {
    sn_vec3 start;    /* m: where this substep began */
    sn_vec3 velocity; /* m/s: then */
    sn_vec3 end;      /* m: where the substep leads */
    float
        share;  /* of what its way differs from that of its zone: it goes so much, as of the last round of the guard; */
    float next; /*   and in the next one. 1: it is in no zone */
    bool led;   /* nothing pushes it */
    bool hit;   /* it is of a pair that touched in this round */
    bool marked;     /* its velocity is another one than it had in the last substep */
    bool changed;    /* its end became another one in the last round, or it was hit */
    bool jumped;     /* it is not where the substep before ended */
    uint8_t tangled; /* bits: it is of an edge and a triangle that cross, see surface_tangles.c */
    uint8_t suspect; /* bits, until tangles are looked for: see surface_tangles.c */
} sn_surface_motion;

/* What is known of a vertex when features are made anew after a tear, by particle number. */
typedef struct sn_surface_past {
    sn_vec3 end; /* m */
    bool there, tangled, joined;
    uint8_t suspect;
} sn_surface_past;

/* Vertices and dynamic bodies that the guard stops together; by the vertex that it is numbered by, or, behind all
   vertices, the first shell of a body. What is above is as the substep begins. */
typedef struct sn_surface_zone {
    uint32_t parent;                       /* one of its zone, in the end that which numbers it */
    bool led;                              /* it touches what is led, */
    const struct sn_surface_shell *leader; /*   all of which is of one body, of which this is a shape; otherwise NULL */
    bool bodies;                           /* some are of it */
    bool still;                            /* it stays where it is */
    double mass;                           /* kg */
    sn_dvec3 centre;                       /* m */
    sn_dvec3 way, turn;
    sn_dvec3 velocity, spin;
    double inertia[6]; /* kg m^2: xx, yy, zz, xy, yz, zx */
    double q[4];       /* how it turns, exactly, about this place: of zones with a leader or with bodies */
    sn_dvec3 hub;      /* m */
    float share;       /* the least of its members */
} sn_surface_zone;

/* Vertices that constraints join, and those that touch these: what energy they have. Sums are in the first of those that touch. */
typedef struct sn_surface_piece {
    bool open;            /* constraints join it to what is no vertex, and moves; or hold a body of it */
    bool left;            /* in this substep it is, or something of it touches what is of no piece and moves */
    bool touches;         /* something in this substep */
    bool held;            /* an immovable vertex is of it */
    bool asks;            /* it has gained energy */
    bool cloth, bodies;   /* vertices are of it that move, and bodies that do */
    uint32_t pushes, far; /* contacts that push, and those of them that pushed far in the last pass */
    double mass;          /* kg; */
    double driven_mass;   /*   without bodies */
    double before;        /* J: kinetic, as the substep begins, */
    double kinetic;       /*   and as it ends; */
    double within;        /*   of that, what is not as in something rigid */
    double work;          /* J: of forces */
    double released;      /* J: by constraints that give */
    double driven;        /* m^2/s^2: how fast something drives it */
    double share;         /* that is left of the motion within */
    sn_surface_zone rigid;
} sn_surface_piece;

/* A vertex that is led, and one that it touches. */
typedef struct sn_surface_led {
    uint32_t zone, vertex;
} sn_surface_led;

typedef struct sn_surface_triangle {
    uint32_t vertex[3];
    uint32_t edge[3]; /* from vertex i to vertex i + 1 */
    uint32_t skin;
    uint32_t owns; /* bits 0 to 2: vertices, 3 to 5: edges that no triangle before it has */
} sn_surface_triangle;

/* Where something is in the plane of a flat rest shape; see surface_smooth.c. m */
typedef struct sn_surface_place {
    sn_real x, y;
} sn_surface_place;

typedef struct sn_surface_rectangle {
    sn_surface_place low, high;
} sn_surface_rectangle;

/* A triangle there: its tile, which one of that it is, and by what its two sides make its deformation gradient. */
typedef struct sn_surface_sheet {
    uint32_t tile, place; /* of all triangles, those that are not flat, too */
    uint32_t goes_on;     /* bits, by side: across it lies one other triangle */
    sn_real inverse[4];   /* 1/m */
} sn_surface_sheet;

typedef struct sn_surface_edge {
    uint32_t vertex[2];
    uint32_t across
        [2]; /* the third vertices of its triangles; SN_SURFACE_NONE: there is no such triangle. Of more than two the first two */
    uint32_t triangle; /* that owns it; SN_SURFACE_NONE: a segment */
    bool flat;         /* of a shell: within a face */
} sn_surface_edge;

/* The plane of a flat rest shape. */
typedef struct sn_surface_plane {
    sn_dvec3 origin, axis[3];
    double step; /* m: of the grid in it */
} sn_surface_plane;

typedef struct sn_surface_skin {
    uint32_t row;                    /* in the world's table of skins */
    uint32_t shell;                  /* 1 + which shell it is; 0: it is a skin */
    uint32_t first, count;           /* triangles */
    uint32_t first_edge, segments;   /* edges that are segments */
    uint32_t first_vertex, vertices; /* of a shell */
    sn_real thickness;               /* m */
    sn_real edge;                    /* m: mean length, when the topology was made */
    bool flat;                       /* its rest shape is, in this plane; */
    sn_surface_plane plane;
    sn_real lost;   /* m: by so much distances in that are off */
    uint32_t group; /* of its particles: that of the first */
} sn_surface_skin;

/* A shape of a body, as surfaces see it; see surface_shells.c. */
typedef struct sn_surface_shell {
    uint32_t skin;              /* its row in skin_table */
    uint32_t number;            /* of the fixed shape; SN_SURFACE_NONE: it is a part of a dynamic body: */
    uint32_t row, part;         /* that body, and which of all parts */
    uint32_t first;             /* the first shell of that body */
    uint32_t first_tile, tiles; /* in tile_table */
    bool near;                  /* its corners are where it is */
    sn_pose start, end;         /* where they are */
    /* of the first shell of a body that something is near, in a substep: */
    uint32_t slot;      /* of its particle */
    sn_real inverse[6]; /* 1/(kg m^2): of its inertia, in the world: xx, yy, zz, xy, yz, zx */
    sn_vec3 spin;       /* rad/s: as the substep begins, */
    sn_vec3 twist;      /*   and what contacts added to that */
} sn_surface_shell;

/* Where a body is: its centre, what rounding left of that, and its orientation. */
typedef struct sn_surface_stand {
    sn_vec4 x, low;
    double q[4];
} sn_surface_stand;

/* A dynamic body in a substep, by its first shell; see surface_members.c. */
typedef struct sn_surface_member {
    sn_surface_stand start, end; /* as the substep begins, and where it leads */
    uint32_t slot;               /* of its particle */
    bool moves;                  /* it is not led */
    sn_vec3 velocity;            /* m/s: as the substep begins, */
    double momentum[3];          /*   and as sn_body_state.l */
    float share, next;           /* as those of sn_surface_motion */
} sn_surface_member;

/* How much shells add to features. */
typedef struct sn_surface_shells_size {
    uint32_t shells;
    uint64_t vertices, triangles, edges;
} sn_surface_shells_size;

/* Vectors at the corners of a tile, velocities or ways, as those of something rigid and a rest: at x it is mean + spin × (x - centre), and no corner is farther from that than rest. */
typedef struct sn_surface_rigid {
    sn_vec3 mean, spin;
    sn_real rest;
    sn_real spread; /* no corner's differs from the mean by more */
} sn_surface_rigid;

/* A piece of a skin. Its axes are sums of its corners with fixed weights, so that they turn with it. */
typedef struct sn_surface_tile {
    uint32_t skin;
    uint32_t first_triangle, triangles; /* in tile_triangle_table */
    uint32_t first_vertex, vertices;    /* that it owns: in tile_vertex_table */
    uint32_t first_edge, edges;         /* that it owns: in tile_edge_table */
    uint32_t first_corner, corners;     /* all vertices of its triangles: in corner_table */
    /* as a substep begins: */
    sn_bounds box; /* m: of its corners */
    sn_bounds
        fat; /* m: where it is expected, seen from the mean of all vertices; half of the thickness is part of it */
    sn_vec3 centre; /* m: mean of the corners */
    sn_real radius; /* m: no corner is farther from it */
    sn_vec3 axis[3];
    sn_real length, along,
        across; /* of the sums: that of the first, and parts of the second along the first two axes; 0: they make no axes */
    sn_vec3 u, v;              /* those sums, and */
    sn_surface_rigid velocity; /* m/s */
    /* as it ends: */
    sn_surface_rigid way; /* m */
    sn_bounds ends;       /* m: of where corners end */
    sn_vec3 du, dv;       /*   by how much they change */
    sn_real astray;       /* m: no corner ends farther from where its velocity led, if that matters: */
    bool strays;          /*   pairs of the tile are listed by velocities, for one substep */
    /* while features are listed: */
    bool sweeps;               /* it is of a pair that goes far: */
    uint32_t first_sweep;      /*   where its features are in sweep_table, */
    sn_bounds leads, ways;     /* m:  where its corners go, and how far */
    sn_surface_rectangle rest; /* m: where it is in a flat rest shape, */
    sn_real height;            /* m:  and the least height of its triangles there */
    bool asked;                /* what follows is wanted: */
    sn_real least[6], most[6]; /* of the numbers of deformation gradients */
    bool led;                  /* all its corners are: two like that are left alone */
    bool off;                  /* of a shell that nothing is near: it is left alone */
    bool changed;              /* that of a corner changed in the last round of the guard */
    bool jumped;               /* some corner; not known where nothing jumped, or the tile is of a shell */
    uint8_t suspect;           /* what some corner is; see sn_surface_motion */
} sn_surface_tile;

#define SN_SURFACE_QUIET_MORE 16u /* vertices behind the last that can be read */

/* What is known of a tile while nothing is near anything; see surface_quiet.c. */
typedef struct sn_surface_quiet_tile {
    sn_real away;   /* m: no corner is farther from where it was expected, now, */
    sn_real before; /*   and where that was looked at last and all was quiet */
    sn_real astir;  /* m/s: no velocity differs more from what it was */
} sn_surface_quiet_tile;

/* And of two tiles, as it began. */
typedef struct sn_surface_quiet_pair {
    uint32_t a, b;
    sn_real spare
        [2]; /* m: features that share no corner are farther apart than their reach by so much: those that are near each other when they are listed, and the others; */
    sn_real nearer[2]; /* m/s: so fast these come nearer at most, turning together left aside, */
    sn_real differ;    /* m/s:   no two velocities differ by more, */
    sn_real turn;      /* rad/s: and so fast the first tile turns */
} sn_surface_quiet_pair;

typedef struct sn_surface_quiet {
    bool on;               /* what is known holds as long as vertices go on like that, */
    bool held;             /*   and it does in this substep */
    bool deep;             /* it did in the last one: lists reach far, so that it will again */
    uint32_t waits, tried; /* substeps until it is tried again; how long that was, the last time */
    uint32_t lasted;       /* substeps so far */
    sn_real time;          /* s: since then, as the substep begins */
    sn_table
        vertex_table; /* of sn_vec4: where they are, what rounding left over, and velocities, as the substep begins; where they ended; places and velocities as it began; of sn_real: see wide/wide.h; of uint32_t: slots; with a few more behind the last */
} sn_surface_quiet;

/* Two tiles that are near each other, or one with itself. Distances less their reach are called spare. When features are listed and looked at it is noted what they have, and
   it is less by no more than the two have come nearer since: `moved` adds that up. */
typedef struct sn_surface_pair {
    uint32_t a, b;
    uint32_t first, count, room; /* candidates, and for how many there is room */
    uint32_t touches;            /* of them are contacts of this substep */
    bool listed;                 /* candidates are there */
    bool asked;                  /* they are to be listed anew */
    bool due_now;                /* some of them are to be looked at */
    uint8_t depth;               /* how far it reaches then, see surface_listing.c */
    bool deep;                   /* what is listed is all that is of use for surface_quiet.c */
    bool swept;                  /* they are those that may touch in this substep, */
    sn_real margin;              /* m: if no corner ends farther from where its velocity leads */
    uint64_t border;             /* corners of b that were near a when they were listed, */
    uint64_t rest_border;        /*   and those that are in the rest shape */
    uint32_t hoods,
        waits; /* tiles around the two in the rest shape, 0: not known, or as surface_smooth.c has it; so many */
    uint32_t hood[SN_SURFACE_HOOD]; /*   lists until it is tried again whether they are smooth */
    double moved, turned;           /* m: since they were listed: what is near; everything */
    sn_real step, all_step;         /* m: the same in this substep */
    sn_real next;    /* m: what is near and not listed had at least so much to spare when they were listed; */
    sn_real others;  /*   and what is not near */
    sn_real due;     /* m: those that are listed have so much, with what the two had moved when they were looked at; */
    sn_real waiting; /*   and those of them that were not looked at in this substep */
    sn_real wanted;  /* m: what has more to spare cannot touch in this substep; */
    sn_real all_wanted; /*   and so it is of all, not only of what was near, where they are to be listed anew */
    sn_real nearest;    /* m: least distance of those that were looked at in this substep */
    sn_real gap;        /* m: between their boxes, where nothing is listed */
} sn_surface_pair;

/* A pair of features that may touch: a vertex and a triangle, or two edges. */
typedef struct sn_surface_candidate {
    uint32_t vertex[4];  /* the vertex and the corners; or the ends of one edge, then of the other */
    uint32_t one, other; /* the vertex and the triangle; or the edges */
    sn_real reach;       /* m: nearer than this they push each other; rough: or less; see sn_surface_reach */
    bool edges;
    bool segments; /* edges, one of which is a segment at least */
    bool rough;
} sn_surface_candidate;

/* Two that may touch in this substep, by the spots that are nearest as it begins, and the direction between these. */
typedef struct sn_surface_contact {
    uint32_t vertex[4], slot[4];
    uint32_t one, other; /* as in the candidate */
    bool edges;
    bool rope;   /* one of the two is a segment, or of one */
    bool loaded; /* of a rope that carries a heavy load: solved together with its rods, see surface_loads.c */
    uint32_t colour;
    sn_real weight[4]; /* of the four, with signs: the sum of weight times place is from the other to the one */
    sn_real own[4];    /* the same of those that are particles, which have slots; 0: a corner of a shell */
    struct sn_surface_shell *shell; /* the other one, or the one; NULL: both are of skins */
    struct sn_surface_shell *body;  /* the first shell of that, if it is of a body that moves; otherwise NULL */
    sn_real side;                   /* with which its spot counts: 1 or -1; 0: there is none */
    sn_vec3 spot,
        drift; /* m: where that is as the substep ends; m/s: how it moves; of a body that moves as the substep begins, seen from its centre */
    sn_vec3 normal;         /* the same way, length 1 */
    sn_real reach;          /* m */
    sn_real give;           /* 1/kg: inverse mass of the pair along the normal; */
    sn_real rubs;           /*   of that across it at most: 1, unless a body turns */
    sn_real normal_impulse; /* m: as in wide/contact.h */
    sn_real known;          /* m: what that was before the last pass */
    sn_vec3 tangent_impulse;
    sn_friction friction;
    sn_vec3 belt;   /* m/s: how the surface of the other runs; see sn_contact */
    sn_real before; /* m/s: along the normal, before the substep */
    sn_real throws; /* m/s: what a bounce added */
} sn_surface_contact;

/* An edge that passes through a triangle; see surface_tangles.c. */
typedef struct sn_surface_tangle {
    uint32_t vertex[5]; /* ends, then corners */
    sn_real weight[5];  /* of the spot where they cross: those of corners are negative */
    sn_real give;       /* 1/kg: inverse mass of both */
    uint32_t edge, triangle;
    sn_vec3 way;   /* length 1: in which the edge is to move against the triangle, */
    sn_real speed; /* m/s: so fast at least */
    sn_real h;     /* s: of the substep */
} sn_surface_tangle;

/* What a contact did in a substep, for events. */
typedef struct sn_surface_told {
    sn_contact_pair pair;
    sn_vec3 point, normal;
    sn_real impulse, impact; /* N s, m/s */
} sn_surface_told;

/* The weights and the normal of a candidate that is a contact. */
typedef struct sn_surface_touch {
    uint32_t candidate;
    sn_real weight[4];
    sn_vec3 normal;
} sn_surface_touch;

/* For following a tear; see surface_follow.c. */
typedef struct sn_surface_before {
    uint32_t vertices, triangles, edges, shell_vertices, shell_triangles, shell_edges;
    sn_table change_table;  /* of uint32_t: triangles that are new or have other corners, as they are numbered now */
    sn_table marked_table;  /* of uint32_t: vertices that such triangles have or had */
    sn_table loose_table;   /* of uint32_t: edges that such triangles had */
    sn_table touched_table; /* of uint32_t: triangles that have a marked vertex; of sn_surface_triangle: before that */
    sn_table skin_table; /* of uint32_t, twice, by skin, and one more: its first triangle, as it is now and as it was */
    sn_table ring_start_table, ring_table, tile_table, tile_triangle_table, tile_vertex_table, tile_edge_table,
        corner_table;    /* as those of sn_surfaces */
    sn_table next_table; /* of uint32_t, by triangle: the next that came to the same tile */
    sn_table
        kept_table; /* of uint32_t, by tile before: the tile that it is now, or SN_SURFACE_NONE: it is cut anew; and the first triangle that came to it */
} sn_surface_before;

typedef struct sn_surfaces {
    bool on;    /* in this step there are some; */
    bool alone; /*   and all skins are of them, and all particles: no other contact of particles and skins is there */
    uint64_t edits;                    /* 1 + those of the contact world, when features were made; 0: never */
    uint64_t tears;                    /*   and those of them that were tears */
    uint64_t topology;                 /*   and the number of the topology of skins */
    uint32_t own_triangles, own_edges; /* of skins; edges without segments */
    bool torn;      /* some skin was torn or cut: the order of contacts is that of features, and tiles may be any */
    uint64_t joins; /* 1 + those of the constraints, when candidates of two skins were listed; 0: never */
    sn_table index_table; /* of uint32_t, by particle number: 1 + its vertex; 0: none */
    sn_table
        vertex_table; /* of sn_surface_vertex; of sn_surface_motion; of uint32_t, of uint8_t: for making tiles; of sn_real, m/s: how fast it is against the mean of all, or more; of sn_vec3, m: what rounding left over of where the substep began */
    sn_table
        triangle_table; /* of sn_surface_triangle; of three uint32_t: the triangles across its edges, or SN_SURFACE_NONE; three of uint32_t: for making tiles */
    sn_table edge_table; /* of sn_surface_edge; two of uint32_t: for making tiles of segments */
    sn_table held_table; /* of uint8_t, by segment of the world: it counts */
    sn_table ring_start_table,
        ring_table; /* of uint32_t: for each vertex, and one more, where its neighbours begin; those, and edges to them */
    sn_table sort_table;              /* of sn_sort_item, twice: for making features */
    sn_table skin_table;              /* of sn_surface_skin; behind the last those of shells */
    sn_table shell_table;             /* of sn_surface_shell; of sn_surface_member */
    sn_table shell_corner_table;      /* of sn_vec3, m: corners of shells, in the frames of their shapes */
    sn_table body_table;              /* of uint32_t, by row: 1 + the first shell of a dynamic body; 0: none */
    uint32_t all_vertices, all_skins; /* with those of shells, which are behind the others */
    sn_bounds reached;                /* m: in which vertices were looked at in this substep, when shells were chosen */
    sn_table tile_table; /* of sn_surface_tile; of sn_bounds: fat, for the tree; of sn_surface_quiet_tile */
    sn_table tile_triangle_table, tile_vertex_table,
        tile_edge_table; /* of uint32_t: features; of 3, 1 and 2 uint8_t: which corners of the tile they have */
    sn_table
        corner_table; /* of uint32_t: a vertex; of sn_vec3: where it was in the frame when the tile was noted; of two sn_real: its weights for the axes */
    sn_bvh tree;      /* of tiles */
    uint32_t tree_age;
    bool rubbed;             /* what contacts rubbed by before is there, in this substep */
    bool searched;           /* pairs are those of the tiles */
    bool ended;              /* tiles are as the last substep of the same step ended */
    sn_dvec3 mean, velocity; /* m, m/s: of all vertices, as the substep begins */
    sn_dvec3 end;            /* m: as it ends */
    sn_real jump;            /* m: no vertex is farther from where the substep before ended */
    sn_table pair_table;     /* of sn_surface_pair: by a, then b; of sn_surface_quiet_pair */
    sn_table found_table;    /* the same, for a search */
    sn_table
        candidate_table; /* of sn_surface_candidate, pair by pair, with gaps; count: where the last ends; of sn_real, m: at least so much they had to spare, and what the pair had moved, when they were looked at */
    sn_table moved_table; /* the same, for closing gaps */
    sn_table touch_table; /* of sn_surface_touch: those of a pair begin where its candidates do */
    sn_table list_table;  /* the same: for each worker, what it lists */
    uint32_t list_room;   /* for each of them */
    sn_table sweep_table; /* of rows for 16 features: boxes around their ways; see surface_sweeps.c */
    sn_table due_table;   /* of uint32_t, by pair: those to be listed or looked at */
    sn_table
        near_table; /* of uint32_t: candidates that the guard looks at; of sn_real, m: at least so far they are apart as the substep begins; of float: when they touch */
    sn_table zone_table; /* of sn_surface_zone, by vertex; empty: there is none */
    sn_table led_table;  /* of sn_surface_led */
    sn_table
        piece_table; /* of sn_surface_piece; of uint32_t: which others it is one with, or, by vertex, for finding pieces */
    sn_table
        stored_table; /* by constraint: of uint32_t: its piece, or SN_SURFACE_NONE; of double, J and m^2/s^2: what it stores and how fast it pulls; the same as the substep began */
    bool is_stored;   /* that is so of the end of the last substep, and of the same step */
    bool keeps_stored;      /* it depends on vertices alone */
    uint64_t pieces;        /* 1 + edits of the constraints when pieces were found; 0: never */
    bool zones_failed;      /* there was no memory for one */
    sn_table contact_table; /* of sn_surface_contact: by colour, and as they were found */
    sn_table colour_table;  /* of uint64_t, by slot */
    uint32_t colour_start[SN_SURFACE_COLOURS + 2];
    sn_table recall_table; /* of uint32_t: finds contacts of the substep before */
    sn_table tangle_table; /* of sn_surface_tangle: of this substep */
    sn_table part_table;   /* of uint32_t, twice, by vertex: see surface_tangles.c */
    sn_table past_table;   /* of sn_surface_past */
    sn_table load_table, load_place_table, load_node_table, joint_table, joint_matrix_table; /* see surface_loads.c */
    sn_surface_before before;                                                                /* for following a tear */
    sn_surface_quiet quiet;
    bool suspect;        /* things may have come to intersect since they were looked at last: all, */
    bool some_suspect;   /*   or some vertices */
    sn_table told_table; /* of sn_surface_told: of the substeps so far, where events are on */
    uint64_t follows, searches, lists, looks, rounds, stops,
        forced; /* counts, for tests and measurements: of tears that were followed; of looks at levels; of vertices that the guard stopped; and
                                                  of pairs that things which nothing stops drove into each other */
} sn_surfaces;

struct sn_world;
struct sn_contact_world;

void sn_surfaces_init(sn_surfaces *surfaces);
void sn_surfaces_release(sn_surfaces *surfaces, const sn_allocator *allocator);

/* When a step begins. SN_ERROR_MEMORY; nothing has changed then. */
sn_result sn_surfaces_find(struct sn_world *world, sn_real dt);

/* Whether a particle is a vertex of such a skin, and a skin is one; once they are found. */
bool sn_surfaces_has(const struct sn_world *world, uint32_t number);

/* Whether there is nothing else that anything could touch. */
bool sn_surfaces_are_alone(const struct sn_world *world);

/* Around the passes of a substep, as in particle_contacts.h. False: lost tasks, or contacts.failed. */
bool sn_surfaces_begin(struct sn_world *world, sn_real h);
bool sn_surfaces_pass(struct sn_world *world, sn_real h, sn_real part, sn_real ease);
bool sn_surfaces_bounce(struct sn_world *world, sn_real h, sn_real bounce_above);

/* Whether there are contacts in this substep; and whether one of them pushed far in the last pass. */
bool sn_surfaces_touch(const struct sn_world *world);
bool sn_surfaces_push(const struct sn_world *world);

/* The guard: nothing that was apart when the substep began intersects when it ends. After everything else. */
bool sn_surfaces_guard(struct sn_world *world, sn_real h);

/* After that: what touches gains no energy by it. False: lost tasks. */
bool sn_surfaces_balance(struct sn_world *world, sn_real h);

/* Notes what contacts of the substep did, where events are on. False: contacts.failed. */
bool sn_surfaces_tell(struct sn_world *world, sn_real h);

/* Which two a contact is of, by handles, the lower number first; *turned: the one is the second of them. And where it is as the substep begins. */
sn_contact_pair sn_surface_contact_pair(const struct sn_world *world, const sn_surface_contact *contact, bool *turned);
sn_vec3 sn_surface_contact_point(const sn_surfaces *s, const sn_surface_contact *contact);

/* A contact of two features that may touch, by these weights and this normal. *acts: callbacks let it. SN_ERROR_HOST. */
sn_surface_contact sn_surface_contact_make(const struct sn_world *world, const sn_surface_candidate *c,
                                           const sn_real weight[4], sn_vec3 normal);

/* A contact begins with what it carried in the substep before: velocities have it, and places will when they are predicted. */
void sn_surface_contact_warm(struct sn_world *world, sn_surface_contact *contact, const sn_surface_contact *before,
                             sn_real h);

/* m/s, m: how the spot of the one moves against that of the other, and where it is against that as the substep ends. */
sn_vec3 sn_surface_contact_velocity(const struct sn_world *world, const sn_surface_contact *contact);
sn_vec3 sn_surface_contact_apart(const struct sn_world *world, const sn_surface_contact *contact, sn_real h);

/* surface_loads.c. As a substep begins: finds ropes that carry a heavy load; whether a contact is one of theirs; and room for
   those contacts, once they are known. False when memory runs out. In a pass: solves them. */
void sn_surface_loads_init(sn_surfaces *s);
bool sn_surface_loads_find(struct sn_world *world);
bool sn_surface_loads_hold(const sn_surfaces *s, const sn_surface_contact *contact);
bool sn_surface_loads_begin(struct sn_world *world);
void sn_surface_loads_pass(struct sn_world *world, sn_real h, sn_real part, sn_real ease);

/* surface_memory.c: contacts that were there before begin with what they carried: of the substep before, in which there were so many; or of the step before, once the next one begins.
   Room for what the next step is to know. False when memory runs out. */
bool sn_surface_contacts_recall(struct sn_world *world, sn_surfaces *s, uint32_t before, sn_real h);
bool sn_surface_contacts_load(struct sn_world *world, sn_surfaces *s, sn_real dt);
bool sn_surface_contacts_reserve(struct sn_world *world);

/* When a step has succeeded: what the next one begins with. And the hash of that. */
void sn_surfaces_remember(struct sn_world *world);
uint64_t sn_surfaces_hash(uint64_t hash, const struct sn_contact_world *contact);

/* Integrators that look back start anew with vertices that were pushed or stopped. */
void sn_surfaces_forget(struct sn_world *world);

/* ---- Shared by the levels ------------------------------------------------------------------------------------------- */

#define SN_SURFACE_LONGER ((sn_real)1.0001) /* bounds are taken to be larger by this, for what rounding loses */

static inline sn_surface_vertex *surface_vertices(const sn_surfaces *s)
{
    return s->vertex_table.column[0];
}

static inline sn_surface_motion *surface_motions(const sn_surfaces *s)
{
    return s->vertex_table.column[1];
}

static inline sn_vec3 *surface_start_lows(const sn_surfaces *s)
{
    return s->vertex_table.column[5];
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

static inline sn_surface_tile *surface_tiles(const sn_surfaces *s)
{
    return s->tile_table.column[0];
}

static inline sn_surface_pair *surface_pairs(const sn_surfaces *s)
{
    return s->pair_table.column[0];
}

static inline sn_surface_candidate *surface_candidates(const sn_surfaces *s)
{
    return s->candidate_table.column[0];
}

static inline sn_real *surface_spares(const sn_surfaces *s)
{
    return s->candidate_table.column[1];
}

/* m: of two tiles. */
static inline sn_real surface_thickness(const sn_surfaces *s, const sn_surface_pair *pair)
{
    return surface_skins(s)[surface_tiles(s)[pair->a].skin].thickness +
           surface_skins(s)[surface_tiles(s)[pair->b].skin].thickness;
}

/* surface_zones.c: vertices of a pair become one zone. Whether it is news. */
bool sn_surface_is_led(const struct sn_world *world, const sn_surfaces *s, uint32_t vertex);
void sn_surface_zones_clear(sn_surfaces *s);
bool sn_surface_zones_join(struct sn_world *world, sn_surfaces *s, const sn_surface_candidate *c);

/* The zone of a pair stays where it is. Whether it is news: not if the pair is led. */
bool sn_surface_zones_hold(struct sn_world *world, sn_surfaces *s, const sn_surface_candidate *c);

/* How zones move, once all are joined and `next` is known: what vertices of theirs would do. */
bool sn_surface_zones_measure(struct sn_world *world, sn_surfaces *s, sn_real h);
sn_vec3 sn_surface_zone_way(const sn_surfaces *s, uint32_t vertex);
sn_vec3 sn_surface_zone_velocity(const sn_surfaces *s, uint32_t vertex);

/* The least share of each zone's vertices, once these are known. */
void sn_surface_zones_share(sn_surfaces *s);
float sn_surface_zone_share(const sn_surfaces *s, uint32_t vertex);

/* The zone of a vertex or a body, by its number there; where a place goes with it; adding a body to one, all but its own
   rotation, as below. */
sn_surface_zone *sn_surface_zone_at(const sn_surfaces *s, uint32_t number);
sn_vec3 sn_surface_zone_place(const sn_surface_zone *zone, sn_vec3 x);
void sn_surface_zone_add_body(sn_surface_zone *zone, uint32_t turn, double mass, sn_dvec3 x, sn_dvec3 way,
                              sn_dvec3 velocity);

/* surface_members.c: dynamic bodies, when a substep begins, and when the guard does. Where the body of a shell began; the
   body that a vertex is of, NULL if it is of none or is led. Their part in the motion of zones, in two turns as below;
   they go where their share leads, or all back to where they began: whether one does. Of zones the least share, and
   what velocities they have at last. */
void sn_surface_members_begin(const struct sn_world *world, sn_surfaces *s);
void sn_surface_members_end(const struct sn_world *world, sn_surfaces *s);
sn_pose sn_surface_member_start(const sn_surfaces *s, const sn_surface_shell *shell);
sn_surface_member *sn_surface_member_of(const sn_surfaces *s, uint32_t vertex);
void sn_surface_members_add(const struct sn_world *world, sn_surfaces *s, uint32_t turn);
bool sn_surface_members_move(struct sn_world *world, sn_surfaces *s, bool stay);
void sn_surface_members_share(sn_surfaces *s);
void sn_surface_members_settle(struct sn_world *world, sn_surfaces *s);

/* The same for the books of surface_energy.c, of bodies that are in pieces of these, by their first shells: J, kinetic
   energy as a substep begins, and as it ends; and the work of gravity and of forces (NULL: none). Adding one to a motion,
   J: what its motion differs from that, and taking a share of this. */
bool sn_surface_is_member(const sn_surfaces *s, uint32_t shell);
typedef struct sn_surface_account {
    double mass, before, kinetic, work;
} sn_surface_account;
bool sn_surface_member_account(const struct sn_world *world, const sn_surfaces *s, uint32_t shell, const sn_vec3 *force,
                               sn_surface_account *account);
void sn_surface_member_add(const struct sn_world *world, const sn_surfaces *s, uint32_t shell, sn_surface_zone *zone,
                           uint32_t turn);
double sn_surface_member_within(const struct sn_world *world, const sn_surfaces *s, uint32_t shell,
                                const sn_surface_zone *zone);
void sn_surface_member_slow(struct sn_world *world, const sn_surfaces *s, uint32_t shell, const sn_surface_zone *zone,
                            double share);

/* The zone of a vertex; and adding to the motion of one, in two turns: masses and momenta, then what turns. */
uint32_t sn_surface_zone_of(const sn_surfaces *s, uint32_t vertex);
void sn_surface_zone_add(sn_surface_zone *zone, uint32_t turn, double mass, sn_dvec3 x, sn_dvec3 velocity);
void sn_surface_zone_settle(sn_surface_zone *zone, uint32_t turn);

/* surface_energy.c: what hangs together, when a step begins; false when memory runs out. */
bool sn_surface_pieces_find(struct sn_world *world, sn_surfaces *s);

/* surface_strands.c: segments of skins: those that count, their places along strands, and tiles of them. */
bool sn_surface_strands_hold(struct sn_world *world, bool *changed);
void sn_surface_strands_measure(const struct sn_world *world, sn_surfaces *s);
void sn_surface_strands_cut(const struct sn_world *world, sn_surfaces *s);

/* m: of two edges on one strand, how far apart along it. False: they are not. */
bool sn_surface_along_strand(const sn_surfaces *s, const sn_surface_candidate *c, sn_real *apart);

/* Of a tile whose features are there: its corners. marked, place: by vertex; marks: a number that none is marked with yet. */
void sn_surface_tile_corners(const struct sn_world *world, sn_surfaces *s, sn_surface_tile *tile, uint32_t *marked,
                             uint8_t *place, uint32_t marks);

/* surface_shells.c: how much there is; its vertices and triangles; its edges, once those of triangles are there. edge: m, the longest mean of a skin. */
void sn_surface_shells_count(const struct sn_world *world, sn_real edge, sn_surface_shells_size *size);
void sn_surface_shells_add(const struct sn_world *world, sn_surfaces *s, sn_real edge);
void sn_surface_shells_edges(sn_surfaces *s);
sn_vec3 sn_surface_shell_corner(const sn_surfaces *s, uint32_t vertex); /* in the frame of its shape */

/* Corners of shells that may touch something in this box, when a substep begins or within it. m^2: how far one of those that were known is from where it was. */
sn_real sn_surface_shells_place(const struct sn_world *world, sn_surfaces *s, const sn_bounds *box, sn_real h,
                                bool begins);

/* Whether one is near that: then it would be placed. */
bool sn_surface_shells_are_near(const struct sn_world *world, const sn_surfaces *s, const sn_bounds *box, sn_real h);

/* In a round of the guard: what of theirs is new; in the first one all. */
void sn_surface_shells_change(sn_surfaces *s, bool all);

/* The shell of a vertex; NULL: it is a particle. Whether its filter lets a skin touch it; and whether a constraint joins the two of a candidate. */
sn_surface_shell *sn_surface_shell_of(const sn_surfaces *s, uint32_t vertex);
bool sn_surface_shell_agrees(const struct sn_world *world, const sn_surface_skin *shell, const sn_surface_skin *skin);
bool sn_surface_shells_are_one(const struct sn_world *world, const sn_surface_shell *a,
                               const sn_surface_shell *b); /* of one body; NULL is none */
bool sn_surface_shell_joins(const struct sn_world *world, const sn_surface_candidate *c);

/* The material of a shell, and m/s: how its surface runs. Which two a contact with one is of, seen from the particle at this slot. */
const sn_contact_material *sn_surface_shell_material(const struct sn_world *world, const sn_surface_shell *shell,
                                                     sn_vec3 *belt);
sn_contact_pair sn_surface_shell_pair(const struct sn_world *world, const sn_surface_shell *shell, uint32_t slot);

/* rad/s: what an angular impulse (N m s) adds to the spin of a body. */
static inline sn_vec3 sn_surface_shell_gives(const sn_surface_shell *body, sn_vec3 l)
{
    const sn_real *i = body->inverse;
    return vec3(i[0] * l.x + i[3] * l.y + i[5] * l.z, i[3] * l.x + i[1] * l.y + i[4] * l.z,
                i[5] * l.x + i[4] * l.y + i[2] * l.z);
}

/* Bodies turn by what contacts added to their spin in this substep of h, or, unless it moves them, their spin changes
   alone. */
void sn_surface_shells_turn(struct sn_world *world, sn_real h, bool moves);
void sn_surface_shells_end(const struct sn_world *world, sn_surfaces *s);

/* Bits of sn_surface_motion.suspect: it may have come to be anywhere; it was tangled, and may have passed through what was, too. */
enum { SN_SUSPECT = 1, SN_SUSPECT_TANGLED = 2 };

/* surface_tangles.c: when a substep of h begins, what intersects; false: contacts.failed. Whether the two of a candidate may pass through each other for that. After a pass: what intersects is pulled apart. */
bool sn_surface_tangles_find(struct sn_world *world, sn_real h);
bool sn_surface_is_tangled(const sn_surfaces *s, const sn_surface_candidate *c);
void sn_surface_tangles_pull(struct sn_world *world);

/* surface_topology.c: makes features and tiles anew if skins were edited; false when memory runs out. */
bool sn_surfaces_make(struct sn_world *world);

/* surface_tiles.c: cuts skins into tiles. Room for all of them. */
bool sn_surface_tiles_make(struct sn_world *world, sn_surfaces *s);
bool sn_surface_tiles_reserve(struct sn_world *world, sn_surfaces *s);

/* For cutting some triangles into tiles, which are added. */
typedef struct sn_surface_cutting {
    sn_surfaces *s;
    uint32_t *order;  /* triangles: those of a part lie together */
    uint32_t *queue;  /* for walks */
    uint32_t *part;   /* by triangle: the number of its part, and of its walk */
    uint32_t *marked; /* by vertex */
    uint8_t *place;   /*   and which corner of its tile it is */
    uint32_t parts, marks;
} sn_surface_cutting;

sn_surface_cutting sn_surface_cutting_begin(sn_surfaces *s);
void sn_surface_cut(const struct sn_world *world, sn_surface_cutting *cutting, uint32_t first, uint32_t count);

/* Which tiles are of which shell. */
void sn_surface_tiles_number(sn_surfaces *s);

/* surface_follow.c: if nothing but tears of cloth has happened since features were made, those of so many skins follow:
   what changed is looked up; features of skins, once there is room; and, when shells are behind them, tiles, pairs and
   what is known of smooth skins. False: all are to be made anew. */
bool sn_surface_follow_begin(struct sn_world *world, sn_surfaces *s, uint32_t skins);
bool sn_surface_follow_skins(struct sn_world *world, sn_surfaces *s);
bool sn_surface_follow_tiles(struct sn_world *world, sn_surfaces *s);
void sn_surface_follow_init(sn_surfaces *s);
void sn_surface_follow_release(sn_surfaces *s, const sn_allocator *allocator);

/* A side of a triangle: 3 times that, and which one. Its key is its ends, the lower one first. Sides that are sorted by
   key and then by triangle become edges; b of the first of each is the number of the edge. */
static inline sn_sort_item sn_surface_side(const sn_surfaces *s, uint32_t side)
{
    const sn_surface_triangle *triangle = surface_triangles(s) + side / 3;
    const uint64_t a = triangle->vertex[side % 3], b = triangle->vertex[(side + 1) % 3];
    return (sn_sort_item){.key = a < b ? a << 32 | b : b << 32 | a, .a = side};
}

void sn_surface_sides_join(sn_surfaces *s, const sn_sort_item *item, uint32_t count);

/* The place of a pair of features in the order of contacts, by vertices and triangles, as numbers of edges depend on
   past tears: sort by the second key, then by the first. And of two edges that with the lower first vertex comes first. */
static inline uint64_t sn_surface_key(const sn_surface_candidate *c, bool second)
{
    const uint32_t *v = c->vertex;
    if (!c->edges)
        return second ? 0 : (uint64_t)c->one << 32 | c->other;
    return second ? (uint64_t)v[2] << 32 | v[3] : UINT64_C(1) << 63 | (uint64_t)v[0] << 32 | v[1];
}

void sn_surface_turn(const sn_surfaces *s, sn_surface_candidate *c);

/* surface_looks.c: when a substep begins, or ends: where vertices and tiles are. */
bool sn_surface_tiles_measure(struct sn_world *world, sn_real h);
bool sn_surface_tiles_measure_ends(struct sn_world *world, sn_real h);  /* of tiles some corner of which has changed */
bool sn_surface_tiles_measure_again(struct sn_world *world, sn_real h); /* vertices are known, and no shell is near */

/* Pairs of tiles, if some tile is not where it was expected: as a substep of h begins, with so much more to spare; or as it ends. */
bool sn_surface_tiles_meet(struct sn_world *world, sn_real h, sn_real more);
bool sn_surface_tiles_meet_ends(struct sn_world *world);

/* Of the distance: what moves by less comes no nearer than a share of it; see surface_guard.c. */
#define SN_SURFACE_FIRM ((sn_real)0.77)

/* Where features go: anywhere; by their velocities in h, seen from their mean; or to their ends. */
typedef enum sn_surface_sweep { SN_SURFACE_ALL, SN_SURFACE_BY_VELOCITY, SN_SURFACE_BY_WAY } sn_surface_sweep;

/* surface_sweeps.c: whether boxes around the two and where they go come as near as this (m). */
bool sn_surface_sweeps_meet(const sn_surfaces *s, const sn_surface_candidate *c, sn_surface_sweep sweep, sn_real h,
                            sn_real by);

/* The same boxes for all features of the tiles that are marked, in sweep_table. False: contacts.failed, or lost tasks. */
bool sn_surface_sweeps_take(struct sn_world *world, sn_real h, sn_surface_sweep sweep);

/* Rows of them as in wide/wide.h: of triangles (0), edges (1) or vertices (2) that a tile owns; and the stride for so many. */
sn_real *sn_surface_sweeps_of(const sn_surfaces *s, const sn_surface_tile *tile, uint32_t sort);
uint32_t sn_surface_sweeps_stride(uint32_t count);

/* surface_pairs.c: as a substep of h begins, all pairs of features that may touch in it, or have less than
   `more` to spare, are among the candidates of pairs with due_now. */
bool sn_surface_pairs_begin(struct sn_world *world, sn_real h, sn_real more, sn_surface_sweep sweep);

/* As it ends: the candidates of tiles that changed which may have come together are in near_table. */
bool sn_surface_pairs_end(struct sn_world *world);

/* As a substep begins: how fast features of a pair come nearer to each other, and what they have to spare. ahead: s, for which a rough bound may do. */
sn_surface_quiet_pair sn_surface_pair_quiet(const sn_surfaces *s, const sn_surface_pair *pair, sn_real ahead);

/* surface_quiet.c: as a substep of h begins, whether nothing can touch in it: then nothing else is to be done. If it is not known, and nothing touches, whether it can be known for
   some substeps. fall: m, as in surface_pairs.c. False: contacts.failed, or lost tasks. */
bool sn_surface_quiet_begin(struct sn_world *world, sn_real h, sn_real fall);
bool sn_surface_quiet_try(struct sn_world *world, sn_real h, sn_real fall);

/* As it ends: whether nothing can have touched. If not, the substep begins as all others do. *failed: contacts.failed, or lost tasks. */
bool sn_surface_quiet_end(struct sn_world *world, sn_real h, bool *failed);

/* Whether no piece can have gained energy, in a substep in which nothing touched. If not, motions are there. */
bool sn_surface_quiet_rests(struct sn_world *world);

/* From now on all is looked at again. */
bool sn_surface_quiet_is_all(
    const struct sn_world *world);           /* in this substep nothing touches anything, whatever it is */
void sn_surface_quiet_slots(sn_surfaces *s); /* are known: at the beginning of a step */
void sn_surface_quiet_leave(sn_surfaces *s);
void sn_surface_quiet_init(sn_surface_quiet *quiet);

/* surface_smooth.c: the rest shapes of skins, once tiles are there; all, or after a tear those of some triangles and of
   tiles that are new. Before pairs in due_table are listed: what is
   known of how smooth skins are. False: lost tasks. Whether no features of a pair that share no corner have less
   than this to spare: then it sets what they have, and border. */
void sn_surface_smooth_make(const struct sn_world *world, sn_surfaces *s);
void sn_surface_smooth_follow(const struct sn_world *world, sn_surfaces *s, const uint32_t *triangle, uint32_t count);
bool sn_surface_smooth_look(struct sn_world *world);
bool sn_surface_smooth_apart(const sn_surfaces *s, sn_surface_pair *pair, sn_real wanted);

/* surface_listing.c: lists features of the pairs in due_table that are asked. False: contacts.failed, or lost tasks. */
bool sn_surface_list(struct sn_world *world, sn_real h, sn_real more, sn_surface_sweep sweep);

/* Whether a constraint joins two of different skins: then they are left alone. */
bool sn_surface_is_joined(const struct sn_world *world, const sn_surface_candidate *c);

/* surface_narrow_phase.c: the nearest spots of a pair, with places of its four vertices: their distance (never too large by more than rounding), weights as in
   sn_surface_contact, and whether the pair is the one that stands for what is nearest: not a neighbour's business. */
typedef struct sn_surface_spots {
    double distance;
    double weight[4];
    sn_dvec3 apart; /* from the other to the one */
    uint32_t
        inner; /* vertex and triangle: 0 inside, 1 to 3 on an edge, 4 to 6 in a corner; edges: 0 inside both, 1 not */
} sn_surface_spots;

/* Of their reach: what is nearer than that is to come no nearer. Numbers cannot tell how far apart things are that are a millionth of their coordinates apart. */
#define SN_SURFACE_CLOSE ((sn_real)1e-3)

#define SN_SURFACE_EXACT (1 - 1e-6) /* distances are at least so much of what is computed */

sn_surface_spots sn_surface_nearest(bool edges, const sn_dvec3 x[4]);

/* surface_batches.c: candidates that are measured together, all of a vertex and a triangle or all of two edges. */
typedef struct sn_surface_batch {
    bool edges;
    uint32_t count;
    sn_surface_candidate *of[SN_WIDE_COUPLES];
    sn_real low[SN_WIDE_COUPLES];    /* m: they are no nearer than this as the substep begins, */
    sn_real inner[SN_WIDE_COUPLES];  /*   and at an end of one of two edges, if this is 0 */
    sn_real differ[SN_WIDE_COUPLES]; /* m/s, or m: how two vertices, one of each, move against each other at most */
} sn_surface_batch;

/* Sets low and inner; differ, of velocities or of ways; reaches of candidates, or no less where these are rough. thickness: m, of both; same: of one skin. */
void sn_surface_batch_measure(const struct sn_world *world, sn_surface_batch *batch);
void sn_surface_batch_compare(const struct sn_world *world, sn_surface_batch *batch, bool ways);
void sn_surface_batch_reach(const struct sn_world *world, sn_surface_batch *batch, sn_real thickness, bool same);

/* m: the reach itself. */
sn_real sn_surface_reach(const struct sn_world *world, const sn_surface_candidate *c);

#endif
