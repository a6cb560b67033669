import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { ServiceAlarms } from '../../function/service-alarms.js';
import { ServiceDashboard } from '../../function/service-dashboard.js';
import type { ServicePart } from './parts.js';
import { createTopic } from './topic.js';

/** The alarms and the dashboard of a service. */
export interface Watch {
  readonly alarms: Readonly<Record<string, ServiceAlarms>>;
  readonly dashboard: ServiceDashboard;
  readonly topic: ITopic;
}

/** Creates the alarms of each function, and one dashboard. */
export function watchParts(at: Construct, parts: readonly ServicePart[], given: ITopic | undefined): Watch {
  const topic = given ?? createTopic(at, 'AlarmTopic');
  const alarms = parts.map(({ name, wiring }) => {
    const id = name === 'main' ? 'Alarms' : `Alarms-${name}`;
    return [name, new ServiceAlarms(at, id, { wiring, actionTopic: topic })] as const;
  });
  const dashboard = new ServiceDashboard(at, 'Dashboard', { wirings: parts.map(({ wiring }) => wiring) });
  return { alarms: Object.fromEntries(alarms), dashboard, topic };
}
