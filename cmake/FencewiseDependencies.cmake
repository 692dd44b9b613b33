# What we use of other projects, all of it from the distribution's packages.
#
# fmt is part of our interface (a user of an installed fencewise links it), GoogleTest and RapidCheck
# are part of fencewise::testing. The rest is header-only and stays in our sources: a user never sees it.
# Debian 12 and Ubuntu 24.04 both ship these; the Find modules in this folder help where a package has
# no CMake files of its own.

find_package(fmt 9 REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG)  # Boost.Graph, headers only
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(pegtl 3.2 REQUIRED)
find_package(TomlPlusPlus REQUIRED)

# fencewise::testing is part of the product, so it is built wherever its two libraries are there.
if(FENCEWISE_BUILD_TESTS)
  find_package(GTest 1.12 CONFIG REQUIRED)
  find_package(rapidcheck REQUIRED)
else()
  find_package(GTest 1.12 CONFIG QUIET)
  find_package(rapidcheck QUIET)
endif()

if(FENCEWISE_BENCHMARKS)
  find_package(benchmark 1.7 REQUIRED)
endif()
