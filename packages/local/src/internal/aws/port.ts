import type { Sockets } from '../doors/sockets.js';
import type { Executions } from '../executions/executions.js';
import { guardOf } from '../guard/listener.js';
import type { Part, RunBase } from '../host/base.js';
import type { FunctionAccess } from '../host/host.js';
import { SERVICES } from '../services/list.js';
import type { ServiceRun } from '../services/service.js';
import type { LocalSources } from '../sources/local-sources.js';
import type { State } from '../state/state.js';
import { createForward } from './forward.js';
import { REGION } from './names.js';
import { type AwsServer, createAwsServer } from './server.js';
import type { AwsService } from './service.js';

/** The name of the part. */
export const AWS_PORT = 'AWS port';

/** The parts of a run that its AWS services use. */
export interface AwsHost extends RunBase, Pick<FunctionAccess, 'invoker'> {
  readonly state: Pick<State, 'get'>;
  readonly sources: LocalSources;
  readonly sockets: Sockets;
  readonly executions?: Executions | undefined;
}

/** Variables that direct the AWS clients of the function to the port. */
export function awsVariables({ keys, ports }: Pick<RunBase, 'keys' | 'ports'>): Readonly<Record<string, string>> {
  const address = `http://127.0.0.1:${ports.aws}`;
  return {
    AWS_ENDPOINT_URL: address,
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    FRAMEWORK_WEBSOCKET_ENDPOINT: address,
  };
}

/** Creates the port that serves the AWS calls of the function. */
export function createAwsPort(host: AwsHost): Part {
  let server: AwsServer | undefined;
  return {
    name: AWS_PORT,
    async start() {
      server = createAwsServer({
        guard: guardOf(host, 'aws'),
        keys: host.keys,
        services: servicesOf(host),
        now: () => host.clock.now().getTime(),
        onCall(traceId) {
          const root = /Root=([^;]+)/.exec(traceId ?? '')?.[1];
          const id = root === undefined ? undefined : host.journal.idByTrace(root);
          return (call) => {
            if (id !== undefined) host.journal.append(id, 'awsCalls', call);
          };
        },
      });
      host.ports.aws = await server.listen(host.ports.aws);
    },
    async stop() {
      await server?.close();
    },
  };
}

/** The services of the port, by the service of the credential scope. */
function servicesOf(host: AwsHost): Record<string, AwsService> {
  const run: ServiceRun = {
    ...host,
    sources: host.sources.run,
    address: () => `http://127.0.0.1:${host.ports.aws}`,
    now: () => host.clock.now().getTime(),
  };
  const local = SERVICES.map(({ name, operations }): [string, AwsService] => [name, operations(run)]);
  const forwarded = host.config.aws.map((service): [string, AwsService] => [service, createForward(service)]);
  return Object.fromEntries([...local, ...forwarded]);
}
