import { DOORS_ENV } from '@sallyport/http/schema';
import { Alias, type IFunction, type IVersion, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Duration } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { misuse } from './misuse.js';
import { sharedRegistry } from './shared.js';

/** The two aliases of a function whose front doors are separate. */
export interface DoorAliases {
  /** APIs, the function URL, load balancers, WebSocket and GraphQL APIs invoke it, and nothing else does. */
  readonly doors: IFunction;
  /** Triggers and every other service invoke it. */
  readonly events: IFunction;
}

const separated = sharedRegistry<IFunction, DoorAliases>('doors/1');

/** The function behind an alias; what is given for anything else. */
export function functionBehind(fn: IFunction): IFunction {
  return fn instanceof Alias ? functionBehind(fn.lambda) : fn;
}

/** The aliases of a function with separate doors, also by one of its aliases. */
export function doorAliasesOf(fn: IFunction): DoorAliases | undefined {
  return separated.get(functionBehind(fn));
}

/** Makes the aliases `doors` and `events`, and tells the application which of them its doors invoke. */
export function separateDoors(at: Construct, fn: LambdaFunction): DoorAliases {
  // The types of the CDK are not written for `exactOptionalPropertyTypes`.
  const alias = (id: string, aliasName: string) =>
    new Alias(at, id, { aliasName, version: fn.currentVersion as IVersion }) as IFunction;
  const aliases = { doors: alias('Doors', 'doors'), events: alias('Events', 'events') };
  fn.addEnvironment(DOORS_ENV, JSON.stringify({ qualifier: 'doors' }));
  separated.set(fn as IFunction, aliases);
  return aliases;
}

/**
 * The function, or the alias of it, that a front door invokes.
 *
 * @throws ConstructError `constructs.invalid_prop` for the alias of events
 */
export function invokedByDoor(door: IConstruct, fn: IFunction): IFunction {
  const aliases = doorAliasesOf(fn);
  if (!aliases) return fn;
  if (fn !== aliases.events) return aliases.doors;
  throw misuse(door, {
    what: `a front door of the alias "events" of ${functionBehind(fn).node.path}`,
    expected: 'the function, or its alias "doors": the application rejects requests that come through another one',
  });
}

/**
 * The function, or the alias of it, that a trigger invokes.
 *
 * @throws ConstructError `constructs.invalid_prop` for the alias of doors
 */
function invokedByEvents(trigger: IConstruct, fn: IFunction): IFunction {
  const aliases = doorAliasesOf(fn);
  if (!aliases) return fn;
  if (fn !== aliases.doors) return aliases.events;
  throw misuse(trigger, {
    what: `a trigger of the alias "doors" of ${functionBehind(fn).node.path}`,
    expected: 'the function, or its alias "events": what comes through "doors" may claim to be a request',
  });
}

/** The time limit of a function; `undefined` for an imported one. */
export function timeoutOf(fn: IFunction): Duration | undefined {
  const behind = functionBehind(fn);
  return behind instanceof LambdaFunction ? behind.timeout : undefined;
}

/**
 * What a trigger invokes: the function, its alias `events` where its doors are separate, or an alias that no other trigger has, so that the ARN of an invocation proves which trigger
 * made it.
 */
export function invokedBy(trigger: Construct, fn: IFunction, ownAlias: boolean): IFunction {
  if (!ownAlias) return invokedByEvents(trigger, fn);
  if (!(fn instanceof LambdaFunction)) {
    throw misuse(trigger, {
      what: `ownAlias with ${fn.node.path}, which is an alias, a version or an imported function`,
      expected: 'the function itself',
    });
  }
  // Names of aliases: letters, digits, - and _, at most 128 characters, not only digits.
  const aliasName = `via-${trigger.node.path.split('/').slice(1).join('-')}`.replace(/[^\w-]/g, '-').slice(-128);
  // The types of the CDK are not written for `exactOptionalPropertyTypes`.
  return new Alias(trigger, 'Alias', { aliasName, version: fn.currentVersion as IVersion }) as IFunction;
}

/** Sources of a function, and the path of the trigger that each has. */
const claims = sharedRegistry<IFunction, Map<string, Claim>>('claims/1');

/** A source that invokes a function. */
export interface Claim {
  /** The path of the trigger. */
  readonly path: string;
  /** `queue`, `table stream`, … */
  readonly noun: string;
}

/** Every source that this package made invoke a function. */
export function claimsOf(fn: IFunction): readonly Claim[] {
  return [...(claims.get(functionBehind(fn))?.values() ?? [])];
}

/**
 * Rejects what cannot name the tenant of an invocation in front of a function with tenant isolation.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/tenant-isolation.html
 */
export function refuseTenantIsolation(by: IConstruct, fn: IFunction, noun: string): void {
  const behind = functionBehind(fn);
  if (!(behind instanceof LambdaFunction) || behind.tenancyConfig === undefined) return;
  throw misuse(by, {
    what: `a ${noun} for ${behind.node.path}, which has tenant isolation`,
    expected: 'a REST API, an HTTP API or direct invocations: AWS Lambda refuses other sources',
  });
}

/**
 * Notes that a source invokes a function.
 *
 * @throws ConstructError `constructs.conflict` when it does already: AWS rejects a second mapping, a second rule or subscription runs
 *   everything twice
 */
export function claimSource(trigger: IConstruct, fn: IFunction, source: string, noun: string): void {
  refuseTenantIsolation(trigger, fn, noun);
  const behind = functionBehind(fn);
  const taken = claims.get(behind) ?? new Map<string, Claim>();
  claims.set(behind, taken);
  const first = taken.get(source);
  if (first !== undefined) {
    throw misuse(trigger, {
      what: `a second mapping of this ${noun} to ${behind.node.path}; the first is ${first.path}`,
      expected: `one mapping: remove this one, or give the ${noun} to another function`,
      code: 'constructs.conflict',
    });
  }
  taken.set(source, { path: trigger.node.path, noun });
}
