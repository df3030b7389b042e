// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/event_sites.h"

#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stepscope::capture {
namespace {

using format::EventBatch;

static_assert(sizeof(Site) == 8 && offsetof(Site, name) == 0 &&
              offsetof(Site, type) == 4 && offsetof(Site, flags) == 6);

// Events from `first` on.
SiteUnion LookUpEach(std::span<const Site> sites, const EventBatch& batch,
                     uint32_t first, StringId* name, uint16_t* type) {
  SiteUnion all;
  for (uint32_t i = first; i < batch.count; ++i) {
    const uint32_t id = batch.site[i];
    const Site site = sites[id < sites.size() ? id : 0];
    name[i] = site.name;
    type[i] = site.type;
    all.types |= site.type;
    all.flags |= site.flags;
  }
  return all;
}

#if defined(__x86_64__)
// The first events, as many as come in eights; sets `done` to their number.
// REQUIRES: their sites lie within the table.
SiteUnion LookUpEights(const Site* sites, const EventBatch& batch,
                       uint32_t* done, StringId* name, uint16_t* type) {
  // {name, type and flags} of two sites.
  const auto two = [sites](const uint32_t* id) {
    const __m128i low =
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(sites + id[0]));
    return _mm_loadh_pi(_mm_castsi128_ps(low),
                        reinterpret_cast<const __m64*>(sites + id[1]));
  };
  // Stores the names of four, returns the rest.
  const auto four = [&two](const uint32_t* id, StringId* names) {
    const __m128 a = two(id);
    const __m128 b = two(id + 2);
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(names),
        _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0))));
    return _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
  };
  // With its sign spread, a type passes through the packing as it is.
  const auto types = [](__m128i rest) {
    return _mm_srai_epi32(_mm_slli_epi32(rest, 16), 16);
  };
  __m128i all = _mm_setzero_si128();
  uint32_t i = 0;
  for (; i + 8 <= batch.count; i += 8) {
    const __m128i a = four(batch.site + i, name + i);
    const __m128i b = four(batch.site + i + 4, name + i + 4);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(type + i),
                     _mm_packs_epi32(types(a), types(b)));
    all = _mm_or_si128(all, _mm_or_si128(a, b));
  }
  *done = i;
  uint32_t lanes[4];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), all);
  const uint32_t bits = lanes[0] | lanes[1] | lanes[2] | lanes[3];
  return {static_cast<uint16_t>(bits), static_cast<uint16_t>(bits >> 16)};
}
#else
SiteUnion LookUpEights(const Site*, const EventBatch&, uint32_t*, StringId*,
                       uint16_t*) {
  return {};
}
#endif

bool AllWithin(const EventBatch& batch, size_t sites) {
  const auto limit =
      static_cast<uint32_t>(sites < UINT32_MAX ? sites : UINT32_MAX);
  uint32_t beyond = 0;
  for (uint32_t i = 0; i < batch.count; ++i)
    beyond |= static_cast<uint32_t>(batch.site[i] >= limit);
  return beyond == 0;
}

}  // namespace

SiteUnion LookUpSitesPortably(std::span<const Site> sites,
                              const EventBatch& batch, StringId* name,
                              uint16_t* type) {
  return LookUpEach(sites, batch, 0, name, type);
}

SiteUnion LookUpSites(std::span<const Site> sites, const EventBatch& batch,
                      StringId* name, uint16_t* type) {
  uint32_t done = 0;
  SiteUnion first;
  if (AllWithin(batch, sites.size()))
    first = LookUpEights(sites.data(), batch, &done, name, type);
  const SiteUnion rest = LookUpEach(sites, batch, done, name, type);
  return {static_cast<uint16_t>(first.types | rest.types),
          static_cast<uint16_t>(first.flags | rest.flags)};
}

}  // namespace stepscope::capture
