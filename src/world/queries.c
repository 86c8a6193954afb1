/* Queries: rays, casts, overlaps, picking. */
#include "world/query_probe.h"

/* Share of the reach of a pick: a particle that is this far behind the surface of a static body still counts as on
   it. */
#define NEAR_SURFACE 1e-3

sn_query_filter sn_default_query_filter(void)
{
    return (sn_query_filter){.what = SN_QUERY_ALL, .mask = UINT32_MAX};
}

sn_result sn_query_prepare(sn_world *world)
{
    sn_result result = sn_world_enter(world);
    bool good = true;
    for (uint32_t set = 0; result == SN_OK && set < SN_SET_COUNT; ++set)
        good = sn_query_tree_prepare(world, (sn_query_set)set) && good;
    return good ? result : world_fail(world, SN_ERROR_MEMORY, "no memory for the index of queries");
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* In a 2D world a ray may come from anywhere in space, because a mouse looks at the plane from outside. */
static bool check_vector(const sn_world *world, const char *what, sn_vec3 value)
{
    if (vec3_is_finite(value))
        return true;
    sn_query_refuse(world, "%s is (%g, %g, %g); it must be finite", what, (double)value.x, (double)value.y,
                    (double)value.z);
    return false;
}

static bool check_direction(const sn_world *world, sn_vec3 direction)
{
    if (!check_vector(world, "direction", direction))
        return false;
    if (direction.x != 0 || direction.y != 0 || direction.z != 0)
        return true;
    sn_query_refuse(world, "direction is (0, 0, 0); it must point somewhere");
    return false;
}

static bool check_size(const sn_world *world, const char *what, sn_real value)
{
    if (isfinite(value) && value >= 0)
        return true;
    sn_query_refuse(world, "%s is %g m; it must be finite and not negative", what, (double)value);
    return false;
}

static bool check_span(const sn_world *world, const char *what, sn_real value)
{
    if (value >= 0)
        return true;
    sn_query_refuse(world, "%s is %g m; it must not be negative, but may be INFINITY", what, (double)value);
    return false;
}

static bool check_filter(const sn_world *world, sn_query_filter filter)
{
    const uint32_t known = SN_QUERY_ALL | SN_QUERY_SENSORS;
    if (filter.what & ~known)
        sn_query_refuse(world, "filter.what is 0x%x, which has bits that are no sn_query_what (0x%x)", filter.what,
                        known);
    else if (!filter.what)
        sn_query_refuse(world, "filter.what is 0, which asks for nothing; start from sn_default_query_filter()");
    else
        return true;
    return false;
}

static bool check_place_for(const sn_world *world, const void *place, const char *what)
{
    if (place)
        return true;
    sn_query_refuse(world, "%s is NULL", what);
    return false;
}

static bool check_path(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length)
{
    return check_vector(world, "origin", origin) && check_direction(world, direction) &&
           check_span(world, "length", length);
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* A query shape, ready for use. */
typedef struct asker {
    sn_convex convex;
    sn_pose pose;
    sn_hull *hull; /* made for this query; NULL: none */
} asker;

/* Only one thread at a time may call the allocator. */
static void enter_allocator(const sn_world *world)
{
    while (atomic_flag_test_and_set_explicit(&((sn_world *)world)->query.gate, memory_order_acquire))
        sn_threads_yield();
}

static void leave_allocator(const sn_world *world)
{
    atomic_flag_clear_explicit(&((sn_world *)world)->query.gate, memory_order_release);
}

static bool make_hull(const sn_world *world, const sn_shape_def *shape, asker *a)
{
    char reason[SN_ERROR_SIZE];
    bool out_of_memory;
    enter_allocator(world);
    a->hull =
        sn_hull_create(&world->allocator, shape->vertices, shape->vertex_count, &out_of_memory, reason, sizeof reason);
    leave_allocator(world);
    if (!a->hull) {
        sn_query_refuse(world, "shape: %s", reason);
        return false;
    }
    a->convex.hull = a->hull;
    sn_vec3 centre = sn_quat_rotate(a->pose.rotation, dvec3_round(a->hull->centroid));
    a->pose.position = vec3_add(a->pose.position, centre);
    return true;
}

/* False if the shape is bad. Release it with the function below. */
static bool make_asker(const sn_world *world, const sn_shape_def *shape, asker *a)
{
    char reason[SN_ERROR_SIZE];
    if (!check_place_for(world, shape, "shape"))
        return false;
    if (!sn_shape_def_check(shape, reason, sizeof reason)) {
        sn_query_refuse(world, "shape: %s", reason);
        return false;
    }
    if (!sn_shape_is_convex(shape->type)) {
        sn_query_refuse(world, "shape: a %s cannot ask; a convex one can", sn_shape_type_name(shape->type));
        return false;
    }
    *a = (asker){.convex = sn_shape_convex_of(shape, NULL), .pose = {shape->position, sn_quat_normal(shape->rotation)}};
    a->convex.radius += shape->rounding;
    return shape->type != SN_SHAPE_HULL || make_hull(world, shape, a);
}

static void release_asker(const sn_world *world, asker *a)
{
    if (!a->hull)
        return;
    enter_allocator(world);
    sn_hull_destroy(a->hull, &world->allocator);
    leave_allocator(world);
}

static sn_real radius_of(const asker *a)
{
    return a->convex.type == SN_SHAPE_SPHERE ? a->convex.radius : sn_convex_outer(&a->convex);
}

/* A sphere is a probe without a shape, which is faster and precise to the last bits. */
static void give_shape(sn_probe *q, const asker *a)
{
    if (a->convex.type == SN_SHAPE_SPHERE)
        return;
    q->shape = &a->convex;
    q->pose = a->pose;
    q->path.radius = radius_of(a);
}

/* ---- Rays and spheres -------------------------------------------------------------------------------------------- */

/* The kind of search: for the first thing, for any thing, or for all. */
typedef struct search {
    bool any, all;
    sn_hit *hits;
    uint32_t most;
} search;

static void look(sn_probe *q, sn_query_filter filter, search s)
{
    q->filter = filter;
    q->any = s.any;
    q->all = s.all;
    q->hits = s.hits;
    q->most = s.most;
    sn_probe_answer(q);
    if (s.all)
        sn_probe_sort(q);
}

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
    sn_probe q = sn_probe_travelling(world, origin, radius, direction, length);
    look(&q, filter, (search){0});
    *hit = q.best;
    return q.found;
}

bool sn_query_ray_any(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length, sn_query_filter filter)
{
    if (!world || !check_path(world, origin, direction, length) || !check_filter(world, filter))
        return false;
    sn_probe q = sn_probe_travelling(world, origin, 0, direction, length);
    look(&q, filter, (search){.any = true});
    return q.found;
}

uint32_t sn_query_ray_all(const sn_world *world, sn_vec3 origin, sn_vec3 direction, sn_real length,
                          sn_query_filter filter, sn_hit *hits, uint32_t most)
{
    if (!world || !check_path(world, origin, direction, length) || !check_filter(world, filter) ||
        (most && !check_place_for(world, hits, "hits")))
        return 0;
    sn_probe q = sn_probe_travelling(world, origin, 0, direction, length);
    look(&q, filter, (search){.all = true, .hits = hits, .most = most});
    return q.count;
}

static bool check_rays(const sn_world *world, const sn_ray *rays, uint32_t count)
{
    if (count && !check_place_for(world, rays, "rays"))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_ray *r = &rays[i];
        sn_vec3 o = r->origin, d = r->direction;
        if (vec3_is_finite(o) && vec3_is_finite(d) && (d.x != 0 || d.y != 0 || d.z != 0) && r->length >= 0)
            continue;
        sn_query_refuse(
            world,
            "ray %u has origin (%g, %g, %g), direction (%g, %g, %g) and length %g m; places must be finite, the "
            "direction not 0 and the length not negative",
            i, (double)o.x, (double)o.y, (double)o.z, (double)d.x, (double)d.y, (double)d.z, (double)r->length);
        return false;
    }
    return true;
}

/* Consecutive rays of the list form packets: rays of a camera start near each other, have similar directions and share
   the traversal of the trees. Other rays are followed one by one. Tried: sorting the list by positions and directions
   first. It costs 3 % for rays in all directions, which share nothing in any order, and 5 % for rays of a camera, which
   are in order already. */
uint32_t sn_query_rays(const sn_world *world, const sn_ray *rays, uint32_t count, sn_query_filter filter, sn_hit *hits)
{
    uint32_t touched = 0;
    if (!world || (count && !check_place_for(world, hits, "hits")))
        return 0;
    if (!check_rays(world, rays, count) || !check_filter(world, filter)) {
        for (uint32_t i = 0; i < count; ++i)
            hits[i] = (sn_hit){0};
        return 0;
    }
    for (uint32_t first = 0; first < count; first += SN_PACKET) {
        const uint32_t left = count - first, some = left < SN_PACKET ? left : SN_PACKET;
        sn_probe q[SN_PACKET];
        for (uint32_t i = 0; i < some; ++i) {
            const sn_ray *r = &rays[first + i];
            q[i] = sn_probe_travelling(world, r->origin, 0, r->direction, r->length);
            q[i].filter = filter;
        }
        sn_probe_answer_packet(q, some);
        for (uint32_t i = 0; i < some; ++i) {
            hits[first + i] = q[i].best;
            touched += q[i].found;
        }
    }
    return touched;
}

/* ---- Casts of shapes --------------------------------------------------------------------------------------------- */

static bool cast(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                 sn_query_filter filter, search s, sn_probe *q)
{
    asker a;
    if (!check_direction(world, direction) || !check_span(world, "length", length) || !check_filter(world, filter) ||
        !make_asker(world, shape, &a))
        return false;
    *q = sn_probe_travelling(world, a.pose.position, radius_of(&a), direction, length);
    give_shape(q, &a);
    look(q, filter, s);
    release_asker(world, &a);
    return true;
}

bool sn_query_shape_cast(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                         sn_query_filter filter, sn_hit *hit)
{
    sn_probe q;
    if (hit)
        *hit = (sn_hit){0};
    if (!world || !check_place_for(world, hit, "hit") ||
        !cast(world, shape, direction, length, filter, (search){0}, &q))
        return false;
    *hit = q.best;
    return q.found;
}

bool sn_query_shape_cast_any(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                             sn_query_filter filter)
{
    sn_probe q;
    return world && cast(world, shape, direction, length, filter, (search){.any = true}, &q) && q.found;
}

uint32_t sn_query_shape_cast_all(const sn_world *world, const sn_shape_def *shape, sn_vec3 direction, sn_real length,
                                 sn_query_filter filter, sn_hit *hits, uint32_t most)
{
    sn_probe q;
    search s = {.all = true, .hits = hits, .most = most};
    if (!world || (most && !check_place_for(world, hits, "hits")) ||
        !cast(world, shape, direction, length, filter, s, &q))
        return 0;
    return q.count;
}

/* ---- Points and overlaps ----------------------------------------------------------------------------------------- */

bool sn_query_closest(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter, sn_hit *hit)
{
    if (hit)
        *hit = (sn_hit){0};
    if (!world || !check_vector(world, "p", p) || !check_span(world, "reach", reach) || !check_filter(world, filter) ||
        !check_place_for(world, hit, "hit"))
        return false;
    sn_probe q = sn_probe_staying(world, p, reach, filter);
    sn_probe_answer(&q);
    *hit = q.best;
    return q.found;
}

uint32_t sn_query_overlap(const sn_world *world, sn_vec3 centre, sn_real radius, sn_query_filter filter, sn_hit *hits,
                          uint32_t most)
{
    if (!world || !check_vector(world, "centre", centre) || !check_size(world, "radius", radius) ||
        !check_filter(world, filter) || (most && !check_place_for(world, hits, "hits")))
        return 0;
    sn_probe q = sn_probe_staying(world, centre, radius, filter);
    look(&q, filter, (search){.all = true, .hits = hits, .most = most});
    return q.count;
}

uint32_t sn_query_shape_overlap(const sn_world *world, const sn_shape_def *shape, sn_query_filter filter, sn_hit *hits,
                                uint32_t most)
{
    asker a;
    if (!world || !check_filter(world, filter) || (most && !check_place_for(world, hits, "hits")) ||
        !make_asker(world, shape, &a))
        return 0;
    sn_probe q = sn_probe_staying(world, a.pose.position, radius_of(&a), filter);
    give_shape(&q, &a);
    look(&q, filter, (search){.all = true, .hits = hits, .most = most});
    for (uint32_t i = 0; a.convex.type == SN_SHAPE_SPHERE && i < most && i < q.count; ++i)
        hits[i].distance -= a.convex.radius;
    release_asker(world, &a);
    return q.count;
}

/* ---- Picking -----------------------------------------------------------------------------------------------------
   For the mouse a particle is larger than it is, so that it can be hit at all. But a particle near the ray must not win
   against a thing that the ray hits. A skin or a dynamic body wins against the particles around the point where it is
   hit, and another body against particles behind its surface there. */

typedef struct pick {
    sn_probe probe;
    const sn_probe *surface; /* the first skin or body on the ray */
    bool found;
    uint32_t slot;
    double in; /* m: where the ray enters the enlarged particle */
} pick;

static bool is_corner(const sn_hit *hit, uint32_t index)
{
    return hit->corner[0].index == index || hit->corner[1].index == index || hit->corner[2].index == index;
}

static bool is_dynamic(const sn_world *world, const sn_hit *hit)
{
    return hit->body.generation && !sn_fixed_of(world, hit->body.index);
}

/* True if a particle wins against the surface. The ray is inside its enlarged sphere from `in` to `out`. */
static bool is_shown(const pick *p, uint32_t slot, double in, double out)
{
    const sn_hit *surface = &p->surface->best;
    const sn_particle_store *particles = &p->probe.world->particles;
    sn_vec3 x = vec4_xyz(particles->x[slot]);
    double there = (double)surface->distance, radius = (double)particles->radius[slot], own_in, own_out;
    if (!p->surface->found)
        return true;
    bool touched = radius > 0 && sn_probe_hits_ball(&p->probe, x, radius, &own_in, &own_out) && own_in < there;
    if (is_dynamic(p->probe.world, surface))
        return out < there || touched;
    if (surface->skin.generation)
        return out < there || (touched && !is_corner(surface, particles->index[slot]));
    double above = vec3_dot_double(vec3_sub(x, surface->point), surface->normal);
    return touched || (in < there && above > -radius - NEAR_SURFACE * (double)p->probe.path.radius);
}

static bool pick_particle(void *data, uint32_t slot)
{
    pick *p = data;
    const sn_particle_store *particles = &p->probe.world->particles;
    double radius = fmax((double)particles->radius[slot], (double)p->probe.path.radius), in, out;
    if (radius == 0 || !sn_probe_hits_ball(&p->probe, vec4_xyz(particles->x[slot]), radius, &in, &out) ||
        sn_probe_skips(p->probe.world, slot))
        return true;
    bool later = p->found && !(in < p->in || (in == p->in && particles->index[slot] < particles->index[p->slot]));
    if (later || !is_shown(p, slot, in, out))
        return true;
    p->found = true;
    p->slot = slot;
    p->in = in;
    sn_probe_limit(&p->probe, in);
    return true;
}

/* The picked particle, and its depth along the ray. */
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
    sn_probe surface = sn_probe_travelling(world, origin, 0, direction, length);
    surface.filter = sn_default_query_filter();
    surface.filter.what = SN_QUERY_SKINS | SN_QUERY_STATICS | SN_QUERY_BODIES;
    sn_probe_answer(&surface);

    pick p = {.probe = sn_probe_travelling(world, origin, reach, direction, length), .surface = &surface};
    sn_probe_search(&p.probe, SN_SET_PARTICLES, pick_particle, &p);
    const sn_hit *hit = &surface.best;
    if (p.found) {
        point = point_of(&p, &depth);
    } else if (hit->skin.generation) {
        point = sn_on_triangle(hit->corner[0], hit->corner[1], hit->corner[2], hit->weight[0], hit->weight[1],
                               hit->weight[2]);
        depth = (double)hit->distance;
    } else if (is_dynamic(world, hit)) {
        point = sn_on_body(hit->body, sn_body_to_own(world, hit->body, hit->point));
        depth = (double)hit->distance;
    }
    if (distance)
        *distance = (sn_real)depth;
    return point;
}
