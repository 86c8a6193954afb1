/* The search of a query through a world: which items it tests, and which hits it keeps. */
#include "world/query_probe.h"

/* m: paths are cut off here, so that products of coordinates stay in the range of a float. */
#define FARTHEST 1e18

/* If a component of a direction of length 1 is below this, there is no motion along that axis. */
#define LEAST_SLOPE 1e-150

/* Factor that enlarges a limit, so that items at the same distance are surely included. */
#if SINEW_DOUBLE
#define LATER (1 + 8 * DBL_EPSILON)
#else
#define LATER (1 + 8 * (double)FLT_EPSILON)
#endif

/* ---- Probes ------------------------------------------------------------------------------------------------------ */

static double inverse_of(double slope)
{
    return fabs(slope) > LEAST_SLOPE ? 1 / slope : 0;
}

/* Normalises a vector of any length. */
static sn_dvec3 unit_of(sn_vec3 direction)
{
    sn_dvec3 d = dvec3_from(direction);
    double largest = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    if (!(largest > 0))
        return dvec3(0, 0, 0);
    d = dvec3(d.x / largest, d.y / largest, d.z / largest);
    return dvec3_scale(d, 1 / dvec3_length(d));
}

/* Direction and length are those of the rounded path, so that all tests use the same. */
sn_probe sn_probe_travelling(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction, sn_real length)
{
    sn_dvec3 unit = unit_of(direction);
    double far = (double)length < FARTHEST ? (double)length : FARTHEST;
    sn_path path = {origin, dvec3_round(dvec3_scale(unit, far)), radius};
    sn_probe q = {.world = world, .travels = true, .path = path, .from = dvec3_from(origin), .limit = 1};
    q.direction = unit_of(path.displacement);
    q.inverse = dvec3(inverse_of(q.direction.x), inverse_of(q.direction.y), inverse_of(q.direction.z));
    q.length = dvec3_dot(q.direction, dvec3_from(path.displacement));
    return q;
}

sn_probe sn_probe_staying(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter)
{
    return (sn_probe){.world = world, .filter = filter, .path = {.from = p}, .from = dvec3_from(p), .limit = reach};
}

/* The order of equally good hits, and of all hits of an overlap. */
static uint64_t rank(const sn_hit *hit)
{
    return hit->particle.generation ? hit->particle.index
           : hit->skin.generation   ? (uint64_t)1 << 32 | hit->skin.index
                                    : (uint64_t)2 << 32 | hit->body.index;
}

static bool precedes(const sn_hit *a, const sn_hit *b)
{
    uint64_t rank_a = rank(a), rank_b = rank(b);
    return rank_a != rank_b ? rank_a < rank_b : a->triangle < b->triangle;
}

/* True if a comes before b. Hits on a path are ordered by distance. */
static bool comes_first(const sn_probe *q, const sn_hit *a, const sn_hit *b)
{
    return q->travels && a->distance != b->distance ? a->distance < b->distance : precedes(a, b);
}

static void swap_hits(sn_hit *a, sn_hit *b)
{
    sn_hit old = *a;
    *a = *b;
    *b = old;
}

/* Moves the hit at the top of a heap of `count` hits down to its place. */
static void sink(const sn_probe *q, uint32_t count)
{
    sn_hit *hits = q->hits;
    for (uint64_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_first(q, &hits[child], &hits[child + 1]))
            ++child;
        if (!comes_first(q, &hits[at], &hits[child]))
            return;
        swap_hits(&hits[at], &hits[child]);
    }
}

/* Keeps the first `most` hits. The last of those is on top, and is replaced by a hit that precedes it. */
static void collect(sn_probe *q, const sn_hit *hit)
{
    uint32_t at = q->count++;
    if (at < q->most) {
        q->hits[at] = *hit;
        for (uint32_t parent; at > 0 && comes_first(q, &q->hits[parent = (at - 1) / 2], &q->hits[at]); at = parent)
            swap_hits(&q->hits[parent], &q->hits[at]);
    } else if (q->most && comes_first(q, hit, &q->hits[0])) {
        q->hits[0] = *hit;
        sink(q, q->most);
    }
}

void sn_probe_sort(sn_probe *q)
{
    for (uint32_t left = q->count < q->most ? q->count : q->most; left > 1; --left) {
        swap_hits(&q->hits[0], &q->hits[left - 1]);
        sink(q, left - 1);
    }
}

/* False if the hit is too far away, or too large, to compute. */
static bool is_finite_hit(const sn_hit *hit)
{
    return isfinite(hit->distance) && vec3_is_finite(hit->point) && vec3_is_finite(hit->normal);
}

/* True if the caller's function accepts the hit. */
static bool counts(const sn_probe *q, const sn_hit *hit)
{
    return !q->filter.function || q->filter.function(q->filter.context, hit);
}

void sn_probe_limit(sn_probe *q, double s)
{
    if (s < q->length)
        q->limit = (sn_real)(s / q->length * LATER);
}

void sn_probe_offer(sn_probe *q, const sn_hit *hit)
{
    if (!is_finite_hit(hit))
        return;
    if (q->all) {
        if (counts(q, hit))
            collect(q, hit);
        return;
    }
    double far = fabs((double)hit->distance), best = fabs((double)q->best.distance);
    if ((q->found && !(far < best || (far == best && precedes(hit, &q->best)))) || !counts(q, hit))
        return;
    q->found = true;
    q->best = *hit;
    if (!q->travels)
        q->limit = (sn_real)far;
    else
        sn_probe_limit(q, far);
}

void sn_probe_search(sn_probe *q, sn_query_set set, sn_bvh_visit *visit, void *data)
{
    const sn_query_tree *tree = sn_query_tree_of(q->world, set);
    q->bounds = tree ? query_tree_bounds(tree) : NULL;
    if (tree && q->travels)
        sn_bvh_quads_cast(&tree->quads, &tree->bvh, &q->path, &q->limit, visit, data);
    else if (tree)
        sn_bvh_near(&tree->bvh, q->path.from, &q->limit, visit, data);
    for (uint32_t i = 0, count = tree ? 0 : sn_query_items(q->world, set); i < count; ++i)
        if (!visit(data, i))
            break;
    q->bounds = NULL;
}

/* Searches a set for all probes of a packet: together if there is a tree and their directions are similar, otherwise
   one by one. */
static void search_packet(sn_probe *q, uint32_t count, sn_query_set set, sn_bvh_visit *visit)
{
    const sn_query_tree *tree = sn_query_tree_if_fresh(q->world, set);
    sn_bvh_packet packet = {.count = count};
    for (uint32_t i = 0; tree && i < count; ++i) {
        packet.path[i] = &q[i].path;
        packet.t[i] = &q[i].limit;
        packet.data[i] = &q[i];
        q[i].bounds = query_tree_bounds(tree);
    }
    const bool together = tree && sn_bvh_quads_cast_packet(&tree->quads, &tree->bvh, &packet, visit);
    for (uint32_t i = 0; i < count; ++i) {
        q[i].bounds = NULL;
        if (!together)
            sn_probe_search(&q[i], set, visit, &q[i]);
    }
}

/* Static shapes come first: they are large, and a hit there shortens the path for all later sets. */
static const struct {
    uint32_t what;
    sn_query_set set;
    sn_bvh_visit *ball, *shape;
} looks[] = {
    {SN_QUERY_STATICS | SN_QUERY_SENSORS, SN_SET_FIXED, sn_probe_fixed_shape, sn_shape_probe_fixed_shape},
    {SN_QUERY_BODIES | SN_QUERY_SENSORS, SN_SET_BODIES, sn_probe_body, sn_shape_probe_body},
    {SN_QUERY_SKINS, SN_SET_SKINS, sn_probe_triangle, sn_shape_probe_triangle},
    {SN_QUERY_PARTICLES, SN_SET_PARTICLES, sn_probe_particle, sn_shape_probe_particle},
};

void sn_probe_answer(sn_probe *q)
{
    if (q->filter.function)
        sn_query_enter_callback(q->world);
    for (uint32_t i = 0; i < sizeof looks / sizeof looks[0] && probe_goes_on(q); ++i)
        if (q->filter.what & looks[i].what)
            sn_probe_search(q, looks[i].set, q->shape ? looks[i].shape : looks[i].ball, q);
    if (q->filter.function)
        sn_query_leave_callback(q->world);
}

void sn_probe_answer_packet(sn_probe *q, uint32_t count)
{
    for (uint32_t i = 0; q->filter.function && i < count; ++i)
        sn_probe_answer(&q[i]);
    if (q->filter.function)
        return;
    for (uint32_t i = 0; i < sizeof looks / sizeof looks[0]; ++i)
        if (q->filter.what & looks[i].what)
            search_packet(q, count, looks[i].set, looks[i].ball);
}
