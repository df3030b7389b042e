// SPDX-License-Identifier: Apache-2.0
//
// Table blocks (kind 11) of a capture: the tables of a trace that came from
// anywhere, as packed columns. docs/formats/capture.md lists the columns.
// Persisted numbers: never renumber; new columns go behind the old ones.
//
//   payload = TableHeader  column*  extra[extra_bytes]
//   column  = ColumnHeader  data[rows * width]  zero-padding-to-8
//
// The first column takes at least one byte a row, so that a small file cannot
// make a reader reserve much.
#pragma once

#include <cstdint>

namespace stepscope::format {

enum class Table : uint32_t {
  kTrace = 1,  // one row: clock, window, how many rows the others have
  kStrings = 2,
  kProcesses = 3,
  kMetadata = 4,  // of processes
  kTracks = 5,
  kEvents = 6,
  kArgs = 7,
  kArgInts = 8,
  kLinks = 9,
  kFlows = 10,
  kCounters = 11,
  kMemory = 12,
  kThreads = 13,
  kDropped = 14,     // of threads, by reason
  kOpenScopes = 15,  // of threads
  kBins = 16,        // of the ledger
  kExamples = 17,    // of bins
  kFiles = 18,
  kNotes = 19,
  kRawBlocks = 20,  // packed raw arguments
  kRawRefs = 21,    // of events into them
  kSources = 22,    // input files; bins and notes stand in their order
};
inline constexpr uint32_t kTables = 23;         // array size
inline constexpr uint32_t kCountedTables = 22;  // in the row of kTrace

struct TableHeader {
  uint32_t table;      // Table
  uint32_t rows;       // in this block
  uint64_t first_row;  // number of the first one in the table
  uint32_t columns;
  uint32_t unused;
  uint64_t extra_bytes;
};
static_assert(sizeof(TableHeader) == 32);
inline constexpr uint32_t kTableRows = 65536;  // in one block, at most

enum class Coding : uint8_t {
  kOffset = 0,  // value = base + data
  kDelta = 1,   // value = value before + data; base is the one before
};

// Values are 64 bits and wrap; shorter signed ones are sign-extended, doubles
// are their bits.
struct ColumnHeader {
  uint8_t coding;  // Coding
  uint8_t width;   // bytes per row: 0, 1, 2, 4 or 8
  uint8_t unused[6];
  uint64_t base;
};
static_assert(sizeof(ColumnHeader) == 16);

// How a block of raw arguments is packed.
enum class Packing : uint64_t {
  kPlain = 0,
  kLz = 1,   // as LZ4, but may end in a match; only earlier versions wrote it
  kLz4 = 2,  // an LZ4 block
};

// Columns of a version-1 table; readers accept more.
constexpr uint32_t ColumnsOf(Table table) {
  switch (table) {
    case Table::kTrace:
      return 14 + kCountedTables;
    case Table::kStrings:  // length; extra: bytes
    case Table::kFiles:
    case Table::kNotes:
    case Table::kArgInts:  // value
      return 1;
    case Table::kProcesses:  // pid, rank, name, host, source, start
      return 6;
    case Table::kMetadata:  // process, key, value
      return 3;
    case Table::kTracks:
      // process, kind, id, device, lane, name, device type
      return 7;
    case Table::kEvents:  // start, duration, name, track, type, flags
      return 6;
    case Table::kArgs:
      // row, key, kind, clipped, integer or double or text or first of list,
      // length of list
      return 6;
    case Table::kLinks:  // row, process, space, id
      return 4;
    case Table::kFlows:  // time, id, name, track, phase
      return 5;
    case Table::kCounters:  // time, track, is integer, integer, double
      return 5;
    case Table::kMemory:
      // time, address, bytes, allocated, reserved, place, track, kind
      return 8;
    case Table::kThreads:
      // track, recorded, side recorded, side dropped, exited
      return 5;
    case Table::kDropped:    // thread, count, length; extra: reason
    case Table::kExamples:   // bin, offset, length; extra: text
    case Table::kRawBlocks:  // length, plain size, Packing; extra: bytes
      return 3;
    case Table::kOpenScopes:  // thread, row
    case Table::kRawRefs:     // row, reference
      return 2;
    case Table::kBins:  // rejected, count, length; extra: reason
      return 3;
    case Table::kSources:
      // lengths of path, format and clock's name, epoch, is it known,
      // complete, anchors, worst error, ticks a second, map to the trace
      // (from, to, rate to, rate from), records kept, bins, notes; extra: the
      // three texts
      return 16;
  }
  return 0;
}

}  // namespace stepscope::format
