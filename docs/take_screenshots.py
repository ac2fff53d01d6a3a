"""Takes the pictures of the report that the documentation shows: `python -m docs.take_screenshots`."""

import os
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from dbt_lazyview.report.page import page
from tests.report_sample import sample

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FOLDER = Path(__file__).resolve().parent
WIDE, TALL, PHONE = {"width": 1100, "height": 640}, {"width": 1100, "height": 700}, {"width": 390, "height": 760}


def main() -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        report = Path(folder, "report.html")
        report.write_text(page(sample(24)), encoding="utf-8")
        take(browser, report, "report-views", WIDE)
        take(browser, report, "report-lineage", WIDE, "[data-tab=lineage]")
        take(browser, report, "report-view-dark", TALL, ".views .link >> nth=2", "dark")
        take(browser, report, "report-phone", PHONE, "[data-tab=time]")
        browser.close()


def take(browser: Browser, report: Path, name: str, size: dict, click: str = "", scheme: str = "light") -> None:
    shown: Page = browser.new_page(viewport=size, color_scheme=scheme, locale="en-US", timezone_id="UTC")
    shown.goto(report.as_uri())
    if click:
        shown.click(click)
    shown.screenshot(path=FOLDER / f"{name}.png")
    shown.close()


if __name__ == "__main__":
    main()
