/* What the Python package needs in C besides the engine: see keep.c. */
#ifndef SINEW_PYTHON_KEEP_H
#define SINEW_PYTHON_KEEP_H

#include <sinew/sinew.h>

/* Memory of a world that arrays of NumPy may show. It ends when nothing holds and nothing pins it. */
typedef struct sn_python_keep sn_python_keep;

/* Held once, by the world to come; NULL without memory. */
SN_API sn_python_keep *sn_python_keep_create(void);
SN_API sn_allocator sn_python_keep_allocator(sn_python_keep *keep);

/* A world or a snapshot has memory of it, and no longer. */
SN_API void sn_python_keep_hold(sn_python_keep *keep);
SN_API void sn_python_keep_drop(sn_python_keep *keep);

/* An array shows memory of it, and is gone. */
SN_API void sn_python_keep_pin(sn_python_keep *keep);
SN_API void sn_python_keep_unpin(sn_python_keep *keep);

/* Bytes that the world gave back and that are kept because arrays may show them. */
SN_API size_t sn_python_keep_size(sn_python_keep *keep);

/* Teleports particles by their numbers, or sets their velocities: sn_particle_set_position for each of them. */
SN_API sn_result sn_python_write_positions(sn_world *world, uint32_t count, const uint32_t *numbers,
                                           const sn_real *xyz);
SN_API sn_result sn_python_write_velocities(sn_world *world, uint32_t count, const uint32_t *numbers,
                                            const sn_real *xyz);

/* A force field that writes its force: ctypes has no functions that return structs. */
typedef void sn_python_field_fn(void *context, const sn_field_in *in, sn_vec3 *force);

typedef struct sn_python_field {
    sn_python_field_fn *function;
    void *context;
} sn_python_field;

/* Adds it. *field must live as long as the world and its snapshots. */
SN_API sn_result sn_python_field_add(sn_world *world, sn_python_field *field, uint32_t *number);

#endif
