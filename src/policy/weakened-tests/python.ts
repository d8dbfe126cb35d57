import type { Ecosystem } from "./ecosystem.ts";

export const python: Ecosystem = {
  name: "Python",
  file: /\.pyi?$/,
  runs: /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests)\.py$/,
  near: /(?:^|\/)(?:tests?|testing|conftest\.py|test_[^/]*\.py|[^/]*_tests?\.py)(?:\/|$)/,
  literal:
    /(?<comment>#[^\n]*)|"""(?:[^"\\]|\\[^]|"(?!""))*(?:"""|$)|'''(?:[^'\\]|\\[^]|'(?!''))*(?:'''|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/g,
  isIndented: true,
  test: /^[ \t]*(?:async[ \t]+)?def[ \t]+(?<name>test\w*)[ \t]*\(/gm,
  decorator: /^\s*@/,
  routine: /^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(/gm,
  assertion:
    /(?<![\w.])assert\b(?!\s*=)|\b(?:self|cls|case|tc)\.(?:assert\w+|fail\w*)\s*\(|\bpytest\.(?:raises|warns|fail)\s*\(|(?<![\w.])(?:assert|expect|verify)_?[a-zA-Z]\w*\s*\(|\.testing\.assert\w+\s*\(|(?<infix>\.assert_\w+\s*\()/g,
  slight:
    /\bis not None\b|assertIsNotNone|assertNotEqual|\.assert_called\(\)|==(?:mock\.)?ANY$|^assert\(?(?:not )?[\w.[\]"]+(?:\([\w.,"]*\))?\)?$|^assert\(? ?(?:bool|callable|hasattr)\(|assertTrue\((?!.*(?:==|[<>]|\bin\b))|assertFalse\((?!.*(?:==|[<>]|\bin\b))|^assert.*!=/,
  partial:
    /approx\(|^assert\b[^=]*\bin\b|isinstance\(|assertIn\b|assertTrue\(.*\bin\b|assertAlmostEqual|assertGreater|assertLess|assertIsInstance|assertRegex|assertCountEqual|pytest\.raises\((?!.*match=)|assertRaises\(|\.(?:startswith|endswith)\(|assert_called_once\(\)|assert_any_call|^assert[^=]*[<>](?!=?=)|allclose|isclose|assert_allclose|issubset|issuperset/,
  table: /\bparametrize\b|\bsubTest\b|^[ \t]*for\b/m,
  skip: /@(?:\w+\.)*mark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b|\bpytestmark\s*=\s*pytest\.mark\.(?:skip|xfail)\w*|\b__test__\s*=\s*False|\bcollect_ignore\w*\s*=|^[ \t]*(?:if|elif|while)\b[^\n]{1,300}:[ \t]*\n(?:[ \t]+@[^\n]*\n)*(?=[ \t]+(?:async[ \t]+)?def[ \t]+test|[ \t]+class[ \t]+Test)/gm,
  override:
    /(?<![\w.])(?:\w+\.)*TestCase\.\w+\s*=(?!=)[^\n]{0,80}|(?<![\w.])pytest\.\w+\s*=(?!=)[^\n]{0,80}|\bsetattr\s*\(\s*(?:\w+\.)*(?:TestCase|pytest)\b|\bsys\.modules\s*\[\s*["'](?:pytest|unittest)\b|\bdef\s+(?:assertEqual|assertTrue|assertFalse|assertRaises|assertIn)\s*\(/g,
  swallow: [
    { open: /^[ \t]*try[ \t]*:/gm, then: /^\s*except\b/, unless: /\braise\b|\bassert|\bfail\b|pytest\.fail/ },
    { open: /^[ \t]*with\s+(?:contextlib\.)?suppress\s*\([^\n]{0,200}:/gm, unless: /(?!)/ },
  ],
  numbers: [
    { trick: "timeout raised", pattern: /timeout\w*\s*[=(]\s*(?<n>\d[\d_.]*)/gi },
    { trick: "retry added", pattern: /\bflaky\b(?:\([^)\n]{0,200}?(?<n>\d+))?/gi, added: 0 },
    { trick: "retry added", pattern: /\b(?:reruns|retries|max_runs)\s*=\s*(?<n>\d+)/gi, added: 1 },
    {
      trick: "expectation loosened",
      pattern: /\b(?:abs|rel|delta|atol|rtol|abs_tol|rel_tol)\s*=\s*(?<n>[\d.][\d.e+-]*)/gi,
    },
    { trick: "expectation loosened", pattern: /\b(?:places|decimal)\s*=\s*(?<n>\d+)/gi, smallerIsWorse: true },
    { trick: "expectation loosened", pattern: /^[ \t]*assert\b[^\n]{0,200}[\w)\]]\s*<=?\s*(?<n>[\d.][\d._e-]*)/gm },
  ],
};
