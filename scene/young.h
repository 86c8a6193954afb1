/* Young's modulus, from which compliances follow. */
#ifndef SN_SCENE_YOUNG_H
#define SN_SCENE_YOUNG_H

#include "scene/state.h"

#include <math.h>

/* Replaces the modulus of a stuff by the compliances that follow from it, for an object of this dimension (1 line, 2
   sheet, 3 solid) whose particles have this radius. False after an error was reported: a section that is missing, or
   a compliance that is given as well. */
bool sn_young_fill(sn_reader *reader, sn_stuff *stuff, uint32_t dimension, double radius);

/* The modulus times the section, N: the force that would stretch a rod to twice its length. NaN if none is given, 0
   after an error was reported. compliant: a compliance is given as well, which is an error. */
double sn_young_of_rod(sn_reader *reader, const sn_young *rod, bool compliant);

/* The same for a rod that was checked: NaN if it has no modulus. */
double sn_young_newtons(const sn_young *rod);

/* Sets the compliance of one rod, which follows from its rest length. */
sn_result sn_young_set(sn_world *world, sn_constraint rod, double newtons, sn_real damping);

/* Sets the compliances of rods, which follow from their rest lengths. damping, in N s/m, is that of the rods. False
   after an error was reported: constraints that are no rods. */
bool sn_young_give(sn_scene *scene, sn_reader *reader, sn_constraints run, double newtons, sn_real damping);

/* The compliance of a rod of this length, m/N. */
static inline sn_real sn_young_compliance(double newtons, double length)
{
    return (sn_real)(length / newtons);
}

#endif
