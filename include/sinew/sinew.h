/* Sinew, a position-based dynamics engine: particles held together by constraints.

   Names. A call is sn_noun_verb: what it is about, and what it does. sn_body_add, sn_body_remove, sn_body_set_mass.
     - The noun is what the first handle is of; sn_world_... is about all of it. A plural is about many at once:
       sn_particles_add, sn_constraints_remove.
     - `add` makes a thing from a definition, sn_noun_add(world, &def, &handle), and gives a result. A short form says
       what kind is made and gives the handle, or a null one: sn_body_add_box, sn_constraint_add_distance,
       sn_joint_add_hinge, sn_static_add_plane. Definitions come from sn_default_..., which is called as the struct is.
     - `apply` acts on a thing that is there: sn_body_apply_impulse, sn_particle_apply_force.
     - What is read is called as it is: sn_body_mass; what is asked is_...: sn_body_is_valid; what is written set_...;
       `read` fills a struct or an array, `view` shows the engine's own.
     - Points of constraints are made by where they are: sn_at, sn_on_body, sn_on_triangle, sn_at_place.
     - Types are sn_noun, values SN_NOUN_VALUE, functions of yours sn_noun_fn.
   Errors: what a call gives says whether it failed, by its type (base.h, Results, has the one convention for all of them);
   sn_world_error says in words what was wrong. What fails has changed nothing.

   The whole public API. Read in this order: base.h (numbers, results, hooks), world.h (settings, the step, snapshots),
   particles.h, constraints.h (points, kinds, constraints), shapes.h, contact.h (groups, skins, friction, events), bodies.h,
   joints.h, tear.h (tearing and cutting), query.h (rays and the like), ccd.h (when moving features touch), draw.h (debug drawing), character.h, report.h, budget.h (steps that take so long, or are as good as
   that), drag.h, rewind.h, accumulator.h (the
   loop of a game), worlds.h (thousands of them), math.h. C++ has sinew.hpp beside it: owners, exceptions, views. */
#ifndef SINEW_H
#define SINEW_H

#include <sinew/base.h>
#include <sinew/world.h>
#include <sinew/math.h>
#include <sinew/particles.h>
#include <sinew/constraints.h>
#include <sinew/shapes.h>
#include <sinew/contact.h>
#include <sinew/bodies.h>
#include <sinew/joints.h>
#include <sinew/tear.h>
#include <sinew/query.h>
#include <sinew/ccd.h>
#include <sinew/draw.h>
#include <sinew/character.h>
#include <sinew/report.h>
#include <sinew/budget.h>
#include <sinew/drag.h>
#include <sinew/rewind.h>
#include <sinew/accumulator.h>
#include <sinew/worlds.h>

#endif
