// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stepscope::server {

// This thread gives way to others, for the processor and for the disk: the
// screen comes first.
void BeLessUrgent();

}  // namespace stepscope::server
