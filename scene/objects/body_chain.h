/* A chain of rigid bodies. */
#ifndef SN_SCENE_BODY_CHAIN_H
#define SN_SCENE_BODY_CHAIN_H

#include "scene/object.h"

extern const sn_object_type sn_object_body_chain;

#endif
