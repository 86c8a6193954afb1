/* Transfer between memory, which holds single precision, and lanes of either precision: one number for each lane, or
   records of four numbers. */
#ifndef SN_WIDE_GATHER_H
#define SN_WIDE_GATHER_H

#include "wide/wide.h"

#include <sinew/lanes.h>

#if SN_VECTOR && !SN_LANE_DOUBLE
#include "base/simd.h"
#endif

#if SN_VECTOR
typedef float stored_lanes __attribute__((vector_size(SN_WIDTH * 4)));
typedef float stored_record __attribute__((vector_size(16)));
#endif

/* ---- One number for each lane ------------------------------------------------------------------------------------ */

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

/* Loads slot numbers, and returns the lanes that have one. The number becomes 0 where it is `none`, so that loading it
   is harmless. */
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

/* ---- Planes ------------------------------------------------------------------------------------------------------ */

SN_INLINE lanes3 planes_load3(const float *from)
{
    return (lanes3){lanes_from(from), lanes_from(from + SN_BATCH), lanes_from(from + 2 * SN_BATCH)};
}

/* Adds to the lanes of mask. The summand is first rounded to single precision. The other lanes are unchanged. */
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

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Records of four numbers for each lane:

   - gather4: the records at these indices of an array with elements of `stride` bytes;
   - gather_places: (x - origin) + d of particles, in single precision, and w of x. d NULL: without d;
   - gather_origins: one for each lane, from an array of particles. 0 subtracts nothing;
   - scatter3_add: adds to the records of the lanes of mask; w is unchanged. The summand is first rounded to single
     precision. */

#if SN_VECTOR && !SN_LANE_DOUBLE

typedef records origins;

SN_INLINE lanes4 gather_transpose(records r)
{
    r = records_transpose(r);
    return (lanes4){r.part[0], r.part[1], r.part[2], r.part[3]};
}

SN_INLINE lanes4 gather4(const void *base, size_t stride, const uint32_t *at)
{
    records r;
    for (int i = 0; i < 4; ++i)
#if SN_WIDTH == 8
        r.part[i] = record_pair((const sn_vec4 *)(const void *)((const char *)base + at[i] * stride),
                                (const sn_vec4 *)(const void *)((const char *)base + at[i + 4] * stride));
#else
        memcpy(&r.part[i], (const char *)base + at[i] * stride, sizeof r.part[i]);
#endif
    return gather_transpose(r);
}

SN_INLINE lanes4 gather_places(const sn_vec4 *x, const sn_vec4 *d, const uint32_t *at, const origins *origin)
{
    const records place = records_load_far(x, at);
    records from = records_sub(place, *origin);
    if (d)
        from = records_add(from, records_load_far(d, at));
    return gather_transpose(records_with_w(from, place));
}

SN_INLINE void gather_origins(const sn_vec4 *x, const uint32_t *at, origins *origin)
{
    *origin = records_load_far(x, at);
}

SN_INLINE void scatter3_add(sn_vec4 *base, const uint32_t *at, lanes3 a, uint32_t mask)
{
    const records by = records_transpose((records){{a.x, a.y, a.z, lanes_all(0)}});
    if (mask == SN_ALL_LANES) {
        records_add_to_far(base, at, &by);
        return;
    }
    const records sum = records_add(records_load_far(base, at), by);
    records_store_some_far(base, at, &sum, mask);
}

#elif SN_VECTOR

#define SN_RECORDS (SN_WIDTH < 4 ? 4 : SN_WIDTH)

typedef struct origins {
    stored_record of[SN_RECORDS];
} origins;

/* Transposes four records into four lanes of four numbers, or back. */
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

SN_INLINE lanes4 gather_transpose(stored_record r[4])
{
    stored_lanes all[4];
    transpose4(r);
    for (uint32_t i = 0; i < 4; ++i)
#if SN_WIDTH == 4
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

SN_INLINE lanes4 gather4(const void *base, size_t stride, const uint32_t *at)
{
    stored_record r[SN_RECORDS];
    for (uint32_t l = 0; l < SN_RECORDS; ++l)
        r[l] = record_at(base, stride, at[l % SN_WIDTH]);
    return gather_transpose(r);
}

SN_INLINE lanes4 gather_places(const sn_vec4 *x, const sn_vec4 *d, const uint32_t *at, const origins *origin)
{
    stored_record r[SN_RECORDS];
    for (uint32_t l = 0; l < SN_RECORDS; ++l) {
        const stored_record place = record_at(x, sizeof *x, at[l % SN_WIDTH]);
        r[l] = place - origin->of[l];
        if (d)
            r[l] = r[l] + record_at(d, sizeof *d, at[l % SN_WIDTH]);
        r[l] = __builtin_shufflevector(r[l], place, 0, 1, 2, 7);
    }
    return gather_transpose(r);
}

SN_INLINE void gather_origins(const sn_vec4 *x, const uint32_t *at, origins *origin)
{
    for (uint32_t l = 0; l < SN_RECORDS; ++l)
        origin->of[l] = record_at(x, sizeof *x, at[l % SN_WIDTH]);
}

SN_INLINE void scatter3_add(sn_vec4 *base, const uint32_t *at, lanes3 a, uint32_t mask)
{
    stored_lanes by[3] = {__builtin_convertvector(a.x, stored_lanes), __builtin_convertvector(a.y, stored_lanes),
                          __builtin_convertvector(a.z, stored_lanes)};
    stored_record r[4] = {{0}};
    for (uint32_t i = 0; i < 3; ++i)
#if SN_WIDTH == 4
        r[i] = by[i];
#else
        r[i] = __builtin_shufflevector(by[i], by[i], 0, 1, 0, 1);
#endif
    transpose4(r);
    for (uint32_t l = 0; l < SN_WIDTH; ++l)
        if (mask >> l & 1) {
            const stored_record sum = record_at(base, sizeof *base, at[l]) + r[l];
            memcpy(&base[at[l]], &sum, sizeof sum);
        }
}

#else

typedef struct origins {
    sn_vec4 of;
} origins;

SN_INLINE lanes4 gather4(const void *base, size_t stride, const uint32_t *at)
{
    float r[4];
    memcpy(r, (const char *)base + at[0] * stride, sizeof r);
    return (lanes4){(lanes)r[0], (lanes)r[1], (lanes)r[2], (lanes)r[3]};
}

SN_INLINE lanes4 gather_places(const sn_vec4 *x, const sn_vec4 *d, const uint32_t *at, const origins *origin)
{
    sn_vec4 r = x[at[0]];
    r = (sn_vec4){r.x - origin->of.x, r.y - origin->of.y, r.z - origin->of.z, r.w};
    if (d)
        r = (sn_vec4){r.x + d[at[0]].x, r.y + d[at[0]].y, r.z + d[at[0]].z, r.w};
    return (lanes4){(lanes)r.x, (lanes)r.y, (lanes)r.z, (lanes)r.w};
}

SN_INLINE void gather_origins(const sn_vec4 *x, const uint32_t *at, origins *origin)
{
    origin->of = x[at[0]];
}

SN_INLINE void scatter3_add(sn_vec4 *base, const uint32_t *at, lanes3 a, uint32_t mask)
{
    (void)mask;
    sn_vec4 *to = &base[at[0]];
    to->x += (sn_real)(float)a.x;
    to->y += (sn_real)(float)a.y;
    to->z += (sn_real)(float)a.z;
}

#endif

SN_INLINE lanes3 gather3(const sn_vec4 *base, const uint32_t *at)
{
    lanes4 a = gather4(base, sizeof *base, at);
    return (lanes3){a.x, a.y, a.z};
}

#endif
