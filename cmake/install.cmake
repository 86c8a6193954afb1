# Installation: the library, its headers, and files for find_package and pkg-config. The installed tree may be moved; no
# file in it contains its original path, unless a directory was given as an absolute path.

include(CMakePackageConfigHelpers)

install(TARGETS sinew EXPORT sinew-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")

# find_package(sinew)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/sinew")
install(EXPORT sinew-targets NAMESPACE sinew:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/sinew-config.cmake.in"
  "${PROJECT_BINARY_DIR}/sinew-config.cmake" INSTALL_DESTINATION "${package_dir}")
if(PROJECT_VERSION_MAJOR EQUAL 0) # the same rule as for the soversion
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/sinew-config-version.cmake" COMPATIBILITY ${compatibility})
install(FILES "${PROJECT_BINARY_DIR}/sinew-config.cmake" "${PROJECT_BINARY_DIR}/sinew-config-version.cmake"
  DESTINATION "${package_dir}")

# pkg-config. A program that links a static library must also link its dependencies. Those of a shared library are
# listed only for 'pkg-config --static'.
set(pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
set(pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(pc_cflags "-I\${includedir}")
if(SINEW_DOUBLE)
  string(APPEND pc_cflags " -DSINEW_DOUBLE=1")
endif()
if(library_type STREQUAL "SHARED_LIBRARY")
  string(APPEND pc_cflags " -DSINEW_SHARED")
  set(pc_libs "-L\${libdir} -lsinew")
  set(pc_libs_private "Libs.private: -lm -pthread")
else()
  set(pc_libs "-L\${libdir} -lsinew -lm -pthread")
  set(pc_libs_private "")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/sinew.pc.in" "${PROJECT_BINARY_DIR}/sinew.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/sinew.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# 'make install' builds these and nothing else.
add_custom_target(install_parts DEPENDS sinew)

# The scene library: find_package(sinew COMPONENTS scene), pkg-config sinew-scene. It is always an archive, and needs
# jansson.
if(TARGET sinew_scene_library)
  add_dependencies(install_parts sinew_scene_library)
  install(TARGETS sinew_scene_library EXPORT sinew-scene-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/scene/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
  install(EXPORT sinew-scene-targets NAMESPACE sinew:: DESTINATION "${package_dir}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/sinew-scene.pc.in" "${PROJECT_BINARY_DIR}/sinew-scene.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/sinew-scene.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()

# The command, with its manual page, its scenes, the Blender script that imports its exports, and shell completion.
if(SINEW_COMMAND)
  add_dependencies(install_parts sinew_command)
  set(share "${CMAKE_INSTALL_DATADIR}")
  install(TARGETS sinew_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/cli/sinew.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenes" DESTINATION "${share}/sinew")
  install(FILES "${PROJECT_SOURCE_DIR}/tools/blender/import_sinew.py" DESTINATION "${share}/sinew/blender")
  # The web page of 'sinew view', if it is built ('make install' builds it).
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/web/playground/dist/" DESTINATION "${share}/sinew/playground" OPTIONAL)
  install(FILES "${PROJECT_SOURCE_DIR}/cli/completion.bash" DESTINATION "${share}/bash-completion/completions"
    RENAME sinew)
endif()
