/* Contact of bodies: the impulses that contact is expected to exert in a substep, for dampers.

   Constraints are solved before contact. A spring presses a wheel into the ground, and contact then pushes it back. The
   damper of that spring would see the first motion and not the second. It would resist a motion that does not exist, by
   damping * h / mass of the wheel as a share of the load: a car sat too low, by a quarter at ten substeps.

   Contact begins a substep with the impulses that it ended the last one with. They are known when the substep begins,
   so dampers subtract the motion that they cause. At rest that is exact.

   Motors do the same with friction alone. Friction then turns the wheel that a motor drives, by torque * h / inertia:
   a car of 100 kg on wheels of 5 kg climbed a slope of 0.2 rad 2.5 % too slow, and crept down with its wheels held. */
#include "contact/body_work.h"

#include <string.h>

/* 0: all that contact does, for dampers; 1: friction alone, for motors. */
enum { ALL, FRICTION_ONLY, COLUMNS };

static sn_vec4 *expected(const sn_world *world, uint32_t column)
{
    return world->body_contacts.expect_table.column[column];
}

static bool is_expected(const sn_world *world, uint32_t column)
{
    return column == ALL ? world->starts.damped : world->starts.driven;
}

bool sn_body_contacts_reserve_expected(sn_world *world)
{
    sn_table *table = &world->body_contacts.expect_table;
    const uint32_t nodes = world->particles.table.count + bodies_rows(&world->bodies), before = table->count;
    table->count = 0; /* what is in it need not be kept */
    if (!world->body_contacts.count || !(world->starts.damped || world->starts.driven))
        return true;
    if (!sn_table_reserve(table, &world->allocator, nodes))
        return false;
    if (world->body_contacts.expects || nodes != before) /* a step failed, or there are others now */
        for (uint32_t column = 0; column < COLUMNS; ++column)
            memset(table->column[column], 0, nodes * sizeof(sn_vec4));
    table->count = nodes;
    world->body_contacts.expects = false;
    return true;
}

static void apply_kept(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = s->run;
    run.first = group->batch;
    run.end = group->batch + group->batches;
    s->wide->warm(&run);
}

/* The rotation by a spin in a substep, as constraints store it: along principal axes, divided by what yields
   (sn_turn.give). */
static sn_vec4 rotation_of(const sn_world *world, uint32_t body, sn_vec3 spin, sn_real h)
{
    const sn_turn *turn = &world->bodies.turn[body];
    const sn_vec3 own = sn_quat_rotate_back(turn->now, vec3_scale(spin, h)), give = turn->give;
    return vec4(vec3(give.x > 0 ? own.x / give.x : 0, give.y > 0 ? own.y / give.y : 0, give.z > 0 ? own.z / give.z : 0),
                0);
}

bool sn_body_contacts_apply_kept(sn_body_contact_substep *s, sn_body_contact_group_fn *one)
{
    s->run.mover = contact_records(s->world) + 6; /* which is empty so far */
    const bool good = sn_body_contacts_by_level(s, one);
    s->run.mover = contact_records(s->world);
    return good;
}

static bool expect_column(sn_body_contact_substep *s, uint32_t column)
{
    sn_world *world = s->world;
    s->run.friction_only = column == FRICTION_ONLY;
    const bool good = sn_body_contacts_apply_kept(s, apply_kept);
    s->run.friction_only = false;
    for (uint32_t at = 0; at < world->body_contacts.list_table.count; ++at) {
        const uint32_t i = contact_listed(world)[at];
        const sn_mover *m = &contact_movers(world)[i];
        sn_vec4 *record = contact_record(world, i);
        if (m->body != SN_ID_FREE && !contact_bears(world, i)) {
            expected(world, column)[m->slot] = vec4(vec3_scale(vec4_xyz(record[6]), s->h), 0);
            expected(world, column)[world->particles.table.count + m->body] =
                rotation_of(world, m->body, vec4_xyz(record[7]), s->h);
        }
        record[6] = vec4(vec3(0, 0, 0), record[6].w);
        record[7] = vec4(vec3(0, 0, 0), 0);
    }
    return good;
}

bool sn_body_contacts_expect(sn_body_contact_substep *s)
{
    sn_world *world = s->world;
    bool good = true;
    if (!world->body_contacts.count || !world->body_contacts.expect_table.count)
        return true;
    for (uint32_t column = 0; column < COLUMNS; ++column)
        if (is_expected(world, column))
            good = expect_column(s, column) && good;
    world->body_contacts.expects = true;
    return good;
}

void sn_body_contacts_forget_expected(sn_world *world)
{
    const sn_vec4 none = vec4(vec3(0, 0, 0), 0);
    for (uint32_t at = 0; world->body_contacts.expects && at < world->body_contacts.list_table.count; ++at) {
        const sn_mover *m = &contact_movers(world)[contact_listed(world)[at]];
        for (uint32_t column = 0; m->body != SN_ID_FREE && column < COLUMNS; ++column)
            expected(world, column)[m->slot] = expected(world, column)[world->particles.table.count + m->body] = none;
    }
    world->body_contacts.expects = false;
}
