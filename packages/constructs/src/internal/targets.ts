import { DOORS_ENV } from '@sallyport/http/schema';
import { Alias, type IFunction, type IVersion, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnElement, type Duration, Stack, Token } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { warnOfDurableDoor } from './durable.js';
import { misuse } from './misuse.js';
import { sharedRegistry } from './shared.js';

/** The two aliases of a function whose front doors are separate. */
export interface DoorAliases {
  /** Only APIs, the function URL, load balancers, WebSocket and GraphQL APIs invoke it. */
  readonly doors: IFunction;
  /** Triggers and every other service invoke it. */
  readonly events: IFunction;
}

const separated = sharedRegistry<IFunction, DoorAliases>('doors/1');

const live = sharedRegistry<IFunction, IFunction>('live/1');

/** The function of an alias; any other argument is returned unchanged. */
export function functionBehind(fn: IFunction): IFunction {
  return fn instanceof Alias ? functionBehind(fn.lambda) : fn;
}

/** The aliases of a function with separate doors; accepts one of its aliases too. */
export function doorAliasesOf(fn: IFunction): DoorAliases | undefined {
  return separated.get(functionBehind(fn));
}

/** Creates the aliases `doors` and `events`, and sets the variable that names the doors' alias. */
export function separateDoors(at: Construct, fn: LambdaFunction): DoorAliases {
  // The types of the CDK are not written for `exactOptionalPropertyTypes`.
  const alias = (id: string, aliasName: string) =>
    new Alias(at, id, { aliasName, version: fn.currentVersion as IVersion }) as IFunction;
  const aliases = { doors: alias('Doors', 'doors'), events: alias('Events', 'events') };
  fn.addEnvironment(DOORS_ENV, JSON.stringify({ qualifier: 'doors' }));
  separated.set(fn as IFunction, aliases);
  return aliases;
}

const payloadAliases = sharedRegistry<object, true>('payload-aliases/1');

/** True for the resource of an alias that only services invoke which pass on a payload. */
export function isPayloadAlias(resource: object): boolean {
  return payloadAliases.has(resource);
}

/** Creates an alias for services that pass on a payload which a device or a client wrote. */
export function payloadAlias(at: Construct, fn: IFunction, aliasName: string): IFunction {
  const behind = functionBehind(fn);
  if (!(behind instanceof LambdaFunction)) {
    throw misuse(at, { what: `an alias of ${fn.node.path}, an imported function`, expected: 'a function of this app' });
  }
  const alias = new Alias(at, `Payload-${aliasName}`, { aliasName, version: behind.currentVersion as IVersion });
  payloadAliases.set(alias.node.defaultChild as object, true);
  return alias as IFunction;
}

/** Makes doors and triggers of a function invoke this alias of it. */
export function setLiveAlias(fn: IFunction, alias: IFunction): void {
  live.set(fn, alias);
}

/** The alias that doors and triggers of a function invoke; another alias that was passed is kept. */
function liveAliasOf(fn: IFunction): IFunction {
  return live.get(fn) ?? fn;
}

/** False for an imported resource. */
function isOfThisApp({ node }: IConstruct): boolean {
  return node.defaultChild !== undefined && CfnElement.isCfnElement(node.defaultChild);
}

/**
 * Rejects a construct in another account or region than the function of this app that it invokes. The CDK rejects it too, without the construct.
 *
 * @throws ConstructError `constructs.invalid_prop`
 */
function requireSameEnvironment(at: IConstruct, fn: IFunction): void {
  const behind = functionBehind(fn);
  if (!isOfThisApp(behind)) return;
  const [own, other] = [Stack.of(at), Stack.of(behind)];
  const differs = (['region', 'account'] as const).some(
    (name) => !Token.isUnresolved(own[name]) && !Token.isUnresolved(other[name]) && own[name] !== other[name],
  );
  if (!differs) return;
  throw misuse(at, {
    what: `function ${behind.node.path} is in ${other.account}, ${other.region}`,
    expected: `a function in ${own.account}, ${own.region}, the account and region of this stack`,
  });
}

/**
 * The function, or the alias of it, that a front door invokes.
 *
 * @throws ConstructError `constructs.invalid_prop` for the alias of events
 */
export function invokedByDoor(door: IConstruct, fn: IFunction): IFunction {
  requireSameEnvironment(door, fn);
  warnOfDurableDoor(door, functionBehind(fn));
  const aliases = doorAliasesOf(fn);
  if (!aliases) return liveAliasOf(fn);
  if (fn !== aliases.events) return aliases.doors;
  throw misuse(door, {
    what: `a front door of the alias "events" of ${functionBehind(fn).node.path}`,
    expected: 'the function, or its alias "doors": the application rejects requests that come through another alias',
  });
}

/**
 * The function, or the alias of it, that a trigger invokes.
 *
 * @throws ConstructError `constructs.invalid_prop` for the alias of doors
 */
function invokedByEvents(trigger: IConstruct, fn: IFunction): IFunction {
  const aliases = doorAliasesOf(fn);
  if (!aliases) return liveAliasOf(fn);
  if (fn !== aliases.doors) return aliases.events;
  throw misuse(trigger, {
    what: `a trigger of the alias "doors" of ${functionBehind(fn).node.path}`,
    expected: 'the function, or its alias "events": an event through "doors" can claim to be a request',
  });
}

/** The timeout of a function; `undefined` for an imported function. */
export function timeoutOf(fn: IFunction): Duration | undefined {
  const behind = functionBehind(fn);
  return behind instanceof LambdaFunction ? behind.timeout : undefined;
}

/**
 * The target of a trigger: the function, its alias `events` if its doors are separate, or an alias that no other trigger uses. With a separate
 * alias, the ARN of an invocation identifies its trigger.
 */
export function invokedBy(trigger: Construct, fn: IFunction, ownAlias: boolean): IFunction {
  requireSameEnvironment(trigger, fn);
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

/** The sources of each function, with the path of the trigger. */
const claims = sharedRegistry<IFunction, Map<string, Claim>>('claims/1');

/** A source that invokes a function. */
export interface Claim {
  /** The path of the trigger. */
  readonly path: string;
  /** `queue`, `table stream`, … */
  readonly noun: string;
}

/** The sources that constructs of this package have connected to a function. */
export function claimsOf(fn: IFunction): readonly Claim[] {
  return [...(claims.get(functionBehind(fn))?.values() ?? [])];
}

/**
 * Rejects a source that cannot name the tenant, for a function with tenant isolation.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/tenant-isolation.html
 */
export function refuseTenantIsolation(by: IConstruct, fn: IFunction, noun: string): void {
  const behind = functionBehind(fn);
  if (!(behind instanceof LambdaFunction) || behind.tenancyConfig === undefined) return;
  throw misuse(by, {
    what: `a ${noun} for ${behind.node.path}, which has tenant isolation`,
    expected: 'a REST API, an HTTP API or direct invocations: AWS Lambda rejects other sources',
  });
}

/**
 * Records that a source invokes a function.
 *
 * @throws ConstructError `constructs.conflict` if it already does: AWS rejects a second mapping, and a second rule or subscription delivers
 *   every event twice
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
      expected: `one mapping: remove this one, or attach the ${noun} to another function`,
      code: 'constructs.conflict',
    });
  }
  taken.set(source, { path: trigger.node.path, noun });
}

/**
 * Rejects parts in two stacks that would refer to each other.
 *
 * @param part a part that refers to the other stack and is referred to
 * @throws ConstructError `constructs.invalid_prop`
 */
export function requireSameStack(at: IConstruct, label: string, part: IConstruct, expected: string): void {
  if (!isOfThisApp(part) || Stack.of(part) === Stack.of(at)) return;
  throw misuse(at, {
    what: `${label} ${part.node.path} is in another stack, ${Stack.of(part).node.path}: CloudFormation rejects stacks that refer to each other`,
    expected,
  });
}
