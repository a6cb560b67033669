import { invalidConfiguration } from '@sallyport/core/options';

const FULL_PER_SECOND = 5;
const RATIO_ABOVE = 0.1;
/** The last 13 digits: 52 bits are exact in a number. */
const RANDOM_DIGITS = 13;

/**
 * Samples by trace id, so that every service with the same ratio samples the same traces
 * (https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/).
 *
 * @throws FrameworkError `app.invalid_configuration` for a ratio that is not a number from 0 to 1
 */
export function createSampler(ratio: number | string | undefined): (traceId: string) => boolean {
  if (ratio === undefined || ratio === '') return createDefaultSampler();
  const part = Number(ratio);
  if (!(part >= 0 && part <= 1)) {
    throw invalidConfiguration('the variable OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  }
  return (traceId) => isWithin(traceId, part);
}

function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * 16 ** RANDOM_DIGITS;
}

function createDefaultSampler(): (traceId: string) => boolean {
  let second = 0;
  let traces = 0;
  return (traceId) => {
    const now = Math.floor(performance.now() / 1000);
    traces = now === second ? traces + 1 : 1;
    second = now;
    return traces <= FULL_PER_SECOND || isWithin(traceId, RATIO_ABOVE);
  };
}
