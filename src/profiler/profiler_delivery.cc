// SPDX-License-Identifier: Apache-2.0
//
// The half of ProfilerCore that deals with finished windows.
#include <chrono>

#include "base/file.h"
#include "profiler/environment_profiler.h"
#include "profiler/process_state.h"
#include "profiler/profiler_core.h"

namespace stepscope::profiler {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool ProfilerCore::Present(const std::shared_ptr<CaptureWindow>& window) {
  Status complete = recorder_.Wait(window->session(), kDeliveryTimeoutMs);
  if (!complete) {
    diagnostics_.Report(Reason::kDelivery,
                        window->path() + ": " + complete.error().message);
  }
  if (const std::string lost = tools_.Lost(window->path()); !lost.empty())
    diagnostics_.Report(Reason::kIncomplete,
                        "the window is incomplete: " + lost);
  bool call = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    delivering_ = window;
    call = !closed_;
  }
  if (call) RunCallback();
  return call && complete;
}

void ProfilerCore::Deliver(const std::shared_ptr<CaptureWindow>& window,
                           uint64_t resets) {
  bool presented = false;
  try {
    presented = Present(window);
  } catch (...) {  // callbacks do not throw: only memory can have run out
    diagnostics_.ReportNoMemory("the window was not delivered",
                                window->path().c_str());
  }
  if (inert()) {  // the callback forked, and this is the child
    DeliveryThread::EndForkedChild();
    return;
  }
  window->Unload();
  // What nobody saw, or what lies partly elsewhere, keeps its name.
  const bool keep = (options_.flags & STEPSCOPE_KEEP_CAPTURE) != 0 ||
                    !presented || window->keeps_name();
  if (!keep) window->Unlink();
  std::lock_guard<std::mutex> lock(mutex_);
  delivering_.reset();
  if (resets == resets_) last_ = window;
  --pending_;
  ++delivered_;
  delivered_changed_.notify_all();
}

void ProfilerCore::Discard(const std::shared_ptr<CaptureWindow>& window) {
  try {
    // Complete or not, nobody wants it.
    static_cast<void>(recorder_.Wait(window->session(), kDeliveryTimeoutMs));
  } catch (...) {  // no memory for the text of an error that nobody reads
  }
  window->Discard();
  std::lock_guard<std::mutex> lock(mutex_);
  --pending_;
  delivered_changed_.notify_all();
}

void ProfilerCore::RunCallback() {
  if (!options_.on_trace_ready) return;
  std::string why;
  {
    const ProgramSignals signals;
    why = options_.on_trace_ready();
  }
  if (!why.empty() && !inert()) diagnostics_.Report(Reason::kCallback, why);
}

bool ProfilerCore::Wait(int timeout_ms) {
  if (inert()) return true;
  std::unique_lock<std::mutex> lock(mutex_);
  auto done = [this] { return pending_ == 0; };
  if (DeliveryThread::IsCurrent()) return done();
  return delivered_changed_.wait_for(
      lock, std::chrono::milliseconds(timeout_ms), done);
}

Result<std::shared_ptr<CaptureWindow>> ProfilerCore::WindowAtHand() {
  if (inert()) {
    return Fail(ErrorCode::kNotFound,
                "a profiler inherited through fork has no windows");
  }
  if (!DeliveryThread::IsCurrent() && !Wait(kDeliveryTimeoutMs))
    return Fail(ErrorCode::kIo, "the window was not delivered within 60 s");
  std::lock_guard<std::mutex> lock(mutex_);
  if (DeliveryThread::IsCurrent() && delivering_ != nullptr) return delivering_;
  if (last_ == nullptr)
    return Fail(ErrorCode::kNotFound, "no window was recorded");
  return last_;
}

Result<std::string> ProfilerCore::SummaryText(
    const stepscope_summary_options& options) {
  STEPSCOPE_TRY_ASSIGN(auto window, WindowAtHand());
  STEPSCOPE_TRY_ASSIGN(auto trace, window->Load());
  auto text = tools_.Summarize(*trace, options);
  if (!DeliveryThread::IsCurrent()) window->Unload();
  return text;
}

Status ProfilerCore::Export(const std::string& path, std::string_view format) {
  if (format.empty()) {
    format = EndsWith(path, ".sscap")             ? "capture"
             : EndsWith(path, ".paddle_trace.pb") ? "pb"
                                                  : "json";
  }
  STEPSCOPE_TRY_ASSIGN(auto window, WindowAtHand());
  if (format != "capture" && format != "json" && format != "kineto" &&
      format != "pb") {
    return Fail(ErrorCode::kUnsupported,
                "unknown export format \"" + std::string(format) +
                    "\": expected json, kineto, pb or capture");
  }
  Status written = WriteWindow(*window, path, format);
  if (written) {
    TellWhereItWrites(path);
    return written;
  }
  // While it is being delivered the capture may be all that there is of it.
  if (!DeliveryThread::IsCurrent()) return written;
  window->KeepName();
  return Fail(
      written.error().code,
      written.error().message + "; the capture stays at " + window->path());
}

Status ProfilerCore::WriteWindow(CaptureWindow& window, const std::string& path,
                                 std::string_view format) {
  if (format == "capture") return window.CopyTo(path);
  STEPSCOPE_TRY_ASSIGN(auto trace, window.Load());
  Status written = tools_.Write(*trace, path, format, window.index());
  if (!DeliveryThread::IsCurrent()) window.Unload();
  return written;
}

bool ProfilerCore::Close() {
  if (inert()) return false;
  Stop();
  bool delivered = Wait(kDeliveryTimeoutMs);
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  if (delivered || DeliveryThread::IsCurrent()) return true;
  diagnostics_.Report(Reason::kTimeout,
                      "gave up waiting for the delivery of a window after "
                      "60 s; captures not delivered stay where they are");
  return false;
}

}  // namespace stepscope::profiler
