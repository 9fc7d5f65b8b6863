# Kernels that are right, or wrong in one way each; and a whole model written by hand.
set(kernel_kinds RIGHT PARALLEL SLOW SEGFAULT ENDLESS WRONG_VALUE NAN UNWRITTEN WRITES_INPUT PAST_END SLACK BEFORE_START
    EXIT ABORT TRAP OUT_OF_MEMORY STACK_OVERFLOW RETURNS_CODE DRIFT FTZ)
foreach(kind ${kernel_kinds})
    string(TOLOWER ${kind} name)
    add_library(kernel-${name} MODULE ${CMAKE_CURRENT_SOURCE_DIR}/measure/kernels/kernel.c)
    target_compile_definitions(kernel-${name} PRIVATE KIND_${kind})
    target_compile_options(kernel-${name} PRIVATE -O1 -fno-optimize-sibling-calls -Wno-infinite-recursion)
    target_include_directories(kernel-${name} PRIVATE ${PROJECT_SOURCE_DIR})
    set_target_properties(kernel-${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/kernels)
    add_dependencies(test-measure kernel-${name})
endforeach()
add_dependencies(test-measure fettle-runner)
if(TARGET fettle-worker)
    add_dependencies(test-measure fettle-worker)
endif()
target_compile_definitions(test-measure PRIVATE FETTLE_KERNELS="${CMAKE_BINARY_DIR}/kernels"
    FETTLE_PROGRAMS="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
