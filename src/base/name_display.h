// SPDX-License-Identifier: Apache-2.0
//
// Recorded names for people: mangled C++ names in clear, and long names cut
// where it hurts least. Data formats (JSON, CSV) keep names as recorded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// "_Z4copyIfEvPT_" becomes "void copy<float>(float*)"; any other name is
// returned as it is. Names of any length are taken (the C++ runtime refuses
// those above 1024 characters, which kernels of CUTLASS have), but work and
// result are bounded whatever the name holds.
std::string Demangle(std::string_view name);

// At most `width` columns of a terminal. If the name is longer, "..." stands
// for its middle: the name of the function is kept, if need be without the
// namespaces around it, and as much of the end as there is room for. Never
// splits a UTF-8 sequence. REQUIRES: visible text (base/visible_text.h).
std::string ShortenMiddle(std::string_view visible, size_t width);

// A recorded name in clear: demangled, and without the "void" and the argument
// list that repeat what the template arguments of a kernel say.
std::string ClearName(std::string_view name);

// ShortenMiddle of a clear name; what is too long loses its namespaces first:
// "a::f<b::g>" becomes "f<g>". REQUIRES: visible text.
std::string ShortenName(std::string_view visible, size_t width);

// The same for the rows of one list: names that would look alike show where
// they differ. Same names stay alike.
std::vector<std::string> ShortenNames(
    const std::vector<std::string_view>& visible, size_t width);

// The name alone, for a box or a row of a list: without namespaces, template
// and argument lists. Elementwise and reducing kernels all have one name, so
// that their functor is added: "elementwise \u00b7 MulFunctor". What is no C++
// name stays as it is, an operator or a file among it.
std::string ShortName(std::string_view name);

}  // namespace stepscope
