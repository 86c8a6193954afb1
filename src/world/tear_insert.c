/* Inserts a vertex on an edge from p to q, at x = (1 - t) p + t q, and divides the constraints and triangles of the
   edge.

   Mass. A triangle gives a third of its mass to each corner. After the division, the triangle p, q, c gives the new
   vertex a third of its mass; the share of p is reduced by the fraction 1 - t, that of q by t, and c has what it had.
   So the vertex takes (1 - t) u from p and t u from q, where u is the mass that an end has from the triangles of the
   edge. With the velocity (1 - t) v_p + t v_q this conserves mass, centre of mass and momentum. Angular momentum is not
   conserved: the two parts of mass rotated about each other, and lose

       u t (1 - t) r x s,   r = q - p,  s = v_q - v_p.

   It is given back to the ends, as a pair of opposite impulses:

       v_p -= k s m_q / (m_p + m_q),   v_q += k s m_p / (m_p + m_q),   k = u t (1 - t) (m_p + m_q) / (m_p m_q),

   with the part of s across r, because the part along r has no angular momentum. The mass is nearer to the middle of
   the edge now, so a rotating edge rotates faster, like a skater. The kinetic energy of that is taken from the relative
   motion of the vertices around (tear_energy.c).

   Constraints. A rod becomes two in series, with rest length and compliance in proportion: same force, same energy.
   From the vertex to the third corner of each triangle there is a new rod. Its rest length follows from Stewart's
   theorem, d^2 = (1 - t) |pc|^2 + t |qc|^2 - t (1 - t) |pq|^2, and it has the stiffness per length of its neighbours. A
   function that is linear in the corners of a triangle, g_p p + g_q q + g_c c, becomes in its halves

       (g_p - g_q (1 - t) / t) p + (g_q / t) x + g_c c   and   (g_p / (1 - t)) x + (g_q - g_p t / (1 - t)) q + g_c c.

   Strain and points inside triangles are such functions. */
#include "world/world.h"

#include "base/dvec.h"

#include <string.h>

/* The most vertices around an edge that take up the energy gained by the new one. */
#define AROUND 256u

typedef struct inserting {
    sn_world *world;
    uint32_t p, q, made;
    double t;
    uint32_t sides;
    uint32_t triangle[SN_TEAR_SIDES];                    /* of the edge */
    uint32_t third[SN_TEAR_SIDES];                       /* their third corners */
    double rest;                                         /* m: of the edge */
    double rest_p[SN_TEAR_SIDES], rest_q[SN_TEAR_SIDES]; /* and from its ends to those corners */
    uint32_t removed;
    double released; /* J: of removed constraints; part of the loss that sn_tear_insert computes */
} inserting;

/* ---- Positions --------------------------------------------------------------------------------------------------- */

static sn_dvec3 whole(sn_vec4 high, sn_vec4 low)
{
    return dvec3((double)high.x + (double)low.x, (double)high.y + (double)low.y, (double)high.z + (double)low.z);
}

void sn_tear_set_whole(sn_vec4 *high, sn_vec4 *low, sn_dvec3 value)
{
    const sn_vec3 rounded = dvec3_round(value);
    const sn_vec3 left = dvec3_round(dvec3_sub(value, dvec3_from(rounded)));
    *high = vec4(rounded, high->w);
    *low = vec4(left, low->w);
}

static sn_dvec3 between(sn_dvec3 a, sn_dvec3 b, double t)
{
    return dvec3_add(dvec3_scale(a, 1 - t), dvec3_scale(b, t));
}

static double area_of(const sn_world *world, uint32_t triangle)
{
    const uint32_t *corner = (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)triangle;
    const sn_vec4 *x = world->particles.x;
    sn_vec3 at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = vec4_xyz(x[world->ids.value[corner[k]]]);
    return dvec3_length(dvec3_cross(dvec3_seen(at[0], at[1]), dvec3_seen(at[0], at[2]))) / 2;
}

/* The first rod between two particles; false if there is none. */
static bool find_rod(sn_world *world, uint32_t a, uint32_t b, sn_tear_node *rod)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const uint32_t count = sn_tear_constraints_at(world, a, node, SN_TEAR_CONSTRAINTS);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        const uint32_t *point = world->constraints.pool[node[i].kind]->point + 2 * (size_t)node[i].row;
        if (!sn_tear_is_rod(node[i].kind) || !((point[0] == a && point[1] == b) || (point[0] == b && point[1] == a)))
            continue;
        *rod = node[i];
        return true;
    }
    return false;
}

static double rest_of(sn_world *world, uint32_t a, uint32_t b)
{
    sn_tear_node rod;
    if (find_rod(world, a, b, &rod))
        return (double)sn_tear_rest(world->constraints.pool[rod.kind], rod.kind, rod.row);
    return sn_tear_length(world, a, b);
}

/* ---- The particle ------------------------------------------------------------------------------------------------ */

/* kg: the mass of the new vertex if both ends can give it. */
static double share_of_edge(const inserting *in)
{
    const sn_world *world = in->world;
    const uint32_t end[2] = {in->p, in->q};
    double edge = 0, least = HUGE_VAL;
    for (uint32_t i = 0; i < in->sides; ++i)
        edge += area_of(world, in->triangle[i]);
    for (uint32_t e = 0; e < 2; ++e) {
        uint32_t place[SN_TEAR_FAN];
        const sn_vec4 v = world->particles.v[world->ids.value[end[e]]];
        const uint32_t count = sn_tear_triangles_at(world, end[e], place, SN_TEAR_FAN);
        double all = 0;
        for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i)
            all += area_of(world, place[i] / 3);
        const double share = all > 0 && edge > 0 && edge <= all ? edge / all : 0.3;
        if (isfinite(v.w) && (double)v.w * share < least)
            least = (double)v.w * share;
    }
    return least;
}

/* For tables of positions by number: interpolates those of the ends for the new vertex. */
static void place_between(sn_table *table, const inserting *in)
{
    sn_vec4 *place = table->column[0];
    if (in->p >= table->count || in->q >= table->count || in->made >= table->count)
        return;
    const sn_vec4 a = place[in->p], b = place[in->q];
    const bool both = a.w != 0 && b.w != 0;
    place[in->made] =
        both ? vec4(dvec3_round(between(dvec3_from(vec4_xyz(a)), dvec3_from(vec4_xyz(b)), in->t)), 1) : (sn_vec4){0};
}

static void place_rest_shape(const inserting *in)
{
    sn_table *table = &in->world->rest_shape_table;
    sn_rest_place *shape = table->column[0];
    if (in->p >= table->count || in->q >= table->count || in->made >= table->count)
        return;
    const sn_rest_place a = shape[in->p], b = shape[in->q];
    shape[in->made] = (sn_rest_place){dvec3_round(between(dvec3_from(a.place), dvec3_from(b.place), in->t)),
                                      a.since && b.since ? (a.since > b.since ? a.since : b.since) : 0};
}

/* Gives the lost angular momentum back to the ends; see above. */
static void turn_ends(const inserting *in, double u, sn_dvec3 r, sn_dvec3 s)
{
    sn_particle_store *p = &in->world->particles;
    const double square = dvec3_dot(r, r);
    s = square > 0 ? dvec3_sub(s, dvec3_scale(r, dvec3_dot(r, s) / square)) : s; /* the part along r has no angular
                                                                                    momentum */
    const uint32_t i = in->world->ids.value[in->p], k = in->world->ids.value[in->q];
    const double a = (double)p->v[i].w, b = (double)p->v[k].w;
    const double impulse = u * in->t * (1 - in->t); /* kg: k m_p m_q / (m_p + m_q) */
    sn_tear_set_whole(&p->v[i], &p->v_low[i], dvec3_sub(whole(p->v[i], p->v_low[i]), dvec3_scale(s, impulse / a)));
    sn_tear_set_whole(&p->v[k], &p->v_low[k], dvec3_add(whole(p->v[k], p->v_low[k]), dvec3_scale(s, impulse / b)));
}

static void add_particle(inserting *in)
{
    sn_world *world = in->world;
    sn_particle_store *p = &world->particles;
    const uint32_t end[2] = {in->p, in->q}, near = in->t < 0.5 ? 0 : 1;
    const double part[2] = {1 - in->t, in->t}, u = share_of_edge(in);
    sn_real taken[2] = {0, 0}, mass[2];
    double last = 0; /* the taken masses are multiples of it, and so are the sums and the rests: all are exact */
    for (uint32_t e = 0; e < 2; ++e) {
        mass[e] = p->v[world->ids.value[end[e]]].w;
        if (isfinite(mass[e]))
            last = fmax(last, 2 * sn_split_last_place(mass[e]));
    }
    for (uint32_t e = 0; e < 2; ++e)
        taken[e] = isfinite(mass[e]) ? (sn_real)(floor(u * part[e] / last + 0.5) * last) : 0;
    const bool movable = isfinite(mass[0]) || isfinite(mass[1]);
    const bool kinematic = p->target[world->ids.value[end[0]]] && p->target[world->ids.value[end[1]]];
    const sn_real sum = taken[0] + taken[1];
    in->made = sn_particle_copy(world, end[near], movable ? sum : SN_IMMOVABLE, 0);
    sn_blade_sweep_insert(world, in->made, in->p, in->q, in->t);
    const uint32_t slot = world->ids.value[in->made];
    sn_vec3 force = vec3(0, 0, 0);
    sn_dvec3 x[2], v[2];
    for (uint32_t e = 0; e < 2; ++e) {
        const uint32_t at = world->ids.value[end[e]];
        const double gives = isfinite(mass[e]) ? (double)(taken[e] / mass[e]) : 0;
        x[e] = whole(p->x[at], p->x_low[at]);
        v[e] = whole(p->v[at], p->v_low[at]);
        force = vec3_add(force, vec3_scale(p->force[at], (sn_real)gives));
        if (isfinite(mass[e]))
            sn_particle_take_share(world, end[e], mass[e] - taken[e], 1 - gives);
        else
            sn_sleep_disturb(world, end[e]);
    }
    p->force[slot] = force;
    sn_tear_set_whole(&p->x[slot], &p->x_low[slot], between(x[0], x[1], in->t));
    sn_tear_set_whole(&p->v[slot], &p->v_low[slot], between(v[0], v[1], in->t));
    if (p->target[slot]) {
        sn_target *target = world->target_table.column[0];
        const sn_vec3 a = target[p->target[world->ids.value[end[near]]] - 1].place;
        const uint32_t other = p->target[world->ids.value[end[1 - near]]];
        const sn_vec3 b = kinematic ? target[other - 1].place : a;
        target[p->target[slot] - 1].place =
            dvec3_round(between(dvec3_from(near ? b : a), dvec3_from(near ? a : b), in->t));
        if (!kinematic) { /* the target of one end is only for that end */
            world->target_table.count--;
            p->target[slot] = 0;
        }
    }
    place_between(&world->contact.rest_table, in);
    place_between(&world->contact.own_place_table, in);
    place_rest_shape(in);
    if (isfinite(mass[0]) && isfinite(mass[1]))
        turn_ends(in, (double)sum, dvec3_sub(x[1], x[0]), dvec3_sub(v[1], v[0]));
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

static void replace(inserting *in, uint32_t kind, uint32_t row, uint32_t from)
{
    sn_split_replace(in->world, kind, row, from, in->made);
}

/* The other half of a divided constraint: its copy, made before the division, gets the new vertex instead of `from`. */
static void replace_in_copy(inserting *in, uint32_t kind, uint32_t row, uint32_t from)
{
    sn_pool *pool = in->world->constraints.pool[kind];
    uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        point[i] = point[i] == from ? in->made : point[i];
    sn_tear_index_constraint(in->world, kind, row);
}

/* Scales a rod to a part of its length. */
static void scale_rod(sn_world *world, uint32_t kind, uint32_t row, double part)
{
    sn_pool *pool = world->constraints.pool[kind];
    sn_real *param = pool->param + (size_t)row * pool->param_count;
    const sn_real s = (sn_real)part;
    param[0] *= s;
    if (kind == SN_KIND_DISTANCE_BAND)
        param[1] *= s;
    if (kind == SN_KIND_SPRING)
        param[1] /= s, param[2] /= s;
    pool->give[row].compliance *= s;
    pool->give[row].damping /= s;
}

static void divide_rod(inserting *in, uint32_t kind, uint32_t row)
{
    const uint32_t copy = sn_split_copy(in->world, kind, row);
    scale_rod(in->world, kind, row, in->t);
    scale_rod(in->world, kind, copy, 1 - in->t);
    replace(in, kind, row, in->q);
    replace_in_copy(in, kind, copy, in->p);
}

/* Divides the parameters of strain. They are the coefficients of two points; that of the first makes the sum 0. */
static void divide_strain(inserting *in, uint32_t row, bool second, uint32_t from)
{
    sn_pool *pool = in->world->constraints.pool[SN_KIND_STRAIN];
    sn_real *param = pool->param + 2 * (size_t)row;
    const uint32_t *point = pool->point + 3 * (size_t)row;
    const uint32_t stays = from == in->q ? in->p : in->q;
    double g[3] = {-((double)param[0] + (double)param[1]), (double)param[0], (double)param[1]};
    const double t = second ? 1 - in->t : in->t;
    uint32_t at_from = 0, at_stays = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        at_from = point[i] == from ? i : at_from;
        at_stays = point[i] == stays ? i : at_stays;
    }
    g[at_stays] -= g[at_from] * (1 - t) / t;
    g[at_from] /= t;
    param[0] = (sn_real)g[1];
    param[1] = (sn_real)g[2];
    pool->give[row].compliance /= (sn_real)t;
    pool->give[row].damping *= (sn_real)t;
}

static void scale_area(sn_world *world, uint32_t row, double part)
{
    sn_pool *pool = world->constraints.pool[SN_KIND_AREA];
    pool->param[(size_t)row * pool->param_count] *= (sn_real)part;
    pool->give[row].compliance *= (sn_real)part;
    pool->give[row].damping /= (sn_real)part;
}

static void divide_triangle(inserting *in, uint32_t kind, uint32_t row)
{
    const uint32_t copy = sn_split_copy(in->world, kind, row);
    if (kind == SN_KIND_STRAIN) {
        divide_strain(in, row, false, in->q);
        divide_strain(in, copy, true, in->p);
    } else {
        scale_area(in->world, row, in->t);
        scale_area(in->world, copy, 1 - in->t);
    }
    replace(in, kind, row, in->q);
    replace_in_copy(in, kind, copy, in->p);
}

/* The weights of isometric bending depend on lengths, so they are measured again. Afterwards it stores at most
   `most`. */
static void measure_hinge(inserting *in, uint32_t kind, uint32_t row, double most)
{
    if (kind != SN_KIND_BENDING)
        return;
    sn_tear_measure(in->world, kind, row);
    sn_tear_ease(in->world, kind, row, most, &in->removed, &in->released);
}

/* A hinge over the edge, or over another edge of one of its triangles. */
static void divide_hinge(inserting *in, uint32_t kind, uint32_t row)
{
    sn_world *world = in->world;
    sn_pool *pool = world->constraints.pool[kind];
    const uint32_t *point = pool->point + 4 * (size_t)row;
    const bool over_p = point[2] == in->p || point[3] == in->p, over_q = point[2] == in->q || point[3] == in->q;
    const double energy = sn_tear_energy(world, kind, row);
    if (over_p && over_q) {
        const uint32_t copy = sn_split_copy(world, kind, row);
        if (kind == SN_KIND_DIHEDRAL) { /* its stiffness is proportional to the length of its edge */
            pool->give[row].compliance /= (sn_real)in->t;
            pool->give[copy].compliance /= (sn_real)(1 - in->t);
            pool->give[row].damping *= (sn_real)in->t;
            pool->give[copy].damping *= (sn_real)(1 - in->t);
        }
        replace(in, kind, row, in->q);
        replace_in_copy(in, kind, copy, in->p);
        measure_hinge(in, kind, copy, energy * (1 - in->t));
    } else {
        replace(in, kind, row, over_p ? in->q : in->p);
    }
    measure_hinge(in, kind, row, over_p && over_q ? energy * in->t : energy);
}

/* Moves barycentric points in a triangle of the edge into one of its halves. True if there was one. */
static bool move_anchors(inserting *in, uint32_t kind, uint32_t row)
{
    sn_store *store = &in->world->constraints;
    const sn_pool *pool = store->pool[kind];
    bool moved = false;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        const uint32_t code = pool->point[(size_t)row * pool->kind->points + i];
        sn_anchor *anchor = code & SN_ANCHOR_BIT ? &store->anchor[code & ~SN_ANCHOR_BIT] : NULL;
        uint32_t at[2] = {SN_TEAR_NONE, SN_TEAR_NONE};
        for (uint32_t k = 0; anchor && anchor->type == SN_POINT_PARTICLES && k < anchor->count; ++k) {
            at[0] = anchor->particle[k] == in->p ? k : at[0];
            at[1] = anchor->particle[k] == in->q ? k : at[1];
        }
        if (at[0] == SN_TEAR_NONE || at[1] == SN_TEAR_NONE)
            continue;
        const double p = (double)anchor->weight[at[0]], q = (double)anchor->weight[at[1]];
        const bool far = q * (1 - in->t) > p * in->t; /* in the half at q */
        const double t = far ? 1 - in->t : in->t, gone = far ? p : q, stays = far ? q : p;
        anchor->particle[at[far ? 0 : 1]] = in->made;
        anchor->weight[at[far ? 0 : 1]] = (sn_real)(gone / t);
        anchor->weight[at[far ? 1 : 0]] = (sn_real)(stays - gone * (1 - t) / t);
        sn_tear_index_at(in->world, kind, row, in->made);
        moved = true;
    }
    if (moved) {
        sn_store_log(store, kind, row, 1, SN_EDIT_REMOVED);
        sn_store_log(store, kind, row, 1, SN_EDIT_ADDED);
    }
    return moved;
}

static bool holds(const sn_world *world, const sn_tear_node *node, uint32_t particle)
{
    uint32_t small[4 * SN_MAX_POINTS], count;
    const uint32_t *held =
        sn_store_particles(&world->constraints, world->constraints.pool[node->kind], node->row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (held[i] == particle)
            return true;
    return false;
}

/* Divides the constraints that contain both ends. */
static void divide_constraints(inserting *in)
{
    sn_world *world = in->world;
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const uint32_t count = sn_tear_constraints_at(world, in->p, node, SN_TEAR_CONSTRAINTS);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        const uint32_t kind = node[i].kind, row = node[i].row;
        const sn_pool *pool = world->constraints.pool[kind];
        if (!holds(world, &node[i], in->q))
            continue;
        if (pool_has_lists(pool) && !pool->kind->repeats) /* clusters keep their members */
            continue;
        if (!pool_has_lists(pool) && move_anchors(in, kind, row))
            continue;
        if (sn_tear_is_rod(kind) || kind == SN_KIND_DISTANCE_MIN)
            divide_rod(in, kind, row);
        else if (kind == SN_KIND_AREA || kind == SN_KIND_STRAIN)
            divide_triangle(in, kind, row);
        else if (kind == SN_KIND_DIHEDRAL || kind == SN_KIND_BENDING)
            divide_hinge(in, kind, row);
        else /* a surface is not closed any more; other constraints would join the two ends across a cut */
            sn_tear_remove(world, kind, row, &in->released), in->removed++;
    }
}

/* J; for rigid constraints J s^2: the energy of a rod with this compliance and these ends, for this excess length. */
static double stored(const sn_world *world, const uint32_t *end, double compliance, double by)
{
    const sn_vec4 *x = world->particles.x;
    const double w = (double)x[world->ids.value[end[0]]].w + (double)x[world->ids.value[end[1]]].w;
    return compliance > 0 ? by * by / (2 * compliance) : w > 0 ? by * by / (2 * w) : 0;
}

static double compliance_of(const sn_pool *pool, uint32_t kind, uint32_t row)
{
    if (kind == SN_KIND_SPRING)
        return 1 / (double)pool->param[(size_t)row * pool->param_count + 1];
    return (double)pool->give[row].compliance;
}

/* Multiplies the stiffness of a rod. */
static void stiffen_rod(sn_world *world, uint32_t kind, uint32_t row, double share)
{
    sn_pool *pool = world->constraints.pool[kind];
    const sn_real s = (sn_real)share;
    pool->give[row].compliance /= s;
    pool->give[row].damping *= s;
    pool->lambda[(size_t)row * pool->kind->rows] *= s;
    pool->preload[(size_t)row * pool->kind->rows] *= s;
    if (kind == SN_KIND_SPRING)
        for (uint32_t i = 1; i < 3; ++i)
            pool->param[(size_t)row * pool->param_count + i] *= s;
}

/* Adds a rod from the new vertex to the third corner of a triangle, like the neighbouring rods. These represented the
   part of the triangle that the new rod represents now, and give it this stiffness: half of 1 - t from the rod at p,
   half of t from that at q, so that k r^2 has the same sum. It has its rest length as above; or, if it would store more
   than it took, one nearer to its present length. */
static void add_brace(inserting *in, uint32_t side)
{
    sn_world *world = in->world;
    const uint32_t third = in->third[side], end[2] = {in->p, in->q}, own[2] = {in->made, third};
    const double t = in->t, a = in->rest_p[side], b = in->rest_q[side], part[2] = {(1 - t) / 2, t / 2};
    const double square = (1 - t) * a * a + t * b * b - t * (1 - t) * in->rest * in->rest;
    const double rest = square > 0 ? sqrt(square) : sn_tear_length(world, in->made, third);
    sn_tear_node beside[2];
    const bool found[2] = {find_rod(world, in->p, third, &beside[0]), find_rod(world, in->q, third, &beside[1])};
    const uint32_t first = found[0] ? 0 : 1, kind = beside[first].kind;
    if (!found[first] || !(rest > 0))
        return;
    sn_pool *pool = world->constraints.pool[kind];
    const double before = (double)sn_tear_rest(pool, kind, beside[first].row),
                 was = compliance_of(pool, kind, beside[first].row);
    const uint32_t row = sn_split_copy(world, kind, beside[first].row);
    double most = 0, stiffness = 0;
    for (uint32_t e = first; e < 2; ++e) {
        if (!found[e] || beside[e].kind != kind)
            continue;
        const double length = (double)sn_tear_rest(pool, kind, beside[e].row),
                     give = compliance_of(pool, kind, beside[e].row);
        const uint32_t ends[2] = {end[e], third};
        most += part[e] * stored(world, ends, give, sn_tear_excess(world, kind, beside[e].row));
        stiffness += give > 0 ? part[e] * length * length / (give * rest * rest) : 0;
        stiffen_rod(world, kind, beside[e].row, 1 - part[e]);
        sn_store_log(&world->constraints, kind, beside[e].row, 1, SN_EDIT_CHANGED);
    }
    if (before > 0)
        scale_rod(world, kind, row, rest / before);
    if (was > 0 && before > 0 && stiffness > 0) /* scaling gave it the compliance was * rest / before */
        stiffen_rod(world, kind, row, stiffness * was * rest / before);
    sn_pool_forget(pool, row, 1);
    replace_in_copy(in, kind, row, end[first]);
    const double by = sn_tear_excess(world, kind, row), now = stored(world, own, compliance_of(pool, kind, row), by);
    if (now > most)
        sn_tear_lengthen(world, kind, row, by * (1 - sqrt(most / now)));
}

/* Adds bending over that rod, like that of a hinge with one of the ends and the third corner. */
static void add_hinge(inserting *in, uint32_t side)
{
    sn_world *world = in->world;
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const uint32_t third = in->third[side], count = sn_tear_constraints_at(world, third, node, SN_TEAR_CONSTRAINTS);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        const uint32_t kind = node[i].kind;
        if ((kind != SN_KIND_DIHEDRAL && kind != SN_KIND_BENDING) || !holds(world, &node[i], in->made))
            continue;
        const uint32_t row = sn_split_copy(world, kind, node[i].row);
        sn_pool *pool = world->constraints.pool[kind];
        uint32_t *point = pool->point + 4 * (size_t)row;
        point[0] = in->p, point[1] = in->q, point[2] = in->made, point[3] = third;
        if (kind == SN_KIND_DIHEDRAL)
            pool->param[(size_t)row * pool->param_count] = 0; /* the halves of a triangle are in one plane */
        sn_pool_forget(pool, row, 1);
        sn_tear_index_constraint(world, kind, row);
        if (kind == SN_KIND_BENDING)
            sn_tear_measure(world, kind, row);
        return;
    }
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

uint32_t sn_tear_edge_sides(const sn_world *world, uint32_t p, uint32_t q, uint32_t *triangle, uint32_t most)
{
    const uint32_t *corner = world->contact.triangle_table.column[0], *next = world->tearing.next_table.column[0];
    uint32_t sides = 0;
    uint32_t place = ((const sn_tear_head *)world->tearing.head_table.column[0])[p].triangle;
    for (; place != SN_TEAR_NONE; place = next[place]) {
        if (corner[place / 3 * 3 + (place + 1) % 3] != q && corner[place / 3 * 3 + (place + 2) % 3] != q)
            continue;
        uint32_t at = sides++;
        for (; at > 0 && at <= most && triangle[at - 1] > place / 3; --at)
            if (at < most)
                triangle[at] = triangle[at - 1];
        if (at < most)
            triangle[at] = place / 3;
    }
    return sides;
}

static void find_sides(inserting *in)
{
    sn_world *world = in->world;
    const uint32_t *corner = world->contact.triangle_table.column[0];
    in->sides = sn_tear_edge_sides(world, in->p, in->q, in->triangle, SN_TEAR_SIDES);
    for (uint32_t i = 0; i < in->sides; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            if (corner[3 * in->triangle[i] + k] != in->p && corner[3 * in->triangle[i] + k] != in->q)
                in->third[i] = corner[3 * in->triangle[i] + k];
    in->rest = rest_of(world, in->p, in->q);
    for (uint32_t i = 0; i < in->sides; ++i) {
        in->rest_p[i] = rest_of(world, in->p, in->third[i]);
        in->rest_q[i] = rest_of(world, in->q, in->third[i]);
    }
}

/* The triangle keeps p. A new one, in the gap behind those of its skin, gets q. */
static void divide_triangles(inserting *in)
{
    sn_world *world = in->world;
    sn_tearing *t = &world->tearing;
    uint32_t *corner = world->contact.triangle_table.column[0];
    for (uint32_t i = 0; i < in->sides; ++i) {
        sn_skin_record *skin = contact_skin_of(&world->contact, in->triangle[i]);
        const uint32_t old = 3 * in->triangle[i], made = 3 * (skin->first + skin->count++);
        for (uint32_t k = 0; k < 3; ++k) {
            corner[made + k] = corner[old + k] == in->p ? in->made : corner[old + k];
            sn_tear_link(t, corner[made + k], made + k);
        }
        for (uint32_t k = 0; k < 3; ++k)
            if (corner[old + k] == in->q) {
                sn_tear_unlink(t, in->q, old + k);
                corner[old + k] = in->made;
                sn_tear_link(t, in->made, old + k);
            }
        skin->least = in->made < skin->least ? in->made : skin->least;
        skin->most = in->made > skin->most ? in->made : skin->most;
        sn_tear_note_triangle(world, old / 3);
        sn_tear_note_triangle(world, made / 3);
    }
}

/* Adds the neighbours of the vertices from `first` on, each once, as many as there is room for. */
static uint32_t find_around(const sn_world *world, uint32_t *around, uint32_t first, uint32_t count)
{
    const uint32_t *corner = world->contact.triangle_table.column[0], end = count;
    for (uint32_t e = first; e < end; ++e) {
        uint32_t place[SN_TEAR_FAN];
        const uint32_t fan = sn_tear_triangles_at(world, around[e], place, SN_TEAR_FAN);
        for (uint32_t i = 0; fan != UINT32_MAX && i < 3 * fan; ++i) {
            const uint32_t number = corner[place[i / 3] / 3 * 3 + i % 3];
            bool seen = false;
            for (uint32_t k = 0; k < count && !seen; ++k)
                seen = around[k] == number;
            if (!seen && count < AROUND)
                around[count++] = number;
        }
    }
    return count;
}

/* Adds the particle without a gain of kinetic energy. The vertices around the edge lose it; if they move rigidly, those
   around these. Returns the gain that is left, J: a scrap that moves rigidly as a whole rotates faster. */
static double add_calmly(inserting *in)
{
    uint32_t around[AROUND + 1] = {in->p, in->q}, first = 0;
    uint32_t count = find_around(in->world, around, first, 2);
    const double before = sn_tear_kinetic(in->world, around, count);
    add_particle(in);
    around[count] = in->made;
    double excess = sn_tear_kinetic(in->world, around, count + 1) - before;
    for (uint32_t last = 2; excess > 0 && count > last;) {
        around[count] = in->made;
        excess -= sn_tear_calm(in->world, around, count + 1, excess);
        first = last, last = count;
        count = excess > 0 ? find_around(in->world, around, first, count) : count;
    }
    return fmax(0, excess);
}

/* J: the energy of all constraints at some vertices, each once. */
static double energy_at(sn_world *world, const uint32_t *vertex, uint32_t count)
{
    double energy = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_tear_node node[SN_TEAR_CONSTRAINTS];
        const uint32_t found = sn_tear_constraints_at(world, vertex[i], node, SN_TEAR_CONSTRAINTS);
        for (uint32_t k = 0; found != UINT32_MAX && k < found; ++k) {
            bool seen = false;
            for (uint32_t j = 0; j < i && !seen; ++j)
                seen = holds(world, &node[k], vertex[j]);
            energy += seen ? 0 : sn_tear_energy(world, node[k].kind, node[k].row);
        }
    }
    return energy;
}

uint32_t sn_tear_insert(sn_world *world, uint32_t p, uint32_t q, double t, uint32_t *removed, double *released)
{
    inserting in = {.world = world, .p = p, .q = q, .t = t};
    sn_tearing *tearing = &world->tearing;
    sn_tear_rods rods = {0};
    uint32_t end[SN_TEAR_SIDES + 3] = {p, q};
    find_sides(&in);
    memcpy(end + 2, in.third, in.sides * sizeof *end);
    const double before = energy_at(world, end, 2 + in.sides);
    sn_tear_note_rods(world, end, 2, &rods);
    sn_tear_note_rods(world, in.third, in.sides, &rods);
    const double gained = add_calmly(&in);
    if (in.made >= tearing->head_table.count)
        tearing->head_table.count = in.made + 1;
    ((sn_tear_head *)tearing->head_table.column[0])[in.made] =
        (sn_tear_head){.triangle = SN_TEAR_NONE,
                       .constraint = SN_TEAR_NONE,
                       .cell = SN_TEAR_NONE,
                       .skin = ((sn_tear_head *)tearing->head_table.column[0])[p].skin};
    divide_constraints(&in);
    for (uint32_t i = 0; i < in.sides; ++i)
        add_brace(&in, i);
    for (uint32_t i = 0; i < in.sides; ++i)
        add_hinge(&in, i);
    const sn_skin_record *skin = contact_skin_of(&world->contact, in.triangle[0]);
    sn_tear event = {.type = SN_TEAR_INSERT,
                     .cut = true,
                     .skin = {skin->number, world->contact.skin_ids.generation[skin->number]},
                     .particle = {p, world->ids.generation[p]},
                     .other = {q, world->ids.generation[q]},
                     .made = {in.made, world->ids.generation[in.made]},
                     .place = vec4_xyz(world->particles.x[world->ids.value[in.made]])};
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i) {
        sn_skin_record *of = &contact_skins(&world->contact)[i];
        for (uint32_t k = 0; k < in.sides && of->self_collision; ++k)
            if (in.triangle[k] - of->first < of->count)
                of->self_collision = SN_SKIN_TORN;
    }
    divide_triangles(&in);
    sn_tear_drop_rods(world, &rods, &in.removed, &in.released);
    end[2 + in.sides] = in.made; /* constraints that were measured again, and rods that replace others, may store
                                    less */
    const double lost = before - energy_at(world, end, 3 + in.sides) - gained;
    event.released = (sn_real)fmax(0, lost);
    sn_tear_tell(world, &event);
    tearing->sequence = world->constraints.counts.next_sequence;
    world->constraints.edits++;
    *removed += in.removed;
    *released += lost; /* a gain here is a loss of other vertices of the cut */
    return in.made;
}
