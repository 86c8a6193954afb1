/* Times in which surfaces are far from any contact: surface_quiet.c. */
#ifndef SN_CONTACT_SURFACE_QUIET_H
#define SN_CONTACT_SURFACE_QUIET_H

#include "contact/surface_contacts.h"

/* Bounds of a tile while nothing is near anything; see surface_quiet.c. */
typedef struct sn_surface_quiet_tile {
    sn_real away;               /* m: no corner is farther from its expected position, now, */
    sn_real before;             /* and at the last check that succeeded */
    sn_real astir;              /* m/s: no velocity has changed by more since the quiet time began */
    uint32_t first, count;      /* rows in quiet.vertex_table: of its vertices; */
    uint32_t borrowed, borrows; /* in quiet.borrowed_table: of its corners that are vertices of other tiles */
    uint32_t piece;             /* that all its vertices are of; SN_SURFACE_NONE: there are several */
    bool busy, late;            /* it is in a pair that is busy; and only since the end of this substep */
    /* when the quiet time began: as in sn_surface_tile */
    sn_bounds box;
    sn_vec3 velocity;
    sn_real spread, radius;
} sn_surface_quiet_tile;

/* Bounds of two tiles when the quiet time began. */
typedef struct sn_surface_quiet_pair {
    uint32_t a, b;
    /* m, a lower bound of distance minus reach of features that share no corner: of those that are near
       when they are listed, and of the others */
    sn_real spare[2];
    sn_real nearer[2]; /* m/s: upper bounds of their speed of approach, without a common rotation, */
    sn_real differ;    /* m/s: no two velocities differ by more, */
    sn_real turn;      /* rad/s: angular velocity of the first tile */
    bool busy, late;   /* it is looked at as usual; and only since the end of this substep */
} sn_surface_quiet_pair;

/* What is known of a substep. */
typedef enum sn_surface_quiet_kind {
    SN_SURFACE_BUSY,         /* nothing: all is looked at */
    SN_SURFACE_PARTLY_QUIET, /* nothing can touch but features of pairs of tiles that are busy */
    SN_SURFACE_QUIET,        /* nothing can touch */
    SN_SURFACE_LOST          /* contacts.failed, or lost tasks */
} sn_surface_quiet_kind;

/* At the start of a substep: bounds of the speed of approach of features of a pair, and of their spare. ahead: s, for
   which a rough bound is enough. */
sn_surface_quiet_pair sn_surface_pair_quiet(const sn_surfaces *s, const sn_surface_pair *pair, sn_real ahead);

/* surface_quiet.c. begin: at the start of a substep of h; what is busy is known then. end: at its end. What is busy, or
   has become busy by then, has the start and the ends of its vertices. give_up: then, ends a time that is partly quiet:
   all pairs are busy, and have their start. keep: then, what was busy came to an end, too. fall: m, as in
   surface_pairs.c. */
sn_surface_quiet_kind sn_surface_quiet_begin(struct sn_world *world, sn_real h, sn_real fall);
sn_surface_quiet_kind sn_surface_quiet_end(struct sn_world *world, sn_real h);
bool sn_surface_quiet_give_up(struct sn_world *world, sn_real h);
void sn_surface_quiet_keep(struct sn_world *world, sn_real h);

/* At the start of a substep in which all was looked at: if enough of it is quiet, tries to find bounds that hold for
   several substeps. False: contacts.failed, or lost tasks. */
bool sn_surface_quiet_try(struct sn_world *world, sn_real h, sn_real fall);

/* After a substep in which nothing touched: true if no piece can have gained energy. If false, the motions of vertices
   are known, unless tasks were lost. */
bool sn_surface_quiet_rests(struct sn_world *world, bool *lost);

/* After a substep that was partly quiet, once pieces that touch are joined: marks those that cannot have gained
   energy. */
void sn_surface_quiet_mark_resting(struct sn_world *world, sn_surfaces *s);

bool sn_surface_quiet_is_all(const struct sn_world *world); /* in this substep nothing at all is in contact */
bool sn_surface_quiet_reserve(struct sn_world *world, sn_surfaces *s); /* when features are made; false: no memory */
void sn_surface_quiet_slots(sn_surfaces *s); /* finds the slots of vertices, at the start of a step */
void sn_surface_quiet_leave(sn_surfaces *s); /* ends a quiet time: everything is checked again */
void sn_surface_quiet_init(sn_surface_quiet *quiet);

/* Columns of quiet.vertex_table: see sn_surface_quiet. */
enum {
    SN_QUIET_START,
    SN_QUIET_LOW,
    SN_QUIET_SPEED,
    SN_QUIET_END,
    SN_QUIET_FROM,
    SN_QUIET_FROM_SPEED,
    SN_QUIET_FAR,
    SN_QUIET_SLOT,
    SN_QUIET_VERTEX,
    SN_QUIET_ROW
};

/* run: the rows of all vertices, for wide/quiet.h. fill: sets the motions of vertices to the start of the substep; false:
   lost tasks. */
sn_wide_quiet sn_surface_quiet_run(struct sn_world *world, sn_surfaces *s);
bool sn_surface_quiet_fill(struct sn_world *world, sn_surfaces *s);

static inline uint32_t surface_quiet_vertex(const sn_surfaces *s, uint32_t row)
{
    return ((const uint32_t *)s->quiet.vertex_table.column[SN_QUIET_VERTEX])[row];
}

static inline sn_surface_quiet_tile *surface_quiet_tiles(const sn_surfaces *s)
{
    return s->tile_table.column[2];
}

/* True if a tile, or a pair, is left out of this substep, or of what is made up for at its end. */
static inline bool surface_tile_rests(const sn_surfaces *s, uint32_t tile)
{
    const sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[tile];
    return s->quiet.held && !(s->quiet.late ? q->late : q->busy);
}

static inline bool surface_pair_rests(const sn_surfaces *s, uint32_t pair)
{
    const sn_surface_quiet_pair *q = (const sn_surface_quiet_pair *)s->pair_table.column[1] + pair;
    return s->quiet.held && !(s->quiet.late ? q->late : q->busy);
}

#endif
