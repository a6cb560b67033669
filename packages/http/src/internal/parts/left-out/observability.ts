import { leftOut, leftOutOption } from '@sallyport/core/internal';
import type * as part from '../observability.js';

const CONDITION = 'sallyport-no-observability';

export const OBSERVABILITY_KIND: typeof part.OBSERVABILITY_KIND = /* @__PURE__ */ leftOutOption(CONDITION);

/** A container calls it without hooks if the option is absent. */
export const observe: typeof part.observe = (hooks) => {
  if (Object.keys(hooks).length > 0) throw leftOut('observe()', CONDITION);
  return { hooks: {}, startTimer: undefined, beginSpan: () => undefined, report: () => {} };
};
