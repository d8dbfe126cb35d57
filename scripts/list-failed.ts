import path from "node:path";
import { failuresIn, readReport } from "./test-report.ts";

/** More than these are no accident. */
const MOST = 3;

/** `node list-failed.ts <report>`: the files with a failed test, one a line; none where there are many. */
const report = readReport(process.argv[2] ?? "");
const files = new Set(report === null ? [] : failuresIn(report).map(({ file }) => path.relative(process.cwd(), file)));
if (files.size <= MOST) for (const file of files) console.log(file);
