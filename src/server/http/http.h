// SPDX-License-Identifier: Apache-2.0
//
// The one place that includes cpp-httplib, and what the rest calls its types.
#pragma once

#include <httplib.h>

namespace stepscope::server {

using httplib::Request;
using httplib::Response;

}  // namespace stepscope::server
