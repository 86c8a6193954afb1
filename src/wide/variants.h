/* The kernels compiled for each instruction set, one file each. A function returns NULL where the target, the compiler
   or the build does not have the set. It does not check the machine that runs: choose.c does. */
#ifndef SN_WIDE_VARIANTS_H
#define SN_WIDE_VARIANTS_H

#include "wide/wide.h"

/* 1 if vector extensions are available and allowed. */
#if defined(__GNUC__) && !SINEW_DOUBLE && !defined(SINEW_SCALAR)
#define SN_WIDE_VECTORS 1
#else
#define SN_WIDE_VECTORS 0
#endif

/* The drivers of drive.c and drive_double.c, by vector size. */
sn_wide_drive_fn sn_wide_drive_lanes_0, sn_wide_drive_lanes_16, sn_wide_drive_lanes_32;
sn_wide_drive_fn sn_wide_drive_double_lanes_0, sn_wide_drive_double_lanes_16, sn_wide_drive_double_lanes_32;

const sn_wide *sn_wide_scalar(void);
const sn_wide *sn_wide_lanes4(void); /* SSE2, NEON, the 128-bit vectors of WebAssembly */
const sn_wide *sn_wide_avx2(void);
const sn_wide *sn_wide_avx512(void);

/* From avx512.c: kernels for planes of distances, and whether they exist. */
extern const bool sn_wide_has_16;
sn_wide_fn sn_wide_distance_16, sn_wide_bound_16;
bool sn_wide_predict_16(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows);
bool sn_wide_predict_records_16(const sn_motion *motion);
struct chain;
struct chain_team;
void sn_wide_chain_round_16(struct chain *k, bool turning); /* see chain_turning.h */
void sn_wide_team_round_16(struct chain_team *t);           /* see chain_team_rows.h */
bool sn_wide_settle_16(const sn_motion *motion, float *plane, float *side, uint32_t rows);

/* See rows.h and mending.h. */
void sn_wide_sum_rows_16(const sn_wide_groups *run, uint32_t group, float *sum);
void sn_wide_move_rows_16(const sn_wide_groups *run);
void sn_wide_pull_row_16(const sn_wide_tethers *run, const sn_wide_tether *tether, const float *pins);
sn_wide_fn sn_wide_find_planes_16;

#endif
