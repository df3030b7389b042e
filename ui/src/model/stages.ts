// SPDX-License-Identifier: Apache-2.0
//
// Rows of the tables stage_steps and type_stages, arranged for charts. Pure.
import type { StageStep, TypeStage } from "../generated/answers.ts";
import type { StepValues } from "./waterfall.ts";

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

export function stagesByStep(rows: StageStep[], side: "cpu" | "gpu"): {
  names: string[];
  steps: StepValues[];
} {
  const names = unique(rows.map((row) => row.stage));
  const steps = new Map<string, StepValues>();
  for (const row of rows) {
    const key = `${row.pid}.${row.index}`;
    let step = steps.get(key);
    if (!step) {
      step = { index: row.index, pid: row.pid, values: names.map(() => 0),
        total: side === "cpu" ? row.step_cpu_ns : row.step_gpu_ns };
      steps.set(key, step);
    }
    step.values[names.indexOf(row.stage)] =
      side === "cpu" ? row.cpu_ns : row.gpu_ns;
  }
  return { names, steps: [...steps.values()] };
}

/** A grid: types as rows, stages as columns; null: nothing of it there. */
export function typeGrid(rows: TypeStage[], device: boolean): {
  stages: string[];
  types: { type: string; cells: (TypeStage | null)[] }[];
} {
  const mine = rows.filter((row) => row.device === device);
  const stages = unique(rows.map((row) => row.stage));
  return {
    stages,
    types: unique(mine.map((row) => row.type)).map((type) => ({
      type,
      cells: stages.map((stage) => mine.find((row) =>
        row.type === type && row.stage === stage) ?? null),
    })),
  };
}
