/* Contact of bodies: loads on bodies that constraints hold.

   Constraints are solved before contact. They do not see what lies on a body, and contact then pushes that body down as
   if nothing held it. The next substep puts it back. A tray on a chain, with a box of m_b on its own mass m_t, falls by
   about g h m_b / m_t in every substep and is put back, while the box goes on: it sank through the tray, from 12 times
   the mass on. The force of the joint was that of putting back: up to twice the true one.

   So what lies on such a body acts in the prediction already, with the impulses with which contact begins a substep.
   Constraints then carry it, as they carry the weight of the body. The pass over contacts takes it back, and applies it
   itself, with all others. At rest that is exact, whatever the masses.

   In that substep contact changes only the velocity of such a body, not its place. The next substep would put it back,
   and take that for a velocity: a shelf with a box on it then shook until it threw the box off.

   Only loads: impulses of movable bodies that push downwards, on a body that nothing else supports. A body that stands on
   something is between its support and its joints. There contact and joints would correct the same error, one after the
   other, and grow: a joint that stays open by what contact moved, an impulse that grows with it. Of a table whose top has
   ten times the mass of its legs, the legs then shake. */
#include "contact/body_work.h"

#include "bodies/rotation.h"
#include "world/substep.h"

#include <math.h>

#define LIES ((sn_real)0.5) /* cosine: an impulse that points downwards by less is not that of a load */

/* What a contact of the last substep was for one of its two: sign is 1 for a. */
static void note_load(const sn_body_contact_substep *s, uint32_t record, sn_vec3 impulse, sn_real sign, bool moves)
{
    const sn_world *world = s->world;
    const uint32_t i = record / SN_BODY_CONTACT_RECORD;
    if (i >= world->body_contacts.mover_table.count)
        return;
    const sn_mover *m = &contact_movers(world)[i];
    if (m->body == SN_ID_FREE || m->w == 0 || !sn_articulations_hold(world, m->body))
        return;
    const sn_real along = sign * vec3_dot(impulse, world->state.settings.gravity);
    const bool lies = moves && along > LIES * s->gravity * vec3_length(impulse);
    contact_marks(world)[i] |= lies ? SN_MARK_BEARS : SN_MARK_STANDS;
}

/* Marks bodies that constraints hold, on which something lies or which rest on something. */
static void note_loads(const sn_body_contact_substep *s)
{
    const sn_body_contact_group *group = s->world->body_contacts.group_table.column[0];
    for (uint32_t g = 0; g < s->world->body_contacts.group_table.count; ++g)
        for (uint32_t k = 0; k < group[g].batches; ++k) {
            const sn_wide_body_contact *b = &s->run.batch[group[g].batch + k];
            for (uint32_t lane = 0; lane < b->lanes; ++lane) {
                sn_real pressed = 0;
                for (uint32_t p = 0; p < b->points; ++p)
                    pressed += b->point[p].normal_impulse[lane];
                if (!(pressed > 0))
                    continue;
                const sn_vec3 n = {b->n.x[lane], b->n.y[lane], b->n.z[lane]},
                              t = {b->tangent_impulse.x[lane], b->tangent_impulse.y[lane], b->tangent_impulse.z[lane]},
                              impulse = vec3_add(vec3_scale(n, pressed), t);
                const bool moves = b->moves_a & b->moves_b & 1u << lane;
                note_load(s, b->a[lane], impulse, 1, moves);
                note_load(s, b->b[lane], impulse, -1, moves);
            }
        }
}

/* m^2/s: the angular momentum per unit of mass that goes with an angular velocity. */
static void momentum_of(const sn_body_state *body, sn_vec3 spin, double l[3])
{
    const double from[3] = {(double)spin.x, (double)spin.y, (double)spin.z};
    sn_rotate_vector_back(body->q, from, l);
    for (int i = 0; i < 3; ++i)
        l[i] = isinf(body->k[i]) ? 0 : body->k[i] * body->k[i] * l[i];
    sn_rotate_vector(body->q, l, l);
}

/* Adds its load to the motion of a body, and predicts it again. */
static void carry(const sn_body_contact_substep *s, sn_substep *substep, sn_mover *m, const sn_vec4 *record)
{
    sn_world *world = s->world;
    sn_vec4 *v = &world->particles.v[m->slot];
    sn_body_state *body = &world->bodies.state[m->body];
    double l[3];
    m->load = vec4_xyz(record[6]);
    momentum_of(body, vec4_xyz(record[7]), l);
    m->load_twist = vec3((sn_real)l[0], (sn_real)l[1], (sn_real)l[2]);
    *v = vec4(vec3_add(vec4_xyz(*v), m->load), v->w);
    for (int i = 0; i < 3; ++i)
        body->l[i] += l[i];
    sn_turns_predict_again(substep, m->body, m->load);
}

bool sn_body_contacts_carry(sn_body_contact_substep *s, sn_substep *substep)
{
    sn_world *world = s->world;
    bool any = false;
    if (!world->body_contacts.count)
        return true;
    for (uint32_t at = 0; at < world->body_contacts.list_table.count; ++at)
        contact_marks(world)[contact_listed(world)[at]] &= (uint8_t) ~(SN_MARK_BEARS | SN_MARK_STANDS);
    if (!world->articulations.carries || !(s->gravity > 0))
        return true;
    note_loads(s);
    for (uint32_t at = 0; at < world->body_contacts.list_table.count; ++at)
        any = any || contact_bears(world, contact_listed(world)[at]);
    if (!any)
        return true;
    const bool good = sn_body_contacts_press(s);
    for (uint32_t at = 0; at < world->body_contacts.list_table.count; ++at) {
        const uint32_t i = contact_listed(world)[at];
        sn_vec4 *record = contact_record(world, i);
        if (contact_bears(world, i))
            carry(s, substep, &contact_movers(world)[i], record);
        record[6] = vec4(vec3(0, 0, 0), record[6].w);
        record[7] = vec4(vec3(0, 0, 0), 0);
    }
    return good;
}

void sn_body_contacts_unload(const sn_body_contact_substep *s)
{
    const sn_world *world = s->world;
    for (uint32_t at = 0; world->articulations.carries && at < world->body_contacts.list_table.count; ++at) {
        const uint32_t i = contact_listed(world)[at];
        const sn_mover *m = &contact_movers(world)[i];
        sn_vec4 *record = contact_record(world, i);
        if (!contact_bears(world, i))
            continue;
        const sn_vec3 spin = contact_turn_by(record, vec3_scale(m->load_twist, 1 / m->w));
        record[0] = vec4(vec3_sub(vec4_xyz(record[0]), m->load), record[0].w);
        record[1] = vec4(vec3_sub(vec4_xyz(record[1]), spin), record[1].w);
    }
}
