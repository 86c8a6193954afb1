# The layers above the library: scene/ (documents, builders, meshes), export/ (files), cli/ (the command).

# The library of a layer. It is not linked with Sinew itself; programs are, and tests with its objects instead.
function(sinew_room name)
  add_library(${name} STATIC ${ARGN})
  sinew_compile(${name})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include"
                                            "${PROJECT_SOURCE_DIR}/scene/include")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(SINEW_DOUBLE)
    target_compile_definitions(${name} PUBLIC SINEW_DOUBLE=1)
  endif()
  # Most of it runs once per file: -O1 compiles it in half the time. Loops over pixels and bytes are listed below.
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${name} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:-O1>")
  endif()
endfunction()

if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT SINEW_SANITIZE)
  foreach(name IN ITEMS export/raster export/deflate export/gif export/png scene/wind)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/${name}.c" PROPERTIES COMPILE_OPTIONS
      "$<$<CONFIG:Release,RelWithDebInfo>:-O2>")
  endforeach()
endif()

# The scene layer needs no JSON parser; the files that do are a library of their own.
set(json_sources "${PROJECT_SOURCE_DIR}/scene/json_read.c" "${PROJECT_SOURCE_DIR}/scene/load.c"
    "${PROJECT_SOURCE_DIR}/scene/load_text.c" "${PROJECT_SOURCE_DIR}/scene/folder.c" "${PROJECT_SOURCE_DIR}/scene/api.c")
file(GLOB scene_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scene/*.c" "${PROJECT_SOURCE_DIR}/scene/objects/*.c")
list(REMOVE_ITEM scene_sources ${json_sources})
sinew_room(sinew_scene ${scene_sources})

file(GLOB export_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/export/*.c")
sinew_room(sinew_export ${export_sources})
target_link_libraries(sinew_export PUBLIC sinew_scene)

if(NOT SINEW_COMMAND)
  set_target_properties(sinew_export PROPERTIES EXCLUDE_FROM_ALL ON)
  if(NOT SINEW_SCENE) # nothing uses it here
    set_target_properties(sinew_scene PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
endif()

find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY jansson)
if(NOT JANSSON_INCLUDE_DIR OR NOT JANSSON_LIBRARY)
  message(FATAL_ERROR "The scene library and the sinew command need jansson. Run 'scripts/setup.sh build' (Debian: apt-get install "
                      "libjansson-dev), or configure with -DSINEW_COMMAND=OFF -DSINEW_SCENE=OFF.")
endif()
sinew_room(sinew_json ${json_sources})
target_include_directories(sinew_json SYSTEM PRIVATE "${JANSSON_INCLUDE_DIR}")
target_link_libraries(sinew_json PUBLIC sinew_scene "${JANSSON_LIBRARY}")

# The library for programs, sinew::scene: both in one archive, with scene/include as its headers.
add_library(sinew_scene_library STATIC $<TARGET_OBJECTS:sinew_scene> $<TARGET_OBJECTS:sinew_json>)
add_library(sinew::scene ALIAS sinew_scene_library)
set_target_properties(sinew_scene_library PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME sinew_scene EXPORT_NAME scene
  ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/scene")
target_include_directories(sinew_scene_library INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/scene/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(sinew_scene_library INTERFACE
  sinew "$<BUILD_INTERFACE:${JANSSON_LIBRARY}>" "$<INSTALL_INTERFACE:sinew::jansson>" m)

if(NOT SINEW_COMMAND)
  return()
endif()

# build/<preset>/sinew. Scenes are found beside it when it is installed, else in the source tree.
file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
list(REMOVE_ITEM cli_sources "${PROJECT_SOURCE_DIR}/cli/main.c")
sinew_room(sinew_cli ${cli_sources})
if(SINEW_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(sinew_cli PRIVATE -O0) # half of the compile time; the slow code is elsewhere
endif()
target_compile_definitions(sinew_cli PRIVATE "SINEW_SCENES_DIR=\"${PROJECT_SOURCE_DIR}/scenes\"")
target_link_libraries(sinew_cli PUBLIC sinew_export sinew_json sinew_scene)

# 'sinew view' serves the page with libmicrohttpd. Nothing else needs it.
find_path(MICROHTTPD_INCLUDE_DIR microhttpd.h)
find_library(MICROHTTPD_LIBRARY microhttpd)
if(MICROHTTPD_INCLUDE_DIR AND MICROHTTPD_LIBRARY)
  target_compile_definitions(sinew_cli PUBLIC SINEW_MICROHTTPD=1)
  target_include_directories(sinew_cli SYSTEM PRIVATE "${MICROHTTPD_INCLUDE_DIR}")
  target_link_libraries(sinew_cli PUBLIC "${MICROHTTPD_LIBRARY}")
else()
  message(WARNING "libmicrohttpd is missing: everything is built, but 'sinew view' will refuse to show scenes in the browser. "
                  "Run 'scripts/setup.sh build' (Debian: apt-get install libmicrohttpd-dev) and configure again.")
  target_compile_definitions(sinew_cli PUBLIC SINEW_MICROHTTPD=0)
endif()
add_executable(sinew_command "${PROJECT_SOURCE_DIR}/cli/main.c")
sinew_compile(sinew_command)
target_link_libraries(sinew_command PRIVATE sinew_cli sinew_export sinew_json sinew_scene sinew::sinew m)
set_target_properties(sinew_command PROPERTIES OUTPUT_NAME sinew
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# ---- Fuzz targets: fuzz/fuzz_NAME.c ---------------------------------------------------------------------------------------

file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c")
if(SINEW_FUZZ) # fuzz_NAME, with libFuzzer
  foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} "${source}")
    sinew_compile(${name})
    target_link_libraries(${name} PRIVATE sinew_export sinew_json sinew_scene sinew::sinew m)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  endforeach()
elseif(SINEW_TESTS AND SINEW_SANITIZE MATCHES "address") # drive_NAME, a test with the same inputs every time
  foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    string(REPLACE "fuzz_" "" name "${name}")
    set(runs 60000)
    if(name STREQUAL "scene") # scenes are run and saved, other inputs only read
      set(runs 2000)
    endif()
    add_executable(drive_${name} "${source}" "${PROJECT_SOURCE_DIR}/fuzz/drive.c")
    sinew_compile(drive_${name})
    file(STRINGS "${source}" own_changes REGEX "^size_t LLVMFuzzerCustomMutator")
    if(own_changes)
      target_compile_definitions(drive_${name} PRIVATE DRIVE_OWN_CHANGES)
    endif()
    target_link_libraries(drive_${name} PRIVATE sinew_export sinew_json sinew_scene sinew::sinew m)
    set_target_properties(drive_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    add_test(NAME "fuzz/${name}" COMMAND drive_${name} ${runs} "${PROJECT_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties("fuzz/${name}" PROPERTIES LABELS fuzz TIMEOUT 300)
  endforeach()
endif()
