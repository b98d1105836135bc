"""Reads a case: a file of SQL statements, cut at `;`.

A comment line `-- settings: name=value, name=value` sets them before the first statement. A comment line
`-- error: NAME` says that the next statement fails with that error of ClickHouse's. `-- gap: why` says that the next
statement is known not to give what ClickHouse gives: that is told and counted, and is a failure once it does give it. Every
other comment is for readers.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ERROR_LINE = re.compile(r"--\s*error:\s*([A-Z0-9_]+)")
GAP_LINE = re.compile(r"--\s*gap:\s*(.+)")
SETTINGS_LINE = re.compile(r"--\s*settings:\s*(.+)")
ERROR_TEXT = re.compile(r"Code: (\d+)\..*?\(([A-Z][A-Z0-9_]+)\)\s*$", re.S)
TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:\\.|''|[^'\\])*'|`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\])*"|\$\$.*?\$\$|;|[^;'"`/$-]+|.""",
    re.S,
)


@dataclass
class Statement:
    text: str
    error: str | None = None
    gap: str | None = None

    @property
    def title(self) -> str:
        line = " ".join(self.text.split())
        return line if len(line) <= 110 else line[:109] + "…"


@dataclass
class Case:
    path: Path
    statements: list[Statement]
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FOLDER).with_suffix(""))

    @property
    def expected_path(self) -> Path:
        return self.path.with_suffix(".expected")

    def all_texts(self) -> list[str]:
        sets = [f"SET {name} = {value}" for name, value in self.settings.items()]
        return sets + [statement.text for statement in self.statements]


def read(path: Path) -> Case:
    settings: dict[str, str] = {}
    statements: list[Statement] = []
    text, error, gap = "", None, None
    for token in TOKEN.findall(path.read_text()) + [";"]:
        if token.startswith("--") and not text.strip():
            if found := ERROR_LINE.match(token):
                error = found[1]
            elif found := GAP_LINE.match(token):
                gap = found[1]
            elif found := SETTINGS_LINE.match(token):
                settings |= {n.strip(): v.strip() for n, v in (p.split("=", 1) for p in found[1].split(","))}
        elif token.startswith(("--", "/*")) and not text.strip():
            pass
        elif token == ";":
            if text.strip():
                statements.append(Statement(text.strip(), error, gap))
            text, error, gap = "", None, None
        else:
            text += token
    return Case(path, statements, settings)


def find(filters: list[str]) -> list[Case]:
    """The cases whose name holds one of the words; all where there are none."""
    cases = [read(path) for path in sorted(FOLDER.rglob("*.sql"))]
    return [case for case in cases if not filters or any(word in case.name for word in filters)]


def outcome(output: str, error: str | None) -> str:
    """What is compared: the rows, or code and name of the error."""
    if error is None:
        return output
    found = ERROR_TEXT.search(error.strip())
    return f"error {found[1]} {found[2]}\n" if found else f"an error without code and name: {error.strip()}\n"


def write_expected(case: Case, outcomes: list[str]) -> None:
    parts = []
    for number, (statement, text) in enumerate(zip(case.statements, outcomes, strict=True), 1):
        parts.append(f"#{number} {statement.title}\n{text}")
        if text and not text.endswith("\n"):
            parts.append("\n")
    case.expected_path.write_text("".join(parts))


def read_expected(case: Case) -> list[str]:
    outcomes: list[str] = []
    if not case.expected_path.exists():
        return outcomes
    for line in case.expected_path.read_text().splitlines(keepends=True):
        if line.startswith(f"#{len(outcomes) + 1} "):
            outcomes.append("")
        else:
            outcomes[-1] += line
    return outcomes
