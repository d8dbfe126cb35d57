import { testFailures } from "./failures.suite.ts";

testFailures("codex", 4);
