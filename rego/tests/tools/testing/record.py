#!/usr/bin/env python3
"""Records what `opa test` and coverage say of the sets in rego/tests/testing: record.py OPA (needs PyYAML; OPA 1.22)."""

import base64
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

FOLDER = Path(__file__).resolve().parents[2] / "testing"


def opa(folder, *args):
    command = [sys.argv[1], *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def write(case, folder):
    for name, text in case["modules"].items():
        (folder / name).write_text(text)
    names = list(case["modules"])
    if "data" in case:
        (folder / "data.json").write_text(json.dumps(case["data"]))
        names.append("data.json")
    return names, (["--v0-compatible"] if case.get("v0") else [])


def plain(result):
    """Without what differs from run to run, and without the stack."""
    result.pop("duration")
    if "output" in result:
        result["output"] = base64.b64decode(result["output"]).decode()
    error = result.get("error")
    if isinstance(error, list):
        result["error"] = error = error[0]
    if error:
        error.pop("stack_trace", None)
        error.pop("details", None)
    return result


def tests(case, folder):
    names, version = write(case, folder)
    for _ in range(50):
        done = opa(folder, "test", "--format", "json", "--parallel", "1", *version, *names)
        if done.stderr:
            sys.exit(f"{case['name']}: {done.stderr}")
        results = [plain(result) for result in json.loads(done.stdout)]
        results.sort(key=lambda result: (result["location"]["file"], result["location"]["row"], result["location"]["col"]))
        # Of one name in several files, OPA takes any first.
        numbers = [result["name"].partition("#")[2].strip('"]') for result in results if result["name"].startswith("test_x")]
        if case["name"] != "duplicates_over_files_of_a_package" or numbers == ["", "01", ""]:
            return results
    sys.exit(f"{case['name']}: never in order")


def coverage(case, folder):
    names, version = write(case, folder)
    if "query" in case:
        (folder / "in.json").write_text(json.dumps(case["input"]))
        loaded = [part for name in names for part in ("-d", name)]
        done = opa(folder, "eval", "--coverage", "--format", "json", "-i", "in.json", *version, *loaded, case["query"])
        return json.loads(done.stdout)["coverage"]
    done = opa(folder, "test", "--coverage", "--format", "json", *version, *names)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{case['name']}: {done.stdout}{done.stderr}")


def record(name, ask):
    answers = {}
    for case in yaml.safe_load((FOLDER / f"{name}.yaml").read_text()):
        with tempfile.TemporaryDirectory() as folder:
            answers[case["name"]] = ask(case, Path(folder))
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(answer, sort_keys=True, ensure_ascii=False)}" for key, answer in answers.items())
    (FOLDER / f"{name}.json").write_text("{\n" + lines + "\n}\n")


record("sets", tests)
record("coverage", coverage)
