// SPDX-License-Identifier: Apache-2.0
#include "report/html/page_style.h"

#include "analysis/looks.h"
#include "report/timeline_svg.h"

namespace stepscope::html {

namespace {

constexpr std::string_view kRules = R"css(
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:450 13px/1.45 Inter,system-ui,"Segoe UI",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1240px;margin:0 auto;padding:26px 22px 40px}
h1{font-size:24px;line-height:1.25;font-weight:640;margin:0 0 4px;max-width:90ch}
h2{font-size:14px;font-weight:620;margin:0 0 10px}h2 small{font-weight:450;font-size:12px;color:var(--text-3);margin-left:6px}
h3{font-size:12px;font-weight:560;color:var(--text-2);margin:16px 0 6px}
p{margin:0 0 6px}.sub{color:var(--text-2);margin-bottom:16px}.note{color:var(--text-3);font-size:12px;margin:8px 0 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:11px;padding:14px 16px;margin:0 0 12px;min-width:0}
.figures{display:grid;grid-template-columns:repeat(5,1fr);gap:12px}
.figure .label,.figure .detail{color:var(--text-2);font-size:12px}.figure .value{font-size:26px;font-weight:620;line-height:1.3}
.meter{display:block;width:100%;height:4px;margin-top:8px;border-radius:2px}
.two{display:grid;grid-template-columns:minmax(0,1.35fr) minmax(0,1fr);gap:0 12px;align-items:start}
.rest{fill:var(--soft)}
.swatch{width:8px;height:8px;margin-right:7px}
table{border-collapse:collapse;width:100%}
th{font-weight:450;text-align:left}thead th{color:var(--text-2);font-size:12px;vertical-align:bottom}
td,th{padding:4px 10px 4px 0}.num{text-align:right;white-space:nowrap}.dim{color:var(--text-2)}
.waterfall tbody th{white-space:nowrap}.waterfall .bar{width:48%;padding-right:14px}.waterfall .bar svg{display:block;width:100%;height:14px}
.waterfall tfoot td,.waterfall tfoot th{border-top:1px solid var(--line);font-weight:600;padding-top:7px}
.chart{display:block;width:100%;height:auto;font-size:11px}.chart text{fill:var(--text)}.chart .dim{fill:var(--text-3)}.chart text.dim{paint-order:stroke;stroke:var(--card);stroke-width:3px}
.chart .mid{text-anchor:middle}.chart line{stroke:var(--line)}
.area{fill:var(--c-copy);fill-opacity:.16}.line{fill:none;stroke:var(--c-copy);stroke-width:1.4}
.advice{margin:0;padding:0;list-style:none;counter-reset:n}
.advice>li{border-top:1px solid var(--line);padding:11px 0 9px;break-inside:avoid}.advice>li:first-child{border-top:0;padding-top:0}
.advice .head{display:flex;gap:14px;justify-content:space-between;font-weight:600}
.advice .head::before{counter-increment:n;content:counter(n) ".";color:var(--text-3)}.advice .what{flex:1}
.advice .saves{white-space:nowrap;text-align:right}.advice .saves small{display:block;font-weight:450;color:var(--text-2)}
.advice ul{margin:5px 0 0;padding-left:28px;color:var(--text-2);overflow-wrap:anywhere}.advice ul.try{color:var(--text)}
.advice>li>code{display:block;margin:7px 0 0 13px;color:var(--text-2);overflow-wrap:anywhere}
code,.name{font-family:"JetBrains Mono",ui-monospace,SFMono-Regular,Menlo,monospace;font-size:11.5px}
.scroll{overflow-x:auto}
.data td,.data th{border-bottom:1px solid var(--line);padding:4px 14px 4px 0;max-width:520px}
.data tbody tr:hover{background:var(--soft)}.data .name{white-space:nowrap}.data tr[hidden]{display:none}
.data th button{all:unset;cursor:pointer;color:var(--text-2)}.data th button:hover{color:var(--accent)}
.data th button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.data th[aria-sort=descending] button::after{content:" \2193"}.data th[aria-sort=ascending] button::after{content:" \2191"}
.upright{width:auto}.upright th{color:var(--text-2);padding-right:26px}
input.filter{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:7px;padding:3px 9px;width:220px;display:block;margin:-30px 0 6px auto}
nav{margin:4px 0 14px;color:var(--text-3)}nav a{color:var(--accent);text-decoration:none;margin-right:14px}nav a:hover{text-decoration:underline}
.warn{border-left:3px solid var(--c-cpu-only)}
.stepscope-tl{display:block;width:100%;height:auto;font-size:11px;}
.legend{margin:8px 0 0;font-size:12px;color:var(--text-2)}.legend span{margin-right:16px}
footer{color:var(--text-3);font-size:12px;margin-top:18px;overflow-wrap:anywhere}
@media (max-width:900px){.figures{grid-template-columns:repeat(2,1fr)}.two{grid-template-columns:1fr}}
@media print{@page{size:A4 landscape;margin:12mm}body{background:white;font-size:10px}main{max-width:none;padding:0}
.card{break-inside:avoid-page;border-color:lightgray}.card:has(.data){break-inside:auto}.data tr,.figure{break-inside:avoid}
thead{display:table-header-group}.scroll{overflow:visible}.data .name{white-space:normal;overflow-wrap:anywhere}
nav,input.filter{display:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

}  // namespace

std::string PageStyle() {
  std::string out = ":root{color-scheme:light dark;" +
                    ColourVariables(&Colour::light) +
                    "}\n@media (prefers-color-scheme:dark){:root{" +
                    ColourVariables(&Colour::dark) + "}}\n";
  for (const Hue& hue : kHues) {
    const std::string name = "c-" + std::string(hue.key);
    out += "." + name + "{fill:var(--" + name + ")}";
  }
  return out + TimelineStyle() + std::string(kRules);
}

const std::string_view kPageScript = R"js(
"use strict";
const value = (row, at) => {
  const cell = row.cells[at];
  const exact = cell.dataset.v;
  if (exact === undefined) return cell.textContent;
  return exact === "" ? null : Number(exact);
};
const before = (a, b) => {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number" ? b - a : a.localeCompare(b);
};
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("num");
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const turn = order === first ? 1 : -1;
      const rows = [...body.rows].map((row) => [value(row, at), row]);
      rows.sort(([a], [b]) => a === null || b === null
        ? before(a, b) : turn * before(a, b));
      body.append(...rows.map(([, row]) => row));
    });
  });
  if (body.rows.length < 8) continue;
  const field = document.createElement("input");
  field.type = "search";
  field.className = "filter";
  field.placeholder = "Filter rows";
  field.setAttribute("aria-label", "Filter rows");
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of body.rows)
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.parentNode.before(field);
}
)js";

}  // namespace stepscope::html
