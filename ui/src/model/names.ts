// SPDX-License-Identifier: Apache-2.0
//
// Short names of kernels for boxes and tables; details show the full one.
// Dropped: `void`, namespaces, template and argument lists. Elementwise and
// reduce kernels all have one name, so their functor is kept. Pure.

/** The text before the list that opens at `from`, and the list's inside. */
function balanced(text: string, from: number, open: string, close: string)
  : number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === open) depth++;
    else if (text[at] === close && --depth === 0) return at;
  }
  return text.length;
}

const GENERIC =
  /^(.*_)?(elementwise|reduce|foreach|multi_tensor_apply)(_.*)?$/i;
// What a functor is named like, in torch's and in others' sources.
const FUNCTOR =
  /\b((?!ReduceOp\b)\w*(?:Functor|Ops?|_functor)(?:_\w+)?)\b/;
const LAMBDA = /(\w+)_kernel_cuda\b|(\w+)_kernel_impl\b/;

function withoutNamespaces(name: string): string {
  const parts = name.split("::");
  return parts[parts.length - 1] ?? name;
}

/** How much of the end of a name is always seen. */
const TAIL = 10;

/**
 * A name in two: what may be cut, and its end. Names of one family differ at
 * their ends ("…_backward_input", "…_backward_weight"). Pairs of surrogates
 * stay together.
 */
export function headAndTail(name: string): [head: string, tail: string] {
  const letters = [...name];
  if (letters.length < 2 * TAIL) return [name, ""];
  return [letters.slice(0, -TAIL).join(""), letters.slice(-TAIL).join("")];
}

/** A name of at most so many letters; its end stays. */
export function clipName(name: string, most: number): string {
  if (name.length <= most) return name;
  const letters = [...name];
  if (letters.length <= most) return name;
  return letters.slice(0, most - TAIL - 1).join("") + "…" +
    letters.slice(-TAIL).join("");
}

/** In a tooltip: at most four lines. */
export const tooltipName = (name: string) => clipName(name, 200);

/** torch names the same thing twice: the engine's call, and the function. */
const ENGINE = "autograd::engine::evaluate_function: ";

export function shortName(full: string): string {
  if (full.startsWith(ENGINE)) return full.slice(ENGINE.length);
  // Names of operators and files are short as they are.
  if (!/[<(]/.test(full) || !/^(void |[\w:~ ]+<|[\w:~]+\()/.test(full))
    return full;
  if (/\.py\(\d+\)/.test(full)) return full;
  const text = full.replace(/^(void|static|inline) /, "")
    .replaceAll("(anonymous namespace)::", "");
  const args = text.indexOf("(");
  const open = text.indexOf("<");
  const end = open >= 0 && (args < 0 || open < args) ? open : args;
  let name = withoutNamespaces(end < 0 ? text : text.slice(0, end)).trim();
  if (!name) return full;
  if (open >= 0 && open === end && GENERIC.test(name)) {
    const inside = text.slice(open + 1, balanced(text, open, "<", ">"));
    const functor = FUNCTOR.exec(inside)?.[1] ?? LAMBDA.exec(inside)?.[1] ??
      LAMBDA.exec(inside)?.[2];
    const kind = /reduce/i.test(name) ? "reduce"
      : /elementwise/i.test(name) ? "elementwise"
        : name.replace(/_kernel$/, "");
    name = functor ? `${kind} · ${functor}` : name;
  }
  return name;
}

/** In a list, where the engine's call and the function stand side by side. */
export function listName(full: string): string {
  return full.startsWith(ENGINE) ? "evaluate: " + full.slice(ENGINE.length)
    : shortName(full);
}
