# SPDX-License-Identifier: Apache-2.0
"""Opens a trace file in Perfetto's UI and in the viewer of chrome://tracing."""

import contextlib
import functools
import http.server
import json
import threading

import browser

QUERY = """(async () => {
  const result = await app.trace.engine.query(%s);
  const columns = result.columns();
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next())
    rows.push(columns.map(c => {
      const value = it.get(c);
      return typeof value == 'bigint' ? Number(value) : value;
    }));
  return JSON.stringify(rows);
})()"""

IMPORT = """(async () => {
  const text = await (await fetch('/trace.json')).text();
  const model = new tr.Model();
  await new tr.importer.Import(model).importTracesWithProgressDialog([text]);
  const rows = [];
  const counters = [];
  for (const process of model.getAllProcesses()) {
    for (const thread of Object.values(process.threads))
      rows.push([process.name, thread.name,
                 thread.sliceGroup.slices.map(s => s.title)]);
    for (const counter of Object.values(process.counters))
      counters.push([process.name, counter.name,
                     counter.series[0].samples.length]);
  }
  const flows = model.flowEvents.map(
      f => [f.startSlice.title, f.endSlice.title]);
  return JSON.stringify({warnings: model.importWarnings.map(w => w.message),
                         rows, counters, flows});
})()"""


@contextlib.contextmanager
def served(folder, trace):
    """The address of a server of the viewers' folder and /trace.json."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path):
            if path.split("?")[0] == "/trace.json":
                return str(trace)
            return super().translate_path(path)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def open_perfetto(page, address):
    page.open(f"{address}/#!/?url={address}/trace.json")
    page.wait_for("typeof app != 'undefined' && app.trace && "
                  "app.trace.engine && !app.isLoadingTrace",
                  "Perfetto to load the trace")


def query(page, sql):
    return json.loads(page.evaluate(QUERY % json.dumps(sql)))


def import_in_catapult(page, address, folder):
    """What the importer of chrome://tracing made of the file."""
    viewer = next(folder.glob("v*/assets/catapult_trace_viewer.html"))
    page.open(f"{address}/{viewer.relative_to(folder)}")
    page.wait_for("typeof tr == 'object' && !!tr.importer", "the viewer")
    return json.loads(page.evaluate(IMPORT))


def start(width=1600, height=900):
    return browser.Browser(browser.find(), width, height)
