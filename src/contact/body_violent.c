/* Contact of bodies: further sweeps over contacts with a large error ("violent" contacts), after impacts.

   Where bodies hit each other there are up to 60 sweeps in a substep, over contacts of bodies that had a large error
   in the last sweeps. These contacts are few and scattered: one or two of the eight lanes of a batch. So they are
   copied to batches of their own, with colours of their own, which are nearly full. They are swept there a few times,
   and their impulses are copied back. Then the contacts that the last sweeps disturbed are collected, and so on,
   until no error is large.

   Contacts of one colour share no body. So batches of a colour may run in parallel, and results do not depend on
   threads. */
#include "base/bits.h"
#include "contact/body_work.h"

#include <string.h>

#define AT_ONCE 4u /* sweeps, before contacts that they disturbed are collected */

/* Of each colour, first the contacts with more than FEW points: the others take less time. */
#define BINS (2u * SN_BODY_CONTACT_COLOURS)
#define FEW  2u

#define WORK_OF_BATCH 250.0 /* ns, about, of one in a sweep, */
#define WORK_OF_LIST  40.0  /*   to find contacts of disturbed bodies in one, */
#define WORK_OF_COPY  600.0 /*   and to copy its contacts */
#define SHARE         4u    /* batches that a task runs */

typedef struct violent_set {
    const sn_body_contact_substep *s;
    sn_wide_body_contact *batch;
    const uint32_t *lane;     /* lanes of the contacts that take part, counted through all batches, and */
    uint8_t *bin;             /* their bins */
    uint32_t first, end;      /* those that are in the set now */
    uint32_t bins;            /* more than the largest bin in use, */
    uint32_t start[BINS + 1]; /*   and the first batch of each of these */
    sn_wide_body_contacts run;
} violent_set;

static uint64_t *colours(const sn_world *world)
{
    return world->body_contacts.cell_table.column[7];
}

/* ---- The contacts that take part --------------------------------------------------------------------------------- */

/* A bit for each lane with a disturbed body. stirred: by mover, the last sweep that disturbed it. */
static inline uint32_t stirred_lanes(const sn_wide_body_contact *m, const _Atomic uint32_t *stirred, uint32_t since)
{
    const uint32_t end = m->lanes, moves_a = m->moves_a, moves_b = m->moves_b;
    uint32_t lanes = 0;
    for (uint32_t i = 0, bit = 1; i < end; ++i, bit <<= 1)
        if ((moves_a & bit &&
             atomic_load_explicit(&stirred[m->a[i] / SN_BODY_CONTACT_RECORD], memory_order_relaxed) >= since) ||
            (moves_b & bit &&
             atomic_load_explicit(&stirred[m->b[i] / SN_BODY_CONTACT_RECORD], memory_order_relaxed) >= since))
            lanes |= bit;
    return lanes;
}

/* Lists the lanes of a group where it has its contacts. */
static void list_in_group(void *data, uint32_t index, uint32_t worker)
{
    const sn_body_contact_substep *s = data;
    sn_body_contact_group *group = (sn_body_contact_group *)s->world->body_contacts.group_table.column[0] + index;
    uint32_t *lane = (uint32_t *)s->world->body_contacts.contact_table.column[2] + group->first;
    const _Atomic uint32_t *stirred = contact_stirred(s->world);
    const uint32_t end = group->batch + (sn_body_contacts_is_stirred(s, index) ? group->batches : 0);
    uint32_t count = 0;
    (void)worker;
    for (uint32_t at = group->batch; at < end; ++at)
        for (uint32_t left = stirred_lanes(&s->run.batch[at], stirred, (uint32_t)s->run.since); left; left &= left - 1)
            lane[count++] = at * SN_BODY_CONTACTS + bits_lowest(left);
    group->stirred = count;
}

/* Lists all of them, group by group. Returns their number. */
static uint32_t list_stirred(const sn_body_contact_substep *s, uint32_t *lane, bool *good)
{
    const sn_body_contacts *body_contacts = &s->world->body_contacts;
    const sn_body_contact_group *group = body_contacts->group_table.column[0];
    const uint32_t groups = body_contacts->group_table.count;
    sn_parallel *parallel = &s->world->parallel;
    uint32_t count = 0, batches = 0;
    for (uint32_t g = 0; g < groups; ++g)
        batches += sn_body_contacts_is_stirred(s, g) ? group[g].batches : 0;
    *good = sn_parallel_tasks(sn_parallel_wants(parallel, SN_BODY_CONTACTS_AWAKE * batches * WORK_OF_LIST) ? parallel
                                                                                                           : NULL,
                              groups, list_in_group, (void *)s);
    for (uint32_t g = 0; *good && g < groups; ++g) {
        memmove(lane + count, lane + group[g].first, group[g].stirred * sizeof *lane);
        count += group[g].stirred;
    }
    return count;
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

static const sn_wide_body_contact *batch_of(const violent_set *v, uint32_t i, uint32_t *lane)
{
    *lane = v->lane[i] % SN_BODY_CONTACTS;
    return &v->s->run.batch[v->lane[i] / SN_BODY_CONTACTS];
}

static uint32_t lanes_of_bin(uint32_t bin)
{
    return bin / 2 + 1 < SN_BODY_CONTACT_COLOURS ? SN_BODY_CONTACTS : 1;
}

/* The first colour that neither of the two bodies has. Immovable bodies do not count. */
static uint32_t bin_of(const violent_set *v, uint32_t i)
{
    uint32_t lane;
    const sn_wide_body_contact *m = batch_of(v, i, &lane);
    uint64_t none[2] = {0}, *used = colours(v->s->world);
    uint64_t *a = m->moves_a >> lane & 1 ? &used[m->a[lane] / SN_BODY_CONTACT_RECORD] : &none[0];
    uint64_t *b = m->moves_b >> lane & 1 ? &used[m->b[lane] / SN_BODY_CONTACT_RECORD] : &none[1];
    const uint32_t colour = bits_lowest(~(*a | *b) | (uint64_t)1 << (SN_BODY_CONTACT_COLOURS - 1));
    *a |= (uint64_t)1 << colour;
    *b |= (uint64_t)1 << colour;
    return 2 * colour + (m->points <= FEW);
}

/* Chooses as many contacts as there is room for, from the first one on. */
static void colour_set(violent_set *v, uint32_t count, uint32_t capacity)
{
    uint64_t *used = colours(v->s->world);
    uint32_t number[BINS] = {0}, batches = 0, lane;
    for (uint32_t i = v->first; i < count; ++i) {
        const sn_wide_body_contact *m = batch_of(v, i, &lane);
        if (m->moves_a >> lane & 1)
            used[m->a[lane] / SN_BODY_CONTACT_RECORD] = 0;
        if (m->moves_b >> lane & 1)
            used[m->b[lane] / SN_BODY_CONTACT_RECORD] = 0;
    }
    v->bins = 0;
    for (v->end = v->first; v->end < count; ++v->end) {
        const uint32_t bin = bin_of(v, v->end);
        if (number[bin] % lanes_of_bin(bin) == 0 && batches++ == capacity)
            break;
        v->bin[v->end] = (uint8_t)bin;
        v->bins = bin < v->bins ? v->bins : bin + 1;
        number[bin]++;
    }
    v->bins += v->bins % 2; /* whole colours */
    v->start[0] = 0;
    for (uint32_t bin = 0; bin < v->bins; ++bin)
        v->start[bin + 1] = v->start[bin] + (number[bin] + lanes_of_bin(bin) - 1) / lanes_of_bin(bin);
    memset(number, 0, v->bins * sizeof *number);
    for (uint32_t i = v->first; i < v->end; ++i) {
        const uint32_t at = number[v->bin[i]]++, lanes = lanes_of_bin(v->bin[i]);
        sn_wide_body_contact *own = &v->batch[v->start[v->bin[i]] + at / lanes];
        own->contact[at % lanes] = v->lane[i];
        own->lanes = at % lanes + 1;
    }
}

/* ---- To the batches of the set, and back ------------------------------------------------------------------------- */

/* Copies a lane of rows that follow each other, four rows at a time. */
static inline void copy_rows(sn_real *to, const sn_real *from, uint32_t rows)
{
    enum { ROW = SN_BODY_CONTACTS };
    for (; rows >= 4; rows -= 4, from += 4 * ROW, to += 4 * ROW) {
        const sn_real a = from[0], b = from[ROW], c = from[2 * ROW], d = from[3 * ROW];
        to[0] = a, to[ROW] = b, to[2 * ROW] = c, to[3 * ROW] = d;
    }
    for (uint32_t i = 0; i < rows; ++i)
        to[i * ROW] = from[i * ROW];
}

#define ROWS(type) ((uint32_t)(sizeof(type) / sizeof(sn_lane_row)))
_Static_assert(SN_BODY_CONTACT_COLOURS <= 64, "colours are bits of one number");
_Static_assert(offsetof(sn_wide_body_contact, point) - offsetof(sn_wide_body_contact, n) == 25 * sizeof(sn_lane_row),
               "what sweeps need lies in rows, one after the other");

/* Empties a batch but for the list of its contacts: its lanes have no effect. */
static void open_batch(const violent_set *v, sn_wide_body_contact *m)
{
    const uint32_t lanes = m->lanes;
    memset(m, 0, offsetof(sn_wide_body_contact, contact));
    memset(&m->slop, 0, sizeof *m - offsetof(sn_wide_body_contact, slop));
    m->lanes = lanes;
    for (uint32_t i = 0; i < SN_BODY_CONTACTS; ++i) {
        m->a[i] = m->b[i] = SN_BODY_CONTACT_RECORD * v->s->world->body_contacts.mover_table.count;
        m->stray[i] = -1;
        for (uint32_t k = 0; k < SN_BODY_CONTACT_POINTS; ++k)
            m->point[k].room[i] = SN_BODY_CONTACT_EVER;
    }
}

static void put_lane(const sn_wide_body_contact *from, uint32_t i, sn_wide_body_contact *to, uint32_t k)
{
    to->a[k] = from->a[i];
    to->b[k] = from->b[i];
    to->moves_a |= (from->moves_a >> i & 1) << k;
    to->moves_b |= (from->moves_b >> i & 1) << k;
    to->points = from->points > to->points ? from->points : to->points;
    to->twists = to->twists || from->twists;
    copy_rows(&to->n.x[k], &from->n.x[i], 25);
    copy_rows(&to->point[0].arm.x[k], &from->point[0].arm.x[i], from->points * ROWS(sn_wide_body_contact_point));
    to->rest[0].yield[k] = from->rest[0].yield[i]; /* needed by contacts of two points */
    to->rest[1].yield[k] = from->rest[1].yield[i];
    if (from->bounces) {
        to->bounces = true;
        copy_rows(&to->rest[0].yield[k], &from->rest[0].yield[i], from->points * ROWS(sn_wide_body_contact_rest));
        copy_rows(&to->slip.x[k], &from->slip.x[i], ROWS(sn_lane_rows));
    }
    if (from->misses) {
        to->misses = true;
        copy_rows(&to->course.x[k], &from->course.x[i], ROWS(sn_lane_rows));
        to->stray[k] = from->stray[i];
    }
    if (from->rolls) {
        to->rolls = true;
        to->roll[k] = from->roll[i];
        to->rolling[k] = from->rolling[i];
        copy_rows(&to->rolled.x[k], &from->rolled.x[i], ROWS(sn_lane_rows));
    }
    if (from->belted) {
        to->belted = true;
        copy_rows(&to->belt.x[k], &from->belt.x[i], ROWS(sn_lane_rows));
    }
    if (from->arcs) {
        to->arcs = true;
        copy_rows(&to->arc.x[k], &from->arc.x[i], ROWS(sn_lane_rows));
    }
}

/* Copies the impulses of a lane. */
static void take_lane(const sn_wide_body_contact *from, uint32_t k, sn_wide_body_contact *to, uint32_t i)
{
    for (uint32_t p = 0; p < to->points; ++p) {
        to->point[p].normal_impulse[i] = from->point[p].normal_impulse[k];
        if (to->bounces)
            to->rest[p].struck[i] = from->rest[p].struck[k];
    }
    copy_rows(&to->tangent_impulse.x[i], &from->tangent_impulse.x[k], ROWS(sn_lane_rows));
    to->twisted[i] = from->twisted[k];
    if (to->rolls)
        copy_rows(&to->rolled.x[i], &from->rolled.x[k], ROWS(sn_lane_rows));
}

static void copy_in(void *data, uint32_t index, uint32_t worker)
{
    const violent_set *v = data;
    sn_wide_body_contact *own = &v->batch[index];
    (void)worker;
    open_batch(v, own);
    for (uint32_t k = 0; k < own->lanes; ++k)
        put_lane(&v->s->run.batch[own->contact[k] / SN_BODY_CONTACTS], own->contact[k] % SN_BODY_CONTACTS, own, k);
}

/* Also marks the bodies that are disturbed. */
static void copy_out(void *data, uint32_t index, uint32_t worker)
{
    const violent_set *v = data;
    const sn_wide_body_contact *own = &v->batch[index];
    (void)worker;
    for (uint32_t k = 0; k < own->lanes; ++k)
        take_lane(own, k, &v->s->run.batch[own->contact[k] / SN_BODY_CONTACTS], own->contact[k] % SN_BODY_CONTACTS);
    sn_body_contacts_stir(v->s, own, 1);
}

/* Copies all contacts of the set to its batches, or back. */
static bool copy_set(violent_set *v, sn_task_fn *copy)
{
    sn_parallel *parallel = &v->s->world->parallel;
    const bool shares = sn_parallel_wants(parallel, SN_BODY_CONTACTS_AWAKE * v->start[v->bins] * WORK_OF_COPY);
    return sn_parallel_tasks(shares ? parallel : NULL, v->start[v->bins], copy, v);
}

/* ---- Sweeps ------------------------------------------------------------------------------------------------------ */

typedef struct colour_run {
    const violent_set *v;
    uint32_t first, end; /* batches */
} colour_run;

static void run_batches(void *data, uint32_t index, uint32_t worker)
{
    const colour_run *c = data;
    sn_wide_body_contacts run = c->v->run;
    (void)worker;
    run.first = c->first + SHARE * index;
    run.end = c->end - run.first < SHARE ? c->end : run.first + SHARE;
    if (c->v->s->wide->project(&run))
        contact_raise(c->v->s->violent);
}

/* One sweep, colour by colour. Contacts of the last colour may share bodies, so they are solved one by one. */
static bool sweep_set(const violent_set *v)
{
    sn_parallel *parallel = &v->s->world->parallel;
    bool good = true;
    for (uint32_t colour = 0; good && 2 * colour < v->bins; ++colour) {
        const colour_run c = {v, v->start[2 * colour], v->start[2 * colour + 2]};
        const uint32_t count = c.end - c.first;
        const bool shares = colour + 1 < SN_BODY_CONTACT_COLOURS && sn_parallel_wants(parallel, count * WORK_OF_BATCH);
        if (count)
            good = sn_parallel_tasks(shares ? parallel : NULL, (count + SHARE - 1) / SHARE, run_batches, (void *)&c);
    }
    return good;
}

/* A few sweeps over the set, as long as an error is large. Friction of impacts is found exactly in the last of them
   alone: it takes as long as a sweep, and what the other contacts do changes it again. */
static bool work_on_set(violent_set *v)
{
    bool good = copy_set(v, copy_in), more = true, violent = false;
    v->run = v->s->run;
    v->run.batch = v->batch;
    v->run.settles = false;
    for (uint32_t i = 0; good && !v->run.settles; ++i) {
        atomic_store_explicit(v->s->violent, false, memory_order_relaxed);
        v->run.settles = !more || i + 1 == AT_ONCE;
        good = sweep_set(v);
        more = atomic_load_explicit(v->s->violent, memory_order_relaxed);
        violent = violent || more;
        v->run.since = v->run.sweep;
        v->run.sweep += 1;
    }
    atomic_store_explicit(v->s->violent, violent, memory_order_relaxed);
    return good && copy_set(v, copy_out);
}

uint32_t sn_body_contacts_sweep_violent(const sn_body_contact_substep *s, bool *good)
{
    sn_world *world = s->world;
    uint32_t *lane = world->body_contacts.contact_table.column[2];
    violent_set v = {.s = s,
                     .batch = world->body_contacts.violent_table.column[0],
                     .lane = lane,
                     .bin = world->body_contacts.contact_table.column[3]};
    const uint32_t count = list_stirred(s, lane, good);
    bool violent = false;
    for (v.first = 0; *good && v.first < count; v.first = v.end) {
        colour_set(&v, count, world->body_contacts.violent_table.count);
        *good = work_on_set(&v);
        violent = violent || atomic_load_explicit(s->violent, memory_order_relaxed);
    }
    atomic_store_explicit(s->violent, violent, memory_order_relaxed);
    return AT_ONCE;
}
