import { testFailures } from "./failures.suite.ts";

testFailures("opencode", 15);
