# RapidCheck: the targets `rapidcheck` and `rapidcheck_gtest`.
#
# Uses the library's own CMake files where the package has them, else looks for header and archive.
include(FindPackageHandleStandardArgs)

find_package(rapidcheck CONFIG QUIET)
if(TARGET rapidcheck)
  find_package_handle_standard_args(rapidcheck CONFIG_MODE)
else()
  find_path(RAPIDCHECK_INCLUDE_DIR rapidcheck.h)
  find_library(RAPIDCHECK_LIBRARY rapidcheck)
  mark_as_advanced(RAPIDCHECK_INCLUDE_DIR RAPIDCHECK_LIBRARY)
  find_package_handle_standard_args(rapidcheck
    REQUIRED_VARS RAPIDCHECK_LIBRARY RAPIDCHECK_INCLUDE_DIR)
  if(rapidcheck_FOUND)
    add_library(rapidcheck UNKNOWN IMPORTED)
    set_target_properties(rapidcheck PROPERTIES
      IMPORTED_LOCATION "${RAPIDCHECK_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${RAPIDCHECK_INCLUDE_DIR}")
  endif()
endif()

if(TARGET rapidcheck AND NOT TARGET rapidcheck_gtest)
  add_library(rapidcheck_gtest INTERFACE IMPORTED)
  set_target_properties(rapidcheck_gtest PROPERTIES INTERFACE_LINK_LIBRARIES rapidcheck)
endif()
