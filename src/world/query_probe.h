/* A query while it is being answered. */
#ifndef SN_WORLD_QUERY_PROBE_H
#define SN_WORLD_QUERY_PROBE_H

#include "base/dvec.h"
#include "world/world.h"

#include <sinew/query.h>

/* What is asked, and the best answer so far. A probe travels along a path and meets things, or stays and looks for what
   is near: then path.from is where. */
typedef struct sn_probe {
    const sn_world *world;
    sn_query_filter filter;
    bool travels;

    sn_path path;
    sn_dvec3 from, direction; /* m; length 1, or 0 if the path has none */
    sn_dvec3 inverse;         /* of the direction; 0: it hardly moves along that axis */
    double length;            /* m: of the path */

    bool all;      /* looks for all that is within reach, inside or outside; otherwise for the nearest surface */
    sn_real limit; /* nothing beyond is looked at any more: the share of the path, or the reach in m */

    bool found;
    sn_hit best;

    sn_hit *hits; /* all: a heap of the first `most` of them, the last of these on top */
    uint32_t most;
    uint32_t count;
} sn_probe;

/* The part of the path, in m, in which a ball of this radius about a place that it may touch holds the probe's centre.
   False: none. in is 0 if the path starts in there. */
bool sn_probe_meets_ball(const sn_probe *probe, sn_vec3 centre, double radius, double *in, double *out);

/* Takes an answer if it is better than the one so far; of equally good ones the first in the order of query.h. */
void sn_probe_offer(sn_probe *probe, const sn_hit *hit);

/* Looks at one item of a set: an sn_bvh_visit. Always true. */
bool sn_probe_particle(void *probe, uint32_t slot);
bool sn_probe_triangle(void *probe, uint32_t row);
bool sn_probe_collider(void *probe, uint32_t row);
bool sn_probe_body(void *probe, uint32_t row);

/* The particle of a body that has a shape: the body is looked at instead. */
bool sn_probe_skips(const sn_world *world, uint32_t slot);

#endif
