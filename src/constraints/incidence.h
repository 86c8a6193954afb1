/* Which constraints hold a particle. Built when first asked for, kept while it is good enough, so that worlds that
   never remove particles pay nothing. */
#ifndef SN_CONSTRAINTS_INCIDENCE_H
#define SN_CONSTRAINTS_INCIDENCE_H

#include "constraints/store.h"

typedef struct sn_incidence_entry {
    uint32_t kind;
    uint32_t row;
} sn_incidence_entry;

typedef struct sn_incidence {
    sn_table start_table; /* start[number] .. start[number + 1] are the entries of a particle */
    sn_table entry_table;
    uint32_t sequence;    /* constraints from this sequence number on are not covered */
    uint32_t compactions; /* of the store, when this was built */
    bool built;
} sn_incidence;

void sn_incidence_init(sn_incidence *incidence);
void sn_incidence_release(sn_incidence *incidence, const sn_allocator *allocator);

/* Prepares for removals: false when memory runs out. */
bool sn_incidence_prepare(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                          uint32_t particle_count);

/* Whether a constraint of a particle also holds one that is wanted. */
typedef bool sn_incidence_wants(const void *context, uint32_t other);
bool sn_incidence_reaches(const sn_incidence *incidence, const sn_store *store, uint32_t particle,
                          sn_incidence_wants *wants, const void *context);

/* Whether a constraint joins two particles: looks at all of them. Without an incidence. */
bool sn_store_joins(const sn_store *store, uint32_t a, uint32_t b);

/* The same, and every constraint is covered. */
bool sn_incidence_prepare_all(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                              uint32_t particle_count);

/* Whether a constraint joins two particles, given by their numbers; those with any number of points do not count. After
   sn_incidence_prepare_all. Only reads, so that several threads may ask. */
bool sn_incidence_joins(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b);

/* Whether rods lead from a body to a particle that are so short that it cannot leave a sphere inside the body: those of SN_KIND_DISTANCE and
   SN_KIND_DISTANCE_MAX, from a spot of the body where another constraint, or the first rod, holds it. a: the number of the body's particle,
   whose frame `centre` is in, of a sphere of this radius; b: that of the particle. */
bool sn_incidence_leashes(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b, sn_vec3 centre,
                          sn_real radius);

/* Removes every constraint that holds the particle of this number. Since sn_incidence_prepare nothing was added, and
   the order was not compacted. */
void sn_incidence_remove_all(const sn_incidence *incidence, sn_store *store, uint32_t particle);

#endif
