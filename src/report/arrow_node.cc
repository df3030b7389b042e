// SPDX-License-Identifier: Apache-2.0
#include "report/arrow_node.h"

#include <cstring>

namespace stepscope {
namespace {

void AppendNumber(std::string& out, size_t number) {
  const auto narrow = static_cast<int32_t>(number);
  char bytes[sizeof narrow];
  std::memcpy(bytes, &narrow, sizeof narrow);
  out.append(bytes, sizeof bytes);
}

}  // namespace

void FillArrowSchema(const char* format,
                     std::unique_ptr<ArrowNode<ArrowSchema>> node,
                     ArrowSchema* out) {
  *out = {};
  out->format = format;
  out->name = node->name.c_str();
  out->metadata = node->metadata.empty() ? nullptr : node->metadata.data();
  out->flags = ARROW_FLAG_NULLABLE;
  AttachArrowNode(std::move(node), out);
}

std::unique_ptr<ArrowNode<ArrowSchema>> NewColumnSchema(
    std::string name, std::string_view unit, std::string_view meaning) {
  auto node = std::make_unique<ArrowNode<ArrowSchema>>();
  node->name = std::move(name);
  AppendNumber(node->metadata, 2);  // pairs
  for (const std::string_view text :
       {std::string_view("unit"), unit, std::string_view("meaning"), meaning}) {
    AppendNumber(node->metadata, text.size());
    node->metadata += text;
  }
  return node;
}

void FillArrowArray(int64_t length, int64_t nulls,
                    std::unique_ptr<ArrowNode<ArrowArray>> node,
                    ArrowArray* out) {
  *out = {};
  out->length = length;
  out->null_count = nulls;
  out->n_buffers = static_cast<int64_t>(node->buffers.size());
  out->buffers = node->buffers.data();
  AttachArrowNode(std::move(node), out);
}

}  // namespace stepscope
