import { parseArgs } from 'node:util';
import { didYouMean } from '@sallyport/core/internal';
import { FILE_KINDS } from '../config/file.js';
import type { Flags } from '../config/load.js';
import { usageError } from '../errors.js';

/** One flag of the command line. */
export interface Flag {
  /** The type of the value; a `boolean` flag has no value. */
  readonly type: 'boolean' | 'text' | 'number';
  /** True if the flag accepts several values. */
  readonly multiple?: true;
  /** The member of {@link Flags} that it sets. If absent, the command reads the flag itself. */
  readonly sets?: keyof Flags;
  /** A clause for the help. */
  readonly help: string;
}

const text = (help: string, sets?: keyof Flags): Flag => ({ type: 'text', help, ...(sets ? { sets } : {}) });
const number = (help: string, sets?: keyof Flags): Flag => ({ type: 'number', help, ...(sets ? { sets } : {}) });
const boolean = (help: string, sets?: keyof Flags): Flag => ({ type: 'boolean', help, ...(sets ? { sets } : {}) });

/** Flags of every command that runs the function. */
export const RUN_FLAGS: Readonly<Record<string, Flag>> = {
  handler: text('the name of the exported handler (default handler)', 'handler'),
  timeout: number('timeout in seconds, 0.1 to 900 (default: of the CDK manifest, else 10)', 'timeout'),
  memory: number('memory in MB, 128 to 10240 (default: of the CDK manifest, else 256)', 'memory'),
  node: text('the Node.js executable that runs the function (default: the current one)', 'node'),
  concurrency: number(
    'maximum number of execution environments; further calls fail (default: 10, and further calls wait)',
    'concurrency',
  ),
  'managed-instances': number(
    'workers of a Lambda Managed Instance, each with several concurrent events',
    'managedInstances',
  ),
  durable: number('make the function durable: maximum seconds of an execution, at most 31,622,400', 'durable'),
  bundle: boolean('build and start as for a deployment', 'bundle'),
  'env-file': text('file with environment variables of the function (default .env.local)', 'envFile'),
  env: { ...text('NAME=value: an environment variable of the function'), multiple: true },
  pass: { ...text('the name of a variable of this shell to pass to the function', 'pass'), multiple: true },
  aws: { ...text('an AWS service that the function may call, with your credentials', 'aws'), multiple: true },
  json: boolean('print one JSON object per line', 'json'),
};

/** Flags of `dev` alone. */
export const DEV_FLAGS: Readonly<Record<string, Flag>> = {
  ...RUN_FLAGS,
  port: number('the first of ten ports (default 4700)', 'port'),
  inspect: number('port of the debugger: one environment, no timeout, no freezing', 'inspect'),
  'no-freeze': boolean('do not freeze environments between invocations'),
  'no-state': boolean('do not start DynamoDB and S3'),
  'no-types': boolean('do not check types'),
  manifest: text('the manifest that the CDK constructs wrote (default cdk.out/sallyport.json)', 'manifest'),
  template: text('the SAM template, or the JSON of a Terraform plan, with the deployed settings', 'template'),
  all: boolean('run all functions of the template, plan or manifest, each from its first event', 'all'),
  strict: boolean('a result that would differ on AWS is a failure', 'strict'),
  authorizer: text('jwt, iam or lambda:<export>: the authorizer of the HTTP doors', 'authorizer'),
  'websocket-authorizer': text('lambda:<export>: the authorizer of the WebSocket API', 'webSocketAuthorizer'),
  'graphql-authorizer': text('lambda:<export>: the authorizer of the GraphQL API', 'graphqlAuthorizer'),
  'multi-value-headers': boolean('enable multi-value headers of the load balancer', 'multiValueHeaders'),
  'rest-stream': boolean('stream the responses of the REST API', 'restStream'),
  schema: text('the GraphQL schema (default schema.graphql)', 'schema'),
  'graphql-direct': boolean('run direct Lambda resolvers, without a response function', 'graphqlDirect'),
  'allow-host': {
    ...text('another host name that the doors accept, and whose pages may call them', 'allowHosts'),
    multiple: true,
  },
  speed: number('factor by which the clock of queues, streams and schedules runs faster (default 1)', 'speed'),
  open: boolean('open the console in the browser', 'open'),
  editor: text(
    'the editor that opens a frame from the console: code, cursor, zed, subl, idea (default $EDITOR)',
    'editor',
  ),
  logs: boolean('print the log lines of each invocation'),
  quiet: boolean('print only the address', 'quiet'),
  reveal: boolean('do not sanitize values in the console', 'reveal'),
  check: boolean('start, check that the console responds, and exit'),
};

/** A parsed command line. */
export interface Parsed {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/**
 * Parses the arguments after the name of a command.
 *
 * @throws FrameworkError `local.usage`, with the nearest flag for an unknown one
 */
export function parseArguments(args: readonly string[], flags: Readonly<Record<string, Flag>>): Parsed {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, multiple = false }]) => [
      name,
      { type: type === 'boolean' ? ('boolean' as const) : ('string' as const), multiple },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const positionals: string[] = [];
  const values: Record<string, string | number | boolean | string[]> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (!flag) throw usageError(`unknown flag ${token.rawName}${didYouMean(token.name, Object.keys(flags))}`);
    const value = readValue(token.rawName, flag, token.value);
    if (flag.multiple) values[token.name] = [...((values[token.name] as string[] | undefined) ?? []), value as string];
    else if (token.name in values) throw usageError(`${token.rawName} must not be repeated`);
    else values[token.name] = value;
  }
  return { positionals, values };
}

function readValue(name: string, { type }: Flag, value: string | undefined): string | number | boolean {
  if (type === 'boolean') {
    if (value !== undefined) throw usageError(`${name} does not accept a value`);
    return true;
  }
  if (value === undefined || value === '') throw usageError(`${name} requires a value`);
  if (type === 'text') return value;
  const parsed = Number(value);
  if (!Number.isFinite(parsed)) throw usageError(`${name} must be a number (got "${value}")`);
  return parsed;
}

/**
 * The settings of a command line.
 *
 * @throws FrameworkError `local.usage` for a value that `sallyport.json` would reject too
 */
export function toFlags({ values, positionals }: Parsed, flags: Readonly<Record<string, Flag>>): Flags {
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const { sets } = flags[name] as Flag;
    if (sets) set[sets] = checked(sets, `--${name}`, value);
  }
  if (values.env) set.env = Object.fromEntries((values.env as readonly string[]).map(toVariable));
  if (values['no-freeze']) set.freeze = false;
  if (values['no-state']) set.state = false;
  if (typeof set.aws === 'object') set.aws = (set.aws as string[]).flatMap((names) => names.split(','));
  const [entry, ...surplus] = positionals;
  if (surplus.length > 0) throw usageError(`name one entry file (got ${positionals.join(' ')})`);
  return { ...set, ...(entry === undefined ? {} : { entry }) } as Flags;
}

function checked(key: keyof Flags, flag: string, value: unknown): unknown {
  if (key === 'port' || key === 'inspect') {
    const isPort = Number.isInteger(value) && (value as number) >= 0 && (value as number) < 65_526;
    if (!isPort) throw usageError(`${flag} must be a port from 0 to 65525 (got "${String(value)}")`);
    return value;
  }
  if (!Object.hasOwn(FILE_KINDS, key)) return value;
  const kind = FILE_KINDS[key as keyof typeof FILE_KINDS];
  const fail = (problem: string) => usageError(problem.replace(/^option "[^"]*"/, flag));
  return kind.read(value as never, { name: key, environment: {}, fail });
}

function toVariable(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw usageError(`--env must be NAME=value (got "${pair}")`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}
