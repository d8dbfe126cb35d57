import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { fewerGrammars } from "./fewer-grammars.ts";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), fewerGrammars()],
  // The daemon serves this folder, from a checkout and from the package.
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  // The page sends the grammars to the worker.
  worker: { format: "es", plugins: () => [fewerGrammars([])] },
});
