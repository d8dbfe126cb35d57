import type { Ecosystem } from "./ecosystem.ts";

export const javascript: Ecosystem = {
  name: "JavaScript",
  file: /\.(?:[cm]?[jt]sx?|vue|svelte)$/,
  runs: /\.(?:test|spec|e2e|cy|test-d|bench)\.[cm]?[jt]sx?$|(?:^|\/)__tests__\//,
  near: /(?:^|[/.])(?:tests?|specs?|e2e|cypress|__tests__|__mocks__|suite|testing)[/.]/,
  literal:
    /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|`(?:[^`\\]|\\[^])*`?|\/(?<=(?:[(,=:[!&|?{};\n]|return)[ \t]*\/)(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g,
  test: /(?<![\w$.])(?:Deno\.)?(?:[xf]?(?:it|test|specify))(?!\.(?:describe|before|after|use|step|extend|set|info|suite|configure))(?:\.\w+)*\s*[(`]/g,
  routine:
    /(?:\bfunction\s*(?:\*\s*)?|\b(?:const|let|var)\s+)([\w$]+)\s*(?:=\s*(?:async\b\s*)?(?:function\b|\([^()]{0,400}\)\s*(?::[^=\n]{0,200})?=>|\w+\s*=>)|(?=\())/g,
  assertion:
    /(?<![\w$.])(?:expect(?:TypeOf|Type)?|assert(?:\.\w+)*|expect\.(?:assertions|hasAssertions|poll|soft)|(?:assert|expect|verify)[A-Z]\w*)\s*(?:<[^>\n]{0,200}>)?\(|(?<![\w$.])t\.(?:is|not|like|truthy|falsy|true|false|throws\w*|notThrows\w*|deepEqual|notDeepEqual|equal|same|strictSame|ok|notOk|match|regex|fail|snapshot|assert\.\w+)\s*\(|(?<infix>\.(?:should|expect)\b)/g,
  slight:
    /\.(?:toBeDefined|toBeTruthy|toBeFalsy|exist|ok|isOk|exists|isDefined|truthy|falsy|notThrows|doesNotThrow)\b|\.not\.(?:toBeNull|toBeUndefined|toThrow|toBe|toEqual|to)\b|\.to\.be\.(?:ok|not)|^assert\((?![^)]*===?)|(?:toBe|toEqual|toStrictEqual|equal)\(expect\.any(?:thing)?\(/,
  partial:
    /\.(?:toMatchObject|toContain\w*|toMatch|toBeCloseTo|toBeGreaterThan\w*|toBeLessThan\w*|toBeInstanceOf|toHaveProperty|toHaveBeenCalled|toSatisfy|includes?|contains?|match|like|closeTo|above|below|least|most|instanceof|a|an|not)\b\(?|toThrow(?:Error)?\(\)|expect\.(?:any|anything|objectContaining|arrayContaining|stringContaining|stringMatching|closeTo)\(/,
  table: /\.(?:each|for)\b|\bforEach\s*\(|\bfor\s*(?:await\s*)?\(|\.map\s*\(/,
  skip: /(?<![\w$.])(?:it|test|describe|suite|specify|context|bench)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|only|fails|failing|fixme)\b|(?<![\w$.])(?:x|f)(?:it|test|describe|specify|context)\b(?=\s*\()|\b(?:this|t|ctx|context)\.(?:skip|todo)\s*\(|(?<=[{,]\s*)(?:skip|todo|only|fails|expectFailure)\s*:\s*(?!false)|(?:\bif\s*\([^\n{};]{1,300}\)\s*(?:\{\s*)?|&&\s*|\bcase\b[^\n:]{1,100}:\s*)(?=(?:it|test|describe|suite|specify)(?:\.\w+)*\s*\(\s*["'`])/g,
  override:
    /(?<![\w$.])(?:assert|expect|chai)(?:\.\w+)+\s*=(?![=>])[^\n]{0,80}|\bObject\.(?:assign|defineProperty|defineProperties)\s*\(\s*(?:assert|expect)\b|(?<![\w$.])(?:globalThis|global|window)\.(?:expect|assert|test|it|describe)\s*=(?![=>])|\b(?:const|let|var)\s+(?:assert|expect|test|it)\s*=\s*(?:async\s*)?(?:\(|\{|function\b|\w+\s*=>|new\s+Proxy)|\bfunction\s+(?:assert|expect|test|it)\s*\(|\b(?:vi|jest|mock)\.(?:mock|doMock|module)\s*\(\s*(?=["'`](?:node:)?(?:assert|test|vitest|chai|@jest\/globals)\b)|\b(?:vi|jest|mock)\.(?:spyOn|method)\s*\(\s*(?:assert|expect)\b|(?<=[\w$)\]])(?:\.|\[\s*["'`])(?:deepStrictEqual|strictEqual|notStrictEqual|deepEqual|toBe|toEqual|toStrictEqual)(?:["'`]\s*\])?\s*=(?![=>])[^\n]{0,80}|\bimport\s+(?:[^"'`;]{0,200}[{,\s])?(?:assert|expect)\b[^"'`;]{0,200}\bfrom\s*(?=["'`]\.)|\b(?:const|let|var)\s+(?:assert|expect|\{[^=}]{0,200}\b(?:assert|expect)\b[^=}]{0,200}\})\s*=\s*require\s*\(\s*(?=["'`]\.)/g,
  swallow: [
    {
      open: /\btry\s*\{/g,
      then: /^\s*catch\b[^{]{0,200}\{/,
      unless: /\bthrow\b|expect|assert|\bfail\b|\breject|\bdone\s*\(|\bt\.\w+\(/,
    },
    { open: /\.catch\s*\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\{/g, unless: /\S/ },
  ],
  numbers: [
    { trick: "timeout raised", pattern: /timeout\w*["']?\s*[:=(,]\s*(?<n>\d[\d_]*)/gi, added: 5001 },
    { trick: "timeout raised", pattern: /^[ \t]*\}\s*,\s*(?<n>\d[\d_]*)\s*,?\s*\)/gm, added: 5001 },
    { trick: "retry added", pattern: /\b(?:retry|retryTimes|retries)\s*[(:=]\s*(?<n>\d+)/gi, added: 1 },
    { trick: "expectation loosened", pattern: /\.toBeCloseTo\([^,()\n]{1,200},\s*(?<n>\d+)/g, smallerIsWorse: true },
    {
      trick: "expectation loosened",
      pattern: /(?:\.toBeLessThan\w*|\.below|\.most|\.closeTo\([^,()\n]{1,200},)\s*\(?\s*(?<n>[\d._]+)/g,
    },
    {
      trick: "expectation loosened",
      pattern: /(?:\.toBeGreaterThan\w*|\.above|\.least)\(\s*(?<n>[\d._]+)/g,
      smallerIsWorse: true,
    },
  ],
};
