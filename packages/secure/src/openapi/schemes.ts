import { isPlainObject } from '@sallyport/core/pipeline';
import type { Posture } from '../postures/posture.js';
import { secureOpenApiError } from './error.js';

/** Security schemes that have passed every check, and who uses them. */
export interface SecuritySchemes {
  /** Copies of the given schemes by trimmed name. */
  readonly components: Readonly<Record<string, unknown>>;
  readonly authenticated: readonly string[];
  readonly internalOnly: readonly string[];
}

/** @throws FrameworkError `framework: secure openapi …` */
export function parseSchemes(securitySchemes: unknown, authSchemes: unknown): SecuritySchemes {
  const components = parseComponents(securitySchemes);
  if (!isPlainObject(authSchemes)) throw secureOpenApiError('authSchemes must be an object');
  const { authenticated, internalOnly, ...unknown } = authSchemes;
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw secureOpenApiError(`authSchemes has the unknown key "${stray}"`);
  return {
    components: Object.fromEntries(components),
    authenticated: parseNames('authenticated', authenticated, components),
    internalOnly: parseNames('internalOnly', internalOnly, components),
  };
}

/** @throws FrameworkError when a posture needs schemes of which there are none */
export function assertBound({ kind }: Posture, { authenticated, internalOnly }: SecuritySchemes): void {
  if (kind === 'public') return;
  if (kind === 'internal_only') {
    if (internalOnly.length === 0) throw secureOpenApiError('internal scheme binding is required');
  } else if (authenticated.length === 0) throw secureOpenApiError('authenticated scheme binding is required');
}

function parseComponents(securitySchemes: unknown): ReadonlyMap<string, unknown> {
  if (!isPlainObject(securitySchemes)) throw secureOpenApiError('securitySchemes must be an object');
  const components = new Map<string, unknown>();
  for (const [key, scheme] of Object.entries(securitySchemes)) {
    const name = key.trim();
    if (name === '') throw secureOpenApiError('security scheme name is required');
    if (components.has(name)) throw secureOpenApiError(`security scheme ${name} is duplicated`);
    if (!isPlainObject(scheme)) throw secureOpenApiError(`security scheme ${name} must be an object`);
    components.set(name, copyScheme(name, scheme, []));
  }
  return components;
}

/** `null`, booleans, texts, lists and plain objects are all that a scheme is made of. */
function copyScheme(name: string, value: unknown, above: readonly unknown[]): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (above.includes(value)) throw secureOpenApiError(`security scheme ${name} leads back to itself`);
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((entry) => copyScheme(name, entry, inside));
  if (!isPlainObject(value)) throw secureOpenApiError(`security scheme ${name} has a ${typeof value}`);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyScheme(name, member, inside)]));
}

function parseNames(what: string, names: unknown, components: ReadonlyMap<string, unknown>): readonly string[] {
  if (names === undefined) return [];
  if (!Array.isArray(names)) throw secureOpenApiError(`authSchemes.${what} must be a list`);
  const trimmed = (names as readonly unknown[]).map((name) => (typeof name === 'string' ? name.trim() : String(name)));
  const unknown = trimmed.find((name) => !components.has(name));
  if (unknown !== undefined) throw secureOpenApiError(`auth scheme ${unknown} is not defined`);
  return [...new Set(trimmed)];
}
