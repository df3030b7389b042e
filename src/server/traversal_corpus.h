// SPDX-License-Identifier: Apache-2.0
//
// For tests: more than ten thousand targets of requests that try to leave a
// folder. Each way of writing a dot, a slash and an end is put together with
// each other one.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace stepscope::server {

// `ends` are where they want to go, seen from the folder that is served.
inline std::vector<std::string> TraversalCorpus(
    const std::vector<std::string>& ends) {
  const std::string dots[] = {
      // as they are, once and twice encoded, in mixed case
      "..", "%2e%2e", "%2E%2e", ".%2e", "%2e.", "%252e%252e", "%25252e%25252e",
      ".%252e", "%%32%65%%32%65",
      // longer than UTF-8 allows, two to six bytes, and UTF-16's way
      "%c0%ae%c0%ae", "%c0%2e%c0%2e", "%e0%80%ae%e0%80%ae",
      "%f0%80%80%ae%f0%80%80%ae", "%f8%80%80%80%ae%f8%80%80%80%ae",
      "%fc%80%80%80%80%ae%fc%80%80%80%80%ae", "%u002e%u002e", "%uff0e%uff0e",
      "%ef%bc%8e%ef%bc%8e",
      // what a filter leaves behind, and what some readers drop
      "....", "...", "..;", "..;x=1", "..%00", "..%0a", "..%0d%0a", "..%09",
      "..%20", "%20..", "..%3b", "..%23", "..%3f", "..%ff", "..\xe2\x80\xa4"};
  const std::string slashes[] = {
      "/",      "//",        "/./",       "%2f",          "%2F",
      "%252f",  "%25252f",   "\\",        "%5c",          "%255c",
      "%c0%af", "%c1%9c",    "%e0%80%af", "%f0%80%80%af", "%u2215",
      "%u2216", "%ef%bc%8f", "/%2e/",     "\\/",          "%2f%2f"};
  const std::string starts[] = {"/",        "/api/v1/",       "/assets/",
                                "/a.json/", "/api/v1/runs/",  "//",
                                "/.",       "/api/v1/table/", "/%2f"};
  std::set<std::string> targets;
  for (const std::string& start : starts)
    for (const std::string& dot : dots)
      for (const std::string& slash : slashes)
        for (int depth = 1; depth <= 2; ++depth)
          for (const std::string& end : ends) {
            std::string target = start;
            for (int i = 0; i < depth; ++i) target += dot + slash;
            targets.insert(target + end);
          }
  // Without any dots: absolute, other schemes and devices, special folders.
  const std::string roots[] = {"/",
                               "//",
                               "///",
                               "/%2f",
                               "/%252f",
                               "/file:",
                               "/file:///",
                               "/file://localhost/",
                               "http://localhost/",
                               "https://",
                               "ftp://",
                               "\\\\?\\",
                               "/c:",
                               "/C:/",
                               "~/",
                               "/~root/",
                               "/.",
                               "./",
                               "",
                               "*",
                               "/api/v1/open?t=",
                               "/?file=",
                               "/api/v1/trace?t=",
                               "/api/v1/trace?t=file://",
                               "/api/v1/summary?t=",
                               "/api/v1/runs?folder=",
                               "/api/v1/runs#",
                               "/api/v1/event?t=",
                               "/proc/self/cwd/",
                               "/proc/self/root",
                               "/dev/fd/3/",
                               "/%00",
                               "/a.json%00"};
  for (const std::string& root : roots) {
    for (const std::string& end : ends) {
      targets.insert(root + end);
      targets.insert(root + end + "%00.json");
      targets.insert(root + end + "/.");
      targets.insert(root + end + "?x=" + std::string(2000, 'a'));
      targets.insert(root + std::string(4000, '/') + end);
      std::string up;
      for (int i = 0; i < 1000; ++i) up += "../";
      targets.insert(root + up + end);
    }
  }
  return {targets.begin(), targets.end()};
}

}  // namespace stepscope::server
