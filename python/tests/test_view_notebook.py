# SPDX-License-Identifier: Apache-2.0
"""view() in a notebook: a frame where the server of the notebook is known, by
its proxy where it has one, and a link elsewhere."""

import html
import os
import re
import sys
import types
import unittest
import unittest.mock

import stepscope
import support
import viewer_support as viewer
from stepscope._viewer import server as servers


def frame_in(text):
    found = re.search(r'<iframe src="([^"]*)"', text)
    return html.unescape(found[1]) if found else None


@support.once("it asks the viewer over HTTP, as with every Python")
class NotebookTest(support.InOwnFolder):
    def setUp(self):
        super().setUp()
        self.addCleanup(servers.close_all)
        os.makedirs("log")
        with open("log/trace.json", "w", encoding="utf-8") as file:
            file.write('{"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, '
                       '"ts": 1, "dur": 1, "name": "work"}]}')

    def jupyter(self, **how):
        jupyter = viewer.Jupyter(**how)
        self.addCleanup(jupyter.close)
        return jupyter

    def shown(self, *, environment=None, **how):
        """(the view, its HTML); nothing is printed."""
        with viewer.kernel(os.getcwd(), 4711, environment):
            views = []
            said = self.printed(
                lambda: views.append(stepscope.view("log", **how)))
            self.assertEqual(said, "")
            return views[0], views[0]._repr_html_()

    def test_a_frame_by_the_address_of_this_machine(self):
        jupyter = self.jupyter(proxy=False)
        jupyter.write_runtime_file(".", 4711)
        view, text = self.shown(height=333)
        self.assertEqual(frame_in(text), view.url)
        self.assertIn('height="333"', text)
        self.assertIn("ssh -L", text)
        self.assertEqual(viewer.framers(view.url), [
            "'self'", f"http://localhost:{jupyter.port}",
            f"http://127.0.0.1:{jupyter.port}"])
        into_a_frame = {"Sec-Fetch-Site": "cross-site",
                        "Sec-Fetch-Mode": "navigate",
                        "Sec-Fetch-Dest": "iframe"}
        page = view.url.split("#")[0]
        self.assertEqual(viewer.get(page, into_a_frame)[0], 200)
        # Its token was read by nobody.
        self.assertNotIn("Authorization",
                         [key for sent in jupyter.asked for key in sent])
        # Outside a notebook, the same source has another server.
        with support.quiet_stdout():
            plain = stepscope.view("log")
        self.assertEqual(viewer.framers(plain.url), ["'none'"])
        self.assertEqual(viewer.get(plain.url, into_a_frame)[0], 403)

    def test_a_frame_by_the_proxy_of_the_notebook(self):
        for how in ({}, {"rewrite_host": True}):
            with self.subTest(how=how):
                jupyter = self.jupyter(base="/user/me/", **how)
                jupyter.write_runtime_file(".", 4711)
                view, text = self.shown()
                path = frame_in(text)
                self.assertEqual(path, f"/user/me/proxy/{view.port}/#"
                                 + view.url.split("#")[1])
                self.assertNotIn("ssh -L", text)
                # All of the page comes through it, and its requests go there.
                top = f"http://localhost:{jupyter.port}"
                status, _, body = viewer.get(top + path.split("#")[0])
                self.assertEqual(status, 200)
                assets = re.findall(r'(?:src|href)="(\./assets/[^"]*)"',
                                    body.decode())
                self.assertTrue(assets or b"has no viewer" in body)
                for asset in assets:
                    self.assertEqual(
                        viewer.get(top + path.split("#")[0] + asset[2:])[0],
                        200)
                self.assertEqual(viewer.files_of(top + path), ["trace.json"])
                (window,) = viewer.api(top + path, "runs")["runs"][0][
                    "workers"][0]["windows"]
                opened = viewer.api(
                    top + path, "cancel?t=" + window["t"], method="POST",
                    headers={"Sec-Fetch-Site": "same-origin"})
                self.assertIn("state", opened)
                servers.close_all()

    def test_a_proxy_that_wants_a_login_is_one(self):
        self.jupyter(open=False).write_runtime_file(".", 4711)
        view, text = self.shown()
        self.assertTrue(frame_in(text).startswith(f"/proxy/{view.port}/#"))

    def test_a_jupyter_that_does_not_answer_has_no_proxy(self):
        jupyter = viewer.Jupyter()
        jupyter.write_runtime_file(".", 4711)
        jupyter.close()
        view, text = self.shown()
        self.assertEqual(frame_in(text), view.url)

    def test_a_hub_of_another_name(self):
        jupyter = self.jupyter(base="/user/me/")
        jupyter.write_runtime_file(".", 4711)
        for how, origin in (
                ({"notebook": "https://hub.example.com/user/me/lab?x#y"},
                 "https://hub.example.com"),
                ({"environment": {"JUPYTERHUB_PUBLIC_URL":
                                  "https://hub.example.com:8443/user/me/"}},
                 None)):
            with self.subTest(how=how):
                view, text = self.shown(**how)
                path = frame_in(text)
                top = f"http://localhost:{jupyter.port}"
                status = viewer.get(top + path, host="hub.example.com")[0]
                self.assertEqual(status, 200)
                self.assertEqual(
                    viewer.get(top + path, host="evil.example.com")[0], 403)
                self.assertIn("'self'", viewer.framers(view.url))
                if origin:
                    self.assertIn(origin, viewer.framers(view.url))

    def test_a_hub_is_refused_unless_it_was_named(self):
        jupyter = self.jupyter(base="/user/me/")
        jupyter.write_runtime_file(".", 4711)
        _, text = self.shown()
        top = f"http://localhost:{jupyter.port}"
        self.assertEqual(
            viewer.get(top + frame_in(text), host="hub.example.com")[0], 403)

    def test_elsewhere_there_is_a_link_and_the_reason(self):
        colab = {"google.colab": types.ModuleType("google.colab")}
        for modules, environment, why in (
                ({}, {}, "was not found"),
                ({}, {"VSCODE_PID": "1"}, "VS Code"),
                (colab, {}, "Colab")):
            with self.subTest(why=why), \
                    unittest.mock.patch.dict(sys.modules, modules):
                view, text = self.shown(environment=environment)
                self.assertIsNone(frame_in(text))
                self.assertIn(f'href="{view.url}"', text)
                self.assertIn(why, text)
                self.assertEqual(viewer.framers(view.url), ["'none'"])

    def test_a_damaged_runtime_file_is_none(self):
        for content in ("", "{", "[]", "{}", '{"port": "x"}', '{"port": 0}',
                        "\xff", '{"port": null}'):
            with self.subTest(content=content):
                with open("jpserver-4711.json", "w", encoding="latin-1") as out:
                    out.write(content)
                self.assertIsNone(frame_in(self.shown()[1]))

    def test_a_link_if_asked_for_and_a_frame_if_its_page_is_named(self):
        self.jupyter().write_runtime_file(".", 4711)
        self.assertIsNone(frame_in(self.shown(inline=False)[1]))
        os.unlink("jpserver-4711.json")
        view, text = self.shown(notebook="http://localhost:9000/lab")
        self.assertEqual(frame_in(text), view.url)
        self.assertEqual(viewer.framers(view.url),
                         ["'self'", "http://localhost:9000"])
        with self.assertRaisesRegex(ValueError, "notebook="):
            self.shown(inline=True)

    def test_no_name_of_a_host_gets_out_of_its_place(self):
        jupyter = self.jupyter(proxy=False)
        jupyter.write_runtime_file(".", 4711, hostname="a;script-src *")
        with self.assertRaisesRegex(ValueError, "not an origin"):
            self.shown()
        for address in ("http://*", "http://a b", "http://x;y", "file:///x",
                        "http://", "//x", "http://x:99999", "http://[::1]:1"):
            with self.subTest(address=address):
                with self.assertRaises(ValueError):
                    self.shown(notebook=address)
        jupyter.write_runtime_file(".", 4711, base_url='/"><script>/')
        self.assertNotIn("<script", self.shown()[1])


if __name__ == "__main__":
    unittest.main()
