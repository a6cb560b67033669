import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../scripts/bundle.js';
import { CASES } from './cases.js';

// Tests the deployed files: the bundle runs in a new folder, without node_modules and without variables.
const PROGRAM = `
import { readFileSync, writeFileSync } from 'node:fs';
const { handler } = await import('./index.mjs');
const answers = [];
for (const event of JSON.parse(readFileSync('events.json', 'utf8'))) {
  answers.push(await handler(event, { awsRequestId: 'test', getRemainingTimeInMillis: () => 10_000 }));
}
writeFileSync('answers.json', JSON.stringify(answers));
`;

const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
let answers: readonly unknown[] = [];

beforeAll(async () => {
  await bundle(folder);
  writeFileSync(join(folder, 'events.json'), JSON.stringify(CASES.map(({ event }) => event)));
  writeFileSync(join(folder, 'run.mjs'), PROGRAM);
  const { status, stderr } = spawnSync(process.execPath, ['run.mjs'], { cwd: folder, env: {}, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  answers = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(CASES.map((one, index) => ({ holds: '', ...one, index })))('the bundle answers $name', (one) => {
  expect(answers[one.index]).toMatchObject(one.answer);
  expect(JSON.stringify(answers[one.index])).toContain(one.holds);
});
