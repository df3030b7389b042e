// SPDX-License-Identifier: Apache-2.0
//
// The importer of what `nsys export --type sqlite` writes.
#pragma once

#include "importers/importer.h"

namespace stepscope {

const Importer& NsysImporter();

}  // namespace stepscope
