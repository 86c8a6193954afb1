/* Drag: velocities decay, exactly.

   All forms but the rigid one work in the same way. Along each of three orthogonal axes a_i the velocity decays at a
   rate k_i,

       v' = K v,     K = sum_i e^(-k_i h) a_i a_i^T,

   which is the solution of m dv/dt = -C v for C = m sum_i k_i a_i a_i^T, whatever the size of k_i h. Isotropic drag has
   three equal rates. Planar drag has one rate along the normal and another one, twice, in the plane. A matrix has those
   of its eigenvectors. Rates in N s/m are divided by each particle's mass.

   Rigid drag moves the velocities of a group towards the best-fitting rigid motion of the group:

       v_i' = v_i + (1 - e^(-k h)) (v_c + w x r_i - v_i),     w = I^-1 L about the centre of mass

   (Mueller et al. 2007, section 3.5, with their factor made exact in h). Since v_c + w x r has the momenta of v, both
   are conserved.

   Every form is a linear map of velocities. Earlier velocities that an integrator uses are mapped in the same way. Its
   earlier displacements are not changed, because these are past motion. */
#include "world/world.h"

#include "base/math.h"
#include "base/sort.h"
#include "base/symmetric.h"

#include <string.h>

/* Tolerance for a matrix that is not symmetric, or not positive, because of rounding; relative to its largest entry. */
#define MATRIX_SLACK 1e-5

/* Moments of inertia below this share of their sum count as zero: rotation about such an axis (of particles on a line,
   or of a single one) has no measurable effect. */
#define LEAST_MOMENT 1e-10

/* ---- Adding and removing ---------------------------------------------------------------------------------------- */

sn_drag_def sn_default_drag_def(void)
{
    sn_drag_def def;
    memset(&def, 0, sizeof def);
    def.normal.y = 1;
    def.distance = (sn_real)INFINITY;
    return def;
}

static sn_result check_number(const sn_world *world, const char *name, const char *unit, sn_real value)
{
    if (isfinite(value) && value >= 0)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "drag: %s is %g %s; it must be finite and not negative", name,
                      (double)value, unit);
}

static sn_result check_plane(const sn_world *world, const sn_drag_def *def)
{
    sn_result result = sn_world_check_vector(world, "drag: normal", def->normal);
    if (result != SN_OK || (result = sn_world_check_vector(world, "drag: origin", def->origin)) != SN_OK ||
        (result = check_number(world, "parallel", "1/s", def->parallel)) != SN_OK ||
        (result = check_number(world, "orthogonal", "1/s", def->orthogonal)) != SN_OK)
        return result;
    if (vec3_dot_double(def->normal, def->normal) == 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "drag: normal is (0, 0, 0); it must have a direction");
    if (def->distance != def->distance)
        return world_fail(world, SN_ERROR_ARGUMENT, "drag: distance is nan m; it must be a number or INFINITY");
    return SN_OK;
}

static double largest_entry(const sn_drag_def *def)
{
    double largest = 0;
    for (int i = 0; i < 9; ++i)
        largest = fmax(largest, fabs((double)def->matrix[i / 3][i % 3]));
    return largest;
}

static sn_result check_matrix(const sn_world *world, const sn_drag_def *def)
{
    double slack = MATRIX_SLACK * largest_entry(def);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double entry = (double)def->matrix[i][j], mirrored = (double)def->matrix[j][i];
            if (!isfinite(entry))
                return world_fail(world, SN_ERROR_ARGUMENT, "drag: matrix[%d][%d] is %g N s/m; it must be finite", i, j,
                                  entry);
            if (fabs(entry - mirrored) > slack)
                return world_fail(world, SN_ERROR_ARGUMENT,
                                  "drag: matrix[%d][%d] is %g but matrix[%d][%d] is %g; it must be symmetric", i, j,
                                  entry, j, i, mirrored);
            if (world->dimensions == 2 && entry != 0 && (i == 2) != (j == 2))
                return world_fail(world, SN_ERROR_ARGUMENT, "drag: matrix[%d][%d] is %g; in a 2D world it must be 0", i,
                                  j, entry);
        }
    return SN_OK;
}

static sn_result check(const sn_world *world, const sn_drag_def *def)
{
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL; start from sn_default_drag_def()");
    switch (def->form) {
    case SN_DRAG_RATE:
    case SN_DRAG_RIGID:
        return check_number(world, "strength", "1/s", def->strength);
    case SN_DRAG_FORCE:
        return check_number(world, "strength", "N s/m", def->strength);
    case SN_DRAG_LOSS:
        if (def->strength >= 0 && def->strength < 1)
            return SN_OK;
        return world_fail(world, SN_ERROR_ARGUMENT, "drag: strength is a loss of %g in a second; it must lie in [0, 1)",
                          (double)def->strength);
    case SN_DRAG_PLANAR:
        return check_plane(world, def);
    case SN_DRAG_MATRIX:
        return check_matrix(world, def);
    }
    return world_fail(world, SN_ERROR_ARGUMENT, "drag: form is %d, which is no sn_drag_form", (int)def->form);
}

/* Sets the normal as the first axis, and two in the plane. It starts from the smallest coordinate, so that the
   directions are well apart. If several are equally small it takes z, so that in a 2D world the axes do not mix z with
   x and y. */
static void set_plane(sn_drag *drag)
{
    const sn_vec3 given = drag->def.normal;
    double n[3] = {(double)given.x, (double)given.y, (double)given.z};
    double size = fmax(fmax(fabs(n[0]), fabs(n[1])), fabs(n[2])), length;
    for (int i = 0; i < 3; ++i)
        n[i] /= size; /* first, so that the square of a very small or large normal does not underflow or overflow */
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    int least = 2;
    for (int i = 0; i < 3; ++i) {
        n[i] /= length;
        drag->axis[0][i] = n[i];
    }
    for (int i = 1; i >= 0; --i)
        if (fabs(n[i]) < fabs(n[least]))
            least = i;
    int j = (least + 1) % 3, k = (least + 2) % 3;
    double wide = sqrt(n[j] * n[j] + n[k] * n[k]), along[3] = {0};
    along[j] = n[k] / wide;
    along[k] = -n[j] / wide;
    for (int i = 0; i < 3; ++i) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        drag->axis[1][i] = along[i];
        drag->axis[2][i] = n[p] * along[q] - n[q] * along[p];
    }
    drag->def.normal = vec3((sn_real)n[0], (sn_real)n[1], (sn_real)n[2]);
    drag->rate[0] = (double)drag->def.orthogonal;
    drag->rate[1] = drag->rate[2] = (double)drag->def.parallel;
}

/* Computes directions and rates of a matrix. False if a rate is negative. */
static bool set_matrix(sn_drag *drag)
{
    double c[3][3], largest = largest_entry(&drag->def);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[i][j] =
                ((double)drag->def.matrix[i][j] / 2 + (double)drag->def.matrix[j][i] / 2) / (largest > 0 ? largest : 1);
    sn_symmetric_eigen(c, drag->rate, drag->axis);
    for (int i = 0; i < 3; ++i) {
        if (drag->rate[i] < -MATRIX_SLACK)
            return false;
        drag->rate[i] = drag->rate[i] > 0 ? drag->rate[i] * largest : 0;
    }
    return true;
}

/* Makes a drag from a checked definition. False if its matrix has a negative rate. */
static bool make(sn_drag *drag, const sn_drag_def *def)
{
    *drag = (sn_drag){.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .def = *def};
    double rate = (double)def->strength;
    if (def->form == SN_DRAG_LOSS)
        rate = -math_log(1 - rate);
    drag->rate[0] = drag->rate[1] = drag->rate[2] = rate;
    drag->by_mass = def->form == SN_DRAG_FORCE || def->form == SN_DRAG_MATRIX;
    if (def->form == SN_DRAG_PLANAR)
        set_plane(drag);
    return def->form != SN_DRAG_MATRIX || set_matrix(drag);
}

sn_result sn_drag_add(sn_world *world, const sn_drag_def *def, uint32_t *drag)
{
    sn_result result = sn_world_enter(world);
    sn_drag made;
    if (result != SN_OK || (result = check(world, def)) != SN_OK)
        return result;
    if (!make(&made, def))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "drag: matrix has a negative eigenvalue and would speed up what moves");
    sn_table *table = &world->drag_table;
    if (!sn_table_reserve(table, &world->allocator, (uint64_t)table->count + 1))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a drag");
    made.number = world->state.next_drag++;
    ((sn_drag *)table->column[0])[table->count++] = made;
    if (drag)
        *drag = made.number;
    return SN_OK;
}

/* The index of a drag in the table. If there is none of this number: the count of the table, and an error. */
static uint32_t find(const sn_world *world, uint32_t number)
{
    const sn_drag *drag = world->drag_table.column[0];
    uint32_t i = 0;
    while (i < world->drag_table.count && drag[i].number != number)
        ++i;
    if (i == world->drag_table.count)
        world_fail(world, SN_ERROR_STALE, "there is no drag number %u", number);
    return i;
}

sn_result sn_drag_remove(sn_world *world, uint32_t number)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    sn_table *table = &world->drag_table;
    sn_drag *drag = table->column[0];
    uint32_t i = find(world, number);
    if (i == table->count)
        return SN_ERROR_STALE;
    memmove(drag + i, drag + i + 1, (table->count - i - 1) * sizeof *drag);
    table->count--;
    return SN_OK;
}

sn_result sn_drag_read(const sn_world *world, uint32_t number, sn_drag_def *def)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL");
    uint32_t i = find(world, number);
    if (i == world->drag_table.count)
        return SN_ERROR_STALE;
    *def = ((const sn_drag *)world->drag_table.column[0])[i].def;
    return SN_OK;
}

/* ---- Preparing a step ------------------------------------------------------------------------------------------- */

void sn_drag_init(sn_world *world)
{
    sn_table *order = &world->drag.order_table;
    sn_table_column(&world->drag_table, sizeof(sn_drag), true);
    sn_table_column(order, sizeof(sn_sort_item), false);
    sn_table_column(order, sizeof(sn_sort_item), false);
}

void sn_drag_release(sn_world *world)
{
    sn_table_release(&world->drag_table, &world->allocator);
    sn_table_release(&world->drag.order_table, &world->allocator);
}

static bool needs_groups(const sn_world *world)
{
    const sn_drag *drag = world->drag_table.column[0];
    for (uint32_t i = 0; i < world->drag_table.count; ++i)
        if (drag[i].def.one_group || drag[i].def.form == SN_DRAG_RIGID)
            return true;
    return false;
}

/* True if every particle is still in the slot and in the group for which it was sorted. */
static bool is_sorted(const sn_world *world)
{
    const sn_sort_item *item = world->drag.order_table.column[0];
    if (world->drag.order_table.count != world->particles.table.count)
        return false;
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        if (item[i].key != world->particles.group[item[i].a])
            return false;
    return true;
}

static void sort_by_group(sn_world *world)
{
    sn_sort_item *item = world->drag.order_table.column[0];
    uint32_t count = world->particles.table.count;
    for (uint32_t slot = 0; slot < count; ++slot)
        item[slot] = (sn_sort_item){.key = world->particles.group[slot], .a = slot};
    sn_sort(item, world->drag.order_table.column[1], count);
    world->drag.order_table.count = count;
}

/* The range, in the order by group, of the particles on which a drag acts. */
static uint32_t span_of(const sn_world *world, const sn_drag_def *def, uint32_t *first)
{
    const sn_sort_item *item = world->drag.order_table.column[0];
    uint32_t count = world->particles.table.count;
    *first = def->one_group ? sort_lower_bound(item, count, def->group) : 0;
    return def->one_group ? sort_lower_bound(item, count, (uint64_t)def->group + 1) - *first : count;
}

bool sn_drag_prepare(sn_world *world, bool still)
{
    const sn_drag *drag = world->drag_table.column[0];
    uint32_t count = world->particles.table.count, first;
    sn_drag_scratch *scratch = &world->drag;
    scratch->acts = false;
    if (needs_groups(world)) {
        if (!sn_table_reserve(&scratch->order_table, &world->allocator, count))
            return false;
        if (!is_sorted(world))
            sort_by_group(world);
    }
    for (uint32_t i = 0; !still && i < world->drag_table.count; ++i)
        scratch->acts = scratch->acts || span_of(world, &drag[i].def, &first) > 0;
    return true;
}

/* ---- Along axes ------------------------------------------------------------------------------------------------- */

/* A drag in one substep. */
typedef struct work {
    sn_world *world;
    const sn_drag *drag;
    double h;
    bool looks_back;
    const sn_sort_item *item; /* acts on the particles in the slots item[i].a; NULL: in slot i */
} work;

/* K, and 1 - K, which is more precise where the loss is small. */
typedef struct map {
    double keep[3][3];
    double lose[3][3];
    bool gentle;
} map;

static map map_for(const work *w, sn_real mass)
{
    map made = {.gentle = true};
    for (int a = 0; a < 3; ++a) {
        double rate = w->drag->rate[a] / (w->drag->by_mass ? (double)mass : 1);
        double keep = math_exp(-rate * w->h), lose = -math_expm1(-rate * w->h);
        const double *axis = w->drag->axis[a];
        made.gentle = made.gentle && lose < 0.5;
        for (int i = 0; i < 9; ++i) {
            made.keep[i / 3][i % 3] += keep * axis[i / 3] * axis[i % 3];
            made.lose[i / 3][i % 3] += lose * axis[i / 3] * axis[i % 3];
        }
    }
    return made;
}

static void multiply(const double m[3][3], sn_vec3 v, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = m[i][0] * (double)v.x + m[i][1] * (double)v.y + m[i][2] * (double)v.z;
}

/* Applies drag to a velocity and its rounding remainder. low may be NULL. */
static void damp(const map *by, sn_vec4 *v, sn_vec4 *low)
{
    sn_pair pair = {vec4_xyz(*v), low ? vec4_xyz(*low) : vec3(0, 0, 0)};
    double high[3], rest[3];
    if (by->gentle) {
        multiply(by->lose, pair.high, high);
        pair_add(&pair, vec3((sn_real)-high[0], (sn_real)-high[1], (sn_real)-high[2]));
    } else {
        multiply(by->keep, pair.high, high);
        multiply(by->keep, pair.low, rest);
        pair = (sn_pair){.high = {(sn_real)high[0], (sn_real)high[1], (sn_real)high[2]}};
        rest[0] += high[0] - (double)pair.high.x;
        rest[1] += high[1] - (double)pair.high.y;
        rest[2] += high[2] - (double)pair.high.z;
        pair_add(&pair, vec3((sn_real)rest[0], (sn_real)rest[1], (sn_real)rest[2]));
    }
    *v = vec4(pair.high, v->w);
    if (low)
        *low = vec4(pair.low, 0);
}

/* True if a planar drag acts on a particle. */
static bool reaches(const work *w, uint32_t slot)
{
    const sn_drag_def *def = &w->drag->def;
    if (def->form != SN_DRAG_PLANAR || def->distance == (sn_real)INFINITY)
        return true;
    sn_vec3 from = vec3_sub(vec4_xyz(w->world->particles.x[slot]), def->origin);
    from = vec3_add(from, vec4_xyz(w->world->particles.x_low[slot]));
    return vec3_dot(from, def->normal) <= def->distance;
}

static void damp_piece(void *data, uint32_t first, uint32_t end)
{
    const work *w = data;
    const sn_particle_store *p = &w->world->particles;
    sn_real mass = -1; /* the map is reused while the mass is the same */
    map by = {0};
    for (uint32_t i = first; i < end; ++i) {
        uint32_t slot = w->item ? w->item[i].a : i;
        if (p->x[slot].w == 0 || !reaches(w, slot))
            continue;
        if (p->v[slot].w != mass && (mass < 0 || w->drag->by_mass))
            by = map_for(w, p->v[slot].w);
        mass = p->v[slot].w;
        damp(&by, &p->v[slot], &p->v_low[slot]);
        if (w->looks_back)
            damp(&by, &w->world->history.old_v[slot], NULL);
    }
}

/* ---- Rigid ------------------------------------------------------------------------------------------------------ */

/* A group as a rigid body. */
typedef struct body {
    const sn_sort_item *item;
    uint32_t count;
    double mass;
    double centre[3];         /* relative to the first particle */
    double axis[3][3];        /* of inertia */
    double inverse_moment[3]; /* about each of them; 0 where the angular velocity is undetermined */
} body;

/* A particle's position relative to the first of its group, which keeps its digits. */
static void place(const sn_world *world, const body *b, uint32_t slot, double r[3])
{
    const sn_particle_store *p = &world->particles;
    sn_vec4 x = p->x[slot], x0 = p->x[b->item[0].a];
    sn_vec4 low = p->x_low[slot], low0 = p->x_low[b->item[0].a];
    r[0] = ((double)x.x - (double)x0.x) + ((double)low.x - (double)low0.x) - b->centre[0];
    r[1] = ((double)x.y - (double)x0.y) + ((double)low.y - (double)low0.y) - b->centre[1];
    r[2] = ((double)x.z - (double)x0.z) + ((double)low.z - (double)low0.z) - b->centre[2];
}

static bool is_movable(const sn_world *world, uint32_t slot)
{
    return world->particles.x[slot].w != 0;
}

static void find_centre(const sn_world *world, body *b)
{
    double sum[3] = {0}, r[3];
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t slot = b->item[i].a;
        if (!is_movable(world, slot))
            continue;
        double m = (double)world->particles.v[slot].w;
        place(world, b, slot, r);
        b->mass += m;
        for (int k = 0; k < 3; ++k)
            sum[k] += m * r[k];
    }
    for (int k = 0; k < 3 && b->mass > 0; ++k)
        b->centre[k] = sum[k] / b->mass;
}

/* I = sum m (r^2 - r r^T) and its inverse. */
static void find_inertia(const sn_world *world, body *b)
{
    double inertia[3][3] = {{0}}, moment[3], r[3];
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t slot = b->item[i].a;
        if (!is_movable(world, slot))
            continue;
        double m = (double)world->particles.v[slot].w;
        place(world, b, slot, r);
        double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int j = 0; j < 9; ++j)
            inertia[j / 3][j % 3] += m * ((j / 3 == j % 3 ? square : 0) - r[j / 3] * r[j % 3]);
    }
    sn_symmetric_eigen(inertia, moment, b->axis);
    double least = LEAST_MOMENT * (moment[0] + moment[1] + moment[2]);
    for (int k = 0; k < 3; ++k)
        b->inverse_moment[k] = moment[k] > least ? 1 / moment[k] : 0;
}

/* Velocities by slot. */
typedef struct field {
    sn_vec4 *v;
    sn_vec4 *low; /* NULL: none */
} field;

static void velocity(const field *f, uint32_t slot, double v[3])
{
    sn_vec3 low = f->low ? vec4_xyz(f->low[slot]) : vec3(0, 0, 0);
    v[0] = (double)f->v[slot].x + (double)low.x;
    v[1] = (double)f->v[slot].y + (double)low.y;
    v[2] = (double)f->v[slot].z + (double)low.z;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The rigid motion that fits the velocities best: velocity of the centre, and angular velocity. */
static void fit(const sn_world *world, const body *b, const field *f, double mean[3], double spin[3])
{
    double momentum[3] = {0}, angular[3] = {0}, v[3], r[3], turn[3];
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t slot = b->item[i].a;
        velocity(f, slot, v);
        for (int k = 0; k < 3 && is_movable(world, slot); ++k)
            momentum[k] += (double)world->particles.v[slot].w * v[k];
    }
    for (int k = 0; k < 3; ++k)
        mean[k] = momentum[k] / b->mass;
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t slot = b->item[i].a;
        if (!is_movable(world, slot))
            continue;
        velocity(f, slot, v);
        for (int k = 0; k < 3; ++k)
            v[k] -= mean[k];
        place(world, b, slot, r);
        cross(r, v, turn);
        for (int k = 0; k < 3; ++k)
            angular[k] += (double)world->particles.v[slot].w * turn[k];
    }
    spin[0] = spin[1] = spin[2] = 0;
    for (int a = 0; a < 3; ++a) {
        const double *axis = b->axis[a];
        double rate = b->inverse_moment[a] * (axis[0] * angular[0] + axis[1] * angular[1] + axis[2] * angular[2]);
        for (int k = 0; k < 3; ++k)
            spin[k] += rate * axis[k];
    }
}

/* Removes `share` of the non-rigid part of the velocities. */
static void stiffen(const sn_world *world, const body *b, const field *f, double share)
{
    double mean[3], spin[3], v[3], r[3], turn[3];
    fit(world, b, f, mean, spin);
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t slot = b->item[i].a;
        if (!is_movable(world, slot))
            continue;
        velocity(f, slot, v);
        place(world, b, slot, r);
        cross(spin, r, turn);
        sn_pair pair = {vec4_xyz(f->v[slot]), f->low ? vec4_xyz(f->low[slot]) : vec3(0, 0, 0)};
        pair_add(&pair,
                 vec3((sn_real)(share * (mean[0] + turn[0] - v[0])), (sn_real)(share * (mean[1] + turn[1] - v[1])),
                      (sn_real)(share * (mean[2] + turn[2] - v[2]))));
        f->v[slot] = vec4(pair.high, f->v[slot].w);
        if (f->low)
            f->low[slot] = vec4(pair.low, 0);
    }
}

static void damp_body(const work *w, const sn_sort_item *item, uint32_t count)
{
    const sn_particle_store *p = &w->world->particles;
    body b = {.item = item, .count = count};
    double share = -math_expm1(-w->drag->rate[0] * w->h);
    find_centre(w->world, &b);
    if (b.mass == 0)
        return; /* all are immovable */
    find_inertia(w->world, &b);
    stiffen(w->world, &b, &(field){p->v, p->v_low}, share);
    if (w->looks_back)
        stiffen(w->world, &b, &(field){w->world->history.old_v, NULL}, share);
}

/* ---- A substep -------------------------------------------------------------------------------------------------- */

/* For a particle without history from a substep of this length, the present velocity is taken as the earlier one. The
   particle itself does not need it, but the group does. */
static void complete_piece(void *data, uint32_t first, uint32_t end)
{
    const work *w = data;
    const sn_history *history = &w->world->history;
    for (uint32_t slot = first; slot < end; ++slot)
        if (history->old_d[slot].w != (sn_real)w->h)
            history->old_v[slot] = vec4(vec4_xyz(w->world->particles.v[slot]), 0);
}

static void damp_bodies(const work *w, uint32_t count)
{
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && w->item[end].key == w->item[first].key;)
            ++end;
        damp_body(w, w->item + first, end - first);
    }
}

static bool apply_one(work *w)
{
    const sn_drag_def *def = &w->drag->def;
    const sn_sort_item *item = w->world->drag.order_table.column[0];
    uint32_t first, count = span_of(w->world, def, &first);
    bool in_order = def->one_group || def->form == SN_DRAG_RIGID;
    w->item = in_order && count ? item + first : NULL;
    if (def->form != SN_DRAG_RIGID)
        return sn_parallel_for(&w->world->parallel, count, damp_piece, w);
    damp_bodies(w, count);
    return true;
}

static bool has_rigid(const sn_world *world)
{
    const sn_drag *drag = world->drag_table.column[0];
    bool rigid = false;
    for (uint32_t i = 0; !rigid && i < world->drag_table.count; ++i)
        rigid = drag[i].def.form == SN_DRAG_RIGID;
    return rigid;
}

/* A rate of 0 must not change a bit. */
static bool takes_something(const sn_drag *drag)
{
    return drag->rate[0] != 0 || drag->rate[1] != 0 || drag->rate[2] != 0;
}

bool sn_drag_apply(sn_world *world, sn_real h, bool looks_back)
{
    const sn_drag *drag = world->drag_table.column[0];
    work w = {.world = world, .h = (double)h, .looks_back = looks_back};
    bool all = !looks_back || !has_rigid(world) ||
               sn_parallel_for(&world->parallel, world->particles.table.count, complete_piece, &w);
    for (uint32_t i = 0; all && i < world->drag_table.count; ++i) {
        w.drag = &drag[i];
        all = !takes_something(&drag[i]) || apply_one(&w);
    }
    return all;
}
