# SPDX-FileCopyrightText: Rooftree contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Finds the C interface of libclang (clang-c/Index.h) where Debian and Ubuntu put it: target LibClang::LibClang.
set(_versions 14 18 17 16 15 19 20)
foreach(_v IN LISTS _versions)
    list(APPEND _roots /usr/lib/llvm-${_v})
endforeach()
find_path(LibClang_INCLUDE_DIR clang-c/Index.h PATHS ${_roots} PATH_SUFFIXES include)
find_library(LibClang_LIBRARY NAMES clang clang-14 clang-18 PATHS ${_roots} PATH_SUFFIXES lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibClang REQUIRED_VARS LibClang_LIBRARY LibClang_INCLUDE_DIR)
if(LibClang_FOUND AND NOT TARGET LibClang::LibClang)
    add_library(LibClang::LibClang UNKNOWN IMPORTED)
    set_target_properties(LibClang::LibClang PROPERTIES IMPORTED_LOCATION ${LibClang_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${LibClang_INCLUDE_DIR})
endif()
