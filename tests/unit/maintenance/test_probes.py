"""Tables are looked at once in a while, whoever asks; and again when somebody wrote."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from dbt_lazyview.maintenance.probes import MAX_AGE, Probes
from dbt_lazyview.maintenance.record import Position

A, B, C = ("x", "a"), ("x", "b"), ("x", "c")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def probes(clock):
    return Probes(clock)


def cut(*names, version: int = 1):
    return {name: Position(version, version, "id") for name in names}


def test_a_table_is_looked_at_once(probes, clock):
    assert [probes.look(A, lambda: 1), probes.look(A, lambda: 2), probes.look(B, lambda: 3)] == [1, 1, 3]
    clock.now = MAX_AGE + 1
    assert probes.look(A, lambda: 2) == 2


def test_not_everything_is_kept(probes):
    assert [probes.look(A, lambda: 1, lambda seen: seen > 1), probes.look(A, lambda: 2)] == [1, 2]


def test_part_of_a_cut_is_a_cut(probes, clock):
    taken = probes.cut([A, B], lambda: cut(A, B))
    assert probes.cut([A], lambda: cut(A, version=2)) == {A: taken[A]}
    assert probes.cut([A, C], lambda: cut(A, C, version=2)) == cut(A, C, version=2)
    assert probes.cut([A], lambda: cut(A, version=3)) == cut(A, version=2)  # the newest that is known
    clock.now = MAX_AGE + 1
    assert probes.cut([A], lambda: cut(A, version=3)) == cut(A, version=3)


def test_what_was_seen_before_a_write_is_forgotten(probes):
    probes.look(A, lambda: 1)
    probes.cut([A], lambda: cut(A))
    probes.forget()
    assert probes.look(A, lambda: 2) == 2
    assert probes.cut([A], lambda: cut(A, version=2)) == cut(A, version=2)


def test_what_is_seen_during_a_write_is_not_kept(probes):
    def look() -> int:
        probes.forget()  # somebody wrote
        return 1

    def take():
        probes.forget()
        return cut(A)

    assert (probes.look(A, look), probes.look(A, lambda: 2)) == (1, 2)
    assert (probes.cut([A], take), probes.cut([A], lambda: cut(A, version=2))) == (cut(A), cut(A, version=2))


def test_threads_wait_for_each_other(probes):
    looks, everybody = [], threading.Barrier(8)

    def ask(number: int) -> Position:
        everybody.wait()
        names = [A, B] if number % 2 else [B, A]
        return probes.cut(names, lambda: looks.append(1) or cut(A, B))[A]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    assert len(looks) == 1


def test_a_new_relation_under_a_name_leaves_the_others_known(probes):
    assert [probes.look(A, lambda: 1), probes.look(B, lambda: 1), probes.look(("relation", *A), lambda: 1)] == [1, 1, 1]
    probes.forget_relation(A)
    assert [probes.look(A, lambda: 2), probes.look(B, lambda: 2), probes.look(("relation", *A), lambda: 2)] == [2, 1, 2]


def test_a_table_that_we_wrote_is_looked_at_again_and_no_other(probes):
    def write_copy() -> str:
        probes.forget_table(A)
        return "followed"

    for name in (A, B):
        probes.look(name, lambda: "before")
    probes.cut([A, B], lambda: cut(A, B))
    probes.cut([C], lambda: cut(C))
    assert probes.look(("copy", *A), write_copy) == "followed"
    assert probes.look(("copy", *A), lambda: "again") == "followed", "that it was followed is remembered"
    assert (probes.look(A, lambda: "after"), probes.look(B, lambda: "after")) == ("after", "before")
    assert probes.cut([A], lambda: cut(A, version=2)) == cut(A, version=2)
    assert probes.cut([C], lambda: cut(C, version=2)) == cut(C)
