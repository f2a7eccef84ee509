// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"

#include <cstdint>
#include <openssl/evp.h>

namespace rooftree {

struct Sha256::Private {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
};

Sha256::Sha256()
    : d(std::make_unique<Private>())
{
    EVP_DigestInit_ex(d->context, EVP_sha256(), nullptr);
}

Sha256::~Sha256()
{
    EVP_MD_CTX_free(d->context);
}

Sha256& Sha256::addRaw(std::string_view bytes)
{
    EVP_DigestUpdate(d->context, bytes.data(), bytes.size());
    return *this;
}

Sha256& Sha256::addPart(std::string_view part)
{
    const uint64_t size = part.size();
    char prefix[8];
    for (int i = 0; i < 8; ++i)
        prefix[i] = static_cast<char>(size >> (8 * i));
    addRaw({ prefix, sizeof prefix });
    return addRaw(part);
}

std::string Sha256::hex()
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(d->context, digest, &size);
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(size * 2);
    for (unsigned int i = 0; i < size; ++i) {
        out += digits[digest[i] >> 4];
        out += digits[digest[i] & 15];
    }
    return out;
}

std::string sha256Hex(std::string_view bytes)
{
    return Sha256().addRaw(bytes).hex();
}

} // namespace rooftree
