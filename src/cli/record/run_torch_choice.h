// SPDX-License-Identifier: Apache-2.0
//
// Which observer of torch's operators is taken: the prebuilt one, which is
// installed beside the injector, or one that is compiled on the spot.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/record/run_torch.h"

namespace stepscope {

// How the prebuilt observer stands to a torch, by its version alone.
enum class PrebuiltFit {
  kKnown,    // 1.12 to 2.15: the interface is the one it was built for
  kUnknown,  // a later one, a build with assertions, or no version: ask it
  kTooOld,   // before 1.12
};
PrebuiltFit FitOf(const TorchInstall& torch);

// The C functions that tell shapes are in torch from 2.3 on.
bool PrebuiltKnowsShapes(const TorchInstall& torch);

// Asks that torch in a process of its own, which may crash. "" if the prebuilt
// observer can observe it, or why not. REQUIRES: `torch.python` is not empty.
std::string ProbeTorch(const TorchInstall& torch, const std::string& prebuilt,
                       const std::string& injector);

// "" if the prebuilt observer does for this torch, or why not.
std::string WhyNotPrebuilt(const TorchInstall& torch,
                           const std::string& prebuilt,
                           const std::string& injector);

struct ObserverWish {
  bool shapes = false;
  bool quiet = false;
  bool compiled = false;  // never the prebuilt one (STEPSCOPE_TORCH_COMPILE)
};

struct ChosenObserver {
  TorchObserver observer;
  std::string remark;  // what it lacks, one line; "" if nothing
};

// The observer to load for a torch. An error says why there is none.
Result<ChosenObserver> ChooseObserver(const TorchInstall& torch,
                                      const ObserverWish& wish,
                                      const std::string& injector);

}  // namespace stepscope
