/* All wide kernels at one width: a source that defines SN_WIDTH and includes this file has the static table wide_kinds, and
   can make an sn_wide of it with WIDE_TABLE. */
#ifndef SN_WIDE_TABLE_H
#define SN_WIDE_TABLE_H

#include "wide/chain.h"
#include "wide/contact.h"
#include "wide/distance.h"
#include "wide/meet.h"
#include "wide/planes.h"
#include "wide/points.h"
#include "wide/shapes.h"

#define WIDE_LINE_PLANES(name, POINTS, PARAMS, ROWS, PLANES)                                                           \
    .points = POINTS, .params = PARAMS, .rows = ROWS, .near = name##_near, .far = name##_far, .planes = PLANES

#define WIDE_LINE(name, POINTS, PARAMS, ROWS) WIDE_LINE_PLANES(name, POINTS, PARAMS, ROWS, name##_planes)

/* By kind number; distances in planes are given, for avx512.c. */
#define WIDE_KINDS(DISTANCE, DISTANCE_MIN, DISTANCE_MAX)                                                               \
    {                                                                                                                  \
        [SN_KIND_DISTANCE] = {WIDE_LINE_PLANES(distance, 2, 1, 1, DISTANCE)},                                          \
        [SN_KIND_DISTANCE_MIN] = {WIDE_LINE_PLANES(distance_min, 2, 1, 1, DISTANCE_MIN)},                              \
        [SN_KIND_DISTANCE_MAX] = {WIDE_LINE_PLANES(distance_max, 2, 1, 1, DISTANCE_MAX)},                              \
        [SN_KIND_DISTANCE_BAND] = {WIDE_LINE(distance_band, 2, 2, 2), .rigid_only = true},                             \
        [SN_KIND_PIN] = {WIDE_LINE(pin, 1, 3, 3)}, [SN_KIND_ATTACHMENT] = {WIDE_LINE(attachment, 2, 0, 3)},            \
        [SN_KIND_HALF_SPACE] = {WIDE_LINE(half_space, 1, 6, 1), .spatial = true},                                      \
        [SN_KIND_BOX] = {WIDE_LINE(box, 1, 6, 6), .rigid_only = true},                                                 \
        [SN_KIND_VOLUME] = {WIDE_LINE(volume, 4, 1, 1)}, [SN_KIND_ANGLE] = {WIDE_LINE(angle, 3, 1, 1)},                \
        [SN_KIND_ANGLE_MIN] = {WIDE_LINE(angle_min, 3, 1, 1)}, [SN_KIND_ANGLE_MAX] = {WIDE_LINE(angle_max, 3, 1, 1)},  \
        [SN_KIND_DIHEDRAL] = {WIDE_LINE(dihedral, 4, 1, 1)}, [SN_KIND_BENDING] = {WIDE_LINE(bending, 4, 3, 3)},        \
    }

static const sn_wide_contact contact_functions = {contact_warm_all, contact_project_all, contact_sweep_all,
                                                  contact_plane_all};

static const sn_wide_meet_table meet_functions = MEET_TABLE;

#if SN_WIDTH == 1
#define MOTION_FUNCTIONS &sn_motion_scalar
#else
#define MOTION_FUNCTIONS &motion_functions
#endif

#define WIDE_TABLE(NAME, KINDS, CHAIN, PREDICT, SETTLE)                                                                \
    {                                                                                                                  \
        .name = NAME, .contact = &contact_functions, .meet = &meet_functions, .chain = CHAIN, .kind = KINDS,           \
        .motion = MOTION_FUNCTIONS, .spread = motion_spread, .collect = motion_collect, .enter = motion_enter,         \
        .leave = motion_leave, .enter_past = motion_enter_past, .leave_past = motion_leave_past,                       \
        .predict_planes = PREDICT, .settle_planes = SETTLE                                                             \
    }

static const sn_wide_kind wide_kinds[SN_KIND_BUILTIN_END] =
    WIDE_KINDS(distance_planes, distance_min_planes, distance_max_planes);

#endif
