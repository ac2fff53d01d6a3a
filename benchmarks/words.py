"""The words of the page: what was measured, and how; figures come from elsewhere."""

INTRODUCTION = """# Benchmarks
Full and incremental refreshes of the same changes, side by side, in one warm process and through dbt's own adapter,
over the tables of TPC-H. `make bench` measures and writes this page; no figure on it is typed by hand.

"Full" is `--full-refresh` of the same view; a ratio is its time over the time of the refresh that `refresh_mode: auto`,
the default, chose by itself. A quick run measures full refreshes at one or two points of each curve, and takes the
median of a view's full refreshes for the points without one, as long as tables grow by less than 15 %; a long run
(`make bench BENCH_OPTIONS=--long`) measures them at each point, and has all points. Runs that are cut off go on.
"""
CURVES = """## Curves, {scale}
Full time over the time of the refresh that `auto` chose, by the share of orders, with their lines, that came, went or
changed. Orders come under keys that rise, as from a sequence, so they meet nothing but their own lines ([fresh
keys](../decisions/0015-fresh-keys.md)); deleted are orders that came before; updates change prices and quantities,
scattered over the tables. Hollow points: `auto` chose a full refresh.
"""
TPCH = """## TPC-H, {scale}
Queries as lazy views, after refresh sets: orders and their lines come, and as many others go. As dbgen makes them, a
set is about consecutive orders: new ones come under keys that it left free among theirs. Scattered: those that go are
chosen by chance, and what is left of the tables has to be read to find what they met. After the first set of a kind
`auto` learns what such changes take; the second one is compared with a full refresh. Measured by a long run, and of
large tables.

"""
SCALING = """## The same change, larger tables
Changes of fixed size: about 1,000 rows (200 orders with their lines), or 100 customers in another market segment.
Medians of three refreshes, and one full refresh.
"""
IDLE = """## Nothing pending, {scale}
Refreshes that find nothing new, as one invocation of dbt does them: each view on a connection of its own.
"""
OTHERS = """## What else dbt has, {scale}
V1 of paper Z by `dbt run`, after 1 % new orders: as a lazy view, as an `incremental` model with `merge` that is written
by hand for orders that only come, with rising keys, and as a `table`. Seconds are those that dbt tells for the model.
Then the last orders are deleted, and each model is run once more: the hand-written one cannot see that.
"""
DBT = """## dbt and the driver, {scale}
"""
RESPONSES = """## Paper Z, 5.1 to 5.3 and 5.5: responses, {scale}
Customers get another market segment. Lazily, whoever updates waits for the update alone, and the refresh comes later;
eagerly, the views are refreshed at once. The paper had 125x for 100 customers and one view, in a row store, where an
update of 100 rows costs next to nothing; on Delta it rewrites a file.
"""
COMBINED = """## Paper Z, 5.4: a hundred small updates, {scale}
Each of 1 to 10 consecutive customers; skewed: among the first 100. Refreshed after each, or combined and condensed into
one refresh of V1. The paper had 13x.
"""
WRITES = """## What writers pay, {scale}
Median seconds of writing a hundredth of a table of customers, on copies that take turns: by the number of lazy views
over the copy, and with its change data feed on and off.
"""
BREAK_EVEN = """## Paper C, 5.2: where incremental and full cost the same, {scale}
The rows of a join of two tables, both of which change, with `refresh_mode: incremental`, so that the view never falls
back by itself; found by halves, and interpolated.
"""
ASYNCHRONOUS = """## Paper V, table 1: asynchronous against synchronous, {scale}
Totals of customers over a join of five tables. Seconds of the refreshes: after each statement of one row, or one after
all of them.
"""
VIEW_DELTAS = """## Paper B: propagate now, apply later, {scale}
Lines and their prices by order, so that the view has as many rows as there are orders. The same small windows are
merged into one view and propagated to another one, in turns; what waits is then read, rolled to a moment and back, and
applied at once.
"""
MANAGED = """## Update response while the manager runs, {scale}
About once a second somebody updates a hundredth of a table of customers that no view reads, while a manager in the same
Spark always has four views over another table to refresh ([manager](../manager.md)).
"""


def on(words: str, scale: float, **figures: str) -> str:
    """
    Words about points of a scale factor.

    Example:
        >>> on(DBT, 0.1)
        '## dbt and the driver, SF0.1\\n'
    """
    return words.format(scale=f"SF{scale:g}", **figures)
