// SPDX-License-Identifier: Apache-2.0
//
// Texts that try to become markup or script, in every way that a page might
// take a name for something else. Where one becomes an element, that element
// has the attribute data-x; where one runs, it sets window.hacked.
const RUN = "window.hacked=1";

/**
 * What a payload needs to come to life: put into a page as HTML, followed as
 * a link, decoded first, taken for a template. "text" never does: it is odd in
 * other ways.
 */
export type PayloadKind = "html" | "link" | "encoded" | "template" | "text";
export interface Payload {
  kind: PayloadKind;
  text: string;
}

/** Elements that run something by themselves or are a sight in the page. */
const ELEMENTS: [string, string][] = [
  ["img src=x", "onerror"], ["svg", "onload"], ["img srcset=x", "onerror"],
  ["video src=x", "onerror"], ["audio src=x", "onerror"],
  ["input autofocus", "onfocus"], ["textarea autofocus", "onfocus"],
  ["select autofocus", "onfocus"], ["details open", "ontoggle"],
  ["iframe src=x", "onload"], ["object data=x", "onerror"],
  ["embed src=x", "onload"], ["marquee", "onstart"],
  ["link rel=stylesheet href=x", "onerror"], ["style", "onload"],
  ["p tabindex=1 contenteditable", "onfocus"], ["a href=x", "onclick"],
  ["form action=x", "onsubmit"], ["button popovertarget=x", "onclick"],
  ["math", "onmouseover"], ["dialog open", "onclose"],
  ["x-y style=animation-name:x", "onanimationstart"],
];

/** The same element written in other ways. */
const WRITINGS: ((tag: string, event: string) => string)[] = [
  (tag, event) => `<${tag} data-x ${event}="${RUN}">`,
  (tag, event) => `<${tag.toUpperCase()} DATA-X ${event.toUpperCase()}` +
    `='${RUN}'>`,
  (tag, event) => `<${tag.replace(/=(\S+)/g, "='$1'")
    .replaceAll(" ", "/")}/data-x/${event}=${RUN}>`,
  (tag, event) => `"><${tag}\tdata-x\n${event}\r=\f${RUN} `,
  (tag, event) => `'--></style></script></title></textarea><${tag} data-x ` +
    `${event}=${RUN}//`,
  (tag, event) => `<!--><${tag} data-x ${event}="&#119;indow` +
    `&period;hacked&#x3d;1">-->`,
  (tag, event) => `<<${tag} data-x ${event}=\`${RUN}\`>><b data-x>`,
  (tag, event) => `</p></div></td><${tag} data-x ${event}="${RUN}" `,
];

const SCRIPTS = [
  `<script data-x>${RUN}</script>`, `<script data-x src=//evil.example></scrip`,
  `</script><script data-x>${RUN}</script>`,
  `<SCRIPT data-x>${RUN}</SCRIPT>`, `<script\tdata-x\n>${RUN}</script >`,
  `"}]}</script><script data-x>${RUN}</script>`,
  `<svg data-x><script>${RUN}</script></svg>`,
  `<svg data-x><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg data-x><set attributeName=href to=javascript:${RUN} />`,
  `<svg data-x><use href="data:image/svg+xml,<svg id=x onload=${RUN}>#x">`,
  `<svg data-x><foreignObject><iframe srcdoc="<script>parent.${RUN}` +
    `</script>">`,
  `<iframe data-x srcdoc="<script>parent.${RUN}</script>">`,
  `<iframe data-x src="javascript:parent.${RUN}">`,
  `<object data-x data="data:text/html,<script>parent.${RUN}</script>">`,
  `<meta data-x http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<base data-x href="//evil.example/">`,
  `<link data-x rel=import href=//evil.example>`,
  `<style data-x>*{background:url(javascript:${RUN})}</style>`,
  `<b data-x style="position:fixed;inset:0;background:red">`,
  `<template data-x><img src=x onerror=${RUN}></template>`,
  // Harmless until a page reads it a second time.
  `<noscript><p data-x title="</noscript><img src=x onerror=${RUN}>">`,
  `<math data-x><mtext><table><mglyph><style><!--</style><img title="--&gt;` +
    `&lt;img src=1 onerror=${RUN}&gt;">`,
  `<svg data-x></p><style><a title="</style><img src=x onerror=${RUN}>">`,
  `<form data-x><math><mtext></form><form><mglyph><style></math><img src ` +
    `onerror=${RUN}>`,
  `<xmp data-x><p title="</xmp><img src=x onerror=${RUN}>">`,
];

const LINKS = [
  `javascript:${RUN}`, `JaVaScRiPt:${RUN}`, ` javascript:${RUN}`,
  `\u0001javascript:${RUN}`, `java\tscript:${RUN}`, `java\nscript:${RUN}`,
  `javascript\t:${RUN}`, `javascript:/*--></title></style>*/${RUN}`,
  `javascript:%77indow.hacked=1`, `javascript://%0a${RUN}`,
  `javascript:void(${RUN})`, `javascript:"<p>"+(${RUN})`,
];

const ENCODED = [
  `%3Cimg data-x src=x onerror=${RUN}%3E`,
  `%3Cscript data-x%3E${RUN}%3C/script%3E`,
  `%253Csvg data-x onload=${RUN}%253E`,
  `&lt;img data-x src=x onerror=${RUN}&gt;`,
  `&#60;img data-x src=x onerror=${RUN}&#62;`,
  `&#x3c;svg data-x onload=${RUN}&#x3e;`,
  `&amp;lt;img data-x src=x onerror=${RUN}&amp;gt;`,
  `\\u003cimg data-x src=x onerror=${RUN}\\u003e`,
  `\\x3cimg data-x src=x onerror=${RUN}\\x3e`,
];

const TEMPLATES = [
  `{{${RUN}}}`, `\${${RUN}}`, `<%=${RUN}%>`, `#{${RUN}}`, `{%${RUN}%}`,
  `[[${RUN}]]`, `{{constructor.constructor('${RUN}')()}}`, `\`;${RUN};\``,
  `';${RUN};'`, `");${RUN};("`, `*/${RUN}/*`, `\n${RUN}\n`, `;${RUN}//`,
  `expression(${RUN})`, `url(javascript:${RUN})`, `@import 'javascript:1'`,
];

const TEXTS = [
  "\u202etxt.exe\u202c", "\u2066left\u2069", "\u200bzero\u200bwidth\u200d",
  "\ufeffmark", "a\u0300".repeat(60), "\u{1f4a9}".repeat(20), "\ud83d alone",
  "null\u0000byte", "bell\u0007 escape\u001b[31m", "line\u2028end\u2029",
  "tab\ttab", "\r\nSet-Cookie: x=y", "=1+1", "@SUM(A1)", "-2+3|cmd",
  "+1", "__proto__", "constructor", "toString", "hasOwnProperty",
  "../../etc/passwd", "&/trace?row=1#token=x", "?q=<x>&row=2", "%", "%zz",
  "''\"\"``", "\\", "\\\\", "<", "<a", "&", "&#", "]]>", "<![CDATA[x]]>",
  "<!--", "-->", "<?xml?>", "x".repeat(5000), "<".repeat(2000),
  "<b>".repeat(500), " ", "\u3000", "0", "NaN", "null", "undefined",
];

const of = (kind: PayloadKind, texts: string[]): Payload[] =>
  texts.map((text) => ({ kind, text }));

export const PAYLOADS: Payload[] = [
  ...of("html", ELEMENTS.flatMap(([tag, event]) =>
    WRITINGS.map((write) => write(tag, event)))),
  ...of("html", SCRIPTS), ...of("link", LINKS), ...of("encoded", ENCODED),
  ...of("template", TEMPLATES), ...of("text", TEXTS),
];
