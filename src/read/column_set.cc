// SPDX-License-Identifier: Apache-2.0
#include "read/column_set.h"

#include <limits>
#include <utility>

#include "base/utf8.h"
#include "report/arrow_node.h"

namespace stepscope {
namespace {

void FillColumnSchema(const ColumnData& column, ArrowSchema* out) {
  auto node = NewColumnSchema(column.name, column.unit, column.meaning);
  if (column.texts != nullptr)
    FillArrowSchema("u", std::make_unique<ArrowNode<ArrowSchema>>(),
                    node->AddDictionary());
  FillArrowSchema(column.format, std::move(node), out);
}

void FillColumnArray(int64_t rows, const ColumnData& column, ArrowArray* out) {
  auto node = std::make_unique<ArrowNode<ArrowArray>>();
  const int64_t nulls = column.validity ? column.validity->nulls() : 0;
  node->buffers = {nulls > 0 ? column.validity->bits() : nullptr,
                   column.values};
  if (column.text != nullptr) {
    node->buffers[1] = column.text->offsets();
    node->buffers.push_back(column.text->text());
  }
  if (column.texts != nullptr) {
    auto texts = std::make_unique<ArrowNode<ArrowArray>>();
    texts->buffers = {nullptr, column.texts->offsets(), column.texts->text()};
    FillArrowArray(column.texts->size(), 0, std::move(texts),
                   node->AddDictionary());
  }
  FillArrowArray(rows, nulls, std::move(node), out);
}

}  // namespace

int32_t TextDictionary::Add(std::string_view text) {
  std::string utf8 = ValidUtf8(text);
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
  auto node = std::make_unique<ArrowNode<ArrowArray>>();
  node->buffers = {nullptr};
  node->owner = std::move(owner);
  for (const ColumnData& column : columns) {
    FillColumnArray(rows, column, node->AddChild());
  }
  FillArrowArray(rows, 0, std::move(node), &table->array);
  table->schema = [columns = std::move(columns)](ArrowSchema* out) {
    auto root = std::make_unique<ArrowNode<ArrowSchema>>();
    for (const ColumnData& column : columns) {
      FillColumnSchema(column, root->AddChild());
    }
    FillArrowSchema("+s", std::move(root), out);
  };
  return table;
}

}  // namespace stepscope
