"""The report in a real browser: wide and narrow, light and dark, small and large, tame and hostile."""

import itertools
import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from dbt_lazyview.report.page import page
from tests.report_sample import plain_name, sample

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip
DESK, PHONE = {"width": 1200, "height": 850}, {"width": 390, "height": 844}
HOSTILE = "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1>\"'`${window.hurt=1}"
TABS = ("views", "lineage", "time", "advice")


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield launched
        launched.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page of a document, and in the end demands that nothing complained and nothing was loaded."""
    said: list[str] = []
    loaded: list[str] = []
    pages: list[Page] = []

    def open_page(document, viewport=DESK, scheme="light") -> Page:
        path = Path(tmp_path, "report.html")
        path.write_text(page(document), encoding="utf-8")
        shown = browser.new_page(viewport=viewport, color_scheme=scheme)
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda request: loaded.append(request.url))
        pages.append(shown)
        shown.goto(path.as_uri())
        return shown

    yield open_page
    for each in pages:
        each.close()
    assert said == []
    assert {url.split(":")[0] for url in loaded} <= {"file", "data"}
    assert len([url for url in loaded if url.startswith("file")]) == len(pages)


def turn_to(shown: Page, tab: str) -> None:
    shown.click(f"[data-tab={tab}]")
    shown.wait_for_selector(f"[data-tab={tab}][aria-current=page]")


def fits(shown: Page) -> bool:
    """Whether nobody has to scroll to the side."""
    return shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_click_through(opened, viewport, scheme):
    shown = opened(sample(24), viewport, scheme)
    for tab in TABS:
        turn_to(shown, tab)
        assert shown.locator("#main > *").count() > 0
        assert fits(shown), tab
    turn_to(shown, "views")
    assert shown.locator(".views tbody tr").count() == 24
    for number in range(24):
        shown.locator(".views .link").nth(number).click()
        shown.wait_for_selector(".pairs")
        assert fits(shown)
        shown.go_back()
        shown.wait_for_selector(".views")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(opened, scheme):
    """Contrast of at least 4.5 : 1 (WCAG AA), for every colour of text."""
    shown = opened(sample(24), DESK, scheme)
    ratios = shown.evaluate("""() => {
        const light = (color) => {
            const parts = color.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255);
            const [r, g, b] = parts.map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const behind = (node) => {
            const color = getComputedStyle(node).backgroundColor;
            return color === "rgba(0, 0, 0, 0)" && node.parentElement ? behind(node.parentElement) : color;
        };
        const shown = [...document.querySelectorAll("h1, p, td, th, td span, .link, .tile, .tile b, #tabs button")];
        return shown.filter((node) => node.textContent).map((node) => {
            const [one, other] = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
            return [(one + 0.05) / (other + 0.05), node.textContent];
        });
    }""")
    assert len(ratios) > 100
    assert min(ratios)[0] >= 4.5, min(ratios)


def test_search_filter_and_order(opened):
    shown = opened(sample(24))
    rows = shown.locator(".views tbody tr")
    assert "history_gone" in rows.first.inner_text()  # what is wrong comes first
    shown.fill("#search", "raw_orders")
    by_source = rows.count()
    assert 0 < by_source < 24
    shown.fill("#search", "nothing like it")
    assert "No view is like that." in shown.inner_text("#list")
    shown.fill("#search", "")
    shown.click("[data-filter=pending]")
    assert rows.count() == int(shown.inner_text("[data-filter=pending] b")) > 0
    shown.click("[data-filter=all]")
    shown.click("th >> text=View")
    assert (rows.first.inner_text() < rows.last.inner_text()) is True
    shown.click("th >> text=View")
    assert (rows.first.inner_text() > rows.last.inner_text()) is True


def test_lineage_leads_to_a_view(opened):
    shown = opened(sample(24))
    turn_to(shown, "lineage")
    assert shown.locator(".graph .lazy").count() == 24
    shown.locator(".graph .lazy.pending").first.click()
    shown.wait_for_selector(".graph .chosen")
    assert "Pending" in shown.inner_text(".pairs")


def test_a_thousand_views(opened):
    shown = opened(sample(1000), PHONE)
    assert shown.locator(".views tbody tr").count() == 100
    shown.click(".more")
    assert shown.locator(".views tbody tr").count() == 600
    shown.fill("#search", plain_name(777))
    assert shown.locator(".views tbody tr").count() == 1
    for tab in TABS[1:]:
        turn_to(shown, tab)
        assert fits(shown), tab
    turn_to(shown, "lineage")
    assert 1 < shown.locator(".graph g").count() <= 402
    shown.fill("#search", plain_name(777))
    assert plain_name(777) in shown.text_content(".graph .chosen")


def test_a_deep_chain_is_drawn(opened):
    document = sample(300)
    views = [node for node in document["lineage"] if node["kind"] == "lazy_view"]
    for above, node in itertools.pairwise(views):
        node["reads"] = [above["id"]]
    shown = opened(document)
    turn_to(shown, "lineage")
    assert shown.locator(".graph g").count() >= 300


def test_nothing_to_show(opened):
    shown = opened(sample(0))
    for tab in TABS:
        turn_to(shown, tab)
        assert shown.locator("#main .faint").count() == 1


def test_hostile_names_stay_text(opened):
    shown = opened(sample(12, name=lambda number: f"{number}{HOSTILE}"), PHONE)
    for tab in TABS:
        turn_to(shown, tab)
        assert fits(shown), tab
    turn_to(shown, "views")
    shown.locator(".views .link").first.click()
    shown.wait_for_selector(".pairs")
    assert HOSTILE in shown.inner_text("h2")
    assert shown.evaluate("window.hurt") is None
    assert shown.locator("#main img").count() == 0
