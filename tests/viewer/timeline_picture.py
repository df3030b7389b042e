#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes a picture of a trace file in Perfetto's UI.

usage: timeline_picture.py TRACE.json OUT.png [--start US --end US]
                           [--height PIXELS]

Needs what `tools/bootstrap test` installs. Made docs/images/timeline.png.
"""

import argparse
import sys
import time

import browser
import fetch_viewer
import viewers

# All processes unfolded, nothing beside the timeline.
PREPARE = """(() => {
  if (app.sidebar.visible) app.sidebar.toggleVisibility();
  for (const track of app.trace.workspace.flatTracks) track.expand();
})()"""
ZOOM = """(() => {
  const begin = app.trace.traceInfo.start;
  app.trace.timeline.setViewportTime(begin + %dn, begin + %dn);
})()"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("picture")
    parser.add_argument("--start", type=float, help="microseconds")
    parser.add_argument("--end", type=float, help="microseconds")
    parser.add_argument("--height", type=int, default=680)
    args = parser.parse_args()
    folder = fetch_viewer.find()
    if browser.find() is None or folder is None:
        sys.exit("timeline_picture: run `tools/bootstrap test` first")
    with viewers.served(folder, args.trace) as address, \
            viewers.start(1400, args.height) as page:
        viewers.open_perfetto(page, address)
        page.evaluate(PREPARE)
        if args.start is not None and args.end is not None:
            page.evaluate(ZOOM % (args.start * 1000, args.end * 1000))
        time.sleep(3)  # animations
        page.screenshot(args.picture)


if __name__ == "__main__":
    main()
