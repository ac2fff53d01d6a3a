"""What a program in the same process, such as the command line, asks the adapter inside a dbt invocation of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from dbt.adapters.base.meta import available

from dbt_lazyview.adapter.lazy_views import full_name
from dbt_lazyview.adapter.operations import LazyViewOperations
from dbt_lazyview.maintenance.comparison import comparison
from dbt_lazyview.maintenance.differences import Differences, Sample, differences
from dbt_lazyview.maintenance.stored import stored_target

OPERATION = "dbt_lazyview.answer_question"  # the macro that lets the adapter answer


@dataclass
class Question:
    """Something to be asked of the adapter once dbt has loaded the project; then its answer, or why there is none."""

    ask: Callable[[Any], Any]
    answer: Any = None
    problem: Exception | None = None
    is_answered: bool = False

    def put_to(self, adapter: Any) -> None:
        try:
            self.answer, self.is_answered = self.ask(adapter), True
        except Exception as problem:
            self.problem = problem


_asked: ContextVar[Question | None] = ContextVar("asked", default=None)


@contextmanager
def asking(question: Question) -> Iterator[None]:
    """While it lasts, the operation `answer_question` answers this question."""
    token = _asked.set(question)
    try:
        yield
    finally:
        _asked.reset(token)


class LazyViewAnswers(LazyViewOperations):
    """A base class of the adapter."""

    @available.parse_none
    def answer_question(self) -> None:
        """Answer the question of this process, if there is one."""
        question = _asked.get()
        if question is not None:
            question.put_to(self)

    def explained(self, model: str | None, sql: str | None) -> str:
        """How a lazy view or a query is maintained."""
        arguments = {"model": model, "sql": sql}
        return str(self.execute_macro("explained", project="dbt_lazyview", kwargs=arguments))  # type: ignore[attr-defined]

    def differences_of(self, node: Any, limit: int, sample: Sample | None) -> Differences:
        """The rows in which a lazy view differs from its query at the cut it stands for."""
        with self._engine(node.name) as engine:
            compared = comparison(engine, stored_target(engine, full_name(engine, node)))
            return differences(engine, compared, limit, sample)
