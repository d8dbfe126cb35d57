import path from "node:path";
import { failuresIn, readReport } from "./test-report.ts";

/** More failures than this are not flaky tests. */
const MOST = 3;

/** `node list-failed.ts <report>`: prints the files with failed tests, one per line; nothing if there are too many. */
const report = readReport(process.argv[2] ?? "");
const files = new Set(report === null ? [] : failuresIn(report).map(({ file }) => path.relative(process.cwd(), file)));
if (files.size <= MOST) for (const file of files) console.log(file);
