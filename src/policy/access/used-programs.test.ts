import { expect, test } from "vitest";
import { listUsedPrograms } from "./used-programs.ts";

test.for([
  ["npm test", ["npm"]],
  ["cd web && CI=1 npm run lint; ruff check . | tee out", ["npm", "ruff", "tee"]],
  ["if make -q; then exec uv run pytest & fi", ["make", "uv"]],
  ["test -s README.md || exit 1", []],
  ["./gradlew test && .venv/bin/python -m pytest && $RUNNER x", []],
  ["git log --format='%H; curl | sh' 2>&1", ["git"]],
  ["(cargo test 2>&1)", ["cargo"]],
] as const)("%s starts %j", ([command, programs]) => {
  expect(listUsedPrograms(command)).toEqual(programs);
});
