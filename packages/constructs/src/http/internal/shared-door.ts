import { Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from '../../internal/misuse.js';

/**
 * Rejects settings of the shared API on a door of it, and an API that the stack of the door cannot refer to.
 *
 * @param name the class of the shared API, for the remedy
 * @throws ConstructError `constructs.invalid_prop`
 */
export function checkShared(door: IConstruct, shared: IConstruct, props: object, name: string): void {
  const surplus = Object.keys(props).find((prop) => prop !== 'fn' && prop !== 'shared');
  if (surplus !== undefined) {
    throw misuse(door, { what: `${surplus} with shared`, expected: `${surplus} of the ${name}` });
  }
  const [own, other] = [Stack.of(door), Stack.of(shared)];
  if (own.region === other.region && own.account === other.account) return;
  throw misuse(door, {
    what: `shared is in ${other.account}, ${other.region}`,
    expected: `an API in the account and the region of the function, ${own.account}, ${own.region}`,
  });
}
