/* Bits of a number. */
#ifndef SN_BASE_BITS_H
#define SN_BASE_BITS_H

#include <stdint.h>

static inline uint32_t bits_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Of a number that has some: how many are 0 below the lowest that is 1. */
static inline uint32_t bits_lowest(uint64_t bits)
{
#ifdef __GNUC__
    return (uint32_t)__builtin_ctzll(bits);
#else
    return bits_count((bits & (0 - bits)) - 1);
#endif
}

#endif
