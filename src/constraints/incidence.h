/* An index from particles to their constraints. It is built at first use and kept while it is good enough, so that
   worlds that never remove particles pay nothing. */
#ifndef SN_CONSTRAINTS_INCIDENCE_H
#define SN_CONSTRAINTS_INCIDENCE_H

#include "constraints/store.h"

typedef struct sn_incidence_entry {
    uint32_t kind;
    uint32_t row;
} sn_incidence_entry;

/* An entry added later. */
typedef struct sn_incidence_node {
    sn_incidence_entry entry;
    uint32_t next; /* 1 + index of the next node of the particle; 0: none */
} sn_incidence_node;

typedef struct sn_incidence {
    sn_table start_table; /* start[number] .. start[number + 1] - 1 are the entries of a particle */
    sn_table entry_table;
    uint32_t sequence;    /* constraints from this sequence number on are not in the index */
    uint32_t compactions; /* number of compactions of the store when the index was built */
    bool built;
    bool follows;        /* tears are tracked: their changes are added */
    sn_table head_table; /* uint32_t, by particle number: 1 + index of the first node; 0: none */
    sn_table node_table; /* sn_incidence_node */
} sn_incidence;

void sn_incidence_init(sn_incidence *incidence);
void sn_incidence_release(sn_incidence *incidence, const sn_allocator *allocator);

/* Prepares the index for removals. False when memory runs out. */
bool sn_incidence_prepare(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                          uint32_t particle_count);

/* True if a constraint joins two particles. Needs no index: it visits all constraints. */
bool sn_store_joins(const sn_store *store, uint32_t a, uint32_t b);

/* Like sn_incidence_prepare; afterwards every constraint is in the index. */
bool sn_incidence_prepare_all(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                              uint32_t particle_count);

/* Tracking of tears. Between begin and end, constraints that are new or hold other particles than before are reported
   by sn_incidence_add; no others change. reserve makes room for `nodes` such reports and `numbers` particle numbers;
   false when memory runs out. Without tracking the index would be rebuilt, in time proportional to the number of
   constraints. */
bool sn_incidence_reserve(sn_incidence *incidence, const sn_allocator *allocator, uint64_t numbers, uint64_t nodes);
void sn_incidence_begin(sn_incidence *incidence, const sn_store *store);
void sn_incidence_add(sn_incidence *incidence, uint32_t kind, uint32_t row, uint32_t particle);
void sn_incidence_end(sn_incidence *incidence, const sn_store *store);

/* Like sn_incidence_prepare_all; afterwards start_table and entry_table are complete by themselves. */
bool sn_incidence_prepare_exact(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                                uint32_t particle_count);

/* True if a constraint joins two particles, given by their numbers, so that they do not collide. Kinds with any number
   of points do not count. Call it after sn_incidence_prepare_all. It only reads, so several threads may call it. */
bool sn_incidence_joins(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b);

/* The same, also if the constraint lets them collide. */
bool sn_incidence_ties(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b);

/* True if a constraint holds the particle. */
bool sn_incidence_holds(const sn_incidence *incidence, const sn_store *store, uint32_t particle);

/* True if rods from a body to a particle are so short that the particle cannot leave a sphere inside the body. Rods are
   of SN_KIND_DISTANCE and SN_KIND_DISTANCE_MAX. They begin at a point of the body at which another constraint, or the
   first rod, is anchored. a: number of the body's particle. centre, radius: the sphere, in the frame of the body. b:
   number of the particle. */
bool sn_incidence_leashes(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b, sn_vec3 centre,
                          sn_real radius);

/* Removes every constraint that holds the particle with this number. Since sn_incidence_prepare no constraint may have
   been added and the order may not have been compacted. */
void sn_incidence_remove_all(const sn_incidence *incidence, sn_store *store, uint32_t particle);

#endif
