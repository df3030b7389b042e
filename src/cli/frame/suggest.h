// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant by a word that is none of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// Letters to insert, remove, replace or swap with their neighbour to turn one
// word into the other; capitals and small letters are the same.
size_t EditDistance(std::string_view a, std::string_view b);

// The word that is near enough to be meant, or that begins with `word`; "" if
// none is.
std::string NearestWord(std::string_view word,
                        const std::vector<std::string>& known);

// `unknown command "sumary"; did you mean "summary"?`, or the whole list if no
// known word is near. `what` says what kind of word it is.
std::string UnknownWord(std::string_view what, std::string_view word,
                        const std::vector<std::string>& known);

}  // namespace stepscope
