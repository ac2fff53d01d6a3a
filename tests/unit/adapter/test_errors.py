"""What Spark says, without the Java around it."""

from dbt_lazyview.adapter.errors import readable


def test_the_plan_after_a_position_is_dropped():
    said = "[UNRESOLVED_COLUMN] No column `y`. SQLSTATE: 42703; line 1 pos 7;\n'Project ['y]\n+- Range\n"
    assert readable(said) == "[UNRESOLVED_COLUMN] No column `y`. SQLSTATE: 42703; line 1 pos 7"


def test_a_java_error_keeps_its_first_line_and_innermost_cause():
    said = (
        "An error occurred while calling o42.sql.\n: org.apache.spark.SparkException: Job aborted\n"
        "\tat org.apache.spark.A.b(A.scala:1)\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n"
        "Caused by: org.X: between\n\t... 4 more\nCaused by: java.io.IOException: No space left\n\tat a.B.c(B.java:2)\n"
    )
    expected = "org.apache.spark.SparkException: Job aborted\nCaused by: java.io.IOException: No space left"
    assert readable(said) == expected


def test_a_plain_message_stays():
    assert readable("[TABLE_OR_VIEW_NOT_FOUND] no such table") == "[TABLE_OR_VIEW_NOT_FOUND] no such table"


def test_a_thrift_server_says_no_more_than_spark():
    said = (
        "org.apache.hive.service.cli.HiveSQLException: Error running query: [CAST_INVALID_INPUT] "
        "org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] No number. SQLSTATE: 22018\n"
        "== SQL (line 1, position 8) ==\nselect cast('x' as int)\n       ^^^^\n"
        "\tat org.apache.spark.sql.classic.Dataset.<init>(Dataset.scala:276)\n"
        "\tSuppressed: org.apache.spark.util.Utils$OriginalTryStackTraceException: Full stacktrace of the caller\n"
        "\t\tat org.apache.spark.util.Utils.f(Utils.scala:1)\n"
        "Caused by: org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] No number. SQLSTATE: 22018\n"
    )
    assert readable(said).splitlines() == [
        "[CAST_INVALID_INPUT] No number. SQLSTATE: 22018",
        "== SQL (line 1, position 8) ==",
        "select cast('x' as int)",
        "       ^^^^",
    ]
