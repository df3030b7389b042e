# SPDX-License-Identifier: Apache-2.0
"""Where view() was called: in a terminal, or in a notebook, and in which.

A notebook shows the viewer in a frame. The server lets pages of named origins
do that (docs/decisions/0023_frames.md), so the origin of the notebook's page
must be known when the server is started. Jupyter's server writes it down
beside the connection files of its kernels. Other notebooks get a link."""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional

_LOOPBACK = ("localhost", "127.0.0.1")  # policies cannot name [::1]
_EVERYWHERE = ("", "0.0.0.0", "::", "*")
_PROBE_S = 5


class Place:
    """``notebook``: whether values are displayed rather than printed.
    ``origins``: whose pages may frame the viewer. ``jupyter``: the server of
    the notebook, where it is known. ``why``: why there is a link only."""

    def __init__(self, *, notebook: bool = False, framed: bool = False,
                 origins: Optional[List[str]] = None,
                 hosts: Optional[List[str]] = None,
                 jupyter: Optional[Dict[str, Any]] = None,
                 why: str = "") -> None:
        self.notebook = notebook
        self.framed = framed
        self.origins = origins or []
        self.hosts = hosts or []
        self.jupyter = jupyter
        self.why = why

    def proxied(self, port: int) -> str:
        """The path on the notebook's own server under which it shows a port of
        this machine; empty: it does not."""
        if self.jupyter is None:
            return ""
        path = f"{self.jupyter['base_url']}proxy/{port}/"
        return path if _proxies(self.jupyter, path) else ""


def find_place(inline: Optional[bool], notebook: Optional[str]) -> Place:
    """``inline`` and ``notebook`` as of view()."""
    given = _origin_of(notebook) if notebook is not None else ""
    displayed = _in_a_kernel()
    if inline is False or not (displayed or inline):
        return Place(notebook=displayed)
    jupyter = _jupyter_server()
    origins = [given] if given else _origins_of(jupyter)
    if not origins:
        if inline:
            raise ValueError(
                "inline=True: the address of the notebook's page is not known; "
                "give it, as in view(..., notebook='http://localhost:8888')")
        return Place(notebook=True, why=_why_not())
    host = given.split("://")[-1]
    public = _public_host() if not given else host
    hosts = [name for name in [_without_port(public)]
             if name and name not in _LOOPBACK]
    return Place(notebook=True, framed=True, origins=["self", *origins],
                 hosts=hosts, jupyter=jupyter)


def _in_a_kernel() -> bool:
    ipython = sys.modules.get("IPython")
    get = getattr(ipython, "get_ipython", None)
    shell = get() if get is not None else None
    return getattr(shell, "kernel", None) is not None


def _why_not() -> str:
    if "google.colab" in sys.modules:
        return ("Colab runs on another machine, which your browser cannot "
                "reach; use result.timeline(), or stepscope report and "
                "download its page")
    if any(name.startswith("VSCODE_") for name in os.environ):
        return "VS Code shows no pages of other servers; open the link"
    return ("the server of this notebook was not found; with "
            "view(..., notebook='http://localhost:8888') the viewer is shown "
            "here")


# -- Jupyter's server ---------------------------------------------------------

def _runtime_folder() -> str:
    connect = sys.modules.get("ipykernel.connect")
    try:
        if connect is None:
            import ipykernel.connect as connect
        return os.path.dirname(connect.get_connection_file())
    except (ImportError, RuntimeError, OSError):
        return os.environ.get("JUPYTER_RUNTIME_DIR", "")


def _jupyter_server() -> Optional[Dict[str, Any]]:
    """What the server that started this kernel says of itself. Its token is
    not used."""
    parent = os.environ.get("JPY_PARENT_PID", "")
    folder = _runtime_folder()
    if not parent.isdigit() or not folder:
        return None
    for kind in ("jpserver", "nbserver"):
        path = os.path.join(folder, f"{kind}-{parent}.json")
        try:
            with open(path, encoding="utf-8") as file:
                said = json.load(file)
            return {"port": int(said["port"]),
                    "hostname": str(said.get("hostname", "")),
                    "secure": bool(said.get("secure")),
                    "base_url": str(said.get("base_url") or "/")}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return None


def _origins_of(jupyter: Optional[Dict[str, Any]]) -> List[str]:
    if jupyter is None or not jupyter["port"]:
        return []
    names = list(_LOOPBACK)
    own = jupyter["hostname"]
    if own not in _EVERYWHERE and own not in _LOOPBACK and ":" not in own:
        names.append(own)
    scheme = "https" if jupyter["secure"] else "http"
    return [f"{scheme}://{name}:{jupyter['port']}" for name in names]


def _proxies(jupyter: Dict[str, Any], path: str) -> bool:
    """Whether jupyter-server-proxy is there: asked without a token, a server
    that has it wants a login, and one that has it not knows no such page."""
    import http.client
    import ssl

    host = jupyter["hostname"]
    if host in _EVERYWHERE:
        host = "localhost"
    how: Dict[str, Any] = {"timeout": _PROBE_S}
    kind: Any = http.client.HTTPConnection
    if jupyter["secure"]:
        kind = http.client.HTTPSConnection
        # Nothing is sent, and certificates of notebooks are their own.
        how["context"] = ssl._create_unverified_context()
    try:
        connection = kind(host, jupyter["port"], **how)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            status, to = answer.status, answer.getheader("Location") or ""
        finally:
            connection.close()
    except (OSError, http.client.HTTPException):
        return False
    if 300 <= status < 400:
        from urllib.parse import urlsplit

        # To the same page without the slash: before it says 404.
        return urlsplit(to).path.rstrip("/") != path.rstrip("/")
    return status in (200, 401, 403)


# -- addresses ----------------------------------------------------------------

def _origin_of(address: Any) -> str:
    from urllib.parse import urlsplit

    if not isinstance(address, str):
        raise TypeError("notebook must be the address of its page, not "
                        f"{address!r}")
    try:
        parts = urlsplit(address)
        named = parts.scheme in ("http", "https") and parts.hostname
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        named, port = "", ""
    if not named:
        raise ValueError(f"notebook={address!r}: expected the address of its "
                         "page, such as 'http://localhost:8888/lab'")
    if ":" in parts.hostname:
        raise ValueError(f"notebook={address!r}: a page at an IPv6 address "
                         "cannot show the viewer; use its name")
    return f"{parts.scheme}://{parts.hostname}{port}"


def _public_host() -> str:
    """Of a JupyterHub, which says so from version 5 on."""
    address = os.environ.get("JUPYTERHUB_PUBLIC_URL", "")
    try:
        return _origin_of(address).split("://")[-1] if address else ""
    except ValueError:
        return ""


def _without_port(authority: str) -> str:
    return authority.split(":")[0]
