import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detect } from '../../packages/dispatch/src/index.js';

/** The source of an event. It is more detailed than the kind: modes with different events or answers are distinguished. */
export type DoorName =
  | 'gateway-v2'
  | 'function-url'
  | 'rest'
  | 'http-api-1.0'
  | 'alb-single'
  | 'alb-multi'
  | 'websocket';

interface Cited {
  readonly words: string;
  /** Keys of the page's sources. */
  readonly sources?: readonly string[];
}

interface Cell extends Cited {
  /** Ids of contract fixtures that test the statement of the cell. */
  readonly fixtures: readonly string[];
}

/** The table of front doors as data: a row for each aspect of a request or an answer, a column for each door. */
export interface DoorPage {
  readonly columns: readonly { readonly title: string; readonly note: string; readonly doors: readonly DoorName[] }[];
  /** One cell for each column. */
  readonly rows: readonly { readonly title: string; readonly cells: readonly Cell[] }[];
  readonly notes: readonly Cited[];
  readonly sources: Readonly<Record<string, { readonly title: string; readonly url: string; readonly says: string }>>;
}

/** Reads the doors of a fixture's events; `undefined` when there is no such fixture. */
export type DoorsOf = (fixture: string) => readonly DoorName[] | undefined;

const FIXTURES = 'contract-fixtures';

/** Reads fixtures from the folder `contract-fixtures` under a root. */
export function fixtureDoors(root: string): DoorsOf {
  return (id) => {
    const file = join(root, FIXTURES, `${id}.json`);
    if (!existsSync(file)) return undefined;
    const { input } = JSON.parse(readFileSync(file, 'utf8')) as { input: { steps: readonly { event?: unknown }[] } };
    return [...new Set(input.steps.flatMap(({ event }) => (event === undefined ? [] : [doorOf(event)])))];
  };
}

function doorOf(event: unknown): DoorName {
  const kind = detect(event);
  const { version, multiValueHeaders } = event as { version?: unknown; multiValueHeaders?: unknown };
  if (kind === 'gateway-v1') return version === '1.0' ? 'http-api-1.0' : 'rest';
  if (kind === 'load-balancer') return multiValueHeaders === undefined ? 'alb-single' : 'alb-multi';
  return kind as DoorName;
}

/** The problems of the data: a missing fixture, a fixture of another door, a door without a fixture, an unknown source. */
export function checkDoorPage(page: DoorPage, doorsOf: DoorsOf): readonly string[] {
  const findings: string[] = [];
  const cited = new Set<string>();
  const cite = (place: string, { sources = [] }: Cited) => {
    for (const source of sources) {
      cited.add(source);
      if (!Object.hasOwn(page.sources, source)) findings.push(`${place}: no source "${source}"`);
    }
  };
  for (const { title, cells } of page.rows) {
    if (cells.length !== page.columns.length) findings.push(`${title}: ${cells.length} cells`);
    for (const [index, column] of page.columns.entries()) {
      const cell = cells[index];
      if (!cell) continue;
      const place = `${title}, ${column.title}`;
      cite(place, cell);
      findings.push(...checkFixtures(place, column.doors, cell.fixtures, doorsOf));
    }
  }
  for (const note of page.notes) cite(`note "${note.words.slice(0, 30)}…"`, note);
  for (const source of Object.keys(page.sources))
    if (!cited.has(source)) findings.push(`source "${source}" is not cited`);
  return findings;
}

function checkFixtures(
  place: string,
  wanted: readonly DoorName[],
  fixtures: readonly string[],
  doorsOf: DoorsOf,
): readonly string[] {
  const findings: string[] = [];
  const seen = new Set<DoorName>();
  for (const id of fixtures) {
    const doors = doorsOf(id);
    if (doors === undefined) findings.push(`${place}: no fixture ${id}`);
    else if (doors.length === 0) findings.push(`${place}: ${id} has no event`);
    for (const door of doors ?? []) {
      seen.add(door);
      if (!wanted.includes(door)) findings.push(`${place}: ${id} is of ${door}`);
    }
  }
  for (const door of wanted) if (!seen.has(door)) findings.push(`${place}: no fixture of ${door}`);
  return findings;
}

const COSTS: readonly string[] = [
  '## Safe by default, and what it costs on AWS',
  '',
  '- An event that only looks like a request (of an authorizer, of an agent) is rejected before any code runs. Forwarding headers are ignored: the',
  "  caller's address is the address that the provider reports.",
  '- An answer that is too large for a door is answered with 413, measured as the service counts it; answers are never truncated silently.',
  '- A front door is billed separately ([API Gateway](https://aws.amazon.com/api-gateway/pricing/)), and each request is an invocation',
  '  ([Lambda](https://docs.aws.amazon.com/whitepapers/latest/how-aws-pricing-works/lambda.html)), even if it is rejected.',
];

/** The page as Markdown. */
export function renderDoorPage(page: DoorPage): string {
  const numbers = new Map(Object.keys(page.sources).map((key, index) => [key, index + 1]));
  const refs = ({ sources = [] }: Cited) => sources.map((key) => ` [[${numbers.get(key)}]](#sources)`).join('');
  const links = ({ fixtures }: Cell) => fixtures.map((id) => `[${id}](../${FIXTURES}/${id}.json)`).join('<br>');
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    '# Front doors compared',
    '',
    '<!-- Made by `npm run docs` from scripts/docs/front-doors-data.ts. -->',
    '',
    'One application can serve five kinds of front doors. Their request and answer formats differ; handlers receive the same',
    'request and return the same response for all of them. Each cell describes the behaviour and names the',
    '[contract fixtures](../contract-fixtures/README.md) that test it; a number links to the source for the behaviour of',
    'AWS.',
    '',
    row(['', ...page.columns.map(({ title }) => title)]),
    row(['---', ...page.columns.map(() => '---')]),
    row(['**door**', ...page.columns.map(({ note }) => note)]),
    ...page.rows.map(({ title, cells }) =>
      row([`**${title}**`, ...cells.map((cell) => `${cell.words}${refs(cell)}<br><sub>${links(cell)}</sub>`)]),
    ),
    '',
    '## Limits that no code can change',
    '',
    ...page.notes.map((note) => `- ${note.words}${refs(note)}`),
    '',
    '## Sources',
    '',
    row(['', 'source', 'statement']),
    row(['---', '---', '---']),
    ...Object.entries(page.sources).map(([key, { title, url, says }]) =>
      row([String(numbers.get(key)), `[${title}](${url})`, says]),
    ),
    '',
    ...COSTS,
    '',
  ].join('\n');
}
