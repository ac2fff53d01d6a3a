"""Commit times as epoch milliseconds, whatever the driver makes of a TIMESTAMP."""

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo


def milliseconds(moment: datetime | str, zone: str) -> int:
    """
    Epoch milliseconds of a timestamp as a driver returns it: PySpark in the time zone of this process, Thrift as text
    in that of the session.

    Example:
        >>> milliseconds("2026-01-01 01:00:00.123", "Europe/Berlin")
        1767225600123
        >>> milliseconds("2026-01-01 02:00:00", "+02:00")
        1767225600000
    """
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment).replace(tzinfo=_zone(zone))
    return round(moment.timestamp() * 1000)


def _zone(name: str) -> tzinfo:
    """Spark names a zone by region, or by an offset such as +02:00."""
    if name[:1] in ("+", "-"):
        return datetime.strptime(name, "%z").tzinfo or ZoneInfo("UTC")
    return ZoneInfo("UTC" if name == "Z" else name)
