import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Flags, loadConfig } from '../../src/internal/config/load.js';
import { type HostOptions, type RunningHost, startHost } from '../../src/internal/host/create-host.js';
import type { InvokeOptions, InvokeOutcome } from '../../src/internal/runtime/invoker.js';

const FUNCTIONS = join(dirname(fileURLToPath(import.meta.url)), '..', 'functions');

/** A separate project in a temporary folder. */
export interface Project {
  readonly folder: string;
  write(file: string, text: string): void;
  remove(): void;
}

export function createProject(files: Readonly<Record<string, string>>): Project {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-local-'));
  const project: Project = {
    folder,
    write(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
  project.write('package.json', '{ "name": "@test/service", "type": "module" }');
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  return project;
}

/** A project whose entry is one of the functions of these tests. */
export function projectOf(name: string): Project {
  const project = createProject({});
  mkdirSync(join(project.folder, 'src'));
  cpSync(join(FUNCTIONS, name), join(project.folder, 'src', 'lambda.mjs'));
  return project;
}

export function start(project: Project, flags: Flags = {}, options: HostOptions = {}): Promise<RunningHost> {
  // A test that is not about the time limit has a limit that a busy machine does not reach.
  const usual = { entry: 'src/lambda.mjs', port: 0, state: false, timeout: 55 };
  const config = loadConfig(project.folder, { ...usual, ...flags });
  return startHost(config, { watch: false, ...options });
}

/** Sends an event as a sender that does not wait. */
export function invoke(
  host: RunningHost,
  event: unknown,
  options: Partial<InvokeOptions> = {},
): Promise<InvokeOutcome> {
  return host.invoker.invoke(event, { origin: { kind: 'test', target: 'test' }, whenBusy: 'refuse', ...options });
}

/** The response of the function, or its error. */
export async function answerOf(
  host: RunningHost,
  event: unknown,
  options: Partial<InvokeOptions> = {},
): Promise<unknown> {
  const outcome = await invoke(host, event, options);
  return outcome.ok ? outcome.answer : { reason: outcome.reason, ...outcome.error };
}
