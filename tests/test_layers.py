"""Imports point one way: pages -> ui -> analysis -> functions -> schema, results -> registry, errors."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fairaudit"

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors"}),
    frozenset({"registry"}),
    frozenset({"schema", "results", "progress", "files"}),
    frozenset({"reading", "validation", "binning", "kernels", "comparison", "aggregation", "contrast", "attributes"}),
    frozenset(
        {
            "qmad",
            "inference",
            "baselines",
            "injection",
            "models",
            "mitigation",
            "aif360_bridge",
            "evaluation",
            "detectability",
            "datasets",
            "reproduction",
            "settings",
            "planting",
            "predictors",
        }
    ),
    frozenset({"charts", "reporting"}),
    frozenset({"cli", "__main__"}),
    frozenset({"ui"}),
)
"""Lowest first. A module imports from its own layer and from lower ones; folders count as one module."""

LAYER_OF = {name: level for level, names in enumerate(LAYERS) for name in names}

# Who may import which library, where not everyone may. Folders and files below `fairaudit`, or `pages` and `app`.
ONLY_IN = {
    "streamlit": {"ui", "pages", "app"},
    "aif360": {"mitigation", "aif360_bridge"},
    "plotly": {"charts", "reporting", "ui"},
    "dask": {"evaluation"},
    "distributed": {"evaluation"},
}
NO_STATISTICS = {"charts", "reporting", "ui", "pages", "app", "cli"}
STATISTICS = {"scipy", "sklearn", "aif360", "joblib"}
PAGES_MAY_IMPORT = {"fairaudit", "streamlit", "pandas", "__future__"}


def modules(folder: Path) -> list[Path]:
    """Python files of a folder, without caches."""
    return sorted(p for p in folder.rglob("*.py") if "__pycache__" not in p.parts)


FILES = [*modules(PACKAGE), *modules(ROOT / "pages"), *ROOT.glob("app.py")]


def owner(path: Path) -> str:
    """Module of the package that a file belongs to (``ui`` for ``fairaudit/ui/state.py``), or ``pages`` or ``app``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "fairaudit" else parts[0]


def imports(path: Path, at_module_level: bool = False) -> Iterator[str]:
    """Dotted names that a file imports; with ``at_module_level`` only those that run when it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = path.relative_to(ROOT).parts[:-1]
    for node in _walk(tree, at_module_level):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            yield from (".".join([*base, alias.name]) for alias in node.names)


def _walk(tree: ast.AST, at_module_level: bool) -> Iterator[ast.AST]:
    """All nodes; with ``at_module_level`` without the insides of functions and of blocks for type checkers."""
    for child in ast.iter_child_nodes(tree):
        if at_module_level:
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
        yield child
        yield from _walk(child, at_module_level)


def ours(names: Iterable[str]) -> set[str]:
    """Modules of the package among dotted names; ``fairaudit`` itself for a name of its ``__init__``."""
    found = set()
    for name in names:
        parts = name.split(".")
        if parts[0] == "fairaudit":
            found.add(parts[1] if len(parts) > 1 and parts[1] in LAYER_OF else "fairaudit")
    return found


def roots(names: Iterable[str]) -> set[str]:
    """First parts of dotted names."""
    return {name.split(".")[0] for name in names}


def short(path: Path) -> str:
    """Path for messages and test names."""
    return str(path.relative_to(ROOT))


def test_every_module_has_a_layer() -> None:
    unknown = {owner(path) for path in modules(PACKAGE)} - set(LAYER_OF) - {"__init__"}
    assert not unknown, f"say in LAYERS where these belong: {sorted(unknown)}"


@pytest.mark.parametrize("path", [p for p in FILES if owner(p) in LAYER_OF], ids=short)
def test_imports_point_down(path: Path) -> None:
    level = LAYER_OF[owner(path)]
    upward = {name for name in ours(imports(path)) if LAYER_OF.get(name, -1) > level}
    assert not upward
    # The package's own front door imports everything: whoever is inside goes to the module itself. The version is a plain fact.
    if owner(path) not in {"cli", "__main__", "ui"}:
        through_the_door = {n for n in imports(path) if n.startswith("fairaudit") and ours([n]) == {"fairaudit"}}
        assert through_the_door <= {"fairaudit.__version__"}


@pytest.mark.parametrize("path", FILES, ids=short)
def test_libraries_stay_where_they_belong(path: Path) -> None:
    used = roots(imports(path))
    for library, places in ONLY_IN.items():
        assert library not in used or owner(path) in places, f"{library} is for {sorted(places)}"
    if owner(path) in NO_STATISTICS:
        assert not used & STATISTICS
    assert "pages" not in used
    if owner(path) != "ui":
        assert "plotly.express" not in set(imports(path)), "half a second of import for nothing"


@pytest.mark.parametrize("path", [p for p in FILES if owner(p) == "pages"], ids=short)
def test_pages_import_only_the_package_and_streamlit(path: Path) -> None:
    assert roots(imports(path)) <= PAGES_MAY_IMPORT | set(sys.stdlib_module_names)


def test_errors_and_registry_stand_alone() -> None:
    assert ours(imports(PACKAGE / "errors.py")) == set()
    assert ours(imports(PACKAGE / "registry.py")) <= {"errors"}


def test_no_module_imports_itself_through_others() -> None:
    graph: dict[str, set[str]] = {}
    for path in modules(PACKAGE):
        graph.setdefault(owner(path), set()).update(ours(imports(path, at_module_level=True)) - {owner(path), "fairaudit"})

    def reachable(name: str) -> set[str]:
        seen: set[str] = set()
        todo = set(graph.get(name, ()))
        while todo:
            seen |= todo
            todo = set().union(*(graph.get(n, set()) for n in todo)) - seen
        return seen

    assert not [name for name in graph if name in reachable(name)]


def test_the_reader_of_imports_sees_what_it_must() -> None:
    tree = ast.parse("import a.b\nfrom .x import y\ndef f():\n    import c\nif TYPE_CHECKING:\n    import d\n")
    seen = [ast.unparse(n) for n in _walk(tree, True) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert seen == ["import a.b", "from .x import y"]
    assert sum(isinstance(n, ast.Import | ast.ImportFrom) for n in _walk(tree, False)) == 4
    assert ours(["fairaudit.qmad.audit", "fairaudit.audit", "numpy"]) == {"qmad", "fairaudit"}
