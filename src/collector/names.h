// SPDX-License-Identifier: Apache-2.0
//
// Interned (name, type) pairs of this process. Ids are dense from 2, valid in
// every session, never freed; the number of names and their bytes are bounded,
// and what goes beyond is counted and shares kRefusedSite. Look-ups take no
// lock; adding a name takes a spin lock and copies the name into the live file
// of the running session, so that a killed process leaves its names behind.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "format/live_file.h"

namespace stepscope::collector {

inline constexpr uint32_t kMaxNames = 1u << 17;
inline constexpr uint64_t kMaxNameArena = 4u << 20;
inline constexpr size_t kUnknownLength = static_cast<size_t>(-1);

// The site id of (name, type). `name` may be null ("(null)"). Length
// kUnknownLength: NUL-terminated. Never fails: see kRefusedSite.
uint32_t InternName(const char* name, size_t length, uint32_t type);

// The record of a site id from InternName; null for kRefusedSite. It never
// moves and never changes.
const format::NameRecord* NameRecordOf(uint32_t id);

// True if `record` is (name, type); used to verify a pointer-keyed cache.
bool NameEquals(const format::NameRecord* record, const char* name,
                size_t length, uint32_t type);

// The records of all names so far, as they stand in the arena, from `offset`.
// Returns their bytes; the memory never moves and is never freed.
uint64_t NameRecords(uint64_t offset, const uint8_t** records);

uint64_t NameCount();
// Whether no further name will be taken in.
bool NamesFull();
uint64_t NamesRefused();

// Where names are copied to while a live file is mapped. `used` is its
// committed length. Fills it with all names so far; false if they do not fit.
bool AttachLiveNames(uint8_t* base, uint64_t capacity, uint64_t* used);
void DetachLiveNames();

void ResetNamesAfterFork();

}  // namespace stepscope::collector
