import type { Ecosystem } from "./ecosystem.ts";

/** Java, Kotlin, Scala and Groovy: JUnit, TestNG, AssertJ, Hamcrest, ScalaTest, munit, Kotest. */
export const jvm: Ecosystem = {
  name: "JVM",
  file: /\.(?:java|kts?|scala|groovy)$/,
  runs: /(?:^|\/)(?:Test[A-Z0-9][^/]*|[^/]*(?:Tests?|TestCase|IT|ITCase|Spec|Specs|Suite|Properties|Check))\.(?:java|kt|scala|groovy)$/,
  near: /(?:^|\/)src\/(?:test|it|integrationTest|testFixtures|androidTest)\/|(?:Tests?|TestCase|IT|Spec|Suite)\.(?:java|kt|scala|groovy)$/,
  literal:
    /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|"""[^]*?(?:"""|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\u?[\w'"\\]{1,5})'/g,
  test: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Theory)\b(?![^{;]{0,600}\bclass\b)[^{;]{0,600}?(?:\bfun\s+|\bdef\s+|\bvoid\s+|[\w>\]]\s+)(?<name>`[^`\n]*`|\w+)\s*\((?=[^;{]{0,600}[{=])|^[ \t]*public\s+void\s+(?<name>test\w*)\s*\(|(?<![\w.])(?:test|it|they|property|ignore|scenario|Scenario|xtest)\s*\(\s*(?=["s])|^[^\n{]{0,300}"\s*(?:taggedAs[^\n{]{0,300})?(?:in|ignore|!|>>)\s*\{/gm,
  decorator: /^\s*@(?!interface)/,
  routine:
    /(?:\bdef\s+|\bfun\s+|\bvoid\s+|\b(?:private|static|public|protected)\s+[\w<>[\], ]{1,100}\s)(\w+)\s*(?:\[[^\]\n]{0,200}\]\s*)?\(/g,
  assertion:
    /(?<![\w.])(?:assert(?:[A-Z]\w*)?|verify(?:[A-Z]\w*)?|intercept|expect[A-Z]\w*|fail)\s*(?:\[[^\]\n]{0,200}\]\s*)?[({]|(?<![\w.])(?:Assertions|Assert|Truth|JSONAssert|BDDMockito|Mockito)\.(?:assert\w*|fail|verify\w*|then)\s*\(|(?<infix>\s(?:should|must|shouldBe|shouldEqual|mustBe|mustEqual|shouldNot|shouldNotBe|shouldHaveSize|shouldContain\w*|shouldThrow)\b(?!\s*["{])|\.(?:andExpect|should)\s*\()|(?<infix>\s(?:shouldBe|shouldEqual|mustBe|mustEqual|shouldNotBe)\s+")|(?<![\w.])assert\s+(?=[\w(!])/g,
  slight:
    /assert(?:NotNull|DoesNotThrow)|assert(?:True|False)?\((?!.*(?:==|equals\(|contains|startsWith|matches|[<>]))|\.(?:isNotNull|isNotEmpty|isNotBlank|isTrue|isFalse|isPresent)\(\)|notNullValue|(?:should|must) ?not be ?(?:null|empty|\(null\))|should(?:Not)?Be (?:defined|null$)|should be ?\(?defined|assert\(.*(?:!=null|\.isDefined|\.nonEmpty|\.isPresent)/,
  partial:
    /assert(?:Throws|NotEquals|NotSame)|\.(?:contains|containsAnyOf|hasSize\w+|isInstanceOf|startsWith|endsWith|isGreaterThan\w*|isLessThan\w*|isCloseTo|isBetween|isNotEqualTo|matches|isIn)\(|containsString|hasItem|greaterThan|lessThan|instanceOf|closeTo|(?:should|must) (?:contain|include|startWith|endWith|fullyMatch)|(?:should|must) be ?[<>a]|atLeast|anyInt|any\(|intercept|assert\w*\(.*(?:contains|startsWith|matches|[<>])/,
  table:
    /ParameterizedTest|ValueSource|CsvSource|MethodSource|\bforAll\b|\bforEvery\b|\.foreach\b|\bTable\s*\(|\bfor\s*\(|\bforEach\b/,
  skip: /@(?:org\.junit\.(?:jupiter\.api\.)?)?(?:Disabled|Ignore|DoNotDiscover)\w*\b|\benabled\s*=\s*false|(?<![\w.])ignore\s*\(\s*(?=")|"\s*ignore\s*\{|\.ignore\b|(?<![\w.])(?:assume|assumeTrue|assumeFalse|cancel|pending|pendingUntilFixed)\b\s*[({]?|\bAssum(?:ptions|e)\.\w+\s*\(|(?<![\w.])x(?:test|it|describe)\s*\(/g,
  swallow: [
    {
      open: /\btry\s*\{/g,
      then: /^\s*catch\b[^{]{0,200}\{/,
      unless: /\bthrow\b|\bassert|\bfail\s*\(|\bshould|\bverify/,
    },
    { open: /(?<![\w.])(?:Try|runCatching)\s*[({]/g, unless: /^\s*\.(?:get|getOrThrow|isFailure|failed)/ },
  ],
  numbers: [
    {
      trick: "timeout raised",
      pattern:
        /(?:timeout|TimeLimit|within|patience|atMost|eventually)\w*[^\n]{0,200}?(?<![\w.])(?<n>\d[\d_]*)L?(?:\s*[.,*]\s*(?<unit>(?:TimeUnit\.)?\w+))?/gi,
    },
    {
      trick: "retry added",
      pattern:
        /@(?:Retry\w*|RepeatedIfExceptionsTest|Flaky\w*|RetryingTest)\b(?:\([^)\n]{0,200}?(?<n>\d+))?|\bextends\s[^\n{]{0,300}\bRetries\b(?<n>)|\bwith\s+Retries\b(?<n>)|\bretryAnalyzer\b(?<n>)|\bwithRetry\b(?<n>)/g,
      added: 0,
    },
    {
      trick: "expectation loosened",
      pattern: /assertEquals\([^\n]{0,200},[^\n]{0,200},\s*(?<n>\d*\.\d+(?:e-?\d+)?)[fd]?\s*\)/gi,
    },
    {
      trick: "expectation loosened",
      pattern: /(?:\+-\s*|within\(|offset\(|closeTo\([^,\n]{1,200},\s*)(?<n>[\d.][\d.e-]*)/gi,
    },
  ],
};
