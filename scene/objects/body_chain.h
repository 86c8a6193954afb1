/* A chain of rigid bodies. */
#ifndef SN_SCENE_BODY_CHAIN_H
#define SN_SCENE_BODY_CHAIN_H

#include "scene/object.h"

typedef enum sn_link_shape { SN_LINK_CAPSULE, SN_LINK_BOX } sn_link_shape;

typedef struct sn_body_chain_def {
    uint32_t links;      /* default 10 */
    sn_real link_length; /* m: from joint to joint; default 0.2 */
    sn_real thickness;   /* m; default 0.05 */
    sn_link_shape shape; /* default SN_LINK_CAPSULE */
    sn_vec3 direction;   /* in which it lies; any length but 0; default (0, -1, 0) */
    bool held;           /* its start is fixed to the world; default true */
    sn_real bob;         /* kg: a ball at its end; 0, the default: there is none */
    sn_real bob_radius;  /* m; default 0.2 */
    sn_real friction;    /* N m, of each joint; default 0 */
    sn_real strength;    /* N: its joints break at more; default 0: never */
} sn_body_chain_def;

sn_body_chain_def sn_default_body_chain_def(void);

extern const sn_object_type sn_object_body_chain;

#endif
