// SPDX-License-Identifier: Apache-2.0
//
// Damage of every kind: whatever the bytes, the reader comes back, and what it
// says adds up. Runs in every tree; under the sanitizers it is at its best.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "importers/capture/capture_importer.h"
#include "importers/capture/preview.h"
#include "importers/capture/sample_capture_test_support.h"
#include "importers/capture/trace_check_test_support.h"

namespace stepscope::capture {
namespace {

constexpr uint64_t kRecords = kSampleEvents + kSampleSideRecords;

// A file that is damaged and mended in place, which is cheaper than writing
// it anew a hundred thousand times.
class PatchedFile {
 public:
  PatchedFile(const TempFolder& folder, const std::string& name,
              std::string bytes)
      : path_(folder.Write(name, bytes)),
        bytes_(std::move(bytes)),
        fd_(open(path_.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~PatchedFile() { close(fd_); }
  PatchedFile(const PatchedFile&) = delete;
  PatchedFile& operator=(const PatchedFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& bytes() const { return bytes_; }

  void Truncate(size_t size) {
    ASSERT_EQ(ftruncate(fd_, static_cast<off_t>(size)), 0);
  }
  void Write(size_t at, const char* data, size_t n) {
    ASSERT_EQ(pwrite(fd_, data, n, static_cast<off_t>(at)),
              static_cast<ssize_t>(n));
  }
  void Restore(size_t at, size_t n) { Write(at, bytes_.data() + at, n); }

 private:
  std::string path_;
  std::string bytes_;
  int fd_;
};

// Whatever the bytes, a preview is sound or there is none.
void CheckPreview(const std::string& path) {
  static Executor one(1);
  PreviewOptions options;
  options.least_events = 1;
  options.executor = &one;
  const Result<File> file = File::OpenForReading(path);
  ASSERT_TRUE(file);
  const Result<Preview> preview = ReadPreview(*file, options);
  if (!preview) return;
  EXPECT_LE(preview->events, kSampleEvents);
  uint64_t events = 0;
  for (const PreviewTrack& track : preview->tracks)
    for (const auto& kind : track.lines)
      for (const PreviewLine& line : kind)
        for (const PreviewBox& box : line) {
          events += box.events;
          EXPECT_GE(box.dur_ns, 0);
          EXPECT_GT(preview->outline->strings().size(), box.name.v);
        }
  EXPECT_EQ(events, preview->events);
}

// Imports and checks; returns the trace or null where nothing is readable.
std::shared_ptr<const Trace> ImportDamaged(const std::string& path) {
  CheckPreview(path);
  const auto trace = ImportCapture(path);
  if (!trace) {
    EXPECT_FALSE(trace.error().message.empty());
    EXPECT_EQ(trace.error().message.find('\n'), std::string::npos);
    return nullptr;
  }
  EXPECT_EQ(CheckTrace(**trace, kRecords), "");
  return *trace;
}

TEST(CaptureFaultTest, TruncatedAtEveryByte) {
  const TempFolder folder;
  PatchedFile file(folder, "x.sscap", EndedSample().bytes);
  const size_t whole = file.bytes().size();
  uint64_t seen = kRecords;
  for (size_t size = whole;; --size) {
    file.Truncate(size);
    const auto trace = ImportDamaged(file.path());
    ASSERT_FALSE(HasFailure()) << "cut at byte " << size;
    if (size == whole) {
      ASSERT_EQ(trace->ledger().kept(), kRecords);
    }
    if (size < sizeof(format::FileHeader)) {
      ASSERT_EQ(trace, nullptr) << size;
    }
    if (trace != nullptr) {
      // A shorter file never tells more.
      ASSERT_LE(trace->ledger().seen(), seen) << size;
      ASSERT_EQ(trace->complete(), size == whole) << size;
      seen = trace->ledger().seen();
    }
    if (size == 0) break;
  }
  EXPECT_EQ(seen, 0u);  // sound as far as it goes, before the first event
}

// True where a byte is part of an EventsHeader: in a damaged block that is all
// there is to tell how much was lost, and it may lie.
bool InEventsHeader(const SampleFile& sample, size_t at) {
  for (const size_t block : sample.blocks) {
    format::BlockHeader header;
    std::memcpy(&header, sample.bytes.data() + block, sizeof(header));
    const size_t payload = block + sizeof(header);
    if (header.kind == static_cast<uint16_t>(format::BlockKind::kEvents) &&
        at >= payload && at < payload + sizeof(format::EventsHeader))
      return true;
  }
  return false;
}

TEST(CaptureFaultTest, FlippedBitsAreFoundByTheirCrc) {
  const TempFolder folder;
  const SampleFile sample = EndedSample();
  PatchedFile file(folder, "x.sscap", sample.bytes);
  for (size_t bit = 0; bit < 8 * sample.bytes.size(); ++bit) {
    const size_t at = bit / 8;
    const char flipped = static_cast<char>(sample.bytes[at] ^ (1 << (bit % 8)));
    file.Write(at, &flipped, 1);
    const auto trace = ImportDamaged(file.path());
    ASSERT_FALSE(HasFailure()) << "flip at byte " << at;
    // One bit costs one block at most, and nothing is invented.
    ASSERT_NE(trace, nullptr) << "flip at byte " << at;
    ASSERT_GE(trace->size(), kSampleEvents - 4) << at;
    if (!InEventsHeader(sample, at)) {
      ASSERT_LE(trace->ledger().seen(), kRecords) << at;
    }
    file.Restore(at, 1);
  }
}

// A flip with the CRCs made right again reaches the decoder proper.
TEST(CaptureFaultTest, FlippedBitsWithRightCrc) {
  const TempFolder folder;
  const SampleFile sample = EndedSample();
  PatchedFile file(folder, "x.sscap", sample.bytes);
  std::mt19937 random(2);
  uint64_t different = 0;
  for (int i = 0; i < 40'000; ++i) {
    const size_t block = random() % sample.blocks.size();
    const size_t first = sample.blocks[block];
    const size_t last = block + 1 < sample.blocks.size()
                            ? sample.blocks[block + 1]
                            : sample.bytes.size();
    std::string damaged = sample.bytes;
    for (auto flips = 1 + random() % 3; flips > 0; --flips)
      damaged[first + random() % (last - first)] ^=
          static_cast<char>(1 << (random() % 8));
    FixCrc(damaged, first);
    file.Write(first, damaged.data() + first, last - first);
    const auto trace = ImportDamaged(file.path());
    ASSERT_FALSE(HasFailure()) << "round " << i << ", block " << block;
    if (trace == nullptr || trace->ledger().kept() != kRecords) ++different;
    file.Restore(first, last - first);
  }
  // The flips did reach the decoder.
  EXPECT_GT(different, 5'000u);
}

TEST(CaptureFaultTest, FlippedBitsInTheLiveFile) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  folder.Write("x.sscap", sample.capture.bytes);
  PatchedFile live(folder, "x.sscap.live", sample.live);
  // Where something is: a flip in the empty part of a chunk is an event of its
  // own and tried too, but less often.
  std::vector<size_t> used;
  for (size_t at = 0; at < sample.live.size(); ++at)
    if (sample.live[at] != 0) used.push_back(at);
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const size_t near = used[random() % used.size()] + random() % 16;
    const size_t at = i % 10 == 0 ? random() % sample.live.size()
                                  : std::min(near, sample.live.size() - 1);
    const char flipped =
        static_cast<char>(sample.live[at] ^ (1 << (random() % 8)));
    live.Write(at, &flipped, 1);
    const auto trace = ImportDamaged(folder.path("x.sscap"));
    ASSERT_FALSE(HasFailure()) << "flip at byte " << at;
    ASSERT_NE(trace, nullptr);
    ASSERT_GE(trace->size(), 4u) << at;  // the run that is in the file only
    live.Restore(at, 1);
  }
}

TEST(CaptureFaultTest, LiveFileTruncated) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  folder.Write("x.sscap", sample.capture.bytes);
  PatchedFile live(folder, "x.sscap.live", sample.live);
  for (size_t size = sample.live.size();; size -= size > 8192 ? 97 : 1) {
    live.Truncate(size);
    const auto trace = ImportDamaged(folder.path("x.sscap"));
    ASSERT_FALSE(HasFailure()) << size;
    ASSERT_NE(trace, nullptr);
    if (size < 97) break;
  }
}

TEST(CaptureFaultTest, RandomBytes) {
  const TempFolder folder;
  std::mt19937 random(4);
  const std::string header = CaptureWriter().bytes();
  for (int i = 0; i < 500; ++i) {
    std::string bytes = i % 2 == 0 ? header : std::string();
    const size_t size = random() % 3000;
    while (bytes.size() < size) bytes += static_cast<char>(random());
    ImportDamaged(folder.Write("x.sscap", bytes));
    ASSERT_FALSE(HasFailure()) << i;
  }
}

}  // namespace
}  // namespace stepscope::capture
