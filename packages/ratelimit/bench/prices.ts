/**
 * List prices of DynamoDB in us-east-1, standard table class, 2026-11-22.
 * On demand: https://aws.amazon.com/dynamodb/pricing/on-demand/
 * Provisioned: https://aws.amazon.com/dynamodb/pricing/provisioned/
 * Reserved capacity is up to 54 % cheaper for one year and up to 77 % for three:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/reserved-capacity.html
 */
const ON_DEMAND = { write: 0.625 / 1e6, read: 0.125 / 1e6 };
const PROVISIONED_HOUR = { write: 0.00065, read: 0.00013 };
const HOURS = 730;
/** Auto scaling keeps the use of the capacity at 70 % by default. */
const TARGET = 0.7;

/** The columns of {@link monthly}. */
export const PRICES = ['$ a month on demand', 'provisioned', 'reserved, 1 year', 'reserved, 3 years'] as const;

/** Dollars per month for a number of units per second. */
export function monthly(writes: number, reads: number): number[] {
  const onDemand = (writes * ON_DEMAND.write + reads * ON_DEMAND.read) * 3600 * HOURS;
  const provisioned = ((writes * PROVISIONED_HOUR.write + reads * PROVISIONED_HOUR.read) * HOURS) / TARGET;
  return [onDemand, provisioned, provisioned * (1 - 0.54), provisioned * (1 - 0.77)];
}
