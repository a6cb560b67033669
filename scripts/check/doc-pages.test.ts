import { findInternalMentions, findPageFaults } from './doc-pages.js';

const page = (section: string) => `# A page\n\nText.\n\n## Safe by default, and what it costs on AWS\n\n${section}\n`;
const AWS = '[pricing](https://aws.amazon.com/sqs/pricing/)';

it.each([
  ['both statements and a source', page(`- Nobody is let in.\n- SQS bills requests (${AWS}).`), []],
  [
    'measured costs of a package',
    page('Nobody is let in. One write unit each ([cost](../packages/jobs/README.md#cost)).'),
    [],
  ],
  ['no section', '# A page\n', ['needs the section "Safe by default, and what it costs on AWS" once']],
  [
    'the section twice',
    page(`Safe.${page('Safe.')}`),
    ['needs the section "Safe by default, and what it costs on AWS" once'],
  ],
  ['costs alone', page(`SQS bills requests (${AWS})`), ['does not say what is safe by default']],
  ['no word of costs', page(`Nobody is let in (${AWS}).`), ['does not say what it costs on AWS']],
  [
    'a link that is no source',
    page('Nobody is let in. SQS bills requests ([more](events.md)).'),
    ['has no source for what it costs: a page of AWS, or measured costs of a README'],
  ],
])('%s', (_, text, faults) => {
  expect(findPageFaults(text)).toEqual(faults);
});

it('finds each mention of an internal entry, with its line', () => {
  const text =
    "one\nimport { isObject } from '@sallyport/core/internal';\n`@sallyport/http/internals` @sallyport/http/internal";
  const told = (entry: string) => `${entry} is internal; use a public entry, or move the name to one`;
  expect(findInternalMentions(text)).toEqual([
    `2: ${told('@sallyport/core/internal')}`,
    `3: ${told('@sallyport/http/internal')}`,
  ]);
});
