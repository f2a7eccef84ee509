// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/sandbox.h"

#include <algorithm>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROOFTREE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROOFTREE_SANITIZED 1
#endif
#endif

namespace rooftree::worker {

namespace {

// Never above what the process already has: raising needs a privilege.
void lower(int resource, int64_t value)
{
    rlimit limit{};
    const auto which = static_cast<__rlimit_resource>(resource);
    if (::getrlimit(which, &limit) != 0)
        return;
    limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(value));
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(which, &limit);
}

} // namespace

void applyResourceLimits(const SandboxLimits& limits)
{
    constexpr int64_t largestFile = 64 << 20;
    constexpr int64_t openFiles = 256;
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_FSIZE, largestFile);
    lower(RLIMIT_NOFILE, openFiles);
    if (limits.cpuSeconds > 0)
        lower(RLIMIT_CPU, limits.cpuSeconds);
#ifndef ROOFTREE_SANITIZED // the sanitizers' shadow memory alone is larger than any limit
    if (limits.addressSpaceBytes > 0)
        lower(RLIMIT_AS, limits.addressSpaceBytes);
#endif
}

SandboxInfo probeSandbox()
{
    SandboxInfo info;
    const uint32_t action = SECCOMP_RET_ERRNO;
    if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) {
        info.level = 1;
        info.reasons.emplace_back("level 2 (Landlock): not part of this version");
    } else {
        info.reasons.emplace_back("level 1 (seccomp): the kernel has no system call filters");
    }
    return info;
}

int enterSandbox(const SandboxLimits& limits)
{
    applyResourceLimits(limits);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return installSystemCallFilter() ? 1 : 0;
}

} // namespace rooftree::worker
