// SPDX-License-Identifier: Apache-2.0
//
// Marks a program in every way there is; for disable_test.py, which compiles it
// with and without STEPSCOPE_DISABLE. MARKED is the name of the function.
#include <stepscope/stepscope.h>

#include <string>

#define NAME(marked) #marked
#define STRING(marked) NAME(marked)

void MARKED() {
  using namespace stepscope;
  static stepscope_site site = {STRING(MARKED) " site", 0, 0};
  STEPSCOPE_EVENT("macro", EventType::kOperator);
  RecordEvent event(STRING(MARKED));
  RecordEvent text(std::string_view("text"), EventType::kForward);
  RecordEvent placed(&site);
  placed.Next(&site);
  RecordEvent moved(std::move(placed));
  event.Arg("int", 1);
  event.Arg("double", 1.5);
  event.Arg("text", "t");
  event.Arg("list", {1, 2, 3});
  event.End();
  RecordInstant("instant");
  RecordCounter("counter", 1);
  RecordCounter("counter", 1.5);
  RecordAlloc(&site, 8, "Place(cpu)", 8);
  RecordFree(&site, 8, "Place(cpu)", 0);
  SetThreadName("thread");
  {
    ReaderScope reader(&site);
    ReaderScope last(&site);
    last.Cancel();
  }
  {
    Request request("id", 8, "00-4bf92f3577b34da6a3ce929d0e0e4736-1-01");
    Request taken(std::move(request));
    Iteration iteration({{taken, RequestKind::kDecode, 1}});
    taken.Token();
    taken.End("error");
  }
  stepscope_flow("flow", 1, 0);
  stepscope_step();
}
