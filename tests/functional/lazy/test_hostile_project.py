"""Names, paths, comments, configs and data that inject wherever they are not quoted; and a secret that nobody tells."""

from pathlib import Path

import pytest

from tests.functional.lazy.shop import Shop

COLUMN = "o'dd`--/*é$x"
QUOTED = "`o'dd``--/*é$x`"
TEXT = "x'; drop table odd; -- ${spark.app.name} {{ y }} {% z %} /* \\ \" é"
LITERAL = "'" + TEXT.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{") + "'"
SECRET = "do-not-tell-4711"
VIEW = f"""
{{{{ config(materialized='lazy_view', persist_docs={{'relation': true, 'columns': true}}) }}}}
select {QUOTED} as `new; {QUOTED[1:-1]}`, count(*) as `n ""`, max(note) as note
from {{{{ target.schema }}}}.odd
where note <> {{% raw %}}{LITERAL.replace("drop", "DROP")}{{% endraw %}}
group by {QUOTED}
"""
SCHEMA = f"""
models:
  - name: odd_view
    description: >-
      {{% raw %}}{TEXT}{{% endraw %}}
    columns:
      - name: note
        description: >-
          {{% raw %}}{TEXT}{{% endraw %}}
"""


class TestHostileProject:
    @pytest.fixture(scope="class")
    def server_side_parameters(self):
        return {"spark.hadoop.fs.s3a.secret.key": SECRET}

    @pytest.fixture(scope="class")
    def models(self):
        return {"odd_view.sql": VIEW, "schema.yml": SCHEMA}

    @pytest.fixture(scope="class")
    def writer(self, project, way, spark_folder):
        """Somebody with a session of their own, for whom braces are no placeholders."""
        session = way.session()
        session.conf.set("spark.sql.variable.substitute", "false")
        path = spark_folder / f"{project.test_schema} o'dd; -- $x {{{{ y }}}} é"
        location = str(path).replace("'", "\\'")
        session.sql(f"create table {project.test_schema}.odd ({QUOTED} int, note string) location '{location}'")
        return session

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder, writer):
        shop = Shop(project, spark_folder)
        self.write(project, writer, 1)
        shop.dbt("run")
        return shop

    def write(self, project, writer, number: int) -> None:
        rows = f"({number}, {LITERAL}), ({number}, 'plain'), (null, '${{not.a.variable}}')"
        writer.sql(f"insert into {project.test_schema}.odd values {rows}")

    def test_is_built_and_refreshed_like_any_other(self, shop, project, writer):
        self.write(project, writer, 2)
        log = shop.dbt("run")
        assert "incremental: 3 changes" in log
        assert shop.rows("odd_view") == [(None, 2, "${not.a.variable}"), (1, 2, TEXT), (2, 2, TEXT)]
        comment = project.run_sql("describe table extended {schema}.odd_view", fetch="all")
        assert TEXT in {row[1] for row in comment if row[0] == "Comment"}

    def test_no_secret_is_told(self, shop, project):
        told = shop.operation("explain", "--args", "{model: odd_view}") + shop.operation("status")
        described = project.run_sql("describe table extended {schema}.odd_view__state", fetch="all")
        history = project.run_sql("describe history {schema}.odd_view__state", fetch="all")
        properties = project.run_sql("show tblproperties {schema}.odd_view__state", fetch="all")
        files = [each for folder in ("logs", "target") for each in Path(project.project_root, folder).rglob("*.*")]
        written = "".join(each.read_text(errors="ignore") for each in files if each.suffix in (".log", ".json", ".sql"))
        assert "odd_view" in written
        assert SECRET not in told + str(described) + str(history) + str(properties) + written
