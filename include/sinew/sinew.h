/* Sinew, a position-based dynamics engine: particles held together by constraints.

   The whole public API. Read in this order: base.h (numbers, results, hooks), world.h (settings, the step, snapshots),
   particles.h, constraints.h (points, kinds, constraints), contact.h (colliders, skins, friction), bodies.h (rigid bodies),
   joints.h, query.h (rays and the like), ccd.h (when moving features touch), draw.h (debug drawing), character.h, report.h, drag.h, rewind.h, accumulator.h (the
   loop of a game), math.h. */
#ifndef SINEW_H
#define SINEW_H

#include <sinew/base.h>
#include <sinew/world.h>
#include <sinew/math.h>
#include <sinew/particles.h>
#include <sinew/constraints.h>
#include <sinew/contact.h>
#include <sinew/bodies.h>
#include <sinew/joints.h>
#include <sinew/query.h>
#include <sinew/ccd.h>
#include <sinew/draw.h>
#include <sinew/character.h>
#include <sinew/report.h>
#include <sinew/drag.h>
#include <sinew/rewind.h>
#include <sinew/accumulator.h>

#endif
