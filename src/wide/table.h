/* All wide kernels at one width: a source that defines SN_VECTOR and includes this file gets the static table
   wide_fused, and can make an sn_wide from it with WIDE_TABLE. */
#ifndef SN_WIDE_TABLE_H
#define SN_WIDE_TABLE_H

#include "wide/chain_team.h"
#include "wide/distance.h"
#include "wide/limits.h"
#include "wide/mending.h"
#include "wide/planes.h"
#include "wide/rows.h"

/* Fused kernels, by kind number. Those for planes are arguments, for avx512.c. */
#define WIDE_FUSED(DISTANCE, BOUND)                                                                                    \
    {                                                                                                                  \
        [SN_KIND_DISTANCE] = {distance_near, distance_far, DISTANCE},                                                  \
        [SN_KIND_DISTANCE_MIN] = {bound_near, bound_far, BOUND},                                                       \
        [SN_KIND_DISTANCE_MAX] = {bound_near, bound_far, BOUND},                                                       \
    }

/* The tables for one lane also exist in builds without wide kernels. */
#if SN_WIDTH == 1
#define MOTION_FUNCTIONS  &sn_motion_scalar
#define CONTACT_FUNCTIONS &sn_contact_scalar
#define NEAR_FUNCTIONS    &sn_near_scalar
#define BODY_FUNCTIONS    &sn_body_contact_scalar
#else
#include "wide/contact.h"
#include "wide/body_clear.h"
#include "wide/nearness.h"

static const sn_wide_near near_functions = NEAR_TABLE;
static const sn_wide_contact contact_functions = {contact_warm_all, contact_project_all, contact_sweep_all,
                                                  contact_plane_all};
static const sn_wide_body_contact_table body_functions = BODY_TABLE;

#define MOTION_FUNCTIONS  &motion_functions
#define CONTACT_FUNCTIONS &contact_functions
#define NEAR_FUNCTIONS    &near_functions
#define BODY_FUNCTIONS    &body_functions
#endif

#define WIDE_TABLE(NAME, FUSED, CHAIN, TEAM_OF, MOTION, PREDICT, SETTLE, ROWS)                                         \
    {                                                                                                                  \
        .name = NAME, .vector = SN_VECTOR, .contact = CONTACT_FUNCTIONS, .near = NEAR_FUNCTIONS,                       \
        .body_contact = BODY_FUNCTIONS, .chain = CHAIN, .team = TEAM_OF, .fused = FUSED, .motion = MOTION,             \
        .spread = motion_spread, .collect = motion_collect, .restore = motion_restore, .enter = motion_enter,          \
        .leave = motion_leave, .enter_past = motion_enter_past, .leave_past = motion_leave_past,                       \
        .predict_planes = PREDICT, .settle_planes = SETTLE, .take_nodes = rows_take, .sweep_limits = limits_sweep,     \
        .tether_lanes = rows_tether_lanes, ROWS                                                                        \
    }

#define WIDE_ROWS(GATHER, MOVE, TETHER, FIND)                                                                          \
    .gather_rows = GATHER, .move_rows = MOVE, .tether_rows = TETHER, .find_too_long = FIND

static const sn_wide_fused wide_fused[SN_FUSED_KINDS] = WIDE_FUSED(distance_planes, bound_planes);

#endif
