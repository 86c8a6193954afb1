/* Force fields: functions of the caller that act on every particle. */
#include "world/world.h"

#include <string.h>

sn_result sn_field_add(sn_world *world, sn_field_fn *function, void *context, bool parallel, uint32_t *field)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!function)
        return world_fail(world, SN_ERROR_ARGUMENT, "the function of the force field is NULL");
    sn_table *table = &world->field_table;
    if (!sn_table_reserve(table, &world->allocator, (uint64_t)table->count + 1))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a force field");
    sn_field *fields = table->column[0];
    fields[table->count++] = (sn_field){function, context, world->state.next_field, parallel};
    if (field)
        *field = world->state.next_field;
    world->state.next_field++;
    sn_world_forget_history(world);
    sn_sleep_wake_all(world);
    return SN_OK;
}

sn_result sn_field_remove(sn_world *world, uint32_t field)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    sn_table *table = &world->field_table;
    sn_field *fields = table->column[0];
    for (uint32_t i = 0; i < table->count; ++i) {
        if (fields[i].number != field)
            continue;
        memmove(fields + i, fields + i + 1, (table->count - i - 1) * sizeof *fields);
        table->count--;
        sn_world_forget_history(world);
        sn_sleep_wake_all(world);
        return SN_OK;
    }
    return world_fail(world, SN_ERROR_STALE, "there is no force field number %u", field);
}
