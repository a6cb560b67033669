import { Names } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** A resource name that shows the construct which created the resource. AWS requires a name, which need not be unique. */
export function nameOf(construct: IConstruct): string {
  return Names.uniqueResourceName(construct, { maxLength: 64, separator: '-', allowedSpecialCharacters: '-' });
}
