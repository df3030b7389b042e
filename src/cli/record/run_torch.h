// SPDX-License-Identifier: Apache-2.0
//
// Where torch is, and the observer of its operators that is compiled on the
// machine where it runs, against the torch that the command will load, once;
// the result is kept in ${XDG_CACHE_HOME:-~/.cache}/stepscope/torch.
// run_torch_choice.h says when that is needed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope {

struct TorchObserver {
  std::string library;   // the libtorch_cpu.so it is for; "": any
  std::string observer;  // libstepscope_torch.so
};

struct TorchInstall {
  std::string library;  // libtorch_cpu.so
  std::string include;  // folder with ATen/; "" if its headers are missing
  std::string python;   // that imports it; "" if a native program has it
  std::string version;  // "" if it is not stated
  bool debug = false;   // built with assertions, which changes its types
};

// The torch that `python` imports. kNotFound if it has none.
Result<TorchInstall> TorchOfPython(const std::string& python);

// The torch of the Python that `command` runs, or the one that a native
// program is linked to. kNotFound if there is none to be seen.
Result<TorchInstall> FindTorch(const std::vector<std::string>& command);

// The observer for it, built if there is none yet, which is announced on
// standard error unless `quiet`. `sources` is the folder share/stepscope/torch,
// or "" if it is missing.
Result<TorchObserver> ObserverFor(const TorchInstall& torch,
                                  const std::string& sources, bool quiet);

// Whether that torch's strings are of the new C++ ABI: those of the old one
// never mention the new.
bool UsesNewStrings(const std::string& library);

// The C++ compiler that would build it: $CXX or the usual ones; "" if none.
std::string TorchCompiler();

// The Python interpreter of a command: itself, that of its first line, or the
// one that a launcher (env, nice, torchrun, a shell) will start. "" if none.
std::string InterpreterOf(const std::vector<std::string>& command);

}  // namespace stepscope
