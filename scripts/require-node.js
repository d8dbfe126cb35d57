// Any Node can read this file. npm puts the Node 24 of node_modules first on PATH; where install scripts are switched off
// it is not there, and the TypeScript that follows would end in a riddle.
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(
    "Node " +
      process.versions.node +
      " is too old for the tests; the Node 24 that `npm ci` brings along is missing: run `npm rebuild node --ignore-scripts=false`.",
  );
  process.exit(2);
}
