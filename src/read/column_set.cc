// SPDX-License-Identifier: Apache-2.0
#include "read/column_set.h"

#include <cstring>
#include <limits>
#include <utility>

#include "base/utf8.h"

namespace stepscope {
namespace {

std::string ToUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    if (NextCodePoint(text, at) == kInvalidUtf8) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

void AppendSized(std::string& out, std::string_view text) {
  const auto size = static_cast<int32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

std::string Metadata(const ColumnData& column) {
  const int32_t pairs = 2;
  std::string out(reinterpret_cast<const char*>(&pairs), sizeof pairs);
  AppendSized(out, "unit");
  AppendSized(out, column.unit);
  AppendSized(out, "meaning");
  AppendSized(out, column.meaning);
  return out;
}

// The structs below one exported struct. A consumer may move them out.
template <typename Struct>
struct Node {
  std::string name;
  std::string metadata;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Struct>> owned;
  std::vector<Struct*> children;
  std::unique_ptr<Struct> dictionary;
  std::shared_ptr<const void> owner;

  Struct* Add() {
    owned.push_back(std::make_unique<Struct>());
    children.push_back(owned.back().get());
    return children.back();
  }
};

template <typename Struct>
void Release(Struct* exported) {
  auto* node = static_cast<Node<Struct>*>(exported->private_data);
  for (Struct* child : node->children) {
    if (child->release != nullptr) child->release(child);
  }
  Struct* const dictionary = node->dictionary.get();
  if (dictionary != nullptr && dictionary->release != nullptr) {
    dictionary->release(dictionary);
  }
  exported->release = nullptr;
  delete node;
}

template <typename Struct>
void Attach(Struct* out, std::unique_ptr<Node<Struct>> node) {
  out->n_children = static_cast<int64_t>(node->children.size());
  out->children = node->children.data();
  out->dictionary = node->dictionary.get();
  out->release = Release<Struct>;
  out->private_data = node.release();
}

void FillSchema(const char* format, std::unique_ptr<Node<ArrowSchema>> node,
                ArrowSchema* out) {
  *out = {};
  out->format = format;
  out->name = node->name.c_str();
  out->metadata = node->metadata.empty() ? nullptr : node->metadata.data();
  out->flags = ARROW_FLAG_NULLABLE;
  Attach(out, std::move(node));
}

void FillColumnSchema(const ColumnData& column, ArrowSchema* out) {
  auto node = std::make_unique<Node<ArrowSchema>>();
  node->name = column.name;
  node->metadata = Metadata(column);
  if (column.texts != nullptr) {
    node->dictionary = std::make_unique<ArrowSchema>();
    FillSchema("u", std::make_unique<Node<ArrowSchema>>(),
               node->dictionary.get());
  }
  FillSchema(column.format, std::move(node), out);
}

void FillArray(int64_t rows, int64_t nulls,
               std::unique_ptr<Node<ArrowArray>> node, ArrowArray* out) {
  *out = {};
  out->length = rows;
  out->null_count = nulls;
  out->n_buffers = static_cast<int64_t>(node->buffers.size());
  out->buffers = node->buffers.data();
  Attach(out, std::move(node));
}

void FillColumnArray(int64_t rows, const ColumnData& column, ArrowArray* out) {
  auto node = std::make_unique<Node<ArrowArray>>();
  const int64_t nulls = column.validity ? column.validity->nulls() : 0;
  node->buffers = {nulls > 0 ? column.validity->bits() : nullptr,
                   column.values};
  if (column.text != nullptr) {
    node->buffers[1] = column.text->offsets();
    node->buffers.push_back(column.text->text());
  }
  if (column.texts != nullptr) {
    auto texts = std::make_unique<Node<ArrowArray>>();
    texts->buffers = {nullptr, column.texts->offsets(), column.texts->text()};
    node->dictionary = std::make_unique<ArrowArray>();
    FillArray(column.texts->size(), 0, std::move(texts),
              node->dictionary.get());
  }
  FillArray(rows, nulls, std::move(node), out);
}

}  // namespace

int32_t TextDictionary::Add(std::string_view text) {
  std::string utf8 = ToUtf8(text);
  const auto next = static_cast<int32_t>(size());
  const auto [at, is_new] = numbers_.emplace(std::move(utf8), next);
  if (!is_new) return at->second;
  constexpr size_t kMost = std::numeric_limits<int32_t>::max();
  if (text_.size() + at->first.size() > kMost) {
    too_large_ = true;
    return 0;
  }
  text_ += at->first;
  offsets_.push_back(static_cast<int32_t>(text_.size()));
  return next;
}

void TextColumn::Append(std::string_view text) {
  text_ += text;
  if (wide_.empty() && text_.size() <= narrow_) {
    offsets_.push_back(static_cast<int32_t>(text_.size()));
    return;
  }
  if (wide_.empty()) {
    wide_.assign(offsets_.begin(), offsets_.end());
    offsets_ = {};
  }
  wide_.push_back(static_cast<int64_t>(text_.size()));
}

const void* TextColumn::offsets() const {
  if (wide_.empty()) return offsets_.data();
  return wide_.data();
}

void Validity::Append(bool valid) {
  if (count_ % 8 == 0) bits_.push_back(0);
  if (valid) {
    bits_.back() |= static_cast<uint8_t>(1u << count_ % 8);
  } else {
    ++nulls_;
  }
  ++count_;
}

std::shared_ptr<const ArrowTable> MakeArrowTable(
    int64_t rows, std::vector<ColumnData> columns,
    std::shared_ptr<const void> owner) {
  auto table = std::make_shared<ArrowTable>();
  auto node = std::make_unique<Node<ArrowArray>>();
  node->buffers = {nullptr};
  node->owner = std::move(owner);
  for (const ColumnData& column : columns) {
    FillColumnArray(rows, column, node->Add());
  }
  FillArray(rows, 0, std::move(node), &table->array);
  table->schema = [columns = std::move(columns)](ArrowSchema* out) {
    auto root = std::make_unique<Node<ArrowSchema>>();
    for (const ColumnData& column : columns) {
      FillColumnSchema(column, root->Add());
    }
    FillSchema("+s", std::move(root), out);
  };
  return table;
}

}  // namespace stepscope
