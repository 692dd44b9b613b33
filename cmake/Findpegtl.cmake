# PEGTL, the parsing expression grammar library: the target `taocpp::pegtl`.
#
# Uses the library's own CMake files where the package has them, else looks for the header.
include(FindPackageHandleStandardArgs)

find_package(pegtl CONFIG QUIET)
if(TARGET taocpp::pegtl)
  find_package_handle_standard_args(pegtl CONFIG_MODE)
else()
  find_path(PEGTL_INCLUDE_DIR tao/pegtl.hpp)
  mark_as_advanced(PEGTL_INCLUDE_DIR)
  find_package_handle_standard_args(pegtl REQUIRED_VARS PEGTL_INCLUDE_DIR)
  if(pegtl_FOUND)
    add_library(taocpp::pegtl INTERFACE IMPORTED)
    set_target_properties(taocpp::pegtl PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${PEGTL_INCLUDE_DIR}")
  endif()
endif()
