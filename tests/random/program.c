/* Programs: calls with their arguments as plain cells, and how cells become arguments. */
#include "random/net.h"

void net_op_push(net_op *op, net_cell cell)
{
    if ((op->cells & (op->cells - 1)) == 0) { /* full at powers of two */
        net_cell *larger = realloc(op->cell, (op->cells ? 2 * (size_t)op->cells : 1) * sizeof *larger);
        assert_non_null(larger);
        op->cell = larger;
    }
    op->cell[op->cells++] = cell;
}

void net_program_clear(net_program *program)
{
    for (uint32_t i = 0; i < program->ops; ++i)
        free(program->op[i].cell);
    program->ops = 0;
}

void net_program_copy(net_program *to, const net_program *from)
{
    *to = *from;
    for (uint32_t i = 0; i < to->ops; ++i) {
        const net_op *op = &from->op[i];
        to->op[i].cell = NULL;
        to->op[i].cells = 0;
        for (uint32_t k = 0; k < op->cells; ++k)
            net_op_push(&to->op[i], op->cell[k]);
    }
}

FILE *net_record;

void net_op_write(FILE *file, const net_program *program, const net_op *op)
{
    fwrite(&program->dimensions, sizeof program->dimensions, 1, file);
    fwrite(op, sizeof *op, 1, file);
    fwrite(op->cell, sizeof *op->cell, op->cells, file);
    fflush(file);
}

void net_program_read(net_program *program, FILE *file)
{
    net_op op;
    while (fread(&program->dimensions, sizeof program->dimensions, 1, file) == 1 &&
           fread(&op, sizeof op, 1, file) == 1) {
        net_op *to = &program->op[program->ops++];
        *to = op;
        to->cell = NULL;
        to->cells = 0;
        for (uint32_t i = 0; i < op.cells; ++i) {
            net_cell cell;
            if (fread(&cell, sizeof cell, 1, file) == 1)
                net_op_push(to, cell);
        }
    }
}

/* ---- Handles -------------------------------------------------------------------------------------------------------- */

#define WILD_NUMBER 2000000000u
#define OTHER_AGE   0x40000000u /* a generation that nothing reaches */

static const net_made *made_by(const net_stage *stage, const net_cell *cell)
{
    static const net_made nothing = {0};
    return cell->as.number <= NET_OPS ? &stage->made[cell->as.number] : &nothing;
}

sn_particle net_particle(const net_stage *stage, const net_cell *cell)
{
    const net_made *made = made_by(stage, cell);
    sn_particle p = {0, 0};
    if (cell->flaw == FLAW_NULL)
        return p;
    if (made->type == TYPE_PARTICLE)
        p = made->as.particle;
    else if (made->type == TYPE_RUN)
        p = sn_particles_at(made->as.run, cell->item);
    else if (made->type == TYPE_BODY)
        p = sn_body_particle(stage->world, made->as.body);
    p.generation += cell->flaw == FLAW_GENERATION ? OTHER_AGE : 0;
    if (cell->flaw == FLAW_WILD)
        p = (sn_particle){WILD_NUMBER, 1};
    return p;
}

sn_body net_body(const net_stage *stage, const net_cell *cell)
{
    const net_made *made = made_by(stage, cell);
    sn_body b = {0, 0};
    if ((made->type == TYPE_BODY || made->type == TYPE_FIXED) && cell->flaw != FLAW_NULL)
        b = made->as.body;
    b.generation += cell->flaw == FLAW_GENERATION ? OTHER_AGE : 0;
    if (cell->flaw == FLAW_WILD)
        b = (sn_body){WILD_NUMBER, 1};
    return b;
}

sn_constraint net_constraint(const net_stage *stage, const net_cell *cell)
{
    const net_made *made = made_by(stage, cell);
    sn_constraint c = {0, 0, 0};
    if (cell->flaw == FLAW_NULL)
        return c;
    if (made->type == TYPE_CONSTRAINT)
        c = made->as.constraint;
    else if (made->type == TYPE_CONSTRAINTS)
        c = sn_constraints_at(made->as.constraints, cell->item);
    c.generation += cell->flaw == FLAW_GENERATION ? OTHER_AGE : 0;
    if (cell->flaw == FLAW_WILD)
        c = (sn_constraint){WILD_NUMBER, 0, 1};
    return c;
}

static sn_particles run_of(const net_stage *stage, const net_cell *cell)
{
    const net_made *made = made_by(stage, cell);
    sn_particles run = {0, 0, 0};
    if (made->type == TYPE_RUN && cell->flaw != FLAW_NULL)
        run = made->as.run;
    run.generation += cell->flaw == FLAW_GENERATION ? OTHER_AGE : 0;
    if (cell->flaw == FLAW_WILD)
        run = (sn_particles){WILD_NUMBER, 1, 1};
    return run;
}

static sn_constraints constraints_of(const net_stage *stage, const net_cell *cell)
{
    const net_made *made = made_by(stage, cell);
    sn_constraints run = {0, 0, 0, 0};
    if (made->type == TYPE_CONSTRAINTS && cell->flaw != FLAW_NULL)
        run = made->as.constraints;
    run.generation += cell->flaw == FLAW_GENERATION ? OTHER_AGE : 0;
    if (cell->flaw == FLAW_WILD)
        run = (sn_constraints){SN_KIND_DISTANCE, WILD_NUMBER, 1, 1};
    return run;
}

static void read_handle(const net_stage *stage, net_type type, const net_cell *cell, void *to)
{
    const net_made *made = made_by(stage, cell);
    bool fits = cell->flaw != FLAW_NULL && (made->type == type || (type == TYPE_SAVED && made->type == TYPE_SNAPSHOT));
    if (type == TYPE_PARTICLE)
        *(sn_particle *)to = net_particle(stage, cell);
    else if (type == TYPE_PARTICLE_NUMBER)
        *(uint32_t *)to = net_particle(stage, cell).index;
    else if (type == TYPE_BODY || type == TYPE_BODY_OR_WORLD || type == TYPE_ANY_BODY)
        *(sn_body *)to = net_body(stage, cell);
    else if (type == TYPE_CONSTRAINT)
        *(sn_constraint *)to = net_constraint(stage, cell);
    else if (type == TYPE_RUN)
        *(sn_particles *)to = run_of(stage, cell);
    else if (type == TYPE_CONSTRAINTS)
        *(sn_constraints *)to = constraints_of(stage, cell);
    else if (type == TYPE_FIXED || type == TYPE_SKIN) { /* both are an index and a generation */
        sn_body c = {0, 0};
        if (fits)
            c = made->as.body;
        c.generation += cell->flaw == FLAW_GENERATION ? OTHER_AGE : 0;
        if (cell->flaw == FLAW_WILD)
            c = (sn_body){WILD_NUMBER, 1};
        memcpy(to, &c, sizeof c);
    } else if (type == TYPE_FIELD || type == TYPE_DRAG)
        *(uint32_t *)to = cell->flaw >= FLAW_GENERATION ? WILD_NUMBER + cell->flaw : fits ? made->as.number : 0;
    else if (type == TYPE_REWIND)
        *(sn_rewind **)to = fits ? made->as.rewind : NULL;
    else if (type == TYPE_ACCUMULATOR)
        *(sn_accumulator **)to = fits ? made->as.accumulator : NULL;
    else
        *(sn_snapshot **)to = fits ? made->as.snapshot : NULL;
}

bool net_is_alive(const net_stage *stage, const net_made *made, uint32_t item)
{
    const sn_world *w = stage->world;
    switch (made->type) {
    case TYPE_PARTICLE:
        return sn_particle_is_valid(w, made->as.particle);
    case TYPE_RUN:
        return sn_particle_is_valid(w, sn_particles_at(made->as.run, item));
    case TYPE_BODY:
        return sn_body_is_valid(w, made->as.body);
    case TYPE_CONSTRAINT:
        return sn_constraint_is_valid(w, made->as.constraint);
    case TYPE_CONSTRAINTS:
        return sn_constraint_is_valid(w, sn_constraints_at(made->as.constraints, item));
    case TYPE_FIXED:
        return sn_body_is_valid(w, made->as.body);
    case TYPE_SKIN:
        return sn_skin_is_valid(w, made->as.skin);
    default:
        return made->type != TYPE_NONE;
    }
}

/* ---- Values --------------------------------------------------------------------------------------------------------- */

static void *take_room(net_stage *stage, size_t size)
{
    size = (size + 15) / 16 * 16;
    if (stage->used + size > sizeof stage->room)
        fail_msg("the arguments of a call take more than %zu bytes", sizeof stage->room);
    void *room = stage->room + stage->used;
    stage->used += size;
    return room;
}

static const net_cell *read_reals(size_t count, const net_cell *cell, sn_real *to)
{
    for (size_t i = 0; i < count; ++i)
        to[i] = (sn_real)(cell++)->as.real;
    return cell;
}

static const net_cell *read_point(net_stage *stage, const net_cell *cell, sn_point *point)
{
    memset(point, 0, sizeof *point);
    for (int i = 0; i < 4; ++i)
        point->particle[i] = net_particle(stage, cell++);
    cell = read_reals(4, cell, point->weight);
    point->count = (uint32_t)(cell++)->as.number;
    point->type = (sn_point_type)(cell++)->as.number;
    point->body = net_body(stage, cell++);
    cell = read_reals(3, cell, &point->place.x);
    return read_reals(4, cell, &point->turn.x);
}

static const net_cell *read_fields(net_stage *stage, net_struct number, const net_cell *cell, void *to)
{
    const net_struct_info *s = net_struct_of(number);
    memset(to, 0, s->size);
    for (uint32_t i = 0; i < s->fields; ++i)
        cell = net_read(stage, s->field[i].type, cell, (char *)to + s->field[i].offset);
    return cell;
}

static const net_cell *read_list(net_stage *stage, net_type of, const net_cell *cell, void *to)
{
    const net_cell *head = cell++;
    size_t size = net_type_of(of)->size;
    unsigned char *items = take_room(stage, (size_t)head->as.number * size);
    for (uint64_t i = 0; i < head->as.number; ++i)
        cell = net_read(stage, of, cell, items + i * size);
    void *list = head->flaw ? NULL : items;
    memcpy(to, &list, sizeof list);
    return cell;
}

static void read_code(net_stage *stage, net_type type, const net_cell *cell, void *to)
{
    if (type == TYPE_FIELD_FUNCTION)
        *(sn_field_fn **)to = net_field_function[cell->as.number % NET_FIELDS];
    else if (type == TYPE_DISTANCE_FUNCTION)
        *(sn_distance_fn **)to = net_distance_function[cell->as.number % NET_DISTANCES];
    else if (type == TYPE_CANCEL_FUNCTION)
        *(sn_cancel_fn **)to = net_cancel_function[cell->as.number % NET_CANCELS];
    else if (type == TYPE_FILTER_FUNCTION)
        *(sn_contact_filter_fn **)to = net_filter_function[cell->as.number % NET_FILTERS];
    else if (type == TYPE_TEAR_FUNCTION)
        *(sn_tear_fn **)to = net_tear_function[cell->as.number % NET_TEARS];
    else if (type == TYPE_PRE_SOLVE_FUNCTION)
        *(sn_pre_solve_fn **)to = net_pre_solve_function[cell->as.number % NET_PRE_SOLVES];
    else if (type == TYPE_TRACE_FUNCTION)
        *(sn_trace_fn **)to = net_trace_function[cell->as.number % NET_TRACES];
    else if (type == TYPE_NEW_KIND)
        *(const sn_kind **)to = net_kind[cell->as.number % NET_KINDS];
    else
        *(void **)to = stage;
}

/* The name of a parameter: its kind and its place in the list. */
static const char *param_name(const net_stage *stage, const net_cell *cell)
{
    const sn_kind *kind = sn_kind_info(stage->world, cell->item);
    if (cell->flaw)
        return NULL;
    if (!kind || cell->as.number >= SN_MAX_PARAMS || !kind->param[cell->as.number].name)
        return "no_such_parameter";
    return kind->param[cell->as.number].name;
}

const net_cell *net_read(net_stage *stage, net_type type, const net_cell *cell, void *to)
{
    const net_type_info *info = net_type_of(type);
    switch (info->class) {
    case CLASS_WORLD:
        *(sn_world **)to = cell->as.number ? stage->world : NULL;
        return cell + 1;
    case CLASS_HANDLE:
        read_handle(stage, type, cell, to);
        return cell + 1;
    case CLASS_REALS:
        return read_reals(info->size / sizeof(sn_real), cell, to);
    case CLASS_DOUBLE:
        *(double *)to = cell->as.real;
        return cell + 1;
    case CLASS_NUMBER:
        for (size_t i = 0; i < info->size / sizeof(uint32_t); ++i)
            ((uint32_t *)to)[i] = (uint32_t)(cell++)->as.number;
        return cell;
    case CLASS_SIZE:
        *(size_t *)to = (size_t)cell->as.number;
        return cell + 1;
    case CLASS_USER:
        *(uint64_t *)to = cell->as.number;
        return cell + 1;
    case CLASS_TRUTH:
        *(bool *)to = cell->as.number != 0;
        return cell + 1;
    case CLASS_CHOICE: {
        unsigned value = (unsigned)cell->as.number; /* also one that the enum does not have */
        memcpy(to, &value, sizeof value);
        return cell + 1;
    }
    case CLASS_POINT:
        return read_point(stage, cell, to);
    case CLASS_STRUCT:
        return read_fields(stage, (net_struct)info->of, cell, to);
    case CLASS_RECORD: {
        void *record = take_room(stage, net_struct_of((net_struct)info->of)->size), *none = NULL;
        memcpy(to, cell->flaw ? &none : &record, sizeof none);
        return read_fields(stage, (net_struct)info->of, cell + 1, record);
    }
    case CLASS_LIST:
        return read_list(stage, (net_type)info->of, cell, to);
    case CLASS_OUT:
        *(void **)to = cell->as.number ? memset(take_room(stage, 512), 0, 512) : NULL;
        return cell + 1;
    case CLASS_CODE:
        read_code(stage, type, cell, to);
        return cell + 1;
    case CLASS_TEXT:
        *(const char **)to = param_name(stage, cell);
        return cell + 1;
    }
    return cell;
}

/* ---- Calls ---------------------------------------------------------------------------------------------------------- */

/* What a call returned, or wrote to where it was told to, becomes something that was made. */
static bool keep(net_made *made, net_type type, const void *value)
{
    *made = (net_made){.type = type};
    switch (type) {
    case TYPE_PARTICLE:
        memcpy(&made->as.particle, value, sizeof made->as.particle);
        return made->as.particle.generation != 0;
    case TYPE_RUN:
        memcpy(&made->as.run, value, sizeof made->as.run);
        return made->as.run.count != 0;
    case TYPE_BODY:
        memcpy(&made->as.body, value, sizeof made->as.body);
        return made->as.body.generation != 0;
    case TYPE_CONSTRAINT:
        memcpy(&made->as.constraint, value, sizeof made->as.constraint);
        return made->as.constraint.kind != 0;
    case TYPE_CONSTRAINTS:
        memcpy(&made->as.constraints, value, sizeof made->as.constraints);
        return made->as.constraints.count != 0;
    case TYPE_FIXED:
    case TYPE_SKIN:
        memcpy(&made->as.body, value, sizeof made->as.body);
        return made->as.body.generation != 0;
    case TYPE_SNAPSHOT:
        memcpy(&made->as.snapshot, value, sizeof made->as.snapshot);
        return made->as.snapshot != NULL;
    case TYPE_REWIND:
        memcpy(&made->as.rewind, value, sizeof made->as.rewind);
        return made->as.rewind != NULL;
    case TYPE_ACCUMULATOR:
        memcpy(&made->as.accumulator, value, sizeof made->as.accumulator);
        return made->as.accumulator != NULL;
    case TYPE_FIELD:
    case TYPE_DRAG:
    case TYPE_NEW_KIND:
        memcpy(&made->as.number, value, sizeof made->as.number);
        return made->as.number != 0;
    default:
        return false;
    }
}

/* An empty list of particles or constraints is a null run, which is no failure. */
static bool made_nothing(const net_call_info *call, const char *arguments)
{
    for (uint32_t i = 0; i < call->arguments; ++i)
        if (call->argument[i].type == TYPE_COUNT)
            return *(const uint32_t *)(const void *)(arguments + call->argument[i].offset) == 0;
    return false;
}

sn_result net_invoke(net_stage *stage, const net_op *op)
{
    const net_call_info *call = net_call_of((net_call)op->call);
    _Alignas(16) char arguments[2048];
    _Alignas(16) char returned[64] = {0};
    const net_cell *cell = op->cell;
    net_made made = {0};
    stage->used = 0;
    for (uint32_t i = 0; i < call->arguments; ++i)
        cell = net_read(stage, call->argument[i].type, cell, arguments + call->argument[i].offset);
    assert_int_equal(cell - op->cell, op->cells);
    stage->errors = stage->intrusions = 0; /* looking for handles that are stale logs some, too */
    net_set_mode(stage->mode);
    call->invoke(arguments, returned);
    net_set_mode(MODE_NEAREST);
    if (call->returns != TYPE_RESULT) {
        if (!keep(&made, call->returns, returned))
            return made_nothing(call, arguments) ? SN_OK : SN_ERROR_ARGUMENT;
        stage->made[op->serial] = made;
        return SN_OK;
    }
    sn_result result;
    memcpy(&result, returned, sizeof result);
    for (uint32_t i = 0; i < call->arguments && result == SN_OK; ++i) {
        const net_type_info *type = net_type_of(call->argument[i].type);
        void *out = NULL;
        if (type->class == CLASS_OUT && type->of != TYPE_NONE)
            memcpy(&out, arguments + call->argument[i].offset, sizeof out);
        if (out && keep(&made, (net_type)type->of, out))
            stage->made[op->serial] = made;
    }
    return result;
}
