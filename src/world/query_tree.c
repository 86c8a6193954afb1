/* Trees for queries, and when they are made.

   Testing every particle takes some nanoseconds for each. Refitting a tree to particles that have moved takes as long
   as a few such searches, building a tree as long as fifty. It is unknown how many more queries come before the next
   step. So queries test everything until they have spent the cost of the tree, and then it is made. At worst that takes
   twice the optimal time, and a world with one query per step never pays for a tree. */
#define __USE_MINGW_ANSI_STDIO 1
#include "world/query_tree.h"

#include "world/world.h"

#include <stdarg.h>
#include <stdio.h>

#define FEW 64u /* up to this many items are tested one by one */

/* The cost of a tree, in queries that test all items. Testing a fixed shape costs as much as adding it to a tree. */
typedef struct price {
    uint32_t build, fit;
} price;

static const price prices[SN_SET_COUNT] = {
    [SN_SET_PARTICLES] = {50, 4}, [SN_SET_SKINS] = {20, 3}, [SN_SET_FIXED] = {2, 1}, [SN_SET_BODIES] = {4, 1}};

/* A tree is refitted until its nodes have become this many times as large; then it is rebuilt. */
#define WORN 2.0

/* Boxes are larger than their contents by this share of the size: more than rounding, and more than the distance at
   which queries let a ray hit beside the edge of a triangle. */
#define MARGIN ((sn_real)1e-3)

/* And by this share of the coordinates: a few rounding errors. */
#if SINEW_DOUBLE
#define ROUNDING (8 * DBL_EPSILON)
#else
#define ROUNDING (8 * FLT_EPSILON)
#endif

void sn_query_trees_init(sn_query_trees *trees)
{
    for (uint32_t set = 0; set < SN_SET_COUNT; ++set) {
        sn_query_tree *tree = &trees->tree[set];
        sn_bvh_init(&tree->bvh);
        sn_bvh_quads_init(&tree->quads);
        atomic_init(&tree->fresh, 0);
        tree->asked_at = 0;
        tree->asked = 0;
        tree->surface = 0;
        sn_table_column(&tree->bounds_table, sizeof(sn_bounds), false);
    }
    atomic_flag_clear(&trees->gate);
    atomic_flag_clear(&trees->reporting);
    atomic_init(&trees->callbacks, 0);
}

void sn_query_trees_release(sn_query_trees *trees, const sn_allocator *allocator)
{
    for (uint32_t set = 0; set < SN_SET_COUNT; ++set) {
        sn_bvh_release(&trees->tree[set].bvh, allocator);
        sn_bvh_quads_release(&trees->tree[set].quads, allocator);
        sn_table_release(&trees->tree[set].bounds_table, allocator);
    }
}

uint32_t sn_query_items(const sn_world *world, sn_query_set set)
{
    return set == SN_SET_PARTICLES ? world->particles.table.count
           : set == SN_SET_SKINS   ? world->contact.triangle_table.count
           : set == SN_SET_BODIES  ? bodies_rows(&world->bodies)
                                   : world->contact.fixed_shape_table.count;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

static inline sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

static inline sn_real higher(sn_real a, sn_real b)
{
    return b > a ? b : a;
}

static inline void widen(sn_real *low, sn_real *high, sn_real by)
{
    sn_real more = by + (sn_real)ROUNDING * higher(higher(-*low, *low), higher(-*high, *high));
    *low -= more;
    *high += more;
}

static sn_bounds widened(sn_bounds b, sn_real by)
{
    widen(&b.low.x, &b.high.x, by);
    widen(&b.low.y, &b.high.y, by);
    widen(&b.low.z, &b.high.z, by);
    return b;
}

static sn_bounds particle_bounds(const sn_world *world, uint32_t slot)
{
    sn_vec3 x = vec4_xyz(world->particles.x[slot]);
    sn_real radius = world->particles.radius[slot];
    return widened((sn_bounds){x, x}, radius + radius * MARGIN);
}

static sn_bounds triangle_bounds(const sn_world *world, uint32_t row)
{
    const uint32_t *corner = (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)row;
    sn_vec3 a = vec4_xyz(world->particles.x[world->ids.value[corner[0]]]);
    sn_bounds all = {a, a};
    for (uint32_t i = 1; i < 3; ++i) {
        sn_vec3 x = vec4_xyz(world->particles.x[world->ids.value[corner[i]]]);
        all.low = vec3(lower(all.low.x, x.x), lower(all.low.y, x.y), lower(all.low.z, x.z));
        all.high = vec3(higher(all.high.x, x.x), higher(all.high.y, x.y), higher(all.high.z, x.z));
    }
    sn_vec3 size = vec3_sub(all.high, all.low);
    return widened(all, MARGIN * higher(size.x, higher(size.y, size.z)));
}

/* Half-spaces stay unbounded. */
static void widen_side(sn_real *low, sn_real *high)
{
    sn_real size = *high - *low;
    if (isfinite(size))
        widen(low, high, size * MARGIN);
    else if (isfinite(*low))
        *low -= (sn_real)ROUNDING * higher(-*low, *low);
    else if (isfinite(*high))
        *high += (sn_real)ROUNDING * higher(-*high, *high);
}

static sn_bounds fixed_shape_bounds(const sn_world *world, uint32_t row)
{
    const sn_fixed_shape *record = &contact_fixed_shapes(&world->contact)[row];
    sn_bounds b = sn_shape_bounds_at(&record->shape, &record->pose);
    widen_side(&b.low.x, &b.high.x);
    widen_side(&b.low.y, &b.high.y);
    widen_side(&b.low.z, &b.high.z);
    return b;
}

sn_pose sn_query_part_pose(const sn_world *world, uint32_t row, uint32_t part)
{
    const sn_bodies *bodies = &world->bodies;
    const sn_body_part *p = &bodies->part[part];
    sn_pose body = {vec4_xyz(world->particles.x[world->ids.value[bodies->state[row].particle]]),
                    bodies->turn[row].start};
    return (sn_pose){sn_pose_to_world(&body, p->place), sn_quat_times(body.rotation, p->turn)};
}

static sn_bounds unite(sn_bounds a, sn_bounds b)
{
    return (sn_bounds){vec3(lower(a.low.x, b.low.x), lower(a.low.y, b.low.y), lower(a.low.z, b.low.z)),
                       vec3(higher(a.high.x, b.high.x), higher(a.high.y, b.high.y), higher(a.high.z, b.high.z))};
}

/* The box of all parts. A body without parts, or a free row, gets a point. */
static sn_bounds body_bounds(const sn_world *world, uint32_t row)
{
    const sn_body_state *body = &world->bodies.state[row];
    sn_bounds all = {{0, 0, 0}, {0, 0, 0}};
    if (!bodies_has(&world->bodies, row))
        return all;
    for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
        sn_pose pose = sn_query_part_pose(world, row, i);
        sn_bounds b = sn_convex_bounds_at(&world->bodies.part[i].convex, &pose);
        all = i == body->part ? b : unite(all, b);
    }
    sn_vec3 size = vec3_sub(all.high, all.low);
    return widened(all, MARGIN * higher(size.x, higher(size.y, size.z)));
}

sn_bounds sn_query_bounds(const sn_world *world, sn_query_set set, uint32_t item)
{
    return set == SN_SET_PARTICLES ? particle_bounds(world, item)
           : set == SN_SET_SKINS   ? triangle_bounds(world, item)
           : set == SN_SET_BODIES  ? body_bounds(world, item)
                                   : fixed_shape_bounds(world, item);
}

static sn_bounds bounds_of(const sn_world *world, sn_body body, uint32_t number)
{
    const sn_fixed_body *fixed = sn_fixed_of(world, number);
    const uint32_t row = sn_body_row_of(world, number);
    if (!fixed && !world->bodies.state[row].parts)
        return (sn_bounds){sn_body_centre(world, body), sn_body_centre(world, body)};
    if (!fixed)
        return body_bounds(world, row);
    const uint32_t *rows = &world->contact.fixed_shape_ids.value[fixed->first_shape];
    sn_bounds all = fixed_shape_bounds(world, rows[0]);
    for (uint32_t i = 1; i < fixed->shapes; ++i)
        all = unite(all, fixed_shape_bounds(world, rows[i]));
    return all;
}

sn_result sn_body_bounds(const sn_world *world, sn_body body, sn_vec3 *low, sn_vec3 *high)
{
    const sn_vec3 nan = vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN);
    const uint32_t number = world ? sn_body_number(world, body) : SN_ID_FREE;
    const sn_bounds box = number == SN_ID_FREE ? (sn_bounds){nan, nan} : bounds_of(world, body, number);
    if (low)
        *low = box.low;
    if (high)
        *high = box.high;
    return !world ? SN_ERROR_ARGUMENT : number == SN_ID_FREE ? SN_ERROR_STALE : SN_OK;
}

/* ---- Trees ------------------------------------------------------------------------------------------------------- */

/* An estimate of the cost of a query. Unbounded nodes are visited in any case. */
static double surface_of(const sn_bvh *bvh)
{
    const sn_bvh_node *node = bvh->node_table.column[0];
    double sum = 0;
    for (uint32_t i = 0; i < bvh->node_table.count; ++i) {
        sn_vec3 low = node[i].bounds.low, high = node[i].bounds.high;
        double x = (double)high.x - (double)low.x, y = (double)high.y - (double)low.y;
        double z = (double)high.z - (double)low.z;
        double area = x * y + y * z + z * x;
        sum += isfinite(area) ? area : 0;
    }
    return sum;
}

static bool build(sn_query_tree *tree, const sn_allocator *allocator, uint32_t count)
{
    if (!sn_bvh_build(&tree->bvh, allocator, tree->bounds_table.column[0], count))
        return false;
    if (!sn_bvh_quads_make(&tree->quads, allocator, &tree->bvh)) {
        tree->bvh.items = 0; /* so that it is built again */
        return false;
    }
    tree->surface = surface_of(&tree->bvh);
    return true;
}

/* Also works if the tree has as many items but other ones: the refitted tree is then large, and rebuilt. */
static bool bring_up_to_date(sn_world *world, sn_query_tree *tree, sn_query_set set, uint32_t count)
{
    if (!sn_table_reserve(&tree->bounds_table, &world->allocator, count))
        return false;
    sn_bounds *bounds = tree->bounds_table.column[0];
    for (uint32_t i = 0; i < count; ++i)
        bounds[i] = sn_query_bounds(world, set, i);
    if (tree->bvh.items != count)
        return build(tree, &world->allocator, count);
    sn_bvh_refit(&tree->bvh, bounds);
    if (surface_of(&tree->bvh) > WORN * tree->surface)
        return build(tree, &world->allocator, count);
    sn_bvh_quads_refit(&tree->quads, &tree->bvh);
    return true;
}

/* A number that changes whenever the boxes may have changed, and is never 0: both counts only rise. */
static uint64_t stamp_of(const sn_world *world, sn_query_set set)
{
    return 1 + world->moves + (set == SN_SET_PARTICLES ? 0 : world->contact.edits);
}

static bool is_fresh(const sn_query_tree *tree, uint64_t stamp)
{
    return atomic_load_explicit(&tree->fresh, memory_order_acquire) == stamp;
}

bool sn_query_tree_is_fresh(const sn_world *world, sn_query_set set)
{
    return is_fresh(&world->query.tree[set], stamp_of(world, set));
}

static bool make_fresh(sn_world *world, sn_query_tree *tree, sn_query_set set, uint64_t stamp)
{
    atomic_store_explicit(&tree->fresh, 0, memory_order_relaxed);
    if (!bring_up_to_date(world, tree, set, sn_query_items(world, set)))
        return false;
    atomic_store_explicit(&tree->fresh, stamp, memory_order_release);
    return true;
}

bool sn_query_tree_prepare(sn_world *world, sn_query_set set)
{
    sn_query_tree *tree = &world->query.tree[set];
    uint64_t stamp = stamp_of(world, set);
    return sn_query_items(world, set) <= FEW || is_fresh(tree, stamp) || make_fresh(world, tree, set, stamp);
}

const sn_query_tree *sn_query_tree_within(sn_world *world, sn_query_set set)
{
    sn_query_tree *tree = &world->query.tree[set];
    const uint32_t count = sn_query_items(world, set);
    atomic_store_explicit(&tree->fresh, 0, memory_order_relaxed);
    return count > FEW && bring_up_to_date(world, tree, set, count) ? tree : NULL;
}

/* Called with the gate held: counts the queries, and makes the tree when there were enough. */
static void ask_for(sn_world *world, sn_query_tree *tree, sn_query_set set, uint64_t stamp)
{
    uint32_t patience = tree->bvh.items == sn_query_items(world, set) ? prices[set].fit : prices[set].build;
    if (tree->asked_at != stamp) {
        tree->asked_at = stamp;
        tree->asked = 0;
    }
    if (++tree->asked <= patience)
        return;
    tree->asked = 0; /* so that a failure for lack of memory is not repeated at once */
    make_fresh(world, tree, set, stamp);
}

const sn_query_tree *sn_query_tree_if_fresh(const sn_world *world, sn_query_set set)
{
    const bool any = sn_query_items(world, set) > FEW && !world->busy && sn_query_tree_is_fresh(world, set);
    return any ? &world->query.tree[set] : NULL;
}

/* at_once: for a caller that will search for every item. */
static const sn_query_tree *tree_of(const sn_world *world, sn_query_set set, bool at_once)
{
    if (sn_query_items(world, set) <= FEW || world->busy)
        return NULL;
    sn_query_trees *trees = &((sn_world *)world)->query; /* trees are not part of the state that const calls must not
                                                            change */
    sn_query_tree *tree = &trees->tree[set];
    uint64_t stamp = stamp_of(world, set);
    if (is_fresh(tree, stamp))
        return tree;
    if (atomic_flag_test_and_set_explicit(&trees->gate, memory_order_acquire))
        return NULL;
    if (!is_fresh(tree, stamp) && at_once)
        make_fresh((sn_world *)world, tree, set, stamp);
    else if (!is_fresh(tree, stamp))
        ask_for((sn_world *)world, tree, set, stamp);
    atomic_flag_clear_explicit(&trees->gate, memory_order_release);
    return is_fresh(tree, stamp) ? tree : NULL;
}

const sn_query_tree *sn_query_tree_of(const sn_world *world, sn_query_set set)
{
    return tree_of(world, set, false);
}

const sn_query_tree *sn_query_tree_now(const sn_world *world, sn_query_set set)
{
    return tree_of(world, set, true);
}

/* ---- Callbacks and errors ----------------------------------------------------------------------------------------
   Queries may be refused on several threads at once. Only one of them then writes and logs its message; the others are
   lost, so that messages are not mixed. This also stops a recursion, if a log function makes a query that is
   refused. */

void sn_query_enter_callback(const sn_world *world)
{
    atomic_fetch_add_explicit(&((sn_world *)world)->query.callbacks, 1, memory_order_relaxed);
}

void sn_query_leave_callback(const sn_world *world)
{
    atomic_fetch_sub_explicit(&((sn_world *)world)->query.callbacks, 1, memory_order_relaxed);
}

void sn_query_refuse(const sn_world *world, const char *format, ...)
{
    sn_world *own = (sn_world *)world; /* the error message is not part of the state that const calls must not change */
    char text[SN_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (atomic_flag_test_and_set_explicit(&own->query.reporting, memory_order_acquire))
        return;
    snprintf(own->errors.text, sizeof own->errors.text, "%s", text);
    if (world->errors.log.write && !world->errors.logging) {
        sn_query_enter_callback(world);
        world->errors.log.write(world->errors.log.context, SN_LOG_ERROR, text);
        sn_query_leave_callback(world);
    }
    atomic_flag_clear_explicit(&own->query.reporting, memory_order_release);
}
