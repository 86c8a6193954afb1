/* The physics that the engine is checked against: set-ups with a closed-form or independently computed answer. The test
   asserts every record, the scorecard prints them; both run the same code. */
#ifndef SINEW_TESTS_VALIDATION_ROWS_H
#define SINEW_TESTS_VALIDATION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum judgement {
    JUDGE_WITHIN,   /* |measured - expected| <= tolerance */
    JUDGE_AT_MOST,  /* measured <= expected */
    JUDGE_AT_LEAST, /* measured >= expected */
    JUDGE_BELOW,    /* measured < expected, where expected is measured too */
    JUDGE_REPORTED  /* any number: what a method costs is told, and nothing is promised */
} judgement;

/* One number that was measured and what it should be. */
typedef struct record {
    int row;         /* number of the set-up in the table of validation cases; 0: not in it */
    char setup[160]; /* what was measured, in words; unique within a build */
    judgement judge;
    double expected, measured, tolerance;
} record;

typedef struct records {
    record *item;
    size_t count, capacity;
} records;

/* A row runs its set-up and appends what it measured. */
typedef void row_fn(records *out);

typedef struct row {
    int number;
    const char *name;
    row_fn *run;
} row;

/* Those with rigid bodies: body_rows.c */
row_fn rigid_box_on_a_ramp, rigid_sliding_stop, rigid_rebound, free_body, jointed_bodies, body_pendulum,
    chain_of_bodies;

/* Those of rigid contact: contact_rows.c and load_rows.c */
row_fn stack_forces, tipping_box, spinning_top, cradle_of_bodies, bounce_ladder, heavy_on_light;
row_fn loaded_tray, accelerated_platform, slide_to_roll;

/* Those of elastic rods: rod_rows.c */
row_fn elastica, buckling_column, twisted_ring;

/* Those of the textbook: motion_rows.c and machine_rows.c */
row_fn wedge_and_block, ladders, billiards, rolling, turntable_and_belt, blows, pulls_and_bowls, rubbing,
    books_and_beam;
row_fn solid_pendulums, rods_cranks_and_gears, things_that_spin, wires, orbit_and_pulleys;

extern const row validation_rows[];
extern const size_t validation_row_count;

bool record_passes(const record *r);

/* Three cells of a table: what was expected, what was measured, and the tolerance. */
void record_write_expected(const record *r, FILE *file);
void record_write_measured(const record *r, FILE *file);
void record_write_tolerance(const record *r, FILE *file);

void records_free(records *list);

#endif
