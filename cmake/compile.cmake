# Compiler options for everything in this tree. None of them reaches programs that use the library.

if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  message(WARNING "Sinew is tested with gcc and clang. The flags that make its results the same on every machine "
                  "are not known for ${CMAKE_C_COMPILER_ID}.")
endif()

# The part of UBSan that checks every pointer before it is used. ASan detects invalid pointers, too.
set(sinew_no_pointers -fno-sanitize=null,alignment,object-size,pointer-overflow,nonnull-attribute,returns-nonnull-attribute)

# For every target: the language, the rules of determinism, warnings, sanitizers.
function(sinew_compile target)
  set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L) # strict C17 hides clocks and pipes otherwise
  if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()

  # Same scene, same bits: a*b+c is rounded twice everywhere, whether or not the machine has a fused multiply-add. Never
  # -ffast-math. errno is never read after sqrt, and without it sqrt is one instruction.
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno)

  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
                                           -Wvla -Wpointer-arith -Wundef)
  if(SINEW_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()

  if(SINEW_SANITIZE) # the first finding ends the program, so that a test cannot pass with one
    target_compile_options(${target} PRIVATE -fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer -g1)
    target_link_options(${target} PRIVATE -fsanitize=${SINEW_SANITIZE})
    if(SINEW_SANITIZE MATCHES "undefined") # casts of numbers that do not fit; 'undefined' does not include these
      target_compile_options(${target} PRIVATE -fsanitize=float-cast-overflow)
      if(NOT SINEW_SANITIZE_POINTERS)
        target_compile_options(${target} PRIVATE ${sinew_no_pointers})
      endif()
    endif()
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
      # gcc warns of uninitialised values in code that the sanitizers inserted. Variable tracking would take as long as
      # the rest of compiling src/wide/.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -fno-var-tracking)
    endif()
  endif()
endfunction()

# For the library only.
function(sinew_compile_library target)
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden) # only functions with SN_API are exported
  if(NOT SINEW_LANES4)
    target_compile_definitions(${target} PRIVATE SINEW_WITHOUT_LANES4=1)
  endif()
  if(SINEW_SCALAR)
    target_compile_definitions(${target} PRIVATE SINEW_SCALAR=1)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fno-tree-vectorize)
    elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
      target_compile_options(${target} PRIVATE -fno-vectorize -fno-slp-vectorize)
    endif()
  endif()
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Where gcc 12 vectorises straight-line code, it simplifies x - (double)(float)x to 0, and so loses the rounding
    # remainder. The kernels of src/wide/, which do not compute that, are vectors already; for them it is on again.
    target_compile_options(${target} PRIVATE -fno-tree-slp-vectorize)
  endif()
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SINEW_DOUBLE)
    # A float in double arithmetic is slow and rounds differently. Programs and tests are excluded, since they print
    # floats, which converts them all; so is clang, which also warns of a plain 'double d = f'.
    target_compile_options(${target} PRIVATE -Wdouble-promotion)
  endif()
  if(SINEW_SANITIZE) # an archive carries no runtime: the program must link it
    target_link_options(${target} INTERFACE -fsanitize=${SINEW_SANITIZE})
  endif()
endfunction()

# Sources with formulas over lanes (sinew/lanes.h) are compiled once more for each vector size, as part of the target.
# The objects are in the list `lanes_objects`.
function(sinew_add_lanes target)
  set(objects)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT SINEW_SCALAR AND NOT SINEW_DOUBLE)
    foreach(size IN ITEMS 16 32)
      if((size EQUAL 32 AND NOT SINEW_COMPILES_avx2) OR (size EQUAL 16 AND NOT SINEW_LANES4))
        continue()
      endif()
      set(wide ${target}_lanes_${size})
      add_library(${wide} OBJECT ${ARGN})
      sinew_compile(${wide})
      target_include_directories(${wide} PRIVATE "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
      target_compile_definitions(${wide} PRIVATE SN_VECTOR=${size})
      target_compile_options(${wide} PRIVATE -Wno-psabi ${sinew_kernel_sanitizers} ${sinew_no_undefined})
      if(size EQUAL 16 AND SINEW_COMPILES_avx2 AND NOT SINEW_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${wide} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:-O1;-fpeel-loops>") # for old processors, see below
      elseif(NOT SINEW_SANITIZE)
        target_compile_options(${wide} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:-O3>")
      endif()
      if(size EQUAL 32)
        target_compile_options(${wide} PRIVATE ${sinew_avx2})
      endif()
      set_target_properties(${wide} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_compile_definitions(${target} PRIVATE SN_LANES_${size}=1)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${wide}>)
      list(APPEND objects $<TARGET_OBJECTS:${wide}>)
    endforeach()
  endif()
  set(lanes_objects "${objects}" PARENT_SCOPE)
endfunction()

# The formulas of the library: those of kinds, their drivers, the rotation of bodies, and joints.
function(sinew_compile_lanes target)
  set(formulas)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/constraints/*.c")
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" has REGEX "^SN_LANES\\(")
    if(has)
      list(APPEND formulas "${source}")
    endif()
  endforeach()
  foreach(name IN ITEMS wide/drive wide/drive_double bodies/turning world/swings
          contact/body_pivots)
    list(APPEND formulas "${PROJECT_SOURCE_DIR}/src/${name}.c")
  endforeach()
  sinew_add_lanes(${target} ${formulas})
  foreach(size IN ITEMS 16 32)
    if(TARGET ${target}_lanes_${size})
      sinew_compile_library(${target}_lanes_${size})
    endif()
  endforeach()
  set(sinew_lanes_objects "${lanes_objects}" PARENT_SCOPE) # for other targets that use the objects of the library
endfunction()

# Sources of src/wide/ have the same kernels for several instruction sets, of which the library chooses at run time. -O3
# unrolls their loops over the parts of a record; gcc's -O2 keeps these as loops through memory, which is 40 % slower. A
# build for debugging or with sanitizers keeps its own level.
function(sinew_compile_wide)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  set(avx2 -mavx2 -mno-fma)
  set(avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw ${avx2})
  if(MINGW AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # On Windows gcc spills wide registers to a stack that is aligned for narrow ones (gcc bug 54412); the assembler
    # helps.
    list(APPEND avx2 -Wa,-muse-unaligned-vector-move)
    list(APPEND avx512 -Wa,-muse-unaligned-vector-move)
  endif()
  include(CheckCCompilerFlag)
  foreach(set IN ITEMS avx2 avx512)
    string(REPLACE ";" " " flags "${${set}}")
    check_c_compiler_flag("${flags}" SINEW_COMPILES_${set})
  endforeach()
  set(sinew_avx2 "${avx2}" PARENT_SCOPE)
  set(chain_avx2 ${avx2})
  set(SINEW_COMPILES_chain_avx2 ${SINEW_COMPILES_avx2})
  # The compile time of gcc's sanitizers in kernels, of which everything is inlined: scalar.c 6 s without them, 38 s
  # with all. Half of that is poisoning of locals that leave their scope. Undefined behaviour is checked for one lane
  # only: the other widths are the same sources. In a function with more accesses than a threshold, each access is
  # checked by a call and not inline. With calls alone avx2.c takes 12 s instead of 23 s, but contact runs five times
  # slower. Few tests run scalar.c and lanes4.c.
  set(kernel_sanitizers)
  set(no_undefined)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND SINEW_SANITIZE MATCHES "address")
    set(kernel_sanitizers --param=asan-stack=0 --param=asan-instrumentation-with-call-threshold=)
    set(no_undefined -fno-sanitize=undefined,float-cast-overflow)
    # In a kernel, UBSan's pointer checks take half of the time.
    set(no_pointers ${sinew_no_pointers})
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/wide/contact_scalar.c" PROPERTIES COMPILE_OPTIONS
                                "${kernel_sanitizers}0;${no_pointers}")
    set(sinew_kernel_sanitizers "${kernel_sanitizers}600" PARENT_SCOPE)
    set(sinew_no_undefined "${no_undefined}" PARENT_SCOPE)
  endif()
  foreach(name IN ITEMS scalar chain_plain chain_avx2 lanes4 avx2 avx512 drive drive_double)
    set(options -Wno-psabi) # vectors are arguments of functions that are always inlined
    if(NOT SINEW_SANITIZE)
      list(APPEND options "$<$<CONFIG:Release,RelWithDebInfo>:-O3>")
      if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SINEW_SCALAR)
        list(APPEND options "$<$<CONFIG:Release,RelWithDebInfo>:-ftree-slp-vectorize>")
      endif()
    elseif(kernel_sanitizers)
      if(name MATCHES "scalar|lanes4")
        list(APPEND options "${kernel_sanitizers}0")
      else()
        list(APPEND options "${kernel_sanitizers}600")
      endif()
      if(name MATCHES "chain|lanes4|avx")
        list(APPEND options ${no_undefined})
      else()
        list(APPEND options ${no_pointers})
      endif()
    endif()
    if(name STREQUAL "scalar" AND SINEW_LANES4 AND NOT SINEW_SCALAR AND NOT SINEW_SANITIZE)
      set(options -Wno-psabi "$<$<CONFIG:Release,RelWithDebInfo>:-O1>") # unused where there are vectors
      set_source_files_properties("${PROJECT_SOURCE_DIR}/src/wide/contact_scalar.c" PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
    if(NOT SINEW_SANITIZE AND NOT SINEW_SCALAR AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
      # Of -O3 these need only the unrolling of short loops (counted in instructions); full -O3 takes half as long again
      # to compile. Four lanes beside eight are for processors older than AVX2, and drivers of one lane are unused where
      # there are vectors.
      set(old "$<STREQUAL:$<TARGET_PROPERTY:NAME>,sinew>")
      if(SINEW_COMPILES_avx2)
        set(old "$<OR:${old},$<STREQUAL:$<TARGET_PROPERTY:NAME>,sinew_lanes_16>>")
      endif()
      if(name MATCHES "^drive")
        set(options -Wno-psabi -ftree-slp-vectorize "$<$<CONFIG:Release,RelWithDebInfo>:$<IF:${old},-O1,-O2>;-fpeel-loops>")
      elseif(name STREQUAL "lanes4" AND SINEW_COMPILES_avx2)
        set(options -Wno-psabi -ftree-slp-vectorize "$<$<CONFIG:Release,RelWithDebInfo>:-O1;-fpeel-loops>")
      endif()
    endif()
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND name MATCHES "^drive")
      # gcc 12 does not see that each pass of a loop over rows reads what the previous pass has written.
      list(APPEND options -Wno-maybe-uninitialized)
    endif()
    if(SINEW_COMPILES_${name})
      list(APPEND options ${${name}})
    endif()
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/wide/${name}.c" PROPERTIES COMPILE_OPTIONS "${options}")
  endforeach()
  # These make, tear, cut, draw, load or report things. Ordinary steps do not run them, so they are compiled to be small
  # (a quarter less than with -O2).
  if(NOT SINEW_SANITIZE)
    foreach(name IN ITEMS
            bodies/mass bodies/mass_shapes collision/hull collision/revolved collision/shape_data collision/shape_def
            solvers/hierarchy_follow solvers/hierarchy_stages solvers/plan_layers solvers/solids_build
            world/accumulator world/body_calls world/budget world/character world/compromise world/constraint_edits
            world/constraint_forces world/draw world/draw_constraints world/draw_contacts world/draw_shapes world/fixed
            world/fixed_shapes world/joints world/object_fields world/origin world/relax world/report world/rewind
            world/shapes world/short_forms world/skins world/snapshot world/state_hash world/tear_apart world/tear_blade
            world/tear_cells world/tear_cut world/tear_cut_shape world/tear_energy world/tear_insert world/tear_path
            world/tear_shape world/tear_solid world/tear_split world/tear_sweep world/worlds_form)
      set_source_files_properties("${PROJECT_SOURCE_DIR}/src/${name}.c" PROPERTIES COMPILE_OPTIONS
        "$<$<CONFIG:Release,RelWithDebInfo>:-Os>")
    endforeach()
  endif()
endfunction()
