# The passes are checked with the operators and their reference.
target_link_libraries(test-graph PRIVATE fettle-ops)
