import { DOORS_ENV } from '@sallyport/http/schema';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct, IConstruct } from 'constructs';
import { misuse } from './misuse.js';

/** The two aliases of a function whose front doors are separate. */
export interface DoorAliases {
  /** APIs, the function URL, load balancers, WebSocket and GraphQL APIs invoke it, and nothing else does. */
  readonly doors: IFunction;
  /** Triggers and every other service invoke it. */
  readonly events: IFunction;
}

const separated = new WeakMap<IFunction, DoorAliases>();

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
export function invokedByEvents(trigger: IConstruct, fn: IFunction): IFunction {
  const aliases = doorAliasesOf(fn);
  if (!aliases) return fn;
  if (fn !== aliases.doors) return aliases.events;
  throw misuse(trigger, {
    what: `a trigger of the alias "doors" of ${functionBehind(fn).node.path}`,
    expected: 'the function, or its alias "events": what comes through "doors" may claim to be a request',
  });
}
