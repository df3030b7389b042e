// SPDX-License-Identifier: Apache-2.0
#include "report/arrow_table.h"

#include <utility>

#include "report/arrow_node.h"

namespace stepscope {
namespace {

// An array of structs of its own, with the buffers of the table.
void Share(const std::shared_ptr<const ArrowTable>& table,
           const ArrowArray& from, ArrowArray* out) {
  auto node = std::make_unique<ArrowNode<ArrowArray>>();
  node->owner = table;
  for (int64_t i = 0; i < from.n_children; ++i)
    Share(table, *from.children[i], node->AddChild());
  if (from.dictionary != nullptr)
    Share(table, *from.dictionary, node->AddDictionary());
  *out = from;
  AttachArrowNode(std::move(node), out);
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
