/* Objects of a scene: ropes, cloth, nets, blocks, balloons, figures, walls and more, from C.

   An object is built in a frame of its own, which is then moved, rotated and scaled into the world. sn_object_def has
   this pose and the material. Each type has a struct of its own for the rest. Start both from their default
   functions, since later versions append fields:

       sn_object_def common = sn_default_object_def();
       sn_cloth_def cloth = sn_default_cloth_def();
       common.name = "flag";
       common.position = (sn_vec3){.y = 2};
       cloth.columns = cloth.rows = 40;
       const sn_object *flag = sn_scene_add_cloth(scene, &common, &cloth);
       if (flag == NULL)
           puts(sn_scene_error(scene));
       sn_scene_pin_selected(scene, "flag.left");

   Its parts and constraints have names, by which selectors find them (sinew/scene.h). They are listed with each type.
   A number that may be left out is NaN by default.

   sn_scene_add_... adds the object to the scene: its particles, bodies and constraints are in the world when it
   returns. def or own NULL means the default. If it fails it returns NULL and nothing was added; sn_scene_error then
   names the key, as in a scene file ("segments: found 0, expected 1 or more"). The object is valid as long as the
   scene.

   Particles one by one need no builder (sn_particles_add, sinew/particles.h), nor do single bodies (sinew/bodies.h);
   a character is in sinew/character.h. */
#ifndef SINEW_SCENE_OBJECTS_H
#define SINEW_SCENE_OBJECTS_H

#include <sinew/sinew.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_scene sn_scene;
typedef struct sn_object sn_object;

/* The material of an object. Its values do not depend on the resolution of the object. Their units depend on whether
   it is a line (rope, chain, net, pendulum, box), a sheet (cloth, balloon) or a solid (grains, lattice, block,
   figure):

                line              sheet             solid
       density  kg/m              kg/m^2            kg/m^3
       stretch  1/N = 1/(E A)     m/N = 1/(E t)     m^2/N = 1/E
       shear    as stretch
       bend     1/(N m^2) = 1/(E I)   1/(N m), inverse plate stiffness   -
       volume   -                 -                 m^2/N, inverse bulk modulus

   0 is rigid. */
typedef struct sn_stuff {
    sn_real density;   /* NaN: not given; the object then has a mass of 1 kg, or the one of its definition */
    sn_real stretch;   /* compliance; default 0 */
    sn_real shear;     /* compliance; NaN: the same as stretch */
    sn_real bend;      /* compliance; NaN: does not resist bending */
    sn_real volume;    /* compliance; NaN: does not keep its volume (a block does by default) */
    sn_real young;     /* Pa: Young's modulus, instead of stretch. bend and volume follow from it, too, unless they are
                      given: of a line of section A and second moment I, 1/(E A) and 1/(E I); of a sheet of thickness t,
                      1/(E t) and 12 (1 - poisson^2)/(E t^3); of a solid, 1/E and 3 (1 - 2 poisson)/E. NaN: not given */
    sn_real poisson;   /* with young: Poisson's ratio, 0 to 0.5; NaN: 0.3 */
    sn_real thickness; /* m, with young: the diameter of a round line, or the thickness of a sheet; NaN: twice the
                          radius of the object's particles, and an error if they have none */
    sn_real area; /* m^2, with young, instead of thickness: the section of a line that does not resist bending, such as
                     a rope of loose strands; NaN: not given */
    sn_real damping;   /* s: the time in which oscillations of the soft constraints decay: their damping is this
                        times their stiffness. Rigid constraints have none. Default 0 */
    sn_real stiffness; /* the classic stiffness k, 0 to 1, of all its constraints; default 1 */
    sn_real tear_strain, tear_force, tear_spread; /* see sn_tear_def: of its rods; default 0, it does not tear */
    uint32_t tear_seed;
    sn_real tear_fatigue;
} sn_stuff;

/* A rotation about an axis. */
typedef struct sn_turn {
    sn_vec3 axis;  /* any length but 0; default (0, 1, 0) */
    sn_real angle; /* rad; default 0 */
} sn_turn;

#define SN_OWN_GROUP UINT32_MAX

/* The surface of an object, for contact. For objects without triangles (ropes, chains, nets) it is their lines, and
   they need self_collision. */
typedef struct sn_object_skin {
    bool on;                                      /* default false */
    sn_real thickness;                            /* m; default 0 */
    bool one_sided;                               /* default false */
    bool self_collision;                          /* default false */
    sn_real tear_strain, tear_force, tear_spread; /* see sn_tear_def; default 0: as the material of the object */
    uint32_t tear_seed;
    sn_real tear_fatigue;
} sn_object_skin;

/* Common to all types of objects. */
typedef struct sn_object_def {
    const char *name; /* its name in the scene; NULL: its type and number, "rope1" */
    sn_vec3 position; /* m: the origin of its frame */
    sn_turn turn;     /* the rotation of its frame about its origin */
    sn_real scale;    /* of its frame, more than 0; default 1 */
    sn_vec3 velocity; /* m/s */
    sn_vec3 spin;     /* rad/s about its centre of mass, as a vector along the axis */
    sn_real mass;     /* kg, of the whole; NaN: from the density */
    sn_real radius;   /* m, of its particles */
    uint32_t group;   /* SN_OWN_GROUP, the default: its place in the list of objects, from 1 on */
    sn_object_skin skin;
    sn_stuff stuff;
} sn_object_def;

sn_stuff sn_default_stuff(void);
sn_object_def sn_default_object_def(void);

/* A list of numbers; it is read during the call only. */
typedef struct sn_numbers {
    uint32_t count;
    const double *data;
} sn_numbers;

/* ---- Grains ---------------------------------------------------------------------------------- */

/* Grains: loose balls in a box, slightly out of order. It has no parts and no constraints. */
typedef struct sn_grains_def {
    uint32_t columns, rows; /* along x and y; default 10 each */
    uint32_t layers;        /* along z; UINT32_MAX, the default: 10, or 1 in a 2D world */
    sn_real spacing;        /* m, between centres; NaN: a little more than two radii, or 0.1 without one */
    sn_real jitter;         /* the largest displacement along each axis, as a share of the gap between two; default 1 */
    sn_real vary;           /* radii differ by up to this share, up and down, 0 to 0.9; default 0 */
    uint32_t seed;          /* of both; default 1 */
} sn_grains_def;

sn_grains_def sn_default_grains_def(void);
const sn_object *sn_scene_add_grains(sn_scene *scene, const sn_object_def *def, const sn_grains_def *own);

/* ---- Container ------------------------------------------------------------------------------- */

/* A container that is open at the top: an immovable body of a floor and walls. The origin of the frame is in the
   middle of the floor, at its upper side. It has no parts and no constraints. */
typedef struct sn_container_def {
    sn_vec3 size;    /* m: inside; default 1, 1, 1 */
    sn_real wall;    /* m: the thickness of floor and walls; default 0.1 */
    uint32_t sides;  /* 4, the default: a box. Others, 3 to 32: a regular prism, whose inscribed circle has the diameter
                       size.x */
    bool lid;        /* closed above; default false */
    bool bottomless; /* it has no floor; default false */
} sn_container_def;

sn_container_def sn_default_container_def(void);
const sn_object *sn_scene_add_container(sn_scene *scene, const sn_object_def *def, const sn_container_def *own);

/* ---- Rope ------------------------------------------------------------------------------------ */

/* A rope: particles in a line, joined by pieces that fold but do not stretch. Parts: start, end; constraints: links,
   bend. */
typedef struct sn_rope_def {
    sn_real length;     /* m; NaN: the distance from `from` to `to`, or 1 m without a `to`. A longer rope sags */
    uint32_t segments;  /* pieces; default 20 */
    sn_vec3 direction;  /* in which it hangs from `from`, or sags; any length but 0; default (0, -1, 0) */
    sn_vec3 from;       /* m: the position of its first particle; default the origin of the frame */
    sn_vec3 to;         /* m: the position of the last one; NaN in x: it goes along `direction` */
    bool rods;          /* its pieces also resist compression; default false. Those of a solid line (young with a
                           thickness) always do */
    sn_real bob;        /* kg: a mass on the last particle, besides the rope's own; default 0 */
    sn_numbers through; /* m: three each. At least two points; the rope is laid along a smooth curve through them, a
                           knot for example. length, direction, from and to are then not used */
} sn_rope_def;

sn_rope_def sn_default_rope_def(void);
const sn_object *sn_scene_add_rope(sn_scene *scene, const sn_object_def *def, const sn_rope_def *own);

/* ---- Chain ----------------------------------------------------------------------------------- */

/* A chain: rigid links with free joints. Parts: start, end; constraints: links. */
typedef struct sn_chain_def {
    uint32_t links;      /* default 10 */
    sn_real link_length; /* m; default 0.1 */
    sn_real link_mass;   /* kg; NaN: the mass of the whole in equal shares */
    sn_vec3 direction;   /* in which it lies; any length but 0; default (0, -1, 0) */
    sn_real bob;         /* kg: a mass on the last particle, besides the chain's own; default 0 */
} sn_chain_def;

sn_chain_def sn_default_chain_def(void);
const sn_object *sn_scene_add_chain(sn_scene *scene, const sn_object_def *def, const sn_chain_def *own);

/* ---- Net ------------------------------------------------------------------------------------- */

/* A net: cords knotted in rows and columns. They fold but do not stretch. Parts: knots, top_left, top_right,
   bottom_left, bottom_right, top, bottom, left, right; constraints: cords. It lies in the x-y plane of its frame,
   about the origin; the first row is the lowest. */
typedef struct sn_net_def {
    uint32_t rows;          /* of knots, 2 or more; default 11 */
    uint32_t columns;       /* of knots, 2 or more; default 11 */
    sn_real width;          /* m, in x; default 1 */
    sn_real height;         /* m, in y; default 1 */
    uint32_t cord_segments; /* pieces of the cord from knot to knot; default 1 */
} sn_net_def;

sn_net_def sn_default_net_def(void);
const sn_object *sn_scene_add_net(sn_scene *scene, const sn_object_def *def, const sn_net_def *own);

/* ---- Pendulum -------------------------------------------------------------------------------- */

/* A pendulum of one bob or many, on rigid rods without mass. Parts: pivot, bobs, tip; constraints: rods. The pivot,
   which is immovable, is in the origin of the frame, the bobs in its x-y plane. The longest list decides the number
   of bobs; the other lists have as many numbers, or a single one for all. The lists are used during the call only. */
typedef struct sn_pendulum_def {
    sn_numbers lengths; /* m, of the rods; default 1 */
    sn_numbers masses;  /* kg, of the bobs; default 1. Where the object's mass is given: its shares */
    sn_numbers angles;  /* rad, of the rods from -y towards x; default pi / 2 */
} sn_pendulum_def;

sn_pendulum_def sn_default_pendulum_def(void);
const sn_object *sn_scene_add_pendulum(sn_scene *scene, const sn_object_def *def, const sn_pendulum_def *own);

/* ---- Box ------------------------------------------------------------------------------------- */

/* A box: rods join each corner with all others, so that it is rigid. Parts: left, right, bottom, top, and the corners
   bottom_left, bottom_right, top_left, top_right; with a depth also back and front, and corners such as
   bottom_left_front; constraints: edges, diagonals. It lies about the origin of its frame. Corner i is to the right
   if bit 0 of i is set, at the top if bit 1 is, and at the front (towards z) if bit 2 is. */
typedef struct sn_box_def {
    sn_real width;  /* m, in x; default 1 */
    sn_real height; /* m, in y; default 1 */
    sn_real depth;  /* m, in z; default 0: a flat one of four corners */
} sn_box_def;

sn_box_def sn_default_box_def(void);
const sn_object *sn_scene_add_box(sn_scene *scene, const sn_object_def *def, const sn_box_def *own);

/* ---- Sheets ---------------------------------------------------------------------------------- */

/* How a cloth or a balloon resists bending, if its stuff does. */
typedef enum sn_bending_method {
    SN_BENDING_ISOMETRIC, /* by the mean curvature: a quadratic energy, the cheapest (Bergou et al. 2006) */
    SN_BENDING_DIHEDRAL,  /* by the angle between two triangles */
    SN_BENDING_DISTANCE,  /* by a rod across the edge */
    SN_BENDING_NONE       /* not at all */
} sn_bending_method;

/* ---- Cloth ----------------------------------------------------------------------------------- */

/* Cloth: a sheet from a grid, or from the triangles of a mesh file. Parts: top_left, top_right, bottom_left,
   bottom_right, top, bottom, left, right, centre (the one, two or four particles in the middle), border; of a mesh:
   border; constraints: weft (along x), warp (along y), shear, bend, or rods, bend if added by vertex; of a mesh:
   edges, bend. */
typedef struct sn_cloth_def {
    sn_real width;             /* m, along x; default 1 */
    sn_real height;            /* m, along y; default 1 */
    uint32_t columns;          /* particles along x, 2 or more; default 32 */
    uint32_t rows;             /* particles along y, 2 or more; default 32 */
    sn_bending_method bending; /* default SN_BENDING_ISOMETRIC */
    const char *mesh;          /* an OBJ or PLY file instead of the four above; default NULL */
    sn_real weld;              /* m: vertices of the mesh this near to each other become one; default 0: equal ones */
    bool by_vertex; /* rods of a grid are added vertex by vertex, not direction by direction; default false */
} sn_cloth_def;

sn_cloth_def sn_default_cloth_def(void);
const sn_object *sn_scene_add_cloth(sn_scene *scene, const sn_object_def *def, const sn_cloth_def *own);

/* ---- Lattice --------------------------------------------------------------------------------- */

/* A mass-spring lattice: a box, or a sheet, of particles with springs between neighbours. Parts: left, right (x
   least, most), bottom, top (y), back, front (z; not of a single layer), corners; constraints: structural, shear. */
typedef enum sn_lattice_springs {
    SN_LATTICE_RODS,  /* constraints, with the stiffness of the material */
    SN_LATTICE_FORCES /* forces, with spring_stiffness */
} sn_lattice_springs;

typedef struct sn_lattice_def {
    sn_real width;              /* m, along x; default 1 */
    sn_real height;             /* m, along y; default 1 */
    sn_real depth;              /* m, along z, or the thickness of a single layer; default 1 */
    uint32_t columns;           /* particles along x, 2 or more; default 8 */
    uint32_t rows;              /* along y, 2 or more; default 8 */
    uint32_t layers;            /* along z; 1, which is also what fits a 2D world, makes a sheet; default 1 */
    bool body_diagonals;        /* cells get springs from corner to corner; default false */
    sn_lattice_springs springs; /* default SN_LATTICE_RODS */
    sn_real spring_stiffness;   /* N/m, of each spring that is a force; NaN: not given, the default */
    sn_real spring_damping;     /* N s/m, of each spring that is a force; NaN: not given, the default, which is 0 */
} sn_lattice_def;

sn_lattice_def sn_default_lattice_def(void);
const sn_object *sn_scene_add_lattice(sn_scene *scene, const sn_object_def *def, const sn_lattice_def *own);

/* ---- Block ----------------------------------------------------------------------------------- */

/* A solid block of tetrahedra that keep their volume, with rods along their edges. Parts: left, right (x least,
   most), bottom, top (y), back, front (z), corners; constraints: edges, volume. */
typedef struct sn_block_def {
    sn_real width;    /* m, along x; default 1 */
    sn_real height;   /* m, along y; default 1 */
    sn_real depth;    /* m, along z; default 1 */
    uint32_t columns; /* particles along x, 2 or more; default 6 */
    uint32_t rows;    /* along y; default 6 */
    uint32_t layers;  /* along z; default 6 */
} sn_block_def;

sn_block_def sn_default_block_def(void);
const sn_object *sn_scene_add_block(sn_scene *scene, const sn_object_def *def, const sn_block_def *own);

/* ---- Balloon --------------------------------------------------------------------------------- */

/* A closed surface that keeps a volume: balloons, and soft bodies. Parts: top, bottom (the highest and lowest
   particles, by y of the frame); constraints: edges, bend, volume. */
typedef enum sn_balloon_shape { SN_BALLOON_SPHERE, SN_BALLOON_ELLIPSOID, SN_BALLOON_CUBE } sn_balloon_shape;

typedef enum sn_balloon_method {
    SN_BALLOON_GRADIENT, /* the kind surface_volume */
    SN_BALLOON_SCALING   /* the kind surface_scaling */
} sn_balloon_method;

typedef struct sn_balloon_def {
    sn_balloon_shape shape; /* default SN_BALLOON_SPHERE */
    sn_real diameter;       /* m, of a sphere, or the edge of a cube; NaN: not given, the default, which is 1 */
    sn_vec3 diameters;      /* m, of an ellipsoid along x, y, z; NaN: not given, the default */
    uint32_t subdivisions; /* how often the 20 triangles of the sphere or the faces of the cube are halved; default 3 */
    const char *mesh;      /* an OBJ or PLY file with a closed surface instead of a shape; default NULL */
    sn_real weld;          /* m: vertices of the mesh this near to each other become one; default 0: equal ones */
    sn_real pressure;      /* the target volume, as a multiple of that at rest, more than 0; default 1 */
    sn_balloon_method method;  /* how it is kept; default SN_BALLOON_GRADIENT */
    sn_bending_method bending; /* default SN_BENDING_DIHEDRAL, which keeps the shape */
} sn_balloon_def;

sn_balloon_def sn_default_balloon_def(void);
const sn_object *sn_scene_add_balloon(sn_scene *scene, const sn_object_def *def, const sn_balloon_def *own);

/* ---- Figure ---------------------------------------------------------------------------------- */

/* A human figure of particles and sticks, with joint limits like those of a human body (T. Jakobsen, Advanced
   Character Physics, 2001). Parts: head, neck, chest, spine, left_shoulder, left_elbow, left_hand, left_hip,
   left_knee, left_foot, the same of the right, and shoulders, hands, hips, feet, trunk, left, right; constraints:
   bones, braces, apart, elbows, knees, thighs, head_cone, elbow_folds, knee_folds, arms_in, arms_back, thighs_in,
   thighs_out. */
typedef enum sn_figure_pose {
    SN_POSE_STANDING, /* arms at the sides */
    SN_POSE_ARMS_OUT, /* arms stretched out to both sides, a T */
    SN_POSE_SITTING   /* as on a chair */
} sn_figure_pose;

/* It faces z of its frame, with its left to x and the origin on the ground, below its hips. */
typedef struct sn_figure_def {
    sn_real height; /* m, when it stands; default 1.8 */
    sn_figure_pose pose;
    bool limits; /* its joints have limits; otherwise a stick can rotate freely about its ends; default true */
} sn_figure_def;

sn_figure_def sn_default_figure_def(void);
const sn_object *sn_scene_add_figure(sn_scene *scene, const sn_object_def *def, const sn_figure_def *own);

/* ---- Jelly ----------------------------------------------------------------------------------- */

/* A soft block that keeps its shape by shape matching. Parts: left, right (x least, most), bottom, top (y), back,
   front (z), corners; constraints: clusters. */
typedef enum sn_jelly_match { SN_JELLY_RIGID, SN_JELLY_LINEAR, SN_JELLY_QUADRATIC } sn_jelly_match;

typedef struct sn_jelly_def {
    sn_real width, height, depth;   /* m; default 1 each */
    uint32_t columns, rows, layers; /* particles along x, y, z; default 6 each */
    sn_jelly_match match;           /* default SN_JELLY_LINEAR */
    sn_real cluster;                /* m: the size of a cluster; NaN: half the longest side; 0: one cluster for all */
    sn_real firmness;               /* the stiffness k of a cluster, 0 to 1; default 0.3 */
    sn_real beta;                /* the share of the best linear deformation in the goal shape, 0 to 1; default 0.5 */
    sn_real yield, creep, limit; /* plasticity; NaN: the default of the kind, none */
} sn_jelly_def;

sn_jelly_def sn_default_jelly_def(void);
const sn_object *sn_scene_add_jelly(sn_scene *scene, const sn_object_def *def, const sn_jelly_def *own);

/* ---- Body chain ------------------------------------------------------------------------------ */

/* A chain of rigid bodies. Parts: start, end, links, bob; constraints: joints, hook. */
typedef enum sn_link_shape { SN_LINK_CAPSULE, SN_LINK_BOX } sn_link_shape;

typedef struct sn_body_chain_def {
    uint32_t links;      /* default 10 */
    sn_real link_length; /* m: from joint to joint; default 0.2 */
    sn_real thickness;   /* m; default 0.05 */
    sn_link_shape shape; /* default SN_LINK_CAPSULE */
    sn_vec3 direction;   /* in which it lies; any length but 0; default (0, -1, 0) */
    bool held;           /* its start is fixed to the world; default true */
    sn_real bob;         /* kg: a ball at its end; 0, the default: none */
    sn_real bob_radius;  /* m; default 0.2 */
    sn_real friction;    /* N m, of each joint; default 0 */
    sn_real strength;    /* N: its joints break above this; default 0: never */
} sn_body_chain_def;

sn_body_chain_def sn_default_body_chain_def(void);
const sn_object *sn_scene_add_body_chain(sn_scene *scene, const sn_object_def *def, const sn_body_chain_def *own);

/* ---- Bridge ---------------------------------------------------------------------------------- */

/* A bridge of planks that hang on ropes. Parts: planks, first, middle, last, left_rail, right_rail; constraints:
   ties, hangers, rails. */
typedef struct sn_bridge_def {
    uint32_t planks;  /* default 16 */
    sn_vec3 plank;    /* m: along the bridge, up, and across; default 0.25, 0.05, 1 */
    sn_real gap;      /* m: between two planks; default 0.05 */
    sn_real slack;    /* the ties between planks are longer than the gap by this share of the pitch; default 0.01 */
    sn_real rail;     /* m: the height of the hand rails; 0: there are none; default 0.8 */
    sn_real rope;     /* kg/m, of the rails; default 0.5 */
    sn_real strength; /* N: the ties between planks break above this; default 0: never */
} sn_bridge_def;

sn_bridge_def sn_default_bridge_def(void);
const sn_object *sn_scene_add_bridge(sn_scene *scene, const sn_object_def *def, const sn_bridge_def *own);

/* ---- Wall ------------------------------------------------------------------------------------ */

/* A wall of boxes. Parts: bottom, top; no constraints. */
typedef enum sn_bond { SN_BOND_RUNNING, SN_BOND_STACK, SN_BOND_PYRAMID } sn_bond;

typedef struct sn_wall_def {
    uint32_t columns; /* bricks in the lowest row; default 6 */
    uint32_t rows;    /* default 6 */
    uint32_t layers;  /* walls behind each other; default 1 */
    sn_vec3 brick;    /* m: its edges; default 0.4, 0.2, 0.2 */
    sn_real gap;      /* m: between bricks of a row; default 0.002 */
    sn_bond bond;     /* default SN_BOND_RUNNING */
    sn_real rounding; /* m: of edges; it does not change the size of the brick; default 0 */
} sn_wall_def;

sn_wall_def sn_default_wall_def(void);
const sn_object *sn_scene_add_wall(sn_scene *scene, const sn_object_def *def, const sn_wall_def *own);

/* ---- Pile ------------------------------------------------------------------------------------ */

/* Bodies above each other, which fall on a heap. No parts; no constraints. */
typedef enum sn_pile_shapes {
    SN_PILE_BOXES,
    SN_PILE_SPHERES,
    SN_PILE_CAPSULES,
    SN_PILE_HULLS,
    SN_PILE_MIXED
} sn_pile_shapes;

typedef struct sn_pile_def {
    uint32_t columns, rows, layers; /* default 4, 6, 4 */
    sn_pile_shapes shapes;          /* default SN_PILE_BOXES */
    sn_vec3 size;                   /* m: of a box; the first of it the diameter of a sphere; default 0.2 each */
    sn_real spacing;                /* m: between centres; NaN: no two touch, whatever their rotations */
    sn_real vary;                   /* sizes differ by up to this share, up and down, 0 to 0.9; default 0 */
    bool turned;                    /* each has a random rotation; default true */
    uint32_t seed;                  /* of that; default 1 */
} sn_pile_def;

sn_pile_def sn_default_pile_def(void);
const sn_object *sn_scene_add_pile(sn_scene *scene, const sn_object_def *def, const sn_pile_def *own);

/* ---- Ragdoll --------------------------------------------------------------------------------- */

/* A human of rigid bodies. Parts: pelvis, belly, chest, head, left_upper_arm, left_forearm, left_hand, left_thigh,
   left_shank, left_foot, the same of the right; constraints: back, neck, shoulders, elbows, wrists, hips, knees,
   ankles. */
typedef enum sn_ragdoll_pose { SN_RAGDOLL_STANDING, SN_RAGDOLL_ARMS_OUT } sn_ragdoll_pose;

typedef struct sn_ragdoll_def {
    sn_real height;           /* m; default 1.8 */
    sn_ragdoll_pose pose;     /* default SN_RAGDOLL_STANDING */
    bool limits;              /* joints bend as far as those of a human; default true */
    sn_real friction;         /* N m, of hips and back; of other joints less; default 2 */
    sn_real muscle;           /* N m: the largest torque in hips and back that holds the pose; default 0: none */
    sn_real muscle_stiffness; /* N m/rad, of the same; default 300 */
    sn_real muscle_damping;   /* N m s, of the same; default 15 */
} sn_ragdoll_def;

sn_ragdoll_def sn_default_ragdoll_def(void);
const sn_object *sn_scene_add_ragdoll(sn_scene *scene, const sn_object_def *def, const sn_ragdoll_def *own);

#ifdef __cplusplus
}
#endif

#endif
