#include "collision/bvh.h"

#include <string.h>

#if SINEW_DOUBLE
#define REAL_MAX     DBL_MAX
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_MAX     FLT_MAX
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

#define AXES 3u
#define BINS 16u /* a node is cut between two of this many bins: more bins cut better and take longer */
#define FEW  12u /* with at most this many items a node is sorted instead, and may be cut anywhere */
#define SIDE 2u  /* both sides of a cut get at least this many items, so that there are no more nodes than items */

/* Relative enlargement of boxes against rounding: the error of a few operations. */
#define SLACK (8 * REAL_EPSILON)

/* ---- Boxes while building ---------------------------------------------------------------------------------------- */

/* The low x, y, z and the negated high x, y, z, each group with one spare number. The box around two boxes is then the
   minimum in every component, which compilers vectorise. */
typedef struct hull {
    sn_real side[8];
} hull;

static const hull nothing = {{REAL_MAX, REAL_MAX, REAL_MAX, 0, REAL_MAX, REAL_MAX, REAL_MAX, 0}};

static inline void hull_add(hull *a, const hull *b)
{
    for (uint32_t k = 0; k < 8; ++k)
        a->side[k] = b->side[k] < a->side[k] ? b->side[k] : a->side[k];
}

/* Twice the centre, along an axis. */
static inline sn_real hull_middle(const hull *b, uint32_t axis)
{
    return b->side[axis] - b->side[axis + 4];
}

static inline sn_real hull_extent(const hull *b, uint32_t axis)
{
    return -b->side[axis + 4] - b->side[axis];
}

/* Half of the surface area. In double, because squares of sn_real may leave its range. */
static inline double hull_area(const hull *b)
{
    double x = (double)hull_extent(b, 0), y = (double)hull_extent(b, 1), z = (double)hull_extent(b, 2);
    return x * y + y * z + z * x;
}

static inline sn_bounds hull_bounds(const hull *b)
{
    const sn_real *s = b->side;
    return (sn_bounds){{s[0], s[1], s[2]}, {-s[4], -s[5], -s[6]}};
}

/* True if centres and extents of the box stay finite. */
static bool is_moderate(const sn_bounds *b)
{
    const sn_real most = REAL_MAX / 4;
    return b->low.x >= -most && b->low.y >= -most && b->low.z >= -most && b->high.x <= most && b->high.y <= most &&
           b->high.z <= most;
}

static sn_real moderate(sn_real x)
{
    const sn_real most = REAL_MAX / 4;
    return x < -most ? -most : x > most ? most : x;
}

static hull hull_of(const sn_bounds *b)
{
    if (is_moderate(b))
        return (hull){{b->low.x, b->low.y, b->low.z, 0, -b->high.x, -b->high.y, -b->high.z, 0}};
    return (hull){{moderate(b->low.x), moderate(b->low.y), moderate(b->low.z), 0, -moderate(b->high.x),
                   -moderate(b->high.y), -moderate(b->high.z), 0}};
}

/* ---- Building -------------------------------------------------------------------------------------------------------
   Top-down. The items of a node are cut in two where the surface area heuristic (MacDonald and Booth 1990) is least:
   the sum over both sides of surface area times number of items. Cuts are tried between bins of equal width (Wald
   2007), along the axis on which the items' centres spread most. */

/* The items first .. first + count - 1 of one node. */
typedef struct range {
    uint32_t node, depth, first, count;
    hull all;     /* box around the items */
    hull middles; /* box around twice their centres */
} range;

typedef struct builder {
    sn_bvh_node *node;
    uint32_t nodes;
    hull *hull;     /* of the items, in the order of ... */
    uint32_t *item; /* ... these */
} builder;

static void measure(const builder *b, range *r)
{
    r->all = r->middles = nothing;
    for (uint32_t i = r->first; i < r->first + r->count; ++i) {
        const hull *item = &b->hull[i];
        hull middle;
        for (uint32_t k = 0; k < 4; ++k) {
            middle.side[k] = item->side[k] - item->side[k + 4];
            middle.side[k + 4] = item->side[k + 4] - item->side[k];
        }
        hull_add(&r->all, item);
        hull_add(&r->middles, &middle);
    }
}

static uint32_t widest_axis(const hull *middles)
{
    uint32_t axis = 0;
    for (uint32_t k = 1; k < AXES; ++k)
        if (hull_extent(middles, k) > hull_extent(middles, axis))
            axis = k;
    return axis;
}

static inline void swap_items(builder *b, uint32_t i, uint32_t j)
{
    hull hull_i = b->hull[i];
    uint32_t item_i = b->item[i];
    b->hull[i] = b->hull[j];
    b->item[i] = b->item[j];
    b->hull[j] = hull_i;
    b->item[j] = item_i;
}

/* ---- Median cuts, where nothing better is found or the tree would get too deep ---------------------------------- */

/* An integer with the same order as x. */
static inline uint64_t order_of(sn_real x)
{
    double wide = (double)x;
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The order of item number nth, counted from the lowest centre. Radix selection: digit by digit from the highest, each
   time counting the items that agree in the digits before. Always eight passes, whatever the items. */
static uint64_t nth_order(const builder *b, const range *r, uint32_t axis, uint32_t nth)
{
    uint64_t prefix = 0, mask = 0;
    for (uint32_t shift = 56;; shift -= 8) {
        uint32_t tally[256] = {0}, digit = 0;
        for (uint32_t i = r->first; i < r->first + r->count; ++i) {
            uint64_t order = order_of(hull_middle(&b->hull[i], axis));
            if ((order & mask) == prefix)
                tally[order >> shift & 255]++;
        }
        while (nth >= tally[digit])
            nth -= tally[digit++];
        prefix |= (uint64_t)digit << shift;
        mask |= UINT64_C(255) << shift;
        if (!shift)
            return prefix;
    }
}

/* Moves items in first .. end - 1 whose order is below the limit to the front. Returns the start of the others. */
static uint32_t part_by_order(builder *b, uint32_t first, uint32_t end, uint32_t axis, uint64_t limit)
{
    for (uint32_t i = first; i < end; ++i)
        if (order_of(hull_middle(&b->hull[i], axis)) < limit)
            swap_items(b, i, first++);
    return first;
}

/* The lower half goes left. Of items with equal centres some go left, some right. */
static uint32_t halve(builder *b, const range *r, uint32_t axis)
{
    uint32_t half = r->count / 2;
    if (hull_extent(&r->middles, axis) > 0) {
        uint64_t middle = nth_order(b, r, axis, half);
        uint32_t at = part_by_order(b, r->first, r->first + r->count, axis, middle);
        part_by_order(b, at, r->first + r->count, axis, middle + 1);
    }
    return half;
}

/* ---- Best cuts --------------------------------------------------------------------------------------------------- */

/* Stable insertion sort. */
static void sort_items(builder *b, const range *r, uint32_t axis)
{
    for (uint32_t i = r->first + 1; i < r->first + r->count; ++i) {
        hull hull_i = b->hull[i];
        uint32_t item = b->item[i], to = i;
        sn_real middle = hull_middle(&hull_i, axis);
        for (; to > r->first && hull_middle(&b->hull[to - 1], axis) > middle; --to) {
            b->hull[to] = b->hull[to - 1];
            b->item[to] = b->item[to - 1];
        }
        b->hull[to] = hull_i;
        b->item[to] = item;
    }
}

/* How many items go left: at least SIDE and at most all but SIDE. */
static uint32_t cut_few(builder *b, const range *r, uint32_t axis)
{
    double right_area[FEW];
    hull all = nothing;
    double best = (double)INFINITY;
    uint32_t cut = r->count / 2;
    sort_items(b, r, axis);
    for (uint32_t i = r->count; i-- > SIDE;) {
        hull_add(&all, &b->hull[r->first + i]);
        right_area[i] = hull_area(&all);
    }
    all = nothing;
    for (uint32_t i = 0; i + SIDE < r->count; ++i) {
        hull_add(&all, &b->hull[r->first + i]);
        uint32_t left = i + 1;
        if (left < SIDE)
            continue;
        double cost = hull_area(&all) * left + right_area[left] * (r->count - left);
        if (cost < best) {
            best = cost;
            cut = left;
        }
    }
    return cut;
}

typedef struct slices {
    uint32_t axis;
    sn_real low, scale;
    hull all[BINS];
    uint32_t count[BINS];
} slices;

static inline uint32_t slice_of(const slices *s, const hull *b)
{
    sn_real place = (hull_middle(b, s->axis) - s->low) * s->scale;
    sn_real last = (sn_real)(BINS - 1);
    return (uint32_t)(int32_t)(place < last ? place : last); /* NaN, where the scale overflows, also gives the last
                                                                bin */
}

static void fill_slices(const builder *b, const range *r, slices *s)
{
    s->low = r->middles.side[s->axis];
    s->scale = (sn_real)BINS / hull_extent(&r->middles, s->axis);
    for (uint32_t i = 0; i < BINS; ++i) {
        s->all[i] = nothing;
        s->count[i] = 0;
    }
    for (uint32_t i = r->first; i < r->first + r->count; ++i) {
        uint32_t slice = slice_of(s, &b->hull[i]);
        hull_add(&s->all[slice], &b->hull[i]);
        s->count[slice]++;
    }
}

/* How many bins go left. 0 if no cut leaves enough items on both sides. */
static uint32_t best_slice(const slices *s, uint32_t count)
{
    double right_area[BINS];
    hull all = nothing;
    for (uint32_t i = BINS; i-- > 1;) {
        hull_add(&all, &s->all[i]);
        right_area[i] = hull_area(&all);
    }
    all = nothing;
    double best = (double)INFINITY;
    uint32_t cut = 0, left = 0;
    for (uint32_t i = 1; i < BINS; ++i) {
        hull_add(&all, &s->all[i - 1]);
        left += s->count[i - 1];
        if (left < SIDE || count - left < SIDE)
            continue;
        double cost = hull_area(&all) * left + right_area[i] * (count - left);
        if (cost < best) {
            best = cost;
            cut = i;
        }
    }
    return cut;
}

/* Partitions without a branch on items: for random order half of the branches would be mispredicted. */
static uint32_t part_by_slice(builder *b, const range *r, const slices *s, uint32_t cut)
{
    uint32_t left = r->first;
    for (uint32_t i = r->first; i < r->first + r->count; ++i) {
        bool is_left = slice_of(s, &b->hull[i]) < cut;
        swap_items(b, i, left);
        left += is_left;
    }
    return left - r->first;
}

/* True if this node and all below it must be cut at the median to stay within the greatest depth. Until then any cut
   leaves enough levels. */
static bool is_deep(const range *r)
{
    uint32_t levels = 0;
    while ((uint64_t)SN_BVH_LEAF << levels < r->count)
        ++levels;
    return r->depth + levels >= SN_BVH_DEPTH;
}

static uint32_t cut_range(builder *b, const range *r)
{
    slices s;
    s.axis = widest_axis(&r->middles);
    if (is_deep(r) || !(hull_extent(&r->middles, s.axis) > 0))
        return halve(b, r, s.axis);
    if (r->count <= FEW)
        return cut_few(b, r, s.axis);
    fill_slices(b, r, &s);
    uint32_t cut = best_slice(&s, r->count);
    return cut ? part_by_slice(b, r, &s, cut) : halve(b, r, s.axis);
}

/* Makes one node, and sets the ranges of its children. False for a leaf. */
static bool make_node(builder *b, const range *r, range *left, range *right)
{
    sn_bvh_node *node = &b->node[r->node];
    node->bounds = hull_bounds(&r->all);
    node->left = r->first;
    node->count = r->count;
    if (r->count <= SN_BVH_LEAF)
        return false;
    uint32_t cut = cut_range(b, r);
    node->left = b->nodes;
    node->count = 0;
    *left = (range){.node = b->nodes, .depth = r->depth + 1, .first = r->first, .count = cut};
    *right = (range){.node = b->nodes + 1, .depth = r->depth + 1, .first = r->first + cut, .count = r->count - cut};
    b->nodes += 2;
    measure(b, left);
    measure(b, right);
    return true;
}

static void make_nodes(builder *b, uint32_t count)
{
    range waiting[SN_BVH_DEPTH + 1], left, now = {.count = count};
    uint32_t waits = 0;
    b->nodes = 1;
    measure(b, &now);
    for (;;) {
        if (make_node(b, &now, &left, &waiting[waits])) {
            ++waits;
            now = left;
        } else if (waits) {
            now = waiting[--waits];
        } else {
            return;
        }
    }
}

void sn_bvh_init(sn_bvh *bvh)
{
    memset(bvh, 0, sizeof *bvh);
    sn_table_column(&bvh->node_table, sizeof(sn_bvh_node), false);
    sn_table_column(&bvh->item_table, sizeof(uint32_t), false);
    sn_table_column(&bvh->work_table, sizeof(hull), false);
}

void sn_bvh_release(sn_bvh *bvh, const sn_allocator *allocator)
{
    sn_table_release(&bvh->node_table, allocator);
    sn_table_release(&bvh->item_table, allocator);
    sn_table_release(&bvh->work_table, allocator);
    bvh->items = 0;
}

void sn_bvh_trim(sn_bvh *bvh, const sn_allocator *allocator)
{
    sn_table_release(&bvh->work_table, allocator);
}

bool sn_bvh_build(sn_bvh *bvh, const sn_allocator *allocator, const sn_bounds *bounds, uint32_t count)
{
    bvh->items = bvh->node_table.count = bvh->item_table.count = 0;
    if (!count)
        return true;
    if (!sn_table_reserve(&bvh->node_table, allocator, count) ||
        !sn_table_reserve(&bvh->item_table, allocator, count) || !sn_table_reserve(&bvh->work_table, allocator, count))
        return false;

    builder b = {bvh->node_table.column[0], 0, bvh->work_table.column[0], bvh->item_table.column[0]};
    bool all_moderate = true;
    for (uint32_t i = 0; i < count; ++i) {
        b.item[i] = i;
        b.hull[i] = hull_of(&bounds[i]);
        all_moderate = all_moderate && is_moderate(&bounds[i]);
    }
    make_nodes(&b, count);
    bvh->items = bvh->item_table.count = count;
    bvh->node_table.count = b.nodes;
    if (!all_moderate)
        sn_bvh_refit(bvh, bounds); /* the tree was built over clamped boxes */
    return true;
}

static inline sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

static inline sn_real higher(sn_real a, sn_real b)
{
    return b > a ? b : a;
}

static inline sn_bounds around(const sn_bounds *a, const sn_bounds *b)
{
    return (sn_bounds){{lower(a->low.x, b->low.x), lower(a->low.y, b->low.y), lower(a->low.z, b->low.z)},
                       {higher(a->high.x, b->high.x), higher(a->high.y, b->high.y), higher(a->high.z, b->high.z)}};
}

/* Children come after their parents. So, from the end, each node finds its children up to date. */
void sn_bvh_refit_inner(const sn_bvh *bvh)
{
    sn_bvh_node *node = bvh->node_table.column[0];
    for (uint32_t i = bvh->node_table.count; i-- > 0;)
        if (!node[i].count)
            node[i].bounds = around(&node[node[i].left].bounds, &node[node[i].left + 1].bounds);
}

void sn_bvh_refit(sn_bvh *bvh, const sn_bounds *bounds)
{
    sn_bvh_refit_leaves(bvh, bounds, 0, bvh->node_table.count);
    sn_bvh_refit_inner(bvh);
}

void sn_bvh_refit_leaves(const sn_bvh *bvh, const sn_bounds *bounds, uint32_t first, uint32_t end)
{
    sn_bvh_node *node = bvh->node_table.column[0];
    const uint32_t *item = bvh->item_table.column[0];
    for (uint32_t i = first; i < end; ++i) {
        sn_bvh_node *n = &node[i];
        if (!n->count)
            continue;
        sn_bounds all = bounds[item[n->left]];
        for (uint32_t k = 1; k < n->count; ++k)
            all = around(&all, &bounds[item[n->left + k]]);
        n->bounds = all;
    }
}

#ifndef __wasm__

/* The growth of a box's half surface area when another box is added. */
static double growth(const sn_bounds *box, const sn_bounds *item)
{
    const sn_bounds both = around(box, item);
    const hull before = hull_of(box), after = hull_of(&both);
    return hull_area(&after) - hull_area(&before);
}

/* The leaf becomes an inner node with two children: the old leaf, and the item. */
bool sn_bvh_add(sn_bvh *bvh, const sn_allocator *allocator, const sn_bounds *bounds, uint32_t item)
{
    if (!bvh->items || !sn_table_reserve(&bvh->node_table, allocator, (uint64_t)bvh->node_table.count + 2) ||
        !sn_table_reserve(&bvh->item_table, allocator, (uint64_t)bvh->item_table.count + 1))
        return false;
    sn_bvh_node *node = bvh->node_table.column[0];
    uint32_t at = 0, depth = 0, left;
    for (; !node[at].count; at = left, ++depth) {
        left = node[at].left;
        left += growth(&node[left + 1].bounds, &bounds[item]) < growth(&node[left].bounds, &bounds[item]);
    }
    if (depth == SN_BVH_DEPTH)
        return false;
    left = bvh->node_table.count;
    node[left] = node[at];
    node[left + 1] = (sn_bvh_node){bounds[item], bvh->item_table.count, 1};
    node[at].left = left;
    node[at].count = 0;
    bvh->node_table.count += 2;
    ((uint32_t *)bvh->item_table.column[0])[bvh->item_table.count++] = item;
    bvh->items++;
    return true;
}

#endif

/* ---- Queries --------------------------------------------------------------------------------------------------------
   Each descends to one child and puts the other on a stack: at most one for each level. */

static bool visit_leaf(const sn_bvh *bvh, const sn_bvh_node *leaf, sn_bvh_visit *visit, void *data)
{
    const uint32_t *item = bvh->item_table.column[0];
    for (uint32_t k = 0; k < leaf->count; ++k)
        if (!visit(data, item[leaf->left + k]))
            return false;
    return true;
}

static inline bool touches(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

void sn_bvh_overlap(const sn_bvh *bvh, const sn_bounds *box, sn_bvh_visit *visit, void *data)
{
    const sn_bvh_node *node = bvh->node_table.column[0];
    uint32_t waiting[SN_BVH_DEPTH + 1], waits = 0;
    if (!touches(box, box)) /* empty box */
        return;
    if (bvh->items)
        waiting[waits++] = 0;
    while (waits) {
        const sn_bvh_node *n = &node[waiting[--waits]];
        while (n && touches(&n->bounds, box)) {
            if (n->count) {
                if (!visit_leaf(bvh, n, visit, data))
                    return;
                break;
            }
            waiting[waits++] = n->left + 1;
            n = &node[n->left];
        }
    }
}

#define NEVER ((double)INFINITY)

/* A node on the stack, with its entry time or its distance. */
typedef struct later {
    uint32_t node;
    double at;
} later;

typedef struct slab {
    sn_real from;
    sn_real inverse; /* 1 / displacement along this axis; 0: no motion */
    sn_real reach;   /* enlargement of boxes on either side */
} slab;

typedef struct ray {
    slab x, y, z;
} ray;

/* The radius grows a little to cover the rounding of differences about as large as the radius. The rounding of larger
   differences is relative to the result, and is covered where times are compared. */
static slab slab_of(sn_real from, sn_real displacement, sn_real radius)
{
    sn_real inverse = displacement != 0 ? 1 / displacement : 0;
    sn_real reach = radius + radius * (sn_real)SLACK;
    if (displacement == 0 || !isfinite(inverse)) /* almost no motion */
        return (slab){from, 0, reach + (displacement < 0 ? -displacement : displacement)};
    return (slab){from, inverse, reach};
}

/* Clips the interval of time in which the box is touched by the interval of one axis. */
static inline void cross_slab(const slab *s, sn_real low, sn_real high, sn_real *enter, sn_real *leave)
{
    sn_real to_low = (low - s->from) - s->reach, to_high = (high - s->from) + s->reach;
    if (s->inverse == 0) {
        if (to_low > 0 || to_high < 0)
            *leave = -1;
        return;
    }
    sn_real first = (s->inverse > 0 ? to_low : to_high) * s->inverse;
    sn_real last = (s->inverse > 0 ? to_high : to_low) * s->inverse;
    *enter = higher(*enter, first);
    *leave = lower(*leave, last);
}

/* The time at which the ray enters the box, or slightly earlier. NEVER if not until `most`. */
static inline double entry(const ray *r, const sn_bounds *b, sn_real most)
{
    sn_real enter = 0, leave = most;
    cross_slab(&r->x, b->low.x, b->high.x, &enter, &leave);
    cross_slab(&r->y, b->low.y, b->high.y, &enter, &leave);
    cross_slab(&r->z, b->low.z, b->high.z, &enter, &leave);
    enter -= enter * (sn_real)SLACK;
    return enter <= leave + leave * (sn_real)SLACK ? (double)enter : NEVER;
}

void sn_bvh_cast(const sn_bvh *bvh, const sn_path *path, sn_real *t, sn_bvh_visit *visit, void *data)
{
    const sn_bvh_node *node = bvh->node_table.column[0];
    const ray r = {slab_of(path->from.x, path->displacement.x, path->radius),
                   slab_of(path->from.y, path->displacement.y, path->radius),
                   slab_of(path->from.z, path->displacement.z, path->radius)};
    later waiting[SN_BVH_DEPTH + 1];
    uint32_t waits = 0;
    if (bvh->items && entry(&r, &node->bounds, *t) < NEVER)
        waiting[waits++] = (later){0, 0};
    while (waits) {
        later now = waiting[--waits];
        if (now.at > (double)*t)
            continue;
        for (;;) {
            const sn_bvh_node *n = &node[now.node];
            if (n->count) {
                if (!visit_leaf(bvh, n, visit, data))
                    return;
                break;
            }
            later left = {n->left, entry(&r, &node[n->left].bounds, *t)};
            later right = {n->left + 1, entry(&r, &node[n->left + 1].bounds, *t)};
            bool left_first = left.at <= right.at;
            now = left_first ? left : right;
            if (now.at == NEVER)
                break;
            later other = left_first ? right : left;
            if (other.at < NEVER)
                waiting[waits++] = other;
        }
    }
}

static inline double outside(sn_real x, sn_real low, sn_real high)
{
    sn_real gap = x < low ? low - x : x > high ? x - high : 0;
    return (double)gap * (double)gap;
}

/* The squared distance from p to the box. */
static inline double gap_squared(sn_vec3 p, const sn_bounds *b)
{
    return outside(p.x, b->low.x, b->high.x) + outside(p.y, b->low.y, b->high.y) + outside(p.z, b->low.z, b->high.z);
}

static inline double reach_squared(sn_real reach)
{
    return (double)reach * (double)reach * (1 + SLACK);
}

void sn_bvh_near(const sn_bvh *bvh, sn_vec3 p, sn_real *reach, sn_bvh_visit *visit, void *data)
{
    const sn_bvh_node *node = bvh->node_table.column[0];
    later waiting[SN_BVH_DEPTH + 1];
    uint32_t waits = 0;
    if (bvh->items && *reach >= 0)
        waiting[waits++] = (later){0, gap_squared(p, &node->bounds)};
    while (waits) {
        later now = waiting[--waits];
        while (now.at <= reach_squared(*reach)) {
            const sn_bvh_node *n = &node[now.node];
            if (n->count) {
                if (!visit_leaf(bvh, n, visit, data))
                    return;
                break;
            }
            later left = {n->left, gap_squared(p, &node[n->left].bounds)};
            later right = {n->left + 1, gap_squared(p, &node[n->left + 1].bounds)};
            bool left_first = left.at <= right.at;
            now = left_first ? left : right;
            waiting[waits++] = left_first ? right : left;
        }
    }
}
