"""Writes crates/system/src/functions.tsv, what `system.functions` says of each function: `python tests/coverage/describe.py` (wants `chdb`).

The facts are those of ClickHouse's own system.functions, shortened: of texts the first sentences, of the examples the first short one, and no
links. Columns, the last ones left out where they are empty: name, categories, introduced_in, syntax, description, arguments,
parameters, returned_value, title, query and answer of the example. Functions that are not there yet have their categories alone.
"""

import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE_BYTES_MAX = 250
HEAD = "# Shortened from system.functions of ClickHouse {} (Apache-2.0, Copyright ClickHouse, Inc.) by tests/coverage/describe.py\n"


def without_links(text: str) -> str:
    return re.sub(r"\[(`?[^\]]*`?)\]\((?:/|http)[^)]*\)", r"\1", text.strip())


def first_sentence(text: str) -> str:
    text = re.sub(r"\n:::.*", "", without_links(text), flags=re.S)
    paragraph = text.split("\n\n")[0]
    sentences = re.split(r"(?<=[^.][.!?])\s+(?=[A-Z`])", " ".join(paragraph.split()))
    return " ".join(sentences[: 2 if sentences[0] == "Optional." else 1])


def shortened(text: str) -> str:
    """Each line's first sentence, and the types behind the text."""
    lines = []
    for line in without_links(text).splitlines():
        types = re.search(r"`[^`]+`(?: or `[^`]+`)*$", line)
        words = line[: types.start()] if types else line
        lines.append(" ".join(part for part in (first_sentence(words).rstrip(), types and types[0]) if part))
    return "\n".join(line for line in lines if line)


def example(text: str) -> list[str]:
    """Title, query and answer of the first that is short."""
    found = re.findall(r"\*\*(.*?)\*\*\n+```sql[^\n]*\n(.*?)\n```\s*(?:```response[^\n]*\n(.*?)\n```)?", text, re.S)
    short = [one for one in found if len(one[1]) + len(one[2].encode()) <= EXAMPLE_BYTES_MAX]
    return list((short or [("", "", "")])[0])


def main() -> None:
    import chdb

    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    query = "SELECT name FROM system.functions FORMAT TSV"
    asked = subprocess.run([target / "debug" / "gristmill", "local", "-q", query], stdout=subprocess.PIPE, text=True, check=True)
    here = set(asked.stdout.split())
    lines = [HEAD.format(str(chdb.query("SELECT version()", "TSV")).strip())]
    for text in str(chdb.query("SELECT * FROM system.functions WHERE categories != '' ORDER BY name", "JSONEachRow")).splitlines():
        row = json.loads(text)
        fields = [row["name"], row["categories"]]
        if row["name"] in here:
            fields += [row["introduced_in"], row["syntax"].strip(), first_sentence(row["description"])]
            fields += [shortened(row[column]) for column in ("arguments", "parameters", "returned_value")]
            fields += example(row["examples"])
        while not fields[-1]:
            fields.pop()
        escaped = (field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for field in fields)
        lines.append("\t".join(escaped) + "\n")
    (ROOT / "crates/system/src/functions.tsv").write_text("".join(lines))


if __name__ == "__main__":
    main()
