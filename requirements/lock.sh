#!/bin/sh
# Writes the locks beside it, with the uv that is named: requirements/lock.sh .venv/bin/uv
set -eu
uv=$1
cd "$(dirname "$0")/.."

compile() {
    lock=$1
    shift
    "$uv" pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-annotate \
        --constraints constraints.txt --overrides requirements/without-torch.txt \
        --custom-compile-command "make lock" --output-file "requirements/$lock.lock" "$@" >/dev/null
}

echo setuptools | compile build -
compile demo pyproject.toml
# What torch itself needs has hashes all the same.
printf 'networkx\nsympy\n' | compile test pyproject.toml --extra test -
compile team pyproject.toml --extra lake --extra store --extra ray --extra team
# What stands in for an S3 store in tests, and a Postgres server for where the system has none.
printf 'moto[server]\npixeltable-pgserver\n' | compile scale -
