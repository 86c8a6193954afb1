/* The list of calls as tables. */
#include "random/net.h"

/* The C types by name, so that arrays can be fields. */
#define SN_TYPE(type, c_type, class, of, bad) typedef __typeof__(c_type) c_##type;
#include "world/calls.def"

typedef sn_result returns_RESULT;
typedef sn_particle returns_PARTICLE;
typedef sn_particles returns_RUN;
typedef sn_body returns_BODY;
typedef sn_constraint returns_CONSTRAINT;
typedef sn_constraints returns_CONSTRAINTS;
typedef sn_body returns_FIXED;
typedef sn_snapshot *returns_SNAPSHOT;
typedef sn_rewind *returns_REWIND;
typedef sn_accumulator *returns_ACCUMULATOR;
typedef uint32_t returns_NEW_KIND;

/* ---- The list is what the headers say: another type of an argument does not compile ------------------------------- */

#define SN_FIRST(type, name)              c_##type
#define SN_NEXT(type, name)               , c_##type
#define SN_CALL(returns, name, arguments) static returns_##returns (*const as_declared_##name)(arguments) = name;
#include "world/calls.def"
#undef SN_FIRST
#undef SN_NEXT

/* ---- Calls ---------------------------------------------------------------------------------------------------------- */

#define SN_FIRST(type, name) c_##type name;
#define SN_NEXT(type, name)  c_##type name;
#define SN_CALL(returns, name, arguments)                                                                              \
    typedef struct arguments_##name {                                                                                  \
        arguments                                                                                                      \
    } arguments_##name;
#include "world/calls.def"
#undef SN_FIRST
#undef SN_NEXT

#define SN_FIRST(type, name) a->name
#define SN_NEXT(type, name)  , a->name
#define SN_CALL(returns, name, arguments)                                                                              \
    static void invoke_##name(const void *from, void *returned)                                                        \
    {                                                                                                                  \
        const arguments_##name *a = from;                                                                              \
        *(returns_##returns *)returned = as_declared_##name(arguments);                                                \
    }
#include "world/calls.def"
#undef SN_FIRST
#undef SN_NEXT

#define TYPE_OF_RETURN(returns) TYPE_##returns
#define SN_FIRST(type, name)                                                                                           \
    {                                                                                                                  \
#name, TYPE_##type, 0                                                                                          \
    }
#define SN_NEXT(type, name)                                                                                            \
    ,                                                                                                                  \
    {                                                                                                                  \
#name, TYPE_##type, 0                                                                                          \
    }
#define SN_CALL(returns, name, arguments)                                                                              \
    {#name, TYPE_OF_RETURN(returns), sizeof(arguments_##name), invoke_##name, 0, {arguments}},
static net_call_info call_table[CALL_COUNT] = {
#include "world/calls.def"
};
#undef SN_FIRST
#undef SN_NEXT

/* ---- Types ---------------------------------------------------------------------------------------------------------- */

#define OF_WORLD(of)  0
#define OF_HANDLE(of) 0
#define OF_REALS(of)  0
#define OF_DOUBLE(of) 0
#define OF_NUMBER(of) 0
#define OF_SIZE(of)   0
#define OF_USER(of)   0
#define OF_TRUTH(of)  0
#define OF_CHOICE(of) 0
#define OF_POINT(of)  0
#define OF_CODE(of)   0
#define OF_TEXT(of)   0
#define OF_STRUCT(of) (uint32_t) STRUCT_##of
#define OF_RECORD(of) (uint32_t) STRUCT_##of
#define OF_LIST(of)   (uint32_t) TYPE_##of
#define OF_OUT(of)    (uint32_t) TYPE_##of

static const net_type_info type_table[TYPES] = {
    [TYPE_NONE] = {.name = "NONE"},
    [TYPE_RESULT] = {.name = "RESULT"},
#define SN_TYPE(type, c_type, class, of, bad)                                                                          \
    [TYPE_##type] = {#type, #c_type, CLASS_##class, OF_##class(of), sizeof(c_##type), _Alignof(c_##type), bad},
#include "world/calls.def"
};

/* ---- Structs -------------------------------------------------------------------------------------------------------- */

#define SN_STRUCT(name, c_type) typedef c_type struct_##name;
#include "world/calls.def"

#define SN_FIELD(struct_name, type, name, when)                                                                        \
    static bool counts_##struct_name##_##name(const void *from)                                                        \
    {                                                                                                                  \
        const struct_##struct_name *d = from;                                                                          \
        return (void)d, (when);                                                                                        \
    }
#include "world/calls.def"

static const net_field field_table[] = {
#define SN_FIELD(struct_name, type, name, when)                                                                        \
    {#name, STRUCT_##struct_name, TYPE_##type, offsetof(struct_##struct_name, name), counts_##struct_name##_##name},
#include "world/calls.def"
};

static net_struct_info struct_table[STRUCTS] = {
#define SN_STRUCT(name, c_type) [STRUCT_##name] = {#c_type, sizeof(c_type), NULL, 0},
#include "world/calls.def"
};

/* ---- Reading them ------------------------------------------------------------------------------------------------------ */

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/* Offsets of arguments, and which fields belong to a struct. */
static void complete(void)
{
    static bool done = false;
    if (done)
        return;
    for (uint32_t i = 0; i < COUNT_OF(field_table); ++i) {
        net_struct_info *s = &struct_table[field_table[i].in];
        if (!s->fields)
            s->field = &field_table[i];
        s->fields++;
    }
    for (uint32_t i = 0; i < CALL_COUNT; ++i) {
        net_call_info *call = &call_table[i];
        size_t offset = 0;
        for (; call->arguments < NET_ARGUMENTS && call->argument[call->arguments].name; ++call->arguments) {
            net_argument *a = &call->argument[call->arguments];
            a->offset = round_up(offset, type_table[a->type].align);
            offset = a->offset + type_table[a->type].size;
        }
    }
    done = true;
}

const net_type_info *net_type_of(net_type type)
{
    return &type_table[type];
}

const net_struct_info *net_struct_of(net_struct number)
{
    complete();
    return &struct_table[number];
}

const net_call_info *net_call_of(net_call call)
{
    complete();
    return &call_table[call];
}

const char *net_list_check(void)
{
    static char text[200];
    complete();
    text[0] = 0;
    for (uint32_t i = 0; i < STRUCTS; ++i) {
        const net_struct_info *s = &struct_table[i];
        size_t end = 0, align = 1;
        if (i == STRUCT_CHARACTER || i == STRUCT_QUERY_FILTER || i == STRUCT_BODY_SHAPE || i == STRUCT_FIXED_DEF ||
            i == STRUCT_GROUP_FIELD)
            continue; /* have more: what a move finds, a body that follows, a function, what other types of shapes have */
        for (uint32_t k = 0; k < s->fields; ++k) {
            const net_type_info *type = &type_table[s->field[k].type];
            if (s->field[k].offset != round_up(end, type->align))
                snprintf(text, sizeof text, "%s has a field before '%s' that is not in the list", s->c_name,
                         s->field[k].name);
            end = s->field[k].offset + type->size;
            align = type->align > align ? type->align : align;
        }
        if (!text[0] && round_up(end, align) != s->size)
            snprintf(text, sizeof text, "%s has a last field that is not in the list", s->c_name);
    }
    for (uint32_t i = 0; i < CALL_COUNT; ++i) {
        const net_call_info *call = &call_table[i];
        const net_argument *last = &call->argument[call->arguments - 1];
        size_t align = 1;
        for (uint32_t k = 0; k < call->arguments; ++k)
            align = type_table[call->argument[k].type].align > align ? type_table[call->argument[k].type].align : align;
        if (round_up(last->offset + type_table[last->type].size, align) != call->size)
            snprintf(text, sizeof text, "%s: its arguments are not laid out as expected", call->name);
    }
    return text;
}
