/* A chain: rigid links with free joints. */
#ifndef SN_SCENE_CHAIN_H
#define SN_SCENE_CHAIN_H

#include "scene/object.h"

extern const sn_object_type sn_object_chain;

#endif
