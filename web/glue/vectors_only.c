/* Replaces src/wide/scalar.c, contact_scalar.c, chain_plain.c and the drivers without vectors, most of which a
   module with vectors never runs: a world uses the widest kernels available, and every kind has a formula for
   vectors. Only the last few distances of a batch are solved one by one. A browser without vectors gets another
   module (sinew-scalar.wasm). */
#define SN_VECTOR 0
#include "wide/distance.h"
#include "wide/variants.h"

static const sn_wide_fused fused[SN_FUSED_KINDS] = {
    [SN_KIND_DISTANCE] = {distance_near, distance_far, distance_planes},
    [SN_KIND_DISTANCE_MIN] = {bound_near, bound_far, bound_planes},
    [SN_KIND_DISTANCE_MAX] = {bound_near, bound_far, bound_planes},
};

const sn_wide *sn_wide_scalar(void)
{
    static const sn_wide table = {.name = "scalar", .fused = fused};
    return &table;
}

const sn_wide_contact sn_contact_scalar;
const sn_wide_body_contact_table sn_body_contact_scalar;
const sn_wide_near sn_near_scalar;

/* Every width gives the same bits. */
bool sn_wide_chain_plain(sn_wide_chain *run)
{
    return sn_wide_lanes4()->chain(run);
}

/* A kind without a formula for vectors would need this. There is none: web/build.mjs compiles each kind for both. */
void sn_wide_drive_lanes_0(const sn_wide_run *run, sn_lanes_fn *formula)
{
    (void)run, (void)formula;
    __builtin_trap();
}

void sn_wide_drive_double_lanes_0(const sn_wide_run *run, sn_lanes_fn *formula)
{
    (void)run, (void)formula;
    __builtin_trap();
}
