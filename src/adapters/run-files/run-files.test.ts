import { testRunFiles } from "../../testing/suites/run-files.suite.ts";
import { createRunFiles } from "./run-files.ts";

testRunFiles((home) => createRunFiles({ home }));
