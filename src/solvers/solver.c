#include "solvers/solver.h"

const sn_solver_method *const sn_solvers[SN_SOLVER_COUNT] = {
    [SN_SOLVER_GAUSS_SEIDEL] = &sn_solver_gauss_seidel,
};

void sn_solver_scratch_init(sn_solver_scratch *scratch)
{
    *scratch = (sn_solver_scratch){0};
    sn_table_column(&scratch->table, sizeof(sn_sort_item), false);
    sn_table_column(&scratch->table, sizeof(sn_sort_item), false);
    sn_table_column(&scratch->visit_table, sizeof(sn_visit), false);
}

void sn_solver_scratch_release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    sn_table_release(&scratch->table, allocator);
    sn_table_release(&scratch->visit_table, allocator);
}
