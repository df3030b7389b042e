// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/wait_names.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "analysis/tables/python.h"

namespace stepscope {
namespace {

struct NamedWait {
  std::string_view name;
  WaitKind kind;
};

// Whole names, of the system's calls and of functions with their class.
constexpr NamedWait kWhole[] = {
    {"pthread_mutex_lock", WaitKind::kLock},
    {"pthread_mutex_timedlock", WaitKind::kLock},
    {"pthread_rwlock_rdlock", WaitKind::kLock},
    {"pthread_rwlock_wrlock", WaitKind::kLock},
    {"pthread_spin_lock", WaitKind::kLock},
    {"pthread_cond_wait", WaitKind::kHandOver},
    {"pthread_cond_timedwait", WaitKind::kHandOver},
    {"pthread_barrier_wait", WaitKind::kHandOver},
    {"pthread_join", WaitKind::kHandOver},
    {"sem_wait", WaitKind::kHandOver},
    {"sem_timedwait", WaitKind::kHandOver},
    {"take_gil", WaitKind::kLock},
    {"Lock.acquire", WaitKind::kLock},
    {"RLock.acquire", WaitKind::kLock},
    {"_RLock.acquire", WaitKind::kLock},
    {"lock.acquire", WaitKind::kLock},
    {"Semaphore.acquire", WaitKind::kHandOver},
    {"Condition.wait", WaitKind::kHandOver},
    {"Condition.wait_for", WaitKind::kHandOver},
    {"Event.wait", WaitKind::kHandOver},
    {"Barrier.wait", WaitKind::kHandOver},
    {"Thread.join", WaitKind::kHandOver},
    {"Queue.get", WaitKind::kHandOver},
    {"Queue.put", WaitKind::kHandOver},
    {"Queue.join", WaitKind::kHandOver},
    {"SimpleQueue.get", WaitKind::kHandOver},
    {"queue.get", WaitKind::kHandOver},
    {"queue.put", WaitKind::kHandOver},
    {"Future.result", WaitKind::kHandOver},
    {"BaseProcess.join", WaitKind::kHandOver},
};

// Recorders that leave the class out say which file it is.
struct InFile {
  std::string_view file;
  std::string_view function;
  WaitKind kind;
};
constexpr InFile kInFiles[] = {
    {"threading.py", "acquire", WaitKind::kLock},
    {"threading.py", "wait", WaitKind::kHandOver},
    {"threading.py", "wait_for", WaitKind::kHandOver},
    {"threading.py", "join", WaitKind::kHandOver},
    {"queue.py", "get", WaitKind::kHandOver},
    {"queue.py", "put", WaitKind::kHandOver},
    {"queue.py", "join", WaitKind::kHandOver},
    {"queues.py", "get", WaitKind::kHandOver},
    {"_base.py", "result", WaitKind::kHandOver},
};

constexpr std::string_view kPlumbing[] = {
    "threading.py", "queue.py",      "queues.py", "thread.py", "_base.py",
    "selectors.py", "connection.py", "socket.py", "pool.py",   "popen_fork.py"};

std::string_view LastPart(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

WaitKind KindOfWait(std::string_view name) {
  const PythonName parsed = ParsePythonName(name);
  std::string_view function = parsed.function;
  // "Lock.acquire(cache)" says which lock.
  function = function.substr(0, function.find('('));
  for (const NamedWait& known : kWhole)
    if (function == known.name) return known.kind;
  const std::string_view file = LastPart(parsed.file);
  for (const InFile& known : kInFiles)
    if (file == known.file && function == known.function) return known.kind;
  // "<built-in method acquire of _thread.lock object at 0x7f00>"
  return name.find("method acquire of _thread.") != name.npos ? WaitKind::kLock
                                                              : WaitKind::kNone;
}

bool IsThreadPlumbing(std::string_view name) {
  const std::string_view file = LastPart(ParsePythonName(name).file);
  return std::find(std::begin(kPlumbing), std::end(kPlumbing), file) !=
         std::end(kPlumbing);
}

}  // namespace stepscope
