// The same program as C++: the headers have to parse and the functions have to be found.
#include "main.c"
