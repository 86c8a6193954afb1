/* Ropes: direct solution of a row of rods. It is cut into eight stretches of the same length, one in each lane,
   whatever the width of the machine.

   There are n + 1 particles; x_p is the displacement of particle p. Link i is between particles i and i + 1, n_i is its
   direction from i + 1 to i, and C_i = length - rest. The gradient is n_i for i and -n_i for i + 1. n_i has length 1 up
   to rounding: q = |n|^2.

   Without turning (links keep their directions in the solve). lambda solves the tridiagonal system A lambda = -C,

       A_ii = (w_i + w_i+1) q (1 + soft),     A_i,i+1 = -k_i,  k_i = w_i+1 n_i . n_i+1.

   With turning (the rotation of tense links adds a spring kappa across them, see solvers/forest_solve.c), the links'
   forces F_i (on i, and -F_i on i + 1) have three components each:

       x_i = w_i (F_i - F_i-1),     z_i = x_i - x_i+1,
       F = -kappa P z + n lambda,   P = I - n n^T / q,     n . z + a lambda = r,

   so that lambda = n . F / q, P z = -P F / kappa, and z = -P F / kappa + n (r - a lambda) / q. Inserted into the
   equation for z, this is

       D_i F_i - w_i F_i-1 - w_i+1 F_i+1 = n r / q,
       D_i = (w_i + w_i+1 + 1 / kappa) I + (a / q^2 - 1 / (kappa q)) n n^T:

   tridiagonal again, with symmetric 3 x 3 blocks, coupled by scalars. Where kappa is 0, F must be along n; a tiny kappa
   achieves that well enough.

   Both systems are positive definite, so rows may be eliminated in any order. First all links of a stretch except its
   last are eliminated, from first to last, in all stretches at once. Then the eight last links, the joints, each of
   which is coupled to the next. An eliminated link is coupled to two others: the next link, and, more and more weakly,
   the joint before its stretch. The order, and so the result, depends only on the number of links. Everything is in
   double.

   Link i of a stretch is in row i, as is the particle before it. The particle after the last link has a row of its own,
   and is also in the first row of the next stretch. Where the number of links is not a multiple of eight, the last
   stretches are filled with links that are uncoupled and satisfied. */
#ifndef SN_WIDE_CHAIN_H
#define SN_WIDE_CHAIN_H

#include "base/simd.h"
#ifndef CHAIN_WIDTH
#define CHAIN_WIDTH (SN_WIDTH > 1 ? SN_WIDTH / 2 : 1)
#endif
#include "wide/chain_turning.h"

/* If a link is shorter than the inverse of this, or its error larger than this, in m, the fast solver is not used: the
   squares of the coordinates may leave the range of normal numbers. */
#define CHAIN_USUAL ((sn_real)1e15)

typedef void chain_round_fn(struct chain *k, bool turning);

/* The address of a column of link i, or of the particle before it. */
static sn_real *chain_link(const chain *k, uint32_t column, uint32_t i)
{
    return k->run->real + (size_t)(i % k->rows) * REAL_ROW + column * STRETCHES + i / k->rows;
}

/* ---- Filling in -------------------------------------------------------------------------------------------------- */

/* Directions, errors and 1 / length for a row of links. line: their vectors. */
SN_INLINE void chain_measure(sn_real *real, const sn_real *rest, lanes3 line, lanes *most_turn, lanes *most_missed)
{
    const lanes length = lanes_sqrt(lanes3_dot(line, line)), turn = lanes_all(1) / length,
                missed = length - lanes_load(rest);
    lanes_store(real + NX * STRETCHES, line.x * turn);
    lanes_store(real + NY * STRETCHES, line.y * turn);
    lanes_store(real + NZ * STRETCHES, line.z * turn);
    lanes_store(real + MISSED * STRETCHES, missed);
    lanes_store(real + TURN * STRETCHES, turn);
    lanes_store(real + LAMBDA0 * STRETCHES, lanes_all(0));
    *most_turn = lanes_max(lanes_abs(turn), *most_turn); /* NaN is not detected here: its pivot is NaN, too */
    *most_missed = lanes_max(lanes_abs(missed), *most_missed);
}

/* Loads particles by their slots, which may be consecutive (together). */
SN_INLINE records chain_records(const sn_vec4 *from, const uint32_t *slot, bool together)
{
#if SN_WIDTH == 8
    const sn_vec4 *at = from + slot[0];
    if (together)
        return (records){{lanes_load(&at[0].x), lanes_load(&at[2].x), lanes_load(&at[4].x), lanes_load(&at[6].x)}};
#endif
    (void)together;
    return records_load_far(from, slot);
}

/* Takes the difference of positions first, as evaluate() does: far from the origin the remainders matter. */
SN_INLINE void chain_gather_lanes(const chain *k, uint32_t first, bool together, lanes *most_turn, lanes *most_missed)
{
    const sn_vec4 *from_x = k->run->x, *from_d = k->run->d;
    const uint32_t *slot = k->run->slot + first;
    const sn_real *rest = k->run->rest + first;
    sn_real *real = k->run->real + first;
    records x = chain_records(from_x, slot, together), d = chain_records(from_d, slot, together);
    lanes w = records_transpose(x).part[3];
    lanes_store(real + W * STRETCHES, w);
    lanes_store(real + BETWEEN * STRETCHES, w);
    for (uint32_t row = 0; row < k->rows; ++row) {
        slot += STRETCHES;
        const records y = chain_records(from_x, slot, together), e = chain_records(from_d, slot, together);
        const records line = records_sub(d, records_add(records_sub(y, x), e)),
                      turned = records_transpose(records_with_w(line, y));
        chain_measure(real, rest, (lanes3){turned.part[0], turned.part[1], turned.part[2]}, most_turn, most_missed);
        real += REAL_ROW;
        rest += STRETCHES;
        lanes_store(real + W * STRETCHES, turned.part[3]);
        lanes_store(real + BETWEEN * STRETCHES, turned.part[3]);
        x = y;
        d = e;
    }
}

SN_INLINE double chain_largest(lanes a)
{
    lane_number all[SN_WIDTH], most = 0;
    lanes_store(all, a);
    for (uint32_t i = 0; i < SN_WIDTH; ++i)
        most = all[i] > most ? all[i] : most;
    return (double)most;
}

/* Fills the unused links: along x, with their rest length. The particle after such a link is in the next row and, if
   that was the last, also in the first row of the next stretch. BETWEEN, the coupling of neighbouring links, is w of
   the particle between them; 0 at the ends. */
static void chain_fill_up(const chain *k)
{
    const uint32_t n = k->run->links, end = STRETCHES * k->rows;
    sn_real *last = k->run->real + (size_t)k->rows * REAL_ROW;
    *chain_link(k, BETWEEN, 0) = 0;
    for (uint32_t i = n; i < end; ++i) {
        *chain_link(k, NX, i) = 1;
        *chain_link(k, NY, i) = *chain_link(k, NZ, i) = *chain_link(k, MISSED, i) = *chain_link(k, TURN, i) = 0;
        *chain_link(k, BETWEEN, i) = 0;
        if (i > n)
            *chain_link(k, W, i) = 1;
    }
    for (uint32_t s = 0; s < STRETCHES; ++s)
        if ((s + 1) * k->rows >= n)
            last[BETWEEN * STRETCHES + s] = 0;
    for (uint32_t s = 0; s < STRETCHES; ++s)
        if ((s + 1) * k->rows > n)
            last[W * STRETCHES + s] = 1;
}

/* The number of stretches that have a link in this row. */
SN_INLINE uint32_t chain_in_row(const sn_wide_chain *run, uint32_t row)
{
    return run->links / run->rows + (row < run->links % run->rows);
}

/* Reads the accumulated multipliers of the first `count` lanes of a row. */
SN_INLINE void chain_read_row(const chain *k, uint32_t row, uint32_t count)
{
    const uint32_t *at = k->run->row + (size_t)row * STRETCHES;
    sn_real *to = k->run->real + (size_t)row * REAL_ROW + LAMBDA0 * STRETCHES;
    for (uint32_t s = 0; s < count; ++s)
        to[s] = k->run->lambda[at[s]];
}

SN_APART void chain_read_lambda(const chain *k)
{
    for (uint32_t row = 0; row < k->rows; ++row)
        chain_read_row(k, row, chain_in_row(k->run, row));
}

/* Before the solve: the largest violation (m) and the largest 1 / length (1/m) of a link. */
typedef struct chain_before {
    double missed, turn;
} chain_before;

/* Fills in all rows. False if some link is outside the usual range. */
SN_APART bool chain_gather(const chain *k, chain_before *before)
{
    lanes turn = lanes_all(0), missed = lanes_all(0);
    for (uint32_t first = 0; first < STRETCHES; first += SN_WIDTH)
        chain_gather_lanes(k, first, false, &turn, &missed);
    chain_fill_up(k);
    if (!k->run->fresh)
        chain_read_lambda(k);
    before->missed = chain_largest(missed);
    before->turn = chain_largest(turn);
    return before->turn <= (double)CHAIN_USUAL;
}

/* ---- The whole solve --------------------------------------------------------------------------------------------- */

SN_INLINE lanes3 chain_lanes3(const sn_real *real, uint32_t column)
{
    return (lanes3){lanes_load(real + column * STRETCHES), lanes_load(real + (column + 1) * STRETCHES),
                    lanes_load(real + (column + 2) * STRETCHES)};
}

/* The largest of turn |P z|^2 in some lanes of all rows, and of `most`. */
SN_INLINE lanes chain_most_aside(const sn_real *at, uint32_t rows, lanes most)
{
    for (uint32_t row = 0; row < rows; ++row, at += REAL_ROW) {
        const lanes3 n = chain_lanes3(at, NX),
                     displacement = lanes3_sub(chain_lanes3(at, MOVE_X), chain_lanes3(at + REAL_ROW, MOVE_X)),
                     aside = lanes3_sub(displacement, lanes3_scale(n, lanes3_dot(displacement, n)));
        most = lanes_max(lanes_load(at + TURN * STRETCHES) * lanes3_dot(aside, aside), most);
    }
    return most;
}

/* True if the rotation of links causes only a small error, as in forest_solve.c: turn |P z|^2 / 2 is at most `calm`
   times the reduction of the largest violation by the solve, which is all of it except for compliance, and at most
   `precise` times the shortest link. An error of `rounding` times that is always accepted. */
SN_INLINE bool chain_calm(const sn_wide_chain *run, double aside, const chain_before *before, double gives)
{
    const double share = aside / 2 * before->turn;
    return share <= run->rounding ||
           (share <= run->precise && aside / 2 <= run->calm * (before->missed - run->soft * gives));
}

SN_APART bool chain_is_calm(const chain *k, const chain_before *before)
{
    sn_real *first = k->run->real, *last = first + (size_t)k->rows * REAL_ROW;
    lanes most = lanes_all(0);
    for (uint32_t axis = MOVE_X; axis <= MOVE_Z;
         ++axis) /* after the joints are the first particles of the next stretches */
        memcpy(last + axis * STRETCHES, first + axis * STRETCHES + 1, (STRETCHES - 1) * sizeof(sn_real));
    for (uint32_t lane = 0; lane < STRETCHES; lane += SN_WIDTH)
        most = chain_most_aside(first + lane, k->rows, most);
    return chain_calm(k->run, chain_largest(most), before, k->gives);
}

/* Finds lambda, x and tensions. False if the result is not usable. */
SN_INLINE bool chain_solve_round(chain *k, chain_round_fn *round, bool turning, const chain_before *before)
{
    round(k, turning);
    return k->usual && k->finite && chain_is_calm(k, before);
}

/* Moves the particles in the lanes of a row whose bits are set. Particles without displacement are not written: an
   immovable end may also be the end of a chain that another thread solves. */
static void chain_hand_out_few(const sn_wide_chain *run, uint32_t row, uint32_t lane, uint32_t which)
{
    const sn_real *move = run->real + (size_t)row * REAL_ROW + MOVE_X * STRETCHES + lane;
    for (uint32_t i = 0; i < SN_WIDTH; ++i, ++move) {
        sn_vec4 *d = &run->d[run->slot[(size_t)row * STRETCHES + lane + i]];
        if (which >> i & 1 && (move[0] != 0 || move[STRETCHES] != 0 || move[2 * STRETCHES] != 0))
            *d = (sn_vec4){d->x + move[0], d->y + move[STRETCHES], d->z + move[2 * STRETCHES], d->w};
    }
}

/* Moves the particles of some lanes of a row. Beyond the end nothing moves. */
SN_INLINE void chain_hand_out_some(const sn_wide_chain *run, uint32_t row, uint32_t lane, bool together)
{
    const lanes3 move = chain_lanes3(run->real + (size_t)row * REAL_ROW + lane, MOVE_X);
    const lanes zero = lanes_all(0);
    const uint32_t which =
        flags_bits(lanes_unequal(move.x, zero) | lanes_unequal(move.y, zero) | lanes_unequal(move.z, zero));
    if (which != (1u << SN_WIDTH) - 1) {
        chain_hand_out_few(run, row, lane, which);
        return;
    }
    const records turned = records_transpose((records){{move.x, move.y, move.z, lanes_all(0)}});
    const uint32_t *slot = run->slot + (size_t)row * STRETCHES + lane;
#if SN_WIDTH == 8
    for (uint32_t i = 0; together && i < 4; ++i) {
        sn_real *at = &run->d[slot[0] + 2 * i].x;
        lanes_store(at, lanes_load(at) + turned.part[i]);
    }
    if (together)
        return;
#endif
    (void)together;
    records_add_to_far(run->d, slot, &turned);
}

SN_APART void chain_hand_out(const chain *k)
{
    const sn_wide_chain *run = k->run;
    for (uint32_t row = 0; row < k->rows; ++row)
        for (uint32_t lane = 0; lane < STRETCHES; lane += SN_WIDTH)
            chain_hand_out_some(run, row, lane, false);
    if (run->links == STRETCHES * k->rows)
        chain_hand_out_few(run, k->rows, STRETCHES - SN_WIDTH, 1u << (SN_WIDTH - 1));
}

/* Writes the multipliers of the lanes of a row whose bits are set. */
SN_INLINE void chain_write_row(const chain *k, uint32_t row, uint32_t which)
{
    const uint32_t *to = k->run->row + (size_t)row * STRETCHES;
    const chain_row at = place_of(k, row, 0);
    sn_real *lambda = k->run->lambda, sum[STRETCHES];
    for (uint32_t s = 0; s < STRETCHES; ++s)
        sum[s] = REALS(at, LAMBDA0)[s] + (sn_real)NUMBERS(at, LAMBDA)[s];
    for (uint32_t s = 0; which == (1u << STRETCHES) - 1 && s < STRETCHES; ++s)
        lambda[to[s]] = sum[s];
    for (uint32_t s = 0; which != (1u << STRETCHES) - 1 && s < STRETCHES; ++s)
        if (which >> s & 1)
            lambda[to[s]] = sum[s];
}

SN_APART void chain_write_lambda(const chain *k)
{
    for (uint32_t row = 0; row < k->rows; ++row)
        chain_write_row(k, row, (1u << chain_in_row(k->run, row)) - 1);
}

/* Copies kappa between its storage across solves and the kernels' scratch memory. */
static void chain_copy_kappa(const chain *k, bool back)
{
    for (uint32_t row = 0; row < k->rows; ++row) {
        double *here = NUMBERS(place_of(k, row, 0), TENSION), *there = k->run->kappa + (size_t)row * STRETCHES;
        memcpy(back ? there : here, back ? here : there, STRETCHES * sizeof *here);
    }
}

SN_INLINE bool chain_solve_by(sn_wide_chain *run, chain_round_fn *round)
{
    chain k;
    chain_before before;
    k.run = run;
    k.rows = run->rows;
    if (!chain_gather(&k, &before))
        return false;
    if (run->turning)
        chain_copy_kappa(&k, false);
    k.turns = true;
    for (uint32_t i = 0; k.turns && i <= run->rounds; ++i)
        if (!chain_solve_round(&k, round, run->turning || i > 0, &before))
            return false;
    run->turning = k.bent;
    if (k.bent)
        chain_copy_kappa(&k, true);
    chain_hand_out(&k);
    if (!run->drops)
        chain_write_lambda(&k);
    return true;
}

static bool chain_solve(sn_wide_chain *run)
{
    return chain_solve_by(run, chain_round);
}

#endif
