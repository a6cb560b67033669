import * as sdk from '@aws-sdk/client-lambda-microvms';
import { adoptNetworkErrors } from '@sallyport/dynamodb-local';
import { createAwsMicrovmProvider, createHttpsTransport, type MicrovmProvider } from '@sallyport/microvm';
import { type MicrovmsOptions, type MicrovmsService, startMicrovms } from '@sallyport/testkit/services';

export const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook';

/** Starts the emulated service, with the operations of the real SDK. */
export function startService(options: Omit<MicrovmsOptions, 'sdk'> = {}): Promise<MicrovmsService> {
  return startMicrovms({ sdk, ...options });
}

/** The real client of the service. */
export function createClient(
  { endpoint }: Pick<MicrovmsService, 'endpoint'>,
  maxAttempts = 1,
): sdk.LambdaMicrovmsClient {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wire-secret' };
  const client = new sdk.LambdaMicrovmsClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts });
  adoptNetworkErrors(client);
  return client;
}

/** The real provider with the real client and the real transport, over the wire. */
export function wireProvider(service: MicrovmsService, maxAttempts = 1): MicrovmProvider {
  const transport = createHttpsTransport({ agent: service.agent });
  return createAwsMicrovmProvider({ client: createClient(service, maxAttempts) as never, transport });
}
