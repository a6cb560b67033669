import { createHash, timingSafeEqual } from 'node:crypto';
import { assertKnownOptions, FrameworkError, invalidOption, type PrincipalKind } from '@sallyport/core';
import type { SecurePrincipalResolver } from '../principal.js';

/** One caller's secret. Give a caller two for the time of a rotation, under one id each. */
export interface SharedSecret {
  /** The principal's identity. */
  readonly id: string;
  readonly value: string;
  readonly scopes?: readonly string[];
  /** Default `external`. */
  readonly kind?: PrincipalKind;
}

export interface SharedSecretOptions {
  /** Name of the header that carries the secret, and nothing else. */
  readonly header: string;
  readonly secrets: readonly SharedSecret[];
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const KINDS: readonly unknown[] = [undefined, 'external', 'internal'];

/**
 * Names the caller whose secret a header carries. Every secret is compared, as SHA-256 in constant time, whatever was found
 * before. Without the header there is no principal; a wrong secret is 401.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option and never its value
 */
export function sharedSecretPrincipalResolver(options: SharedSecretOptions): SecurePrincipalResolver {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'an object');
  assertKnownOptions(options, ['header', 'secrets']);
  const { header, secrets } = options;
  if (typeof header !== 'string' || !HEADER_NAME.test(header)) throw invalidOption('header', 'the name of a header');
  const candidates = parseSecrets(secrets);
  return (ctx) => {
    const values = ctx.headerAll(header);
    if (values.length === 0) return null;
    const principal = values.length === 1 ? find(candidates, values[0] ?? '') : undefined;
    if (!principal) throw new FrameworkError('app.unauthorized');
    return principal;
  };
}

interface Candidate {
  readonly digest: Buffer;
  readonly principal: { readonly identity: string; readonly scopes: readonly string[]; readonly kind: PrincipalKind };
}

function find(candidates: readonly Candidate[], secret: string): Candidate['principal'] | undefined {
  const digest = digestOf(secret);
  let found: Candidate['principal'] | undefined;
  for (const candidate of candidates) {
    if (timingSafeEqual(candidate.digest, digest)) found = candidate.principal;
  }
  return found;
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

function parseSecrets(secrets: unknown): readonly Candidate[] {
  if (!Array.isArray(secrets) || secrets.length === 0) throw invalidOption('secrets', 'a list of one or more');
  const candidates = secrets.map(parseSecret);
  for (const member of ['identity', 'digest'] as const) {
    const texts = candidates.map(({ digest, principal }) =>
      member === 'identity' ? principal.identity : digest.toString('hex'),
    );
    if (new Set(texts).size < texts.length) throw invalidOption('secrets', 'a list without repeated ids or values');
  }
  return candidates;
}

function parseSecret(secret: unknown, index: number): Candidate {
  const name = `secrets[${index}]`;
  if (typeof secret !== 'object' || secret === null) throw invalidOption(name, 'an object');
  assertKnownOptions(secret, ['id', 'value', 'scopes', 'kind']);
  const { id, value, scopes = [], kind } = secret as Readonly<Record<keyof SharedSecret, unknown>>;
  if (typeof id !== 'string' || id.trim() === '') throw invalidOption(`${name}.id`, 'a text');
  if (typeof value !== 'string' || value === '' || value !== value.trim()) {
    throw invalidOption(`${name}.value`, 'a text without outer blanks');
  }
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== 'string')) {
    throw invalidOption(`${name}.scopes`, 'a list of texts');
  }
  if (!KINDS.includes(kind)) throw invalidOption(`${name}.kind`, 'external or internal');
  const principal = Object.freeze({
    identity: id.trim(),
    scopes: Object.freeze([...scopes]) as readonly string[],
    kind: (kind ?? 'external') as PrincipalKind,
  });
  return { digest: digestOf(value), principal };
}
