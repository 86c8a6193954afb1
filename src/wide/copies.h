/* Whether loops have copies for usual cases. */
#ifndef SN_WIDE_COPIES_H
#define SN_WIDE_COPIES_H

#include <sinew/lanes.h>

/* Copies are faster. Where there are vectors, one lane is there to compare with, and has one loop for all cases: 0. */
#define SN_COPIES (SN_VECTOR || !(SN_LANES_16 || SN_LANES_32))

#endif
