import type { Ecosystem } from "./ecosystem.ts";

export const go: Ecosystem = {
  name: "Go",
  file: /\.go$/,
  runs: /_test\.go$/,
  near: /_test\.go$|(?:^|\/)(?:testdata|testutil\w*|testing|internal\/test\w*)\//,
  literal: /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|"(?:[^"\\\n]|\\[^])*"?|`[^`]*`?|'(?:[^'\\\n]|\\[^\n])*'/g,
  test: /^func\s+(?<name>(?:Test|Benchmark|Fuzz|Example)(?![a-z])\w*)\s*\(/gm,
  routine: /^func\s+(?:\([^()\n]{0,200}\)\s*)?(\w+)\s*(?:\[[^\]\n]{0,200}\]\s*)?\(/gm,
  assertion:
    /(?<![\w.])(?:t|b|f|tb|tt|c|s|suite|s\.T\(\))\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|(?<![\w.])(?:assert|require|is|qt|td|s\.Require\(\)|suite\.Require\(\)|s\.Assert\(\))\.\w+\s*\(|(?<![\w.])(?:Expect|Eventually|Consistently)\s*\(|(?<![\w.])(?:assert|require|must|check|expect|verify)[A-Z]\w*\s*\(/g,
  conditional: true,
  slight:
    /(?:assert|require|\))\.(?:NotNil|NotEmpty|True|False|NotZero|Error|NotEqual|NotPanics|Condition)f?\((?!.*(?:==|DeepEqual))|^if [\w.()]*(?:==nil|==""|==0)\{|^if!\w+\{|^if len\([\w.]+\)(?:==0|<1)\{|BeNil|BeTrue/,
  partial:
    /\.(?:Contains|NoError|ElementsMatch|Greater\w*|Less\w*|InDelta\w*|InEpsilon\w*|IsType|Implements|Regexp|Subset|WithinDuration|Panics|NotContains)f?\(|^if ?!?strings\.(?:Contains|HasPrefix|HasSuffix)|^if[^{]*[<>]=?[^{]*\{|^if [\w:=.,()" ]*err!=nil\{|ContainElement|ContainSubstring|BeNumerically|HaveOccurred/,
  table: /\brange\b|\bfor\b/,
  skip: /\b(?:t|b|f|tb|s\.T\(\))\.(?:Skip|Skipf|SkipNow)\s*\(|\btesting\.Short\s*\(|^\/\/(?:go:build|\s*\+build)\s+[^\n]*|(?<![\w.])(?:X|P|F)(?:It|Describe|Context|Specify|When)\s*\(/gm,
  swallow: [
    {
      open: /\bdefer\s+func\s*\(\s*\)\s*\{(?=[^}]{0,400}\brecover\s*\(\s*\))/g,
      unless: /\b(?:t|b|f|tb)\.(?:Error|Fatal|Fail)|panic\s*\(|\b(?:assert|require)\./,
    },
  ],
  numbers: [
    {
      trick: "timeout raised",
      pattern:
        /(?:timeout|deadline|eventually|wait|After\()[^\n]{0,200}?(?<![\w.])(?<n>\d[\d_]*)\s*\*\s*time\.(?<unit>\w+)/gi,
    },
    { trick: "timeout raised", pattern: /(?:timeout|deadline)\w*\s*:?=\s*time\.(?<unit>\w+)\s*\*\s*(?<n>\d+)/gi },
    {
      trick: "retry added",
      pattern: /\b(?:retry|retries|attempts|maxRetries|flake)\w*(?:\.\w+)*\s*(?::?=|\(|<|:)\s*(?<n>\d+)/gi,
      added: 2,
    },
    { trick: "retry added", pattern: /\bretry\.(?:Run|Do)\w*\s*\((?<n>)/g, added: 0 },
    {
      trick: "expectation loosened",
      pattern: /\.(?:InDelta|InEpsilon)\w*\([^\n]{0,200},\s*(?<n>[\d.][\d.e+-]*)\s*[,)]/g,
    },
    { trick: "expectation loosened", pattern: /^[ \t]*if\b[^\n{]{0,300}[\w)\]]\s*>=?\s*(?<n>[\d.][\d._e-]*)\s*\{/gm },
  ],
};
