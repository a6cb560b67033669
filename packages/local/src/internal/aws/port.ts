import { guardOf } from '../guard/listener.js';
import type { Host, Part } from '../host/host.js';
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

/** Creates the port that serves the AWS calls of the function. */
export function createAwsPort(host: Host): Part {
  const address = () => `http://127.0.0.1:${host.ports.aws}`;
  let server: AwsServer | undefined;
  return {
    name: 'AWS port',
    variables: () => ({
      AWS_ENDPOINT_URL: address(),
      AWS_ACCESS_KEY_ID: host.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: host.keys.secretAccessKey,
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      FRAMEWORK_WEBSOCKET_ENDPOINT: address(),
    }),
    async start() {
      server = createAwsServer({
        guard: guardOf(host, 'aws'),
        keys: host.keys,
        services: servicesOf(host, address),
        now: () => host.clock.now().getTime(),
        onCall(traceId) {
          const root = /Root=([^;]+)/.exec(traceId ?? '')?.[1];
          const record = root === undefined ? undefined : host.journal.byTrace(root);
          return (call) => {
            if (record) host.journal.append(record.id, 'awsCalls', call);
          };
        },
      });
      host.ports.aws = await server.listen(host.ports.aws ?? 0);
    },
    async stop() {
      await server?.close();
    },
  };
}

/** The services of the port, by the service of the credential scope. */
function servicesOf(host: Host, address: () => string): Record<string, AwsService> {
  const now = () => host.clock.now().getTime();
  // The sources that `createSources` made: the port uses more of them than the console.
  const sources = host.sources as LocalSources;
  const state = host.state as LocalState;
  let changes = 0;
  const forwarded = host.config.aws.map((service): [string, AwsService] => [service, createForward(service)]);
  return {
    sqs: createSqs(sources, address),
    sns: createSns(sources),
    events: createEvents(sources),
    kinesis: createKinesis(sources, now),
    dynamodb: createDynamo(() => host.state.dynamodb()),
    s3: createS3({
      store: state.store,
      now,
      onChange(change, traceId) {
        changes += 1;
        sources.notifyBucket(change.bucket, toNotification(change, changes), traceId);
      },
    }),
    'execute-api': createConnections(() => host.sockets),
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
