import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import { writePrivateFile } from '../config/state-folder.js';
import { localError } from '../errors.js';
import type { Host } from '../host/host.js';

/** The file by which other commands find a run. */
interface RunFile {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

/** The HTTP API of a run, in this process or in another. */
export interface Running {
  get(path: string): Promise<unknown>;
  post(path: string, body?: unknown): Promise<unknown>;
}

const fileOf = (stateFolder: string) => join(stateFolder, 'run.json');
const ANSWER_MS = 60_000;
const PROBE_MS = 5_000;

/** Writes the addresses and the token of this run to a file that only this user can read. */
export function announce({ config, ports, token }: Host): void {
  const run: RunFile = { pid: process.pid, port: ports.console, token };
  writePrivateFile(fileOf(config.stateFolder), JSON.stringify(run));
}

export function withdraw({ config }: Host): void {
  rmSync(fileOf(config.stateFolder), { force: true });
}

/** The run of a project; `undefined` if none runs, even if the file of a stopped run exists. */
export async function findRunning(stateFolder: string): Promise<Running | undefined> {
  const file = fileOf(stateFolder);
  if (!existsSync(file)) return undefined;
  try {
    const run = JSON.parse(readFileSync(file, 'utf8')) as RunFile;
    const running = connect(run);
    await running.get('/api/state');
    return running;
  } catch {
    return undefined;
  }
}

/** @throws FrameworkError `local.not_running` */
export async function needRunning(stateFolder: string): Promise<Running> {
  const running = await findRunning(stateFolder);
  if (!running)
    throw localError('local.not_running', 'sallyport dev does not run in this project: start it in another terminal');
  return running;
}

function connect({ port, token }: RunFile): Running {
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(path === '/api/state' ? PROBE_MS : ANSWER_MS),
    });
    const answer = (await response.json()) as { readonly error?: { readonly code: string; readonly message: string } };
    if (!response.ok) {
      const { code = 'local.usage', message = `the run answered ${response.status}` } = answer.error ?? {};
      throw new FrameworkError(code, message);
    }
    return answer;
  };
  return { get: (path) => call('GET', path), post: (path, body = {}) => call('POST', path, body) };
}
