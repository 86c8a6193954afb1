/* A rope: particles in a line, joined by pieces that fold but do not stretch. */
#ifndef SN_SCENE_ROPE_H
#define SN_SCENE_ROPE_H

#include "scene/object.h"

typedef struct sn_rope_def {
    sn_real length;    /* m; NaN: the way from `from` to `to`, or 1 m without a `to`. More than that way: it sags */
    uint32_t segments; /* pieces; default 20 */
    sn_vec3 direction; /* in which it hangs from `from`, or sags; any length but 0; default (0, -1, 0) */
    sn_vec3 from;      /* m: the place of its first particle; default the origin of the frame */
    sn_vec3 to;        /* m: the place of the last one; NaN in x: it goes along `direction` */
    bool rods;         /* its pieces resist compression also; default false */
    sn_real bob;       /* kg: what hangs on the last particle, besides the rope's own mass; default 0 */
} sn_rope_def;

sn_rope_def sn_default_rope_def(void);

extern const sn_object_type sn_object_rope;

/* What a rope and a chain have in common: a line of equal pieces. */
typedef struct sn_strand {
    const char *hold; /* the name of its constraints */
    uint32_t kind;    /* of them: SN_KIND_DISTANCE or SN_KIND_DISTANCE_MAX */
    uint32_t pieces;
    double piece; /* m: the length of one at rest, scaled already */
    double mass;  /* kg, of all pieces; one weighs half on either end */
    double bob;   /* kg, added to the last particle */
} sn_strand;

/* Makes particles at these places, pieces + 1 of them, joins them one to the next, draws the lines, and names the parts
   start and end. */
bool sn_build_strand(sn_build *build, const sn_strand *strand, const sn_vec3 *place);

#endif
