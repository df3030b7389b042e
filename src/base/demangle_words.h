// SPDX-License-Identifier: Apache-2.0
//
// The fixed words of mangled names: code and meaning. For demangle.cc alone.
#pragma once

#include <string_view>
#include <utility>

namespace stepscope {

inline constexpr std::pair<std::string_view, std::string_view> kBuiltins[] = {
    {"v", "void"},         {"w", "wchar_t"},
    {"b", "bool"},         {"c", "char"},
    {"a", "signed char"},  {"h", "unsigned char"},
    {"s", "short"},        {"t", "unsigned short"},
    {"i", "int"},          {"j", "unsigned int"},
    {"l", "long"},         {"m", "unsigned long"},
    {"x", "long long"},    {"y", "unsigned long long"},
    {"n", "__int128"},     {"o", "unsigned __int128"},
    {"f", "float"},        {"d", "double"},
    {"e", "long double"},  {"g", "__float128"},
    {"z", "..."},          {"Dh", "_Float16"},
    {"Di", "char32_t"},    {"Ds", "char16_t"},
    {"Du", "char8_t"},     {"Dn", "decltype(nullptr)"},
    {"DF16_", "_Float16"}, {"DF16b", "std::bfloat16_t"},
};

inline constexpr std::pair<std::string_view, std::string_view> kStandard[] = {
    {"Sa", "std::allocator"}, {"Sb", "std::basic_string"},
    {"Ss", "std::string"},    {"Si", "std::istream"},
    {"So", "std::ostream"},   {"Sd", "std::iostream"},
};

inline constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
    {"cl", "operator()"}, {"ix", "operator[]"},   {"pl", "operator+"},
    {"mi", "operator-"},  {"ml", "operator*"},    {"dv", "operator/"},
    {"eq", "operator=="}, {"ne", "operator!="},   {"lt", "operator<"},
    {"gt", "operator>"},  {"le", "operator<="},   {"ge", "operator>="},
    {"aS", "operator="},  {"pL", "operator+="},   {"ls", "operator<<"},
    {"rs", "operator>>"}, {"nw", "operator new"}, {"dl", "operator delete"},
};

}  // namespace stepscope
