/* In place of src/wide/scalar.c and contact_scalar.c, which a module with vectors never runs: a world asks for the widest kernels
   that there are. A browser without vectors gets another module (sinew-scalar.wasm). */
#include "wide/variants.h"
#include "wide/wide.h"

const sn_wide *sn_wide_scalar(void)
{
    return NULL;
}

const sn_wide_contact sn_contact_scalar;
const sn_wide_body_contact_table sn_body_contact_scalar;
