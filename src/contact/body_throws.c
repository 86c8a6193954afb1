/* Contact of bodies: which bodies a fast body may throw in a substep, and how far.

   Two bodies that approach each other fast throw each other. A body is thrown no farther than the other approaches it,
   less the gap between them. With restitution e and inverse masses w its centre gets (1 + e) w / (w + w') of the speed
   at which the other approaches. A body that flies beside it at the same velocity does not throw it. A thrown body may
   throw others. So contact points of these bodies are searched for as far ahead as they may be thrown. As if all bounced
   without loss, each pass handed on twice as much: with few substeps most of a heap was searched in vain.

   Distances are passed on in rounds. A round reads only results of the round before, so the order does not matter. */
#include "contact/body_work.h"

#include <string.h>

#define PASSED_ON     8u   /* a distance is passed on this many times in a substep */
#define WORK_OF_PAIR  10.0 /* ns, about: a pair, in a round */
#define WORK_OF_MOVER 3.0  /* ns, about: a mover, after a round */

#define NEARLY ((sn_real)1.1) /* relative: a smaller increase is not passed on */

typedef struct handing {
    const sn_body_contact_substep *s;
    uint32_t round; /* from 1 on */
    uint32_t rows;  /* of bodies: balls and fixed shapes are not thrown */
    atomic_bool more;
} handing;

/* By mover: the round in which its distance is news; 0: in none. A column of its own, because most pairs are skipped by
   it. */
static uint8_t *news(const sn_world *world)
{
    return world->body_contacts.cell_table.column[4];
}

static sn_body_contact_throw *throw_of(const sn_world *world, uint32_t mover)
{
    return (sn_body_contact_throw *)world->body_contacts.cell_table.column[3] + mover;
}

/* m: a lower bound of the gap of two bodies, by the balls around them. The watches have better bounds, but these depend
   on when the two were last measured. */
static sn_real gap_of(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_mover *ma = &contact_movers(world)[a], *mb = &contact_movers(world)[b];
    const sn_vec3 between = vec3_sub(vec4_xyz(contact_record(world, a)[4]), vec4_xyz(contact_record(world, b)[4]));
    const sn_real gap = vec3_length(between) - (ma->extent + mb->extent);
    return gap > 0 ? gap : 0;
}

/* The bits of floats that are not negative have the order of the floats. */
static void raise_to(_Atomic uint32_t *next, sn_real throw)
{
    const float rounded = (float) throw;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    contact_raise_to(next, bits);
}

/* The largest restitution of the materials of a body; that of a contact is no larger, however materials mix. */
static sn_real restitution_of(const sn_world *world, uint32_t mover)
{
    const sn_mover *m = &contact_movers(world)[mover];
    const sn_body_state *state = &world->bodies.state[m->body];
    sn_real most = 0;
    for (uint32_t i = state->part; i < state->part + state->parts; ++i) {
        const sn_real own = sn_part_material(world, i, m->slot)->restitution;
        most = own > most ? own : most;
    }
    return most;
}

static sn_real restitution_between(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_real of_a = restitution_of(world, a), of_b = restitution_of(world, b);
    return of_a > of_b ? of_a : of_b;
}

/* True if one may be thrown by the other farther than known; notes how far. Most may not, even if it bounced without
   loss, and without a gap. */
static bool threaten(const sn_world *world, uint32_t by, uint32_t other, sn_real closing)
{
    const sn_vec4 *record = contact_record(world, other);
    const sn_real w = record[0].w, thin = record[3].w, known = throw_of(world, by)->now;
    const sn_real share = w / (w + contact_record(world, by)[0].w), displacement = closing > known ? closing : known;
    const sn_real least = NEARLY * throw_of(world, other)->now, above = thin > least ? thin : least;
    if (w == 0 || !(displacement > above) || !(2 * share * displacement > above))
        return false;
    const sn_real most = (1 + restitution_between(world, by, other)) * share;
    const sn_real throw = displacement * (most < 1 ? most : 1) - gap_of(world, by, other);
    if (!(throw > above))
        return false;
    raise_to(&throw_of(world, other)->next, throw);
    return true;
}

/* Only pairs count of which one has news from the round before. */
static void hand_piece(void *data, uint32_t first, uint32_t end)
{
    handing *h = data;
    const sn_world *world = h->s->world;
    const sn_body_contact_ends *ends = world->body_contacts.contact_table.column[5];
    const uint8_t *round = news(world);
    bool more = false;
    for (uint32_t i = first; i < end; ++i) {
        const sn_body_contact_ends *two = &ends[i];
        if (two->b >= h->rows || (round[two->a] != h->round && round[two->b] != h->round))
            continue;
        const sn_vec4 *a = contact_record(world, two->a), *b = contact_record(world, two->b);
        const sn_real closing = h->s->h * (vec3_length(vec3_sub(vec4_xyz(a[0]), vec4_xyz(b[0]))) + a[1].w + b[1].w);
        const bool to_b = threaten(world, two->a, two->b, closing), to_a = threaten(world, two->b, two->a, closing);
        more = more || to_a || to_b;
    }
    if (more)
        contact_raise(&h->more);
}

static void begin_piece(void *data, uint32_t first, uint32_t end)
{
    const handing *h = data;
    for (uint32_t i = first; i < end; ++i) {
        const sn_mover *m = &contact_movers(h->s->world)[i];
        sn_body_contact_throw *throw = throw_of(h->s->world, i);
        throw->now = contact_record(h->s->world, i)[3].z = 0;
        news(h->s->world)[i] = m->displacement > m->thin;
        atomic_store_explicit(&throw->next, 0, memory_order_relaxed);
    }
}

/* Makes the distances noted in a round known for the next. */
static void take_piece(void *data, uint32_t first, uint32_t end)
{
    const handing *h = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_body_contact_throw *throw = throw_of(h->s->world, i);
        const uint32_t bits = atomic_load_explicit(&throw->next, memory_order_relaxed);
        float told;
        memcpy(&told, &bits, sizeof told);
        if (!((sn_real)told > throw->now))
            continue;
        throw->now = (sn_real)told;
        news(h->s->world)[i] = (uint8_t)(h->round + 1);
        contact_record(h->s->world, i)[3].z = throw->now;
    }
}

bool sn_body_contacts_pass_throws_on(const sn_body_contact_substep *s)
{
    sn_world *world = s->world;
    handing h = {.s = s, .rows = bodies_rows(&world->bodies)};
    if (!sn_body_contacts_share(world, h.rows, begin_piece, &h))
        return false;
    do {
        h.round++;
        atomic_store_explicit(&h.more, false, memory_order_relaxed);
        if (!sn_parallel_few(&world->parallel, world->body_contacts.count, WORK_OF_PAIR, hand_piece, &h) ||
            (h.more && !sn_parallel_few(&world->parallel, h.rows, WORK_OF_MOVER, take_piece, &h)))
            return false;
    } while (h.more && h.round < PASSED_ON);
    return true;
}
