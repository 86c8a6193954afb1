/* A query in progress. */
#ifndef SN_WORLD_QUERY_PROBE_H
#define SN_WORLD_QUERY_PROBE_H

#include "base/dvec.h"
#include "world/query_tree.h"
#include "world/world.h"

#include <sinew/query.h>

/* Factor that enlarges a reach, so that items just within reach are surely included. */
#define SN_PROBE_FARTHER 1.001

/* The query, and the best hit so far. A probe either travels along a path and hits things, or stays at path.from and
   finds things near it. */
typedef struct sn_probe {
    const sn_world *world;
    sn_query_filter filter;
    bool travels;
    const sn_convex *shape; /* NULL: a sphere of path.radius; otherwise path.radius is that of a sphere around the
                               shape */
    sn_pose pose;           /* of the shape at the start; path.from is its position */

    sn_path path;
    sn_dvec3 from, direction; /* m; length 1, or 0 if the path has none */
    sn_dvec3 inverse;         /* of the components of the direction; 0: almost no motion along that axis */
    double length;            /* m: of the path */

    bool all;      /* finds all items that it hits or that are within reach; otherwise the nearest surface */
    bool any;      /* stops at the first hit */
    sn_real limit; /* items beyond it are ignored: a share of the path, or the reach in m */

    const sn_bounds *bounds; /* of the items of the set that is searched; NULL: unknown, see sn_probe_bounds */

    bool found;
    sn_hit best;

    sn_hit *hits; /* if `all`: a heap of the first `most` hits, with the last of these on top */
    uint32_t most;
    uint32_t count;
} sn_probe;

/* ---- query_search.c ---------------------------------------------------------------------------------------------- */

/* A travelling sphere. The path is cut off at 1e18 m. */
sn_probe sn_probe_travelling(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction, sn_real length);

/* A probe that stays. */
sn_probe sn_probe_staying(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter);

/* Searches all sets that the filter includes. */
void sn_probe_answer(sn_probe *probe);

/* The same for up to SN_PACKET rays that search the first hit, with one filter. Results are the same. */
void sn_probe_answer_packet(sn_probe *probes, uint32_t count);

/* Sorts the hits of a probe that searches all. */
void sn_probe_sort(sn_probe *probe);

/* Calls a visitor for the items of a set that the tree cannot rule out; without a tree for all. */
void sn_probe_search(sn_probe *probe, sn_query_set set, sn_bvh_visit *visit, void *data);

/* Lowers the limit of the path to s (m), or a little more. */
void sn_probe_limit(sn_probe *probe, double s);

/* Stores a hit if it is better than the best so far. Of equal ones the first in the order of query.h wins. */
void sn_probe_offer(sn_probe *probe, const sn_hit *hit);

/* ---- query_probe.c ----------------------------------------------------------------------------------------------- */

/* The part of the path, in m, on which the probe's centre is inside a sphere with this centre and radius. False if
   there is none. *in is 0 if the path starts inside. */
bool sn_probe_hits_ball(const sn_probe *probe, sn_vec3 centre, double radius, double *in, double *out);

/* Tests one item of a set: an sn_bvh_visit. False when the search can end. */
bool sn_probe_particle(void *probe, uint32_t slot);
bool sn_probe_triangle(void *probe, uint32_t row);
bool sn_probe_fixed_shape(void *probe, uint32_t row);
bool sn_probe_body(void *probe, uint32_t row);

/* True for the particle of a body with a shape: the body is tested instead. */
bool sn_probe_skips(const sn_world *world, uint32_t slot);

/* True if the filter accepts a particle, a part of the dynamic body at a slot, or a fixed shape. */
bool sn_probe_wants_slot(const sn_probe *probe, uint32_t slot);
bool sn_probe_wants_part(const sn_probe *probe, uint32_t part, uint32_t slot);
bool sn_probe_wants_fixed_shape(const sn_probe *probe, const sn_fixed_shape *record);

/* The box of an item of the set that is searched. */
sn_bounds sn_probe_bounds(const sn_probe *probe, sn_query_set set, uint32_t item);

/* Computes the part of the path inside a box that is enlarged by the probe's radius. */
bool sn_probe_clip(const sn_probe *probe, const sn_bounds *bounds, double *in, double *out);

/* m: distance from a staying probe to a box. */
double sn_probe_gap_to(const sn_probe *probe, const sn_bounds *bounds);

/* Offers a point of a triangle of a skin (m, in the world). */
void sn_probe_offer_triangle(sn_probe *probe, uint32_t row, sn_vec3 near_point, sn_vec3 normal, double distance);

/* The position on the path at s (m). */
static inline sn_dvec3 probe_place(const sn_probe *q, double s)
{
    return dvec3_add(q->from, dvec3_scale(q->direction, s));
}

/* True if this distance, rounded as it is reported, is at most that of the best hit. */
static inline bool probe_is_early(const sn_probe *q, double s)
{
    return !q->found || (sn_real)s <= q->best.distance;
}

/* True if the search goes on. */
static inline bool probe_goes_on(const sn_probe *q)
{
    return !(q->any && q->found);
}

/* ---- query_shape.c: the same for probes with a shape ------------------------------------------------------------- */

bool sn_shape_probe_particle(void *probe, uint32_t slot);
bool sn_shape_probe_triangle(void *probe, uint32_t row);
bool sn_shape_probe_fixed_shape(void *probe, uint32_t row);
bool sn_shape_probe_body(void *probe, uint32_t row);

#endif
