// The same program as C++.
#include "scene.c"
