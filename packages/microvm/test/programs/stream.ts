/** A separate process: proxies one large response and prints its memory growth. */
import { Agent } from 'node:https';
import { LambdaMicrovmsClient } from '@aws-sdk/client-lambda-microvms';
import {
  createAwsMicrovmProvider,
  createHttpsTransport,
  createMicrovmController,
  internalCaller,
} from '@sallyport/microvm';
import { createMemoryMicrovmRegistry } from '@sallyport/microvm/testing';

interface Job {
  readonly endpoint: string;
  readonly port: number;
  readonly ca: string;
}
const { endpoint, port, ca } = JSON.parse(process.argv[2] ?? '{}') as Job;

class LoopbackAgent extends Agent {
  override createConnection(...[options, callback]: Parameters<Agent['createConnection']>) {
    return super.createConnection({ ...options, host: '127.0.0.1', port }, callback);
  }
}

const MIB = 1024 * 1024;
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = new LambdaMicrovmsClient({ endpoint, region: 'eu-west-1', credentials });
const transport = createHttpsTransport({ agent: new LoopbackAgent({ ca, keepAlive: true }) });
const controller = createMicrovmController({
  provider: createAwsMicrovmProvider({ client: client as never, transport }),
  registry: createMemoryMicrovmRegistry(),
  images: [{ ref: 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook' }],
});
const caller = internalCaller({ identity: 'ada', tenantId: 't1', namespace: 'n' });
await controller.run(caller, { sessionId: 's1' });

/** Memory of bytes and objects after a garbage collection. */
function held(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function carry(path: string, measure: boolean): Promise<{ bytes: number; grown: number }> {
  const answer = await controller.invoke(caller, { sessionId: 's1', method: 'GET', path });
  const before = held();
  let bytes = 0;
  let grown = 0;
  let next = MIB;
  for await (const chunk of answer.bodyStream) {
    bytes += chunk.byteLength;
    if (!measure || bytes < next) continue;
    next += 4 * MIB;
    // A slow reader: without backpressure, the sent bytes would accumulate in memory.
    await new Promise((resolve) => setImmediate(resolve));
    grown = Math.max(grown, held() - before);
  }
  return { bytes, grown };
}

await carry('/warm', false);
console.log(JSON.stringify(await carry('/large', true)));
process.exit(0);
