"""Which task is next: by slack, without starving anybody, within the budget, and not while others work."""

import random

import pytest

from dbt_lazyview.manager.schedule import Budget, Queue, Rules, Task, What, choose

RULES = Rules(every=5, patience=1000, combine=10, share=0.5)


def queue(*tasks: Task, rules: Rules = RULES) -> Queue:
    made = Queue(rules)
    for task in tasks:
        made.put(task)
    return made


def chosen(tasks: Queue, now: float, rest: float = 0.0, busy: str = "", **more) -> str:
    choice = choose(tasks, now, rest, busy, **more)
    return choice.task.view if choice.what is What.REFRESH and choice.task else choice.why


def test_the_oldest_first_where_nobody_has_a_goal():
    assert chosen(queue(Task("a", 50), Task("b", 40), Task("c", 60)), now=100) == "b"


def test_the_least_slack_first_where_some_have():
    tasks = queue(Task("old", 0), Task("goal", 50, goal=100), Task("slow", 60, goal=120, cost=60))
    assert chosen(tasks, now=100) == "slow", "it has to begin at 120, the other one at 150"


def test_what_may_be_gone_comes_before_its_goal():
    tasks = queue(Task("goal", 50, goal=100), Task("gone", 50, kept_until=120))
    choice = choose(tasks, 200, 0.0, "")
    assert (choice.task.view, choice.why) == ("gone", "its changes may soon be gone")


def test_changes_queue_up_for_a_while():
    assert chosen(queue(Task("a", 95)), now=100) == "nothing can begin yet"
    assert chosen(queue(Task("a", 95)), now=105) == "a"
    assert chosen(queue(Task("a", 95, goal=5)), now=100) == "a", "unless that is too late"


def test_a_later_look_takes_the_place_of_the_earlier_one():
    tasks = queue(Task("a", 10, commits=1), Task("a", 10, commits=7))
    assert len(tasks) == 1
    assert choose(tasks, 100, 0.0, "").task.commits == 7
    tasks.drop("a")
    assert chosen(tasks, now=100) == "nothing pending"


def test_sleeps_while_the_cluster_is_busy_unless_it_is_late():
    tasks = queue(Task("a", 10), Task("b", 20, goal=50))
    assert chosen(tasks, now=60, busy="9 tasks") == "busy: 9 tasks"
    assert chosen(tasks, now=71, busy="9 tasks") == "b"
    assert choose(tasks, 71, 0.0, "9 tasks").why == "its goal is at risk, although busy: 9 tasks"
    assert chosen(queue(Task("a", 10)), now=1011, busy="9 tasks") == "a", "patience has an end too"


def test_passes_over_what_somebody_else_works_on():
    tasks = queue(Task("a", 10), Task("b", 20))
    assert chosen(tasks, now=100, may=lambda task: task.view != "a") == "b"
    assert chosen(tasks, now=100) == "a", "it keeps its place"


def test_rests_when_the_budget_is_spent():
    tasks, budget = queue(Task("a", 10, goal=1)), Budget(0.25)
    budget.spend(6, now=100)
    choice = choose(tasks, 100, budget.rest(100), "")
    assert (choice.what, choice.seconds) == (What.SLEEP, 18.0)
    assert chosen(tasks, now=118, rest=budget.rest(118)) == "a"


@pytest.mark.parametrize("seed", range(5))
def test_nobody_starves(seed):
    """However many views have tighter goals and always something pending: each is served soon after its moment."""
    source, rules = random.Random(seed), Rules(patience=600, combine=0, share=1)
    goals = {f"v{number}": source.choice([None, 10, 30, 300]) for number in range(20)}
    tasks, waits, now = Queue(rules), dict.fromkeys(goals, 0.0), 0.0
    for view, goal in goals.items():
        tasks.put(Task(view, now, goal, cost=2))
    while now < 20_000:
        task = choose(tasks, now, 0.0, "").task
        now += 2  # the work; by then something new is pending for the same view
        waits[task.view] = max(waits[task.view], now - task.oldest - (600 if task.goal is None else task.goal))
        tasks.put(Task(task.view, now, goals[task.view], cost=2))
    assert all(waits[view] < 2 * len(goals) for view in goals)


def test_the_head_is_the_least_of_all():
    source = random.Random(1)
    for _ in range(200):
        tasks = Queue(RULES)
        for _ in range(30):
            goal = source.choice([None, 5, 500])
            tasks.put(Task(f"v{source.randrange(9)}", source.uniform(0, 99), goal, source.uniform(0, 9)))
            if source.random() < 0.2:
                tasks.drop(f"v{source.randrange(9)}")
        in_order = list(tasks.in_order(lambda _: True))
        assert in_order == sorted(tasks, key=lambda task: task.latest_start(RULES.patience))
        assert len(in_order) == len(tasks)
