// SPDX-License-Identifier: Apache-2.0
//
// Hands a file to the browser's downloads. The page's policy allows it: a
// link to what the page itself has made.
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
