"""Commit times as epoch milliseconds, whatever the driver makes of a TIMESTAMP."""

from datetime import datetime
from zoneinfo import ZoneInfo


def milliseconds(moment: datetime | str, zone: str) -> int:
    """
    Epoch milliseconds of a timestamp as a driver returns it: PySpark in the time zone of this process, Thrift as text
    in that of the session.

    Example:
        >>> milliseconds("2026-01-01 01:00:00.123", "Europe/Berlin")
        1767225600123
    """
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment).replace(tzinfo=_zone(zone))
    return round(moment.timestamp() * 1000)


def _zone(name: str) -> ZoneInfo:
    return ZoneInfo("UTC" if name in ("Z", "Etc/UTC", "GMT") else name)
