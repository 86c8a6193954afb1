/* What the search for contact of bodies is made of: meets_find.c and meets_boxes.c only. */
#ifndef SN_WORLD_MEETS_SEARCH_H
#define SN_WORLD_MEETS_SEARCH_H

#include "world/meets_work.h"

/* Two that may meet, by their boxes, before a meet is made of them. */
typedef struct sn_meet_found {
    uint32_t a;     /* box */
    uint32_t other; /* box, slot of a particle, or number of a collider */
    uint32_t type;
} sn_meet_found;

enum { FOUND_PART, FOUND_BALL, FOUND_COLLIDER };

typedef struct sn_meet_finding {
    sn_world *world;
    sn_meets *meets;
    sn_real dt;
    bool again, ended;       /* within a step; when a substep ends */
    atomic_bool too_far;     /* some body is beyond SN_CONTACT_REACH, or may come there */
    const sn_bounds *bounds; /* by box */
    const uint32_t *body, *part;
    uint32_t boxes;
    const uint32_t *row; /* by row: its first box */
    const uint32_t *box; /* those that are searched for, */
    uint32_t sought;     /*   and how many */
    uint32_t *start;     /* by item of the loop that runs: how many it found, then where they begin */
    sn_meet_found *to;
    sn_meet_found
        *spare; /* the first SPARE of each item, so that most need not be looked for twice; NULL: there is no room */
} sn_meet_finding;

enum { SN_TREE_AWAKE, SN_TREE_REST };

static inline sn_bounds meet_grow(sn_bounds b, sn_real by)
{
    return (sn_bounds){vec3_sub(b.low, vec3(by, by, by)), vec3_add(b.high, vec3(by, by, by))};
}

/* The boxes of all parts of bodies, and trees of them. Within a step, those of bodies that left where they were looked for. */
sn_result sn_meets_make_boxes(sn_meet_finding *f);

#endif
