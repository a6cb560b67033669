import { ROOT } from '../check/command.js';
import { checkDoorPage, type DoorName, type DoorPage, fixtureDoors, renderDoorPage } from './front-doors.js';

const PAGE: DoorPage = {
  columns: [
    { title: 'v2', note: 'HTTP API', doors: ['gateway-v2'] },
    { title: 'alb', note: 'both modes', doors: ['alb-single', 'alb-multi'] },
  ],
  sources: { guide: { title: 'Guide', url: 'https://docs.example/guide', says: 'so it is' } },
  rows: [
    {
      title: 'path',
      cells: [
        { words: 'decoded', fixtures: ['doors/a'], sources: ['guide'] },
        { words: 'as sent', fixtures: ['doors/b', 'doors/c'] },
      ],
    },
  ],
  notes: [{ words: 'A note.', sources: ['guide'] }],
};

const FIXTURES: Readonly<Record<string, readonly DoorName[]>> = {
  'doors/a': ['gateway-v2'],
  'doors/b': ['alb-single'],
  'doors/c': ['alb-multi'],
  'doors/rest': ['rest'],
  'doors/direct': [],
};
const check = (page: DoorPage) => checkDoorPage(page, (id) => FIXTURES[id]);
const withCells = (v2: string[], alb: string[], sources: string[] = ['guide']): DoorPage => ({
  ...PAGE,
  rows: [
    {
      title: 'path',
      cells: [
        { words: 'decoded', fixtures: v2, sources },
        { words: 'as sent', fixtures: alb },
      ],
    },
  ],
});

it('finds nothing wrong with a page whose fixtures and sources are all there', () => {
  expect(check(PAGE)).toEqual([]);
});

it.each<[string, DoorPage, string[]]>([
  [
    'a fixture that is missing',
    withCells(['doors/a', 'doors/z'], ['doors/b', 'doors/c']),
    ['path, v2: no fixture doors/z'],
  ],
  [
    'a fixture of another door',
    withCells(['doors/a', 'doors/rest'], ['doors/b', 'doors/c']),
    ['path, v2: doors/rest is of rest'],
  ],
  [
    'a fixture without an event',
    withCells(['doors/a', 'doors/direct'], ['doors/b', 'doors/c']),
    ['path, v2: doors/direct has no event'],
  ],
  ['a mode without a fixture', withCells(['doors/a'], ['doors/b']), ['path, alb: no fixture of alb-multi']],
  ['a cell without a fixture', withCells([], ['doors/b', 'doors/c']), ['path, v2: no fixture of gateway-v2']],
  [
    'a source that is not listed',
    withCells(['doors/a'], ['doors/b', 'doors/c'], ['hearsay']),
    ['path, v2: no source "hearsay"'],
  ],
  [
    'a source that nobody cites',
    { ...withCells(['doors/a'], ['doors/b', 'doors/c'], []), notes: [] },
    ['source "guide" is not cited'],
  ],
  [
    'a row with a cell too few',
    { ...PAGE, rows: [{ title: 'path', cells: PAGE.rows[0]?.cells.slice(0, 1) ?? [] }] },
    ['path: 1 cells'],
  ],
])('finds %s', (_name, page, findings) => {
  expect(check(page)).toEqual(findings);
});

it('writes each cell with its words, its fixtures and its sources', () => {
  const lines = renderDoorPage(PAGE).split('\n');
  expect(lines).toContain(
    '| **path** | decoded [[1]](#sources)<br><sub>[doors/a](../contract-fixtures/doors/a.json)</sub> | as sent<br><sub>[doors/b](../contract-fixtures/doors/b.json)<br>[doors/c](../contract-fixtures/doors/c.json)</sub> |',
  );
  expect(lines).toContain('- A note. [[1]](#sources)');
  expect(lines).toContain('| 1 | [Guide](https://docs.example/guide) | so it is |');
});

it.each<[string, readonly DoorName[] | undefined]>([
  ['doors/path-gateway-v2', ['gateway-v2']],
  ['doors/path-function-url', ['function-url']],
  ['doors/path-gateway-v1', ['rest']],
  ['doors/path-http-api-v1', ['http-api-1.0']],
  ['doors/path-load-balancer', ['alb-single']],
  ['doors/request-load-balancer-multi', ['alb-multi']],
  ['sockets/custom-route', ['websocket']],
  ['routes/static-over-parameter', []],
  ['doors/no-such-fixture', undefined],
])('lists the doors of %s: %j', (id, doors) => {
  expect(fixtureDoors(ROOT)(id)).toEqual(doors);
});
