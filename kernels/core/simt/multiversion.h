// FENCEWISE_CLONES: compiles a function twice, for the baseline and for x86-64-v3 (AVX2 and FMA); the loader picks.
//
// Ifunc resolvers run before a sanitizer's runtime is up, so instrumented builds take the baseline alone; so do other
// machines.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FENCEWISE_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define FENCEWISE_INSTRUMENTED 1
#endif
#endif

#if defined(__x86_64__) && defined(__linux__) && !defined(FENCEWISE_INSTRUMENTED)
#define FENCEWISE_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FENCEWISE_CLONES
#endif
