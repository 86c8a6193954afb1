/* Lanes of single precision (sinew/lanes.h), and particles as they are stored. A source defines SN_VECTOR as 0, 16, 32
   or 64 before it includes this file. A single lane also exists in double precision. */
#ifndef SN_BASE_SIMD_H
#define SN_BASE_SIMD_H

#include "base/vec.h"

#include <sinew/lanes.h>
#if SN_VECTOR >= 32 && defined(__AVX__)
#include <immintrin.h>
#endif

/* For rare or slow code: compiled once, not inlined into every loop. */
#ifdef __clang__
#define SN_APART __attribute__((noinline, unused)) static
#elif defined(__GNUC__)
#define SN_APART __attribute__((noinline, noclone, unused)) static
#else
#define SN_APART static inline
#endif

SN_INLINE flags flags_load(const int32_t *from)
{
    flags a;
    memcpy(&a, from, sizeof a);
    return a;
}

/* ---- Records: vectors of four numbers as particles are stored, one for each lane ------------------------------------

   In memory a particle is x, y, z, w. `records` holds SN_WIDTH particles in this layout, not yet transposed into lanes.
   Sums, differences and stores need no transpose, and the transpose is the costly part. */

#if SN_WIDTH <= 8
typedef struct records {
    lanes part[4]; /* width 1: x, y, z, w. Otherwise particle i; at width 8 also particle i + 4, in the upper half */
} records;

#if SN_WIDTH == 8
SN_INLINE lanes record_pair(const sn_vec4 *a, const sn_vec4 *b)
{
#ifdef __AVX__
    return (lanes)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(&a->x)), _mm_loadu_ps(&b->x), 1);
#else
    lanes r;
    memcpy(&r, a, sizeof *a);
    memcpy((char *)&r + sizeof *a, b, sizeof *b);
    return r;
#endif
}
#endif

/* Loads and stores the records base[index[0 .. SN_WIDTH - 1]]. */
#define RECORDS_FUNCTIONS(suffix, number)                                                                              \
    SN_INLINE records records_load_##suffix(const sn_vec4 *base, const number *index)                                  \
    {                                                                                                                  \
        records r;                                                                                                     \
        RECORDS_LOAD(r, base, index);                                                                                  \
        return r;                                                                                                      \
    }                                                                                                                  \
    SN_INLINE void records_store_##suffix(sn_vec4 *base, const number *index, const records *r)                        \
    {                                                                                                                  \
        RECORDS_STORE(r, base, index);                                                                                 \
    }                                                                                                                  \
    SN_APART void records_scatter_##suffix(sn_vec4 *base, const number *index, const lane_number *all, uint32_t mask)  \
    {                                                                                                                  \
        for (uint32_t i = 0; i < SN_WIDTH; ++i)                                                                        \
            if (mask >> i & 1)                                                                                         \
                memcpy(&base[index[i]], all + 4 * RECORDS_AT(i), sizeof *base);                                        \
    }                                                                                                                  \
    SN_INLINE void records_store_some_##suffix(sn_vec4 *base, const number *index, const records *r, uint32_t mask)    \
    {                                                                                                                  \
        lane_number all[4 * SN_WIDTH];                                                                                 \
        memcpy(all, r, sizeof all);                                                                                    \
        records_scatter_##suffix(base, index, all, mask);                                                              \
    }

#if SN_WIDTH == 1
#define RECORDS_LOAD(r, base, index)  memcpy(&(r), &(base)[(index)[0]], sizeof(r))
#define RECORDS_STORE(r, base, index) memcpy(&(base)[(index)[0]], (r), sizeof *(r))
#define RECORDS_AT(i)                 (i)
#elif SN_WIDTH == 4
#define RECORDS_LOAD(r, base, index)                                                                                   \
    for (int i = 0; i < 4; ++i)                                                                                        \
    memcpy(&(r).part[i], &(base)[(index)[i]], 16)
#define RECORDS_STORE(r, base, index)                                                                                  \
    for (int i = 0; i < 4; ++i)                                                                                        \
    memcpy(&(base)[(index)[i]], &(r)->part[i], 16)
#define RECORDS_AT(i) (i)
#else
#define RECORDS_LOAD(r, base, index)                                                                                   \
    for (int i = 0; i < 4; ++i)                                                                                        \
    (r).part[i] = record_pair(&(base)[(index)[i]], &(base)[(index)[i + 4]])
#define RECORDS_STORE(r, base, index)                                                                                  \
    for (int i = 0; i < 4; ++i) {                                                                                      \
        memcpy(&(base)[(index)[i]], &(r)->part[i], 16);                                                                \
        memcpy(&(base)[(index)[i + 4]], (const char *)&(r)->part[i] + 16, 16);                                         \
    }
#define RECORDS_AT(i) (2 * ((i) % 4) + (i) / 4)
#endif

RECORDS_FUNCTIONS(near, uint16_t)
RECORDS_FUNCTIONS(far, uint32_t)

/* Loads the records at offset `behind` from at[0 .. SN_WIDTH - 1]. */
SN_INLINE records records_load_at(sn_real *const *at, uint32_t behind)
{
    records r;
#if SN_WIDTH == 8
    for (int i = 0; i < 4; ++i)
        r.part[i] = record_pair((const sn_vec4 *)(at[i] + behind), (const sn_vec4 *)(at[i + 4] + behind));
#elif SN_WIDTH == 4
    for (int i = 0; i < 4; ++i)
        memcpy(&r.part[i], at[i] + behind, sizeof(sn_vec4));
#else
    memcpy(&r, at[0] + behind, sizeof r);
#endif
    return r;
}

SN_INLINE void records_store_at(sn_real *const *at, uint32_t behind, const records *r)
{
#if SN_WIDTH == 1
    memcpy(at[0] + behind, r, sizeof *r);
#else
    for (int i = 0; i < SN_WIDTH; ++i)
        memcpy(at[i] + behind, (const char *)r + RECORDS_AT(i) * sizeof(sn_vec4), sizeof(sn_vec4));
#endif
}

#if SN_WIDTH == 4
/* The addresses of the records of four particles. */
#ifdef __wasm_simd128__
SN_INLINE void record_places_of(sn_vec4 *base, v128_t index, sn_vec4 **places)
{
    v128_t at = wasm_i32x4_add(wasm_i32x4_shl(index, 4), wasm_i32x4_splat((int32_t)(uintptr_t)base));
    memcpy(places, &at, sizeof at); /* addresses have 32 bits */
}

SN_INLINE void record_places_near(sn_vec4 *base, const uint16_t *index, sn_vec4 **places)
{
    record_places_of(base, wasm_u32x4_load16x4(index), places);
}

SN_INLINE void record_places_far(sn_vec4 *base, const uint32_t *index, sn_vec4 **places)
{
    record_places_of(base, wasm_v128_load(index), places);
}
#else
SN_INLINE void record_places_near(sn_vec4 *base, const uint16_t *index, sn_vec4 **places)
{
    for (int i = 0; i < 4; ++i)
        places[i] = base + index[i];
}

SN_INLINE void record_places_far(sn_vec4 *base, const uint32_t *index, sn_vec4 **places)
{
    for (int i = 0; i < 4; ++i)
        places[i] = base + index[i];
}
#endif
#endif

/* Adds to records, or subtracts from them, in place. */
#define RECORDS_IN_PLACE(suffix, number)                                                                               \
    SN_INLINE void records_add_to_##suffix(sn_vec4 *base, const number *index, const records *r)                       \
    {                                                                                                                  \
        RECORDS_CHANGE(r, base, index, +, _mm_add_ps);                                                                 \
    }                                                                                                                  \
    SN_INLINE void records_sub_from_##suffix(sn_vec4 *base, const number *index, const records *r)                     \
    {                                                                                                                  \
        RECORDS_CHANGE(r, base, index, -, _mm_sub_ps);                                                                 \
    }

#if SN_WIDTH == 8 && defined(__AVX__)
SN_INLINE __m128 record_half(lanes part, int half)
{
    return half ? _mm256_extractf128_ps((__m256)part, 1) : _mm256_castps256_ps128((__m256)part);
}

#define RECORDS_CHANGE(r, base, index, op, operation)                                                                  \
    for (int i = 0; i < 8; ++i) {                                                                                      \
        float *at = &(base)[(index)[i]].x;                                                                             \
        _mm_storeu_ps(at, operation(_mm_loadu_ps(at), record_half((r)->part[i % 4], i / 4)));                          \
    }
#elif SN_WIDTH == 1
#define RECORDS_CHANGE(r, base, index, op, operation)                                                                  \
    for (uint32_t i = 0; i < 4; ++i)                                                                                   \
    *vec4_part(&(base)[(index)[0]], i) = *vec4_part(&(base)[(index)[0]], i) op(r)->part[i]
#elif SN_WIDTH == 4
#define RECORDS_CHANGE(r, base, index, op, operation)                                                                  \
    for (int i = 0; i < 4; ++i) {                                                                                      \
        float *at = &(base)[(index)[i]].x;                                                                             \
        lanes_store(at, lanes_load(at) op(r)->part[i]);                                                                \
    }
#else
#define RECORDS_CHANGE(r, base, index, op, operation)                                                                  \
    for (int i = 0; i < 4 * SN_WIDTH; ++i) {                                                                           \
        float *at = &(base)[(index)[i / 4]].x + i % 4, by[4 * SN_WIDTH];                                               \
        memcpy(by, (r), sizeof by);                                                                                    \
        *at = *at op by[4 * RECORDS_AT(i / 4) + i % 4];                                                                \
    }
#endif

RECORDS_IN_PLACE(near, uint16_t)
RECORDS_IN_PLACE(far, uint32_t)

SN_INLINE records records_add(records a, records b)
{
    return (records){{a.part[0] + b.part[0], a.part[1] + b.part[1], a.part[2] + b.part[2], a.part[3] + b.part[3]}};
}

SN_INLINE records records_sub(records a, records b)
{
    return (records){{a.part[0] - b.part[0], a.part[1] - b.part[1], a.part[2] - b.part[2], a.part[3] - b.part[3]}};
}

/* Transposes records into lanes or lanes into records: part[0 .. 3] become x, y, z, w, or the reverse. */
SN_INLINE records records_transpose(records r)
{
#if SN_WIDTH == 1
    return r;
#elif SN_WIDTH == 8 && defined(__AVX__)
    __m256 a = (__m256)r.part[0], b = (__m256)r.part[1], c = (__m256)r.part[2], d = (__m256)r.part[3];
    __m256 ab = _mm256_unpacklo_ps(a, b), AB = _mm256_unpackhi_ps(a, b);
    __m256 cd = _mm256_unpacklo_ps(c, d), CD = _mm256_unpackhi_ps(c, d);
    return (records){{(lanes)_mm256_shuffle_ps(ab, cd, 0x44), (lanes)_mm256_shuffle_ps(ab, cd, 0xee),
                      (lanes)_mm256_shuffle_ps(AB, CD, 0x44), (lanes)_mm256_shuffle_ps(AB, CD, 0xee)}};
#elif SN_WIDTH == 4 && defined(__SSE2__)
    __m128 a = (__m128)r.part[0], b = (__m128)r.part[1], c = (__m128)r.part[2], d = (__m128)r.part[3];
    __m128 ab = _mm_unpacklo_ps(a, b), AB = _mm_unpackhi_ps(a, b);
    __m128 cd = _mm_unpacklo_ps(c, d), CD = _mm_unpackhi_ps(c, d);
    return (records){{(lanes)_mm_movelh_ps(ab, cd), (lanes)_mm_movehl_ps(cd, ab), (lanes)_mm_movelh_ps(AB, CD),
                      (lanes)_mm_movehl_ps(CD, AB)}};
#elif SN_WIDTH == 4 && defined(__aarch64__)
    float32x4_t a = (float32x4_t)r.part[0], b = (float32x4_t)r.part[1];
    float32x4_t c = (float32x4_t)r.part[2], d = (float32x4_t)r.part[3];
    float64x2_t ab = (float64x2_t)vzip1q_f32(a, b), AB = (float64x2_t)vzip2q_f32(a, b);
    float64x2_t cd = (float64x2_t)vzip1q_f32(c, d), CD = (float64x2_t)vzip2q_f32(c, d);
    return (records){
        {(lanes)vzip1q_f64(ab, cd), (lanes)vzip2q_f64(ab, cd), (lanes)vzip1q_f64(AB, CD), (lanes)vzip2q_f64(AB, CD)}};
#elif SN_WIDTH == 4 && defined(__wasm_simd128__)
    v128_t a = (v128_t)r.part[0], b = (v128_t)r.part[1], c = (v128_t)r.part[2], d = (v128_t)r.part[3];
    v128_t ab = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), AB = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
    v128_t cd = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), CD = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
    return (records){{(lanes)wasm_i64x2_shuffle(ab, cd, 0, 2), (lanes)wasm_i64x2_shuffle(ab, cd, 1, 3),
                      (lanes)wasm_i64x2_shuffle(AB, CD, 0, 2), (lanes)wasm_i64x2_shuffle(AB, CD, 1, 3)}};
#else
    records t;
    for (int i = 0; i < SN_WIDTH; ++i)
        for (int k = 0; k < 4; ++k)
            t.part[k][i] = r.part[i % 4][k + 4 * (i / 4)];
    return t;
#endif
}

/* The last number of each record, w, in all four components. */
SN_INLINE records records_w(records r)
{
#if SN_WIDTH == 1
    return (records){{r.part[3], r.part[3], r.part[3], r.part[3]}};
#else
    records t;
    for (int i = 0; i < 4; ++i)
#if SN_WIDTH == 8 && defined(__AVX__)
        t.part[i] = (lanes)_mm256_permute_ps((__m256)r.part[i], 0xff);
#elif SN_WIDTH == 4 && defined(__SSE2__)
        t.part[i] = (lanes)_mm_shuffle_ps((__m128)r.part[i], (__m128)r.part[i], 0xff);
#elif SN_WIDTH == 4 && defined(__aarch64__)
        t.part[i] = (lanes)vdupq_laneq_f32((float32x4_t)r.part[i], 3);
#elif SN_WIDTH == 4 && defined(__wasm_simd128__)
        t.part[i] = (lanes)wasm_i32x4_shuffle((v128_t)r.part[i], (v128_t)r.part[i], 3, 3, 3, 3);
#else
        for (int k = 0; k < SN_WIDTH; ++k)
            t.part[i][k] = r.part[i][k | 3];
#endif
    return t;
#endif
}

SN_INLINE records records_mul(records a, records b)
{
    return (records){{a.part[0] * b.part[0], a.part[1] * b.part[1], a.part[2] * b.part[2], a.part[3] * b.part[3]}};
}

/* w of each record is negated. */
SN_INLINE records records_negate_w(records r)
{
#if SN_WIDTH == 1
    r.part[3] = -r.part[3];
#else
    flags sign = {0};
    for (int i = 3; i < SN_WIDTH; i += 4)
        sign[i] = INT32_MIN;
    for (int i = 0; i < 4; ++i)
        r.part[i] = (lanes)((flags)r.part[i] ^ sign);
#endif
    return r;
}

/* x, y and z of a, w of b. */
SN_INLINE records records_with_w(records a, records b)
{
#if SN_WIDTH == 1
    a.part[3] = b.part[3];
#elif SN_WIDTH == 8 && defined(__AVX__)
    for (int i = 0; i < 4; ++i)
        a.part[i] = (lanes)_mm256_blend_ps((__m256)a.part[i], (__m256)b.part[i], 0x88);
#else
    flags last = {0};
    for (int i = 3; i < SN_WIDTH; i += 4)
        last[i] = -1;
    for (int i = 0; i < 4; ++i)
        a.part[i] = lanes_choose(last, b.part[i], a.part[i]);
#endif
    return a;
}
#endif

#endif
