// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/sandbox.h"

#include <cerrno>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

// A list of what a kernel never needs: starting programs and processes, signals to others, sockets, looking into other
// processes, changing the machine. Everything else is allowed, so that OpenMP, allocators and vendor libraries work.
// sched_setaffinity stays allowed: OpenMP binds its threads with it.
namespace rooftree::worker {

namespace {

#if defined(__x86_64__)
constexpr uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t architecture = 0;
#endif

constexpr uint32_t deny(int error)
{
    return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error);
}
// The lower half of an argument; both architectures are little endian.
constexpr uint32_t argument(int index)
{
    return static_cast<uint32_t>(offsetof(seccomp_data, args)) + 8u * static_cast<uint32_t>(index);
}

class Program {
public:
    void load(uint32_t offset) { m_code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
    void answer(uint32_t action) { m_code.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
    // When the loaded word equals (or does not equal) the value, the next 'count' instructions run, else they are skipped.
    void ifEqual(uint32_t value, uint8_t count)
    {
        m_code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
    }
    void unlessEqual(uint32_t value, uint8_t count)
    {
        m_code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0));
    }
    void ifAnyBit(uint32_t bits, uint8_t count)
    {
        m_code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count));
    }
    void unlessAnyBit(uint32_t bits, uint8_t count)
    {
        m_code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, count, 0));
    }

    void refuse(long number, int error = EPERM)
    {
        ifEqual(static_cast<uint32_t>(number), 1);
        answer(deny(error));
    }
    // Refused unless an argument has this value.
    void refuseUnlessArgument(long number, int index, uint32_t value)
    {
        ifEqual(static_cast<uint32_t>(number), 4);
        load(argument(index));
        unlessEqual(value, 1);
        answer(deny(EPERM));
        answer(SECCOMP_RET_ALLOW);
    }
    void refuseUnlessNull(long number, int index)
    {
        ifEqual(static_cast<uint32_t>(number), 7);
        load(argument(index));
        unlessEqual(0, 1);
        answer(deny(EPERM));
        load(argument(index) + 4);
        unlessEqual(0, 1);
        answer(deny(EPERM));
        answer(SECCOMP_RET_ALLOW);
    }
    void refuseIfArgument(long number, int index, uint32_t value)
    {
        ifEqual(static_cast<uint32_t>(number), 4);
        load(argument(index));
        ifEqual(value, 1);
        answer(deny(EPERM));
        answer(SECCOMP_RET_ALLOW);
    }
    // Threads are made, processes are not.
    void refuseUnlessThread(long number)
    {
        ifEqual(static_cast<uint32_t>(number), 4);
        load(argument(0));
        unlessAnyBit(CLONE_THREAD, 1);
        answer(deny(EPERM));
        answer(SECCOMP_RET_ALLOW);
    }
    sock_fprog finished()
    {
        answer(SECCOMP_RET_ALLOW);
        return { static_cast<unsigned short>(m_code.size()), m_code.data() };
    }

private:
    std::vector<sock_filter> m_code;
};

// Calls that have no use in a kernel whatever their arguments.
const std::vector<long>& refusedCalls()
{
    static const std::vector<long> calls{
#ifdef __x86_64__
        SYS_fork, SYS_vfork, SYS_iopl, SYS_ioperm,
#endif
        SYS_execve, SYS_execveat, SYS_setsid, SYS_setpgid, SYS_rt_sigqueueinfo, SYS_pidfd_open, SYS_pidfd_send_signal,
        SYS_pidfd_getfd, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_socket, SYS_socketpair,
        SYS_connect, SYS_bind, SYS_listen, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
        SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
        SYS_keyctl, SYS_add_key, SYS_request_key, SYS_setpriority, SYS_sched_setscheduler, SYS_sched_setparam,
        SYS_sched_setattr, SYS_ioprio_set, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_init_module, SYS_finit_module,
        SYS_delete_module, SYS_kexec_load, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
        SYS_sethostname, SYS_setdomainname, SYS_acct, SYS_quotactl, SYS_open_by_handle_at, SYS_setrlimit,
        SYS_personality, SYS_mq_open, SYS_shmget, SYS_msgget, SYS_semget
    };
    return calls;
}

} // namespace

bool installSystemCallFilter()
{
    if (architecture == 0)
        return false;
    const auto self = static_cast<uint32_t>(::getpid());
    Program program;
    program.load(offsetof(seccomp_data, arch));
    program.unlessEqual(architecture, 1);
    program.answer(SECCOMP_RET_KILL_PROCESS);
    program.load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
    constexpr uint32_t x32Bit = 0x40000000;
    program.ifAnyBit(x32Bit, 1); // the other numbering of the same calls
    program.answer(deny(ENOSYS));
#endif
    for (const long number : refusedCalls())
        program.refuse(number);
    program.refuse(SYS_clone3, ENOSYS); // its flags lie in memory, out of the filter's sight; libc falls back to clone
    program.refuseUnlessThread(SYS_clone);
    program.refuseUnlessArgument(SYS_kill, 0, self);
    program.refuseUnlessArgument(SYS_tgkill, 0, self);
    program.refuse(SYS_tkill);
    program.refuse(SYS_rt_tgsigqueueinfo);
    program.refuseUnlessNull(SYS_prlimit64, 2); // reading a limit, not setting one
    program.refuseIfArgument(SYS_prctl, 0, PR_SET_PDEATHSIG);
    const sock_fprog filter = program.finished();
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

} // namespace rooftree::worker
