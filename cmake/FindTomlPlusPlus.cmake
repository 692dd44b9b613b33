# toml++: the header-only target `TomlPlusPlus::headers`.
#
# The distributions also build it as a shared library, and their CMake files offer only that. One source
# of ours includes it, so header-only costs nothing and leaves users of fencewise without that dependency.
include(FindPackageHandleStandardArgs)

find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
mark_as_advanced(TOMLPLUSPLUS_INCLUDE_DIR)
find_package_handle_standard_args(TomlPlusPlus REQUIRED_VARS TOMLPLUSPLUS_INCLUDE_DIR)
if(TomlPlusPlus_FOUND AND NOT TARGET TomlPlusPlus::headers)
  add_library(TomlPlusPlus::headers INTERFACE IMPORTED)
  set_target_properties(TomlPlusPlus::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${TOMLPLUSPLUS_INCLUDE_DIR}")
endif()
