/* VTK files, for ParaView and other programs: a mesh per frame, NAME_0000.vtp, and scene.pvd with their times. */
#ifndef SN_EXPORT_VTK_H
#define SN_EXPORT_VTK_H

#include "export/file.h"
#include "export/mesh_file.h"

/* PolyData in XML, followed by the numbers in binary ("appended raw", little-endian): positions, float or, in a
   double build, double; velocity if it is known; for bodies, `body`, the number of each vertex; triangles, lines,
   and a vertex cell for each vertex that is in neither. Result as of sn_ply_write. */
bool sn_vtp_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size);

/* The collection: every file with its time, s, and part. It can be opened at any moment: a frame is in it once it is
   ended. If ending a frame fails, with the reason in message, the file is as before. */
typedef struct sn_pvd {
    sn_file file;
    uint64_t end, before; /* where the frames end, and where they ended before the last one */
} sn_pvd;

bool sn_pvd_open(sn_pvd *pvd, const char *path, char *message, size_t size);
void sn_pvd_begin(sn_pvd *pvd);
void sn_pvd_put(sn_pvd *pvd, double time, uint32_t part,
                const char *mesh); /* a name in the same folder: letters, digits, '-', '_', '.' */
bool sn_pvd_frame(sn_pvd *pvd, char *message, size_t size);
void sn_pvd_take_back(sn_pvd *pvd); /* removes the last frame, ended or not */
bool sn_pvd_close(sn_pvd *pvd, char *message, size_t size);

#endif
