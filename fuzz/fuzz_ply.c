/* Input: any bytes after the beginning of a PLY file. */
#include "fuzz/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 3 && memcmp(data, "ply", 3) == 0)
        try_mesh(data, size);
    return 0;
}
