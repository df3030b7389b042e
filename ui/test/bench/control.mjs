// SPDX-License-Identifier: Apache-2.0
//
// What Chromium itself takes: a page that sends its worker a message per frame,
// and a worker that fills a canvas of the same size. No less is possible.
import { pause, rendererOf, SCREEN, threadTimes } from "./tools.mjs";

const WORKER = `
  let context;
  let next = 0;
  onmessage = ({ data }) => {
    if (data.canvas) context = data.canvas.getContext("2d");
    else if (!next) next = requestAnimationFrame(() => {
      next = 0;
      const { width, height } = context.canvas;
      context.putImageData(new ImageData(width, height), 0, 0);
      context.fillRect(data.n % width, 0, 8, height);
    });
  };`;
const PAGE = `<canvas width="1650" height="720"></canvas>`;

export async function control(browser, frames = 120) {
  const page = await browser.newPage({ viewport: SCREEN });
  await page.setContent(PAGE);
  await page.evaluate((text) => {
    const worker = new Worker(URL.createObjectURL(
      new Blob([text], { type: "text/javascript" })));
    const canvas =
      document.querySelector("canvas").transferControlToOffscreen();
    worker.postMessage({ canvas }, [canvas]);
    window.move = async (count) => {
      for (let n = 0; n < count; n++) {
        worker.postMessage({ n });
        await new Promise(requestAnimationFrame);
      }
    };
  }, WORKER);
  await page.evaluate(() => window.move(30));
  await pause(200);
  const pid = await rendererOf(browser);
  const before = threadTimes(pid);
  await page.evaluate((count) => window.move(count), frames);
  const used = threadTimes(pid);
  await page.close();
  return { mainMs: (used.main - before.main) / frames };
}
