/* Ropes: a row of rods is cut into eight stretches of the same length, one in each lane, whatever the width of the machine.

   Particle p of n + 1 is moved by x_p, link i is between particles i and i + 1, n_i is its direction, from i + 1 to i, and
   C_i = length - rest. n_i is the gradient for i and -n_i that for i + 1, and both are nearly of length 1: q = |n|^2.

   Without turning. lambda solves the tridiagonal system A lambda = -C,

       A_ii = (w_i + w_i+1) q (1 + soft),     A_i,i+1 = -k_i,  k_i = w_i+1 n_i . n_i+1.

   With turning, the links' forces F_i (on i, and -F_i on i + 1) have three components each:

       x_i = w_i (F_i - F_i-1),     z_i = x_i - x_i+1,
       F = -kappa P z + n lambda,   P = I - n n^T / q,     n . z + a lambda = r,

   so that lambda = n . F / q, P z = -P F / kappa, and z = -P F / kappa + n (r - a lambda) / q. Put into z, this is

       D_i F_i - w_i F_i-1 - w_i+1 F_i+1 = n r / q,
       D_i = (w_i + w_i+1 + 1 / kappa) I + (a / q^2 - 1 / (kappa q)) n n^T:

   tridiagonal again, of symmetric blocks of 3 x 3, coupled by plain numbers. Where kappa is 0, F must point along n; a tiny
   kappa does that well enough.

   Both systems are positive, so that rows may be eliminated in any order. Here it is all links of a stretch but its last, from
   first to last, in all stretches at once; and then the eight last ones, the joints, of which each is coupled to the next.
   A link that is eliminated is coupled to two: the next one, and, more and more loosely, the joint before its stretch. The
   order, and so the result, depends on the number of links alone. All of it is in double.

   Link i of a stretch is in row i, as is the particle before it; the particle behind the last link has a row of its own, and
   is in the first row of the next stretch again. Where the number of links is no multiple of eight, the last stretches are
   filled up with links that are coupled to nothing and ask for nothing. */
#ifndef SN_WIDE_CHAIN_H
#define SN_WIDE_CHAIN_H

#include "base/simd.h"
#ifndef CHAIN_WIDTH
#define CHAIN_WIDTH (SN_WIDTH > 1 ? SN_WIDTH / 2 : 1)
#endif
#include "wide/chain_turning.h"

/* Links that are shorter than one over this, or miss their length by more, in m, are not usual: the squares of their
   coordinates may not be normal numbers. */
#define CHAIN_USUAL ((sn_real)1e15)

typedef void chain_round_fn(struct chain *k, bool turning);

/* Where link i is, or particle i. */
static sn_real *chain_link(const chain *k, uint32_t column, uint32_t i)
{
    return k->run->real + (size_t)(i % k->rows) * REAL_ROW + column * STRETCHES + i / k->rows;
}

/* ---- Fill in --------------------------------------------------------------------------------------------------------------- */

/* Directions of links, their violations and 1 / length, of a row of links whose lines these are. */
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
    *most_turn = lanes_max(lanes_abs(turn), *most_turn); /* what is no number is not seen: its pivot is none either */
    *most_missed = lanes_max(lanes_abs(missed), *most_missed);
}

/* Records of particles by their slots, which lie together or all over memory. */
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

/* The difference of places first, as evaluate() does it: far from the origin remainders count. */
SN_INLINE void chain_gather_lanes(const chain *k, uint32_t first, bool together, lanes *most_turn, lanes *most_missed)
{
    const sn_vec4 *from_x = k->run->x, *from_d = k->run->d;
    const uint32_t *slot = k->run->slot + first;
    const sn_real *rest = k->run->rest + first;
    sn_real *real = k->run->real + first;
    records x = chain_records(from_x, slot, together), d = chain_records(from_d, slot, together);
    lanes w = records_turn(x).part[3];
    lanes_store(real + W * STRETCHES, w);
    lanes_store(real + BETWEEN * STRETCHES, w);
    for (uint32_t row = 0; row < k->rows; ++row) {
        slot += STRETCHES;
        const records y = chain_records(from_x, slot, together), e = chain_records(from_d, slot, together);
        const records line = records_sub(d, records_add(records_sub(y, x), e)),
                      turned = records_turn(records_with_w(line, y));
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

/* Links that are none: along x, as long as they should be. The particle behind one is in its row and, if that was the last, in the
   first of the next stretch, too. Neighbours are coupled by w of the particle between them; the ends are between nothing. */
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

/* So many stretches have a link in a row. */
SN_INLINE uint32_t chain_in_row(const sn_wide_chain *run, uint32_t row)
{
    return run->links / run->rows + (row < run->links % run->rows);
}

/* What the first `count` lanes of a row exert already. */
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

/* What is looked at before: the largest violation and the largest 1 / length, in m. */
typedef struct chain_before {
    double missed, turn;
} chain_before;

/* False if some link is not usual. */
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

/* ---- All of it ------------------------------------------------------------------------------------------------------------------ */

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
                     way = lanes3_sub(chain_lanes3(at, MOVE_X), chain_lanes3(at + REAL_ROW, MOVE_X)),
                     aside = lanes3_sub(way, lanes3_scale(n, lanes3_dot(way, n)));
        most = lanes_max(lanes_load(at + TURN * STRETCHES) * lanes3_dot(aside, aside), most);
    }
    return most;
}

/* Whether no row is missed by much because it turns, as forest_solve.c has it: by turn |P z|^2 / 2 at most `calm` times what the
   solve makes the largest violation smaller by, which is all of it but for what rows give; and at most `precise` times the shortest link. */
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
         ++axis) /* behind the joints are the first particles of the next stretches */
        memcpy(last + axis * STRETCHES, first + axis * STRETCHES + 1, (STRETCHES - 1) * sizeof(sn_real));
    for (uint32_t lane = 0; lane < STRETCHES; lane += SN_WIDTH)
        most = chain_most_aside(first + lane, k->rows, most);
    return chain_calm(k->run, chain_largest(most), before, k->gives);
}

/* Finds lambda, x and tensions; false if it is not usual. */
SN_INLINE bool chain_solve_round(chain *k, chain_round_fn *round, bool turning, const chain_before *before)
{
    round(k, turning);
    return k->usual && k->finite && chain_is_calm(k, before);
}

/* Those lanes of a row whose bits are set. What is moved by nothing is not written: an immovable end may also be the end of a
   chain that another thread solves. */
static void chain_hand_out_few(const sn_wide_chain *run, uint32_t row, uint32_t lane, uint32_t which)
{
    const sn_real *move = run->real + (size_t)row * REAL_ROW + MOVE_X * STRETCHES + lane;
    for (uint32_t i = 0; i < SN_WIDTH; ++i, ++move) {
        sn_vec4 *d = &run->d[run->slot[(size_t)row * STRETCHES + lane + i]];
        if (which >> i & 1 && (move[0] != 0 || move[STRETCHES] != 0 || move[2 * STRETCHES] != 0))
            *d = (sn_vec4){d->x + move[0], d->y + move[STRETCHES], d->z + move[2 * STRETCHES], d->w};
    }
}

/* Some lanes of a row. Beyond the end nothing is moved. */
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
    const records turned = records_turn((records){{move.x, move.y, move.z, lanes_all(0)}});
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

/* Those lanes of a row whose bits are set. */
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

/* Between kappa, where it stays from solve to solve, and where the kernels want it. */
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
