/* Threads, mutexes and conditions of POSIX or Windows. Where there is neither, as in WebAssembly without threads, or
   with SN_NO_THREADS defined, thread creation fails, and locks and waits do nothing. */
#ifndef SN_BASE_THREAD_PORT_H
#define SN_BASE_THREAD_PORT_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

/* Hints to the processor that this is a waiting loop. */
static inline void thread_pause(void)
{
#if defined(__SSE2__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#if defined(SN_NO_THREADS) || (defined(__wasm__) && !defined(_REENTRANT))

#define SN_HAVE_THREADS  0
#define SN_THREAD_RESULT void *

typedef int sn_thread;
typedef int sn_mutex;
typedef int sn_condition;

static inline bool thread_create(sn_thread *thread, SN_THREAD_RESULT (*start)(void *data), void *data)
{
    (void)thread, (void)start, (void)data;
    return false;
}

static inline void thread_join(sn_thread thread)
{
    (void)thread;
}

static inline void thread_yield(void)
{
}

static inline uint32_t thread_cores(void)
{
    return 1;
}

static inline long thread_process(void)
{
    return 0;
}

static inline bool mutex_init(sn_mutex *mutex)
{
    *mutex = 0;
    return true;
}

static inline void mutex_destroy(sn_mutex *mutex)
{
    (void)mutex;
}

static inline void mutex_lock(sn_mutex *mutex)
{
    (void)mutex;
}

static inline void mutex_unlock(sn_mutex *mutex)
{
    (void)mutex;
}

static inline bool condition_init(sn_condition *condition)
{
    *condition = 0;
    return true;
}

static inline void condition_destroy(sn_condition *condition)
{
    (void)condition;
}

static inline void condition_wait(sn_condition *condition, sn_mutex *mutex)
{
    (void)condition, (void)mutex;
}

static inline void condition_signal(sn_condition *condition)
{
    (void)condition;
}

static inline void condition_broadcast(sn_condition *condition)
{
    (void)condition;
}

#elif defined(_WIN32)

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <process.h>

#define SN_HAVE_THREADS  1
#define SN_THREAD_RESULT unsigned __stdcall

typedef HANDLE sn_thread;
typedef SRWLOCK sn_mutex;
typedef CONDITION_VARIABLE sn_condition;

static inline bool thread_create(sn_thread *thread, unsigned(__stdcall *start)(void *data), void *data)
{
    uintptr_t handle = _beginthreadex(NULL, 0, start, data, 0, NULL);
    *thread = (HANDLE)handle;
    return handle != 0;
}

static inline void thread_join(sn_thread thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

static inline void thread_yield(void)
{
    SwitchToThread();
}

/* Cores that this process may use; 0: not known. */
static inline uint32_t thread_cores(void)
{
    DWORD_PTR process = 0, machine = 0;
    uint32_t count = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &process, &machine))
        return 0;
    for (; process; process &= process - 1)
        ++count;
    return count;
}

static inline long thread_process(void)
{
    return 0; /* there is no fork */
}

static inline bool mutex_init(sn_mutex *mutex)
{
    InitializeSRWLock(mutex);
    return true;
}

static inline void mutex_destroy(sn_mutex *mutex)
{
    (void)mutex;
}

static inline void mutex_lock(sn_mutex *mutex)
{
    AcquireSRWLockExclusive(mutex);
}

static inline void mutex_unlock(sn_mutex *mutex)
{
    ReleaseSRWLockExclusive(mutex);
}

static inline bool condition_init(sn_condition *condition)
{
    InitializeConditionVariable(condition);
    return true;
}

static inline void condition_destroy(sn_condition *condition)
{
    (void)condition;
}

static inline void condition_wait(sn_condition *condition, sn_mutex *mutex)
{
    SleepConditionVariableSRW(condition, mutex, INFINITE, 0);
}

static inline void condition_signal(sn_condition *condition)
{
    WakeConditionVariable(condition);
}

static inline void condition_broadcast(sn_condition *condition)
{
    WakeAllConditionVariable(condition);
}

#else

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#define SN_HAVE_THREADS  1
#define SN_THREAD_RESULT void *

typedef pthread_t sn_thread;
typedef pthread_mutex_t sn_mutex;
typedef pthread_cond_t sn_condition;

/* The host's signals are for its own threads. Signals of a thread's own fault, or for profiling, stay unblocked. */
static inline void block_signals(sigset_t *before)
{
    const int kept[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigset_t blocked;
    sigfillset(&blocked);
    for (unsigned i = 0; i < sizeof kept / sizeof kept[0]; ++i)
        sigdelset(&blocked, kept[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

static inline bool thread_create(sn_thread *thread, SN_THREAD_RESULT (*start)(void *data), void *data)
{
    sigset_t before; /* a new thread inherits the mask */
    block_signals(&before);
    bool made = pthread_create(thread, NULL, start, data) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

static inline void thread_join(sn_thread thread)
{
    pthread_join(thread, NULL);
}

static inline void thread_yield(void)
{
    sched_yield();
}

/* Cores that this process may use; 0: not known. */
static inline uint32_t thread_cores(void)
{
#if defined(CPU_COUNT) /* Linux: the affinity mask, as set by taskset or a container */
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
#if defined(_SC_NPROCESSORS_ONLN)
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < INT32_MAX ? (uint32_t)count : 0;
#else
    return 0;
#endif
}

static inline long thread_process(void)
{
    return (long)getpid();
}

static inline bool mutex_init(sn_mutex *mutex)
{
    return pthread_mutex_init(mutex, NULL) == 0;
}

static inline void mutex_destroy(sn_mutex *mutex)
{
    pthread_mutex_destroy(mutex);
}

static inline void mutex_lock(sn_mutex *mutex)
{
    pthread_mutex_lock(mutex);
}

static inline void mutex_unlock(sn_mutex *mutex)
{
    pthread_mutex_unlock(mutex);
}

static inline bool condition_init(sn_condition *condition)
{
    return pthread_cond_init(condition, NULL) == 0;
}

static inline void condition_destroy(sn_condition *condition)
{
    pthread_cond_destroy(condition);
}

static inline void condition_wait(sn_condition *condition, sn_mutex *mutex)
{
    pthread_cond_wait(condition, mutex);
}

static inline void condition_signal(sn_condition *condition)
{
    pthread_cond_signal(condition);
}

static inline void condition_broadcast(sn_condition *condition)
{
    pthread_cond_broadcast(condition);
}

#endif
#endif
