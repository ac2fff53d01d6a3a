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
