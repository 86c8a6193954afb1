#include "solvers/solver.h"

static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    (void)in, (void)allocator;
    return true;
}

static sn_solver_out forces(const sn_solver_in *in, const sn_forces_in *given)
{
    (void)in, (void)given;
    return (sn_solver_out){0};
}

const sn_solver_method sn_solver_lagrange = {.name = "lagrange", .reserve = reserve, .forces = forces};
