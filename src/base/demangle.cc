// SPDX-License-Identifier: Apache-2.0
//
// A reader of the Itanium C++ ABI's names, as far as names of kernels go. The
// runtime's own (abi::__cxa_demangle) refuses names above 1024 characters and
// may write gigabytes for a short hostile one; it is asked last, and only where
// a name refers back so rarely that its answer must be small.
#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/demangle_words.h"
#include "base/name_display.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr size_t kLongestInput = size_t{1} << 16;
constexpr size_t kLongestText = size_t{1} << 16;  // of one part
constexpr size_t kMostWork = size_t{4} << 20;     // characters written in all
constexpr size_t kStep = 16;  // what a step counts that may write nothing
constexpr int kDeepest = 256;

// Reads one mangled name. Every function leaves `at_` behind what it read;
// whatever is not understood sets `failed_`, after which results mean nothing.
class Reader {
 public:
  explicit Reader(std::string_view name) : text_(name) {}

  // The name in clear; "" if it is not understood. What follows a whole name,
  // such as the mark of a compiler's clone, is left out.
  std::string Read() {
    std::string result = Encoding();
    return failed_ ? "" : result;
  }

 private:
  // A type is written around a name: "void (*)(int)" has text on both sides.
  struct Type {
    std::string left;
    std::string right;
    std::string whole() const { return left + right; }
  };
  struct Name {
    std::string text;
    bool is_template = false;    // ends in template arguments
    bool has_no_return = false;  // constructor, destructor, conversion
    std::string qualifiers;      // " const" of a member function
  };

  struct Arg {                       // of a template
    std::vector<std::string> items;  // one, or those of a pack
    bool is_pack = false;
    std::string list() const {
      std::string text;
      for (const std::string& item : items) AddToList(text, item);
      return text;
    }
  };

  struct Deeper {
    explicit Deeper(Reader& whose) : reader(whose) {
      reader.work_ += kStep;
      if (++reader.depth_ > kDeepest || reader.work_ > kMostWork) reader.Fail();
    }
    ~Deeper() { --reader.depth_; }
    Reader& reader;
  };

  std::string Fail() {
    failed_ = true;
    at_ = text_.size();
    return "";
  }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool Take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  void Expect(std::string_view what) {
    if (!Take(what)) Fail();
  }
  // An empty pack leaves no trace.
  static void AddToList(std::string& list, const std::string& item) {
    if (!list.empty() && !item.empty()) list += ", ";
    list += item;
  }
  // Results go through here, so that no name makes much of itself.
  std::string Bounded(std::string text) {
    work_ += text.size();
    if (text.size() > kLongestText || work_ > kMostWork) return Fail();
    return text;
  }
  template <size_t kCount>
  std::string_view TakeOneOf(
      const std::pair<std::string_view, std::string_view> (&table)[kCount]) {
    for (const auto& [code, meaning] : table)
      if (Take(code)) return meaning;
    return {};
  }

  size_t Number() {
    if (!IsDigit(Peek())) Fail();
    size_t value = 0;
    while (IsDigit(Peek())) {
      value = value * 10 + static_cast<size_t>(Peek() - '0');
      ++at_;
      if (value > kLongestInput) {
        Fail();
        return 0;
      }
    }
    return value;
  }
  // "_" is 0, "0_" is 1, in the given base.
  size_t Index(size_t base) {
    if (Take("_")) return 0;
    size_t value = 0;
    while (!failed_ && !Take("_")) {
      const char c = Peek();
      size_t digit = base;
      if (IsDigit(c)) digit = static_cast<size_t>(c - '0');
      if (c >= 'A' && c <= 'Z') digit = static_cast<size_t>(c - 'A') + 10;
      if (digit >= base) Fail();
      value = value * base + digit;
      if (value > kLongestInput) Fail();
      ++at_;
    }
    return value + 1;
  }

  std::string SourceName() {
    const size_t length = Number();
    if (failed_ || length > text_.size() - at_) return Fail();
    std::string name(text_.substr(at_, length));
    at_ += length;
    if (name.starts_with("_GLOBAL__N_")) name = "(anonymous namespace)";
    return Bounded(std::move(name));
  }

  std::string TypeList(std::string_view end) {
    std::string list;
    while (!failed_ && !Take(end)) AddToList(list, ReadType().whole());
    return list == "void" ? "" : Bounded(std::move(list));
  }

  // The last class of a scope, without its template arguments.
  static std::string ClassOf(std::string_view scope) {
    size_t begin = 0;
    size_t end = scope.size();
    int depth = 0;
    for (size_t i = 0; i < scope.size(); ++i) {
      const char c = scope[i];
      if (depth == 0 && c == '<') end = i;
      if (depth == 0 && c == ':') {
        begin = i + 1;
        end = scope.size();
      }
      depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    }
    return std::string(scope.substr(begin, end - begin));
  }

  // Without its scope: an identifier, an operator, a lambda.
  std::string UnqualifiedName(Name& name, std::string_view scope) {
    std::string result;
    Take("L");  // of internal linkage
    if (IsDigit(Peek())) {
      result = SourceName();
    } else if (Take("Ul")) {
      result = "{lambda(" + TypeList("E") + ")#";
      const size_t index = Index(10) + 1;
      result += std::to_string(index) + "}";
    } else if (Take("Ut")) {
      const size_t index = Index(10) + 1;
      result = "{unnamed type#" + std::to_string(index) + "}";
    } else if ((Peek() == 'C' || Peek() == 'D') && IsDigit(Peek(1))) {
      result = (Peek() == 'D' ? "~" : "") + ClassOf(scope);
      name.has_no_return = true;
      at_ += 2;
    } else if (Take("cv")) {
      result = "operator " + ReadType().whole();
      name.has_no_return = true;
    } else {
      result = TakeOneOf(kOperators);
      if (result.empty()) return Fail();
    }
    while (Take("B")) result += "[abi:" + SourceName() + "]";
    return Bounded(std::move(result));
  }

  // "S_", "S1A_", or one of the standard's short forms.
  std::string Substitution() {
    const std::string_view standard = TakeOneOf(kStandard);
    if (!standard.empty()) return std::string(standard);
    Expect("S");
    const size_t index = Index(36);
    if (failed_ || index >= seen_.size()) return Fail();
    return Bounded(seen_[index].whole());
  }
  void Remember(Type type) {
    work_ += type.left.size() + type.right.size();
    if (work_ > kMostWork) Fail();
    if (!failed_) seen_.push_back(std::move(type));
  }
  void Remember(const std::string& text) { Remember(Type{text, ""}); }

  std::string Literal() {
    if (Take("_Z")) {  // the address of a function
      std::string name = Encoding();
      Expect("E");
      return name;
    }
    const char code = Peek();
    const std::string type = ReadType().whole();
    std::string value;
    if (Take("n")) value = "-";
    while (!failed_ && Peek() != 'E') {
      if (at_ >= text_.size()) return Fail();
      value += text_[at_++];
    }
    Expect("E");
    switch (code) {
      case 'b':
        return value == "0" ? "false" : "true";
      case 'i':
        return value;
      case 'j':
        return value + "u";
      case 'l':
        return value + "l";
      case 'm':
        return value + "ul";
      case 'x':
        return value + "ll";
      case 'y':
        return value + "ull";
      default:
        return "(" + type + ")" + value;
    }
  }

  Arg TemplateArg() {
    const Deeper deeper(*this);
    Arg arg;
    if (Take("L")) {
      arg.items.push_back(Literal());
    } else if (Take("J")) {
      arg.is_pack = true;
      while (!failed_ && !Take("E"))
        arg.items.push_back(Bounded(TemplateArg().list()));
    } else if (Peek() == 'X') {
      Fail();  // an expression: names of kernels have none
    } else {
      arg.items.push_back(ReadType().whole());
    }
    return arg;
  }

  std::string TemplateArgs() {
    Expect("I");
    std::vector<Arg> args;
    std::string list;
    while (!failed_ && !Take("E")) {
      args.push_back(TemplateArg());
      AddToList(list, args.back().list());
    }
    std::string result = "<" + list;
    if (result.ends_with('>')) result += ' ';
    if (!in_signature_) args_ = std::move(args);
    return Bounded(result + ">");
  }

  // N [qualifiers] prefix... E
  Name NestedName() {
    Name name;
    Expect("N");
    while (Peek() == 'r' || Peek() == 'V' || Peek() == 'K') {
      name.qualifiers += Peek() == 'K'   ? " const"
                         : Peek() == 'V' ? " volatile"
                                         : " restrict";
      ++at_;
    }
    if (Take("R")) name.qualifiers += " &";
    if (Take("O")) name.qualifiers += " &&";
    bool is_new = false;  // not yet among the substitutions
    while (!failed_ && !Take("E")) {
      if (is_new) Remember(name.text);
      is_new = true;
      if (Peek() == 'I') {
        name.text += TemplateArgs();
        name.is_template = true;
      } else if (name.text.empty() && Take("St")) {
        name.text = "std";
        is_new = false;
      } else if (name.text.empty() && Peek() == 'S') {
        name.text = Substitution();
        is_new = false;
      } else if (name.text.empty() && Peek() == 'T') {
        name.text = TemplateParam();
      } else {
        const std::string part = UnqualifiedName(name, name.text);
        name.text += (name.text.empty() ? "" : "::") + part;
        name.is_template = false;
      }
      name.text = Bounded(std::move(name.text));
    }
    return name;
  }

  // Z encoding E name: what is declared inside a function.
  Name LocalName() {
    Name name;
    Expect("Z");
    name.text = Encoding();
    Expect("E");
    if (Take("s")) {
      name.text += "::string literal";
    } else {
      if (Take("d")) Index(10);  // of a default argument
      const Name inner = ReadName();
      name.text += "::" + inner.text;
      name.is_template = inner.is_template;
      name.qualifiers = inner.qualifiers;
    }
    if (Take("_")) {
      if (Take("_")) {
        Number();
        Expect("_");
      } else {
        Number();
      }
    }
    name.text = Bounded(std::move(name.text));
    return name;
  }

  Name ReadName() {
    const Deeper deeper(*this);
    if (failed_) return {};
    if (Peek() == 'N') return NestedName();
    if (Peek() == 'Z') return LocalName();
    Name name;
    if (Peek() == 'S' && Peek(1) != 't') {
      name.text = Substitution();
    } else {
      if (Take("St")) name.text = "std::";
      const std::string scope = name.text;
      name.text += UnqualifiedName(name, scope);
      if (Peek() == 'I') Remember(name.text);
    }
    if (Peek() == 'I') {
      name.text += TemplateArgs();
      name.is_template = true;
    }
    return name;
  }

  std::string TemplateParam() {
    Expect("T");
    const size_t index = Index(10);
    if (failed_ || index >= args_.size()) return Fail();
    const Arg& arg = args_[index];
    if (!arg.is_pack) return Bounded(arg.list());
    pack_size_ = arg.items.size();
    return pack_at_ < pack_size_ ? Bounded(arg.items[pack_at_]) : "";
  }

  // What follows "Dp", once for each item of the pack it names.
  Type PackExpansion() {
    const size_t begin = at_;
    const size_t seen = seen_.size();
    const size_t outer_at = std::exchange(pack_at_, 0);
    const size_t outer_size = std::exchange(pack_size_, 0);
    std::string list;
    do {
      at_ = begin;
      seen_.resize(seen);
      const std::string item = ReadType().whole();
      if (pack_at_ < pack_size_) AddToList(list, item);
    } while (!failed_ && ++pack_at_ < pack_size_);
    pack_at_ = outer_at;
    pack_size_ = outer_size;
    return {Bounded(std::move(list)), ""};
  }

  // A function type behind "F": "void (int)" with room for a "*".
  Type FunctionType() {
    Take("Y");  // extern "C"
    Type result = ReadType();
    const std::string list = TypeList("E");
    return {result.whole() + " ", "(" + list + ")"};
  }

  Type Pointer(std::string_view mark) {
    Type type = ReadType();
    // A function or an array takes brackets; a pointer to one has them.
    const bool bare =
        type.right.starts_with('(') || type.right.starts_with('[');
    if (bare) {
      type.left += "(";
      type.right = ")" + type.right;
    }
    // & of && and of & is &, as types collapse.
    const bool is_reference = type.left.ends_with('&');
    if (is_reference && mark == "&" && type.left.ends_with("&&"))
      type.left.pop_back();
    else if (!is_reference || mark == "*")
      type.left += mark;
    Remember(type);
    return type;
  }

  Type ReadType() {
    const Deeper deeper(*this);
    if (failed_) return {};
    const std::string_view builtin = TakeOneOf(kBuiltins);
    if (!builtin.empty()) return {std::string(builtin), ""};
    Type type;
    switch (Peek()) {
      case 'P':
        ++at_;
        return Pointer("*");
      case 'R':
        ++at_;
        return Pointer("&");
      case 'O':
        ++at_;
        return Pointer("&&");
      case 'r':
      case 'V':
      case 'K': {
        std::string qualifiers;
        for (; Peek() == 'r' || Peek() == 'V' || Peek() == 'K'; ++at_)
          qualifiers = (Peek() == 'K'   ? " const"
                        : Peek() == 'V' ? " volatile"
                                        : " restrict") +
                       qualifiers;
        type = ReadType();
        type.left += qualifiers;
        break;
      }
      case 'A': {
        ++at_;
        const std::string extent =
            Peek() == '_' ? "" : std::to_string(Number());
        Expect("_");
        type = ReadType();
        type.left += type.right.starts_with('[') ? "" : " ";
        type.right = "[" + extent + "]" + type.right;
        break;
      }
      case 'F':
        ++at_;
        type = FunctionType();
        break;
      case 'T':
        type.left = TemplateParam();
        if (Peek() == 'I') {  // a template given as an argument
          Remember(type);
          type.left += TemplateArgs();
        }
        break;
      case 'D':
        if (!Take("Dp")) {
          Fail();
          return {};
        }
        type = PackExpansion();
        break;
      case 'u':
        ++at_;
        type.left = SourceName();
        break;
      case 'S':
        if (Peek(1) != 't') {
          const bool is_standard = Peek(1) >= 'a' && Peek(1) <= 'z';
          if (!is_standard && !FollowedByArgs()) return Repeated();
          type.left = Substitution();
          if (Peek() != 'I') return type;
          type.left += TemplateArgs();
          break;
        }
        [[fallthrough]];
      default:
        type.left = ReadName().text;
    }
    type.left = Bounded(std::move(type.left));
    Remember(type);
    return type;
  }

  // Whether template arguments follow the substitution here.
  bool FollowedByArgs() const {
    const size_t end = text_.find('_', at_);
    return end != text_.npos && end + 1 < text_.size() && text_[end + 1] == 'I';
  }
  // A substitution as a type, with both its sides.
  Type Repeated() {
    Expect("S");
    const size_t index = Index(36);
    if (failed_ || index >= seen_.size()) {
      Fail();
      return {};
    }
    work_ += seen_[index].left.size() + seen_[index].right.size();
    if (work_ > kMostWork) Fail();
    return seen_[index];
  }

  // A whole entity: a name and, of functions, the types of its arguments.
  std::string Encoding() {
    const Deeper deeper(*this);
    std::vector<Arg> outer = std::exchange(args_, {});
    const bool outer_signature = std::exchange(in_signature_, false);
    const Name name = ReadName();
    in_signature_ = true;
    std::string result = name.text;
    const auto ends = [&] {
      return Peek() == '\0' || Peek() == 'E' || Peek() == '.';
    };
    if (!failed_ && !ends()) {
      Type returned;
      if (name.is_template && !name.has_no_return) {
        returned = ReadType();
        returned.left += ' ';
      }
      std::string list;
      while (!failed_ && !ends()) AddToList(list, ReadType().whole());
      if (list == "void") list.clear();
      result = returned.left + name.text + "(" + list + ")" + name.qualifiers +
               returned.right;
    }
    args_ = std::move(outer);
    in_signature_ = outer_signature;
    return Bounded(std::move(result));
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t work_ = 0;
  bool failed_ = false;
  std::vector<Type> seen_;     // the substitutions so far
  std::vector<Arg> args_;      // what T_, T0_ ... stand for
  bool in_signature_ = false;  // behind the name, which alone sets them
  size_t pack_at_ = 0;         // which item of a pack T_ stands for
  size_t pack_size_ = 0;       // of the pack that was met last
};

// Each reference back may double what is written.
bool RefersBackRarely(std::string_view name) {
  constexpr size_t kMost = 12;
  size_t count = 0;
  for (const char c : name) count += c == 'S' || c == 'T' ? 1 : 0;
  return count <= kMost;
}

std::string AskRuntime(const std::string& name) {
  int status = 0;
  char* const text =
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return "";
  std::string result = text;
  std::free(text);
  return result;
}

}  // namespace

std::string Demangle(std::string_view name) {
  // Two underscores: symbols of macOS, and of clang's blocks.
  const size_t start = name.starts_with("__Z") ? 3 : 2;
  if (!name.starts_with("_Z") && start == 2) return std::string(name);
  if (name.size() > kLongestInput || name.find('\0') != name.npos)
    return std::string(name);
  std::string result = Reader(name.substr(start)).Read();
  if (result.empty() && RefersBackRarely(name))
    result = AskRuntime(std::string(name.substr(start - 2)));
  return result.empty() ? std::string(name) : result;
}

}  // namespace stepscope
