/* Comparison of one sphere with many. */
#ifndef SN_COLLISION_NEIGHBOURS_COMPARE_H
#define SN_COLLISION_NEIGHBOURS_COMPARE_H

#include "collision/neighbours_work.h"

#if defined(__SSE2__) && !defined(SINEW_SCALAR) && !SINEW_DOUBLE
#include <emmintrin.h>
#define NEAR_AT_ONCE 4u
#else
#define NEAR_AT_ONCE 1u
#endif

/* Copies a sphere, given its position in the sorted order, into the scratch arrays. */
static inline void near_gather(const near_job *job, near_scratch *s, uint32_t to, uint32_t place, uint32_t id)
{
    const sn_vec4 centre = job->centre[place];
    s->x[to] = centre.x;
    s->y[to] = centre.y;
    s->z[to] = centre.z;
    s->w[to] = centre.w;
    s->id[to] = id;
}

/* With floats and SSE2 four spheres are compared at once, with the same result. near_touch: a bit for each of the
   spheres from b on that overlaps a. near_put: writes them as pairs, and further entries that will be overwritten;
   returns the new end. */
#if NEAR_AT_ONCE == 4

static inline uint32_t near_touch(const near_scratch *s, uint32_t a, uint32_t b)
{
    __m128 x = _mm_sub_ps(_mm_set1_ps(s->x[a]), _mm_loadu_ps(s->x + b));
    __m128 y = _mm_sub_ps(_mm_set1_ps(s->y[a]), _mm_loadu_ps(s->y + b));
    __m128 z = _mm_sub_ps(_mm_set1_ps(s->z[a]), _mm_loadu_ps(s->z + b));
    __m128 reach = _mm_add_ps(_mm_set1_ps(s->w[a]), _mm_loadu_ps(s->w + b));
    __m128 square = _mm_add_ps(_mm_add_ps(_mm_mul_ps(x, x), _mm_mul_ps(y, y)), _mm_mul_ps(z, z));
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps(square, _mm_mul_ps(reach, reach)));
}

/* For each four-bit mask: the set bits as offsets to add to (a, b), and their number. */
/* clang-format off */
static const uint32_t near_bits_set[16][8] = {
    {0}, {0}, {0, 1}, {0, 0, 0, 1}, {0, 2}, {0, 0, 0, 2}, {0, 1, 0, 2}, {0, 0, 0, 1, 0, 2},
    {0, 3}, {0, 0, 0, 3}, {0, 1, 0, 3}, {0, 0, 0, 1, 0, 3}, {0, 2, 0, 3}, {0, 0, 0, 2, 0, 3}, {0, 1, 0, 2, 0, 3},
    {0, 0, 0, 1, 0, 2, 0, 3}};
/* clang-format on */
static const uint8_t near_bits_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

static inline near_pair *near_put(near_pair *to, uint32_t a, uint32_t b, uint32_t found)
{
    const __m128i first = _mm_set_epi32((int)b, (int)a, (int)b, (int)a);
    const uint32_t *add = near_bits_set[found];
    _mm_storeu_si128((__m128i *)to, _mm_add_epi32(first, _mm_loadu_si128((const __m128i *)add)));
    _mm_storeu_si128((__m128i *)(to + 2), _mm_add_epi32(first, _mm_loadu_si128((const __m128i *)(add + 4))));
    return to + near_bits_count[found];
}
#else
static inline uint32_t near_touch(const near_scratch *s, uint32_t a, uint32_t b)
{
    sn_real x = s->x[a] - s->x[b], y = s->y[a] - s->y[b], z = s->z[a] - s->z[b], reach = s->w[a] + s->w[b];
    return x * x + y * y + z * z <= reach * reach;
}

static inline near_pair *near_put(near_pair *to, uint32_t a, uint32_t b, uint32_t found)
{
    *to = (near_pair){a, b};
    return to + found;
}
#endif

/* Pairs beyond the capacity are only counted. */
static inline void near_count(near_scratch *s, uint32_t a, uint32_t first, uint32_t end)
{
    for (uint32_t b = first; b < end; ++b)
        s->pairs += near_touch(s, a, b) & 1;
    s->crowded = true;
}

/* Compares a with first .. end - 1. There is no branch on the overlap of two spheres: it would be mispredicted too
   often. */
static inline void near_compare(near_scratch *s, uint32_t a, uint32_t first, uint32_t end)
{
    near_pair *to = s->pair + s->pairs;
    if (s->pairs > s->pair_capacity || end - first > s->pair_capacity - s->pairs) {
        near_count(s, a, first, end);
        return;
    }
    for (uint32_t b = first; b < end; b += NEAR_AT_ONCE) {
        const uint32_t lanes = end - b < NEAR_AT_ONCE ? end - b : NEAR_AT_ONCE;
        to = near_put(to, a, b, near_touch(s, a, b) & ((1u << lanes) - 1));
    }
    s->pairs = (uint64_t)(to - s->pair);
}

#endif
