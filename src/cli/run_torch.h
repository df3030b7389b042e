// SPDX-License-Identifier: Apache-2.0
//
// The observer of torch's operators. at::RecordFunction has no stable binary
// interface, so that the observer is compiled on the machine where it runs,
// against the torch that the command will load, once; the result is kept in
// ${XDG_CACHE_HOME:-~/.cache}/stepscope/torch.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope {

struct TorchObserver {
  std::string library;   // the libtorch_cpu.so it is for
  std::string observer;  // libstepscope_torch.so
};

// Where torch is, as far as the compiler must know.
struct TorchInstall {
  std::string library;  // libtorch_cpu.so
  std::string include;  // folder with ATen/
  std::string version;  // "" if it is not stated
  bool debug = false;   // built with assertions, which changes its types
};

// The torch that `python` imports. kNotFound if it has none.
Result<TorchInstall> TorchOfPython(const std::string& python);

// The torch of the Python that `command` runs, or the one that a native
// program is linked to. kNotFound if there is none to be seen.
Result<TorchInstall> FindTorch(const std::vector<std::string>& command);

// The observer for it, built if there is none yet, which is announced on
// standard error unless `quiet`. `sources` is the folder share/stepscope/torch.
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
