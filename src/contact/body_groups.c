/* Contact of bodies: which task works on which contacts, and in which order.

   Space is cut into cells of a few hundred bodies, three times, with different borders (body_cells.c): three levels. A
   contact belongs to the first level on which both of its bodies are in the same cell. So a task can work on the
   contacts of a cell one after the other, and tasks of a level share no body. Threads need to wait for each other
   between levels only, not between colours. The few contacts that cross borders on all levels are the last level, of
   one group.

   Within a group a contact gets a colour and a lane in a batch (wide/body_contact.h) once it may exert an impulse: most
   contact pairs that were found are apart. It keeps them to the end of the step. Eight contacts of a colour are a
   batch, at first with similar numbers of points.

   Cells and colours depend on the scene alone, so results do not depend on the number of threads. */
#include "contact/body_work.h"

#include <string.h>

/* ns, about, of a batch in one sweep, and of the preparation of a contact */
#define WORK_OF_BATCH    300.0
#define WORK_OF_STIRRED  250.0 /* of a batch in a group with few disturbed bodies, in several sweeps */
#define WORK_OF_READY    150.0
#define WORK_OF_GROUPING 20.0 /* of a contact */

static sn_body_contact_cell *cells(const sn_body_contacts *body_contacts)
{
    return body_contacts->cell_table.column[0];
}

static sn_body_contact_watch *watches(const sn_body_contacts *body_contacts)
{
    return body_contacts->contact_table.column[4];
}

static sn_body_contact_group *groups(const sn_body_contacts *body_contacts)
{
    return body_contacts->group_table.column[0];
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static uint32_t group_of(const sn_world *world, const sn_body_contact_ends *ends, bool a, bool b, uint32_t *level)
{
    const sn_body_contacts *body_contacts = &world->body_contacts;
    for (*level = 0; *level + 1 < SN_BODY_CONTACT_LEVELS; ++*level) {
        if (body_contacts->level[*level] == body_contacts->level[*level + 1])
            continue;
        if (!a || !b)
            return a   ? cells(body_contacts)[ends->a].cell[*level]
                   : b ? cells(body_contacts)[ends->b].cell[*level]
                       : body_contacts->level[*level];
        if (cells(body_contacts)[ends->a].cell[*level] == cells(body_contacts)[ends->b].cell[*level])
            return cells(body_contacts)[ends->a].cell[*level];
    }
    return body_contacts->level[SN_BODY_CONTACT_LEVELS - 1];
}

/* The largest number of batches that a group may need. The number of colours is at most the number of other contacts of
   the two bodies of a contact. The number of batches is at most the number of colours and of full batches. */
static uint32_t most_batches(uint32_t body_contacts, uint64_t degree)
{
    uint64_t most =
        2 * degree < SN_BODY_CONTACT_COLOURS ? body_contacts / SN_BODY_CONTACTS + 2 * degree : body_contacts;
    return most < body_contacts ? (uint32_t)most : body_contacts;
}

/* Counts one more contact of a mover in a group. */
static void count_degree(const sn_world *world, uint32_t mover, uint32_t group, uint32_t level)
{
    _Atomic uint32_t *most = (_Atomic uint32_t *)world->body_contacts.group_table.column[1] + group;
    contact_raise_to(most,
                     1 + atomic_fetch_add_explicit(&contact_degrees(world, mover)[level], 1, memory_order_relaxed));
}

/* Finds the groups of contacts. */
static void group_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_body_contact_ends *ends = world->body_contacts.contact_table.column[5];
    uint32_t *group = world->body_contacts.contact_table.column[2], level;
    for (uint32_t i = first; i < end; ++i) {
        const bool a = contact_moves(world, ends[i].a), b = contact_moves(world, ends[i].b);
        group[i] = group_of(world, &ends[i], a, b, &level);
        if (a)
            count_degree(world, ends[i].a, group[i], level);
        if (b)
            count_degree(world, ends[i].b, group[i], level);
    }
}

/* Room for the records of movers, an empty one, and those of fixed shapes. */
static bool reserve_records(sn_world *world)
{
    const uint64_t movers = world->body_contacts.mover_table.count;
    if (!sn_body_contacts_make_room(world, &world->body_contacts.record_table,
                                    SN_BODY_CONTACT_RECORD *
                                        (movers + 1 + world->body_contacts.fixed_shape_table.count)))
        return false;
    world->body_contacts.record_table.count = (uint32_t)(SN_BODY_CONTACT_RECORD * (movers + 1));  /* these are kept */
    memset(contact_record(world, (uint32_t)movers), 0, SN_BODY_CONTACT_RECORD * sizeof(sn_vec4)); /* the empty one */
    return true;
}

#define VIOLENT_LEAST 32u /* batches, */
#define VIOLENT_SHARE                                                                                                  \
    24u /*   and one more for this many contacts: enough, except at the worst times; the rest is left for later */

static bool reserve_violent(sn_world *world, uint32_t contacts)
{
    sn_table *table = &world->body_contacts.violent_table;
    const uint32_t count = VIOLENT_LEAST + contacts / VIOLENT_SHARE;
    table->count = 0;
    if (!sn_body_contacts_make_room(world, table, count) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, table->capacity))
        return false;
    table->count = count;
    return true;
}

/* Room for the batches of all groups. */
static bool reserve_batches(sn_world *world, uint32_t count)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const _Atomic uint32_t *degree = body_contacts->group_table.column[1];
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_body_contact_group *g = &groups(body_contacts)[i];
        g->capacity = most_batches(g->end - g->first, degree[i]);
        g->batch = (uint32_t)total;
        g->batches = 0;
        total += g->capacity;
    }
    body_contacts->batch_table.count = 0; /* no batch needs to be kept when the table grows */
    return total <= SN_MAX_COUNT && sn_body_contacts_make_room(world, &body_contacts->batch_table, total);
}

/* The index of each contact: those of a group are contiguous, in the order in which they were found. */
static void deal_out(sn_world *world, uint32_t count, uint32_t number)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    uint32_t *place = body_contacts->contact_table.column[2], first = 0;
    sn_body_contact_group *group = groups(body_contacts);
    for (uint32_t i = 0; i < count; ++i)
        group[place[i]].end++;
    for (uint32_t i = 0; i < number; ++i) {
        uint32_t has = group[i].end;
        group[i].first = group[i].end = first;
        first += has;
    }
    for (uint32_t i = 0; i < count; ++i)
        place[i] = group[place[i]].end++;
}

static void leave_piece(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_body_contact *contact = &contact_all(world)[i];
        if (contact->lane)
            sn_body_contact_note(world, contact);
        contact->lane = 0;
    }
}

bool sn_body_contacts_leave_lanes(sn_world *world)
{
    return sn_body_contacts_share(world, world->body_contacts.count, leave_piece, world);
}

sn_result sn_body_contacts_group(sn_world *world, uint32_t count)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    uint32_t number;
    if (!reserve_records(world))
        return SN_ERROR_MEMORY;
    const sn_result result = sn_body_contacts_cut_space(world, count, &number);
    if (result != SN_OK)
        return result;
    memset(groups(body_contacts), 0, number * sizeof(sn_body_contact_group));
    memset(body_contacts->group_table.column[1], 0, number * sizeof(uint32_t));
    for (uint32_t level = 0; level < SN_BODY_CONTACT_LEVELS; ++level)
        for (uint32_t i = body_contacts->level[level]; i < body_contacts->level[level + 1]; ++i)
            groups(body_contacts)[i].level = level;
    if (!sn_parallel_few(&world->parallel, count, WORK_OF_GROUPING, group_piece, world))
        return SN_ERROR_HOST;
    deal_out(world, count, number);
    body_contacts->group_table.count = number;
    return reserve_batches(world, number) && reserve_violent(world, count) ? SN_OK : SN_ERROR_MEMORY;
}

bool sn_body_contacts_append(sn_world *world, uint32_t count)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const uint32_t last = body_contacts->group_table.count - 1, level = SN_BODY_CONTACT_LEVELS - 1;
    sn_body_contact_group *group = &groups(body_contacts)[last];
    for (const sn_body_contact *contact = &contact_all(world)[group->end]; group->end < count;
         ++group->end, ++contact) {
        if (contact_moves(world, contact->a))
            count_degree(world, contact->a, last, level);
        if (contact_moves(world, contact->b))
            count_degree(world, contact->b, last, level);
    }
    group->level = level;
    group->capacity =
        most_batches(group->end - group->first, ((_Atomic uint32_t *)body_contacts->group_table.column[1])[last]);
    body_contacts->batch_table.count = group->batch + group->batches; /* these are kept */
    return sn_body_contacts_make_room(world, &body_contacts->batch_table, (uint64_t)group->batch + group->capacity) &&
           reserve_records(world);
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

static bool is_movable(const sn_world *world, uint32_t mover)
{
    return mover != SN_NO_MOVER && contact_record(world, mover)->w != 0;
}

/* A contact gets the first colour that neither of its movers has. Immovable ones do not count. */
static uint32_t colour_of(const sn_world *world, const sn_body_contact *contact, uint32_t level)
{
    uint64_t none = 0, *a = &none, *b = &none;
    if (is_movable(world, contact->a))
        a = &cells(&world->body_contacts)[contact->a].used[level];
    if (is_movable(world, contact->b))
        b = &cells(&world->body_contacts)[contact->b].used[level];
    uint64_t taken = *a | *b;
    uint32_t colour = 0;
    while (colour + 1 < SN_BODY_CONTACT_COLOURS && taken >> colour & 1)
        ++colour;
    *a |= (uint64_t)1 << colour;
    *b |= (uint64_t)1 << colour;
    return colour;
}

/* Puts a contact in a lane of the open batch of its colour, or of a new one. */
static void add_lane(const sn_body_contact_substep *s, sn_body_contact_group *group, uint32_t index)
{
    sn_body_contact *contact = &contact_all(s->world)[index];
    const uint32_t most = contact->colour + 1u < SN_BODY_CONTACT_COLOURS ? SN_BODY_CONTACTS : 1;
    uint32_t *open = &group->open[contact->colour], lane = *open ? s->run.batch[*open - 1].lanes : 0;
    if (!*open)
        *open = group->batch + ++group->batches;
    sn_body_contact_fill(s, index, *open - 1, lane);
    watches(&s->world->body_contacts)[index].laned = true;
    if (lane + 1 == most)
        *open = 0;
}

/* By colour and number of points, those with the most points first. */
typedef struct sorting {
    uint32_t start[SN_BODY_CONTACT_COLOURS * SN_MANIFOLD_MOST + 1];
} sorting;

static uint32_t bin_of(const sn_body_contact *contact)
{
    return contact->colour * SN_MANIFOLD_MOST + (SN_MANIFOLD_MOST - contact->count);
}

/* Puts the first contacts of a group in lanes, sorted. */
static void add_lanes(const sn_body_contact_substep *s, sn_body_contact_group *group, const uint32_t *active,
                      uint32_t count)
{
    const sn_body_contact *contact = contact_all(s->world);
    uint32_t *list = (uint32_t *)s->world->body_contacts.contact_table.column[2] + group->first;
    sorting sort = {{0}};
    for (uint32_t i = 0; i < count; ++i)
        sort.start[bin_of(&contact[active[i]]) + 1]++;
    for (uint32_t i = 1; i <= SN_BODY_CONTACT_COLOURS * SN_MANIFOLD_MOST; ++i)
        sort.start[i] += sort.start[i - 1];
    for (uint32_t i = 0; i < count; ++i)
        list[sort.start[bin_of(&contact[active[i]])]++] = active[i];
    for (uint32_t i = 0; i < count; ++i)
        add_lane(s, group, list[i]);
}

/* ---- Substeps ---------------------------------------------------------------------------------------------------- */

/* True if a pair that was apart still is, so that it need not be measured. */
bool sn_body_contact_stays_apart(const sn_body_contact_substep *s, const sn_body_contact_watch *watch)
{
    const sn_vec4 *a = contact_record(s->world, watch->a), *b = contact_record(s->world, watch->b);
    if (!watch->idle)
        return false;
    sn_real displacement =
        s->h * (vec3_length(vec3_sub(vec4_xyz(a[0]), vec4_xyz(b[0]))) + (a[1].w + b[1].w)) + s->run.fall;
    displacement += contact_thrown(s->world, a, b);
    const sn_vec3 between = vec3_sub(vec4_xyz(a[4]), vec4_xyz(b[4]));
    return vec3_length(vec3_sub(between, watch->between)) + (a[4].w + b[4].w - watch->spun) + displacement <=
           watch->nearest;
}

/* True if b is a rotating fixed shape: the motion of its points is not bounded here. */
static bool turns(const sn_world *world, const sn_body_contact *contact)
{
    return contact->b == SN_NO_MOVER && !contact_is_zero(contact_motion(world, contact->fixed_shape)->spin);
}

/* Sets the present distance of a pair, or a lower bound. */
static void watch_from(const sn_world *world, sn_body_contact_watch *watch, sn_real nearest)
{
    const sn_vec4 *a = contact_record(world, watch->a), *b = contact_record(world, watch->b);
    watch->nearest = nearest;
    watch->between = vec3_sub(vec4_xyz(a[4]), vec4_xyz(b[4]));
    watch->spun = a[4].w + b[4].w;
}

/* Measures a contact without a lane. True if it may exert an impulse in this substep. */
static bool look_at(const sn_body_contact_substep *s, sn_body_contact *contact, sn_body_contact_watch *watch)
{
    const bool kept_impulses = sn_body_contact_look_again(s, contact);
    watch->idle = !contact->sensor && !contact->clear && !turns(s->world, contact);
    watch_from(s->world, watch, contact->nearest);
    return kept_impulses;
}

/* Finds the manifolds of a batch again that have drifted too far (bits: stale), unless the two stay apart. */
static void follow_batch(const sn_body_contact_substep *s, uint32_t at, uint32_t stale)
{
    uint32_t list[SN_BODY_CONTACTS], lanes[SN_BODY_CONTACTS], count = 0, idle[SN_BODY_CONTACTS], idles = 0;
    sn_real apart[SN_BODY_CONTACTS];
    for (uint32_t lane = 0; stale >> lane; ++lane) {
        const uint32_t index = s->run.batch[at].contact[lane];
        sn_body_contact *contact = &contact_all(s->world)[index];
        if (!(stale >> lane & 1))
            continue;
        sn_body_contact_note(s->world, contact);
        if (sn_body_contact_is_idle(contact))
            idle[idles++] = index;
        lanes[count] = lane;
        list[count++] = index;
    }
    sn_body_contacts_clear(s, idle, idles, apart);
    for (uint32_t k = 0, i = 0; k < count; ++k) {
        sn_body_contact *contact = &contact_all(s->world)[list[k]];
        const bool asked = i < idles && idle[i] == list[k];
        if (asked && apart[i] >= 0)
            sn_body_contact_pass_clear(s, contact, apart[i]);
        else
            sn_body_contact_look_again(s, contact);
        i += asked;
        sn_body_contact_fill(s, list[k], at, lanes[k]);
    }
}

static void follow_manifolds(const sn_body_contact_substep *s, const sn_body_contact_group *group)
{
    for (uint32_t at = group->batch; at < group->batch + group->batches; ++at) {
        const uint32_t stale = s->wide->drift(&s->run, at);
        if (stale)
            follow_batch(s, at, stale);
    }
}

static void set_up(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_wide_body_contacts run = s->run;
    run.first = group->batch;
    run.end = group->batch + group->batches;
    s->wide->set_up(&run);
    group->deep = group->bends = false;
    for (uint32_t at = run.first; at < run.end; ++at) {
        group->deep = group->deep || run.batch[at].deep;
        group->bends = group->bends || run.batch[at].bends;
    }
}

#define ASKED 64u /* contacts whose separating axes are tested together */

static void ready_group(const sn_body_contact_substep *s, sn_body_contact_group *group)
{
    sn_body_contact *contact = contact_all(s->world);
    sn_body_contact_watch *watch = watches(&s->world->body_contacts);
    uint32_t *active = (uint32_t *)s->world->body_contacts.contact_table.column[3] + group->first, count = 0;
    uint32_t *near = (uint32_t *)s->world->body_contacts.contact_table.column[2] + group->first, nears = 0;
    sn_real apart[ASKED];
    follow_manifolds(s, group);
    for (uint32_t i = group->first; i < group->end; ++i)
        if (!watch[i].laned && !sn_body_contact_stays_apart(s, &watch[i])) {
            contact_fetch(&contact[i]);
            near[nears++] = i;
        }
    for (uint32_t k = 0; k < nears; ++k) {
        const uint32_t i = near[k];
        if (k % ASKED == 0)
            sn_body_contacts_clear(s, near + k, nears - k < ASKED ? nears - k : ASKED, apart);
        if (apart[k % ASKED] >= 0) {
            watch[i].idle = true;
            watch_from(s->world, &watch[i], apart[k % ASKED] * SN_CERTAIN);
            continue;
        }
        if (!look_at(s, &contact[i], &watch[i]))
            continue;
        contact[i].colour = (uint8_t)colour_of(s->world, &contact[i], group->level);
        if (group->begun)
            add_lane(s, group, i);
        else
            active[count++] = i;
    }
    if (count)
        add_lanes(s, group, active, count);
    group->begun = true;
    set_up(s, group);
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

typedef struct tasks {
    const sn_body_contact_substep *s;
    sn_body_contact_group_fn *one;
    sn_body_contact_group *group;
    const uint32_t *list;
} tasks;

static void run_group(void *data, uint32_t index, uint32_t worker)
{
    const tasks *t = data;
    (void)worker;
    t->one(t->s, &t->group[index]);
}

static void run_listed(void *data, uint32_t index, uint32_t worker)
{
    run_group(data, ((const tasks *)data)->list[index], worker);
}

/* Lists all groups, with the levels interleaved evenly. Tasks are dealt out in equal shares, so each thread gets the
   same share of every level, and it gets the same groups in sweeps. */
static void list_all(const sn_body_contacts *body_contacts, uint32_t *list)
{
    const uint32_t *level = body_contacts->level;
    uint32_t at[SN_BODY_CONTACT_LEVELS];
    memcpy(at, level, sizeof at);
    for (uint32_t i = 0; i < body_contacts->group_table.count; ++i) {
        uint32_t next = 0;
        double least = 2;
        for (uint32_t k = 0; k < SN_BODY_CONTACT_LEVELS; ++k) {
            const double share = (at[k] - level[k] + 0.5) / (level[k + 1] - level[k]);
            if (at[k] < level[k + 1] && share < least) {
                least = share;
                next = k;
            }
        }
        list[i] = at[next]++;
    }
}

bool sn_body_contacts_ready_groups(sn_body_contact_substep *s)
{
    const sn_body_contacts *body_contacts = &s->world->body_contacts;
    sn_parallel *parallel = &s->world->parallel;
    tasks t = {s, ready_group, groups(body_contacts), body_contacts->group_table.column[3]};
    if (!sn_parallel_wants(parallel, body_contacts->count * WORK_OF_READY))
        parallel = NULL;
    list_all(body_contacts, body_contacts->group_table.column[3]);
    return sn_parallel_tasks(parallel, body_contacts->group_table.count, run_listed, &t);
}

/* ---- Sweeps ------------------------------------------------------------------------------------------------------ */

static _Atomic uint32_t *stirred(const sn_body_contacts *body_contacts)
{
    return body_contacts->group_table.column[2];
}

void sn_body_contacts_calm(const sn_world *world)
{
    memset(stirred(&world->body_contacts), 0, world->body_contacts.group_table.count * sizeof(uint32_t));
    memset(contact_stirred(world), 0, world->body_contacts.mover_table.count * sizeof(uint32_t));
    if (world->articulations.limits)
        memset(contact_stirred_articulations(world), 0, world->articulations.count * sizeof(uint32_t));
}

static void stir_group(const sn_body_contacts *body_contacts, uint32_t group, uint32_t sweep)
{
    _Atomic uint32_t *last = &stirred(body_contacts)[group];
    if (atomic_load_explicit(last, memory_order_relaxed) != sweep) /* see contact_raise */
        atomic_store_explicit(last, sweep, memory_order_relaxed);
}

static void stir_articulation(const sn_world *world, uint32_t mover, uint32_t sweep)
{
    const sn_articulations *a = &world->articulations;
    if (!a->limits || !sn_articulations_have(a, mover))
        return;
    const uint32_t number = ((const uint32_t *)a->row_table.column[6])[mover];
    atomic_store_explicit(&contact_stirred_articulations(world)[number], sweep, memory_order_relaxed);
}

/* The groups of a mover: those of its cells, and the last one. A mover without cells may be in any group. */
static void stir_mover(const sn_world *world, uint32_t mover, uint32_t sweep)
{
    const sn_body_contacts *body_contacts = &world->body_contacts;
    const sn_body_contact_cell *cell = &cells(body_contacts)[mover];
    const uint32_t *level = body_contacts->level, last = SN_BODY_CONTACT_LEVELS - 1;
    const uint8_t both = SN_MARK_MOVES | SN_MARK_TOUCHES;
    const bool has_cells = (contact_marks(world)[mover] & both) == both;
    if (contact_is_stirred(world, mover, sweep))
        return;
    atomic_store_explicit(&contact_stirred(world)[mover], sweep, memory_order_relaxed);
    stir_articulation(world, mover, sweep);
    if (contact_marks(world)[mover] & SN_MARK_HELD)
        return;
    for (uint32_t i = 0; i < last && has_cells; ++i)
        if (level[i] != level[i + 1])
            stir_group(body_contacts, cell->cell[i], sweep);
    for (uint32_t i = 0; !has_cells && i < level[last]; ++i)
        stir_group(body_contacts, i, sweep);
    stir_group(body_contacts, level[last], sweep);
}

void sn_body_contacts_stir(const sn_body_contact_substep *s, const sn_wide_body_contact *batch, uint32_t count)
{
    const sn_real sweep = s->run.sweep;
    const sn_vec4 *const spin = s->run.mover + 1;
    for (const sn_wide_body_contact *m = batch; m < batch + count; ++m) {
        const uint32_t lanes = m->stirred >= sweep ? m->lanes : 0, moves_a = m->moves_a, moves_b = m->moves_b;
        for (uint32_t i = 0, bit = 1; i < lanes; ++i, bit <<= 1) {
            if (moves_a & bit && spin[m->a[i]].w >= sweep)
                stir_mover(s->world, m->a[i] / SN_BODY_CONTACT_RECORD, (uint32_t)sweep);
            if (moves_b & bit && spin[m->b[i]].w >= sweep)
                stir_mover(s->world, m->b[i] / SN_BODY_CONTACT_RECORD, (uint32_t)sweep);
        }
    }
}

void sn_body_contacts_stir_mover(const sn_body_contact_substep *s, uint32_t mover)
{
    stir_mover(s->world, mover, (uint32_t)s->run.sweep);
}

bool sn_body_contacts_is_stirred(const sn_body_contact_substep *s, uint32_t group)
{
    const uint32_t last = atomic_load_explicit(&stirred(&s->world->body_contacts)[group], memory_order_relaxed);
    return (sn_real)last >= s->run.since;
}

/* Lists the groups of a level to be run. Returns their number. *batches: the number of their batches. */
static uint32_t list_groups(const sn_body_contact_substep *s, uint32_t level, uint32_t *batches)
{
    const sn_body_contacts *body_contacts = &s->world->body_contacts;
    uint32_t *list = body_contacts->group_table.column[3], count = 0;
    *batches = 0;
    for (uint32_t i = body_contacts->level[level]; i < body_contacts->level[level + 1]; ++i) {
        if (!groups(body_contacts)[i].batches || (s->run.stirred_only && !sn_body_contacts_is_stirred(s, i)))
            continue;
        list[count++] = i;
        *batches += groups(body_contacts)[i].batches;
    }
    return count;
}

bool sn_body_contacts_by_level(const sn_body_contact_substep *s, sn_body_contact_group_fn *one)
{
    sn_parallel *parallel = &s->world->parallel;
    tasks t = {s, one, groups(&s->world->body_contacts), s->world->body_contacts.group_table.column[3]};
    bool good = true;
    for (uint32_t i = 0; good && i < SN_BODY_CONTACT_LEVELS; ++i) {
        uint32_t batches, count = list_groups(s, i, &batches);
        const double work = SN_BODY_CONTACTS_AWAKE * batches * (s->run.stirred_only ? WORK_OF_STIRRED : WORK_OF_BATCH);
        good = sn_parallel_tasks(sn_parallel_wants(parallel, work) ? parallel : NULL, count, run_listed, &t);
    }
    return good;
}
