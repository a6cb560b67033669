import { PATTERNS } from './patterns.js';
import { REWRITES } from './rewrites.js';
import { findPhrases, judge } from './words.js';

const phrasesOf = (file: string, text: string) => findPhrases(file, text).map(({ phrase }) => phrase);
const placeOf = (sentence: string, places: readonly string[] = ['page']) =>
  places.includes('page')
    ? ['a.md', sentence]
    : places.includes('comment')
      ? ['a.ts', `/** ${sentence} */`]
      : ['packages/a/src/a.ts', `f(${JSON.stringify(sentence)})`];

it('has at least 60 patterns', () => {
  expect(PATTERNS.length).toBeGreaterThanOrEqual(60);
});

it.each(PATTERNS.map((pattern) => [pattern.bad, pattern] as const))('finds: %s', (bad, pattern) => {
  const [file = '', text = ''] = placeOf(bad, pattern.places);
  expect(findPhrases(file, text).filter((finding) => finding.pattern === pattern)).not.toEqual([]);
});

it.each(PATTERNS.map(({ good, ...pattern }) => [good, pattern] as const))(
  'does not find: %s',
  (good, { find, places }) => {
    const [file = '', text = ''] = placeOf(good, places);
    expect(findPhrases(file, text).filter(({ pattern }) => pattern.find === find)).toEqual([]);
  },
);

it.each(REWRITES)('finds %s', (before) => {
  expect(phrasesOf('a.md', before)).not.toEqual([]);
});

it.each(REWRITES.map(([, after]) => after))('accepts %s', (after) => {
  expect(phrasesOf('a.md', after)).toEqual([]);
});

// Built here, because this file must not contain the phrase in a comment.
const PHRASE = `inside ${'of'}`;

it.each([
  ['a page', 'a.md', `first\n${PHRASE} a group\n`, 2],
  ['a phrase over two lines of a page', 'a.md', 'first inside\nof a group\n', 1],
  ['a table cell', 'a.md', `| a | b |\n| - | - |\n| c | ${PHRASE} |\n`, 3],
  ['a doc comment', 'a.ts', `const a = 1;\n/** ${PHRASE} a group */\n`, 2],
  ['a phrase over two lines of a comment', 'a.ts', '/**\n * a group, inside\n * of b\n */\nf();', 2],
  ['line comments', 'a.ts', 'f();\n// a group, inside\n// of b\n', 2],
  ['a comment after code', 'a.ts', `f(); // ${PHRASE}`, 1],
  ['a message', 'packages/a/src/a.ts', `\nthrow new Error('not ${PHRASE} a group');`, 2],
  ['a template', 'packages/a/src/a.ts', `const a = \`\${name} is ${PHRASE} a group\`;`, 1],
  ['the title of a test', 'packages/a/test/a.test.ts', `\nit('is ${PHRASE} a group', () => {});`, 2],
  ['the title of a table', 'scripts/a.test.ts', `it.each<[string]>([['a']])('%s ${PHRASE} a group', () => {});`, 1],
  ['the title of a group', 'scripts/a.test.ts', `describe.each(ALL)(\`\${name} ${PHRASE} a group\`, () => {});`, 1],
  ['text of the console', 'packages/local/console/a.tsx', `const a = <p>${PHRASE} a group</p>;`, 1],
])('finds a phrase in %s', (_name, file, text, line) => {
  expect(findPhrases(file, text)).toMatchObject([{ file, line, phrase: PHRASE }]);
});

it.each([
  ['code', 'a.ts', `const ${'text'} = ['${PHRASE}'];`],
  ['a code block of a page', 'a.md', `\`\`\`ts\nf('${PHRASE}');\n\`\`\``],
  ['a code span', 'a.md', `Pass \`${PHRASE}\`.`],
  ['the heading of a table', 'a.md', `| ${PHRASE} | b |\n| --- | --- |\n`],
  ['a quotation', 'a.md', `AWS writes “${PHRASE} a group”.`],
  ['an example', 'a.ts', `/**\n * A group.\n *\n * @example f('${PHRASE} a group');\n */`],
  ['the address of a link', 'a.md', `[a](https://example.com/${PHRASE.replace(' ', '%20')})`],
  ['an import', 'packages/a/src/a.ts', `import '${PHRASE} a';`],
])('does not read %s', (_name, file, text) => {
  expect(findPhrases(file, text)).toEqual([]);
});

it('names file, line, phrase and the usual words', () => {
  expect(judge(findPhrases('a.md', `\n${PHRASE} a group`), [])).toEqual(['a.md:2: "inside of"; write inside, outside']);
});

it('accepts an exception, and finds one that nothing needs', () => {
  const exception = { file: 'a.md', phrase: PHRASE, reason: 'a title' };
  expect(judge(findPhrases('a.md', PHRASE), [exception])).toEqual([]);
  expect(judge([], [exception])).toEqual(['a.md: "inside of" is not there any more; remove its exception']);
});
