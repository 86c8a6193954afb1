#include "solvers/solver.h"

static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    return sn_solver_gauss_seidel.reserve(in, allocator);
}

static sn_solver_out solve(const sn_solver_in *in)
{
    return sn_solver_gauss_seidel.solve(in);
}

const sn_solver_method sn_solver_impulses = {.name = "impulses", .reserve = reserve, .solve = solve};
