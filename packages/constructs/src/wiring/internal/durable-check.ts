import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { durableOf } from '../../internal/durable.js';
import { misuseText } from '../../internal/misuse.js';
import { functionBehind } from '../../internal/targets.js';
import type { Inventory } from '../inventory.js';

/** Routes that stream although their handler is wrapped by `durable`: an execution has one recorded answer. */
export function durableStreams(at: IConstruct, { routes }: Inventory): readonly string[] {
  return routes
    .filter(({ streaming, durable }) => streaming === true && durable === true)
    .map(({ method, path }) =>
      misuseText(at, { what: `${method} ${path} is durable and streams`, expected: 'a route without streaming: true' }),
    );
}

/** Warns of wrapped handlers in a function that is not durable: `wait` and `callback` reject there. */
export function warnOfPlainFunction(at: IConstruct, fn: IFunction, { routes, triggers }: Inventory): void {
  const count = [...routes, ...triggers].filter(({ durable }) => durable === true).length;
  const behind = functionBehind(fn);
  if (count === 0 || durableOf(behind)) return;
  const text = `${count} handlers are wrapped by durable, and ${behind.node.path} has no prop durable: steps run without a record, wait and callback reject with durable.not_durable`;
  Validations.of(at).addWarning('Sallyport::NotDurable', text);
}
