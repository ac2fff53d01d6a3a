"""
Whoever refreshes a view on demand tells the manager of the project, if the profile names one: the manager leaves that
view alone for a while, and what it is doing to it is waited for instead of being done a second time.
"""

import json
from urllib.parse import quote
from urllib.request import urlopen

from dbt.adapters.events.logging import AdapterLogger

WAIT = "/wait"
TIMEOUT = 90.0  # seconds; a manager answers earlier, and may be asked again

logger = AdapterLogger("LazyView")


def wait_for_manager(url: str | None, key: str) -> bool:
    """Come back when no manager works on a view; whether one answered. One that does not holds up nobody."""
    while url:
        try:
            with urlopen(f"{url.rstrip('/')}{WAIT}?view={quote(key, safe='')}", timeout=TIMEOUT) as answer:
                is_running = bool(json.load(answer)["is_running"])
        except (OSError, ValueError, KeyError, TypeError) as problem:
            logger.debug(f"The manager at {url} does not answer: {problem}")
            return False
        if not is_running:
            return True
    return False
