/* Contacts of ropes that carry a heavy load, solved together with the rods of the ropes.

   Contact alone moves the few particles that it acts on, and rods move a whole rope. A link of a loaded rope is light,
   so the rods undo what contact does: solved by turns the two hardly converge, and a knot stretched by many times the
   length of a link. Here an impulse moves the whole rope instead, as its rods allow (solvers/tree_push.h). Before that,
   rods are solved without contact, from positions on which no impulse has acted. The rope then moves by no more than
   its load falls in a substep, so the equations are nearly linear. Let N be the rows of contacts, along normals and
   across, g their gaps, and R the response of ropes to impulses:

       r = g + G p,   G = N R N^T,       normal: p >= 0, r >= 0, p r = 0;   across: friction

   G is dense, and of the size of the contacts (surface_pushes.c). The search starts with the impulses of the substep
   before. What error remains is in the gaps, because rods hold in any case. Overlaps at the start of the substep are
   removed after that, by the same equations, without a change of velocity.

   This is for contacts with a particle of a loaded tree of rods, pieces of rope and pins: the heaviest particle of the
   tree has LOADED times the mass of the lightest. A piece of rope counts as a rod unless it is slack. The trees of the
   other particles of a contact take part, loaded or not. */
#include "contact/surface_contacts.h"

#include "base/sort.h"
#include "contact/particle_contacts.h"
#include "contact/surface_pushes.h"
#include "contact/surface_loads.h"
#include "integrators/integrator.h"
#include "solvers/tiled.h"
#include "solvers/tree.h"
#include "solvers/tree_push.h"
#include "world/world.h"

#include <string.h>

#define LOADED 8.0  /* as in forest_leaning.c */
#define BLOCK  128u /* contacts that are solved at once, at most */
#define ROUNDS 8u   /* rounds in which rods are linearised again, at most */
#define SLACK  1e-3 /* of the length of a piece of rope, which does not push: it is slack if shorter by more */
#define ENOUGH 1e-4 /* relative to the length of a rod: its greatest error */
#define CALM   1e-7 /* relative to the reach: the search ends when impulses change gaps by no more */
#define NONE   UINT32_MAX

/* A tree of rods and pins. */
typedef struct rope {
    uint32_t tree;         /* in the forest */
    uint32_t first, count; /* its nodes */
    uint32_t with;         /* a tree that is solved together with this one (union-find) */
    bool loaded;
    uint32_t near; /* contacts of the block are at the first `near` nodes; 0: there are none */
} rope;

/* A contact. */
typedef struct joint {
    uint32_t contact;
    uint32_t node[4], rope[4]; /* NONE: in no tree */
    sn_dvec3 axis[3];          /* the normal, and two tangents */
    double p[3];               /* kg m: the impulse in this substep */
    double was[3];             /* the part of it that was applied */
    double before;             /* m: the gap when the substep began */
} joint;

typedef struct solving {
    sn_world *world;
    sn_surfaces *s;
    sn_real h;
    sn_push_node *node;
    rope *ropes;
    uint32_t rope_count;
    joint *joints;
    uint32_t count; /* the contacts of the block */
    sn_pushes p;    /* their equations */
} solving;

void sn_surface_loads_init(sn_surfaces *s)
{
    sn_table_column(&s->load_place_table, sizeof(uint32_t), false);
    sn_table_column(&s->load_node_table, sizeof(sn_push_node), false);
    sn_table_column(&s->load_table, sizeof(rope), false);
    sn_table_column(&s->joint_table, sizeof(joint), false);
    sn_table_column(&s->joint_matrix_table, sizeof(double), false);
}

static const sn_forest *forest_of(const sn_world *world)
{
    const sn_settings *settings = &world->state.settings;
    if (settings->solver != SN_SOLVER_TILED || sn_integrators[settings->integrator]->kick != 1 ||
        !settings->iterations || !world->plan.made || !world->plan.tree_table.count)
        return NULL;
    return sn_tiled_forest(&world->scratch);
}

/* ---- Loaded trees ------------------------------------------------------------------------------------------------ */

static bool is_loaded(const sn_world *world, const sn_forest *forest, const sn_tree *tree)
{
    const uint32_t *number = forest->node_table.column[SN_NODE_NUMBER];
    sn_real least = (sn_real)INFINITY, most = 0;
    for (uint32_t i = tree->node; i < tree->node_end; ++i) {
        const sn_real w = world->particles.x[world->ids.value[number[i]]].w;
        least = w < least ? w : least;
        most = w > most ? w : most;
    }
    return (double)most >= LOADED * (double)least;
}

/* True for rods and pieces of rope between two particles, and for pins. They may have a compliance. */
static bool is_plain(const sn_world *world, const sn_item *it)
{
    const sn_pool *pool = world->constraints.pool[it->kind];
    const uint32_t *point = pool->point + (size_t)it->row * pool->kind->points;
    if ((it->kind != SN_KIND_DISTANCE && it->kind != SN_KIND_DISTANCE_MAX && it->kind != SN_KIND_PIN) || it->whole ||
        it->parent == SN_NO_PARENT || (point[0] | point[it->kind != SN_KIND_PIN]) & SN_ANCHOR_BIT)
        return false;
    const sn_give *give = &pool->give[it->row];
    return give->stiffness == 1 && give->damping == 0 && !store_compromise(&world->constraints, pool, it->row);
}

static bool is_rope(const sn_world *world, const sn_forest *forest, const sn_tree *tree)
{
    const sn_item *item = forest->item_table.column[0];
    for (uint32_t i = tree->item; i < tree->item_end; ++i)
        if (!is_plain(world, &item[i]))
            return false;
    return true;
}

/* Lists the particles of a tree, parents before their children, and then the fixed points that hold some of them. */
static void list_nodes(const sn_world *world, const sn_forest *forest, rope *r, sn_push_node *node)
{
    const sn_tree *tree = (const sn_tree *)forest->tree_table.column[0] + r->tree;
    const uint32_t *number = forest->node_table.column[SN_NODE_NUMBER];
    const sn_item *item = forest->item_table.column[0];
    r->count = tree->node_end - tree->node;
    for (uint32_t i = 0; i < r->count; ++i) {
        const uint32_t slot = world->ids.value[number[tree->node + i]];
        node[i] = (sn_push_node){.parent = SN_PUSH_NONE, .slot = slot, .mass = 1 / (double)world->particles.x[slot].w};
    }
    for (uint32_t i = tree->item; i < tree->item_end; ++i) {
        const uint32_t *of = (const uint32_t *)forest->mention_table.column[SN_MENTION_NODE] + item[i].mention;
        const uint32_t *who = (const uint32_t *)forest->mention_table.column[SN_MENTION_PARTICLE] + item[i].mention;
        const bool pin = item[i].kind == SN_KIND_PIN;
        const uint32_t parent = of[item[i].parent] - tree->node, child = pin ? SN_GROUND : of[!item[i].parent];
        sn_push_node *to = &node[child == SN_GROUND ? r->count++ : child - tree->node];
        if (child == SN_GROUND) {
            const uint32_t one = world->ids.value[who[0]], other = world->ids.value[who[!pin]];
            *to = (sn_push_node){.pin = pin, .slot = one == node[parent].slot ? other : one};
        }
        to->parent = parent;
        to->kind = item[i].kind;
        to->row = item[i].row;
    }
}

/* Lists the trees, if one of them is loaded, and the nodes of their particles. False when memory runs out. */
bool sn_surface_loads_find(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const sn_forest *forest = s->compromise_table.count ? forest_of(world) : NULL;
    bool any = false;
    s->load_table.count = 0;
    if (!forest || world->dimensions != 3)
        return true;
    const sn_tree *tree = forest->tree_table.column[0];
    for (uint32_t i = 0; i < forest->tree_table.count && !any; ++i)
        any = is_rope(world, forest, &tree[i]) && is_loaded(world, forest, &tree[i]);
    if (!any)
        return true;
    if (!sn_table_reserve(&s->load_table, &world->allocator, forest->tree_table.count) ||
        !sn_table_reserve(&s->load_node_table, &world->allocator,
                          (uint64_t)forest->node_table.count + forest->item_table.count) ||
        !sn_table_reserve(&s->load_place_table, &world->allocator, world->particles.table.count))
        return false;
    rope *to = s->load_table.column[0];
    sn_push_node *node = s->load_node_table.column[0];
    uint32_t *place = s->load_place_table.column[0], first = 0;
    memset(place, 0, world->particles.table.count * sizeof *place);
    for (uint32_t i = 0; i < forest->tree_table.count; ++i) {
        if (!is_rope(world, forest, &tree[i]))
            continue;
        rope *r = &to[s->load_table.count];
        *r = (rope){
            .tree = i, .first = first, .with = s->load_table.count++, .loaded = is_loaded(world, forest, &tree[i])};
        list_nodes(world, forest, r, node + first);
        for (uint32_t k = 0; k < r->count; ++k)
            if (node[first + k].mass > 0)
                place[node[first + k].slot] = 1 + first + k;
        first += r->count;
    }
    return true;
}

/* The tree of a node, by binary search. */
static uint32_t rope_of(const sn_surfaces *s, uint32_t node)
{
    const rope *c = s->load_table.column[0];
    uint32_t low = 0, high = s->load_table.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (c[middle].first <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t node_of(const sn_surfaces *s, const sn_surface_contact *c, uint32_t k)
{
    return c->own[k] != 0 ? ((const uint32_t *)s->load_place_table.column[0])[c->slot[k]] - 1 : NONE;
}

bool sn_surface_loads_hold(const sn_surfaces *s, const sn_surface_contact *c)
{
    const rope *ropes = s->load_table.column[0];
    if (!s->load_table.count || !c->rope || c->body)
        return false;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t node = node_of(s, c, k);
        if (node != NONE && ropes[rope_of(s, node)].loaded)
            return true;
    }
    return false;
}

static uint32_t root_of(rope *c, uint32_t i)
{
    while (c[i].with != i)
        i = c[i].with = c[c[i].with].with;
    return i;
}

static joint make_joint(const sn_surfaces *s, const sn_surface_contact *c, uint32_t number)
{
    const sn_dvec3 tangential = dvec3_from(c->tangent_impulse);
    joint made = {.contact = number};
    for (uint32_t k = 0; k < 4; ++k) {
        made.node[k] = node_of(s, c, k);
        made.rope[k] = made.node[k] == NONE ? NONE : rope_of(s, made.node[k]);
    }
    made.axis[0] = dvec3_from(c->normal);
    made.axis[1] = dvec3_any_normal(made.axis[0]);
    made.axis[2] = dvec3_cross(made.axis[0], made.axis[1]);
    made.p[0] = (double)(c->normal_impulse / c->give);
    made.p[1] = dvec3_dot(tangential, made.axis[1]) / (double)c->give;
    made.p[2] = dvec3_dot(tangential, made.axis[2]) / (double)c->give;
    return made;
}

bool sn_surface_loads_begin(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_contact *contact = s->contact_table.column[0];
    rope *ropes = s->load_table.column[0];
    uint32_t count = 0, together = 0;
    s->joint_table.count = 0;
    for (uint32_t i = 0; s->load_table.count && i < s->contact_table.count; ++i)
        count += contact[i].loaded;
    if (!count)
        return true;
    const uint64_t most = 3 * (uint64_t)(count < BLOCK ? count : BLOCK);
    if (!sn_table_reserve(&s->joint_table, &world->allocator, count) ||
        !sn_table_reserve(&s->joint_matrix_table, &world->allocator, 2 * most * most + 8 * most))
        return false;
    joint *to = s->joint_table.column[0];
    sn_sort_item *item = s->sort_table.column[0];
    for (uint32_t i = 0; i < s->contact_table.count; ++i) {
        const joint made = contact[i].loaded ? make_joint(s, &contact[i], i) : (joint){0};
        uint32_t first = NONE;
        for (uint32_t k = 0; contact[i].loaded && k < 4; ++k)
            if (made.rope[k] != NONE) {
                const uint32_t a = root_of(ropes, made.rope[k]), b = first == NONE ? a : root_of(ropes, first);
                ropes[a > b ? a : b].with = a > b ? b : a;
                first = made.rope[k];
            }
        if (contact[i].loaded)
            item[together++] = (sn_sort_item){.a = i, .key = first};
    }
    for (uint32_t i = 0; i < together; ++i)
        item[i].key = root_of(ropes, (uint32_t)item[i].key);
    sn_sort(item, s->sort_table.column[1], together);
    for (uint32_t i = 0; i < together; ++i)
        to[s->joint_table.count++] = make_joint(s, &contact[item[i].a], item[i].a);
    return true;
}

/* ---- Ropes ------------------------------------------------------------------------------------------------------- */

static sn_dvec3 place_of(const sn_world *world, uint32_t slot)
{
    return dvec3_add(dvec3_from(vec4_xyz(world->particles.x[slot])),
                     dvec3_from(vec4_xyz(world->particles.x_low[slot])));
}

/* The sign of a rod's multiplier: the gradient of a piece of rope has the opposite direction. */
static double sign_of(const sn_push_node *p)
{
    return p->kind == SN_KIND_DISTANCE_MAX ? -1 : 1;
}

/* Linearises the rods of a tree where it is. `fresh`: also reads their multipliers. */
static void fill_rope(const solving *g, const rope *r, bool fresh)
{
    const sn_world *world = g->world;
    sn_push_node *node = g->node + r->first;
    for (uint32_t i = 0; i < r->count; ++i) {
        sn_push_node *p = &node[i];
        p->f = dvec3(0, 0, 0);
        if (p->parent == SN_PUSH_NONE)
            continue;
        const sn_pool *pool = world->constraints.pool[p->kind];
        const sn_real *param = pool->param + (size_t)p->row * pool->param_count;
        const double give = (double)pool->give[p->row].compliance / ((double)g->h * (double)g->h);
        const sn_dvec3 y = place_of(world, node[p->parent].slot);
        const double w = 1 / node[p->parent].mass;
        if (p->pin) {
            const sn_real *l = pool->lambda + 3 * (size_t)p->row;
            p->soft = SN_TREE_SOFT * w + give;
            p->pin_force = dvec3((double)l[0], (double)l[1], (double)l[2]);
            p->rest = dvec3_sub(dvec3((double)param[0], (double)param[1], (double)param[2]), y);
            p->rest = dvec3_sub(p->rest, dvec3_scale(p->pin_force, give));
            continue;
        }
        const sn_dvec3 displacement = dvec3_sub(y, place_of(world, p->slot));
        if (fresh)
            p->exerted = sign_of(p) * (double)pool->lambda[p->row];
        p->length = dvec3_length(displacement);
        p->n = p->length > 0 ? dvec3_scale(displacement, 1 / p->length) : dvec3(1, 0, 0);
        p->rhs = (double)param[0] - p->length - give * p->exerted;
        p->slack = p->kind == SN_KIND_DISTANCE_MAX && p->rhs > SLACK * p->length;
        if (p->kind == SN_KIND_DISTANCE_MAX && p->rhs > 0)
            p->rhs = 0;
        p->soft = SN_TREE_SOFT * (w + (p->mass > 0 ? 1 / p->mass : 0)) + give;
    }
}

/* Sets the stiffness across rods under tension (`more`: with the impulses of the last solve). True if one has grown
   much. */
static bool bend(const solving *g, const rope *c, bool more)
{
    bool stale = false;
    for (uint32_t i = 0; i < c->count; ++i) {
        sn_push_node *p = &g->node[c->first + i];
        if (p->pin || p->parent == SN_PUSH_NONE)
            continue;
        const double pulls = p->slack ? 0 : -(p->exerted + (more ? p->lambda : 0)), before = p->kappa;
        p->kappa = pulls > 0 && p->length > 0 ? pulls / p->length : 0;
        const double other = g->node[c->first + p->parent].mass, light = p->mass > 0 ? fmin(p->mass, other) : other;
        stale = stale || (p->kappa > SN_TREE_STALE * before && 2 * p->kappa > SN_TREE_TURNING * light);
    }
    return stale;
}

/* ---- Contacts ---------------------------------------------------------------------------------------------------- */

static const sn_surface_contact *contact_of(const solving *g, const joint *j)
{
    return (const sn_surface_contact *)g->s->contact_table.column[0] + j->contact;
}

/* Adds impulses along the axes of a contact at its particles that are in ropes; negative ones remove them. */
static void push(const solving *g, const joint *j, const double p[3])
{
    const sn_surface_contact *c = contact_of(g, j);
    sn_dvec3 f = {0, 0, 0};
    for (uint32_t b = 0; b < 3; ++b)
        f = dvec3_add(f, dvec3_scale(j->axis[b], p[b]));
    for (uint32_t k = 0; k < 4; ++k)
        if (j->node[k] != NONE) {
            sn_push_node *node = &g->node[j->node[k]];
            node->f = dvec3_add(node->f, dvec3_scale(f, (double)c->own[k]));
        }
}

/* m: the relative displacement of the two points of a contact, by the last solution of ropes. of: one rope; NONE:
   all. */
static sn_dvec3 moves(const solving *g, const joint *j, uint32_t of)
{
    const sn_surface_contact *c = contact_of(g, j);
    sn_dvec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < 4; ++k)
        if (j->node[k] != NONE && (of == NONE || j->rope[k] == of))
            sum = dvec3_add(sum, dvec3_scale(g->node[j->node[k]].x, (double)c->own[k]));
    return sum;
}

static uint32_t any_rope(const joint *j)
{
    uint32_t k = 0;
    while (j->rope[k] == NONE)
        ++k;
    return j->rope[k];
}

static bool has_rope(const joint *j, uint32_t of)
{
    return j->rope[0] == of || j->rope[1] == of || j->rope[2] == of || j->rope[3] == of;
}

/* The effect of one contact's impulse on another contact through particles that are in no rope. */
static double by_others(const solving *g, const joint *a, const joint *b, sn_dvec3 one, sn_dvec3 other)
{
    const sn_surface_contact *c = contact_of(g, a), *d = contact_of(g, b);
    double sum = 0;
    for (uint32_t k = 0; k < 4; ++k)
        for (uint32_t i = 0; i < 4; ++i)
            if (a->node[k] == NONE && b->node[i] == NONE && c->slot[k] == d->slot[i])
                sum += (double)(c->own[k] * d->own[i] * g->world->particles.x[c->slot[k]].w);
    return sum * dvec3_dot(one, other);
}

/* Computes G, column by column. */
static void fill_matrix(const solving *g)
{
    const uint32_t rows = 3 * g->count;
    memset(g->p.matrix, 0, (size_t)rows * rows * sizeof *g->p.matrix);
    for (uint32_t i = 0; i < rows; ++i) {
        const joint *from = &g->joints[i / 3];
        double unit[3] = {0}, back[3] = {0};
        unit[i % 3] = 1;
        back[i % 3] = -1;
        push(g, from, unit);
        for (uint32_t k = 0; k < 4; ++k) {
            bool again = from->rope[k] == NONE;
            for (uint32_t n = 0; n < k && !again; ++n)
                again = from->rope[n] == from->rope[k];
            if (again)
                continue;
            const rope *c = &g->ropes[from->rope[k]];
            sn_push_solve(g->node + c->first, c->near, false);
            for (uint32_t to = 0; to < g->count; ++to) {
                if (!has_rope(&g->joints[to], from->rope[k]))
                    continue;
                const sn_dvec3 x = moves(g, &g->joints[to], from->rope[k]);
                for (uint32_t b = 0; b < 3; ++b)
                    g->p.matrix[(size_t)(3 * to + b) * rows + i] += dvec3_dot(x, g->joints[to].axis[b]);
            }
        }
        for (uint32_t to = 0; to < g->count; ++to)
            for (uint32_t b = 0; b < 3; ++b)
                g->p.matrix[(size_t)(3 * to + b) * rows + i] +=
                    by_others(g, from, &g->joints[to], from->axis[i % 3], g->joints[to].axis[b]);
        push(g, from, back);
    }
    for (uint32_t i = 0; i < rows; ++i)
        g->p.matrix[(size_t)i * rows + i] *= 1 + SN_PUSHES_SOFT;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* m: the distance of the two sides of a contact along its normal; negative: they overlap. */
static sn_real apart_of(const solving *g, const sn_surface_contact *c)
{
    return vec3_dot(sn_surface_contact_apart(g->world, c, g->h), c->normal) - c->reach;
}

/* Measures the gap and the slip of a contact (m), with the impulses applied so far. */
static void measure(const solving *g, uint32_t i)
{
    joint *j = &g->joints[i];
    double *gap = g->p.gap + 3 * i;
    const sn_surface_contact *c = contact_of(g, j);
    const sn_real h = g->h;
    const sn_vec3 n = c->normal, u = vec3_scale(sn_surface_contact_velocity(g->world, c), h),
                  slip = vec3_sub(u, vec3_scale(c->belt, h));
    const sn_real apart = apart_of(g, c), before = apart - vec3_dot(u, n);
    j->before = (double)before;
    gap[0] = (double)(before < 0 ? apart - before : apart);
    gap[1] = dvec3_dot(dvec3_from(slip), j->axis[1]);
    gap[2] = dvec3_dot(dvec3_from(slip), j->axis[2]);
}

static void find_pushes(const solving *g, bool tangential)
{
    sn_pushes p = g->p;
    p.tangential = tangential;
    sn_pushes_find(&p, CALM * (double)contact_of(g, g->joints)->reach);
}

static void move(const solving *g, uint32_t slot, sn_dvec3 by, bool speeds)
{
    const sn_vec3 displacement = dvec3_round(by);
    sn_vec4 *v = &g->world->particles.v[slot];
    sn_contacts_add(g->world, slot, displacement);
    if (speeds)
        *v = vec4(vec3_add(vec4_xyz(*v), vec3_scale(displacement, 1 / g->h)), v->w);
}

static void each_rope(const solving *g, void (*what)(const solving *g, rope *c))
{
    for (uint32_t i = 0; i < g->rope_count; ++i)
        if (g->ropes[i].near)
            what(g, &g->ropes[i]);
}

static void start(const solving *g, rope *c)
{
    fill_rope(g, c, true);
    bend(g, c, false);
    sn_push_factor(g->node + c->first, c->count);
    for (uint32_t i = 0; i < c->count; ++i)
        g->node[c->first + i].f = dvec3(0, 0, 0);
}

static void go_on(const solving *g, rope *c)
{
    fill_rope(g, c, false);
}

static void shift(const solving *g, rope *c)
{
    sn_push_solve(g->node + c->first, c->count, true);
}

static void guess(const solving *g, rope *c)
{
    shift(g, c);
    bend(g, c, true);
}

static void factor(const solving *g, rope *c)
{
    sn_push_factor(g->node + c->first, c->count);
}

static void clear(const solving *g, rope *c)
{
    for (uint32_t i = 0; i < c->count; ++i)
        g->node[c->first + i].f = dvec3(0, 0, 0);
}

static void take(const solving *g, rope *c)
{
    sn_push_node *node = g->node + c->first;
    for (uint32_t i = 0; i < c->count; ++i) {
        sn_push_node *p = &node[i];
        if (p->pin) {
            sn_real *l = g->world->constraints.pool[SN_KIND_PIN]->lambda + 3 * (size_t)p->row;
            const sn_vec3 more = dvec3_round(p->pin_force);
            l[0] += more.x, l[1] += more.y, l[2] += more.z;
            continue;
        }
        if (p->mass > 0)
            move(g, p->slot, p->x, true);
        if (p->parent == SN_PUSH_NONE)
            continue;
        p->exerted += p->lambda;
        const double is = sign_of(p) * p->exerted;
        g->world->constraints.pool[p->kind]->lambda[p->row] =
            (sn_real)(p->kind == SN_KIND_DISTANCE_MAX && is < 0 ? 0 : is);
    }
}

static void part(const solving *g, rope *c)
{
    sn_push_node *node = g->node + c->first;
    shift(g, c);
    for (uint32_t i = 0; i < c->count; ++i)
        if (node[i].mass > 0)
            move(g, node[i].slot, node[i].x, false);
}

/* Applies the impulses of this round to the particles of ropes and to the others. */
static void hand_out(const solving *g, bool speeds)
{
    for (uint32_t i = 0; i < g->count; ++i) {
        const joint *j = &g->joints[i];
        const sn_surface_contact *c = contact_of(g, j);
        sn_dvec3 f = {0, 0, 0};
        push(g, j, g->p.y + 3 * i);
        for (uint32_t b = 0; b < 3; ++b)
            f = dvec3_add(f, dvec3_scale(j->axis[b], g->p.y[3 * i + b]));
        for (uint32_t k = 0; k < 4; ++k)
            if (j->node[k] == NONE && c->own[k] != 0)
                move(g, c->slot[k], dvec3_scale(f, (double)(c->own[k] * g->world->particles.x[c->slot[k]].w)), speeds);
    }
}

/* The largest error of a rod, relative to its length. */
static double missed_of(const solving *g)
{
    double missed = 0;
    for (uint32_t i = 0; i < g->rope_count; ++i) {
        const rope *c = &g->ropes[i];
        for (uint32_t k = c->first; c->near && k < c->first + c->count; ++k)
            if (!g->node[k].pin && g->node[k].parent != SN_PUSH_NONE)
                missed = fmax(missed, fabs(g->node[k].rhs) / (g->node[k].length + fabs(g->node[k].rhs)));
    }
    return missed;
}

/* One round. True if rods have to be linearised again. */
static bool solve_round(const solving *g)
{
    for (uint32_t i = 0; i < g->count; ++i)
        measure(g, i);
    fill_matrix(g);
    each_rope(g, shift);
    for (uint32_t i = 0; i < g->count; ++i) {
        joint *j = &g->joints[i];
        const sn_dvec3 x = moves(g, j, NONE);
        for (uint32_t b = 0; b < 3; ++b) {
            g->p.gap[3 * i + b] += dvec3_dot(x, j->axis[b]);
            g->p.was[3 * i + b] = j->was[b];
            g->p.y[3 * i + b] = j->p[b] - j->was[b];
        }
    }
    find_pushes(g, true);
    hand_out(g, true);
    each_rope(g, shift);
    each_rope(g, take);
    bool stale = false;
    for (uint32_t i = 0; i < g->count; ++i)
        for (uint32_t b = 0; b < 3; ++b)
            g->joints[i].p[b] = g->joints[i].was[b] += g->p.y[3 * i + b];
    each_rope(g, go_on);
    for (uint32_t i = 0; i < g->rope_count; ++i)
        stale = (g->ropes[i].near && bend(g, &g->ropes[i], false)) || stale;
    each_rope(g, factor);
    return stale || missed_of(g) > ENOUGH;
}

/* One round of part_block. True if rods have to be linearised again. */
static bool part_round(const solving *g)
{
    fill_matrix(g);
    each_rope(g, shift);
    for (uint32_t i = 0; i < g->count; ++i) {
        const joint *j = &g->joints[i];
        g->p.gap[3 * i] = (double)apart_of(g, contact_of(g, j)) - j->before + dvec3_dot(moves(g, j, NONE), j->axis[0]);
        for (uint32_t b = 0; b < 3; ++b)
            g->p.was[3 * i + b] = g->p.y[3 * i + b] = 0;
    }
    find_pushes(g, false);
    hand_out(g, false);
    each_rope(g, part);
    each_rope(g, go_on);
    each_rope(g, factor);
    return missed_of(g) > ENOUGH;
}

/* Removes overlaps from the start of the substep, without a change of velocity. Where a knot jams, ropes move by
   millimetres in this. With a single round rods were off by 2 % then, and the next substep turned that into
   velocity: with 1,000 times its mass, a knot stretched by a half. */
static void part_block(const solving *g, double most, double ease)
{
    bool any = false;
    for (uint32_t i = 0; i < g->count; ++i) {
        joint *j = &g->joints[i];
        measure(g, i);
        const double deep = j->before < 0 ? fmin(-j->before * ease, most) : 0;
        any = any || deep > 0;
        j->before = fmin(j->before, 0) + deep; /* from now on: the gap that is wanted */
    }
    for (uint32_t round = 0; any && round < ROUNDS; ++round)
        any = part_round(g);
}

static void solve_block(const solving *g, double most, double ease)
{
    sn_surface_contact *contact = g->s->contact_table.column[0];
    for (uint32_t i = 0; i < g->rope_count; ++i)
        g->ropes[i].near = 0;
    for (uint32_t i = 0; i < g->count; ++i)
        for (uint32_t k = 0; k < 4; ++k)
            if (g->joints[i].rope[k] != NONE) {
                rope *r = &g->ropes[g->joints[i].rope[k]];
                const uint32_t end = g->joints[i].node[k] - r->first + 1;
                r->near = end > r->near ? end : r->near;
            }
    each_rope(g, start);
    for (uint32_t i = 0; i < g->count; ++i) {
        const joint *j = &g->joints[i];
        push(g, j, (double[3]){j->p[0] - j->was[0], j->p[1] - j->was[1], j->p[2] - j->was[2]});
    }
    each_rope(g, guess);
    each_rope(g, clear);
    each_rope(g, factor);
    for (uint32_t round = 0; solve_round(g) && round + 1 < ROUNDS;)
        ++round;
    for (uint32_t i = 0; i < g->count; ++i) {
        const joint *j = &g->joints[i];
        sn_surface_contact *c = &contact[j->contact];
        const sn_dvec3 tangential = dvec3_add(dvec3_scale(j->axis[1], j->p[1]), dvec3_scale(j->axis[2], j->p[2]));
        c->normal_impulse = (sn_real)j->p[0] * c->give;
        c->tangent_impulse = vec3_scale(dvec3_round(tangential), c->give);
    }
    part_block(g, most, ease);
    for (uint32_t i = 0; i < g->count; ++i)
        memcpy(g->joints[i].was, g->joints[i].p, sizeof g->joints[i].p);
}

static sn_pushes pushes_of(const sn_surfaces *s, const joint *joints, uint32_t count)
{
    const sn_surface_contact *contact = s->contact_table.column[0];
    const size_t rows = 3 * (size_t)count;
    double *at = s->joint_matrix_table.column[0], *rest = at + 2 * rows * rows;
    sn_pushes p = {.count = count,
                   .matrix = at,
                   .factor = at + rows * rows,
                   .gap = rest,
                   .was = rest + rows,
                   .y = rest + 2 * rows,
                   .step = rest + 3 * rows,
                   .kept = rest + 4 * rows,
                   .r = rest + 5 * rows,
                   .static_friction = rest + 6 * rows,
                   .dynamic_friction = rest + 6 * rows + count,
                   .limit = rest + 6 * rows + 2 * count,
                   .row = (uint32_t *)(void *)(rest + 7 * rows)};
    for (uint32_t i = 0; i < count; ++i) {
        p.static_friction[i] = (double)contact[joints[i].contact].friction.static_friction;
        p.dynamic_friction[i] = (double)contact[joints[i].contact].friction.dynamic_friction;
    }
    return p;
}

void sn_surface_loads_pass(sn_world *world, sn_real h, sn_real part, sn_real ease)
{
    sn_surfaces *s = &world->contacts.surfaces;
    rope *ropes = s->load_table.column[0];
    joint *joints = s->joint_table.column[0];
    for (uint32_t first = 0, end; s->joint_table.count && first < s->joint_table.count; first = end) {
        const uint32_t root = root_of(ropes, any_rope(&joints[first]));
        end = first;
        while (end < s->joint_table.count && end - first < BLOCK && root_of(ropes, any_rope(&joints[end])) == root)
            ++end;
        const solving g = {.world = world,
                           .s = s,
                           .h = h,
                           .node = s->load_node_table.column[0],
                           .ropes = ropes,
                           .rope_count = s->load_table.count,
                           .joints = joints + first,
                           .count = end - first,
                           .p = pushes_of(s, joints + first, end - first)};
        solve_block(&g, (double)part, (double)ease);
    }
}
