// SPDX-License-Identifier: Apache-2.0
//
// Where in a program an event comes from: the modules around it, and the
// function of Python with its line.
#pragma once

#include <vector>

#include "analysis/event_tree.h"
#include "server/events/event_facts.h"

namespace stepscope::server {

// "Module": from the outermost on; "Python": the innermost function around, by
// its events, else by the stack that the event or one around it states. Of work
// on a device, those of its launch. Empty where nothing is known.
std::vector<EventFact> CallersOf(const EventTree& tree, Row row);

}  // namespace stepscope::server
