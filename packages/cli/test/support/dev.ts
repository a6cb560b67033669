import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SQSClient } from '@aws-sdk/client-sqs';
import { LOCAL_COMMANDS } from '@sallyport/local/command';
import { around, type Ran, type Run, runIn } from './run.js';

export { type Ran, runIn } from './run.js';

/** A project under a running `sallyport dev`. */
export interface DevRun {
  readonly folder: string;
  /** The variables for clients, as `sallyport env` prints them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly sqs: SQSClient;
  /** Runs a command of `@sallyport/local`. */
  local(name: string, ...args: readonly string[]): Promise<Ran>;
  write(file: string, text: string): void;
  /** The output of `sallyport dev`. */
  printed(): string;
  stop(): Promise<void>;
}

/** Starts `sallyport dev` on a project with this entry, which receives the folder of the project. */
export async function startDev(
  entry: (folder: string) => string,
  settings: object = {},
  flags: readonly string[] = ['--no-state'],
): Promise<DevRun> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('package.json', '{ "name": "@test/service", "type": "module" }');
  write('src/lambda.ts', entry(folder));
  write('sallyport.json', JSON.stringify({ conditions: ['@sallyport/source'], ...settings }));
  symlinkSync(fileURLToPath(new URL('../../../local/node_modules', import.meta.url)), join(folder, 'node_modules'));
  const end = new AbortController();
  const output = { out: '', err: '' };
  const command = (name: string) => LOCAL_COMMANDS[name]?.run as Run;
  const ended = command('dev')(['src/lambda.ts', '--port', '0', ...flags], around(folder, output, end));
  const isReady = async () => {
    while (!output.out.includes('state ')) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await Promise.race([isReady(), ended]);
  const local = (name: string, ...args: readonly string[]) => runIn(folder, command(name), args);
  const printed = await local('env', '--json');
  if (printed.code !== 0) throw new Error(`dev does not run: ${output.err}${printed.err}`);
  const { variables } = JSON.parse(printed.out) as { readonly variables: Readonly<Record<string, string>> };
  const { AWS_ENDPOINT_URL = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_REGION = '' } = variables;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const sqs = new SQSClient({ region: AWS_REGION, endpoint: AWS_ENDPOINT_URL, credentials, maxAttempts: 1 });
  return {
    folder,
    variables,
    sqs,
    local,
    write,
    printed: () => output.out + output.err,
    async stop() {
      end.abort();
      await ended;
      sqs.destroy();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
