// SPDX-License-Identifier: Apache-2.0
#include "read/arrow_table.h"

#include <utility>
#include <vector>

namespace stepscope {
namespace {

// One array of a batch that was handed out: structs of its own, the buffers of
// the table.
struct SharedArray {
  std::shared_ptr<const ArrowTable> table;
  std::vector<std::unique_ptr<ArrowArray>> children;
  std::vector<ArrowArray*> pointers;
  std::unique_ptr<ArrowArray> dictionary;
};

void ReleaseShared(ArrowArray* array) {
  auto* shared = static_cast<SharedArray*>(array->private_data);
  // A consumer may have moved some of them out.
  for (ArrowArray* child : shared->pointers) {
    if (child->release != nullptr) child->release(child);
  }
  ArrowArray* const dictionary = shared->dictionary.get();
  if (dictionary != nullptr && dictionary->release != nullptr) {
    dictionary->release(dictionary);
  }
  array->release = nullptr;
  delete shared;
}

void Share(const std::shared_ptr<const ArrowTable>& table,
           const ArrowArray& from, ArrowArray* out) {
  auto shared = std::make_unique<SharedArray>();
  shared->table = table;
  for (int64_t i = 0; i < from.n_children; ++i) {
    shared->children.push_back(std::make_unique<ArrowArray>());
    shared->pointers.push_back(shared->children.back().get());
    Share(table, *from.children[i], shared->pointers.back());
  }
  if (from.dictionary != nullptr) {
    shared->dictionary = std::make_unique<ArrowArray>();
    Share(table, *from.dictionary, shared->dictionary.get());
  }
  *out = from;
  out->children = shared->pointers.data();
  out->dictionary = shared->dictionary.get();
  out->release = ReleaseShared;
  out->private_data = shared.release();
}

struct SharedStream {
  std::shared_ptr<const ArrowTable> table;
  bool done = false;
};

SharedStream& Of(ArrowArrayStream* stream) {
  return *static_cast<SharedStream*>(stream->private_data);
}

constexpr int kNoMemory = 12;  // ENOMEM

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    Of(stream).table->schema(out);
    return 0;
  } catch (...) {
    return kNoMemory;
  }
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  *out = {};  // without a release it means the end
  SharedStream& shared = Of(stream);
  if (shared.done) return 0;
  try {
    Share(shared.table, shared.table->array, out);
  } catch (...) {
    *out = {};
    return kNoMemory;
  }
  shared.done = true;
  return 0;
}

const char* GetLastError(ArrowArrayStream*) { return nullptr; }

void ReleaseStream(ArrowArrayStream* stream) {
  delete static_cast<SharedStream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

ArrowTable::~ArrowTable() {
  if (array.release != nullptr) array.release(&array);
}

void ShareStream(std::shared_ptr<const ArrowTable> table,
                 ArrowArrayStream* out) {
  *out = {};
  out->private_data = new SharedStream{std::move(table)};
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = ReleaseStream;
}

}  // namespace stepscope
