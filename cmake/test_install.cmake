# Installs a build tree into an empty folder, then configures, builds and runs tests/consumer against
# that copy alone. Stops with an error at the first step that fails. The consumer has no build type: that compiles quickest,
# and finds the copy whatever its type is.
# In: BUILD_DIR CONSUMER_DIR WORK_DIR GENERATOR BUILD_TYPE CXX_COMPILER CXX_FLAGS
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix" --config "${BUILD_TYPE}")
step("${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
  "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix")
step("${CMAKE_COMMAND}" --build "${WORK_DIR}/build" --config "${BUILD_TYPE}")
step("${CMAKE_CTEST_COMMAND}" --test-dir "${WORK_DIR}/build" --build-config "${BUILD_TYPE}"
  --output-on-failure --no-tests=error)
