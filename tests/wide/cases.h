/* Runs of one kind, made at random or by hand, that every test of the wide kernels puts through them. Single precision only. */
#ifndef SINEW_TESTS_WIDE_CASES_H
#define SINEW_TESTS_WIDE_CASES_H

#include "support/support.h"

#include "constraints/table.h"
#include "wide/wide.h"

#define CASE_BATCHES 7u
#define CASE_LANES   (CASE_BATCHES * SN_BATCH)
#define CASE_POINTS  4u
#define CASE_COUNT   (CASE_LANES * CASE_POINTS + 8) /* particles; the last ones belong to nobody */
#define CASE_ROWS    6u
#define CASE_PARAMS  6u
#define CASE_FLOATS  (8 * CASE_BATCHES * SN_ROW + 2 * SN_BATCH) /* of planes */

typedef enum case_layout { CASE_NEAR, CASE_FAR, CASE_PLANES, CASE_LAYOUTS } case_layout;

/* Constraint i is lane i % 8 of batch i / 8. */
typedef struct wide_case {
    uint32_t kind;
    const sn_kind *about;
    uint32_t points, params, rows; /* of the kind */
    double size;                   /* m, about: of the constraints */
    sn_vec4 x[CASE_COUNT], d[CASE_COUNT];
    uint16_t near[CASE_LANES * CASE_POINTS];
    uint32_t far[CASE_LANES * CASE_POINTS];
    uint32_t offset[CASE_BATCHES * CASE_POINTS];
    uint16_t mask[CASE_BATCHES];
    float param[CASE_LANES * CASE_PARAMS];
    float compliance[CASE_LANES], damping[CASE_LANES], stiffness[CASE_LANES];
    sn_vec4 start[CASE_COUNT]; /* of the substep */
    uint32_t row[CASE_LANES];
    float lambda[CASE_LANES * CASE_ROWS];
    bool rigid, read_lambda, write_lambda;
    bool damped, soft; /* damping and stiffness are handed over */
    bool coarse;       /* there is no d: places themselves are moved, and are what comes out as d. Not generic */
    float inverse_h2;
} wide_case;

/* What comes out: d and lambda. */
typedef struct wide_result {
    sn_vec4 d[CASE_COUNT];
    float lambda[CASE_LANES * CASE_ROWS];
    double give[CASE_LANES * CASE_ROWS]; /* generic only: what a multiplier's error is divided by */
} wide_result;

/* Full batches at random places, with parameters that are missed by a fair share of them. Zeroed multipliers, no compliance. */
void case_random(wide_case *c, uint32_t kind, double size, uint64_t *seed);

/* Parameters at random for constraint i as its points are. */
void case_choose_params(wide_case *c, uint32_t i, uint64_t *seed);

/* The particle of a point of a constraint. */
uint32_t case_particle(const wide_case *c, uint32_t i, uint32_t point);
float *case_param(wide_case *c, uint32_t i, uint32_t number);
bool case_is_present(const wide_case *c, uint32_t i);

/* Empties every lane that chance wants: nothing of it is a number then. */
void case_empty_some(wide_case *c, uint64_t *seed);

void case_run(const wide_case *c, const sn_wide *wide, case_layout layout, wide_result *result);

/* The same by the generic row, one constraint after the other. */
void case_run_generic(const wide_case *c, wide_result *result);

/* Kinds that have a wide form, and sn_wide by sn_simd; NULL where this machine has none. */
#define CASE_SIMD_COUNT 5
const sn_wide *case_wide(uint32_t simd);

#endif
