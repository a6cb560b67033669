import { createHash } from 'node:crypto';
import { Names } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** A construct id for a route. Different routes have different ids, in any order: a path that contains two dashes gets a hash. */
export function routeId(route: string): string {
  const id = route.replace(' /', '--').replaceAll('/', '--');
  return /-{2}|-\/|\/-/.test(route) ? `${id}-${createHash('sha256').update(route).digest('hex').slice(0, 8)}` : id;
}

/** A resource name that shows the construct which created the resource. AWS requires a name, which need not be unique. */
export function nameOf(construct: IConstruct): string {
  return Names.uniqueResourceName(construct, { maxLength: 64, separator: '-', allowedSpecialCharacters: '-' });
}
