"""How much is measured: by the scale factor, and whether there is time."""

from dataclasses import dataclass

LARGE = 3.0  # scale factor from which a full refresh takes minutes


@dataclass(frozen=True)
class Scope:
    """What a run is to measure; a quick one leaves points out, one of large tables leaves out more."""

    scale: float = 1.0
    is_long: bool = False
    views: tuple[str, ...] = ()  # of curves, only those whose title contains one of these words; none: all

    @property
    def is_large(self) -> bool:
        return self.scale >= LARGE and not self.is_long

    def has(self, title: str) -> bool:
        """
        Whether a view is measured.

        Example:
            >>> Scope(views=("V1",)).has("V1 of paper Z"), Scope(views=("V1",)).has("window"), Scope().has("window")
            (True, False, True)
        """
        return not self.views or any(word.lower() in title.lower() for word in self.views)
