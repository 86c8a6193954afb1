/* Contact events: which contacts began, last and ended. See events.c. */
#ifndef SN_CONTACT_EVENTS_H
#define SN_CONTACT_EVENTS_H

#include "base/memory.h"

#include <sinew/contact.h>

/* Two things in contact: state. Sorted by number, then by `other`, then by sensor. */
typedef struct sn_touching {
    uint32_t number, generation;
    uint32_t other; /* the other particle's number, or SN_IMPULSE_FIXED and the fixed shape's */
    uint32_t other_generation;
    /* of a dynamic body: 1 + twice the number of the sensor among the shapes, plus 1 if it is a shape of `other`; 0: no
       sensor */
    uint32_t sensor;
} sn_touching;

typedef struct sn_contact_events {
    sn_table touching_table; /* of sn_touching, twice: of this step, and of the next */
    sn_table event_table;    /* of sn_contact_event: those of the last step; not state */
    sn_table found_table;    /* of sn_contact_event, and twice of sn_sort_item: scratch */
    uint64_t room;           /* the number of events of the step, besides those of surfaces, for which there is room */
    sn_real impact_above;    /* m/s: of the step */
} sn_contact_events;

struct sn_world;

void sn_contact_events_init(sn_contact_events *events);
void sn_contact_events_release(sn_contact_events *events, const sn_allocator *allocator);

/* Clears the list of things in contact, and all events. */
void sn_contact_events_clear(sn_contact_events *events);

/* Leaves the hash as it is if events are off. */
uint64_t sn_contact_events_hash(uint64_t hash, const struct sn_world *world);

/* Makes room for the events of a step, after its contacts were found. The events of the step before become invalid.
   False when memory runs out. */
bool sn_contact_events_reserve(struct sn_world *world);

/* The same within the step, for `more` contacts of surfaces, of all substeps so far. */
bool sn_contact_events_make_room(struct sn_world *world, uint64_t more);

/* Collects the events at the end of the step. */
void sn_contact_events_collect(struct sn_world *world);

#endif
