# The library inside the Python package (python/README.md): the engine and the scene library in one shared library, made
# of objects that are compiled anyway. The package also contains jansson, so that it needs only libc on other machines.
# (Debian's archive of jansson cannot be linked into a shared library.)

add_library(sinew_python SHARED $<TARGET_OBJECTS:sinew> ${sinew_lanes_objects} $<TARGET_OBJECTS:sinew_scene>
            $<TARGET_OBJECTS:sinew_json> "${PROJECT_SOURCE_DIR}/python/native/keep.c")
sinew_compile(sinew_python)
target_include_directories(sinew_python PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(sinew_python PRIVATE "${JANSSON_LIBRARY}" Threads::Threads m)
target_link_options(sinew_python PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/python/native/exports.map" "-Wl,--no-undefined")
set_target_properties(sinew_python PROPERTIES PREFIX "" OUTPUT_NAME "_sinew" LINKER_LANGUAGE C C_VISIBILITY_PRESET hidden
  BUILD_RPATH "$ORIGIN" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python"
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/python/native/exports.map")

# Under the name that the loader expects.
get_filename_component(jansson_file "${JANSSON_LIBRARY}" REALPATH)
if(jansson_file MATCHES "libjansson\\.so\\.[0-9]+")
  add_custom_command(TARGET sinew_python POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${jansson_file}" "${PROJECT_BINARY_DIR}/python/${CMAKE_MATCH_0}")
endif()

# The C side of python/bench/step.py, linked with the archive as C programs are.
add_executable(sinew_python_bench EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/python/bench/step.c")
sinew_compile(sinew_python_bench)
target_link_libraries(sinew_python_bench PRIVATE sinew::sinew)
set_target_properties(sinew_python_bench PROPERTIES OUTPUT_NAME bench RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python")
