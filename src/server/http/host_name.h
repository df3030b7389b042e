// SPDX-License-Identifier: Apache-2.0
//
// Names of hosts as they stand in requests and addresses.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::server {

// ASCII letters in lower case.
std::string Lower(std::string_view text);
// "localhost" of "localhost:8080", "::1" of "[::1]:8080", in lower case;
// empty: malformed.
std::string HostOf(std::string_view authority);
// Whether it is an IP address, without brackets.
bool IsAddress(const std::string& host);
// Whether it is an address or a name as DNS has them, in lower case and
// without a port.
bool IsHostName(const std::string& host);

}  // namespace stepscope::server
