// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/event_sites.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace stepscope::capture {
namespace {

using format::EventBatch;
using LookUp = SiteUnion (*)(std::span<const Site>, const EventBatch&,
                             StringId*, uint16_t*);
constexpr LookUp kLookUps[] = {LookUpSites, LookUpSitesPortably};

// Fields that take all of their values and have few bits set.
std::vector<Site> RandomSites(std::mt19937_64& rng, size_t count) {
  std::vector<Site> sites(count);
  for (Site& site : sites) {
    site.name = StringId{static_cast<uint32_t>(rng())};
    site.type = static_cast<uint16_t>(rng() & rng() & rng());
    site.flags = static_cast<uint16_t>(rng() & rng() & rng() & rng());
  }
  return sites;
}

TEST(EventSitesTest, GivesWhatTheTableHolds) {
  std::mt19937_64 rng(6);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Site> sites = RandomSites(rng, 1 + rng() % 300);
    EventBatch batch;
    batch.count = static_cast<uint32_t>(rng() % (EventBatch::kRows + 1));
    // Of some batches all sites are known, of some not even the first.
    const size_t range = sites.size() + (rng() % 2) * (rng() % 100);
    for (uint32_t i = 0; i < batch.count; ++i)
      batch.site[i] = rng() % 500 == 0 && range > sites.size()
                          ? UINT32_MAX
                          : static_cast<uint32_t>(rng() % range);
    for (const LookUp look_up : kLookUps) {
      StringId name[EventBatch::kRows + 1] = {};
      uint16_t type[EventBatch::kRows + 1] = {};
      const SiteUnion all = look_up(sites, batch, name, type);
      SiteUnion expected;
      for (uint32_t i = 0; i < batch.count; ++i) {
        const uint32_t id = batch.site[i];
        const Site& site = sites[id < sites.size() ? id : 0];
        ASSERT_EQ(name[i].v, site.name.v) << round << " " << i;
        ASSERT_EQ(type[i], site.type) << round << " " << i;
        expected.types |= site.type;
        expected.flags |= site.flags;
      }
      ASSERT_EQ(all.types, expected.types) << round;
      ASSERT_EQ(all.flags, expected.flags) << round;
      ASSERT_EQ(name[batch.count].v, 0u) << "nothing beyond the batch";
      ASSERT_EQ(type[batch.count], 0u);
    }
  }
}

}  // namespace
}  // namespace stepscope::capture
