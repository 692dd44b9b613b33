# CLI11: the target `CLI11::CLI11`.
#
# Uses the library's own CMake files where the package has them, else looks for the header.
include(FindPackageHandleStandardArgs)

find_package(CLI11 CONFIG QUIET)
if(TARGET CLI11::CLI11)
  find_package_handle_standard_args(CLI11 CONFIG_MODE)
else()
  find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp)
  mark_as_advanced(CLI11_INCLUDE_DIR)
  find_package_handle_standard_args(CLI11 REQUIRED_VARS CLI11_INCLUDE_DIR)
  if(CLI11_FOUND)
    add_library(CLI11::CLI11 INTERFACE IMPORTED)
    set_target_properties(CLI11::CLI11 PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${CLI11_INCLUDE_DIR}")
  endif()
endif()
