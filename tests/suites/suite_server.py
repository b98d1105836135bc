"""A server configured as those that the clients' own tests run against: its query log is written every second, and settings whose names
begin so are users' own."""

from pathlib import Path

from server import Server

CONFIG = """<config>
    <query_log><flush_interval_milliseconds>1000</flush_interval_milliseconds></query_log>
    <custom_settings_prefixes>SQL_,custom_</custom_settings_prefixes>
</config>"""


def start(folder: Path) -> Server:
    config = folder / "config.xml"
    config.write_text(CONFIG)
    return Server(folder / "data", "--config-file", str(config))
