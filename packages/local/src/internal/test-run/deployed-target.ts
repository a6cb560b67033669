import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fromJson, isObject } from '@sallyport/core/internal';
import { usageError } from '../errors.js';
import { buildEvent } from '../send/build-event.js';
import type { SendRequest } from '../send/send.js';
import { findType } from '../sources/source-types.js';
import type { TestResult } from './compare.js';
import type { TestCase } from './test-file.js';

/** A deployed stack: its URL, or the name of its function; and a token for tests with `as`. */
export interface Deployment {
  readonly url?: string;
  readonly functionName?: string;
  readonly token?: string;
}

/** Sends the event of a test to a deployed stack. */
export type SendDeployed = (test: TestCase) => Promise<TestResult>;

interface WireOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly json?: unknown;
}

/** Sends HTTP requests to the URL of a deployed API; other events cannot be sent there. */
export function sendToUrl({ url = '', token }: Deployment): SendDeployed {
  return async ({ send, timeoutMs, expect }) => {
    if (send.kind !== 'http') return { skipped: `an event of the kind ${send.kind} needs --function` };
    const unknown = (['answer', 'error', 'records'] as const).find((member) => expect[member] !== undefined);
    if (unknown !== undefined) return { skipped: `the expectation "${unknown}" needs --function` };
    const headers = tokenHeaders(send, token);
    if (headers === undefined) return { skipped: 'a test with "as" needs --token-env' };
    const [method = 'GET', path = '/'] = (send.target ?? '').split(/\s+/);
    const { query = {}, body, json, ...own } = (send.options ?? {}) as WireOptions;
    const address = new URL(`${url.replace(/\/$/, '')}${path}`);
    for (const [name, value] of Object.entries(query)) address.searchParams.append(name, value);
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...own.headers, ...headers },
      ...(json !== undefined ? { body: JSON.stringify(json) } : body !== undefined && { body }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { client: { status: response.status, headers: [...response.headers], body: await response.text() } };
  };
}

function tokenHeaders({ as }: SendRequest, token: string | undefined): Record<string, string> | undefined {
  if (as === undefined) return {};
  return token === undefined ? undefined : { authorization: `Bearer ${token}` };
}

/** The members of the AWS SDK's Lambda client that are used. */
interface LambdaModule {
  readonly LambdaClient: new (options: object) => { send(command: object, options: object): Promise<Invoked> };
  readonly InvokeCommand: new (input: object) => object;
}

interface Invoked {
  readonly Payload?: Uint8Array;
  readonly FunctionError?: string;
}

/**
 * Invokes a deployed function with the AWS SDK of the project, its region and its credentials.
 *
 * @param folder the project
 * @throws FrameworkError `local.usage` if the project does not have `@aws-sdk/client-lambda`
 */
export async function sendToFunction(folder: string, { functionName = '', token }: Deployment): Promise<SendDeployed> {
  const { LambdaClient, InvokeCommand } = await loadClient(folder);
  const client = new LambdaClient({});
  return async ({ send, timeoutMs }) => {
    const headers = tokenHeaders(send, token);
    if (headers === undefined) return { skipped: 'a test with "as" needs --token-env' };
    const event = toEvent(send, headers);
    const input = { FunctionName: functionName, Payload: Buffer.from(JSON.stringify(event)) };
    const invoked = await client.send(new InvokeCommand(input), { abortSignal: AbortSignal.timeout(timeoutMs) });
    const answer = fromJson(Buffer.from(invoked.Payload ?? []).toString('utf8'));
    if (invoked.FunctionError !== undefined) return { error: toError(answer) };
    return { answer, ...clientOf(send, answer), ...recordsOf(send, answer) };
  };
}

/** The event of a request. Events of sources are built as their service sends one record. */
function toEvent(send: SendRequest, headers: Record<string, string>): unknown {
  const given = (send.options ?? {}) as { readonly headers?: object };
  if (send.kind === 'event' || Object.keys(headers).length === 0) return buildEvent(send);
  return buildEvent({ ...send, options: { ...given, headers: { ...given.headers, ...headers } } });
}

function toError(answer: unknown): NonNullable<TestResult['error']> {
  const { errorType = 'Error', errorMessage = '' } = isObject(answer) ? answer : {};
  return { errorType: String(errorType), errorMessage: String(errorMessage) };
}

/** The response that an HTTP answer describes. */
function clientOf({ kind }: SendRequest, answer: unknown): Pick<TestResult, 'client'> {
  if (kind !== 'http' || !isObject(answer)) return {};
  const { statusCode, headers, body, isBase64Encoded } = answer;
  const pairs = Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => [name, String(value)] as const);
  const text = typeof body === 'string' ? body : '';
  return {
    client: {
      status: Number(statusCode),
      headers: pairs,
      body: isBase64Encoded === true ? Buffer.from(text, 'base64').toString('utf8') : text,
    },
  };
}

/** Records of a batch that the answer does not report as failed are done. A failed record would be delivered again. */
function recordsOf({ kind }: SendRequest, answer: unknown): Pick<TestResult, 'records'> {
  if (findType(kind) === undefined) return {};
  const { batchItemFailures } = isObject(answer) ? answer : {};
  return { records: Array.isArray(batchItemFailures) && batchItemFailures.length > 0 ? 'dead-letter' : 'done' };
}

async function loadClient(folder: string): Promise<LambdaModule> {
  const name = '@aws-sdk/client-lambda';
  try {
    const path = createRequire(join(folder, 'package.json')).resolve(name);
    return (await import(pathToFileURL(path).href)) as LambdaModule;
  } catch {
    throw usageError(`--function needs ${name} in this project: npm install --save-dev ${name}`);
  }
}
