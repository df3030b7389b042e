# SPDX-License-Identifier: Apache-2.0
"""The ledger of a guest, as ledger.h lays it out."""

import ctypes

PROCESSES, THREADS, FILES, TEXT_BYTES = 256, 8192, 4096, 16384
EXACT, FLOOR, COMPLETED, AT_MOST = 1, 2, 3, 4


class ProcessRow(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_int32), ("bound", ctypes.c_int32),
                ("start_status", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("floor", ctypes.c_uint64), ("error", ctypes.c_char * 512)]


class ThreadRow(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 32), ("process", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("attempted", ctypes.c_uint64),
                ("completed", ctypes.c_uint64),
                ("handler_attempted", ctypes.c_uint64),
                ("handler_completed", ctypes.c_uint64)]

    @property
    def all_attempted(self):
        return self.attempted + self.handler_attempted

    @property
    def all_completed(self):
        return self.completed + self.handler_completed


class FileRow(ctypes.Structure):
    _fields_ = [("written", ctypes.c_uint64), ("writing", ctypes.c_uint64)]


class Layout(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_char * 8),
                ("ends_by_signal", ctypes.c_int32),
                ("ends_with", ctypes.c_int32), ("processes", ctypes.c_uint32),
                ("threads", ctypes.c_uint32), ("files", ctypes.c_uint32),
                ("text_used", ctypes.c_uint32),
                ("words_used", ctypes.c_uint32), ("ended", ctypes.c_int32),
                ("text", ctypes.c_char * TEXT_BYTES),
                ("words", ctypes.c_char * TEXT_BYTES),
                ("process", ProcessRow * PROCESSES),
                ("thread", ThreadRow * THREADS), ("file", FileRow * FILES)]


class Ledger:
    def __init__(self, path):
        self.raw = Layout.from_buffer_copy(path.read_bytes())
        if self.raw.magic != b"GUEST01":
            raise ValueError(f"{path}: not a ledger")
        self.processes = self.raw.process[:min(self.raw.processes, PROCESSES)]
        self.threads = self.raw.thread[:min(self.raw.threads, THREADS)]
        self.files = self.raw.file[:min(self.raw.files, FILES)]
        self.findings = self.raw.text.decode(errors="replace").splitlines()
        self.words = self.raw.words.decode(errors="replace").splitlines()

    def expected_status(self):
        """As subprocess gives it: a signal is negative."""
        code = self.raw.ends_with
        return -code if self.raw.ends_by_signal else code

    def threads_of(self, process):
        return [row for row in self.threads if row.process == process]
