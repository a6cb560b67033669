import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SecureApp } from '@sallyport/secure';

/** A server on this machine that speaks the wire protocol of one AWS service. */
export interface Loopback {
  readonly endpoint: string;
  stop(): void;
}

/** Options of an AWS client for a loopback server. */
export const toClient = ({ endpoint }: Loopback) => ({
  ...{ region: 'eu-west-1', endpoint, maxAttempts: 1 },
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

export async function startLoopback(
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
): Promise<Loopback> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(request, Buffer.concat(chunks), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Serves an application on this machine through the door of a function URL. */
export function serveApp(app: Pick<SecureApp, 'serveLambdaFunctionURL'>): Promise<Loopback> {
  return startLoopback(async ({ method = '', url = '/', headers }, body, response) => {
    const [rawPath = '/', rawQueryString = ''] = url.split('?');
    const answer = (await app.serveLambdaFunctionURL(
      {
        ...{ version: '2.0', rawPath, rawQueryString, headers, body: body.toString('utf8'), isBase64Encoded: false },
        requestContext: { domainName: headers.host, http: { method, path: rawPath, sourceIp: '127.0.0.1' } },
      },
      { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 30_000 },
    )) as { statusCode: number; headers: Record<string, string>; body: string; isBase64Encoded: boolean };
    response.writeHead(answer.statusCode, answer.headers);
    response.end(Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8'));
  });
}

/** Serves a web-standard handler, such as the published server's, on this machine. */
export function serveFetch(handle: (request: Request) => Promise<Response>): Promise<Loopback> {
  return startLoopback(async ({ method = '', url = '/', headers }, body, response) => {
    const init = { method, headers: headers as Record<string, string>, ...(body.length > 0 && { body }) };
    const answer = await handle(new Request(`http://localhost${url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
}
