# Fails, naming the file, where an include points against the direction of the house.
# In: SOURCE_DIR
#
# A folder may include itself and what is listed for it; system and third-party headers are free.
# The first folder that a file's path starts with decides.
set(folders
  memmodel kernels/core kernels protocols checker/cli checker/testing checker)
set(memmodel_may_include "memmodel/")
set(kernels/core_may_include "kernels/core/|memmodel/")
set(kernels_may_include "kernels/|memmodel/")
set(protocols_may_include "protocols/|kernels/|memmodel/")
set(checker/cli_may_include "checker/|protocols/|kernels/|memmodel/")
set(checker/testing_may_include "checker/(testing|explore|properties|report|[^/]*$)|protocols/|kernels/|memmodel/")
set(checker_may_include "checker/(explore|properties|report|[^/]*$)|kernels/core/|memmodel/")

set(violations "")
file(GLOB_RECURSE files RELATIVE "${SOURCE_DIR}"
  "${SOURCE_DIR}/memmodel/*.h" "${SOURCE_DIR}/memmodel/*.cpp"
  "${SOURCE_DIR}/kernels/*.h" "${SOURCE_DIR}/kernels/*.cpp"
  "${SOURCE_DIR}/protocols/*.h" "${SOURCE_DIR}/protocols/*.cpp"
  "${SOURCE_DIR}/checker/*.h" "${SOURCE_DIR}/checker/*.cpp")
foreach(file IN LISTS files)
  foreach(folder IN LISTS folders)
    string(FIND "${file}" "${folder}/" at)
    if(at EQUAL 0)
      set(may_include "${${folder}_may_include}")
      break()
    endif()
  endforeach()
  file(STRINGS "${SOURCE_DIR}/${file}" includes REGEX "^#[ ]*include[ ]+\"")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#[ ]*include[ ]+\"([^\"]*)\".*$" "\\1" header "${line}")
    if(NOT header MATCHES "^(${may_include})")
      string(APPEND violations "  ${file}: \"${header}\"\n")
    endif()
  endforeach()
endforeach()

if(violations)
  message(FATAL_ERROR
    "includes that point the wrong way, or don't start at the repository root:\n${violations}")
endif()
