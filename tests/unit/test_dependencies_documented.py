"""Every package that is installed with this one stands in docs/dependencies.md, with its licence."""

from docs.dependency_licences import PAGE, installed_with


def test_every_dependency_is_listed_with_its_licence():
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    listed = dict(rows[1:])
    assert set(installed_with()) - set(listed) == set()
    assert [name for name, licence in listed.items() if not licence or licence == "see the package"] == []
