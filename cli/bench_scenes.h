/* The standard scenes of the benchmark as plain arrays, so that every engine gets the same data. It uses neither
   Sinew nor the command, since the comparison program in bench/ is also built from it. */
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
#define SN_BENCH_CLOTH   4096       /* the largest cloth, particles on a side */
#define SN_BENCH_PILE    10000000   /* the largest pile */
#define SN_BENCH_BODIES  100000     /* the most boxes or ragdolls, or constraints of a kind */

typedef struct sn_bench_edge {
    uint32_t a, b;
    uint32_t structural; /* 1: its stretch is reported; 0: a diagonal of a cloth */
    double rest;         /* m */
} sn_bench_edge;

/* A rigid body: a box, or, if half.x is 0, a capsule along its own y axis. */
typedef struct sn_bench_body {
    double pose[7]; /* m: position of the centre; orientation: x, y, z, w */
    double half[3]; /* m */
    double radius;  /* m, of a capsule */
    double mass;    /* kg */
} sn_bench_body;

/* A joint between an anchor on a and one on b: a hinge, or, with a swing, one that leans and twists within limits. */
typedef struct sn_bench_joint {
    uint32_t a, b;
    double anchor[3], axis[3]; /* in the world, at the start */
    double spot[2][3];         /* m: the anchor in the frames of a and of b, */
    double frame[2][4];        /* and rotations that take x to the axis there */
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
    double box;    /* m: the side of the box around them, with its floor at y = 0, the origin in its middle and no lid.
                   0: for bodies, a floor without walls */
    uint32_t bodies, joints; /* if there are bodies, particles are their centres */
    sn_bench_body *body;
    sn_bench_joint *joint;
} sn_bench_model;

/* Variants of a scene, as bits. */
enum {
    SN_BENCH_GRID = 1,       /* particles numbered row by row: regular structure can be found */
    SN_BENCH_GENERAL = 2,    /* numbers and order shuffled, or irregular by itself: as for any mesh */
    SN_BENCH_SEQUENTIAL = 4, /* as SN_BENCH_GRID, with the sequential reference solver */
    SN_BENCH_DIRECT = 8,     /* as SN_BENCH_GRID, with the direct solver */
    SN_BENCH_FALLING = 16,   /* bodies, measured from the start */
    SN_BENCH_SETTLED = 32,   /* and after they have settled */
    SN_BENCH_PATH_END = 64
};

const char *sn_bench_path_name(uint32_t path); /* "grid"; "?" for none */
uint32_t sn_bench_path_find(const char *name); /* 0 if there is none */

typedef struct sn_bench_case {
    const char *scene; /* "cloth" */
    uint32_t n;        /* particles or cubes on a side, or objects: see about */
    uint32_t substeps; /* of one pass each */
    uint32_t frames;
    uint32_t paths;
    bool bullet, quick; /* also run on Bullet; also run with --quick */
    bool shuffle;       /* SN_BENCH_GENERAL shuffles */
    const char *about;
    bool (*build)(uint32_t n, sn_bench_model *model); /* NULL: the table of kinds */
    uint32_t settle;                                  /* frames before the measured ones; 0: measured from the start */
    bool slow;                                        /* takes minutes: run only on request */
} sn_bench_case;

uint32_t sn_bench_case_count(void);
const sn_bench_case *sn_bench_case_at(uint32_t i); /* NULL beyond the last */

/* Whether it is a pile of spheres: what counts is visits of particles instead of constraints, and overlap, as a
   share of the radius, replaces stretch. */
bool sn_bench_case_is_pile(const sn_bench_case *c);

/* Whether it has rigid bodies. As for a pile, but the overlap of boxes is a share of half an edge, and with joints
   it is the distance of their anchors, as a share of the height of a figure. Its paths are the last two. */
bool sn_bench_case_is_bodies(const sn_bench_case *c);

/* Whether it is the cloth on which the cost of features is measured: each compared with the plain cloth, on one
   thread. */
bool sn_bench_case_is_features(const sn_bench_case *c);

/* Whether it is no scene but the table of the costs of kinds, each with n constraints. */
bool sn_bench_case_is_kinds(const sn_bench_case *c);

/* "cloth-64", or "rope" if the scene has one size. Written to text. */
const char *sn_bench_case_name(const sn_bench_case *c, char *text, uint32_t size);

/* Finds the case of a scene and size; a cloth may have any size from 2 to SN_BENCH_CLOTH, a pile from 1 to
   SN_BENCH_PILE. False if there is none. */
bool sn_bench_case_find(const char *scene, uint32_t n, sn_bench_case *found);

/* Builds it, shuffled for SN_BENCH_GENERAL. False when memory runs out; release it in either case. */
bool sn_bench_model_build(const sn_bench_case *c, uint32_t path, sn_bench_model *model);
void sn_bench_model_release(sn_bench_model *model);

/* Renumbers particles and changes the order of everything else, always in the same way. */
bool sn_bench_model_shuffle(sn_bench_model *model);

/* The mean and the largest |l - rest| / rest of the structural edges. NaN if a position is not a number; 0 without
   edges. */
void sn_bench_model_stretch(const sn_bench_model *model, const double *xyz, double *mean, double *largest);

/* ---- Piles (bench_pile.c) ---------------------------------------------------------------------------------------- */

/* n spheres above a box of suitable size: on a wide lattice, displaced at random. */
bool sn_bench_build_pile(uint32_t n, sn_bench_model *model);

/* The overlap of spheres with each other and with the walls. */
typedef struct sn_bench_overlap {
    double mean, largest; /* as shares of the radius; the mean over all overlaps, 0 without any */
    double contacts;      /* overlaps per sphere */
} sn_bench_overlap;

/* All NaN if a position is not a number or more than 100 km away. False when memory runs out. */
bool sn_bench_model_overlap(const sn_bench_model *model, const double *xyz, sn_bench_overlap *overlap);

/* ---- Bodies (bench_bodies.c) ------------------------------------------------------------------------------------- */

/* n cubes above a box of suitable size, with random orientations. */
bool sn_bench_build_boxes(uint32_t n, sn_bench_model *model);

/* n figures of eleven capsules and ten joints above a floor, with random orientations. */
bool sn_bench_build_ragdolls(uint32_t n, sn_bench_model *model);

/* The overlap of boxes with each other and with the walls; for figures, the distances of anchors at joints (contacts
   NaN). pose: seven numbers per body, as in sn_bench_body. All NaN if one is not a number. False when memory runs
   out. */
bool sn_bench_model_bodies_hold(const sn_bench_model *model, const double *pose, sn_bench_overlap *overlap);

/* ---- For builders ------------------------------------------------------------------------------------------------ */

/* Makes room for so many. The counts are those of the edges and tetrahedra added so far: none yet. */
bool sn_bench_model_reserve(sn_bench_model *model, uint32_t particles, uint32_t edges, uint32_t tets);

/* The next number of the splitmix64 generator, which is the same on every machine. */
uint64_t sn_bench_draw(uint64_t *state);

#ifdef __cplusplus
}
#endif
#endif
