// SPDX-License-Identifier: Apache-2.0
//
// Chrome trace-event JSON, as Perfetto and chrome://tracing open it, with the
// keys of files written by Paddle. docs/formats/chrome.md describes it.
#pragma once

#include <string>

#include "exporters/exporter.h"

namespace stepscope {

using ChromeOptions = ExportOptions;

enum class ChromeStyle {
  kPlain,
  // What VisualDL insists on: the duration behind each name, arguments that it
  // does not do without.
  kPaddle,
};
Status WriteChrome(const Trace& trace, const ChromeOptions& options,
                   ChromeStyle style, Sink& sink);

const Exporter& ChromeExporter();

Status ExportChrome(const Trace& trace, const std::string& path,
                    const ChromeOptions& options = {});

// The whole file as text.
std::string ChromeJson(const Trace& trace, const ChromeOptions& options = {});

}  // namespace stepscope
