// SPDX-License-Identifier: Apache-2.0
//
// The words of categories and names, which JSON shares with other formats.
#pragma once

#include "importers/categories.h"

namespace stepscope::json {

using importers::Category;
using importers::Dialect;
using importers::FindCategory;
using importers::KindOfName;
using importers::NameKind;
using importers::TrackPlace;
using importers::TypeAndFlags;
using importers::TypeOf;

}  // namespace stepscope::json
