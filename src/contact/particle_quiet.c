/* Pairs of balls where most balls sleep.

   Two balls at rest are not a pair, and in a sleeping pile all are at rest. So the search for pairs gets only the
   balls that move, and those balls at rest that may be near a moving one: those in a cell of a grid that the reach of
   a moving ball touches. The grid is a set of bits, by a hash of the cell. Two cells may share a bit, which only
   gives the search a ball too many.

   The choice depends on positions, reaches and on what moves, not on how particles are stored. */
#include "contact/particle_work.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

/* If more than one ball in this many moves, this does not pay. */
#define FEW 4u

/* Bits for each moving ball, which marks up to 27 cells. */
#define BITS 64u

typedef struct sorting {
    const sn_world *world;
    const sn_contacts *contacts;
    const sn_vec4 *sphere;
    uint32_t balls, moving;
    sn_real most;     /* m: the largest reach */
    double inverse;   /* 1/m: of the side of a cell */
    sn_bounds around; /* m: bounds of everything near a moving ball */
    uint64_t mask, *bits;
} sorting;

static bool is_ball(const sorting *s, uint32_t slot)
{
    return s->sphere[slot].w >= 0 && vec3_is_finite(vec4_xyz(s->sphere[slot]));
}

/* True if the ball is at rest in this step, by its inverse mass and velocity. A kinematic ball has a target. */
static bool is_quiet(const sorting *s, uint32_t slot)
{
    const sn_particle_store *p = &s->world->particles;
    const sn_vec4 v = p->v[slot];
    return p->x[slot].w == 0 && v.x == 0 && v.y == 0 && v.z == 0 && !p->target[slot];
}

/* The end of the piece of particles that contains the slot. */
static uint32_t end_of(const sorting *s, uint32_t slot)
{
    const uint32_t count = s->world->particles.table.count, end = (slot / SN_CONTACT_PIECE + 1) * SN_CONTACT_PIECE;
    return end < count ? end : count;
}

static void include_displacement(sn_bounds *b, sn_vec3 x, sn_real by)
{
    b->low = vec3(x.x - by < b->low.x ? x.x - by : b->low.x, x.y - by < b->low.y ? x.y - by : b->low.y,
                  x.z - by < b->low.z ? x.z - by : b->low.z);
    b->high = vec3(x.x + by > b->high.x ? x.x + by : b->high.x, x.y + by > b->high.y ? x.y + by : b->high.y,
                   x.z + by > b->high.z ? x.z + by : b->high.z);
}

/* Counts balls, and measures their reaches. */
static void measure(sorting *s)
{
    const uint32_t count = s->world->particles.table.count;
    for (uint32_t slot = 0; slot < count; ++slot) {
        if (!is_ball(s, slot))
            continue;
        s->balls++;
        s->most = s->sphere[slot].w > s->most ? s->sphere[slot].w : s->most;
    }
    for (uint32_t first = 0; first < count; first = end_of(s, first))
        for (uint32_t slot = first; !contact_is_still(s->contacts, first) && slot < end_of(s, first); ++slot)
            if (is_ball(s, slot) && !is_quiet(s, slot)) {
                s->moving++;
                include_displacement(&s->around, vec4_xyz(s->sphere[slot]), s->sphere[slot].w + s->most);
            }
}

static int64_t cell_of(const sorting *s, sn_real x)
{
    const double at = (double)x * s->inverse;
    const int64_t cell = (int64_t)at;
    return cell - ((double)cell > at);
}

static uint64_t bit_of(const sorting *s, int64_t x, int64_t y, int64_t z)
{
    return hash_u64(hash_u64(hash_u64(1, (uint64_t)x), (uint64_t)y), (uint64_t)z) & s->mask;
}

/* Marks the cells that a ball may reach, enlarged by the largest reach of another ball. */
static void mark_around(sorting *s, uint32_t slot)
{
    const sn_vec3 x = vec4_xyz(s->sphere[slot]);
    const sn_real by = s->sphere[slot].w + s->most;
    for (int64_t i = cell_of(s, x.x - by); i <= cell_of(s, x.x + by); ++i)
        for (int64_t j = cell_of(s, x.y - by); j <= cell_of(s, x.y + by); ++j)
            for (int64_t k = cell_of(s, x.z - by); k <= cell_of(s, x.z + by); ++k) {
                const uint64_t bit = bit_of(s, i, j, k);
                s->bits[bit / 64] |= UINT64_C(1) << bit % 64;
            }
}

static void mark(sorting *s)
{
    const uint32_t count = s->world->particles.table.count;
    memset(s->bits, 0, (size_t)((s->mask + 1) / 8));
    for (uint32_t first = 0; first < count; first = end_of(s, first))
        for (uint32_t slot = first; !contact_is_still(s->contacts, first) && slot < end_of(s, first); ++slot)
            if (is_ball(s, slot) && !is_quiet(s, slot))
                mark_around(s, slot);
}

static bool is_in(const sn_bounds *b, sn_vec3 x)
{
    return x.x >= b->low.x && x.x <= b->high.x && x.y >= b->low.y && x.y <= b->high.y && x.z >= b->low.z &&
           x.z <= b->high.z;
}

static bool is_near(const sorting *s, uint32_t slot)
{
    const sn_vec3 x = vec4_xyz(s->sphere[slot]);
    if (!is_in(&s->around, x))
        return false;
    const uint64_t bit = bit_of(s, cell_of(s, x.x), cell_of(s, x.y), cell_of(s, x.z));
    return s->bits[bit / 64] >> bit % 64 & 1;
}

/* True if a whole piece is at rest and away from all moving balls. */
static bool is_away(const sorting *s, uint32_t first)
{
    const sn_bounds *box = (const sn_bounds *)s->contacts->box_table.column[0] + first / SN_CONTACT_PIECE;
    return contact_is_still(s->contacts, first) &&
           (box->low.x > s->around.high.x || box->high.x < s->around.low.x || box->low.y > s->around.high.y ||
            box->high.y < s->around.low.y || box->low.z > s->around.high.z || box->high.z < s->around.low.z);
}

static uint32_t list(const sorting *s, sn_table *to)
{
    const uint32_t count = s->world->particles.table.count;
    uint32_t listed = 0;
    for (uint32_t first = 0; first < count; first = end_of(s, first))
        for (uint32_t slot = first; !is_away(s, first) && slot < end_of(s, first); ++slot) {
            if (!is_ball(s, slot) || (is_quiet(s, slot) && !is_near(s, slot)))
                continue;
            ((sn_vec4 *)to->column[0])[listed] = s->sphere[slot];
            ((uint32_t *)to->column[1])[listed] = s->world->particles.index[slot];
            ((uint32_t *)to->column[2])[listed++] = slot;
        }
    return listed;
}

/* The search passes places in the list; the filter needs slots. */
static bool is_wanted(void *data, uint32_t a, uint32_t b)
{
    const sn_world *world = data;
    const uint32_t *slot = world->contacts.quiet_table.column[2];
    return sn_contacts_is_wanted(data, slot[a], slot[b]);
}

bool sn_contacts_leave_quiet(sn_world *world, sn_near_input *input, bool *left)
{
    sn_contacts *c = &world->contacts;
    sorting s = {.world = world, .contacts = c, .sphere = input->sphere};
    const sn_real far = (sn_real)INFINITY;
    s.around = (sn_bounds){vec3(far, far, far), vec3(-far, -far, -far)};
    *left = false;
    if (!world->contact.sleep.held || world->contact.sleep.news)
        return true;
    c->quiet_table.count = 0; /* nothing needs to be copied when the table grows */
    if (!sn_table_reserve(&c->quiet_table, &world->allocator, input->count))
        return false;
    measure(&s);
    if (FEW * (uint64_t)s.moving > s.balls || !(s.most > 0))
        return true;
    uint64_t bits = 1024;
    while (bits < BITS * (uint64_t)s.moving)
        bits *= 2;
    if (!sn_table_reserve(&c->quiet_bit_table, &world->allocator,
                          16 + (uint64_t)s.balls / 2)) /* enough for any number of moving balls */
        return false;
    s.mask = bits - 1;
    s.bits = c->quiet_bit_table.column[0];
    s.inverse = 1 / (2 * (double)s.most);
    mark(&s);
    input->count = c->quiet_table.count = list(&s, &c->quiet_table);
    input->sphere = c->quiet_table.column[0];
    input->number = c->quiet_table.column[1];
    input->wanted = is_wanted;
    *left = true;
    return true;
}

void sn_contacts_name_slots(const sn_world *world, sn_neighbours *near)
{
    const uint32_t *slot = world->contacts.quiet_table.column[2];
    for (uint32_t i = 0; i < near->batches; ++i)
        for (uint32_t k = 0; k < SN_NEAR_LANES; ++k) {
            near->batch[i].a[k] = slot[near->batch[i].a[k]];
            near->batch[i].b[k] = slot[near->batch[i].b[k]];
        }
}

bool sn_contacts_any_moves(const sn_world *world)
{
    for (uint32_t slot = 0; slot < world->particles.table.count;)
        if (contact_is_still(&world->contacts, slot))
            slot += SN_CONTACT_PIECE;
        else if (world->particles.x[slot++].w > 0)
            return true;
    return false;
}
