/* Bodies that hang together by joints; see articulations.c. */
#ifndef SN_WORLD_ARTICULATIONS_H
#define SN_WORLD_ARTICULATIONS_H

#include "base/memory.h"

#include <stdbool.h>

/* Derived. */
typedef struct sn_articulations {
    sn_table held_table; /* of sn_visit: constraints that hold bodies, after so many changes of the store: */
    uint64_t changes;
    bool found;
    sn_table
        row_table; /* by row of a body: uint32_t, on the way to the first of its articulation; and what is known of that one */
    sn_table member_table; /* of those that are limited in this step: see articulations.c */
    sn_table first_table;  /* of uint32_t: where an articulation begins in these; the next one follows */
    uint32_t count;        /* of them */
} sn_articulations;

void sn_articulations_init(sn_articulations *articulations);
void sn_articulations_release(sn_articulations *articulations, const sn_allocator *allocator);

#endif
