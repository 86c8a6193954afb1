/* Selects the kernels: by what was compiled and by the machine's features. */
#include "wide/variants.h"

/* __builtin_cpu_supports also checks that the operating system saves the registers. */
#if defined(__GNUC__) && !defined(SINEW_SCALAR) && (defined(__x86_64__) || defined(__i386__))
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#else
static bool has_avx2(void)
{
    return false;
}

static bool has_avx512(void)
{
    return false;
}
#endif

const sn_wide *sn_wide_choose(sn_simd simd)
{
    const sn_wide *wide = NULL;
    switch (simd) {
    case SN_SIMD_SCALAR:
        return sn_wide_scalar();
    case SN_SIMD_4:
        return sn_wide_lanes4();
    case SN_SIMD_8:
        return has_avx2() ? sn_wide_avx2() : NULL;
    case SN_SIMD_16:
        return has_avx512() ? sn_wide_avx512() : NULL;
    case SN_SIMD_AUTO:
        for (int widest = SN_SIMD_16; !wide && widest >= SN_SIMD_SCALAR; --widest)
            wide = sn_wide_choose((sn_simd)widest);
    }
    return wide;
}

sn_wide_chain_fn *sn_wide_choose_chain(void)
{
    return has_avx2() ? sn_wide_chain_avx2 : sn_wide_chain_plain;
}
