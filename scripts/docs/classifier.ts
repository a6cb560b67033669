import { isNegative, parsePath } from '../../packages/dispatch/src/internal/compile.js';
import { type DetectionCondition, type DetectionRow, ROWS } from '../../packages/dispatch/src/rows.js';

const HEAD = `// Made from rows.ts by \`npm run docs\`; the gate \`pages\` fails when the two differ. Do not edit.
import { isObject, isText } from '@sallyport/core/internal';
import { isUrlDomain } from '../rows.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The index of the fixed row that matches an event that is not a list; -1 if no row matches. Each name is read by a literal, which the
 * engine can cache.
 */
export function classify(event: Fields): number {`;

/** One alternative of a row, with the index of the row. */
interface Alternative {
  readonly row: number;
  readonly all: readonly DetectionCondition[];
}

/**
 * The code that detects the kind of an event, generated from the rows: alternatives in their order; adjacent alternatives that need the
 * same member of the event share one test.
 */
export function renderClassifier(rows: readonly DetectionRow[] = ROWS): string {
  const groups: { readonly key: string; readonly alternatives: Alternative[] }[] = [];
  rows.forEach(({ anyOf }, row) => {
    for (const all of anyOf) {
      const key = String(parsePath(all.find((condition) => !isNegative(condition))?.path ?? '')[0]);
      if (groups.at(-1)?.key !== key) groups.push({ key, alternatives: [] });
      groups.at(-1)?.alternatives.push({ row, all });
    }
  });
  return [
    HEAD,
    ...groups.map(({ key, alternatives }, index) => groupCode(key, alternatives, index)),
    '  return -1;',
    '}',
    '',
  ].join('\n');
}

function groupCode(key: string, alternatives: readonly Alternative[], index: number): string {
  const names = new Map<string, string>([
    ['', 'event'],
    [key, `m${index}`],
  ]);
  const lines = [
    `  const m${index} = ${member('event', key)};`,
    `  if (m${index} !== undefined && Object.hasOwn(event, ${quoted(key)})) {`,
  ];
  const local = (path: readonly (string | number)[]): string => {
    const known = names.get(path.join('.'));
    if (known !== undefined) return known;
    const parent = local(path.slice(0, -1));
    const step = path.at(-1) ?? '';
    const name = `m${index}${path
      .slice(1)
      .map((part) => `_${String(part).replace(/\W/g, '')}`)
      .join('')}`;
    names.set(path.join('.'), name);
    const fits = typeof step === 'number' ? `Array.isArray(${parent})` : `isObject(${parent})`;
    const read = typeof step === 'number' ? `${parent}[${step}]` : member(`(${parent} as Fields)`, step);
    lines.push(`    const ${name} = ${fits} && Object.hasOwn(${parent}, ${quoted(step)}) ? ${read} : undefined;`);
    return name;
  };
  for (const { row, all } of alternatives) {
    const tests = all.map((condition) => testCode(condition, local));
    lines.push(`    if (${tests.join(' && ')}) return ${row};`);
  }
  return [...lines, '  }'].join('\n');
}

function testCode(
  { path, test, value }: DetectionCondition,
  local: (path: readonly (string | number)[]) => string,
): string {
  const steps = parsePath(path);
  if (test === 'present' || test === 'absent') {
    const owner = local(steps.slice(0, -1));
    const has = `${owner === 'event' ? '' : `isObject(${owner}) && `}Object.hasOwn(${owner}, ${quoted(steps.at(-1) ?? '')})`;
    return test === 'present' ? has : `!(${has})`;
  }
  const name = local(steps);
  switch (test) {
    case 'equals':
      return `${name} === ${quoted(value ?? '')}`;
    case 'string':
      return `typeof ${name} === 'string'`;
    case 'text':
      // Tested first, because most of these members are absent, and then no call is needed.
      return `typeof ${name} === 'string' && isText(${name})`;
    case 'object':
      return `isObject(${name})`;
    case 'url_domain':
      return urlDomain(name);
    case 'not_url_domain':
      return `!(${urlDomain(name)})`;
  }
}

/** Nearly every host name fails the first test, and then no call is needed. */
function urlDomain(name: string): string {
  return `typeof ${name} === 'string' && ${name}.includes('.lambda-url.') && isUrlDomain(${name})`;
}

function member(owner: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${owner}.${name}` : `${owner}[${quoted(name)}]`;
}

function quoted(step: string | number): string {
  return typeof step === 'number' ? String(step) : `'${step}'`;
}
