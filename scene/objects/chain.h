/* A chain: rigid links with free joints. */
#ifndef SN_SCENE_CHAIN_H
#define SN_SCENE_CHAIN_H

#include "scene/object.h"

typedef struct sn_chain_def {
    uint32_t links;      /* default 10 */
    sn_real link_length; /* m; default 0.1 */
    sn_real link_mass;   /* kg; NaN: the mass of the whole in equal shares */
    sn_vec3 direction;   /* in which it lies; any length but 0; default (0, -1, 0) */
    sn_real bob;         /* kg: what hangs on the last particle, besides the chain's own mass; default 0 */
} sn_chain_def;

sn_chain_def sn_default_chain_def(void);

extern const sn_object_type sn_object_chain;

#endif
