/* The tables of the scene format. See record.h. */
#include "scene/tables.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define UNLIMITED    INFINITY
#define NOT_GIVEN    ((sn_real)NAN)
#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }
#define CHOICES(list)                                                                                                  \
    {                                                                                                                  \
        COUNT(list##_names), list##_names, list##_about                                                                \
    }

/* ---- Choices, in the order of the enums (a test checks this) ----------------------------------------------------- */

static const char *const solver_names[] = {"gauss_seidel", "jacobi", "impulses", "lagrange", "direct", "tiled"};
static const char *const solver_about[] = {
    "Gauss-Seidel projection: one constraint after the other, and each takes effect at once",
    "all constraints see the same positions; slower to converge, without an order",
    "sequential impulses: velocities are corrected, positions follow",
    "constraint forces: Lagrange multipliers before anything moves",
    "chains and trees are solved together, by Newton's method; the rest by Gauss-Seidel",
    "Gauss-Seidel with a plan: in tiles on all cores, sixteen constraints at a time"};
const sn_choices sn_solver_choices = CHOICES(solver);

static const char *const integrator_names[] = {"symplectic_euler", "forward_euler", "leapfrog", "verlet", "bdf2"};
static const char *const integrator_about[] = {
    "v += h a, then x += h v: first order, robust",
    "x += h v, then v += h a: first order, gains energy; for comparison",
    "half a kick, drift, half a kick: second order and reversible", "position pairs: the same motion as leapfrog",
    "second order also with rods and compliance; damps what is faster than a substep"};
const sn_choices sn_integrator_choices = CHOICES(integrator);

static const char *const order_names[] = {"insertion", "symmetric", "worst_first", "there_and_back"};
static const char *const order_about[] = {
    "as they were added; a large stiff cloth can explode with one pass a substep",
    "as they were added and back again: two sweeps a pass, cannot gain energy in the linear problem",
    "the one with the largest error in metres next",
    "half of them upwards by their particles, then the others downwards: one sweep, stable on cloth"};
const sn_choices sn_order_choices = CHOICES(order);

static const char *const gradients_names[] = {"current", "start"};
static const char *const gradients_about[] = {
    "at the moved positions: stiff, robust, loses energy at first order",
    "at the start of the substep (SHAKE): keeps angular momentum; needs several passes"};
const sn_choices sn_gradients_choices = CHOICES(gradients);

static const char *const jacobi_names[] = {"split", "averaged"};
static const char *const jacobi_about[] = {"each constraint gets a share of a particle's mass: conserves momentum",
                                           "the mean of what they ask, times relaxation"};
const sn_choices sn_jacobi_choices = CHOICES(jacobi);

static const char *const drift_names[] = {"baumgarte", "soft"};
static const char *const drift_about[] = {"a share of the error every substep, whose speed stays in the motion",
                                          "a damped spring, whose speed is taken out again"};
const sn_choices sn_drift_choices = CHOICES(drift);

static const char *const linear_names[] = {"minres", "least_squares"};
static const char *const linear_about[] = {"the minimal residual method",
                                           "conjugate gradients on the normal equations"};
const sn_choices sn_linear_choices = CHOICES(linear);

static const char *const stiffening_names[] = {"auto", "off"};
static const char *const stiffening_about[] = {
    "chains and trees that carry much are solved directly, large stiff meshes get limits", "nothing but sweeps"};
const sn_choices sn_stiffening_choices = CHOICES(stiffening);

static const char *const drag_names[] = {"rate", "loss", "force", "planar", "matrix", "rigid"};
static const char *const drag_about[] = {
    "v decays as e^(-strength t), strength in 1/s",
    "a share of the velocity, strength, is lost every second",
    "force -strength v, in N s/m: heavy particles coast farther",
    "along and orthogonal to a plane at two rates: friction on the ground",
    "force -C v with a symmetric matrix C in N s/m",
    "takes away what is no rigid motion of an object, at the rate strength in 1/s"};
const sn_choices sn_drag_choices = CHOICES(drag);

static const char *const force_names[] = {"force", "acceleration", "wind"};
static const char *const force_about[] = {
    "value newtons on each particle", "value m/s^2 on each particle",
    "air that moves at value m/s pushes triangles along their normals, and what has none as a whole"};
const sn_choices sn_force_choices = CHOICES(force);

static const char *const event_names[] = {"impulse", "velocity", "teleport", "release", "pin",
                                          "cut",     "attach",   "length",   "tear"};
static const char *const event_about[] = {
    "changes velocities at once by value N s / mass",
    "sets velocities to value m/s",
    "moves particles by value m, without a velocity",
    "lets pinned particles go",
    "pins particles where they are",
    "removes constraints: of is a name such as 'rope.links[3]'; or cuts along a plane",
    "joins the two points of between by a constraint",
    "changes the rest length of constraints: of is a name such as 'rope.links'",
    "gives an object another strength from then on; 0 and 0: it tears no more"};
const sn_choices sn_event_choices = CHOICES(event);

/* ---- World ------------------------------------------------------------------------------------------------------- */

#define DRAG(key) offsetof(sn_drag_keys, def.key)

static const sn_key drag_keys[] = {
    {"form", SN_KEY_CHOICE, DRAG(form), .of = &sn_drag_choices, .about = "how the drag acts"},
    {"object", SN_KEY_TEXT, offsetof(sn_drag_keys, object),
     .about = "the drag acts on this object only; otherwise on all"},
    {"strength", SN_KEY_REAL, DRAG(strength), .unit = "by form", .most = UNLIMITED,
     .about = "rate and rigid: 1/s; loss: share lost a second, below 1; force: N s/m"},
    {"normal", SN_KEY_VECTOR, DRAG(normal), .about = "planar: the normal of the plane"},
    {"origin", SN_KEY_VECTOR, DRAG(origin), .unit = "m", .about = "planar: a point of the plane"},
    {"distance", SN_KEY_REAL, DRAG(distance), .unit = "m",
     .about = "planar: acts below the plane and at most so far above it; everywhere if not given"},
    {"parallel", SN_KEY_REAL, DRAG(parallel), .unit = "1/s", .most = UNLIMITED,
     .about = "planar: rate of the velocity along the plane"},
    {"orthogonal", SN_KEY_REAL, DRAG(orthogonal), .unit = "1/s", .most = UNLIMITED,
     .about = "planar: rate of the velocity along the normal"},
    {"matrix", SN_KEY_VALUE, offsetof(sn_drag_keys, matrix), .unit = "N s/m", .of = "matrix",
     .about = "matrix: three lists of three numbers, symmetric, without negative eigenvalues"},
    END};

static void drag_defaults(void *record)
{
    ((sn_drag_keys *)record)->def = sn_default_drag_def();
}

const sn_record sn_drag_record = {"drag", "What takes velocity away.", sizeof(sn_drag_keys), drag_keys, drag_defaults};

#define SETTING(key) offsetof(sn_world_keys, settings.key)

static const sn_key world_keys[] = {
    {"dimensions", SN_KEY_COUNT, offsetof(sn_world_keys, dimensions), .least = 2, .most = 3,
     .about = "3, or 2: then z is 0 everywhere"},
    {"gravity", SN_KEY_VECTOR, SETTING(gravity), .unit = "m/s^2", .about = "acceleration of everything"},
    {"solver", SN_KEY_CHOICE, SETTING(solver), .of = &sn_solver_choices, .about = "how constraints are enforced"},
    {"integrator", SN_KEY_CHOICE, SETTING(integrator), .of = &sn_integrator_choices, .about = "how time is integrated"},
    {"order", SN_KEY_CHOICE, SETTING(order), .of = &sn_order_choices,
     .about =
         "the order in which a pass visits the constraints; 'tiled' has one of its own and takes no other than the "
         "default, 'jacobi' and 'lagrange' have none"},
    {"gradients", SN_KEY_CHOICE, SETTING(gradients), .of = &sn_gradients_choices,
     .about = "where gradients of constraints are taken"},
    {"substeps", SN_KEY_COUNT, SETTING(substeps), .least = 1, .most = 100000,
     .about = "how many substeps a frame is cut into"},
    {"iterations", SN_KEY_COUNT, SETTING(iterations), .least = 0, .most = 100000,
     .about = "the most passes over the constraints in a substep"},
    {"tolerance", SN_KEY_REAL, SETTING(tolerance), .unit = "m", .most = UNLIMITED,
     .about = "no further pass once the largest residual is below it; 0: never"},
    {"damping", SN_KEY_REAL, SETTING(damping), .unit = "1/s", .most = UNLIMITED,
     .about = "velocities decay as e^(-damping t), gravity's pull excluded"},
    {"correct_stiffness", SN_KEY_TRUTH, SETTING(correct_stiffness),
     .about = "make the effect of a classic stiffness k independent of the number of passes"},
    {"stiffening", SN_KEY_CHOICE, SETTING(stiffening), .of = &sn_stiffening_choices,
     .about = "tiled: what is done where sweeps alone would stretch"},
    {"jacobi", SN_KEY_CHOICE, SETTING(jacobi), .of = &sn_jacobi_choices,
     .about = "jacobi: how it puts together what several constraints ask of one particle"},
    {"relaxation", SN_KEY_REAL, SETTING(relaxation), .least = 1e-6, .most = 2,
     .about = "jacobi, averaged: by how much more or less than the mean a particle is moved"},
    {"drift", SN_KEY_CHOICE, SETTING(drift), .of = &sn_drift_choices,
     .about = "impulses: how they pull back what has drifted apart"},
    {"baumgarte", SN_KEY_REAL, SETTING(baumgarte), .least = 0, .most = 1,
     .about = "impulses, baumgarte: share of an error that is corrected in a substep"},
    {"warm_start", SN_KEY_TRUTH, SETTING(warm_start), .about = "impulses: begin with those of the substep before"},
    {"linear", SN_KEY_CHOICE, SETTING(linear), .of = &sn_linear_choices,
     .about = "lagrange: how it solves for its multipliers"},
    {"drift_time", SN_KEY_REAL, SETTING(drift_time), .unit = "s", .most = UNLIMITED,
     .about = "lagrange: errors decay with this time constant; 0: four substeps"},
    {"k_s", SN_KEY_REAL, SETTING(k_s), .unit = "1/s^2", .least = -1, .most = UNLIMITED,
     .about = "lagrange: the spring against drift, C'' = -k_s C - k_d C'; -1: as drift_time says"},
    {"k_d", SN_KEY_REAL, SETTING(k_d), .unit = "1/s", .least = -1, .most = UNLIMITED,
     .about = "lagrange: the damper against drift; 0 with k_s 0: none at all; -1: as drift_time says"},
    {"drags", SN_KEY_RECORDS, offsetof(sn_world_keys, drags), .of = &sn_drag_record, .flags = SN_KEY_NOT_SAVED,
     .about = "drags besides damping, which act one after the other"},
    END};

static void world_defaults(void *record)
{
    sn_world_def def = sn_default_world_def();
    sn_world_keys *keys = record;
    keys->settings = def.settings;
    keys->dimensions = def.dimensions;
}

const sn_record sn_world_record = {"world", "How the world is simulated.", sizeof(sn_world_keys), world_keys,
                                   world_defaults};

/* ---- Run and record ---------------------------------------------------------------------------------------------- */

static const sn_key run_keys[] = {
    {"frames", SN_KEY_COUNT, offsetof(sn_run_keys, frames), .most = 1e9, .about = "how many frames to run"},
    {"rate", SN_KEY_REAL, offsetof(sn_run_keys, rate), .unit = "1/s", .least = 1e-6, .most = 1e6,
     .about = "how many frames a second of simulated time has"},
    {"warm_up", SN_KEY_COUNT, offsetof(sn_run_keys, warm_up), .most = 1e9,
     .about = "how many frames to run before frame 0"},
    {"time", SN_KEY_REAL, offsetof(sn_run_keys, time), .unit = "s", .about = "the time at frame 0"},
    {"frame", SN_KEY_COUNT, offsetof(sn_run_keys, frame), .most = 4e9,
     .about = "how many frames after `time` the scene begins; for saved scenes, whose time goes on"},
    END};

static void run_defaults(void *record)
{
    *(sn_run_keys *)record = (sn_run_keys){.frames = 300, .rate = 60};
}

const sn_record sn_run_record = {"run", "How long to run.", sizeof(sn_run_keys), run_keys, run_defaults};

static const sn_key record_keys[] = {
    {"particles", SN_KEY_VALUE, offsetof(sn_record_keys, particles), .of = "selectors",
     .about = "particles whose places and velocities go into a trace"},
    {"forces", SN_KEY_VALUE, offsetof(sn_record_keys, forces), .of = "constraint_names",
     .about = "constraints whose force goes into a trace: names such as 'rope.links[0]'"},
    {"slopes", SN_KEY_VALUE, offsetof(sn_record_keys, slopes), .of = "object_names",
     .about = "heaps of grains, by the names of objects, of which the angle of repose goes into a trace"},
    {"every", SN_KEY_COUNT, offsetof(sn_record_keys, every), .least = 1, .most = 1e9,
     .about = "a trace has a row every so many frames"},
    END};

static void record_defaults(void *record)
{
    ((sn_record_keys *)record)->every = 1;
}

const sn_record sn_record_record = {"record", "What goes into a trace, besides energies, momenta and residuals.",
                                    sizeof(sn_record_keys), record_keys, record_defaults};

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

#define STUFF(key) offsetof(sn_stuff, key)

static const sn_key stuff_keys[] = {
    {"density", SN_KEY_REAL, STUFF(density), .unit = "kg/m, kg/m^2 or kg/m^3", .flags = SN_KEY_POSITIVE,
     .about =
         "the density of a line, a sheet or a solid; the object weighs 1 kg if neither this nor its mass is given"},
    {"stretch", SN_KEY_REAL, STUFF(stretch), .unit = "1/N, m/N or m^2/N", .most = UNLIMITED,
     .about = "compliance against stretching, 1/EA, 1/Et or 1/E; 0 is rigid"},
    {"shear", SN_KEY_REAL, STUFF(shear), .unit = "as stretch", .most = UNLIMITED,
     .about = "compliance against shearing; the same as stretch if not given"},
    {"bend", SN_KEY_REAL, STUFF(bend), .unit = "1/(N m^2) or 1/(N m)", .most = UNLIMITED,
     .about = "compliance against bending, 1/EI of a line, inverse plate stiffness of a sheet; none if not given"},
    {"volume", SN_KEY_REAL, STUFF(volume), .unit = "m^2/N", .most = UNLIMITED,
     .about = "compliance against a change of volume, the inverse bulk modulus of a solid"},
    {"young", SN_KEY_REAL, STUFF(young), .unit = "Pa", .flags = SN_KEY_POSITIVE,
     .about = "Young's modulus of a solid material, instead of stretch; bend and volume follow from it too, unless "
              "they are given"},
    {"poisson", SN_KEY_REAL, STUFF(poisson), .least = 0, .most = 0.5,
     .about = "with young: Poisson's ratio, which bend of a sheet and volume of a solid depend on; 0.3 if not given, "
              "0.5 keeps the volume"},
    {"thickness", SN_KEY_REAL, STUFF(thickness), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "with young: the diameter of a round line, or how thick a sheet is; twice the radius of the object's "
              "particles if not given"},
    {"area", SN_KEY_REAL, STUFF(area), .unit = "m^2", .flags = SN_KEY_POSITIVE,
     .about = "with young, instead of thickness: the area of a section of a line of loose strands, which does not "
              "resist bending"},
    {"damping", SN_KEY_REAL, STUFF(damping), .unit = "s", .most = UNLIMITED,
     .about = "damping of its soft constraints as a multiple of their stiffness"},
    {"stiffness", SN_KEY_REAL, STUFF(stiffness), .least = 0, .most = 1,
     .about = "the classic stiffness k of all its constraints; its effect depends on the number of passes"},
    {"tear_strain", SN_KEY_REAL, STUFF(tear_strain), .most = UNLIMITED,
     .about = "it tears where a rod is longer than 1 + this times its rest length: what has triangles at vertices, a "
              "rope at links; 0: never by that"},
    {"tear_force", SN_KEY_REAL, STUFF(tear_force), .unit = "N", .most = UNLIMITED,
     .about = "the material tears where a rod pulls with more than this force; 0: never by force"},
    {"tear_spread", SN_KEY_REAL, STUFF(tear_spread), .most = 0.9,
     .about = "tear strengths differ from rod to rod by this share, up and down"},
    {"tear_seed", SN_KEY_COUNT, STUFF(tear_seed), .most = 4294967295.0,
     .about = "the seed of the differences between tear strengths: another number gives another tear"},
    {"tear_fatigue", SN_KEY_REAL, STUFF(tear_fatigue), .most = 1,
     .about = "the share of its strength that a rod loses when it is loaded up to it and let go again; of half the "
              "load it is a sixteenth of that"},
    END};

sn_stuff sn_default_stuff(void)
{
    return (sn_stuff){.density = NOT_GIVEN,
                      .shear = NOT_GIVEN,
                      .bend = NOT_GIVEN,
                      .volume = NOT_GIVEN,
                      .young = NOT_GIVEN,
                      .poisson = NOT_GIVEN,
                      .thickness = NOT_GIVEN,
                      .area = NOT_GIVEN,
                      .stiffness = 1};
}

static void stuff_defaults(void *record)
{
    *(sn_stuff *)record = sn_default_stuff();
}

const sn_record sn_stuff_record = {"material", "What an object is made of, whatever it is cut into.", sizeof(sn_stuff),
                                   stuff_keys, stuff_defaults};

static const sn_key turn_keys[] = {
    {"axis", SN_KEY_VECTOR, offsetof(sn_turn, axis), .about = "the axis of a rotation, of any length but 0"},
    {"angle", SN_KEY_REAL, offsetof(sn_turn, angle), .unit = "rad",
     .about = "the angle of a rotation, counter-clockwise about its axis"},
    END};

static void turn_defaults(void *record)
{
    *(sn_turn *)record = (sn_turn){.axis = {0, 1, 0}};
}

const sn_record sn_turn_record = {"turn", "A rotation.", sizeof(sn_turn), turn_keys, turn_defaults};

#define OBJECT(key) offsetof(sn_object_keys, def.key)

static const sn_key object_keys[] = {
    {"type", SN_KEY_TEXT, offsetof(sn_object_keys, type), .flags = SN_KEY_REQUIRED,
     .about = "the type of the object: rope, cloth, pile and others"},
    {"name", SN_KEY_TEXT, OBJECT(name),
     .about = "the name by which the scene refers to it: letters, digits, '_' and '-'; its type and place in the list "
              "if not given"},
    {"position", SN_KEY_VECTOR, OBJECT(position), .unit = "m",
     .about = "where the origin of the object's frame lies in the world"},
    {"turn", SN_KEY_RECORD, OBJECT(turn), .of = &sn_turn_record,
     .about = "how the object's frame is turned about its origin"},
    {"scale", SN_KEY_REAL, OBJECT(scale), .flags = SN_KEY_POSITIVE, .about = "the scale of the object's frame"},
    {"velocity", SN_KEY_VECTOR, OBJECT(velocity), .unit = "m/s", .about = "the velocity at the start"},
    {"spin", SN_KEY_VECTOR, OBJECT(spin), .unit = "rad/s",
     .about = "turning about its centre of mass at the start, as a vector along the axis"},
    {"mass", SN_KEY_REAL, OBJECT(mass), .unit = "kg", .flags = SN_KEY_POSITIVE,
     .about = "the mass of the whole object; if not given, by its material's density"},
    {"radius", SN_KEY_REAL, OBJECT(radius), .unit = "m", .most = UNLIMITED,
     .about = "the radius of the object's particles"},
    {"group", SN_KEY_VALUE, offsetof(sn_object_keys, group), .of = "group_use",
     .about = "its group: a number, or the name of a group; its place in the list of objects if not given"},
    {"contact", SN_KEY_VALUE, offsetof(sn_object_keys, contact), .of = "group",
     .about = "how its particles take part in contact: what its group is, if that is not said in groups"},
    {"skin", SN_KEY_VALUE, offsetof(sn_object_keys, skin), .of = "skin_use",
     .about = "others collide with its triangles: true, or a record; otherwise with its particles only"},
    {"material", SN_KEY_VALUE, offsetof(sn_object_keys, material), .of = "material_use",
     .about = "what it is made of: the name of a material, or a record"},
    {"pins", SN_KEY_VALUE, offsetof(sn_object_keys, pins), .of = "selectors",
     .about = "its particles that do not move: names of parts, numbers, or other selectors"},
    END};

sn_object_def sn_default_object_def(void)
{
    return (sn_object_def){
        .turn = {.axis = {0, 1, 0}}, .scale = 1, .mass = NOT_GIVEN, .group = SN_OWN_GROUP, .stuff = sn_default_stuff()};
}

static void object_defaults(void *record)
{
    ((sn_object_keys *)record)->def = sn_default_object_def();
}

const sn_record sn_object_record = {"object", "What all objects have.", sizeof(sn_object_keys), object_keys,
                                    object_defaults};

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

#define CONSTRAINT(key) offsetof(sn_constraint_keys, key)

static const sn_key constraint_keys[] = {
    {"kind", SN_KEY_TEXT, CONSTRAINT(kind), .flags = SN_KEY_REQUIRED,
     .about = "the kind of the constraint: distance, joint_hinge and others"},
    {"name", SN_KEY_TEXT, CONSTRAINT(name), .about = "the name by which the scene refers to it"},
    {"points", SN_KEY_VALUE, CONSTRAINT(points), .of = "points", .about = "the points that the constraint holds"},
    {"each", SN_KEY_VALUE, CONSTRAINT(each), .of = "selectors",
     .about = "instead of points, for kinds of one point: a constraint for each of these particles"},
    {"index", SN_KEY_VALUE, CONSTRAINT(index), .of = "whole_numbers",
     .about = "instead of points: the particles of many constraints, one after the other, by their numbers in the "
              "world. Parameters are then single values for all, or lists"},
    {"bodies", SN_KEY_VALUE, CONSTRAINT(bodies), .of = "two_bodies",
     .about = "instead of points, for joints: two bodies that it holds together as they are, or one and \"world\""},
    {"anchor", SN_KEY_VECTOR, CONSTRAINT(anchor), .unit = "m",
     .about = "with bodies: where the joint is in the world; the centre of mass of the second body if not given"},
    {"axis", SN_KEY_VECTOR, CONSTRAINT(axis),
     .about = "with bodies: about which a hinge turns and along which a slider slides, in the world; of a plane its "
              "normal, of a wheel along which it is sprung, of a universal joint the shaft; [1, 0, 0] if not given"},
    {"second_axis", SN_KEY_VECTOR, CONSTRAINT(second_axis),
     .about = "with bodies: the y axis of the joint is the part of it across axis; of a wheel the axle is across both; "
              "any will do if not given"},
    {"compliance", SN_KEY_VALUE, CONSTRAINT(compliance), .unit = "unit of C squared / J", .of = "amounts",
     .about = "inverse stiffness; 0, the default, is rigid"},
    {"damping", SN_KEY_VALUE, CONSTRAINT(damping), .unit = "J s / unit of C squared", .of = "amounts",
     .about = "resists the change of C; needs a compliance; default 0"},
    {"young", SN_KEY_REAL, CONSTRAINT(young.young), .unit = "Pa", .flags = SN_KEY_POSITIVE,
     .about = "of distance, distance_max and distance_band, instead of a compliance: Young's modulus; the compliance "
              "is rest length / (young * section)"},
    {"thickness", SN_KEY_REAL, CONSTRAINT(young.thickness), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "of distance, distance_max and distance_band, with young: the diameter of a round section"},
    {"area", SN_KEY_REAL, CONSTRAINT(young.area), .unit = "m^2", .flags = SN_KEY_POSITIVE,
     .about = "of distance, distance_max and distance_band, with young, instead of thickness: the area of a section"},
    {"stiffness", SN_KEY_VALUE, CONSTRAINT(stiffness), .of = "shares",
     .about = "the classic stiffness k, 0 to 1; default 1"},
    {"collides", SN_KEY_TRUTH, CONSTRAINT(collides),
     .about = "whether the particles and bodies that it joins collide with each other; default false"},
    {"strength", SN_KEY_REAL, CONSTRAINT(strength), .unit = "N", .most = UNLIMITED,
     .about = "the force at which the constraint breaks; 0: it does not break"},
    {"torque_strength", SN_KEY_REAL, CONSTRAINT(torque_strength), .unit = "N m", .most = UNLIMITED,
     .about = "the torque at which a joint breaks; 0: it does not break"},
    {"tear_strain", SN_KEY_REAL, CONSTRAINT(tear_strain), .most = UNLIMITED,
     .about = "a rod tears when it is longer than 1 + this times its rest length, and takes bending that hangs on it "
              "along; 0: never by that"},
    {"tear_force", SN_KEY_REAL, CONSTRAINT(tear_force), .unit = "N", .most = UNLIMITED,
     .about = "a rod tears when it pulls with more than this force; 0: never by force"},
    {"tear_fatigue", SN_KEY_REAL, CONSTRAINT(tear_fatigue), .most = 1,
     .about = "with one of these: the share of its strength that it loses when it is loaded up to it and let go again"},
    {"state", SN_KEY_REALS, CONSTRAINT(state), .flags = SN_KEY_NOT_SAVED,
     .about = "what it remembers from one substep to the next, of kinds that do: for saved scenes"},
    END};

static void constraint_defaults(void *record)
{
    sn_constraint_keys *keys = record;
    keys->anchor = keys->axis = keys->second_axis = (sn_vec3){NOT_GIVEN, NOT_GIVEN, NOT_GIVEN};
    keys->young = (sn_young){NOT_GIVEN, NOT_GIVEN, NOT_GIVEN};
}

const sn_record sn_constraint_record = {"constraint", "A constraint, or many of one kind.", sizeof(sn_constraint_keys),
                                        constraint_keys, constraint_defaults};

#define ATTACHMENT(key) offsetof(sn_attachment_keys, key)

static const sn_key attachment_keys[] = {
    {"between", SN_KEY_VALUE, ATTACHMENT(between), .of = "two_selectors", .flags = SN_KEY_REQUIRED,
     .about = "two selectors: of as many particles each, tied in pairs, or of any number and one"},
    {"name", SN_KEY_TEXT, ATTACHMENT(name), .about = "the name by which the scene refers to the constraints"},
    {"distance", SN_KEY_REAL, ATTACHMENT(distance), .unit = "m", .most = UNLIMITED,
     .about = "tied by rods of this length; otherwise they stay in one place"},
    {"compliance", SN_KEY_REAL, ATTACHMENT(compliance), .unit = "m/N", .most = UNLIMITED,
     .about = "the compliance of the attachment; 0 is rigid"},
    {"damping", SN_KEY_REAL, ATTACHMENT(damping), .unit = "N s/m", .most = UNLIMITED,
     .about = "the damping of the attachment; it needs a compliance"},
    {"young", SN_KEY_REAL, ATTACHMENT(young.young), .unit = "Pa", .flags = SN_KEY_POSITIVE,
     .about = "with a distance, instead of a compliance: Young's modulus; the compliance is rest length / (young * "
              "section)"},
    {"thickness", SN_KEY_REAL, ATTACHMENT(young.thickness), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "with a distance, with young: the diameter of a round section"},
    {"area", SN_KEY_REAL, ATTACHMENT(young.area), .unit = "m^2", .flags = SN_KEY_POSITIVE,
     .about = "with a distance, with young, instead of thickness: the area of a section"},
    {"tear_strain", SN_KEY_REAL, ATTACHMENT(tear.strain), .most = UNLIMITED,
     .about = "with a distance: one tears when it is longer than 1 + this times its length"},
    {"tear_force", SN_KEY_REAL, ATTACHMENT(tear.force), .unit = "N", .most = UNLIMITED,
     .about = "one tears when it pulls with more than this force; 0: never by force"},
    {"tear_spread", SN_KEY_REAL, ATTACHMENT(tear.spread), .most = 0.9,
     .about = "strengths differ from one to the next by this share, up and down"},
    {"tear_seed", SN_KEY_COUNT, ATTACHMENT(tear.seed), .most = 4294967295.0,
     .about = "the seed of these differences: another number gives another tear"},
    {"tear_fatigue", SN_KEY_REAL, ATTACHMENT(tear.fatigue), .most = 1,
     .about = "the share of its strength that one loses when it is loaded up to it and let go again"},
    END};

static void attachment_defaults(void *record)
{
    sn_attachment_keys *keys = record;
    keys->distance = NOT_GIVEN;
    keys->young = (sn_young){NOT_GIVEN, NOT_GIVEN, NOT_GIVEN};
}

const sn_record sn_attachment_record = {"attachment", "Ties objects together.", sizeof(sn_attachment_keys),
                                        attachment_keys, attachment_defaults};

/* ---- Actions ----------------------------------------------------------------------------------------------------- */

#define FORCE(key) offsetof(sn_force_keys, key)

static const sn_key force_keys[] = {
    {"type", SN_KEY_CHOICE, FORCE(type), .of = &sn_force_choices,
     .about = "what `value` is: a force, an acceleration or a wind"},
    {"of", SN_KEY_VALUE, FORCE(of), .of = "selectors", .about = "what it acts on; everything if not given"},
    {"value", SN_KEY_VECTOR, FORCE(value), .unit = "N, m/s^2 or m/s", .flags = SN_KEY_REQUIRED,
     .about = "the force, the acceleration, or the velocity of the air"},
    {"from", SN_KEY_REAL, FORCE(from), .unit = "s", .about = "the time from which on the force acts"},
    {"to", SN_KEY_REAL, FORCE(to), .unit = "s", .about = "the time until which the force acts; for ever if not given"},
    {"drag", SN_KEY_REAL, FORCE(drag), .unit = "kg/m^3", .most = UNLIMITED,
     .about = "wind: half the density of the air times a drag coefficient"},
    {"gust", SN_KEY_REAL, FORCE(gust), .least = 0, .most = 1,
     .about = "wind: its speed swells and ebbs by this share, in waves that travel with it"},
    {"period", SN_KEY_REAL, FORCE(period), .unit = "s", .flags = SN_KEY_POSITIVE,
     .about = "wind: the time between two gusts"},
    {"turbulence", SN_KEY_REAL, FORCE(turbulence), .unit = "m/s", .most = 1000,
     .about =
         "wind: how strongly the air eddies: the root mean square of what it adds to the velocity along each axis"},
    {"eddies", SN_KEY_REAL, FORCE(eddies), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about =
         "wind: the size of the largest eddies of the turbulence; there are some of half and a quarter of it, too"},
    {"seed", SN_KEY_COUNT, FORCE(seed), .most = 4294967295.0,
     .about = "wind: the seed of the turbulence; another number gives other eddies"},
    END};

static void force_defaults(void *record)
{
    *(sn_force_keys *)record =
        (sn_force_keys){.to = (sn_real)INFINITY, .drag = (sn_real)0.6, .period = (sn_real)1.5, .eddies = 1, .seed = 1};
}

const sn_record sn_force_record = {"force", "A force over a time.", sizeof(sn_force_keys), force_keys, force_defaults};

static const sn_key motion_key_keys[] = {{"time", SN_KEY_REAL, offsetof(sn_motion_key, time), .unit = "s",
                                          .flags = SN_KEY_REQUIRED,
                                          .about = "the time of the keyframe; later than that of the one before"},
                                         {"move", SN_KEY_VECTOR, offsetof(sn_motion_key, move), .unit = "m",
                                          .about = "how far the particles or the body are moved from where they were"},
                                         {"angle", SN_KEY_REAL, offsetof(sn_motion_key, angle), .unit = "rad",
                                          .about = "the angle by which they are turned"},
                                         END};

const sn_record sn_motion_key_record = {"keyframe", "One moment of a motion.", sizeof(sn_motion_key), motion_key_keys,
                                        NULL};

#define MOTION(key) offsetof(sn_motion_keys, key)

static const sn_key motion_keys[] = {
    {"of", SN_KEY_VALUE, MOTION(of), .of = "selectors", .flags = SN_KEY_REQUIRED,
     .about = "the particles or dynamic bodies that are moved, or one kinematic body"},
    {"keys", SN_KEY_RECORDS, MOTION(keys), .of = &sn_motion_key_record, .flags = SN_KEY_REQUIRED,
     .about = "keyframes by time; before the first and after the last they stand"},
    {"axis", SN_KEY_VECTOR, MOTION(axis), .about = "the axis about which the angles of keyframes turn"},
    {"about", SN_KEY_VECTOR, MOTION(about), .unit = "m",
     .about = "a point of that axis; the middle of the particles, or the origin of the kinematic body, if not given. "
              "It moves along"},
    {"smooth", SN_KEY_TRUTH, MOTION(smooth), .about = "ease in and out between keyframes instead of straight lines"},
    {"repeat", SN_KEY_TRUTH, MOTION(repeat), .about = "after the last keyframe it begins again"},
    {"release", SN_KEY_TRUTH, MOTION(release), .about = "after the last keyframe the particles are let go"},
    {"start", SN_KEY_REALS, MOTION(start), .unit = "m", .flags = SN_KEY_NOT_SAVED,
     .about = "where they were at the beginning, x, y, z of each, and of a body also its quaternion, if that is not "
              "where they are: for saved scenes"},
    END};

static void motion_defaults(void *record)
{
    *(sn_motion_keys *)record =
        (sn_motion_keys){.axis = {0, 1, 0}, .about = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN}, .smooth = true};
}

const sn_record sn_motion_record = {"motion", "Moves particles or bodies along keyframes.", sizeof(sn_motion_keys),
                                    motion_keys, motion_defaults};

static const sn_key blade_key_keys[] = {{"time", SN_KEY_REAL, offsetof(sn_blade_key, time), .unit = "s",
                                         .flags = SN_KEY_REQUIRED,
                                         .about = "the time of the keyframe; later than that of the one before"},
                                        {"a", SN_KEY_VECTOR, offsetof(sn_blade_key, a), .unit = "m",
                                         .flags = SN_KEY_REQUIRED, .about = "where one end of the blade is"},
                                        {"b", SN_KEY_VECTOR, offsetof(sn_blade_key, b), .unit = "m",
                                         .flags = SN_KEY_REQUIRED, .about = "where the other end of the blade is"},
                                        END};

const sn_record sn_blade_key_record = {"blade_keyframe", "One moment of a blade.", sizeof(sn_blade_key), blade_key_keys,
                                       NULL};

#define BLADE(key) offsetof(sn_blade_keys, key)

static const sn_key blade_keys[] = {
    {"keys", SN_KEY_RECORDS, BLADE(keys), .of = &sn_blade_key_record, .flags = SN_KEY_REQUIRED,
     .about = "two or more keyframes by time; from the first to the last it cuts what it sweeps over, and what moves "
              "over it"},
    {"object", SN_KEY_TEXT, BLADE(object), .about = "it cuts the group of this object only; everything if not given"},
    {"edges_only", SN_KEY_TRUTH, BLADE(edges_only),
     .about = "surfaces are parted along the edges of their triangles, which are not cut through"},
    END};

const sn_record sn_blade_record = {"blade", "A straight blade that moves along keyframes and cuts ropes and surfaces.",
                                   sizeof(sn_blade_keys), blade_keys, NULL};

#define EVENT(key) offsetof(sn_event_keys, key)

#define WHEN(key) offsetof(sn_when_keys, key)

static const sn_key when_keys[] = {
    {"contact", SN_KEY_VALUE, WHEN(contact), .of = "selectors",
     .about = "these touched something in the last frame; a list of two selectors: each other"},
    {"broken", SN_KEY_VALUE, WHEN(broken), .of = "constraint_names",
     .about = "one of these constraints broke or was cut"},
    {"between", SN_KEY_VALUE, WHEN(between), .of = "points", .about = "two points, with 'below' or 'above'"},
    {"below", SN_KEY_REAL, WHEN(below), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the two points are nearer than this"},
    {"above", SN_KEY_REAL, WHEN(above), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the two points are farther apart than this"},
    END};

static void when_defaults(void *record)
{
    sn_when_keys *keys = record;
    keys->below = keys->above = (sn_real)NAN;
}

const sn_record sn_when_record = {"when",
                                  "What an event waits for, besides its time. It is looked at after every frame.",
                                  sizeof(sn_when_keys), when_keys, when_defaults};

static void event_defaults(void *record)
{
    sn_event_keys *keys = record;
    when_defaults(&keys->when);
    keys->distance = keys->length = keys->scale = (sn_real)NAN;
    keys->young = (sn_young){NOT_GIVEN, NOT_GIVEN, NOT_GIVEN};
    keys->through = (sn_vec3){(sn_real)NAN, (sn_real)NAN, (sn_real)NAN};
    keys->normal = (sn_vec3){0, 1, 0};
}

static const sn_key event_keys[] = {
    {"time", SN_KEY_REAL, EVENT(time), .unit = "s",
     .about = "the time of the event; it happens at the start of the first frame that is not earlier"},
    {"when", SN_KEY_RECORD, EVENT(when), .of = &sn_when_record,
     .about = "the condition that the event waits for, from its time on; it then happens once, at the start of the "
              "next frame"},
    {"type", SN_KEY_CHOICE, EVENT(type), .of = &sn_event_choices, .flags = SN_KEY_REQUIRED, .about = "what happens"},
    {"of", SN_KEY_VALUE, EVENT(of), .of = "selectors_or_constraints",
     .about = "the particles that it happens to; of a cut and of a length: the constraints"},
    {"value", SN_KEY_VECTOR, EVENT(value), .unit = "N s, m/s or m",
     .about = "how much: the impulse, the velocity or the way of a teleport"},
    {"between", SN_KEY_VALUE, EVENT(between), .of = "points", .about = "of attach: which two points"},
    {"distance", SN_KEY_REAL, EVENT(distance), .unit = "m", .least = 0, .most = 1e30,
     .about = "of attach: how far apart they are kept; as far as they are then if not given, 0 makes them one"},
    {"compliance", SN_KEY_REAL, EVENT(compliance), .unit = "m/N", .least = 0, .most = 1e30,
     .about = "of attach: inverse stiffness; 0 is rigid"},
    {"young", SN_KEY_REAL, EVENT(young.young), .unit = "Pa", .flags = SN_KEY_POSITIVE,
     .about = "of attach, instead of a compliance: Young's modulus; the compliance is rest length / (young * section)"},
    {"thickness", SN_KEY_REAL, EVENT(young.thickness), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "of attach, with young: the diameter of a round section"},
    {"area", SN_KEY_REAL, EVENT(young.area), .unit = "m^2", .flags = SN_KEY_POSITIVE,
     .about = "of attach, with young, instead of thickness: the area of a section"},
    {"length", SN_KEY_REAL, EVENT(length), .unit = "m", .least = 0, .most = 1e30,
     .about = "of length: the new rest length of each constraint"},
    {"scale", SN_KEY_REAL, EVENT(scale), .flags = SN_KEY_POSITIVE,
     .about = "of length: what the rest length is multiplied by"},
    {"through", SN_KEY_VECTOR, EVENT(through), .unit = "m",
     .about = "of cut, instead of constraints: a place in the plane along which everything is cut"},
    {"normal", SN_KEY_VECTOR, EVENT(normal), .about = "of cut: the normal of that plane"},
    {"object", SN_KEY_TEXT, EVENT(object),
     .about = "of tear: the object; of a cut along a plane: only the group of this object is cut"},
    {"tear_strain", SN_KEY_REAL, EVENT(tear.strain), .most = UNLIMITED,
     .about = "of tear: it tears where a rod is longer than 1 + this times its rest length"},
    {"tear_force", SN_KEY_REAL, EVENT(tear.force), .unit = "N", .most = UNLIMITED,
     .about = "of tear: it tears where a rod pulls with more than this force"},
    {"tear_spread", SN_KEY_REAL, EVENT(tear.spread), .most = 0.9,
     .about = "of tear: strengths differ from rod to rod by this share, up and down"},
    {"tear_seed", SN_KEY_COUNT, EVENT(tear.seed), .most = 4294967295.0,
     .about = "of tear: the seed of these differences: another number gives another tear"},
    {"tear_fatigue", SN_KEY_REAL, EVENT(tear.fatigue), .most = 1,
     .about = "of tear: the share of its strength that a rod loses when it is loaded up to it and let go again"},
    END};

const sn_record sn_event_record = {"event", "Something that happens at once.", sizeof(sn_event_keys), event_keys,
                                   event_defaults};

/* ---- The document ------------------------------------------------------------------------------------------------ */

#define SCENE(key) offsetof(sn_scene_keys, key)

static const sn_key scene_keys[] = {
    {"sinew", SN_KEY_COUNT, SCENE(version), .least = 1, .most = SN_SCENE_VERSION,
     .about = "the version of the scene format"},
    {"title", SN_KEY_TEXT, SCENE(title), .about = "the title of the scene, a few words"},
    {"about", SN_KEY_TEXT, SCENE(about), .about = "what the scene shows, in a sentence or two"},
    {"topic", SN_KEY_TEXT, SCENE(topic), .about = "the topic that the scene belongs to"},
    {"world", SN_KEY_RECORD, SCENE(world), .of = &sn_world_record,
     .about = "settings of the world: gravity, solver, substeps"},
    {"run", SN_KEY_RECORD, SCENE(run), .of = &sn_run_record, .about = "how many frames to run, and how many a second"},
    {"variables", SN_KEY_VALUE, SCENE(variables), .of = "variables", .flags = SN_KEY_NOT_SAVED,
     .about = "values by name, for expressions such as \"$width / 2\"; a later one may use earlier ones"},
    {"materials", SN_KEY_VALUE, SCENE(materials), .of = "materials",
     .about = "materials by name, which objects refer to"},
    {"contact", SN_KEY_RECORD, SCENE(contact), .of = &sn_contact_record,
     .about = "settings of contact for the whole world"},
    {"groups", SN_KEY_VALUE, SCENE(groups), .of = "groups",
     .about = "groups of particles, and how they take part in contact, by name or number"},
    {"objects", SN_KEY_VALUE, SCENE(objects), .of = "objects",
     .about = "the objects of the scene: ropes, cloth, figures and more"},
    {"bodies", SN_KEY_VALUE, SCENE(bodies), .of = "bodies",
     .about = "rigid bodies, one by one: dynamic, static and kinematic ones"},
    {"constraints", SN_KEY_VALUE, SCENE(constraints), .of = "constraints",
     .about = "constraints besides those that objects come with"},
    {"names", SN_KEY_VALUE, SCENE(names), .of = "names", .about = "further names of constraints; for saved scenes"},
    {"attachments", SN_KEY_VALUE, SCENE(attachments), .of = "attachments",
     .about = "attachments that tie objects together"},
    {"forces", SN_KEY_VALUE, SCENE(forces), .of = "forces",
     .about = "forces, accelerations and winds that act over a time"},
    {"motions", SN_KEY_VALUE, SCENE(motions), .of = "motions",
     .about = "motions that lead particles and bodies along keyframes"},
    {"blades", SN_KEY_VALUE, SCENE(blades), .of = "blades", .about = "blades that move along keyframes and cut"},
    {"characters", SN_KEY_VALUE, SCENE(characters), .of = "characters",
     .about = "bodies that walk, besides objects of type character: for saved scenes"},
    {"events", SN_KEY_VALUE, SCENE(events), .of = "events",
     .about = "events that happen at one moment: impulses, cuts, releases and more"},
    {"record", SN_KEY_RECORD, SCENE(record), .of = &sn_record_record,
     .about = "what a trace records, besides energies, momenta and residuals"},
    END};

static void scene_defaults(void *record)
{
    sn_scene_keys *keys = record;
    keys->version = SN_SCENE_VERSION;
    world_defaults(&keys->world);
    run_defaults(&keys->run);
    record_defaults(&keys->record);
    keys->contact = sn_default_contact_settings();
}

const sn_record sn_scene_record = {"scene",
                                   "A scene of Sinew: objects, constraints, and what happens to them. SI "
                                   "units.",
                                   sizeof(sn_scene_keys), scene_keys, scene_defaults};

/* ---- Object types ------------------------------------------------------------------------------------------------ */

#define SN_OBJECT(name) extern const sn_object_type sn_object_##name;
#include "scene/objects.def"
#undef SN_OBJECT

static const sn_object_type *const types[] = {
#define SN_OBJECT(name) &sn_object_##name,
#include "scene/objects.def"
#undef SN_OBJECT
};

uint32_t sn_object_type_count(void)
{
    return COUNT(types);
}

const sn_object_type *sn_object_type_at(uint32_t i)
{
    return i < COUNT(types) ? types[i] : NULL;
}

const sn_object_type *sn_object_type_find(const char *name)
{
    for (uint32_t i = 0; name && i < COUNT(types); ++i)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
