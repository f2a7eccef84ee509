// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/childmain.h"
#include "core/worker/childbuffers.h"
#include "core/worker/kernelcall.h"
#include "core/worker/packetsocket.h"
#include "core/worker/sandbox.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace rooftree::worker {

namespace {

// What the signal handler needs, so it cannot live in an object on the stack.
struct Shared {
    ChildBuffers buffers;
    uint64_t nonce = 0;
};
Shared& shared()
{
    static Shared state;
    return state;
}

int64_t nowNs()
{
    constexpr int64_t second = 1'000'000'000;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * second + now.tv_nsec;
}

template <typename Message> Message answer(ChildMessage kind)
{
    Message message;
    message.head = { shared().nonce, kind, 0 };
    return message;
}

// Leaving is the only thing left to do when the worker cannot be reached.
template <typename Message> void send(const Message& message)
{
    if (!sendPacket(childSocket, asPacket(message)))
        ::_exit(EXIT_FAILURE);
}

void onFatalSignal(int signal, siginfo_t* info, void*)
{
    auto message = answer<CrashedMessage>(ChildMessage::Crashed);
    message.signal = signal;
    const bool fromMemory = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0;
    if (fromMemory)
        message.place = shared().buffers.placeOf(info->si_addr, message.tensor);
    sendPacket(childSocket, asPacket(message));
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

void installSignalHandlers()
{
    constexpr std::size_t stackBytes = 64 << 10;
    static char stack[stackBytes];
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    ::sigaltstack(&alternative, nullptr); // a stack overflow of the main thread can still be reported
    struct sigaction action { };
    action.sa_sigaction = onFatalSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT })
        ::sigaction(signal, &action, nullptr);
}

class Child {
public:
    int run()
    {
        while (true) {
            alignas(MapMessage) std::byte packet[sizeof(MapMessage)];
            auto received = receivePacket(childSocket, packet);
            if (received.failed || received.bytes < sizeof(MessageHead))
                return EXIT_SUCCESS; // the worker has gone or is done with us
            MessageHead head;
            std::memcpy(&head, packet, sizeof head);
            if (!handle(head, packet, received))
                return EXIT_FAILURE;
        }
    }

private:
    template <typename Message> static bool read(const std::byte* packet, const ReceivedPacket& received, Message& into)
    {
        if (received.bytes != sizeof into)
            return false;
        std::memcpy(&into, packet, sizeof into);
        return true;
    }

    bool handle(const MessageHead& head, const std::byte* packet, ReceivedPacket& received)
    {
        if (head.kind == ChildMessage::Load) {
            LoadMessage message;
            if (!read(packet, received, message) || received.descriptors.size() != 1)
                return false;
            shared().nonce = head.nonce;
            load(message, std::move(received.descriptors.front()));
            return true;
        }
        if (head.kind == ChildMessage::Map) {
            MapMessage message;
            if (!read(packet, received, message) || received.descriptors.size() != 2)
                return false;
            auto reply = answer<MappedMessage>(ChildMessage::Mapped);
            reply.error = shared().buffers.map(message, received.descriptors[0].get(), received.descriptors[1].get());
            received.descriptors.clear();
            send(reply);
            return true;
        }
        CallMessage message;
        if (head.kind != ChildMessage::Call || !read(packet, received, message) || !m_entry)
            return false;
        call(message);
        return true;
    }

    void load(const LoadMessage& message, Descriptor object)
    {
        installSignalHandlers();
        auto entered = answer<EnteredMessage>(ChildMessage::Entered);
        entered.sandboxLevel = enterSandbox({ message.cpuSeconds, message.addressSpaceBytes });
        send(entered);
        auto reply = answer<LoadedMessage>(ChildMessage::Loaded);
        const std::string path = "/proc/self/fd/" + std::to_string(object.get());
        std::string problem;
        if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            m_entry = ::dlsym(library, message.entry);
            reply.problem = m_entry ? LoadProblem::None : LoadProblem::Entry;
        } else {
            const char* text = ::dlerror();
            problem = text ? text : "unknown reason";
            if (problem.starts_with(path + ": "))
                problem.erase(0, path.size() + 2);
            reply.problem = LoadProblem::Object;
        }
        problem.copy(reply.text, sizeof reply.text - 1);
        object.reset();
        send(reply);
    }

    void call(const CallMessage& message)
    {
        void* entry = m_entry;
        const uint64_t* arguments = shared().buffers.arguments();
        const KernelCaller callEntry = kernelCaller(shared().buffers.argumentCount());
        auto reply = answer<CalledMessage>(ChildMessage::Called);
        if (message.flushBytes > 0) {
            for (int64_t i = 0; i < message.calls; ++i) {
                flush(static_cast<std::size_t>(message.flushBytes));
                const int64_t start = nowNs();
                callEntry(entry, arguments);
                reply.lastEndNs = nowNs();
                reply.firstStartNs = i == 0 ? start : reply.firstStartNs;
                reply.insideNs += reply.lastEndNs - start;
            }
        } else {
            reply.firstStartNs = nowNs();
            for (int64_t i = 0; i < message.calls; ++i)
                callEntry(entry, arguments);
            reply.lastEndNs = nowNs();
            reply.insideNs = reply.lastEndNs - reply.firstStartNs;
        }
        send(reply);
    }

    // The overwritten memory takes the place of everything in the last-level cache; the lines of the buffers are dropped from the other
    // cores' own caches too.
    void flush(std::size_t bytes)
    {
        if (!m_flush) {
            void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED)
                return;
            m_flush = memory;
        }
        std::memset(m_flush, ++m_flushValue, bytes);
        shared().buffers.flushLines();
    }

    void* m_entry = nullptr;
    void* m_flush = nullptr;
    int m_flushValue = 0;
};

} // namespace

int childMain(const char* parentProcess)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (std::to_string(::getppid()) != parentProcess)
        ::_exit(EXIT_FAILURE); // the worker ended before the line above
    const int code = Child().run();
    ::_exit(code); // no destructors of the candidate, no leak report
}

} // namespace rooftree::worker
