import { rmSync } from 'node:fs';
import { projectOf } from '../config/load.js';
import { stateFolderOf } from '../config/state-folder.js';
import type { ReplayResult } from '../console/api.js';
import { usageError } from '../errors.js';
import { cleanText } from '../journal/cleaner.js';
import { recordingIn } from '../recordings/recording-version.js';
import { type Flag, parseArguments } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { readEvent } from './ask.js';
import { replayAsTest } from './replay-as-test.js';
import { findRunning, needRunning } from './running.js';

const JSON_FLAG: Readonly<Record<string, Flag>> = { json: { type: 'boolean', help: 'one JSON object a line' } };

export const TOKEN_FLAGS: Readonly<Record<string, Flag>> = {
  ...JSON_FLAG,
  sub: { type: 'text', help: 'the subject of the token (required)' },
  scope: { type: 'text', multiple: true, help: 'a scope of the token' },
  tenant: { type: 'text', help: 'the tenant of the caller' },
  kind: { type: 'text', help: 'the kind of the caller: external or internal' },
};

/** `sallyport token --sub ada --scope notes:read`: a token of the local issuer. */
export async function token(args: readonly string[], around: Around): Promise<number> {
  const { values, positionals } = parseArguments(args, TOKEN_FLAGS);
  if (positionals.length > 0 || values.sub === undefined)
    throw usageError('name the subject: sallyport token --sub ada --scope notes:read');
  const { sub, scope, tenant, kind } = values;
  const running = await needRunning(stateFolderOf(projectOf(around.cwd)));
  const body = { sub, ...(scope ? { scopes: scope } : {}), ...(tenant ? { tenant } : {}), ...(kind ? { kind } : {}) };
  const answer = (await running.post('/api/token', body)) as { readonly token: string };
  around.out(values.json ? `${JSON.stringify({ type: 'token', token: answer.token })}\n` : `${answer.token}\n`);
  return EXIT.ok;
}

/** Variables that the developer's AWS clients need to reach the local services. */
const FOR_CLIENTS = /^(?:AWS_(?:ENDPOINT_URL\w*|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|REGION)|FRAMEWORK_\w+)$/;

/** `sallyport env`: prints the variables that a shell needs to call the local services: `eval "$(sallyport env)"`. */
export async function env(args: readonly string[], around: Around): Promise<number> {
  const { values } = parseArguments(args, JSON_FLAG);
  const running = await needRunning(stateFolderOf(projectOf(around.cwd)));
  const all = (await running.get('/api/env')) as Readonly<Record<string, string>>;
  const own = Object.fromEntries(
    Object.entries({ AWS_REGION: 'us-east-1', ...all }).filter(([name]) => FOR_CLIENTS.test(name)),
  );
  if (values.json) around.out(`${JSON.stringify({ type: 'env', variables: own })}\n`);
  else
    for (const [name, value] of Object.entries(own)) around.out(`export ${name}='${value.replaceAll("'", `'\\''`)}'\n`);
  return EXIT.ok;
}

/** `sallyport reset`: empties tables, buckets and queues; without a run it removes the files. */
export async function reset(args: readonly string[], around: Around): Promise<number> {
  const { values } = parseArguments(args, JSON_FLAG);
  const stateFolder = stateFolderOf(projectOf(around.cwd));
  const running = await findRunning(stateFolder);
  if (running) await running.post('/api/reset');
  else rmSync(stateFolder, { recursive: true, force: true });
  around.out(
    values.json ? `${JSON.stringify({ type: 'reset', running: running !== undefined })}\n` : 'the state is empty\n',
  );
  return EXIT.ok;
}

export const REPLAY_FLAGS: Readonly<Record<string, Flag>> = {
  ...JSON_FLAG,
  'as-test': { type: 'text', help: 'write a test file from a recording or a failed event, instead of sending it' },
};

/** `sallyport replay <file…>`: sends recordings again, and compares the responses. */
export async function replay(args: readonly string[], around: Around): Promise<number> {
  const { values, positionals } = parseArguments(args, REPLAY_FLAGS);
  if (values['as-test'] !== undefined) return replayAsTest(positionals, String(values['as-test']), around);
  if (positionals.length === 0) throw usageError('name the recordings: sallyport replay .sallyport/recordings/*.json');
  const recordings: (readonly [file: string, recording: unknown])[] = [];
  for (const file of positionals) {
    const recording = await readEvent(file, around);
    recordingIn(recording, file);
    recordings.push([file, recording]);
  }
  const running = await needRunning(stateFolderOf(projectOf(around.cwd)));
  let isSame = true;
  for (const [file, recording] of recordings) {
    const result = cleanText((await running.post('/api/replay', { recording })) as ReplayResult);
    const { outcome, differences } = result;
    isSame &&= outcome.ok && (differences === null || differences.length === 0);
    around.out(
      values.json ? `${JSON.stringify({ type: 'replayed', file, ...result })}\n` : `${file}  ${replayLine(result)}\n`,
    );
  }
  return isSame ? EXIT.ok : EXIT.failed;
}

function replayLine({ outcome, differences }: ReplayResult): string {
  if (!outcome.ok) return `failed: ${outcome.error.errorType}: ${outcome.error.errorMessage}`;
  if (differences === null) return 'ok, no recorded response to compare with';
  return differences.length === 0 ? 'the same response' : `differs: ${differences.join(', ')}`;
}
