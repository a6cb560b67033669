import * as appConfigData from '@aws-sdk/client-appconfigdata';
import * as secretsManager from '@aws-sdk/client-secrets-manager';
import * as ssm from '@aws-sdk/client-ssm';
import { createTestEnv } from '@sallyport/testkit';
import { type ParameterServices, startParameterServices } from '@sallyport/testkit/services';
import { createParameters, type ParametersOptions } from '../src/index.js';

const PROFILE = { application: 'shop', environment: 'live', profile: 'flags' };
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The three services over the wire, the real clients, and the records of log lines and metrics. */
export async function startWorld() {
  const env = createTestEnv({ now: 1_000_000 });
  const services = await startParameterServices({ ssm, secretsManager, appConfigData, clock: env.clock });
  const settings = { region: 'us-east-1', credentials: CREDENTIALS, maxAttempts: 1 };
  const clients = {
    ssm: new ssm.SSMClient({ ...settings, endpoint: services.ssm.endpoint }),
    secretsManager: new secretsManager.SecretsManagerClient({
      ...settings,
      endpoint: services.secretsManager.endpoint,
    }),
    appConfigData: new appConfigData.AppConfigDataClient({ ...settings, endpoint: services.appConfigData.endpoint }),
  };
  for (const { middlewareStack } of Object.values(clients)) withErrorsOfThisRealm(middlewareStack as never);
  const { clock, log, observability } = env.options();
  const defaults: ParametersOptions = { clients, clock, log, observability, environment: {}, flags: PROFILE };
  const parameters = (options: ParametersOptions = {}) => createParameters({ ...defaults, ...options });
  const parametersWithoutProfile = (environment: Readonly<Record<string, string>> = {}) =>
    createParameters({ clients, clock, environment });
  const stop = async () => {
    for (const client of Object.values(clients)) client.destroy();
    await services.stop();
  };
  return {
    env,
    services,
    clients,
    options: defaults,
    parameters,
    parametersWithoutProfile,
    stop,
    values: services.values,
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

interface Stack {
  add(make: (next: (given: unknown) => Promise<unknown>) => (given: unknown) => Promise<unknown>, at: object): void;
}

/** Jest runs tests in a separate realm: errors of `node:net` are not instances of its `Error`, so the SDK would wrap them. */
function withErrorsOfThisRealm(stack: Stack): void {
  const retyped = (error: Error & { readonly code?: string }) => {
    if (error instanceof Error) throw error;
    const { name, message, code } = error;
    throw Object.assign(new Error(message), { name, code });
  };
  stack.add((next) => (given) => next(given).catch(retyped), { step: 'deserialize', priority: 'low' });
}

/** The operations that reached the services. */
export function operations({ ssm, secretsManager, appConfigData }: ParameterServices): string[] {
  return [ssm, secretsManager, appConfigData].flatMap(({ requests }) => requests.map(({ operation }) => operation));
}

/** Waits until calls in the background have ended. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20_000 && !isTrue(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  if (!isTrue()) throw new Error('the condition did not become true');
}
