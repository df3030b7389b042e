// SPDX-License-Identifier: Apache-2.0
//
// Where the rest of stepscope is, whether this program is installed or lies in
// a build tree: both have bin/ beside lib/ and share/.
#pragma once

#include <string>

namespace stepscope {

// A library of ours, such as libstepscope_inject.so; "" if it is missing.
std::string FindOurLibrary(const std::string& name);

// The folder share/stepscope/torch; "" if it is missing.
std::string FindTorchSources();

// The folder share/stepscope/python, with the sitecustomize.py that starts
// stepscope inside a Python program; "" if it is missing.
std::string FindPythonHook();

// The folder that holds the Python package `stepscope` to which this program
// belongs; "" if it belongs to none.
std::string FindPythonPackage();

}  // namespace stepscope
