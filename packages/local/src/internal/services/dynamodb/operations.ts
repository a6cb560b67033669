import type { AwsService, Call, Output } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import { AUTHORIZATION, toEngineArns, toRunArns } from './engine-client.js';

const TIMEOUT_MS = 60_000;
/** Operations whose bodies contain items, and no ARN of the engine. */
const ITEMS =
  /^(?:Batch)?(?:Get|Put|Update|Delete|Write|Execute|Transact)(?:Item|Items|GetItems|WriteItems|GetItem|WriteItem|Statement|Transaction)$|^(?:Query|Scan)$/;

/**
 * DynamoDB and its streams: calls are forwarded to the engine, and held until it is ready.
 *
 * @param endpoint the address of the engine; rejects with the remedy while the engine is off
 * @param onSuccess receives each call that succeeded, before its caller has the answer
 */
export function createDynamo(endpoint: () => Promise<string>, onSuccess: (call: Call) => void = () => {}): AwsService {
  return {
    protocol: 'json-1.0',
    resources: ['TableName'],
    async serve(call): Promise<Output> {
      const output = await pass(await addressOf(endpoint), call);
      if (output.wire.status === 200) onSuccess(call);
      return output;
    },
  };
}

/** An error that clients do not retry: waiting does not help. */
async function addressOf(endpoint: () => Promise<string>): Promise<string> {
  try {
    return await endpoint();
  } catch (error) {
    throw new AwsFault(400, 'LocalStateOff', (error as Error).message);
  }
}

async function pass(address: string, { operation, request, body }: Call) {
  const hasArns = !ITEMS.test(operation);
  // The keys of the run are not forwarded: the engine accepts only some formats of keys, and checks none.
  const headers = {
    'content-type': request.headers['content-type'] ?? 'application/x-amz-json-1.0',
    'x-amz-target': request.headers['x-amz-target'] ?? '',
    authorization: AUTHORIZATION,
  };
  const response = await fetch(address, {
    method: 'POST',
    headers,
    body: hasArns ? toEngineArns(body.toString()) : new Uint8Array(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new AwsFault(503, 'ServiceUnavailable', `DynamoDB does not answer: ${(cause as Error).name}`);
  });
  const answer = Buffer.from(await response.arrayBuffer());
  const text = hasArns ? toRunArns(answer.toString()) : answer;
  const type = response.headers.get('content-type') ?? 'application/x-amz-json-1.0';
  return { wire: { status: response.status, headers: { 'content-type': type }, body: text } };
}
