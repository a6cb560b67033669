import { leftOut, leftOutOption } from '@sallyport/core/internal';
import type * as part from '../cors.js';

const CONDITION = 'sallyport-no-cors';

export const CORS_KIND: typeof part.CORS_KIND = /* @__PURE__ */ leftOutOption(CONDITION);

export const cors: typeof part.cors = () => {
  throw leftOut('cors()', CONDITION);
};
