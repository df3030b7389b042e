// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { learnShort } from "./names.ts";
import { prose, proseParts } from "./prose.ts";

test("units are written one way, and stay with their number", () => {
  expect(prose("A launch takes 8.19 us, a kernel 18 us (61.9 %)."))
    .toBe("A launch takes 8.19\u202fµs, a kernel 18\u202fµs (61.9\u202f%).");
  expect(prose("of us, 5 usual ones")).toBe("of us, 5 usual ones");
  expect(prose("5 steps, 3 GiBs")).toBe("5 steps, 3 GiBs");
});

test("names stay as they are", () => {
  expect(prose("wait 5 us: 3 us", "wait 5 us")).toBe("wait 5 us: 3\u202fµs");
});

const marked = (text: string, name?: string) => proseParts(text, name)
  .map((part) => part.code ? `<${part.text}>` : part.text).join("");

test("code stands apart from words", () => {
  expect(marked("State it by --unprofiled, as step() does."))
    .toBe("State it by <--unprofiled>, as <step()> does.");
  expect(marked("Record with ProfilerTarget.GPU or profile_memory=True."))
    .toBe("Record with <ProfilerTarget.GPU> or <profile_memory=True>.");
  expect(marked("the fused one, such as AdamW(..., fused=True)"))
    .toBe("the fused one, such as <AdamW(..., fused=True)>");
  expect(marked("op aten::add_ of `stepscope run -- COMMAND`"))
    .toBe("op <aten::add_> of <stepscope run -- COMMAND>");
});

test("words stay words", () => {
  for (const text of ["The step(s) took long -- too long, e.g. 5 (five).",
    "Reading 12 of 14 files. It is warm-up: leave it out.", ""])
    expect(marked(text)).toBe(text);
});

test("a name of the trace is code, and short where it is long", () => {
  expect(marked("3 calls of 5 us: my range", "my range"))
    .toBe("3 calls of 5\u202fµs: <my range>");
  expect(marked("6 calls of \"aten::to\" took 3 us.", "aten::to"))
    .toBe("6 calls of <aten::to> took 3\u202fµs.");
  const kernel = "void at::native::vectorized_elementwise_kernel<4, " +
    "at::native::FillFunctor<float>, std::array<char*, 1ul>>(int)";
  learnShort({ [kernel]: "elementwise · FillFunctor" });
  expect(marked(`9 calls: ${kernel.slice(0, 60)}...`, kernel))
    .toBe("9 calls: <elementwise · FillFunctor>");
});
