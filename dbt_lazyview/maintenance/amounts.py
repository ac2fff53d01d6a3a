"""Numbers of things and of bytes, as people say them."""


def counted(count: int | None, noun: str) -> str:
    """
    So many things.

    Example:
        >>> counted(1, "row"), counted(2000, "row"), counted(None, "row")
        ('1 row', '2,000 rows', '')
    """
    return "" if count is None else f"{count:,} {noun}" + ("" if count == 1 else "s")


def size(count: int) -> str:
    """
    A number of bytes as people say it.

    Example:
        >>> size(512), size(2_500_000), size(81_604_378_624)
        ('512 B', '2.5 MB', '81.6 GB')
    """
    for unit, length in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= length:
            return f"{count / length:.1f} {unit}"
    return f"{count} B"
