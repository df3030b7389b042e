# SPDX-License-Identifier: Apache-2.0
"""The figures of torch-tb-profiler and of Holistic Trace Analysis (HTA) for
traces, as JSON on standard output.

usage: figures.py FOLDER TRACE...
"""

import json
import logging
import os
import sys
import warnings

# With and without drawing, HTA computes the same.
DRAWN = ("get_temporal_breakdown", "get_gpu_kernel_breakdown",
         "get_idle_time_breakdown", "get_comm_comp_overlap",
         "get_cuda_kernel_launch_stats")
NOT_DRAWN = ("get_queue_length_summary", "get_memory_bw_summary")
OPERATOR = ("name", "input_shape", "calls", "host_duration", "device_duration",
            "self_host_duration", "self_device_duration")


def of_tensorboard(path, folder):
    from torch_tb_profiler.profiler.data import RunProfileData

    run = RunProfileData.parse("worker", "span", path, folder)
    kernels = None
    if run.kernel_stat is not None:
        kernels = run.kernel_stat.reset_index().values.tolist()
    memory = run.memory_snapshot
    return {
        "operators": [[getattr(operator, name) for name in OPERATOR]
                      for operator in run.op_list_groupby_name_input],
        "calls": {operator.name: operator.calls
                  for operator in run.op_list_groupby_name},
        "kernels": kernels,
        "steps": run.steps_names,
        "costs": [step.costs for step in run.steps_costs],
        "devices": list(run.used_devices),
        "distributed": run.use_ddp,
        "memory": len(memory.memory_records) if memory else None,
    }


def of_hta(path):
    from hta.trace_analysis import TraceAnalysis

    analysis = TraceAnalysis(trace_files={0: path}, trace_dir="/",
                             include_last_profiler_step=True)
    trace = analysis.t.get_trace(0)
    names = analysis.t.symbol_table.sym_table
    sums = (trace.assign(name=trace.name.map(lambda i: names[i]),
                         cat=trace.cat.map(lambda i: names[i]))
            .groupby(["cat", "name"]).dur.agg(["count", "sum"]).reset_index())
    figures = {"sums": sums.values.tolist(),
               "steps": sorted(analysis.t.get_iterations())}
    for name in DRAWN + NOT_DRAWN:
        how = {"visualize": False} if name in DRAWN else {}
        try:
            figures[name] = _text(getattr(analysis, name)(**how))
        except Exception as error:  # what it has no data for, it fails at
            figures[name] = f"{type(error).__name__}: {error}"
    return figures


def _text(answer):
    if isinstance(answer, (list, tuple)):
        return [_text(part) for part in answer]
    if isinstance(answer, dict):
        return {str(key): _text(part) for key, part in answer.items()}
    return answer.to_csv() if hasattr(answer, "to_csv") else str(answer)


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    folder, paths = sys.argv[1], sys.argv[2:]
    answers = []
    out, sys.stdout = sys.stdout, sys.stderr  # HTA prints
    for path in paths:
        answer = {"tensorboard": of_tensorboard(path, folder)}
        # HTA does not read the categories of torch before 1.11.
        if "2021" not in os.path.basename(path):
            answer["hta"] = of_hta(path)
        answers.append(answer)
    json.dump(answers, out, default=str)


main()
