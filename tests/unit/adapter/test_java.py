"""Java is found where it usually stands, and only one that Spark runs on."""

import pytest

from dbt_lazyview.adapter import java


def jdk(folder, version):
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("")
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine whose Javas are those a test puts into `tmp_path / jvm`."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java.shutil, "which", lambda name: None)
    monkeypatch.setattr(java, "_USUAL_FOLDERS", (str(tmp_path / "jvm" / "*"),))
    return tmp_path / "jvm"


def test_java_home_comes_first(machine, tmp_path, monkeypatch):
    jdk(machine / "a", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(jdk(tmp_path / "mine", "21.0.2")))
    assert java.find_java_home() == tmp_path / "mine"


def test_a_java_too_new_or_too_old_is_passed_over(machine, tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(jdk(tmp_path / "mine", "25.0.3")))
    jdk(machine / "a-11", "11.0.2")
    jdk(machine / "b-8", "1.8.0_402")
    jdk(machine / "c-17", "17.0.15")
    assert java.find_java_home() == machine / "c-17"


def test_without_one_the_error_says_what_to_type(machine, monkeypatch):
    monkeypatch.setattr(java.shutil, "which", lambda name: "/bin/brew" if name == "brew" else None)
    with pytest.raises(java.JavaNotFound, match=r"Java 17 or 21.*Type: brew install openjdk@17"):
        java.find_java_home()
