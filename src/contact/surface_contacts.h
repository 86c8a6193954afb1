/* Contact of surfaces with themselves and with each other: skins with self_collision. Scratch of a step, not state:
   what is kept from step to step only saves work, and no result depends on it. Impulses that contacts keep are state;
   they are stored with the contact world: surface_memory.c.

   Five levels, each a part of the one before:

       features     vertices, edges and triangles of such skins, made when skins are     surface_topology.c
                    edited; and those of bodies, which exist where skins are near        surface_shells.c
       tiles        connected pieces of some seventy triangles or segments, and          surface_tiles.c,
                    their motion; after a tear, what it does not affect is kept          surface_looks.c,
                                                                                         surface_follow.c
       pairs        of tiles whose boxes overlap, also of a tile with itself             surface_tiles.c
       candidates   (vertex, triangle) and (edge, edge) of a pair of tiles that are      surface_pairs.c,
                    near each other; listed again when others may have come near;        surface_listing.c,
                    not listed where a surface is smooth                                 surface_sweeps.c,
                                                                                         surface_smooth.c
       contacts     candidates that may touch in this substep, solved after every        surface_narrow_phase.c,
                    pass                                                                 surface_solve.c

   A surface without contact costs a visit to each of its vertices at the start and at the end of a substep, and a few
   numbers for each pair of tiles. Every substep ends with the guard: surface_guard.c. */
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
#define SN_TILE_CORNERS    64u /* at most: one bit of a word for each */

typedef struct sn_surface_vertex {
    uint32_t number, slot; /* of the particle */
    uint32_t skin;         /* row in skin_table here; for a particle of two skins, the first of them */
    uint32_t triangle;     /* the triangle that owns it; SN_SURFACE_NONE: it has only segments, */
    uint32_t edge;         /* and this is the first of these; otherwise its first edge of any kind */
    uint32_t piece;        /* see sn_surface_piece */
    bool joined;           /* a constraint joins it to a vertex of another skin */
    uint32_t strand;       /* 1 + the chain of segments that it is on; 0: none */
    /* arc: m, its arc length along the strand. around: m, the length of the strand if it is closed, otherwise 0 */
    sn_real arc, around;
} sn_surface_vertex;

/* The motion of a vertex in a substep. */
typedef struct sn_surface_motion {
    sn_vec3 start;    /* m: its position at the start of the substep */
    sn_vec3 velocity; /* m/s: its velocity then */
    sn_vec3 end;      /* m: its position at the end of the substep */
    /* share: of the difference between its own path and that of its zone, the share that it moves by, as of the last
       round of the guard; next: the same in the next round. 1: it is in no zone */
    float share;
    float next;
    bool kinematic;  /* it is static or kinematic: impulses do not move it */
    bool hit;        /* it is in a pair that touched in this round */
    bool marked;     /* its velocity is not that of the end of the last substep */
    bool changed;    /* its end changed in the last round, or it was hit */
    bool jumped;     /* its position is not that at the end of the substep before */
    uint8_t tangled; /* bits: it is near a crossing of an edge and a triangle, see surface_tangles.c */
    uint8_t suspect; /* SN_SUSPECT bits, until tangles are searched for: see surface_tangles.c */
} sn_surface_motion;

/* What changed in a piece of the vertices since the substep before; see surface_looks.c. */
typedef struct sn_surface_change {
    sn_real jump, differ; /* m^2: the largest square of a jump, and of a changed velocity times h that is not marked */
    bool marked;          /* some vertex is marked */
} sn_surface_change;

/* Data of a vertex that are kept when features are made again after a tear, by particle number. */
typedef struct sn_surface_past {
    sn_vec3 end; /* m */
    bool there, tangled, joined;
    uint8_t suspect;
} sn_surface_past;

typedef struct sn_surface_triangle {
    uint32_t vertex[3];
    uint32_t edge[3]; /* from vertex i to vertex i + 1 */
    uint32_t skin;
    uint32_t owns; /* bits 0 to 2: vertices, 3 to 5: edges that no triangle before it has */
} sn_surface_triangle;

/* m: a point in the plane of a flat rest shape; see surface_smooth.c. */
typedef struct sn_surface_place {
    sn_real x, y;
} sn_surface_place;

typedef struct sn_surface_rectangle {
    sn_surface_place low, high;
} sn_surface_rectangle;

/* A triangle there: its tile, its index in the tile, and the inverse matrix of its sides, which gives its deformation
   gradient. */
typedef struct sn_surface_sheet {
    uint32_t tile, place; /* counted over all triangles, also those of skins that are not flat */
    uint32_t goes_on;     /* bits, by side: exactly one other triangle is across it */
    sn_real inverse[4];   /* 1/m */
} sn_surface_sheet;

typedef struct sn_surface_edge {
    uint32_t vertex[2];
    /* the third vertices of its triangles; SN_SURFACE_NONE: there is no such triangle. Of more than two,
       the first two */
    uint32_t across[2];
    uint32_t triangle; /* the triangle that owns it; SN_SURFACE_NONE: a segment */
    bool flat;         /* of a shell: it is inside a face */
} sn_surface_edge;

/* The plane of a flat rest shape. */
typedef struct sn_surface_plane {
    sn_dvec3 origin, axis[3];
    double step; /* m: spacing of the grid in it */
} sn_surface_plane;

typedef struct sn_surface_skin {
    uint32_t row;                    /* in the world's table of skins */
    uint32_t shell;                  /* 1 + the shell; 0: it is a skin */
    uint32_t first, count;           /* triangles */
    uint32_t first_edge, segments;   /* edges that are segments */
    uint32_t first_vertex, vertices; /* of a shell */
    sn_real thickness;               /* m */
    sn_real edge;                    /* m: mean length of edges when the topology was made */
    bool flat;                       /* its rest shape is flat, and in this plane; */
    sn_surface_plane plane;
    sn_real lost;   /* m: the error of distances in it, by rounding */
    uint32_t group; /* the group of its first particle */
} sn_surface_skin;

/* Velocities or displacements of the corners of a tile, as a rigid motion and a remainder: at x it is mean + spin × (x
   - centre), and that of no corner differs from this by more than rest. */
typedef struct sn_surface_rigid {
    sn_vec3 mean, spin;
    sn_real rest;
    sn_real spread; /* that of no corner differs from the mean by more */
} sn_surface_rigid;

/* A tile: a piece of a skin. Its axes are weighted sums of its corners, with fixed weights, so they rotate with it. */
typedef struct sn_surface_tile {
    uint32_t skin;
    uint32_t first_triangle, triangles; /* in tile_triangle_table */
    uint32_t first_vertex, vertices;    /* that it owns, in tile_vertex_table */
    uint32_t first_edge, edges;         /* that it owns, in tile_edge_table */
    uint32_t first_corner, corners;     /* all vertices of its triangles, in corner_table */
    /* at the start of a substep: */
    sn_bounds box; /* m: of its corners */
    /* fat: m, the space in which it is expected, relative to the mean of all vertices; half of the thickness is
       included */
    sn_bounds fat;
    sn_vec3 centre; /* m: mean of the corners */
    sn_real radius; /* m: no corner is farther from the centre */
    sn_vec3 axis[3];
    /* length: of the first sum; along, across: components of the second sum along the first two axes. length 0: there
       are no axes */
    sn_real length, along, across;
    sn_vec3 u, v;              /* m: these sums */
    sn_surface_rigid velocity; /* m/s */
    /* at the end of a substep: */
    sn_surface_rigid displacement; /* m */
    sn_bounds ends;                /* m: bounds of the positions of corners then */
    sn_vec3 du, dv;                /* changes of u and v in the substep */
    sn_real astray;                /* m: no corner ends farther from where its velocity led; only known if */
    bool strays;                   /* pairs of the tile are listed by velocities, for this substep only */
    /* while candidates are listed: */
    bool sweeps;          /* it is in a pair that moves far; */
    uint32_t first_sweep; /* the first row of its features in sweep_table, */
    sn_bounds leads,
        displacements;         /* m: bounds of the positions that its corners move to, and of their displacements */
    sn_surface_rectangle rest; /* m: its bounds in a flat rest shape, */
    sn_real height;            /* m: and the least height of its triangles there */
    bool asked;                /* what follows is needed: */
    sn_real least[6], most[6]; /* bounds of the six numbers of its deformation gradients */
    /* stretch: no gradient stretches more; rate, 1/s: nor changes faster, in a frame that turns with velocity.spin. At
       the start of the substep, after sn_surface_smooth_rates */
    sn_real stretch, rate;
    bool kinematic;  /* all its corners are static or kinematic. Pairs of two such tiles are left out */
    bool off;        /* it is of a shell that nothing is near, and is left out */
    bool changed;    /* the end of a corner changed in the last round of the guard */
    bool jumped;     /* some corner jumped; not set for tiles of shells */
    uint8_t suspect; /* the suspect bits of its corners, together */
} sn_surface_tile;

#define SN_SURFACE_QUIET_MORE 16u /* vertices behind the last one that may be read */

typedef struct sn_surface_quiet {
    bool on;              /* the bounds hold as long as vertices move as expected, */
    bool held;            /* and they hold in this substep, but for pairs that are busy */
    bool late;            /* at its end, what has only become busy then is made up for */
    uint32_t busy, least; /* vertices of tiles that are busy, now, and when the quiet time began */
    /* vertices and candidates that were looked at to begin the quiet time; and the sums, over its substeps, of those that are
       busy and were not at the beginning, and of those that are not busy */
    uint64_t paid, worn, saved;
    bool deep;             /* lists are made to reach far, so that a quiet time can begin, or has begun */
    uint32_t waits, tried; /* substeps until the next attempt; the last such interval */
    uint32_t lasted;       /* substeps so far */
    sn_real time;          /* s: from the beginning of the quiet time to the start of the substep */
    /* Until sure_time (s) no pair has used up its spare as long as away and astir of tiles take less than `sure` (m);
       see surface_quiet.c. sure_turn: rad/s, no tile turns faster */
    sn_real sure_time, sure, sure_turn;
    bool rates;   /* how fast gradients of tiles change is known */
    bool ordered; /* rows of the vertices of all tiles are known */
    /* By row, tile by tile. Of sn_vec4: positions, their rounding remainders, and velocities, at the start of the
       substep; positions at its end; positions and velocities when the quiet time began; of sn_real: see wide/wide.h;
       of uint32_t: slots; the vertices. There are SN_SURFACE_QUIET_MORE more behind the last. And of uint32_t: by
       vertex, its row. */
    sn_table vertex_table;
    sn_table borrowed_table; /* of uint32_t: rows */
} sn_surface_quiet;

/* Two tiles that are near each other, or one with itself. The *spare* of two features is their distance minus their
   reach. It is measured when candidates are listed and when they are looked at. Since then it has decreased by no more
   than the two tiles have approached: `moved` sums that up. */
typedef struct sn_surface_pair {
    uint32_t a, b;
    uint32_t first, count, room; /* its candidates, and the room for them */
    uint32_t touches;            /* how many of them are contacts of this substep, or may have come together in it */
    bool listed;                 /* candidates are listed */
    bool asked;                  /* they must be listed again */
    bool due_now;                /* some of them must be measured */
    uint8_t depth;               /* how far the next list reaches, see surface_listing.c */
    bool deep;                   /* the list has all candidates that surface_quiet.c needs */
    bool restless;               /* it was busy when the last quiet time began: its lists need not be deep */
    bool smooth;                 /* the list is empty, because both tiles are smooth */
    bool fresh;                  /* the list was made at the start of this substep */
    bool swept;                  /* the list is for this substep only, */
    sn_real margin;              /* m: and valid if no corner ends farther from where its velocity leads */
    uint64_t border;             /* bits: corners of b that were near a when candidates were listed, */
    uint64_t rest_border;        /* and those that are near a in the rest shape */
    /* hoods: the number of tiles around the two in the rest shape; 0: not known; above SN_SURFACE_HOOD: never smooth,
       see surface_smooth.c. waits: how many lists are made before smoothness is checked again */
    uint32_t hoods, waits;
    uint32_t hood[SN_SURFACE_HOOD]; /* these tiles */
    double moved, turned;           /* m: how far features have approached since they were listed: those that were
                                       near, and all */
    sn_real step, all_step;         /* m: the same in this substep */
    sn_real next;    /* m: a lower bound of the spare, when they were listed, of near features that are not listed, */
    sn_real others;  /* and of features that are not near */
    sn_real least;   /* m: the same of listed ones, when they were listed */
    sn_real due;     /* m: the same of listed ones, plus `moved` when they were measured; */
    sn_real waiting; /* and of those of them that were not measured in this substep */
    sn_real wanted;  /* m: features with more spare cannot touch in this substep: those that are near, */
    sn_real all_wanted; /* and all, for listing them again */
    sn_real nearest;    /* m: least distance of those that were measured in this substep */
    sn_real gap;        /* m: between the boxes of the two tiles, if nothing is listed */
} sn_surface_pair;

/* A pair of features that may touch: a vertex and a triangle, or two edges. */
typedef struct sn_surface_candidate {
    uint32_t vertex[4];  /* the vertex and the corners of the triangle; or the ends of one edge, then of the other */
    uint32_t one, other; /* the vertex and the triangle; or the edges */
    sn_real reach;       /* m: below this distance they are in contact; rough: an upper bound of it, see
                            sn_surface_reach */
    bool edges;
    bool segments; /* two edges, at least one of them a segment */
    bool rough;
    /* Of a list that was made in this substep: ends: the nearest points of two edges are at an end of one of them;
       slow: they cannot come into contact in it, known if the list is for this substep only */
    bool ends, slow;
} sn_surface_candidate;

/* A contact: two features that may touch in this substep, by their nearest points as it begins, and the direction
   between these. */
typedef struct sn_surface_contact {
    uint32_t vertex[4], slot[4];
    uint32_t one, other; /* as in the candidate */
    bool edges;
    bool rope;         /* one of the two is a segment, or a vertex of segments */
    bool loaded;       /* it is on a rope with a heavy load, and solved together with its rods, see surface_loads.c */
    sn_real weight[4]; /* signed weights of the four: the sum of weight times position is the vector from the other
                          feature to the one */
    sn_real own[4];    /* the same of vertices that are particles, with slots; 0: a corner of a shell */
    struct sn_surface_shell *shell; /* the shell of one of the features; NULL: both are of skins */
    struct sn_surface_shell *body;  /* the first shell of its body, if that is movable; otherwise NULL */
    sn_real side;                   /* the sign of the point on the shell in the sum: 1 or -1; 0: there is no shell */
    /* contact_point: m, the position of that point at the end of the substep; drift: m/s, its velocity. On a movable
       body: relative to the centre, at the start of the substep */
    sn_vec3 contact_point, drift;
    sn_vec3 normal;     /* from the other feature to the one, length 1 */
    sn_real reach;      /* m */
    sn_real give;       /* 1/kg: inverse mass of the pair along the normal; */
    sn_real tangential; /* the least ratio of that and the inverse mass across the normal: 1, unless a body rotates */
    sn_real normal_impulse; /* m: as in wide/contact.h */
    sn_real known;          /* m: the same before the last pass */
    sn_vec3 tangent_impulse;
    sn_friction friction;
    sn_vec3 belt;   /* m/s: surface velocity of the other feature; see sn_contact */
    sn_real before; /* m/s: relative velocity along the normal, before the substep */
    sn_real throws; /* m/s: velocity that restitution added */
} sn_surface_contact;

/* An edge that passes through a triangle; see surface_tangles.c. */
typedef struct sn_surface_tangle {
    uint32_t vertex[5]; /* ends, then corners */
    sn_real weight[5];  /* of the point where they cross: those of corners are negative */
    sn_real give;       /* 1/kg: inverse mass of both */
    uint32_t edge, triangle;
    sn_vec3 direction; /* length 1: the direction in which the edge is moved relative to the triangle, */
    sn_real speed;     /* m/s: its least velocity */
    sn_real h;         /* s: of the substep */
} sn_surface_tangle;

/* The effect of a contact in a substep, for events. */
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

/* Data for following a tear; see surface_follow.c. */
typedef struct sn_surface_before {
    uint32_t vertices, triangles, edges, shell_vertices, shell_triangles, shell_edges;
    sn_table change_table;  /* of uint32_t: triangles that are new or have other corners, by their new numbers */
    sn_table marked_table;  /* of uint32_t: vertices that such triangles have or had */
    sn_table loose_table;   /* of uint32_t: edges that such triangles had */
    sn_table touched_table; /* of uint32_t: triangles that have a marked vertex; of sn_surface_triangle: before that */
    sn_table skin_table;    /* of uint32_t, twice, by skin, and one more: its first triangle, now and before */
    sn_table ring_start_table, ring_table, tile_table, tile_triangle_table, tile_vertex_table, tile_edge_table,
        corner_table;    /* as in sn_surfaces */
    sn_table next_table; /* of uint32_t, by triangle: the next new triangle of the same tile */
    /* Of uint32_t, by the number of a tile before: its number now, or SN_SURFACE_NONE if it is cut again; and the
       first new triangle of the tile. */
    sn_table kept_table;
} sn_surface_before;

typedef struct sn_surfaces {
    bool on;    /* there are such surfaces in this step; */
    bool alone; /* and all skins and all particles belong to them: there is no other contact of particles and skins */
    uint64_t edits;                    /* 1 + edits of the contact world when features were made; 0: never */
    uint64_t tears;                    /*   and those of them that were tears */
    uint64_t topology;                 /* and the version of the topology of skins */
    uint32_t own_triangles, own_edges; /* of skins; edges without segments */
    bool torn;      /* a skin was torn or cut: contacts are solved in the order of features, as tiles may be any */
    uint64_t joins; /* 1 + edits of the constraints when candidates of two skins were listed; 0: never */
    sn_table index_table; /* of uint32_t, by particle number: 1 + its vertex; 0: none */
    /* Of sn_surface_vertex; of sn_surface_motion; of uint32_t, of uint8_t: for making tiles; of sn_real, m/s: an upper
       bound of its speed relative to the mean of all; of sn_vec3, m: the rounding remainder of its position at the
       start of the substep. */
    sn_table vertex_table;
    /* Of sn_surface_triangle; of three uint32_t: the triangles across its edges, or SN_SURFACE_NONE; three of
       uint32_t: for making tiles. */
    sn_table triangle_table;
    sn_table edge_table;       /* of sn_surface_edge; two of uint32_t: for making tiles of segments */
    sn_table compromise_table; /* of uint8_t, by segment of the world: 1 if it takes part */
    /* Of uint32_t. By vertex, and one more: its first entry in ring_table. There: neighbours of vertices, and the
       edges to them. */
    sn_table ring_start_table, ring_table;
    sn_table change_table;            /* of sn_surface_change, by piece of the vertices */
    sn_table sort_table;              /* of sn_sort_item, twice: for making features */
    sn_table skin_table;              /* of sn_surface_skin; those of shells are behind the others */
    sn_table shell_table;             /* of sn_surface_shell; of sn_surface_member */
    sn_table shell_corner_table;      /* of sn_vec3, m: corners of shells, in the frames of their shapes */
    sn_table body_table;              /* of uint32_t, by row: 1 + the first shell of a dynamic body; 0: none */
    uint32_t all_vertices, all_skins; /* including those of shells, which are behind the others */
    sn_bounds reached;                /* m: bounds of the vertices in this substep, when shells were chosen */
    sn_table tile_table; /* of sn_surface_tile; of sn_bounds: fat, for the tree; of sn_surface_quiet_tile */
    /* Of uint32_t: features of tiles; of 3, 1 and 2 uint8_t: which corners of the tile these have. */
    sn_table tile_triangle_table, tile_vertex_table, tile_edge_table;
    /* Of uint32_t: a vertex; of sn_vec3: its position in the frame of the tile when that was recorded; of two sn_real:
       its weights for the axes. */
    sn_table corner_table;
    sn_bvh tree; /* of tiles */
    uint32_t tree_age;
    bool by_friction;        /* friction of the substep before has been applied in this substep */
    bool searched;           /* pairs of the present tiles have been searched */
    bool ended;              /* tiles have the data of the end of the substep before, of the same step */
    sn_dvec3 mean, velocity; /* m, m/s: of all vertices, at the start of the substep */
    sn_dvec3 end;            /* m: at its end */
    sn_real jump;            /* m: no vertex is farther from its position at the end of the substep before */
    sn_table pair_table;     /* of sn_surface_pair: by a, then b; of sn_surface_quiet_pair */
    sn_table found_table;    /* the same, for a search */
    /* Of sn_surface_candidate, pair by pair, with gaps; count: the end of the last; of sn_real, m: lower bounds of
       their spare when they were measured, plus `moved` of the pair then. */
    sn_table candidate_table;
    sn_table moved_table; /* the same, to close gaps */
    /* Of sn_surface_touch: those of a pair begin where its candidates do. For the guard: candidates that may have come
       together, with a bound of their distance (m) as the first weight. */
    sn_table touch_table;
    sn_table list_table;  /* the same: what each worker lists */
    uint32_t list_room;   /* for each worker */
    sn_table sweep_table; /* of rows for 16 features: boxes around their paths; see surface_sweeps.c */
    sn_table due_table;   /* of uint32_t: pairs to be listed; */
    sn_table look_table;  /* the same: pairs some of whose candidates must be measured; */
    sn_table mark_table;  /* of uint32_t, twice: a bit for each pair, true for those */
    /* Of uint32_t: candidates that the guard checks; of sn_real, m: lower bounds of their distance at the start of the
       substep; of float: when they touch. */
    sn_table near_table;
    sn_table zone_table;      /* of sn_surface_zone, by vertex; empty: there are no zones */
    sn_table kinematic_table; /* of sn_surface_kinematic */
    sn_table piece_table;     /* of sn_surface_piece; of uint32_t: union-find of pieces */
    sn_table inner_table;     /* of sn_surface_inner */
    /* Of uint32_t. By vertex: union-find, to find pieces. Behind these, if other particles may be in pieces: by
       particle number: its piece, if it is an inner particle; otherwise SN_SURFACE_NONE. */
    sn_table node_table;
    /* By constraint: of uint32_t: its piece, or SN_SURFACE_NONE; of double, J: stored energy; m^2/s^2: squared
       velocity by which it drives particles; the same at the start of the substep. */
    sn_table stored_table;
    bool stores[SN_MAX_KINDS]; /* by kind: its constraints may store energy, */
    bool any_stores;           /*   and those of some kind may; */
    uint64_t storing_known;    /*   1 + changes of the constraints when that was found */
    bool is_stored;            /* stored_table has the values of the end of the substep before, of the same step */
    bool keeps_stored;         /* these depend on vertices alone */
    uint64_t pieces;           /* 1 + edits of the constraints when pieces were found; 0: never */
    bool pieces_follow;        /* since then features were followed through one tear */
    uint32_t piece_shells;     /* the number of shells then, */
    uint64_t piece_edits, piece_breaks; /* edits that are not by tears, and constraints that broke */
    sn_table piece_row_table;           /* of uint32_t, by kind: rows */
    sn_table piece_search_table;        /* scratch, by search: see surface_pieces.c */
    bool zones_failed;                  /* memory ran out */
    sn_table contact_table; /* of sn_surface_contact, twice: by colour, and in the order in which they were found */
    sn_table colour_table;  /* of uint64_t, by slot */
    uint32_t colour_start[SN_SURFACE_COLOURS + 2];
    sn_table recall_table; /* of uint32_t: a hash table of contacts of the substep before */
    sn_table tangle_table; /* of sn_surface_tangle: of this substep */
    sn_table part_table;   /* of uint32_t, twice, by vertex: see surface_tangles.c */
    sn_table past_table;   /* of sn_surface_past */
    sn_table load_table, load_place_table, load_node_table, joint_table, joint_matrix_table; /* see surface_loads.c */
    sn_surface_before before;                                                                /* for following a tear */
    sn_surface_quiet quiet;
    bool suspect;        /* surfaces may intersect since tangles were last searched for: all of them, */
    bool some_suspect;   /*   or some vertices */
    sn_table told_table; /* of sn_surface_told: of the substeps so far, where events are on */
    /* Counts, for tests and measurements: tears that were followed; searches, lists, looks and rounds of the levels;
       vertices that the guard stopped; and pairs that immovable vertices drove into each other (forced) */
    uint64_t follows, piece_follows, searches, lists, looks, rounds, stops, forced;
} sn_surfaces;

/* With more shells pieces are found anew after a tear. */
#define SN_SURFACE_FEW_SHELLS 256u

struct sn_world;
struct sn_contact_world;

void sn_surfaces_init(sn_surfaces *surfaces);
void sn_surfaces_release(sn_surfaces *surfaces, const sn_allocator *allocator);

/* At the start of a step. SN_ERROR_MEMORY: nothing has changed. */
sn_result sn_surfaces_find(struct sn_world *world, sn_real dt);

/* True if a particle is a vertex of such a skin. After sn_surfaces_find. */
bool sn_surfaces_has(const struct sn_world *world, uint32_t number);

/* True if there is nothing else that could come into contact. */
bool sn_surfaces_are_alone(const struct sn_world *world);

/* Around the passes of a substep, as in particle_contacts.h. False: lost tasks, or contacts.failed. */
bool sn_surfaces_begin(struct sn_world *world, sn_real h);
bool sn_surfaces_pass(struct sn_world *world, sn_real h, sn_real part, sn_real ease);
bool sn_surfaces_bounce(struct sn_world *world, sn_real h, sn_real bounce_above);

/* touch: there are contacts in this substep. push: some of them moved vertices far in the last pass. */
bool sn_surfaces_touch(const struct sn_world *world);
bool sn_surfaces_push(struct sn_world *world, bool *lost);

/* The guard, after everything else: surfaces that were apart at the start of the substep do not intersect at its
   end. */
bool sn_surfaces_guard(struct sn_world *world, sn_real h);

/* After the guard: surfaces gain no energy by contact. False: lost tasks. */
bool sn_surfaces_balance(struct sn_world *world, sn_real h);

/* Records the effects of contacts in the substep, if events are on. False: contacts.failed. */
bool sn_surfaces_tell(struct sn_world *world, sn_real h);

/* pair: the handles of the two sides of a contact, the lower number first; *turned: the one feature is of the second
   of them. point: its position at the start of the substep. */
sn_contact_pair sn_surface_contact_pair(const struct sn_world *world, const sn_surface_contact *contact, bool *turned);
sn_vec3 sn_surface_contact_point(const sn_surfaces *s, const sn_surface_contact *contact);

/* Makes a contact of a candidate, with these weights and this normal. */
sn_surface_contact sn_surface_contact_make(const struct sn_world *world, const sn_surface_candidate *c,
                                           const sn_real weight[4], sn_vec3 normal);

/* Warm start: a contact begins with its impulses of the substep before. They are added to velocities; positions follow
   when they are predicted. */
void sn_surface_contact_warm(struct sn_world *world, sn_surface_contact *contact, const sn_surface_contact *before,
                             sn_real h);

/* velocity, m/s: of the contact point on the one feature relative to that on the other. apart, m: the vector from the
   other point to the one at the end of the substep. */
sn_vec3 sn_surface_contact_velocity(const struct sn_world *world, const sn_surface_contact *contact);
sn_vec3 sn_surface_contact_apart(const struct sn_world *world, const sn_surface_contact *contact, sn_real h);

/* surface_memory.c: warm starts. recall: from the substep before, which had `before` contacts; false: contacts.failed,
   or lost tasks. load: from the step before, at the start of a step. reserve: makes room for what the next step needs.
   These are false when memory runs out. */
bool sn_surface_contacts_recall(struct sn_world *world, sn_surfaces *s, uint32_t before, sn_real h);
bool sn_surface_contacts_load(struct sn_world *world, sn_surfaces *s, sn_real dt);
bool sn_surface_contacts_reserve(struct sn_world *world);

/* remember: when a step has succeeded, keeps the impulses for the next one. hash: of these. */
void sn_surfaces_remember(struct sn_world *world);
uint64_t sn_surfaces_hash(uint64_t hash, const struct sn_contact_world *contact);

/* Integrators that use positions of earlier substeps start again with vertices that were pushed or stopped. */
void sn_surfaces_forget(struct sn_world *world);

/* ---- Shared by the levels ---------------------------------------------------------------------------------------- */

#define SN_SURFACE_LONGER ((sn_real)1.0001) /* factor by which bounds are enlarged, for rounding errors */

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

/* m: sum of the thicknesses of two tiles. */
static inline sn_real surface_thickness(const sn_surfaces *s, const sn_surface_pair *pair)
{
    return surface_skins(s)[surface_tiles(s)[pair->a].skin].thickness +
           surface_skins(s)[surface_tiles(s)[pair->b].skin].thickness;
}

/* surface_strands.c: segments of skins. hold: finds those that take part. measure: their arc lengths along strands.
   cut: makes tiles of them. */
bool sn_surface_strands_hold(struct sn_world *world, bool *changed);
void sn_surface_strands_measure(const struct sn_world *world, sn_surfaces *s);
void sn_surface_strands_cut(const struct sn_world *world, sn_surfaces *s);

/* apart: m, the distance of two edges along their strand. False: they are not on one. */
bool sn_surface_along_strand(const sn_surfaces *s, const sn_surface_candidate *c, sn_real *apart);

/* Lists the corners of a tile whose features are known. marked, place: by vertex; marks: a number that is not in
   `marked`. */
void sn_surface_tile_corners(const struct sn_world *world, sn_surfaces *s, sn_surface_tile *tile, uint32_t *marked,
                             uint8_t *place, uint32_t marks);

/* Bits of sn_surface_motion.suspect. SN_SUSPECT: the vertex may be anywhere. SN_SUSPECT_TANGLED: it was tangled, and
   may have passed through other tangled features. */
enum { SN_SUSPECT = 1, SN_SUSPECT_TANGLED = 2 };

/* surface_tangles.c. find: finds intersections at the start of a substep of h; false: contacts.failed. is_tangled: the
   features of a candidate may pass through each other, because of an intersection. pull: after a pass, pulls
   intersecting surfaces apart. */
bool sn_surface_tangles_find(struct sn_world *world, sn_real h);
bool sn_surface_is_tangled(const sn_surfaces *s, const sn_surface_candidate *c);
void sn_surface_tangles_pull(struct sn_world *world);

/* surface_topology.c: makes features and tiles again if skins were edited. False when memory runs out. */
bool sn_surfaces_make(struct sn_world *world);

/* surface_tiles.c. make: cuts skins into tiles. reserve: makes room for all of them. */
bool sn_surface_tiles_make(struct sn_world *world, sn_surfaces *s);
bool sn_surface_tiles_reserve(struct sn_world *world, sn_surfaces *s);

/* For cutting triangles into new tiles. */
typedef struct sn_surface_cutting {
    sn_surfaces *s;
    uint32_t *order;  /* triangles: those of a part are contiguous */
    uint32_t *queue;  /* of a walk over neighbours */
    uint32_t *part;   /* by triangle: the number of its part, then of its walk */
    uint32_t *marked; /* by vertex */
    uint8_t *place;   /* its index as a corner of the tile */
    uint32_t parts, marks;
} sn_surface_cutting;

sn_surface_cutting sn_surface_cutting_begin(sn_surfaces *s);
void sn_surface_cut(const struct sn_world *world, sn_surface_cutting *cutting, uint32_t first, uint32_t count);

/* Finds the tiles of each shell. */
void sn_surface_tiles_number(sn_surfaces *s);

/* surface_follow.c: if skins have only been torn since features were made, they are updated instead of made again.
   `skins` is the number of skins. begin: finds what has changed. skins: updates features of skins, once there is room.
   tiles: updates tiles, pairs and data of smooth skins, once shells are behind them. False: all must be made again. */
bool sn_surface_follow_begin(struct sn_world *world, sn_surfaces *s, uint32_t skins);
bool sn_surface_follow_skins(struct sn_world *world, sn_surfaces *s);
bool sn_surface_follow_tiles(struct sn_world *world, sn_surfaces *s);
void sn_surface_follow_init(sn_surfaces *s);
void sn_surface_follow_release(sn_surfaces *s, const sn_allocator *allocator);

/* Sides of triangles: side = 3 triangle + index. The key of a side is its two ends, the lower one first. Sides sorted
   by key and then by triangle become edges; b of the first of each is the number of the edge. */
static inline sn_sort_item sn_surface_side(const sn_surfaces *s, uint32_t side)
{
    const sn_surface_triangle *triangle = surface_triangles(s) + side / 3;
    const uint64_t a = triangle->vertex[side % 3], b = triangle->vertex[(side + 1) % 3];
    return (sn_sort_item){.key = a < b ? a << 32 | b : b << 32 | a, .a = side};
}

void sn_surface_sides_join(sn_surfaces *s, const sn_sort_item *item, uint32_t count);

/* The order of contacts is that of vertices and triangles, because numbers of edges depend on past tears: sort by the
   second key, then by the first. Of two edges, that with the lower first vertex is first: sn_surface_turn sees to
   it. */
static inline uint64_t sn_surface_key(const sn_surface_candidate *c, bool second)
{
    const uint32_t *v = c->vertex;
    if (!c->edges)
        return second ? 0 : (uint64_t)c->one << 32 | c->other;
    return second ? (uint64_t)v[2] << 32 | v[3] : UINT64_C(1) << 63 | (uint64_t)v[0] << 32 | v[1];
}

void sn_surface_turn(const sn_surfaces *s, sn_surface_candidate *c);

/* surface_looks.c: the positions and motions of vertices and tiles, at the start and at the end of a substep. */
bool sn_surface_tiles_measure(struct sn_world *world, sn_real h);
bool sn_surface_tiles_measure_ends(struct sn_world *world, sn_real h); /* of tiles with a changed corner */
bool sn_surface_tiles_measure_again(struct sn_world *world,
                                    sn_real h); /* motions of vertices are known, and no shell is near */

/* Searches for pairs of tiles again, if some tile has left its expected space: at the start of a substep of h, with
   additional spare `more` (m); or at its end. */
bool sn_surface_tiles_compare(struct sn_world *world, sn_real h, sn_real more);
bool sn_surface_tiles_compare_ends(struct sn_world *world);

/* Two points whose paths differ by less than this share of their distance keep a share of it; see surface_guard.c. */
#define SN_SURFACE_FIRM ((sn_real)0.77)

/* Paths of features: unknown; by their velocities in h, relative to their mean; or to their ends. */
typedef enum sn_surface_sweep { SN_SURFACE_ALL, SN_SURFACE_BY_VELOCITY, SN_SURFACE_BY_DISPLACEMENT } sn_surface_sweep;

/* surface_sweeps.c: true if boxes around the two features and their paths come within this distance (m). */
bool sn_surface_sweeps_touch(const sn_surfaces *s, const sn_surface_candidate *c, sn_surface_sweep sweep, sn_real h,
                             sn_real by);

/* The same boxes for all features of the tiles that are marked, in sweep_table. False: contacts.failed, or lost
   tasks. */
bool sn_surface_sweeps_take(struct sn_world *world, sn_real h, sn_surface_sweep sweep);

/* Rows of boxes, as in wide/wide.h, of triangles (0), edges (1) or vertices (2) that a tile owns; and the stride of
   such rows. */
sn_real *sn_surface_sweeps_of(const sn_surfaces *s, const sn_surface_tile *tile, uint32_t sort);
uint32_t sn_surface_sweeps_stride(uint32_t count);

/* surface_pairs.c: at the start of a substep of h. After it, all pairs of features that may touch in the substep, or
   have less spare than `more`, are among the candidates of pairs with due_now. */
bool sn_surface_pairs_begin(struct sn_world *world, sn_real h, sn_real more, sn_surface_sweep sweep);

/* At its end: near_table gets the candidates of changed tiles that may have come together. */
bool sn_surface_pairs_end(struct sn_world *world);

/* surface_smooth.c. make: rest shapes of skins, once tiles exist. follow: after a tear, only those of some triangles
   and of new tiles. look: before the pairs in due_table are listed, checks how smooth skins are; false: lost tasks.
   apart: true if all features of a pair that share no corner have more spare than `wanted`; it sets the pair's bounds
   then. rates: measures gradients of all tiles, and how fast these change; false: lost tasks. After that, of pairs that
   were smooth: again: measures their spare again. nearer: m/s, how fast the features approach that are as near as the
   spare is measured for; others, which may approach faster, have more spare in the same ratio. */
void sn_surface_smooth_make(const struct sn_world *world, sn_surfaces *s);
void sn_surface_smooth_follow(const struct sn_world *world, sn_surfaces *s, const uint32_t *triangle, uint32_t count);
bool sn_surface_smooth_look(struct sn_world *world);
bool sn_surface_smooth_apart(const sn_surfaces *s, sn_surface_pair *pair, sn_real wanted);
bool sn_surface_smooth_rates(struct sn_world *world);
void sn_surface_smooth_again(const sn_surfaces *s, sn_surface_pair *pair);
sn_real sn_surface_smooth_nearer(const sn_surfaces *s, const sn_surface_pair *pair);

/* surface_listing.c: lists candidates of the pairs in due_table that are `asked`. False: contacts.failed, or lost
   tasks. */
bool sn_surface_list(struct sn_world *world, sn_real h, sn_real more, sn_surface_sweep sweep);

/* True if a constraint joins the two features, of different skins: then they have no contact. */
bool sn_surface_is_joined(const struct sn_world *world, const sn_surface_candidate *c);

/* surface_narrow_phase.c: the nearest points of two features, from the positions of their four vertices: their distance
   (too large by rounding at most), weights as in sn_surface_contact, and where on the features they are. */
typedef struct sn_surface_nearest_points {
    double distance;
    double weight[4];
    sn_dvec3 apart; /* from the other to the one */
    uint32_t
        inner; /* vertex and triangle: 0 inside, 1 to 3 on an edge, 4 to 6 in a corner; edges: 0 inside both, 1 not */
} sn_surface_nearest_points;

/* A share of the reach: features below this distance must not come nearer. Numbers cannot resolve distances of a
   millionth of the coordinates. */
#define SN_SURFACE_CLOSE ((sn_real)1e-3)

#define SN_SURFACE_EXACT (1 - 1e-6) /* distances are at least this share of the computed values */

sn_surface_nearest_points sn_surface_nearest(bool edges, const sn_dvec3 x[4]);

/* surface_batches.c: candidates that are measured together: all vertex and triangle, or all two edges. */
typedef struct sn_surface_batch {
    bool edges;
    uint32_t count;
    sn_surface_candidate *of[SN_WIDE_COUPLES];
    sn_real low[SN_WIDE_COUPLES];    /* m: lower bounds of their distance at the start of the substep, */
    sn_real inner[SN_WIDE_COUPLES];  /* 0: the nearest points of two edges are at an end of one of them */
    sn_real differ[SN_WIDE_COUPLES]; /* m/s, or m: largest relative velocity or displacement of a vertex of one and a
                                        vertex of the other */
} sn_surface_batch;

/* measure: sets low and inner. compare: sets differ, of velocities or of displacements. reach: sets the reaches of
   candidates, or upper bounds if they are rough. thickness: m, of both; same: they are of one skin. */
void sn_surface_batch_measure(const struct sn_world *world, sn_surface_batch *batch);
void sn_surface_batch_compare(const struct sn_world *world, sn_surface_batch *batch, bool displacements);
void sn_surface_batch_reach(const struct sn_world *world, sn_surface_batch *batch, sn_real thickness, bool same);

/* m: the exact reach. */
sn_real sn_surface_reach(const struct sn_world *world, const sn_surface_candidate *c);

#endif
