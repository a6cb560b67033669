import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));
const node = promisify(execFile);
const SNAP_START = { AWS_LAMBDA_INITIALIZATION_TYPE: 'snap-start' };

const READ_STACKS =
  'globalThis.Error = class extends Error { constructor(...args) { super(...args); void this.stack; } };';

type Report = Readonly<Record<string, readonly unknown[]>>;

let folder: string;
let reports: readonly [Report, Report];

/** Two processes with the same heap: their differences were drawn after they were restored. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-snapshot-'));
  const entry = join(folder, 'service.cjs');
  const blob = join(folder, 'service.blob');
  await build({
    entryPoints: [join(HERE, 'service.ts')],
    outfile: entry,
    bundle: true,
    platform: 'node',
    // A snapshot's script has no `module`.
    format: 'iife',
    // Node 22 aborts at an error in the heap whose stack was never read.
    banner: { js: READ_STACKS },
    alias: { 'node:diagnostics_channel': join(HERE, 'no-channels.ts') },
    target: 'node20',
    conditions: ['@sallyport/source'],
    external: ['@aws-sdk/*', '@smithy/*'],
    logLevel: 'silent',
  });
  const env = { ...process.env, ...SNAP_START, NODE_OPTIONS: '' };
  await node(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', entry], { env });
  const restore = async () => {
    const { stdout } = await node(process.execPath, ['--snapshot-blob', blob], { env });
    return JSON.parse(stdout) as Report;
  };
  reports = [await restore(), await restore()];
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shared = (name: string) => {
  const [first = [], second = []] = reports.map((report) => report[name]);
  return first.filter((value) => second.includes(value));
};

describe('two environments of one snapshot share none of', () => {
  it.each([
    ['ids of contexts', 8],
    ['ids of requests', 8],
    ['MCP sessions', 8],
    ['MCP streams', 8],
    ['nonces of seals', 8],
    ['owners and ids of leases', 16],
    ['ids of slots', 8],
    ['choices of slots', 1],
    ['waiting times', 1],
    ['owners of idempotency keys', 8],
    ['ids of events', 8],
  ])('the %s', (name, count) => {
    for (const report of reports) {
      expect(new Set(report[name]).size).toBe(count);
      expect(report[name]).not.toContain('');
    }
    expect(shared(name)).toEqual([]);
  });
});

describe('they do share, so that the above means something,', () => {
  it.each(["Node's own ids", "V8's own numbers"])('%s', (name) => {
    expect(shared(name)).toHaveLength(20);
  });
});
