import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '@sallyport/core';
import { S3_CREDENTIALS, s3Endpoint } from '@sallyport/s3-server';
import { clientConfig } from '../../test/support/clients.js';
import { createTestHost } from '../../test/support/host.js';
import { startPort } from '../../test/support/port.js';

/** Clients of one pair of servers. */
export interface Clients {
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  stop(): Promise<void>;
}

/** Our AWS port, without a function: no handler consumes the messages. */
export async function startOurs(): Promise<Clients> {
  const host = createTestHost(() => null, { clock: systemClock });
  const port = await startPort(host);
  return {
    sqs: new SQSClient(clientConfig(host)),
    s3: new S3Client({ ...clientConfig(host), forcePathStyle: true }),
    async stop() {
      await port.stop();
      host.remove();
    },
  };
}

/** fauxqs for queues, radosgw for objects. */
export async function startPeers(): Promise<Clients> {
  // Loaded lazily: an older Node has no `node:sqlite`, and the import fails.
  const { startFauxqs } = await import('fauxqs');
  const queues = await startFauxqs({ port: 0, logger: false });
  const shared = { region: 'us-east-1', maxAttempts: 1 };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return {
    sqs: new SQSClient({ ...shared, credentials, endpoint: `http://127.0.0.1:${queues.port}` }),
    s3: new S3Client({
      ...shared,
      credentials: S3_CREDENTIALS,
      endpoint: await s3Endpoint(),
      forcePathStyle: true,
    }),
    stop: () => queues.stop(),
  };
}
