# The compiler: floor, warnings, sanitizers, cache. Everything here is for our own targets.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "fencewise needs g++ 12 or newer; found ${CMAKE_CXX_COMPILER_VERSION}")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND FENCEWISE_FUZZ AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "the fuzz targets need clang 14 or newer; found ${CMAKE_CXX_COMPILER_VERSION}")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT FENCEWISE_FUZZ AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  message(FATAL_ERROR "fencewise needs clang 16 or newer; found ${CMAKE_CXX_COMPILER_VERSION}")
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(FENCEWISE_CCACHE ccache)
  mark_as_advanced(FENCEWISE_CCACHE)
  if(FENCEWISE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${FENCEWISE_CCACHE}")
  endif()
endif()

# With CMAKE_UNITY_BUILD: sources in a unit. (Names of anonymous namespaces must then differ within a library.)
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
endif()

# FENCEWISE_INSTRUMENTATION: flags that every object and every link of the build needs,
# and that a consumer of such a build needs too.
set(FENCEWISE_INSTRUMENTATION "")
set(fencewise_sanitizers "${FENCEWISE_SANITIZE}")
if(FENCEWISE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "FENCEWISE_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++-16")
  endif()
  if(NOT fencewise_sanitizers)
    set(fencewise_sanitizers "address,undefined")
  endif()
  list(APPEND FENCEWISE_INSTRUMENTATION -fsanitize=fuzzer-no-link)
endif()
if(fencewise_sanitizers)
  list(APPEND FENCEWISE_INSTRUMENTATION
    -fsanitize=${fencewise_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Left out: what AddressSanitizer sees as well, and what costs a quarter of the time to build and finds nothing here.
  if(fencewise_sanitizers MATCHES "undefined")
    list(APPEND FENCEWISE_INSTRUMENTATION -fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
add_compile_options(${FENCEWISE_INSTRUMENTATION})
add_link_options(${FENCEWISE_INSTRUMENTATION})

# Warnings and the language level, for every target of the project. Never exported.
add_library(fencewise_warnings INTERFACE)
target_compile_options(fencewise_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
if(NOT CMAKE_UNITY_BUILD)
  target_compile_options(fencewise_warnings INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What another file of the same unit calls so is not shadowed.
  target_compile_options(fencewise_warnings INTERFACE -Wshadow=local)
endif()
if(FENCEWISE_WERROR)
  target_compile_options(fencewise_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These depend on what the optimizer happens to inline, and fire inside libstdc++ (std::string,
  # std::variant) on correct code: shown, but no reason to stop a build.
  target_compile_options(fencewise_warnings INTERFACE
    -Wno-error=maybe-uninitialized -Wno-error=array-bounds
    -Wno-error=stringop-overflow -Wno-error=stringop-overread)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC bug 105651: -Wrestrict on every `"text" + string`.
    target_compile_options(fencewise_warnings INTERFACE -Wno-restrict)
  else()
    # New in 13, and wrong for functions that return a reference to what an argument views.
    target_compile_options(fencewise_warnings INTERFACE -Wno-error=dangling-reference)
  endif()
endif()

# Everything that one of our own targets needs besides its sources.
function(fencewise_common_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:fencewise_warnings>)
endfunction()

# Headers that most sources include, compiled once per target. Only light ones: what a heavy header instantiates would be
# compiled again in every source.
function(fencewise_precompile_common_headers target)
  target_precompile_headers(${target} PRIVATE
    <fmt/format.h> <algorithm> <functional> <map> <memory> <optional> <set> <string> <unordered_map> <variant> <vector>)
endfunction()

# For sources whose compile time matters and whose speed does not: readers, reports, tests, command lines. (With sanitizers -O0
# takes about half the time of -O1, and misses nothing.)
function(fencewise_compile_fast target)
  if(FENCEWISE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()
