// SPDX-License-Identifier: Apache-2.0
//
// Document: a file of trace events, piece by piece. Knows the two forms (an
// array of events, or an object that has one as "traceEvents"), where events
// begin and end, and how to go on behind one that is not JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "importers/json/event_text.h"
#include "importers/json/tokens.h"

namespace stepscope::json {

class DocumentHandler {
 public:
  virtual ~DocumentHandler() = default;
  // A member of the document other than the events; both as written, the key
  // without quotes.
  virtual void OnMember(std::string_view key, std::string_view value) = 0;
  // An event. `wrong_bytes`: what JSON does not allow in it, or empty.
  virtual void OnEvent(const Tokens& tokens, const EventText& event,
                       std::string_view wrong_bytes, uint64_t offset) = 0;
  // An element of the events that could not be read.
  virtual void OnRejected(std::string_view reason, uint64_t offset,
                          std::string_view text) = 0;
};

class Document {
 public:
  explicit Document(DocumentHandler& handler) : handler_(handler) {}

  // A broken quote turns the rest of a file inside out. An element longer
  // than this is suspected of one.
  static constexpr size_t kSuspectBytes = size_t{1} << 20;

  struct Progress {
    size_t consumed = 0;  // bytes of the text that are done with
    bool again = false;   // tokens behind them must be found anew
  };
  // Handles what is whole in `text`, whose tokens `index` has found. `offset`
  // is that of the text in the file; `last`: nothing comes behind it. What the
  // handler is told refers to all three.
  Progress Read(const TokenIndex& index, MemberRoom& room,
                std::string_view text, uint64_t offset, bool last);

  // Without: an element that is not JSON is left out whole, with all that may
  // be sound in it.
  void set_resync(bool resync) { resync_ = resync; }

  bool has_events() const { return has_events_; }  // the array was found
  bool complete() const { return state_ == State::kDone; }
  bool has_rubbish() const { return rubbish_; }  // outside of the events

 private:
  enum class State : uint8_t { kStart, kTop, kEvents, kDone };
  // What a unit came to: how the walk goes on from it.
  enum class Unit : uint8_t { kTaken, kCut, kBroken };

  void Start(char first);
  Unit ReadTop(const Tokens& tokens, size_t& i);
  Unit ReadElement(const Tokens& tokens, size_t& i);
  // Where in an element that is not JSON an event seems to begin.
  size_t FindInner(size_t start, size_t end) const;
  void Reject(std::string_view reason, size_t from, size_t to);

  DocumentHandler& handler_;
  State state_ = State::kStart;
  bool in_object_ = false;
  bool has_events_ = false;
  bool rubbish_ = false;
  bool resync_ = true;
  EventText event_;
  // Of the piece that is being read.
  MemberRoom* room_ = nullptr;
  std::string_view text_;
  uint64_t offset_ = 0;
  bool wrong_bytes_ = false;
};

}  // namespace stepscope::json
