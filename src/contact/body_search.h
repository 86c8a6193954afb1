/* What the search for contact of bodies is made of: body_broad_phase.c, body_bounds.c and body_make.c only. */
#ifndef SN_CONTACT_BODY_SEARCH_H
#define SN_CONTACT_BODY_SEARCH_H

#include "contact/body_work.h"

/* Whether pairs are kept from step to step (body_broad_phase.c). WebAssembly has to be fetched, and does without: the same is found. */
#ifdef __wasm__
#define SN_KEEPS_PAIRS false
#else
#define SN_KEEPS_PAIRS true
#endif

/* Two that may touch, by their boxes, before a contact is made of them. */
typedef struct sn_body_contact_found {
    uint32_t a;     /* box */
    uint32_t other; /* box, slot of a particle, or number of a fixed shape */
    uint32_t type;
} sn_body_contact_found;

enum { FOUND_PART, FOUND_BALL, FOUND_FIXED };

typedef struct sn_body_contact_finding {
    sn_world *world;
    sn_body_contacts *body_contacts;
    sn_real dt;
    bool again, ended;       /* within a step; when a substep ends */
    atomic_bool too_far;     /* some body is beyond SN_CONTACT_REACH, or may come there */
    atomic_bool outside;     /* some box is not in its wide one */
    const sn_bounds *bounds; /* by box */
    const sn_bounds *spans;  /* the same, or wide ones: what trees of those that are awake are made of */
    const uint32_t *body, *part;
    uint32_t boxes;
    const uint32_t *row;  /* by row: its first box */
    const uint32_t *left; /* rows of bodies that left, */
    uint32_t lefts;       /*   and how many */
    const uint32_t *box;  /* those that are searched for, */
    uint32_t sought;      /*   and how many */
    uint32_t *start;      /* by item of the loop that runs: how many it found, then where they begin */
    sn_body_contact_found *to;
    sn_body_contact_found
        *spare; /* the first SPARE of each item, so that most need not be looked for twice; NULL: there is no room */
} sn_body_contact_finding;

enum { SN_TREE_AWAKE, SN_TREE_REST, SN_TREE_STRAY, SN_TREES };

static inline sn_bounds contact_grow(sn_bounds b, sn_real by)
{
    return (sn_bounds){vec3_sub(b.low, vec3(by, by, by)), vec3_add(b.high, vec3(by, by, by))};
}

/* Room for so many contacts is made when there are none yet, so that the first ones need not ask for it. */
#define SN_BODY_CONTACTS_FEW 8u

/* The slot of the body of a box. */
static inline uint32_t contact_slot_of(const sn_body_contact_finding *f, uint32_t at)
{
    return ((const sn_mover *)f->body_contacts->mover_table.column[0])[f->body[at]].slot;
}

/* Fills the table of what was found, in an order that depends on the world alone (body_broad_phase.c). */
sn_result sn_body_contacts_search(sn_body_contact_finding *f);

/* The boxes of all parts of bodies, and trees of them. Within a step, those of bodies that left where they were looked for. */
sn_result sn_body_contacts_make_boxes(sn_body_contact_finding *f);

#endif
