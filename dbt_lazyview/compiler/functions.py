"""What the compiler knows about Spark's functions: how aggregates are maintained, which calls have no single answer."""

from sqlglot import exp

ALL_TRUE = frozenset(["bool_and", "every"])
SOME_TRUE = frozenset(["any", "bool_or", "some"])
# Aggregates kept as sums that signed changes are added to (partials.py).
ADDED = (
    frozenset(["avg", "count", "count_if", "mean", "sum"])  # of floating-point numbers: while rows only come
    | ALL_TRUE
    | SOME_TRUE
)
# Added as well where they are of integers (moments.py); else the groups in the delta are computed again.
ADDED_FOR_INTEGERS = frozenset(
    {"bit_xor", "corr", "covar_pop", "covar_samp"}
    | {"std", "stddev", "stddev_pop", "stddev_samp", "var_pop", "var_samp", "variance"}
)
# Aggregates that follow rows that come; where one goes, its group is computed again.
ADDED_WHILE_ROWS_COME = frozenset(["max", "min"])
# All other aggregates of Spark: the groups in the delta are computed again.
RECOMPUTED = frozenset(
    {"bit_and", "bit_or"}
    | {"any_value", "first", "first_value", "last", "last_value", "max_by", "min_by", "mode"}
    | {"array_agg", "collect_list", "collect_set", "listagg", "string_agg"}
    | {"median", "percentile", "percentile_approx", "percentile_cont", "percentile_disc"}
    | {"approx_count_distinct", "approx_percentile", "count_min_sketch", "histogram_numeric"}
    | {"approx_top_k", "approx_top_k_accumulate", "approx_top_k_combine"}
    | {"kurtosis", "skewness"}
    | {"regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2"}
    | {"regr_slope", "regr_sxx", "regr_sxy", "regr_syy"}
    | {"bitmap_and_agg", "bitmap_construct_agg", "bitmap_or_agg"}
    | {"hll_sketch_agg", "hll_union_agg", "theta_intersection_agg", "theta_sketch_agg", "theta_union_agg"}
    | {f"kll_{kind}_agg_{type}" for kind in ("merge", "sketch") for type in ("bigint", "double", "float")}
    | {f"tuple_{kind}_agg_{type}" for kind in ("intersection", "sketch", "union") for type in ("double", "integer")}
    | {"measure", "schema_of_variant_agg", "try_avg", "try_sum", "vector_avg", "vector_sum"}
)
# Not aggregates of rows, but constants of a grouping set.
GROUPING_MARKS = frozenset(["grouping", "grouping_id"])

AGGREGATES = ADDED | ADDED_FOR_INTEGERS | ADDED_WHILE_ROWS_COME | RECOMPUTED | GROUPING_MARKS

# Generators: a call gives several rows. The columns it gives have these names where the query gives none.
GENERATORS = frozenset(
    {"explode", "explode_outer", "inline", "inline_outer", "json_tuple", "posexplode", "posexplode_outer", "stack"}
    | {"variant_explode", "variant_explode_outer"}
)

NON_DETERMINISTIC = frozenset(
    {"rand", "randn", "random", "randstr", "shuffle", "uniform", "uuid"}
    | {"curdate", "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "now"}
    | {"monotonically_increasing_id", "spark_partition_id"}
    | {"input_file_block_length", "input_file_block_start", "input_file_name"}
    | {"current_catalog", "current_database", "current_path", "current_schema", "current_timezone", "current_user"}
    | {"session_user", "user", "version"}
    | {"java_method", "reflect", "try_reflect"}
)
# Words that a typed literal may hold: DATE 'today'.
_MOVING_WORDS = ("now", "today", "tomorrow", "yesterday")
_INITIAL_VECTOR = 4  # position of the argument without which aes_encrypt chooses a random one


def function_name(node: exp.Expr) -> str:
    """The function's name as the user would write it, lower case; empty for anything else."""
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return node.name.lower()
    if isinstance(node, exp.Func):
        return node.sql_name().lower()
    return ""


def is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc)


def arguments(call: exp.Expr) -> list[exp.Expr]:
    """The arguments of a call, in order."""
    return [each for each in call.iter_expressions() if not isinstance(each, exp.Identifier)]


def is_non_deterministic(node: exp.Expr) -> bool:
    """
    Whether a call has no single answer.

    Example:
        >>> from sqlglot import parse_one
        >>> calls = "RAND(), ABS(x), UNIX_TIMESTAMP(), UNIX_TIMESTAMP(x), DATE 'today', DATE 'epoch'"
        >>> [is_non_deterministic(each) for each in parse_one(f"SELECT {calls}", dialect="sparksql").selects]
        [True, False, True, False, True, False]
    """
    name = function_name(node)
    if name == "unix_timestamp":
        return not arguments(node)
    if name == "aes_encrypt":
        return _has_random_vector(arguments(node))
    if isinstance(node, exp.Introducer):
        return any(node.expression.name.strip().lower().startswith(word) for word in _MOVING_WORDS)
    return name in NON_DETERMINISTIC


def _has_random_vector(given: list[exp.Expr]) -> bool:
    mode = given[2].name.upper() if len(given) > 2 else "GCM"
    return mode != "ECB" and len(given) <= _INITIAL_VECTOR
