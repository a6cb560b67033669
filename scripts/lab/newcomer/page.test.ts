import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../check/command.js';
import { effortOf, stepsOf } from './page.js';

const FENCE = '```';

it('reads commands and files up to a heading', () => {
  const page = [
    `${FENCE}sh`,
    'mkdir a && cd a',
    'npm init',
    FENCE,
    `${FENCE}ts src/a.ts`,
    'const a = 1;',
    '',
    'export { a };',
    FENCE,
    `${FENCE}ts`,
    'not a file',
    FENCE,
    '## Deploy',
    `${FENCE}sh`,
    'deploy',
    FENCE,
  ].join('\n');
  const steps = stepsOf(page, '## Deploy');
  expect(steps).toEqual([
    { kind: 'command', text: 'mkdir a && cd a' },
    { kind: 'command', text: 'npm init' },
    { kind: 'file', name: 'src/a.ts', text: 'const a = 1;\n\nexport { a };\n' },
  ]);
  expect(effortOf(steps)).toEqual({ commands: 3, lines: 2 });
});

it('leads from nothing to a green test in ten commands and forty lines of code', () => {
  const steps = stepsOf(readFileSync(join(ROOT, 'docs', 'start.md'), 'utf8'), '## Deploy');
  const test = steps.findIndex((step) => step.kind === 'command' && step.text.includes('--test'));
  const { commands, lines } = effortOf(steps.slice(0, test + 1));
  expect(test).toBeGreaterThan(0);
  expect(commands).toBeLessThanOrEqual(10);
  expect(lines).toBeLessThanOrEqual(40);
});
