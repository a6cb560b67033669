import { Dashboard, GraphWidget, type IWidget, Stats, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Aspects } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { defineProps, literal, literalWords } from '../internal/props.js';
import { ServiceWiring } from '../wiring/service-wiring.js';
import { applicationGraphs } from './internal/application-graphs.js';
import {
  PERIOD,
  slowInvocations,
  TITLES,
  type Watched,
  type WatchedPart,
  watchedByWiring,
  watchedDoors,
  watchedFailures,
} from './internal/watched.js';

/** Props of {@link ServiceDashboard}. */
export interface ServiceDashboardProps {
  /** The wirings of the functions to show. */
  readonly wirings: readonly ServiceWiring[];
  /**
   * The name of the dashboard, unique in the account and region.
   *
   * @default - generated
   */
  readonly dashboardName?: string;
}

/** Validators and defaults for {@link ServiceDashboardProps}. */
const SERVICE_DASHBOARD_PROPS = defineProps<ServiceDashboardProps>('ServiceDashboard')({
  wirings: literal<readonly ServiceWiring[]>(
    'a list of wirings',
    (value) => Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof ServiceWiring),
  ).required(),
  dashboardName: literalWords('1 to 255 letters, digits, - and _', /^[\w-]{1,255}$/),
});

/**
 * A dashboard with graphs for all doors, sources and tables of wirings: the same metrics as {@link ServiceAlarms}, and the number and duration of invocations. Each
 * graph shows the threshold of the alarm. For an application that writes metrics, also its requests, failures, latency, retries, age of records and cold starts.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Dashboards.html
 * @example new ServiceDashboard(this, 'Dashboard', { wirings: [wiring] });
 */
export class ServiceDashboard extends Construct {
  /** The dashboard. */
  readonly dashboard: Dashboard;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop */
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { wirings, dashboardName } = SERVICE_DASHBOARD_PROPS.parse(this, props);
    this.dashboard = new Dashboard(this, 'Resource', { ...(dashboardName !== undefined && { dashboardName }) });
    let isDrawn = false;
    // Sources and doors can follow the dashboard, so they are known when the tree is complete.
    Aspects.of(this).add({
      visit: (node) => {
        if (node !== this || isDrawn) return;
        isDrawn = true;
        for (const wiring of wirings) {
          this.dashboard.addWidgets(
            new TextWidget({ markdown: `## ${wiring.fn.node.path.replace(/\/Resource$/, '')}`, width: 24, height: 1 }),
          );
          this.dashboard.addWidgets(...widgetsOf(this, wiring));
        }
      },
    });
  }
}

/** The default of `doorErrorThreshold`. */
const DOOR_ERRORS = 5;

function widgetsOf(at: Construct, wiring: ServiceWiring): readonly IWidget[] {
  const { fn } = wiring;
  const watched = [
    ...watchedDoors(at, fn, DOOR_ERRORS),
    ...slowInvocations(fn, undefined, true),
    ...watchedFailures(fn, []),
    ...watchedByWiring(wiring, undefined),
  ];
  const parts = [...new Set(watched.map(({ part }) => part))];
  const sum = { period: PERIOD, statistic: Stats.SUM };
  return [
    new GraphWidget({
      title: 'Invocations',
      left: [fn.metricInvocations(sum), fn.metricErrors(sum), fn.metricThrottles(sum)],
      width: WIDTH,
    }),
    ...parts.map((part) =>
      graphOf(
        part,
        watched.filter((one) => one.part === part),
      ),
    ),
    ...applicationGraphs(fn, wiring.inventory, WIDTH),
  ];
}

/** Three graphs in a row of 24. */
const WIDTH = 8;

function graphOf(part: WatchedPart, watched: readonly Watched[]): GraphWidget {
  const thresholds = [...new Set(watched.map(({ threshold }) => threshold))];
  return new GraphWidget({
    title: TITLES[part],
    left: watched.map(({ metric }) => metric),
    leftAnnotations: thresholds.map((value) => ({ value, label: 'alarm' })),
    width: WIDTH,
  });
}
