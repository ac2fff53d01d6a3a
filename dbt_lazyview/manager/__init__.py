"""The manager: a process, or a thread, that maintains lazy views in idle time (Z 2.2.2, 3.5)."""
