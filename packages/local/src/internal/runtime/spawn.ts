import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { childFile, lambdaVariables, nodeFlags, runtimeClient } from './variables.js';

/** The service that an environment runs. */
export interface StartOrder {
  /** `file:` URL of the service's module. */
  readonly entry: string;
  /** The folder that is the task root. */
  readonly folder: string;
  readonly handler: string;
  /** Variables that are known only when the service starts. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Options of the process of an environment. */
export interface ProcessInit {
  readonly id: string;
  readonly config: Config;
  readonly nodeMajor: number;
  /** Variables in addition to Lambda's. */
  readonly variables: Readonly<Record<string, string>>;
  /** `file:` URLs that are imported before the service. */
  readonly preload: readonly string[];
  /** Modules of Node that the service needs; a standby loads them in advance. */
  readonly modules: readonly string[];
  /** `undefined` for a standby: it receives its order later. */
  readonly order?: StartOrder;
}

/** The address and the secret of a process's Runtime API. */
export interface ApiAddress {
  /** Host and port. */
  readonly address: string;
  /** The secret of the shim. */
  readonly key: string;
}

/** The temporary folder of an environment; it is removed with the environment. */
export const temporaryFolder = ({ config, id }: Pick<ProcessInit, 'config' | 'id'>): string =>
  join(config.stateFolder, 'tmp', id);

/**
 * Starts a process with AWS's runtime client. Descriptor 3 carries log messages, 4 orders and questions to the process, 5 messages of
 * `gate.mjs` and the shim.
 *
 * @param api the Runtime API of the process
 */
export function spawnEnvironment(init: ProcessInit, { address: api, key }: ApiAddress): ChildProcess {
  const { config, nodeMajor, preload, modules, order, variables, id } = init;
  const temporary = temporaryFolder(init);
  mkdirSync(temporary, { recursive: true });
  const compiled = join(config.stateFolder, 'compiled');
  const taskRoot = order?.folder ?? config.folder;
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
  const handler = `${childFile('gate')}.${config.handler}`;
  const flags = [
    ...nodeFlags(config.memoryMb, nodeMajor),
    ...(config.inspect === undefined ? [] : [`--inspect=127.0.0.1:${config.inspect}`]),
    ...['guard.cjs', 'shim.cjs', 'writes.cjs'].flatMap((name) => ['--require', childFile(name)]),
  ];
  return spawn(config.node, [...flags, runtimeClient(), handler], {
    cwd: taskRoot,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: {
      ...lambdaVariables(config, { api, taskRoot, temporary, logStream: `${day}/[$LATEST]${id}`, nodeMajor }),
      ...variables,
      SALLYPORT_LOCAL_KEY: key,
      SALLYPORT_LOCAL_AWS: config.aws.join(','),
      SALLYPORT_LOCAL_GATE: JSON.stringify({
        preload,
        ...(order ? { start: order } : { standby: { modules, compiled } }),
      }),
      _HANDLER: handler,
    },
  });
}
