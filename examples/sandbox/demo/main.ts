import * as sdk from '@aws-sdk/client-lambda-microvms';
import { createAwsMicrovmProvider, createHttpsTransport } from '@sallyport/microvm';
import { createMemoryMicrovmRegistry } from '@sallyport/microvm/testing';
import { buildLambdaFunctionURLRequest } from '@sallyport/testkit';
import { startMicrovms } from '@sallyport/testkit/services';
import { createSandbox } from '../src/app.js';
import { createProgram } from '../src/program.js';

const { serve } = createProgram();
const service = await startMicrovms({ sdk, program: serve });
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = new sdk.LambdaMicrovmsClient({ endpoint: service.endpoint, region: 'eu-west-1', credentials });
const app = createSandbox({
  secure: { principalResolver: (ctx) => ({ identity: ctx.header('x-user') ?? 'nobody' }), log: false },
  microvms: {
    provider: createAwsMicrovmProvider({
      client: client as never,
      transport: createHttpsTransport({ agent: service.agent }),
    }),
    registry: createMemoryMicrovmRegistry(),
    images: [{ ref: 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook' }],
  },
});

/** Sends a request as a user and prints the response. */
async function ask(user: string, method: string, path: string): Promise<Readonly<Record<string, string>>> {
  const event = buildLambdaFunctionURLRequest(method, path, { headers: { 'x-user': user } });
  const { statusCode, body } = (await app.handleLambda(event)) as { statusCode: number; body: string };
  console.log(`${user}: ${method} ${path}\n  ${statusCode} ${body}`);
  return JSON.parse(body) as Readonly<Record<string, string>>;
}

const { url = '' } = await ask('ada', 'POST', '/sandbox');
await ask('ada', 'GET', `${url}notebook`);
await ask('ada', 'GET', `${url}notebook`);
await ask('bob', 'GET', `${url}notebook`);
await ask('ada', 'DELETE', url.replace('/invoke/', ''));
await service.stop();
