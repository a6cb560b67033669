import { findUnplainWords } from './words-rules.js';

// Put together here, so that this file holds none of them.
const PHRASE = `inside ${'of'}`;
const INSIDE = `${PHRASE} a group`;

it.each([
  ['a page', 'a.md', `first\n${INSIDE}\n`, `a.md:2: "${PHRASE}"; write inside, outside`],
  ['a comment', 'a.ts', `const a = 1;\n/** ${INSIDE} */\n`, `a.ts:2: "${PHRASE}"; write inside, outside`],
  ['a comment behind code', 'a.ts', `f(); // ${INSIDE}`, `a.ts:1: "${PHRASE}"; write inside, outside`],
  ['an example', 'a.md', `A code, \`x\` ${'say'}.`, 'a.md:1: ", `x` say"; write for example `x`'],
])('finds a phrase in %s', (_name, file, text, finding) => {
  expect(findUnplainWords(file, text)).toEqual([finding]);
});

it.each([
  ['code', 'a.ts', `const text = '${INSIDE}';`],
  ['a code block of a page', 'a.md', `\`\`\`ts\nf('${INSIDE}');\n\`\`\``],
  ['other words', 'a.md', 'inside a group'],
])('lets %s pass', (_name, file, text) => {
  expect(findUnplainWords(file, text)).toEqual([]);
});
