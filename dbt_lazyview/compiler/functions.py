"""What the compiler knows about functions: which aggregate, which have no single answer."""

from sqlglot import exp

# Aggregates that sqlglot reads as plain function calls.
_AGGREGATES = frozenset(
    [
        "any",
        "any_value",
        "approx_percentile",
        "array_agg",
        "bit_and",
        "bit_or",
        "bit_xor",
        "bool_and",
        "bool_or",
        "collect_list",
        "collect_set",
        "corr",
        "count_min_sketch",
        "covar_pop",
        "covar_samp",
        "every",
        "first",
        "first_value",
        "grouping",
        "grouping_id",
        "histogram_numeric",
        "bitmap_construct_agg",
        "bitmap_or_agg",
        "hll_sketch_agg",
        "hll_union_agg",
        "kurtosis",
        "last",
        "last_value",
        "listagg",
        "max_by",
        "mean",
        "median",
        "min_by",
        "mode",
        "percentile",
        "percentile_approx",
        "percentile_cont",
        "percentile_disc",
        "regr_avgx",
        "regr_avgy",
        "regr_count",
        "regr_intercept",
        "regr_r2",
        "regr_slope",
        "regr_sxx",
        "regr_sxy",
        "regr_syy",
        "skewness",
        "some",
        "std",
        "string_agg",
        "try_avg",
        "try_sum",
    ]
)

NON_DETERMINISTIC = frozenset(
    [
        "rand",
        "random",
        "randn",
        "uuid",
        "shuffle",
        "current_timestamp",
        "now",
        "current_date",
        "curdate",
        "current_time",
        "localtimestamp",
        "localtime",
        "unix_timestamp_now",
        "monotonically_increasing_id",
        "spark_partition_id",
        "input_file_name",
        "input_file_block_start",
        "input_file_block_length",
        "current_user",
        "user",
        "session_user",
        "current_database",
        "current_schema",
        "current_catalog",
        "current_timezone",
        "randstr",
        "uniform",
        "version",
        "sysdate",
        "systimestamp",
    ]
)


def function_name(node: exp.Expr) -> str:
    """The function's name as the user would write it, lower case; empty for anything else."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Func):
        return node.sql_name().lower()
    return ""


def is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc) or (isinstance(node, exp.Anonymous) and node.name.lower() in _AGGREGATES)


def is_non_deterministic(node: exp.Expr) -> bool:
    """
    Whether a call has no single answer.

    Example:
        >>> from sqlglot import parse_one
        >>> [is_non_deterministic(parse_one(each, dialect="spark")) for each in ("RAND()", "ABS(x)", "UUID()")]
        [True, False, True]
    """
    name = function_name(node)
    if name == "unix_timestamp" or isinstance(node, exp.TimeToUnix):
        return node.args.get("this") is None
    return name in NON_DETERMINISTIC
