import { type FullClock, systemClock } from '@sallyport/core';
import { defineOptions, object, withMethods } from '@sallyport/core/options';
import { ParameterModel, type ParameterValues } from '../fakes/internal/parameter-model.js';
import { type Service, ServiceBytes, startService } from './service.js';

/** Options of {@link startParameterServices}. */
export interface ParameterServicesOptions {
  /** The module `@aws-sdk/client-ssm`, whose schemas define the operations. */
  readonly ssm: object;
  /** The module `@aws-sdk/client-secrets-manager`. */
  readonly secretsManager: object;
  /** The module `@aws-sdk/client-appconfigdata`. */
  readonly appConfigData: object;
  /** The clock: AppConfig rejects a poll before its interval has passed. Default: the system's clock. */
  readonly clock?: FullClock;
}

const OPTIONS = defineOptions<ParameterServicesOptions>()({
  ssm: object().required(),
  secretsManager: object().required(),
  appConfigData: object().required(),
  clock: withMethods<FullClock>('now', 'after').default(systemClock),
});

/** Local test servers of the services that `@sallyport/parameters` reads, with their values. */
export interface ParameterServices {
  /** Parameter Store. */
  readonly ssm: Service;
  /** Secrets Manager. */
  readonly secretsManager: Service;
  /** The data plane of AppConfig. */
  readonly appConfigData: Service;
  /** Their values. */
  readonly values: ParameterValues;
  /** Stops the servers. */
  stop(): Promise<void>;
}

/**
 * Starts local test servers for Parameter Store, Secrets Manager and AppConfig. They speak the wire protocols of the services to the
 * real AWS clients.
 *
 * @example
 * const services = await startParameterServices({
 *   ssm: await import('@aws-sdk/client-ssm'),
 *   secretsManager: await import('@aws-sdk/client-secrets-manager'),
 *   appConfigData: await import('@aws-sdk/client-appconfigdata'),
 * });
 */
export async function startParameterServices(options: ParameterServicesOptions): Promise<ParameterServices> {
  const { clock, ...sdks } = OPTIONS.parse(options);
  const values = new ParameterModel(clock);
  const answer = (operation: string) => (input: Readonly<Record<string, unknown>>) =>
    toWire(values.answer(operation, input)) as object;
  const [ssm, secretsManager, appConfigData] = await Promise.all([
    startService({ sdk: sdks.ssm, handlers: { GetParameters: answer('GetParameters') } }),
    startService({
      sdk: sdks.secretsManager,
      handlers: {
        GetSecretValue: answer('GetSecretValue'),
        BatchGetSecretValue: answer('BatchGetSecretValue'),
      },
    }),
    startService({
      sdk: sdks.appConfigData,
      handlers: {
        StartConfigurationSession: answer('StartConfigurationSession'),
        GetLatestConfiguration(input) {
          const latest = values.answer('GetLatestConfiguration', input) as Latest;
          return new ServiceBytes(latest.Configuration, {
            'content-type': latest.ContentType,
            'next-poll-configuration-token': latest.NextPollConfigurationToken,
            'next-poll-interval-in-seconds': String(latest.NextPollIntervalInSeconds),
          });
        },
      },
    }),
  ]);
  const all = [ssm, secretsManager, appConfigData];
  return {
    ssm,
    secretsManager,
    appConfigData,
    values,
    stop: () => Promise.all(all.map((one) => one.stop())).then(() => {}),
  };
}

interface Latest {
  readonly Configuration: Uint8Array;
  readonly ContentType: string;
  readonly NextPollConfigurationToken: string;
  readonly NextPollIntervalInSeconds: number;
}

/** Dates as seconds and bytes as Base64, as the JSON protocols have them. */
function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toWire(member)]));
}
