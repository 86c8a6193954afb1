#include "solvers/solver.h"

#include "solvers/worst_first.h"

const sn_solver_method *const sn_solvers[SN_SOLVER_COUNT] = {
    [SN_SOLVER_GAUSS_SEIDEL] = &sn_solver_gauss_seidel,
    [SN_SOLVER_JACOBI] = &sn_solver_jacobi,
    [SN_SOLVER_IMPULSES] = &sn_solver_impulses,
    [SN_SOLVER_LAGRANGE] = &sn_solver_lagrange,
    [SN_SOLVER_DIRECT] = &sn_solver_direct,
    [SN_SOLVER_TILED] = &sn_solver_tiled,
};

void sn_solver_scratch_init(sn_solver_scratch *scratch)
{
    *scratch = (sn_solver_scratch){0};
    sn_worst_init(&scratch->worst);
    sn_table_column(&scratch->visit_table, sizeof(sn_visit), false);
}

void sn_solver_scratch_release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    for (uint32_t i = 0; i < SN_SOLVER_COUNT; ++i)
        if (sn_solvers[i]->release)
            sn_solvers[i]->release(scratch, allocator);
    sn_worst_release(&scratch->worst, allocator);
    sn_table_release(&scratch->visit_table, allocator);
}
