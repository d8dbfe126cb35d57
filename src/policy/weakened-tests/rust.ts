import type { Ecosystem } from "./ecosystem.ts";

export const rust: Ecosystem = {
  name: "Rust",
  file: /\.rs$/,
  runs: /(?:^|\/)(?:tests\/[^/]+|tests\/[^/]+\/main|(?:src|benches|examples)\/.*)\.rs$/,
  near: /(?:^|\/)(?:tests?|benches)\/|(?:^|\/|_)tests?\.rs$/,
  inSource: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b|#\[cfg\(test\)\]/,
  literal:
    /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|b?r(?<hash>#{0,5})"[^]*?(?:"\k<hash>|$)|"(?:[^"\\]|\\[^])*"?|'(?:[^'\\\n]|\\(?:[nrt0'"\\]|x\w\w|u\{\w{1,6}\}))'/g,
  test: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b[^\]]{0,200}\][^{;]{0,600}?\bfn\s+(?<name>\w+)/g,
  decorator: /^\s*#\[/,
  routine: /\bfn\s+(\w+)\s*(?:<[^>\n]{0,200}>\s*)?\(/g,
  assertion:
    /(?<![\w])(?:\w+::)*(?:debug_|prop_)?assert(?:_\w+)?!\s*[([{]|(?<![\w:])panic!\s*\(|#\[should_panic\b|(?<![\w.])(?:assert|check|expect|verify)_\w+\s*\(/g,
  slight:
    /assert!\((?:!?[\w.]+|.*\.(?:is_some|is_ok|is_err|is_none)\(\)|!.*\.is_empty\(\))(?:,.*)?\)$|assert_ne!|#\[should_panic\]?$/,
  partial: /assert!\((?!.*==).*(?:contains\(|starts_with\(|ends_with\(|[<>]|matches!|any\(|all\()|assert_matches!/,
  table: /#\[case\b|#\[values\b|\bfor\b|rstest|test_case/,
  skip: /#\[(?:cfg_attr\([^\]\n]{0,200},\s*)?ignore\b|#!?\[cfg\((?:[^\]\n]{0,200}\b(?:any\(\s*\)|not\(\s*(?:test|all\(\s*\))\s*\))|never|feature\s*=\s*|all\(\s*test\s*,)/g,
  override:
    /\bmacro_rules!\s*(?:debug_)?assert\w*[^\n]{0,80}|\buse\s+[^;]{1,200}\bas\s+(?:debug_)?assert(?:_eq|_ne)?\s*;/g,
  swallow: [
    {
      open: /(?:^|[;{}])\s*(?:let\s+_\w*\s*=\s*)?(?:\w+::)*catch_unwind\s*\(/gm,
      unless: /^\s*\.(?:unwrap\(|expect\(|is_err|unwrap_err)|^[ \t]*\?/,
    },
  ],
  numbers: [
    {
      trick: "timeout raised",
      pattern: /(?:timeout|deadline|wait)\w*[^\n]{0,200}?\bfrom_(?<unit>\w+)\(\s*(?<n>\d[\d_]*)/gi,
    },
    { trick: "timeout raised", pattern: /#\[(?:\w+::)*timeout\(\s*(?<n>\d[\d_]*)/g },
    {
      trick: "retry added",
      pattern:
        /#\[(?:\w+::)*(?:flaky\w*|retry)\b(?:\([^)\n]{0,200}?(?<n>\d+))?|\b(?:retries|max_retries|attempts)\b\s*[:=(]\s*(?<n>\d+)|\bfor\s+_?\w*(?:attempt|retry|tries)\w*\s+in\s+\d+\s*\.\.=?\s*(?<n>\d+)/g,
      added: 0,
    },
    {
      trick: "expectation loosened",
      pattern: /\.abs\(\)\s*<=?\s*(?<n>[\d.][\d._e-]*)|\b(?:epsilon|max_relative|abs)\s*<?=\s*(?<n>[\d.][\d._e-]*)/g,
    },
  ],
};
