/* Shared by the files of the search for contacts of bodies: body_broad_phase.c, body_bounds.c and body_make.c only. */
#ifndef SN_CONTACT_BODY_SEARCH_H
#define SN_CONTACT_BODY_SEARCH_H

#include "contact/body_work.h"

/* Whether pairs are kept from step to step (body_broad_phase.c). WebAssembly does without, because its code has to be
   downloaded; the results are the same. */
#ifdef __wasm__
#define SN_KEEPS_PAIRS false
#else
#define SN_KEEPS_PAIRS true
#endif

/* A pair whose boxes overlap, before a contact is made from it. */
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
    bool again, ended;       /* within a step; at the end of a substep */
    atomic_bool too_far;     /* some body is, or may come, beyond SN_CONTACT_REACH */
    atomic_bool outside;     /* some box is outside its enlarged box */
    const sn_bounds *bounds; /* by box */
    const sn_bounds *spans;  /* the same, or enlarged boxes: the items of the trees of awake bodies */
    const uint32_t *body, *part;
    uint32_t boxes;
    const uint32_t *row;  /* by row: its first box */
    const uint32_t *left; /* rows of bodies that left their bounds */
    uint32_t lefts;       /* their number */
    const uint32_t *box;  /* boxes to search for */
    uint32_t sought;      /* their number */
    uint32_t *start;      /* by item of the running loop: the number of pairs found, then the index of the first */
    sn_body_contact_found *to;
    /* the first SPARE pairs of each item, so that most items need no second search; NULL: there is no room */
    sn_body_contact_found *spare;
} sn_body_contact_finding;

enum { SN_TREE_AWAKE, SN_TREE_REST, SN_TREE_STRAY, SN_TREES };

static inline sn_bounds contact_grow(sn_bounds b, sn_real by)
{
    return (sn_bounds){vec3_sub(b.low, vec3(by, by, by)), vec3_add(b.high, vec3(by, by, by))};
}

/* The room for contacts that is made while there are none, so that the first contacts need no allocation. */
#define SN_BODY_CONTACTS_FEW 8u

/* The slot of the body of a box. */
static inline uint32_t contact_slot_of(const sn_body_contact_finding *f, uint32_t at)
{
    return ((const sn_mover *)f->body_contacts->mover_table.column[0])[f->body[at]].slot;
}

/* Fills the table of found pairs, in an order that depends on the world alone (body_broad_phase.c). */
sn_result sn_body_contacts_search(sn_body_contact_finding *f);

/* Makes the boxes of all parts of bodies, and trees of them; within a step, only those of bodies that left their
   bounds. */
sn_result sn_body_contacts_make_boxes(sn_body_contact_finding *f);

#endif
