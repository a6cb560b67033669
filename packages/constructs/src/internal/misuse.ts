import { Duration, Token } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { ConstructError, type ConstructErrorCode } from '../errors.js';

/** A wrong use of a construct. */
export interface Misuse {
  /** The fault: a prop's name, or a sentence without a full stop. */
  readonly what: string;
  /** The value. Leave out possible secrets. */
  readonly got?: unknown;
  /** The expected value, or the remedy. */
  readonly expected: string;
  /** Default `constructs.invalid_prop`. */
  readonly code?: ConstructErrorCode;
  readonly cause?: unknown;
}

/**
 * The error `framework: <Class>: <what>, got <got>, expected <expected> (at <path>)`.
 *
 * @param at the construct, or the class and its path if the construct does not exist yet
 */
export function misuse(at: IConstruct, misused: Misuse, className: string = at.constructor.name): ConstructError {
  return new ConstructError(
    misused.code ?? 'constructs.invalid_prop',
    misuseText(at, misused, className),
    at.node.path,
    misused.cause,
  );
}

/** The message of {@link misuse}, for findings that are reported at synth. */
export function misuseText(
  at: IConstruct,
  { what, expected, ...rest }: Misuse,
  className: string = at.constructor.name,
): string {
  const got = 'got' in rest ? `, got ${show(rest.got)}` : '';
  return `framework: ${className}: ${what}${got}, expected ${expected} (at ${at.node.path})`;
}

const MAX_SHOWN = 60;

/** A value for an error message: literals, but no contents of objects. */
export function show(value: unknown): string {
  if (Token.isUnresolved(value)) return 'a token';
  if (typeof value === 'string')
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined || value === null)
    return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Duration) return value.toHumanString();
  return typeof value === 'object' ? `an object (${value.constructor?.name ?? 'Object'})` : `a ${typeof value}`;
}
