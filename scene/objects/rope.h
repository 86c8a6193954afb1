/* A rope: particles in a line, joined by pieces that fold but do not stretch. */
#ifndef SN_SCENE_ROPE_H
#define SN_SCENE_ROPE_H

#include "scene/object.h"

extern const sn_object_type sn_object_rope;

/* What a rope and a chain share: a line of equal pieces. */
typedef struct sn_strand {
    const char *hold; /* the name of its constraints */
    uint32_t kind;    /* of them: SN_KIND_DISTANCE or SN_KIND_DISTANCE_MAX */
    uint32_t pieces;
    double piece; /* m: the rest length of one piece, scaled already */
    double mass;  /* kg, of all pieces; half of each goes to either end */
    double bob;   /* kg, added to the last particle */
} sn_strand;

/* Makes pieces + 1 particles at these positions, joins each to the next, adds the lines to draw, and names the parts
   start and end. */
bool sn_build_strand(sn_build *build, const sn_strand *strand, const sn_vec3 *place);

#endif
