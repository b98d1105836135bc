"""The dashboard for Grafana asks for nothing that a server does not tell."""

import json
import re
from pathlib import Path

DASHBOARD = Path(__file__).parents[2] / "packaging/grafana/gristmill.json"
METRIC = re.compile(r"\bClickHouse(?:ProfileEvents|Metrics|AsyncMetrics)_\w+")
# What PromQL and Grafana have themselves.
WORDS = {"rate", "instance", "label_values", "e6", "e9"}


def dashboard():
    return json.loads(DASHBOARD.read_text())


def expressions():
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]


def test_every_metric_of_the_dashboard_is_told_with_the_kind_it_is_taken_for(http):
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", http.ok(path="/metrics", method="GET"), re.M))
    asked = list(expressions())
    assert len(asked) > 40
    for panel, expression in asked:
        names = METRIC.findall(expression)
        assert names, (panel, expression)
        for name in names:
            assert name in kinds, f"{panel}: the server tells no {name}"
            is_rate = f"rate({name}" in expression
            assert is_rate == (kinds[name] == "counter"), f"{panel}: {name} is a {kinds[name]}"
        rest = re.sub(r'\{instance=~"\$instance"\}|\[\$__rate_interval\]', "", METRIC.sub("", expression))
        assert set(re.findall(r"[a-z_]\w*", rest)) <= WORDS, (panel, rest)
        assert rest.count("(") == rest.count(")"), (panel, expression)


def test_panels_have_their_own_places_and_ids():
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
