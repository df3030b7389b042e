// SPDX-License-Identifier: Apache-2.0
//
// Compiles the observer and keeps it.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/record/run_process.h"
#include "cli/record/run_torch.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr int kCompileSeconds = 300;
constexpr const char* kStandards[] = {"-std=c++17", "-std=c++20"};
constexpr const char* kSources[] = {
    "torch/input_list.h", "torch/iteration.cc",   "torch/iteration.h",
    "torch/observer.cc",  "torch/observer_abi.h", "torch/recorder.cc",
    "torch/recorder.h",   "torch/shapes.cc",      "torch/shapes.h",
    "stepscope/c.h"};

}  // namespace

std::string TorchCompiler() {
  const char* wish = std::getenv("CXX");
  for (const char* name :
       {wish != nullptr ? wish : "", "c++", "g++", "clang++"}) {
    const std::string path = FindProgram(name);
    if (!path.empty()) return path;
  }
  return "";
}

bool UsesNewStrings(const std::string& library) {
  const std::string c10 =
      (fs::path(library).parent_path() / "libc10.so").string();
  const Result<std::string> text = ReadFile(c10);
  return !text || text->find("__cxx11") != text->npos;
}

namespace {

std::string CacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/')
    return std::string(cache) + "/stepscope/torch";
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/'
             ? std::string(home) + "/.cache/stepscope/torch"
             : "";
}

std::vector<std::string> CommandLine(const TorchInstall& torch,
                                     const std::string& sources,
                                     const std::string& compiler,
                                     const char* standard,
                                     const std::string& output) {
  const std::string c10 =
      (fs::path(torch.library).parent_path() / "libc10.so").string();
  // stepscope's own symbols are found in the injector, which is loaded first.
  std::vector<std::string> line = {
      compiler, standard, "-O2", "-fPIC", "-shared", "-w",
      "-fvisibility=hidden", "-I" + sources, "-isystem", torch.include,
      std::string("-D_GLIBCXX_USE_CXX11_ABI=") +
          (UsesNewStrings(torch.library) ? "1" : "0"),
      // One translation unit: torch's headers take most of the time.
      "-include", "torch/shapes.cc", "-include", "torch/iteration.cc",
      "-include", "torch/recorder.cc", sources + "/torch/observer.cc", "-o",
      output, torch.library};
  // at::RecordFunction has a member more without it: what we would read as
  // ours belongs to torch.
  if (!torch.debug) line.push_back("-DNDEBUG");
  if (FileExists(c10)) line.push_back(c10);
  return line;
}

// Whatever the result depends on.
Result<std::string> KeyOf(const TorchInstall& torch, const std::string& sources,
                          const std::string& compiler) {
  uint64_t hash = Hash64(torch.library);
  for (const std::string& word :
       CommandLine(torch, sources, compiler, kStandards[0], ""))
    hash = MixHash(hash, Hash64(word));
  for (const char* name : kSources) {
    STEPSCOPE_TRY_ASSIGN(const std::string text,
                         ReadFile(sources + "/" + name));
    hash = MixHash(hash, Hash64(text));
  }
  struct stat info;
  if (stat(torch.library.c_str(), &info) != 0)
    return FileError(torch.library, errno);
  hash = MixHash(hash, static_cast<uint64_t>(info.st_size));
  hash = MixHash(hash, static_cast<uint64_t>(info.st_mtime));
  return Format("%s-%016llx",
                torch.version.empty() ? "torch" : torch.version.c_str(),
                static_cast<unsigned long long>(hash));
}

}  // namespace

Result<TorchObserver> ObserverFor(const TorchInstall& torch,
                                  const std::string& sources, bool quiet) {
  if (sources.empty()) {
    return Fail(ErrorCode::kNotFound,
                "share/stepscope/torch is missing; install stepscope");
  }
  if (torch.include.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "torch's header ATen/record_function.h is not found");
  }
  const std::string compiler = TorchCompiler();
  STEPSCOPE_TRY_ASSIGN(const std::string key, KeyOf(torch, sources, compiler));
  const std::string cache = CacheFolder();
  if (cache.empty())
    return Fail(ErrorCode::kIo, "neither XDG_CACHE_HOME nor HOME is set");
  const std::string folder = cache + "/" + key;
  TorchObserver result = {torch.library, folder + "/libstepscope_torch.so"};
  if (FileExists(result.observer)) {
    if (IsOurs(result.observer)) return result;
    return Fail(
        ErrorCode::kIo,
        result.observer + ": others may have put it there; remove " + folder);
  }
  if (compiler.empty()) {
    return Fail(ErrorCode::kNotFound,
                "no C++ compiler to build torch's observer with");
  }
  std::error_code error;
  fs::create_directories(cache, error);
  // It holds code: nobody else may write there, whatever the umask.
  if (!error && mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return FileError(folder, errno);
  if (error) return FileError(folder, error.value());
  if (!IsOurs(folder + "/."))
    return Fail(ErrorCode::kIo, folder + ": others may write there; remove it");
  if (!quiet) {
    PrintError("building the observer of torch " + torch.version +
               ", once; it is kept in " + folder);
  }
  const std::string part =
      folder + Format("/part_%d.so", static_cast<int>(getpid()));
  const std::string log = folder + "/build.log";
  for (const char* standard : kStandards) {
    const Result<std::string> built =
        OutputOf(CommandLine(torch, sources, compiler, standard, part), {},
                 kCompileSeconds, log);
    // Two runs at once both build it; either result is good.
    if (built && rename(part.c_str(), result.observer.c_str()) == 0)
      return result;
  }
  unlink(part.c_str());
  return Fail(ErrorCode::kUnsupported,
              "torch's observer does not build, see " + log);
}

}  // namespace stepscope
