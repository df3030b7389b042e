// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_torch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "cli/record/run_process.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 18> kLaunchers = {
    "sh",     "bash",   "dash",    "zsh",     "env",        "nice",
    "ionice", "time",   "timeout", "numactl", "taskset",    "stdbuf",
    "setsid", "mpirun", "mpiexec", "srun",    "accelerate", "make"};

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool IsPython(const std::string& path) {
  return BaseName(path).compare(0, 6, "python") == 0;
}

// "#!/usr/bin/env python3" or "#!/opt/venv/bin/python"; "" if it is another.
std::string InterpreterOfScript(const std::string& path) {
  const Result<File> file = File::OpenForReading(path);
  if (!file) return "";
  std::vector<uint8_t> head(256);
  const Result<size_t> got = file->ReadAt(0, head);
  if (!got || *got < 3 || head[0] != '#' || head[1] != '!') return "";
  std::string line(head.begin() + 2,
                   head.begin() + static_cast<ptrdiff_t>(*got));
  line = line.substr(0, line.find('\n'));
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == line.npos) break;
    const size_t end =
        std::min(line.find_first_of(" \t\r", begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    if (IsPython(word)) return FindProgram(word);
    at = end;
  }
  return "";
}

// Lines such as "libtorch_cpu.so => /usr/lib/libtorch_cpu.so (0x7f…)": what
// the loader would load for a program or library, which is not run.
std::string TorchAmongLibrariesOf(const std::string& path) {
  const Result<std::string> list =
      OutputOf({path}, {{"LD_TRACE_LOADED_OBJECTS", "1"}}, 10);
  if (!list) return "";
  const size_t at = list->find("libtorch_cpu.so");
  const size_t arrow = at == list->npos ? at : list->find("=> ", at);
  if (arrow == list->npos) return "";
  const size_t begin = arrow + 3;
  return list->substr(begin, list->find(" (", begin) - begin);
}

// Setting the variable would run what is no dynamic program.
bool IsDynamicProgram(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  return text && text->compare(0, 4, "\177ELF") == 0 &&
         text->find("libtorch") != text->npos;
}

void ReadVersion(const std::string& folder, TorchInstall& torch) {
  const Result<std::string> text = ReadFile(folder + "/version.py");
  if (!text) return;
  torch.debug = text->find("debug = True") != text->npos;
  const std::string_view key = "__version__ = '";
  const size_t at = text->find(key);
  if (at == text->npos) return;
  const size_t begin = at + key.size();
  torch.version = text->substr(begin, text->find('\'', begin) - begin);
}

std::string FirstWith(const std::vector<std::string>& folders,
                      const std::string& file) {
  for (const std::string& folder : folders)
    if (FileExists(folder + "/" + file)) return folder;
  return "";
}

// A distribution's torch keeps its libraries with the others.
std::string LibraryOf(const std::string& folder) {
  const std::string own = folder + "/lib/libtorch_cpu.so";
  if (FileExists(own)) return own;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.compare(0, 3, "_C.") != 0) continue;
    const Result<std::string> list = OutputOf(
        {"/lib64/ld-linux-x86-64.so.2", "--list", it->path().string()}, {}, 10);
    const size_t at = list ? list->find("libtorch_cpu.so") : list->npos;
    const size_t arrow = at == std::string::npos ? at : list->find("=> ", at);
    if (arrow == std::string::npos) continue;
    return list->substr(arrow + 3, list->find(" (", arrow) - arrow - 3);
  }
  return "";
}

void FindHeaders(const std::string& folder, TorchInstall& torch) {
  torch.include =
      FirstWith({folder + "/include", "/usr/include", "/usr/local/include"},
                "ATen/record_function.h");
}

// As libtorch without Python states it: "2.6.0+cpu".
void ReadBuildVersion(const std::string& folder, TorchInstall& torch) {
  const Result<std::string> text = ReadFile(folder + "/build-version");
  if (text) torch.version = text->substr(0, text->find('\n'));
}

}  // namespace

std::string InterpreterOf(const std::vector<std::string>& command) {
  bool launcher = false;
  for (const std::string& word : command) {
    const std::string path = FindProgram(word);
    if (path.empty()) continue;
    if (IsPython(path)) return path;
    const std::string interpreter = InterpreterOfScript(path);
    if (!interpreter.empty()) return interpreter;
    const std::string name = BaseName(word);
    launcher |= std::find(kLaunchers.begin(), kLaunchers.end(), name) !=
                kLaunchers.end();
  }
  // A launcher that names no Python: most likely the usual one.
  return launcher ? FindProgram("python3") : "";
}

Result<TorchInstall> TorchOfPython(const std::string& python) {
  const Result<std::string> answer =
      OutputOf({python, "-c",
                "import importlib.util as u\n"
                "s = u.find_spec('torch')\n"
                "print(s.submodule_search_locations[0] if s else '')"},
               {}, 20);
  if (!answer || *answer == "\n")
    return Fail(ErrorCode::kNotFound, python + " has no torch");
  const std::string folder = answer->substr(0, answer->find('\n'));
  TorchInstall torch;
  torch.python = python;
  torch.library = LibraryOf(folder);
  ReadVersion(folder, torch);
  if (torch.library.empty())
    return Fail(ErrorCode::kUnsupported, folder + ": no libtorch_cpu.so");
  FindHeaders(folder, torch);
  return torch;
}

Result<TorchInstall> FindTorch(const std::vector<std::string>& command) {
  const std::string program = FindProgram(command[0]);
  if (IsDynamicProgram(program)) {
    TorchInstall torch;
    torch.library = TorchAmongLibrariesOf(program);
    if (!torch.library.empty()) {
      const std::string lib = fs::path(torch.library).parent_path().string();
      const std::string folder = fs::path(lib).parent_path().string();
      ReadBuildVersion(folder, torch);
      FindHeaders(folder, torch);
      return torch;
    }
  }
  const std::string python = InterpreterOf(command);
  if (python.empty())
    return Fail(ErrorCode::kNotFound, "the command is not a Python program");
  return TorchOfPython(python);
}

}  // namespace stepscope
