/* Between memory, which holds single precision, and lanes of either precision: one number of each lane after the other, or
   records of four numbers. */
#ifndef SN_WIDE_GATHER_H
#define SN_WIDE_GATHER_H

#include "wide/wide.h"

#include <sinew/lanes.h>

#if SN_VECTOR
typedef float stored_lanes __attribute__((vector_size(SN_WIDTH * 4)));
typedef float stored_record __attribute__((vector_size(16)));
#endif

/* ---- One number of each lane -------------------------------------------------------------------------------------- */

SN_INLINE lanes lanes_from(const float *from)
{
#if SN_VECTOR
    stored_lanes a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, lanes);
#else
    return (lanes)*from;
#endif
}

SN_INLINE void lanes_to(float *to, lanes a)
{
#if SN_VECTOR
    stored_lanes b = __builtin_convertvector(a, stored_lanes);
    memcpy(to, &b, sizeof b);
#else
    *to = (float)a;
#endif
}

/* Numbers of things, and where there is one; the number is 0 where there is `none`, so that another is looked at, in vain. */
SN_INLINE flags slots_or_none(const uint32_t *from, uint32_t none, uint32_t *slot)
{
#if SN_VECTOR
    typedef int32_t numbers __attribute__((vector_size(SN_WIDTH * 4)));
    numbers a;
    memcpy(&a, from, sizeof a);
    const numbers is = a != (int32_t)none - (numbers){0};
    a = a & is;
    memcpy(slot, &a, sizeof a);
    return __builtin_convertvector(is, flags);
#else
    *slot = *from != none ? *from : 0;
    return *from != none ? -1 : 0;
#endif
}

/* ---- Planes ------------------------------------------------------------------------------------------------------- */

SN_INLINE lanes3 planes_load3(const float *from)
{
    return (lanes3){lanes_from(from), lanes_from(from + SN_BATCH), lanes_from(from + 2 * SN_BATCH)};
}

/* Adds to the lanes of mask. What is added is rounded to single precision first. Other lanes keep what they hold. */
SN_INLINE void planes_add(float *to, lanes a, uint32_t mask)
{
    float by[SN_WIDTH], sum[SN_WIDTH];
    lanes_to(by, a);
    for (uint32_t l = 0; l < SN_WIDTH; ++l)
        sum[l] = to[l] + by[l];
    if (mask == SN_ALL_LANES)
        memcpy(to, sum, sizeof sum);
    else
        for (uint32_t l = 0; l < SN_WIDTH; ++l)
            to[l] = mask >> l & 1 ? sum[l] : to[l];
}

SN_INLINE void planes_add3(float *to, lanes3 a, uint32_t mask)
{
    planes_add(to, a.x, mask);
    planes_add(to + SN_BATCH, a.y, mask);
    planes_add(to + 2 * SN_BATCH, a.z, mask);
}

/* ---- Records ------------------------------------------------------------------------------------------------------ */

#if SN_VECTOR
/* Four records become four numbers of four lanes, and the other way round. */
SN_INLINE void transpose4(stored_record r[4])
{
    stored_record ab = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    stored_record AB = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    stored_record cd = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    stored_record CD = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(AB, CD, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);
}
#endif

#if SN_VECTOR
/* Records of eight lanes, or of as many as there are, become lanes. */
SN_INLINE lanes4 records_transpose(stored_record r[8])
{
    stored_lanes all[4];
    transpose4(r);
    if (SN_WIDTH == 8)
        transpose4(r + 4);
    for (uint32_t i = 0; i < 4; ++i) /* in registers: two stores of 16 bytes and a load of 32 wait for each other */
#if SN_WIDTH == 8
        all[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 4, 5, 6, 7);
#elif SN_WIDTH == 4
        all[i] = r[i];
#else
        all[i] = __builtin_shufflevector(r[i], r[i], 0, 1);
#endif
    return (lanes4){__builtin_convertvector(all[0], lanes), __builtin_convertvector(all[1], lanes),
                    __builtin_convertvector(all[2], lanes), __builtin_convertvector(all[3], lanes)};
}

SN_INLINE stored_record record_at(const void *base, size_t stride, uint32_t at)
{
    stored_record r;
    memcpy(&r, (const char *)base + at * stride, sizeof r);
    return r;
}
#endif

/* The records at these places of an array of things of `stride` bytes. */
SN_INLINE lanes4 gather4(const void *base, size_t stride, const uint32_t *at)
{
#if SN_VECTOR
    stored_record r[8];
    for (uint32_t l = 0; l < (SN_WIDTH < 4 ? 4 : SN_WIDTH); ++l)
        r[l] = record_at(base, stride, at[l % SN_WIDTH]);
    return records_transpose(r);
#else
    float r[4];
    memcpy(r, (const char *)base + at[0] * stride, sizeof r);
    return (lanes4){(lanes)r[0], (lanes)r[1], (lanes)r[2], (lanes)r[3]};
#endif
}

/* (x - origin) + d of particles, in single precision, and w of x. NULL: there is no d, or no origin. */
SN_INLINE lanes4 gather_places(const sn_vec4 *x, const sn_vec4 *d, const uint32_t *at, const uint32_t *origin)
{
#if SN_VECTOR
    stored_record r[8];
    for (uint32_t l = 0; l < (SN_WIDTH < 4 ? 4 : SN_WIDTH); ++l) {
        const stored_record place = record_at(x, sizeof *x, at[l % SN_WIDTH]);
        r[l] = place;
        if (origin)
            r[l] = r[l] - record_at(x, sizeof *x, origin[l % SN_WIDTH]);
        if (d)
            r[l] = r[l] + record_at(d, sizeof *d, at[l % SN_WIDTH]);
        if (origin || d)
            r[l] = __builtin_shufflevector(r[l], place, 0, 1, 2, 7);
    }
    return records_transpose(r);
#else
    sn_vec4 r = x[at[0]];
    if (origin)
        r = (sn_vec4){r.x - x[origin[0]].x, r.y - x[origin[0]].y, r.z - x[origin[0]].z, r.w};
    if (d)
        r = (sn_vec4){r.x + d[at[0]].x, r.y + d[at[0]].y, r.z + d[at[0]].z, r.w};
    return (lanes4){(lanes)r.x, (lanes)r.y, (lanes)r.z, (lanes)r.w};
#endif
}

SN_INLINE lanes3 gather3(const sn_vec4 *base, const uint32_t *at)
{
    lanes4 a = gather4(base, sizeof *base, at);
    return (lanes3){a.x, a.y, a.z};
}

/* Adds to the records of the lanes of mask; w stays. What is added is rounded to single precision first. */
SN_INLINE void scatter3_add(sn_vec4 *base, const uint32_t *at, lanes3 a, uint32_t mask)
{
#if SN_VECTOR
    stored_lanes by[3] = {__builtin_convertvector(a.x, stored_lanes), __builtin_convertvector(a.y, stored_lanes),
                          __builtin_convertvector(a.z, stored_lanes)};
    for (uint32_t first = 0; first < SN_WIDTH; first += 4) {
        stored_record r[4] = {{0}};
        for (uint32_t i = 0; i < 3; ++i)
#if SN_WIDTH == 8
            r[i] = first ? __builtin_shufflevector(by[i], by[i], 4, 5, 6, 7)
                         : __builtin_shufflevector(by[i], by[i], 0, 1, 2, 3);
#elif SN_WIDTH == 4
            r[i] = by[i];
#else
            r[i] = __builtin_shufflevector(by[i], by[i], 0, 1, 0, 1);
#endif
        transpose4(r);
        for (uint32_t l = 0; l < 4 && first + l < SN_WIDTH; ++l) {
            stored_record sum;
            if (!(mask >> (first + l) & 1))
                continue;
            memcpy(&sum, &base[at[first + l]], sizeof sum);
            sum = sum + r[l];
            memcpy(&base[at[first + l]], &sum, sizeof sum);
        }
    }
#else
    (void)mask;
    sn_vec4 *to = &base[at[0]];
    to->x += (sn_real)(float)a.x;
    to->y += (sn_real)(float)a.y;
    to->z += (sn_real)(float)a.z;
#endif
}

#endif
