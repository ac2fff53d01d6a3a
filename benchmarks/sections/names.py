"""Names that sections give to points, and the page looks for."""

INSERTS, DELETES, UPDATES = "inserts", "deletes", "updates"
MAIN_VIEW, STAR = "V1 of paper Z", "star of five tables"
CUSTOMERS_MOVED = f"{MAIN_VIEW}, 100 customers"


def with_views(write: str) -> str:
    return f"{write}, by views on the table"


def with_feed(write: str) -> str:
    return f"{write}, change data feed"
