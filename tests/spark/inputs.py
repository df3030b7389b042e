# SPDX-License-Identifier: Apache-2.0
"""A folder as a job leaves it: traces, and files that are none."""

import gzip
import os
import shutil

RANK_1 = "torch_ddp_gloo_rank1.json.gz"
TRACES = ["torch_ddp_gloo_rank0.json.gz", RANK_1, "torch_cnn.json.gz"]


def make_inputs(traces, folder):
    """The traces, one that claims the rank of another, and a corrupt, an
    empty and a foreign file."""
    os.mkdir(folder)
    for name in TRACES:
        shutil.copy(os.path.join(traces, name), folder)
    with gzip.open(os.path.join(traces, RANK_1)) as file:
        content = file.read()
    claims = content.replace(b'"rank": 1,', b'"rank": 0,', 1)
    assert claims != content
    with open(os.path.join(traces, RANK_1), "rb") as file:
        half = file.read()[:4000]
    for name, content in [("claims_rank0.json", claims),
                          ("corrupt.json.gz", half[:10] + half[40:]),
                          ("empty.json", b""),
                          ("foreign.txt", b"not a trace\n")]:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
