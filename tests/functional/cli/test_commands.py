"""The command `lazyview` in a project: what it says, and with which exit code."""

import io
import json
from pathlib import Path

import pytest

from dbt_lazyview.cli.main import FINE, FOUND, IMPOSSIBLE, main
from dbt_lazyview.names import SETTING_USER_METADATA
from tests.functional.lazy.shop import Shop, appending, lazy_view, totals


class TestCommands:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "revenue.sql": totals("orders"),
            "top.sql": lazy_view("select region, revenue / 3.0D as third from {{ ref('revenue') }} where revenue > 0"),
            "not_built.sql": totals("orders"),
        }

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        shop.dbt("run", "--exclude", "not_built")
        shop.sell("orders")
        return shop

    @pytest.fixture
    def lazyview(self, shop, project, capsys):
        def run(*words: str) -> tuple[int, str, str]:
            capsys.readouterr()
            places = ("--project-dir", str(project.project_root), "--profiles-dir", str(project.profiles_dir))
            return main([*words, *places]), *capsys.readouterr()

        return run

    def test_status(self, lazyview):
        code, out, err = lazyview("status", "revenue", "top")
        assert (code, err) == (FINE, "")
        assert out.startswith("view ")
        assert "1 commit, 1 change" in out
        code, out, err = lazyview("status", "--max-pending-rows", "0", "--json")
        assert (code, err) == (FOUND, "")
        told = {each["view"].split(".")[-1]: each["problems"] for each in json.loads(out)}
        assert told == {
            "revenue": ["1 change pending; 0 are allowed."],
            "top": ["1 change pending; 0 are allowed."],
            "not_built": ["The view is not built."],
        }

    def test_the_artifacts_of_the_last_run_stay(self, lazyview, project):
        artifacts = [Path(project.project_root, "target", name) for name in ("run_results.json", "manifest.json")]
        before = [each.read_bytes() for each in artifacts]
        lazyview("status")
        assert [each.read_bytes() for each in artifacts] == before

    def test_what_cannot_be_done(self, lazyview):
        code, out, err = lazyview("status", "nothing_like_it")
        assert (code, out) == (IMPOSSIBLE, "")
        assert err == ("No lazy view of this project is called nothing_like_it. Lazy views: not_built, revenue, top.\n")
        code, out, err = lazyview("status", "--target", "elsewhere")
        assert (code, out) == (IMPOSSIBLE, "")
        assert "does not have a target named 'elsewhere'" in err

    def test_explain(self, lazyview, project, monkeypatch):
        code, out, _ = lazyview("explain", "revenue")
        assert code == FINE
        assert "Stored: a row for each region" in out
        assert "Now: incremental" in out
        assert "Stored: a row for each region" in lazyview("explain", "not_built")[1]
        orders = f"{project.test_schema}.orders"
        query = f"select region from {orders} where amount > (select avg(amount) from {orders});"
        monkeypatch.setattr("sys.stdin", io.StringIO(query))
        code, out, _ = lazyview("explain", "--json")
        assert code == FINE
        told = json.loads(out)["explanation"]
        assert "Stored: the distinct rows, with their count" in told
        assert "query__aux_1, kept for this view:" in told  # as it would be once it is built

    def test_advise(self, lazyview):
        code, out, err = lazyview("advise", "revenue", "--exit-code")
        assert (code, err) == (FINE, "")
        assert out.endswith(".revenue: nothing to change\n")

    def test_report(self, lazyview, tmp_path):
        code, out, err = lazyview("report", "--output", str(tmp_path / "page.html"))
        assert (code, out, err) == (FINE, f"Written: {tmp_path / 'page.html'}\n", "")
        assert '"name":"revenue"' in (tmp_path / "page.html").read_text()
        code, out, _ = lazyview("report", "top", "--json")
        told = json.loads(out)
        assert [each["refreshes"][-1]["reason"] for each in told["views"]] == ["first_build"]
        assert {each["name"]: each["kind"] for each in told["lineage"]} == {
            "orders": "incremental", "revenue": "lazy_view", "top": "lazy_view",
        }  # fmt: skip
        assert lazyview("report", "--output", str(tmp_path / "nowhere" / "x"))[0] == IMPOSSIBLE

    def test_verify(self, lazyview, project, way):
        code, out, _ = lazyview("verify")
        assert code == FINE
        assert [line.split(".", 1)[1].split(",")[0] for line in out.splitlines()] == [
            "not_built: not built", "revenue: equals its query", "top: equals its query",
        ]  # fmt: skip
        assert lazyview("verify", "not_built")[0] == IMPOSSIBLE
        self.tamper_unseen(project, way)
        code, out, _ = lazyview("verify", "revenue", "--sample", "100%", "--seed", "7")
        assert code == FOUND
        assert "revenue: 1 row too many, 1 row missing in a sample of 100 % (--seed 7)" in out
        assert ["-", "north", "3", "10"] in [line.split() for line in out.splitlines()]
        project.run_sql("update {schema}.revenue__state set lv_count = lv_count + 1")
        code, out, err = lazyview("verify", "revenue", "--json")
        assert (code, err.startswith("Not compared: ")) == (IMPOSSIBLE, True)
        assert "[LV026]" in json.loads(out)[0]["problem"]

    def tamper_unseen(self, project, way) -> None:
        """Change a state in a commit that looks like ours."""
        session, state = way.session(), f"{project.test_schema}.revenue__state"
        history = session.sql(f"describe history {state}").collect()  # a property may have been set since
        session.conf.set(SETTING_USER_METADATA, next(row["userMetadata"] for row in history if row["userMetadata"]))
        session.sql(f"update {state} set lv_count = lv_count + 2")
