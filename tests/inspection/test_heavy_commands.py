"""Recognition of heavy commands: they are held in shared trees and run one at a time on a host."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.inspection.test_counts.build_commands import builds

pytestmark = pytest.mark.spec("GT-02")

HEAVY = """\
pytest -q
python -m pytest tests/test_a.py
python3 -m unittest discover
uv run pytest
make
make all
make -j4 test
make -C sub build
make clean all
gmake check
ninja -C build
cmake --build build
cmake -S . -B build
ctest --test-dir build
cargo build
cargo build --all && cargo test --all
cd crates/x && cargo build
cargo +nightly check
cargo clippy --all-targets -- -D warnings
cargo --manifest-path a/Cargo.toml build
cargo run
go build ./...
go vet ./...
go vet
go test ./...
go -C sub build .
swift build
swift test
swift --package-path Pkg build
xcodebuild test -scheme MyApp -destination 'platform=macOS'
xcodebuild -scheme MyApp
./gradlew assemble
gradle build
mvn -B -q verify
./mvnw package
sbt compile
npm run build
npm run build && npm test
npm --prefix web run build
pnpm build
yarn build
yarn
bun run build
bun build ./index.ts
npm ci
npm install
pnpm install --frozen-lockfile
npm run typecheck
npm run test:unit
tsc
tsc -p tsconfig.json
npx tsc --noEmit
tsc -b
webpack --mode production
npx vite build
rollup -c
esbuild src/index.ts --bundle
next build
docker build -t x .
docker compose build
docker compose up --build
docker buildx build .
bazel build //...
bazel test //...
dotnet build
dotnet test
python -m build
pip install .
pip install -e '.[dev]'
python -m pip install -r requirements.txt
poetry install
uv sync
python setup.py bdist_wheel
./build.sh
bash scripts/build.sh
scripts/run-tests.sh
./scripts/check.sh
python scripts/build.py
node scripts/build.mjs
node --test
just build
sh -c 'cd x && make'
git diff --quiet && make
echo start; cargo build 2>&1 | tail -5
test -f a || npm test
time make
CI=1 npm test
(cd web && npm run build)
""".splitlines()

LIGHT = """\
test -f README.md
[ -d src ]
grep -q 'cargo build' README.md
grep -rn "npm test" docs | wc -l
ls -la build
cat Makefile
git log --oneline -- build
git status --porcelain
ruff check .
mypy src
pyright
eslint src
python -m py_compile a.py
python -c 'import build'
python -m json.tool package.json
python scripts/report.py
node --check a.js
node -e 'require("./build.js")'
tsc --noEmit --skipLibCheck File.ts
tsc --version
tsc --noEmit src/a.tsx
gofmt -l .
go vet file.go
go version
go mod tidy
go list ./...
swift -frontend -typecheck File.swift
swiftc -parse File.swift
rustc --crate-type lib --emit metadata file.rs
javac -proc:none File.java
gcc -fsyntax-only file.c
cargo fmt --check
cargo --version
cargo metadata --no-deps
cargo build --help
make -n test
make --dry-run
make -nB all
make clean
make lint
make help
ninja -t targets
cmake --version
cmake -E make_directory x
gradle tasks
./gradlew --version
mvn --version
xcodebuild -list
xcodebuild -version
npm run lint
npm --version
npm ls
npm run format
docker ps
docker compose ps
docker run --rm image ls
pip list
pip --version
pytest --version
echo make test
''
"" make
bash -n build.sh
/usr/bin/test -e a
cd build && ls
mkdir -p build && cp a build/
curl -fsS localhost:8000/health
jq .scripts.build package.json

# make test
""".splitlines()


@pytest.mark.parametrize("command", HEAVY)
def test_builds_and_tests_are_heavy(command: str) -> None:
    assert builds(command)


@pytest.mark.parametrize("command", LIGHT)
def test_questions_and_syntax_checks_are_light(command: str) -> None:
    assert not builds(command)


@given(st.text(alphabet="abmake -&|;'\"$(){}<>\\\n/.", max_size=200))
def test_any_text_has_an_answer(text: str) -> None:
    assert builds(text) in (True, False)
    assert builds(f"make all\n{text}")


def test_a_long_command_is_read_in_linear_time() -> None:
    assert builds("make && " * 20_000)
    assert not builds("echo " + "a/b-" * 100_000)
