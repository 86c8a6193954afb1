/* Which constraints hold a particle. Built when first asked for, kept while it is good enough, so that worlds that
   never remove particles pay nothing. */
#ifndef SN_CONSTRAINTS_INCIDENCE_H
#define SN_CONSTRAINTS_INCIDENCE_H

#include "constraints/store.h"

typedef struct sn_incidence_entry {
    uint32_t kind;
    uint32_t row;
} sn_incidence_entry;

/* One that came later. */
typedef struct sn_incidence_node {
    sn_incidence_entry entry;
    uint32_t next; /* 1 + number of the next one at the particle; 0: none */
} sn_incidence_node;

typedef struct sn_incidence {
    sn_table start_table; /* start[number] .. start[number + 1] are the entries of a particle */
    sn_table entry_table;
    uint32_t sequence;    /* constraints from this sequence number on are not covered */
    uint32_t compactions; /* of the store, when this was built */
    bool built;
    bool follows;        /* tears are followed: what they change is added */
    sn_table head_table; /* of uint32_t, by particle number: 1 + number of the first node; 0: none */
    sn_table node_table; /* of sn_incidence_node */
} sn_incidence;

void sn_incidence_init(sn_incidence *incidence);
void sn_incidence_release(sn_incidence *incidence, const sn_allocator *allocator);

/* Prepares for removals: false when memory runs out. */
bool sn_incidence_prepare(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                          uint32_t particle_count);

/* Whether a constraint joins two particles: looks at all of them. Without an incidence. */
bool sn_store_joins(const sn_store *store, uint32_t a, uint32_t b);

/* The same, and every constraint is covered. */
bool sn_incidence_prepare_all(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                              uint32_t particle_count);

/* Between these two, constraints that hold other particles than before, or are new, are told by sn_incidence_add; none other changes. There is room for so many, where so many
   particle numbers are: false when memory runs out. Without them the index would be built anew, which takes as long as there are constraints. */
bool sn_incidence_reserve(sn_incidence *incidence, const sn_allocator *allocator, uint64_t numbers, uint64_t nodes);
void sn_incidence_begin(sn_incidence *incidence, const sn_store *store);
void sn_incidence_add(sn_incidence *incidence, uint32_t kind, uint32_t row, uint32_t particle);
void sn_incidence_end(sn_incidence *incidence, const sn_store *store);

/* The same as sn_incidence_prepare_all, and what start_table and entry_table say is all there is. */
bool sn_incidence_prepare_exact(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
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
