// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { cellText, csvOf, headText, parseUnit, timeIn, tsvOf }
  from "./cell.ts";
import { fromFlat } from "./declared.ts";
import { filterRows, type Column } from "./table.ts";

const column = (type: Column["type"], unit = ""): Column =>
  ({ key: "a.b", title: "B", type, unit, meaning: "" });
const plain = (text: string) => text.replaceAll("\u202f", " ");

test.each([
  [1_234_567, "ns", "1,234,567"], [1_234_567, "us", "1,234.57"],
  [1_234_567, "ms", "1.23"], [1_234, "s", "0.00000123"],
  [0, "s", "0.00"], [-1_500_000, "ms", "-1.50"],
] as const)("%d ns in %s", (ns, unit, text) =>
  expect(timeIn(ns, unit)).toBe(text));

test("cells by their type; what is not known is a dash, never 0", () => {
  expect(cellText(null, column("ratio"), "auto")).toBe("–");
  expect(plain(cellText(0, column("ratio"), "auto"))).toBe("0.0 %");
  expect(plain(cellText(1024, column("bytes"), "auto"))).toBe("1.00 KiB");
  expect(cellText(12345, column("count"), "auto")).toBe("12,345");
  expect(cellText(true, column("bool"), "auto")).toBe("yes");
  expect(cellText(0.123456, column("number"), "auto")).toBe("0.1235");
  expect(cellText(59287.4, column("number"), "auto")).toBe("59,290");
  expect(cellText(-1234.56, column("number"), "auto")).toBe("-1,235");
  expect(cellText("<b>", column("text"), "auto")).toBe("<b>");
  // A rank may have no device.
  for (const [key, text] of [["idle_cause", "CPU works"],
    ["cause", "CPU only, GPU idle"]])
    expect(cellText("other CPU", { ...column("text"), key: key! }, "auto"))
      .toBe(text);
});

test("heads name the unit where cells do not", () => {
  expect(headText(column("time"), "us")).toBe("B, µs");
  expect(headText(column("time"), "auto")).toBe("B");
  expect(headText(column("number", "TFLOP/s"), "auto")).toBe("B, TFLOP/s");
  expect(parseUnit("ms")).toBe("ms");
  expect(parseUnit("weeks")).toBe("auto");
});

const data = fromFlat({
  columns: [{ key: "name", title: "Name", type: "text" },
    { key: "cpu.total_ns", title: "CPU total", type: "time" }],
  rows: [["plain", 1], ["a,\"b\"\n", null], ["=HYPERLINK(1)", 2],
    ["-x\ty", 3]],
});

test("CSV has raw values, quotes, and no formulas", () => {
  expect(csvOf(data, filterRows(data, ""), [0, 1])).toBe(
    "name,cpu_total_ns\nplain,1\n\"a,\"\"b\"\"\n\",\n'=HYPERLINK(1),2\n" +
    "'-x\ty,3\n");
});

test("the clipboard has what is shown", () => {
  expect(plain(tsvOf(data, [0, 3], [0, 1], "auto", true)))
    .toBe("Name\tCPU total\nplain\t1 ns\n-x y\t3 ns");
});
