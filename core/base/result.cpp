// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

namespace rooftree {

int exitCode(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Failed:
        return 1;
    case ErrorCode::Usage:
    case ErrorCode::NotFound:
    case ErrorCode::Parse:
        return 2;
    case ErrorCode::Io:
    case ErrorCode::Environment:
    case ErrorCode::Protocol:
    case ErrorCode::Internal:
        return 3;
    }
    return 3;
}

} // namespace rooftree
