/* The driver for kinds that compute in double precision. Compiled once for each vector size. */
#define SN_LANE_DOUBLE 1
#include "wide/variants.h"

#if !SINEW_DOUBLE
#include "wide/drive.h"

void SN_LANES_NAME(sn_wide_drive_double, SN_VECTOR)(const sn_wide_run *run, sn_lanes_fn *formula)
{
    drive(run, formula);
}
#endif
