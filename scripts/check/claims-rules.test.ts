import { type Claim, findUnpinned, type Requirements } from './claims-rules.js';

const CLAIM: Claim = { section: 'Limits', claim: 'two MiB', requirements: ['logsub.bounds'] };
const KNOWN = { 'logsub.bounds': { sentence: 'There is a limit.', source: 'spec: Limits' } };

function find(claims: readonly unknown[], known: object = KNOWN): readonly string[] {
  const requirements: Requirements = new Map(Object.entries(known));
  return findUnpinned(claims as readonly Claim[], requirements, (folder) => folder === 'packages/core');
}

it.each([
  ['a claim that a requirement pins', [CLAIM]],
  [
    'a claim that no fixture can pin',
    [CLAIM, { section: 'Limits', claim: 'a name', untestable: 'a name of a language' }],
  ],
])('lets %s pass', (_, claims) => {
  expect(find(claims)).toEqual([]);
});

it.each([
  ['without a requirement', { requirements: undefined }, 'no requirement pins it'],
  ['with an empty list', { requirements: [] }, 'no requirement pins it'],
  ['with a blank reason', { requirements: undefined, untestable: ' ' }, 'no requirement pins it'],
  ['with a requirement and a reason', { untestable: 'because' }, 'pinned and untestable at once'],
  ['with a requirement that is not there', { requirements: ['logsub.gone'] }, 'there is no requirement logsub.gone'],
])('finds a claim %s', (_, change, problem) => {
  expect(find([CLAIM, { ...CLAIM, ...change }])).toEqual([`Limits: two MiB: ${problem}`]);
});

it.each<[string, unknown, string]>([
  ['no source', undefined, 'no source'],
  ['a blank source', ' ', 'no source'],
  ['a source of no known form', 'somebody said so', 'somebody said so is no source'],
  ['a path of another folder', 'spec: Limits; /tmp/rulings.md', '/tmp/rulings.md is no source'],
  ['an address without TLS', 'http://example.com/', 'http://example.com/ is no source'],
  ['the README of a package that is not there', 'README: packages/gone', 'there is no packages/gone'],
])('finds a requirement with %s', (_, source, problem) => {
  expect(find([CLAIM], { 'logsub.bounds': { source } })).toEqual([`logsub.bounds: ${problem}`]);
});

it.each([
  'spec: Authentication 7',
  'ruling: HTTP 15; spec: Request',
  'RFC 9110 section 15.5.2',
  'RFC 8785',
  'https://www.w3.org/TR/trace-context/#traceparent-header',
  'README: packages/core',
])('reads the source %s', (source) => {
  expect(find([CLAIM], { 'logsub.bounds': { source } })).toEqual([]);
});

it('finds a requirement that cites the specification and belongs to no claim', () => {
  const known = { ...KNOWN, 'logsub.other': { source: 'ruling: Batches 1; spec: Limits' } };
  expect(find([CLAIM], known)).toEqual(['logsub.other: cites the specification, and no claim names it']);
});
