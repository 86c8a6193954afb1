/* Events of contact: what touches what, and since when. See events.c. */
#ifndef SN_CONTACT_EVENTS_H
#define SN_CONTACT_EVENTS_H

#include "base/memory.h"

#include <sinew/contact.h>

/* Two that touch: state. Sorted by number, then by the other, then by sensor. */
typedef struct sn_touching {
    uint32_t number, generation;
    uint32_t other; /* the other particle's number, or SN_IMPULSE_FIXED and the fixed shape's */
    uint32_t other_generation;
    uint32_t
        sensor; /* of a dynamic body: 1 + twice its number among the shapes, and 1 more if it is of the other; 0: no such */
} sn_touching;

typedef struct sn_contact_events {
    sn_table touching_table; /* of sn_touching, and room for those of the next step */
    sn_table event_table;    /* of sn_contact_event: those of the last step; not state */
    sn_table found_table;    /* of sn_contact_event, and twice of sn_sort_item: scratch */
    uint64_t room;           /* there is room for so many of the step, besides those of surfaces */
    sn_real impact_above;    /* m/s: of the step */
} sn_contact_events;

struct sn_world;

void sn_contact_events_init(sn_contact_events *events);
void sn_contact_events_release(sn_contact_events *events, const sn_allocator *allocator);

/* Forgets what touched, and all events. */
void sn_contact_events_clear(sn_contact_events *events);

/* Does nothing to the hash where events are off. */
uint64_t sn_contact_events_hash(uint64_t hash, const struct sn_world *world);

/* Makes room for the events of a step, after its contacts were found; those of the step before die. False when memory runs
   out. */
bool sn_contact_events_reserve(struct sn_world *world);

/* The same within the step, for so many of surfaces, of all substeps so far. */
bool sn_contact_events_make_room(struct sn_world *world, uint64_t more);

/* Collects them at its end. */
void sn_contact_events_collect(struct sn_world *world);

#endif
