import {
  type IApiKey,
  type IRestApi,
  Period,
  type RestApi as RestApiResource,
  type UsagePlanProps,
} from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import { nameOf } from '../internal/names.js';
import { choice, count, defineProps, many } from '../internal/props.js';

/** The limits of some API keys. Exceeded limits are best effort, not a guarantee of API Gateway. */
export interface ApiUsagePlan {
  /** The keys. */
  readonly keys: readonly IApiKey[];
  /**
   * Requests a second of each key, on average.
   *
   * @default - the limit of the API
   */
  readonly rate?: number;
  /**
   * Maximum burst of concurrent requests of each key.
   *
   * @default - the limit of the API
   */
  readonly burst?: number;
  /**
   * Requests in a period.
   *
   * @default - no limit
   */
  readonly quota?: number;
  /**
   * The period of `quota`.
   *
   * @default 'month'
   */
  readonly period?: 'day' | 'week' | 'month';
}

const MOST = 1_000_000_000;

/** Validators and defaults for {@link ApiUsagePlan}. */
export const API_USAGE_PLAN = defineProps<ApiUsagePlan>('ApiUsagePlan')({
  keys: many<IApiKey>(
    'a list of API keys',
    (one) => typeof one === 'object' && one !== null && 'keyId' in one,
  ).required(),
  rate: count(1, MOST),
  burst: count(1, MOST),
  quota: count(1, MOST),
  period: choice('day', 'week', 'month').default('month'),
});

const PERIODS = { day: Period.DAY, week: Period.WEEK, month: Period.MONTH } as const;

/**
 * Creates the usage plans of an API.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-usage-plans.html
 */
export function addUsagePlans(at: Construct, api: RestApiResource, plans: readonly ApiUsagePlan[]): void {
  for (const [index, one] of plans.entries()) {
    const { keys, rate, burst, quota, period } = API_USAGE_PLAN.parse(at, one);
    const props: UsagePlanProps = {
      name: `${nameOf(at)}-${index}`,
      apiStages: [{ api: api as IRestApi, stage: api.deploymentStage }],
      ...((rate !== undefined || burst !== undefined) && {
        throttle: { ...(rate !== undefined && { rateLimit: rate }), ...(burst !== undefined && { burstLimit: burst }) },
      }),
      ...(quota !== undefined && { quota: { limit: quota, period: PERIODS[period] } }),
    };
    const plan = api.addUsagePlan(`Plan${index}`, props);
    for (const key of keys) plan.addApiKey(key);
  }
}
