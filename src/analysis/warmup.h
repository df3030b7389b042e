// SPDX-License-Identifier: Apache-2.0
//
// Which of the first steps are warm-up: compilation, autotuning, the first
// allocations make them longer than the steps that follow, once they settled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace stepscope {

// How many of the first steps are warm-up. `periods`: of all steps of a loop,
// in order. `set_up_ns(i)`: how much of step i was spent on what a program
// does once, as far as it was recorded; asked for few steps, if any.
//
// A step is warm-up if all before it are, and it is longer than the steps of
// the second half by far more than these differ from each other. Time spent on
// setting up that explains the difference makes a smaller one enough. By their
// length alone, at most half of the steps are warm-up, and of one or two steps
// none is.
//
// `chosen`: the user chose the steps and left the first ones of the program
// out. Then a long step counts like any other, unless setting up explains it.
size_t CountWarmup(std::span<const int64_t> periods,
                   const std::function<int64_t(size_t)>& set_up_ns,
                   bool chosen = false);

}  // namespace stepscope
