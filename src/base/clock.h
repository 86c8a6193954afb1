/* Wall time, for reports only: nothing in a result depends on it. */
#ifndef SN_BASE_CLOCK_H
#define SN_BASE_CLOCK_H

/* Seconds since some fixed moment. Never decreases. */
double sn_clock(void);

#endif
