/* Random worlds: programs of calls made at random, played in worlds that must agree, shrunk when they do not.

   list.c     the list of calls (src/world/calls.def) as tables
   code.c     the functions and kinds that calls take
   program.c  a call with its arguments as plain cells, and back
   make.c     cells at random, good or bad
   play.c     plays a program in one world and checks what must always hold
   twins.c    plays it in two worlds that must agree
   shrink.c   makes a failing program short
   write.c    a program as C source */
#ifndef SINEW_TESTS_RANDOM_NET_H
#define SINEW_TESTS_RANDOM_NET_H

#include "support/fixed.h"
#include "support/support.h"

/* ---- The list of calls -------------------------------------------------------------------------------------------- */

enum {
    SN_BAD_NULL = 1 << 0,      /* a null handle or pointer */
    SN_BAD_STALE = 1 << 1,     /* a handle of something that is gone or never was */
    SN_BAD_NAN = 1 << 2,       /* a NaN in it */
    SN_BAD_INFINITE = 1 << 3,  /* an infinity in it */
    SN_BAD_NEGATIVE = 1 << 4,  /* a negative number */
    SN_BAD_ZERO = 1 << 5,      /* 0 */
    SN_BAD_ABOVE_ONE = 1 << 6, /* more than 1 */
    SN_BAD_TINY = 1 << 7,      /* below 1e-30 */
    SN_BAD_HUGE = 1 << 8,      /* 1e31 */
    SN_BAD_DEPTH = 1 << 9,     /* in a 2D world: z */
    SN_BAD_TILT = 1 << 10,     /* in a 2D world: a turn about x or y */
    SN_BAD_RANGE = 1 << 11,    /* a value that nothing has */
    SN_BAD_END = 1 << 12
};

typedef enum net_class {
    CLASS_WORLD,
    CLASS_HANDLE,
    CLASS_REALS,
    CLASS_DOUBLE,
    CLASS_NUMBER,
    CLASS_SIZE,
    CLASS_USER,
    CLASS_TRUTH,
    CLASS_CHOICE,
    CLASS_POINT,
    CLASS_STRUCT,
    CLASS_RECORD,
    CLASS_LIST,
    CLASS_OUT,
    CLASS_CODE,
    CLASS_TEXT
} net_class;

typedef enum net_type {
    TYPE_NONE,
    TYPE_RESULT,
#define SN_TYPE(type, c_type, class, of, bad) TYPE_##type,
#include "world/calls.def"
    TYPES
} net_type;

typedef enum net_struct {
#define SN_STRUCT(name, c_type) STRUCT_##name,
#include "world/calls.def"
    STRUCTS
} net_struct;

typedef enum net_call {
#define SN_CALL(returns, name, arguments) CALL_##name,
#include "world/calls.def"
    CALL_COUNT
} net_call;

/* What a program does besides calls of the list. */
enum {
    OP_QUERY = CALL_COUNT, /* asks the world something */
    OP_EVENTS,             /* steps, and removes what an event names */
    OP_COPY,               /* reads a body or a constraint, and adds another like it */
    OP_GRID,               /* adds a cloth, so that there is enough to share between threads */
    OP_COUNT
};

typedef struct net_type_info {
    const char *name, *c_name;
    net_class class;
    uint32_t of; /* a net_type or net_struct */
    size_t size, align;
    uint32_t bad;
} net_type_info;

typedef struct net_field {
    const char *name;
    net_struct in;
    net_type type;
    size_t offset;
    bool (*counts)(const void *d); /* whether bad input counts there */
} net_field;

typedef struct net_struct_info {
    const char *c_name;
    size_t size;
    const net_field *field;
    uint32_t fields;
} net_struct_info;

#define NET_ARGUMENTS 9

typedef struct net_argument {
    const char *name;
    net_type type;
    size_t offset; /* in the struct that invoke takes */
} net_argument;

typedef struct net_call_info {
    const char *name;
    net_type returns;
    size_t size; /* of the arguments */
    void (*invoke)(const void *arguments, void *returned);
    uint32_t arguments;
    net_argument argument[NET_ARGUMENTS];
} net_call_info;

const net_type_info *net_type_of(net_type type);
const net_struct_info *net_struct_of(net_struct number);
const net_call_info *net_call_of(net_call call);

/* "" or what is wrong with the list: a struct with a field that is not in it. */
const char *net_list_check(void);

/* ---- Code that calls take ------------------------------------------------------------------------------------------ */

/* Item 0 is NULL; the last is bad. */
#define NET_FIELDS     6
#define NET_DISTANCES  3
#define NET_CANCELS    3
#define NET_FILTERS    3
#define NET_PRE_SOLVES 4
#define NET_TEARS      3
#define NET_TRACES     2
#define NET_KINDS      8
extern sn_field_fn *const net_field_function[NET_FIELDS];
extern const char *const net_field_name[NET_FIELDS];
extern sn_distance_fn *const net_distance_function[NET_DISTANCES];
extern const char *const net_distance_name[NET_DISTANCES];
extern sn_trace_fn *const net_trace_function[NET_TRACES];
extern const char *const net_trace_name[NET_TRACES];
extern sn_cancel_fn *const net_cancel_function[NET_CANCELS];
extern const char *const net_cancel_name[NET_CANCELS];
extern sn_contact_filter_fn *const net_filter_function[NET_FILTERS];
extern const char *const net_filter_name[NET_FILTERS];
extern sn_tear_fn *const net_tear_function[NET_TEARS];
extern const char *const net_tear_name[NET_TEARS];
extern sn_pre_solve_fn *const net_pre_solve_function[NET_PRE_SOLVES];
extern const char *const net_pre_solve_name[NET_PRE_SOLVES];
extern const sn_kind *const net_kind[NET_KINDS];
extern const char *const net_kind_name[NET_KINDS];
const char *net_code(void); /* all of it, as C */

/* ---- Programs ------------------------------------------------------------------------------------------------------- */

typedef enum net_cell_type { CELL_REAL, CELL_NUMBER, CELL_HANDLE, CELL_LIST } net_cell_type;

/* How a handle is spoilt. */
typedef enum net_flaw { FLAW_NONE, FLAW_NULL, FLAW_GENERATION, FLAW_WILD } net_flaw;

typedef struct net_cell {
    uint8_t type;
    uint8_t flaw;  /* of a handle; of a list: 1 is NULL */
    uint32_t item; /* of a handle: which of a run */
    union {
        double real;
        uint64_t number; /* of a handle: the serial number of the op that made it; of a list: how many */
    } as;
} net_cell;

typedef struct net_op {
    uint32_t call;   /* a net_call or one of OP_... */
    uint32_t serial; /* never changes, also when ops before it are dropped; from 1 on */
    net_cell *cell;
    uint32_t cells;
    uint32_t bad;    /* the bit of SN_BAD_... that one of its arguments deliberately has; 0 */
    uint32_t bad_at; /* the number of that argument */
} net_op;

#define NET_OPS 256

typedef struct net_program {
    uint64_t seed;
    uint32_t dimensions;
    uint32_t ops;
    net_op op[NET_OPS];
} net_program;

void net_program_copy(net_program *to, const net_program *from);
void net_program_clear(net_program *program);
void net_op_push(net_op *op, net_cell cell);

/* Ops to a file and back. A program that is made is written there op by op, each before it is played. */
extern FILE *net_record;
void net_op_write(FILE *file, const net_program *program, const net_op *op);
void net_program_read(net_program *program, FILE *file);

/* What an op made in a world. */
typedef struct net_made {
    net_type type; /* TYPE_NONE: nothing */
    union {
        sn_particle particle;
        sn_particles run;
        sn_body body;
        sn_constraint constraint;
        sn_constraints constraints;
        sn_skin skin;
        uint32_t number;
        sn_snapshot *snapshot;
        sn_rewind *rewind;
        sn_accumulator *accumulator;
    } as;
} net_made;

typedef struct net_failure {
    uint32_t check;  /* one bit of CHECK_...; 0: none */
    uint32_t serial; /* of the op */
    char text[400];
} net_failure;

typedef enum net_float_mode { MODE_NEAREST, MODE_UP, MODE_DOWN, MODE_ZERO, MODE_FLUSH, MODE_COUNT } net_float_mode;

/* The float mode of the host. */
void net_set_mode(net_float_mode mode);

/* A world that plays a program. */
typedef struct net_stage {
    sn_world *world;
    net_float_mode mode;        /* in which calls are made */
    net_made made[NET_OPS + 1]; /* by serial number */
    uint64_t intrusions;        /* calls from inside of callbacks, which must all have been refused, */
    uint64_t admitted;          /*   and how many were not */
    uint64_t errors;            /* logged by the last call of the list */
    net_failure answer;         /* what is wrong with the answer to the last query */
    /* arguments of the call at hand */
    size_t used;
    _Alignas(16) unsigned char room[1 << 17];
} net_stage;

/* Whether something that was made is still alive. */
bool net_is_alive(const net_stage *stage, const net_made *made, uint32_t item);

/* Makes a call of the list. Returns SN_OK, what the call returned, or, for one that returns a handle, SN_ERROR_ARGUMENT for none.
   What it made is kept in the stage. */
sn_result net_invoke(net_stage *stage, const net_op *op);

/* Reads the cells of one value of a type into memory; returns the next cell. */
const net_cell *net_read(net_stage *stage, net_type type, const net_cell *cell, void *to);

sn_particle net_particle(const net_stage *stage, const net_cell *cell);
sn_body net_body(const net_stage *stage, const net_cell *cell);
sn_constraint net_constraint(const net_stage *stage, const net_cell *cell);

/* ---- Making --------------------------------------------------------------------------------------------------------- */

#define NET_LEAVES 512

typedef struct net_maker {
    uint64_t random;
    net_stage *stage; /* in which what is made is played, so that handles are known */
    uint32_t serial;  /* handles come from ops below this */
    bool wild;        /* extreme numbers */
    bool featured;    /* kinds take turns, and have features */
    uint32_t turn;
    uint32_t enabled[(OP_COUNT + 31) / 32];

    /* the argument that is to be bad, by the order in which arguments are made; UINT32_MAX: none */
    uint32_t bad_argument;
    uint32_t bad;                      /* bit of SN_BAD_... */
    uint32_t leaf;                     /* arguments made so far */
    bool spoilt;                       /* it was made bad */
    uint32_t all_bad[NET_LEAVES];      /* what could have been bad of each argument, */
    const char *leaf_name[NET_LEAVES]; /*   and what it is called */

    /* what earlier arguments of the call say about later ones */
    uint32_t kind, count, length, shape, corners, each;
    sn_constraint constraint;
    sn_particles run;
    int param; /* of that kind; -1: none */
    net_op *op;
} net_maker;

/* Fills an op with arguments for this call. */
void net_make_arguments(net_maker *maker, net_op *op);

/* Makes and plays a program of so many ops. */
void net_make_program(net_program *program, uint64_t seed, uint32_t ops, bool large);

/* ---- Playing -------------------------------------------------------------------------------------------------------- */

/* How a world is played. */
typedef struct net_variant {
    const char *name;
    uint32_t threads; /* 0: one */
    bool eager;       /* loops are shared between threads however small they are */
    sn_simd simd;
    uint8_t fill;        /* what new memory holds; 0: the usual */
    net_float_mode mode; /* of the host */
    bool reload;         /* goes on in a fresh world, at times */
    bool again;          /* goes back and repeats, at times */
    bool scarce;         /* every request for memory of every call fails first */
    bool asked;          /* is asked much between calls */
    bool hooked;         /* the task hook, the last task first */
} net_variant;

/* What must hold. Bits of net_play's `checks`. */
enum {
    CHECK_REFUSED = 1 << 0, /* a refused call says why and leaves the hash */
    CHECK_FAILED = 1 << 1,  /* a failed step leaves the hash */
    CHECK_FINITE = 1 << 2,  /* what was accepted leaves finite numbers */
    CHECK_QUERY = 1 << 3,   /* answers are finite, and asking leaves the hash */
    CHECK_COUNTS = 1 << 4,  /* views, counts and handles agree */
    CHECK_BAD = 1 << 5,     /* what is bad by the list is refused */
    CHECK_MEMORY = 1 << 6,  /* nothing leaks or is written beyond its end */
    CHECK_TWINS = 1 << 7,   /* twins agree */
    CHECK_ALL = (1 << 8) - 1,
    CHECK_COVER = 1 << 8 /* no check: counts what is gone through */
};

typedef struct net_moment {
    sn_result result;
    uint64_t hash;
    uint64_t events;
} net_moment;

/* Plays a program. moment has room for the ops; may be NULL. Returns false at the first failure. */
bool net_play(const net_program *program, const net_variant *variant, uint32_t checks, net_moment *moment,
              net_failure *failure);

/* Plays a single op and checks it. For net_make_program. */
sn_result net_play_op(net_stage *stage, const net_op *op);

sn_world *net_create(net_stage *stage, uint32_t dimensions, const net_variant *variant, support_memory *memory,
                     support_tasks *tasks);
void net_destroy(net_stage *stage);
void net_note_error(void *context, sn_log_level level, const char *text); /* a log that counts */

/* Counts the constraints of a world that was stepped, by kind and feature; and prints how many there were. */
void net_cover(sn_world *world);
void net_print_cover(void);

/* ---- Twins, shrinking, writing --------------------------------------------------------------------------------------- */

#define NET_VARIANTS 18
extern const net_variant net_variant_list[NET_VARIANTS]; /* the first is the plain one */

/* Plays a program as it is and in a variant, and compares. */
bool net_compare(const net_program *program, uint32_t variant, uint32_t checks, net_failure *failure);

/* Drops and simplifies what the failure does not need. fails says whether a program still fails. */
typedef bool net_fails(const net_program *program, void *context);
void net_shrink(net_program *program, net_fails *fails, void *context);

/* Writes the program as C. variant: the twin, 0 if there is none. */
void net_write(FILE *file, const net_program *program, uint32_t variant, const net_failure *failure);

#endif
