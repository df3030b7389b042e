// SPDX-License-Identifier: Apache-2.0
//
// FormatOptions: what only one format understands, by the type of its options.
//
//   options.formats.Set(TensorflowOptions{.show_memory = true});
//   const auto mine = options.formats.Get<TensorflowOptions>();
#pragma once

#include <any>
#include <map>
#include <typeindex>
#include <utility>

namespace stepscope {

class FormatOptions {
 public:
  template <typename T>
  void Set(T options) {
    slots_[typeid(T)] = std::move(options);
  }
  // The defaults if nobody set them.
  template <typename T>
  T Get() const {
    const auto slot = slots_.find(typeid(T));
    return slot == slots_.end() ? T{} : std::any_cast<T>(slot->second);
  }

 private:
  std::map<std::type_index, std::any> slots_;
};

}  // namespace stepscope
