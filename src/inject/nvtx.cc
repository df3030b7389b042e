// SPDX-License-Identifier: Apache-2.0
//
// The NVTX tool: ranges and marks become host events of the capture. Its
// functions are shared by all copies of the header-only client in a process,
// each of which asks for them once.
#include <stepscope/c.h>

#include <cstring>

#include "inject/nvtx_abi.h"
#include "inject/nvtx_objects.h"
#include "inject/nvtx_ranges.h"
#include "inject/recording.h"

namespace stepscope::inject::nvtx {
namespace {

constexpr size_t kWideBytes = 2048;

// A name in whatever form it came.
class Message {
 public:
  explicit Message(const char* text)
      : text_(text != nullptr ? text : "(null)") {}
  explicit Message(const wchar_t* text) { FromWide(text); }
  explicit Message(const EventAttributes* attributes) {
    if (attributes == nullptr) return;
    switch (attributes->message_type) {
      case kMessageAscii:
        if (attributes->message.ascii != nullptr)
          text_ = attributes->message.ascii;
        break;
      case kMessageWide:
        FromWide(attributes->message.wide);
        break;
      case kMessageRegistered:
        string_ = static_cast<RegisteredString*>(
            const_cast<void*>(attributes->message.registered));
        if (string_ != nullptr) text_ = string_->text;
        break;
      default:
        break;
    }
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  const char* text() const { return text_; }

  // REQUIRES: somebody records.
  stepscope_scope Begin(uint32_t type) {
    if (string_ != nullptr && string_->site.type == type)
      return stepscope_begin_site(&string_->site);
    return stepscope_begin_name(text_, static_cast<size_t>(-1), type);
  }

 private:
  void FromWide(const wchar_t* text) {
    Narrow(text, wide_, sizeof(wide_));
    text_ = wide_;
  }

  const char* text_ = "(unnamed)";
  RegisteredString* string_ = nullptr;
  char wide_[kWideBytes];  // filled for wide strings only
};

void AddPayload(stepscope_scope scope, const EventAttributes& attributes) {
  switch (attributes.payload_type) {
    case kPayloadU64:
    case kPayloadI64:
      stepscope_arg_i64(scope, "payload", attributes.payload.i64);
      break;
    case kPayloadF64:
      stepscope_arg_f64(scope, "payload", attributes.payload.f64);
      break;
    case kPayloadU32:
      stepscope_arg_i64(scope, "payload", attributes.payload.u32);
      break;
    case kPayloadI32:
      stepscope_arg_i64(scope, "payload", attributes.payload.i32);
      break;
    case kPayloadF32:
      stepscope_arg_f64(scope, "payload",
                        static_cast<double>(attributes.payload.f32));
      break;
    default:
      break;
  }
}

void AddArguments(stepscope_scope scope, const Domain& domain,
                  const EventAttributes* attributes) {
  if (scope.slot == nullptr) return;
  if (domain.name[0] != '\0')
    stepscope_arg_text(scope, "domain", domain.name, std::strlen(domain.name));
  if (attributes == nullptr) return;
  if (attributes->category != 0) {
    const char* name = domain.CategoryName(attributes->category);
    if (name != nullptr)
      stepscope_arg_text(scope, "category", name, std::strlen(name));
    else
      stepscope_arg_i64(scope, "category", attributes->category);
  }
  if (attributes->payload_type != kPayloadNone) AddPayload(scope, *attributes);
}

// Steps are the one kind of name that matters at all times.
bool MayBeStep(const char* name) { return name[0] == 'P'; }

OpenRange Open(const Domain& domain, Message& message,
               const EventAttributes* attributes) {
  TakeThreadName();
  OpenRange open = {
      {nullptr, 0}, &domain, {EventType(domain, ""), RangeKind::kOther}};
  if (recording.wants_attention() || MayBeStep(message.text())) {
    const Recording::Range range =
        recording.RangeBegins(message.text(), Recording::Source::kNvtx);
    if (range.kind != RangeKind::kOther) open.range = range;
  }
  if (!stepscope_enabled()) return open;
  open.scope = message.Begin(open.range.type);
  AddArguments(open.scope, domain, attributes);
  return open;
}

void Close(const OpenRange& open) {
  stepscope_end(open.scope);
  if (open.range.kind != RangeKind::kOther) recording.RangeEnds(open.range);
}

void Mark(const Domain& domain, Message& message,
          const EventAttributes* attributes) {
  TakeThreadName();
  recording.Wake();
  if (!stepscope_enabled()) return;
  const stepscope_scope scope = message.Begin(EventType(domain, ""));
  if (scope.slot == nullptr) return;
  // At once: the slot is still in this thread's chunk.
  __atomic_store_n(&scope.slot->dur, STEPSCOPE_DUR_INSTANT, __ATOMIC_RELAXED);
  AddArguments(scope, domain, attributes);
}

int Push(const Domain& domain, Message& message,
         const EventAttributes* attributes) {
  if (!HasRoomToPush()) return -1;
  return PushRange(Open(domain, message, attributes));
}

uint64_t Start(const Domain& domain, Message& message,
               const EventAttributes* attributes) {
  const uint64_t place = ReservePlace();
  if (place != 0) KeepRange(place, Open(domain, message, attributes));
  return place;
}

int Pop(const Domain& domain) {
  OpenRange open;
  const int level = PopRange(&domain, &open);
  if (level >= 0) Close(open);
  return level;
}

Domain& DomainOf(void* handle) {
  return handle != nullptr ? *static_cast<Domain*>(handle) : default_domain;
}

// Callbacks, in the order of their ids ----------------------------------------

void MarkEx(const EventAttributes* attributes) {
  Message message(attributes);
  Mark(default_domain, message, attributes);
}
template <typename Char>
void MarkText(const Char* text) {
  Message message(text);
  Mark(default_domain, message, nullptr);
}
uint64_t RangeStartEx(const EventAttributes* attributes) {
  Message message(attributes);
  return Start(default_domain, message, attributes);
}
template <typename Char>
uint64_t RangeStartText(const Char* text) {
  Message message(text);
  return Start(default_domain, message, nullptr);
}
void RangeEnd(uint64_t id) {
  OpenRange open;
  if (TakeRange(id, &open)) Close(open);
}
int RangePushEx(const EventAttributes* attributes) {
  Message message(attributes);
  return Push(default_domain, message, attributes);
}
template <typename Char>
int RangePushText(const Char* text) {
  Message message(text);
  return Push(default_domain, message, nullptr);
}
int RangePop() { return Pop(default_domain); }
template <typename Char>
void CategoryName(uint32_t id, const Char* name) {
  NameCategory(default_domain, id, Message(name).text());
}
template <typename Char>
void OsThreadName(uint32_t tid, const Char* name) {
  NameThread(tid, Message(name).text());
}

void DomainMarkEx_(void* domain, const EventAttributes* attributes) {
  Message message(attributes);
  Mark(DomainOf(domain), message, attributes);
}
uint64_t DomainRangeStart(void* domain, const EventAttributes* attributes) {
  Message message(attributes);
  return Start(DomainOf(domain), message, attributes);
}
void DomainRangeEnd_(void*, uint64_t id) { RangeEnd(id); }
int DomainRangePush(void* domain, const EventAttributes* attributes) {
  Message message(attributes);
  return Push(DomainOf(domain), message, attributes);
}
int DomainRangePop_(void* domain) { return Pop(DomainOf(domain)); }
template <typename Char>
void DomainCategory(void* domain, uint32_t id, const Char* name) {
  NameCategory(DomainOf(domain), id, Message(name).text());
}
template <typename Char>
void* DomainString(void* domain, const Char* text) {
  return RegisterString(DomainOf(domain), Message(text).text());
}
template <typename Char>
void* DomainCreate(const Char* name) {
  return MakeDomain(Message(name).text());
}
void DomainDestroy_(void*) {}  // events may still be on their way

struct Entry {
  unsigned id;
  Function function;
};

template <typename F>
Entry Of(unsigned id, F* function) {
  return {id, reinterpret_cast<Function>(function)};
}

const Entry kCore[] = {
    Of(kMarkEx, &MarkEx),
    Of(kMarkA, &MarkText<char>),
    Of(kMarkW, &MarkText<wchar_t>),
    Of(kRangeStartEx, &RangeStartEx),
    Of(kRangeStartA, &RangeStartText<char>),
    Of(kRangeStartW, &RangeStartText<wchar_t>),
    Of(kRangeEnd, &RangeEnd),
    Of(kRangePushEx, &RangePushEx),
    Of(kRangePushA, &RangePushText<char>),
    Of(kRangePushW, &RangePushText<wchar_t>),
    Of(kRangePop, &RangePop),
    Of(kNameCategoryA, &CategoryName<char>),
    Of(kNameCategoryW, &CategoryName<wchar_t>),
    Of(kNameOsThreadA, &OsThreadName<char>),
    Of(kNameOsThreadW, &OsThreadName<wchar_t>),
};

const Entry kCore2[] = {
    Of(kDomainMarkEx, &DomainMarkEx_),
    Of(kDomainRangeStartEx, &DomainRangeStart),
    Of(kDomainRangeEnd, &DomainRangeEnd_),
    Of(kDomainRangePushEx, &DomainRangePush),
    Of(kDomainRangePop, &DomainRangePop_),
    Of(kDomainNameCategoryA, &DomainCategory<char>),
    Of(kDomainNameCategoryW, &DomainCategory<wchar_t>),
    Of(kDomainRegisterStringA, &DomainString<char>),
    Of(kDomainRegisterStringW, &DomainString<wchar_t>),
    Of(kDomainCreateA, &DomainCreate<char>),
    Of(kDomainCreateW, &DomainCreate<wchar_t>),
    Of(kDomainDestroy, &DomainDestroy_),
};

template <size_t kCount>
bool Fill(const CallbacksTable& callbacks, Module module,
          const Entry (&entries)[kCount]) {
  Function** table = nullptr;
  unsigned size = 0;
  if (callbacks.get_module(module, &table, &size) == 0 || table == nullptr)
    return false;
  for (const Entry& entry : entries)
    if (entry.id < size && table[entry.id] != nullptr)
      *table[entry.id] = entry.function;
  return true;
}

int Initialize(GetExportTable get_table) {
  if (get_table == nullptr) return 0;
  const auto* callbacks =
      static_cast<const CallbacksTable*>(get_table(kCallbacksTable));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(CallbacksTable) ||
      callbacks->get_module == nullptr)
    return 0;
  const bool core = Fill(*callbacks, kModuleCore, kCore);
  // A client of version 1 has no domains.
  return Fill(*callbacks, kModuleCore2, kCore2) || core ? 1 : 0;
}

}  // namespace
}  // namespace stepscope::inject::nvtx

extern "C" {

STEPSCOPE_API int InitializeInjectionNvtx2(
    stepscope::inject::nvtx::GetExportTable get_table) {
  return stepscope::inject::nvtx::Initialize(get_table);
}

// The shared library of NVTX before version 3 asks under this name.
STEPSCOPE_API int InitializeInjectionNvtx(
    stepscope::inject::nvtx::GetExportTable get_table) {
  return stepscope::inject::nvtx::Initialize(get_table);
}

}  // extern "C"
