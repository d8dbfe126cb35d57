// Colours the lines of a diff without holding up the page.
// oxlint-disable-next-line import/no-unassigned-import -- the module is the worker
import "@pierre/diffs/worker/worker.js";
