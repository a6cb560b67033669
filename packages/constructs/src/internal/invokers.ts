import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { sharedRegistry } from './shared.js';
import { functionBehind } from './targets.js';

/** A construct whose resources invoke a function because a construct of this package attached it, although they are not children of that construct. */
export interface Invoker {
  readonly construct: IConstruct;
  /** The kind of the registration that it attaches, for constructs that no method of a wiring creates. */
  readonly kind?: string;
  /** The types of its resources that invoke the function; all by default. */
  readonly types?: RegExp;
}

/** Resources with which an API calls an authorizer function. */
export const AUTHORIZER_TYPES = /::(?:Authorizer|GraphQLApi|Permission)$/;

const invokers = sharedRegistry<IFunction, Invoker[]>('invokers/1');

export function noteInvoker(fn: IFunction, invoker: Invoker): void {
  const behind = functionBehind(fn);
  invokers.set(behind, [...(invokers.get(behind) ?? []), invoker]);
}

export function invokersOf(fn: IFunction): readonly Invoker[] {
  return invokers.get(functionBehind(fn)) ?? [];
}

const resources = sharedRegistry<IConstruct, IConstruct[]>('door-resources/1');

/** Records a resource of a door that is not its child. */
export function noteResource(door: IConstruct, resource: IConstruct): void {
  resources.set(door, [...(resources.get(door) ?? []), resource]);
}

/** The constructs whose children are the resources of a door. */
export function resourcesOf(door: IConstruct): readonly IConstruct[] {
  return [door, ...(resources.get(door) ?? [])];
}

const expected = sharedRegistry<IConstruct, Set<string>>('expected-routes/1');

/** Records routes of a door that another construct than the wiring adds, such as the documents of an MCP server. */
export function expectRoutes(
  door: IConstruct,
  routes: readonly { readonly method: string; readonly path: string }[],
): void {
  const known = expected.get(door) ?? new Set<string>();
  for (const { method, path } of routes) known.add(`${method} ${path}`);
  expected.set(door, known);
}

export function expectedRoutes(door: IConstruct): ReadonlySet<string> {
  return expected.get(door) ?? new Set();
}
