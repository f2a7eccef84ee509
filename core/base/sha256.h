// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rooftree {

// Incremental SHA-256 (OpenSSL). Candidates are hostile, so every content address uses a strong hash.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    // Parts are length-prefixed, so ("ab","c") and ("a","bc") differ.
    Sha256& addPart(std::string_view part);
    Sha256& addRaw(std::string_view bytes);
    // 64 lower-case hex digits; the object is spent afterwards.
    std::string hex();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

// The hash that sha256sum prints for these bytes.
std::string sha256Hex(std::string_view bytes);

} // namespace rooftree
