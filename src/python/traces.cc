// SPDX-License-Identifier: Apache-2.0
//
// Traces and their tables for the package in python/stepscope/data, which says
// what users see. Calls release the GIL; long ones can be interrupted.
#include "python/traces.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/gil.h"
#include "python/interruptible.h"
#include "python/reader_library.h"
#include "report/arrow_abi.h"

namespace nb = nanobind;

namespace {

using Texts = std::vector<std::string>;
using TraceHandle = std::shared_ptr<stepscope_trace>;
using TableHandle = std::shared_ptr<stepscope_table>;

// What a call of the library leaves behind. Shared with the thread that works.
struct Outcome {
  std::string text;
  TraceHandle trace;
  TableHandle table;
};

stepscope_reply ReplyTo(std::string& text) {
  return {[](void* user, const char* data, size_t size) {
            static_cast<std::string*>(user)->assign(data, size);
          },
          &text};
}

// Names of events may hold bytes that are no UTF-8.
nb::str ToPython(const std::string& text) {
  PyObject* const made = PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (made == nullptr) nb::raise_python_error();
  return nb::steal<nb::str>(made);
}

void RaiseIfFailed(int code, const std::string& text) {
  PyObject* kind = PyExc_ValueError;
  switch (code) {
    case STEPSCOPE_READ_OK:
      return;
    case STEPSCOPE_READ_NOT_FOUND:
      kind = PyExc_FileNotFoundError;
      break;
    case STEPSCOPE_READ_IO:
      kind = PyExc_OSError;
      break;
    case STEPSCOPE_READ_NO_MEMORY:
      kind = PyExc_MemoryError;
      break;
    case STEPSCOPE_READ_NO_LIBRARY:
      kind = PyExc_ImportError;
      break;
    default:
      break;
  }
  PyErr_SetObject(kind, ToPython(text).ptr());
  nb::raise_python_error();
}

std::vector<const char*> Pointers(const Texts& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  pointers.push_back(nullptr);
  return pointers;
}

// Analyses cannot be cancelled; who does not wait for them any more leaves
// them to end.
std::shared_ptr<Outcome> Analyse(std::function<int(Outcome&)> work) {
  const auto outcome = std::make_shared<Outcome>();
  const int code = RunInterruptibly(
      [outcome, work = std::move(work)] { return work(*outcome); }, [] {},
      [] {}, false);
  RaiseIfFailed(code, outcome->text);
  return outcome;
}

class TableData {
 public:
  explicit TableData(TableHandle table) : table_(std::move(table)) {}

  int64_t Rows() const { return Reader().table_rows(table_.get()); }

  nb::str Ask(const std::string& question, const Texts& options) const {
    std::string text;
    int code = 0;
    {
      const GilReleased released;
      code = Reader().table_ask(table_.get(), question.c_str(),
                                Pointers(options).data(), ReplyTo(text));
    }
    RaiseIfFailed(code, text);
    return ToPython(text);
  }

  // A capsule as the Arrow PyCapsule interface has it.
  nb::object Stream() const {
    auto stream = std::make_unique<ArrowArrayStream>();
    *stream = {};
    std::string text;
    RaiseIfFailed(
        Reader().table_stream(table_.get(), stream.get(), ReplyTo(text)), text);
    PyObject* const capsule =
        PyCapsule_New(stream.get(), "arrow_array_stream", &DropStream);
    if (capsule == nullptr) {
      stream->release(stream.get());
      nb::raise_python_error();
    }
    stream.release();
    return nb::steal(capsule);
  }

 private:
  // Who took the stream out of the capsule has released it.
  static void DropStream(PyObject* capsule) {
    auto* stream = static_cast<ArrowArrayStream*>(
        PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (stream == nullptr) return;
    if (stream->release != nullptr) stream->release(stream);
    delete stream;
  }

  TableHandle table_;
};

class TraceData {
 public:
  explicit TraceData(TraceHandle trace) : trace_(std::move(trace)) {}

  nb::str Ask(const std::string& question, const Texts& options,
              const TraceData* other) const {
    const TraceHandle second = other != nullptr ? other->trace_ : nullptr;
    return ToPython(
        Analyse([trace = trace_, second, question, options](Outcome& outcome) {
          return Reader().trace_ask(trace.get(), second.get(), question.c_str(),
                                    Pointers(options).data(),
                                    ReplyTo(outcome.text));
        })->text);
  }

  TableData Table(const std::string& key, const Texts& options) const {
    return TableData(Analyse([trace = trace_, key, options](Outcome& outcome) {
                       stepscope_table* made = nullptr;
                       const int code = Reader().trace_table(
                           trace.get(), key.c_str(), Pointers(options).data(),
                           &made, ReplyTo(outcome.text));
                       if (made != nullptr)
                         outcome.table = {made, Reader().table_free};
                       return code;
                     })->table);
  }

 private:
  TraceHandle trace_;
};

std::shared_ptr<stepscope_watch> NewWatch() {
  stepscope_watch* const watch = Reader().watch_new();
  if (watch == nullptr) throw std::bad_alloc();
  return {watch, Reader().watch_free};
}

// Long work that can be watched and cancelled. `progress` is None, or called
// with bytes done and in all.
std::shared_ptr<Outcome> Watched(
    std::function<int(stepscope_watch*, Outcome&)> work,
    const nb::object& progress, bool wait) {
  const auto watch = NewWatch();
  const auto outcome = std::make_shared<Outcome>();
  const int code = RunInterruptibly(
      [watch, outcome, work = std::move(work)] {
        return work(watch.get(), *outcome);
      },
      [&] {
        if (progress.is_none()) return;
        uint64_t done = 0;
        uint64_t total = 0;
        Reader().watch_progress(watch.get(), &done, &total);
        PyObject* const said = OrWaitForTheEnd([&] {
          return PyObject_CallFunction(progress.ptr(), "KK", done, total);
        });
        if (said == nullptr) nb::raise_python_error();
        Py_DECREF(said);
      },
      [&] { Reader().watch_cancel(watch.get()); }, wait);
  RaiseIfFailed(code, outcome->text);
  return outcome;
}

// (trace, warnings).
template <typename Work>
nb::tuple Load(Work work, const nb::object& progress, bool wait) {
  const auto outcome = Watched(
      [work](stepscope_watch* watch, Outcome& out) {
        stepscope_trace* made = nullptr;
        const int result = work(watch, &made, ReplyTo(out.text));
        if (made != nullptr) out.trace = {made, Reader().trace_free};
        return result;
      },
      progress, wait);
  return nb::make_tuple(TraceData(outcome->trace), ToPython(outcome->text));
}

Texts ToTexts(const std::vector<nb::bytes>& paths) {
  Texts texts;
  for (const nb::bytes& path : paths)
    texts.emplace_back(path.c_str(), path.size());
  return texts;
}

nb::tuple ReadFiles(const std::vector<nb::bytes>& paths, const Texts& options,
                    const nb::object& progress) {
  const Texts names = ToTexts(paths);
  // A pipe may never give a byte: it is not waited for.
  return Load(
      [names, options](stepscope_watch* watch, stepscope_trace** trace,
                       stepscope_reply reply) {
        return Reader().read_files(Pointers(names).data(), names.size(),
                                   Pointers(options).data(), watch, trace,
                                   reply);
      },
      progress, false);
}

nb::tuple ReadBytes(const nb::bytes& bytes, const std::string& name,
                    const Texts& options, const nb::object& progress) {
  const char* const data = bytes.c_str();
  const size_t size = bytes.size();
  return Load(
      [=](stepscope_watch* watch, stepscope_trace** trace,
          stepscope_reply reply) {
        return Reader().read_bytes(data, size, name.c_str(),
                                   Pointers(options).data(), watch, trace,
                                   reply);
      },
      progress, true);
}

// (table, warnings).
nb::tuple Query(const std::vector<nb::bytes>& paths, const Texts& options,
                const nb::object& progress) {
  const auto outcome = Watched(
      [names = ToTexts(paths), options](stepscope_watch* watch, Outcome& out) {
        stepscope_table* made = nullptr;
        const int result = Reader().query(Pointers(names).data(), names.size(),
                                          Pointers(options).data(), watch,
                                          &made, ReplyTo(out.text));
        if (made != nullptr) out.table = {made, Reader().table_free};
        return result;
      },
      progress, false);
  return nb::make_tuple(TableData(outcome->table), ToPython(outcome->text));
}

}  // namespace

void AddTraces(nb::module_& module) {
  nb::class_<TableData>(module, "TableData")
      .def("rows", &TableData::Rows)
      .def("ask", &TableData::Ask)
      .def("stream", &TableData::Stream);
  nb::class_<TraceData>(module, "TraceData")
      .def("ask", &TraceData::Ask, nb::arg(), nb::arg(),
           nb::arg().none() = nb::none())
      .def("table", &TraceData::Table);
  module.def("load_reader",
             [](const std::string& path) { LoadReader(path.c_str()); });
  module.def("read_files", &ReadFiles, nb::arg(), nb::arg(), nb::arg().none());
  module.def("read_bytes", &ReadBytes, nb::arg(), nb::arg(), nb::arg(),
             nb::arg().none());
  module.def("query", &Query, nb::arg(), nb::arg(), nb::arg().none());
}

void WaitForAbandonedWork() {
  constexpr int kSeconds = 10;
  WaitForAbandoned(kSeconds);
}
