import { lazily, throwMissing } from '@sallyport/core/internal';
import { defineOptions, text, withMethods } from '@sallyport/core/options';
import { controllerIncomplete, MicrovmError } from '../errors.js';
import { createHttpsTransport } from './https-transport.js';
import { isUnknownOutcome, toProviderError } from './internal/errors.js';
import type { MicrovmDescription, MicrovmProvider, MicrovmSummary, PortScope, RunMicrovmInput } from './provider.js';
import { SecretToken } from './secret-token.js';
import type { MicrovmTransport } from './transport.js';

/** The used part of the AWS client. Its types are not imported, because its package is optional. */
export interface MicrovmSdkClient {
  /** Sends one command; the signal aborts the call. */
  send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<unknown>;
}

/** Options of {@link createAwsMicrovmProvider}. */
export interface AwsMicrovmProviderOptions {
  /** The region. Default: the region of the environment. */
  readonly region?: string;
  /** The client of `@aws-sdk/client-lambda-microvms`. Default: a client with two attempts, created at the first call. */
  readonly client?: MicrovmSdkClient;
  /** Sends requests to the machines. Default: `createHttpsTransport()`. */
  readonly transport?: MicrovmTransport;
}

/** Validators and defaults for {@link AwsMicrovmProviderOptions}. */
export const AWS_PROVIDER_OPTIONS = defineOptions<AwsMicrovmProviderOptions>()(
  {
    region: text('a region'),
    client: withMethods<MicrovmSdkClient>('send'),
    transport: withMethods<MicrovmTransport>('send'),
  },
  { fail: controllerIncomplete },
);

/** Attempts of the default client; it waits for the service's `retry-after` between attempts. */
const MAX_ATTEMPTS = 2;
/** Machines per page of a list: the maximum of the service. */
const PAGE = 50;
/** The name of the header, and of the member with its value in responses of the service. */
const TOKEN_MEMBER = 'X-aws-proxy-auth';

/** In a variable, so that bundlers do not include the package: the Lambda runtime has it, and it is large. */
const PACKAGE = '@aws-sdk/client-lambda-microvms';

type SdkClass = new (input: object) => object;
type Sdk = Readonly<Record<string, SdkClass>>;
type Answer = Readonly<Record<string, unknown>>;

/**
 * Creates a provider for AWS Lambda MicroVMs. The AWS package is an optional peer dependency, imported at the first call.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong option; at the first call FrameworkError `app.missing_package` if the package is not installed
 * @example const provider = createAwsMicrovmProvider({ region: 'eu-west-1' });
 */
export function createAwsMicrovmProvider(options: AwsMicrovmProviderOptions = {}): MicrovmProvider {
  const { region, client, transport = createHttpsTransport() } = AWS_PROVIDER_OPTIONS.parse(options);
  return new AwsProvider({ region, client }, transport);
}

class AwsProvider implements MicrovmProvider {
  readonly transport: MicrovmTransport;
  readonly #options: { readonly region: string | undefined; readonly client: MicrovmSdkClient | undefined };
  readonly #open = lazily(() => this.#load().catch(throwMissing(PACKAGE)));

  constructor(
    options: { readonly region: string | undefined; readonly client: MicrovmSdkClient | undefined },
    transport: MicrovmTransport,
  ) {
    this.#options = options;
    this.transport = transport;
  }

  async run(input: RunMicrovmInput, signal: AbortSignal): Promise<MicrovmDescription> {
    const attempts: unknown[] = [];
    try {
      return toDescription(await this.#send('RunMicrovmCommand', toRunInput(input), signal, attempts));
    } catch (error) {
      // The client retries. After a rejected second attempt, the machine of the first attempt may still be running.
      throw attempts.find((failure) => isUnknownOutcome(toProviderError(failure, 'run'))) ?? error;
    }
  }

  async get(microvmId: string, signal: AbortSignal): Promise<MicrovmDescription> {
    return toDescription(await this.#send('GetMicrovmCommand', { microvmIdentifier: microvmId }, signal));
  }

  async list(imageRef: string, signal: AbortSignal): Promise<readonly MicrovmSummary[]> {
    const machines: MicrovmSummary[] = [];
    let nextToken: unknown;
    do {
      const input = { imageIdentifier: imageRef, maxResults: PAGE, ...(nextToken !== undefined && { nextToken }) };
      const answer = await this.#send('ListMicrovmsCommand', input, signal);
      for (const item of (answer.items ?? []) as readonly Answer[]) machines.push(toSummary(item));
      nextToken = answer.nextToken;
    } while (typeof nextToken === 'string' && nextToken !== '');
    return machines;
  }

  async suspend(microvmId: string, signal: AbortSignal): Promise<void> {
    await this.#send('SuspendMicrovmCommand', { microvmIdentifier: microvmId }, signal);
  }

  async resume(microvmId: string, signal: AbortSignal): Promise<void> {
    await this.#send('ResumeMicrovmCommand', { microvmIdentifier: microvmId }, signal);
  }

  async terminate(microvmId: string, signal: AbortSignal): Promise<void> {
    await this.#send('TerminateMicrovmCommand', { microvmIdentifier: microvmId }, signal);
  }

  async authToken(
    input: { microvmId: string; expirationInMinutes: number; ports: readonly PortScope[] },
    signal: AbortSignal,
  ): Promise<SecretToken> {
    const { microvmId: microvmIdentifier, expirationInMinutes, ports } = input;
    const allowedPorts = ports.map(toPortSpecification);
    const command = { microvmIdentifier, expirationInMinutes, allowedPorts };
    return toToken(await this.#send('CreateMicrovmAuthTokenCommand', command, signal));
  }

  async shellAuthToken(
    { microvmId: microvmIdentifier, expirationInMinutes }: { microvmId: string; expirationInMinutes: number },
    signal: AbortSignal,
  ): Promise<SecretToken> {
    const command = { microvmIdentifier, expirationInMinutes };
    return toToken(await this.#send('CreateMicrovmShellAuthTokenCommand', command, signal));
  }

  /** @param attempts receives the failure of each attempt */
  async #send(name: string, input: object, signal: AbortSignal, attempts?: unknown[]): Promise<Answer> {
    const { sdk, client } = await this.#open();
    const command = new (sdk[name] as SdkClass)(input);
    if (attempts) watchAttempts(command as Watchable, attempts);
    return ((await client.send(command, { abortSignal: signal })) ?? {}) as Answer;
  }

  async #load(): Promise<{ readonly sdk: Sdk; readonly client: MicrovmSdkClient }> {
    const { region, client } = this.#options;
    const sdk = (await import(PACKAGE)) as Sdk;
    const own = () =>
      new (sdk.LambdaMicrovmsClient as SdkClass)({ maxAttempts: MAX_ATTEMPTS, ...(region && { region }) });
    return { sdk, client: client ?? (own() as MicrovmSdkClient) };
  }
}

/** A command of the SDK, whose middlewares at this step run once for each attempt. */
interface Watchable {
  readonly middlewareStack: {
    add(
      middleware: (next: (args: unknown) => Promise<unknown>) => (args: unknown) => Promise<unknown>,
      options: { readonly step: 'deserialize'; readonly priority: 'high'; readonly name: string },
    ): void;
  };
}

function watchAttempts({ middlewareStack }: Watchable, attempts: unknown[]): void {
  const watch = (next: (args: unknown) => Promise<unknown>) => async (args: unknown) => {
    try {
      return await next(args);
    } catch (error) {
      attempts.push(error);
      throw error;
    }
  };
  middlewareStack.add(watch, { step: 'deserialize', priority: 'high', name: 'watchAttempts' });
}

function toRunInput(input: RunMicrovmInput): object {
  const { imageRef, imageVersion, ingressConnectors, egressConnectors, maximumDurationSeconds, ...rest } = input;
  const members = {
    imageIdentifier: imageRef,
    imageVersion,
    ingressNetworkConnectors: ingressConnectors,
    egressNetworkConnectors: egressConnectors,
    maximumDurationInSeconds: maximumDurationSeconds,
    ...rest,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function toPortSpecification(scope: PortScope): object {
  return 'port' in scope ? { port: scope.port } : { range: { startPort: scope.start, endPort: scope.end } };
}

/** Does not check members: the controller validates the responses of every provider. */
function toDescription(answer: Answer): MicrovmDescription {
  const { microvmId, state, endpoint, imageArn, imageVersion, executionRoleArn, startedAt, terminatedAt } = answer;
  return {
    microvmId,
    state,
    endpoint,
    imageRef: imageArn,
    imageVersion,
    maximumDurationSeconds: answer.maximumDurationInSeconds,
    executionRoleArn,
    startedAt,
    terminatedAt,
  } as unknown as MicrovmDescription;
}

function toSummary({ microvmId, state, startedAt }: Answer): MicrovmSummary {
  return { microvmId, state, startedAt } as unknown as MicrovmSummary;
}

function toToken({ authToken }: Answer): SecretToken {
  const value = ((authToken ?? {}) as Answer)[TOKEN_MEMBER];
  if (typeof value === 'string' && value !== '') return new SecretToken(value);
  throw new MicrovmError('microvm.provider_failed', 'service failed', {
    cause: new Error('a response without a token'),
  });
}
