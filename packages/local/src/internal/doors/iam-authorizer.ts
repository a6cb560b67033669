import { sha256 } from '@sallyport/core/internal';
import type { HttpDoorKind } from '@sallyport/testkit/events';
import { ACCOUNT, REGION } from '../aws/names.js';
import { readSignature, signHeaders } from '../aws/signature.js';
import { AwsFault, type WireRequest } from '../aws/wire.js';
import type { RunBase } from '../host/base.js';
import type { RunKeys } from '../host/keys.js';
import type { DoorRequest } from './request.js';

/** The doors that can have an IAM authorizer. */
export type IamDoor = Exclude<HttpDoorKind, 'load-balancer'>;

/** The service name that a signature for a door must contain. */
const SERVICES: Readonly<Record<IamDoor, string>> = {
  'gateway-v2': 'execute-api',
  'gateway-v1': 'execute-api',
  'function-url': 'lambda',
};

/**
 * Checks the signature of a request with the keys of the run.
 *
 * @throws AwsFault if the signature is missing, or AWS would reject it
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-access-control-iam.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
 */
export function assertSigned(kind: IamDoor, request: DoorRequest, keys: RunKeys, now: number): void {
  const signed = readSignature(toWire(request), keys, now);
  if (signed.service !== SERVICES[kind]) {
    const message = `Credential should be scoped to correct service: '${SERVICES[kind]}'.`;
    throw new AwsFault(403, 'InvalidSignatureException', message);
  }
  signed.verify(sha256(request.body));
}

/** A developer's request, from the page or `sallyport send`, before it is sent to a door. */
export interface Outgoing {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
}

/** The headers of a request for a door. If the door has an IAM authorizer, they are signed with the keys of the run. */
export function headersFor(
  { config, keys, clock }: Pick<RunBase, 'config' | 'keys' | 'clock'>,
  kind: HttpDoorKind,
  { port, method, path, headers, body }: Outgoing,
): Record<string, string | readonly string[] | undefined> {
  if (config.authorizer !== 'iam' || kind === 'load-balancer') return { ...headers };
  const named = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(',')]],
  );
  const { authorization: _token, ...sent } = Object.fromEntries(named) as Record<string, string>;
  const scope = { region: REGION, service: SERVICES[kind], payloadHash: sha256(body), now: clock.now() };
  return signHeaders({ method, headers: { ...sent, host: `127.0.0.1:${port}` }, ...split(path) }, keys, scope);
}

/** The caller of every signed request. */
export function callerOf(keys: RunKeys): Readonly<Record<'accessKey' | 'accountId' | 'userArn' | 'userId', string>> {
  return {
    accessKey: keys.accessKeyId,
    accountId: ACCOUNT,
    userArn: `arn:aws:iam::${ACCOUNT}:user/local`,
    userId: 'AIDALOCAL',
  };
}

function split(target: string): Pick<WireRequest, 'path' | 'query'> {
  const question = target.indexOf('?');
  return question < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, question), query: target.slice(question + 1) };
}

function toWire({ method, path, headers }: DoorRequest): Omit<WireRequest, 'body'> {
  const joined: Record<string, string> = {};
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    joined[lower] = joined[lower] === undefined ? value : `${joined[lower]},${value}`;
  }
  return { method, ...split(path), headers: joined };
}
