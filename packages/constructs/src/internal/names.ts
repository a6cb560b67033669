import { Names } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** A name that tells people which construct made a resource. AWS demands it, and it need not be unique. */
export function nameOf(construct: IConstruct): string {
  return Names.uniqueResourceName(construct, { maxLength: 64, separator: '-', allowedSpecialCharacters: '-' });
}
