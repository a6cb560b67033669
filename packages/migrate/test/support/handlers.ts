import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { buildSync } from 'esbuild';
import { WORKSPACE } from './service.js';

/** A request and its expected answer, or an event and its expected result. */
export interface Case {
  /** `GET /orders/7?full=1`. */
  readonly ask?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly path?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly send?: unknown;
  readonly status?: number;
  /** An object is compared with the parsed body; left out: not compared. */
  readonly body?: unknown;
  /** Headers of the answer, in lower case; others are not compared. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly event?: object;
  readonly result?: unknown;
  /** True if the invocation fails. */
  readonly fails?: boolean;
}

export type LambdaHandler = (event: unknown, context: unknown) => Promise<unknown>;

const PACKAGE = join(WORKSPACE, 'packages/migrate');
const require = createRequire(import.meta.url);
/** Each bundle has a unique name: a module is loaded once. */
let bundles = 0;

/** Bundles the file of a handler, `src/app.handler`, and loads it. The user chose the posture `Public`. */
export function loadHandler(root: string, handler: string, scratch: string): LambdaHandler {
  const dot = handler.lastIndexOf('.');
  bundles += 1;
  const outfile = join(scratch, `${bundles}.cjs`);
  buildSync({
    entryPoints: [join(root, handler.slice(0, dot))],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
    conditions: ['@sallyport/source'],
    nodePaths: [join(PACKAGE, 'node_modules')],
    alias: { '@sallyport/secure/migrate': join(PACKAGE, 'test/support/chosen-posture.ts') },
    resolveExtensions: ['.ts', '.js'],
  });
  try {
    return (require(outfile) as Record<string, LambdaHandler>)[handler.slice(dot + 1)] as LambdaHandler;
  } finally {
    rmSync(outfile, { force: true });
  }
}

const CONTEXT = {
  awsRequestId: 'request-1',
  functionName: 'old',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:old',
  memoryLimitInMB: '128',
  getRemainingTimeInMillis: () => 30_000,
};

/** Runs a case, and returns the members that it expects. */
export async function runCase(handler: LambdaHandler, given: Case): Promise<Case> {
  if (given.event) {
    try {
      const result = await handler(given.event, CONTEXT);
      return { ...given, result, ...(given.fails === undefined ? {} : { fails: false }) };
    } catch (error) {
      if (given.fails) return given;
      throw error;
    }
  }
  const [method = '', target = ''] = (given.ask ?? '').split(' ');
  const url = new URL(target, 'https://api.example');
  const body = given.send === undefined ? undefined : JSON.stringify(given.send);
  const event = buildAPIGatewayV2Request(method, url.pathname + url.search, {
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...given.with },
    ...(body !== undefined && { body }),
    ...(given.path && { pathParameters: given.path }),
  });
  const answer = (await handler(structuredClone(event), CONTEXT)) as {
    readonly statusCode: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly isBase64Encoded?: boolean;
  };
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const text = answer.isBase64Encoded ? Buffer.from(answer.body ?? '', 'base64').toString() : (answer.body ?? '');
  return {
    ...given,
    status: answer.statusCode,
    ...('body' in given && { body: typeof given.body === 'string' ? text : (JSON.parse(text) as unknown) }),
    ...(given.headers && {
      headers: Object.fromEntries(Object.keys(given.headers).map((name) => [name, String(headers[name])])),
    }),
  };
}
