/* A query while it is being answered. */
#ifndef SN_WORLD_QUERY_PROBE_H
#define SN_WORLD_QUERY_PROBE_H

#include "base/dvec.h"
#include "world/query_tree.h"
#include "world/world.h"

#include <sinew/query.h>

/* A reach that surely includes what is just within reach: times this. */
#define SN_PROBE_FARTHER 1.001

/* What is asked, and the best answer so far. A probe travels along a path and hits things, or stays and looks for what
   is near: then path.from is where. */
typedef struct sn_probe {
    const sn_world *world;
    sn_query_filter filter;
    bool travels;
    const sn_convex *shape; /* NULL: a ball of path.radius; otherwise path.radius is that of a ball around the shape */
    sn_pose pose;           /* of the shape, at the start; path.from is its place */

    sn_path path;
    sn_dvec3 from, direction; /* m; length 1, or 0 if the path has none */
    sn_dvec3 inverse;         /* of the direction; 0: it hardly moves along that axis */
    double length;            /* m: of the path */

    bool all;      /* looks for all that it hits or that is within reach; otherwise for the nearest surface */
    bool any;      /* stops at the first that is found */
    sn_real limit; /* nothing beyond is looked at any more: the share of the path, or the reach in m */

    const sn_bounds *bounds; /* of the items of the set that is looked at; NULL: not known, see sn_probe_bounds */

    bool found;
    sn_hit best;

    sn_hit *hits; /* all: a heap of the first `most` of them, the last of these on top */
    uint32_t most;
    uint32_t count;
} sn_probe;

/* ---- query_search.c ---------------------------------------------------------------------------------------------- */

/* A ball on its way, which is cut off at 1e18 m. */
sn_probe sn_probe_travelling(const sn_world *world, sn_vec3 origin, sn_real radius, sn_vec3 direction, sn_real length);

/* One that stays. */
sn_probe sn_probe_staying(const sn_world *world, sn_vec3 p, sn_real reach, sn_query_filter filter);

/* Looks at all that the filter asks for. */
void sn_probe_answer(sn_probe *probe);

/* The same for up to SN_PACKET rays that look for the first thing, with one filter. Answers are the same. */
void sn_probe_answer_packet(sn_probe *probes, uint32_t count);

/* Brings the hits of a probe that looks for all into order. */
void sn_probe_sort(sn_probe *probe);

/* Shows the items of a set to a visitor: those that the tree cannot rule out, or all. */
void sn_probe_search(sn_probe *probe, sn_query_set set, sn_bvh_visit *visit, void *data);

/* Lowers the limit of the path to what is as far as s (m), or as good as. */
void sn_probe_limit(sn_probe *probe, double s);

/* Takes an answer if it is better than the one so far; of equally good ones the first in the order of query.h. */
void sn_probe_offer(sn_probe *probe, const sn_hit *hit);

/* ---- query_probe.c ----------------------------------------------------------------------------------------------- */

/* The part of the path, in m, in which a ball of this radius about a place that it may touch holds the probe's centre.
   False: none. in is 0 if the path starts in there. */
bool sn_probe_meets_ball(const sn_probe *probe, sn_vec3 centre, double radius, double *in, double *out);

/* Looks at one item of a set: an sn_bvh_visit. True until nothing more needs to be found. */
bool sn_probe_particle(void *probe, uint32_t slot);
bool sn_probe_triangle(void *probe, uint32_t row);
bool sn_probe_fixed_shape(void *probe, uint32_t row);
bool sn_probe_body(void *probe, uint32_t row);

/* The particle of a body that has a shape: the body is looked at instead. */
bool sn_probe_skips(const sn_world *world, uint32_t slot);

/* Whether the filter lets through what a slot or a fixed shape is. */
bool sn_probe_wants_slot(const sn_probe *probe, uint32_t slot);
bool sn_probe_wants_part(const sn_probe *probe, uint32_t part); /* of a dynamic body: by what it is alone */
bool sn_probe_wants_fixed_shape(const sn_probe *probe, const sn_fixed_shape *record);

/* The box around an item of the set that is looked at. */
sn_bounds sn_probe_bounds(const sn_probe *probe, sn_query_set set, uint32_t item);

/* Which part of the path is in a box that is enlarged by the probe's radius. */
bool sn_probe_clip(const sn_probe *probe, const sn_bounds *bounds, double *in, double *out);

/* m: from where the probe stays to a box. */
double sn_probe_gap_to(const sn_probe *probe, const sn_bounds *bounds);

/* Offers a spot of a triangle of a skin (m, in the world). */
void sn_probe_offer_triangle(sn_probe *probe, uint32_t row, sn_vec3 spot, sn_vec3 normal, double distance);

/* The place on the path after s (m). */
static inline sn_dvec3 probe_place(const sn_probe *q, double s)
{
    return dvec3_add(q->from, dvec3_scale(q->direction, s));
}

/* Whether something at this distance is no farther than what was found already, as distances are reported. */
static inline bool probe_is_early(const sn_probe *q, double s)
{
    return !q->found || (sn_real)s <= q->best.distance;
}

/* Whether there is more to be found. */
static inline bool probe_goes_on(const sn_probe *q)
{
    return !(q->any && q->found);
}

/* ---- query_shape.c: the same for probes that have a shape --------------------------------------------------------- */

bool sn_shape_probe_particle(void *probe, uint32_t slot);
bool sn_shape_probe_triangle(void *probe, uint32_t row);
bool sn_shape_probe_fixed_shape(void *probe, uint32_t row);
bool sn_shape_probe_body(void *probe, uint32_t row);

#endif
