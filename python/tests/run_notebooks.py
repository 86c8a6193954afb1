"""Runs every notebook of python/notebooks from its first cell to its last, without a window. A cell that raises fails. Needs nbclient, nbformat, ipykernel and matplotlib
(Debian: python3-nbclient, python3-ipykernel, python3-matplotlib); 'make test-notebooks' calls it.

    python3 python/tests/run_notebooks.py [NAME...]
"""
import os
import sys
from pathlib import Path

import nbclient
import nbformat

os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
folder = Path(__file__).resolve().parent.parent / "notebooks"
names = sys.argv[1:] or sorted(path.stem for path in folder.glob("*.ipynb"))
for name in names:
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), f"{name}: it is kept without outputs"
    try:
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="sinew").execute()
    except nbclient.exceptions.CellExecutionError as error:
        sys.exit(f"{name}: {error}")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    assert pictures, f"{name}: it draws nothing"
    said = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout").strip().splitlines()
    print(f"{name}: {len(notebook.cells)} cells, {pictures} pictures: {said[-1] if said else ''}")
