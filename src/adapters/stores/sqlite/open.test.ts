import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testStore } from "../../../testing/suites/store.suite.ts";
import { SILENT_LOG } from "../../../testing/store/samples.ts";
import { openSqliteStore } from "./open.ts";

testStore("sqlite, in memory", {
  async open() {
    const store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
    return { store, dispose: () => store.close() };
  },
});

testStore("sqlite, in a file", {
  async open() {
    const directory = await mkdtemp(join(tmpdir(), "nightshift-store-"));
    const params = { file: join(directory, "nightshift.db"), log: SILENT_LOG };
    let store = await openSqliteStore(params);
    return {
      store,
      async reopen() {
        await store.close();
        store = await openSqliteStore(params);
        return store;
      },
      async dispose() {
        await store.close();
        await rm(directory, { recursive: true });
      },
    };
  },
});
