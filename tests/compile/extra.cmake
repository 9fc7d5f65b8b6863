# A model written by hand stands in for a compiled one.
add_dependencies(test-compile toy fettle-runner)
target_compile_definitions(test-compile PRIVATE FETTLE_MODELS="${CMAKE_BINARY_DIR}/models"
    FETTLE_PROGRAMS="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
