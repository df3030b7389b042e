// SPDX-License-Identifier: Apache-2.0
#include "report/info/job_info.h"

#include <algorithm>

#include "base/text.h"
#include "base/visible_text.h"
#include "report/info/human.h"

namespace stepscope {
namespace {

constexpr size_t kFilesShown = 4;

JobInfo DescribeJob(const TraceFolder::Job& job) {
  JobInfo info;
  info.files = job.files;
  info.repeats = job.repeats;
  const Epoch& epoch = job.traces.epoch();
  info.epoch_known = epoch.known;
  const int64_t zero = epoch.known ? epoch.ns : 0;
  bool first = true;
  for (const TraceSet::Member& member : job.traces.members()) {
    const Trace& trace = *member.trace;
    const std::string format(trace.format());
    if (info.formats.find(format) == std::string::npos)
      info.formats += (info.formats.empty() ? "" : ", ") + format;
    info.processes += trace.processes().size();
    info.events += trace.size();
    const int64_t begin = zero + member.clock(trace.begin_ns());
    const int64_t end = zero + member.clock(trace.end_ns());
    info.begin_ns = first ? begin : std::min(info.begin_ns, begin);
    info.end_ns = first ? end : std::max(info.end_ns, end);
    first = false;
  }
  return info;
}

}  // namespace

std::vector<JobInfo> DescribeJobs(const TraceFolder& folder) {
  std::vector<JobInfo> jobs;
  for (const TraceFolder::Job& job : folder.jobs)
    jobs.push_back(DescribeJob(job));
  return jobs;
}

std::string JobLines(const std::vector<JobInfo>& jobs) {
  std::string out;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const JobInfo& job = jobs[i];
    out += "  job " + std::to_string(i + 1) + ": ";
    for (size_t f = 0; f < job.files.size() && f < kFilesShown; ++f)
      out += (f > 0 ? ", " : "") + VisibleText(job.files[f]);
    if (job.files.size() > kFilesShown)
      out += ", and " + CountText(job.files.size() - kFilesShown) + " more";
    out += " (" + VisibleText(job.formats) + ", " +
           CountText(job.events, "event") + ", " +
           HumanDuration(job.end_ns - job.begin_ns);
    if (job.epoch_known) out += " from " + HumanTime(job.begin_ns);
    out += ")\n";
    for (const TraceFolder::Repeat& repeat : job.repeats)
      out += "         " + VisibleText(repeat.path) + ": same window as " +
             VisibleText(repeat.same_window_as) + "\n";
  }
  return out;
}

}  // namespace stepscope
