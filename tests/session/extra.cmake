# SPDX-License-Identifier: GPL-3.0-or-later
# Temporary folders, and a life without root's rights.
target_sources(test-session PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/store/fixture.cpp)
