"""Every reserved column, table, property and setting, once."""

RESERVED_PREFIX = "lv_"

# Columns of deltas and states.
WEIGHT = "lv_weight"  # +1 a row came, -1 a row went; any integer once condensed
SSN = "lv_ssn"  # step sequence number: the term a change came from (Z 3.3)
COUNT = "lv_count"  # how many input rows stand behind a row of the state

# Reserved columns of view deltas, beside those of the state and `lv_ssn`, which numbers the windows.
TIME = "lv_time"  # of the newest commit that a window saw
EPOCH = "lv_epoch"  # which stored rows a window goes on from
REPLACES = "lv_replaces"  # the new row of a key, not a difference to add
RECORD = "lv_record"  # only in the row that ends a window: its record (B 4.5)

# Tables.
STATE_SUFFIX = "__state"
DELTA_SUFFIX = "__delta"  # what was propagated of a view and not applied yet, or is kept
AUXILIARY_INFIX = "__aux_"  # and a number: an inner aggregate that is kept for its owner
AUXILIARY_ALIAS = "lv_aux_"  # and the number: its short name in maintenance SQL
COPY_INFIX = "__copy_"  # of a source without versions

# Temporary views of our own connections.
AFFECTED_ROWS = "lazyview_affected_rows"  # of the files of a state that may hold rows which a change is about

# Table properties of a state.
PROPERTY_PREFIX = "lazyview."
PROPERTY_COPY = "lazyview.copy_of"  # of a copy: its source
PROPERTY_LOG = "lazyview.log"  # of a copy that follows a log: which log, and how
PROPERTY_DELTA = "lazyview.delta_of"  # of a view delta: its view
PROPERTY_ROLLED = "lazyview.rolled_copy_of"  # of a copy of a view at another time: the state of the view
PROPERTY_EXPORT = "lazyview.export_of"  # of an exported change table: the state of the view
PROPERTY_NEEDED_BY = "lazyview.needed_by."  # of a view delta or a state, and a digest: a table that goes on from it
PROPERTY_COLUMNS = "lazyview.columns"  # of a view delta: a digest of the state's columns
PROPERTY_FORMAT = "lazyview.format"
PROPERTY_FINGERPRINT = "lazyview.fingerprint"
PROPERTY_DEFINITION = "lazyview.definition"  # chunked: lazyview.definition.0, .1, …

# The record of a refresh, carried by the state's own Delta commit.
RECORD_FORMAT = 1
TRANSACTION_APP = "dbt-lazyview"
LOG_APP = "dbt-lazyview log"  # of commits that carry a position in a log
SETTING_USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
SETTING_TRANSACTION_APP = "spark.databricks.delta.write.txnAppId"
SETTING_TRANSACTION_VERSION = "spark.databricks.delta.write.txnVersion"

# What a statement says when a sum overflows that it adds to.
SUM_TOO_LARGE = "LV_SUM_TOO_LARGE"

# What a statement says when a log tells of something that cannot be.
LOG_REFUSED = "LV_LOG_REFUSED"


def quoted(identifier: str) -> str:
    """
    Quote one identifier for Spark SQL.

    Example:
        >>> quoted("odd `name`")
        '`odd ``name```'
    """
    return "`" + identifier.replace("`", "``") + "`"
