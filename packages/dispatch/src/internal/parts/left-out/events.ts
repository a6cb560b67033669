import { leftOut, leftOutOption, leftOutSurface } from '@sallyport/core/internal';
import { boolean, number } from '@sallyport/core/options';
import type * as part from '../events.js';

const CONDITION = 'sallyport-no-events';
/** The container validates these options itself. */
const OF_THE_CONTAINER = /* @__PURE__ */ leftOutOption<never>(CONDITION);

export const EVENT_KINDS: typeof part.EVENT_KINDS = {
  streamFailureIdentifier: /* @__PURE__ */ leftOutOption(CONDITION),
  queueConcurrency: /* @__PURE__ */ leftOutOption<number>(CONDITION).default(1),
  // GraphQL reads this option too.
  deadlineMarginMs: /* @__PURE__ */ number(0, undefined, 'milliseconds').default(500),
  maskErrors: /* @__PURE__ */ boolean.default(false),
  clock: OF_THE_CONTAINER,
  ids: OF_THE_CONTAINER,
  environment: OF_THE_CONTAINER,
  log: OF_THE_CONTAINER,
  observability: OF_THE_CONTAINER,
};

/** Opt-in triggers need the code of events. */
export const observerForSurfaces: typeof part.observerForSurfaces = () => {
  throw leftOut('the code for the option "surfaces"', CONDITION);
};

export const createEvents: typeof part.createEvents = () =>
  leftOutSurface('queue(), tableStream(), kinesis(), topic(), eventBus() or useEvents()', CONDITION);
