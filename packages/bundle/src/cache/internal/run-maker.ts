import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lambdaFlags } from '../flags.js';
import type { BundleInventory } from '../inventory.js';
import { makerPartsOf, type StartText } from './loader.js';
import type { Sample } from './samples.js';

/** The folder of the programs, from the sources and from the build. */
const CHILD = fileURLToPath(new URL('../../../child/', import.meta.url));

/** The time limit of one sample, in milliseconds. */
const SAMPLE_MS = 2_000;

/** The process that makes a cache. */
export type Maker =
  | { readonly node: string; readonly memory: number }
  | { readonly image: string; readonly memory: number; readonly architecture: 'x64' | 'arm64' };

/** The work of a maker. */
export interface MakerJob {
  /** The folder with `app.js`. Caches are written to it. */
  readonly folder: string;
  readonly text: StartText;
  /** The name of the exported handler. */
  readonly handler: string;
  readonly samples: readonly Sample[];
  readonly environment: Readonly<Record<string, string>>;
  /** The time limit of the process, in seconds. */
  readonly timeout: number;
  /** True if a cache is written, else only the inventory is read. */
  readonly writes: boolean;
  /** The file to load instead of `app.js`, as Node loads it. Not with `writes`. */
  readonly entry?: string;
  /** `all`: variables that are not set have a placeholder. `missing`: loads the entry again with placeholders if it reads such variables. */
  readonly placeholders?: 'all' | 'missing' | undefined;
  /** True if the report has the schemas of the registrations. Only with `entry`. */
  readonly describes?: boolean | 'also' | undefined;
}

/** The report of a run. Only `error` is certain if the process ended early. */
export interface MakerReport {
  readonly error?: string;
  readonly version?: string;
  readonly arch?: string;
  readonly execArgv?: readonly string[];
  readonly inventory?: BundleInventory;
  readonly openapi?: unknown;
  /** The registrations with their schemas. */
  readonly contract?: object;
  /** The registrations if variables that are not set have a placeholder, if the entry reads such variables. */
  readonly withPlaceholders?: BundleInventory;
  /** True if the application loads only with placeholders. */
  readonly onlyWithPlaceholders?: boolean;
  /** The variables that the application reads while it is loaded, and the ones among them that are not set. */
  readonly read?: readonly string[];
  readonly missing?: readonly string[];
  /** The options of the application that determine its deployment. */
  readonly deployment?: unknown;
  /** The variables that `environment()` of `@sallyport/parameters` describes. */
  readonly environment?: unknown;
  /** `json`, or the kind of events whose responses the handler streams. */
  readonly format?: string;
  readonly answers?: readonly { readonly label: string; readonly outcome: string; readonly status?: number }[];
  /** Connections, look-ups and processes that the application tried. */
  readonly refused?: readonly string[];
  readonly cache?: { readonly name: string; readonly bytes: number; readonly sha256: string };
}

/** Runs the maker in a separate process, without the variables of this one. */
export function runMaker(maker: Maker, job: MakerJob): MakerReport {
  const work = mkdtempSync(join(tmpdir(), 'sallyport-start-cache-'));
  try {
    return 'image' in maker ? runInImage(maker, job, work) : runHere(maker, job, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function runHere({ node, memory }: Extract<Maker, { node: string }>, job: MakerJob, work: string): MakerReport {
  const major = majorOf(node);
  if (major === undefined) return { error: `${node} does not start` };
  writeJob(work, job, memory);
  const ended = spawnSync(node, [...lambdaFlags(memory, major), join(CHILD, 'maker.cjs'), join(work, 'job.json')], {
    cwd: work,
    env: { ...variablesOf(memory, work, job), LAMBDA_TASK_ROOT: job.folder },
    ...processOf(job),
  });
  return readReport(work, ended, job);
}

/** Standard output belongs to the application. */
const processOf = ({ timeout }: MakerJob) =>
  ({
    timeout: timeout * 1000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  }) as const satisfies SpawnSyncOptions;

const placesOf = (task: string, work: string) => ({
  LAMBDA_TASK_ROOT: task,
  AWS_LAMBDA_EXEC_WRAPPER: `${work}/wrapper.sh`,
});

/** The name that the CDK uses for the command of a container tool. */
const TOOL = () => process.env.CDK_DOCKER ?? 'docker';

/**
 * Runs the image's own bootstrap, so that flags and binary are the same as in the function: the bootstrap passes the command of the runtime client to
 * `AWS_LAMBDA_EXEC_WRAPPER`, which replaces the client with the maker.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-modify.html#runtime-wrapper
 */
function runInImage(maker: Extract<Maker, { image: string }>, job: MakerJob, work: string): MakerReport {
  const { image, memory, architecture } = maker;
  for (const name of ['maker.cjs', 'no-network.cjs', 'wrapper.sh']) copyFileSync(join(CHILD, name), join(work, name));
  chmodSync(join(work, 'wrapper.sh'), 0o755);
  writeJob(work, job, memory);
  const bootstrap = join(process.env.LAMBDA_RUNTIME_DIR ?? '', 'bootstrap');
  // Inside the image, for example in a stage of a Dockerfile.
  if (existsSync(bootstrap)) {
    const env = { ...variablesOf(memory, work, job), ...placesOf(job.folder, work), PATH: process.env.PATH ?? '' };
    return readReport(work, spawnSync(bootstrap, { ...processOf(job), env }), job);
  }
  const variables = { ...variablesOf(memory, '/tmp', job), ...placesOf('/var/task', '/sallyport') };
  const { uid = 0, gid = 0 } = { uid: process.getuid?.(), gid: process.getgid?.() };
  const ended = spawnSync(
    TOOL(),
    [
      ...['run', '--rm', '--network', 'none', '--user', `${uid}:${gid}`],
      ...['--platform', `linux/${architecture === 'x64' ? 'amd64' : 'arm64'}`],
      ...['--volume', `${job.folder}:/var/task`, '--volume', `${work}:/sallyport`, '--workdir', '/var/task'],
      ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...['--entrypoint', '/var/runtime/bootstrap', image],
    ],
    processOf(job),
  );
  if ((ended.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    return { error: `the container tool "${TOOL()}" is not installed (the variable CDK_DOCKER names another command)` };
  }
  return readReport(work, ended, job);
}

function writeJob(
  work: string,
  { text, handler, samples, writes, entry, placeholders, describes }: MakerJob,
  memory: number,
): void {
  const described = {
    ...makerPartsOf(text),
    handler,
    samples,
    memory,
    writes,
    entry,
    placeholders,
    describes,
    sampleMs: SAMPLE_MS,
  };
  writeFileSync(join(work, 'job.json'), JSON.stringify(described));
}

/** Variables with which an AWS client could reach an account. */
const CREDENTIAL =
  /^AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|PROFILE|CONTAINER_\w+|WEB_IDENTITY_\w+|ROLE_\w+)$/;

/** The variables of Lambda, then the function's own, without credentials. */
function variablesOf(memory: number, home: string, { environment, handler }: MakerJob): Record<string, string> {
  const own = Object.entries(environment).filter(([name]) => !CREDENTIAL.test(name));
  return {
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    HOME: home,
    TMPDIR: home,
    _HANDLER: `index.${handler}`,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9',
    AWS_LAMBDA_FUNCTION_NAME: 'start-cache',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    ...Object.fromEntries(own),
  };
}

function readReport(
  work: string,
  { error, status, signal, stderr }: ReturnType<typeof spawnSync>,
  { timeout }: MakerJob,
): MakerReport {
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT') {
    return { error: `it did not end within ${timeout} s` };
  }
  const file = join(work, 'report.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as MakerReport;
  const [said = ''] = String(stderr ?? '')
    .trim()
    .split('\n')
    .slice(-1);
  return {
    error:
      error?.message ??
      `it ended with ${signal ?? `exit status ${status}`}${said === '' ? '' : `: ${said.slice(0, 300)}`}`,
  };
}

function majorOf(node: string): number | undefined {
  if (node === process.execPath) return Number(process.versions.node.split('.')[0]);
  const { stdout, status } = spawnSync(node, ['--version'], { encoding: 'utf8', env: {} });
  return status === 0 ? Number(/^v(\d+)/.exec(stdout)?.[1]) : undefined;
}
