# fencewise_add_library(<name> [SOURCES ...] [USES ...] [HEADERS_ONLY_IN_SOURCES ...] [EXPORT set])
#
# Adds the static library `fencewise_<name>` with the alias and export name `fencewise::<name>`.
# Without sources it is an interface library, so that a folder may start with headers alone.
#   USES                     what its headers and sources use; passed on to who links it
#   HEADERS_ONLY_IN_SOURCES  header-only libraries that its sources use and its headers don't
#   EXPORT                   export set, `fencewiseTargets` unless said otherwise
#
# One include root for all: `#include "memmodel/scope.h"` means the same inside the repository and in
# a project that uses an installed copy, where the headers lie under include/fencewise.
function(fencewise_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORT" "SOURCES;USES;HEADERS_ONLY_IN_SOURCES")
  set(target fencewise_${name})
  if(NOT arg_EXPORT)
    set(arg_EXPORT fencewiseTargets)
  endif()

  if(arg_SOURCES)
    set(visibility PUBLIC)
    add_library(${target} STATIC ${arg_SOURCES})
    fencewise_common_options(${target})
    foreach(library IN LISTS arg_HEADERS_ONLY_IN_SOURCES)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
    endforeach()
  else()
    set(visibility INTERFACE)
    add_library(${target} INTERFACE)
    target_compile_features(${target} INTERFACE cxx_std_20)
  endif()
  add_library(fencewise::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/fencewise>)
  target_link_libraries(${target} ${visibility} ${arg_USES})

  install(TARGETS ${target} EXPORT ${arg_EXPORT}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# Installs the headers under the current folder, keeping their paths from the repository root.
function(fencewise_install_headers)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "EXCEPT")
  set(except "")
  foreach(folder IN LISTS arg_EXCEPT)
    list(APPEND except PATTERN ${folder} EXCLUDE)
  endforeach()
  install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fencewise
    FILES_MATCHING PATTERN "*.h" ${except})
endfunction()
