import { createHash } from 'node:crypto';
import { Fn, Names, Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** A construct id for a route. Different routes have different ids, in any order: a path that contains two dashes gets a hash. */
export function routeId(route: string): string {
  const id = route.replace(' /', '--').replaceAll('/', '--');
  return /-{2}|-\/|\/-/.test(route) ? `${id}-${createHash('sha256').update(route).digest('hex').slice(0, 8)}` : id;
}

/** A resource name that shows the construct which created the resource. AWS requires a name, which need not be unique. */
export function nameOf(construct: IConstruct, maxLength = 64): string {
  return Names.uniqueResourceName(construct, { maxLength, separator: '-', allowedSpecialCharacters: '-' });
}

/** {@link nameOf} with a part of the stack's id: a new stack with the same name does not collide with the kept resource of a removed stack. */
export function nameInStack(construct: IConstruct, maxLength = 64): string {
  const uuid = Fn.select(2, Fn.split('/', Stack.of(construct).stackId));
  return `${nameOf(construct, maxLength - '-12345678'.length)}-${Fn.select(0, Fn.split('-', uuid))}`;
}
