/* Ropes in double precision on machines with AVX2: avx2.c is for single precision only. */
#include "wide/wide.h"

#if SINEW_DOUBLE && defined(__AVX2__) && defined(__GNUC__) && !defined(SINEW_SCALAR)
#define SN_VECTOR   0
#define CHAIN_WIDTH 4
#include "wide/chain.h"

bool sn_wide_chain_avx2(sn_wide_chain *run)
{
    return chain_solve(run);
}
#else
bool sn_wide_chain_avx2(sn_wide_chain *run)
{
    return sn_wide_chain_plain(run);
}
#endif
