/* Ropes without the other wide kernels: also in double precision. */
#define SN_VECTOR 0
#if defined(__GNUC__) && !defined(SINEW_SCALAR)
#define CHAIN_WIDTH 2
#endif
#include "wide/chain.h"

bool sn_wide_chain_plain(sn_wide_chain *run)
{
    return chain_solve(run);
}
