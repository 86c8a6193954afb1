/* Whether the kernels of this module use vector instructions. */
#include "wide/variants.h"

__attribute__((export_name("web_vectors"))) int web_vectors(void)
{
    return sn_wide_choose(SN_SIMD_4) != NULL;
}
