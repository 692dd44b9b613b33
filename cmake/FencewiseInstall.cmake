# `cmake --install` and what `find_package(fencewise)` reads.
include(CMakePackageConfigHelpers)

set(fencewise_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fencewise)

install(EXPORT fencewiseTargets NAMESPACE fencewise:: DESTINATION ${fencewise_config_dir})
if(TARGET fencewise_testing)
  # Apart, since it needs GoogleTest and RapidCheck and the others don't.
  install(EXPORT fencewiseTestingTargets NAMESPACE fencewise:: DESTINATION ${fencewise_config_dir})
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/fencewiseConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/fencewiseConfig.cmake"
  INSTALL_DESTINATION ${fencewise_config_dir})
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/fencewiseConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/fencewiseConfig.cmake"
  "${PROJECT_BINARY_DIR}/fencewiseConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/Findrapidcheck.cmake"
  DESTINATION ${fencewise_config_dir})
