"""What became of the tests of a suite, read from what its runner writes."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Outcomes:
    """Names of tests by what became of them; of those that failed the beginning of the message."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)

    def message(self, test: str) -> str:
        return " ".join(self.failed[test].split())[:200]


def pytest_name(case) -> str:
    """Module, class and test, without the folder of all tests."""
    place = case.get("classname").removeprefix("tests.").removeprefix("integration_tests.")
    return f"{place}::{case.get('name')}"


def junit(report: Path, name=pytest_name) -> Outcomes:
    """Of a report as pytest, vitest and surefire write it. `name` makes a test's name of its element."""
    outcomes = Outcomes()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        wrong = [found for tag in ("failure", "error") if (found := case.find(tag)) is not None]
        if wrong:
            text = wrong[0].text or wrong[0].get("message") or ""
            told = [line[1:].strip() for line in text.splitlines() if line.startswith("E  ")]
            outcomes.failed[name(case)] = " ".join(told) or wrong[0].get("message") or text
        elif case.find("skipped") is not None:
            outcomes.skipped.add(name(case))
        else:
            outcomes.passed.add(name(case))
    outcomes.passed -= outcomes.failed.keys()
    return outcomes


def go_events(lines: list[str]) -> Outcomes:
    """Of `go test -json`: tests of the top, each with the packages' last word before it."""
    outcomes, told = Outcomes(), {}
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        test = event.get("Test", "").split("/")[0]
        name = f"{event.get('Package', '').split('/')[-1]}.{test}"
        if event["Action"] == "output":
            told.setdefault(name, []).append(event["Output"])
        elif test and test == event["Test"]:
            match event["Action"]:
                case "pass":
                    outcomes.passed.add(name)
                case "skip":
                    outcomes.skipped.add(name)
                case "fail":
                    outcomes.failed[name] = errors_of(told.get(name, []))
    return outcomes


def errors_of(output: list[str]) -> str:
    text = "".join(output)
    found = re.findall(r"Error:\s+(.*(?:\n\s{16,}\s+\S.*)?)", text)
    return found[0] if found else text


def libtest(output: str) -> Outcomes:
    """Of `cargo test`."""
    outcomes = Outcomes()
    for name, what in re.findall(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", output, re.MULTILINE):
        match what:
            case "ok":
                outcomes.passed.add(name)
            case "FAILED":
                told = re.search(rf"---- {re.escape(name)} stdout ----\n+(.*?)\n(?:note:|stack backtrace:|\n----)", output, re.DOTALL)
                outcomes.failed[name] = told[1] if told else ""
            case "ignored":
                outcomes.skipped.add(name)
    return outcomes
