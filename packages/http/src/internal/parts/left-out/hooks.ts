import { leftOut, leftOutOption } from '@sallyport/core/internal';
import type * as part from '../hooks.js';

const CONDITION = 'sallyport-no-hooks';

export const HOOK_KINDS: typeof part.HOOK_KINDS = {
  onError: /* @__PURE__ */ leftOutOption(CONDITION),
  notFound: /* @__PURE__ */ leftOutOption(CONDITION),
  onResponse: /* @__PURE__ */ leftOutOption(CONDITION),
};

/** A container calls it with its three options, which are then absent. */
export const hooks: typeof part.hooks = (options) => {
  if (Object.values(options).some((hook) => hook !== undefined)) throw leftOut('hooks()', CONDITION);
  return { askOnError: undefined, showResponse: undefined };
};
