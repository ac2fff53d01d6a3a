"""A Spark that does not start says what helps, by the last words of its log (each as Spark 4.2 wrote it)."""

import pytest

from dbt_lazyview.adapter.session import did_not_start

GATEWAY = RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.\n more")


@pytest.mark.parametrize(
    ("log", "remedy"),
    [
        ("\t\t::          UNRESOLVED DEPENDENCIES         ::\n", "spark.jars.repositories"),
        ("Could not reserve enough space for 966367641600KB object heap\n", "set it lower"),
        ("Invalid maximum heap size: -Xmxlots\n", "write for example 2g"),
        ("something else\n", "what its log says"),
        (None, "what its log says"),
    ],
)
def test_what_helps(log, remedy, tmp_path):
    path = tmp_path / "spark.log"
    if log is not None:
        path.write_text("old words\n" * 9000 + log)
    first, to_do, details = did_not_start(GATEWAY, path).msg.splitlines()
    assert first.endswith("before sending its port number.")
    assert remedy in to_do
    assert details == f"  Details: {path}"
