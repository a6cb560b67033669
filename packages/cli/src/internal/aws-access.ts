import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFrameworkError } from '@sallyport/core';
import { fromJson, isObject } from '@sallyport/core/internal';
import type { Around, Command } from './command.js';
import type { CommandLine } from './command-line.js';
import { cliError, invalidUsage } from './errors.js';
import { createLoad } from './load.js';
import { OWNERS } from './owners.js';

/** Flags of every command that calls AWS. */
export const AWS_FLAGS: Command['flags'] = {
  profile: { type: 'text', help: 'the profile of your AWS configuration' },
  region: { type: 'text', help: 'the region (default: of your AWS configuration)' },
};

/** The settings of every client. Members that are absent come from the configuration of the user. */
export interface ClientSettings {
  readonly region?: string;
  readonly profile?: string;
  readonly endpoint?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly maxAttempts?: number;
}

/** The user's AWS clients. */
export interface AwsAccess {
  readonly settings: ClientSettings;
  /** Loads the package of a client from the project. @throws FrameworkError `cli.client_missing` */
  load<M>(name: string): Promise<M>;
  /**
   * Awaits one call with a deadline.
   *
   * @param timeoutMs default 30,000
   * @throws FrameworkError `cli.signed_out`, `cli.aws_failed`
   */
  call<T>(
    what: string,
    run: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
    timeoutMs?: number,
  ): Promise<T>;
}

const CALL_MS = 30_000;

/**
 * The access of a command: with `--dev` to the services of `sallyport dev`, else to AWS with the configuration of the user.
 *
 * @throws FrameworkError `cli.usage` if `--dev` is passed and no run is found
 */
export async function awsAccess(line: CommandLine, around: Around): Promise<AwsAccess> {
  const variables = line.has('dev') ? await variablesOfRun(around) : around.environment;
  const settings = settingsOf(variables, line);
  return {
    settings,
    load: (name) => loadClient(around.cwd, name),
    async call(what, run, timeoutMs = CALL_MS) {
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        return await run({ abortSignal: deadline });
      } catch (error) {
        throw toCliError(what, error, deadline.aborted ? timeoutMs : undefined);
      }
    },
  };
}

function settingsOf(variables: Around['environment'], line: CommandLine): ClientSettings {
  const { AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = variables;
  const region = line.text('region') ?? variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION;
  const profile = line.text('profile');
  const hasKeys = profile === undefined && AWS_ACCESS_KEY_ID !== undefined && AWS_SECRET_ACCESS_KEY !== undefined;
  return {
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(endpoint !== undefined && { endpoint }),
    ...(hasKeys && {
      credentials: {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
      },
    }),
  };
}

/** Runs a command of `@sallyport/local` with `--json`, and returns the object that it prints. */
export async function runLocal(name: string, around: Around): Promise<Readonly<Record<string, unknown>>> {
  const owner = OWNERS.find((one) => one.package === '@sallyport/local');
  const commands = owner && (await createLoad(around.cwd)(owner));
  const command = commands?.find(({ usage }) => usage.split(' ')[0] === name);
  if (!command) throw invalidUsage('--dev needs @sallyport/local: npm install --save-dev @sallyport/local');
  let printed = '';
  let problem = '';
  const code = await command.run(['--json'], {
    ...around,
    out: (text) => {
      printed += text;
    },
    err: (text) => {
      problem += text;
    },
  });
  const value = fromJson(printed);
  if (code !== 0 || !isObject(value)) throw invalidUsage(problem.replace(/^sallyport: /, '').trim());
  return value as Readonly<Record<string, unknown>>;
}

async function variablesOfRun(around: Around): Promise<Around['environment']> {
  const { variables } = await runLocal('env', around);
  return variables as Around['environment'];
}

async function loadClient<M>(cwd: string, name: string): Promise<M> {
  for (const place of [pathToFileURL(join(cwd, 'package.json')).href, import.meta.url]) {
    let file: string;
    try {
      file = createRequire(place).resolve(name);
    } catch {
      continue;
    }
    return (await import(pathToFileURL(file).href)) as M;
  }
  throw cliError('cli.client_missing', `this command needs ${name}: npm install --save-dev ${name}`);
}

/** Names of errors that AWS and its clients use for credentials that are missing, invalid or expired. */
const SIGNED_OUT =
  /^(?:ExpiredToken|ExpiredTokenException|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|InvalidAccessKeyId|TokenRefreshRequired|CredentialsProviderError|TokenProviderError)$/;

/** An error of a client. The message names the operation and the error, never a token. */
function toCliError(what: string, error: unknown, timeoutMs: number | undefined): unknown {
  if (isFrameworkError(error)) return error;
  const { name = 'Error', message = '' } = error as Partial<Error>;
  if (timeoutMs !== undefined)
    return cliError('cli.aws_failed', `${what}: no response in ${timeoutMs / 1000} s`, error);
  if (SIGNED_OUT.test(name)) {
    return cliError('cli.signed_out', `${what}: ${name}: sign in to AWS, then run the same command again`, error);
  }
  return cliError('cli.aws_failed', `${what}: ${name}: ${message}`, error);
}
