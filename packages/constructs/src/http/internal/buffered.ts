import { Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** Warns that a streaming route's response is buffered. */
export function warnBuffered(door: IConstruct, what: string): void {
  Validations.of(door).addWarning(
    'Sallyport::StreamingBuffered',
    `${what} streams, and ${door.node.path} sends answers in one piece of at most 6 MB (load balancer: 1 MB). Use a RestApi or a FunctionUrl, or acknowledge this.`,
  );
}
