"""Every value of a seed arrives as it was written."""

import datetime
from decimal import Decimal

import pytest
from dbt.tests.util import run_dbt

ODD_VALUES = r"""id,text,amount,day,at,flag,big
1,it's,1.10,2024-02-29,2024-02-29 23:59:59,true,9007199254740993
2,back\slash \n,0.01,1582-10-15,1969-12-31 00:00:00,false,-1
3,100 %s %d %%,99999999999999999999.99,9999-12-31,2024-01-01 00:00:00.123456,true,0
4,,,,,,
5,"say ""hi"", ünï 🦆; -- no",-5.00,2024-01-01,2024-01-01 00:00:00,false,1
6,${spark.app.name} {{ x }},7.00,2024-01-01,2024-01-01 00:00:00,false,1
"""

SEEDS_YML = """
version: 2
seeds:
  - name: odd_values
    config:
      column_types: {amount: "decimal(22,2)", flag: boolean, at: timestamp, day: date}
"""


class TestSeedValues:
    @pytest.fixture(scope="class")
    def seeds(self):
        return {"odd_values.csv": ODD_VALUES, "seeds.yml": SEEDS_YML}

    def test_values_arrive_exactly(self, project):
        run_dbt(["seed"])
        rows = {row[0]: tuple(row[1:]) for row in self._rows(project)}
        newyear = ("2024-01-01", datetime.datetime(2024, 1, 1))
        assert rows[1] == (
            "it's", Decimal("1.10"), "2024-02-29", datetime.datetime(2024, 2, 29, 23, 59, 59), True, 9007199254740993
        )  # fmt: skip
        assert rows[2][0] == r"back\slash \n"
        assert rows[2][1] == Decimal("0.01")
        assert rows[3][:2] == ("100 %s %d %%", Decimal("99999999999999999999.99"))
        assert rows[3][3] == datetime.datetime(2024, 1, 1, 0, 0, 0, 123456)
        assert rows[4] == (None,) * 6
        assert rows[5] == ('say "hi", ünï 🦆; -- no', Decimal("-5.00"), *newyear, False, 1)
        assert rows[6][0] == "${spark.app.name} {{ x }}"

    def test_seeding_again_shows_as_changes_of_the_same_table(self, project):
        before = self._versions(project)
        run_dbt(["seed"])
        assert self._versions(project) > before
        changes = project.run_sql(
            f"select count(*) from table_changes('{project.test_schema}.odd_values', {before + 1}) "
            "where _change_type = 'delete'",
            fetch="one",
        )
        assert changes[0] == 6

    def _rows(self, project):
        return project.run_sql(
            "select id, text, amount, string(day), at, flag, big from {schema}.odd_values", fetch="all"
        )

    def _versions(self, project):
        return project.run_sql("describe history {schema}.odd_values limit 1", fetch="one")[0]
