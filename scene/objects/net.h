/* A net: cords knotted in rows and columns, which fold but do not stretch. */
#ifndef SN_SCENE_NET_H
#define SN_SCENE_NET_H

#include "scene/object.h"

extern const sn_object_type sn_object_net;

#endif
