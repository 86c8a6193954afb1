# Every public call computes in the engine's own floating-point mode, whatever the host has set (src/base/float_mode.h).
# So that none is forgotten, the declarations in include/sinew/ are read, and for every call
#
#   calls.h, which all sources of the library include first, renames it: sn_body_add becomes sn_inner_body_add inside;
#   calls.c has the function that programs call. It sets the mode, calls the other function and restores the mode of
#   the host. If the mode is right already, which is usual, it only tests that, and jumps to the other function.
#
# The two are in different files because a compiler may move arithmetic past an instruction that sets the mode, but not
# into or out of a call into another file. Inside the library, calls call each other directly. WebAssembly, which is not
# built by CMake, has no mode and needs none of this.

# Reading the mode takes 5 ns, because it waits for earlier arithmetic. Programs make many of the following calls, which
# only read what is stored and compute nothing, so they do without.
set(SINEW_PLAIN_CALLS particle_position particle_velocity particle_radius particle_group particle_user particle_is_valid
                      particle_from_index constraint_is_valid body_is_valid fixed_shape_is_valid)

# The declarations of a header, without comments and preprocessor lines; names must be the first thing in them.
function(sinew_read_calls header result)
  file(READ "${header}" text)
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX REPLACE "(^|\n)#[^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(REGEX MATCHALL "SN_API [^;{}]*\\)" calls "${text}")
  set(${result} "${calls}" PARENT_SCOPE)
endfunction()

# The arguments that a call passes on: the last word of each of its parameters.
function(sinew_call_arguments parameters result)
  set(arguments)
  if(NOT parameters STREQUAL "void")
    string(REGEX REPLACE "\\[[^]]*\\]" "" parameters "${parameters}")
    string(REPLACE "," ";" parameters "${parameters}")
    foreach(parameter IN LISTS parameters)
      string(REGEX MATCH "[A-Za-z0-9_]+$" name "${parameter}")
      list(APPEND arguments "${name}")
    endforeach()
  endif()
  string(REPLACE ";" ", " arguments "${arguments}")
  set(${result} "${arguments}" PARENT_SCOPE)
endfunction()

function(sinew_wrap_calls target)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/sinew/*.h")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(inside "/* Made by cmake/calls.cmake from the public headers. */\n#ifndef SINEW_CALLS\n#define SN_API\n")
  set(outside "/* Made by cmake/calls.cmake from the public headers. */\n#include <sinew/sinew.h>\n"
              "#include \"base/float_mode.h\"\n")
  string(CONCAT outside ${outside})
  set(count 0)
  foreach(header IN LISTS headers)
    sinew_read_calls("${header}" calls)
    foreach(declaration IN LISTS calls)
      if(NOT declaration MATCHES "^SN_API (.*[ *])sn_([a-z0-9_]+)\\((.*)\\)$")
        message(FATAL_ERROR "${header}: this is not understood as the declaration of a call: ${declaration}")
      endif()
      set(type "${CMAKE_MATCH_1}")
      set(name "${CMAKE_MATCH_2}")
      set(parameters "${CMAKE_MATCH_3}")
      sinew_call_arguments("${parameters}" arguments)
      string(APPEND inside "#define sn_${name} sn_inner_${name}\n")
      set(call "sn_inner_${name}(${arguments});")
      if(type STREQUAL "void ")
        set(quick "{\n        ${call}\n        return;\n    }")
        set(slow "${call}")
        set(give "")
      else()
        set(quick "return ${call}")
        set(slow "${type}answer = ${call}")
        set(give "    return answer;\n")
      endif()
      set(look "    if (float_mode_is_own())\n        ${quick}\n    const sn_float_mode mode = float_mode_enter();\n    ${slow}
    float_mode_leave(mode);\n${give}")
      if(name IN_LIST SINEW_PLAIN_CALLS)
        set(look "    ${quick}\n")
      endif()
      string(APPEND outside "
${type}sn_inner_${name}(${parameters});
SN_API ${type}sn_${name}(${parameters})
{
${look}}
")
      math(EXPR count "${count} + 1")
    endforeach()
  endforeach()
  if(count LESS 200)
    message(FATAL_ERROR "only ${count} calls were found in include/sinew/")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/calls")
  file(CONFIGURE OUTPUT "${folder}/calls.h" CONTENT "${inside}#endif\n" @ONLY)
  file(CONFIGURE OUTPUT "${folder}/calls.c" CONTENT "${outside}" @ONLY)
  target_sources(${target} PRIVATE "${folder}/calls.c")
  set_source_files_properties("${folder}/calls.c" PROPERTIES COMPILE_DEFINITIONS SINEW_CALLS)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang") # what is long in it is for hosts with another mode
    set_source_files_properties("${folder}/calls.c" PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-Os>")
  endif()
  if(MSVC)
    target_compile_options(${target} PRIVATE "/FI${folder}/calls.h")
  else()
    target_compile_options(${target} PRIVATE -include "${folder}/calls.h")
  endif()
endfunction()
