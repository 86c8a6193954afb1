/* What isometric bending converges to on a strip with free edges: a heavy strip, clamped at one end, against the elastica. The
   figures are those of docs/constraints.md; a better model of bending has them to beat.

   No solver takes part: the energy of the kind, with its measured weights, of rods that hardly stretch, and of gravity is minimised by
   Newton's method, damped, on a banded matrix. */
#include "slopes.h"

#define LENGTH  1.0 /* m */
#define WIDTH   0.2
#define GRAVITY 9.81
#define LOAD    3.0 /* weight per area times length^3 / stiffness D */
#define RODS    1e5 /* N/m per unit width, over D */
#define MOST    150 /* particles */
#define BAND    48  /* of the matrix: 3 (2 (across + 1) + 3), for 20 by 4 cells 39 */
#define DEGREES 57.29577951308232

/* How squares are cut. */
typedef enum cut { ONE_WAY, CHECKERED, BY_COLUMNS, BY_ROWS } cut;

typedef struct rod {
    uint32_t a, b;
    double length;
} rod;

typedef struct fold {
    uint32_t p[4];
    double k[4];
} fold;

typedef struct strip {
    uint32_t columns, rows, count, rod_count, fold_count;
    double x[3 * MOST], mass[MOST], stiffness;
    bool fixed[MOST];
    rod rods[3 * MOST];
    fold folds[3 * MOST];
    double matrix[3 * MOST][BAND], factor[3 * MOST][BAND], gradient[3 * MOST], step[3 * MOST];
} strip;

static strip s;

/* ---- The mesh ------------------------------------------------------------------------------------------------------ */

static uint32_t number(uint32_t i, uint32_t j)
{
    return i * s.rows + j;
}

static sn_vec3 place(uint32_t p)
{
    return vec(s.x[3 * p], s.x[3 * p + 1], s.x[3 * p + 2]);
}

static void add_edge(uint32_t a, uint32_t b)
{
    s.rods[s.rod_count++] = (rod){a, b, support_gap(place(a), place(b))};
}

/* a and b are opposite to the edge from c to d. The weights are those of the kind. */
static void add_fold(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const sn_vec3 x[4] = {place(a), place(b), place(c), place(d)};
    sn_real param[3] = {SN_MEASURE, SN_MEASURE, SN_MEASURE};
    sn_eval_in in = {.x = x, .param = param, .points = 4};
    sn_kind_info(NULL, SN_KIND_BENDING)->measure(&in, param);
    double k[3] = {(double)param[0], (double)param[1], (double)param[2]};
    s.folds[s.fold_count++] = (fold){{a, b, c, d}, {-k[0] - k[1] - k[2], k[0], k[1], k[2]}};
}

static bool falls(cut how, uint32_t i, uint32_t j)
{
    return how == CHECKERED ? (i + j) % 2 : how == BY_COLUMNS ? i % 2 : how == BY_ROWS ? j % 2 : false;
}

/* The corner of square (i, j) that is opposite to one of its sides: to the right side, or to the upper one, in the triangle there. */
static uint32_t opposite(cut how, uint32_t i, uint32_t j, bool right, bool inside)
{
    bool fall = falls(how, i, j);
    if (right) /* its ends are (i + 1, j) and (i + 1, j + 1); from the next square it is the left side */
        return inside ? number(i, fall ? j + 1 : j) : number(i + 1, fall ? j : j + 1);
    return inside ? number(fall ? i + 1 : i, j) : number(fall ? i : i + 1, j + 1);
}

static void cut_square(cut how, uint32_t i, uint32_t j)
{
    uint32_t low = number(i, j), right = number(i + 1, j), up = number(i, j + 1), far = number(i + 1, j + 1);
    add_edge(right, far);
    add_edge(up, far);
    if (j == 0)
        add_edge(low, right);
    if (i == 0)
        add_edge(low, up);
    if (falls(how, i, j)) {
        add_edge(right, up);
        add_fold(low, far, right, up);
    } else {
        add_edge(low, far);
        add_fold(right, up, low, far);
    }
    if (i + 2 < s.columns)
        add_fold(opposite(how, i, j, true, true), opposite(how, i + 1, j, true, false), right, far);
    if (j + 2 < s.rows)
        add_fold(opposite(how, i, j, false, true), opposite(how, i, j + 1, false, false), up, far);
}

static void make_strip(cut how, uint32_t cells, uint32_t across)
{
    double side = LENGTH / cells, wide = WIDTH / across;
    memset(&s, 0, sizeof s);
    s.columns = cells + 2; /* two are clamped */
    s.rows = across + 1;
    s.count = s.columns * s.rows;
    s.stiffness = GRAVITY * LENGTH * LENGTH * LENGTH / LOAD;
    assert_true(s.count <= MOST && 3 * (2 * s.rows + 3) <= BAND);
    for (uint32_t i = 0; i < s.columns; ++i)
        for (uint32_t j = 0; j < s.rows; ++j) {
            uint32_t p = number(i, j);
            s.x[3 * p] = (i - 1.0) * side;
            s.x[3 * p + 1] = j * wide;
            s.fixed[p] = i < 2;
            s.mass[p] = side * wide * (j == 0 || j == across ? 0.5 : 1) * (i == s.columns - 1 ? 0.5 : 1);
        }
    for (uint32_t i = 0; i + 1 < s.columns; ++i)
        for (uint32_t j = 0; j + 1 < s.rows; ++j)
            cut_square(how, i, j);
}

/* ---- The energy ----------------------------------------------------------------------------------------------------- */

static double energy(const double *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < s.rod_count; ++i) {
        const rod *r = &s.rods[i];
        const double *a = x + 3 * r->a, *b = x + 3 * r->b;
        double length = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
        sum += RODS * s.stiffness / 2 * pow(length - r->length, 2) / r->length;
    }
    for (uint32_t i = 0; i < s.fold_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            double c = 0;
            for (uint32_t n = 0; n < 4; ++n)
                c += s.folds[i].k[n] * x[3 * s.folds[i].p[n] + k];
            sum += s.stiffness / 3 * c * c / 2; /* compliance = 3 / D */
        }
    for (uint32_t p = 0; p < s.count; ++p)
        sum += s.fixed[p] ? 0 : s.mass[p] * GRAVITY * x[3 * p + 2];
    return sum;
}

static void add_entry(uint32_t a, uint32_t ka, uint32_t b, uint32_t kb, double value)
{
    uint32_t row = 3 * a + ka, column = 3 * b + kb;
    if (row >= column && !s.fixed[a] && !s.fixed[b])
        s.matrix[row][row - column] += value;
}

static void add_rod(const rod *r)
{
    double way[3], length = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        way[k] = s.x[3 * r->a + k] - s.x[3 * r->b + k];
        length += way[k] * way[k];
    }
    length = sqrt(length);
    double stiff = RODS * s.stiffness / r->length, force = stiff * (length - r->length);
    for (uint32_t k = 0; k < 3; ++k) {
        s.gradient[3 * r->a + k] += force * way[k] / length;
        s.gradient[3 * r->b + k] -= force * way[k] / length;
        for (uint32_t q = 0; q < 3; ++q) {
            double along = way[k] * way[q] / (length * length),
                   entry = stiff * along + force / length * ((k == q) - along);
            add_entry(r->a, k, r->a, q, entry);
            add_entry(r->b, k, r->b, q, entry);
            add_entry(r->a, k, r->b, q, -entry);
            add_entry(r->b, k, r->a, q, -entry);
        }
    }
}

static void add_bend(const fold *f)
{
    for (uint32_t k = 0; k < 3; ++k) {
        double c = 0;
        for (uint32_t n = 0; n < 4; ++n)
            c += f->k[n] * s.x[3 * f->p[n] + k];
        for (uint32_t n = 0; n < 4; ++n) {
            s.gradient[3 * f->p[n] + k] += s.stiffness / 3 * f->k[n] * c;
            for (uint32_t q = 0; q < 4; ++q)
                add_entry(f->p[n], k, f->p[q], k, s.stiffness / 3 * f->k[n] * f->k[q]);
        }
    }
}

/* Gradient and second derivatives; returns the size of the first. */
static double differentiate(void)
{
    double square = 0;
    memset(s.matrix, 0, sizeof s.matrix);
    memset(s.gradient, 0, sizeof s.gradient);
    for (uint32_t i = 0; i < s.rod_count; ++i)
        add_rod(&s.rods[i]);
    for (uint32_t i = 0; i < s.fold_count; ++i)
        add_bend(&s.folds[i]);
    for (uint32_t p = 0; p < s.count; ++p)
        for (uint32_t k = 0; k < 3; ++k) {
            s.gradient[3 * p + k] += k == 2 ? s.mass[p] * GRAVITY : 0;
            if (s.fixed[p])
                s.gradient[3 * p + k] = 0, s.matrix[3 * p + k][0] = 1;
            square += s.gradient[3 * p + k] * s.gradient[3 * p + k];
        }
    return sqrt(square);
}

/* ---- Newton's method ------------------------------------------------------------------------------------------------- */

/* Cholesky's factor of the matrix plus `more` on the diagonal; false if it is not positive. */
static bool factorise(double more)
{
    for (uint32_t row = 0; row < 3 * s.count; ++row)
        for (uint32_t first = row < BAND ? 0 : row - BAND + 1, c = first; c <= row; ++c) {
            double sum = s.matrix[row][row - c] + (c == row ? more : 0);
            for (uint32_t k = first; k < c; ++k)
                sum -= c - k < BAND ? s.factor[row][row - k] * s.factor[c][c - k] : 0;
            if (c == row && !(sum > 0))
                return false;
            s.factor[row][row - c] = c == row ? sqrt(sum) : sum / s.factor[c][0];
        }
    return true;
}

static void solve(void)
{
    for (uint32_t row = 0; row < 3 * s.count; ++row) {
        double sum = -s.gradient[row];
        for (uint32_t k = row < BAND ? 0 : row - BAND + 1; k < row; ++k)
            sum -= s.factor[row][row - k] * s.step[k];
        s.step[row] = sum / s.factor[row][0];
    }
    for (uint32_t row = 3 * s.count; row-- > 0;) {
        s.step[row] /= s.factor[row][0];
        for (uint32_t k = row < BAND ? 0 : row - BAND + 1; k < row; ++k)
            s.step[k] -= s.factor[row][row - k] * s.step[row];
    }
}

/* Lets it droop; returns the angle below the horizon at which the free end is seen from the clamped one, in degrees. */
static double droop(cut how, uint32_t cells, uint32_t across)
{
    static double next[3 * MOST];
    make_strip(how, cells, across);
    double now = energy(s.x), damping = 1e-3, x = 0, z = 0;
    for (uint32_t i = 0; i < 600 && differentiate() > 1e-7; ++i) {
        while (!factorise(damping))
            damping = 4 * damping + 1e-12;
        solve();
        for (uint32_t k = 0; k < 3 * s.count; ++k)
            next[k] = s.x[k] + s.step[k];
        double then = energy(next);
        if (then < now) {
            memcpy(s.x, next, sizeof s.x);
            now = then;
            damping = damping > 1e-12 ? damping / 5 : 0;
        } else {
            damping = 4 * damping + 1e-12;
        }
    }
    for (uint32_t j = 0; j < s.rows; ++j) {
        x += s.x[3 * number(s.columns - 1, j)];
        z -= s.x[3 * number(s.columns - 1, j) + 2];
    }
    return atan2(z, x) * DEGREES;
}

/* The same of an elastica under its own weight: theta'' = -LOAD (1 - s) cos theta, theta(0) = 0, theta'(1) = 0, found by shooting. */
static double elastica(void)
{
    double low = 0, high = 10, x = 0, z = 0;
    for (uint32_t n = 0; n < 60; ++n) {
        const double h = 1.0 / 2000;
        double angle = 0, first = (low + high) / 2, bend = first;
        x = z = 0;
        for (uint32_t i = 0; i < 2000; ++i) { /* by the midpoint rule */
            double middle = angle + h / 2 * bend, slope = bend - h / 2 * LOAD * (1 - i * h) * cos(angle);
            x += h * cos(middle);
            z += h * sin(middle);
            angle += h * slope;
            bend -= h * LOAD * (1 - (i + 0.5) * h) * cos(middle);
        }
        if (bend > 0)
            high = first;
        else
            low = first;
    }
    return atan2(z, x) * DEGREES;
}

/* Cut by rows or by columns it comes to the elastica as cells become finer, at first order; cut one way, or like a chequerboard, it
   stays 3.3 degrees below. (With 80 by 16 cells 3.76, 3.88, 0.95 and 0.46 degrees below.) */
static void a_heavy_strip_droops(void **state)
{
    (void)state;
    static const double drooped[4][2] = {{27.19, 25.25}, {0, 24.88}, {26.72, 23.79}, {23.78, 21.89}};
    double truth = elastica();
    assert_close(truth, 20.03, 0.01);
    for (uint32_t how = 0; how < 4; ++how)
        for (uint32_t fine = 0; fine < 2; ++fine) {
            double expected = drooped[how][fine];
            if (expected > 0) /* the coarse chequerboard has several states of rest */
                assert_close(droop((cut)how, fine ? 20 : 10, fine ? 4 : 2), expected, 0.03);
        }
    assert_close(2 * drooped[BY_ROWS][1] - drooped[BY_ROWS][0], truth, 0.1);
    assert_close(2 * drooped[ONE_WAY][1] - drooped[ONE_WAY][0], truth + 3.3, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_heavy_strip_droops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
