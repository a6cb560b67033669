import { leftOut } from '@sallyport/core/internal';
import type * as part from '../explain.js';

export const explainRows: typeof part.explainRows = () => {
  throw leftOut('explain()', 'sallyport-no-explain');
};

/** The error of an unknown event has no details. */
export const detailsOf: typeof part.detailsOf = () => undefined;
