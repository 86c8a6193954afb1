/* Sinew, a position-based dynamics engine: particles held together by constraints.

   Names. A call is sn_noun_verb: what it is about, and what it does. sn_body_add, sn_body_remove, sn_body_set_mass.
     - The noun is the type of the first handle; sn_world_... is about the whole world. A plural is about many at once:
       sn_particles_add, sn_constraints_remove.
     - `add` makes a thing from a definition, sn_noun_add(world, &def, &handle), and returns a result. A short form has
       the kind in its name and returns the handle, or a null one: sn_body_add_box, sn_constraint_add_distance,
       sn_joint_add_hinge, sn_static_add_plane. sn_default_NAME_def returns the defaults of the struct sn_NAME_def.
     - `apply` acts on a thing: sn_body_apply_impulse, sn_particle_apply_force.
     - A getter has the name of the value: sn_body_mass. A question begins with is: sn_body_is_valid. A setter begins
       with set. `read` fills a struct or an array, `view` shows the engine's own memory.
     - Points of constraints are named by where they are: sn_at, sn_on_body, sn_on_triangle, sn_at_place.
     - Types are sn_noun, enum values SN_NOUN_VALUE, types of your callbacks sn_noun_fn.
   Errors: the value that a call returns shows whether it failed. base.h, Results, has the convention. sn_world_error
   returns the reason as text. A call that fails has changed nothing.

   The whole public API. Read in this order: base.h (numbers, results, hooks), world.h (settings, the step,
   snapshots), particles.h, constraints.h (points, kinds, constraints), shapes.h, contact.h (groups, skins, friction,
   events), bodies.h, joints.h, tear.h (tearing and cutting), query.h (rays, casts, overlaps), ccd.h (continuous
   collision detection), draw.h (debug drawing), character.h, report.h, budget.h (steps within a time or an error),
   drag.h, rewind.h, accumulator.h (the loop of a game), worlds.h (many worlds at once), math.h. For C++ there is
   sinew.hpp as well: owners, exceptions, views. */
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
