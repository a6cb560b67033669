import { leftOut } from '@sallyport/core/internal';
import type * as part from '../forms.js';

/** Rejects every call of `ctx.bodyForm()`: only a handler can show that the application reads forms. */
export const parseForm: typeof part.parseForm = async () => {
  throw leftOut('ctx.bodyForm()', 'sallyport-no-forms');
};
