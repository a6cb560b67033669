import type { Sockets } from '../doors/sockets.js';
import { guardOf } from '../guard/listener.js';
import type { FunctionAccess, Part, RunBase } from '../host/host.js';
import type { LocalSources } from '../sources/local-sources.js';
import type { LocalState } from '../state/local-state.js';
import { createConnections } from './connections.js';
import { createDynamo } from './dynamodb.js';
import { createEvents } from './events.js';
import { createForward } from './forward.js';
import { createKinesis } from './kinesis.js';
import { createLambda } from './lambda.js';
import { toNotification } from './s3/notification.js';
import { createS3 } from './s3/service.js';
import { createParameters, createSecretsManager } from './secrets.js';
import { type AwsServer, createAwsServer } from './server.js';
import type { AwsService } from './service.js';
import { createSns } from './sns.js';
import { createSqs } from './sqs.js';
import { createSts } from './sts.js';
import { REGION } from './wire.js';

/** The name of the part. */
export const AWS_PORT = 'AWS port';

/** The parts of a run that its AWS services use. */
export interface AwsHost extends RunBase, Pick<FunctionAccess, 'invoker'> {
  readonly state: LocalState;
  readonly sources: LocalSources;
  readonly sockets: Sockets;
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
          const record = root === undefined ? undefined : host.journal.byTrace(root);
          return (call) => {
            if (record) host.journal.append(record.id, 'awsCalls', call);
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
  const { sources, state } = host;
  const address = () => `http://127.0.0.1:${host.ports.aws}`;
  const now = () => host.clock.now().getTime();
  let changes = 0;
  const forwarded = host.config.aws.map((service): [string, AwsService] => [service, createForward(service)]);
  return {
    sqs: createSqs(sources, address),
    sns: createSns(sources),
    events: createEvents(sources),
    kinesis: createKinesis(sources, now),
    dynamodb: createDynamo(() => state.dynamodb()),
    s3: createS3({
      store: state.store,
      now,
      onChange(change, traceId) {
        changes += 1;
        sources.notifyBucket(change.bucket, toNotification(change, changes), traceId);
      },
    }),
    'execute-api': createConnections(host.sockets),
    lambda: createLambda({
      name: host.config.name,
      invoke: (event, options) => host.invoker.invoke(event, options),
      invokeLater: (event, traceId) => void sources.invokeLater(event, traceId),
    }),
    sts: createSts(host.config.name, host.keys, now),
    secretsmanager: createSecretsManager(state.secrets, now),
    ssm: createParameters(state.secrets, now),
    ...Object.fromEntries(forwarded),
  };
}
