/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the injector, which is in every process that `stepscope run` starts,
 * and libstepscope_torch.so, which is installed beside it or built on the
 * user's machine against the torch found there. C, so that the two may come
 * from different compilers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum stepscope_torch_flag {
  STEPSCOPE_TORCH_SHAPES = 1,
  /* With shapes: also strides, shapes in lists, and inputs that are not
   * tensors. Only of the prebuilt observer. */
  STEPSCOPE_TORCH_VALUES = 2
};

/* What the injector offers. Lives as long as the process. */
struct stepscope_torch_host_v1 {
  uint32_t struct_size;
  uint32_t flags;
  /* Not 0: call wake() before recording an event while nothing records. */
  const uint32_t* attention;
  void (*wake)(void);
  /* A user range begins or ends. Begin says as what type to record it, in the
   * lower half, and what to give to end; there `without_batch` tells that a
   * DataLoader had no batch to give. */
  uint32_t (*range_begins)(const char* name);
  void (*range_ends)(uint32_t range, int without_batch);
};

/* What the observer offers in return. */
struct stepscope_torch_observer_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  /* Operators are observed from here on, or no more: off, torch does not even
   * call. May be called from any thread, also from inside a range. */
  void (*observe_operators)(int on);
};

/* Begins to observe user ranges. Returns 0, or fills nothing and returns why
 * not: 1 the host is too old, 2 this torch is not one that the observer knows
 * (only of the prebuilt one; stepscope_torch_probe_v1 says more). */
typedef int (*stepscope_torch_attach_fn_v1)(
    const struct stepscope_torch_host_v1* host,
    struct stepscope_torch_observer_v1* observer);

/* The rest only the prebuilt observer has. */

/* Null if the torch that this process has loaded can be observed, or else why
 * not. "stepscope_torch_probe_v1". */
typedef const char* (*stepscope_torch_probe_fn_v1)(void);

/* For a process that records itself, as the Python package does: binds the
 * observer to its torch. Nothing is observed yet. `flags` as above; while
 * nothing is observed, another call may change them. Returns 0 with "" in
 * `why`, also if the injector of `stepscope run` looks after torch in this
 * process; or 1 with the reason in one line.
 * "stepscope_torch_attach_here_v1". Not thread-safe. */
typedef int (*stepscope_torch_attach_here_fn_v1)(uint32_t flags, char* why,
                                                 size_t size);

/* Operators and ranges are observed from here on, or no more. Does nothing
 * where the injector attached. "stepscope_torch_observe_v1". */
typedef void (*stepscope_torch_observe_fn_v1)(int on);

/* Between 1 and 0, a call of torch.ones((3, 5), pin_memory=False) by the
 * calling thread teaches how this torch passes lists and truth values.
 * "stepscope_torch_learn_v1". Not thread-safe. */
typedef void (*stepscope_torch_learn_fn_v1)(int on);

/* Allocators of torch report to the recording from here on, or no more: those
 * of the calling thread and of threads that torch sets to work for it. Returns
 * 0 with "" in `why`, or 1 with the reason in one line.
 * "stepscope_torch_report_memory_v1". Not thread-safe. */
typedef int (*stepscope_torch_report_memory_fn_v1)(int on, char* why,
                                                   size_t size);

/* torch takes the calling thread for one that a profiler records, or no more:
 * its Python then marks ranges that it otherwise does not. Does nothing where
 * it cannot be done. "stepscope_torch_announce_v1". Not thread-safe. */
typedef void (*stepscope_torch_announce_fn_v1)(int on);

#ifdef __cplusplus
}
#endif
