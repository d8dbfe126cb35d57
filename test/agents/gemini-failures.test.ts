import { testFailures } from "./failures.suite.ts";

testFailures("gemini", 8);
