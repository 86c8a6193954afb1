#include "collision/bvh_quads.h"

#if defined(__GNUC__) && !SINEW_DOUBLE && !defined(SINEW_SCALAR)
#define SN_VECTOR 16
#else
#define SN_VECTOR 0
#endif
#include <sinew/lanes.h>

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON FLT_EPSILON
#endif

/* What times are widened by against rounding, relative: a few operations' worth. */
#define SLACK ((sn_real)(8 * REAL_EPSILON))

void sn_bvh_quads_init(sn_bvh_quads *quads)
{
    *quads = (sn_bvh_quads){0};
    sn_table_column(&quads->table, sizeof(sn_bvh_quad), false);
}

void sn_bvh_quads_release(sn_bvh_quads *quads, const sn_allocator *allocator)
{
    sn_table_release(&quads->table, allocator);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static double surface_of(const sn_bounds *b)
{
    double x = (double)b->high.x - (double)b->low.x, y = (double)b->high.y - (double)b->low.y;
    double z = (double)b->high.z - (double)b->low.z, area = x * y + y * z + z * x;
    return isfinite(area) ? area : DBL_MAX;
}

/* Up to four nodes that together are one: its children, of which the largest are replaced by theirs. */
static uint32_t open_node(const sn_bvh_node *node, uint32_t root, uint32_t part[4])
{
    uint32_t count = 2;
    part[0] = node[root].left;
    part[1] = node[root].left + 1;
    while (count < 4) {
        uint32_t best = 4;
        for (uint32_t i = 0; i < count; ++i)
            if (!node[part[i]].count &&
                (best == 4 || surface_of(&node[part[i]].bounds) > surface_of(&node[part[best]].bounds)))
                best = i;
        if (best == 4)
            break;
        uint32_t left = node[part[best]].left;
        part[best] = left;
        part[count++] = left + 1;
    }
    return count;
}

static void set_bounds(sn_bvh_quad *quad, uint32_t i, const sn_bounds *b)
{
    const sn_real inf = (sn_real)INFINITY, low[3] = {b ? b->low.x : inf, b ? b->low.y : inf, b ? b->low.z : inf};
    const sn_real high[3] = {b ? b->high.x : -inf, b ? b->high.y : -inf, b ? b->high.z : -inf};
    for (uint32_t k = 0; k < 3; ++k) {
        quad->low[k][i] = low[k];
        quad->high[k][i] = high[k];
    }
}

bool sn_bvh_quads_make(sn_bvh_quads *quads, const sn_allocator *allocator, const sn_bvh *bvh)
{
    const sn_bvh_node *node = bvh->node_table.column[0];
    quads->table.count = 0;
    if (!bvh->items || node->count)
        return true;
    if (!sn_table_reserve(&quads->table, allocator, bvh->node_table.count / 2 + 1))
        return false;
    sn_bvh_quad *quad = quads->table.column[0];
    uint32_t count = 1;
    quad[0].node[0] = 0; /* until it is made, a quad remembers here what it will be made of */
    for (uint32_t at = 0; at < count; ++at) {
        uint32_t part[4], parts = open_node(node, quad[at].node[0], part);
        for (uint32_t i = 0; i < 4; ++i) {
            const sn_bvh_node *n = i < parts ? &node[part[i]] : NULL;
            set_bounds(&quad[at], i, n ? &n->bounds : NULL);
            quad[at].node[i] = n ? part[i] : SN_QUAD_NONE;
            quad[at].child[i] = !n ? SN_QUAD_NONE : n->count ? part[i] | SN_QUAD_LEAF : count;
            if (n && !n->count)
                quad[count++].node[0] = part[i];
        }
    }
    quads->table.count = count;
    return true;
}

void sn_bvh_quads_refit(sn_bvh_quads *quads, const sn_bvh *bvh)
{
    const sn_bvh_node *node = bvh->node_table.column[0];
    sn_bvh_quad *quad = quads->table.column[0];
    for (uint32_t at = 0; at < quads->table.count; ++at)
        for (uint32_t i = 0; i < 4 && quad[at].node[i] != SN_QUAD_NONE; ++i)
            set_bounds(&quad[at], i, &node[quad[at].node[i]].bounds);
}

/* ---- Casts ------------------------------------------------------------------------------------------------------- */

typedef struct ray {
    sn_real from[3];
    sn_real inverse[3]; /* of the way; 0: it does not move along this axis */
    sn_real reach[3];   /* what boxes grow by on either side */
} ray;

static ray ray_of(const sn_path *path)
{
    const sn_real from[3] = {path->from.x, path->from.y, path->from.z},
                  way[3] = {path->way.x, path->way.y, path->way.z};
    ray r;
    for (uint32_t k = 0; k < 3; ++k) {
        r.from[k] = from[k];
        r.inverse[k] = way[k] != 0 ? 1 / way[k] : 0;
        r.reach[k] = path->radius + path->radius * SLACK;
        if (way[k] != 0 && !isfinite(r.inverse[k])) { /* hardly moves */
            r.inverse[k] = 0;
            r.reach[k] += way[k] < 0 ? -way[k] : way[k];
        }
    }
    return r;
}

/* When the ray enters each of the boxes, or a little earlier; a bit for each that it does enter until `most`. Four boxes at once, or
   one after the other where there are no vectors. */
static inline uint32_t enter_boxes(const ray *r, const sn_bvh_quad *quad, sn_real most, sn_real enter[4])
{
    uint32_t met = 0;
    for (uint32_t at = 0; at < 4; at += SN_WIDTH) {
        lanes in = lanes_all(0), out = lanes_all((double)most);
        for (uint32_t k = 0; k < 3; ++k) {
            const lanes from = lanes_all((double)r->from[k]), inverse = lanes_all((double)r->inverse[k]);
            const lanes low = lanes_load(&quad->low[k][at]) - from - lanes_all((double)r->reach[k]);
            const lanes high = lanes_load(&quad->high[k][at]) - from + lanes_all((double)r->reach[k]);
            if (r->inverse[k] == 0) {
                const flags beside = lanes_above(low, lanes_all(0)) | lanes_above(lanes_all(0), high);
                out = lanes_choose(beside, lanes_all(-1), out);
                continue;
            }
            const lanes first = (r->inverse[k] < 0 ? high : low) * inverse;
            const lanes last = (r->inverse[k] < 0 ? low : high) * inverse;
            in = lanes_max(first, in);
            out = lanes_min(last, out);
        }
        in = in - in * lanes_all((double)SLACK);
        lanes_store(&enter[at], in);
        met |= flags_bits(lanes_at_least(out + out * lanes_all((double)SLACK), in)) << at;
    }
    return met;
}

typedef struct later {
    uint32_t child;
    sn_real at;
} later;

/* Puts the children that are met behind what waits, the nearest last. */
static inline uint32_t put_off(const sn_bvh_quad *quad, uint32_t met, const sn_real enter[4], later *waiting,
                               uint32_t waits)
{
    const uint32_t first = waits;
    for (uint32_t i = 0; i < 4; ++i) {
        if (!(met >> i & 1))
            continue;
        uint32_t to = waits++;
        for (; to > first && waiting[to - 1].at < enter[i]; --to)
            waiting[to] = waiting[to - 1];
        waiting[to] = (later){quad->child[i], enter[i]};
    }
    return waits;
}

static bool visit_leaf(const sn_bvh *bvh, uint32_t leaf, sn_bvh_visit *visit, void *data)
{
    const sn_bvh_node *node = (const sn_bvh_node *)bvh->node_table.column[0] + leaf;
    const uint32_t *item = bvh->item_table.column[0];
    for (uint32_t k = 0; k < node->count; ++k)
        if (!visit(data, item[node->left + k]))
            return false;
    return true;
}

void sn_bvh_quads_cast(const sn_bvh_quads *quads, const sn_bvh *bvh, const sn_path *path, sn_real *t,
                       sn_bvh_visit *visit, void *data)
{
    const sn_bvh_quad *quad = quads->table.column[0];
    later waiting[3 * SN_BVH_DEPTH + 4];
    uint32_t waits = 0;
    if (!quads->table.count) {
        sn_bvh_cast(bvh, path, t, visit, data);
        return;
    }
    const ray r = ray_of(path);
    waiting[waits++] = (later){0, 0};
    while (waits) {
        const later now = waiting[--waits];
        if (now.at > *t)
            continue;
        if (now.child & SN_QUAD_LEAF) {
            if (!visit_leaf(bvh, now.child & ~SN_QUAD_LEAF, visit, data))
                return;
            continue;
        }
        sn_real enter[4];
        uint32_t met = enter_boxes(&r, &quad[now.child], *t, enter);
        waits = put_off(&quad[now.child], met, enter, waiting, waits);
    }
}
