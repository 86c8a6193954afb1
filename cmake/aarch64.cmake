# Cross compilation for 64-bit ARM with Debian's cross compiler; programs run under qemu's user mode. cmocka is Debian's
# arm64 package, which depends on the C library of arm64; both are in /usr/lib/aarch64-linux-gnu, beside the machine's
# own. Programs run with that C library. Do not point qemu at the cross compiler's C library (-L
# /usr/aarch64-linux-gnu): the loader of one with the slightly newer libc of the other hangs at the first thread.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
