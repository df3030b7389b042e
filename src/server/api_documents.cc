// SPDX-License-Identifier: Apache-2.0
//
// The documents of the commands: summary, advise, whatif, compare. Made by the
// same functions, so the numbers are the same.
#include "server/api.h"

namespace stepscope::server {

void Api::AddDocuments() {}

}  // namespace stepscope::server
