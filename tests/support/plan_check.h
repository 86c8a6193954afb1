#ifndef SINEW_TESTS_PLAN_CHECK_H
#define SINEW_TESTS_PLAN_CHECK_H

#include "solvers/plan.h"

/* Whether the plan contains every constraint once and fulfils the description in solvers/plan.h. Writes the first error
   to message. */
bool support_check_plan(const sn_plan *plan, const sn_store *store, const sn_plan_particles *particles, char *message,
                        size_t size);

#endif
