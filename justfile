# What CI runs is what you run. `just` alone lists the recipes.

default:
    @just --list

# Every check and every test, Python and Rust
test: lint
    cargo test --profile quick --quiet --manifest-path kernel/Cargo.toml
    python -m pytest -q -n auto
    just docs

# Formatting, lints, types, and who may import whom
lint:
    ruff format --check .
    ruff check .
    mypy
    lint-imports
    cargo fmt --check --manifest-path kernel/Cargo.toml
    cargo clippy --profile quick --quiet --all-targets --features python --manifest-path kernel/Cargo.toml -- -D warnings

# The site, in docs/_build; links that lead nowhere and pages that nobody names are errors
docs:
    python -m sphinx -q -W --keep-going -b html docs docs/_build

# Put everything in the form that `lint` wants
format:
    ruff format .
    ruff check --fix .
    cargo fmt --manifest-path kernel/Cargo.toml

# Build the kernel again after a change in kernel/
build:
    maturin develop --release

# The speed tables of the README (needs the extra `bench`); `python -m benchmarks` lists all tables
speed *args:
    python -m benchmarks speed {{args}}
