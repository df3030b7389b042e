// SPDX-License-Identifier: Apache-2.0
#include "report/otlp/export_request.h"

namespace stepscope::otlp {
namespace {

void WriteAttributes(Field field, const Attributes& attributes,
                     FieldWriter& out) {
  if (attributes.empty()) return;
  out.BeginList(field);
  for (const Attribute& attribute : attributes) {
    out.BeginItem();
    out.Text(key_value::kKey, attribute.key);
    out.Begin(key_value::kValue);
    if (const auto* text = std::get_if<std::string>(&attribute.value))
      out.Text(any_value::kString, *text);
    else if (const auto* number = std::get_if<int64_t>(&attribute.value))
      out.Int(any_value::kInt, *number);
    else if (const auto* real = std::get_if<double>(&attribute.value))
      out.Double(any_value::kDouble, *real);
    else
      out.Bool(any_value::kBool, std::get<bool>(attribute.value));
    out.End();
    out.End();
  }
  out.EndList();
}

void WriteLinks(const Span& span, FieldWriter& out) {
  if (!span.links.empty()) {
    out.BeginList(span::kLinks);
    for (const Link& link : span.links) {
      out.BeginItem();
      out.Id(link::kTraceId, link.trace);
      out.Id(link::kSpanId, link.span);
      WriteAttributes(link::kAttributes, link.attributes, out);
      out.End();
    }
    out.EndList();
  }
  if (span.dropped_links > 0)
    out.Number(span::kDroppedLinks, span.dropped_links);
}

void WriteSpan(const Span& span, FieldWriter& out) {
  out.Id(span::kTraceId, span.trace);
  out.Id(span::kSpanId, span.id);
  if (!IsNone(span.parent)) out.Id(span::kParentSpanId, span.parent);
  out.Text(span::kName, span.name);
  out.Number(span::kKind, static_cast<uint32_t>(span.kind));
  out.Time(span::kStart, span.start_ns);
  out.Time(span::kEnd, span.end_ns);
  WriteAttributes(span::kAttributes, span.attributes, out);
  if (!span.events.empty()) {
    out.BeginList(span::kEvents);
    for (const SpanEvent& event : span.events) {
      out.BeginItem();
      out.Time(event::kTime, event.time_ns);
      out.Text(event::kName, event.name);
      out.End();
    }
    out.EndList();
  }
  WriteLinks(span, out);
  if (span.failed) {
    constexpr uint32_t kError = 2;
    out.Begin(span::kStatus);
    out.Number(status::kCode, kError);
    out.End();
  }
  if (span.flags != 0) out.Flags(span::kFlags, span.flags);
}

}  // namespace

std::string WriteExportRequest(std::span<const ResourceSpans> processes,
                               Encoding encoding) {
  const std::unique_ptr<FieldWriter> out = MakeFieldWriter(encoding);
  out->BeginList(export_request::kResourceSpans);
  for (const ResourceSpans& process : processes) {
    out->BeginItem();
    out->Begin(resource_spans::kResource);
    WriteAttributes(resource::kAttributes, process.resource, *out);
    out->End();
    out->BeginList(resource_spans::kScopeSpans);
    out->BeginItem();
    out->Begin(scope_spans::kScope);
    out->Text(scope::kName, "stepscope");
    out->Text(scope::kVersion, STEPSCOPE_VERSION);
    out->End();
    out->BeginList(scope_spans::kSpans);
    for (const Span& span : process.spans) {
      out->BeginItem();
      WriteSpan(span, *out);
      out->End();
    }
    out->EndList();
    out->End();
    out->EndList();
    out->End();
  }
  out->EndList();
  return out->Take();
}

}  // namespace stepscope::otlp
