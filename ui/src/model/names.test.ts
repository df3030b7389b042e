// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { clipName, headAndTail, learnShort, shortName } from "./names.ts";

test("a name is as short as the server says", () => {
  const full = "void at::native::f<int>(int)";
  expect(shortName(full)).toBe(full);
  learnShort({ [full]: "f" });
  learnShort(undefined);
  expect(shortName(full)).toBe("f");
});

test("the end of a long name is kept apart", () => {
  expect(headAndTail("aten::add_")).toEqual(["aten::add_", ""]);
  expect(headAndTail("aten::cudnn_convolution_backward_input"))
    .toEqual(["aten::cudnn_convolution_back", "ward_input"]);
  const smiles = "\u{1f600}".repeat(25);
  expect(headAndTail(smiles).join("")).toBe(smiles);
  expect(headAndTail(smiles)[1]).toBe("\u{1f600}".repeat(10));
});

test("a name of thousands of letters is cut, its end stays", () => {
  expect(clipName("short", 20)).toBe("short");
  const cut = clipName("a".repeat(5000) + "_the_end_1", 40);
  expect(cut).toBe("a".repeat(29) + "…_the_end_1");
  // Letters of two code units are not cut in two.
  expect(clipName("😀".repeat(30), 20)).toBe("😀".repeat(9) + "…" +
    "😀".repeat(10));
  expect(clipName("😀".repeat(20), 20)).toBe("😀".repeat(20));
});
