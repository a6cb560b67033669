/** The lint rule of docs/durable.md, by Biome: each line with a comment is reported, and no other line. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';

const PAGE = readFileSync(join(ROOT, 'docs/durable.md'), 'utf8');
const block = (language: string) => new RegExp(`\n\`\`\`${language}\n([\\s\\S]*?)\n\`\`\`\n`).exec(PAGE)?.[1] ?? '';
const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

const HANDLER = `
import { compensate, durable } from '@sallyport/durable';
const started = Date.now();
export const plain = () => [new Date(), Math.random(), process.env.STAGE];
export const order = durable(async (ctx) => {
  const at = Date.now(); // read
  const day = new Date(); // read
  const lucky = Math.random(); // read
  const id = crypto.randomUUID(); // read
  const own = randomUUID(); // read
  const since = performance.now(); // read
  setTimeout(() => {}, 5); // read
  const { body } = await fetch('https://example.com'); // read
  const stage = process.env.STAGE; // read
  const all = ['a'].map(() => Date.now()); // read
  await ctx.map('pages', all, async (page, lane) => {
    const now = Date.now(); // read
    await lane.step('page', () => [page, now, Date.now()]);
  });
  const fixed = [ctx.now(), ctx.newId(), new Date(0), started];
  const paid = await ctx.step('pay', async () => fetch(\`https://example.com/\${Math.random()}\`), { retry: { attempts: 2 } });
  compensate(ctx, 'pay', () => fetch('https://example.com/undo'));
  await ctx.callback('approval', Decision, { submit: async (key) => void (await fetch(key)), timeoutSeconds: 60 });
  await ctx.step('last', () => [at, day, lucky, id, own, since, body, stage, fixed, paid]);
});
`;

it('reports the clock, random values, timers, requests and variables only outside steps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'durable-lint-'));
  try {
    const settings = { ...(JSON.parse(block('json')) as object), linter: { rules: { preset: 'none' } } };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(settings));
    writeFileSync(join(folder, 'durable.grit'), block('grit'));
    writeFileSync(join(folder, 'order.ts'), HANDLER);
    const args = [BIOME, 'lint', '--reporter=github', '--max-diagnostics=none', 'order.ts'];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 600_000 });
    const reported = [...stdout.matchAll(/order\.ts,line=(\d+)/g)].map(([, line]) => Number(line));
    const expected = HANDLER.split('\n').flatMap((line, at) => (line.endsWith('// read') ? [at + 1] : []));
    expect(reported).toEqual(expected);
    expect(status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
