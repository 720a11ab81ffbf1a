"""Chromium without a window, driven by selenium: what it shows of a page, what it asks for, what it complains of."""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from pypdf import PdfReader
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
NO_BROWSER = "there is no Chromium here: install Debian's chromium and chromium-driver"

_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1280,900"),
)


class Browser:
    """One Chromium."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver
        self._log: Callable[[str], list[dict[str, Any]]] = driver.get_log

    def open(self, path: Path, fragment: str = "") -> None:
        """Open the file at *path* anew, and forget what was said before."""
        self.driver.get("about:blank")
        self.complaints()
        self.requests()
        self.driver.get(path.as_uri() + fragment)

    def run(self, script: str, *arguments: Any) -> Any:
        """What *script* returns."""
        return self.driver.execute_script(script, *arguments)

    def tell(self, command: str, **parameters: Any) -> Any:
        """What a command of the DevTools protocol returns."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def complaints(self) -> list[str]:
        """What stands in the console since the last time."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[tuple[str, str | None]]:
        """The addresses that were asked for since the last time, and why one of them was not let through."""
        said = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        failed = {
            one["params"]["requestId"]: one["params"].get("blockedReason")
            for one in said
            if one["method"] == "Network.loadingFailed"
        }
        return [
            (one["params"]["request"]["url"], failed.get(one["params"]["requestId"]))
            for one in said
            if one["method"] == "Network.requestWillBeSent"
        ]

    @contextmanager
    def of_width(self, width_px: int) -> Iterator[None]:
        """As on a screen of *width_px*."""
        self.tell("Emulation.setDeviceMetricsOverride", width=width_px, height=800, deviceScaleFactor=1, mobile=False)
        try:
            yield
        finally:
            self.tell("Emulation.clearDeviceMetricsOverride")

    @contextmanager
    def in_colours(self, scheme: str) -> Iterator[None]:
        """As for a person who prefers *scheme*: `light` or `dark`."""
        self.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        try:
            yield
        finally:
            self.tell("Emulation.setEmulatedMedia", features=[])

    def printed(self) -> list[str]:
        """The text of each sheet of paper."""
        made = self.tell("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return [sheet.extract_text() for sheet in PdfReader(BytesIO(base64.b64decode(made["data"]))).pages]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium with nothing remembered; it goes when the context ends."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = BROWSER or ""
        for option in (*_OPTIONS, f"--user-data-dir={profile}"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        try:
            yield Browser(driver)
        finally:
            driver.quit()
