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

   Only loads: impulses of movable bodies that push downwards, on a body that nothing else supports. A body that stands
   on something is between its support and its joints. There contact and joints would correct the same error, one after
   the other, and grow: a joint that stays open by what contact moved, an impulse that grows with it. Of a table whose
   top has ten times the mass of its legs, the legs then shake. */
#include "contact/body_work.h"

#include "base/bits.h"
#include "bodies/rotation.h"
#include "world/substep.h"

#include <math.h>

#define LIES ((sn_real)0.5)  /* cosine: an impulse that points downwards by less is not that of a load */
#define FAR  ((sn_real)0.25) /* of the extent of a body: a load that would move it by more in a substep is not carried */
#define FALL ((sn_real)0.002) /* of its extent: nor is any, if things fall farther in a substep */

/* Marks the body of a record, if constraints hold it: something lies on it, or it stands on something. */
static inline void note_load(const sn_world *world, uint32_t record, bool lies)
{
    const uint32_t i = record / SN_BODY_CONTACT_RECORD, body = contact_movers(world)[i].body;
    if (body != SN_ID_FREE && sn_articulations_hold(world, body))
        contact_marks(world)[i] |= lies ? SN_MARK_BEARS : SN_MARK_STANDS;
}

/* What the contacts of a batch were in the last substep: bits for those that press, and for those of which a, or b, is
   pressed downwards. */
typedef struct pressing {
    uint32_t has_normal, on_a, on_b;
} pressing;

static pressing pressing_of(const sn_body_contact_substep *s, const sn_wide_body_contact *b)
{
    const sn_vec3 gravity = s->world->state.settings.gravity;
    sn_real normal_sum[SN_BODY_CONTACTS] = {0}, along[SN_BODY_CONTACTS], least[SN_BODY_CONTACTS];
    pressing result = {0};
    for (uint32_t p = 0; p < b->points; ++p)
        for (uint32_t i = 0; i < SN_BODY_CONTACTS; ++i)
            normal_sum[i] += b->point[p].normal_impulse[i];
    for (uint32_t i = 0; i < SN_BODY_CONTACTS; ++i) {
        const sn_vec3 n = {b->n.x[i], b->n.y[i], b->n.z[i]},
                      t = {b->tangent_impulse.x[i], b->tangent_impulse.y[i], b->tangent_impulse.z[i]},
                      impulse = vec3_add(vec3_scale(n, normal_sum[i]), t);
        along[i] = vec3_dot(impulse, gravity);
        least[i] = LIES * s->gravity * vec3_length(impulse);
    }
    for (uint32_t i = 0; i < b->lanes; ++i) {
        result.has_normal |= (uint32_t)(normal_sum[i] > 0) << i;
        result.on_a |= (uint32_t)(along[i] > least[i]) << i;
        result.on_b |= (uint32_t)(-along[i] > least[i]) << i;
    }
    return result;
}

/* Marks bodies that constraints hold, on which something lies or which rest on something. */
static void note_loads(const sn_body_contact_substep *s)
{
    const sn_body_contact_group *group = s->world->body_contacts.group_table.column[0];
    for (uint32_t g = 0; g < s->world->body_contacts.group_table.count; ++g)
        for (uint32_t k = 0; k < group[g].batches; ++k) {
            const sn_wide_body_contact *b = &s->run.batch[group[g].batch + k];
            const pressing is = pressing_of(s, b);
            const uint32_t both = b->moves_a & b->moves_b;
            for (uint32_t left = is.has_normal & b->moves_a; left; left &= left - 1) {
                const uint32_t i = bits_lowest(left);
                note_load(s->world, b->a[i], (is.on_a & both) >> i & 1);
            }
            for (uint32_t left = is.has_normal & b->moves_b; left; left &= left - 1) {
                const uint32_t i = bits_lowest(left);
                note_load(s->world, b->b[i], (is.on_b & both) >> i & 1);
            }
        }
}

/* True if a load lies on some body of a batch. */
static bool bears(const sn_world *world, const sn_wide_body_contact *b)
{
    bool any = false;
    for (uint32_t i = 0; i < b->lanes; ++i)
        any = any || (b->moves_a >> i & 1 && contact_bears(world, b->a[i] / SN_BODY_CONTACT_RECORD)) ||
              (b->moves_b >> i & 1 && contact_bears(world, b->b[i] / SN_BODY_CONTACT_RECORD));
    return any;
}

/* Adds up the impulses on bodies with a load. What else is in such a batch is not asked for. */
static void apply_kept(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = s->run;
    for (uint32_t b = group->batch; b < group->batch + group->batches; ++b) {
        run.first = b;
        run.end = b + 1;
        if (bears(s->world, &s->run.batch[b]))
            s->wide->warm(&run);
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

/* True if a load can be carried in substeps of this length. Joints are linearised: what they take back from a long way
   is not all of it. Bodies gained energy without limit, from 50 times the mass on at one substep of 1/60 s; 6 % of it
   with ten times. */
static bool is_small(const sn_body_contact_substep *s, const sn_mover *m, const sn_vec4 *record)
{
    const sn_real displacement = vec3_length(vec4_xyz(record[6])) + m->extent * vec3_length(vec4_xyz(record[7]));
    return displacement * s->h <= FAR * m->extent && s->gravity * s->h * s->h <= FALL * m->extent;
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
    const bool good = sn_body_contacts_apply_kept(s, apply_kept);
    for (uint32_t at = 0; at < world->body_contacts.list_table.count; ++at) {
        const uint32_t i = contact_listed(world)[at];
        sn_vec4 *record = contact_record(world, i);
        if (contact_bears(world, i) && !is_small(s, &contact_movers(world)[i], record))
            contact_marks(world)[i] |= SN_MARK_STANDS;
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
