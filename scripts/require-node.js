// Any Node version can read this file. npm puts the Node 24 of node_modules first on PATH, but not if install scripts are
// disabled. An old Node would then fail on TypeScript with a confusing error.
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(
    "Node " +
      process.versions.node +
      " is too old for the tests; the Node 24 that `npm ci` brings along is missing: run `npm rebuild node --ignore-scripts=false`.",
  );
  process.exit(2);
}
