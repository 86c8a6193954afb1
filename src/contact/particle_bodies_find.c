/* Finds rigid bodies that are made of particles: groups that a rigid shape match holds, and groups that rods without
   compliance make rigid.

   For rods it is enough that there is an order of the particles in which the first three are a triangle and every
   other one has rods to three before it: three distances to a rigid group fix a particle. (A framework can be rigid
   without that; it is not found then.) All particles that are connected by such rods must be one body: a part that
   hangs on a rope or a hinge does not move as a rigid body. */
#include "contact/particle_bodies.h"

#include "contact/particle_work.h"

#include <string.h>

typedef struct finding {
    sn_world *world;
    sn_rigid *rigid;
    const sn_pool *rods;
    uint32_t particles; /* numbers */
    uint32_t *start;    /* by number, and one more: its first entry in `neighbour` */
    uint32_t *neighbour;
    uint32_t *seen;  /* by number: 0: not yet; 1: in a component; 2: in the rigid part of it */
    uint32_t *joins; /* by number: its rods to the rigid part so far */
    uint32_t *queue;
} finding;

static bool is_stiff(const sn_pool *pool, uint32_t row)
{
    return sn_ids_is_live(&pool->ids, row) && pool->give[row].compliance == 0 && pool->give[row].stiffness == 1;
}

static bool is_rod(const finding *f, uint32_t row)
{
    const uint32_t *point = f->rods->point + 2 * (size_t)row;
    return is_stiff(f->rods, row) && !(point[0] & SN_ANCHOR_BIT) && !(point[1] & SN_ANCHOR_BIT);
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static void add_group(finding *f, const uint32_t *particle, uint32_t count)
{
    sn_rigid *r = f->rigid;
    uint32_t *group = r->group_table.column[0], *member = r->member_table.column[0];
    sn_rigid_motion *motion = r->motion_table.column[0], *own = &motion[r->groups++];
    *own = (sn_rigid_motion){.first = r->member_table.count, .count = count, .alone = true};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t *known = &group[particle[i]];
        if (*known) /* a particle of several groups joins them, and together they are not rigid */
            own->shared = motion[*known - 1].shared = true;
        *known = r->groups;
        member[r->member_table.count++] = particle[i];
    }
}

static void add_shapes(finding *f)
{
    const sn_pool *pool = f->world->constraints.pool[SN_KIND_SHAPE_MATCH];
    for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
        uint32_t small[4 * SN_MAX_POINTS], count;
        if (!is_stiff(pool, row))
            continue;
        const uint32_t *particle = sn_store_particles(&f->world->constraints, pool, row, small, &count);
        add_group(f, particle, count);
    }
}

/* ---- Rods -------------------------------------------------------------------------------------------------------- */

/* Lists the neighbours of each particle. False: there is no stiff rod. */
static bool list_neighbours(finding *f)
{
    uint32_t first = 0;
    while (first < f->rods->ids.table.count && !is_rod(f, first))
        ++first;
    if (first == f->rods->ids.table.count)
        return false;
    memset(f->start, 0, (f->particles + 2) * sizeof *f->start);
    for (uint32_t row = first; row < f->rods->ids.table.count; ++row) {
        const uint32_t *point = f->rods->point + 2 * (size_t)row;
        if (is_rod(f, row))
            f->start[point[0] + 2]++, f->start[point[1] + 2]++;
    }
    for (uint32_t i = 0; i < f->particles; ++i)
        f->start[i + 2] += f->start[i + 1];
    for (uint32_t row = first; row < f->rods->ids.table.count; ++row) {
        const uint32_t *point = f->rods->point + 2 * (size_t)row;
        for (uint32_t k = 0; is_rod(f, row) && k < 2; ++k)
            f->neighbour[f->start[point[k] + 1]++] = point[1 - k];
    }
    return true;
}

static bool are_joined(const finding *f, uint32_t a, uint32_t b)
{
    for (uint32_t i = f->start[a]; i < f->start[a + 1]; ++i)
        if (f->neighbour[i] == b)
            return true;
    return false;
}

/* Puts all particles that are connected to a particle in the queue. Returns their number. */
static uint32_t take_component(const finding *f, uint32_t from)
{
    uint32_t count = 1;
    f->queue[0] = from;
    f->seen[from] = 1;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = f->start[f->queue[i]]; k < f->start[f->queue[i] + 1]; ++k)
            if (!f->seen[f->neighbour[k]]) {
                f->seen[f->neighbour[k]] = 1;
                f->queue[count++] = f->neighbour[k];
            }
    return count;
}

/* Adds a particle to the rigid part. */
static void join(const finding *f, uint32_t particle, uint32_t *count)
{
    f->seen[particle] = 2;
    f->queue[(*count)++] = particle;
}

/* A triangle with this corner becomes the rigid part. It overwrites the queue of the component. */
static uint32_t take_triangle(const finding *f, uint32_t corner)
{
    uint32_t count = 0;
    for (uint32_t i = f->start[corner]; i < f->start[corner + 1]; ++i)
        for (uint32_t k = i + 1; k < f->start[corner + 1]; ++k) {
            const uint32_t a = f->neighbour[i], b = f->neighbour[k];
            if (a == b || !are_joined(f, a, b))
                continue;
            join(f, corner, &count);
            join(f, a, &count);
            join(f, b, &count);
            return count;
        }
    return 0;
}

/* Puts particles that are rigid together with a triangle at the first one in the queue. Returns their number. */
static uint32_t spread(const finding *f, uint32_t first)
{
    uint32_t count = take_triangle(f, first);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = f->start[f->queue[i]]; k < f->start[f->queue[i] + 1]; ++k) {
            const uint32_t next = f->neighbour[k];
            if (f->seen[next] == 1 && ++f->joins[next] == 3)
                join(f, next, &count);
        }
    return count;
}

static void add_frameworks(finding *f)
{
    if (!list_neighbours(f))
        return;
    memset(f->seen, 0, f->particles * sizeof *f->seen);
    memset(f->joins, 0, f->particles * sizeof *f->joins);
    for (uint32_t i = 0; i < f->particles; ++i) {
        if (f->seen[i] || f->start[i] == f->start[i + 1])
            continue;
        const uint32_t all = take_component(f, i);
        if (all > 3 && spread(f, i) == all)
            add_group(f, f->queue, all);
    }
}

/* Finds bodies that other constraints act on. Constraints between their own particles do not count. */
static void note_alone(finding *f)
{
    const sn_store *store = &f->world->constraints;
    const uint32_t *group = f->rigid->group_table.column[0];
    sn_rigid_motion *motion = f->rigid->motion_table.column[0];
    for (uint32_t kind = 1; f->rigid->groups && kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
            uint32_t small[4 * SN_MAX_POINTS], count = 0;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            const uint32_t *particle = sn_store_particles(store, pool, row, small, &count);
            bool own = pool->kind->internal && !pool->kind->oriented;
            for (uint32_t i = 0; i < count; ++i)
                own = own && group[particle[i]] == group[particle[0]];
            for (uint32_t i = 0; i < count && !own; ++i)
                if (group[particle[i]])
                    motion[group[particle[i]] - 1].alone = false;
        }
    }
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

/* Makes room for the largest possible number of groups and members. A group of rods has at least four particles. */
static bool reserve(finding *f)
{
    sn_world *world = f->world;
    sn_rigid *r = f->rigid;
    const sn_pool *shapes = world->constraints.pool[SN_KIND_SHAPE_MATCH];
    uint64_t members = f->particles;
    for (uint32_t row = 0; row < shapes->ids.table.count; ++row) {
        uint32_t small[4 * SN_MAX_POINTS], count;
        if (is_stiff(shapes, row)) {
            sn_store_particles(&world->constraints, shapes, row, small, &count);
            members += count;
        }
    }
    r->group_table.count = r->member_table.count = r->motion_table.count = 0;
    if (!sn_table_reserve(&r->group_table, &world->allocator, (uint64_t)f->particles + 2) ||
        !sn_table_reserve(&r->member_table, &world->allocator, members) ||
        !sn_table_reserve(&r->neighbour_table, &world->allocator, 2 * (uint64_t)f->rods->ids.live) ||
        !sn_table_reserve(&r->motion_table, &world->allocator, (uint64_t)shapes->ids.live + f->particles / 4))
        return false;
    f->start = r->group_table.column[1];
    f->seen = r->group_table.column[2];
    f->joins = r->group_table.column[3];
    f->queue = r->group_table.column[4];
    f->neighbour = r->neighbour_table.column[0];
    return true;
}

bool sn_rigid_find(sn_world *world)
{
    sn_rigid *r = &world->contacts.rigid;
    finding f = {.world = world,
                 .rigid = r,
                 .rods = world->constraints.pool[SN_KIND_DISTANCE],
                 .particles = world->ids.table.count};
    if (r->known && r->changes == world->constraints.changes && r->group_table.count == f.particles)
        return true;
    r->known = false;
    r->groups = 0;
    if (!reserve(&f))
        return false;
    memset(r->group_table.column[0], 0, f.particles * sizeof(uint32_t));
    add_shapes(&f);
    if (f.rods->ids.live)
        add_frameworks(&f);
    note_alone(&f);
    r->group_table.count = f.particles;
    r->changes = world->constraints.changes;
    r->known = true;
    return true;
}
