/* A 64-bit hash of numbers, not of bytes, so that it does not depend on byte order or padding. */
#ifndef SN_BASE_HASH_H
#define SN_BASE_HASH_H

#include "base/vec.h"

#include <string.h>

#define SN_HASH_SEED UINT64_C(0x5349e3d1c2b4a697)

/* One round: the multiplication by an odd constant spreads bits upwards, the shift brings them back down. */
static inline uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

/* The bits of the number are hashed: 0 and -0 differ, because they may have different futures. */
static inline uint64_t hash_real(uint64_t hash, sn_real value)
{
#if SINEW_DOUBLE
    uint64_t bits;
#else
    uint32_t bits;
#endif
    memcpy(&bits, &value, sizeof bits);
    return hash_u64(hash, bits);
}

static inline uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_u64(hash, bits);
}

static inline uint64_t hash_vec3(uint64_t hash, sn_vec3 value)
{
    return hash_real(hash_real(hash_real(hash, value.x), value.y), value.z);
}

static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; ++text)
        hash = hash_u64(hash, (unsigned char)*text);
    return hash_u64(hash, 0);
}

#endif
