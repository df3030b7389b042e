// SPDX-License-Identifier: Apache-2.0
//
// The HTTP layer: whatever bytes come over a connection, with the token known,
// to a server of an empty folder.
#include <cstdlib>
#include <string>
#include <vector>

#include "server/api.h"
#include "server/http/engine.h"
#include "server/http/request_head.h"

namespace stepscope::server {
namespace {

struct Harness {
  Harness() : folder("/nonexistent") {}

  void Take(std::string_view bytes) {
    // As the loop does: head after head until one is refused.
    while (true) {
      const HeadCheck check = CheckHead(bytes);
      if (check.state != HeadCheck::State::kComplete) {
        Plant(check);
        return;
      }
      // These wait, as they should.
      const std::string_view head = bytes.substr(0, check.size);
      if (head.find("changes") == head.npos) {
        Exchange exchange([] {});
        engine.Serve(head, std::string(Body(bytes, check)), exchange);
        std::string answer;
        exchange.Take(answer);
        if (!answer.starts_with("HTTP/1.1 ") ||
            answer.find("Content-Security-Policy: ") == answer.npos)
          abort();
      }
      bytes.remove_prefix(check.size + Body(bytes, check).size());
    }
  }

  static std::string_view Body(std::string_view bytes, const HeadCheck& check) {
    return bytes.substr(check.size).substr(0, check.body);
  }

  // A defect for the run before the run: see README.md.
  void Plant(const HeadCheck& check) const {
    if (!plant || check.status != 413) return;
    const std::vector<char> small(8);
    volatile char beyond = small.data()[small.size() + plant];
    (void)beyond;
  }

  const int plant = getenv("STEPSCOPE_FUZZ_PLANT") != nullptr ? 1 : 0;
  const RequestGuard guard{"127.0.0.1", "t"};
  Folder folder;
  WorkPool pool{1, 1};
  Sessions sessions{folder, pool, 1};
  TraceReader reader{folder, sessions, {}};
  DroppedFiles dropped{{}};
  Api api{guard, folder, sessions, reader, dropped};
  Engine engine{[this](const Request& request, Response& response) {
    api.Handle(request, response);
  }};
};

}  // namespace
}  // namespace stepscope::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* const harness = new stepscope::server::Harness;
  harness->Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
