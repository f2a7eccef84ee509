// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/worker/protocol.h"

#include <array>

// JSON-RPC 2.0 frames. Our error kinds travel as codes from -32000 downwards, which the standard leaves to applications.
namespace rooftree::worker {

namespace {

constexpr int firstCode = -32000;
constexpr std::array codes{ ErrorCode::Usage, ErrorCode::NotFound, ErrorCode::Parse, ErrorCode::Io,
    ErrorCode::Environment, ErrorCode::Protocol, ErrorCode::Failed, ErrorCode::Internal };

int numberOf(ErrorCode code)
{
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes[i] == code)
            return firstCode - static_cast<int>(i);
    }
    return firstCode;
}

ErrorCode codeOf(int64_t number)
{
    const int64_t index = firstCode - number;
    return index >= 0 && index < static_cast<int64_t>(codes.size()) ? codes[static_cast<std::size_t>(index)]
                                                                    : ErrorCode::Protocol;
}

std::string line(const Json& message)
{
    return toLine(message) + '\n';
}

Error badFrame(const std::string& what)
{
    return { ErrorCode::Protocol, "Not a JSON-RPC 2.0 message: " + what + ".", {} };
}

// Writing nested JSON recurses: text that is nested deeper than any message of ours is refused before it is read.
bool nestedTooDeeply(std::string_view text)
{
    constexpr int deepest = 256;
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString && c == '\\')
            ++i;
        else if (c == '"')
            inString = !inString;
        else if (!inString && (c == '[' || c == '{') && ++depth > deepest)
            return true;
        else if (!inString && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

Result<std::optional<int64_t>> idOf(const Json& message)
{
    const auto it = message.find("id");
    if (it == message.end() || it->is_null())
        return std::optional<int64_t>{};
    if (!it->is_number_integer())
        return badFrame("its id is not an integer");
    return std::optional<int64_t>{ it->get<int64_t>() };
}

Result<Frame> requestFrame(const Json& message, Frame frame)
{
    const auto& name = message.at("method");
    if (!name.is_string() || name.get_ref<const std::string&>().empty())
        return badFrame("its method is not a name");
    if (message.contains("result") || message.contains("error"))
        return badFrame("it is a request and a response at once");
    frame.method = name.get<std::string>();
    const auto params = message.find("params");
    frame.payload = params == message.end() ? "{}" : toLine(*params);
    return frame;
}

Result<Frame> responseFrame(const Json& message, Frame frame)
{
    const auto result = message.find("result");
    const auto error = message.find("error");
    if ((result == message.end()) == (error == message.end()))
        return badFrame("it has neither a method nor exactly one of result and error");
    if (result != message.end()) {
        if (!frame.id)
            return badFrame("a result without an id");
        frame.payload = toLine(*result);
        return frame;
    }
    if (!error->is_object())
        return badFrame("its error is not an object");
    const auto data = jsonValue(*error, "data", Json::object());
    frame.error = Error{ codeOf(jsonValue<int64_t>(*error, "code", 0)),
        jsonValue<std::string>(*error, "message", "The worker reported an error without a text."),
        jsonValue<std::string>(data, "detail", {}) };
    return frame;
}

} // namespace

std::string requestLine(int64_t id, const char* methodName, const Json& params)
{
    return line({ { "jsonrpc", "2.0" }, { "id", id }, { "method", methodName }, { "params", params } });
}

std::string notificationLine(const char* methodName, const Json& params)
{
    return line({ { "jsonrpc", "2.0" }, { "method", methodName }, { "params", params } });
}

std::string resultLine(int64_t id, const Json& result)
{
    return line({ { "jsonrpc", "2.0" }, { "id", id }, { "result", result } });
}

std::string errorLine(int64_t id, const Error& error)
{
    Json message{ { "jsonrpc", "2.0" }, { "id", nullptr },
        { "error",
            { { "code", numberOf(error.code) }, { "message", error.text },
                { "data", { { "detail", error.detail } } } } } };
    if (id >= 0)
        message["id"] = id;
    return line(message);
}

Result<Frame> parseFrame(std::string_view text)
{
    if (text.size() > maxLineBytes)
        return badFrame("it is longer than " + std::to_string(maxLineBytes) + " bytes");
    if (nestedTooDeeply(text))
        return badFrame("it is nested too deeply");
    auto message = parseJson(text, "A worker message");
    if (!message)
        return Error{ ErrorCode::Protocol, message.error().text, message.error().detail };
    if (!message->is_object())
        return badFrame("it is not an object");
    if (jsonValue<std::string>(*message, "jsonrpc", {}) != "2.0")
        return badFrame("its \"jsonrpc\" is not \"2.0\"");
    auto id = idOf(*message);
    if (!id)
        return id.error();
    Frame frame;
    frame.id = *id;
    return message->contains("method") ? requestFrame(*message, std::move(frame))
                                       : responseFrame(*message, std::move(frame));
}

} // namespace rooftree::worker
