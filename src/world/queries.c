/* Asking a world what is where. */
#include "world/query_probe.h"

#include "world/query_tree.h"

/* m: paths are cut off here, so that no product of coordinates leaves the range of a float. */
#define FARTHEST 1e18

/* An axis along which a direction of length 1 has less than this is one along which it does not move. */
#define LEAST_SLOPE 1e-150

/* A limit that surely includes what is just as far: times this. */
#if SINEW_DOUBLE
#define LATER (1 + 8 * DBL_EPSILON)
#else
#define LATER (1 + 8 * (double)FLT_EPSILON)
#endif

/* Of the reach of a pick: so far behind the surface of a collider a particle still lies on it. */
#define NEAR_SURFACE 1e-3

sn_query_filter sn_default_query_filter(void)
{
    return (sn_query_filter){SN_QUERY_ALL, UINT32_MAX};
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* Of a 2D world, too, a ray may come from anywhere in space: a mouse looks at its plane from outside. */
static bool check_vector(const sn_world *world, const char *what, sn_vec3 value)
{
    if (vec3_is_finite(value))
        return true;
    world_fail(world, SN_ERROR_ARGUMENT, "%s is (%g, %g, %g); it must be finite", what, (double)value.x,
               (double)value.y, (double)value.z);
    return false;
}

static bool check_direction(const sn_world *world, sn_vec3 direction)
{
    if (!check_vector(world, "direction", direction))
        return false;
    if (direction.x != 0 || direction.y != 0 || direction.z != 0)
        return true;
    world_fail(world, SN_ERROR_ARGUMENT, "direction is (0, 0, 0); it must point somewhere");
    return false;
}

static bool check_size(const sn_world *world, const char *what, sn_real value)
{
    if (isfinite(value) && value >= 0)
        return true;
    world_fail(world, SN_ERROR_ARGUMENT, "%s is %g m; it must be finite and not negative", what, (double)value);
    return false;
}

static bool check_span(const sn_world *world, const char *what, sn_real value)
{
    if (value >= 0)
        return true;
    world_fail(world, SN_ERROR_ARGUMENT, "%s is %g m; it must not be negative, but may be INFINITY", what,
               (double)value);
    return false;
}

static bool check_filter(const sn_world *world, sn_query_filter filter)
{
    const uint32_t known = SN_QUERY_ALL | SN_QUERY_SENSORS;
    if (filter.what & ~known)
        world_fail(world, SN_ERROR_ARGUMENT, "filter.what is 0x%x, which has bits that are no sn_query_what (0x%x)",
                   filter.what, known);
    else if (!filter.what)
        world_fail(world, SN_ERROR_ARGUMENT,
                   "filter.what is 0, which asks for nothing; start from sn_default_query_filter()");
    else
        return true;
    return false;
}

static bool check_place_for(const sn_world *world, const void *place, const char *what)
{
    if (place)
        return true;
    world_fail(world, SN_ERROR_ARGUMENT, "%s is NULL", what);
    return false;
}

static bool check_path(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length)
{
    return check_vector(world, "origin", origin) && check_direction(world, direction) &&
           check_span(world, "length", length);
}

/* ---- Probes ------------------------------------------------------------------------------------------------------ */

static double inverse_of(double slope)
{
    return fabs(slope) > LEAST_SLOPE ? 1 / slope : 0;
}

/* In length 1, however long or short it was. */
static sn_dvec3 unit_of(sn_vec3 direction)
{
    sn_dvec3 d = dvec3_from(direction);
    double largest = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    if (!(largest > 0))
        return dvec3(0, 0, 0);
    d = dvec3(d.x / largest, d.y / largest, d.z / largest);
    return dvec3_scale(d, 1 / dvec3_length(d));
}

/* Direction and length are those of the rounded path, so that everybody who looks at it sees the same. */
static sn_probe travelling(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction, sn_real length)
{
    sn_dvec3 unit = unit_of(direction);
    double far = (double)length < FARTHEST ? (double)length : FARTHEST;
    sn_path path = {origin, dvec3_round(dvec3_scale(unit, far)), radius};
    sn_probe q = {.world = world, .travels = true, .path = path, .from = dvec3_from(origin), .limit = 1};
    q.direction = unit_of(path.way);
    q.inverse = dvec3(inverse_of(q.direction.x), inverse_of(q.direction.y), inverse_of(q.direction.z));
    q.length = dvec3_dot(q.direction, dvec3_from(path.way));
    return q;
}

static sn_probe staying(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter)
{
    return (sn_probe){.world = world, .filter = filter, .path = {.from = p}, .from = dvec3_from(p), .limit = reach};
}

/* The order in which equally good answers, and all answers of an overlap, come. */
static uint64_t rank(const sn_hit *hit)
{
    return hit->particle.generation   ? hit->particle.index
           : hit->skin.generation     ? (uint64_t)1 << 32 | hit->skin.index
           : hit->collider.generation ? (uint64_t)2 << 32 | hit->collider.index
                                      : (uint64_t)3 << 32 | hit->body.index;
}

static bool precedes(const sn_hit *a, const sn_hit *b)
{
    uint64_t rank_a = rank(a), rank_b = rank(b);
    return rank_a != rank_b ? rank_a < rank_b : a->triangle < b->triangle;
}

static void swap_hits(sn_hit *a, sn_hit *b)
{
    sn_hit old = *a;
    *a = *b;
    *b = old;
}

/* Lets the hit at the top of a heap of `count` hits sink to its place. */
static void sink(sn_hit *hits, uint32_t count)
{
    for (uint64_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && precedes(&hits[child], &hits[child + 1]))
            ++child;
        if (!precedes(&hits[at], &hits[child]))
            return;
        swap_hits(&hits[at], &hits[child]);
    }
}

/* Keeps the first `most` hits: the last of those is on top, and goes for one that precedes it. */
static void collect(sn_probe *q, const sn_hit *hit)
{
    uint32_t at = q->count++;
    if (at < q->most) {
        q->hits[at] = *hit;
        for (uint32_t parent; at > 0 && precedes(&q->hits[parent = (at - 1) / 2], &q->hits[at]); at = parent)
            swap_hits(&q->hits[parent], &q->hits[at]);
    } else if (q->most && precedes(hit, &q->hits[0])) {
        q->hits[0] = *hit;
        sink(q->hits, q->most);
    }
}

static void sort_hits(sn_probe *q)
{
    for (uint32_t left = q->count < q->most ? q->count : q->most; left > 1; --left) {
        swap_hits(&q->hits[0], &q->hits[left - 1]);
        sink(q->hits, left - 1);
    }
}

/* What is too far away, or too large, to compute with gives no hit. */
static bool is_finite_hit(const sn_hit *hit)
{
    return isfinite(hit->distance) && vec3_is_finite(hit->point) && vec3_is_finite(hit->normal);
}

void sn_probe_offer(sn_probe *q, const sn_hit *hit)
{
    if (!is_finite_hit(hit))
        return;
    if (q->all) {
        collect(q, hit);
        return;
    }
    double far = fabs((double)hit->distance), best = fabs((double)q->best.distance);
    if (q->found && !(far < best || (far == best && precedes(hit, &q->best))))
        return;
    q->found = true;
    q->best = *hit;
    if (!q->travels)
        q->limit = (sn_real)far;
    else if (far < q->length)
        q->limit = (sn_real)(far / q->length * LATER);
}

/* Shows items to a visitor: those that the tree cannot rule out, or all. Fields may be the caller's functions, which
   must not change the world that looks at them. */
static void search(const sn_probe *q, sn_query_set set, sn_real *limit, sn_bvh_visit *visit, void *data)
{
    const sn_bvh *tree = sn_query_tree_of(q->world, set);
    bool *busy = &((sn_world *)q->world)->busy, enter = set == SN_SET_COLLIDERS && !*busy;
    if (enter)
        *busy = true;
    if (tree && q->travels)
        sn_bvh_cast(tree, &q->path, limit, visit, data);
    else if (tree)
        sn_bvh_near(tree, q->path.from, limit, visit, data);
    for (uint32_t i = 0, count = tree ? 0 : sn_query_items(q->world, set); i < count; ++i)
        visit(data, i);
    if (enter)
        *busy = false;
}

static void answer(sn_probe *q)
{
    if (q->filter.what & SN_QUERY_PARTICLES)
        search(q, SN_SET_PARTICLES, &q->limit, sn_probe_particle, q);
    if (q->filter.what & SN_QUERY_SKINS)
        search(q, SN_SET_SKINS, &q->limit, sn_probe_triangle, q);
    if (q->filter.what & (SN_QUERY_COLLIDERS | SN_QUERY_SENSORS))
        search(q, SN_SET_COLLIDERS, &q->limit, sn_probe_collider, q);
    if (q->filter.what & SN_QUERY_BODIES)
        search(q, SN_SET_BODIES, &q->limit, sn_probe_body, q);
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

bool sn_query_ray(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length, sn_query_filter filter,
                  sn_hit *hit)
{
    return sn_query_sphere_cast(world, origin, 0, direction, length, filter, hit);
}

bool sn_query_sphere_cast(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction, sn_real length,
                          sn_query_filter filter, sn_hit *hit)
{
    if (hit)
        *hit = (sn_hit){0};
    if (!world || !check_path(world, origin, direction, length) || !check_size(world, "radius", radius) ||
        !check_filter(world, filter) || !check_place_for(world, hit, "hit"))
        return false;
    sn_probe q = travelling(world, origin, radius, direction, length);
    q.filter = filter;
    answer(&q);
    *hit = q.best;
    return q.found;
}

bool sn_query_closest(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter, sn_hit *hit)
{
    if (hit)
        *hit = (sn_hit){0};
    if (!world || !check_vector(world, "p", p) || !check_span(world, "reach", reach) || !check_filter(world, filter) ||
        !check_place_for(world, hit, "hit"))
        return false;
    sn_probe q = staying(world, p, reach, filter);
    answer(&q);
    *hit = q.best;
    return q.found;
}

uint32_t sn_query_overlap(const sn_world *world, sn_vec3 centre, sn_real radius, sn_query_filter filter, sn_hit *hits,
                          uint32_t most)
{
    if (!world || !check_vector(world, "centre", centre) || !check_size(world, "radius", radius) ||
        !check_filter(world, filter) || (most && !check_place_for(world, hits, "hits")))
        return 0;
    sn_probe q = staying(world, centre, radius, filter);
    q.all = true;
    q.hits = hits;
    q.most = most;
    answer(&q);
    sort_hits(&q);
    return q.count;
}

/* ---- Picking --------------------------------------------------------------------------------------------------------
   A particle is larger for the mouse than it is, so that it can be hit at all; but what the ray passes near must not
   win against what it goes through. A skin or a body wins against the particles around the spot where it is met, and a
   collider against particles behind its surface there. */

typedef struct pick {
    sn_probe probe;
    const sn_probe *surface; /* the first skin, collider or body */
    bool found;
    uint32_t slot;
    double in; /* m: where the ray enters the enlarged particle */
} pick;

static bool is_corner(const sn_hit *hit, uint32_t index)
{
    return hit->corner[0].index == index || hit->corner[1].index == index || hit->corner[2].index == index;
}

/* A particle whose enlarged ball holds the ray from in to out. */
static bool is_shown(const pick *p, uint32_t slot, double in, double out)
{
    const sn_hit *surface = &p->surface->best;
    const sn_particle_store *particles = &p->probe.world->particles;
    sn_vec3 x = vec4_xyz(particles->x[slot]);
    double there = (double)surface->distance, radius = (double)particles->radius[slot], own_in, own_out;
    if (!p->surface->found)
        return true;
    bool met = radius > 0 && sn_probe_meets_ball(&p->probe, x, radius, &own_in, &own_out) && own_in < there;
    if (surface->body.generation)
        return out < there || met;
    if (surface->skin.generation)
        return out < there || (met && !is_corner(surface, particles->index[slot]));
    double above = vec3_dot_double(vec3_sub(x, surface->point), surface->normal);
    return met || (in < there && above > -radius - NEAR_SURFACE * (double)p->probe.path.radius);
}

static bool pick_particle(void *data, uint32_t slot)
{
    pick *p = data;
    const sn_particle_store *particles = &p->probe.world->particles;
    double radius = fmax((double)particles->radius[slot], (double)p->probe.path.radius), in, out;
    if (radius == 0 || !sn_probe_meets_ball(&p->probe, vec4_xyz(particles->x[slot]), radius, &in, &out) ||
        sn_probe_skips(p->probe.world, slot))
        return true;
    bool later = p->found && !(in < p->in || (in == p->in && particles->index[slot] < particles->index[p->slot]));
    if (later || !is_shown(p, slot, in, out))
        return true;
    p->found = true;
    p->slot = slot;
    p->in = in;
    if (in < p->probe.length)
        p->probe.limit = (sn_real)(in / p->probe.length * LATER);
    return true;
}

/* The particle that was picked, and how deep it is. */
static sn_point point_of(const pick *p, double *depth)
{
    const sn_world *world = p->probe.world;
    uint32_t index = world->particles.index[p->slot];
    sn_dvec3 seen = dvec3_sub(dvec3_from(vec4_xyz(world->particles.x[p->slot])), p->probe.from);
    *depth = fmax(dvec3_dot(seen, p->probe.direction), 0);
    return sn_at((sn_particle){index, world->ids.generation[index]});
}

sn_point sn_query_pick(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length, sn_real reach,
                       sn_real *distance)
{
    sn_point point = {0};
    double depth = (double)NAN;
    if (distance)
        *distance = (sn_real)depth;
    if (!world || !check_path(world, origin, direction, length) || !check_size(world, "reach", reach))
        return point;
    sn_probe surface = travelling(world, origin, 0, direction, length);
    surface.filter = (sn_query_filter){SN_QUERY_SKINS | SN_QUERY_COLLIDERS | SN_QUERY_BODIES, UINT32_MAX};
    answer(&surface);

    pick p = {.probe = travelling(world, origin, reach, direction, length), .surface = &surface};
    search(&p.probe, SN_SET_PARTICLES, &p.probe.limit, pick_particle, &p);
    const sn_hit *hit = &surface.best;
    if (p.found) {
        point = point_of(&p, &depth);
    } else if (hit->skin.generation) {
        point = sn_on_triangle(hit->corner[0], hit->corner[1], hit->corner[2], hit->weight[0], hit->weight[1],
                               hit->weight[2]);
        depth = (double)hit->distance;
    } else if (hit->body.generation) {
        point = sn_on_body(hit->body, sn_body_to_own(world, hit->body, hit->point));
        depth = (double)hit->distance;
    }
    if (distance)
        *distance = (sn_real)depth;
    return point;
}
