# Cross compilation for 64-bit ARM with Debian's cross compiler; programs run under qemu's user mode.
# The C library of the cross compiler lies in /usr/aarch64-linux-gnu, which qemu takes as the root of the guest.
# cmocka comes from Debian's arm64 packages and lies in /usr/lib/aarch64-linux-gnu, next to the machine's own.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
