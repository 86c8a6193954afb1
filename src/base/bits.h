/* Bits of a number. */
#ifndef SN_BASE_BITS_H
#define SN_BASE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_count(uint64_t bits)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcountll(bits);
#else
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* The eight bytes, each 0 or 1, packed into eight bits. Bit 0 is the first byte. */
static inline uint32_t bits_of_bytes(const void *from)
{
    uint64_t bytes;
    memcpy(&bytes, from, sizeof bytes);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (uint32_t)(bytes * UINT64_C(0x8040201008040201) >> 56);
#else
    return (uint32_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
#endif
}

/* The number of zero bits below the lowest set bit. bits is not 0. */
static inline uint32_t bits_lowest(uint64_t bits)
{
#ifdef __GNUC__
    return (uint32_t)__builtin_ctzll(bits);
#else
    return bits_count((bits & (0 - bits)) - 1);
#endif
}

#endif
