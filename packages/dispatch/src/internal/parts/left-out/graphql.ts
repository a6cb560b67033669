import { leftOutOption, leftOutSurface } from '@sallyport/core/internal';
import { number } from '@sallyport/core/options';
import type * as part from '../graphql.js';

const CONDITION = 'sallyport-no-graphql';

export const GRAPHQL_KINDS: typeof part.GRAPHQL_KINDS = {
  batchConcurrency: /* @__PURE__ */ leftOutOption<number>(CONDITION).default(10),
  batchResult: /* @__PURE__ */ leftOutOption<'native' | 'envelope'>(CONDITION).default('native'),
  // Events read this option too.
  deadlineMarginMs: /* @__PURE__ */ number(0, undefined, 'milliseconds').default(500),
  errorMode: /* @__PURE__ */ leftOutOption<'object' | 'throw'>(CONDITION).default('object'),
};

export const createGraphql: typeof part.createGraphql = () =>
  leftOutSurface('appSyncField() or appSyncBatchField()', CONDITION);
