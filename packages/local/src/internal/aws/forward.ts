import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sha256 } from '@sallyport/core/internal';
import type { RunKeys } from '../host/keys.js';
import type { AwsService, Call, Output } from './service.js';
import { signHeaders } from './signature.js';
import { AwsFault } from './wire.js';

/** Timeout of a response: a model can be slow. */
const TIMEOUT_MS = 900_000;
/** Headers of one connection, and headers that are set again. */
const OWN =
  /^(?:host|connection|authorization|x-amz-date|x-amz-content-sha256|x-amz-security-token|content-length|transfer-encoding|expect|keep-alive)$/;

/** Options of {@link createForward}; the defaults are the developer's shell and home. */
export interface ForwardOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  /** The target of the calls. Default: the service's address in the developer's region. */
  readonly endpoint?: string;
}

/** Services whose host name differs from the name in the signature. */
const HOSTS: Readonly<Record<string, string>> = { bedrock: 'bedrock-runtime', ses: 'email', logs: 'logs' };

/**
 * A service that is called for real: its requests are signed with the developer's credentials.
 *
 * @param service the service of the credential scope, or the first part of its host: `bedrock-runtime`
 */
export function createForward(service: string, options: ForwardOptions = {}): AwsService {
  const { environment = process.env, home = homedir() } = options;
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1';
  const endpoint = options.endpoint ?? `https://${HOSTS[service] ?? service}.${region}.amazonaws.com`;
  return {
    protocol: 'rest-json',
    serve: (call) => forward(call, { endpoint, region, keys: findKeys(environment, home) }),
  };
}

async function forward(
  { request, signed, body }: Call,
  { endpoint, region, keys }: { readonly endpoint: string; readonly region: string; readonly keys: RunKeys },
): Promise<Output> {
  const kept = Object.entries(request.headers).filter(([name]) => !OWN.test(name));
  const { method, path, query } = request;
  const headers = { ...Object.fromEntries(kept), host: new URL(endpoint).host };
  const scope = { region, service: signed.service, payloadHash: sha256(body), now: new Date() };
  const { host: _, ...sent } = signHeaders({ method, path, query, headers }, keys, scope);
  const address = `${endpoint}${path}${query === '' ? '' : `?${query}`}`;
  const init = { method, headers: sent, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' as const };
  const withBody = body.length === 0 ? init : { ...init, body: new Uint8Array(body) };
  const response = await fetch(address, withBody).catch(() => {
    throw new AwsFault(503, 'ServiceUnavailable', `${signed.service} of AWS does not answer`);
  });
  const answered = [...response.headers].filter(
    ([name]) => !/^(?:connection|transfer-encoding|content-encoding|content-length)$/.test(name),
  );
  const stream = response.body ? { body: Readable.fromWeb(response.body as never) as AsyncIterable<Uint8Array> } : {};
  return { wire: { status: response.status, headers: Object.fromEntries(answered), ...stream } };
}

/** Keys of the shell, or of the profile in the shared file. */
function findKeys(environment: Readonly<Record<string, string | undefined>>, home: string): RunKeys {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE = 'default' } = environment;
  if (AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY)
    return toKeys(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN);
  const file = environment.AWS_SHARED_CREDENTIALS_FILE ?? join(home, '.aws', 'credentials');
  const profile = readProfile(file, AWS_PROFILE);
  const [id, secret] = [profile.get('aws_access_key_id'), profile.get('aws_secret_access_key')];
  if (id !== undefined && secret !== undefined) return toKeys(id, secret, profile.get('aws_session_token'));
  const advice = `no AWS credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile ${AWS_PROFILE}`;
  throw new AwsFault(403, 'UnrecognizedClientException', advice);
}

function toKeys(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): RunKeys {
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

/** The members of one section of an INI file. */
function readProfile(file: string, profile: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return members;
  }
  let isOurs = false;
  for (const line of text.split(/\r?\n/)) {
    const [, section] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    if (section !== undefined) isOurs = section.trim() === profile;
    const [, name, value] = /^\s*([\w]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isOurs && name !== undefined && value !== undefined) members.set(name, value);
  }
  return members;
}
