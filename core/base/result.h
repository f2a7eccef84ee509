// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace rooftree {

// What kind of thing went wrong; the programs map it to an exit code (see exitCode()).
enum class ErrorCode {
    Usage, // the user asked for something that cannot be meant: exit 2
    NotFound, // a named thing does not exist: exit 2
    Parse, // a file does not follow its format: exit 2
    Io, // reading or writing failed, disk full: exit 3
    Environment, // a program, library or permission is missing: exit 3
    Protocol, // a worker or a server answered what it must not: exit 3
    Failed, // the thing asked about failed (kernel wrong, operator refused): exit 1
    Internal, // a broken invariant: exit 3
};

// One sentence for the user that says what to do next, and the rest for "Details" and the log.
// A kernel that fails to compile, crashes or is wrong is a measurement, never an Error.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string text;
    std::string detail;
};

int exitCode(ErrorCode code);

// A value or an Error. Any thread; not shared between threads.
template <typename T> class [[nodiscard]] Result {
public:
    Result(T value)
        : m_data(std::in_place_index<0>, std::move(value))
    {
    }
    Result(Error error)
        : m_data(std::in_place_index<1>, std::move(error))
    {
    }

    bool ok() const { return m_data.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& { return std::get<0>(m_data); }
    T& value() & { return std::get<0>(m_data); }
    T&& value() && { return std::get<0>(std::move(m_data)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const { return std::get<1>(m_data); }

private:
    std::variant<T, Error> m_data;
};

struct Nothing { };
using Status = Result<Nothing>;
inline Status success()
{
    return Nothing{};
}

// "The user stopped it" is its own value, so that it never looks like a fault.
struct Canceled { };

template <typename T> class [[nodiscard]] CanceledOr {
public:
    CanceledOr(T value)
        : m_data(std::in_place_index<0>, std::move(value))
    {
    }
    CanceledOr(Canceled)
        : m_data(std::in_place_index<1>)
    {
    }
    bool canceled() const { return m_data.index() == 1; }
    const T& value() const& { return std::get<0>(m_data); }
    T& value() & { return std::get<0>(m_data); }
    T&& value() && { return std::get<0>(std::move(m_data)); }

private:
    std::variant<T, Canceled> m_data;
};

} // namespace rooftree
