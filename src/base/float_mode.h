/* The floating-point control word. Hosts change it (audio code flushes denormals to zero, some libraries change the
   rounding), and results would change with it. So every public call sets the IEEE default and restores the old word at
   the end (cmake/calls.cmake). Every task on a thread of its own does the same. */
#ifndef SN_BASE_FLOAT_MODE_H
#define SN_BASE_FLOAT_MODE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>

typedef uint32_t sn_float_mode;

/* True if the control word is already the IEEE default. */
SN_INLINE bool float_mode_is_own(void)
{
    return (_mm_getcsr() & 0xffc0u) == 0x1f80u; /* the low six bits are sticky flags */
}

/* Sets rounding to nearest, denormals kept, exceptions masked. Returns the old control word. */
static inline sn_float_mode float_mode_enter(void)
{
    uint32_t before = _mm_getcsr();
    if ((before & 0xffc0u) != 0x1f80u)
        _mm_setcsr(0x1f80u);
    return before;
}

static inline void float_mode_leave(sn_float_mode before)
{
    if ((before & 0xffc0u) != 0x1f80u)
        _mm_setcsr(before);
}

#elif defined(__aarch64__)

typedef uint64_t sn_float_mode;

SN_INLINE bool float_mode_is_own(void)
{
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return !mode;
}

static inline sn_float_mode float_mode_enter(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    if (before)
        __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)));
    return before;
}

static inline void float_mode_leave(sn_float_mode before)
{
    if (before)
        __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else /* WebAssembly has no control word: it is always IEEE */

typedef int sn_float_mode;

SN_INLINE bool float_mode_is_own(void)
{
    return true;
}

static inline sn_float_mode float_mode_enter(void)
{
    return 0;
}

static inline void float_mode_leave(sn_float_mode before)
{
    (void)before;
}

#endif
#endif
