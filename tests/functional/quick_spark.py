"""Settings under which many small statements, each run once, take little time."""

# Generating and compiling code for each statement would take most of the time. The room that the first compiler alone
# has for code is too small for Spark: much time would go into forgetting it. And the metastore need not survive a power
# cut.
QUICK_JVM = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m -XX:+UseSerialGC -Xmn1g"
    " -Dderby.system.durability=test",
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.properties.defaults.checkpointInterval": "100",
    "spark.sql.codegen.cache.maxEntries": "5000",
    "spark.sql.lightweightPlanChangeValidation": "false",
    "spark.sql.maxPlanStringLength": "100",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
