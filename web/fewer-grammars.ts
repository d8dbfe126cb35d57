import type { Plugin } from "vite";

/** Languages that are coloured in diffs. All others are shown plain, because each grammar is a file of the package. */
const GRAMMARS =
  "angular-html angular-ts astro bash c clojure cmake cpp csharp css csv dart diff docker dockerfile dotenv elixir elm erlang fsharp glsl go graphql groovy haskell hcl html html-derivative ini java javascript json json5 jsonc jsonl jsx julia just kotlin latex less log lua make makefile markdown markdown-vue mdx mermaid nginx nix objective-c objective-cpp ocaml perl php postcss powershell prisma proto python r regex regexp ruby rust sass scala scss shell shellscript shellsession solidity sql svelte swift terraform toml tsx typescript viml vue vue-directives vue-html vue-interpolations vue-sfc-style-variable-injection xml yaml zig zsh".split(
    " ",
  );

const NOTHING = "\0no-grammar";

/** Leaves the other grammars, all themes and the WebAssembly engine of the highlighter out of the page. */
export function fewerGrammars(grammars: readonly string[] = GRAMMARS): Plugin {
  return {
    name: "fewer-grammars",
    enforce: "pre",
    resolveId(id) {
      const grammar = /^@shikijs\/langs\/([\w-]+)$/.exec(id)?.[1];
      const isLeftOut =
        (grammar !== undefined && !grammars.includes(grammar)) ||
        id.startsWith("@shikijs/themes/") ||
        id.startsWith("@pierre/theme/") ||
        id.startsWith("@pierre/highlights") ||
        id === "shiki/wasm" ||
        id === "shiki/engine/oniguruma";
      return isLeftOut ? NOTHING : null;
    },
    load: (id) =>
      id === NOTHING
        ? "export default []; export const LiveTokenizer = null, codeToTokens = null, isSupportedLanguage = () => false, createOnigurumaEngine = null, loaders = {};"
        : null,
  };
}
