# fencewise_add_library(<name> [SOURCES ...] [COMPILED_FAST regex] [USES ...] [HEADERS_ONLY_IN_SOURCES ...] [EXPORT set])
#
# Adds the static library `fencewise_<name>` with the alias and export name `fencewise::<name>`.
# Without sources it is an interface library, so that a folder may start with headers alone.
#   COMPILED_FAST            sources whose path matches it are compiled by fencewise_compile_fast
#   USES                     what its headers and sources use; passed on to who links it
#   HEADERS_ONLY_IN_SOURCES  header-only libraries that its sources use and its headers don't
#   EXPORT                   export set, `fencewiseTargets` unless said otherwise
#
# One include root for all: `#include "memmodel/scope.h"` means the same inside the repository and in
# a project that uses an installed copy, where the headers lie under include/fencewise.
function(fencewise_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORT;COMPILED_FAST" "SOURCES;USES;HEADERS_ONLY_IN_SOURCES")
  set(target fencewise_${name})
  if(NOT arg_EXPORT)
    set(arg_EXPORT fencewiseTargets)
  endif()

  if(arg_SOURCES)
    set(visibility PUBLIC)
    set(parts ${target})
    if(arg_COMPILED_FAST)
      set(fast_sources ${arg_SOURCES})
      list(FILTER fast_sources INCLUDE REGEX "${arg_COMPILED_FAST}")
      list(FILTER arg_SOURCES EXCLUDE REGEX "${arg_COMPILED_FAST}")
      list(APPEND parts ${target}_fast)
      add_library(${target}_fast OBJECT ${fast_sources})
      fencewise_compile_fast(${target}_fast)
      target_include_directories(${target}_fast PRIVATE ${PROJECT_SOURCE_DIR})
      target_link_libraries(${target}_fast PRIVATE ${arg_USES})
      list(APPEND arg_SOURCES $<TARGET_OBJECTS:${target}_fast>)
    endif()
    add_library(${target} STATIC ${arg_SOURCES})
    foreach(part IN LISTS parts)
      fencewise_common_options(${part})
      fencewise_precompile_common_headers(${part})
      foreach(library IN LISTS arg_HEADERS_ONLY_IN_SOURCES)
        target_link_libraries(${part} PRIVATE $<BUILD_INTERFACE:${library}>)
      endforeach()
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
