import { type FullClock, systemClock } from '@sallyport/core';
import { defineOptions, func, withMethods } from '@sallyport/core/options';
import { ServiceError } from '../services/service.js';
import { ParameterModel, type ParameterValues } from './internal/parameter-model.js';

/** Options of {@link fakeParameters}. */
export interface FakeParametersOptions {
  /** The clock: AppConfig rejects a poll before its interval has passed. Default: the system's clock. */
  readonly clock?: FullClock;
  /** Called before each answer: the environment's `pause`, so that `interleave` can suspend the call there. Default: none. */
  readonly pause?: () => Promise<void>;
}

/** Validators and defaults for {@link FakeParametersOptions}. */
const FAKE_PARAMETERS_OPTIONS = defineOptions<FakeParametersOptions>()({
  clock: withMethods<FullClock>('now', 'after').default(systemClock),
  pause: func<() => Promise<void>>().default(async () => {}),
});

/** One call of a service. */
export interface ParameterCall {
  /** The operation: `GetParameters`. */
  readonly operation: string;
  /** The names that it reads; empty for flags. */
  readonly names: readonly string[];
  /** True if the caller can stop the call. */
  readonly hasSignal: boolean;
}

/** A client that answers from memory; it accepts the commands of the AWS client. */
export interface FakeAwsClient {
  /** Answers one command. */
  send(command: object, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Parameter Store, Secrets Manager and AppConfig in memory. */
export interface FakeParameters extends ParameterValues {
  /** The option `clients` of `createParameters`. */
  readonly clients: {
    readonly ssm: FakeAwsClient;
    readonly secretsManager: FakeAwsClient;
    readonly appConfigData: FakeAwsClient;
  };
  /** The calls, in order. */
  readonly calls: readonly ParameterCall[];
  /** Makes the next call fail with this error. */
  failNext(error: unknown): void;
}

/**
 * Makes the services of `@sallyport/parameters` in memory. AWS limits apply.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const aws = fakeParameters({ clock: env.clock });
 * aws.setParameter('/orders/limit', '5');
 * const { parameter } = createParameters({ clients: aws.clients, clock: env.clock });
 */
export function fakeParameters(options: FakeParametersOptions = {}): FakeParameters {
  const { clock, pause } = FAKE_PARAMETERS_OPTIONS.parse(options);
  const model = new ParameterModel(clock);
  const calls: ParameterCall[] = [];
  const failures: { readonly error: unknown }[] = [];
  const client: FakeAwsClient = {
    async send(command, { abortSignal } = {}) {
      const operation = command.constructor.name.replace(/\d*Command\d*$/, '');
      const { input } = command as { readonly input: Readonly<Record<string, unknown>> };
      calls.push({ operation, names: model.namesOf(input), hasSignal: abortSignal !== undefined });
      await pause();
      abortSignal?.throwIfAborted();
      const failure = failures.shift();
      if (failure) throw failure.error;
      try {
        return model.answer(operation, input);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        throw Object.assign(error, { $metadata: { httpStatusCode: error.status } });
      }
    },
  };
  return {
    clients: { ssm: client, secretsManager: client, appConfigData: client },
    calls,
    setParameter: (...given) => model.setParameter(...given),
    setSecret: (...given) => model.setSecret(...given),
    setFlags: (...given) => model.setFlags(...given),
    remove: (name) => model.remove(name),
    deny: (...given) => model.deny(...given),
    allow: (name) => model.allow(name),
    failNext: (error) => void failures.push({ error }),
  };
}
