// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_torch_choice.h"

#include <cstdio>

#include "cli/record/run_install.h"
#include "cli/record/run_process.h"

namespace stepscope {
namespace {

constexpr int kProbeSeconds = 60;

// {0, 0} if there is none in the text.
struct Version {
  int major = 0;
  int minor = 0;

  bool AtLeast(int a, int b) const {
    return major > a || (major == a && minor >= b);
  }
};

Version VersionOf(const TorchInstall& torch) {
  Version version;
  if (std::sscanf(torch.version.c_str(), "%d.%d", &version.major,
                  &version.minor) != 2)
    return {};
  return version;
}

constexpr const char* kProbe =
    "import ctypes, sys, torch\n"
    "probe = ctypes.CDLL(sys.argv[1]).stepscope_torch_probe_v1\n"
    "probe.restype = ctypes.c_char_p\n"
    "print((probe() or b'good').decode())";

}  // namespace

PrebuiltFit FitOf(const TorchInstall& torch) {
  const Version version = VersionOf(torch);
  if (version.major == 0 || torch.debug || version.AtLeast(2, 16))
    return PrebuiltFit::kUnknown;
  return version.AtLeast(1, 12) ? PrebuiltFit::kKnown : PrebuiltFit::kTooOld;
}

bool PrebuiltKnowsShapes(const TorchInstall& torch) {
  return VersionOf(torch).AtLeast(2, 3);
}

std::string ProbeTorch(const TorchInstall& torch, const std::string& prebuilt,
                       const std::string& injector) {
  // The injector for the recorder's symbols; told to follow nothing, it does
  // nothing.
  const Result<std::string> answer = OutputOf(
      {torch.python, "-c", kProbe, prebuilt},
      {{"LD_PRELOAD", injector}, {"STEPSCOPE_FOLLOW", ""}}, kProbeSeconds);
  if (!answer) return "a process that asked torch failed";
  const std::string line = answer->substr(0, answer->find('\n'));
  return line == "good" ? "" : line;
}

std::string WhyNotPrebuilt(const TorchInstall& torch,
                           const std::string& prebuilt,
                           const std::string& injector) {
  if (prebuilt.empty()) return "libstepscope_torch.so is missing";
  switch (FitOf(torch)) {
    case PrebuiltFit::kKnown:
      return "";
    case PrebuiltFit::kTooOld:
      return "torch is older than 1.12";
    case PrebuiltFit::kUnknown:
      break;
  }
  if (torch.python.empty()) return "the version of torch is not known";
  return ProbeTorch(torch, prebuilt, injector);
}

Result<ChosenObserver> ChooseObserver(const TorchInstall& torch,
                                      const ObserverWish& wish,
                                      const std::string& injector) {
  const std::string prebuilt = FindOurLibrary("libstepscope_torch.so");
  const std::string why_not = WhyNotPrebuilt(torch, prebuilt, injector);
  const bool fits = why_not.empty();
  const bool with_shapes = !wish.shapes || PrebuiltKnowsShapes(torch);
  if (fits && with_shapes && !wish.compiled)
    return ChosenObserver{{"", prebuilt}, ""};
  const Result<TorchObserver> compiled =
      ObserverFor(torch, FindTorchSources(), wish.quiet);
  if (compiled) return ChosenObserver{*compiled, ""};
  if (wish.compiled) return compiled.error();
  if (fits) {
    return ChosenObserver{
        {"", prebuilt}, "shapes are not recorded: " + compiled.error().message};
  }
  // Where nobody could ask torch beforehand, the observer asks when it is
  // loaded.
  if (!prebuilt.empty() && torch.python.empty() &&
      FitOf(torch) == PrebuiltFit::kUnknown)
    return ChosenObserver{{"", prebuilt}, ""};
  return Fail(compiled.error().code,
              why_not + ", and " + compiled.error().message);
}

}  // namespace stepscope
