# SPDX-License-Identifier: Apache-2.0
"""What view() returns."""

from __future__ import annotations

import html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .place import Place
    from .server import Server


class View:
    """A running viewer. In a notebook it shows itself; ``url`` is its address,
    with the secret that lets in who has it. ``close()`` ends the server, which
    all views of the same source share; leaving a ``with`` block does so too.
    """

    def __init__(self, server: Server, place: Place, height: int) -> None:
        self._server = server
        self._place = place
        self._height = height

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def port(self) -> int:
        return int(self.url.split("/")[2].rsplit(":", 1)[1])

    @property
    def closed(self) -> bool:
        return not self._server.alive

    def close(self) -> None:
        """Ends the server. May be called again."""
        self._server.close()

    def wait(self) -> None:
        """Until the server ends: by close() in another thread, or by Ctrl-C,
        which ends it."""
        try:
            self._server.wait()
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = " (closed)" if self.closed else ""
        return f"<stepscope view at {self.url}{state}>"

    def _repr_html_(self) -> str:
        if self.closed:
            return "<p>This viewer is closed.</p>"
        if not self._place.framed:
            why = f" ({self._place.why})" if self._place.why else ""
            return f"<p>{_link(self.url, self.url)}{html.escape(why)}</p>"
        path = self._place.proxied(self.port)
        fragment = self.url.split("#", 1)[1]
        # 127.0.0.1 and not localhost: on ::1 another user may listen.
        address = f"{path}#{fragment}" if path else self.url
        said = _link(address, "Open in a tab")
        if not path:
            said += (". If the frame stays empty, the notebook runs on another "
                     "machine: install jupyter-server-proxy there, or open the "
                     "link through <code>ssh -L "
                     f"{self.port}:127.0.0.1:{self.port}</code>")
        return (f'<iframe src="{html.escape(address)}" title="stepscope" '
                f'width="100%" height="{self._height}" '
                'style="border: 1px solid #8884" '
                'allow="clipboard-write; fullscreen"></iframe>'
                f"<p>{said}.</p>")


def _link(address: str, text: str) -> str:
    return (f'<a href="{html.escape(address)}" target="_blank" '
            f'rel="noopener noreferrer">{html.escape(text)}</a>')
