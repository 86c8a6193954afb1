/* Pseudo-random numbers, the same for the same seed on every machine. */
#ifndef SN_SCENE_CHANCE_H
#define SN_SCENE_CHANCE_H

#include <stdint.h>

/* A number from -1 to 1: the upper 53 bits of splitmix64. */
static inline double sn_chance(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) / 4503599627370496.0 - 1;
}

#endif
