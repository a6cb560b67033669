/** The outcome of one test. */
export interface Tested {
  readonly file: string;
  readonly name: string;
  readonly ms: number;
  /** Empty if the test passed. */
  readonly problems: readonly string[];
  readonly skipped?: string;
}

/**
 * The report that build servers read: one suite for each file.
 *
 * @see https://github.com/testmoapp/junitxml
 */
export function toJUnit(tested: readonly Tested[]): string {
  const files = [...new Set(tested.map(({ file }) => file))];
  const suites = files.map((file) =>
    suite(
      file,
      tested.filter((one) => one.file === file),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts(tested)}>\n${suites.join('')}</testsuites>\n`;
}

function suite(file: string, tested: readonly Tested[]): string {
  return `  <testsuite name="${escaped(file)}" ${counts(tested)}>\n${tested.map(testCase).join('')}  </testsuite>\n`;
}

function counts(tested: readonly Tested[]): string {
  const failures = tested.filter(({ problems }) => problems.length > 0).length;
  const skipped = tested.filter((one) => one.skipped !== undefined).length;
  return `tests="${tested.length}" failures="${failures}" skipped="${skipped}" time="${seconds(sum(tested))}"`;
}

const sum = (tested: readonly Tested[]) => tested.reduce((all, { ms }) => all + ms, 0);
const seconds = (ms: number) => (ms / 1000).toFixed(3);

function testCase({ file, name, ms, problems, skipped }: Tested): string {
  const begin = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds(ms)}"`;
  if (skipped !== undefined) return `${begin}>\n      <skipped message="${escaped(skipped)}"/>\n    </testcase>\n`;
  const [first] = problems;
  if (first === undefined) return `${begin}/>\n`;
  return `${begin}>\n      <failure message="${escaped(first)}">${escaped(problems.join('\n'))}</failure>\n    </testcase>\n`;
}

/** XML 1.0 has no form for most control characters: https://www.w3.org/TR/xml/#charsets. */
function escaped(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are not valid in XML.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\u{fffd}')
      .toWellFormed()
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('\n', '&#10;')
  );
}
