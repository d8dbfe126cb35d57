import { testRunFiles } from "../../testing/run-files.suite.ts";
import { createRunFiles } from "./run-files.ts";

testRunFiles((home) => createRunFiles({ home }));
