// SPDX-License-Identifier: Apache-2.0
#include "base/executor.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace stepscope {
namespace {

// An idle thread waits so long for more work before it ends.
constexpr std::chrono::seconds kIdleFor{1};

size_t ProcessorsOfThisThread() {
  cpu_set_t allowed;
  const int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                        ? CPU_COUNT(&allowed)
                        : static_cast<int>(std::thread::hardware_concurrency());
  return static_cast<size_t>(std::max(count, 1));
}

}  // namespace

// Tasks of one ForEach(). Lives on the stack of its caller.
struct Executor::Group {
  const std::function<void(size_t)>* task;
  size_t count;
  size_t next = 0;     // the first that nobody has begun
  size_t running = 0;  // begun, not ended
  std::exception_ptr thrown = nullptr;
  std::condition_variable ended = {};  // the last one that was running
};

// Guarded by the pool's mutex.
struct Executor::Companion::State {
  std::shared_ptr<Pool> pool;
  std::function<void()> task;
  std::condition_variable ended = {};
  bool done = false;
};

// Everything is guarded by `mutex`.
struct Executor::Pool {
  std::mutex mutex;
  std::condition_variable work;   // there is some, or `closing`
  std::condition_variable ended;  // a thread
  std::deque<Group*> groups;      // those with tasks that nobody has begun
  // Not begun. Each has one of the threads that are not busy, which look here
  // before they look for a group's task.
  std::deque<std::shared_ptr<Companion::State>> companions;
  size_t alive = 0;
  size_t busy = 0;  // of these, with a task
  size_t idle = 0;  // and those that wait
  bool closing = false;

  bool HasWork() const { return !companions.empty() || !groups.empty(); }
  bool StartThread(const std::shared_ptr<Pool>& self);
  void Help(const std::shared_ptr<Pool>& self, size_t threads);
  void RunTask(Group& group, std::unique_lock<std::mutex>& lock);
  void RunCompanion(std::unique_lock<std::mutex>& lock);
  void Work();
};

bool Executor::Pool::StartThread(const std::shared_ptr<Pool>& self) {
  // The program's signals are none of this thread's business.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread([self] { self->Work(); }).detach();
    ++alive;
  } catch (const std::system_error&) {
    started = false;  // the others do the work
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// Wakes or starts so many threads, as far as there are.
void Executor::Pool::Help(const std::shared_ptr<Pool>& self, size_t threads) {
  const size_t wanted = std::min(threads, groups.back()->count) - 1;
  const size_t woken = std::min(wanted, idle);
  for (size_t i = 0; i < woken; ++i) work.notify_one();
  for (size_t i = woken; i < wanted && alive + 1 < threads; ++i)
    if (!StartThread(self)) return;
}

// Begins the next task of `group`; `lock` is let go meanwhile.
void Executor::Pool::RunTask(Group& group, std::unique_lock<std::mutex>& lock) {
  const size_t index = group.next++;
  if (group.next == group.count) std::erase(groups, &group);
  ++group.running;
  lock.unlock();
  std::exception_ptr thrown;
  try {
    (*group.task)(index);
  } catch (...) {
    thrown = std::current_exception();
  }
  lock.lock();
  if (thrown != nullptr && group.thrown == nullptr) {
    group.thrown = std::move(thrown);
    group.next = group.count;
    std::erase(groups, &group);
  }
  if (--group.running == 0) group.ended.notify_one();
}

void Executor::Pool::RunCompanion(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<Companion::State> state = std::move(companions.front());
  companions.pop_front();
  ++busy;
  lock.unlock();
  state->task();
  state->task = nullptr;
  lock.lock();
  --busy;
  state->done = true;
  state->ended.notify_one();
}

void Executor::Pool::Work() {
  std::unique_lock lock(mutex);
  while (true) {
    if (!companions.empty()) {
      RunCompanion(lock);
    } else if (!groups.empty()) {
      ++busy;
      RunTask(*groups.front(), lock);
      --busy;
    } else if (closing) {
      break;
    } else {
      ++idle;
      const bool woken = work.wait_for(lock, kIdleFor,
                                       [this] { return HasWork() || closing; });
      --idle;
      if (!woken) break;
    }
  }
  --alive;
  ended.notify_all();
}

Executor::Executor(size_t threads)
    : wanted_(threads), pid_(getpid()), pool_(std::make_shared<Pool>()) {}

Executor::~Executor() {
  std::unique_lock lock(pool_->mutex);
  pool_->closing = true;
  pool_->work.notify_all();
  pool_->ended.wait(lock, [this] { return pool_->alive == 0; });
}

Executor& Executor::Shared() {
  // Never destroyed: windows are still read while the process ends. In a
  // forked child the threads are gone and locks may be held for ever: it
  // leaves what it inherited alone.
  static std::atomic<Executor*> shared{nullptr};
  Executor* current = shared.load(std::memory_order_acquire);
  while (current == nullptr || current->pid_ != getpid()) {
    auto* const fresh = new Executor;
    fresh->parent_process_ = current;
    if (shared.compare_exchange_strong(current, fresh,
                                       std::memory_order_acq_rel))
      return *fresh;
    delete fresh;
  }
  return *current;
}

size_t Executor::threads() const {
  return wanted_ > 0 ? wanted_ : ProcessorsOfThisThread();
}

void Executor::ForEach(size_t count, const std::function<void(size_t)>& task) {
  const size_t most = threads();
  if (count < 2 || most < 2) {
    for (size_t i = 0; i < count; ++i) task(i);
    return;
  }
  Group group{&task, count};
  std::unique_lock lock(pool_->mutex);
  pool_->groups.push_back(&group);
  pool_->Help(pool_, most);
  // Its own tasks only: another's might wait for what this thread is doing.
  while (group.next < count) pool_->RunTask(group, lock);
  group.ended.wait(lock, [&] { return group.running == 0; });
  if (group.thrown != nullptr) std::rethrow_exception(group.thrown);
}

std::unique_ptr<Executor::Companion> Executor::TryStart(
    std::function<void()> task) {
  const size_t most = threads();
  std::shared_ptr<Companion::State> state(
      new Companion::State{pool_, std::move(task)});
  const std::lock_guard lock(pool_->mutex);
  if (pool_->alive - pool_->busy > pool_->companions.size())
    pool_->work.notify_one();
  else if (pool_->alive + 1 >= most || !pool_->StartThread(pool_))
    return nullptr;
  pool_->companions.push_back(state);
  return std::unique_ptr<Companion>(new Companion(std::move(state)));
}

Executor::Companion::Companion(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

Executor::Companion::~Companion() {
  std::unique_lock lock(state_->pool->mutex);
  state_->ended.wait(lock, [this] { return state_->done; });
}

}  // namespace stepscope
