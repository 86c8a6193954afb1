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

/* Relative enlargement of times against rounding: the error of a few operations. */
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

/* Finds up to four nodes that replace one: its children, of which the largest are replaced by their own children. */
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
    quad[0].node[0] = 0; /* until a quad is made, node[0] holds the tree node from which to make it */
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
    sn_real inverse[3]; /* 1 / displacement; 0: no motion along this axis */
    sn_real reach[3];   /* enlargement of boxes on either side */
} ray;

static ray ray_of(const sn_path *path)
{
    const sn_real from[3] = {path->from.x, path->from.y, path->from.z},
                  displacement[3] = {path->displacement.x, path->displacement.y, path->displacement.z};
    ray r;
    for (uint32_t k = 0; k < 3; ++k) {
        r.from[k] = from[k];
        r.inverse[k] = displacement[k] != 0 ? 1 / displacement[k] : 0;
        r.reach[k] = path->radius + path->radius * SLACK;
        if (displacement[k] != 0 && !isfinite(r.inverse[k])) { /* almost no motion */
            r.inverse[k] = 0;
            r.reach[k] += displacement[k] < 0 ? -displacement[k] : displacement[k];
        }
    }
    return r;
}

/* Computes when the ray enters each of the boxes, or slightly earlier. Returns a bit for each box that it enters until
   `most`. Handles four boxes at once, or one after the other where there are no vectors. */
static inline uint32_t enter_boxes(const ray *r, const sn_bvh_quad *quad, sn_real most, sn_real enter[4])
{
    uint32_t touched = 0;
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
        touched |= flags_bits(lanes_at_least(out + out * lanes_all((double)SLACK), in)) << at;
    }
    return touched;
}

typedef struct later {
    uint32_t child;
    sn_real at;
} later;

/* Pushes the children that are hit onto the stack, the nearest last. */
static inline uint32_t put_off(const sn_bvh_quad *quad, uint32_t touched, const sn_real enter[4], later *waiting,
                               uint32_t waits)
{
    const uint32_t first = waits;
    for (uint32_t i = 0; i < 4; ++i) {
        if (!(touched >> i & 1))
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
        uint32_t touched = enter_boxes(&r, &quad[now.child], *t, enter);
        waits = put_off(&quad[now.child], touched, enter, waiting, waits);
    }
}

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

/* Like SLACK; also covers the rounding of lengths. */
#define BUNDLE_SLACK (2 * SLACK)

/* Rays form a packet if, along each axis, the fastest is at most MOST_SPREAD times as fast as the slowest, and if they
   start within the share MOST_APART of the whole tree's box. */
#define MOST_SPREAD ((sn_real)8)
#define MOST_APART  ((sn_real)0.02)

/* Bounds of the rays of a packet. An axis on which they go backwards is mirrored, so that all go forwards. Paths may
   have any lengths: common bounds are in metres, and each ray's time (a share of its path) is converted to metres. */
typedef struct bundle {
    bool mirrored[3];
    sn_real from_low[3], from_high[3];                 /* start points, mirrored */
    sn_real inverse_low[3], inverse_high[3];           /* least and greatest inverse direction, positive */
    sn_real length[SN_PACKET];                         /* m: length of each path */
    sn_real inverse[3][SN_PACKET], from[3][SN_PACKET]; /* inverse displacement and start of each path; not mirrored */
} bundle;

static bool is_tight(const bundle *b, const sn_bvh_quad *root)
{
    for (uint32_t k = 0; k < 3; ++k) {
        sn_real low = (sn_real)INFINITY, high = (sn_real)-INFINITY;
        for (uint32_t i = 0; i < 4; ++i) {
            low = root->low[k][i] < low ? root->low[k][i] : low;
            high = root->high[k][i] > high ? root->high[k][i] : high;
        }
        if (!(b->inverse_high[k] <= MOST_SPREAD * b->inverse_low[k]) ||
            !(b->from_high[k] - b->from_low[k] <= MOST_APART * (high - low)))
            return false;
    }
    return true;
}

static bool make_bundle(const sn_bvh_packet *packet, const sn_bvh_quad *root, bundle *b)
{
    for (uint32_t i = 0; i < SN_PACKET; ++i) { /* copies of the last ray fill the remaining lanes */
        const sn_path *path = packet->path[i < packet->count ? i : packet->count - 1];
        const sn_real from[3] = {path->from.x, path->from.y, path->from.z},
                      displacement[3] = {path->displacement.x, path->displacement.y, path->displacement.z};
        const double x = (double)displacement[0], y = (double)displacement[1], z = (double)displacement[2];
        b->length[i] = (sn_real)sqrt(x * x + y * y + z * z);
        for (uint32_t k = 0; k < 3; ++k) {
            const sn_real inverse = 1 / displacement[k], forwards = (inverse < 0 ? -inverse : inverse) * b->length[i];
            const sn_real start = inverse < 0 ? -from[k] : from[k];
            if (displacement[k] == 0 || !isfinite(inverse) || !isfinite(forwards) ||
                (i && (inverse < 0) != b->mirrored[k]))
                return false;
            b->mirrored[k] = inverse < 0;
            b->inverse[k][i] = inverse;
            b->from[k][i] = from[k];
            b->inverse_low[k] = !i || forwards < b->inverse_low[k] ? forwards : b->inverse_low[k];
            b->inverse_high[k] = !i || forwards > b->inverse_high[k] ? forwards : b->inverse_high[k];
            b->from_low[k] = !i || start < b->from_low[k] ? start : b->from_low[k];
            b->from_high[k] = !i || start > b->from_high[k] ? start : b->from_high[k];
        }
    }
    return is_tight(b, root);
}

/* Like enter_boxes, for the earliest entry and the latest exit of all rays. (side - from) / way is least for the ray
   that starts farthest forward and is the fastest (if the side is still ahead) or the slowest (if it is behind). It is
   greatest for the opposite choices. */
static inline uint32_t bundle_enters(const bundle *b, const sn_bvh_quad *quad, sn_real most, sn_real enter[4])
{
    uint32_t touched = 0;
    for (uint32_t at = 0; at < 4; at += SN_WIDTH) {
        lanes in = lanes_all(0), out = lanes_all((double)most);
        for (uint32_t k = 0; k < 3; ++k) {
            const lanes zero = lanes_all(0), least = lanes_all((double)b->inverse_low[k]),
                        greatest = lanes_all((double)b->inverse_high[k]);
            const lanes low = lanes_load(&quad->low[k][at]), high = lanes_load(&quad->high[k][at]);
            const lanes near = (b->mirrored[k] ? zero - high : low) - lanes_all((double)b->from_high[k]);
            const lanes far = (b->mirrored[k] ? zero - low : high) - lanes_all((double)b->from_low[k]);
            in = lanes_max(near * lanes_choose(lanes_above(near, zero), least, greatest), in);
            out = lanes_min(far * lanes_choose(lanes_above(far, zero), greatest, least), out);
        }
        in = in - in * lanes_all((double)BUNDLE_SLACK);
        lanes_store(&enter[at], in);
        touched |= flags_bits(lanes_at_least(out + out * lanes_all((double)BUNDLE_SLACK), in)) << at;
    }
    return touched;
}

/* A bit for each ray that enters the box before its time. */
static inline uint32_t rays_enter(const bundle *b, const sn_bounds *box, const sn_real most[SN_PACKET])
{
    const sn_real low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z};
    uint32_t touched = 0;
    for (uint32_t at = 0; at < SN_PACKET; at += SN_WIDTH) {
        lanes in = lanes_all(0), out = lanes_load(&most[at]);
        for (uint32_t k = 0; k < 3; ++k) {
            const lanes from = lanes_load(&b->from[k][at]), inverse = lanes_load(&b->inverse[k][at]);
            const lanes near = lanes_all((double)(b->mirrored[k] ? high[k] : low[k])) - from;
            const lanes far = lanes_all((double)(b->mirrored[k] ? low[k] : high[k])) - from;
            in = lanes_max(near * inverse, in);
            out = lanes_min(far * inverse, out);
        }
        in = in - in * lanes_all((double)SLACK);
        touched |= flags_bits(lanes_at_least(out + out * lanes_all((double)SLACK), in)) << at;
    }
    return touched;
}

/* Reads the times of the rays; -1 for rays that are done, which enter nothing. Returns the latest, in m. */
static sn_real read_times(const bundle *b, const sn_bvh_packet *packet, uint32_t going, sn_real most[SN_PACKET])
{
    sn_real latest = -1;
    for (uint32_t i = 0; i < SN_PACKET; ++i) {
        most[i] = going >> i & 1 ? *packet->t[i] : -1;
        latest = most[i] * b->length[i] > latest ? most[i] * b->length[i] : latest;
    }
    return latest;
}

bool sn_bvh_quads_cast_packet(const sn_bvh_quads *quads, const sn_bvh *bvh, const sn_bvh_packet *packet,
                              sn_bvh_visit *visit)
{
    const sn_bvh_quad *quad = quads->table.column[0];
    const sn_bvh_node *node = bvh->node_table.column[0];
    later waiting[3 * SN_BVH_DEPTH + 4];
    uint32_t waits = 0, going = (1u << packet->count) - 1;
    sn_real most[SN_PACKET];
    bundle b;
    if (!quads->table.count || packet->count < 2 || !make_bundle(packet, quad, &b))
        return false;
    sn_real latest = read_times(&b, packet, going, most);
    waiting[waits++] = (later){0, 0};
    while (waits && going) {
        const later now = waiting[--waits];
        if (now.at > latest)
            continue;
        if (!(now.child & SN_QUAD_LEAF)) {
            sn_real enter[4];
            const uint32_t touched = bundle_enters(&b, &quad[now.child], latest, enter);
            waits = put_off(&quad[now.child], touched, enter, waiting, waits);
            continue;
        }
        const uint32_t leaf = now.child & ~SN_QUAD_LEAF, touched = rays_enter(&b, &node[leaf].bounds, most) & going;
        for (uint32_t i = 0; touched >> i; ++i)
            if (touched >> i & 1 && !visit_leaf(bvh, leaf, visit, packet->data[i]))
                going &= ~(1u << i);
        if (touched)
            latest = read_times(&b, packet, going, most);
    }
    return true;
}
