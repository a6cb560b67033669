import type { IConstruct } from 'constructs';
import { acknowledge } from '../../internal/acknowledge.js';

const REASON = 'The application checks the caller of every route: its container is secure.';

/** A route without an authorizer, of an application whose operations all have a posture. */
export function acknowledgeOpenRoute(route: IConstruct, reason = REASON): void {
  for (const rule of ['APIG4', 'COG4']) acknowledge(route, `AwsSolutions::AwsSolutions-${rule}`, reason);
}
