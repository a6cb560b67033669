// The closed application: callers with a token add notes. Its keys are in the environment, as in a deployment. No framework is
// imported here.
import { createSign, generateKeyPairSync, type JsonWebKey } from 'node:crypto';

export const ISSUER = 'https://id.example.com';
export const AUDIENCE = 'https://api.example.com';

const KEYS_VARIABLE = 'BENCH_KEYS';
const TOKEN_VARIABLE = 'BENCH_TOKEN';
const SIGNER_VARIABLE = 'BENCH_SIGNER';

/** An RSA key as a token issuer publishes it. */
export interface PublicKey extends JsonWebKey {
  readonly kid: string;
  readonly kty: 'RSA';
  readonly alg: 'RS256';
}

/** The issuer's keys. */
export function readKeys(): PublicKey[] {
  return (JSON.parse(process.env[KEYS_VARIABLE] ?? '{"keys":[]}') as { keys: PublicKey[] }).keys;
}

/** The variable of {@link readKeys}, for a process that gets only the variables of a function. */
export function keysVariable(): Readonly<Record<string, string>> {
  return { [KEYS_VARIABLE]: process.env[KEYS_VARIABLE] ?? '' };
}

/** The token of the caller. */
export function readToken(): string {
  return process.env[TOKEN_VARIABLE] ?? '';
}

/** Creates a key and a token, and passes them to the processes that this one starts. */
export function issueToken(): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
  process.env[KEYS_VARIABLE] = JSON.stringify({ keys: [key] });
  process.env[SIGNER_VARIABLE] = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  process.env[TOKEN_VARIABLE] = signToken('0');
}

/** A separate token for each id. */
export function signToken(id: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'ada',
    scope: 'notes:read notes:write',
    jti: id,
    iat: now - 60,
    exp: now + 86_400,
  };
  const parts = [{ alg: 'RS256', typ: 'JWT', kid: 'one' }, claims];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createSign('sha256')
    .update(text)
    .sign(process.env[SIGNER_VARIABLE] ?? '', 'base64url')}`;
}

export interface Note {
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
}

export const NOTE: Note = { title: 'Milk', text: 'one litre', tags: ['shop', 'today'] };

/** The check of a note, for peers without a validator. */
export function isNote(value: unknown): value is Note {
  const { title, text, tags } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Note>;
  return (
    typeof title === 'string' &&
    title.length >= 1 &&
    title.length <= 80 &&
    typeof text === 'string' &&
    text.length <= 1000 &&
    Array.isArray(tags) &&
    tags.every((tag) => typeof tag === 'string')
  );
}

export function addNote(note: Note, author: string): object {
  return { id: '1', ...note, author };
}
