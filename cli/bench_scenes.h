/* The standard scenes of the benchmark as plain arrays, so that every engine gets the same one. Knows neither Sinew nor
   the command: the comparison program in bench/ is built from it too. */
#ifndef SN_CLI_BENCH_SCENES_H
#define SN_CLI_BENCH_SCENES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_BENCH_SPACING 0.05       /* m between neighbours, in all scenes */
#define SN_BENCH_DT      (1.0 / 60) /* s: a frame */
#define SN_BENCH_GRAVITY 9.81       /* m/s^2, towards -y */
#define SN_BENCH_CLOTH   4096       /* the largest cloth that can be asked for, on a side */
#define SN_BENCH_PILE    10000000   /* and the largest pile, */
#define SN_BENCH_BODIES  100000     /* and most boxes or ragdolls, or constraints of a kind */

typedef struct sn_bench_edge {
    uint32_t a, b;
    uint32_t structural; /* 1: its stretch is reported; 0: a diagonal of a cloth */
    double rest;         /* m */
} sn_bench_edge;

/* A rigid body: a box, or, if half.x is 0, a capsule along its own y axis. */
typedef struct sn_bench_body {
    double pose[7]; /* m: where its centre is; and how it is turned: x, y, z, w */
    double half[3]; /* m */
    double radius;  /* m, of a capsule */
    double mass;    /* kg */
} sn_bench_body;

/* Holds a spot of a to one of b: a hinge, or, if it has a swing, one that leans and twists within limits. */
typedef struct sn_bench_joint {
    uint32_t a, b;
    double anchor[3], axis[3]; /* in the world, as bodies start */
    double spot[2][3];         /* m: the same in the frames of a and of b, */
    double frame[2][4];        /*   and rotations that turn x to the axis there */
    double least, most;        /* rad: of the angle of a hinge, of the twist otherwise */
    double swing;              /* rad; 0: a hinge */
} sn_bench_joint;

typedef struct sn_bench_model {
    uint32_t particles, edges, tets;
    double *xyz;  /* m, three for each particle */
    double *mass; /* kg; infinite: held */
    sn_bench_edge *edge;
    uint32_t *tet; /* four particles for each tetrahedron, of positive volume */
    double radius; /* m: particles are spheres that collide; 0: nothing does */
    double box; /* m: the side of the box around them, whose floor is y = 0 with the origin in its middle; no lid. 0: of
                      bodies, a floor without walls */
    uint32_t bodies, joints; /* if there are bodies, particles are their centres */
    sn_bench_body *body;
    sn_bench_joint *joint;
} sn_bench_model;

/* How a scene is given to the engine, bit by bit. */
enum {
    SN_BENCH_GRID = 1,       /* particles numbered row by row: what is regular can be found */
    SN_BENCH_GENERAL = 2,    /* numbers and order shuffled, or irregular by itself: any mesh */
    SN_BENCH_SEQUENTIAL = 4, /* as the first, with the sequential reference solver */
    SN_BENCH_DIRECT = 8,     /* as the first, with the direct solver */
    SN_BENCH_FALLING = 16,   /* bodies, from the start on */
    SN_BENCH_SETTLED = 32,   /* and when they lie there */
    SN_BENCH_PATH_END = 64
};

const char *sn_bench_path_name(uint32_t path); /* "grid"; "?" for none */
uint32_t sn_bench_path_find(const char *name); /* 0 if there is none of it */

typedef struct sn_bench_case {
    const char *scene; /* "cloth" */
    uint32_t n;        /* particles on a side, cubes on a side, objects: see about */
    uint32_t substeps; /* of one pass each */
    uint32_t frames;
    uint32_t paths;
    bool bullet, quick; /* also run on Bullet; also a part of a glance */
    bool shuffle;       /* SN_BENCH_GENERAL shuffles */
    const char *about;
    bool (*build)(uint32_t n, sn_bench_model *model); /* NULL: of kinds */
    uint32_t settle; /* frames that it runs before it is measured; 0: it is measured from the start */
    bool slow;       /* minutes: only if asked for */
} sn_bench_case;

uint32_t sn_bench_case_count(void);
const sn_bench_case *sn_bench_case_at(uint32_t i); /* NULL beyond the last */

/* Whether it is a pile of spheres: what is visited is particles instead of constraints, and overlap, as a share of the
   radius, stands for stretch. */
bool sn_bench_case_is_pile(const sn_bench_case *c);

/* Whether it is one of rigid bodies: as for a pile, but of boxes overlap is a share of half an edge, and of what has joints it
   is how far those are apart, as a share of the height of a figure. Its paths are the last two. */
bool sn_bench_case_is_bodies(const sn_bench_case *c);

/* Whether it is the cloth on which is measured what features cost: row by row beside the plain one, on one thread. */
bool sn_bench_case_is_features(const sn_bench_case *c);

/* Whether it is no scene but the table of what kinds cost, each with n constraints. */
bool sn_bench_case_is_kinds(const sn_bench_case *c);

/* "cloth-64", or "rope" where there is only one of the name. Written to text. */
const char *sn_bench_case_name(const sn_bench_case *c, char *text, uint32_t size);

/* The case of a scene and size; a cloth may have any size from 2 to SN_BENCH_CLOTH, a pile from 1 to SN_BENCH_PILE.
   False if there is none. */
bool sn_bench_case_find(const char *scene, uint32_t n, sn_bench_case *found);

/* Builds it, shuffled if the path says so. False when memory runs out; release it in either case. */
bool sn_bench_model_build(const sn_bench_case *c, uint32_t path, sn_bench_model *model);
void sn_bench_model_release(sn_bench_model *model);

/* Gives particles other numbers and puts everything into another order, always the same one. */
bool sn_bench_model_shuffle(sn_bench_model *model);

/* The mean and the largest |l - rest| / rest of the structural edges. NaN if a place is not a number; 0 without edges. */
void sn_bench_model_stretch(const sn_bench_model *model, const double *xyz, double *mean, double *largest);

/* ---- Piles (bench_pile.c) ---------------------------------------------------------------------------------------- */

/* n spheres above a box that fits them: on a wide lattice, moved about at random. */
bool sn_bench_build_pile(uint32_t n, sn_bench_model *model);

/* How deep spheres are in each other and in the walls. */
typedef struct sn_bench_overlap {
    double mean, largest; /* as shares of the radius; the mean over all that overlap, 0 without them */
    double contacts;      /* how many of them a sphere has on the mean */
} sn_bench_overlap;

/* All NaN if a place is not a number or more than 100 km away. False when memory runs out. */
bool sn_bench_model_overlap(const sn_bench_model *model, const double *xyz, sn_bench_overlap *overlap);

/* ---- Bodies (bench_bodies.c) -------------------------------------------------------------------------------------- */

/* n cubes above a box that fits them, each turned in some way. */
bool sn_bench_build_boxes(uint32_t n, sn_bench_model *model);

/* n figures of eleven capsules and ten joints above a floor, each turned in some way. */
bool sn_bench_build_ragdolls(uint32_t n, sn_bench_model *model);

/* How deep boxes are in each other and in the walls; of figures, how far joints are apart (contacts NaN). pose: seven numbers a
   body, as in sn_bench_body. All NaN if one is not a number. False when memory runs out. */
bool sn_bench_model_bodies_hold(const sn_bench_model *model, const double *pose, sn_bench_overlap *overlap);

/* ---- For builders ------------------------------------------------------------------------------------------------ */

/* Room for so many. The counts are those of the edges and tetrahedra that are there, none yet. */
bool sn_bench_model_reserve(sn_bench_model *model, uint32_t particles, uint32_t edges, uint32_t tets);

/* The next number of the splitmix64 generator: all that is asked of it is to be the same everywhere. */
uint64_t sn_bench_draw(uint64_t *state);

#ifdef __cplusplus
}
#endif
#endif
