import type { StandardSchema } from '@sallyport/core';
import type { Secret } from './secret.js';

/** A validator of Standard Schema: zod, valibot, arktype and others. */
export type ValueSchema<Output> = StandardSchema<unknown, Output> | StandardSchema<never, Output>;

/** The name or the ARN of a value, or the variable that has it: the props `parameters` and `secrets` of the constructs set such variables. */
export type ValueName = string | { readonly variable: string };

/** The signal of a reader: a context, or any object with a signal. */
export interface ReadScope {
  /** Ends the wait; a call that no reader waits for is stopped. */
  readonly signal?: AbortSignal;
}

/** Reads one value. */
export interface ValueReader<T> {
  /**
   * The value, from the cache or from AWS.
   *
   * @param scope the context of the invocation, whose signal ends the wait
   * @throws ParametersError if there is no value yet and it cannot be read; the reason of the signal
   */
  get(scope?: ReadScope): Promise<T>;
  /** Reads the value again, at most once a second, for example after a service rejected a rotated credential. If the call fails: the last good value. */
  refresh(scope?: ReadScope): Promise<T>;
}

/** A feature flag: its state, and its attributes. */
export interface Flag {
  /** True if the flag is on. */
  readonly enabled: boolean;
  readonly [attribute: string]: unknown;
}

/** Values by which AppConfig Agent selects a variant: `{ tenant: ctx.tenantId }`. */
export type FlagContext = Readonly<Record<string, string>>;

/** Reads one feature flag. */
export interface FlagReader<T> {
  /**
   * The flag with its attributes.
   *
   * @param scope the context of the invocation, whose signal ends the wait
   * @param context selects a variant, if the flag has variants
   * @throws ParametersError `parameters.agent_required` for a flag with variants on a function without AppConfig Agent
   */
  get(scope?: ReadScope, context?: FlagContext): Promise<T>;
  /** True if the flag is on. */
  isOn(scope?: ReadScope, context?: FlagContext): Promise<boolean>;
}

/** A profile of AppConfig, by names or ids. */
export interface FlagsProfile {
  /** Name or id of the application. */
  readonly application: string;
  /** Name or id of the environment. */
  readonly environment: string;
  /** Name or id of the configuration profile, of the type `AWS.AppConfig.FeatureFlags`. */
  readonly profile: string;
}

/** Options of a parameter. */
export interface ParameterOptions {
  /** True if the value is a `SecureString`, so that readers return a {@link Secret}. */
  readonly secret?: boolean;
  /** True if the value is JSON: the schema receives the parsed value. Default `false`. */
  readonly json?: boolean;
}

/** Options of a secret. */
export interface SecretOptions {
  /** True if the value is JSON: the schema receives the parsed value. Default `false`. */
  readonly json?: boolean;
  /** True if {@link Secret.previous} has the value before the last rotation, which costs one call for each rotation. Default `false`. */
  readonly previous?: boolean;
}

/** The values of a service. */
export interface Parameters {
  /**
   * A parameter of Systems Manager. It is read with all other parameters of this object, 10 in each call.
   *
   * @throws FrameworkError `app.invalid_configuration` for an invalid name or schema
   * @example const limit = parameter('/orders/limit', z.coerce.number());
   */
  parameter(name: ValueName): ValueReader<string>;
  parameter<T = string>(
    name: ValueName,
    schema: ValueSchema<T> | undefined,
    options: ParameterOptions & { readonly secret: true },
  ): ValueReader<Secret<T>>;
  parameter<T>(name: ValueName, schema: ValueSchema<T>, options?: ParameterOptions): ValueReader<T>;
  /**
   * A secret of Secrets Manager. It is read with all other secrets of this object, 20 in each call.
   *
   * @throws FrameworkError `app.invalid_configuration` for an invalid name or schema
   * @example const database = secret('orders/database', z.object({ password: z.string() }), { json: true });
   */
  secret(name: ValueName): ValueReader<Secret>;
  secret<T = string>(
    name: ValueName,
    schema: ValueSchema<T> | undefined,
    options?: SecretOptions,
  ): ValueReader<Secret<T>>;
  /**
   * A feature flag of AppConfig. One call reads all flags of the profile.
   *
   * @throws FrameworkError `app.invalid_configuration` for an invalid name or schema
   * @example const checkout = flag('new-checkout');
   */
  flag(name: string): FlagReader<Flag>;
  flag<T>(name: string, schema: ValueSchema<T>): FlagReader<T>;
  /**
   * Reads all values, for the init phase: a value that is missing or does not fit its schema then fails the deployment and not a request.
   *
   * @throws ParametersError one error that names every value that could not be read
   * @example await values.ready();
   */
  ready(scope?: ReadScope): Promise<void>;
}
