// The same answers as routes.ts without a framework: when a test fails for this function too, the harness is wrong.
import { get as httpGet } from 'node:http';

const JSON_TYPE = 'application/json; charset=utf-8';

const gate = () =>
  new Promise((resolve, reject) => {
    httpGet(process.env.GATE_URL, (answer) => answer.resume().once('end', resolve)).once('error', reject);
  });

const fixed = (status, type, body, cookies) => ({
  status,
  headers: type ? { 'content-type': type } : {},
  body,
  cookies,
});

const streamed = (chunks) => ({ status: 200, headers: { 'content-type': 'text/plain' }, chunks });

const ROUTES = {
  '/hello': () => fixed(200, JSON_TYPE, '{"hello":"world"}'),
  '/html': () => fixed(404, 'text/html; charset=utf-8', '<p>grüße</p>', ['a=1', 'b=2']),
  '/bytes': () => fixed(200, 'application/octet-stream', Buffer.from([0, 255, 128, 10])),
  '/empty': () => fixed(200, 'text/plain; charset=utf-8', ''),
  '/no-content': () => fixed(204, undefined, ''),
  '/large': () =>
    streamed(async function* () {
      for (let index = 0; index < 24; index += 1) yield Buffer.alloc(65_536, 97 + index);
    }),
  '/two-chunks': () =>
    streamed(async function* () {
      yield 'one;';
      await gate();
      yield 'two;';
    }),
  '/fails-before': () => fixed(500, JSON_TYPE, '{"error":{"code":"app.internal","message":"internal error"}}'),
  '/fails-after': () =>
    streamed(async function* () {
      yield 'begin;';
      throw new Error('internal error');
    }),
  '/outlives-deadline': () =>
    streamed(async function* () {
      yield 'begin;';
      throw new Error('request timeout');
    }),
  '/never': () => new Promise(() => setInterval(() => {}, 60_000)),
  '/context': (context) =>
    fixed(
      200,
      JSON_TYPE,
      JSON.stringify({
        invocation: context.awsRequestId,
        tenant: context.tenantId ?? '',
        clientContext: context.clientContext ?? null,
        identity: context.identity ?? null,
        timed: context.getRemainingTimeInMillis() > 0 && context.getRemainingTimeInMillis() <= 60_000,
        polluted: 'polluted' in {},
      }),
    ),
};

const answer = (event, context) => ROUTES[event.rawPath ?? event.path](context);

const traceOf = (context) => /Root=([^;]+)/.exec(context.xRayTraceId ?? process.env._X_AMZN_TRACE_ID ?? '')?.[1];

export async function buffered(event, context) {
  if (event.Records) {
    const other = event.Records.filter(({ body }) => body !== traceOf(context));
    return { batchItemFailures: other.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }
  const { status, headers, body, cookies } = await answer(event, context);
  const isText = typeof body === 'string';
  return {
    statusCode: status,
    headers,
    ...(cookies ? { cookies } : {}),
    body: isText ? body : body.toString('base64'),
    isBase64Encoded: !isText,
  };
}

const streaming = (prelude) =>
  globalThis.awslambda?.streamifyResponse(async (event, stream, context) => {
    const response = answer(event, context);
    const out = globalThis.awslambda.HttpResponseStream.from(stream, prelude(response));
    if (response.chunks) {
      for await (const chunk of response.chunks()) {
        if (!out.write(chunk)) await new Promise((resolve) => out.once('drain', resolve));
      }
    } else {
      out.write(response.body);
    }
    await new Promise((resolve) => {
      out.once('finish', resolve);
      out.end();
    });
  });

export const functionUrl = streaming(({ status, headers, cookies }) => ({
  statusCode: status,
  headers,
  ...(cookies ? { cookies } : {}),
}));

export const gatewayRest = streaming(({ status, headers, cookies }) => ({
  statusCode: status,
  headers,
  ...(cookies ? { multiValueHeaders: { 'set-cookie': cookies } } : {}),
}));
