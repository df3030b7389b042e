// SPDX-License-Identifier: Apache-2.0
//
// ArrowNode: what lies behind an exported struct of Arrow (ArrowSchema or
// ArrowArray) and owns all that the struct refers to. Children may be moved out
// by the consumer, so each has storage of its own and is released by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/arrow_abi.h"

namespace stepscope {

template <typename Struct>
struct ArrowNode {
  std::string name;
  std::string metadata;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Struct>> owned;
  std::vector<Struct*> children;
  std::unique_ptr<Struct> dictionary;
  std::shared_ptr<const void> owner;  // of what the buffers point to

  Struct* AddChild() {
    owned.push_back(std::make_unique<Struct>());
    children.push_back(owned.back().get());
    return children.back();
  }
  Struct* AddDictionary() {
    dictionary = std::make_unique<Struct>();
    return dictionary.get();
  }
};

template <typename Struct>
void AttachArrowNode(std::unique_ptr<ArrowNode<Struct>> node, Struct* out) {
  out->n_children = static_cast<int64_t>(node->children.size());
  out->children = node->children.data();
  out->dictionary = node->dictionary.get();
  out->release = [](Struct* exported) {
    const std::unique_ptr<ArrowNode<Struct>> owned(
        static_cast<ArrowNode<Struct>*>(exported->private_data));
    for (Struct* child : owned->children)
      if (child->release != nullptr) child->release(child);
    Struct* const dictionary = owned->dictionary.get();
    if (dictionary != nullptr && dictionary->release != nullptr)
      dictionary->release(dictionary);
    exported->release = nullptr;
  };
  out->private_data = node.release();
}

// `node`: with its children filled. `format`: a literal.
void FillArrowSchema(const char* format,
                     std::unique_ptr<ArrowNode<ArrowSchema>> node,
                     ArrowSchema* out);
// The same of a column.
std::unique_ptr<ArrowNode<ArrowSchema>> NewColumnSchema(
    std::string name, std::string_view unit, std::string_view meaning);
void FillArrowArray(int64_t length, int64_t nulls,
                    std::unique_ptr<ArrowNode<ArrowArray>> node,
                    ArrowArray* out);

}  // namespace stepscope
