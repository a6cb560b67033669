import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOCAL_COMMANDS } from '@sallyport/local/command';

/** The ports of a running `sallyport dev`, by door. */
export interface Running {
  readonly ports: Readonly<Record<string, number>>;
  /** The variables with which the AWS SDK calls the local AWS. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts `sallyport dev` on the service of these tests. */
export async function startDev(
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-client-'));
  cpSync(fileURLToPath(new URL('../service', import.meta.url)), join(folder, 'src'), { recursive: true });
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "@test/shop", "type": "module" }');
  writeFileSync(join(folder, 'sallyport.json'), JSON.stringify({ conditions: ['@sallyport/source'], env }));
  const end = new AbortController();
  let printed = '';
  let start: (ports: Running['ports']) => void;
  let fail: (error: Error) => void;
  const started = new Promise<Running['ports']>((resolve, reject) => {
    start = resolve;
    fail = reject;
  });
  const out = (text: string) => {
    printed += text;
    if (process.env.LOGS) process.stderr.write(text);
    const line = /^\{"type":"started".*\}$/m.exec(printed)?.[0];
    if (line !== undefined) start((JSON.parse(line) as Running).ports);
  };
  const around = { cwd: folder, environment: {}, out, err: out, input: async () => '', signal: end.signal };
  const ended = LOCAL_COMMANDS.dev?.run(['--port', '0', '--no-state', '--json', '--timeout', '55', ...flags], around);
  void ended?.then((code) => fail(new Error(`sallyport dev ended with ${code}: ${printed}`)));
  const ports = await started;
  let listed = '';
  await LOCAL_COMMANDS.env?.run(['--json'], { ...around, out: (text) => (listed += text) });
  const { variables } = JSON.parse(listed) as Running;
  return {
    ports,
    variables,
    stop: async () => {
      end.abort();
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
