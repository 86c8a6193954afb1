/* Selects the function that projects a run. */
#include "wide/variants.h"

#include <sinew/lanes.h>

#if SINEW_DOUBLE
void sn_wide_project(const sn_wide *wide, const sn_wide_run *run)
{
    (void)wide, (void)run; /* there are no wide kernels */
}
#else
/* By vector size and precision. */
static sn_wide_drive_fn *const drivers[3][2] = {
    {sn_wide_drive_lanes_0, sn_wide_drive_double_lanes_0},
#if SN_LANES_16
    {sn_wide_drive_lanes_16, sn_wide_drive_double_lanes_16},
#else
    {NULL, NULL},
#endif
#if SN_LANES_32
    {sn_wide_drive_lanes_32, sn_wide_drive_double_lanes_32},
#endif
};

static bool is_fused(const sn_wide_run *run)
{
    return run->number < SN_FUSED_KINDS && !run->anchor;
}

void sn_wide_project(const sn_wide *wide, const sn_wide_run *run)
{
    const sn_kind_lanes *kind = run->kind->lanes;
    if (is_fused(run)) {
        const sn_wide_fused *fused = &wide->fused[run->number];
        (run->plane ? fused->planes : run->near ? fused->near : fused->far)(run);
        return;
    }
    uint32_t size = wide->vector / 16;
    while (size > 0 && !(kind->eval[size] && drivers[size][kind->twice]))
        --size;
    drivers[size][kind->twice](run, kind->eval[size]);
}
#endif
