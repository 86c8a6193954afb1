/* Curved wires: plates whose hinges are all of kind `angle`, some with a rest angle. See plates.h.

   A hinge has the energy (|C| - rest)^2 / 2a, nearly, with |C| the angle. Its stiffness is 1/a along the direction d of
   C, and (1 - rest / |C|) / a across it. Below rest that is negative, and counts as 0. So the matrix

       M + sum of h^2 / a k kt (d dt + max(0, 1 - rest / |C|) (1 - d dt))

   has a block of three by three for each pair of particles, and is made anew in every round of a substep. It is
   symmetric, and near the rest shape it is exact. So what a substep does to a wire is a contraction, weighed by masses.
   Rods are another one, and two of these, one after the other, are stable.

   Elimination is that of plates_factor.c with blocks: L D Lt, where D are the blocks of the diagonal. A wire is narrow,
   so that is cheap. */
#include "base/symmetric.h"
#include "solvers/plates.h"

#include <string.h>

typedef double matrix[3][3];

/* Lists the hinges of wires by vertex. */
static void list_hinges(sn_plates *p)
{
    for (uint32_t pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < p->count; ++i)
            for (uint32_t k = p->plate[i].hinge; p->plate[i].wire && k < p->plate[i].hinge + p->plate[i].hinges; ++k)
                for (uint32_t n = 0; n < 3; ++n)
                    if (pass)
                        p->hinge_of[p->hinge_start[p->hinge[k].vertex[n] + 1]++] = k;
                    else
                        p->hinge_start[p->hinge[k].vertex[n] + 2]++;
        for (uint32_t v = 0; v < p->vertices && !pass; ++v)
            p->hinge_start[v + 2] += p->hinge_start[v + 1];
    }
}

void sn_plates_plan_wires(sn_plates *p, const sn_allocator *allocator)
{
    size_t blocks = 0;
    bool any = false;
    for (uint32_t i = 0; i < p->count; ++i) {
        sn_plate *plate = &p->plate[i];
        plate->wire = plate->wire && !plate->too_large;
        if (!plate->wire)
            continue;
        any = true;
        plate->block = blocks;
        for (uint32_t v = plate->vertex; v < plate->vertex + plate->unknowns; ++v)
            blocks += p->filled[v];
    }
    if (!any)
        return;
    p->bend = rooms_take(&p->rooms, allocator, p->hinges, sizeof *p->bend);
    p->block = rooms_take(&p->rooms, allocator, blocks, sizeof *p->block);
    p->inverse = rooms_take(&p->rooms, allocator, p->vertices, sizeof *p->inverse);
    p->cross = rooms_take(&p->rooms, allocator, p->vertices, sizeof *p->cross);
    p->hinge_start = rooms_take(&p->rooms, allocator, (size_t)p->vertices + 2, sizeof *p->hinge_start);
    p->hinge_of = rooms_take(&p->rooms, allocator, 3 * (size_t)p->hinges, sizeof *p->hinge_of);
    if (!p->rooms.failed)
        list_hinges(p);
}

/* The block of a column's entry e, counted as in p->row. */
static double (*block_at(const sn_plates *p, const sn_plate *plate, size_t e))[3]
{
    return p->block[plate->block + e - p->column[plate->vertex]];
}

/* to += by * (along d dt + across (1 - d dt)) */
static void add_bend(matrix to, const sn_plate_bend *bend, double by)
{
    const double d[3] = {bend->direction.x, bend->direction.y, bend->direction.z};
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < 3; ++k)
            to[i][k] += by * (bend->along - bend->across) * d[i] * d[k];
        to[i][i] += by * bend->across;
    }
}

/* The row of a particle in the matrix, up to its diagonal. */
static void fill_row(const sn_plates *p, uint32_t v, matrix diagonal)
{
    memset(diagonal, 0, sizeof(matrix));
    for (uint32_t k = p->near_start[v]; k < p->near_start[v + 1]; ++k)
        memset(p->cross[p->near[k]], 0, sizeof(matrix));
    for (uint32_t i = 0; i < 3; ++i)
        diagonal[i][i] = p->mass[v];
    for (uint32_t i = p->hinge_start[v]; i < p->hinge_start[v + 1]; ++i) {
        const sn_plate_hinge *hinge = &p->hinge[p->hinge_of[i]];
        const double own = hinge->vertex[0] == v ? hinge->k[0] : hinge->vertex[1] == v ? hinge->k[1] : hinge->k[2];
        for (uint32_t n = 0; n < 3; ++n)
            if (hinge->vertex[n] <= v)
                add_bend(hinge->vertex[n] == v ? diagonal : p->cross[hinge->vertex[n]], &p->bend[p->hinge_of[i]],
                         own * hinge->k[n]);
    }
}

/* to -= a bt */
static void subtract_product(double (*to)[3], double (*a)[3], double (*b)[3])
{
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            to[i][k] -= a[i][0] * b[k][0] + a[i][1] * b[k][1] + a[i][2] * b[k][2];
}

/* to = a m, with a row a and a symmetric matrix m. */
static void multiply(double *to, const double *a, const double m[6])
{
    to[0] = a[0] * m[0] + a[1] * m[3] + a[2] * m[4];
    to[1] = a[0] * m[3] + a[1] * m[1] + a[2] * m[5];
    to[2] = a[0] * m[4] + a[1] * m[5] + a[2] * m[2];
}

static void factor(const sn_plates *p, const sn_plate *plate)
{
    const uint32_t end = plate->vertex + plate->unknowns;
    for (uint32_t v = plate->vertex; v < end; ++v) {
        p->filled[v] = 0;
        p->seen[v] = SN_PLAN_NONE;
        memset(p->cross[v], 0, sizeof(matrix));
    }
    for (uint32_t v = plate->vertex; v < end; ++v) {
        matrix diagonal;
        fill_row(p, v, diagonal);
        for (uint32_t i = sn_plates_reach(p, plate, v); i < end; ++i) {
            const uint32_t j = p->stack[i];
            const size_t first = p->column[j], last = first + p->filled[j]++;
            double(*own)[3] = block_at(p, plate, last);
            for (uint32_t k = 0; k < 3; ++k)
                multiply(own[k], p->cross[j][k], p->inverse[j]);
            for (size_t e = first; e < last; ++e)
                subtract_product(p->cross[p->row[e]], p->cross[j], block_at(p, plate, e));
            subtract_product(diagonal, p->cross[j], own);
            p->row[last] = v;
            memset(p->cross[j], 0, sizeof(matrix));
        }
        const double whole[6] = {diagonal[0][0], diagonal[1][1], diagonal[2][2],
                                 diagonal[0][1], diagonal[0][2], diagonal[1][2]};
        symmetric_inverse(whole, p->inverse[v]);
    }
}

void sn_plates_solve_wire(const sn_plates *p, const sn_plate *plate, double (*x)[4])
{
    const uint32_t end = plate->vertex + plate->unknowns;
    factor(p, plate);
    for (uint32_t v = plate->vertex; v < end; ++v)
        for (size_t e = p->column[v]; e < p->column[v] + p->filled[v]; ++e) {
            double(*m)[3] = block_at(p, plate, e), *to = x[p->row[e]];
            for (uint32_t i = 0; i < 3; ++i)
                to[i] -= m[i][0] * x[v][0] + m[i][1] * x[v][1] + m[i][2] * x[v][2];
        }
    for (uint32_t v = end; v-- > plate->vertex;) {
        const double a[3] = {x[v][0], x[v][1], x[v][2]};
        multiply(x[v], a, p->inverse[v]);
        for (size_t e = p->column[v]; e < p->column[v] + p->filled[v]; ++e) {
            double(*m)[3] = block_at(p, plate, e), *from = x[p->row[e]];
            for (uint32_t i = 0; i < 3; ++i)
                x[v][i] -= m[0][i] * from[0] + m[1][i] * from[1] + m[2][i] * from[2];
        }
    }
}
